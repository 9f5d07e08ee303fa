"""What a trial's checks say of its trace, whether it has just ended or was stored long ago."""

from workbench.checks.records import CheckResult, Verdict
from workbench.checks.registry import evaluate
from workbench.checks.verdict import conclude
from workbench.corpus.records import Audit, CorpusSettings
from workbench.engines.protocol import Ending
from workbench.traces.records import Trace


def judge(
    audit: Audit, settings: CorpusSettings, trace: Trace | None, ending: Ending
) -> tuple[tuple[CheckResult, ...], Verdict]:
    """The check results, and the verdict they and the ending come to; no checks are run without a trace."""
    results = evaluate(audit, trace, reply_tags=settings.reply_tags) if trace is not None else ()
    return results, conclude(results, ending.reason, ending.detail)
