"""What the word being typed in a selection can become."""

from collections.abc import Iterable, Sequence

from workbench.corpus.records import Audit
from workbench.corpus.selection import KEYS, VALUES


def complete(text: str, audits: Sequence[Audit]) -> tuple[str, ...]:
    """Words the last word of `text` can become, whole and quoted where need be; all keys when it is empty."""
    word = _last(text)
    minus = "-" if word.startswith("-") else ""
    told = word.removeprefix("-")
    key = told.partition(":")[0] + ":" if ":" in told else ""
    options = (_quoted(key, value) for value in _values(key, audits)) if key else KEYS
    return tuple(dict.fromkeys(minus + option for option in options if option.startswith(told) and option != told))


def completed(text: str, word: str) -> str:
    """`text` with its last word replaced."""
    return text[: len(text) - len(_last(text))] + word


def _last(text: str) -> str:
    """The word being typed: spaces inside quotes belong to it."""
    quoted, start = "", 0
    for index, character in enumerate(text):
        if character in "\"'" and quoted in ("", character):
            quoted = "" if quoted else character
        elif character == " " and not quoted:
            start = index + 1
    return text[start:]


def _values(key: str, audits: Iterable[Audit]) -> Iterable[str]:
    match key:
        case "tag:":
            return sorted({tag for audit in audits for tag in audit.tags})
        case "section:":
            return dict.fromkeys(audit.section for audit in audits if audit.section)
        case "file:":
            return dict.fromkeys(audit.file for audit in audits)
        case "age:":
            return (">7d", "<1d")
    return VALUES.get(key, ())


def _quoted(key: str, value: str) -> str:
    if '"' in value or "'" in value or "\\" in value:
        return key
    return f'{key}"{value}"' if " " in value else f"{key}{value}"
