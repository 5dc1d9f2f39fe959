"""Which searches of The Plot run, in which order and for how long: data.

Owns the budgets. Weights are `policy`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.plot import policy, search
from solvers.plot.layout import ISOLATION_PHASE1

#: Rollouts of a position. Of the winnable deals of 1..20,000 the first, without noise, wins
#: 96.7 % under classic and 97.3 % under pysol; 60 leave 23 and 3 open.
ROLLOUTS = 60
#: Temperatures of the noise of rollouts 1, 2, 3, ..., and over again; 256 is one unit.
TEMPERATURES = (40, 60, 80, 100)

#: Abstract states that the memory of the threshold abstraction holds, about 64 bytes each.
ABSTRACT_STATES = 300_000
#: First proofs: thresholds, and abstract states for each. Of the 15 deals of 1..20,000 that
#: the abstraction proves lost under classic, all fall to a threshold of 7 or more.
QUICK_THRESHOLDS = range(12, 2, -1)
QUICK_QUERY = 2_000
#: Last proofs, before the long searches: 113963, lost at threshold 5 in 22,799 states.
DEEP_THRESHOLDS = range(9, 0, -1)
#: Larger values decided no further deal.
DEEP_QUERY = 40_000
#: A search asks about its states at the finest threshold, from 8 on, whose first proof took no more
#: than this many abstract states.
CHEAP_QUERY = 400
FINEST_PRUNING = 8


@dataclass(frozen=True, slots=True)
class Stage:
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


#: Short searches that differ win more than a long one. Of 51 deals of 200001..240000 that
#: rollouts and first proofs leave open, one search of 2,000 nodes wins up to 18, of 8,000 up to
#: 23, of 20,000 up to 25; a second is worth 80 wins of the first kind, 30 or 15 of the others.
FAST = (
    Stage(search.BY_STOCK, 2_000, own=True, noise=60, seed=1),
    Stage(search.BY_DEPTH, 2_000, own=True, noise=80, seed=2),
    Stage(search.BY_DEPTH, 2_000, noise=60, seed=3, isolates=True),
    Stage(search.BY_PROGRESS, 4_000, own=True, noise=80, seed=4, isolates=True),
    Stage(search.BY_STOCK, 4_000, own=True, noise=60, seed=5),
    Stage(search.BY_DEPTH, 4_000, own=True, noise=80, seed=6, isolates=True),
    Stage(search.BY_PROGRESS, 8_000, own=True, noise=80, seed=7),
    Stage(search.BY_DEPTH, 8_000, noise=60, seed=8, isolates=True),
    Stage(search.BY_PROGRESS, 12_000, own=True, noise=240, seed=9),
)
#: What is tried after the last proofs. Of six deals that resisted the above, 16 searches of
#: 20,000 nodes by stock card or by the other weights and depth won one, those here five.
SLOW = tuple(
    stage
    for seed in range(10, 22, 4)
    for stage in (
        Stage(search.BY_PROGRESS, 20_000, own=True, noise=300, seed=seed),
        Stage(search.BY_DEPTH, 20_000, noise=60, seed=seed + 1, isolates=True),
        Stage(search.BY_PROGRESS, 20_000, own=True, noise=80, seed=seed + 2, isolates=True),
        Stage(search.BY_PROGRESS, 20_000, own=True, noise=150, seed=seed + 3),
    )
)
#: What each method ends with, bounded by the limits alone.
LAST = {
    "fast": Stage(search.BY_PROGRESS, 0, own=True, noise=80, seed=34, is_last=True),
    "best-first": Stage(search.ALL_BEST, 0, prunes=False, is_last=True),
    "dfs": Stage(search.ALL_LATEST, 0, prunes=False, is_last=True),
}


def weights_of(stage: Stage, isolation: int) -> NDArray[np.int64]:
    """Return the weights of a stage."""
    if stage.own:
        return policy.search_weights()
    return policy.weights_for(ISOLATION_PHASE1 if stage.isolates else isolation)
