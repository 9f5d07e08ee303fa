"""The process maps are drawn in: it stays, so that what an edit left as it was is not looked at again.

Started as `python -P -m workbench.guidance.mapper_process` with `/` as its folder; ends when its stdin closes, and
with its parent.
"""

import sys

from workbench.boxes.disposal import passing_folder
from workbench.boxes.location import BoxError
from workbench.boxes.revisions import take_at
from workbench.boxes.snapshot import Terms, take
from workbench.corpus.records import Audit
from workbench.guidance.ground import Viewpoint
from workbench.guidance.mapper_wire import BoxAsked, Corpora, Mapped, MapRequest, Refused, requests
from workbench.guidance.mapping import Mapper
from workbench.guidance.records import BoxMap, KnowledgeMap
from workbench.host import serving
from workbench.host.git import GitError


def main() -> None:
    """Serve requests until stdin ends; whatever it started is gone when this returns."""
    voice, room = serving.begin(), _Room()
    for line in sys.stdin.buffer:
        request = requests().validate_json(line)
        if isinstance(request, Corpora):
            room.learn(request)
        else:
            voice.say(room.draw(request).model_dump_json().encode())
    serving.end()


class _Room:
    """The mapper, and the audits it may be asked for."""

    def __init__(self) -> None:
        self._mapper = Mapper()
        self._audits: dict[tuple[str, str], Audit] = {}

    def learn(self, corpora: Corpora) -> None:
        """Take in the audits; nobody waits for an answer."""
        self._audits = {(audit.file, audit.id): audit for audit in corpora.audits}

    def draw(self, request: MapRequest) -> Mapped | Refused:
        """The map, or why there is none."""
        try:
            known = KnowledgeMap(boxes=tuple(self._map(asked) for asked in request.boxes))
            self._mapper.tidy()
            return Mapped(map=known)
        except (BoxError, GitError, OSError, ValueError) as error:
            return Refused(detail=str(error))
        except Exception as error:
            return Refused(detail=serving.unforeseen(error))

    def _map(self, asked: BoxAsked) -> BoxMap:
        audits, otherwise = ([self._audits[key] for key in keys] for keys in (asked.audits, asked.otherwise))
        view = Viewpoint(asked.rules, asked.cwd, asked.extra)
        terms = Terms(include_ignored=asked.include_ignored, deny=asked.deny, answer_key=asked.answer_key)
        if not asked.commit:
            return self._mapper.map(asked.name, take(asked.box, **terms), view, audits, otherwise)
        # The files of a commit lie somewhere for as long as they are read.
        with passing_folder() as folder:
            taken = take_at(asked.box, asked.commit, folder, secrets=asked.secrets, **terms)
            return self._mapper.map(asked.name, taken, view, audits, otherwise)


if __name__ == "__main__":
    main()
