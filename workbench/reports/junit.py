"""The JUnit XML of a run: a suite a section, a case a trial. It follows the checks, as exit codes do."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from workbench.checks.records import Outcome
from workbench.insight.phrases import failure
from workbench.reports.markdown import ReportEntry, ReportInput
from workbench.reports.remarks import run_cost
from workbench.runs.plan import DEV
from workbench.runs.records import Trial
from workbench.text.sanitize import clean, clean_line

_ILLEGAL = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLANNED = "planned, not finished"


def render(report: ReportInput) -> str:
    """Return the document; failed trials are failures, unmeasured, unjudged and unfinished ones are skipped."""
    finished = {entry.trial.key: entry for entry in report.entries}
    sections: dict[tuple[str, str], list[Trial]] = {}
    for trial in report.manifest.trials:
        sections.setdefault((trial.file, trial.section), []).append(trial)
    root = Element("testsuites", name="workbench")
    totals = [_suite(root, report, place, [(t, finished.get(t.key)) for t in ts]) for place, ts in sections.items()]
    for position, name in enumerate(("tests", "failures")):  # the schema knows no skipped ones here
        root.set(name, str(sum(total[position] for total in totals)))
    root.set("errors", "0")
    root.set("time", _seconds(entry.finished.duration_ms for entry in report.entries))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(
    root: Element, report: ReportInput, place: tuple[str, str], trials: list[tuple[Trial, ReportEntry | None]]
) -> tuple[int, int]:
    """One section; returns how many trials it has and how many failed."""
    file, section = place
    suite = SubElement(root, "testsuite", name=_line(section) or "(no section)", package=_line(file))
    _properties(suite, report, file)
    failed = skipped = 0
    for trial, entry in trials:
        case = SubElement(suite, "testcase", name=_line(trial.key), classname=_line(f"{file}: {section}"))
        outcome = _case(case, entry)
        failed += outcome is Outcome.FAILED
        skipped += outcome is not Outcome.FAILED and outcome is not Outcome.PASSED
    for name, number in (("tests", len(trials)), ("failures", failed), ("errors", 0), ("skipped", skipped)):
        suite.set(name, str(number))
    suite.set("time", _seconds(entry.finished.duration_ms for _, entry in trials if entry))
    suite.set("timestamp", report.manifest.started_at[:19])
    suite.set("hostname", "localhost")
    return len(trials), failed


def _properties(suite: Element, report: ReportInput, file: str) -> None:
    manifest = report.manifest
    box = manifest.boxes.get(file) or manifest.boxes.get(f"{file}{DEV}")
    told = {
        "run": manifest.run_id,
        "engine": " ".join(filter(None, (manifest.engine, manifest.engine_version))),
        "model": manifest.model,
        "box": box.name if box else "",
        "box commit": box.commit + (" with uncommitted edits" if box.dirty else "") if box and box.commit else "",
        "box revision": box.revision if box else "",
        "hidden": ", ".join(manifest.hide),
        "cost": run_cost(manifest, (*(entry.finished for entry in report.entries), *report.paid)),
        "workbench": manifest.workbench_version,
    }
    properties = SubElement(suite, "properties")
    for name, value in told.items():
        if value:
            SubElement(properties, "property", name=name, value=_line(value))


def _case(case: Element, entry: ReportEntry | None) -> Outcome | None:
    if entry is None:
        case.set("time", "0.000")
        SubElement(case, "skipped", message=_PLANNED)
        return None
    verdict = entry.finished.verdict
    case.set("time", _seconds([entry.finished.duration_ms]))
    if verdict.outcome is Outcome.FAILED:
        failures = [failure(check) for check in entry.finished.checks if check.outcome is Outcome.FAILED]
        told = SubElement(case, "failure", message=_line("; ".join(failures) or str(verdict)), type="checks")
        told.text = _text("\n".join(failures))
    elif verdict.outcome is Outcome.UNMEASURED:
        SubElement(case, "skipped", message=_line(": ".join(filter(None, (str(verdict), verdict.detail)))))
    elif verdict.outcome is Outcome.UNJUDGED:
        SubElement(case, "skipped", message="unjudged: it has no checks")
    said = [f"{one.grader} says {one.verdict}" for one in entry.assessments if one.verdict]
    reply = entry.trace.reply if entry.trace else "(no trace was kept)"
    SubElement(case, "system-out").text = _text("\n".join([*said, reply]))
    return verdict.outcome


def _seconds(milliseconds: Iterable[int]) -> str:
    return f"{sum(milliseconds) / 1000:.3f}"


def _text(text: str) -> str:
    """Foreign text as XML may hold it."""
    return _ILLEGAL.sub("\ufffd", clean(text))


def _line(text: str) -> str:
    return _text(clean_line(text, 1000))
