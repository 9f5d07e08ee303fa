"""Where in a corpus file a status belongs: newest first, where a reader looks for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.corpus.comments import Comment, Lines
from workbench.corpus.outline import Outline, Part, field
from workbench.corpus.statuses import START
from workbench.corpus.wording import EditError
from workbench.corpus.yaml12 import Node, ScalarNode
from workbench.text.sanitize import clean, clean_line


@dataclass(frozen=True, slots=True)
class Place:
    """Comment lines go right before `line` (from 0; the number of lines means behind the last)."""

    line: int
    indent: str
    spaced: bool
    """Whether a bare `#` must follow, so that the prose below does not become part of the status."""


def find_place(shape: Outline, title: str, audit_id: str, section_line: int | None) -> Place:
    """Where a status goes: one about an audit above its entry, one about a section below its header.

    In both places before the first status that already stands there. A group without a header is an entry's matter:
    its first. Raises EditError when there is no such section or audit, or more than one.
    """
    part = None if audit_id and not title and section_line is None else _part(shape, title, section_line)
    if audit_id:
        entries = part.entries if part else [entry for each in shape.parts for entry in each.entries]
        return _above_entry(shape, _entry(entries, audit_id))
    if part is not None and part.header is not None:
        return _below_header(shape, part.header)
    if part is None or not part.entries:
        raise EditError("no audit stands before the first header; name a section or an audit")
    return _above_entry(shape, part.entries[0])


def _part(shape: Outline, title: str, section_line: int | None) -> Part:
    parts = [part for part in shape.parts if part.title == clean_line(title)]
    named = f"section {title!r}" if title else "group of audits before the first header"
    if not parts:
        raise EditError(f"there is no {named} in this file; load it again")
    if len(parts) > 1:
        lines = ", ".join(str(part.line) for part in parts)
        parts = [part for part in parts if part.line == section_line]
        if not parts:
            raise EditError(f"several sections are called {title!r} (lines {lines}); name the line, or rename one")
    return parts[0]


def _entry(entries: Sequence[Node], audit_id: str) -> Node:
    for entry in entries:
        found = field(entry, "id")
        if found is not None and isinstance(found[1], ScalarNode) and clean(found[1].value) == audit_id:
            return entry
    raise EditError(f"there is no audit {audit_id!r} where it should stand; load the file again")


def _below_header(shape: Outline, header: Comment) -> Place:
    block = _run(shape, header.line + 1, +1)
    line = _first_status(block)
    if line is None:
        line = header.line + 1
        if block and not block[0].body:
            line += 1
    return Place(line, header.indent, _spaced(shape, line))


def _above_entry(shape: Outline, entry: Node) -> Place:
    line = _entry_line(shape.lines, entry)
    first = _first_status(_run(shape, line - 1, -1)[::-1])
    line = line if first is None else first
    text = shape.lines[line]
    return Place(line, text[: len(text) - len(text.lstrip(" \t"))], _spaced(shape, line))


def _entry_line(lines: Lines, entry: Node) -> int:
    """The line an entry begins on: the one with its dash, which may stand above it."""
    line = entry.start_mark.line
    if lines[line][: entry.start_mark.column].strip():
        return line
    above = line - 1
    while above > 0 and lines[above].lstrip(" \t")[:1] in ("", "#"):
        above -= 1
    dashed = above >= 0 and lines[above].split("#")[0].strip() == "-"
    return above if dashed else line


def _run(shape: Outline, line: int, step: int) -> list[Comment]:
    """The comment lines without a gap from a line on, up or down, as far as the next header."""
    by_line = {comment.line: comment for comment in shape.comments}
    run = []
    while (comment := by_line.get(line)) is not None and comment.title is None:
        run.append(comment)
        line += step
    return run


def _first_status(block: Sequence[Comment]) -> int | None:
    """The line the first paragraph with a status starts on."""
    start: int | None = None
    text = ""
    for comment in block:
        if not comment.body:
            start, text = None, ""
            continue
        start = comment.line if start is None else start
        text += "\n" + comment.body
        if START.search(text):
            return comment.line if START.match(comment.body) else start
    return None


def _spaced(shape: Outline, line: int) -> bool:
    """Whether the line is prose that would run on from a status written before it."""
    below = next((comment for comment in shape.comments if comment.line == line), None)
    return below is not None and bool(below.body) and below.title is None and not START.match(below.body)
