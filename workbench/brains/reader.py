"""The reader: a brain that can only quote, and needs no model to do it.

It answers from what is in its context when some passage holds the question's words; otherwise it follows a
document its guidance names, opens a skill that fits, or searches; otherwise it says that it does not know.
"""

import posixpath
from collections.abc import Sequence

from workbench.brains import pointers, quoting, searching
from workbench.brains.conversation import Conversation, follow
from workbench.brains.evidence import Evidence, Match
from workbench.brains.hands import Deed, Hands
from workbench.brains.protocol import Proposal, Say, ToolSchema, unheard
from workbench.brains.requests import Request, spelled_out, to_open
from workbench.guidance.references import named_paths
from workbench.text.passages import Passage, split
from workbench.traces.records import TextBlock, ToolCall, Turn

ANSWERS = 0.62
"""Share of a question a passage must cover to be its answer."""
CLOSE = 0.5
"""Share that will do when nothing is left to try."""
NAMED = 0.4
"""Share of a question for a document that a passage points to be the document asked for."""
WORTH_READING = 0.3
"""Share at which a document or skill that the guidance names is worth opening."""
WORTH_OPENING = 0.45
"""Share at which a file that a search found is worth opening."""
LONG_SKILL = 400
"""Characters above which a skill's description holds a single word of a question by chance."""
READS = 6
"""Files and skills the reader opens before it gives up."""


class Reader:
    """A pure function of what was said: the same messages give the same next message."""

    name = "reader"
    model = ""

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Say = unheard
    ) -> Proposal:
        """The next message: a single tool call, or the answer in text."""
        hands = Hands(tools)
        talk = follow(system, messages, hands)
        step = _Mind(talk, hands).next()
        if isinstance(step, ToolCall):
            return Proposal((step.model_copy(update={"id": f"call_{talk.calls + 1}"}),))
        return Proposal((TextBlock(text=step),))


class _Mind:
    """One decision."""

    def __init__(self, talk: Conversation, hands: Hands) -> None:
        self.talk, self.hands = talk, hands
        groups = [tuple(talk.loaded), *((source,) for source in talk.opened)]
        self.evidence = Evidence(talk.question, groups)
        self.wants_document = pointers.asks_for_document(talk.question)
        self.known = {path for path, _ in (*talk.loaded, *talk.opened)}
        self.matches = sorted(self.evidence.matches(), key=self._rank)

    def next(self) -> ToolCall | str:
        """What to do or to say."""
        requested = self._requested() or self._open(to_open(self.talk.question))
        if requested:
            return requested
        if self._answers(ANSWERS) and not self._better_elsewhere():
            return self._answer()
        for way in (self._open_named, self._follow, self._ask_index, self._search, self._open_hit):
            call = way()
            if call:
                return call
        # Nothing is left to try: a pointer that led nowhere may still be the best answer there is. Files that only a
        # search found must answer well, since words meet by chance in some file of any big folder.
        found = {hit.path for hit in self.talk.hits} - {path for path, _ in self.talk.loaded}
        self.matches = [match for match in self.evidence.matches() if match.passage.path not in found]
        return self._answer() if self._answers(CLOSE) else quoting.DO_NOT_KNOW

    def _answers(self, enough: float) -> bool:
        best = self.matches[0] if self.matches else None
        if best and self.wants_document and self._rank(best) == 0:
            return True
        return best is not None and best.coverage >= enough and best.strong >= self.evidence.needed

    def _answer(self) -> str:
        first = self._rank(self.matches[0])
        alike = [match for match in self.matches if self._rank(match) == first]
        return quoting.answer(alike, dict([*self.talk.loaded, *self.talk.opened]))

    def _sends_on(self, passage: Passage) -> bool:
        """Whether a passage only says where the answer is; never when that is what was asked."""
        if self.wants_document or not pointers.sends_on(passage):
            return False
        return self.evidence.coverage(pointers.said_beside(passage))[0] < ANSWERS

    def _rank(self, match: Match) -> int:
        """0 for what comes first whatever it covers, 2 for what comes last.

        A pointer gives way to its document once that is in context; where a document is asked for, pointers lead.
        """
        if self.wants_document:
            return 0 if match.coverage >= NAMED and pointers.documents(match.passage) else 1
        spent = self._sends_on(match.passage) and not self.known.isdisjoint(pointers.documents(match.passage))
        return 2 if spent else 1

    def _better_elsewhere(self) -> bool:
        passage = self.matches[0].passage
        return self._sends_on(passage) and self._unread(passage) is not None

    def _unread(self, passage: Passage) -> ToolCall | None:
        """A call that reads the document a passage points to, unless one was opened or all were tried."""
        left = [path for path in pointers.documents(passage) if path not in self.talk.tried | self.known]
        return self._open([self._likeliest(left)]) if left else None

    def _likeliest(self, paths: list[str]) -> str:
        """Of several documents one passage names, the one whose name holds most of the question."""
        if len(paths) == 1:
            return paths[0]
        shares = [self.evidence.coverage(posixpath.splitext(path)[0])[0] for path in paths]
        return paths[shares.index(max(shares))]

    def _open(self, paths: Sequence[str]) -> ToolCall | None:
        """Open the first of some files that was not tried yet."""
        left = [path for path in map(posixpath.normpath, paths) if path not in self.talk.tried | self.known]
        return self.hands.read(self.talk.from_cwd(left[0])) if left and self._has_patience() else None

    def _has_patience(self) -> bool:
        """Whether the reader may open one more file or skill; with its searches it stays below ten messages."""
        return len(self.talk.tried) + sum(deed.kind == "skill" for deed in self.talk.done) < READS

    def _open_named(self) -> ToolCall | None:
        """Open a file that the question itself names."""
        return self._open([path for path in named_paths(self.talk.question) if posixpath.splitext(path)[1]])

    def _follow(self) -> ToolCall | None:
        """Open the document or skill whose mention covers the question best."""
        call, best = None, WORTH_READING
        for match in self.matches:
            if match.coverage > best and match.strong and (found := self._unread(match.passage)):
                call, best = found, match.coverage
                break
        for skill in self.talk.skills:
            told = f"{skill.name} {skill.description}"
            coverage, strong = self.evidence.coverage(told)
            enough = strong >= (self.evidence.needed if len(told) > LONG_SKILL else 1)
            if coverage > best and enough and (found := self._skill(skill.name, skill.path)):
                call, best = found, coverage
        return call

    def _skill(self, name: str, path: str) -> ToolCall | None:
        """Open a skill by its tool, or by reading its file; None when that was done."""
        if Deed("skill", name) in self.talk.done or not self._has_patience():
            return None
        return self.hands.skill(name) or (self._open([path]) if path else None)

    def _ask_index(self) -> ToolCall | None:
        """Open an index that the guidance names for everything it does not say."""
        for path, text in (*self.talk.loaded, *self.talk.opened):
            for passage in split(path, text):
                if pointers.is_general(passage) and (call := self._unread(passage)):
                    return call
        return None

    def _search(self) -> ToolCall | None:
        """Search for the rarest words; where that showed too much to be whole, once more for the rarest one."""
        done = self.talk.searches
        if len(done) > (1 if len(self.talk.hits) >= searching.FLOOD else 0):
            return None
        wanted = searching.pattern(self.evidence, 1 if done else searching.WORDS)
        if not wanted or wanted in done:
            return None
        return self.hands.search(wanted, self.talk.from_cwd(""), by_command=self.talk.blind)

    def _open_hit(self) -> ToolCall | None:
        for path, near in searching.best_files(self.talk.hits, self.evidence, self.talk.tried | self.known):
            if near >= WORTH_OPENING:
                return self._open([path])
        return None

    def _requested(self) -> ToolCall | str | None:
        """The next deed the prompt spells out, or word that all are done; None when it spells out none we can do."""
        told = []
        for request in spelled_out(self.talk.question):
            deed = Deed(request.kind, request.target)
            if deed in self.talk.done:
                told.append(_report(request, self.talk.done[deed]))
                continue
            call = (
                self.hands.command(request.target)
                if request.kind == "command"
                else self.hands.write(request.target, request.content)
            )
            if call is None:
                return None
            return call
        return "\n\n".join(told) if told else None


def _report(request: Request, result: str) -> str:
    if request.kind == "write":
        return f"I wrote `{request.target}`: {result}"
    return f"I ran `{request.target}`. It gave:\n\n{result[:1500]}"
