"""Where literals and patterns stand in many texts; what was found in a text is kept for as long as that text is there.

Everything here is derived from the texts and from what is sought, so that after an edit only the new text is searched.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice

from workbench.guidance.pages import Hit, Key, Kind, Page, key_of, level
from workbench.guidance.pile import Pile
from workbench.guidance.records import Wanted
from workbench.text.patterns import PatternTimeout, search_all
from workbench.text.required import folded, may_match, required

PATTERN_SECONDS = 1.0
"""Processor time one pattern may take over all texts that are new to it."""
PATTERNS_SECONDS = 15.0
"""Wall time all patterns of one search may take together; those left over wait for the next."""


class Finder:
    """Pages by their text, and what stands in them."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}
        self._sought: dict[Kind, dict[str, None]] = {"literal": {}, "near": {}, "pattern": {}}
        self._searched: dict[tuple[str, Kind], int] = {}
        self._where: dict[Key, dict[str, Page]] = {}
        self._refused: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._waiting: defaultdict[str, dict[str, Page]] = defaultdict(dict)

    def page(self, text: str) -> Page:
        """The page of a text."""
        page = self._pages.get(text)
        if page is None:
            page = self._pages[text] = Page(text)
        return page

    def keep(self, pages: Iterable[Page]) -> None:
        """Forget every page but these, and what stands in them."""
        kept = {page.text for page in pages}
        for text in self._pages.keys() - kept:
            page = self._pages.pop(text)
            for kind in self._sought:
                self._searched.pop((text, kind), None)
            for key in page.found:
                self._where[key].pop(text, None)
            for refused in self._refused.values():
                refused.pop(text, None)
            for waiting in self._waiting.values():
                waiting.pop(text, None)

    def search(self, wanted: Sequence[Wanted], pages: Sequence[Page], guidance: Sequence[Page]) -> None:
        """Look for things on pages, afterwards `found` knows; on those of guidance also for what is set otherwise."""
        for one in wanted:
            self._sought["pattern" if one.pattern else "literal"].setdefault(one.text)
            if not one.pattern:
                self._sought["near"].setdefault(one.text)
        self._search_literals(pages, guidance)
        for patterns, pile in self._new(pages, "pattern"):
            for pattern in patterns:
                self._waiting[pattern].update((page.text, page) for page in pile.may_match(required(pattern)))
        until = time.monotonic() + PATTERNS_SECONDS
        for pattern in dict.fromkeys(one.text for one in wanted if one.pattern):
            if waiting := self._waiting.get(pattern):
                self._search_pattern(pattern, waiting, late=time.monotonic() > until)

    def found(self, one: Wanted) -> dict[str, Page]:
        """The pages on which something stands, by their text."""
        return self._where.get(key_of(one), {})

    def near(self, one: Wanted) -> dict[str, Page]:
        """The pages on which a literal stands that is set otherwise, by their text."""
        return {} if one.pattern else self._where.get((one.text, "near"), {})

    def _search_literals(self, pages: Sequence[Page], guidance: Sequence[Page]) -> None:
        for literals, pile in self._new(pages, "literal"):
            for literal in literals:
                for page in pile.holding(literal.lower()):
                    self._note((literal, "literal"), page, page.literal(literal))
        for literals, pile in self._new(guidance, "near"):
            for literal in literals:
                for page in pile.holding(level(literal)):
                    hit = page.set_otherwise(literal)
                    self._note((literal, "near"), page, (hit,) if hit else ())

    def _new(self, pages: Sequence[Page], kind: Kind) -> Iterator[tuple[list[str], Pile]]:
        """What was not sought yet, with the pages where it was not; it counts as sought then."""
        sought = self._sought[kind]
        groups: defaultdict[int, list[Page]] = defaultdict(list)
        for page in pages:
            groups[self._searched.get((page.text, kind), 0)].append(page)
            self._searched[page.text, kind] = len(sought)
        for begin, new in groups.items():
            if begin < len(sought):
                yield list(islice(sought, begin, None)), Pile(new, kind)

    def refused(self, pattern: str, pages: Iterable[Page]) -> str:
        """Why some pages could not be searched for a pattern; empty when all were."""
        told = self._refused[pattern]
        return next((told[page.text] for page in pages if page.text in told), "") if told else ""

    def _search_pattern(self, pattern: str, pages: Mapping[str, Page], *, late: bool) -> None:
        """Look for a pattern on the pages that wait for it; where it is too late for this time, they go on waiting."""
        refused = self._refused[pattern]
        if late:
            refused.update(dict.fromkeys(pages, f"all patterns together took longer than {PATTERNS_SECONDS:g} s"))
            return
        del self._waiting[pattern]
        for text in pages:
            refused.pop(text, None)
        try:
            for page, hits in _matches(pattern, list(pages.values())):
                self._note((pattern, "pattern"), page, hits)
        except PatternTimeout as error:
            refused.update(dict.fromkeys(pages, str(error)))

    def _note(self, key: Key, page: Page, hits: tuple[Hit, ...]) -> None:
        if hits:
            page.found[key] = hits
            self._where.setdefault(key, {})[page.text] = page


def _matches(pattern: str, pages: Sequence[Page]) -> Iterable[tuple[Page, tuple[Hit, ...]]]:
    """The pages with paragraphs that a pattern matches, and where its first match in each begins."""
    needs = required(pattern)
    blocks = [
        (page, line, text)
        for page in pages
        for line, text in page.paragraphs
        if not needs or may_match(needs, folded(text))
    ]
    matches = search_all(pattern, [text for _, _, text in blocks], PATTERN_SECONDS)
    found = [
        (page, _hit(page, line, text, match.start, match.end))
        for (page, line, text), match in zip(blocks, matches, strict=True)
        if match is not None
    ]
    for page, hits in groupby(found, key=lambda one: one[0]):
        yield page, tuple(hit for _, hit in hits)


def _hit(page: Page, line: int, text: str, start: int, end: int) -> Hit:
    """Where a match in a paragraph stands on its page."""
    above = text.count("\n", 0, start)
    first = text.rfind("\n", 0, start) + 1
    number = line + above
    return Hit(number, start - first, min(end - first, len(page.lines[number - 1])))


def matches_text(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a short text; one that cannot be searched is taken not to."""
    if not may_match(required(pattern), folded(text)):
        return False
    try:
        return search_all(pattern, (text,), PATTERN_SECONDS)[0] is not None
    except PatternTimeout:
        return False
