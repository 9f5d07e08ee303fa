"""Words of a question: which carry its meaning, and how they are asked for in a full-text query."""

import re
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+(?:[_./:@'’-]+[^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_LITERAL = re.compile(r"`[^`\n]+`|(?<!\S)(?:/|--?)[\w-]+")
"""What is named rather than said: code, `/commands`, `--options`."""
MOST = 24
"""Words of one question that are looked at."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP = _set(
    """
    a about above after again all also am an and answer any are aren as asks at be because been before being below
    between both brief briefly but by called can cannot could couldn currently describe detail details did didn do
    does doesn doing don done down during e.g each either else etc ever every everything exactly exist exists
    explain far few for from further get gets give given gives go goes going gone got had happen happens has have
    having he her here hers him his how however i i.e if in into is isn it its itself just know known knows let like
    list ll long longer lot many may maybe me mean means mention might mine more most much must my name need needs
    no nor not now of off often ok on once one only onto or other our ours out over own per please question quick
    quickly rather re really same say says shall she should shouldn show shown shows so some someone something soon
    such sure take tell tells than that the their theirs them then there these they thing things think this those
    through time to today told too under until up upon us very want wants was wasn way ways we well were what
    whatever when where whether which while who whom whose why will with within without won word words would wouldn
    yes yet you your yours
    """
)
"""Words that ask rather than say what is asked about."""

WEAK = _set(
    """
    actually add agent agents allowed apply ask asked box case check choose code codebase command commands
    convention conventions correct create current default difference different directories directory docs
    documentation documented example examples feature features file files find first folder folders follow format
    formats handle has help information inside item items kind look looking made make module modules new number
    option options order part parts people point possible process project purpose put reason repo repository right
    rule rules run set setting settings size someone start step steps style supposed type types unit units use used
    user users using value values version work working works write written
    """
)
"""Words so common in guidance and in questions that missing one says little."""

_BEING_SOMEWHERE = _set(
    "keep keeps kept live lives located location place placed put sit sits stand stands store stored"
)
"""Words that say nothing beside `where`, and something beside `how` or `who`."""

_SHORT = {
    "config": ("configuration", "configure"),
    "deps": ("dependencies", "dependency"),
    "dev": ("development", "developer"),
    "dir": ("directory", "directories"),
    "docs": ("documentation", "doc"),
    "env": ("environment",),
    "repo": ("repository",),
}
"""Words people cut short as often as not; either form finds the other."""
_SAME = {form: (short, *longs) for short, longs in _SHORT.items() for form in (short, *longs)}


@dataclass(frozen=True, slots=True)
class Word:
    """One content word, or an identifier such as `should_read` taken as a phrase."""

    text: str
    weight: float
    """How much it matters that a passage holds it, before rarity is known."""

    @property
    def fts(self) -> str:
        """The word as quoted FTS5 strings: only letters and digits get in, so it cannot become syntax."""
        return _quoted(self._forms)

    @property
    def stems(self) -> tuple[str, ...]:
        """Crude common beginnings of its inflections, for searches that know no stemming."""
        return tuple(dict.fromkeys(stem(form) for form in self._forms))

    @property
    def _forms(self) -> tuple[str, ...]:
        return _SAME.get(self.text, (self.text,))


@lru_cache(maxsize=4096)
def _quoted(forms: tuple[str, ...]) -> str:
    return "(" + " OR ".join(f'"{" ".join(_PART.findall(form))}"' for form in forms) + ")"


def stem(word: str) -> str:
    """Cut a common English ending off, leaving at least four letters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def content_words(text: str) -> tuple[Word, ...]:
    """The words that carry a text's meaning, lower case, in order, each once, at most `MOST`; a name is never weak."""
    found: dict[str, Word] = {}
    literal = {at for span in _LITERAL.finditer(text) for at in range(*span.span())}
    weak = WEAK | _BEING_SOMEWHERE if re.search(r"\bwhere\b", text, re.IGNORECASE) else WEAK
    for match in _TOKEN.finditer(text):
        token = _bare(match[0].lower())
        if token and token not in found and len(found) < MOST:
            found[token] = Word(token, 0.4 if token in weak and match.start() not in literal else 1.0)
    return tuple(found.values())


def _bare(token: str) -> str:
    """A token without a possessive or a negation's tail; empty when it says nothing."""
    token = re.split(r"['’]", token)[0].strip("_./:@-")
    if token in STOP or (len(token) < 2 and not token.isdigit()):
        return ""
    return token
