"""The rules of The Plot as kernels on packed positions: the fast twin of `rules`.

Owns dealing, legality, generation, apply, undo, perft and the replay of packed lines.
Knows no search policy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import RANKS, SUITS
from solvers.jit import Local, entry, inlined, kernel
from solvers.plot import rules as plain
from solvers.plot.layout import (
    BOTTOMS,
    COPIES,
    ISOLATION_ALWAYS,
    ISOLATION_NONE,
    LENGTHS,
    MOVE_LIMIT,
    NEXT,
    OUT,
    PACKED_SIZE,
    PILE_COUNT,
    RANK_COUNT,
    RESERVE_LEFT,
    RESERVES,
    RULE_INITIAL_WASTE,
    RULE_ISOLATION,
    SOURCE_MASK,
    STOCK,
    STOCK_END,
    TARGET_SHIFT,
    WASTE,
    WASTE_LEFT,
)
from solvers.search.bits import rank_of

#: Places of `rules` by names that do not clash with offsets. Typed, here and elsewhere: kernels
#: are compiled once more for each plain constant that they are called with.
FROM_WASTE = np.int64(plain.WASTE)
FROM_RESERVE = np.int64(plain.RESERVE)
TO_FOUNDATION = np.int64(plain.FOUNDATION)
FROM_STOCK = np.int64(plain.STOCK)
#: A move to the foundations is its source and these bits.
HOME = TO_FOUNDATION << TARGET_SHIFT
DRAW = FROM_STOCK | FROM_WASTE << TARGET_SHIFT
#: Room for the moves of a position: 12 pile tops each onto 11 piles, the waste's top onto 12 piles,
#: 14 cards out and the draw are 159, rounded up.
MAX_MOVES = 160
_PILES_AT = plain.RESERVE_SIZE + 1
_STOCK_AT = _PILES_AT + plain.PILES

_new_packed = Local(np.uint8, PACKED_SIZE)


@inlined
def source_of(move: int) -> int:
    """Return the place that a packed move takes from."""
    return move & SOURCE_MASK


@inlined
def target_of(move: int) -> int:
    """Return the place that a packed move goes to."""
    return move >> TARGET_SHIFT


@inlined
def move_of(source: int, target: int) -> int:
    """Return the packed move from a place to another."""
    return source | target << TARGET_SHIFT


@kernel
def deal(deck: Any, rules: Any, packed: Any) -> None:
    """Deal a deck of the full game.

    deck    uint8[104]          cards in deal order
    rules   int64[RULES_SIZE]
    packed  uint8[PACKED_SIZE]  out

    Twin: rules.deal and rules.start.
    """
    base = rank_of(np.int64(deck[plain.RESERVE_SIZE]))
    packed[:] = 0
    packed[RANK_COUNT] = RANKS
    packed[PILE_COUNT] = plain.PILES
    packed[COPIES] = plain.DECKS * SUITS
    packed[RESERVE_LEFT] = plain.RESERVE_SIZE
    packed[STOCK_END] = plain.STOCK_SIZE
    packed[OUT] = 1
    for index in range(plain.DECK_SIZE):
        rank = rank_of(np.int64(deck[index])) - base
        rank += RANKS if rank < 0 else 0
        if index < plain.RESERVE_SIZE:
            packed[RESERVES + index] = rank
        elif index >= _STOCK_AT:
            packed[STOCK + index - _STOCK_AT] = rank
        elif index >= _PILES_AT:
            packed[BOTTOMS + index - _PILES_AT] = rank
            packed[LENGTHS + index - _PILES_AT] = 1
    for index in range(rules[RULE_INITIAL_WASTE]):
        packed[WASTE + index] = packed[STOCK + index]
        packed[WASTE_LEFT] += 1
        packed[NEXT] += 1


@entry("u8[:,:], i64[:], u8[:,:]")
def deal_decks(decks: Any, rules: Any, packed: Any) -> None:
    """Deal decks.

    decks   uint8[n, 104]
    rules   int64[RULES_SIZE]
    packed  uint8[n, PACKED_SIZE]  out
    """
    for row in range(len(decks)):
        deal(decks[row], rules, packed[row])


@kernel
def is_won(packed: Any) -> bool:
    """Tell whether every card is on the foundations. Twin: rules.is_won."""
    out = 0
    for rank in range(packed[RANK_COUNT]):
        out += np.int64(packed[OUT + rank])
    return out == np.int64(packed[RANK_COUNT]) * packed[COPIES]


@inlined
def top_of(packed: Any, pile: int) -> int:
    """Return the rank of the top card of a pile that is not a space."""
    rank = np.int64(packed[BOTTOMS + pile]) - np.int64(packed[LENGTHS + pile]) + 1
    while rank < 0:
        rank += np.int64(packed[RANK_COUNT])
    return rank


@inlined
def source_rank(packed: Any, source: int) -> int:
    """Return the rank of the playable card at a place, -1 for none.

    source  0..15; other places have no card to play
    """
    if source < packed[PILE_COUNT]:
        return top_of(packed, source) if packed[LENGTHS + source] > 0 else -1
    if source == FROM_WASTE and packed[WASTE_LEFT] > 0:
        return np.int64(packed[WASTE + packed[WASTE_LEFT] - 1])
    if source == FROM_RESERVE and packed[RESERVE_LEFT] > 0:
        return np.int64(packed[RESERVES + packed[RESERVE_LEFT] - 1])
    return -1


@inlined
def in_phase_one(packed: Any) -> bool:
    """Tell whether the first foundation still lacks cards."""
    return packed[OUT + packed[RANK_COUNT] - 1] == 0


@inlined
def fits_foundation(packed: Any, rank: int) -> bool:
    """Tell whether some foundation takes a card of a rank."""
    if rank == 0:
        return not in_phase_one(packed)
    return packed[OUT + rank] < packed[OUT + rank - 1]


@inlined
def isolates_base(packed: Any, isolation: int) -> bool:
    """Tell whether base-rank cards in the tableau are isolated now."""
    return isolation != ISOLATION_NONE and (isolation == ISOLATION_ALWAYS or in_phase_one(packed))


@inlined
def fits_pile(packed: Any, rank: int, pile: int, isolation: int) -> bool:
    """Tell whether a card of a rank may be built on a pile that is not a space."""
    below = top_of(packed, pile)
    if below != (rank + 1 if rank + 1 < packed[RANK_COUNT] else 0):
        return False
    return (rank != 0 and below != 0) or not isolates_base(packed, isolation)


@inlined
def _is_legal(packed: Any, move: int, isolation: int) -> bool:
    """Tell whether a packed move is legal. `rules` as an array would cost half of the speed."""
    if not 0 <= move < MOVE_LIMIT:
        return False
    source, target = source_of(move), target_of(move)
    if move == DRAW:
        return packed[NEXT] < packed[STOCK_END]
    rank = source_rank(packed, source)
    if rank < 0:
        return False
    if target == TO_FOUNDATION:
        return fits_foundation(packed, rank)
    if source in (FROM_RESERVE, target) or target >= packed[PILE_COUNT]:
        return False
    if packed[LENGTHS + target] > 0:
        return fits_pile(packed, rank, target, isolation)
    return source == FROM_WASTE and (rank == 0 or not in_phase_one(packed))


@kernel
def is_legal(packed: Any, move: int, rules: Any) -> bool:
    """Tell whether a packed move is legal; any integer is a safe input.

    packed  uint8[PACKED_SIZE]  read only
    rules   int64[RULES_SIZE]

    Twin: rules.apply.
    """
    return _is_legal(packed, move, rules[RULE_ISOLATION])


@inlined
def _apply(packed: Any, move: int) -> int:
    """Play a legal move; return the rank of the card that moved."""
    source, target = source_of(move), target_of(move)
    if move == DRAW:
        rank = np.int64(packed[STOCK + packed[NEXT]])
        packed[NEXT] += 1
        packed[WASTE + packed[WASTE_LEFT]] = rank
        packed[WASTE_LEFT] += 1
        return rank
    rank = source_rank(packed, source)
    if source == FROM_WASTE:
        packed[WASTE_LEFT] -= 1
    elif source == FROM_RESERVE:
        packed[RESERVE_LEFT] -= 1
    else:
        packed[LENGTHS + source] -= 1
    if target == TO_FOUNDATION:
        packed[OUT + rank] += 1
    else:
        if packed[LENGTHS + target] == 0:
            packed[BOTTOMS + target] = rank
        packed[LENGTHS + target] += 1
    return rank


@kernel
def apply(packed: Any, move: int) -> int:
    """Play a legal move; return the rank of the card that moved, which `undo` needs.

    packed  uint8[PACKED_SIZE]  changed in place
    """
    return _apply(packed, move)


@kernel
def undo(packed: Any, move: int, rank: int) -> None:
    """Take back the last move, whose card is of `rank`."""
    source, target = source_of(move), target_of(move)
    if move == DRAW:
        packed[NEXT] -= 1
        packed[WASTE_LEFT] -= 1
        return
    if target == TO_FOUNDATION:
        packed[OUT + rank] -= 1
    else:
        packed[LENGTHS + target] -= 1
    if source == FROM_WASTE:
        packed[WASTE + packed[WASTE_LEFT]] = rank
        packed[WASTE_LEFT] += 1
    elif source == FROM_RESERVE:
        packed[RESERVE_LEFT] += 1
    else:
        if packed[LENGTHS + source] == 0:
            packed[BOTTOMS + source] = rank
        packed[LENGTHS + source] += 1


@kernel
def legal_moves(packed: Any, rules: Any, moves: Any) -> int:
    """Write every legal move; return how many.

    Order: foundations, piles, the leftmost space, the draw; sources by place.

    packed  uint8[PACKED_SIZE]  read only
    rules   int64[RULES_SIZE]
    moves   uint16[MAX_MOVES]   out; entries past the count are unspecified

    Twin: rules.legal_moves.
    """
    count = 0
    isolation = rules[RULE_ISOLATION]
    piles = np.int64(packed[PILE_COUNT])
    for source in range(FROM_RESERVE + 1):
        move = source | HOME
        if _is_legal(packed, move, isolation):
            moves[count] = move
            count += 1
    for source in range(FROM_WASTE + 1):
        for target in range(piles):
            move = move_of(source, target)
            if packed[LENGTHS + target] > 0 and _is_legal(packed, move, isolation):
                moves[count] = move
                count += 1
    for target in range(piles):
        if packed[LENGTHS + target] == 0:
            move = move_of(FROM_WASTE, target)
            if _is_legal(packed, move, isolation):
                moves[count] = move
                count += 1
            break
    if _is_legal(packed, DRAW, isolation):
        moves[count] = DRAW
        count += 1
    return count


@kernel
def perft(packed: Any, rules: Any, depth: int, moves: Any) -> int:
    """Count the sequences of `depth` legal moves; the position is left as it was.

    packed  uint8[PACKED_SIZE]
    rules   int64[RULES_SIZE]
    moves   uint16[depth, MAX_MOVES]  scratch

    Twin: solvers.play.perft.
    """
    if depth == 0:
        return 1
    own = moves[depth - 1]
    total = 0
    for index in range(legal_moves(packed, rules, own)):
        move = np.int64(own[index])
        rank = apply(packed, move)
        total += perft(packed, rules, depth - 1, moves)
        undo(packed, move, rank)
    return total


@kernel
def replay(packed: Any, line: Any, rules: Any) -> int:
    """Play a packed line strictly; return how many of its moves were legal.

    packed  uint8[PACKED_SIZE]  changed in place; stops before the first illegal move
    line    uint16[n]           any contents are a safe input
    rules   int64[RULES_SIZE]

    Twin: solvers.play.replay.
    """
    isolation = rules[RULE_ISOLATION]
    for index in range(len(line)):
        move = np.int64(line[index])
        if not _is_legal(packed, move, isolation):
            return index
        _apply(packed, move)
    return len(line)


@kernel
def is_win(packed: Any, line: Any, rules: Any) -> bool:
    """Tell whether a packed line, played strictly, wins.

    packed  uint8[PACKED_SIZE]  changed in place
    line    uint16[n]           any contents are a safe input
    rules   int64[RULES_SIZE]
    """
    return replay(packed, line, rules) == len(line) and is_won(packed)


@entry("u8[:,:], i64[:], u16[:], i64[:], bool[:]")
def replay_decks(decks: Any, rules: Any, lines: Any, offsets: Any, wins: Any) -> None:
    """Tell for each deck whether its line wins it.

    decks    uint8[n, 104]
    rules    int64[RULES_SIZE]
    lines    uint16[m]      packed lines, one after another
    offsets  int64[n + 1]   line i is lines[offsets[i]:offsets[i + 1]]
    wins     bool[n]        out
    """
    packed = _new_packed()
    for row in range(len(decks)):
        deal(decks[row], rules, packed)
        wins[row] = is_win(packed, lines[offsets[row] : offsets[row + 1]], rules)
