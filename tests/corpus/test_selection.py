"""One language picks audits, and says so when it is not understood."""

import pytest

from workbench.corpus.records import Audit
from workbench.corpus.selection import Facts, SelectionError, parse

AUDITS = (
    Audit(id="find-memo", prompt="", expected_level="knows_directly", tags=("nav", "slow"), file="a/inbox.yaml"),
    Audit(id="memo", prompt="", expected_level="discoverable", tags=("find",), section="Don't Drop", file="b.yaml"),
    Audit(id="Card", prompt="", expected_level="improvised", surface="dev", section="Cards (docs/card.md)"),
)
FACTS = {
    "find-memo": Facts(outcome="failed", asked=True, age_days=40.0),
    "memo": Facts(outcome="failed", asked=True, graded=True, human_verdict="pass", age_days=2.0),
    "Card": Facts(),
}


@pytest.mark.parametrize(
    ("terms", "picked"),
    [
        ("", "find-memo memo Card"),
        ("memo", "find-memo memo"),
        ("find", "find-memo memo"),
        ("nav", "find-memo"),
        ("na", ""),
        ("card", ""),
        ("nav Card", "find-memo Card"),
        ("memo -slow", "memo"),
        ("-memo", "Card"),
        ("tag:nav tag:find", "find-memo memo"),
        ("tag:find memo", "memo"),
        ("tag:mem", ""),
        ("level:1", "find-memo"),
        ("level:discoverable level:7", "memo Card"),
        ("level:Knows-Directly", "find-memo"),
        ('section:"don\'t d"', "memo"),
        ("section:docs/CARD", "Card"),
        ("-section:card", "find-memo memo"),
        ("file:Inbox", "find-memo"),
        ("surface:dev", "Card"),
        ("is:failed", "find-memo"),
        ("is:passed", "memo"),
        ("is:failed is:never", "find-memo Card"),
        ("is:passed is:ungraded", ""),
        ("is:ungraded", "find-memo"),
        ("-is:never", "find-memo memo"),
        ("age:>30d", "find-memo"),
        ("age:<=48h", "memo"),
        ("age:>1d age:<1w", "memo"),
        ("-age:>5w", "memo Card"),
        (["section:Don't Drop", "memo"], "memo"),
        ([" ", "Card"], "Card"),
    ],
)
def test_what_is_picked(terms: str | list[str], picked: str) -> None:
    selection = parse(terms)
    assert [audit.id for audit in AUDITS if selection.matches(audit, FACTS[audit.id])] == picked.split()


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ("tags:nav", ["`tags:nav`", "`tag`", "tag:, level:, section:, file:, surface:, is:, age:"]),
        ("-lvl:2", ["`-lvl:2`", "known are"]),
        ("is:fail", ["`failed`", "unmeasured", "ungraded"]),
        ("level:10", ["1–9", "knows_it_does_not_know"]),
        ("level:knows_abuot", ["`knows_about`"]),
        ("surface:web", ["box, dev"]),
        ("age:30d", ["age:>30d"]),
        ("age:>30", ["h, d or w"]),
        ("section:", ["a part of its title"]),
        ("--tag:x", ["no term"]),
        ("-", ["no term"]),
        ("section:Don't", ["quote is not closed"]),
    ],
)
def test_what_is_not_understood(terms: str, told: list[str]) -> None:
    with pytest.raises(SelectionError) as raised:
        parse(terms)
    assert all(part in str(raised.value) for part in told)
    assert "\n" not in str(raised.value)
