"""The weights and budgets of FreeCell's searches: data, and how it becomes configurations.

Owns every tuned number of the search. `Weights` are score points; a low score is tried first.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.freecell.layout import MAX, SAFE
from solvers.freecell.records import configuration


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
    splits    may also split a run: the search then reaches every position except those lost to hash
              collisions, at 1.5 times the moves
    """

    weights: Weights
    budget: int
    autoplay: int = MAX
    noise: int = 0
    seed: int = 0
    splits: bool = False


#: Keeps scores within the 4,096 buckets: without it those of the stages below are up to some 3,000,
#: and near a win some hundred below 0.
_OFFSET = 1000


def configure(stage: Stage) -> NDArray[np.int64]:
    """Return the configuration of a stage, `int64[CONFIG_SIZE]`."""
    # What a table of the weights gives for each further card or column is summed up.
    weights = {
        **asdict(stage.weights),
        "cell": np.cumsum((0, *stage.weights.cell)),
        "empty": -np.cumsum((0, *stage.weights.empty)),
    }
    return configuration(
        budget=stage.budget,
        autoplay=stage.autoplay,
        noise=stage.noise,
        seed=stage.seed,
        splits=-1 if stage.splits else 0,
        offset=_OFFSET,
        **weights,
    )


_FIRST = Weights(
    depth=17,
    home=-6,
    base=20,
    covered=28,
    covered_more=8,
    spread=0,
    lowest=15,
    accept=8,
    soon=6,
    cell=(38, 49, 45, 79, 79, 108, 93),
    empty=(41, 29, 17, 3, 2, 3, 0, 3),
    cover=(8, 7, 5, 3),
    bad=(10, 9, 8, 8, 6, 5, 5, 6, 6, 11, 9, 4, 1),
    cell_rank=(-3, -5, -2, -1, -2, -2, -4, -1, -1, 0, -3, 1, 2),
)
_SECOND = Weights(
    depth=18,
    home=15,
    base=28,
    covered=37,
    covered_more=0,
    spread=-17,
    lowest=31,
    accept=7,
    soon=-1,
    cell=(40, 45, 63, 78, 98, 98, 98),
    empty=(45, 45, 55, 37, 39, 19, 19, 16),
    cover=(5, 5, 5, 5),
    bad=(0, 9, 20, 21, 18, 18, 29, 19, 36, 28, 27, 21, 33),
    cell_rank=(-8, -1, 1, 1, 2, 1, 4, 4, 8, 5, 14, 6, 14),
)
_THIRD = Weights(
    depth=18,
    home=4,
    base=29,
    covered=37,
    covered_more=0,
    spread=-13,
    lowest=54,
    accept=7,
    soon=0,
    cell=(39, 44, 62, 78, 97, 88, 88),
    empty=(43, 55, 71, 45, 35, 26, 23, 11),
    cover=(5, 7, 5, 4),
    bad=(0, 9, 8, 19, 19, 18, 22, 14, 31, 26, 38, 17, 29),
    cell_rank=(-8, 6, 12, 16, 13, 13, 16, 31, 18, 17, 20, 18, 26),
)


def _table(*lists: Stage) -> NDArray[np.int64]:
    """Return the configurations of stages, `int64[n, CONFIG_SIZE]`."""
    return np.array([configure(stage) for stage in lists])


#: The stages that every deal goes through until one wins. The first follow a greedy choice of what
#: wins most open deals for its nodes (benchmarks/schedule_freecell.py); longer ones close the list.
QUICK_STAGES = (
    Stage(_FIRST, 400),
    Stage(_SECOND, 150, SAFE, 31, 1),
    Stage(_THIRD, 200, MAX, 63, 2),
    Stage(_SECOND, 300, SAFE, 63, 3),
    Stage(_FIRST, 400, MAX, 127, 4),
    Stage(_THIRD, 500, SAFE, 127, 5),
    Stage(_FIRST, 1000, MAX, 63, 6),
    Stage(_SECOND, 600, MAX, 127, 7),
    Stage(_THIRD, 800, SAFE, 127, 8),
    Stage(_SECOND, 800, SAFE, 127, 9),
    Stage(_FIRST, 1500, SAFE, 127, 10),
    Stage(_THIRD, 1000, MAX, 127, 11),
    Stage(_SECOND, 1500, SAFE, 63, 12),
    Stage(_THIRD, 2000, SAFE, 63, 13),
    Stage(_FIRST, 2000, MAX, 255, 14),
    Stage(_SECOND, 2000, SAFE, 255, 15),
)
QUICK = _table(*QUICK_STAGES)
#: For the 1 in 5,000 still open, with larger tables. On three of four lost deals a splitting search
#: runs dry, and the proof follows at once. Chosen on the 480 such deals of 2000001..4000000
#: (benchmarks/long_freecell.py): a dozen are won by splitting runs alone, and on eight of these all
#: other searches run dry. On the 37 that fewer than half of 72 searches of 40,000 nodes won, the
#: first weights won 43% (the others 18% and 21%), noise of 511, 255 and 127 won 33%, 28% and 21%.
#: The last stages differ in all of that: 57148, 3302692 and 4380750 are each won by a few kinds.
LONG = _table(
    Stage(_FIRST, 4000, MAX, 127, 50),
    Stage(_THIRD, 4000, SAFE, 511, 51),
    Stage(_FIRST, 15_000, MAX, 255, 52),
    Stage(_THIRD, 4000, MAX, 255, 53, splits=True),
    Stage(_SECOND, 4000, MAX, 127, 54),
    Stage(_FIRST, 8000, SAFE, 511, 55),
    Stage(_FIRST, 100_000, SAFE, 511, 56, splits=True),
    Stage(_FIRST, 40_000, MAX, 511, 57),
    Stage(_FIRST, 250_000, SAFE, 511, 58, splits=True),
    *(
        Stage(weights, 100_000, autoplay, noise, 60 + 6 * round_ + place, splits)
        for round_, (autoplay, splits) in enumerate(((MAX, False), (MAX, True), (SAFE, False)))
        for place, (weights, noise) in enumerate(
            (
                (_FIRST, 127),
                (_THIRD, 511),
                (_FIRST, 255),
                (_SECOND, 511),
                (_FIRST, 511),
                (_THIRD, 255),
            )
        )
    ),
)
#: One long search.
BEST_FIRST = _table(Stage(_FIRST, 150_000))

#: All of them, and where those of each kind end.
STAGES = np.concatenate([QUICK, LONG, BEST_FIRST])
QUICK_END, LONG_END, BEST_FIRST_END = np.cumsum([len(QUICK), len(LONG), len(BEST_FIRST)]).tolist()

#: What states of a layer are sorted by in beams for short lines. All of them have made as many
#: moves, so depth says nothing.
_BEAM = Weights(
    depth=0,
    home=-12,
    base=19,
    covered=37,
    covered_more=10,
    spread=-4,
    lowest=26,
    accept=5,
    soon=9,
    cell=(15, 41, 33, 66, 66, 91, 78),
    empty=(41, 29, 12, 3, 2, 3, 0, 3),
    cover=(9, 9, 6, 4),
    bad=(15, 14, 12, 12, 9, 8, 8, 9, 9, 14, 10, 8, 1),
    cell_rank=(-3, -5, -2, -1, -2, -2, -4, -1, -1, 0, -2, 1, 2),
)
#: For SAFE and for MAX. Lines are .05 to .1 moves shorter where runs may be split.
SHORT = np.array([configure(Stage(_BEAM, 0, mode, splits=True)) for mode in (SAFE, MAX)])
