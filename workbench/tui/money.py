"""The one question before anything is paid for: who is asked, what it may come to, where it stops."""

from textual.content import Content

from workbench.desk.forecast import Offer
from workbench.text.amounts import many
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.transcript.words import shown

_LABEL = 12


def money_question(offer: Offer) -> ConfirmScreen:
    """Ask whether an offer is wanted."""
    ready = offer.ready
    told = (
        ("engine", f"{offer.engine} {ready.version}".rstrip()),
        ("model", offer.model or "its default"),
        ("credential", ready.credential),
        ("trials", str(offer.trials)),
        ("forecast", offer.forecast),
        ("cap", offer.limit if offer.cap else "none; max_cost in workbench.toml sets one"),
        *(("note", note) for note in ready.notes),
    )
    detail = [(Content.styled(f"{label:<{_LABEL}}", "$dim"), Content(shown(text))) for label, text in told if text]
    question = f"Asking {offer.engine} costs money. Ask {many(offer.trials, 'trial')}? You are asked this once."
    return ConfirmScreen("This costs money", question, yes="ask", detail=detail)
