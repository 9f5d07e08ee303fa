"""An invented map: answers in every layer, a second box, a fault, passages nobody asks about; its files can be laid."""

import asyncio
from pathlib import Path

from workbench.desk.records import DeskError
from workbench.guidance.records import (
    BoxMap,
    ChainFault,
    FileLayer,
    FileWeight,
    KnowledgeMap,
    Place,
    Placement,
    Unasked,
    Wanted,
    WantedPlaces,
)

FILE = "audits/knowledge.yaml"
AGENTS = """\
# The orchard

Notes are cards; `docs/cards.md` describes their kinds.

## Where things go

Whatever is not sorted yet goes to `inbox/`.
Names are lower-case, with a hyphen between words.

## Asking

Ask before you delete a card, and before anything is sprayed: the keeper decides, and writes down what was decided in
the day book, so that nobody has to ask again.
"""
CARDS = (
    "# Cards\n\n"
    + "".join(f"Kind {n}: a card about one thing.\n" for n in range(1, 29))
    + "A note card is a *.note.card file.\n"
)
TEXTS = {
    "AGENTS.md": AGENTS,
    "CLAUDE.md": "@AGENTS.md\n@docs/house.md\n@docs/gone.md\n",
    "docs/cards.md": CARDS,
    "docs/house.md": "# House\n\nPruning is done in late winter.\n",
    "docs/old/rules.md": "Describe rules in one line.\n",
    "scripts/graft.py": "TOOLS = ['saw', 'knife']\n",
}


def _place(path: str, line: int, layer: str, quote: str, found: str = "", **more: str) -> Place:
    start = quote.index(found) if found else 0
    fields = {"path": path, "line": line, "layer": layer, "quote": quote, "start": start, "end": start + len(found)}
    return Place.model_validate(fields | more)


INBOX = _place("AGENTS.md", 7, "always", "Whatever is not sorted yet goes to `inbox/`.", "inbox/")
GLOB = _place(
    "docs/cards.md", 31, "referenced", "A note card is a *.note.card file.", "*.note.card", via="named in AGENTS.md:3"
)
NAMES = _place("AGENTS.md", 8, "always", "Names are lower-case, with a hyphen between words.", "lower-case")
SEASON = _place(
    "docs/house.md", 3, "always", "Pruning is done in late winter.", "late winter", via="imported by CLAUDE.md"
)
TOOLS = _place("scripts/graft.py", 1, "outside", "TOOLS = ['saw', 'knife']", "saw")
RULES = _place("docs/old/rules.md", 1, "present", "Describe rules in one line.", "one line")
NEAR = _place(
    "AGENTS.md", 12, "always", "Ask before you delete a card, and before anything is sprayed", near="about the same"
)


def _answer(
    audit: str, level: str, taught: str, told: str, *wanted: WantedPlaces, place: Place | None, **more: object
) -> Placement:
    layer = place.layer if place is not None else "absent"
    fields: dict[str, object] = {
        "audit_id": audit,
        "file": FILE,
        "expected_level": level,
        "taught": taught,
        "told": told,
    }
    return Placement.model_validate(fields | {"wanted": wanted, "layer": layer, "place": place} | more)


def _wanted(
    text: str, *places: Place, check: str = "correct_contains", choice: int = 0, **more: object
) -> WantedPlaces:
    pattern = "matches" in check
    wanted = Wanted(check=check, text=text, pattern=pattern, choice=choice)
    return WantedPlaces.model_validate({"wanted": wanted, "places": places, "count": len(places)} | more)


PLACEMENTS = (
    _answer(
        "inbox-place",
        "knows_directly",
        "as_expected",
        "taught where expected: AGENTS.md:7",
        _wanted("inbox/", INBOX),
        place=INBOX,
    ),
    _answer(
        "card-glob",
        "knows_directly",
        "deeper",
        "taught deeper than expected: docs/cards.md:31, named in AGENTS.md:3",
        _wanted("*.note.card", GLOB),
        _wanted(
            r"\bcards?\b",
            INBOX.model_copy(update={"line": 3, "quote": "Notes are cards", "start": 10, "end": 15}),
            GLOB,
            check="correct_matches",
            choice=1,
            count=31,
            in_prompt=True,
        ),
        place=GLOB,
    ),
    _answer(
        "note-names",
        "discoverable",
        "nearer",
        "taught nearer than expected: AGENTS.md:8",
        _wanted("lower-case", NAMES, choice=0, check="correct_contains_any"),
        _wanted("no capitals", choice=0, check="correct_contains_any"),
        place=NAMES,
    ),
    _answer(
        "archive-rule",
        "knows_about",
        "unplaced",
        "names nothing to look for: no check says what must be said",
        place=None,
    ),
    _answer(
        "pruning-season",
        "knows_directly",
        "as_expected",
        "taught where expected: docs/house.md:3",
        _wanted("late winter", SEASON),
        place=SEASON,
        in_prompt=True,
    ),
    _answer(
        "grafting-tools",
        "deducible",
        "as_expected",
        "taught where expected: scripts/graft.py:1",
        _wanted("saw", TOOLS),
        place=TOOLS,
    ),
    _answer(
        "describe-rules",
        "knows_about",
        "deeper",
        "taught deeper than expected: docs/old/rules.md:1",
        _wanted("one line", RULES),
        place=RULES,
    ),
)
SPRAY = _answer(
    "spray-interval",
    "knows_directly",
    "nowhere",
    "stands nowhere: researchable at best",
    _wanted("fourteen days", near=(NEAR,)),
    _wanted("(a+)+$", check="correct_matches", choice=1, unsearched="the pattern took longer than 2 s"),
    place=None,
).model_copy(update={"file": "audits/guidance.yaml"})

FILES = (
    FileWeight(file=FileLayer(path="CLAUDE.md", layer="always", size=41, loaded=41)),
    FileWeight(
        file=FileLayer(path="AGENTS.md", layer="always", via="imported by CLAUDE.md", size=2140, loaded=2140), audits=3
    ),
    FileWeight(
        file=FileLayer(
            path="docs/house.md", layer="always", via="imported by CLAUDE.md", size=911, loaded=640, cut_after=3
        ),
        audits=1,
    ),
    FileWeight(
        file=FileLayer(
            path=".claude/rules/cards.md", layer="conditional", via="reading cards/**/*.card", size=240, loaded=201
        )
    ),
    FileWeight(
        file=FileLayer(
            path=".claude/skills/graft/SKILL.md",
            layer="conditional",
            via="skill graft",
            size=1449,
            loaded=854,
            told=95,
        )
    ),
    FileWeight(
        file=FileLayer(
            path="docs/cards.md", layer="referenced", via="named in AGENTS.md:3", hops=1, size=1900, loaded=1900
        ),
        audits=1,
    ),
    FileWeight(
        file=FileLayer(
            path="docs/kinds/seeds.md", layer="referenced", via="named in docs/cards.md:9", hops=2, size=700, loaded=700
        )
    ),
    FileWeight(file=FileLayer(path="docs/old/rules.md", layer="present", size=120, loaded=120), audits=1),
    FileWeight(file=FileLayer(path="scripts/graft.py", layer="outside"), audits=1),
)
FAULTS = (
    ChainFault(
        fault="missing",
        path="CLAUDE.md",
        line=3,
        target="docs/gone.md",
        told="imports docs/gone.md, which is not there: remove the line or add the file",
    ),
)
UNASKED = (
    Unasked(
        path="AGENTS.md",
        line=10,
        end_line=13,
        layer="always",
        heading="Asking",
        quote="Ask before you delete a card, and before",
    ),
    Unasked(
        path="docs/cards.md",
        line=3,
        end_line=30,
        layer="referenced",
        heading="Cards",
        quote="Kind 1: a card about one thing.",
    ),
)


class OrchardMaps:
    """Reads the map; it may wait in the middle, fail, and find answers moved."""

    def __init__(self, root: Path) -> None:
        self.box = BoxMap(
            box="orchard",
            root=str(root),
            rules="claude@2.1.332",
            files=FILES,
            faults=FAULTS,
            placements=PLACEMENTS,
            unasked=UNASKED,
        )
        self.barn = BoxMap(box="orchard", root=str(root), cwd="barn", rules="claude@2.1.332", placements=(SPRAY,))
        self.read_by: list[str] = []
        self.empty = False
        self.problem = ""
        self.left_out: tuple[str, ...] = ()
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def read(self, *, rules: str = "") -> KnowledgeMap:
        """Two boxes, by the rules that are wanted."""
        self.read_by.append(rules)
        await self.go_on.wait()
        if self.problem:
            raise DeskError(self.problem)
        if self.empty:
            return KnowledgeMap()
        known = KnowledgeMap(boxes=(self.box, self.barn), left_out=self.left_out)
        if not rules or rules == "claude":
            return known
        boxes = (box.model_copy(update={"rules": rules, "faults": ()}) for box in known.boxes)
        return known.model_copy(update={"boxes": tuple(boxes)})

    def move(self, audit: str, place: Place, taught: str) -> None:
        """From the next reading on, an audit's answer stands there."""
        placements = tuple(
            one.model_copy(
                update={
                    "place": place,
                    "layer": place.layer,
                    "taught": taught,
                    "told": f"taught where expected: {place.path}:{place.line}",
                }
            )
            if one.audit_id == audit
            else one
            for one in self.box.placements
        )
        self.box = self.box.model_copy(update={"placements": placements})


def lay(root: Path) -> None:
    """Write the files of the box."""
    for path, text in TEXTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
