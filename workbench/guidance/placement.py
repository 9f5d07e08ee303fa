"""Where an audit's answer stands, layer by layer, and how that compares with the level the audit expects.

Levels are kinds and no scale, so it is never levels that are compared but layers, which are distances: each level has
the layers in which an answer of that kind stands, and what is found nearer or farther is called nearer or deeper.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.guidance.finder import Finder, matches_text
from workbench.guidance.ground import Ground
from workbench.guidance.nearness import Nearness
from workbench.guidance.pages import Hit, Key, Page, key_of, quoted, stems_of
from workbench.guidance.records import LAYERS, FileLayer, Place, Placement, Wanted, WantedPlaces
from workbench.guidance.verdict import Standing, told
from workbench.text.sanitize import clean_line

MOST = 20
"""Places of one thing that are told."""
_NEAREST = 3
_STAGED = "staged by the audit"
_UNSAID = re.compile(r"\(\?<?![^)]*\)|\\.|\[[^\]]*\]|\{[^}]*\}|[^\w\s]")
"""What in a pattern is no word that is to be said."""


class _At(NamedTuple):
    """A line of a file, in the order of nearness."""

    distance: int
    rank: int
    path: str
    line: int
    file: FileLayer
    page: Page
    hit: Hit
    via: str


@dataclass(slots=True)
class Asked:
    """What is known of an audit without looking into a box."""

    audit_id: str
    file: str
    expected_level: str
    wanted: tuple[Wanted, ...]
    prompt: str
    in_prompt: dict[Key, bool] = field(default_factory=dict)

    def says(self, one: Wanted) -> bool:
        """Whether the question holds a wanted thing."""
        key = key_of(one)
        if key not in self.in_prompt:
            held = matches_text(one.text, self.prompt) if one.pattern else one.text.lower() in self.prompt.lower()
            self.in_prompt[key] = held
        return self.in_prompt[key]


def place(asked: Asked, ground: Ground, finder: Finder, nearness: Nearness) -> Placement:
    """Where the answer of an audit stands; what is wanted must have been searched for on the pages of the ground."""
    wanted = tuple(_wanted(one, asked, ground, finder, nearness) for one in asked.wanted)
    choices: defaultdict[int, list[WantedPlaces]] = defaultdict(list)
    for one in wanted:
        choices[one.wanted.choice].append(one)
    nearest = [_nearest(alternatives) for alternatives in choices.values()]
    missing = [alternatives for alternatives in choices.values() if not _settled(alternatives)]
    decides = None
    if nearest and not missing:
        decides = max((one for one in nearest if one), key=lambda one: LAYERS.index(one.layer))
    in_prompt = bool(choices) and all(any(one.in_prompt for one in alternatives) for alternatives in choices.values())
    partly = bool(ground.unsearched)
    standing = Standing(asked.expected_level, len(choices), missing, decides, in_prompt=in_prompt, partly=partly)
    taught, words = told(standing)
    return Placement(
        audit_id=asked.audit_id,
        file=asked.file,
        expected_level=asked.expected_level,
        wanted=wanted,
        layer=decides.layer if decides else "absent",
        place=decides,
        taught=taught,
        in_prompt=in_prompt,
        told=words,
    )


def _nearest(alternatives: Sequence[WantedPlaces]) -> Place | None:
    """Of some alternatives the place that stands nearest."""
    firsts = [one.places[0] for one in alternatives if one.places]
    return min(firsts, key=lambda one: LAYERS.index(one.layer), default=None)


def _settled(alternatives: Sequence[WantedPlaces]) -> bool:
    """Whether it is known where the nearest stands: what was not searched may hold a nearer one."""
    nearest = _nearest(alternatives)
    return nearest is not None and (nearest.layer == LAYERS[0] or not any(one.unsearched for one in alternatives))


def _wanted(one: Wanted, asked: Asked, ground: Ground, finder: Finder, nearness: Nearness) -> WantedPlaces:
    at = sorted(_standing(ground, finder.found(one), key_of(one)), key=lambda found: found[:4])
    near = () if at else _near(one, ground, finder, nearness)
    return WantedPlaces(
        wanted=one,
        places=tuple(_place(found, ground) for found in at[:MOST]),
        count=len(at),
        near=near,
        in_prompt=asked.says(one),
        unsearched=finder.refused(one.text, ground.pages.values()) if one.pattern else "",
    )


def _standing(ground: Ground, pages: Mapping[str, Page], key: Key) -> list[_At]:
    """Every line of the ground's files on which something was found."""
    found = []
    for text, page in pages.items():
        for rank, file in ground.files.get(text, ()):
            for hit in page.found[key]:
                layer, via = ground.layer_of(file, page, hit.line)
                found.append(_At(LAYERS.index(layer), rank, file.path, hit.line, file, page, hit, via))
    return found


def _near(one: Wanted, ground: Ground, finder: Finder, nearness: Nearness) -> tuple[Place, ...]:
    """What comes close: the same words set otherwise, else passages that share enough of them."""
    at = _standing(ground, finder.near(one), (one.text, "near"))
    set_otherwise = [found for found in at if ground.is_guidance(found.file)]
    if set_otherwise:
        return tuple(_place(found, ground) for found in sorted(set_otherwise, key=lambda found: found[:4])[:_NEAREST])
    words = _UNSAID.sub(" ", one.text) if one.pattern else one.text
    places = []
    for close in nearness.rank(stems_of(words), ground.guidance.keys(), _NEAREST):
        passage = close.page.passages[close.passage]
        rank, file = next(one for one in ground.files[close.page.text] if ground.is_guidance(one[1]))
        layer, via = ground.layer_of(file, close.page, passage.line)
        hit = Hit(passage.line, near="about the same")
        places.append(_place(_At(LAYERS.index(layer), rank, file.path, hit.line, file, close.page, hit, via), ground))
    return tuple(places)


def _place(at: _At, ground: Ground) -> Place:
    via = at.via
    if at.path in ground.staged:
        via = f"{_STAGED}; {via}" if via else _STAGED
    key = (at.path, at.distance, via, at.hit)
    if key not in at.page.places:
        at.page.places[key] = _told(at, via)
    return at.page.places[key]


def _told(at: _At, via: str) -> Place:
    line = at.page.lines[at.line - 1] if at.line <= len(at.page.lines) else ""
    quote, start, end = quoted(line, at.hit.start, at.hit.end)
    return Place(
        path=at.path,
        line=at.line,
        layer=LAYERS[at.distance],
        via=via,
        quote=quote if len(quote) > 1 else clean_line(line, 160),
        start=start,
        end=end,
        near=at.hit.near,
    )
