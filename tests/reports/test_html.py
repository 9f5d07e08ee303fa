"""The HTML report as a parser sees it: whatever the texts hold, its elements and attributes are the template's own."""

from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reports.test_markdown import HOSTILE, entry
from workbench.checks.records import Outcome
from workbench.grading.records import Assessment
from workbench.reports.html import render
from workbench.reports.markdown import ReportEntry, ReportInput
from workbench.runs.records import Manifest

MORE = (
    '" onmouseover="alert(1)" style="position:fixed',
    "'><img src=x onerror=alert(1)>",
    "</pre></style><style>*{display:none}</style><svg/onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "&lt;script&gt;",
)


class Page(HTMLParser):
    """Every element with its attributes, every declaration, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[tuple[str, tuple[tuple[str, str | None], ...]]] = Counter()
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count it."""
        self.elements[tag, tuple(sorted(attrs, key=str))] += 1

    def handle_data(self, data: str) -> None:
        """Keep it."""
        self.words.append(data)

    @property
    def text(self) -> str:
        """All text of the page, its style sheet included."""
        return "".join(self.words)


def page(*entries: ReportEntry, told: str = "reader") -> str:
    manifest = Manifest(
        run_id="2026-11-29-reader",
        started_at="2026-11-29T20:00:00Z",
        workbench_version="0.1.0",
        engine=told,
        model=told,
        trials=tuple(one.trial for one in entries),
    )
    return render(ReportInput(manifest, entries))


def human(text: str) -> Assessment:
    return Assessment(trial="a", grader=f"Ada {text}", at="t", level="discoverable", verdict="fail", note=f"n {text}")


def test_everything_about_a_trial_is_there() -> None:
    shown = Page(page(entry("a", "Where is it?", Outcome.FAILED, [human("")])))
    for told in ("Where is it?", "0/1 pass", "knows_about", "contains", "↳ ", "command"):
        assert told in shown.text
    for told in ("Ada", "discoverable", "fail", "n ", "Transcript, 4 blocks", "18k → 19k"):
        assert told in shown.text
    assert shown.elements["details", ()] == 2  # the transcript, and the context baselines


def test_it_fetches_and_runs_nothing() -> None:
    shown = Page(page(entry("a", "x")))
    names = {tag for tag, _ in shown.elements}
    attributes = {name for _, attrs in shown.elements for name, _ in attrs}
    assert not names & {"script", "link", "img", "iframe", "svg", "object", "form", "base"}
    assert not attributes & {"src", "style", "srcset", "action"}
    assert all(str(value).startswith("#t") for _, attrs in shown.elements for name, value in attrs if name == "href")
    assert "url(" not in shown.text
    assert "@import" not in shown.text


def test_hostile_text_adds_no_element_and_no_attribute() -> None:
    tame = Page(page(entry("a", "tame", humans=[human("tame")]), told="tame"))
    for text in filter(str.strip, (*HOSTILE, *MORE)):
        wild = page(entry("a", text, humans=[human(text)]), told=text)
        assert set(Page(wild).elements) <= set(tame.elements)
        assert not {char for char in wild if char < " " and char not in "\t\n"}
        assert "\x9b" not in wild


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(), min_size=1).filter(lambda text: text.strip() and text.isprintable()))
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    one = entry("a", text)
    shown = Page(page(one))
    assert text in shown.text
    assert set(shown.elements) <= set(Page(page(entry("a", "tame"))).elements)


def test_what_was_not_kept_or_not_finished_is_said() -> None:
    kept, lost = entry("a", "x"), replace(entry("b", "y"), trace=None, audit=None)
    manifest = Manifest(
        run_id="r", started_at="", workbench_version="0", engine="reader", trials=(kept.trial, lost.trial)
    )
    assert "no trace was kept" in Page(render(ReportInput(manifest, (lost,)))).text
    assert "1 of 2 planned; partial" in Page(render(ReportInput(manifest, (lost,)))).text
