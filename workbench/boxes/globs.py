"""Globs over box paths, as .gitignore has them: `*.log` anywhere, `/docs/` at the top, `a/**/b`, `!keep.md`."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.boxes.location import BoxError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAGIC = frozenset("*?[!\\")
_MOST = 4
"""Stars in one part of a pattern, and `**` parts in one pattern."""


class Globs:
    """A list of patterns; the last one that matches a path decides. False when there are none."""

    def __init__(self, patterns: Sequence[str]) -> None:
        """Raises BoxError for a pattern that is none, or that could take for ever to match."""
        self.patterns = tuple(patterns)
        for pattern in self.patterns:
            _refuse_costly(pattern)
        if self.patterns:
            self._spec  # noqa: B018  a bad pattern is told here, not at its first use

    def match(self, *paths: str) -> bool:
        """Whether any of the box-relative paths is meant; a folder's name means all it holds."""
        return bool(self.patterns) and any(self._spec.match_file(path) for path in paths)

    @cached_property
    def _spec(self) -> "GitIgnoreSpec":
        from pathspec import GitIgnoreSpec

        try:
            return GitIgnoreSpec.from_lines(self.patterns)
        except ValueError as error:
            raise BoxError(f"a glob is not valid: {error}") from error

    def roots(self) -> tuple[str, ...]:
        """Folders or files, box-relative, under which every match must lie; `""` is the box itself."""
        return tuple(dict.fromkeys(_literal_start(pattern) for pattern in self.patterns if pattern[:1] not in "!#"))


def _refuse_costly(pattern: str) -> None:
    """Each wildcard multiplies the ways to try a path; no sensible pattern needs many."""
    segments = pattern.split("/")
    if "***" in pattern or segments.count("**") > _MOST or any(part.count("*") > _MOST for part in segments):
        raise BoxError(f"the glob {pattern[:80]!r} holds too many wildcards; name what you mean more directly")


def _literal_start(pattern: str) -> str:
    """The longest leading part of an anchored pattern that holds no wildcard."""
    anchored = "/" in pattern.rstrip("/")
    if not anchored:
        return ""
    literal: list[str] = []
    for part in pattern.strip("/").split("/"):
        if _MAGIC & set(part):
            break
        literal.append(part)
    return "/".join(literal)
