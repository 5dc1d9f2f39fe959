"""Which searches of The Plot run, in which order and for how long: data.

Owns the budgets. Weights are `policy`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.plot import policy, search

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
    noise    temperature of the noise on rankings
    seed     added to the position's own
    prunes   whether the threshold abstraction is asked
    is_last  whether running out of memory is a limit, not just the end of the stage
    """

    order: int
    budget: int
    noise: int = 0
    seed: int = 0
    prunes: bool = True
    is_last: bool = False


FAST = (
    Stage(search.BY_STOCK, 2_000),
    Stage(search.BY_DEPTH, 2_000),
    Stage(search.BY_STOCK, 6_000, noise=60, seed=1),
    Stage(search.BY_DEPTH, 6_000, noise=60, seed=2),
    Stage(search.BY_STOCK, 30_000, noise=30, seed=3),
    Stage(search.BY_DEPTH, 30_000, noise=30, seed=4),
)
#: What each method ends with, bounded by the limits alone.
LAST = {
    "fast": Stage(search.BY_STOCK, 0, is_last=True),
    "astar": Stage(search.ALL_BEST, 0, prunes=False, is_last=True),
    "dfs": Stage(search.ALL_LATEST, 0, prunes=False, is_last=True),
}


def weights_of(stage: Stage, isolation: int) -> NDArray[np.int64]:
    """Return the weights of a stage."""
    return policy.weights_for(isolation)
