"""The one question before anything is paid for: who is asked, what it may come to, where it stops."""

from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from workbench.desk.forecast import Offer
from workbench.text.amounts import dollars, many
from workbench.tui.commands import Command, bindings
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import Line

_LABEL = 12
_NO_CAP = "none; max_cost in workbench.toml sets one"


class PayScreen(ConfirmScreen, inherit_bindings=False):
    """A question that comes up by itself: Enter, on its way to something else, must not pay for anything."""

    KEYS = (
        Command("y", "answer(True)", "yes", "Ask, and pay for it"),
        Command("n,escape", "answer(False)", "no", "Ask nothing that costs money"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)


def money_question(offer: Offer) -> ConfirmScreen:
    """Ask whether an offer is wanted."""
    question = f"Asking {offer.engine} costs money. Ask {many(offer.trials, 'trial')}? You are asked this once."
    detail = _detail(offer, offer.limit if offer.cap else _NO_CAP)
    return ConfirmScreen("This costs money", question, yes="ask", detail=detail)


def watch_question(offer: Offer) -> ConfirmScreen:
    """Ask whether a watch may ask, now and after every later edit; the offer is that of the edit at hand."""
    question = (
        f"Asking {offer.engine} costs money. Ask {many(offer.trials, 'trial')} now, and after every later edit what "
        "it touches? You are asked this once."
    )
    cap = f"{dollars(offer.cap)} for all the watch asks, but for what runs when that is spent"
    return PayScreen("Watching costs money", question, yes="ask", detail=_detail(offer, cap if offer.cap else _NO_CAP))


def _detail(offer: Offer, cap: str) -> list[Line]:
    ready = offer.ready
    told = (
        ("engine", f"{offer.engine} {ready.version}".rstrip()),
        ("model", offer.model or "its default"),
        ("credential", ready.credential),
        ("trials", str(offer.trials)),
        ("forecast", offer.forecast),
        ("cap", cap),
        *(("note", note) for note in ready.notes),
    )
    return [(Content.styled(f"{label:<{_LABEL}}", "$dim"), Content(shown(text))) for label, text in told if text]
