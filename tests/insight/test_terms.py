"""Conditions of two sides: what differs is told once, what only one side asked is no difference."""

from typing import Any

from workbench.insight.terms import Difference, differences
from workbench.runs.records import BoxRecord, Manifest

FILE = "audits/a.yaml"


def run(**more: Any) -> Manifest:
    box = BoxRecord(name=".", path="/home/orchard", commit="3f1c2ab93" * 4)
    told = {"run_id": "r", "started_at": "", "workbench_version": "1", "engine": "claude", "boxes": {FILE: box}}
    return Manifest.model_validate(told | more)


def test_runs_that_were_asked_alike_differ_in_nothing() -> None:
    assert differences([run()], [run(run_id="other", selection="x", parallel=9), run()]) == ()
    assert differences([], [run()]) == ()


def test_every_condition_that_differs_is_told_and_nothing_stands_for_empty() -> None:
    edited = BoxRecord(name=".", path="/home/orchard", commit="3f1c2ab93" * 4, dirty=True, snapshot_hash="0af31c9" * 9)
    asked = {"engine_version": "2.1", "model": "opus", "hide": ("docs/",), "timeout": 30.0, "boxes": {FILE: edited}}
    assert differences([run()], [run(**asked)]) == (
        Difference("engine version", "none", "2.1"),
        Difference("model", "its default", "opus"),
        Difference("hidden paths", "none", "docs/"),
        Difference("timeout", "600 s", "30 s"),
        Difference("box", "orchard at 3f1c2ab93", "orchard at 3f1c2ab93 (uncommitted edits, files 0af31c9)"),
    )


def test_boxes_are_compared_where_both_sides_asked_and_each_pair_once() -> None:
    boxes = {name: BoxRecord(name="barn", path="/barn", commit=commit * 9) for name, commit in (("a", "1"), ("b", "1"))}
    moved = {name: box.model_copy(update={"commit": "2" * 9}) for name, box in boxes.items()}
    told = differences([run(boxes=boxes)], [run(boxes=moved | {"c": boxes["a"]})])
    assert told == (Difference("box", "barn at 111111111", "barn at 222222222"),)
