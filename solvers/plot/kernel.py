"""The rules of The Plot as kernels on packed positions: the fast twin of `rules`.

Owns dealing, legality, generation, apply, undo, perft and the replay of packed lines.
Knows no search policy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import inlined, kernel
from solvers.plot import rules
from solvers.plot.layout import (
    BOTTOMS,
    COPIES,
    ISOLATION_ALWAYS,
    ISOLATION_NONE,
    LENGTHS,
    MOVE_LIMIT,
    NEXT,
    OUT,
    PILE_COUNT,
    POSITION_SIZE,
    RANK_COUNT,
    RESERVE_LEFT,
    RESERVES,
    SOURCE_MASK,
    STOCK,
    STOCK_END,
    TARGET_SHIFT,
    WASTE,
    WASTE_LEFT,
)

#: Places of `rules` by names that do not clash with offsets. Typed, here and elsewhere: kernels
#: are compiled once more for each plain constant that they are called with.
FROM_WASTE = np.int64(rules.WASTE)
FROM_RESERVE = np.int64(rules.RESERVE)
TO_FOUNDATION = np.int64(rules.FOUNDATION)
FROM_STOCK = np.int64(rules.STOCK)
DRAW = FROM_STOCK | FROM_WASTE << TARGET_SHIFT
MAX_MOVES = 192
_RANKS, _PILES, _RESERVE_SIZE, _DECK_SIZE = 13, 12, 13, 104


@kernel
def deal(deck: Any, initial_waste: int, position: Any) -> None:
    """Deal a deck of the full game.

    deck           uint8[104]            cards in deal order
    initial_waste  int                   stock cards on the waste at the start: 0 or 1
    position       uint8[POSITION_SIZE]  out

    Twin: rules.deal and rules.start.
    """
    base = np.int64(deck[_RESERVE_SIZE]) >> 2
    position[:] = 0
    position[RANK_COUNT] = _RANKS
    position[PILE_COUNT] = _PILES
    position[COPIES] = 8
    position[RESERVE_LEFT] = _RESERVE_SIZE
    position[OUT] = 1
    for index in range(_DECK_SIZE):
        rank = (np.int64(deck[index]) >> 2) - base
        rank += _RANKS if rank < 0 else 0
        if index < _RESERVE_SIZE:
            position[RESERVES + index] = rank
        elif _RESERVE_SIZE < index <= _RESERVE_SIZE + _PILES:
            position[BOTTOMS + index - _RESERVE_SIZE - 1] = rank
            position[LENGTHS + index - _RESERVE_SIZE - 1] = 1
        elif index > _RESERVE_SIZE:
            position[STOCK + index - _RESERVE_SIZE - 1 - _PILES] = rank
    position[STOCK_END] = _DECK_SIZE - _RESERVE_SIZE - 1 - _PILES
    for index in range(initial_waste):
        position[WASTE + index] = position[STOCK + index]
        position[WASTE_LEFT] += 1
        position[NEXT] += 1


@inlined
def is_won(position: Any) -> bool:
    """Tell whether every card is on the foundations. Twin: rules.is_won."""
    out = 0
    for rank in range(position[RANK_COUNT]):
        out += position[OUT + rank]
    return out == np.int64(position[RANK_COUNT]) * position[COPIES]


@inlined
def top_of(position: Any, pile: int) -> int:
    """Return the rank of the top card of a pile that is no space."""
    rank = np.int64(position[BOTTOMS + pile]) - np.int64(position[LENGTHS + pile]) + 1
    while rank < 0:
        rank += np.int64(position[RANK_COUNT])
    return rank


@inlined
def source_rank(position: Any, source: int) -> int:
    """Return the rank of the playable card at a place, -1 for none.

    source  0..15; a place that is no source has none
    """
    if source < position[PILE_COUNT]:
        return top_of(position, source) if position[LENGTHS + source] > 0 else -1
    if source == FROM_WASTE and position[WASTE_LEFT] > 0:
        return np.int64(position[WASTE + position[WASTE_LEFT] - 1])
    if source == FROM_RESERVE and position[RESERVE_LEFT] > 0:
        return np.int64(position[RESERVES + position[RESERVE_LEFT] - 1])
    return -1


@inlined
def in_phase_one(position: Any) -> bool:
    """Tell whether the first foundation still lacks cards."""
    return position[OUT + position[RANK_COUNT] - 1] == 0


@inlined
def fits_foundation(position: Any, rank: int) -> bool:
    """Tell whether some foundation takes a card of a rank."""
    if rank == 0:
        return not in_phase_one(position)
    return position[OUT + rank] < position[OUT + rank - 1]


@inlined
def isolates_base(position: Any, isolation: int) -> bool:
    """Tell whether base-rank cards in the tableau are isolated now."""
    return isolation != ISOLATION_NONE and (isolation == ISOLATION_ALWAYS or in_phase_one(position))


@inlined
def fits_pile(position: Any, rank: int, pile: int, isolation: int) -> bool:
    """Tell whether a card of a rank may be built on a pile that is no space."""
    below = top_of(position, pile)
    if below != (rank + 1 if rank + 1 < position[RANK_COUNT] else 0):
        return False
    return (rank != 0 and below != 0) or not isolates_base(position, isolation)


@inlined
def is_legal(position: Any, move: int, isolation: int) -> bool:
    """Tell whether a packed move is legal; any integer is a safe input. Twin: rules.apply."""
    if not 0 <= move < MOVE_LIMIT:
        return False
    source = move & SOURCE_MASK
    target = move >> TARGET_SHIFT
    if move == DRAW:
        return position[NEXT] < position[STOCK_END]
    rank = source_rank(position, source)
    if rank < 0:
        return False
    if target == TO_FOUNDATION:
        return fits_foundation(position, rank)
    if source in (FROM_RESERVE, target) or target >= position[PILE_COUNT]:
        return False
    if position[LENGTHS + target] > 0:
        return fits_pile(position, rank, target, isolation)
    return source == FROM_WASTE and (rank == 0 or not in_phase_one(position))


@inlined
def apply(position: Any, move: int) -> int:
    """Play a legal move; return the rank of the card that moved, which `undo` needs.

    position  uint8[POSITION_SIZE]  changed in place
    """
    source = move & SOURCE_MASK
    target = move >> TARGET_SHIFT
    if move == DRAW:
        rank = np.int64(position[STOCK + position[NEXT]])
        position[NEXT] += 1
        position[WASTE + position[WASTE_LEFT]] = rank
        position[WASTE_LEFT] += 1
        return rank
    rank = source_rank(position, source)
    if source == FROM_WASTE:
        position[WASTE_LEFT] -= 1
    elif source == FROM_RESERVE:
        position[RESERVE_LEFT] -= 1
    else:
        position[LENGTHS + source] -= 1
    if target == TO_FOUNDATION:
        position[OUT + rank] += 1
    else:
        if position[LENGTHS + target] == 0:
            position[BOTTOMS + target] = rank
        position[LENGTHS + target] += 1
    return rank


@kernel
def undo(position: Any, move: int, rank: int) -> None:
    """Take back the last move, whose card is of `rank`."""
    source = move & SOURCE_MASK
    target = move >> TARGET_SHIFT
    if move == DRAW:
        position[NEXT] -= 1
        position[WASTE_LEFT] -= 1
        return
    if target == TO_FOUNDATION:
        position[OUT + rank] -= 1
    else:
        position[LENGTHS + target] -= 1
    if source == FROM_WASTE:
        position[WASTE + position[WASTE_LEFT]] = rank
        position[WASTE_LEFT] += 1
    elif source == FROM_RESERVE:
        position[RESERVE_LEFT] += 1
    else:
        if position[LENGTHS + source] == 0:
            position[BOTTOMS + source] = rank
        position[LENGTHS + source] += 1


@kernel
def generate(position: Any, isolation: int, moves: Any) -> int:
    """Write every legal move; return how many.

    Order: foundations, piles, the leftmost space, the draw; sources by place.

    position   uint8[POSITION_SIZE]  read only
    isolation  int                   as in layout
    moves      uint16[MAX_MOVES]     out; entries past the count are unspecified

    Twin: rules.legal_moves.
    """
    count = 0
    piles = np.int64(position[PILE_COUNT])
    for source in range(FROM_RESERVE + 1):
        move = source | TO_FOUNDATION << TARGET_SHIFT
        if is_legal(position, move, isolation):
            moves[count] = move
            count += 1
    for source in range(FROM_WASTE + 1):
        for target in range(piles):
            move = source | target << TARGET_SHIFT
            if position[LENGTHS + target] > 0 and is_legal(position, move, isolation):
                moves[count] = move
                count += 1
    for target in range(piles):
        if position[LENGTHS + target] == 0:
            move = FROM_WASTE | target << TARGET_SHIFT
            if is_legal(position, move, isolation):
                moves[count] = move
                count += 1
            break
    if is_legal(position, DRAW, isolation):
        moves[count] = DRAW
        count += 1
    return count


@kernel
def perft(position: Any, isolation: int, depth: int, moves: Any) -> int:
    """Count the move sequences of `depth` moves; the position is left as it was.

    moves  uint16[depth, MAX_MOVES]  scratch

    Twin: rules.perft.
    """
    if depth == 0:
        return 1
    own = moves[depth - 1]
    total = 0
    for index in range(generate(position, isolation, own)):
        move = np.int64(own[index])
        rank = apply(position, move)
        total += perft(position, isolation, depth - 1, moves)
        undo(position, move, rank)
    return total


@kernel
def replay(position: Any, line: Any, isolation: int) -> int:
    """Play a packed line strictly; return how many of its moves were legal.

    position  uint8[POSITION_SIZE]  changed in place; stops before the first illegal move
    line      uint16[n]             any contents are a safe input

    Twin: rules.replay.
    """
    for index in range(len(line)):
        move = np.int64(line[index])
        if not is_legal(position, move, isolation):
            return index
        apply(position, move)
    return len(line)


@kernel
def replay_many(
    decks: Any, initial_waste: int, isolation: int, lines: Any, offsets: Any, wins: Any
) -> None:
    """Tell for each deck whether its line wins it.

    decks    uint8[n, 104]
    lines    uint16[m]    packed lines, one after another
    offsets  int64[n + 1] line i is lines[offsets[i]:offsets[i + 1]]
    wins     bool[n]      out
    """
    position = np.empty(POSITION_SIZE, np.uint8)
    for row in range(len(decks)):
        deal(decks[row], initial_waste, position)
        line = lines[offsets[row] : offsets[row + 1]]
        wins[row] = replay(position, line, isolation) == len(line) and is_won(position)
