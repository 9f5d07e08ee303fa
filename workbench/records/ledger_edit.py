"""One more row in a ledger's text: lines are put in where they belong, and no other byte changes."""

import json
import re
from collections.abc import Mapping

from workbench.corpus.yaml12 import YamlError, load
from workbench.records.ledger_lines import STEP, Block, Box, Outline, outline

_HEADER = """\
# Context of knowledge audits: tokens loaded for the first message, for the largest, and added by answering.
# Workbench adds a row as each measured trial ends; commit them. Box → audit → rows, oldest first; no estimates.
"""


def insert(text: str, box: str, audit: str, row: Mapping[str, str | int]) -> str:
    """The text with a row below the others of its audit; keys are written in the order of `row`.

    Raises ValueError, saying why and where, for a text that takes no row there.
    """
    found = outline(text)
    if found.conflict is not None:
        raise ValueError(
            f"line {found.conflict + 1} is what git left of a merge: keep the rows of both sides, oldest first"
        )
    at, lines = _addition(found, box, audit, row)
    end = "\r\n" if "\r\n" in text else "\n"
    before = "".join(found.lines[:at])
    joint = "" if not before or before.endswith("\n") else end
    header = "" if text.strip() else _HEADER.replace("\n", end)
    return before + joint + header + "".join(line + end for line in lines) + "".join(found.lines[at:])


def _addition(found: Outline, box: str, audit: str, row: Mapping[str, str | int]) -> tuple[int, list[str]]:
    """Before which line to put what."""
    block = next((b for b in reversed(list(found.blocks)) if (b.box, b.audit) == (box, audit)), None)
    if block is not None:
        _refuse_inline(block, block.audit, block.line)
        return block.end, _row(row, _indent(found, block))
    home = next((b for b in reversed(found.boxes) if b.name == box), None)
    if home is not None:
        _refuse_inline(home, home.name, home.end - 1)
        indent = home.indent or STEP
        return home.end, [f"{' ' * indent}{scalar(audit)}:", *_row(row, indent + STEP)]
    return len(found.lines), [f"{scalar(box)}:", f"{' ' * STEP}{scalar(audit)}:", *_row(row, 2 * STEP)]


def _refuse_inline(place: Block | Box, name: str, line: int) -> None:
    if place.inline:
        raise ValueError(f"line {line + 1}: what {name} holds stands on its own line; write it below")


def _indent(found: Outline, block: Block) -> int:
    """Where the rows of a block begin."""
    if not block.body:
        return block.indent + STEP
    first = found.lines[block.body[0]]
    return len(first) - len(first.lstrip(" "))


def _row(row: Mapping[str, str | int], indent: int) -> list[str]:
    said = [f"{key}: {value if isinstance(value, int) else scalar(value)}" for key, value in row.items()]
    return [f"{' ' * indent}{'  ' if number else '- '}{line}" for number, line in enumerate(said)]


def scalar(text: str) -> str:
    """A text as YAML: bare where every reader takes it for that very text, else in quotes."""
    if not re.match(r"[\w./]", text):
        return json.dumps(text, ensure_ascii=False)
    try:
        bare = load(f"{text}: {text}") == {text: text} and load(f"- {text}") == [text]
    except YamlError:
        bare = False
    return text if bare else json.dumps(text, ensure_ascii=False)
