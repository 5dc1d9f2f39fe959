"""What is tried on a position of The Plot, in which order and for how long: data.

Owns the stages, rollouts, proofs and searches, and their budgets. Weights are `policy`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.plot import search

#: Kinds of stages.
ROLLOUTS, PROOF, SEARCH = range(3)
#: Columns of STAGES. BUDGET counts rollouts, abstract states for each threshold, or states. The
#: columns after it are a search's, but for the last two, which are a proof's.
KIND, BUDGET, ORDER, NOISE, SEED, OWN, ISOLATES, PRUNES, IS_LAST, HIGHEST, LOWEST = range(11)

#: Rollouts of a position. Of the winnable deals of 1..20,000 the first, without noise, wins
#: 96.7 % under classic and 97.3 % under pysol; 60 leave 23 and 3 open.
_ROLLOUTS = 60
#: Temperatures of the noise of rollouts 1, 2, 3, ..., and over again; 256 is one unit.
TEMPERATURES = np.array((40, 60, 80, 100), np.int64)

#: Abstract states that the memory of the threshold abstraction holds, about 70 bytes each.
ABSTRACT_STATES = 300_000
#: A search asks about its states at the finest threshold, from 8 on, whose first proof took no more
#: than this many abstract states.
CHEAP_QUERY = 400
FINEST_PRUNING = 8


@dataclass(frozen=True, slots=True)
class Proof:
    """Questions to the threshold abstraction.

    highest, lowest  thresholds that are asked one after another, from the coarsest
    budget           abstract states for each
    """

    highest: int
    lowest: int
    budget: int

    def row(self) -> list[int]:
        """Return the columns of the stage."""
        return [PROOF, self.budget, *[0] * 7, self.highest, self.lowest]


@dataclass(frozen=True, slots=True)
class Search:
    """One search.

    order    which queue a state waits in (see `search`)
    budget   states expanded and moves of rollouts made, at which it ends
    own      whether by the weights tuned for searches, or by those of rollouts
    noise    temperature of the noise on rankings
    seed     added to the position's own
    isolates whether base-rank cards are isolated in phase 1 though the profile does not ask
             for it: fewer moves, a stronger abstraction, and every line is legal; such a
             search proves no loss
    prunes   whether the threshold abstraction is asked
    is_last  whether it ends only at a limit, of nodes or of memory
    """

    order: int
    budget: int
    own: bool = False
    noise: int = 0
    seed: int = 0
    isolates: bool = False
    prunes: bool = True
    is_last: bool = False

    def row(self) -> list[int]:
        """Return the columns of the stage."""
        budget = _NO_BUDGET if self.is_last else self.budget
        flags = (self.own, self.isolates, self.prunes, self.is_last)
        return [SEARCH, budget, self.order, self.noise, self.seed, *map(int, flags), 0, 0]


#: More than every limit.
_NO_BUDGET = 1 << 62

#: First proofs. Of the 15 deals of 1..20,000 that the abstraction proves lost under classic, all
#: fall to a threshold of 7 or more.
QUICK_PROOF = Proof(12, 3, 2_000)
#: Last proofs, before the long searches: 113963, lost at threshold 5 in 22,799 states. Larger
#: budgets decided no further deal.
DEEP_PROOF = Proof(9, 1, 40_000)
#: Short searches that differ win more than a long one. Of 51 deals of 200001..240000 that
#: rollouts and first proofs leave open, one search of 2,000 nodes wins up to 18, of 8,000 up to
#: 23, of 20,000 up to 25; a second is worth 80 wins of the first kind, 30 or 15 of the others.
FAST = (
    Search(search.BY_STOCK, 2_000, own=True, noise=60, seed=1),
    Search(search.BY_DEPTH, 2_000, own=True, noise=80, seed=2),
    Search(search.BY_DEPTH, 2_000, noise=60, seed=3, isolates=True),
    Search(search.BY_PROGRESS, 4_000, own=True, noise=80, seed=4, isolates=True),
    Search(search.BY_STOCK, 4_000, own=True, noise=60, seed=5),
    Search(search.BY_DEPTH, 4_000, own=True, noise=80, seed=6, isolates=True),
    Search(search.BY_PROGRESS, 8_000, own=True, noise=80, seed=7),
    Search(search.BY_DEPTH, 8_000, noise=60, seed=8, isolates=True),
    Search(search.BY_PROGRESS, 12_000, own=True, noise=240, seed=9),
)
#: What is tried after the last proofs. Of six deals that resisted the above, 16 searches of
#: 20,000 nodes by stock card or by the other weights and depth won one, those here five.
SLOW = tuple(
    stage
    for seed in range(10, 22, 4)
    for stage in (
        Search(search.BY_PROGRESS, 20_000, own=True, noise=300, seed=seed),
        Search(search.BY_DEPTH, 20_000, noise=60, seed=seed + 1, isolates=True),
        Search(search.BY_PROGRESS, 20_000, own=True, noise=80, seed=seed + 2, isolates=True),
        Search(search.BY_PROGRESS, 20_000, own=True, noise=150, seed=seed + 3),
    )
)
#: What each method ends with, bounded by the limits alone; `best-first` and `dfs` have no more.
LAST = Search(search.BY_PROGRESS, 0, own=True, noise=80, seed=34, is_last=True)
BEST_FIRST = Search(search.ALL_BEST, 0, prunes=False, is_last=True)
DFS = Search(search.ALL_LATEST, 0, prunes=False, is_last=True)


def _table() -> NDArray[np.int64]:
    """Return all stages, a row each: those of `fast`, of `best-first` and of `dfs`."""
    fast: tuple[Proof | Search, ...] = (QUICK_PROOF, *FAST, DEEP_PROOF, *SLOW, LAST)
    rollouts = [ROLLOUTS, _ROLLOUTS, *[0] * 9]
    return np.array([rollouts, *(stage.row() for stage in (*fast, BEST_FIRST, DFS))], np.int64)


STAGES = _table()
#: The first stage, and where those in bulk, and of each method, end.
FIRST, BULK_END = 0, 1
DFS_END = len(STAGES)
FAST_END, BEST_FIRST_END = DFS_END - 2, DFS_END - 1
