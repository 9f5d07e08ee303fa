"""`workbench selftest`, as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import workbench
from tests.projects import CORPUS, make_project

SAMPLES = """\
    correct_contains: ["Tuesday"]
    response_not_matches: ['\\bon monday']
    samples:
      right: ["On Tuesday."]
      wrong: ["On Monday, never on Tuesday.", "Tuesday or Monday"]
      negation: ["Not on Monday but on Tuesday"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    corpus = CORPUS.replace('    correct_contains: ["Tuesday"]\n', SAMPLES)
    return make_project(tmp_path / "shed", {"audits/knowledge.yaml": corpus})


def test_it_says_which_sample_came_out_otherwise_and_by_which_check(root: Path) -> None:
    done = workbench(root, "selftest")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "oil-day  audits/knowledge.yaml:19",
        "  ✓ right sample 1 passes",
        "  ✓ wrong sample 1 fails",
        "  ✗ wrong sample 2 is let through by correct_contains 'Tuesday', response_not_matches '\\bon monday'",
        "  ✗ negation sample 1 is failed by response_not_matches '\\bon monday'",
        "4 samples of 1 audit, 2 told wrongly",
    ]


def test_json_and_selections(root: Path) -> None:
    done = workbench(root, "selftest", "section:Tools", "--json")
    told = [(sample["kind"], sample["number"], sample["outcome"]) for sample in json.loads(done.stdout)]
    assert told == [("right", 1, "passed"), ("wrong", 1, "passed"), ("wrong", 2, "failed"), ("negation", 1, "failed")]
    blamed = json.loads(done.stdout)[3]["blamed"]
    assert blamed == [{"check": "response_not_matches", "target": "\\bon monday"}]
    assert workbench(root, "selftest", "ladder-place").returncode == 0
    assert workbench(root, "selftest", "no-such-audit").returncode == 2
