"""What the parts of FreeCell's search are worth: leave one out, and count nodes.

    python benchmarks/ablate_freecell.py

First the terms of the first stage's score, then the stages. Deals are ones that tuning never saw.
An open deal counts as its nodes and `PENALTY` more, about what later stages take for it.
"""

from __future__ import annotations

import argparse
import dataclasses

import numpy as np
from tune_freecell import Bench, packed_of

from solvers.freecell import schedule
from solvers.freecell.layout import SAFE

PENALTY = 500


def without(weights: schedule.Weights, name: str) -> schedule.Weights:
    """Return weights with one term at zero."""
    value = getattr(weights, name)
    nothing = (0,) * len(value) if isinstance(value, tuple) else 0
    return dataclasses.replace(weights, **{name: nothing})


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=5_000_001, help="number of the first deal")
    parser.add_argument("--deals", type=int, default=10_000)
    arguments = parser.parse_args()

    bench = Bench()
    packed = packed_of(np.arange(arguments.first, arguments.first + arguments.deals))
    first = schedule.QUICK_STAGES[0]

    def show(name: str, *stages: schedule.Stage) -> None:
        won, nodes = bench.run(packed, np.array([schedule.configure(stage) for stage in stages]))
        cost = (nodes + PENALTY * ~won).mean()
        print(f"{name:<34}{(~won).mean():>8.2%} open {cost:>8.1f} nodes a deal")

    show("first stage", first)
    for field in dataclasses.fields(schedule.Weights):
        weights = without(first.weights, field.name)
        show(f"  without {field.name}", dataclasses.replace(first, weights=weights))
    show("  with a choice of what goes home", dataclasses.replace(first, autoplay=SAFE))
    show("  with noise", dataclasses.replace(first, noise=63))
    every = schedule.QUICK_STAGES
    show("all short stages", *every)
    show("  with one weighting", *(dataclasses.replace(s, weights=first.weights) for s in every))
    show("  without noise", *(dataclasses.replace(s, noise=0) for s in every))
    show(
        "  without choice of what goes home",
        *(dataclasses.replace(s, autoplay=first.autoplay) for s in every),
    )
    longer = sum(stage.budget for stage in every)
    show("  the first alone, as long as all", dataclasses.replace(first, budget=longer))


if __name__ == "__main__":
    main()
