"""What asking would come to, as every command says it, and the refusal where nobody is there to say yes to it."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.desk.forecast import Offer


def forecast_document(offer: "Offer") -> dict[str, Any]:
    """An offer as `--json` shows it; a cost nobody can tell, and a cap there is not, are null."""
    told = {"engine": offer.engine, "model": offer.model, "trials": offer.trials}
    return {**told, "usd": offer.usd, "seen": offer.seen, "maxCost": offer.cap or None}


def refuse_unnamed(offer: "Offer", *, named: bool, as_json: bool) -> None:
    """DeskError where asking costs money and nobody named the engine, or could be asked for a yes."""
    from workbench.desk.records import DeskError

    if not (offer.free or named) and (as_json or not sys.stdin.isatty()):
        raise DeskError(f"asking {offer.engine} costs money ({offer.forecast}); say so with --engine {offer.engine}")
