"""Writing statuses into a corpus, text in and text out: every byte that was there stays, and where it was."""

from collections import Counter
from dataclasses import dataclass

from workbench.corpus import statuses
from workbench.corpus.comments import Comment, Lines
from workbench.corpus.outline import Outline, outline
from workbench.corpus.places import Place, find_place
from workbench.corpus.records import Status
from workbench.corpus.wording import EditError, status_lines
from workbench.corpus.yaml12 import MappingNode, Node, ScalarNode, SequenceNode, YamlError

__all__ = ["EditError", "Insertion", "encode", "insert_status", "read", "remove", "sections", "values"]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Insertion:
    """Lines put into a file: the whole new content, the lines without their breaks, and the first one's number."""

    data: bytes
    lines: tuple[str, ...]
    at_line: int
    """1-based, in the new content."""


def insert_status(
    data: bytes,
    *,
    title: str,
    heading: str,
    prose: str,
    audit_id: str = "",
    width: int = 100,
    section_line: int | None = None,
) -> Insertion:
    """Put `# Status (heading): prose` into a corpus file's content.

    It goes below the header of the section `title`, before the statuses there; with `audit_id` directly above that
    audit; with an empty title above the first audit of the group without a header. `heading` starts with the date.
    `section_line`, as in `Section.line`, tells sections of one title apart; one of a kind is found wherever it moved.

    The new content is the old one plus whole comment lines. It is read again before it is returned: the same values,
    the same sections and the same statuses plus exactly this one, or EditError and nothing changed.
    """
    text, before = read(data)
    place = find_place(before, title, audit_id, section_line)
    lines = status_lines(heading, prose, place.indent, width)
    if place.spaced:
        lines = (*lines, f"{place.indent}#")
    index, added = _spliced(before.lines, place, lines)
    new = encode(data, text[:index] + added + text[index:])
    _, after = read(new)
    _assert_only_added(before, after, lines)
    return Insertion(new, lines, place.line + 1)


def remove(data: bytes, insertion: Insertion) -> bytes:
    """Take an insertion's lines out again, wherever near `at_line` they stand by now.

    Raises EditError when they do not stand there any more word by word, or when more than them would change.
    """
    text, before = read(data)
    lines, wanted = before.lines, list(insertion.lines)
    texts = [lines[number] for number in range(len(lines))]
    starts = [n for n in range(len(texts)) if texts[n] == wanted[0] and texts[n : n + len(wanted)] == wanted]
    if not starts:
        raise EditError("the lines to take out were changed or are gone; edit the file by hand")
    first = min(starts, key=lambda number: abs(number + 1 - insertion.at_line))
    behind = first + len(wanted)
    if behind < len(lines):
        cut = text[: lines.starts[first]] + text[lines.starts[behind] :]
    else:
        cut = text[: lines.end(first - 1) if first else 0]
    old = encode(data, cut)
    try:
        _, after = read(old)
        _assert_only_added(after, before, insertion.lines)
    except EditError:
        raise EditError("taking the lines out would change more than them; edit the file by hand") from None
    return old


def read(data: bytes) -> tuple[str, Outline]:
    """A corpus file's text without its byte-order mark, and its shape; EditError when it is no YAML."""
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
        return text, outline(text)
    except UnicodeDecodeError:
        raise EditError("the file is not UTF-8; save it as UTF-8 first") from None
    except YamlError as error:
        raise EditError(f"line {error.line}, column {error.column}: {error.message}; {error.fix}") from None


def encode(like: bytes, text: str) -> bytes:
    """A text as bytes, with a byte-order mark where `like` has one."""
    return (_BOM if like.startswith(_BOM) else b"") + text.encode("utf-8")


def _spliced(lines: Lines, place: Place, added: tuple[str, ...]) -> tuple[int, str]:
    """Where the text is cut open and what goes there, in the line breaks of its neighbours."""
    near = [lines.line_break(number) for number in (place.line - 1, place.line, place.line - 2) if number >= 0]
    line_break = "\r\n" if next(filter(None, near), "") == "\r\n" else "\n"
    if place.line < len(lines):
        return lines.starts[place.line], "".join(line + line_break for line in added)
    return len(lines.text), "".join(line_break + line for line in added)


def _assert_only_added(before: Outline, after: Outline, lines: tuple[str, ...]) -> None:
    """Refuse an edit that did anything but add the one status."""
    bodies = [(number, Comment(number, "", line.strip()).body) for number, line in enumerate(lines)]
    written = [status for paragraph in statuses.paragraphs(bodies) for status in statuses.find(paragraph)]
    same = values(before.root) == values(after.root) and sections(before) == sections(after)
    gained = _told(after) - _told(before)
    if not same or len(written) != 1 or _told(before) - _told(after) or list(gained.values()) != [1]:
        raise EditError("the comment cannot stand there without changing what the file says; edit it by hand")
    if next(iter(gained))[1:] != _words(written[0]):
        raise EditError("the comment would run into its neighbours; edit the file by hand")


def sections(shape: Outline) -> list[tuple[str, int]]:
    """Title and number of entries of every section."""
    return [(part.title, len(part.entries)) for part in shape.parts]


def _told(shape: Outline) -> Counter[tuple[int, str, str, str, str]]:
    """Every status with the number of its section."""
    return Counter((number, *_words(status)) for number, part in enumerate(shape.parts) for status in part.statuses)


def _words(status: Status) -> tuple[str, str, str, str]:
    return status.date, status.qualifier, status.text, status.raw


def values(root: Node | None) -> list[object]:
    """What a document says, flat: kinds, tags and texts in order, a node met again by its number."""
    told: list[object] = []
    numbers: dict[int, int] = {}
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ScalarNode):
            told.append((node.tag, node.value))
        elif id(node) in numbers:
            told.append(numbers[id(node)])
        else:
            numbers[id(node)] = len(numbers)
            told.append((node.tag, len(node.value)))
            if isinstance(node, MappingNode):
                waiting.extend(part for pair in reversed(node.value) for part in reversed(pair))
            elif isinstance(node, SequenceNode):
                waiting.extend(reversed(node.value))
    return told
