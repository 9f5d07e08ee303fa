"""Words of a question: which carry its meaning, and how they are asked for in a full-text query."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[^\W_]+(?:[_./:@'’-]+[^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP = _set(
    """
    a about above after again all also am an and any are aren as at be because been before being below between both
    brief briefly but by can cannot could couldn currently detail details did didn do does doesn doing don done down
    during each either else ever every everything exactly explain few for from further get gets give given go goes
    going gone got had has have having he her here hers him his how however i if in into is isn it its itself just let
    like ll longer lot may maybe me might mine more most much must my name need needs no nor not now of off ok on once
    one only onto or other our ours out over own per please quick quickly rather re really same say says shall she
    should shouldn show so some someone something such sure take tell than that the their theirs them then there
    these they thing things think this those through time to today too under until up upon us very was wasn way ways
    we well were what whatever when where whether which while who whom whose why will with within without won word
    words would wouldn yes yet you your yours answer question describe mention list called exist exists happen
    happens known knows know mean means e.g i.e etc
    """
)
"""Words that ask rather than say what is asked about."""

WEAK = _set(
    """
    actually add allowed ask asked box check code correct create current default different documentation documented
    docs file files find folder directory folders directories first follow handle has help information keep kept kind
    live lives located location look looking make made new people place placed possible project put repo repository
    right rule rules run set sit sits someone start stand stands store stored supposed type types use used user users
    using want work works working write written agent agents codebase
    """
)
"""Words so common in guidance and in questions that missing one says little."""


@dataclass(frozen=True, slots=True)
class Word:
    """One content word, or an identifier such as `should_read` taken as a phrase."""

    text: str
    weight: float
    """How much it matters that a passage holds it, before rarity is known."""

    @property
    def fts(self) -> str:
        """The word as a quoted FTS5 string: only letters and digits get in, so it cannot become syntax."""
        return '"' + " ".join(_PART.findall(self.text)) + '"'

    @property
    def stem(self) -> str:
        """A crude common beginning of its inflections, for searches that know no stemming."""
        return stem(self.text)


def stem(word: str) -> str:
    """Cut a common English ending off, leaving at least four letters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def content_words(text: str, limit: int = 24) -> tuple[Word, ...]:
    """The words that carry a text's meaning, lower case, in order, each once, at most `limit`."""
    found: dict[str, Word] = {}
    for match in _TOKEN.finditer(text):
        token = _bare(match[0].lower())
        if token and token not in found and len(found) < limit:
            found[token] = Word(token, 0.4 if token in WEAK else 1.0)
    return tuple(found.values())


def _bare(token: str) -> str:
    """A token without a possessive or a negation's tail; empty when it says nothing."""
    token = re.split(r"['’]", token)[0].strip("_./:@-")
    if token in STOP or (len(token) < 2 and not token.isdigit()):
        return ""
    return token
