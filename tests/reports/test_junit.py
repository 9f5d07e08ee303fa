"""The JUnit XML follows the checks, keeps to the common schema's shape, and parses whatever the texts hold."""

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reports.test_markdown import HOSTILE, entry
from workbench.checks.records import Outcome, Verdict
from workbench.reports.junit import render
from workbench.reports.markdown import ReportEntry, ReportInput
from workbench.runs.records import BoxRecord, Manifest, Trial
from workbench.traces.reasons import Reason

CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "property": [],
    "testcase": ["skipped", "failure", "system-out"],
    "skipped": [],
    "failure": [],
    "system-out": [],
}
"""Element → the children the schema lets it have here, in order."""
REQUIRED = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
    "testcase": {"name", "classname", "time"},
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "skipped": {"message"},
}


def parsed(entries: tuple[ReportEntry, ...], *missing: str) -> ElementTree.Element:
    manifest = Manifest(
        run_id="2026-11-29-reader",
        started_at="2026-11-29T20:00:00.123Z",
        workbench_version="0.1.0",
        engine="reader",
        engine_version="2",
        model="bm25",
        boxes={"audits/a.yaml": BoxRecord(name="..", path="/a/orchard", commit="0123456789", dirty=True)},
        trials=(*(one.trial for one in entries), *(Trial(audit_id=one, file="audits/a.yaml") for one in missing)),
    )
    root = ElementTree.fromstring(render(ReportInput(manifest, entries)).encode("utf-8"))
    for element in root.iter():
        order = [CHILDREN[element.tag].index(child.tag) for child in element]
        assert order == sorted(order)
        required = REQUIRED.get(element.tag, set())
        assert required <= set(element.attrib) <= required | {"package"}
    return root


def judged(name: str, outcome: Outcome, reason: Reason | None = None) -> ReportEntry:
    one = entry(name, "x", outcome)
    verdict = Verdict(outcome=outcome, reason=reason, detail="10 of 10 messages" if reason else "")
    return ReportEntry(
        one.audit, one.trial.model_copy(update={"section": name}), one.finished.model_copy(update={"verdict": verdict})
    )


def test_a_suite_a_section_and_a_case_a_trial() -> None:
    root = parsed(
        (
            judged("p", Outcome.PASSED),
            judged("f", Outcome.FAILED),
            judged("u", Outcome.UNMEASURED, Reason.TURN_LIMIT),
            judged("j", Outcome.UNJUDGED),
        ),
        "never-finished",
    )
    assert [root.get(name) for name in ("tests", "failures", "errors")] == ["5", "1", "0"]
    assert [suite.get("skipped") for suite in root] == ["0", "0", "1", "1", "1"]
    assert [suite.get("name") for suite in root] == ["p", "f", "u", "j", "(no section)"]
    assert root[0].find("testcase/failure") is None
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == 'did not say "x"'
    assert [skipped.get("message") for skipped in root.iter("skipped")] == [
        "unmeasured(turn_limit): 10 of 10 messages",
        "unjudged: it has no checks",
        "planned, not finished",
    ]
    properties = {one.get("name"): one.get("value") for one in root[0].iter("property")}
    assert properties["engine"] == "reader 2"
    assert properties["model"] == "bm25"
    assert properties["box commit"] == "0123456789 with uncommitted edits"
    assert root[0].get("timestamp") == "2026-11-29T20:00:00"


def test_hostile_text_stays_text() -> None:
    texts = (*HOSTILE, "]]><failure/>", "\x00\x0b\x1b\ud800\ufffe\uffff", '"><x a="')
    root = parsed(tuple(entry(f"a{n}", text, Outcome.FAILED) for n, text in enumerate(texts)))
    assert len(list(root.iter("failure"))) == len(texts)


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_any_text_makes_a_document(text: str) -> None:
    parsed((entry("a", text, Outcome.FAILED),))
