"""From what a search found to a packed line: moves with the piles where they really lie.

Searches know piles by what they hold. A line is written by playing the moves on a packed
position, where a pile word is looked up each time; equal piles are interchangeable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import inlined, kernel
from solvers.plot import kernel as game_rules
from solvers.plot import nodes, playout, search
from solvers.plot import search_state as at
from solvers.plot.bound import ROW
from solvers.plot.kernel import FROM_RESERVE, FROM_WASTE, TO_FOUNDATION
from solvers.plot.layout import (
    BOTTOMS,
    COPIES,
    LENGTHS,
    OUT,
    PILE_COUNT,
    RESERVE_LEFT,
    SOURCE_MASK,
    TARGET_SHIFT,
)
from solvers.search.arena import load64

#: Moves of the longest line: those of a search, each followed by safe ones, and a rollout's.
MAX_LINE = 2048
_HOME = TO_FOUNDATION << TARGET_SHIFT
_NO_WORD = 1 << 20
_NO_PILES = np.int64(0)


@inlined
def _word_of(position: Any, pile: int) -> int:
    """Return the pile word of a pile, 0 for a space."""
    length = np.int64(position[LENGTHS + pile])
    return length << at.LENGTH_SHIFT | np.int64(position[BOTTOMS + pile]) if length > 0 else 0


@inlined
def _find_pile(position: Any, word: int, taken: int) -> int:
    """Return the first pile of a word that is not in the mask `taken`, -1 for none."""
    for pile in range(np.int64(position[PILE_COUNT])):
        if not (taken >> pile) & 1 and _word_of(position, pile) == word:
            return pile
    return -1


@kernel
def _move_of(position: Any, source: int, target: int) -> int:
    """Return the packed move that takes from one pile word and goes to another."""
    if source == search.FROM_STOCK:
        return game_rules.DRAW
    if source == search.FROM_WASTE:
        place = FROM_WASTE
    elif source == search.FROM_RESERVE:
        place = FROM_RESERVE
    else:
        place = _find_pile(position, source, _NO_PILES)
    if target == search.TO_FOUNDATION:
        return place | _HOME
    return place | _find_pile(position, target, _NO_PILES) << TARGET_SHIFT


@kernel
def _is_safe(arena: int, position: Any, source: int, reserve_left: int) -> bool:
    """Tell whether the card at a place makes a safe move; as `search` tells it."""
    rank = game_rules.source_rank(position, source)
    if rank < 1 or game_rules.in_phase_one(position):
        return False
    most = load64(arena, at.BOUND_AT + at.WORD * (ROW * reserve_left + rank))
    out = np.int64(position[OUT + rank])
    return (
        position[OUT + rank - 1] == position[COPIES]
        and out < np.int64(position[COPIES])
        and out < most
    )


@kernel
def _safe_move(arena: int, position: Any) -> int:
    """Return the safe move that `search.play_safe` makes, -1 for none."""
    left = np.int64(position[RESERVE_LEFT])
    if left > 0 and _is_safe(arena, position, FROM_RESERVE, left - 1):
        return FROM_RESERVE | _HOME
    if _is_safe(arena, position, FROM_WASTE, left):
        return FROM_WASTE | _HOME
    lowest, chosen = _NO_WORD, -1
    for pile in range(np.int64(position[PILE_COUNT])):
        word = _word_of(position, pile)
        if 0 < word < lowest and _is_safe(arena, position, pile, left):
            lowest, chosen = word, pile
    return chosen | _HOME if chosen >= 0 else -1


@kernel
def _add(position: Any, move: int, line: Any, count: int) -> int:
    """Play a move and write it; return the new count. Moves past the end are lost."""
    game_rules.apply(position, move)
    if count < len(line):
        line[count] = move
    return count + 1


@kernel
def write_rollout(arena: int, position: Any, state: int, moves: int, line: Any, count: int) -> int:
    """Write the last rollout's moves behind `count` others; return the new count.

    position  uint8[POSITION_SIZE]  where the rollout began; read only
    state     int                   offset of the state that the rollout began from
    moves     int                   how many moves it made
    line      uint16[MAX_LINE]      out
    """
    places = np.zeros(16, np.int64)
    for place in range(16):
        places[place] = place
    taken = np.int64(0)
    for pile in range(np.int64(position[PILE_COUNT])):
        word = load64(arena, state + at.PILE + at.WORD * pile)
        places[pile] = _find_pile(position, word, taken)
        taken |= 1 << places[pile]
    for index in range(moves):
        move = playout.move_at(arena, index)
        source, target = places[move & SOURCE_MASK], places[move >> TARGET_SHIFT]
        if count < len(line):
            line[count] = source | target << TARGET_SHIFT
        count += 1
    return count


@kernel
def write_line(arena: int, position: Any, line: Any) -> int:
    """Write the line of the search that has just won; return its length.

    arena     int                   address
    position  uint8[POSITION_SIZE]  the root; changed
    line      uint16[MAX_LINE]      out; a length above MAX_LINE means that it did not fit
    """
    depth = 0
    number = load64(arena, search.WINNER)
    while number > 0:
        depth += 1
        number = nodes.parent_of(arena, number)
    path = np.zeros(depth + 1, np.int64)
    number = load64(arena, search.WINNER)
    for index in range(depth - 1, -1, -1):
        path[index] = number
        number = nodes.parent_of(arena, number)
    count = np.int64(0)
    for index in range(depth):
        source, target = nodes.source_of(arena, path[index]), nodes.target_of(arena, path[index])
        count = _add(position, _move_of(position, source, target), line, count)
        move = _safe_move(arena, position)
        while move >= 0:
            count = _add(position, move, line, count)
            move = _safe_move(arena, position)
    moves = load64(arena, search.ROLLOUT_MOVES)
    if moves > 0:
        count = write_rollout(arena, position, at.CHILD, moves, line, count)
    return count
