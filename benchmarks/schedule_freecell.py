"""Choose the order and budgets of FreeCell's short searches: which stage next, for how long.

    python benchmarks/schedule_freecell.py --first 3200001 --deals 60000

Runs every combination of weights, autoplay and noise on the deals that the first stage does not
win at once, and then builds a schedule greedily: next comes the search and the budget that win
the most open deals for their nodes. Its figures are better than those of other deals will be,
since it is chosen on these: `winnable bench freecell` tells.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools

import numpy as np
from tune_freecell import Bench, packed_of

from solvers.freecell import schedule
from solvers.freecell.layout import MAX, SAFE

BUDGETS = (100, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000, 4000)
#: Deals that the first stage wins in so few nodes are of no interest to later ones.
SOON = 120
NEVER = 1 << 40


def candidates() -> list[schedule.Stage]:
    """Return the searches to choose from, each with a seed of its own."""
    weights = dict.fromkeys(stage.weights for stage in schedule.QUICK_STAGES)
    kinds = itertools.product(weights, (MAX, SAFE), (31, 63, 127, 255), range(2))
    return [
        schedule.Stage(each, max(BUDGETS), autoplay, noise, seed)
        for seed, (each, autoplay, noise, _) in enumerate(kinds, 1)
    ]


def nodes_to_win(bench: Bench, packed: np.ndarray, stage: schedule.Stage) -> np.ndarray:
    """Return the nodes that each deal takes, NEVER for one left open."""
    won, nodes = bench.run(packed, schedule.configure(stage)[None])
    return np.where(won, nodes, NEVER)


def describe(stage: schedule.Stage) -> str:
    """Return a stage in a line."""
    known = list(dict.fromkeys(each.weights for each in schedule.QUICK_STAGES))
    name = ("_FIRST", "_SECOND", "_THIRD")[known.index(stage.weights)]
    autoplay = "SAFE" if stage.autoplay == SAFE else "MAX"
    return f"Stage({name}, {stage.budget}, {autoplay}, {stage.noise}, {stage.seed})"


def main() -> None:
    """Print a schedule."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=3_200_001, help="number of the first deal")
    parser.add_argument("--deals", type=int, default=60_000)
    parser.add_argument("--budget", type=int, default=400, help="of the first stage")
    parser.add_argument("--steps", type=int, default=16, help="stages after the first")
    arguments = parser.parse_args()

    bench = Bench()
    packed = packed_of(np.arange(arguments.first, arguments.first + arguments.deals))
    first = dataclasses.replace(schedule.QUICK_STAGES[0], budget=arguments.budget)
    nodes = nodes_to_win(bench, packed, first)
    total = int(np.minimum(nodes, first.budget).sum())
    print(f"{describe(first)}  # mean {total / len(packed):.1f}, open {(nodes == NEVER).sum()}")
    packed = packed[nodes > SOON]
    is_open = nodes[nodes > SOON] == NEVER
    left = candidates()
    needs = {stage: nodes_to_win(bench, packed, stage) for stage in left}
    for _ in range(arguments.steps):
        rate, seed, budget = 0.0, 0, 0
        for stage, tried in itertools.product(left, BUDGETS):
            need = needs[stage][is_open]
            wins = (need <= tried).sum() / np.minimum(need, tried).sum()
            if wins > rate:
                rate, seed, budget = wins, stage.seed, tried
        if rate == 0.0:
            break
        best = next(stage for stage in left if stage.seed == seed)
        left.remove(best)
        total += int(np.minimum(needs[best][is_open], budget).sum())
        is_open &= needs[best] > budget
        chosen = dataclasses.replace(best, budget=budget)
        print(f"{describe(chosen)}  # mean {total / len(nodes):.1f}, open {is_open.sum()}")


if __name__ == "__main__":
    main()
