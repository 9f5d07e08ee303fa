"""One trial as its checks see it: everything they may look at, worked out once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.checks.records import CheckResult, Evidence, Outcome
from workbench.checks.reply import Said, everything, shown
from workbench.text.sanitize import clean_line
from workbench.traces.acts import Act, classify
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, ToolResultTurn, Trace
from workbench.traces.tools import Kind, capabilities

if TYPE_CHECKING:
    from workbench.corpus.records import Audit

_QUOTE = 160


@dataclass(frozen=True)
class Case:
    """A trace, the audit it answers, and the settings that bear on its checks."""

    audit: "Audit"
    trace: Trace
    reply_tags: tuple[str, ...] = ("chat",)
    final_reply: bool = False
    """Whether text checks read only what a chat shows."""

    @cached_property
    def acts(self) -> tuple[Act, ...]:
        """What the agent did."""
        return classify(self.trace)

    @cached_property
    def said(self) -> Said:
        """The words that text checks read."""
        return shown(self.trace, self.reply_tags) if self.final_reply else everything(self.trace)

    @cached_property
    def can(self) -> frozenset[Kind]:
        """The kinds of act the agent had tools for: those it was offered, and any that served it."""
        served = {
            turn.tool_use_id for turn in self.trace.turns if isinstance(turn, ToolResultTurn) and not turn.is_error
        }
        used = {
            call.name
            for turn in self.trace.turns
            if isinstance(turn, AssistantTurn)
            for call in turn.calls
            if call.id in served
        }
        return capabilities({*self.trace.meta.tools, *used})

    def acts_of(self, kind: str) -> tuple[Act, ...]:
        """The acts of one kind."""
        return tuple(act for act in self.acts if act.kind == kind)


def passed(kind: str, target: str, *evidence: Evidence, hint: str = "") -> CheckResult:
    """A check that holds."""
    return CheckResult(kind=kind, target=target, outcome=Outcome.PASSED, evidence=evidence, hint=hint)


def failed(kind: str, target: str, detail: str, *evidence: Evidence, hint: str = "") -> CheckResult:
    """A check that does not hold, and why."""
    return CheckResult(kind=kind, target=target, outcome=Outcome.FAILED, detail=detail, evidence=evidence, hint=hint)


def unmeasured(kind: str, target: str, reason: Reason, detail: str) -> CheckResult:
    """A check that could not be made."""
    return CheckResult(kind=kind, target=target, outcome=Outcome.UNMEASURED, reason=reason, detail=detail)


def without_tool(kind: str, targets: Iterable[str], deed: str) -> Iterable[CheckResult]:
    """The results of a check about something the agent had no tool for."""
    return [unmeasured(kind, target, Reason.NO_TOOL, f"the agent had no tool to {deed}") for target in targets]


def at_turn(turn: int, quote: str) -> Evidence:
    """Evidence that is a whole message, such as one with a tool call."""
    return Evidence(turn=turn, quote=clean_line(quote, _QUOTE))


def at_act(act: Act) -> Evidence:
    """Evidence that is something the agent did."""
    return at_turn(act.turn, act.command if act.kind == "command" else act.path or act.query)
