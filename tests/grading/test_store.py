"""Assessments are kept whole, whoever saves them at the same time and whatever is killed meanwhile."""

import threading
from pathlib import Path

from workbench.grading.records import Assessment
from workbench.grading.store import AssessmentStore


def saved(trial: str, grader: str, note: str) -> Assessment:
    return Assessment(trial=trial, grader=grader, at="2026-11-29T10:00:00Z", note=note)


def test_the_latest_save_of_each_grader_holds_and_none_is_lost(tmp_path: Path) -> None:
    store = AssessmentStore(tmp_path)
    assert store.all() == ()
    assert store.latest("a") is None
    saves = [
        saved("a", "Ada", "1"),
        saved("a", "Bo", "2"),
        saved("b", "Ada", "3"),
        saved("a", "Ada", "line\n\u2028end"),
    ]
    for save in saves:
        store.add(save)

    assert store.all() == tuple(saves)
    assert store.latest("a") == saves[3]
    assert store.latest("a", "Bo") == saves[1]
    assert store.latest("a", "Cy") is None
    assert AssessmentStore(tmp_path).by_trial() == {"a": (saves[1], saves[3]), "b": (saves[2],)}


def test_what_is_typed_or_comes_with_a_run_cannot_steer_a_terminal(tmp_path: Path) -> None:
    store = AssessmentStore(tmp_path)
    store.path.write_text(
        '{"trial":"a","grader":"\\u001b[31mEve","at":"\\u009b","level":"\\u202e","note":"\\u0007"}\n', encoding="utf-8"
    )
    (read,) = store.all()
    assert (read.grader, read.at, read.level, read.note) == ("␛[31mEve", "\ufffd", "\ufffd", "␇")
    assert saved("a", "Eve", "\x1b]0;x\x07").note == "␛]0;x␇"


def test_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    store = AssessmentStore(tmp_path)
    store.add(saved("a", "Ada", "1"))
    whole = store.path.read_bytes()
    for cut in range(len(whole)):
        store.path.write_bytes(whole + whole[:cut])
        assert store.all() == (saved("a", "Ada", "1"),)
        store.add(saved("a", "Ada", "2"))
        assert store.all()[-1] == saved("a", "Ada", "2")
        assert len(store.all()) == (3 if cut == len(whole) - 1 else 2)


def test_savers_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    def save(grader: str) -> None:
        for n in range(20):
            AssessmentStore(tmp_path).add(saved("a", grader, f"{n} " + "x" * 5000))

    threads = [threading.Thread(target=save, args=(f"g{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(AssessmentStore(tmp_path).all()) == 80
