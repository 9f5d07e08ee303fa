"""What counted tokens cost by list prices, for engines that count tokens but no money.

The prices are those that came with `genai-prices`: nothing is looked up over the network, so the same counts cost the
same wherever they are priced.
"""

from functools import cache

from workbench.traces.records import TokenLedger


def price(model: str, ledger: TokenLedger, searches: int = 0) -> float | None:
    """US dollars for one message, its web searches included.

    None for a model without a list price, and for tokens nobody counted.
    """
    if ledger.estimated or ledger == TokenLedger() or not known(model):
        return None
    from genai_prices import Usage, calc_price

    try:
        usage = Usage(
            input_tokens=ledger.context,  # of which the cached ones, at prices of their own
            cache_read_tokens=ledger.cache_read,
            cache_write_tokens=ledger.cache_creation,
            output_tokens=ledger.output,
            web_searches=searches,
        )
        return float(calc_price(usage, model).total_price)
    except (LookupError, ValueError):  # counts that cannot be, such as negative ones
        return None


@cache
def known(model: str) -> bool:
    """Whether there is a list price for this model."""
    if not model:
        return False
    from genai_prices.data_snapshot import get_snapshot

    try:
        get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return False
    return True
