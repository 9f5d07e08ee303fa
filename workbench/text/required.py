"""Literals a text must hold for a JavaScript pattern to match anywhere in it, so that most texts need no search."""

import re
from collections.abc import Sequence
from functools import lru_cache

Required = tuple[frozenset[str], ...]
"""Of each set at least one member, lower case, must be in the text once it is `folded`."""

_ATOM = re.compile(
    r"""(?P<group>\((?:\?(?:[:=]|<=|<[^>=!][^>]*>))?(?!\?))   # a group whose inside must match
      | (?P<not>\(\?<?!)                                        # one whose inside must not
      | (?P<class>\[(?:\\.|[^\]\\])*\])
      | (?P<escape>\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[pP]\{[^}]*\}|\d+|.))
      | (?P<close>\)) | (?P<or>\|) | (?P<other>[.^$]) | (?P<plain>.)""",
    re.VERBOSE | re.DOTALL,
)
_TIMES = re.compile(r"([*+?]|\{(\d*)(?:,\d*)?\})\??")
_SHORTEST = 2
_ALIKE = str.maketrans("\u017f\u0131", "si")
"""Characters beyond ASCII that the engine takes for ASCII ones when letter case is ignored: long s and dotless i."""


@lru_cache(maxsize=8192)
def required(pattern: str) -> Required:
    """What every match of a pattern holds, letter case aside; empty where nothing can be told.

    The pattern is one that JavaScript takes. Only ASCII counts: it has one lower case, whatever the rules of case.
    """
    return tuple(one for one in _Reader(pattern).alternatives() if one)


def folded(text: str) -> str:
    """A text as it is to be given to `may_match`; as long as its lower case."""
    lowered = text.lower()
    return lowered.translate(_ALIKE) if "\u017f" in lowered or "\u0131" in lowered else lowered


def may_match(needs: Required, text: str) -> bool:
    """Whether a folded text can hold a match."""
    return all(any(literal in text for literal in one) for one in needs)


class _Reader:
    """One walk over a pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0

    def alternatives(self) -> list[frozenset[str]]:
        """The needs of what stands up to the closing bracket, or the end."""
        branches = []
        end = "|"
        while end == "|":
            needs, end = self._branch()
            branches.append(needs)
        if len(branches) == 1:
            return branches[0]
        # Of each branch its longest need: a match holds one of these at least.
        best = [max(needs, key=lambda one: min(map(len, one)), default=frozenset[str]()) for needs in branches]
        return [frozenset().union(*best)] if all(best) else []

    def _branch(self) -> tuple[list[frozenset[str]], str]:
        """The needs of one branch, and what ends it, which is consumed."""
        needs: list[frozenset[str]] = []
        run = ""
        while atom := _ATOM.match(self._pattern, self._at):
            self._at = atom.end()
            if end := atom["close"] or atom["or"]:
                return [*needs, *_need(run)], end
            inside = self.alternatives() if atom["group"] or atom["not"] else []
            least, repeated = self._times()
            run += _character(atom) if least else ""
            if repeated or not (_character(atom) or _is_boundary(atom)):
                needs, run = [*needs, *_need(run)], ""
            needs += inside if atom["group"] and least else []
        return [*needs, *_need(run)], ""

    def _times(self) -> tuple[int, bool]:
        """How often at least what was read last must be there, and whether its number is not simply one."""
        times = _TIMES.match(self._pattern, self._at)
        if times is None or (times[1].startswith("{") and not times[2]):
            return 1, False
        self._at = times.end()
        return (0 if times[1] in "*?" else int(times[2] or 1)), True


def _character(atom: "re.Match[str]") -> str:
    """The one ASCII character an atom stands for, lower case; empty for one that stands for others too."""
    plain = atom["plain"] or ""
    escape = atom["escape"] or ""
    if len(escape) == 2 and not escape[1].isalnum():
        plain = escape[1]
    return plain.lower() if plain.isascii() else ""


def _is_boundary(atom: "re.Match[str]") -> bool:
    """Whether it takes no character, so that what stands before and after it is next to each other."""
    return atom["escape"] in ("\\b", "\\B")


def _need(run: str) -> Sequence[frozenset[str]]:
    return [frozenset((run,))] if len(run) >= _SHORTEST else []
