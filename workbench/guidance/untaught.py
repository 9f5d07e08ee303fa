"""Literals that guidance could be expected to teach, and does not word for word: a fair answer may fail over them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from workbench.boxes.globs import Globs
from workbench.corpus.records import Audit
from workbench.guidance.documents import is_document
from workbench.guidance.pages import Page
from workbench.guidance.records import Wanted
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.wanted import wanted

_TEACHING = ("knows_directly", "knows_about", "discoverable")
"""Levels at which the answer stands in guidance."""
_SAID = ("correct_contains", "correct_contains_any")
_MOST = 8_000_000
"""Characters outside the guidance that are looked at; of a larger box nobody can say that something is nowhere."""


class Untaught(NamedTuple):
    """A literal no guidance teaches, or the first of several of which one would be enough."""

    audit: Audit
    wanted: Wanted
    path: str = ""
    line: int = 0
    """Where it stands but for how it is set; empty and 0 where it stands nowhere at all."""
    near: str = ""
    """How it differs there."""


def untaught(tree: SnapshotTree, extra: Globs, audits: Iterable[Audit]) -> Iterator[Untaught]:
    """The literals of some audits of one box that its guidance does not teach as they are compared.

    Left out are those that the question holds, that stand outside the guidance, and audits of a chat, whose prompt is
    no part of the box. Patterns are not searched, so that this is quick.
    """
    box = _Box(tree, extra)
    for audit in audits:
        if audit.expected_level not in _TEACHING or audit.chat_mode:
            continue
        prompt, staged = audit.full_prompt.lower(), "\0".join(audit.fixture.values()).lower()
        for _, group in groupby(wanted(audit), lambda one: one.choice):
            choice = [one for one in group if one.check in _SAID]
            texts = [one.text.lower() for one in choice]
            if not choice or any(text in prompt or text in staged or box.teaches(text) for text in texts):
                continue
            near = next(filter(None, (box.near(one.text) for one in choice)), None)
            if near is not None:
                yield Untaught(audit, choice[0], *near)
            elif not box.holds(texts):
                yield Untaught(audit, choice[0])


class _Box:
    """The texts of a box; those outside the guidance are read when it comes to them."""

    def __init__(self, tree: SnapshotTree, extra: Globs) -> None:
        self._tree = tree
        documents = [path for path in tree.paths if path not in tree.links and (is_document(path) or extra.match(path))]
        self._pages = {path: Page(text) for path in documents if (text := tree.text(path))}
        self._all = "\0".join(page.lowered for page in self._pages.values())
        self._others: str | None = None
        self._too_large = False

    def teaches(self, lowered: str) -> bool:
        """Whether guidance holds a text, given in lower case."""
        return lowered in self._all

    def near(self, literal: str) -> tuple[str, int, str] | None:
        """Where guidance holds it but for how it is set: path, line and the difference."""
        for path, page in self._pages.items():
            if hit := page.set_otherwise(literal):
                return path, hit.line, hit.near
        return None

    def holds(self, lowered: Sequence[str]) -> bool:
        """Whether a file outside the guidance holds one of some texts; taken to be so where the box is too large."""
        if self._others is None:
            self._others = self._rest()
        return self._too_large or any(text in self._others for text in lowered)

    def _rest(self) -> str:
        """All that stands outside the guidance, in lower case; nothing where it is too much."""
        found, size = [], 0
        for path in self._tree.paths:
            if path in self._pages or path in self._tree.links:
                continue
            page = Page(self._tree.text(path) or "")
            if not page.is_text:
                continue
            size += len(page.text)
            if size > _MOST:
                self._too_large = True
                return ""
            found.append(page.lowered)
        return "\0".join(found)
