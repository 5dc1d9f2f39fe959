"""The memory of The Plot's searches: where things lie in an arena, and a deal loaded into it.

Owns offsets, the form of a search state, and its making from a packed position. The cards that
go over the waste are one stream, last card first: bit b of a waste mask is card b of the
stream, so the waste is a set and its top the lowest bit. The stock's next card is number
`stock left - 1`. Piles are words `length << 4 | bottom rank`, sorted, so that a state is the
same whichever pile lies where.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.jit import inlined, kernel
from solvers.plot import bound as reserve_bound
from solvers.plot import policy
from solvers.plot.layout import (
    BOTTOMS,
    COPIES,
    ISOLATION_NONE,
    LENGTHS,
    NEXT,
    OUT,
    PILE_COUNT,
    RANK_COUNT,
    RESERVE_LEFT,
    RESERVES,
    STOCK,
    STOCK_END,
    WASTE,
    WASTE_LEFT,
)
from solvers.search.arena import HEADER, load64, new_arena, store64
from solvers.search.bits import hash_deck, lowest_bit

WORD = 8

#: The deal, 8-byte words from here on.
RANKS_AT = HEADER
PILES_AT = RANKS_AT + WORD
COPIES_AT = PILES_AT + WORD
ISOLATION_AT = COPIES_AT + WORD
TOTAL_AT = ISOLATION_AT + WORD  # cards in the game
RESERVE_AT = TOTAL_AT + WORD  # 13 ranks, deepest first
STREAM_AT = RESERVE_AT + 16 * WORD  # 78 ranks, last card first
BOUND_AT = STREAM_AT + 80 * WORD  # as in `bound`
WEIGHTS_AT = BOUND_AT + reserve_bound.BOUND_SIZE * WORD  # as in `policy`
NOISE_AT = WEIGHTS_AT + 2 * policy.WEIGHTS * WORD  # as in `policy`

#: A search state, words.
PILE = 0  # 12 words, ascending; 0 for a space
OUTS = PILE + 12 * WORD  # cards out by rank, 13
STOCK_LEFT = OUTS + 13 * WORD
RESERVES_LEFT = STOCK_LEFT + WORD
WASTE_LOW = RESERVES_LEFT + WORD  # stream cards 0..63 on the waste
WASTE_HIGH = WASTE_LOW + WORD  # stream cards 64..77
HISTOGRAM = WASTE_HIGH + WORD  # ranks on the waste, four bits each
SCORE = HISTOGRAM + WORD  # what the moves so far were worth
ALL_OUT = SCORE + WORD  # cards on the foundations
STATE_WORDS = ALL_OUT // WORD + 1
#: Bytes of a state, a multiple of what is copied at once.
STATE_SIZE = np.int64(STATE_WORDS * WORD)
assert STATE_SIZE % 32 == 0

#: The states that a search works on, then the memory of rollouts (see `rollout`).
ROOT = np.int64(NOISE_AT + len(policy.GUMBEL) * WORD)
PARENT = np.int64(ROOT + STATE_WORDS * WORD)
CHILD = np.int64(PARENT + STATE_WORDS * WORD)
ROLLOUT_AT = int(CHILD) + STATE_WORDS * WORD
ROLLOUT_SIZE = 4096
CONTEXT_END = ROLLOUT_AT + ROLLOUT_SIZE

LENGTH_SHIFT = 4
BOTTOM_MASK = 15
ONE_CARD = 1 << LENGTH_SHIFT


@kernel
def load_deal(arena: int, packed: Any, bound: Any, isolation: int) -> None:
    """Load a packed position and its reserve bound into an arena, and its root state.

    arena      int                    address
    packed   uint8[PACKED_SIZE]
    bound      int64[BOUND_SIZE]
    isolation  int                    as in layout
    """
    ranks = np.int64(packed[RANK_COUNT])
    piles = np.int64(packed[PILE_COUNT])
    store64(arena, RANKS_AT, ranks)
    store64(arena, PILES_AT, piles)
    store64(arena, COPIES_AT, np.int64(packed[COPIES]))
    store64(arena, ISOLATION_AT, isolation)
    store64(arena, TOTAL_AT, ranks * np.int64(packed[COPIES]))
    for index in range(np.int64(packed[RESERVE_LEFT])):
        store64(arena, RESERVE_AT + WORD * index, np.int64(packed[RESERVES + index]))
    for index in range(len(bound)):
        store64(arena, BOUND_AT + WORD * index, bound[index])
    for word in range(STATE_WORDS):
        store64(arena, ROOT + WORD * word, 0)
    for pile in range(piles):
        length = np.int64(packed[LENGTHS + pile])
        if length > 0:
            code = length << LENGTH_SHIFT | np.int64(packed[BOTTOMS + pile])
            store64(arena, ROOT + PILE + WORD * pile, code)
    sort_piles(arena, ROOT)
    total = 0
    for rank in range(ranks):
        out = np.int64(packed[OUT + rank])
        store64(arena, ROOT + OUTS + WORD * rank, out)
        total += out
    store64(arena, ROOT + ALL_OUT, total)
    store64(arena, ROOT + RESERVES_LEFT, np.int64(packed[RESERVE_LEFT]))
    waste = np.int64(packed[WASTE_LEFT])
    first = np.int64(packed[NEXT])
    stock = np.int64(packed[STOCK_END]) - first
    store64(arena, ROOT + STOCK_LEFT, stock)
    for index in range(waste):
        number = stock + waste - 1 - index
        store64(arena, STREAM_AT + WORD * number, np.int64(packed[WASTE + index]))
        push_waste(arena, ROOT, number)
    for index in range(stock):
        rank = np.int64(packed[STOCK + first + index])
        store64(arena, STREAM_AT + WORD * (stock - 1 - index), rank)


@inlined
def stream_rank(arena: int, number: int) -> int:
    """Return the rank of a card of the stream."""
    return load64(arena, STREAM_AT + WORD * number)


@inlined
def first_bit(low: int, high: int) -> int:
    """Return the lowest number in a waste mask, -1 when it is empty."""
    if low != 0:
        return lowest_bit(low)
    return 64 + lowest_bit(high) if high != 0 else -1


@inlined
def waste_top(arena: int, state: int) -> int:
    """Return the stream number of the waste's top card, -1 for none."""
    return first_bit(load64(arena, state + WASTE_LOW), load64(arena, state + WASTE_HIGH))


@inlined
def waste_second(arena: int, state: int) -> int:
    """Return the stream number of the card under the waste's top, -1 for none."""
    low, high = load64(arena, state + WASTE_LOW), load64(arena, state + WASTE_HIGH)
    if low != 0:
        low &= low - 1
    else:
        high &= high - 1
    return first_bit(low, high)


@inlined
def _flip_waste(arena: int, state: int, number: int) -> None:
    """Put a stream card into the waste mask, or take it out."""
    field = state + WASTE_LOW if number < 64 else state + WASTE_HIGH
    store64(arena, field, load64(arena, field) ^ (1 << (number & 63)))


@inlined
def push_waste(arena: int, state: int, number: int) -> None:
    """Lay a stream card on the waste."""
    _flip_waste(arena, state, number)
    one = 1 << (policy.RANK_BITS * stream_rank(arena, number))
    store64(arena, state + HISTOGRAM, load64(arena, state + HISTOGRAM) + one)


@inlined
def pop_waste(arena: int, state: int, number: int) -> None:
    """Take the waste's top card, which is `number`, away."""
    _flip_waste(arena, state, number)
    one = 1 << (policy.RANK_BITS * stream_rank(arena, number))
    store64(arena, state + HISTOGRAM, load64(arena, state + HISTOGRAM) - one)


@inlined
def sort_piles(arena: int, state: int) -> None:
    """Put the piles of a state in ascending order, by insertion: they nearly are."""
    for index in range(1, load64(arena, PILES_AT)):
        code = load64(arena, state + PILE + WORD * index)
        place = index
        while place > 0 and load64(arena, state + PILE + WORD * (place - 1)) > code:
            before = load64(arena, state + PILE + WORD * (place - 1))
            store64(arena, state + PILE + WORD * place, before)
            place -= 1
        store64(arena, state + PILE + WORD * place, code)


@inlined
def top_rank(arena: int, code: int) -> int:
    """Return the rank on top of a pile word that is no space."""
    rank = (code & BOTTOM_MASK) - (code >> LENGTH_SHIFT) + 1
    while rank < 0:
        rank += load64(arena, RANKS_AT)
    return rank


@inlined
def without_top(code: int) -> int:
    """Return a pile word with one card less."""
    return code - ONE_CARD if code >= 2 * ONE_CARD else 0


@inlined
def is_phase_one(arena: int, state: int) -> bool:
    """Tell whether the first foundation still lacks cards."""
    return load64(arena, state + OUTS + WORD * (load64(arena, RANKS_AT) - 1)) == 0


@inlined
def out_of(arena: int, state: int, rank: int) -> int:
    """Return how many cards of a rank are out."""
    return load64(arena, state + OUTS + WORD * rank)


@inlined
def may_go_out(arena: int, state: int, rank: int, reserve_left: int) -> bool:
    """Tell whether a foundation takes a card and the reserve can be played after it.

    reserve_left  reserve cards left after the move
    """
    out = out_of(arena, state, rank)
    most = load64(arena, BOUND_AT + WORD * (reserve_bound.ROW * reserve_left + rank))
    if out >= most:
        return False
    if rank == 0:
        return not is_phase_one(arena, state)
    return out < out_of(arena, state, rank - 1)


#: Room for the bytes of a fingerprint: the reserve and its end, stock and waste, two bytes for each
#: pile, and 13 counts are at most 130.
_FINGERPRINT = 160


@kernel
def fingerprint(arena: int) -> int:
    """Hash what matters of the loaded packed: the seed of all that is random about it.

    The bytes hashed by `hash_deck` are the reserve, the cards of waste and stock, and the pile
    words and counts of the root state. Suits, the order of the piles and the deal's number
    have no part in it.
    """
    data = np.zeros(_FINGERPRINT, np.uint8)
    count = 0
    for index in range(load64(arena, ROOT + RESERVES_LEFT)):
        data[count] = load64(arena, RESERVE_AT + WORD * index)
        count += 1
    cards = load64(arena, ROOT + STOCK_LEFT)
    data[count] = cards
    count += 1
    for rank in range(load64(arena, RANKS_AT)):
        cards += (load64(arena, ROOT + HISTOGRAM) >> (4 * rank)) & 15
    for number in range(cards):
        data[count] = stream_rank(arena, number)
        count += 1
    for word in range(STOCK_LEFT // WORD):
        code = load64(arena, ROOT + WORD * word)
        data[count] = code & 255
        count += 1
        if word < OUTS // WORD:
            data[count] = code >> 8
            count += 1
    return hash_deck(data[:count])


def make_context(size: int = 0, isolation: int = ISOLATION_NONE) -> NDArray[np.int64]:
    """Return an arena of `size` bytes, or what a deal needs, with weights and noise in place."""
    arena = new_arena(max(size, CONTEXT_END))
    words = np.concatenate([policy.weights_for(isolation), policy.noise_table()])
    first = WEIGHTS_AT // WORD
    arena[first : first + len(words)] = words
    return arena
