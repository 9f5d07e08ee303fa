"""List prices: what a message costs, and when nobody can tell."""

import socket

import pytest

from tests.test_imports import loaded_after
from workbench.engines.prices import known, price
from workbench.traces.records import TokenLedger

MILLION = 1_000_000


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a price was looked up over the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_each_kind_of_token_has_its_own_price() -> None:
    model = "claude-opus-5-5"
    each = [
        price(model, ledger)
        for ledger in (
            TokenLedger(input=MILLION),
            TokenLedger(cache_read=MILLION),
            TokenLedger(cache_creation=MILLION),
            TokenLedger(output=MILLION),
        )
    ]
    assert each == [4.0, 0.2, 5.0, 20.0]
    together = TokenLedger(input=MILLION, cache_read=MILLION, cache_creation=MILLION, output=MILLION)
    assert price(model, together) == pytest.approx(29.2)
    assert price(model, together, searches=10) == pytest.approx(29.3)


def test_a_dated_name_costs_what_its_model_costs() -> None:
    ledger = TokenLedger(input=1000, output=10)
    dated = price("claude-sonnet-4-5-20250929", ledger)
    assert dated is not None
    assert dated == price("claude-sonnet-4-5", ledger)


@pytest.mark.parametrize(
    ("model", "ledger"),
    [
        ("mock-1", TokenLedger(input=10)),
        ("", TokenLedger(input=10)),
        ("claude-opus-5-5", TokenLedger(input=10, estimated=True)),
        ("claude-opus-5-5", TokenLedger()),
        ("claude-opus-5-5", TokenLedger(input=10, cache_read=-20)),
    ],
)
def test_what_nobody_can_tell_costs_nothing_made_up(model: str, ledger: TokenLedger) -> None:
    assert price(model, ledger) is None


def test_a_model_is_known_or_not() -> None:
    assert known("gpt-5.5")
    assert not known("reader")


def test_prices_load_when_something_is_priced() -> None:
    assert loaded_after("import workbench.engines.prices") == set()
