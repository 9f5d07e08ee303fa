"""Add up one year's harvest by tree: `python scripts/tally.py harvest/2026.csv`."""

import csv
import sys
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal


def tally(path: str) -> dict[str, Decimal]:
    """Kilograms by tree; windfalls count for half, because half of them goes to the compost."""
    total: defaultdict[str, Decimal] = defaultdict(Decimal)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            share = Decimal("0.5") if row["picker"] == "ground" else Decimal(1)
            total[row["tree"]] += Decimal(row["kilograms"]) * share
    return dict(total)


if __name__ == "__main__":
    for tree, kilograms in sorted(tally(sys.argv[1]).items()):
        sys.stdout.write(f"{tree}\t{kilograms.quantize(Decimal('0.1'), ROUND_HALF_EVEN)}\n")
