"""What `workbench show --agreement` prints: how far humans, checks and acts say the same."""

from typing import TYPE_CHECKING, Any

from workbench.text.amounts import many

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.insight.agreement import Agreement, Concord


def agreement_document(agreement: "Agreement") -> dict[str, Any]:
    """As `--json` shows it; `kappa` and `percent` are null where there are none, and `undefined` says why."""
    return {
        "trials": agreement.trials,
        "checks": _concord(agreement.checks) | {"apart": dict(agreement.apart)},
        "graders": [
            {
                "first": pair.first,
                "second": pair.second,
                "verdicts": _concord(pair.verdicts),
                "levels": _concord(pair.levels),
            }
            for pair in agreement.pairs
        ],
        "levels": _concord(agreement.levels) | {"unobserved": agreement.unobserved},
    }


def _concord(concord: "Concord") -> dict[str, Any]:
    return {
        "n": concord.n,
        "same": concord.same,
        "percent": concord.percent,
        "kappa": concord.kappa,
        "undefined": concord.undefined,
        "table": [{"one": one, "other": other, "times": times} for (one, other), times in concord.table],
    }


def print_agreement(out: "Console", agreement: "Agreement") -> None:
    """A line a comparison, below it what stayed apart or differs most."""
    from rich.text import Text

    def line(name: str, told: object, style: str = "") -> None:
        out.print(Text.assemble((f"  {name:<20}", "dim"), (str(told), style)))

    out.print(Text(f"Agreement over {many(agreement.trials, 'trial')} graded by humans", "bold"))
    line("human × checks", agreement.checks)
    for reason, times in agreement.apart:
        line("", f"{times} apart: {reason}", "dim")
    for pair in agreement.pairs:
        line("human × human", f"{pair.first} × {pair.second}")
        line("  verdicts", pair.verdicts)
        line("  levels", pair.levels)
    line("level × observed", agreement.levels)
    for (said, observed), times in agreement.levels.differing:
        line("", f"{times}× human {said}, acts {observed}", "dim")
    if agreement.unobserved:
        line("", f"{agreement.unobserved} apart: the acts show no level", "dim")
