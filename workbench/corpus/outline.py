"""The shape of a corpus file: its entries, the headers between them, and the statuses below those."""

from bisect import bisect_right
from dataclasses import dataclass

from workbench.corpus import statuses
from workbench.corpus.comments import Comment, Lines, find_comments
from workbench.corpus.records import Status
from workbench.corpus.yaml12 import MappingNode, Node, ScalarNode, SequenceNode, compose
from workbench.text.sanitize import clean_line


@dataclass(frozen=True, slots=True)
class Part:
    """One section as it lies in the file; lines start at 1."""

    title: str
    line: int
    """Of the header; without one, of the first entry or else the first status."""
    header: Comment | None
    entries: tuple[Node, ...]
    statuses: tuple[Status, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """A parsed corpus text: where everything stands, nothing judged yet."""

    lines: Lines
    root: Node | None
    comments: tuple[Comment, ...]
    parts: tuple[Part, ...]


def outline(text: str) -> Outline:
    """Parse a corpus text without its byte-order mark. Raises YamlError when it is not YAML."""
    root = compose(text)
    lines = Lines(text)
    comments = find_comments(lines, root)
    return Outline(lines, root, comments, _parts(comments, entries_of(root)))


def entries_of(root: Node | None) -> tuple[Node, ...]:
    """The nodes of the list under the first `tests`, whatever they are; none when there is no such list."""
    if isinstance(root, MappingNode):
        for key, value in root.value:
            if isinstance(key, ScalarNode) and key.value == "tests":
                return tuple(value.value) if isinstance(value, SequenceNode) else ()
    return ()


def field(entry: Node, name: str) -> tuple[Node, Node] | None:
    """Key and value node of an entry's first key of that name."""
    if isinstance(entry, MappingNode):
        for key, value in entry.value:
            if isinstance(key, ScalarNode) and key.value == name:
                return key, value
    return None


def _parts(comments: tuple[Comment, ...], entries: tuple[Node, ...]) -> tuple[Part, ...]:
    headers = [comment for comment in comments if comment.title is not None]
    header_lines = [header.line for header in headers]
    members: list[list[Node]] = [[] for _ in range(len(headers) + 1)]
    found: list[list[Status]] = [[] for _ in range(len(headers) + 1)]
    for entry in entries:
        members[bisect_right(header_lines, entry.start_mark.line)].append(entry)
    for status in _statuses(comments, entries):
        found[bisect_right(header_lines, status.line - 1)].append(status)
    parts = []
    for header, nodes, told in zip([None, *headers], members, found, strict=True):
        if header is not None:
            parts.append(Part(clean_line(header.title or ""), header.line + 1, header, tuple(nodes), tuple(told)))
        elif nodes or told:
            line = nodes[0].start_mark.line + 1 if nodes else told[0].line
            parts.append(Part("", line, None, tuple(nodes), tuple(told)))
    return tuple(parts)


def _statuses(comments: tuple[Comment, ...], entries: tuple[Node, ...]) -> list[Status]:
    """All statuses of a file, in the order they stand in."""
    # A header ends the paragraph above it: for that it counts as a blank line.
    told = [(comment.line + 1, "" if comment.title is not None else comment.body) for comment in comments]
    found = [status for paragraph in statuses.paragraphs(told) for status in statuses.find(paragraph)]
    for entry in entries:
        notes = field(entry, "notes")
        if notes is not None and isinstance(notes[1], ScalarNode) and "Status" in notes[1].value:
            line = notes[0].start_mark.line + 1
            said = [(line, text) for text in notes[1].value.splitlines()]
            found.extend(status for paragraph in statuses.paragraphs(said) for status in statuses.find(paragraph))
    return sorted(found, key=lambda status: status.line)
