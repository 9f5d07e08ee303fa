"""Text checks by Bee Box's rules: what is compared, what is not normalized, and where the evidence lies."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checks.conftest import Judge
from tests.traces.making import Call, bash, make
from workbench.checks.records import Evidence, Outcome
from workbench.checks.registry import evaluate
from workbench.corpus.records import Audit
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, TextBlock, ThinkingBlock, Trace


@pytest.mark.parametrize(
    ("reply", "key", "value", "outcomes"),
    [
        ("In the Inbox.", "correct_contains", ["inbox", "in THE"], "pp"),
        ("In the inbox.", "correct_contains", ["outbox", "inbox"], "fp"),
        ("in the\ninbox", "correct_contains", ["the inbox"], "f"),
        ("in the `inbox`", "correct_contains", ["the inbox"], "f"),
        ("the hen’s nest", "correct_contains", ["hen's nest"], "f"),
        ("STRASSE", "correct_contains", ["straße"], "f"),
        ("İnbox", "correct_contains", ["nbox"], "p"),
        ("anything", "correct_contains", [], ""),
        ("anything", "correct_contains", [""], "p"),
        ("In the barn.", "correct_contains_any", ["shed", "BARN"], "p"),
        ("In the barn.", "correct_contains_any", ["shed", "attic"], "f"),
        ("In the barn.", "correct_contains_any", [], "f"),
        ("a new card", "correct_matches", [r"\bnew\s+card\b", "old"], "pf"),
        ("a\nb", "correct_matches", ["a.b", "^b", "a$"], "fff"),
        ("the reply", "correct_matches", ["reply$"], "p"),
        ("In the barn.", "response_not_contains", ["shed", "Barn"], "pf"),
        ("In the barn.", "response_not_matches", ["sh[e]d", "BARN|shed"], "pf"),
    ],
)
def test_what_holds(judge: Judge, reply: str, key: str, value: list[str], outcomes: str) -> None:
    results = judge(make(reply), **{key: value})
    assert "".join(result.outcome.value[0] for result in results) == outcomes
    assert all(result.kind == key for result in results)


def test_everything_said_in_the_main_session_counts_and_nothing_else(judge: Judge) -> None:
    own = make("First the barn.", bash("cat shed", "in the loft"), "Then the coop.")
    thinking = AssistantTurn(turn_index=90, content=(ThinkingBlock(text="perhaps the attic"),))
    helper = AssistantTurn(turn_index=91, content=(TextBlock(text="the cellar"),), parent="call-1")
    trace = own.model_copy(update={"turns": (*own.turns, thinking, helper)})
    wanted = ["barn", "coop", "barn.\nthen", "shed", "loft", "attic", "cellar", "where do eggs"]
    outcomes = [result.outcome.value[0] for result in judge(trace, correct_contains=wanted)]
    assert "".join(outcomes) == "pppfffff"


def test_evidence_is_a_place_in_one_message(judge: Judge) -> None:
    trace = make("  Look:", bash("ls"), ["In the İnbox, ", "not the shed."])
    contained, crossing, matched = judge(trace, correct_contains=["nbox", "look:\n"], correct_matches=["NOT|shed"])[0:3]
    assert contained.evidence == (Evidence(turn=4, start=8, end=12, quote="nbox"),)
    assert crossing.evidence[0].turn == 1
    assert matched.evidence == (Evidence(turn=4, start=15, end=18, quote="not"),)
    assert isinstance(trace.turns[4], AssistantTurn)
    assert trace.turns[4].text[15:18] == "not"


@given(st.lists(st.text("aİßK \n`’", max_size=6), min_size=1, max_size=4), st.data())
def test_evidence_quotes_what_was_said(parts: list[str], data: st.DataObject) -> None:
    trace = make(*parts)
    reply = trace.reply
    start = data.draw(st.integers(0, len(reply)))
    wanted = reply[start : start + 3]
    (result,) = evaluate(Audit(id="a", prompt="q", checks={"correct_contains": [wanted]}), trace)
    assert result.outcome is Outcome.PASSED
    for evidence in result.evidence:
        turn = trace.turns[evidence.turn]
        assert isinstance(turn, AssistantTurn)
        assert wanted.lower().startswith(turn.text[evidence.start : evidence.end].lower())
    assert result.evidence or not reply


def test_a_pattern_that_will_not_end_is_unmeasured_and_costs_no_other_check(judge: Judge) -> None:
    results = judge(make("a" * 40 + "b"), correct_matches=["(a+)+$", "b$"], response_not_contains=["c"])
    assert [(r.outcome, r.reason) for r in results] == [
        (Outcome.UNMEASURED, Reason.PATTERN_TIMEOUT),
        (Outcome.PASSED, None),
        (Outcome.PASSED, None),
    ]


NOTE = "Hm.\n> [!note] Mind\n> the hens\nBye."


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["I look.", bash("ls"), "In the barn."], "In the barn."),
        ([["I look.", bash("ls")], "In the", "barn."], "In the\nbarn."),
        (["In the barn."], "In the barn."),
        (["I look. <chat>Soon!</chat> Well.", bash("ls"), "Barn."], "Soon!\nBarn."),
        (['<chat to="me">One</chat><chat>Two', bash("ls"), "Barn."], "One\nTwo\nBarn."),
        (["<aside>No</aside>", bash("ls"), "Barn."], "Barn."),
        ([NOTE, bash("ls"), "Barn."], "> [!note] Mind\n> the hens\nBarn."),
        (["<chat>> [!tip] A\n> b</chat>", bash("ls"), "Barn."], "> [!tip] A\n> b\nBarn."),
        (["First.\nIn the barn.\n", bash("ls"), "Done!"], "In the barn.\nDone!"),
        (["In the barn.", bash("ls"), "OK, got it. **Thanks** 👍"], "In the barn.\nOK, got it. **Thanks** 👍"),
        (["In the barn.", bash("ls"), "Yes."], "Yes."),
        (["In the barn.", bash("ls"), "Done: in the coop."], "Done: in the coop."),
        (["<chat>In the barn.</chat>", bash("ls"), "Done."], "In the barn.\nDone."),
        (["In the barn.", bash("ls")], "In the barn."),
        ([bash("ls")], ""),
    ],
)
def test_a_final_reply_is_what_a_chat_shows(judge: Judge, steps: list[Any], said: str) -> None:
    (result,) = judge(make(*steps), final_reply=True, correct_matches=["^[^]*$"])
    assert result.outcome is Outcome.PASSED
    trace = make(*steps)
    words = [line for line in said.split("\n") if line]
    checks = {"final_reply": True, "correct_contains": [*words, said]}
    results = evaluate(Audit(id="a", prompt="q", checks=checks), trace)
    assert [r.detail for r in results if r.outcome is not Outcome.PASSED] == []
    hidden = [text for text in ("I look", "Hm.", "Bye", "First", "Well", "aside") if text in trace.reply]
    refused = {"final_reply": True, "response_not_contains": hidden}
    assert {r.outcome for r in evaluate(Audit(id="a", prompt="q", checks=refused), trace)} <= {Outcome.PASSED}


def test_tags_are_a_setting() -> None:
    trace = make("<say>Soon</say>", bash("ls"), "Barn.")
    audit = Audit(id="a", prompt="q", checks={"final_reply": True, "correct_contains": ["Soon"]})
    assert evaluate(audit, trace)[0].outcome is Outcome.FAILED
    assert evaluate(audit, trace, reply_tags=("say",))[0].outcome is Outcome.PASSED


def test_evidence_in_a_final_reply_is_in_the_messages_own_text(judge: Judge) -> None:
    trace = make("Well, <chat>in the barn</chat>.", bash("ls"), "Done.")
    (result,) = judge(trace, final_reply=True, correct_contains=["barn"])
    assert result.evidence == (Evidence(turn=1, start=19, end=23, quote="barn"),)
    assert isinstance(trace.turns[1], AssistantTurn)
    assert trace.turns[1].text[19:23] == "barn"


def test_an_unanswered_question_fails_what_was_to_be_said(judge: Judge) -> None:
    silent: Trace = make(Call("Read", {"file_path": "a"}))
    results = judge(silent, correct_contains=["x"], response_not_contains=["x"], correct_matches=["x"])
    assert "".join(result.outcome.value[0] for result in results) == "fpf"
