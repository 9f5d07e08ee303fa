"""An answer key of the past is known by what it holds, however its YAML was written."""

from pathlib import Path

import pytest

from tests.boxes.conftest import commit, write
from workbench.boxes.revisions import resolve, take_at

TODAY = "tests:\n  - id: apple-row\n    prompt: Where?\n    correct_contains: [three]\n"
FORMS = {
    "a flow of entries": 'tests: [{id: apple-row, correct_contains: ["three"]}]\n',
    "entries in flow": "tests:\n  - {prompt: Where?, id: apple-row, correct_contains: [three]}\n",
    "JSON": '{"tests": [{"prompt": "Where?", "id":"apple-row"}]}\n',
    "a byte order mark": f"\ufeff{TODAY}",
    "indented": "  tests:\n    - id: 'apple-row'\n",
    "on the marker's line": "--- {tests: [{id: apple-row}]}\n",
    "tagged and anchored": "tests: &all !!seq\n  - id: &one !!str apple-row\n",
    "spelt out": "? tests\n:\n  - ? id\n    : apple-row\n",
}


@pytest.mark.parametrize("old", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("swapped", [False, True], ids=["then", "today"])
def test_a_corpus_of_the_past_stays_out_in_every_form_of_yaml(
    box: Path, tmp_path: Path, old: str, swapped: bool
) -> None:
    then, now = (TODAY, old) if swapped else (old, TODAY)
    kept = "tests:\n  - {id: pear-row, prompt: another's}\n"
    past = commit(box, "Ask", {"old/asked.yml": then, "ci.yaml": kept, "note.yaml": "of: apple-row\n"})
    secret = tmp_path / "corpus.yaml"
    write(tmp_path, {secret.name: now})
    taken = take_at(box, resolve(box, past), tmp_path / "blobs", secrets=[secret])
    assert {"ci.yaml", "note.yaml"} <= set(taken.paths)
    assert "old/asked.yml" not in taken.paths
