"""Which knowledge level the acts of a trial show, as far as they show one."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.checks.tools import BOX_SEARCH
from workbench.traces.acts import Act, classify
from workbench.traces.records import ToolResultTurn, Trace
from workbench.traces.shell_acts import STDIN

_ADMISSION = re.compile(
    r"""\b(?:I|we)\s+(?:
        (?:do\s+not|don't)\s+(?:actually\s+)?know(?!\s+(?:of\s+)?(?:any|a)\s+(?:better|other)\b)
      | (?:do\s+not|don't)\s+have\s+(?:(?:any|that|this|the|enough)\s+)?(?:information|access|details|documentation)
      | have\s+no\s+(?:information|way\s+of\s+knowing|documentation|access)
      | (?P<sought>
            (?:could\s+not|couldn't|cannot|can't|did\s+not|didn't)\s+find
          | (?:was|were|am|are)\s+(?:not\s+able|unable)\s+to\s+(?:find|locate|determine)
          | found\s+(?:nothing|no\s+(?:mention|reference|information|documentation|passage))
        )
    )(?![^.!?\n]*[,;–—]\s*(?:but|however|though|so|yet)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What a person says who admits not to know; one who goes on with "but …" has an answer after all."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_BRIEF = 60
"""Words up to which an admission anywhere is what the reply comes down to."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A level, empty where the acts show none, and a note on what it was concluded from."""

    level: str
    note: str = ""


def observe(trace: Trace, expected: str = "") -> Observed:
    """The level that a trial's acts show; `expected` is the audit's own, for what is worth saying beside it.

    Only what was done and said counts: a guess looks like knowing directly. An admission comes before everything,
    then the web, then searches; reads alone are knowing about when loaded text names each of them.
    """
    reply = trace.reply
    if not reply:
        return Observed("", "it said nothing")
    if admits(reply):
        return Observed("knows_it_does_not_know", "it says that it does not know")
    acts = classify(trace)
    if web := next((act for act in acts if act.kind == "web"), None):
        return Observed("researchable", f"looked on the web: {web.query}")
    if search := next(_searches(acts), None):
        what = search.query or search.path or search.command
        return Observed("discoverable", f"searched: {what}" if what else "searched")
    reads = [act for act in acts if act.kind == "read"]
    return _by_reads(trace, reads) if reads else _without_looking(trace, acts, expected)


def admits(reply: str) -> bool:
    """Whether a reply comes down to not knowing; a long one must begin with it, and not only tell of a search."""
    told = reply.replace("’", "'")
    if len(told.split()) <= _BRIEF:
        return _ADMISSION.search(told) is not None
    first = _ADMISSION.search(_SENTENCE.split(told, maxsplit=1)[0])
    return first is not None and not first["sought"]


def _searches(acts: tuple[Act, ...]) -> Iterator[Act]:
    """Acts that look for a place; a search confined to a file that it shows, or to a pipe, does not."""
    shown = {(act.call_id, act.path) for act in acts if act.kind == "read"}
    for act in acts:
        confined = act.path == STDIN or (act.call_id, act.path) in shown
        if (act.kind == "search" and not confined) or (act.kind == "command" and BOX_SEARCH.search(act.command)):
            yield act


def _by_reads(trace: Trace, reads: list[Act]) -> Observed:
    done = [act for act in reads if act.ok]
    if not done:
        return Observed("", f"tried to read {reads[0].path} and saw nothing")
    brought = [file for file in trace.guidance if file.layer == "conditional"]
    if brought and all(_names(trace.meta.prompt, act.path) for act in done):
        return Observed("knows_directly", f"in context: {brought[0].path} came with a read the question asked for")
    texts = _loaded(trace, done)
    unnamed = next((act.path for act in done if not _is_named(act, texts)), "")
    if unnamed:
        return Observed("", f"read {unnamed}, which nothing it had loaded names")
    return Observed("knows_about", f"read {', '.join(dict.fromkeys(act.path for act in done))}")


def _without_looking(trace: Trace, acts: tuple[Act, ...], expected: str) -> Observed:
    if expected == "knows_about":
        return Observed("knows_directly", "answered without reading what it was expected to look up")
    layers = [file for file in trace.guidance if file.layer == "conditional"]
    if layers:
        return Observed("knows_directly", f"in context: {layers[0].path} was loaded on a condition")
    ran = next((act.command for act in acts if act.kind == "command"), "")
    return Observed("knows_directly", f"answered without reading or searching{f'; it ran {ran}' if ran else ''}")


@dataclass(frozen=True, slots=True)
class _Text:
    """Something the agent had before its eyes, from which turn on, and the folder its relative paths start in."""

    since: int
    folder: str
    text: str


def _loaded(trace: Trace, reads: list[Act]) -> list[_Text]:
    """The question, the guidance, and what was read, each with the turn from which it could be followed."""
    texts = [_Text(-1, "", trace.meta.prompt)]
    texts += [_Text(-1, posixpath.dirname(file.path), file.text) for file in trace.meta.guidance]
    for loaded in trace.loaded:
        texts += [_Text(loaded.after, posixpath.dirname(file.path), file.text) for file in loaded.files]
    results = {turn.tool_use_id: turn for turn in trace.turns if isinstance(turn, ToolResultTurn)}
    for turn in results.values():
        texts += [_Text(turn.turn_index, posixpath.dirname(file.path), file.text) for file in turn.guidance]
    for act in reads:
        if result := results.get(act.call_id):
            texts.append(_Text(result.turn_index, posixpath.dirname(act.path), result.text))
    return texts


def _is_named(act: Act, texts: list[_Text]) -> bool:
    """Whether a text the agent had by then names the path, in full or from its own folder; skills are by their list."""
    if act.path.endswith("/SKILL.md"):
        return True
    return any(
        _names(text.text, name)
        for text in texts
        if text.since < act.turn
        for name in {act.path, posixpath.relpath("/" + act.path.lstrip("/"), "/" + text.folder)}
    )


def _names(text: str, path: str) -> bool:
    return path in text and re.search(rf"(?<![\w/-]){re.escape(path)}(?![\w-]|/\w)", text.replace("./", "")) is not None
