"""Tune the weights of one FreeCell search stage by seeded hill climbing.

    python benchmarks/tune_freecell.py --stage 0 --minutes 10

Deals come from above 1,000,000, so that figures on 1..1000000 are of deals never tuned on. A
later stage is tuned on the deals that the stages before it leave open. A step changes one to
three weights; it is kept when the mean cost on the sample falls, and then again on a second
sample. Nodes are the cost, a deal left open counting as the budget and `--penalty` more: what
the later stages will take. Prints every improvement as a literal for `solvers/freecell/stages`.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import time

import numpy as np

from dealgen.numbering import numbering_of
from solvers import games
from solvers.freecell import kernel, layout, search_state, staged, stages

FIRST_NUMBER = 1_000_001
#: Lowest and highest value by field; the packed sums of the search hold no more.
BOUNDS = {
    "depth": (0, 60),
    "home": (-60, 60),
    "base": (0, 120),
    "covered": (0, 120),
    "covered_more": (0, 20),
    "cover": (0, 63),
    "bad": (0, 60),
}
ANY = (-120, 160)


def states_of(numbers: np.ndarray) -> np.ndarray:
    """Return the packed deals of numbers."""
    decks = numbering_of("ms").decks(games.load("freecell"), numbers)
    states = np.empty((len(decks), layout.STATE_SIZE), np.uint8)
    staged.lay_out_decks(decks, 4, states)
    return states


class Bench:
    """Runs configurations over packed deals."""

    def __init__(self, table_bits: int = 14, states: int = 1 << 14) -> None:
        self.arena = search_state.make_arena(table_bits, 8 * states, states)
        search_state.set_rules(self.arena.ctypes.data, 4, 8, kernel.POWER, 0)
        self.options = np.zeros(3, np.int64)

    def run(self, states: np.ndarray, configs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which deals were won, and the nodes of each."""
        count = len(states)
        status, nodes = np.empty(count, np.int8), np.empty(count, np.int64)
        lengths, offsets = np.empty(count, np.int32), np.empty(count + 1, np.int64)
        staged.solve_states(
            self.arena.ctypes.data,
            states,
            self.options,
            configs,
            1 << 40,
            status,
            nodes,
            lengths,
            np.empty(0, np.uint16),
            offsets,
        )
        return status == staged.WON, nodes

    def cost(self, states: np.ndarray, stage: stages.Stage, penalty: int) -> float:
        """Return the mean nodes of a stage, an open deal counting as budget and penalty."""
        won, nodes = self.run(states, stages.configure(stage)[None])
        return float(np.where(won, nodes, stage.budget + penalty).mean())


def mutate(weights: stages.Weights, rng: random.Random) -> stages.Weights:
    """Return weights with one to three values changed by a little."""
    fields = [field.name for field in dataclasses.fields(weights)]
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(fields)
        value = getattr(weights, name)
        low, high = BOUNDS.get(name, ANY)

        def step(old: int, low: int = low, high: int = high) -> int:
            size = max(1, abs(old) // 5)
            return min(high, max(low, old + rng.choice((-1, 1)) * rng.randint(1, size + 1)))

        if isinstance(value, tuple):
            values = list(value)
            if rng.random() < 0.3:  # a whole table up or down
                shift = rng.choice((-2, -1, 1, 2))
                values = [min(high, max(low, old + shift)) for old in values]
            else:
                # The first entries of a table are the ones that occur.
                index = min(int(rng.expovariate(3 / len(values)) * 1.5), len(values) - 1)
                values[index] = step(values[index])
            weights = dataclasses.replace(weights, **{name: tuple(values)})
        else:
            weights = dataclasses.replace(weights, **{name: step(value)})
    return weights


def survivors(bench: Bench, before: np.ndarray, wanted: int, first: int) -> np.ndarray:
    """Return packed deals that earlier stages leave open."""
    found = []
    have = 0
    while have < wanted:
        states = states_of(np.arange(first, first + 8000))
        first += 8000
        if len(before):
            won, _ = bench.run(states, before)
            states = states[~won]
        found.append(states)
        have += len(states)
    return np.concatenate(found)[:wanted]


def main() -> None:
    """Tune one stage."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stage", type=int, default=0, help="index into stages.QUICK")
    parser.add_argument("--budget", type=int, default=0, help="nodes; 0 for the stage's own")
    parser.add_argument("--penalty", type=int, default=600, help="nodes for a deal left open")
    parser.add_argument("--sample", type=int, default=2500, help="deals in each sample")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="deals to leave out first")
    arguments = parser.parse_args()

    bench, rng = Bench(), random.Random(arguments.seed)
    before = stages.QUICK[: arguments.stage]
    stage = stages.QUICK_STAGES[arguments.stage]
    if arguments.budget:
        stage = dataclasses.replace(stage, budget=arguments.budget)
    deals = survivors(bench, before, 2 * arguments.sample, FIRST_NUMBER + arguments.skip)
    train, check = deals[: arguments.sample], deals[arguments.sample :]
    costs = [bench.cost(sample, stage, arguments.penalty) for sample in (train, check)]
    print(f"# at first {costs[0]:.2f} {costs[1]:.2f}", flush=True)
    end = time.monotonic() + 60 * arguments.minutes
    tries = 0
    while time.monotonic() < end:
        tries += 1
        tried = dataclasses.replace(stage, weights=mutate(stage.weights, rng))
        cost = bench.cost(train, tried, arguments.penalty)
        if cost >= costs[0]:
            continue
        second = bench.cost(check, tried, arguments.penalty)
        if cost + second < sum(costs):
            stage, costs = tried, [cost, second]
            print(f"# {tries} tries: {cost:.2f} {second:.2f}\n{stage.weights}", flush=True)


if __name__ == "__main__":
    main()
