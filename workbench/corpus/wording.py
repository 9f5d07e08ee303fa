"""A status as comment lines: whatever its text says, it stays one status and nothing but a comment."""

import datetime
import re
import textwrap

from workbench.corpus.statuses import START
from workbench.corpus.yaml12 import BREAK, UNREADABLE

_NARROWEST = 40
_LIKE_HEADER = re.compile(r"#\s*={3,}")
_BULLET = re.compile(r"\s*[-*•] ")


class EditError(ValueError):
    """A corpus edit that was not made: one line that says why and what to do; nothing was changed."""


def status_lines(heading: str, prose: str, indent: str, width: int) -> tuple[str, ...]:
    """Word `# Status (heading): prose` as comment lines of at most `width` characters, longer only for a longer word.

    Each line of the prose, whatever YAML counts as its break, starts a comment line and keeps its indentation; blank
    ones are left out, since a blank comment line ends a status. What would read as a header or as another status is
    altered just enough not to (`=== x ===` to `== x ==`, `Status (` to `Status: (`), and characters YAML refuses become
    U+FFFD. Raises EditError for a heading without a date and for empty prose.
    """
    lines = [line.expandtabs(4).rstrip() for line in BREAK.split(UNREADABLE.sub("\ufffd", prose)) if line.strip()]
    if not lines:
        raise EditError("the status has no text; write what was found")
    start = f"{indent}# Status ({_heading(heading)}): "
    lines = START.sub(_not_a_status, "\n".join(lines)).split("\n")
    wrapped = _wrap(lines[0].strip(), start, f"{indent}# ", width)
    for line in lines[1:]:
        text = line.lstrip()
        lead = f"{indent}# {line[: len(line) - len(text)]}"
        wrapped += _wrap(text, lead, lead + "  " if _BULLET.match(line) else lead, width)
    return tuple(re.sub("={3,}", "==", line) if _LIKE_HEADER.search(line) else line for line in wrapped)


def _heading(heading: str) -> str:
    """What stands in the parenthesis: on one line, with no parenthesis of its own, a date first."""
    line = " ".join(UNREADABLE.sub("\ufffd", heading).split()).translate(str.maketrans("()", "[]"))
    try:
        datetime.datetime.strptime(line[:10], "%Y-%m-%d")
    except ValueError:
        raise EditError(f"the heading {heading!r} must start with a date such as 2026-11-29") from None
    return line


def _not_a_status(found: re.Match[str]) -> str:
    return found[0].replace("Status", "Status:", 1)


def _wrap(text: str, first: str, rest: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, len(rest) + _NARROWEST),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
