"""Context is what the main session's messages were counted at, each message once."""

from workbench.insight.context import ContextUse, measure
from workbench.traces.records import AssistantTurn, Meta, TextBlock, TokenLedger, ToolCall, Trace

LEDGERS = (
    ("", TokenLedger(input=10, cache_creation=17_990, output=500)),
    ("agent-1", TokenLedger(input=90_000)),
    ("", TokenLedger()),
    ("", TokenLedger(input=300, cache_read=19_000, output=900)),
    ("", TokenLedger(input=5, cache_read=18_500)),
)


def trace(*ledgers: tuple[str, TokenLedger]) -> Trace:
    turns = tuple(
        AssistantTurn(
            turn_index=number,
            parent=parent,
            token_ledger=ledger,
            content=(TextBlock(text="two parts"), ToolCall(id=f"c{number}", name="Read")),
        )
        for number, (parent, ledger) in enumerate(ledgers)
    )
    return Trace(meta=Meta(engine="claude", workspace="/box", prompt="Where?"), turns=turns)


def test_sub_agents_output_and_uncounted_messages_are_left_out() -> None:
    use = measure(trace(*LEDGERS))
    assert use == ContextUse(initial=18_000, peak=19_300, turns=3, estimated=False)
    assert use.added == 1_300


def test_one_estimate_makes_an_estimate_of_it_all() -> None:
    use = measure(trace(*LEDGERS, ("", TokenLedger(input=1, estimated=True))))
    assert use is not None
    assert use.estimated


def test_what_nobody_counted_is_not_nothing() -> None:
    assert measure(trace(("", TokenLedger(output=7)))) is None
    assert measure(None) is None
