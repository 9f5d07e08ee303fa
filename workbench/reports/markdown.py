"""The Markdown report of a run: Bee Box's shape with verdicts, counts, causes, durations and whole responses added."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from workbench.checks.records import GLYPHS, CheckResult, Outcome
from workbench.corpus.records import Audit
from workbench.grading.records import Assessment
from workbench.insight.context import measure
from workbench.insight.flaky import flaky
from workbench.insight.phrases import label
from workbench.insight.standing import Asked, causes, count
from workbench.reports import assessment, context, quoting
from workbench.reports.remarks import remarks, run_cost, trial_cost
from workbench.runs.records import BoxRecord, Manifest, Trial, TrialFinished
from workbench.text.amounts import many
from workbench.traces.acts import Act, classify
from workbench.traces.records import Trace

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """One finished trial of a report."""

    audit: Audit | None
    """None when the corpus no longer holds it."""
    trial: Trial
    finished: TrialFinished
    trace: Trace | None = None
    assessments: tuple[Assessment, ...] = ()
    """The latest of each grader, oldest save first."""

    @property
    def asked(self) -> Asked:
        """The trial as it is counted."""
        return Asked(self.trial, self.finished, self.assessments)


@dataclass(frozen=True, slots=True)
class ReportInput:
    """A run as a report tells it."""

    manifest: Manifest
    entries: tuple[ReportEntry, ...]
    baselines: Mapping[str, int] = field(default_factory=dict)
    """Trial key → tokens its context started with when the same engine and model were asked before, where they were."""
    drifted: Mapping[str, tuple[BoxRecord, BoxRecord]] = field(default_factory=dict)
    """Corpus → first and last state of its box, where the box had changed before the run was taken up again."""
    paid: tuple[TrialFinished, ...] = ()
    """Earlier endings of trials that were asked again: only what they cost is told."""

    @property
    def limits(self) -> tuple[str, ...]:
        """What limits every measurement alike, told once; nothing where there is only one."""
        notes = [entry.trace.meta.notes for entry in self.entries if entry.trace]
        return tuple(note for note in notes[0] if all(note in others for others in notes)) if len(notes) > 1 else ()


def render(report: ReportInput) -> str:
    """Return the whole report; every text that came from outside is sanitized and cannot become structure."""
    entries = [tell(entry, report.baselines, report.limits) for entry in report.entries]
    return _template("report.md.j2").render(summary(report) | {"entries": entries})


def render_head(report: ReportInput) -> str:
    """Return what stands before the trials."""
    return _template("head.md.j2").render(summary(report))


def render_entry(entry: ReportEntry) -> str:
    """Return what the report says of one trial."""
    return _template("entry.md.j2").render(entry=tell(entry, {}))


def summary(report: ReportInput) -> dict[str, Any]:
    """What is said of a run as a whole, for a template; foreign text is as it came."""
    asked = [entry.asked for entry in report.entries]
    return {
        "br": "  ",
        "manifest": report.manifest,
        "boxes": ", ".join(dict.fromkeys(map(_box, report.manifest.boxes.values()))) or "(none)",
        "drifted": "; ".join(
            f"{_box(first)} when it began, {_box(last)} when it was resumed" for first, last in report.drifted.values()
        ),
        "engine": _engine(report.manifest),
        "finished": len(report.entries),
        "missing": len({trial.key for trial in report.manifest.trials} - {one.trial.key for one in report.entries}),
        "standing": count(asked),
        "named": _named(asked),
        "causes": ", ".join(f"{cause} {n}" for cause, n in causes(asked)),
        "cost": run_cost(report.manifest, (*(entry.finished for entry in report.entries), *report.paid)),
        "remarks": [*remarks(report.manifest), *(f"Limit of these measurements: {limit}" for limit in report.limits)],
        "duration": sum(entry.finished.duration_ms for entry in report.entries),
        "baselines": _baselines(report),
    }


def _engine(manifest: Manifest) -> str:
    told = (manifest.engine, manifest.engine_version, "(sessions asked elsewhere)" if manifest.imported else "")
    return " ".join(filter(None, told))


@cache
def _template(name: str) -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("workbench.reports"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters.update(
        inline=quoting.inline,
        code=quoting.code,
        quote=_response,
        codes=_codes,
        field=_field,
        seconds=seconds,
        many=many,
    )
    return environment.get_template(name)


def _box(box: BoxRecord) -> str:
    """A box as it was named, and the state it was asked in: `.. (orchard at 1a2b3c4, with uncommitted edits)`."""
    state = f"{PurePath(box.path).name} at {box.commit[:7]}" if box.commit else PurePath(box.path).name
    asked_at = f"which {box.revision} meant" if box.revision and not box.commit.startswith(box.revision) else ""
    told = ", ".join(filter(None, (state, asked_at, "with uncommitted edits" if box.dirty else "")))
    return f"{box.name} ({told})" if told else box.name


def tell(entry: ReportEntry, before: Mapping[str, int], limits: Sequence[str] = ()) -> dict[str, Any]:
    """What is said of one trial, for a template; foreign text is as it came. `limits` are told of all already."""
    audit, finished, trace = entry.audit, entry.finished, entry.trace
    acts = classify(trace) if trace else ()
    use = measure(trace)
    asked_prompt = trace.meta.prompt if trace else audit.full_prompt if audit else "(no longer in the corpus)"
    return {
        "trial": entry.trial.key,
        "prompt": asked_prompt,
        "expected_level": audit.expected_level if audit and audit.expected_level else "(none)",
        "watch_for": audit.watch_for if audit and audit.watch_for.strip() else "(nothing given)",
        "notes": audit.notes.strip() if audit else "",
        "glyph": GLYPHS[finished.verdict.outcome],
        "verdict": _verdict(entry.asked),
        "conditional": _unique(file.path for file in trace.guidance if file.layer == "conditional") if trace else [],
        "reads": _unique(act.path for act in acts if act.kind == "read" and act.ok and act.path != "-"),
        "searches": _unique(_search(act) for act in acts if act.kind in ("search", "web")),
        "commands": _unique(act.command for act in acts if act.kind == "command"),
        "changes": [f"{change.path} ({change.kind})" for change in trace.changes] if trace else [],
        "words": len(trace.reply.split()) if trace else 0,
        "context": context.told(use) if use else "",
        "delta": context.delta(use.initial, before[entry.trial.key]) if use and entry.trial.key in before else "",
        "duration": finished.duration_ms,
        "turns": finished.turns,
        "cost": trial_cost(finished, trace),
        "limits": [note for note in trace.meta.notes if note not in limits] if trace else [],
        "dev": audit is not None and audit.surface == "dev",
        "response": trace.reply if trace else None,
        "checks": [_check(result) for result in finished.checks],
        "assessments": assessment.blocks(entry.trial.key, entry.assessments),
    }


def _verdict(asked: Asked) -> str:
    """The checks' verdict with its reason; then every verdict a human gave, with who gave it."""
    verdict = asked.finished.verdict
    detail = verdict.detail or asked.finished.ending.detail
    told = f"{GLYPHS[verdict.outcome]} {verdict}" + (f": {detail}" if detail else "")
    humans = [f"{one.grader} says {one.verdict}" for one in asked.assessments if one.verdict]
    return "; ".join([told, *humans])


def _check(result: CheckResult) -> dict[str, str]:
    reason = f"{result.outcome} ({result.reason})" if result.reason else ""
    return {
        "glyph": GLYPHS[result.outcome],
        "outcome": result.outcome.value,
        "label": label(result.kind),
        "target": result.target,
        "detail": ", ".join(filter(None, (reason, result.detail))),
        "hint": result.hint,
    }


def _named(asked: list[Asked]) -> list[tuple[str, list[str]]]:
    """What a reader looks for first: trials that failed, audits that came out both ways, trials without a verdict."""
    groups = (("Failed", Outcome.FAILED), ("Unmeasured", Outcome.UNMEASURED), ("Unjudged", Outcome.UNJUDGED))
    named = [(title, [one.trial.key for one in asked if one.outcome is outcome]) for title, outcome in groups]
    named.insert(1, ("Flaky", list(flaky(asked))))
    return [(title, keys) for title, keys in named if keys]


def _baselines(report: ReportInput) -> list[dict[str, str]]:
    measured = ((entry.trial.key, measure(entry.trace)) for entry in report.entries)
    rows = context.baselines((key, use) for key, use in measured if use)
    return [
        {
            "trial": key,
            "initial": context.thousands(use.initial) + (" est." if use.estimated else ""),
            "delta": context.delta(use.initial, report.baselines.get(key)),
        }
        for key, use in rows
    ]


def _search(act: Act) -> str:
    return f"{act.tool}: {act.query or act.command or act.path}"


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _codes(texts: list[str], separator: str = ", ") -> str:
    return separator.join(map(quoting.code, texts)) if texts else "(none)"


def _field(text: str, name: str, quotes: bool = False) -> str:
    """A bold label and its text: on the same line when it is one line, else as a quote below."""
    body = text.strip()
    if "\n" in body or "\r" in body:
        return f"**{name}:**\n\n{quoting.quote(body)}"
    shown = quoting.inline(body)
    return f'**{name}:** "{shown}"' if quotes else f"**{name}:** {shown}"


def _response(text: str | None) -> str:
    if text is None:
        return "(no trace was kept)"
    return quoting.quote(text) if text.strip() else "(empty)"


def seconds(milliseconds: int) -> str:
    """A duration as it is read: `6.2 s`, `3 min 4 s`."""
    whole = milliseconds / 1000
    return f"{whole:.1f} s" if whole < 60 else f"{int(whole // 60)} min {int(whole % 60)} s"
