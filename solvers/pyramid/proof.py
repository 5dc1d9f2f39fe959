"""Exact winnability under unlimited redeals, by pair needs.

With unlimited redeals every card of stock and waste can be brought to the top at any
time, so only its rank matters. Take the class of ranks a and b, a + b = 13, with R_a,
R_b cards in the pyramid and s_a, s_b in stock and waste. Cards that leave one by one
use up partners from the stock, so at least

    n = max(0, R_a - s_b, R_b - s_a)

pairs must be found within the pyramid. Removing a single a (with a stock b) leaves n as
it was and is affordable iff R_a > n; removing a pair within the pyramid lowers n by one.
So a position is winnable iff some removal order makes n such pairs in every class, and
what matters is the pyramid's shape and the six needs alone. Waste kings and pairs of
stock cards cannot help: they only use up what singles need.

Pruning, all of it sound because a removal never covers a card and classes share
nothing:

- Kings, and cards of classes whose need is zero, leave as soon as they are exposed.
- Other cards leave one by one only when that is of use at once (`_push_choices`): a
  single that uncovers nothing can as well leave later.
- When a class needs one pair more, any pair that is there may be taken at once: in a
  solution that parts its cards x and y, at most one of them is in the pair (x, y'); take
  (x, y) instead, and y' alone at its time with the stock card that y would have used.

Where redeals are limited or the stock's top plays, the same test is necessary for the
goal `pyramid`, so "no" is a proof there as well.
Source: own; agrees with exhaustive search in the tests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.jit import inlined, kernel
from solvers.pyramid.kernel import cover_of, exposed, pyramid_card, rank_of, stock_card
from solvers.pyramid.layout import BIT_OF, NOTHING
from solvers.pyramid.rules import COVERS, PYRAMID_SIZE, STOCK_SIZE
from solvers.search.bits import lowest_bit, popcount
from solvers.search.status import LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON

#: A class's need, 0..4, takes four bits of the packed needs.
NEED_BITS = 4
_NEED = 15
_ONES = 0x111111
CLASSES = 6

#: States of the first, hopeful search (measured: 6..12 are alike), and the small index.
FIRST_NODES = 8
SMALL_SLOTS = 1024

#: More than the choices of a position, or the pairs of a solution.
SCRATCH = 64

_BITS = np.array(BIT_OF, np.int64)


def _related(*, far: bool) -> NDArray[np.int64]:
    """Return for each bit the mask of cards above or below it; `far` leaves neighbours out."""
    above: dict[int, set[int]] = {}
    for place in reversed(range(PYRAMID_SIZE)):
        above[place] = set(COVERS[place]).union(*(above[cover] for cover in COVERS[place]))
    masks = np.zeros(64, np.int64)
    for place, others in above.items():
        for other in others.difference(COVERS[place] if far else ()):
            masks[BIT_OF[place]] |= 1 << BIT_OF[other]
            masks[BIT_OF[other]] |= 1 << BIT_OF[place]
    return masks


_RELATED, _FAR = _related(far=False), _related(far=True)

# Columns of the nodes array: the key; the cards that leave freely; the node it came from
# and what was removed to come here; the cards that then left in pairs, at most one pair of a
# class; the node's slot in the index, to clear it.
_PYRAMID, _NEEDS, _FREE, _PARENT, _CHOICE, _PAIRED, _SLOT = range(7)
NODE_SIZE = 7

# A choice is the mask of cards that leave one by one, or of a pair and this flag.
_PAIR = 1 << 60


def new_memory(
    memory_mib: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Allocate the nodes, the stack `int64[m, 2]` and the index `int32[2^k]` of a search.

    No deal has more than 1430 shapes times 256 needs, and none seen needs 3,000 nodes, so
    that 16 MiB are the most that is taken. The index starts, and stays, zeroed.
    """
    nodes = min(1 << 17, (memory_mib << 20) // 128)
    slots = 1 << (2 * nodes - 1).bit_length()
    stack = np.empty((2 * nodes, 2), np.int64)
    return np.empty((nodes, NODE_SIZE), np.int64), stack, np.zeros(slots, np.int32)


@inlined
def _dealt_rank(card: int) -> int:
    """Return the rank of a card that was dealt, 0 for NOTHING."""
    return rank_of(card) if card != NOTHING else 0


@kernel
def mask_ranks(packed: Any, pyramid: int, stock: int, ranks: Any, tops: Any, rank_at: Any) -> None:
    """Sort what is left of a deck into masks by rank.

    ranks  int64[16]  out; pyramid mask of each rank 1..13
    tops   int64[16]  out; stock mask of each rank
    rank_at  int64[64]  out; rank of the card that was dealt to each pyramid bit
    """
    ranks[:] = 0
    tops[:] = 0
    for place in range(PYRAMID_SIZE):
        bit = _BITS[place]
        rank = _dealt_rank(pyramid_card(packed, place))
        rank_at[bit] = rank
        ranks[rank] |= pyramid & 1 << bit
    for index in range(STOCK_SIZE):
        tops[_dealt_rank(stock_card(packed, index))] |= stock & 1 << index


@kernel
def root_needs(ranks: Any, tops: Any, all_cards: bool) -> int:
    """Return the packed needs of a position; -1 when it is lost at once.

    all_cards  the goal is `all` and stock cards never pair with each other: then every
               stock card needs a partner in the pyramid.
    """
    needs = 0
    for low in range(1, CLASSES + 1):
        high = 13 - low
        need = max(
            popcount(ranks[low]) - popcount(tops[high]),
            popcount(ranks[high]) - popcount(tops[low]),
        )
        if all_cards and need < 0:
            return -1
        needs |= max(need, 0) << NEED_BITS * (low - 1)
    return needs


@inlined
def _free_mask(ranks: Any, needs: int) -> int:
    """Return the mask of kings and of the cards of classes without a need."""
    free = ranks[13]
    for low in range(1, CLASSES + 1):
        if needs >> NEED_BITS * (low - 1) & _NEED == 0:
            free |= ranks[low] | ranks[13 - low]
    return free


@inlined
def _find_pair(pyramid: int, ones: int, others: int, cover_pairs: bool) -> int:
    """Return the mask of an available pair of one and other; 0 when there is none."""
    open_mask = exposed(pyramid)
    one, other = ones & open_mask, others & open_mask
    if one != 0 and other != 0:
        return one & -one | other & -other
    if cover_pairs and (one | other) != 0:
        partners = (others if one != 0 else ones) & pyramid
        covers = one | other
        while partners != 0:
            covering = cover_of(pyramid, lowest_bit(partners))
            if covering & covering - 1 == 0 and covering & covers != 0:
                return covering | partners & -partners
            partners &= partners - 1
    return 0


@inlined
def _settle(pyramid: int, needs: int, free: int, ranks: Any, cover_pairs: bool) -> Any:
    """Remove all that may leave at once; return the pyramid, needs and free mask that remain.

    free  mask of kings and of the cards of classes without a need

    Returned last is the mask of the cards that left in pairs, at most one pair of a class.
    """
    paired = 0
    while True:
        leaving = exposed(pyramid) & free
        while leaving != 0:
            pyramid &= ~leaving
            leaving = exposed(pyramid) & free
        if pyramid == 0:
            return pyramid, needs, free, paired
        # The classes that need one pair: bit 4 i of their needs alone is set.
        single = needs & ~(needs >> 1 | needs >> 2) & _ONES
        found = 0
        while single != 0:
            shift = lowest_bit(single)
            single &= single - 1
            low = (shift >> 2) + 1
            found = _find_pair(pyramid, ranks[low], ranks[13 - low], cover_pairs)
            if found != 0:
                needs -= 1 << shift
                free |= ranks[low] | ranks[13 - low]
                paired |= found
                pyramid &= ~found
                break
        if found == 0:
            return pyramid, needs, free, paired


@inlined
def _enter(pyramid: int, needs: int, free: int, used: int, nodes: Any, index: Any) -> bool:
    """Make node `used` of a position unless the position is known; tell whether it was new."""
    slots = len(index)
    value = (pyramid ^ needs * -7046029254386353131) * -4658895280553007687
    slot = (value ^ value >> 32) & slots - 1
    while index[slot] != 0:
        node = index[slot] - 1
        if nodes[node, _PYRAMID] == pyramid and nodes[node, _NEEDS] == needs:
            return False
        slot = slot + 1 & slots - 1
    index[slot] = used + 1
    nodes[used, _PYRAMID] = pyramid
    nodes[used, _NEEDS] = needs
    nodes[used, _FREE] = free
    nodes[used, _SLOT] = slot
    return True


@kernel
def _push_choices(
    pyramid: int,
    needs: int,
    free: int,
    node: int,
    ranks: Any,
    rank_at: Any,
    cover_pairs: bool,
    stack: Any,
    top: int,
) -> int:
    """Push what may be chosen in a settled position, the least promising first.

    Cards of classes with needs leave one by one only to uncover another card, both covers
    of it together, or to leave a card covered by its partner alone: leaving earlier than
    that would be of no use. Then pairs, of classes that need two or more.

    stack  int64[n, 2]  node and choice; `top` entries are there

    Returns how many entries there are then.
    """
    open_mask = exposed(pyramid)
    singles = doubles = 0
    active = (needs | needs >> 1 | needs >> 2) & _ONES
    while active != 0:
        shift = lowest_bit(active)
        active &= active - 1
        need = needs >> shift & _NEED
        low = (shift >> 2) + 1
        for rank in (low, 13 - low):
            left = ranks[rank] & pyramid
            spare = popcount(left) - need
            if spare > 0:
                singles |= left & open_mask
                if spare == 1:
                    doubles |= left & open_mask
    # Cards that all exposed ones together would uncover.
    goals = exposed(pyramid & ~open_mask)
    while goals != 0:
        bit = lowest_bit(goals)
        goals &= goals - 1
        covers = cover_of(pyramid, bit)
        other = covers & covers - 1
        one = covers ^ other
        if covers & ~singles == 0 and not (
            other != 0
            and covers & ~doubles == 0
            and rank_at[lowest_bit(one)] == rank_at[lowest_bit(other)]
        ):
            stack[top, 0] = node
            stack[top, 1] = covers
            top += 1
        if cover_pairs and other != 0 and free >> bit & 1 == 0:
            partners = ranks[13 - rank_at[bit]]
            if one & partners and other & singles:
                stack[top, 0] = node
                stack[top, 1] = other
                top += 1
            if other & partners and one & singles:
                stack[top, 0] = node
                stack[top, 1] = one
                top += 1
    active = (needs >> 1 | needs >> 2) & _ONES
    while active != 0:
        low = (lowest_bit(active) >> 2) + 1
        active &= active - 1
        top = _push_pairs(
            pyramid, ranks[low] & pyramid, ranks[13 - low] & pyramid, node, cover_pairs, stack, top
        )
    return top


@kernel
def _push_pairs(
    pyramid: int, ones: int, others: int, node: int, cover_pairs: bool, stack: Any, top: int
) -> int:
    """Push all available pairs of a class; return how many entries there are then."""
    open_mask = exposed(pyramid)
    for turn in range(2):
        covers = (ones if turn == 0 else others) & open_mask
        partners = others if turn == 0 else ones
        while covers != 0:
            cover = covers & -covers
            covers &= covers - 1
            left = partners
            while left != 0:
                partner = left & -left
                left &= left - 1
                if (turn == 0 and partner & open_mask) or (
                    cover_pairs and cover_of(pyramid, lowest_bit(partner)) == cover
                ):
                    stack[top, 0] = node
                    stack[top, 1] = cover | partner | _PAIR
                    top += 1
    return top


@inlined
def _class_shift(choice: int, rank_at: Any) -> int:
    """Return where the needs hold the class of a pair."""
    rank = rank_at[lowest_bit(choice)]
    return NEED_BITS * (min(rank, 13 - rank) - 1)


@inlined
def _hopeless(pyramid: int, needs: int, ranks: Any, cover_pairs: bool) -> bool:
    """Tell whether some class has too few cards that could ever pair with each other.

    Two cards can pair unless one lies above the other, directly or not (with cover pairs:
    unless not directly). A class that needs n pairs must have n cards of each rank that
    have any partner. Measured: true for 71 % of the lost deals at the start.
    """
    active = (needs | needs >> 1 | needs >> 2) & _ONES
    while active != 0:
        shift = lowest_bit(active)
        active &= active - 1
        low = (shift >> 2) + 1
        ones, others = ranks[low] & pyramid, ranks[13 - low] & pyramid
        able, partners = 0, 0
        while ones != 0:
            bit = lowest_bit(ones)
            ones &= ones - 1
            mates = others & ~(_FAR[bit] if cover_pairs else _RELATED[bit])
            partners |= mates
            able += mates != 0
        if min(able, popcount(partners)) < needs >> shift & _NEED:
            return True
    return False


@kernel
def search(
    pyramid: int,
    needs: int,
    ranks: Any,
    rank_at: Any,
    cover_pairs: bool,
    max_nodes: int,
    nodes: Any,
    stack: Any,
    index: Any,
) -> Any:
    """Decide whether every class can find its pairs; depth first over unknown positions.

    pyramid  mask; `needs` packed as `root_needs` gives them
    ranks    int64[16]              pyramid mask of each rank
    rank_at  int64[64]              rank of each pyramid bit
    nodes    int64[n, NODE_SIZE]    from `new_memory`, as are
    stack    int64[m, 2]
    index    int32[2^k]             zeroed again at the end

    Returns (LOST | WON | OUT_OF_NODES | OUT_OF_MEMORY, states expanded). When WON the
    solution's path ends at the last state expanded.
    """
    first_pyramid, first_needs, first_free = pyramid, needs, _free_mask(ranks, needs)
    stack[0, 0], stack[0, 1] = -1, 0
    used, top, result = 0, 1, LOST
    while top > 0:
        if used >= max_nodes:
            result = OUT_OF_NODES
            break
        if used >= len(nodes) or top + SCRATCH > len(stack) or 2 * used >= len(index):
            result = OUT_OF_MEMORY
            break
        top -= 1
        parent, choice = stack[top, 0], stack[top, 1]
        pyramid, needs, free = first_pyramid, first_needs, first_free
        if parent >= 0:
            pyramid, needs = nodes[parent, _PYRAMID], nodes[parent, _NEEDS]
            free = nodes[parent, _FREE]
        if choice & _PAIR:
            # The class needed two or more: its cards are not free yet.
            needs -= 1 << _class_shift(choice, rank_at)
        pyramid, needs, free, paired = _settle(pyramid & ~choice, needs, free, ranks, cover_pairs)
        if not _enter(pyramid, needs, free, used, nodes, index):
            continue
        nodes[used, _PARENT] = parent
        nodes[used, _CHOICE] = choice
        nodes[used, _PAIRED] = paired
        used += 1
        if pyramid == 0:
            result = WON
            break
        if not _hopeless(pyramid, needs, ranks, cover_pairs):
            top = _push_choices(
                pyramid, needs, free, used - 1, ranks, rank_at, cover_pairs, stack, top
            )
    for node in range(used):
        index[nodes[node, _SLOT]] = 0
    return result, used


@kernel
def solution_pairs(nodes: Any, used: int, ranks: Any, rank_at: Any, found: Any) -> int:
    """Collect the pairs within the pyramid of the solution that `search` found.

    nodes, used     as `search` left them
    ranks, rank_at  as `search` was given them
    found           int64[SCRATCH]  out; masks of two cards each

    Returns how many pairs there are; all other cards leave one by one.
    """
    count = 0
    node = used - 1
    while node >= 0:
        choice = nodes[node, _CHOICE]
        if choice & _PAIR:
            found[count] = choice & ~_PAIR
            count += 1
        paired = nodes[node, _PAIRED]
        while paired != 0:
            rank = rank_at[lowest_bit(paired)]
            found[count] = paired & (ranks[rank] | ranks[13 - rank])
            paired &= ~found[count]
            count += 1
        node = nodes[node, _PARENT]
    return count


@kernel
def decide(
    pyramid: int,
    needs: int,
    ranks: Any,
    rank_at: Any,
    cover_pairs: bool,
    max_nodes: int,
    nodes: Any,
    stack: Any,
    index: Any,
) -> Any:
    """Decide as `search` does, in stages that keep most answers short.

    1. A search of FIRST_NODES states, which finds most solutions.
    2. Each class on its own, all others free: seven of eight lost deals are lost by one
       class (measured on 1..20000), in a third of the states.
    3. The whole search, first with a small index that stays in the processor's cache.

    Arguments and result as for `search`; the states of all stages count.
    """
    active = (needs | needs >> 1 | needs >> 2) & _ONES
    spent, used, result = 0, 0, OUT_OF_NODES
    for stage in range(CLASSES + 3):
        part, budget, slots = needs, SMALL_SLOTS // 2, SMALL_SLOTS
        if stage == 0:
            budget = FIRST_NODES
        elif stage <= CLASSES:
            # One class alone says nothing new where there is no other.
            part = needs & _NEED << NEED_BITS * (stage - 1)
            if part == 0 or active & active - 1 == 0:
                continue
        elif stage == CLASSES + 2:
            budget, slots = max_nodes, len(index)
        budget = min(budget, max_nodes - spent)
        if budget < 1:
            return OUT_OF_NODES, spent, 0
        result, used = search(
            pyramid,
            part,
            ranks,
            rank_at,
            cover_pairs,
            budget,
            nodes,
            stack,
            index[:slots],
        )
        spent += used
        if result == LOST or (part == needs and result != OUT_OF_NODES):
            break
    return result, spent, used
