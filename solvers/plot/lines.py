"""From what a search found to a packed line: moves with the piles where they really lie.

Searches know piles by what they hold. A line is written by playing the moves on a packed
position, where a pile word is looked up each time; equal piles are interchangeable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import Local, inlined, kernel
from solvers.plot import kernel as game_rules
from solvers.plot import moves, nodes, playout, search
from solvers.plot import search_state as at
from solvers.plot.kernel import FROM_RESERVE, FROM_WASTE, HOME, move_of, source_of, target_of
from solvers.plot.layout import (
    BOTTOMS,
    COPIES,
    LENGTHS,
    OUT,
    PILE_COUNT,
    RESERVE_LEFT,
    SOURCE_MASK,
)

#: Above every pile word.
_NO_WORD = 1 << 20
_NO_PILES = np.int64(0)

_new_places = Local(np.int64, SOURCE_MASK + 1)


@inlined
def _word_of(packed: Any, pile: int) -> int:
    """Return the pile word of a pile, 0 for a space."""
    length = np.int64(packed[LENGTHS + pile])
    if length == 0:
        return 0
    return at.put_length(length) | at.put_bottom(np.int64(packed[BOTTOMS + pile]))


@inlined
def _find_pile(packed: Any, word: int, taken: int) -> int:
    """Return the first pile of a word that is not in the mask `taken`, -1 for none."""
    for pile in range(np.int64(packed[PILE_COUNT])):
        if not (taken >> pile) & 1 and _word_of(packed, pile) == word:
            return pile
    return -1


@kernel
def _move_of(packed: Any, source: int, target: int) -> int:
    """Return the packed move that takes from one pile word and goes to another."""
    if source == moves.FROM_STOCK:
        return game_rules.DRAW
    if source == moves.FROM_WASTE:
        place = FROM_WASTE
    elif source == moves.FROM_RESERVE:
        place = FROM_RESERVE
    else:
        place = _find_pile(packed, source, _NO_PILES)
    if target == moves.TO_FOUNDATION:
        return place | HOME
    return move_of(place, _find_pile(packed, target, _NO_PILES))


@kernel
def _is_safe(arena: int, packed: Any, source: int, reserve_left: int) -> bool:
    """Tell whether the card at a place makes a safe move; as `moves` tells it."""
    rank = game_rules.source_rank(packed, source)
    if rank < 1 or game_rules.in_phase_one(packed):
        return False
    most = at.most_out(arena, rank, reserve_left)
    out = np.int64(packed[OUT + rank])
    return (
        packed[OUT + rank - 1] == packed[COPIES] and out < np.int64(packed[COPIES]) and out < most
    )


@kernel
def _safe_move(arena: int, packed: Any) -> int:
    """Return the safe move that `moves.play_safe` makes, -1 for none."""
    left = np.int64(packed[RESERVE_LEFT])
    if left > 0 and _is_safe(arena, packed, FROM_RESERVE, left - 1):
        return FROM_RESERVE | HOME
    if _is_safe(arena, packed, FROM_WASTE, left):
        return FROM_WASTE | HOME
    lowest, chosen = _NO_WORD, -1
    for pile in range(np.int64(packed[PILE_COUNT])):
        word = _word_of(packed, pile)
        if 0 < word < lowest and _is_safe(arena, packed, pile, left):
            lowest, chosen = word, pile
    return chosen | HOME if chosen >= 0 else -1


@kernel
def _add(packed: Any, move: int, line: Any, count: int) -> int:
    """Play a move and write it; return the new count."""
    game_rules.apply(packed, move)
    line[count] = move
    return count + 1


@kernel
def write_rollout(arena: int, packed: Any, state: int, length: int, line: Any, count: int) -> int:
    """Write the last rollout's moves behind `count` others; return the new count.

    packed  uint8[PACKED_SIZE]  where the rollout began; read only
    state   int                 offset of the state that the rollout began from
    length  int                 how many moves it made
    line    uint16[m]           out
    """
    places = _new_places()
    for place in range(len(places)):
        places[place] = place
    taken = np.int64(0)
    for pile in range(np.int64(packed[PILE_COUNT])):
        word = at.get_pile(arena, state, pile)
        places[pile] = _find_pile(packed, word, taken)
        taken |= 1 << places[pile]
    for index in range(length):
        move = playout.move_at(arena, index)
        source, target = places[source_of(move)], places[target_of(move)]
        line[count] = move_of(source, target)
        count += 1
    return count


@kernel
def write_line(arena: int, packed: Any, line: Any) -> int:
    """Write the line of the search that has just won; return its length.

    arena   int                 address
    packed  uint8[PACKED_SIZE]  the root; changed
    line    uint16[m]           out; `nodes.room_for_line`
    """
    nodes.trace(arena, search.get_winner(arena))
    number = nodes.next_of(arena, nodes.ROOT_NODE)
    count = np.int64(0)
    while number != nodes.NONE:
        source, target = nodes.source_of(arena, number), nodes.target_of(arena, number)
        count = _add(packed, _move_of(packed, source, target), line, count)
        move = _safe_move(arena, packed)
        while move >= 0:
            count = _add(packed, move, line, count)
            move = _safe_move(arena, packed)
        number = nodes.next_of(arena, number)
    rolled = search.get_rollout(arena)
    if rolled > 0:
        count = write_rollout(arena, packed, at.CHILD, rolled, line, count)
    return count
