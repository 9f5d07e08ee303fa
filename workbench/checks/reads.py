"""Checks of which files the agent read. The verdict goes by resolved paths; a hint tells where Bee Box would differ."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from workbench.checks.case import Case, at_act, at_turn, failed, passed, unmeasured, without_tool
from workbench.checks.definition import check
from workbench.checks.records import CheckResult, Evidence
from workbench.checks.values import some_texts, texts
from workbench.traces.acts import Act
from workbench.traces.reasons import Reason
from workbench.traces.records import ToolResultTurn

_DEED = "read files"


def holds(act: Act, fragment: str) -> bool:
    """Whether a read is of a path that a fragment means: it stands in the path, or in one its wildcards match."""
    if fragment in act.path:
        return True
    if not act.glob:
        return False
    # A fragment of n parts may be the end of what the pattern's last n parts match.
    tail = act.path.split("/")[-len(fragment.split("/")) :]
    return fnmatchcase(fragment, "/".join(tail))


def reads_of(case: Case, fragment: str) -> list[Act]:
    """The reads of such a path that succeeded."""
    return [act for act in case.acts_of("read") if act.ok and holds(act, fragment)]


def _bee_box(case: Case, fragment: str) -> Act | None:
    return next((act for act in case.acts if act.bee_box_read and fragment in act.literal), None)


def _unread_hint(case: Case, fragment: str) -> str:
    """What to say of a file that was not read though Bee Box, or a reader of the transcript, may think it was."""
    doubtful = next((act for act in case.acts_of("read") if act.doubt and holds(act, fragment)), None)
    literal = _bee_box(case, fragment)
    if literal is None:
        return f"a read of it does not count: {doubtful.doubt}" if doubtful else ""
    why = doubtful.doubt if doubtful else literal.doubt or "the command names it without showing it"
    return f"Bee Box would count `{at_act(literal).quote}`; here it does not: {why}"


def _read_hint(case: Case, fragment: str) -> str:
    return "" if _bee_box(case, fragment) else "Bee Box would not count it: the call does not spell the path like this"


@check("should_read", texts)
def should_read(case: Case, fragments: tuple[str, ...]) -> Iterator[CheckResult]:
    """Each file must have been read."""
    if "read" not in case.can:
        yield from without_tool("should_read", fragments, _DEED)
        return
    for fragment in fragments:
        if found := reads_of(case, fragment):
            yield passed("should_read", fragment, at_act(found[0]), hint=_read_hint(case, fragment))
        else:
            hint = _unread_hint(case, fragment)
            yield failed("should_read", fragment, "no successful read of such a path", hint=hint)


@check("should_read_any", some_texts)
def should_read_any(case: Case, fragments: tuple[str, ...]) -> Iterator[CheckResult]:
    """At least one of the files must have been read."""
    key, target = "should_read_any", " | ".join(fragments)
    if "read" not in case.can:
        yield from without_tool(key, [target], _DEED)
        return
    found = next(((fragment, acts[0]) for fragment in fragments if (acts := reads_of(case, fragment))), None)
    if found:
        literal = any(_bee_box(case, fragment) for fragment in fragments)
        yield passed(key, target, at_act(found[1]), hint="" if literal else _read_hint(case, found[0]))
    else:
        hint = next((hint for fragment in fragments if (hint := _unread_hint(case, fragment))), "")
        yield failed(key, target, "no successful read of any such path", hint=hint)


@check("should_not_read", texts)
def should_not_read(case: Case, fragments: tuple[str, ...]) -> Iterator[CheckResult]:
    """None of the files may have been read."""
    if "read" not in case.can:
        yield from without_tool("should_not_read", fragments, _DEED)
        return
    for fragment in fragments:
        if found := reads_of(case, fragment):
            hint = _read_hint(case, fragment)
            yield failed("should_not_read", fragment, "it was read", at_act(found[0]), hint=hint)
        else:
            yield passed("should_not_read", fragment, hint=_unread_hint(case, fragment))


@check("read_before_edit", texts, box_only=True)
def read_before_edit(case: Case, fragments: tuple[str, ...]) -> Iterator[CheckResult]:
    """Each file must have been read in an earlier message than the first edit; without an edit, at any time.

    Guidance that came with a tool's result counts as read. An attempt to edit counts as an edit, one outside the
    box does not.
    """
    key = "read_before_edit"
    if not case.trace.meta.records_edits:
        detail = "this engine does not record edits"
        yield from (unmeasured(key, fragment, Reason.NOT_RECORDED, detail) for fragment in fragments)
        return
    if not {"read", "edit"} <= case.can:
        yield from without_tool(key, fragments, "read and edit files")
        return
    edit = next((act for act in case.acts_of("edit") if not act.path.startswith("/")), None)
    for fragment in fragments:
        seen = sorted([*_own_reads(case, fragment), *_delivered(case, fragment)], key=lambda evidence: evidence.turn)
        if seen and (edit is None or seen[0].turn < edit.turn):
            yield passed(key, fragment, seen[0])
        elif edit is None:
            yield failed(key, fragment, "it was never read, and nothing was edited", hint=_in_context(case, fragment))
        else:
            detail = "it was read only with or after the first edit" if seen else "it was never read"
            yield failed(key, fragment, detail, at_act(edit), *seen[:1], hint=_in_context(case, fragment))


def _own_reads(case: Case, fragment: str) -> list[Evidence]:
    return [at_act(act) for act in reads_of(case, fragment)]


def _delivered(case: Case, fragment: str) -> list[Evidence]:
    came = [
        (turn.turn_index, turn.guidance)
        for turn in case.trace.turns
        if isinstance(turn, ToolResultTurn) and not turn.is_error
    ]
    came += [(loaded.after, loaded.files) for loaded in case.trace.loaded if loaded.after >= 0]
    return [at_turn(turn, file.path) for turn, files in sorted(came) for file in files if fragment in file.path]


def _in_context(case: Case, fragment: str) -> str:
    loaded = any(fragment in file.path for file in case.trace.initial_guidance)
    return "it was in context from the start" if loaded else ""
