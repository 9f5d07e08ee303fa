"""Invented comparisons: two runs in which everything happened, a working tree that can be asked, nothing in common."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from workbench.checks.records import CheckResult, Outcome, Verdict
from workbench.corpus.records import Audit
from workbench.desk.comparing.choosing import Revision
from workbench.desk.comparing.live import LiveSides
from workbench.desk.comparing.records import Compared, CompareRequest, Named, Prepared, SidePlan, Told
from workbench.desk.forecast import Offer
from workbench.desk.records import AskRequest, DeskError, NothingMatches
from workbench.engines.protocol import Ending, Readiness
from workbench.insight.comparison import compare
from workbench.insight.context import ContextUse
from workbench.insight.sides import Side, Tried
from workbench.insight.standing import Asked
from workbench.insight.terms import differences
from workbench.runs.records import BoxRecord, Manifest, Trial, TrialFinished
from workbench.traces.reasons import Reason

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun

FILE = "audits/knowledge.yaml"
BEFORE, AFTER = "2026-11-27T16-40-12-reader", "2026-11-28T10-15-00-reader"
P, F, U, N = Outcome.PASSED, Outcome.FAILED, Outcome.UNMEASURED, Outcome.UNJUDGED
OLD = """\
Notes are kept in docs/old/, one file a note.

To list every note card, search that folder for files that end in `.card`; their titles stand in the first line.
"""
NEW = """\
Notes are kept beside what they tell of, one file a note.

To list every note card, search the whole box for `*.note.card`; their titles stand in the first line.
"""
DIFF = """\
diff --git a/AGENTS.md b/AGENTS.md
index 3f1c2ab..91d0c4e 100644
--- a/AGENTS.md
+++ b/AGENTS.md
@@ -3,4 +3,4 @@
 # The orchard

-Notes are kept in `docs/old/`; `docs/cards.md` describes their kinds.
+Notes are kept beside what they tell of; `docs/cards.md` describes their kinds.
"""


def tried(name: str, outcome: Outcome, *, reply: str, level: str = "", tokens: int = 18_200, check: str = "") -> Tried:
    """One trial."""
    checks = (CheckResult(kind="correct_contains", target=check, outcome=outcome),) if check else ()
    reason = Reason.TURN_LIMIT if outcome is U else None
    detail = "10 of 10 messages used" if reason else ""
    finished = TrialFinished(
        trial=name,
        at="2026-11-28T10:16:00Z",
        ending=Ending(cost_usd=0.0),
        verdict=Verdict(outcome=outcome, reason=reason, detail=detail),
        checks=checks,
    )
    asked = Asked(Trial(audit_id=name, file=FILE, section="Finding things"), finished)
    return Tried(asked, reply=reply, observed=level, open=bool(level), use=ContextUse(tokens, tokens + 900, 3, True))


def _tries(name: str, outcomes: Sequence[Outcome], reply: str, **more: Any) -> tuple[Tried, ...]:
    return tuple(tried(name, outcome, reply=reply, **more) for outcome in outcomes)


def sides() -> tuple[Side, Side]:
    """A and B with one audit or more of most kinds."""
    a = {
        "card-glob": _tries("card-glob", [P] * 6, OLD, check="*.note.card"),
        "inbox-place": _tries("inbox-place", [F, F, F, F, F, F], "I would look in docs/.", check="_content/inbox"),
        "note-names": _tries("note-names", [P] * 3, "Names are lower-case.", check="lower-case"),
        "archive-rule": _tries("archive-rule", [P], "After a year.", level="knows_directly", check="a year"),
        "pruning-season": _tries("pruning-season", [F], "In winter.", check="late winter"),
        "spray-interval": _tries("spray-interval", [P], "Every ten days.", check="ten days"),
        "grafting-tools": _tries("grafting-tools", [P], "A grafting knife.", check="knife"),
        "describe-rules": _tries("describe-rules", [N], "There are three."),
        "ladder-check": _tries("ladder-check", [P], "Each spring.", check="spring"),
        "shed-key": _tries("shed-key", [F], "Behind the door.", check="under the pot"),
    }
    b = {
        "card-glob": _tries("card-glob", [F] * 6, NEW, tokens=18_900, check="*.note.card"),
        "inbox-place": _tries("inbox-place", [P] * 6, "In _content/inbox.", check="_content/inbox"),
        "note-names": _tries("note-names", [P, F, P], "Names may hold capitals.", check="lower-case"),
        "archive-rule": _tries("archive-rule", [P], "After a year, by docs/old.", level="discoverable", check="a year"),
        "pruning-season": _tries("pruning-season", [P], "In winter.", check="winter"),
        "grafting-tools": _tries("grafting-tools", [U], ""),
        "describe-rules": _tries("describe-rules", [N], "There are three of them."),
        "ladder-check": _tries("ladder-check", [P], "Each spring.", check="spring"),
        "shed-key": _tries("shed-key", [F], "Behind the door.", check="under the pot"),
    }
    pruning = Audit(id="pruning-season", prompt="When are trees pruned?", file=FILE)
    asked = [pruning.model_copy(update={"checks": {"correct_contains": [text]}}) for text in ("late winter", "winter")]
    return Side(a, {"pruning-season": asked[0]}), Side(b, {"pruning-season": asked[1]})


def manifest(run_id: str, commit: str, **more: Any) -> Manifest:
    """A run's conditions."""
    box = BoxRecord(name="orchard", path="/orchard", commit=commit * 5)
    started = f"{run_id[:10]}T{run_id[11:19].replace('-', ':')}.000Z"
    told = {"workbench_version": "0.1.0", "engine": "reader", "engine_version": "0.1.0", "boxes": {FILE: box}}
    return Manifest.model_validate({"run_id": run_id, "started_at": started, **told, **more})


class OrchardComparing:
    """The desk's hand, without a disk; the working tree has to be asked, and is when it is let."""

    def __init__(self) -> None:
        self.pair = (BEFORE, AFTER)
        self.asked: list[CompareRequest] = []
        """Every comparison that was prepared."""
        self.free = True
        self.held = threading.Event()
        """Cleared by a test that makes reading the sides take its time."""
        self.held.set()

    def suggested(self, run_id: str = "") -> tuple[str, str]:
        """The last two runs."""
        return self.pair

    def revisions(self, terms: Sequence[str] = ()) -> tuple[Revision, ...]:
        """Three commits."""
        return (
            Revision("91d0c4e2", "2026-11-28", "Keep notes beside what they tell of"),
            Revision("3f1c2ab9", "2026-11-20", "Describe the kinds of cards"),
            Revision("0a44e1d7", "2026-10-02", "Start the orchard"),
        )

    def prepare(self, request: CompareRequest) -> Prepared:
        """Two runs are stored; anything else is asked."""
        self.asked.append(request)
        self.held.wait()
        if request.terms == ("nobody",):
            raise NothingMatches("no audit matches 'nobody'")
        if request.a == request.b:
            raise DeskError(f"A and B are the same ({request.a}); name two runs, or two states of the boxes")
        plans = [self._plan(name, request) for name in (request.a, request.b)]
        trials = sum(len(plan.request.audit_ids) * plan.request.trials for plan in plans if plan.request)
        ready = Readiness(engine="reader", version="0.1.0")
        offer = Offer("reader" if self.free else "claude", "", trials, self.free, ready, usd=0.42, seen=3)
        return Prepared(plans[0], plans[1], frozenset(sides()[0].tries), offer if trials else None)

    def _plan(self, name: str, request: CompareRequest) -> SidePlan:
        if name in (BEFORE, AFTER):
            return SidePlan(Named("run", name), name, {name: frozenset({"card-glob"})})
        asks = AskRequest(("card-glob", "inbox-place"), trials=request.trials or 1)
        if name == "worktree":
            return SidePlan(Named("worktree", name), "working tree (91d0c4e25, edited)", {}, asks.trials, asks)
        return SidePlan(Named("revision", name), f"{name} (3f1c2ab93)", {}, asks.trials, asks)

    def ask(self, prepared: Prepared, start: "Callable[[AskRequest], LiveRun]") -> LiveSides:
        """One run that waits to be played."""
        request = next(side.request for side in prepared.sides if side.request)
        return LiveSides({"b": start(replace(request, trials=1))})

    def compared(self, prepared: Prepared, live: LiveSides | None = None) -> Compared:
        """Everything happened."""
        runs = (
            manifest(BEFORE, "3f1c2ab93", hide=("docs/old/**",)),
            manifest(AFTER, "91d0c4e25", engine_version="0.2.0", hide=("docs/old/**",)),
        )
        told = [Told(side.named, side.told, (run,), ()) for side, run in zip(prepared.sides, runs, strict=True)]
        a, b = sides()
        note = f"`workbench regrade` judges both sides by the checks as they are: {BEFORE}, {AFTER}"
        return Compared(told[0], told[1], differences(runs[:1], runs[1:]), compare(a, b), (note,))

    def guidance_diff(self, compared: Compared) -> str:
        """One line changed."""
        return DIFF


def comparing(desk: object) -> OrchardComparing:
    """The orchard's own hand."""
    return cast("OrchardComparing", cast("Any", desk).comparing)
