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
- When a class needs one pair more, any pair (x, y) that is there may be taken at once. An
  exchange shows it: if a solution removes x and y separately, only one pair of the class is
  needed, so at most one of the two is paired in it, say as (x, y'). Pair (x, y) now instead,
  and let y' leave alone when its turn comes, with the stock card that y would have used.

Where redeals are limited or the stock's top plays, the same test is necessary for the
goal `pyramid`, so "no" is a proof there as well.
Source: own; agrees with exhaustive search in the tests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cards import KING
from solvers.jit import inlined, kernel
from solvers.pyramid.counts import (
    CLASSES,
    as_counts,
    at_least_one,
    at_least_two,
    class_of,
    count_at,
    exactly_one,
    first_counted,
)
from solvers.pyramid.fields import cover_of, exposed
from solvers.pyramid.layout import BIT_OF, PLACE_BITS
from solvers.pyramid.ranks import (
    RANKS,
    get_cover_pairs,
    highs_of,
    lows_of,
    pyramid_of_rank,
    rank_at,
)
from solvers.pyramid.rules import COVERS, PAIR_SUM, PYRAMID_SIZE
from solvers.search.arena import fill32
from solvers.search.bits import (
    GOLDEN,
    highest_bit,
    lowest_bit,
    mix,
    popcount,
    wrapping_add,
    wrapping_multiply,
)
from solvers.search.record import Bits, Record
from solvers.search.status import LOST, OPEN, OUT_OF_MEMORY, OUT_OF_NODES, WON

#: States of the first, hopeful search (measured: 6..12 are alike), and the small index.
FIRST_NODES = 8
SMALL_SLOTS = 1024

#: More than any limit on nodes.
_UNBOUNDED = 1 << 62

#: No deal seen needs 3,000 nodes; this many take 16 MiB.
_MOST_NODES = 1 << 17
#: What a node takes in all tables, its trials and slots included, rounded up.
_BYTES_OF_NODE = 128

#: More than the choices of a position, or the pairs of a solution.
_SCRATCH = 64

# A choice, in a word: what leaves, one by one or as a pair.
_CHOICE = Bits()
_leaving, _ = _CHOICE.field(PLACE_BITS, "cards", "mask of the cards that leave")
_is_pair, _as_pair = _CHOICE.field(1, "pair", "1 when they leave as a pair")

# A position that was reached, and how.
_NODE = Record()
_get_pyramid, _set_pyramid = _NODE.word("pyramid", "mask of the cards that are left")
_get_needs, _set_needs = _NODE.word("needs", "pairs that each class still needs; see `counts`")
_get_free, _set_free = _NODE.word("free", "mask of kings and of the cards of classes without needs")
_get_parent, _set_parent = _NODE.word("parent", "node that it was reached from; 0 for none")
_get_choice, _set_choice = _NODE.word("choice", "_CHOICE that led here")
_get_paired, _set_paired = _NODE.word(
    "paired", "mask of what then left in pairs, at most one pair of a class"
)
_get_slot, _set_slot = _NODE.word("slot", "its slot in the index, to clear that again")
NODE_SIZE = _NODE.size()

# What is still to be tried.
_TRIAL = Record()
_get_from, _set_from = _TRIAL.word("from", "node that is left; 0 for the position itself")
_get_trial, _set_trial = _TRIAL.word("choice", "_CHOICE to be made there")
TRIAL_SIZE = _TRIAL.size()

# The index: open addressing, zeroed again after each search.
_INDEX = Record()
_get_entry, _set_entry = _INDEX.array(32, 1, "node", "1 + a node's number, 0 where free")
SLOT_SIZE = _INDEX.size(multiple_of=1)

PROOF = Record(at=RANKS.size())
_get_nodes, _set_nodes = PROOF.word("nodes", "offset of the nodes")
_get_trials, _set_trials = PROOF.word("trials", "offset of the stack of trials")
_get_index, _set_index = PROOF.word("index", "offset of the index")
_get_node_room, _set_node_room = PROOF.word("node_room", "nodes that there is room for")
_get_trial_room, _set_trial_room = PROOF.word("trial_room", "trials that there is room for")
_get_slots, _set_slots = PROOF.word("slots", "slots of the index, a power of two")
_get_whole, _set_whole = PROOF.word("whole", "mask of the position's pyramid")
_get_all_needs, _set_all_needs = PROOF.word("all_needs", "the position's needs")
_get_stage, _set_stage = PROOF.word("stage", "the stage under way; see `run`")
_get_used, _set_used = PROOF.word("used", "nodes of the search under way, or of the last one")
_get_top, _set_top = PROOF.word("top", "trials that are left in the search under way")
_get_entered, _set_entered = PROOF.word("entered", "nodes that are in the index")
get_found, set_found = PROOF.array(
    64, _SCRATCH, "found", "masks of the pairs that a solution makes within the pyramid"
)


@kernel
def _room_for(memory_mib: int) -> Any:
    """Return how many nodes, trials and slots a search has room for.

    The whole memory, but no more than _MOST_NODES take.
    """
    nodes = min(_MOST_NODES, (memory_mib << 20) // _BYTES_OF_NODE)
    return nodes, 2 * nodes, 2 << highest_bit(2 * nodes - 1)


@kernel
def tables_size(memory_mib: int) -> int:
    """Return the bytes of all tables; each has a multiple of 64, as many as a cache line."""
    nodes, trials, slots = _room_for(memory_mib)
    return nodes * NODE_SIZE + trials * TRIAL_SIZE + slots * SLOT_SIZE


@kernel
def lay_out(arena: int, at: int, memory_mib: int) -> None:
    """Lay the tables out from the offset `at` on, a multiple of 64."""
    nodes, trials, slots = _room_for(memory_mib)
    _set_node_room(arena, nodes)
    _set_trial_room(arena, trials)
    _set_slots(arena, slots)
    _set_nodes(arena, at)
    _set_trials(arena, at + nodes * NODE_SIZE)
    _set_index(arena, _get_trials(arena) + trials * TRIAL_SIZE)
    # Searches find the index empty, and leave it so.
    fill32(arena, _get_index(arena), slots, 0)
    _set_entered(arena, 0)


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


@inlined
def _free_mask(arena: int, needs: int) -> int:
    """Return the mask of kings and of the cards of classes without a need."""
    free = pyramid_of_rank(arena, KING)
    for index in range(CLASSES):
        if count_at(needs, index) == 0:
            free |= lows_of(arena, index) | highs_of(arena, index)
    return free


@inlined
def _find_pair(pyramid: int, ones: int, others: int, cover_pairs: int) -> int:
    """Return the mask of an available pair of one and other; 0 when there is none."""
    open_mask = exposed(pyramid)
    one, other = ones & open_mask, others & open_mask
    if one != 0 and other != 0:
        return one & -one | other & -other
    if cover_pairs != 0 and (one | other) != 0:
        partners = (others if one != 0 else ones) & pyramid
        covers = one | other
        while partners != 0:
            covering = cover_of(pyramid, lowest_bit(partners))
            if covering & covering - 1 == 0 and covering & covers != 0:
                return covering | partners & -partners
            partners &= partners - 1
    return 0


@inlined
def _settle(arena: int, pyramid: int, needs: int, free: int) -> Any:
    """Remove all that may leave at once; return the pyramid, needs and free mask that remain.

    free  mask of kings and of the cards of classes without a need

    Returned last is the mask of the cards that left in pairs, at most one pair of a class.
    """
    cover_pairs = get_cover_pairs(arena)
    paired = 0
    while True:
        leaving = exposed(pyramid) & free
        while leaving != 0:
            pyramid &= ~leaving
            leaving = exposed(pyramid) & free
        if pyramid == 0:
            return pyramid, needs, free, paired
        single = exactly_one(needs)
        found = 0
        while single != 0:
            index = first_counted(single)
            single &= single - 1
            ones = lows_of(arena, index)
            others = highs_of(arena, index)
            found = _find_pair(pyramid, ones, others, cover_pairs)
            if found != 0:
                needs -= as_counts(1, index)
                free |= ones | others
                paired |= found
                pyramid &= ~found
                break
        if found == 0:
            return pyramid, needs, free, paired


@inlined
def _enter(arena: int, pyramid: int, needs: int, used: int, slots: int) -> int:
    """Make node `used` of a position and return its offset, 0 when the position is known."""
    nodes, index = _get_nodes(arena), _get_index(arena)
    slot = mix(wrapping_add(pyramid, wrapping_multiply(needs, GOLDEN))) & slots - 1
    entry = _get_entry(arena, index, slot)
    while entry != 0:
        node = nodes + NODE_SIZE * (entry - 1)
        if _get_pyramid(arena, node) == pyramid and _get_needs(arena, node) == needs:
            return 0
        slot = slot + 1 & slots - 1
        entry = _get_entry(arena, index, slot)
    _set_entry(arena, index, slot, used + 1)
    node = nodes + NODE_SIZE * used
    _set_pyramid(arena, node, pyramid)
    _set_needs(arena, node, needs)
    _set_slot(arena, node, slot)
    return node


@inlined
def _push(arena: int, top: int, node: int, choice: int) -> int:
    """Add a trial to the `top` that there are; return how many there are then."""
    trial = _get_trials(arena) + TRIAL_SIZE * top
    _set_from(arena, trial, node)
    _set_trial(arena, trial, choice)
    return top + 1


@kernel
def _push_choices(arena: int, node: int, top: int) -> int:
    """Add what may be chosen at a node, the least promising first.

    Cards of classes with needs leave one by one only to uncover another card, both covers
    of it together, or to leave a card covered by its partner alone: leaving earlier than
    that would be of no use. Then pairs, of classes that need two or more.

    top  trials that there are

    Returns how many trials there are then.
    """
    pyramid, needs = _get_pyramid(arena, node), _get_needs(arena, node)
    free = _get_free(arena, node)
    open_mask = exposed(pyramid)
    singles = doubles = 0
    active = at_least_one(needs)
    while active != 0:
        index = first_counted(active)
        active &= active - 1
        need = count_at(needs, index)
        for cards in (lows_of(arena, index), highs_of(arena, index)):
            left = cards & pyramid
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
            and rank_at(arena, lowest_bit(one)) == rank_at(arena, lowest_bit(other))
        ):
            top = _push(arena, top, node, covers)
        if get_cover_pairs(arena) != 0 and other != 0 and free >> bit & 1 == 0:
            partners = pyramid_of_rank(arena, PAIR_SUM - rank_at(arena, bit))
            if one & partners and other & singles:
                top = _push(arena, top, node, other)
            if other & partners and one & singles:
                top = _push(arena, top, node, one)
    active = at_least_two(needs)
    while active != 0:
        top = _push_pairs(arena, node, first_counted(active), top)
        active &= active - 1
    return top


@kernel
def _push_pairs(arena: int, node: int, index: int, top: int) -> int:
    """Add all available pairs of a class at a node; return how many trials there are then."""
    pyramid = _get_pyramid(arena, node)
    ones = lows_of(arena, index) & pyramid
    others = highs_of(arena, index) & pyramid
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
                    get_cover_pairs(arena) != 0 and cover_of(pyramid, lowest_bit(partner)) == cover
                ):
                    top = _push(arena, top, node, cover | partner | _as_pair(1))
    return top


@inlined
def _hopeless(arena: int, pyramid: int, needs: int) -> bool:
    """Tell whether some class has too few cards that could ever pair with each other.

    Two cards can pair unless one lies above the other, directly or not (with cover pairs:
    unless not directly). A class that needs n pairs must have n cards of each rank that
    have any partner. Measured: true for 71 % of the lost deals at the start.
    """
    cover_pairs = get_cover_pairs(arena) != 0
    active = at_least_one(needs)
    while active != 0:
        index = first_counted(active)
        active &= active - 1
        ones = lows_of(arena, index) & pyramid
        others = highs_of(arena, index) & pyramid
        able, partners = 0, 0
        while ones != 0:
            bit = lowest_bit(ones)
            ones &= ones - 1
            mates = others & ~(_FAR[bit] if cover_pairs else _RELATED[bit])
            partners |= mates
            able += mates != 0
        if min(able, popcount(partners)) < count_at(needs, index):
            return True
    return False


@kernel
def start(arena: int, pyramid: int, needs: int) -> None:
    """Take up a position, which `run` will decide.

    arena    int  address, with the position's cards sorted
    pyramid  mask; `needs` packed as `ranks.needs_of` gives them
    """
    # A search that was given up has left its nodes in the index.
    _clear_index(arena)
    _set_whole(arena, pyramid)
    _set_all_needs(arena, needs)
    _begin_stage(arena, 0)


@inlined
def _begin_stage(arena: int, stage: int) -> None:
    """Begin the search of a stage: at the position itself, where nothing is chosen."""
    _set_stage(arena, stage)
    _set_used(arena, 0)
    _set_top(arena, _push(arena, 0, 0, 0))


@inlined
def _clear_index(arena: int) -> None:
    """Take all nodes out of the index."""
    index, nodes = _get_index(arena), _get_nodes(arena)
    for node in range(nodes, nodes + NODE_SIZE * _get_entered(arena), NODE_SIZE):
        _set_entry(arena, index, _get_slot(arena, node), 0)
    _set_entered(arena, 0)


@kernel
def _search(arena: int, needs: int, budget: int, most: int, slots: int) -> int:
    """Go on with a search for pairs of some classes; depth first over unknown positions.

    needs   of these classes; the cards of all others are free
    budget  states that the whole search may expand
    most    states to expand now
    slots   how much of the index is used, a power of two

    Returns OPEN, LOST, WON, OUT_OF_NODES (of the budget) or OUT_OF_MEMORY. When WON the solution's
    path ends at the last of the nodes.
    """
    pyramid = _get_whole(arena)
    trials = _get_trials(arena)
    node_room, trial_room = _get_node_room(arena), _get_trial_room(arena)
    first_free = _free_mask(arena, needs)
    used, top = _get_used(arena), _get_top(arena)
    stop = used + min(most, budget - used)
    result = LOST
    while top > 0:
        if used >= stop:
            result = OUT_OF_NODES if used >= budget else OPEN
            break
        if used >= node_room or top + _SCRATCH > trial_room or 2 * used >= slots:
            result = OUT_OF_MEMORY
            break
        # 1. The latest trial: the choice is made, and what may leave at once does.
        top -= 1
        parent = _get_from(arena, trials + TRIAL_SIZE * top)
        choice = _get_trial(arena, trials + TRIAL_SIZE * top)
        left, needed, free = pyramid, needs, first_free
        if parent != 0:
            left, needed = _get_pyramid(arena, parent), _get_needs(arena, parent)
            free = _get_free(arena, parent)
        cards = _leaving(choice)
        if _is_pair(choice) != 0:
            # The class needed two or more: its cards are not free yet.
            needed -= as_counts(1, class_of(rank_at(arena, lowest_bit(cards))))
        left, needed, free, paired = _settle(arena, left & ~cards, needed, free)
        # 2. A new node, unless the position is known.
        node = _enter(arena, left, needed, used, slots)
        if node == 0:
            continue
        _set_free(arena, node, free)
        _set_parent(arena, node, parent)
        _set_choice(arena, node, choice)
        _set_paired(arena, node, paired)
        used += 1
        if left == 0:
            result = WON
            break
        # 3. What may be tried there.
        if not _hopeless(arena, left, needed):
            top = _push_choices(arena, node, top)
    _set_used(arena, used)
    _set_top(arena, top)
    _set_entered(arena, used)
    if result != OPEN:
        _clear_index(arena)
    return result


@kernel
def run(arena: int, most: int) -> Any:
    """Go on with the position of `start`; return the status, and the states expanded.

    most  states to expand at most

    Stages keep most answers short. The first is a search of FIRST_NODES states, which finds most
    solutions. The next ones take each class on its own, all others free: seven of eight lost deals
    are lost by one class (measured on 1..20000), in a third of the states. Then comes the whole
    search, first with a small index that stays in the processor's cache.

    The status is OPEN, LOST, WON or OUT_OF_MEMORY.
    """
    needs = _get_all_needs(arena)
    active = at_least_one(needs)
    expanded = 0
    while True:
        stage = _get_stage(arena)
        part, budget, slots = needs, SMALL_SLOTS // 2, SMALL_SLOTS
        if stage == 0:
            budget = FIRST_NODES
        elif stage <= CLASSES:
            # One class alone says nothing new where there is no other.
            part = as_counts(count_at(needs, stage - 1), stage - 1)
            if part == 0 or active & active - 1 == 0:
                _set_stage(arena, stage + 1)
                continue
        elif stage == CLASSES + 2:
            budget, slots = _UNBOUNDED, _get_slots(arena)
        before = _get_used(arena)
        result = _search(arena, part, budget, most - expanded, slots)
        expanded += _get_used(arena) - before
        if result in (OPEN, LOST) or (part == needs and result != OUT_OF_NODES):
            return result, expanded
        _begin_stage(arena, stage + 1)


@kernel
def find_pairs(arena: int) -> int:
    """Collect the pairs within the pyramid of the solution that `run` found, in `found`.

    Returns how many pairs there are; all other cards leave one by one.
    """
    count = 0
    node = _get_nodes(arena) + NODE_SIZE * (_get_used(arena) - 1)
    while node != 0:
        choice = _get_choice(arena, node)
        if _is_pair(choice) != 0:
            set_found(arena, count, _leaving(choice))
            count += 1
        paired = _get_paired(arena, node)
        while paired != 0:
            index = class_of(rank_at(arena, lowest_bit(paired)))
            pair = paired & (lows_of(arena, index) | highs_of(arena, index))
            set_found(arena, count, pair)
            paired &= ~pair
            count += 1
        node = _get_parent(arena, node)
    return count
