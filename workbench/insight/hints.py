"""Hints beside the strict verdicts: where a human should look twice. No hint changes an outcome."""

from collections.abc import Callable, Collection, Sequence
from functools import partial

from workbench.checks.records import CheckResult, Outcome
from workbench.text.near import near_miss
from workbench.text.patterns import PatternTimeout, search
from workbench.text.required import folded, may_match, required
from workbench.text.sanitize import clean_line
from workbench.traces.acts import classify
from workbench.traces.reasons import Reason
from workbench.traces.records import Trace

SAID = ("correct_contains", "correct_contains_any", "correct_matches")
"""Checks that want something said."""

_UNSAID = ("response_not_contains", "response_not_matches")
_READS = ("should_read", "should_read_any")
_BETWEEN = " | "
_SECONDS = 0.05
"""For one pattern in one loaded file: a report waits for every hint, and one that is slow to find can be missed."""


def annotate(
    results: Sequence[CheckResult],
    trace: Trace,
    *,
    expected_level: str,
    ended: Reason | None,
    box_files: Collection[str] | None = None,
) -> tuple[CheckResult, ...]:
    """The same results with a hint wherever one is due, added to what a check itself hints at.

    `box_files` are the box-relative paths there were to read, where they are known.
    """
    notes = _Notes(results, trace, expected_level, ended, box_files)
    return tuple(_with(result, notes.on(result)) for result in results)


def _with(result: CheckResult, found: list[str]) -> CheckResult:
    hint = "; ".join(dict.fromkeys(text for text in [result.hint, *found] if text))
    return result if hint == result.hint else result.model_copy(update={"hint": hint})


class _Notes:
    def __init__(
        self,
        results: Sequence[CheckResult],
        trace: Trace,
        expected_level: str,
        ended: Reason | None,
        box_files: Collection[str] | None,
    ) -> None:
        self._results, self._trace, self._expected = results, trace, expected_level
        self._ended, self._box_files = ended, box_files
        self._reply = trace.reply
        self._came = trace.guidance[len(trace.initial_guidance) :]
        acts = classify(trace)
        looking = {act.call_id for act in acts if act.kind in ("read", "search")}
        self._commands = [act.command for act in acts if act.kind == "command" and act.call_id not in looking]

    def on(self, result: CheckResult) -> list[str]:
        """What is to be said about one result."""
        failed = result.outcome is Outcome.FAILED
        if failed and result.kind in SAID:
            return self._unsaid(result)
        if failed and result.kind in _READS:
            return self._unread(result)
        if result.kind == "response_not_contains" and result.outcome is Outcome.PASSED:
            near = near_miss(result.target, self._reply)
            return [f"the reply does hold it, {near}"] if near else []
        return []

    def _unsaid(self, result: CheckResult) -> list[str]:
        if not self._reply:
            late = self._ended is Reason.TURN_LIMIT
            return ["the reply is empty: the turn limit was reached" if late else "the reply is empty"]
        options = result.target.split(_BETWEEN) if result.kind == "correct_contains_any" else [result.target]
        pattern = result.kind == "correct_matches"
        found: list[str] = []
        for option in options:
            stands = partial(_matches, option) if pattern else partial(_holds, option)
            if not pattern and (near := near_miss(option, self._reply)):
                found.append(f"near miss: the reply holds {_quoted(option)}, {near}")
            elif stands(self._reply):
                found.append("it was said, but in text that final_reply leaves out")
            if any(stands(command) for command in self._commands):
                found.append("a command holds it: it may have been done instead of said")
            if file := self._guidance_with(stands):
                found.append(f"it stands in {file}, which the agent had loaded")
        if self._ended is Reason.TURN_LIMIT:
            found.append("the turn limit came before a final reply")
        return found

    def _unread(self, result: CheckResult) -> list[str]:
        found: list[str] = []
        fragments = result.target.split(_BETWEEN) if result.kind == "should_read_any" else [result.target]
        if self._box_files is not None:
            paths = "\n".join(self._box_files)
            absent = [fragment for fragment in fragments if fragment not in paths]
            found += [f"no path of the box holds {_quoted(fragment)}" for fragment in absent]
        for files, how in (
            (self._trace.initial_guidance, "was in context from the start"),
            (self._came, "came with what it did"),
        ):
            found += [f"{file.path} {how}" for file in files if any(part in file.path for part in fragments)][:1]
        if self._only_reads_fail():
            found.append("everything asked for was said all the same: only the reading is missing")
            if file := self._source_of_answer():
                found.append(f"the answer stands in {file}, which was already loaded")
        if self._expected == "knows_directly":
            found.append("the audit expects to know directly, and yet asks for a read")
        return found

    def _only_reads_fail(self) -> bool:
        said = [r for r in self._results if r.kind in (*SAID, *_UNSAID)]
        failing = [r for r in self._results if r.outcome is Outcome.FAILED]
        wanted = any(r.kind in SAID for r in said)
        return wanted and all(r.outcome is Outcome.PASSED for r in said) and all(r.kind in _READS for r in failing)

    def _source_of_answer(self) -> str:
        """The one loaded file that holds everything the passed checks found in the reply."""
        quotes = [r.evidence[0].quote for r in self._results if r.kind in SAID and r.evidence]
        return self._guidance_with(lambda text: bool(quotes) and all(_holds(quote, text) for quote in quotes))

    def _guidance_with(self, stands: Callable[[str], bool]) -> str:
        return next((file.path for file in self._trace.guidance if stands(file.text)), "")


def _holds(wanted: str, text: str) -> bool:
    return bool(wanted) and wanted.lower() in text.lower()


def _matches(pattern: str, text: str) -> bool:
    try:
        return may_match(required(pattern), folded(text)) and search(pattern, text, _SECONDS) is not None
    except (PatternTimeout, ValueError):
        return False


def _quoted(text: str) -> str:
    return f"'{clean_line(text, 60)}'"
