"""Passages of guidance that no audit asks about."""

import re
from collections.abc import Collection, Iterator

from workbench.guidance.ground import Ground
from workbench.guidance.pages import Key, Page
from workbench.guidance.records import FileLayer, Unasked
from workbench.text.sanitize import clean_line

_LAYERS = ("always", "conditional", "referenced")
_WORDS = 4
"""Words below which a passage says too little to be asked about."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_CODE = re.compile(r"`[^`\n]*`")


class Unaskeds:
    """Finds them, file by file; a file of which nothing changed is not gone through again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[FileLayer, Page, bool, set[int], tuple[Unasked, ...]]] = {}

    def of(self, ground: Ground, sought: Collection[Key]) -> tuple[Unasked, ...]:
        """The passages, of files that load or are named, in which nothing stands that is sought; in the files' order.

        Headings and the header of a file are no passages; what is cut off is not told, as nobody is taught it.
        """
        told: list[Unasked] = []
        known, self._known = self._known, {}
        for file in ground.layers.files:
            page = ground.pages.get(file.path)
            if page is None or file.link or file.layer not in _LAYERS or not ground.is_guidance(file):
                continue
            given = (file, page, ground.bare, _lines(page, sought))
            before = known.get(file.path)
            found = before[4] if before and before[:4] == given else tuple(_unasked(ground, file, page, given[3]))
            self._known[file.path] = (*given, found)
            told += found
        return tuple(told)


def _unasked(ground: Ground, file: FileLayer, page: Page, asked: set[int]) -> Iterator[Unasked]:
    for passage in page.passages:
        if not asked.isdisjoint(range(passage.line, passage.end_line + 1)):
            continue
        layer, _ = ground.layer_of(file, page, passage.line)
        if layer == file.layer and _says_enough(passage.text):
            yield Unasked(
                path=file.path,
                line=passage.line,
                end_line=passage.end_line,
                layer=layer,
                heading=passage.heading,
                quote=clean_line(passage.text, 160),
            )


def _says_enough(text: str) -> bool:
    """Whether a passage says something itself: code and paths only name what does."""
    words = " ".join(word for word in _CODE.sub(" ", text).split() if "/" not in word)
    return len(_WORD.findall(words)) >= _WORDS


def _lines(page: Page, sought: Collection[Key]) -> set[int]:
    """The lines of a page in which something stands that is sought, if set otherwise."""
    return {hit.line for key, hits in page.found.items() if key in sought for hit in hits}
