"""What the map screen shows: which box, by whose rules, which answers; read from the desk, kept while it is re-read."""

import asyncio
from typing import TYPE_CHECKING

from workbench.desk.records import SectionRows
from workbench.guidance.engine_rules import RULES
from workbench.guidance.records import BoxMap, KnowledgeMap, Placement
from workbench.tui.widgets.map_answers import Groups, Key, listed
from workbench.tui.widgets.map_words import differs, moved

if TYPE_CHECKING:
    from workbench.desk.desk import Desk


class MapView:
    """Nothing of it is drawn here."""

    def __init__(self, desk: "Desk", terms: str, begin: Key | None) -> None:
        """`terms` is the bench's filter; `begin` the corpus and audit whose box is shown first."""
        self.terms = terms
        self.only = False
        """Whether only answers show that do not stand where expected."""
        self.moved: dict[Key, Placement] = {}
        """How it was known before of those whose answer stood elsewhere when the map was read last."""
        self._desk, self._begin = desk, begin
        self._map: KnowledgeMap | None = None
        self._sections: tuple[SectionRows, ...] = ()
        self._at, self._rules = 0, ""

    async def read(self, *, reload: bool = False) -> None:
        """Read the map, corpora first on demand; what is shown stays until it is there. DeskError."""
        if reload:
            await asyncio.to_thread(self._desk.reload)
        known = await self._desk.maps.read(rules=self._rules)
        sections = await asyncio.to_thread(self._desk.sections, self.terms)
        before = self.box
        self._map, self._sections = known, sections
        self._at = self._place(before)
        now = self.box
        same = before is not None and now is not None and before.rules == now.rules
        self.moved = moved(before, now) if same and before and now else {}

    def _place(self, before: BoxMap | None) -> int:
        """Which box is shown: the one before; at first, the one of the audit one came from."""
        for at, box in enumerate(self.boxes):
            if before is not None and (box.root, box.cwd) == (before.root, before.cwd):
                return at
            if before is None and any((one.file, one.audit_id) == self._begin for one in box.placements):
                return at
        return 0

    @property
    def read_yet(self) -> bool:
        """Whether there is anything to show."""
        return self._map is not None

    @property
    def boxes(self) -> tuple[BoxMap, ...]:
        """Every box that is mapped."""
        return self._map.boxes if self._map is not None else ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is not on the map, and why."""
        return self._map.left_out if self._map is not None else ()

    @property
    def at(self) -> int:
        """Which of them is shown."""
        return self._at

    @property
    def box(self) -> BoxMap | None:
        """The one that is shown."""
        return self.boxes[self._at] if self._at < len(self.boxes) else None

    @property
    def engine(self) -> str:
        """Whose rules are shown."""
        return self.box.rules.partition("@")[0] if self.box is not None else ""

    @property
    def first(self) -> Placement | None:
        """The answer one came for."""
        placements = self.box.placements if self.box is not None else ()
        return next((one for one in placements if (one.file, one.audit_id) == self._begin), None)

    def step(self, by: int) -> None:
        """The next box or the one before."""
        self.show((self._at + by) % max(1, len(self.boxes)))

    def show(self, at: int) -> None:
        """Another box."""
        self._at, self.moved = at, {}

    def follow(self, engine: str = "") -> None:
        """Take the rules of an engine, of the next one when none is named; the map is to be read after."""
        names = list(RULES)
        here = names.index(self.engine) if self.engine in names else -1
        self._rules = engine or names[(here + 1) % len(names)]

    def groups(self) -> Groups:
        """What the bench's filter leaves of the answers."""
        return listed(self._sections, self.box.placements) if self.box is not None else []

    @property
    def differing(self) -> int:
        """How many of these do not stand where expected."""
        return sum(differs(one) for _, placements in self.groups() for one in placements)

    def prompt(self, placement: Placement) -> str:
        """What an audit asks."""
        rows = (row for section in self._sections if section.file == placement.file for row in section.rows)
        return next((row.audit.prompt for row in rows if row.audit.id == placement.audit_id), "")
