"""Judging a trace by checks written as they stand in YAML."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench.checks.records import CheckResult
from workbench.checks.registry import evaluate
from workbench.corpus.records import Audit
from workbench.traces.records import Trace

Judge = Callable[..., tuple[CheckResult, ...]]


@pytest.fixture
def judge() -> Judge:
    """`judge(trace, correct_contains=["x"])`: the results."""

    def run(trace: Trace, **checks: Any) -> tuple[CheckResult, ...]:
        return evaluate(Audit(id="eggs", prompt="Where do eggs go?", checks=checks), trace)

    return run
