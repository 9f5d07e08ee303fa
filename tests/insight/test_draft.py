"""What a drafted status says, and that it says whose verdicts it counts."""

from collections.abc import Sequence

import pytest

from workbench.checks.records import CheckResult, Outcome, Verdict
from workbench.corpus.records import Audit, Status
from workbench.engines.protocol import Ending
from workbench.grading.records import Assessment, HumanVerdict
from workbench.insight.draft import DraftInput, GuidanceCommit, draft, heading
from workbench.insight.flips import compare
from workbench.insight.standing import Asked
from workbench.runs.records import Trial, TrialFinished
from workbench.runs.regrade import Flip
from workbench.traces.reasons import Reason

PASSED, FAILED, UNJUDGED = (Verdict(outcome=o) for o in (Outcome.PASSED, Outcome.FAILED, Outcome.UNJUDGED))
TURN_LIMIT = Verdict(outcome=Outcome.UNMEASURED, reason=Reason.TURN_LIMIT)


def asked(
    audit_id: str,
    verdict: Verdict,
    *humans: Assessment,
    repetition: int = 1,
    failed: Sequence[tuple[str, str]] = (),
) -> Asked:
    trial = Trial(audit_id=audit_id, file="audits/a.yaml", repetition=repetition)
    checks = tuple(CheckResult(kind=kind, target=target, outcome=Outcome.FAILED) for kind, target in failed)
    finished = TrialFinished(trial=trial.key, at="", ending=Ending(), verdict=verdict, checks=checks)
    return Asked(trial, finished, humans)


def human(verdict: HumanVerdict | str = "", **fields: str) -> Assessment:
    return Assessment.model_validate({"trial": "t", "grader": "Ada", "at": "", "verdict": verdict, **fields})


def audits(*ids: str) -> tuple[Audit, ...]:
    return tuple(Audit(id=audit_id, prompt="?", expected_level="knows_directly") for audit_id in ids)


def said(*trials: Asked, ids: Sequence[str] = ()) -> str:
    return draft(DraftInput(audits(*(ids or dict.fromkeys(one.trial.audit_id for one in trials))), trials))


@pytest.mark.parametrize(
    ("trials", "prose"),
    [
        ([asked("a", PASSED), asked("b", PASSED)], "2/2 pass."),
        (
            [asked("a", PASSED), asked("b", TURN_LIMIT), asked("c", TURN_LIMIT), asked("d", UNJUDGED)],
            "1/1 pass (2 unmeasured: turn_limit; 1 unjudged).",
        ),
        (
            [asked("a", TURN_LIMIT), asked("b", Verdict(outcome=Outcome.UNMEASURED, reason=Reason.MISSING))],
            "0/0 pass (2 unmeasured: turn_limit 1, missing 1).",
        ),
        (
            [asked("a", PASSED), asked("b", FAILED, failed=[("should_read", "docs/b.md")])],
            "1/2 pass. Failed: b (did not read docs/b.md).",
        ),
        (
            [asked("a", FAILED, failed=[("correct_contains", "inbox"), ("should_read", "x")])],
            '0/1 pass. Failed: a (did not say "inbox"; 1 more).',
        ),
        (
            [asked("a", FAILED, failed=[("correct_matches", "do not know|no idea")])],
            "0/1 pass. Failed: a (did not match /do not know|no idea/).",
        ),
        (
            [
                asked("a", PASSED),
                asked("a", FAILED, repetition=2),
                asked("b", PASSED),
                asked("b", PASSED, repetition=2),
            ],
            "3/4 trials of 2 audits pass. Failed: a 1/2.",
        ),
    ],
)
def test_counts_and_failures(trials: list[Asked], prose: str) -> None:
    assert said(*trials) == prose


def test_audits_that_were_not_asked_are_told() -> None:
    assert said(asked("a", PASSED), ids=["a", "b", "c"]) == "1/1 pass (2 not asked)."


def test_a_human_verdict_counts_and_is_told_as_a_humans() -> None:
    prose = said(asked("a", FAILED, human("pass")), asked("b", PASSED), asked("c", PASSED, human("unsure")))
    assert prose == (
        "2/2 pass (verdicts: 1 human, 1 checks; 1 unsure). "
        "Human verdicts against the checks: a pass, checks failed; c unsure, checks passed."
    )


def test_a_failure_only_the_human_saw_names_the_human() -> None:
    assert "Failed: a (by Ada)." in said(asked("a", PASSED, human("fail")))


def test_a_saved_assessment_without_a_verdict_leaves_the_count_to_the_checks() -> None:
    assert said(asked("a", PASSED, human("fail"), human(level="knows_directly"))).startswith(
        "0/1 pass (verdicts: 1 human"
    )


def test_levels_causes_and_notes() -> None:
    prose = said(
        asked("archive-rule", FAILED, human(level="discoverable", cause="knowledge gap", note="It\nsearched first.")),
        asked("card-glob", PASSED, human(level="knows_directly", cause="knowledge gap")),
    )
    assert prose == (
        "1/2 pass. Failed: archive-rule. Levels: archive-rule graded discoverable, expected knows_directly. "
        "Causes: knowledge gap 2. Notes: archive-rule: It searched first."
    )


def test_what_changed_since_the_last_status() -> None:
    given = DraftInput(
        audits("card-glob"),
        (asked("card-glob", PASSED),),
        previous=(Status(date="2026-05-01", text="", line=1), Status(date="2026-07-02", text="", line=2)),
        flips=(Flip("card-glob", FAILED, PASSED), Flip("inbox", PASSED, TURN_LIMIT)),
        commits=(GuidanceCommit("0123456789abcdef", "Say where cards live\nand why"),),
        audit_id="card-glob",
    )
    assert draft(given) == (
        "card-glob: 1/1 pass. Flips since 2026-07-02: card-glob now passes, inbox now unmeasured (turn_limit). "
        "Guidance since 2026-07-02: 0123456 Say where cards live and why."
    )


def test_long_lists_say_how_many_more() -> None:
    assert said(*(asked(f"a{n}", FAILED) for n in range(10))).endswith("a7 and 2 more.")


def test_a_draft_is_one_line_whatever_was_noted() -> None:
    prose = said(
        asked("a", FAILED, human("fail", note="x\r\n# Status (2026-01-01): y\x1b[2J\u2028z"), failed=[("k", "a\nb")])
    )
    assert prose.isprintable()


def test_flips_compare_only_what_was_asked_both_times() -> None:
    before = {"a": PASSED, "b": FAILED, "c": PASSED}
    after = {"b": PASSED, "a": FAILED, "c": PASSED, "d": FAILED}
    flips = compare(before, after)
    assert [str(flip) for flip in flips] == ["b now passes", "a now fails"]


@pytest.mark.parametrize(
    ("engine", "model", "text"),
    [
        ("claude", "claude-sonnet-4-5", "2026-11-29, claude claude-sonnet-4-5"),
        ("reader", "", "2026-11-29, reader"),
        ("", "", "2026-11-29"),
    ],
)
def test_heading(engine: str, model: str, text: str) -> None:
    assert heading("2026-11-29", engine, model) == text
