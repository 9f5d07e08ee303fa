"""`workbench watch`: ask again whom an edit of guidance or corpora can touch, and tell it line by line."""

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from workbench.cli.asking_options import EngineOption, MaxCostOption, ModelOption
from workbench.cli.options import FilterOption, JsonOption, ProjectOption, SelectionArgument, opened, terms
from workbench.cli.run import INTERRUPTED, PASSED, USAGE

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.desk.watching.watch import Watch


def watch_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    engine: EngineOption = "",
    model: ModelOption = "",
    max_cost: MaxCostOption = 0,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Watch guidance and corpora, and ask again what an edit can touch; ends at Ctrl-C (exit 130) or SIGTERM (0)."""
    import asyncio

    from workbench.desk.records import DeskError
    from workbench.desk.watching.records import WatchRequest
    from workbench.text.sanitize import clean

    desk = opened(project)
    for problem in desk.problems():
        typer.echo(f"workbench: {clean(str(problem))}", err=True)
    chosen = tuple(terms(selection, filtered))
    watch = desk.watch(WatchRequest(chosen, engine, model, max_cost, agreed=bool(engine)))
    if watch.costly and not engine and (as_json or not (sys.stdin.isatty() and sys.stdout.isatty())):
        named = watch.costly[0]
        raise DeskError(f"asking {named} costs money, and nobody can say yes here; say so with --engine {named}")
    _refuse_echo(watch)
    raise typer.Exit(asyncio.run(_watch(desk, watch, as_json=as_json)))


def _refuse_echo(watch: "Watch") -> None:
    """Refuse to tell edits into a file that is watched: each line would be an edit, and be told."""
    from workbench.desk.records import DeskError
    from workbench.desk.watching.pruning import without_ignored

    for number in (1, 2):
        written = Path(os.path.realpath(f"/dev/fd/{number}"))
        for box in (box.resolve() for box in watch.boxes):
            if written.is_relative_to(box) and without_ignored(box, [str(written.relative_to(box))]):
                what = f"{written} lies in a box that is watched, so each line in it would be an edit"
                raise DeskError(f"{what}; write to a file elsewhere, or to one that git ignores")


async def _watch(desk: "Desk", watch: "Watch", *, as_json: bool) -> int:
    """Watch until somebody ends it; the exit code."""
    import asyncio

    from workbench.cli.watch_telling import telling
    from workbench.text.sanitize import clean

    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    def fail(error: BaseException) -> None:
        typer.echo(f"workbench: the watch cannot go on: {clean(str(error))}", err=True)
        end(USAGE)

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, end, INTERRUPTED)
    loop.add_signal_handler(signal.SIGTERM, end, PASSED)
    with telling(watch, lambda: end(_DEAF), levels=desk.show_observed_early, as_json=as_json) as hear:
        watch.subscribe(hear)
        watch.failed = fail
        watch.start()
        code = await ended
        await watch.stop()
        await desk.close()
    if code == _DEAF:
        raise BrokenPipeError
    return code


_DEAF = -1
"""Nobody reads what is told any more."""
