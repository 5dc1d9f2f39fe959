"""Which searches of The Plot run, in which order and for how long: data.

Owns the budgets. Weights are `policy`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.plot import policy, search
from solvers.plot.layout import ISOLATION_PHASE1

#: Abstract states that the memory of the threshold abstraction holds, about 64 bytes each.
ABSTRACT_STATES = 300_000
#: First proofs: thresholds, and abstract states for each. Of the 15 deals of 1..20,000 that
#: the abstraction proves lost under classic, all fall to a threshold of 7 or more.
QUICK_THRESHOLDS = range(12, 2, -1)
QUICK_QUERY = 2_000
#: Last proofs, before the long search.
DEEP_THRESHOLDS = range(9, 0, -1)
DEEP_QUERY = 100_000
#: The search asks the finest threshold that took so few states at the root, not below 8.
CHEAP_QUERY = 400
FINEST_PRUNING = 8


@dataclass(frozen=True, slots=True)
class Stage:
    """One search.

    order    which queue a state waits in (see `search`)
    budget   states expanded
    own      whether by the weights tuned for searches, or by those of rollouts
    noise    temperature of the noise on rankings
    seed     added to the position's own
    isolates whether base-rank cards are isolated in phase 1 though the profile does not ask
             for it: fewer moves, a stronger abstraction, and every line is legal; such a
             search proves no loss
    prunes   whether the threshold abstraction is asked
    is_last  whether running out of memory is a limit, not just the end of the stage
    """

    order: int
    budget: int
    own: bool = False
    noise: int = 0
    seed: int = 0
    isolates: bool = False
    prunes: bool = True
    is_last: bool = False


#: Short searches that differ win more than a long one. Of 83 deals that rollouts and proofs
#: leave open, single searches of 15,000 nodes won up to 47, all of these together 63.
FAST = (
    Stage(search.BY_STOCK, 2_000),
    Stage(search.BY_PROGRESS, 4_000, own=True, noise=80, seed=1),
    Stage(search.BY_DEPTH, 3_000),
    Stage(search.BY_PROGRESS, 15_000, own=True, noise=80, seed=2, isolates=True),
    Stage(search.BY_STOCK, 8_000, own=True, noise=60, seed=3),
    Stage(search.BY_DEPTH, 8_000, noise=60, seed=4),
    Stage(search.BY_PROGRESS, 15_000, own=True, noise=240, seed=5),
    Stage(search.BY_DEPTH, 20_000, isolates=True),
    *(
        stage
        for seed in range(6, 24, 3)
        for stage in (
            Stage(search.BY_PROGRESS, 20_000, own=True, noise=120, seed=seed, isolates=True),
            Stage(search.BY_DEPTH, 20_000, noise=80, seed=seed + 1),
            Stage(search.BY_STOCK, 20_000, own=True, noise=120, seed=seed + 2),
        )
    ),
)
#: What each method ends with, bounded by the limits alone.
LAST = {
    "fast": Stage(search.BY_PROGRESS, 0, own=True, noise=80, seed=24, is_last=True),
    "astar": Stage(search.ALL_BEST, 0, prunes=False, is_last=True),
    "dfs": Stage(search.ALL_LATEST, 0, prunes=False, is_last=True),
}


def weights_of(stage: Stage, isolation: int) -> NDArray[np.int64]:
    """Return the weights of a stage."""
    if stage.own:
        return policy.search_weights()
    return policy.weights_for(ISOLATION_PHASE1 if stage.isolates else isolation)
