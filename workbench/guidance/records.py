"""What is known of guidance without asking anyone: files by layer, and where each answer stands."""

from pathlib import PurePath
from typing import Literal

from pydantic import AliasGenerator, BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from workbench.text.plain import Plain
from workbench.traces.records import Layer

LAYERS: tuple[Layer, ...] = ("always", "conditional", "referenced", "present", "outside", "absent")
"""From nearest to the agent to farthest: how far it has to go for what stands there."""

Fault = Literal["cycle", "missing", "leaves", "cut", "deep"]
"""What can be wrong with a load chain: files that import each other, a named file that is not there, an import that
leaves the box or the folder the agent starts in, text past a limit, an import chain longer than the engine follows."""

Taught = Literal["as_expected", "nearer", "deeper", "nowhere", "unplaced"]
"""How an answer's place compares with the level the audit expects; `unplaced`: the audit names nothing to look for."""


class Known(BaseModel):
    """Base of what a map is made of: immutable, unknown keys refused; `by_alias` names its keys in camelCase."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=AliasGenerator(serialization_alias=to_camel))


class FileLayer(Known):
    """One file of a box and how the engine's agent reaches it."""

    path: Plain
    """Box-relative, with forward slashes."""
    layer: Layer
    """`always`: in context before the first word. `conditional`: loads by itself when something happens (`via`).
    `referenced`: named, over `hops` texts, in what is loaded. `present`: a document nothing names. `outside`: any other
    file of the box, which is no guidance."""
    via: Plain = ""
    """What brings it in: `imported by CLAUDE.md`, `reading cards/**/*.md`, `skill bench`, `named in docs/a.md:12`."""
    hops: int = 0
    """How many texts one has to follow from what is loaded; 0 for what loads by itself."""
    size: int = 0
    """Characters of its text; 0 for what is outside, which is not read, and for what is no text."""
    told: int = 0
    """Of a skill, characters of name and description, which are in context from the start, or once its folder is."""
    link: Plain = ""
    """For a link, the box-relative path it stands for: the text counts there alone."""
    loaded: int = 0
    """Characters that enter the context when it loads: less than `size` where headers are cut off or a limit cuts."""
    cut_after: int = 0
    """Last line that loads, where a limit cuts the file; 0 where none does."""


class ChainFault(Known):
    """Something wrong in a load chain, with its place."""

    fault: Fault
    path: Plain
    """The file it stands in, box-relative."""
    line: int
    """1-based; 0 where no line can be named."""
    target: Plain = ""
    """What is named there."""
    told: Plain
    """One line that says what is wrong and what to do."""


class Layers(Known):
    """Every file of a box by layer, for one engine's rules and one starting folder."""

    rules: Plain
    """Such as `claude` or `claude@2.1.197`."""
    cwd: Plain = "."
    files: tuple[FileLayer, ...] = ()
    """Nearest layer first; what loads in the order it loads, what is named by the way to it, others by path."""
    faults: tuple[ChainFault, ...] = ()


class Wanted(Known):
    """One thing an audit's checks want to be said: a literal, or a JavaScript pattern."""

    check: str
    """The check's YAML key."""
    text: str
    pattern: bool = False
    choice: int = 0
    """Things of one choice are alternatives: one of them is enough."""


class Place(Known):
    """A line of a file where something stands."""

    path: Plain
    line: int
    """1-based."""
    layer: Layer
    via: Plain = ""
    """As in `FileLayer`; a fixture the audit stages itself says so here."""
    quote: Plain = ""
    """The line, cut to 160 characters around what was found."""
    start: int = 0
    end: int = 0
    """Which characters of `quote` are what was found; both 0 where that cannot be told, as for a passage `about the
    same`."""
    near: Plain = ""
    """Empty where it stands word for word; else how it differs (`but over a line break`), or `about the same`, for a
    passage that shares its words."""


class WantedPlaces(Known):
    """Where one wanted thing stands."""

    wanted: Wanted
    places: tuple[Place, ...] = ()
    """Word for word (or matching), nearest layer first, at most 20."""
    count: int = 0
    """How many there are."""
    near: tuple[Place, ...] = ()
    """Passages that come close, best first, at most 3; only where `places` is empty."""
    in_prompt: bool = False
    """Whether the question says it already."""
    unsearched: Plain = ""
    """Why it could not be looked for, such as a pattern that ran out of time."""


class Placement(Known):
    """Where one audit's answer stands, and how that compares with what the audit expects."""

    audit_id: str
    file: Plain
    """The corpus."""
    expected_level: str
    wanted: tuple[WantedPlaces, ...] = ()
    layer: Layer = "absent"
    """How near the whole answer stands: of every choice the nearest place counts, and the farthest of these holds."""
    place: Place | None = None
    """The place that decides `layer`; None where the answer stands nowhere, or nothing is wanted."""
    taught: Taught = "unplaced"
    in_prompt: bool = False
    """Whether the question gives all of it away."""
    told: Plain = ""
    """One plain line: `taught where expected: AGENTS.md:12`, `taught deeper than expected: docs/inbox.md:3, named in
    AGENTS.md:9`, `stands nowhere: researchable at best`."""


class Unasked(Known):
    """A passage of guidance in which no audit's answer stands."""

    path: Plain
    line: int
    end_line: int
    layer: Layer
    heading: Plain = ""
    quote: Plain = ""
    """Its first words."""


class FileWeight(Known):
    """One file as the map tells it: its layer, what it weighs, and how many audits it answers."""

    file: FileLayer
    audits: int = 0
    """Audits of which some wanted thing stands in it word for word."""


class BoxMap(Known):
    """The map of one box as agents of some rules see it that start in one folder."""

    box: Plain
    """As the human named it."""
    root: str
    """Absolute path of it."""
    rules: Plain
    cwd: Plain = "."
    files: tuple[FileWeight, ...] = ()
    """Every file but those outside, and of these the ones an answer stands in; order as in `Layers`."""
    faults: tuple[ChainFault, ...] = ()
    placements: tuple[Placement, ...] = ()
    """In the order the audits stand in their corpora."""
    unasked: tuple[Unasked, ...] = ()
    """Of files that load or are referenced, in their order."""
    unsearched: Plain = ""
    """What was left out of the search, and why; empty when all was searched."""

    @property
    def title(self) -> str:
        """How the box is called over its map: by its folder where the human's name is but dots; where agents start."""
        last = PurePath(self.box).name
        name = self.box if last not in ("", "..") else PurePath(self.root).name
        return name if self.cwd == "." else f"{name}/{self.cwd}"

    def wrong(self) -> tuple[tuple[ChainFault, ...], tuple[ChainFault, ...]]:
        """Faults of files that load by themselves, which cost guidance; then those of texts further on."""
        loads = {one.file.path for one in self.files if one.file.layer in ("always", "conditional")}
        near = tuple(one for one in self.faults if one.path in loads)
        return near, tuple(one for one in self.faults if one.path not in loads)

    def weight(self, layer: Layer) -> int:
        """Characters that files of a layer bring into the context."""
        return sum(one.file.loaded for one in self.files if one.file.layer == layer)


class KnowledgeMap(Known):
    """Where every answer stands: one map for each box, rules and starting folder that the audits are asked with."""

    boxes: tuple[BoxMap, ...] = ()
    left_out: tuple[Plain, ...] = ()
    """What is not on the map, such as a corpus whose box is not there, and why."""

    def placement(self, audit_id: str) -> Placement | None:
        """One audit's placement; None for an audit that is not on the map."""
        return next((p for box in self.boxes for p in box.placements if p.audit_id == audit_id), None)
