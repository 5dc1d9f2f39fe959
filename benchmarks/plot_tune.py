"""Tune the weights of The Plot's rollouts or searches by the cross-entropy method.

    python benchmarks/plot_tune.py rollout classic 40
    python benchmarks/plot_tune.py rollout pysol 40
    python benchmarks/plot_tune.py search classic 16

The last number is how many generations are tried, of 36 sets of weights each; deals and random
numbers are fixed, so the same command prints the same on every machine. For each generation the
scores of the weights in use, of the mean and of the best set are printed, and at the end the mean's
weights for `solvers/plot/policy.py`. `rollout` scores by the share of 1,000 random deals above
2,000,000 that one noiseless rollout wins; `search` by the share of 120 deals above 3,000,000, which
rollouts and proofs leave open, that one short search wins, plus half a point for nodes saved. The
deals that results are reported on, 1..20,000, are never seen.

The shipped weights come from these commands, but cannot be had again by them: each run begins with
the weights in use, and those that the first runs began with were not kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dealgen.numbering import numbering_of
from solvers import games
from solvers.outcome import Limits, Verdict
from solvers.plot import (
    nodes,
    phase_one,
    phase_one_known,
    policy,
    rollout,
    search,
    search_state,
)
from solvers.plot.layout import RULE_ISOLATION, pack_profile
from solvers.plot.rules import PROFILES, Profile
from solvers.plot.solver import SOLVER
from solvers.search.arena import new_arena
from solvers.search.record import Record
from solvers.search.status import OPEN, WON

_COUNT = 2 * policy.WEIGHTS
_POPULATION, _ELITE, _KEPT = 36, 8, 0.3
_ROLLOUT_DEALS, _SEARCH_DEALS = 1000, 120
_MEMORY_MIB, _ABSTRACT_STATES = 20, 50_000
_BUDGET, _THRESHOLD, _NO_LIMIT = 2_500, 9, 1 << 40
#: Seeds: of noise in searches, of the sets of weights, of which hard deals a generation tries.
_SEED, _SETS_SEED, _DEALS_SEED = 1, 1, 2
#: States that rollouts and first proofs take: deals open after these are the hard ones.
_QUICK = Limits(16_000, 16)

Weights = NDArray[np.int64]


class Bench:
    """Positions of one profile, and what a set of weights makes of them."""

    def __init__(self, profile: Profile) -> None:
        """Set the memory up."""
        self.profile = profile
        self.isolation = int(pack_profile(profile)[RULE_ISOLATION])
        self.arena = new_arena(nodes.arena_size(_MEMORY_MIB))
        nodes.lay_out(self.arena.ctypes.data, _MEMORY_MIB)
        self.memory = new_arena(phase_one_known.memory_size(_ABSTRACT_STATES))
        phase_one_known.lay_out(self.memory.ctypes.data, _ABSTRACT_STATES)

    def positions(self, first: int, count: int) -> NDArray[np.uint8]:
        """Deal consecutive numbers."""
        numbers = np.arange(first, first + count)
        decks = numbering_of("ms").decks(games.load("plot"), numbers)
        return SOLVER.deal_decks(decks, self.profile)

    def hard_positions(self, first: int, wanted: int) -> NDArray[np.uint8]:
        """Collect positions that the quick methods leave open."""
        found: list[NDArray[np.uint8]] = []
        while len(found) < wanted:
            chunk = self.positions(first, 20_000)
            batch = SOLVER.solve_packed(chunk, self.profile, _QUICK, want_lines=False)
            found += list(chunk[batch.verdict == Verdict.UNDECIDED])
            first += len(chunk)
        return np.array(found[:wanted])

    def load(self, packed: NDArray[np.uint8], weights: Weights) -> int:
        """Load a position and weights; return the arena's address, 0 when the deal is dead."""
        self.words(search_state.DEAL, "weights")[:] = weights
        address: int = self.arena.ctypes.data
        return address if search_state.load_deal(address, packed, self.isolation) else 0

    def words(self, record: Record, name: str) -> NDArray[np.int64]:
        """Return a field of 64 bits of the arena's."""
        field = record.fields[name]
        first = field.offset // self.arena.itemsize
        return self.arena[first : first + field.count]

    def score_rollout(self, packed: NDArray[np.uint8], weights: Weights) -> float:
        """Score one position by one rollout."""
        address = self.load(packed, weights)
        if not address:
            return 0.0
        rollout.begin(address, search_state.ROOT, 0, _SEED, _NO_LIMIT)
        return float(rollout.run(address, _NO_LIMIT) == WON)

    def score_search(self, packed: NDArray[np.uint8], weights: Weights) -> float:
        """Score one position by one short search."""
        address = self.load(packed, weights)
        if not address:
            return 0.0
        memory = self.memory.ctypes.data
        phase_one.prepare(address, memory, _THRESHOLD)
        search.begin(address, memory, search.BY_STOCK, 0, _SEED, _BUDGET, _NO_LIMIT)
        status = OPEN
        while status == OPEN:
            status = search.run(address, _BUDGET)
        if status != WON:
            return 0.0
        spent = int(self.words(search.SEARCH, "expanded")[0])
        return 1.5 - 0.5 * spent / _BUDGET


def tune(
    start: Weights,
    generations: int,
    sample: Callable[[int], NDArray[np.uint8]],
    score: Callable[[NDArray[np.uint8], Weights], float],
) -> Weights:
    """Move a normal distribution of weights towards its best samples, `generations` times."""
    rng = np.random.default_rng(_SETS_SEED)
    mean = start.astype(float)
    spread = np.maximum(abs(mean) * 0.4, 15)
    for generation in range(generations):
        positions = sample(generation)
        noise = rng.standard_normal((_POPULATION - 2, _COUNT))
        tried = np.round(np.vstack([start, mean, mean + spread * noise])).astype(np.int64)
        scores = np.array([np.mean([score(p, weights) for p in positions]) for weights in tried])
        best = tried[np.argsort(-scores)[:_ELITE]]
        print(
            f"{generation}: in use {scores[0]:.3f}, mean {scores[1]:.3f}, best {scores.max():.3f}",
            flush=True,
        )
        mean = _KEPT * mean + (1 - _KEPT) * best.mean(0)
        spread = np.maximum(_KEPT * spread + (1 - _KEPT) * best.std(0), 3)
    return np.round(mean).astype(np.int64)


def main() -> None:
    """Run what the command line asks for."""
    what, profile_name, generations = sys.argv[1], sys.argv[2], int(sys.argv[3])
    bench = Bench(PROFILES[profile_name])
    if what == "rollout":
        start = policy.SETS[policy.set_for(bench.isolation)]
        found = tune(
            start,
            generations,
            lambda generation: bench.positions(2_000_000 + 5_000 * generation, _ROLLOUT_DEALS),
            bench.score_rollout,
        )
    else:
        hard = bench.hard_positions(3_000_000, 2 * _SEARCH_DEALS)
        rng = np.random.default_rng(_DEALS_SEED)
        found = tune(
            policy.SETS[policy.FOR_SEARCHES],
            generations,
            lambda _: hard[rng.choice(len(hard), _SEARCH_DEALS, replace=False)],
            bench.score_search,
        )
    for phase in found.reshape(2, -1):
        print(f"*({', '.join(map(str, phase))}),")


if __name__ == "__main__":
    main()
