"""Invented runs: of two engines, one live, one that nobody counted, one whose traces are not read yet."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.checks.records import CheckResult, Outcome, Verdict
from workbench.corpus.records import Audit
from workbench.desk.archive import RunLine
from workbench.desk.contents import Totals
from workbench.desk.finding import Found, Hit, parse
from workbench.desk.records import RunSummary
from workbench.engines.protocol import Ending
from workbench.insight.trend import Lane, Point, lanes
from workbench.reports.markdown import ReportEntry, ReportInput, render_entry, render_head
from workbench.runs.records import BoxRecord, Manifest, Tally, Trial, TrialFinished
from workbench.traces.records import AssistantTurn, Meta, TextBlock, TokenLedger, Trace

LIVE = "2026-11-29T08-00-00-reader"
RUN = "2026-11-28T10-15-00-reader"


def _line(
    run_id: str, engine: str, model: str, tally: Tally, totals: Totals, *, live: bool = False, free: bool = True
) -> RunLine:
    started = f"{run_id[:10]}T{run_id[11:19].replace('-', ':')}.000Z"
    manifest = Manifest(
        run_id=run_id, started_at=started, workbench_version="0.1.0", engine=engine, model=model, selection="is:failed"
    )
    return RunLine(RunSummary(run_id, Path("reports") / run_id, manifest, tally, not live), totals, live, free)


def lines() -> tuple[RunLine, ...]:
    """Newest first."""
    model = "claude-sonnet-4-5"
    return (
        _line(LIVE, "reader", "", Tally(planned=8, passed=2, failed=1), Totals(), live=True),
        _line(
            RUN,
            "reader",
            "",
            Tally(planned=6, passed=2, failed=2, unmeasured=1, unjudged=1),
            Totals(6, 9200, 110_400, 1900, 0, estimated=True),
        ),
        _line(
            "2026-11-27T16-40-12-claude",
            "claude",
            model,
            Tally(planned=8, passed=6, failed=1, unmeasured=1, unpriced=8),
            Totals(8, 192_000, 1_412_000, 12_000, 2),
            free=False,
        ),
        _line(
            "2026-11-20T09-02-55-codex",
            "codex",
            "",
            Tally(planned=4, passed=4, unpriced=4),
            Totals(4, 81_000, 0, 0, 4),
            free=False,
        ),
        _line(
            "2026-11-18T21-30-00-reader", "reader", "", Tally(planned=8, passed=3, failed=2), Totals(1, 400, 9, 9, 0)
        ),
    )


def _hit(number: int, outcome: Outcome | None, shown: str, engine: str = "reader") -> Hit:
    name = ("card-glob", "inbox-place", "note-names")[number % 3]
    at = f"2026-11-{28 - number:02}T10:16:00.000Z"
    return Hit(RUN, name, name, engine, "", at, outcome, False, shown)


HITS = (
    _hit(0, Outcome.FAILED, "docs/cards.md"),
    _hit(1, Outcome.PASSED, "docs/cards.md · …kinds are described in docs/cards.md."),
    _hit(2, None, "docs/cards.md", "claude"),
)


class OrchardArchive:
    """Holds what the screens of stored runs ask for."""

    def __init__(self) -> None:
        self.told = lines()
        self.hits: tuple[Hit, ...] = HITS
        self.deleted: list[str] = []

    def lines(self) -> tuple[RunLine, ...]:
        """The runs that are left."""
        return self.told

    def refresh(self) -> Iterator[tuple[int, int]]:
        """Nothing is new."""
        yield len(self.told), len(self.told)

    def find(self, terms: Sequence[str] | str) -> Found:
        """`nothing` is nowhere; everything else is in all."""
        parse(terms)
        return Found((), 0) if "nothing" in terms else Found(self.hits, len(self.hits))

    def trend(self, audit_id: str) -> tuple[Lane, ...]:
        """Two engines."""
        outcomes = (Outcome.FAILED, Outcome.FAILED, Outcome.PASSED, None, Outcome.PASSED, Outcome.UNMEASURED)
        points = [
            Point(f"run-{day}", audit_id, f"2026-11-{day:02}", "reader", "", outcomes[day % 6], day == 9, size, True)
            for day, size in enumerate(
                (17_100, 17_100, 17_400, 18_800, 18_800, 18_000, 17_900, 19_200, 19_300, 18_600), 1
            )
        ]
        points.append(Point(RUN, audit_id, "2026-11-28", "reader", "", Outcome.FAILED, initial=17_900, estimated=True))
        model = "claude-sonnet-4-5"
        points += [Point(f"c-{d}", audit_id, f"2026-11-{d}", "claude", model, Outcome.PASSED) for d in (12, 20, 27)]
        return lanes(points)

    def graded(self, run_id: str) -> int:
        """Two trials of the finished reader run."""
        return 2 if run_id == RUN else 0

    def delete(self, run_id: str) -> None:
        """Gone."""
        self.deleted.append(run_id)
        self.told = tuple(line for line in self.told if line.summary.run_id != run_id)


def report_part(run_id: str, trial: str) -> str:
    """What a real report says of an invented trial."""
    asked = Trial(audit_id=trial or "card-glob", file="audits/knowledge.yaml")
    checks = (
        CheckResult(kind="correct_matches", target=r"\bcards?\b", outcome=Outcome.PASSED),
        CheckResult(
            kind="correct_contains",
            target="*.note.card",
            outcome=Outcome.FAILED,
            detail="it is not in the reply",
            hint="the answer stands in docs/cards.md:31",
        ),
    )
    finished = TrialFinished(
        trial=asked.key,
        at="2026-11-28T10:16:00Z",
        ending=Ending(),
        verdict=Verdict(outcome=Outcome.FAILED),
        checks=checks,
        duration_ms=6200,
        turns=3,
    )
    audit = Audit(
        id=asked.audit_id,
        prompt="If I wanted every note card there is, how would I search?",
        expected_level="knows_directly",
        watch_for="Names the glob and does not search [the old folder]",
    )
    said = (
        TextBlock(
            text="List them with `orchard ls --kind note`.\n\n[/bold] \x1b[31m**not bold**, long " + "line " * 40
        ),
    )
    ledger = TokenLedger(input=17_900, estimated=True)
    trace = Trace(
        meta=Meta(engine="reader", workspace="/ws", prompt=audit.prompt),
        turns=(AssistantTurn(turn_index=0, content=said, token_ledger=ledger),),
    )
    entry = ReportEntry(audit, asked, finished, trace)
    manifest = Manifest(
        run_id=run_id,
        started_at="2026-11-28T10:15:00Z",
        workbench_version="0.1.0",
        engine="reader",
        boxes={asked.file: BoxRecord(name="..", path="/a/orchard", commit="0123456789", dirty=True)},
        trials=(asked,),
    )
    return render_entry(entry) if trial else render_head(ReportInput(manifest, (entry,)))
