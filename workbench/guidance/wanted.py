"""What an audit wants to be said: the literals and patterns of its checks, as the checks themselves compare them."""

from workbench.checks.registry import bind
from workbench.corpus.records import Audit
from workbench.guidance.records import Wanted

_EACH = ("correct_contains", "correct_matches", "bash_contains")
"""Checks of which every text must be there."""
_ONE = ("correct_contains_any",)
"""Checks of which one text is enough."""
_PATTERNS = ("correct_matches",)


def wanted(audit: Audit) -> tuple[Wanted, ...]:
    """The things an audit's checks look for in a good answer, in the order of the file; a text that is empty is none.

    Checks that are written wrongly want nothing: the lint tells of them.
    """
    found: list[Wanted] = []
    choice = 0
    for check in bind(audit).checks:
        if check.kind not in (*_EACH, *_ONE):
            continue
        for text in check.value:
            if text:
                found.append(Wanted(check=check.kind, text=text, pattern=check.kind in _PATTERNS, choice=choice))
            choice += check.kind in _EACH
        choice += check.kind in _ONE
    return tuple(found)
