"""What the YAML parser's complaints mean to someone who wrote a corpus, and what to do about each."""

from typing import Any

import yaml

_ADVICE: tuple[tuple[str, str, str], ...] = (
    (
        "mapping values are not allowed",
        "a `: ` stands where no key can be",
        "quote the value if the colon belongs to it, else check the indentation",
    ),
    (
        "unknown escape character",
        "a backslash in double quotes starts an escape YAML does not know",
        "double the backslash (`\\\\d`), or use single quotes",
    ),
    ("did not find expected hexdecimal number", "an escape is not finished", "double the backslash"),
    ("did not find expected alphabetic or numeric character", "a value starts with `*` or `&`", "quote the value"),
    ("undefined alias", "a value starts with `*`, which names an anchor that does not exist", "quote the value"),
    ("could not find expected ':'", "this line is neither a `key: value` nor part of one", "indent or quote it"),
    ("did not find expected key", "the indentation of this line fits no open entry", "line it up with its neighbours"),
    (
        "did not find expected '-' indicator",
        "the indentation of this line fits no open list",
        "line it up with its neighbours",
    ),
    ("did not find expected ',' or", "a bracket is not closed before this point", "close it, or quote the text"),
    ("block sequence entries are not allowed", "a `- ` stands where no list can start", "put it on a line of its own"),
    ("but found another document", "a second document starts here", "remove the `---`; one file is one document"),
    ("exceeded maximum nesting depth", "this is nested too deeply", "flatten it"),
    ("where an indentation space is expected", "a tab indents this text", "replace the tab with spaces"),
    ("while scanning a directive", "a line starts with `%`", "indent it or quote it"),
)

_QUOTES = "close the quote at the end of the value; inside it write '' for ', or \\\" for \""


def advise(error: yaml.MarkedYAMLError, text: str, mark: Any) -> tuple[str, str, Any]:
    """Say a parser's complaint in words that help: the message, what to do, and the mark it is about."""
    problem = error.problem or ""
    if "cannot start any token" in problem:
        return (*_about_character(text, mark.index), mark)
    if "unexpected end of stream" in problem and error.context_mark is not None:
        return "a quote opened here is never closed", _QUOTES, error.context_mark
    if "did not find expected key" in problem and _line_before(text, mark.index).strip():
        return "something follows where the value has already ended", _QUOTES, mark
    for part, message, fix in _ADVICE:
        if part in problem or part in (error.context or ""):
            return message, fix, mark
    context = f" {error.context}" if error.context else ""
    return f"this cannot be read as YAML: {problem}{context}", "check quotes and indentation around here", mark


def _line_before(text: str, index: int) -> str:
    return text[max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1 : index]


def _about_character(text: str, index: int) -> tuple[str, str]:
    character = text[index : index + 1]
    if character == "\t":
        return "a tab stands where YAML allows only spaces", "replace the tab with spaces"
    return f"a plain value cannot start with {character!r}", "quote the value"
