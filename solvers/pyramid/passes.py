"""How often, and how far, the stock must be gone through: a table over a deal's graph.

A relaxed game: a position is a node of the graph and how many stock cards have been
passed. `reach` holds, for each, the least `25 * resets + passed` at which the last card
of the pyramid can leave. The relaxation must allow all that the real game allows, so
what matters is which cards can be played: the card passed last; with `stock_top` the
card to be passed next, alone or with the waste's top; and a card further down in the
waste, when all those above it, a run, have left.

In the first pass, as long as no card ahead has left, the length of the run is known.
Layers OFF_1, OFF_2 and OFF_3 (three or more) are for a run that the card passed last
belongs to, ON_0, ON_1 and ON_2 (two or more) for one that lies under that card. Say that
the stock is 9 4 K 2 7, and that 9, 4 and K are passed:

    waste    layer
    9 4 K    ON_0     K was passed last, and nothing is missing under it
    9 K      ON_1     the 4 is missing under the K
    9 4      OFF_1    the K itself has left
    9        OFF_2    the K and the 4 have left

A table that holds 5 for OFF_1 and 3 passed says that the 2 and the 7 must be passed as
well, but no reset is needed; 25 + 1 that the 9 must be drawn again.

What lies deeper than the run is forgotten, and a card may then be played if the cards
above it can have left: each left with a card of the pyramid, so no more cards of a rank
than the pyramid has lost of its partner, less the pairs that it made itself. (Kings leave
alone. With `stock_top` a card may have left with another stock card further on.) In later
passes any card may be missing, and only that rule remains: layers ON and OFF, by whether
the card passed last is still there.
"""

from __future__ import annotations

from solvers.cards import KING
from solvers.jit import inlined, kernel
from solvers.pyramid.counts import CLASSES, as_counts, count_at
from solvers.pyramid.fields import exposed
from solvers.pyramid.graph import (
    NO_NODE,
    NODE,
    REACH_SIZE,
    get_counts,
    get_first_pair,
    get_last_pair,
    get_needs,
    get_nodes,
    get_pair_node,
    get_pyramid,
    get_reach,
    get_single,
    node_at,
    set_reach,
)
from solvers.pyramid.ranks import get_cards, get_stock_top, rank_at, stock_of_rank, stock_rank_at
from solvers.pyramid.rules import PAIR_SUM, STOCK_SIZE
from solvers.search.arena import fill32, lower
from solvers.search.bits import lowest_bit, popcount

#: Positions of the stock, 0..24 cards passed; also what a reset counts for.
POSITIONS = STOCK_SIZE + 1

ON, OFF, ON_0, ON_1, ON_2, OFF_1, OFF_2, OFF_3 = range(8)
_LAYERS = 8
#: Entries of a layer.
_WIDTH = REACH_SIZE // _LAYERS

#: More than any entry: no pass suffices. Nine resets are told apart.
_UNREACHABLE = 250
#: Where a node has its table, and four entries of it as one word.
_REACH = NODE.at("reach")
_FOUR_UNREACHABLE = _UNREACHABLE * 0x01010101


@inlined
def entry_of(layer: int, passed: int) -> int:
    """Return which entry of `reach` holds a position in a layer."""
    return _WIDTH * layer + passed


@kernel
def fill(arena: int) -> None:
    """Fill `reach` of all nodes of a graph.

    arena  int  address, with the position's cards sorted and its graph built
    """
    cards, total = get_cards(arena), get_nodes(arena)
    stock_top = get_stock_top(arena) != 0
    last = node_at(total - 1)
    fill32(arena, last + _REACH, REACH_SIZE // 4, _FOUR_UNREACHABLE)
    for layer in range(_LAYERS):
        for passed in range(cards + 1):
            set_reach(arena, last, entry_of(layer, passed), passed)
    for node in range(total - 2, -1, -1):
        at = node_at(node)
        fill32(arena, at + _REACH, REACH_SIZE // 4, _FOUR_UNREACHABLE)
        for pair in range(get_first_pair(arena, at), get_last_pair(arena, at)):
            target = node_at(get_pair_node(arena, pair))
            lower(arena, target + _REACH, at + _REACH, REACH_SIZE)
        gone = _lost_to_stock(arena, at)
        left = exposed(get_pyramid(arena, at))
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            single = get_single(arena, at, bit)
            if single == NO_NODE:
                continue
            target = node_at(single)
            indices = stock_of_rank(arena, PAIR_SUM - rank_at(arena, bit))
            while indices != 0:
                index = lowest_bit(indices)
                indices &= indices - 1
                partners = _partners_beyond(arena, index) if stock_top else 0
                _play_first(arena, at, target, index, gone, partners)
                _play_later(arena, at, target, index, gone, partners)
        _pass_later(arena, at)
        _pass_first(arena, at)


@kernel
def _lost_to_stock(arena: int, node: int) -> int:
    """Return how many cards of each rank can have left with the stock; see `counts`."""
    start = node_at(0)
    gone = get_counts(arena, start) - get_counts(arena, node)
    made = get_needs(arena, start) - get_needs(arena, node)
    for index in range(CLASSES):
        pairs = count_at(made, index)
        gone -= as_counts(pairs, index + 1) + as_counts(pairs, PAIR_SUM - 1 - index)
    return gone


@kernel
def _partners_beyond(arena: int, index: int) -> int:
    """Return how many stock cards of each rank lie beyond one; see `counts`."""
    partners = 0
    for rank in range(1, KING):
        partners += as_counts(popcount(stock_of_rank(arena, rank) >> index + 1), rank)
    return partners


@inlined
def _allow(arena: int, node: int, entry: int, target: int, then: int) -> None:
    """Let a node at one entry do what another node can at the entry `then`."""
    reach = get_reach(arena, target, then)
    if reach < get_reach(arena, node, entry):
        set_reach(arena, node, entry, reach)


@kernel
def _play_first(arena: int, node: int, target: int, index: int, gone: int, partners: int) -> None:
    """Note where a stock card can be played in the first pass, and what follows.

    node, target    offsets, of the node before and after
    index           the card
    gone, partners  as in `_may_have_left`
    """
    cards, passed = get_cards(arena), index + 1
    for run in range(3):
        then = entry_of(OFF_1 + run, passed)
        _allow(arena, node, entry_of(ON_0 + run, passed), target, then)
    if get_stock_top(arena) != 0:
        # Played from the stock: it is passed and has left.
        for run in range(3):
            then = entry_of(OFF_1, passed)
            _allow(arena, node, entry_of(ON_0 + run, index), target, then)
            then = entry_of(min(OFF_2 + run, OFF_3), passed)
            _allow(arena, node, entry_of(OFF_1 + run, index), target, then)
    # Under a run of one card, of two, and of more.
    run = 0
    for passed in range(index + 2, cards + 1):
        over = stock_rank_at(arena, passed - 1)
        if over != KING:
            run += as_counts(1, over)
            if not _may_have_left(run, over, gone, partners):
                break
        entry = entry_of(min(OFF_1 + passed - index - 2, OFF_3), passed)
        if passed == index + 2:
            _allow(arena, node, entry, target, entry_of(OFF_2, passed))
        # Any number of the cards below may have left as well.
        if passed > index + 2 or index > 0:
            _allow(arena, node, entry, target, entry_of(OFF_3, passed))


@kernel
def _play_later(arena: int, node: int, target: int, index: int, gone: int, partners: int) -> None:
    """Note where a stock card can be played in a later pass, and what follows.

    Arguments as for `_play_first`.
    """
    then = entry_of(OFF, index + 1)
    _allow(arena, node, entry_of(ON, index + 1), target, then)
    if get_stock_top(arena) != 0:
        _allow(arena, node, entry_of(ON, index), target, then)
        _allow(arena, node, entry_of(OFF, index), target, then)
    run = 0
    for passed in range(index + 2, get_cards(arena) + 1):
        over = stock_rank_at(arena, passed - 1)
        if over != KING:
            run += as_counts(1, over)
            if not _may_have_left(run, over, gone, partners):
                break
        _allow(arena, node, entry_of(OFF, passed), target, entry_of(OFF, passed))


@inlined
def _may_have_left(run: int, rank: int, gone: int, partners: int) -> bool:
    """Tell whether the cards of a rank in a run of the waste can all have left.

    run, gone  cards of each rank (see `counts`): of the run, and lost to stock cards
    partners   stock cards beyond the run's first that they can have left with; 0 unless
               the stock's top plays
    """
    excess = count_at(run, rank) - count_at(gone, PAIR_SUM - rank)
    return excess <= 0 or excess <= count_at(partners, PAIR_SUM - rank)


@inlined
def _follow(arena: int, node: int, entry: int, then: int) -> None:
    """Let a node at one entry do what it can at the entry `then`."""
    _allow(arena, node, entry, node, then)


@kernel
def _pass_later(arena: int, node: int) -> None:
    """Add passing cards and resetting to what can be done at once, in later passes."""
    cards, stock_top = get_cards(arena), get_stock_top(arena) != 0
    for passed in range(cards, -1, -1):
        on, off = entry_of(ON, passed), entry_of(OFF, passed)
        if passed < cards:
            on_next, off_next = entry_of(ON, passed + 1), entry_of(OFF, passed + 1)
            _follow(arena, node, off, on_next)
            if stock_top:
                rank = stock_rank_at(arena, passed)
                # The card passed may have left with the waste's top, or as a king.
                if rank == KING or stock_of_rank(arena, PAIR_SUM - rank) & (1 << passed) - 1:
                    _follow(arena, node, off, off_next)
                _follow(arena, node, on, off_next)
            _follow(arena, node, on, on_next)
        if passed > 0 and stock_rank_at(arena, passed - 1) == KING:
            _follow(arena, node, on, off)
    again = min(get_reach(arena, node, entry_of(ON, 0)) + POSITIONS, _UNREACHABLE)
    for layer in range(_LAYERS):
        for passed in range(cards + 1):
            entry = entry_of(layer, passed)
            if again < get_reach(arena, node, entry):
                set_reach(arena, node, entry, again)


@kernel
def _pass_first(arena: int, node: int) -> None:
    """Add passing cards, and kings that leave, to what can be done in the first pass."""
    cards, stock_top = get_cards(arena), get_stock_top(arena) != 0
    for passed in range(cards, -1, -1):
        for run in range(2, -1, -1):
            on, off = entry_of(ON_0 + run, passed), entry_of(OFF_1 + run, passed)
            # The waste's top under the run.
            top = passed - 2 - run
            if passed < cards:
                _follow(arena, node, on, entry_of(ON_0, passed + 1))
                _follow(arena, node, off, entry_of(min(ON_1 + run, ON_2), passed + 1))
                if stock_top:
                    _pass_from_stock(arena, node, passed, run)
            if passed > 0 and stock_rank_at(arena, passed - 1) == KING:
                _follow(arena, node, on, off)
            if run < 2 and top >= 0 and stock_rank_at(arena, top) == KING:
                _follow(arena, node, off, entry_of(min(OFF_2 + run, OFF_3), passed))
                _follow(arena, node, off, entry_of(OFF_3, passed))


@kernel
def _pass_from_stock(arena: int, node: int, passed: int, run: int) -> None:
    """Add what the stock's top can do without the pyramid: leave as a king, or in a pair."""
    on, off = entry_of(ON_0 + run, passed), entry_of(OFF_1 + run, passed)
    longer = entry_of(min(OFF_2 + run, OFF_3), passed + 1)
    rank = PAIR_SUM - stock_rank_at(arena, passed)
    if rank == 0:
        _follow(arena, node, on, entry_of(OFF_1, passed + 1))
        _follow(arena, node, off, longer)
        return
    # With the waste's top, under which `run` cards have left.
    if passed > 0 and stock_rank_at(arena, passed - 1) == rank:
        _follow(arena, node, on, longer)
    # With the waste's top that lies under the run.
    top = passed - 2 - run
    if run == 2:
        partner = False
        for index in range(top + 1):
            partner = partner or stock_rank_at(arena, index) == rank
    else:
        partner = top >= 0 and stock_rank_at(arena, top) == rank
    if partner:
        _follow(arena, node, off, entry_of(OFF_3, passed + 1))


@inlined
def layer_of(stock: int, drawn: int, passed: int, cards: int) -> int:
    """Return the layer of a position.

    drawn   one more than the waste top's index, 0 for an empty waste
    passed  index of the next stock card, `cards` where there is none
    cards   stock cards at the start of the search
    """
    if stock >> passed != (1 << cards - passed) - 1:
        return OFF if passed > drawn else ON
    if passed > drawn:
        return OFF_1 + min(passed - drawn, 3) - 1
    run = 0
    while run < 2 and drawn - 2 - run >= 0 and stock >> drawn - 2 - run & 1 == 0:
        run += 1
    return ON_0 + run
