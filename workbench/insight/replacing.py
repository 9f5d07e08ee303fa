"""How the places of an answer differ between two maps."""

from collections.abc import Iterator

from workbench.guidance.records import LAYERS, Place, Placement
from workbench.insight.impact import Reason


def replaced(before: Placement, after: Placement) -> Iterator[Reason]:
    """What an answer gained, lost or moved; one reason for each thing that is wanted, its alternatives together.

    That a line has another number, or that a farther copy came or went, is no difference.
    """
    old, new = _nearest(before), _nearest(after)
    for choice in old.keys() & new.keys():
        (text, was), (_, now) = old[choice], new[choice]
        if was is None and now is not None:
            found, here = new[choice][0], f"{now.path}:{now.line}"
            yield Reason("gained", now.path, now.line, f'"{found}" stands in {here} now')
        elif was is not None and now is None:
            yield Reason("lost", was.path, was.line, f'"{text}" no longer stands in {was.path}:{was.line}')
        elif was is not None and now is not None and (was.path, was.layer) != (now.path, now.layer):
            yield Reason("moved", now.path, now.line, _moved(new[choice][0], was, now))


def _moved(text: str, was: Place, now: Place) -> str:
    if was.path == now.path:
        return f'{now.path}:{now.line} with "{text}" is {now.layer} now, was {was.layer}'
    layers = f", {now.layer} instead of {was.layer}" if was.layer != now.layer else ""
    return f'"{text}" stands in {now.path}:{now.line} now, was in {was.path}:{was.line}{layers}'


def _nearest(placement: Placement) -> dict[tuple[str, int], tuple[str, Place | None]]:
    """Of each choice the alternative that stands nearest and its place; the first, and None, where none stands."""
    found: dict[tuple[str, int], tuple[str, Place | None]] = {}
    for one in placement.wanted:
        if one.unsearched:
            continue
        key = (one.wanted.check, one.wanted.choice)
        place = next(iter(one.places), None)
        known = found.setdefault(key, (one.wanted.text, place))[1]
        if place and (known is None or LAYERS.index(place.layer) < LAYERS.index(known.layer)):
            found[key] = (one.wanted.text, place)
    return found
