"""The measurement behind the grade `plot-1`: tries until a blind player wins.

Owns the player and the measure, both frozen: grades that others store depend on them, on
`playout` and on the literals here. The player never looks at the stock. It plays the move that
looks best by four weights (a card out 2, a card off the waste .3, a card dealt .1, a reserve
card .5, in units) plus Gumbel noise of one unit: that is, it chooses among its moves with odds
exp(worth). What surely should go out goes out at once, and it never plays a card out that the
face-up reserve shows to be a loss. The effort of a deal is (N + 1) / (wins + 1) of N games.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.plot import bound as reserve_bound
from solvers.plot import playout
from solvers.plot import search_state as at
from solvers.plot.kernel import DRAW, FROM_RESERVE, FROM_WASTE, TO_FOUNDATION
from solvers.plot.layout import TARGET_SHIFT
from solvers.plot.staged import fingerprint
from solvers.search.arena import load64
from solvers.search.bits import mix

#: Games of a measurement. Split-half rank correlation .96 (benchmarks/plot.md).
GAMES = 128
#: Weights of the player in points, 256 to a unit, and the temperature of its noise.
_CARD_OUT, _OFF_WASTE = np.int64(512), np.int64(77)
_DEALT, _RESERVE_CARD = np.int64(26), np.int64(128)
_NOTHING = np.int64(0)
_TEMPERATURE = np.int64(256)
#: Thousandths: efforts are stored so.
_SCALE = 1000


@kernel
def _choose(arena: int) -> int:
    """Return the player's move, -1 for none."""
    ranks = load64(arena, at.RANKS_AT)
    piles = load64(arena, at.PILES_AT)
    left = load64(arena, playout.RESERVE_LEFT)
    isolated = playout.isolates_base(arena)
    waste = playout.waste_rank(arena)
    holder = -2 if waste < 0 else waste + 1 if waste + 1 < ranks else 0
    if isolated and (waste == 0 or holder == 0):
        holder = -2
    playout.forget_best(arena)
    reserve = playout.reserve_rank(arena)
    if reserve >= 0 and playout.goes(arena, reserve, left - 1):
        playout.offer(arena, FROM_RESERVE | playout.HOME, _CARD_OUT + _RESERVE_CARD)
    going = load64(arena, playout.GOING)
    alone = load64(arena, playout.ALONE)
    present = playout.present_ranks(arena)
    tops = load64(arena, playout.TOPS)
    for pile in range(piles):
        rank = tops & 15
        tops >>= 4
        if (going >> rank) & 1:
            playout.offer(arena, pile | playout.HOME, _CARD_OUT)
        if rank == holder:
            playout.offer(arena, FROM_WASTE | pile << TARGET_SHIFT, _OFF_WASTE)
        if (alone >> pile) & 1:
            above = rank + 1 if rank + 1 < ranks else 0
            if (present >> above) & 1 and not (isolated and (rank == 0 or above == 0)):
                for target in range(piles):
                    if playout.top_of(arena, target) == above:
                        playout.offer(arena, pile | target << TARGET_SHIFT, _NOTHING)
    if waste >= 0:
        if (going >> waste) & 1:
            playout.offer(arena, FROM_WASTE | playout.HOME, _CARD_OUT + _OFF_WASTE)
        if (present >> playout.NO_RANK) & 1 and (waste == 0 or not playout.is_phase_one(arena)):
            space = playout.find_pile(arena, 1 << playout.NO_RANK)
            playout.offer(arena, FROM_WASTE | space << TARGET_SHIFT, _OFF_WASTE)
    if load64(arena, playout.STOCK_LEFT) > 0:
        playout.offer(arena, DRAW, _DEALT - _OFF_WASTE)
    return load64(arena, playout.CHOSEN)


@kernel
def _wins(arena: int, seed: int) -> bool:
    """Let the player play one game; tell whether it wins."""
    left = playout.begin(arena, at.ROOT, _TEMPERATURE, seed)
    count = np.int64(0)
    while left > 0 and count < playout.MAX_LINE:
        move = playout.move_at_once(arena)
        if move < 0:
            move = _choose(arena)
        if move < 0:
            return False
        playout.make(arena, move, count)
        left -= move >> TARGET_SHIFT == TO_FOUNDATION
        count += 1
    return left == 0


@kernel
def count_wins(arena: int, first: int, games: int) -> int:
    """Return how many of the games number `first` and on the player wins.

    arena  int  address, with a deal loaded; the games are seeded by its fingerprint
    """
    seed = fingerprint(arena)
    wins = 0
    for game in range(first, first + games):
        wins += _wins(arena, mix(seed + game))
    return wins


@kernel
def measure(
    arena: int, positions: Any, isolation: int, first: int, games: int, efforts: Any
) -> None:
    """Measure packed positions.

    positions     uint8[n, POSITION_SIZE]  read only
    first, games  int                      which games are played: 0 and GAMES for the grade
    efforts       int64[n]                 out: thousandths of a try, at least 1000
    """
    bound = np.zeros(reserve_bound.BOUND_SIZE, np.int64)
    for row in range(len(positions)):
        wins = 0
        if reserve_bound.build(positions[row], bound):
            at.load_deal(arena, positions[row], bound, isolation)
            wins = count_wins(arena, first, games)
        efforts[row] = (games + 1) * _SCALE // (wins + 1)
