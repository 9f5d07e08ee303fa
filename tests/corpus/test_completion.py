"""What a half-typed selection can become is a selection."""

from workbench.corpus.completion import complete, completed
from workbench.corpus.records import Audit
from workbench.corpus.selection import KEYS, parse

AUDITS = (
    Audit(
        id="a",
        prompt="?",
        expected_level="knows_directly",
        file="audits/a.yaml",
        section="Finding things",
        tags=("nav", "new"),
    ),
    Audit(id="b", prompt="?", expected_level="knows_directly", file="audits/b.yaml", section="Rules"),
)


def test_keys_then_values_are_offered_for_the_last_word() -> None:
    assert complete("", AUDITS) == KEYS
    assert complete("tag:nav -s", AUDITS) == ("-section:", "-surface:")
    assert complete("tag:n", AUDITS) == ("tag:nav", "tag:new")
    assert complete("is:f", AUDITS) == ("is:failed",)
    assert complete("is:failed", AUDITS) == ()
    assert complete('section:"Finding t', AUDITS) == ('section:"Finding things"',)
    assert completed('tag:nav section:"Fin', 'section:"Finding things"') == 'tag:nav section:"Finding things"'


def test_every_offered_value_can_be_parsed() -> None:
    for key in KEYS:
        for word in complete(key, AUDITS):
            assert parse(word).terms
