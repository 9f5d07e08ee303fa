"""The context ledger: what each audit's trials loaded, in a committed file that grows by one row a measured trial.

Box → audit id → rows, oldest first. Only lines are ever added; a row that cannot be read is kept, told, and left out.
"""

import functools
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from workbench.corpus.records import Position, Problem
from workbench.corpus.yaml12 import MappingNode, Node, ScalarNode, SequenceNode, YamlError, compose
from workbench.host.files import write_atomic
from workbench.host.locks import lock_for, locked
from workbench.records.ledger_edit import insert
from workbench.records.ledger_lines import Block, is_item, outline
from workbench.text.plain import Plain
from workbench.text.sanitize import clean, clean_line


class LedgerError(Exception):
    """A ledger that cannot be read or added to: which file, which line, and what to do."""


def _moment(text: str) -> str:
    """A moment as records keep it; without a zone, UTC is meant."""
    moment = datetime.fromisoformat(text)
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Row(BaseModel):
    """The context of one trial, in tokens of its main session. Older rows know no engine; other keys are ignored."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    date: Annotated[str, AfterValidator(_moment)]
    """When its run began: UTC, ISO 8601, milliseconds."""
    box_commit: Plain = ""
    repo_commit: Plain = ""
    """Commit of the project that holds the audits."""
    initial: int = Field(gt=0)
    """Tokens loaded for the first message: what is always there."""
    peak: int
    """Tokens loaded for the message that loaded most."""
    added: int
    """What answering added: `peak - initial`."""
    turns: int = Field(gt=0)
    """Model messages."""
    engine: Plain = ""
    engine_version: Plain = ""
    model: Plain = ""
    prompt_hash: Plain = ""
    snapshot_hash: Plain = ""

    @model_validator(mode="after")
    def _adds_up(self) -> "Row":
        if self.added != self.peak - self.initial or self.added < 0:
            raise ValueError(f"peak {self.peak} less initial {self.initial} is not added {self.added}")
        return self


class Ledger:
    """A ledger as it stands in the file; rows are read when they are asked for. `name` is what problems call it."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._outline = outline(text.removeprefix("\ufeff"))

    def rows(self, audit: str, box: str = "") -> tuple[Row, ...]:
        """The rows of an audit in one box, or in all of them, in file order; damaged ones are left out."""
        blocks = [b for b in self._outline.blocks if b.audit == audit and box in ("", b.box)]
        return tuple(row for block in blocks for row, _ in self._read(block) if row)

    @functools.cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Everything in the file that is no row where a row should be, in file order."""
        found = [problem for block in self._outline.blocks for _, problem in self._read(block) if problem]
        found += [self._problem(n, "ledger-stray", "this belongs to no audit of a box") for n in self._outline.strays]
        found += self._misplaced()
        if self._outline.conflict is not None:
            found.append(self._problem(self._outline.conflict, "ledger-conflict", _CONFLICT, _RESOLVE))
        return tuple(sorted(found, key=lambda problem: problem.position.line))

    def _misplaced(self) -> Iterator[Problem]:
        for box in self._outline.boxes:
            if box.inline:
                yield self._problem(box.end - 1, "ledger-row", f"{box.name} holds no audits", "write them below it")
        seen: Counter[tuple[str, str]] = Counter()
        for block in self._outline.blocks:
            seen[block.box, block.audit] += 1
            if seen[block.box, block.audit] == 2:
                said = f"{block.audit} stands in {block.box} twice"
                yield self._problem(block.line, "ledger-twice", said, "move its rows below the first, oldest first")

    def _read(self, block: Block) -> Iterator[tuple[Row | None, Problem | None]]:
        """Each row of a block, or what is wrong with it."""
        if block.inline:
            yield None, self._problem(block.line, "ledger-row", f"{block.audit} holds no rows", "write them below it")
        for numbers in _items(self._outline.lines, block):
            try:
                yield _row(compose(self._outline.text(numbers))), None
            except YamlError as error:
                number = numbers[min(error.line, len(numbers)) - 1]
                yield None, self._problem(number, "ledger-row", f"a row of {block.audit} is damaged: {error.message}")

    def _problem(self, number: int, code: str, message: str, fix: str = "") -> Problem:
        fix = fix or "mend it from the file's history, or remove it"
        where = Position(line=number + 1, column=1)
        return Problem(
            severity="warning", code=code, file=self._name, position=where, message=clean_line(message, 400), fix=fix
        )


_CONFLICT = "this is what git left of a merge"
_RESOLVE = "keep the rows of both sides, oldest first, and remove the marker lines"


def load(path: Path, name: str = "") -> Ledger:
    """Read a ledger; an absent file is an empty one. Raises LedgerError."""
    return Ledger(_text(path), name or str(path))


def append(path: Path, box: str, audit: str, row: Row) -> None:
    """Add one row below those of its audit, every byte that is there kept; makes the file when there is none.

    One append at a time, over all processes. Raises LedgerError.
    """
    try:
        with locked(lock_for(path.resolve())):
            before = _text(path)
            after = insert(before, box, audit, row.model_dump(by_alias=True))
            if Ledger(after, "").rows(audit, box) != (*Ledger(before, "").rows(audit, box), row):
                raise ValueError(f"the rows of {audit} in {box} are not laid out as rows are")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, after.encode("utf-8"))
    except ValueError as error:
        raise LedgerError(f"{path}: nothing was added: {clean(str(error))}; mend the file by hand") from error
    except OSError as error:
        raise LedgerError(f"{path}: cannot be added to: {error.strerror}; make it writable") from error


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise LedgerError(f"{path}: is not UTF-8; mend it, or take it from the file's history") from None
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read: {error.strerror}") from error


def _items(lines: tuple[str, ...], block: Block) -> Iterator[list[int]]:
    """The lines of each row: it begins with a dash at the indentation of the first."""
    indent = None
    item: list[int] = []
    for number in block.body:
        said = lines[number].lstrip(" ")
        here = len(lines[number]) - len(said)
        indent = here if indent is None else indent
        if here == indent and is_item(said.rstrip("\r\n")) and item:
            yield item
            item = []
        item.append(number)
    if item:
        yield item


def _row(node: Node | None) -> Row:
    """A row from the text of its values as they are written: a commit of digits only is no number. Raises YamlError."""
    item = node.value[0] if isinstance(node, SequenceNode) and len(node.value) == 1 else None
    if not isinstance(item, MappingNode):
        raise YamlError("it is no list item with keys")
    said: dict[str, str] = {}
    for key, value in item.value:
        if not isinstance(key, ScalarNode) or not isinstance(value, ScalarNode):
            raise YamlError("a value is no plain text", value.start_mark.line + 1)
        if key.value in said:
            raise YamlError(f"{key.value} stands in it twice", key.start_mark.line + 1)
        said[key.value] = value.value
    try:
        return Row.model_validate(said)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        name = ".".join(map(str, detail["loc"]))
        raise YamlError(f"{name} is missing" if detail["type"] == "missing" else f"{name}: {detail['msg']}") from None
