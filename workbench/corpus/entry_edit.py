"""One audit's own lines, taken out of a corpus to be edited and put back, text in and text out.

Every byte outside the entry stays, and so does every line inside it that was not edited, break and blanks included.
"""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.corpus.comments import Lines
from workbench.corpus.edit import EditError, encode, read, sections, values
from workbench.corpus.outline import Outline, entries_of, field
from workbench.corpus.records import Status
from workbench.corpus.yaml12 import BREAK, MappingNode, Node, ScalarNode, SequenceNode
from workbench.text.sanitize import clean

_BY_HAND = "edit the file by hand"


class EntryError(EditError):
    """A text that cannot take an entry's place; `line` is the line of that text it is about, from 1, or 0."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """An audit's own lines as one edits them: from its dash on, without the list's indentation, joined by newlines."""

    audit_id: str
    text: str
    line: int
    """1-based number of its first line in the file."""


@dataclass(frozen=True, slots=True)
class _Span:
    """Where an entry lies: lines from `first` up to but without `behind`, from 0, and the column of its dash."""

    number: int
    """Which of the entries it is."""
    first: int
    behind: int
    indent: str


def find_entry(data: bytes, audit_id: str) -> Entry:
    """The entry of an audit, with the comments inside it and those below that are indented as deep as its keys.

    Raises EditError when there is no such entry, or when it shares its lines with something else.
    """
    _, shape = read(data)
    span = _span(shape, audit_id)
    return Entry(audit_id, "\n".join(_dedented(_own(shape.lines, span), span.indent)), span.first + 1)


def replace_entry(data: bytes, audit_id: str, text: str) -> bytes:
    """The file's content with another text in the entry's place; the entry's own text gives the same bytes.

    The result is read again: the other entries, the top-level keys, the sections and the statuses outside the entry
    say what they said. Raises EntryError, with the line of `text`, when they would not or when it is no entry.
    """
    old, before = read(data)
    span = _span(before, audit_id)
    wanted = BREAK.split(text)
    while wanted and not wanted[-1].strip():
        wanted.pop()
    if not wanted:
        raise EntryError("there is nothing left of the entry; delete an audit in the file itself")
    if wanted[0].split(" #")[0].rstrip() != "-" and not wanted[0].startswith("- "):
        raise EntryError("the text must begin with `- id:`, its other keys indented by two", 1)
    start, end = before.lines.starts[span.first], before.lines.end(span.behind - 1)
    new = encode(data, old[:start] + _merged(before.lines, span, wanted) + old[end:])
    try:
        _, after = read(new)
    except EditError as error:
        raise _placed(error, span, len(wanted)) from None
    _assert_alone(before, after, span, len(wanted))
    return new


def _merged(lines: Lines, span: _Span, wanted: list[str]) -> str:
    """The new lines as the file has them: what was not edited is taken from there, byte for byte."""
    numbers = range(span.first, span.behind)
    near = next(filter(None, (lines.line_break(n) for n in (*numbers, max(0, span.first - 1)))), "")
    line_break = "\r\n" if near == "\r\n" else "\n"
    old = _dedented(_own(lines, span), span.indent)
    parts: list[tuple[str, str]] = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, wanted, autojunk=False).get_opcodes():
        if kind == "equal":
            parts += [(lines[n], lines.line_break(n) or line_break) for n in numbers[i:j]]
        else:
            parts += [(f"{span.indent}{line}" if line.strip() else line, line_break) for line in wanted[k:m]]
    return "".join(line + end for line, end in parts[:-1]) + parts[-1][0]


def _own(lines: Lines, span: _Span) -> list[str]:
    return [lines[number] for number in range(span.first, span.behind)]


def _dedented(lines: list[str], indent: str) -> list[str]:
    """Lines without the list's indentation; one that is indented less, such as a comment, stays as it is."""
    return [line.removeprefix(indent) for line in lines]


def _span(shape: Outline, audit_id: str) -> _Span:
    entries = entries_of(shape.root)
    number = next((n for n, entry in enumerate(entries) if _id(entry) == audit_id), None)
    if number is None:
        raise EditError(f"there is no audit {audit_id!r} in this file any more; load it again")
    lines, entry = shape.lines, entries[number]
    first = _first_line(lines, entry)
    if first is None:
        raise EditError(f"the audit {audit_id!r} shares its lines with others; {_BY_HAND}")
    indent = lines[first][: lines[first].index("-")]
    return _Span(number, first, _behind(shape, entry, first, len(indent)), indent)


def _id(entry: Node) -> str | None:
    found = field(entry, "id")
    return clean(found[1].value) if found is not None and isinstance(found[1], ScalarNode) else None


def _first_line(lines: Lines, entry: Node) -> int | None:
    """The line with the entry's dash; None when something else stands there too."""
    line, column = entry.start_mark.line, entry.start_mark.column
    while not lines[line][:column].strip() and line > 0:
        line -= 1
        column = len(lines[line].split(" #")[0])
    before = lines[line][:column].strip()
    return line if before == "-" else None


def _behind(shape: Outline, entry: Node, first: int, column: int) -> int:
    """The line after the entry's last one: blank lines, and comments that belong to what follows, are not its own."""
    lines, mark = shape.lines, entry.end_mark
    behind = min(mark.line, len(lines))
    if behind < len(lines) and lines[behind][: mark.column].strip():
        behind += 1
    foreign = {comment.line for comment in shape.comments if len(comment.indent) <= column or comment.title is not None}
    while behind - 1 > first and (not lines[behind - 1].strip() or behind - 1 in foreign):
        behind -= 1
    return behind


def _placed(error: EditError, span: _Span, length: int) -> EntryError:
    """What the YAML reader said of the file, said of the entry's text."""
    line = getattr(error.__context__, "line", 0) - span.first
    inside = 1 <= line <= length
    message = getattr(error.__context__, "message", str(error)) if inside else str(error)
    fix = getattr(error.__context__, "fix", "")
    return EntryError(f"{message}; {fix}" if inside and fix else message, line if inside else 0)


def _assert_alone(before: Outline, after: Outline, span: _Span, length: int) -> None:
    """Refuse a text that does more than say another thing in the entry's place."""
    old, new = entries_of(before.root), entries_of(after.root)
    if len(new) != len(old):
        raise EntryError("the text must be exactly one entry, beginning with `- `", 1)
    mine = new[span.number]
    last = span.first + length
    if not isinstance(mine, MappingNode) or _first_line(after.lines, mine) != span.first:
        raise EntryError("the text must be a mapping of keys, beginning with `- id:`", 1)
    if _others(before.root, old[span.number]) != _others(after.root, mine):
        raise EntryError("this would change what another part of the file says; keep to this entry")
    if sections(before) != sections(after):
        raise EntryError("this would change the sections of the file; keep headers outside the entry")
    shift = length - (span.behind - span.first)
    if [*_told(before, span.first, span.behind, shift)] != [*_told(after, span.first, last, 0)]:
        raise EntryError("a comment here would run into the statuses around the entry; leave a blank line between")


def _others(root: Node | None, mine: Node) -> list[object]:
    """What a document says beside one entry."""
    said: list[object] = []
    for key, value in root.value if isinstance(root, MappingNode) else ():
        said.append(values(key))
        if isinstance(value, SequenceNode) and any(item is mine for item in value.value):
            said += [values(item) for item in value.value if item is not mine]
        else:
            said.append(values(value))
    return said


def _told(shape: Outline, first: int, behind: int, shift: int) -> Iterator[tuple[int, Status]]:
    """The statuses outside some lines, those below them moved by `shift` lines."""
    for number, part in enumerate(shape.parts):
        for status in part.statuses:
            if status.line - 1 < first:
                yield number, status
            elif status.line - 1 >= behind:
                yield number, status.model_copy(update={"line": status.line + shift})
