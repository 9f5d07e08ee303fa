"""How an answer's place compares with what its audit expects, in plain words."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.corpus.records import LEVELS
from workbench.guidance.records import LAYERS, Place, Taught, WantedPlaces
from workbench.text.sanitize import clean_line
from workbench.traces.records import Layer

_EXPECTED: dict[str, tuple[Layer, ...]] = {
    "knows_directly": ("always",),
    "knows_about": ("conditional", "referenced"),
    "discoverable": ("present",),
    "deducible": ("outside",),
    # What such an answer says is the admission, which guidance may teach, or not.
    "knows_it_does_not_know": LAYERS,
}
"""Where an answer of each level stands; of the levels that are not here, nowhere."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of an answer when its place is judged."""

    expected_level: str
    choices: int
    """Things that have to be said, alternatives counted once."""
    missing: Sequence[Sequence[WantedPlaces]]
    """Those of them, with their alternatives, that stand nowhere, or nobody knows where."""
    place: Place | None
    """What decides how near the whole answer stands."""
    in_prompt: bool = False
    partly: bool = False
    """Whether something of the box could not be searched."""


def expected_layers(level: str) -> tuple[Layer, ...]:
    """The layers in which an answer of a level stands."""
    return _EXPECTED.get(level, ("absent",))


def told(standing: Standing) -> tuple[Taught, str]:
    """The comparison, and one line that says it."""
    taught, words = _compared(standing)
    return taught, f"{words}; also in the prompt" if standing.in_prompt else words


def _compared(standing: Standing) -> tuple[Taught, str]:
    if not standing.choices:
        return "unplaced", "its checks name nothing to look for"
    if why := next((one.unsearched for choice in standing.missing for one in choice if one.unsearched), ""):
        return "unplaced", f"cannot tell where it stands: {why}"
    if standing.place is None:
        return _nowhere(standing)
    where = _where(standing.place)
    if standing.expected_level not in LEVELS:
        return "unplaced", f"stands in {where}"
    expected = expected_layers(standing.expected_level)
    distances = [LAYERS.index(layer) for layer in expected]
    distance = LAYERS.index(standing.place.layer)
    if distance in distances:
        return "as_expected", f"taught where expected: {where}"
    if distance < min(distances):
        return "nearer", f"taught nearer than expected: {where}"
    if standing.place.layer == "outside":
        return "deeper", f"outside the guidance, deducible at best: {where}"
    return "deeper", f"taught deeper than expected: {where}"


def _nowhere(standing: Standing) -> tuple[Taught, str]:
    if standing.expected_level in LEVELS and "absent" in expected_layers(standing.expected_level):
        return "as_expected", f"{_nowhere_in(standing)}, as expected"
    what = _nowhere_in(standing)
    if len(standing.missing) < standing.choices:
        names = ", ".join(f"`{clean_line(choice[0].wanted.text, 40)}`" for choice in standing.missing[:2])
        more = ", …" if len(standing.missing) > 2 else ""
        what = f"{names}{more} {_nowhere_in(standing)} ({len(standing.missing)} of {standing.choices})"
    nearest = next((one.near[0] for choice in standing.missing for one in choice if one.near), None)
    close = f"; {nearest.near}: {nearest.path}:{nearest.line}" if nearest else ""
    return "nowhere", f"{what}: researchable at best{close}"


def _nowhere_in(standing: Standing) -> str:
    return "stands nowhere that was searched" if standing.partly else "stands nowhere"


def _where(place: Place) -> str:
    return f"{place.path}:{place.line}, {place.via}" if place.via else f"{place.path}:{place.line}"
