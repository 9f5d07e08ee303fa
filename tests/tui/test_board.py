"""What runs, folded from events."""

from workbench.checks.records import Outcome, Verdict
from workbench.engines.protocol import Ending
from workbench.runs.events import RunEnded
from workbench.runs.records import Tally, TrialFinished, TrialStarted
from workbench.traces.events import TextDelta, TurnAdded
from workbench.traces.records import AssistantTurn
from workbench.tui.board import Board
from workbench.tui.widgets.header import HeaderBar


def started(trial: str) -> TrialStarted:
    return TrialStarted(trial=trial, at="")


def finished(trial: str, outcome: Outcome) -> TrialFinished:
    return TrialFinished(trial=trial, at="", ending=Ending(), verdict=Verdict(outcome=outcome))


def test_two_runs_add_up_and_a_new_one_starts_anew() -> None:
    board = Board()
    board.begin("one", Tally(planned=2), ("a", "b"))
    board.begin("two", Tally(planned=1), ("c",))
    board.take("one", [started("a"), started("b")])
    news = board.take("two", [started("c"), finished("c", Outcome.UNMEASURED)])
    assert (news.started, news.finished) == (("c",), ("c",))
    assert board.tally == Tally(planned=3, unmeasured=1)
    assert board.running == {"a": "one", "b": "one"}
    assert board.asked == {"a": "one", "b": "one"}
    board.take("two", [RunEnded("two", Tally(planned=1, unmeasured=1), cancelled=False)])
    assert board.live == {"one"}
    board.take("one", [RunEnded("one", Tally(planned=2), cancelled=True)])
    assert board.tally == Tally(planned=3, unmeasured=1)
    board.begin("three", Tally(planned=1), ("d",))
    assert board.tally == Tally(planned=1)


def test_a_run_stopped_before_its_first_trial_ended_leaves_no_count() -> None:
    board = Board()
    board.begin("one", Tally(planned=3), "abc")
    assert "0/3" in HeaderBar(board).render().plain
    board.take("one", [RunEnded("one", Tally(planned=3), cancelled=True)])
    assert "0/3" not in HeaderBar(board).render().plain


def test_a_run_that_ends_takes_its_trials_along() -> None:
    board = Board()
    board.begin("one", Tally(planned=1), ("a",))
    board.take("one", [started("a")])
    assert board.take("one", [RunEnded("one", Tally(planned=1), cancelled=True)]).finished == ("a",)
    assert board.running == board.asked == {}


def test_outcomes_and_runs_hold_until_the_rows_tell_them() -> None:
    board = Board()
    board.begin("one", Tally(planned=1), ("a",))
    board.take("one", [started("a"), finished("a", Outcome.FAILED)])
    assert (board.outcomes, board.run_of("a")) == ({"a": Outcome.FAILED}, "one")
    board.settle()
    assert (board.outcomes, board.run_of("a")) == ({}, "")


def test_words_being_written_are_kept_until_the_message_is_final() -> None:
    board = Board()
    board.take("one", [started("a"), TextDelta("a", "so "), TextDelta("a", "far")])
    assert board.draft("a") == "so far"
    board.take("one", [TurnAdded("a", AssistantTurn(turn_index=1, parent="sub", content=()))])
    assert board.draft("a") == "so far"
    board.take("one", [TurnAdded("a", AssistantTurn(turn_index=2, content=()))])
    assert board.draft("a") == ""


def test_two_runs_that_ask_one_audit_at_once_are_not_mixed() -> None:
    board = Board()
    board.begin("human", Tally(planned=1), ("a",))
    board.take("human", [started("a"), TextDelta("a", "in the shed")])
    board.begin("watch", Tally(planned=1), ("a",))
    board.take("watch", [started("a"), TextDelta("a", "at the barn")])
    news = board.take("human", [TextDelta("a", ", I think"), finished("a", Outcome.FAILED)])
    assert (news.trace, news.finished, board.draft("a"), board.outcomes) == ({}, (), "at the barn", {})
    assert board.take("watch", [finished("a", Outcome.PASSED)]).finished == ("a",)
    assert (board.outcomes, board.run_of("a"), board.tally.finished) == ({"a": Outcome.PASSED}, "watch", 2)
