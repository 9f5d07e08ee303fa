"""The HTML report of a run: one file that needs no script, no font and no network."""

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from workbench.reports.markdown import ReportEntry, ReportInput, seconds, summary, tell
from workbench.text.amounts import many
from workbench.text.sanitize import clean, clean_line
from workbench.traces.acts import Act, classify
from workbench.traces.records import AssistantTurn, TextBlock, ThinkingBlock, ToolCall, ToolResultTurn, Trace, UserTurn

if TYPE_CHECKING:
    from jinja2 import Template

_SHOWN = 20_000
"""Characters of one result or one call that are shown; the trace holds the rest."""


def render(report: ReportInput) -> str:
    """Return the whole report; foreign text is escaped, and cannot become an element, an attribute or a style."""
    entries = [_entry(entry, report) for entry in report.entries]
    return _template().render(summary(report) | {"entries": entries})


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("workbench.reports"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    environment.filters.update(seconds=seconds, many=many, line=lambda text: clean_line(text, 2000))
    return environment.get_template("report.html.j2")


def _harmless(value: Any) -> Any:
    """Whatever is put into the page is cleaned first; Jinja escapes it afterwards."""
    return clean(value) if type(value) is str else value


def _entry(entry: ReportEntry, report: ReportInput) -> dict[str, Any]:
    told = tell(entry, report.baselines, report.limits)
    return told | {
        "outcome": entry.finished.verdict.outcome.value,
        "acts": [_act(act) for act in classify(entry.trace)] if entry.trace else [],
        "transcript": list(_transcript(entry.trace)) if entry.trace else [],
        "assessments": [one for one in entry.assessments if not one.blank],
    }


def _act(act: Act) -> tuple[str, str, str]:
    """Kind, object, and why it did not count."""
    about = act.command if act.kind == "command" else act.path or act.query or act.command
    return act.kind, about, act.doubt


def _transcript(trace: Trace) -> Iterator[tuple[str, str, str]]:
    """The messages as (class, title, text)."""
    for turn in trace.turns:
        inner = " (sub-agent)" if turn.parent else ""
        if isinstance(turn, UserTurn):
            yield "user", f"prompt{inner}", "\n".join(block.text for block in turn.content)
        elif isinstance(turn, ToolResultTurn):
            yield (
                "failed" if turn.is_error else "result",
                f"{'error' if turn.is_error else 'result'}{inner}",
                _cut(turn.text),
            )
        elif isinstance(turn, AssistantTurn):
            yield from (_block(block, inner) for block in turn.content)


def _block(block: TextBlock | ThinkingBlock | ToolCall, inner: str) -> tuple[str, str, str]:
    match block:
        case ToolCall():
            return "call", f"{block.name}{inner}", _cut(json.dumps(block.arguments, ensure_ascii=False, indent=1))
        case ThinkingBlock():
            return "thinking", f"thinking{inner}", block.text
        case _:
            return "said", f"agent{inner}", block.text


def _cut(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    return f"{text[:_SHOWN]}\n… {len(text) - _SHOWN} more characters are in the trace"
