"""The memory of The Plot's searches: where things lie in an arena, and a deal loaded into it.

Owns the records of the deal and of a search state, and the making of both from a packed position.
The cards that go over the waste are one stream, last card first: bit b of a waste mask is card b
of the stream, so the waste is a set and its top the lowest bit. The stock's next card is number
`stock left - 1`. Piles are in ascending order, so that a state is the same whichever pile lies
where.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import RANKS
from solvers.jit import Local, View, inlined, kernel
from solvers.plot import bound as reserve_bound
from solvers.plot import policy
from solvers.plot.bound import BOUND_SIZE, ROW
from solvers.plot.layout import (
    BOTTOMS,
    COPIES,
    LENGTHS,
    NEXT,
    OUT,
    PILE_COUNT,
    RANK_COUNT,
    RESERVE_LEFT,
    RESERVES,
    STOCK,
    STOCK_END,
    WASTE_LEFT,
)
from solvers.plot.layout import WASTE as WASTE_BYTES
from solvers.plot.rules import PILES, RESERVE_SIZE, STOCK_SIZE
from solvers.search.arena import HEADER
from solvers.search.bits import hash_deck, lowest_bit, shift_right, without_lowest
from solvers.search.record import Bits, Record

#: A pile as a word: an unbroken run down, so its bottom card and its length say all; 0 is a space.
PILE = Bits()
get_bottom, put_bottom = PILE.field(4, "bottom", "rank of the deepest card, 0..12")
get_length, put_length = PILE.field(60, "length", "cards, at most 104")
ONE_CARD = PILE.pack(length=1)

#: A set of stream cards, such as the waste, in two words.
MASK = Record()
get_low, set_low = MASK.word("low", "stream cards 0..63, a bit each")
get_high, set_high = MASK.word("high", "stream cards 64..77, a bit each")
_LOW_BITS = 64

#: A search state.
STATE = Record()
get_pile, set_pile = STATE.array(64, PILES, "piles", "pile words, ascending")
get_out, set_out = STATE.array(64, RANKS, "out", "cards out by rank")
get_stock, set_stock = STATE.word("stock", "cards left in the stock")
get_reserve, set_reserve = STATE.word("reserve", "cards left in the reserve")
WASTE = STATE.block(MASK.size(), "waste", "stream cards on the waste, a MASK")
get_histogram, set_histogram = STATE.word("histogram", "ranks on the waste, as in policy")
get_score, set_score = STATE.word("score", "what the moves so far were worth, points")
get_all_out, set_all_out = STATE.word("all_out", "cards on the foundations")
#: Bytes, a multiple of what is copied at once.
STATE_SIZE = np.int64(STATE.size(32))

#: Bytes for the memory of playouts, with what a rollout or the grader's player adds to it.
PLAYOUT_SIZE = 4096

#: What an arena holds of a deal, and the states that a search works on.
DEAL = Record(at=HEADER)
get_ranks, set_ranks = DEAL.word("ranks", "ranks in the game")
get_piles, set_piles = DEAL.word("piles", "piles in the game")
get_copies, set_copies = DEAL.word("copies", "cards of each rank")
get_isolation, set_isolation = DEAL.word("isolation", "an ISOLATION of layout")
get_total, set_total = DEAL.word("total", "cards in the game")
get_reserve_rank, set_reserve_rank = DEAL.array(
    64, RESERVE_SIZE, "reserve_ranks", "ranks of the reserve, deepest first"
)
stream_rank, set_stream_rank = DEAL.array(
    64, STOCK_SIZE, "stream", "ranks of the cards that go over the waste, last card first"
)
get_bound, _ = DEAL.array(64, BOUND_SIZE, "bound", "as in bound")
_BOUND = DEAL.at("bound")
get_weight, set_weight = DEAL.array(
    64, 2 * policy.WEIGHTS, "weights", "as in policy: those of phase 1, then of phase 2; points"
)
# In the arena and not a constant, which made grading slower by 2 %.
get_noise, _set_noise = DEAL.array(64, len(policy.GUMBEL), "noise", "as in policy; points")
ROOT = np.int64(DEAL.block(int(STATE_SIZE), "root", "the state to be decided"))
PARENT = np.int64(DEAL.block(int(STATE_SIZE), "parent", "the state being expanded"))
CHILD = np.int64(DEAL.block(int(STATE_SIZE), "child", "the state being made from it"))
PLAYOUT_AT = DEAL.block(PLAYOUT_SIZE, "playout", "see playout and rollout")
#: Where the deal ends, and a search's memory of states may begin.
DEAL_END = DEAL.size()

#: Numbers of 32 bits side by side, such as the slots of a hash table.
NUMBERS = Record()
get_number, set_number = NUMBERS.array(32, 1, "number", "a number from 0 on")

#: Room for the bytes of a fingerprint: the reserve and its end, stock and waste, two bytes for each
#: pile, and 13 counts are at most 130.
_FINGERPRINT = 160
_BYTE = 255

_words, _new_bytes = View(np.int64), Local(np.uint8, _FINGERPRINT)


@kernel
def lay_out(arena: int) -> None:
    """Write what is the same for all deals: the noise."""
    for entry in range(len(policy.NOISE)):
        _set_noise(arena, entry, policy.NOISE[entry])


@kernel
def load_deal(arena: int, packed: Any, isolation: int) -> bool:
    """Load a packed position into an arena, with its root state; False when its bound is broken.

    arena      int                   address
    packed     uint8[PACKED_SIZE]    read only
    isolation  int                   as in layout

    Then the position is lost, and nothing but the bound is loaded.
    """
    if not reserve_bound.build(packed, _words(arena + _BOUND, BOUND_SIZE)):
        return False
    ranks = np.int64(packed[RANK_COUNT])
    piles = np.int64(packed[PILE_COUNT])
    copies = np.int64(packed[COPIES])
    set_ranks(arena, ranks)
    set_piles(arena, piles)
    set_copies(arena, copies)
    set_isolation(arena, isolation)
    set_total(arena, ranks * copies)
    for index in range(np.int64(packed[RESERVE_LEFT])):
        set_reserve_rank(arena, index, np.int64(packed[RESERVES + index]))
    for pile in range(PILES):
        length = np.int64(packed[LENGTHS + pile]) if pile < piles else np.int64(0)
        word = put_length(length) | put_bottom(np.int64(packed[BOTTOMS + pile]))
        set_pile(arena, ROOT, pile, word if length > 0 else 0)
    sort_piles(arena, ROOT)
    total = 0
    for rank in range(RANKS):
        out = np.int64(packed[OUT + rank]) if rank < ranks else np.int64(0)
        set_out(arena, ROOT, rank, out)
        total += out
    set_all_out(arena, ROOT, total)
    set_score(arena, ROOT, 0)
    set_reserve(arena, ROOT, np.int64(packed[RESERVE_LEFT]))
    waste = np.int64(packed[WASTE_LEFT])
    first = np.int64(packed[NEXT])
    stock = np.int64(packed[STOCK_END]) - first
    set_stock(arena, ROOT, stock)
    clear_mask(arena, ROOT + WASTE)
    set_histogram(arena, ROOT, 0)
    for index in range(waste):
        number = stock + waste - 1 - index
        set_stream_rank(arena, number, np.int64(packed[WASTE_BYTES + index]))
        push_waste(arena, ROOT, number)
    for index in range(stock):
        rank = np.int64(packed[STOCK + first + index])
        set_stream_rank(arena, stock - 1 - index, rank)
    return True


@kernel
def load_weights(arena: int, which: int) -> None:
    """Load a set of weights: a row of `policy.SETS`."""
    for place in range(2 * policy.WEIGHTS):
        set_weight(arena, place, policy.SETS[which, place])


@kernel
def fingerprint(arena: int) -> int:
    """Hash what matters of the loaded position: the seed of all that is random about it.

    The bytes hashed by `hash_deck` are the reserve, the cards of waste and stock, and the pile
    words and counts of the root state. Suits, the order of the piles and the deal's number
    have no part in it. Frozen: grades depend on it.
    """
    data = _new_bytes()
    count = 0
    for index in range(get_reserve(arena, ROOT)):
        data[count] = get_reserve_rank(arena, index)
        count += 1
    data[count] = get_stock(arena, ROOT)
    count += 1
    for number in range(stream_length(arena)):
        data[count] = stream_rank(arena, number)
        count += 1
    for pile in range(PILES):
        word = get_pile(arena, ROOT, pile)
        data[count] = word & _BYTE
        data[count + 1] = shift_right(word, 8)
        count += 2
    for rank in range(RANKS):
        data[count] = get_out(arena, ROOT, rank)
        count += 1
    return hash_deck(data[:count])


@inlined
def stream_length(arena: int) -> int:
    """Return how many cards stock and waste of the root have."""
    cards = get_stock(arena, ROOT)
    for rank in range(get_ranks(arena)):
        cards += policy.count_of(get_histogram(arena, ROOT), rank)
    return cards


@inlined
def first_of(low: int, high: int) -> int:
    """Return the lowest card of a mask's two words, -1 when there is none."""
    if low != 0:
        return lowest_bit(low)
    return _LOW_BITS + lowest_bit(high) if high != 0 else -1


@inlined
def first_card(arena: int, mask: int) -> int:
    """Return the lowest card in a mask, -1 when it is empty."""
    return first_of(get_low(arena, mask), get_high(arena, mask))


@inlined
def second_card(arena: int, mask: int) -> int:
    """Return the second lowest card in a mask that is not empty, -1 when there is one only."""
    low, high = get_low(arena, mask), get_high(arena, mask)
    if low != 0:
        low = without_lowest(low)
    else:
        high = without_lowest(high)
    return first_of(low, high)


@inlined
def has_card(arena: int, mask: int, number: int) -> bool:
    """Tell whether a card is in a mask."""
    if number < _LOW_BITS:
        return shift_right(get_low(arena, mask), number) & 1 != 0
    return shift_right(get_high(arena, mask), number - _LOW_BITS) & 1 != 0


@inlined
def flip_card(arena: int, mask: int, number: int) -> None:
    """Put a card into a mask, or take it out."""
    if number < _LOW_BITS:
        set_low(arena, mask, get_low(arena, mask) ^ (1 << number))
    else:
        set_high(arena, mask, get_high(arena, mask) ^ (1 << (number - _LOW_BITS)))


@inlined
def clear_mask(arena: int, mask: int) -> None:
    """Take all cards out of a mask."""
    set_low(arena, mask, 0)
    set_high(arena, mask, 0)


@inlined
def waste_top(arena: int, state: int) -> int:
    """Return the stream number of the waste's top card, -1 for none."""
    return first_card(arena, state + WASTE)


@inlined
def push_waste(arena: int, state: int, number: int) -> None:
    """Lay a stream card on the waste."""
    flip_card(arena, state + WASTE, number)
    one = policy.one_of(stream_rank(arena, number))
    set_histogram(arena, state, get_histogram(arena, state) + one)


@inlined
def pop_waste(arena: int, state: int, number: int) -> None:
    """Take the waste's top card, which is `number`, away."""
    flip_card(arena, state + WASTE, number)
    one = policy.one_of(stream_rank(arena, number))
    set_histogram(arena, state, get_histogram(arena, state) - one)


@inlined
def sort_piles(arena: int, state: int) -> None:
    """Put the piles of a state in ascending order, by insertion: they nearly are."""
    for index in range(1, get_piles(arena)):
        word = get_pile(arena, state, index)
        place = index
        while place > 0 and get_pile(arena, state, place - 1) > word:
            set_pile(arena, state, place, get_pile(arena, state, place - 1))
            place -= 1
        set_pile(arena, state, place, word)


@inlined
def top_rank(arena: int, word: int) -> int:
    """Return the rank on top of a pile word that is not a space."""
    rank = get_bottom(word) - get_length(word) + 1
    while rank < 0:
        rank += get_ranks(arena)
    return rank


@inlined
def without_top(word: int) -> int:
    """Return a pile word with one card less."""
    return word - ONE_CARD if word >= 2 * ONE_CARD else 0


@inlined
def is_phase_one(arena: int, state: int) -> bool:
    """Tell whether the first foundation still lacks cards."""
    return get_out(arena, state, get_ranks(arena) - 1) == 0


@inlined
def most_out(arena: int, rank: int, reserve_left: int) -> int:
    """Return how many cards of a rank may be out with a number of reserve cards left."""
    return get_bound(arena, ROW * reserve_left + rank)


@inlined
def may_go_out(arena: int, state: int, rank: int, reserve_left: int) -> bool:
    """Tell whether a foundation takes a card and the reserve can be played after it.

    reserve_left  reserve cards left after the move
    """
    out = get_out(arena, state, rank)
    if out >= most_out(arena, rank, reserve_left):
        return False
    if rank == 0:
        return not is_phase_one(arena, state)
    return out < get_out(arena, state, rank - 1)
