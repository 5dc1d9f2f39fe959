"""Tune the weights of one FreeCell search stage by seeded hill climbing.

    python benchmarks/tune_freecell.py --stage 0 --tries 5000

Deals come from above 1,000,000, so that figures on 1..1000000 are of deals never tuned on. A
later stage is tuned on the deals that the stages before it leave open. A try changes one to
three weights; it is kept when the mean cost on the sample falls, and then again on a second
sample. Nodes are the cost, a deal left open counting as the budget and `--penalty` more: what
the later stages will take. Prints every improvement as a literal for `solvers/freecell/schedule`.

The same arguments give the same weights on every machine. Those that are shipped cannot be had
again this way: they were climbed to from one another in runs that ended by the clock (the first by
`--stage 0 --sample 3500` in 14 minutes), in part with other step sizes, on samples of
1,000,001..1,107,000, 2,400,001..3,107,000 and 4,000,001..4,008,000. Tuning goes on from them.
"""

from __future__ import annotations

import argparse
import dataclasses
import random

import numpy as np

from dealgen.numbering import numbering_of
from solvers import games
from solvers.freecell import layout, records, schedule, search
from solvers.freecell.rules import PROFILES
from solvers.freecell.search_state import load_state
from solvers.freecell.session import deal_decks
from solvers.jit import kernel
from solvers.search.arena import new_arena
from solvers.search.status import WON

FIRST_NUMBER = 1_000_001
RULES = layout.pack_profile(PROFILES["classic"])
#: Lowest and highest value by field. The packed sums of the search hold no more; of `cover`, four
#: times the highest must stay below 128, since four next-needed cards may lie in one column.
BOUNDS = {
    "depth": (0, 60),
    "home": (-60, 60),
    "base": (0, 120),
    "covered": (0, 120),
    "covered_more": (0, 20),
    "cover": (0, 31),
    "bad": (0, 60),
}
ANY = (-120, 160)


def packed_of(numbers: np.ndarray) -> np.ndarray:
    """Return the packed deals of numbers."""
    decks = numbering_of("ms").decks(games.load("freecell"), numbers)
    packed = layout.empty_packed(len(decks))
    deal_decks(decks, RULES, packed)
    return packed


@kernel
def search_all(
    arena: int, packed: np.ndarray, stages: np.ndarray, won: np.ndarray, nodes: np.ndarray
) -> None:
    """Search each deal by one stage after another until it is won."""
    for row in range(len(packed)):
        won[row] = False
        nodes[row] = 0
        for stage in range(len(stages)):
            records.set_config(arena, stages[stage])
            load_state(arena, records.state_at(records.get_state_pool(arena), 0), packed[row])
            search.start(arena)
            status = search.run(arena, records.get_budget(arena))
            nodes[row] += records.get_expanded(arena)
            if status == WON:
                won[row] = True
                break


class Bench:
    """Runs configurations over packed deals."""

    def __init__(self, table_bits: int = 14, states: int = 1 << 14) -> None:
        queued = 8 * states
        self.arena = new_arena(records.arena_size(table_bits, queued, states))
        records.lay_out(self.arena.ctypes.data, table_bits, queued, states)
        records.set_rules(self.arena.ctypes.data, RULES)

    def run(self, packed: np.ndarray, stages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which deals were won, and the nodes of each."""
        won, nodes = np.empty(len(packed), np.bool_), np.empty(len(packed), np.int64)
        search_all(self.arena.ctypes.data, packed, stages, won, nodes)
        return won, nodes

    def cost(self, packed: np.ndarray, stage: schedule.Stage, penalty: int) -> float:
        """Return the mean nodes of a stage, an open deal counting as budget and penalty."""
        won, nodes = self.run(packed, schedule.configure(stage)[None])
        return float(np.where(won, nodes, stage.budget + penalty).mean())


def mutate(weights: schedule.Weights, rng: random.Random) -> schedule.Weights:
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
        packed = packed_of(np.arange(first, first + 8000))
        first += 8000
        if len(before):
            won, _ = bench.run(packed, before)
            packed = packed[~won]
        found.append(packed)
        have += len(packed)
    return np.concatenate(found)[:wanted]


def main() -> None:
    """Tune one stage."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stage", type=int, default=0, help="index into schedule.QUICK")
    parser.add_argument("--budget", type=int, default=0, help="nodes; 0 for the stage's own")
    parser.add_argument("--penalty", type=int, default=600, help="nodes for a deal left open")
    parser.add_argument("--sample", type=int, default=2500, help="deals in each sample")
    parser.add_argument("--tries", type=int, default=5000, help="changes tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="deals to leave out first")
    arguments = parser.parse_args()

    bench, rng = Bench(), random.Random(arguments.seed)
    before = schedule.QUICK[: arguments.stage]
    stage = schedule.QUICK_STAGES[arguments.stage]
    if arguments.budget:
        stage = dataclasses.replace(stage, budget=arguments.budget)
    deals = survivors(bench, before, 2 * arguments.sample, FIRST_NUMBER + arguments.skip)
    train, check = deals[: arguments.sample], deals[arguments.sample :]
    costs = [bench.cost(sample, stage, arguments.penalty) for sample in (train, check)]
    print(f"# at first {costs[0]:.2f} {costs[1]:.2f}", flush=True)
    for number in range(1, arguments.tries + 1):
        tried = dataclasses.replace(stage, weights=mutate(stage.weights, rng))
        cost = bench.cost(train, tried, arguments.penalty)
        if cost >= costs[0]:
            continue
        second = bench.cost(check, tried, arguments.penalty)
        if cost + second < sum(costs):
            stage, costs = tried, [cost, second]
            print(f"# try {number}: {cost:.2f} {second:.2f}\n{stage.weights}", flush=True)


if __name__ == "__main__":
    main()
