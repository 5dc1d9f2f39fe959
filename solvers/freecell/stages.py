"""The weights and budgets of FreeCell's searches: data, and how it becomes configurations.

Owns every tuned number of the search. `Weights` are score points; a low score is tried first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solvers.freecell import search_state as at
from solvers.freecell.kernel import MAX, SAFE


@dataclass(frozen=True, slots=True)
class Weights:
    """What a position costs, in score points.

    depth         each macro move so far
    home          each card at home (taken off)
    base          each column whose base is not a king
    covered       each run that a card covers which does not fit on it
    covered_more  each further card of such a run
    spread        each rank between the highest and the lowest foundation
    lowest        each rank of the lowest foundation (taken off)
    accept        each free card that fits on another free one (taken off)
    soon          each card in a cell within two ranks of its foundation (taken off)
    cell          the first, second, ... card in a cell, and so on up to seven
    empty         the first, second, ... empty column (taken off)
    cover         each card over a next-needed card, by its rank over the lowest foundation
    bad           each card over a lower one, by the rank of the lowest, ace first
    cell_rank     each card in a cell, by rank, ace first
    """

    depth: int
    home: int
    base: int
    covered: int
    covered_more: int
    spread: int
    lowest: int
    accept: int
    soon: int
    cell: tuple[int, ...]
    empty: tuple[int, ...]
    cover: tuple[int, int, int, int]
    bad: tuple[int, ...]
    cell_rank: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """One search: its weights, its node budget, and what sets it apart.

    autoplay  MAX, or SAFE where the choice of what goes home is left to the search
    noise     a mask: 0 up to it is added to a score, by a hash of position and seed
    """

    weights: Weights
    budget: int
    autoplay: int = MAX
    noise: int = 0
    seed: int = 0


#: Keeps scores within the buckets.
_OFFSET = 1000


def configure(stage: Stage) -> NDArray[np.int64]:
    """Return the configuration of a stage, `int64[CONFIG_WORDS]`."""
    weights = stage.weights
    config = np.zeros(at.CONFIG_WORDS, np.int64)
    config[at.BUDGET], config[at.AUTOPLAY] = stage.budget, stage.autoplay
    config[at.NOISE], config[at.SEED] = stage.noise, stage.seed
    config[at.W_DEPTH], config[at.W_HOME] = weights.depth, weights.home
    config[at.W_BASE] = weights.base
    config[at.W_BREAK], config[at.W_BREAK_LENGTH] = weights.covered, weights.covered_more
    config[at.W_SPREAD], config[at.W_LOWEST] = weights.spread, weights.lowest
    config[at.W_ACCEPT], config[at.W_SOON] = weights.accept, weights.soon
    config[at.W_OFFSET] = _OFFSET
    config[at.W_CELL : at.W_CELL + 8] = np.cumsum((0, *weights.cell))
    config[at.W_EMPTY : at.W_EMPTY + 9] = -np.cumsum((0, *weights.empty))
    config[at.W_COVER : at.W_COVER + 4] = weights.cover
    config[at.W_BAD : at.W_BAD + 13] = weights.bad
    config[at.W_CELL_RANK : at.W_CELL_RANK + 13] = weights.cell_rank
    return config


_FIRST = Weights(
    depth=17,
    home=-7,
    base=15,
    covered=28,
    covered_more=9,
    spread=2,
    lowest=19,
    accept=6,
    soon=6,
    cell=(38, 49, 46, 76, 88, 88, 88),
    empty=(39, 45, 39, 24, 26, 22, 22, 22),
    cover=(8, 7, 6, 4),
    bad=(10, 7, 8, 7, 6, 5, 6, 3, 6, 2, 1, 2, 0),
    cell_rank=(-3, -5, -3, -2, -3, -1, -1, -1, 0, -1, -3, 1, 3),
)
_SECOND = Weights(
    depth=18,
    home=-3,
    base=18,
    covered=37,
    covered_more=2,
    spread=4,
    lowest=15,
    accept=7,
    soon=3,
    cell=(40, 45, 63, 78, 90, 90, 90),
    empty=(37, 41, 39, 20, 20, 20, 20, 20),
    cover=(10, 10, 10, 10),
    bad=(10, 9, 8, 7, 6, 5, 4, 3, 2, 0, 0, 0, 0),
    cell_rank=(-3, -3, -3, -2, -2, -1, -1, -1, 0, 0, 1, 1, 2),
)
_THIRD = replace(_SECOND, covered=26, cell=(40, 35, 63, 78, 90, 90, 90), spread=0)
_ALL = (_FIRST, _SECOND, _THIRD)


def _table(*lists: Stage) -> NDArray[np.int64]:
    """Return the configurations of stages, `int64[n, CONFIG_WORDS]`."""
    return np.array([configure(stage) for stage in lists])


def _series(count: int, budget: int, noise: int, first_seed: int) -> tuple[Stage, ...]:
    """Return searches that differ in weights, seed, and whether safe autoplay leaves a choice.

    On ten deals that resist all else, 160 tries of 20,000 nodes won 77 times with the choice and
    much noise (255), 37 times with that noise alone, 18 times with little (63) and no choice.
    """
    return tuple(
        Stage(_ALL[index % 3], budget, (SAFE, MAX)[index % 2], noise, first_seed + index)
        for index in range(count)
    )


#: The stages that every deal goes through until one wins.
QUICK_STAGES = (
    Stage(_FIRST, 600),
    Stage(_SECOND, 400),
    Stage(_THIRD, 1500),
    *_series(20, 700, 255, 1),
)
QUICK = _table(*QUICK_STAGES)
#: What follows for the few that are left, with larger tables, before a look at the proof.
LONG = _table(*_series(4, 20_000, 255, 50))
#: And after it.
DEEP = _table(
    *_series(4, 20_000, 511, 60),
    *_series(8, 100_000, 511, 70),
    *_series(8, 100_000, 255, 80),
)
#: One long search.
ASTAR = _table(Stage(_FIRST, 150_000))
