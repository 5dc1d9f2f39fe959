"""What a move does to a search state of The Plot, and what it is worth.

Owns the words by which searches write moves, safe moves, and the features of a move that the
weights of `policy` weigh. Which moves are tried is the search's business.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import inlined, kernel
from solvers.plot import policy
from solvers.plot import search_state as at
from solvers.plot.search_state import CHILD, PARENT
from solvers.search.arena import copy

#: Special pile words: no pile has their bottom.
_NO_BOTTOM = 15
FROM_WASTE = np.int64(at.PILE.pack(bottom=_NO_BOTTOM, length=0))
FROM_RESERVE = np.int64(at.PILE.pack(bottom=_NO_BOTTOM, length=1))
FROM_STOCK = np.int64(at.PILE.pack(bottom=_NO_BOTTOM, length=2))
TO_FOUNDATION = np.int64(at.PILE.pack(bottom=_NO_BOTTOM, length=3))
TO_SPACE = np.int64(0)


@kernel
def arrival_worth(arena: int, histogram: int, below: int, rank: int, phase: int) -> int:
    """Return what it is worth to have a card on a waste of that histogram and top rank.

    phase  int  offset of the phase's weights
    """
    return at.get_weight(arena, phase + policy.WASTE_CARD) + policy.neighbour_worth(
        policy.count_lower(histogram, rank),
        below,
        rank,
        at.get_weight(arena, phase + policy.BURIED),
        at.get_weight(arena, phase + policy.ON_NEXT),
        at.get_weight(arena, phase + policy.ON_PREVIOUS),
    )


@kernel
def _waste_worth(arena: int, state: int, phase: int) -> int:
    """Return what the waste's top card is worth where it lies, 0 for an empty waste."""
    top = at.waste_top(arena, state)
    if top < 0:
        return 0
    rank = at.stream_rank(arena, top)
    second = at.second_card(arena, state + at.WASTE)
    below = at.stream_rank(arena, second) if second >= 0 else -1
    histogram = at.get_histogram(arena, state) - policy.one_of(rank)
    return arrival_worth(arena, histogram, below, rank, phase)


@kernel
def out_worth(arena: int, rank: int, phase: int) -> int:
    """Return what it is worth to play a card out, wherever from."""
    worth = at.get_weight(arena, phase + policy.OUT_CARD)
    if phase == 0 and rank == at.get_ranks(arena) - 1:
        worth += at.get_weight(arena, policy.LAST_RANK)
    return worth


@kernel
def cover_worth(arena: int, word: int, phase: int) -> int:
    """Return what it is worth to cover the top card of a pile word, but for the plain weight."""
    worth = at.get_weight(arena, phase + policy.COVER_LENGTH) * at.get_length(word)
    if at.get_out(arena, PARENT, at.top_rank(arena, word)) == 0:
        worth += at.get_weight(arena, phase + policy.COVER_WANTED)
    return worth


@inlined
def start_child(arena: int) -> None:
    """Copy the state being expanded to the child."""
    copy(arena, PARENT, CHILD, at.STATE_SIZE)


@kernel
def take_out(arena: int, state: int, rank: int) -> None:
    """Count a card as on the foundations."""
    at.set_out(arena, state, rank, at.get_out(arena, state, rank) + 1)
    at.set_all_out(arena, state, at.get_all_out(arena, state) + 1)


@kernel
def remove(arena: int, source: int, pile: int, phase: int) -> int:
    """Take a card off the child; return what that is worth.

    source  int  FROM_WASTE, FROM_RESERVE or the card's pile word
    pile    int  the pile's index
    """
    if source == FROM_WASTE:
        at.pop_waste(arena, CHILD, at.waste_top(arena, PARENT))
        return -_waste_worth(arena, PARENT, phase)
    if source == FROM_RESERVE:
        at.set_reserve(arena, CHILD, at.get_reserve(arena, CHILD) - 1)
        return at.get_weight(arena, phase + policy.RESERVE_CARD)
    at.set_pile(arena, CHILD, pile, at.without_top(at.get_pile(arena, CHILD, pile)))
    return 0


@kernel
def _is_safe(arena: int, state: int, rank: int, reserve_left: int) -> bool:
    """Tell whether playing a card out costs nothing: all cards of the rank below are out.

    Nothing will ever be built on it, and it could go out at any later time as well.
    """
    return (
        rank >= 1
        and at.get_out(arena, state, rank - 1) == at.get_copies(arena)
        and at.may_go_out(arena, state, rank, reserve_left)
    )


@kernel
def play_safe(arena: int, state: int) -> int:
    """Make one safe move if there is any; return the word it took from, -1 for none.

    The reserve first, then the waste, then the lowest pile word: the order by which
    `lines` makes the same moves again.
    """
    if at.is_phase_one(arena, state):
        return -1
    left = at.get_reserve(arena, state)
    if left > 0:
        rank = at.get_reserve_rank(arena, left - 1)
        if _is_safe(arena, state, rank, left - 1):
            at.set_reserve(arena, state, left - 1)
            take_out(arena, state, rank)
            return FROM_RESERVE
    top = at.waste_top(arena, state)
    if top >= 0 and _is_safe(arena, state, at.stream_rank(arena, top), left):
        at.pop_waste(arena, state, top)
        take_out(arena, state, at.stream_rank(arena, top))
        return FROM_WASTE
    for pile in range(at.get_piles(arena)):
        word = at.get_pile(arena, state, pile)
        if word > 0 and _is_safe(arena, state, at.top_rank(arena, word), left):
            at.set_pile(arena, state, pile, at.without_top(word))
            take_out(arena, state, at.top_rank(arena, word))
            at.sort_piles(arena, state)
            return word
    return -1
