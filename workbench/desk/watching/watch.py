"""A watch on guidance and corpora: what changed, whom that touches, what they say now."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.desk.watching.records import Edit, FlipRow, Hear, Wants, Watched, WatchRequest

if TYPE_CHECKING:
    from workbench.corpus.records import Problem
    from workbench.desk.asking import LiveRun


class Watch:
    """Watches from `start` to `stop`. All methods belong to the event loop it was started on."""

    def __init__(self, request: WatchRequest) -> None:
        self.request = request
        self.watched: Watched | None = None
        """What is looked after; None until everything was seen once, which `Ready` tells."""
        self.rows: tuple[FlipRow, ...] = ()
        """The flip board: the rows of the latest edit first, each edit's likeliest first. A row is replaced in its
        place when its audit was asked; one whose audit a later edit touches before that is dropped."""
        self.edits: tuple[Edit, ...] = ()
        """Every edit so far, latest first."""
        self.wants: Wants | None = None
        """What waits for a yes; None while nothing does."""
        self.broken: dict[str, Problem] = {}
        """Corpora that cannot be read as they are, and why; their last good state holds."""
        self.lost: tuple[str, ...] = ()
        """Watched folders that are gone."""
        self.slow = ""
        """Why the watch has to look for changes by itself; empty while the system tells it of them."""

    @property
    def live(self) -> "tuple[LiveRun, ...]":
        """The runs it started that are not over: at most one for each engine and model."""
        return ()

    @property
    def waiting(self) -> tuple[str, ...]:
        """Audits that are still to be asked, in the order in which they will be."""
        return ()

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Hand every later event to `hear`, until the returned function is called."""
        raise NotImplementedError

    def start(self) -> None:
        """Begin to watch, and to ask what a free engine was never asked; returns at once, needs a running loop."""
        raise NotImplementedError

    async def stop(self) -> None:
        """Stop watching and cancel what runs; returns when all of it has ended. What is finished stays."""

    def agree(self, yes: bool) -> None:
        """Answer `wants`, once for the whole watch: a yes asks what waits and all that follows, a no withholds it."""
