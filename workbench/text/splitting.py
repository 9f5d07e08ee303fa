"""Cutting a document into the pieces that can answer a question."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ITEM = re.compile(r"([-*+]|\d{1,3}[.)])[ \t]+\S")
_SUB_ITEM = re.compile(r"[ \t]+([-*+]|\d{1,3}[.)])[ \t]+\S")
_RULED = re.compile(r"\|?[ \t]*:?-{2,}[-:| \t]*$")
_ABOUT = re.compile(r"(?:name|title|description):[ \t]*(\S.*)")
_LONGEST = 40
"""Lines after which a block without a blank line (code, data) is cut all the same."""

Kind = Literal["prose", "item", "row", "code", "header"]
"""A paragraph, a list item, a table row, a paragraph with its code or code alone, the key lines a file begins with."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, list item, table row or code block, with what stands above it."""

    path: str
    line: int
    """1-based first line."""
    end_line: int
    """1-based last line, included."""
    heading: str
    """Titles above it, outermost first, joined by ` › `; empty before the first heading."""
    text: str
    lead: str = ""
    """The sentence ending with a colon, or the table head, that a list item or row belongs to."""
    kind: Kind = "prose"
    about: str = ""
    """What the file's header says it is about: its name, title and description."""


@lru_cache(maxsize=512)
def split(path: str, text: str) -> tuple[Passage, ...]:
    """Cut a Markdown or plain text into passages, in order. Never raises; code fences stay whole.

    Kept for the process by content, since every trial of a run reads the same guidance.
    """
    return tuple(_Splitter(path, text).passages())


class _Splitter:
    """One walk over the lines of a document."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.at = 0
        self.titles: list[tuple[int, str]] = []
        self.lead = self.about = ""
        self.found: list[Passage] = []

    def passages(self) -> list[Passage]:
        """The passages of the text, in order."""
        self._frontmatter()
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip():
                self.at += 1
            elif heading := _HEADING.match(line):
                self._heading(len(heading[1]), heading[2].rstrip().rstrip("#").rstrip())
            elif _FENCE.match(line):
                self._fence(self.at)
            elif _ITEM.match(line):
                self._list()
            elif line.lstrip().startswith("|"):
                self._table()
            else:
                self._paragraph()
        return self.found

    def _frontmatter(self) -> None:
        if self.lines[0].rstrip() != "---":
            return
        end = next((n for n, line in enumerate(self.lines[1:], 1) if line.rstrip() == "---"), 0)
        if end:
            self._add(1, end, "header")
            self.about = "\n".join(said[1] for line in self.lines[1:end] if (said := _ABOUT.match(line)))
            self.at = end + 1

    def _heading(self, depth: int, title: str) -> None:
        self.titles = [known for known in self.titles if known[0] < depth] + [(depth, title)]
        self.lead = ""
        self.at += 1

    def _fence(self, start: int) -> None:
        """A code block from its fence to the closing one; `start` lies before it when a lead-in belongs to it."""
        self._past_fence()
        self._add(start, self.at, "code")
        self.lead = ""

    def _past_fence(self) -> None:
        opening = _FENCE.match(self.lines[self.at])
        assert opening is not None
        end = self.at + 1
        while end < len(self.lines) and not self._closes(self.lines[end], opening[1]):
            end += 1
        self.at = min(end + 1, len(self.lines))

    @staticmethod
    def _closes(line: str, mark: str) -> bool:
        bare = line.strip()
        return len(bare) >= len(mark) and set(bare) == {mark[0]}

    def _list(self) -> None:
        """Each item by itself, with what is indented under it."""
        while self.at < len(self.lines) and _ITEM.match(self.lines[self.at]):
            start = self.at
            self.at += 1
            while self.at < len(self.lines) and self._continues(self.lines[self.at]):
                self.at += 1
            self._item(start, self._with_code(self.at))
            self._skip_blank(before=_ITEM)
        self.lead = ""

    def _with_code(self, end: int) -> int:
        """The end of an item that announces a code block not indented under it, that block included."""
        self.at = end
        if self.lines[end - 1].rstrip().endswith(":"):
            self._skip_blank(before=_FENCE)
            if self.at < len(self.lines) and _FENCE.match(self.lines[self.at]):
                self._past_fence()
        return self.at

    def _item(self, start: int, end: int) -> None:
        """One item; when it holds a longer list of its own, that list's items stand alone under it."""
        subs = [n for n in range(start + 1, end) if _SUB_ITEM.match(self.lines[n])]
        if len(subs) < 3:
            self._add(start, end, "item")
            return
        outer = self.lead
        self._add(start, subs[0], "item")
        self.lead = "\n".join(part for part in (outer, "\n".join(self.lines[start : subs[0]])) if part)
        for first, last in zip(subs, [*subs[1:], end], strict=True):
            self._add(first, last, "item")
        self.lead = outer

    def _continues(self, line: str) -> bool:
        if not line.strip():
            following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
            return following.startswith(("  ", "\t")) and bool(following.strip())
        return line[0] in " \t" or not (_ITEM.match(line) or self._starts_block(line))

    def _table(self) -> None:
        """Each row by itself under the table's head."""
        start = self.at
        while self.at < len(self.lines) and self.lines[self.at].lstrip().startswith("|"):
            self.at += 1
        rows = range(start, self.at)
        if len(rows) > 2 and _RULED.match(self.lines[start + 1].strip()):
            self.lead = "\n".join(part for part in (self.lead, self.lines[start]) if part)
            rows = range(start + 2, self.at)
        for row in rows:
            self._add(row, row + 1, "row")
        self.lead = ""

    def _paragraph(self) -> None:
        start = self.at
        while self.at < len(self.lines) and self.at - start < _LONGEST and self._goes_on(start):
            self.at += 1
        end = self.at
        if not self.lines[end - 1].rstrip().endswith(":"):
            self._add(start, end)
            self.lead = ""
            return
        self._skip_blank()
        following = self.lines[self.at] if self.at < len(self.lines) else ""
        if _FENCE.match(following):
            self._fence(start)
        elif _ITEM.match(following) or following.lstrip().startswith("|"):
            self.lead = "\n".join(self.lines[start:end])
        else:
            self._add(start, end)

    def _goes_on(self, start: int) -> bool:
        line = self.lines[self.at]
        return self.at == start or bool(line.strip() and not self._starts_block(line) and not _ITEM.match(line))

    @staticmethod
    def _starts_block(line: str) -> bool:
        return bool(_HEADING.match(line) or _FENCE.match(line) or line.lstrip().startswith("|"))

    def _skip_blank(self, before: re.Pattern[str] | None = None) -> None:
        """Step over blank lines; with `before`, only when such a line follows."""
        at = self.at
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        if before is None or (at < len(self.lines) and before.match(self.lines[at])):
            self.at = at

    def _add(self, start: int, end: int, kind: Kind = "prose") -> None:
        """Keep lines `start` to `end` (excluded) as a passage, blank ones at its edges left out."""
        while start < end and not self.lines[start].strip():
            start += 1
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        if start < end:
            heading = " › ".join(title for _, title in self.titles)
            text = "\n".join(self.lines[start:end])
            self.found.append(Passage(self.path, start + 1, end, heading, text, self.lead, kind, self.about))
