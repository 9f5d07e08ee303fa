"""Claiming an audit's check keys: everything wrong is told at its place, nothing is silently left out."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from tests.traces.making import make
from workbench.checks import registry
from workbench.checks.case import Case, passed
from workbench.checks.definition import DEFINITIONS, check
from workbench.checks.records import CheckResult, Outcome
from workbench.checks.registry import bind, evaluate
from workbench.checks.values import texts
from workbench.corpus.records import Audit, Position
from workbench.traces.reasons import Reason


def audit(surface: str = "box", **checks: Any) -> Audit:
    positions = {"": Position(line=3, column=5)}
    positions |= {key: Position(line=10 + n, column=5) for n, key in enumerate(checks)}
    return Audit.model_validate(
        {"id": "eggs", "prompt": "?", "surface": surface, "checks": checks, "file": "k.yaml", "positions": positions}
    )


@pytest.mark.parametrize(
    ("key", "value", "code", "told"),
    [
        ("correct_contain", ["x"], "unknown-key", "did you mean `correct_contains`?"),
        ("watchfor", "x", "unknown-key", "did you mean `watch_for`?"),
        ("flavour", "x", "unknown-key", "known are: "),
        ("correct_contains", "x", "wrong-type", "put it in brackets"),
        ("correct_contains", None, "wrong-type", "must be a list"),
        ("correct_contains", ["x", 7], "wrong-type", "item 2 must be text, not 7"),
        ("correct_contains", {"a": 1}, "wrong-type", "must be a list"),
        ("should_read_any", [], "empty", "at least one"),
        ("correct_matches", [""], "bad-pattern", "item 1 is an empty pattern"),
        ("correct_matches", ["a", "(?i)b"], "bad-pattern", "item 2, `(?i)b`"),
        ("response_not_matches", ["(a"], "bad-pattern", "no JavaScript pattern"),
        ("should_search", "everywhere", "bad-value", "web, box, any"),
        ("should_search", ["web"], "bad-value", "web, box, any"),
        ("final_reply", "yes", "wrong-type", "true or false"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(key: str, value: Any, code: str, told: str) -> None:
    asked = audit(correct_contains_any=["hen"], **{key: value})
    bound = bind(asked)
    (problem,) = bound.problems
    assert (problem.code, problem.file, problem.audit_id) == (code, "k.yaml", "eggs")
    assert problem.position == asked.positions[key]
    assert problem.severity == ("warning" if code == "unknown-key" else "error")
    assert f"`{key}`" in problem.message
    assert told in str(problem)
    assert [check.kind for check in bound.checks] == ["correct_contains_any"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cards_contain", ["x"]),
        ("cards_not_under", ["x"]),
        ("bash_contains", ["x"]),
        ("should_search", "any"),
        ("read_before_edit", ["x"]),
    ],
)
def test_a_session_that_only_reads_refuses_what_it_cannot_do(key: str, value: Any) -> None:
    (problem,) = bind(audit("dev", **{key: value})).problems
    assert (problem.severity, problem.code) == ("error", "dev-only")
    assert bind(audit("box", **{key: value})).problems == ()


def test_every_key_of_bee_box_is_claimed_in_the_order_of_the_file() -> None:
    checks: dict[str, Any] = {
        "should_not_read": [],
        "correct_contains": ["x"],
        "correct_contains_any": ["x"],
        "correct_matches": ["x"],
        "response_not_contains": ["x"],
        "response_not_matches": ["x"],
        "cards_contain": ["x"],
        "cards_not_under": ["x/"],
        "should_read": ["x"],
        "should_read_any": ["x"],
        "read_before_edit": ["x"],
        "bash_contains": ["x"],
        "should_search": "web",
    }
    bound = bind(audit(**checks, final_reply=True))
    assert bound.problems == ()
    assert [check.kind for check in bound.checks] == list(checks)
    assert bound.final_reply


def test_a_check_that_is_written_wrongly_leaves_no_green_verdict() -> None:
    results = evaluate(audit(correct_contains=["barn"], correct_matches=["(?i)barn"]), make("In the barn."))
    assert [(r.kind, r.outcome, r.reason) for r in results] == [
        ("correct_contains", Outcome.PASSED, None),
        ("correct_matches", Outcome.UNMEASURED, Reason.MISSING),
    ]


@pytest.fixture
def _fresh() -> Iterator[None]:
    """A registry that looks for plug-ins anew, and forgets them afterwards."""
    registry.definitions.cache_clear()
    yield
    DEFINITIONS.pop("hens_contain", None)
    registry._broken.clear()
    registry.definitions.cache_clear()


@pytest.mark.usefixtures("_fresh")
def test_other_packages_add_checks_and_broken_ones_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def hens(_case: Case, wanted: tuple[str, ...]) -> Iterator[CheckResult]:
        if "fox" in wanted:
            raise RuntimeError("fox in the coop")
        yield passed("hens_contain", "hen")

    def load(point: EntryPoint) -> object:
        if point.name == "broken":
            raise ImportError("no feathers")
        return check("hens_contain", texts)(hens)

    points = [EntryPoint(name, "somewhere", "workbench.checks") for name in ("hens", "broken")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", load)
    trace = make("x")
    assert evaluate(audit(hens_contain=["hen"]), trace)[0].outcome is Outcome.PASSED
    assert "no feathers" in bind(audit(ducks_contain=["x"])).problems[0].fix
    (crashed, fine) = evaluate(audit(hens_contain=["fox"], correct_contains=["x"]), trace)
    assert (crashed.reason, fine.outcome) == (Reason.CRASHED, Outcome.PASSED)
    assert "fox in the coop" in crashed.detail
