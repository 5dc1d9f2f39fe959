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

from solvers.jit import Local, entry, inlined, kernel
from solvers.plot import kernel as game_rules
from solvers.plot import playout
from solvers.plot import search_state as at
from solvers.plot.block import arena_of, drop
from solvers.plot.kernel import (
    DRAW,
    FROM_RESERVE,
    FROM_WASTE,
    HOME,
    TO_FOUNDATION,
    move_of,
    target_of,
)
from solvers.plot.layout import PACKED_SIZE, RULE_ISOLATION
from solvers.search.bits import lowest_bit, mix, wrapping_add

#: Games of a measurement. Halves of 96 rank deals alike by .96 (benchmarks/plot.md).
REPEATS = 192
#: Weights of the player in points, 256 to a unit, and the temperature of its noise.
_CARD_OUT, _OFF_WASTE = np.int64(512), np.int64(77)
_DEALT, _RESERVE_CARD = np.int64(26), np.int64(128)
_NOTHING = np.int64(0)
_TEMPERATURE = np.int64(256)
#: Thousandths: efforts are stored so.
_SCALE = 1000

_new_packed = Local(np.uint8, PACKED_SIZE)


@inlined
def _choose(arena: int) -> int:
    """Return the player's move, -1 for none."""
    ranks = at.get_ranks(arena)
    left = playout.get_reserve(arena)
    isolated = playout.isolates_base(arena)
    waste = playout.waste_rank(arena)
    holder = playout.holder_of(arena, waste, isolated)
    playout.forget_best(arena)
    reserve = playout.reserve_rank(arena)
    if reserve >= 0 and playout.goes(arena, reserve, left - 1):
        playout.offer(arena, FROM_RESERVE | HOME, _CARD_OUT + _RESERVE_CARD)
    going = playout.get_going(arena)
    homes = playout.piles_of_ranks(arena, going & playout.get_present(arena))
    holders = playout.piles_of(arena, holder)
    movers = playout.piles_of_ranks(arena, playout.fitting_ranks(arena, isolated))
    movers &= playout.get_alone(arena)
    piles = homes | holders | movers
    while piles != 0:
        pile = lowest_bit(piles)
        piles &= piles - 1
        if (homes >> pile) & 1:
            playout.offer(arena, pile | HOME, _CARD_OUT)
        if (holders >> pile) & 1:
            playout.offer(arena, move_of(FROM_WASTE, pile), _OFF_WASTE)
        if (movers >> pile) & 1:
            rank = playout.top_of(arena, pile)
            targets = playout.piles_of(arena, rank + 1 if rank + 1 < ranks else 0)
            while targets != 0:
                move = move_of(pile, lowest_bit(targets))
                targets &= targets - 1
                playout.offer(arena, move, _NOTHING)
    if waste >= 0:
        if (going >> waste) & 1:
            playout.offer(arena, FROM_WASTE | HOME, _CARD_OUT + _OFF_WASTE)
        spaces = playout.piles_of(arena, playout.NO_RANK)
        if spaces != 0 and (waste == 0 or not playout.is_phase_one(arena)):
            move = move_of(FROM_WASTE, lowest_bit(spaces))
            playout.offer(arena, move, _OFF_WASTE)
    if playout.get_stock(arena) > 0:
        playout.offer(arena, DRAW, _DEALT - _OFF_WASTE)
    return playout.get_chosen(arena)


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
        left -= target_of(move) == TO_FOUNDATION
        count += 1
    return left == 0


@kernel
def count_wins(arena: int, first: int, games: int) -> int:
    """Return how many of the games number `first` and on the player wins.

    arena  int  address, with a deal loaded; the games are seeded by its fingerprint
    """
    seed = at.fingerprint(arena)
    wins = 0
    for game in range(first, first + games):
        wins += _wins(arena, mix(wrapping_add(seed, game)))
    return wins


@kernel
def measure(arena: int, packed: Any, rules: Any, first: int, games: int) -> int:
    """Measure a packed position; return thousandths of a try, at least 1000.

    arena         int                 address
    packed        uint8[PACKED_SIZE]  read only
    rules         int64[RULES_SIZE]
    first, games  int                 which games are played: 0 and REPEATS for the grade
    """
    wins = 0
    if at.load_deal(arena, packed, rules[RULE_ISOLATION]):
        wins = count_wins(arena, first, games)
    return (games + 1) * _SCALE // (wins + 1)


@entry("i64, u8[:,:], i64[:], i64, i64, i64[:]")
def measure_decks(
    session: int, decks: Any, rules: Any, first: int, parts: int, efforts: Any
) -> None:
    """Measure decks; drops the position that the session has taken up.

    session  a block that is prepared
    decks    uint8[n, 104]
    rules    int64[RULES_SIZE]  the profile's
    first    the number of the first try of the seeded series
    parts    by which what is enough is divided
    efforts  int64[n]           out: thousandths of a try, at least 1000
    """
    packed = _new_packed()
    for row in range(len(decks)):
        game_rules.deal(decks[row], rules, packed)
        efforts[row] = measure(arena_of(session), packed, rules, first, REPEATS // parts)
    drop(session)
