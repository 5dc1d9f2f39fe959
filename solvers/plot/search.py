"""Best-first search of The Plot, a queue for each stage of the game.

Owns the moves that are tried, their worth, and the loop. States compete only with states of
the same progress: the queues are visited in turn, one expansion each, so that a single pass is
a dive to the end and every further pass widens it. As soon as phase 1 ends, a few rollouts try
to win from there, and nearly always do.

Nothing sound is cut: the reserve bound, safe moves and the threshold abstraction lose no win,
and equal states are recognised exactly. So a search that runs dry proves a loss.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import kernel
from solvers.plot import nodes, phase_one, policy, rollout
from solvers.plot import search_state as at
from solvers.plot.layout import ISOLATION_ALWAYS, ISOLATION_NONE
from solvers.search.arena import copy, load64, store64
from solvers.search.bits import mix, shift_right
from solvers.search.status import LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON

_W = at.WORD

#: Special pile words; bottoms are at most 12, so no pile has them.
FROM_WASTE, FROM_RESERVE = np.int64(0x0F), np.int64(0x1F)
FROM_STOCK, TO_FOUNDATION = np.int64(0x2F), np.int64(0x3F)
TO_SPACE = np.int64(0)
_NO_PILE = np.int64(-1)

#: Which queue a state waits in: by cards drawn, by moves made, or one for all, where the
#: latest is first (depth-first) or the best.
BY_STOCK, BY_DEPTH, BY_PROGRESS, ALL_LATEST, ALL_BEST = range(5)

#: Nodes that an expansion stores on average, at most; 3.1 in the first 20,000 deals' tail, 5.8 in
#: the search that stores most.
_NODES_PER_EXPANSION = 12

#: Children of a state at most: 12 pile tops to 11 piles or out, and the few others.
_MOST_CHILDREN = 160
#: Temperatures of the rollouts that follow the end of phase 1.
EXIT_ROLLOUTS = 4
_EXIT_STEP = 30
_NO_LIMIT = np.int64(1 << 20)
_SPACE_BIT = 1 << 15

#: Abstract states that one question of the search may expand, and all of them for each state
#: that the search may: beyond that the threshold is too low to be worth asking.
_QUERY_LIMIT = np.int64(2000)
_QUERY_SHARE = 8

#: The search's own words in the arena: settings, then results.
_ORDER = nodes.REPORT
_SEED = _ORDER + _W
_NOISE = _SEED + _W
_MEMORY = _NOISE + _W  # address of the abstraction's memory, 0 for none
_QUERY_TOTAL = _MEMORY + _W  # abstract states that all questions may expand
_QUEUE = _QUERY_TOTAL + _W  # the queue of the state being expanded
_TOPS = _QUEUE + _W  # its piles' top ranks, a mask; bit 15 for a space
_QUEUED = _TOPS + _W  # states in all queues
_QUEUES_USED = _QUEUED + _W
WINNER = _QUEUES_USED + _W  # the node from which it was won
ROLLOUT_MOVES = WINNER + _W  # moves of the rollout that won from there, 0 for none
EXPANDED = ROLLOUT_MOVES + _W  # states expanded, moves of rollouts included
PRUNED = EXPANDED + _W  # states that the abstraction proved lost


@kernel
def _weight(arena: int, place: int) -> int:
    """Return a weight; `place` includes the phase's offset."""
    return load64(arena, at.WEIGHTS_AT + _W * place)


@kernel
def _arrival_worth(arena: int, histogram: int, below: int, rank: int, phase: int) -> int:
    """Return what it is worth to have a card on a waste of that histogram and top rank."""
    lower = policy.count_lower(histogram, rank)
    return _weight(arena, phase + policy.WASTE_CARD) + policy.neighbour_worth(
        lower,
        below,
        rank,
        _weight(arena, phase + policy.BURIED),
        _weight(arena, phase + policy.ON_NEXT),
        _weight(arena, phase + policy.ON_PREVIOUS),
    )


@kernel
def _waste_worth(arena: int, state: int, phase: int) -> int:
    """Return what the waste's top card is worth where it lies, 0 for an empty waste."""
    top = at.waste_top(arena, state)
    if top < 0:
        return 0
    rank = at.stream_rank(arena, top)
    second = at.waste_second(arena, state)
    below = at.stream_rank(arena, second) if second >= 0 else -1
    histogram = load64(arena, state + at.HISTOGRAM) - (1 << (policy.RANK_BITS * rank))
    return _arrival_worth(arena, histogram, below, rank, phase)


@kernel
def _take_out(arena: int, state: int, rank: int) -> None:
    """Count a card as on the foundations."""
    field = state + at.OUTS + _W * rank
    store64(arena, field, load64(arena, field) + 1)
    store64(arena, state + at.ALL_OUT, load64(arena, state + at.ALL_OUT) + 1)


@kernel
def _is_safe(arena: int, state: int, rank: int, reserve_left: int) -> bool:
    """Tell whether playing a card out costs nothing: all cards of the rank below are out.

    Nothing will ever be built on it, and it could go out at any later time as well.
    """
    return (
        rank >= 1
        and at.out_of(arena, state, rank - 1) == load64(arena, at.COPIES_AT)
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
    left = load64(arena, state + at.RESERVES_LEFT)
    if left > 0:
        rank = load64(arena, at.RESERVE_AT + _W * (left - 1))
        if _is_safe(arena, state, rank, left - 1):
            store64(arena, state + at.RESERVES_LEFT, left - 1)
            _take_out(arena, state, rank)
            return FROM_RESERVE
    top = at.waste_top(arena, state)
    if top >= 0 and _is_safe(arena, state, at.stream_rank(arena, top), left):
        at.pop_waste(arena, state, top)
        _take_out(arena, state, at.stream_rank(arena, top))
        return FROM_WASTE
    for pile in range(load64(arena, at.PILES_AT)):
        code = load64(arena, state + at.PILE + _W * pile)
        if code > 0 and _is_safe(arena, state, at.top_rank(arena, code), left):
            store64(arena, state + at.PILE + _W * pile, at.without_top(code))
            _take_out(arena, state, at.top_rank(arena, code))
            at.sort_piles(arena, state)
            return code
    return -1


@kernel
def _start_child(arena: int) -> None:
    """Copy the state being expanded to the child."""
    copy(arena, at.PARENT, at.CHILD, at.STATE_SIZE)


@kernel
def _shorten(arena: int, pile: int) -> None:
    """Take the top card off a pile of the child."""
    field = at.CHILD + at.PILE + _W * pile
    store64(arena, field, at.without_top(load64(arena, field)))


@kernel
def _remove(arena: int, source: int, pile: int, phase: int) -> int:
    """Take a card off the child; return what that is worth."""
    if source == FROM_WASTE:
        worth = -_waste_worth(arena, at.PARENT, phase)
        at.pop_waste(arena, at.CHILD, at.waste_top(arena, at.PARENT))
        return worth
    if source == FROM_RESERVE:
        left = load64(arena, at.CHILD + at.RESERVES_LEFT)
        store64(arena, at.CHILD + at.RESERVES_LEFT, left - 1)
        return _weight(arena, phase + policy.RESERVE_CARD)
    _shorten(arena, pile)
    return 0


@kernel
def _out_worth(arena: int, rank: int, phase: int) -> int:
    """Return what it is worth to play a card out, wherever from."""
    worth = _weight(arena, phase + policy.OUT_CARD)
    if phase == 0 and rank == load64(arena, at.RANKS_AT) - 1:
        worth += _weight(arena, policy.LAST_RANK)
    return worth


@kernel
def _cover_worth(arena: int, code: int, phase: int) -> int:
    """Return what it is worth to cover the top card of a pile word, but for the plain weight."""
    worth = _weight(arena, phase + policy.COVER_LENGTH) * (code >> at.LENGTH_SHIFT)
    if at.out_of(arena, at.PARENT, at.top_rank(arena, code)) == 0:
        worth += _weight(arena, phase + policy.COVER_WANTED)
    return worth


@kernel
def _win_by_rollout(arena: int) -> bool:
    """Try a few rollouts from the child; tell whether one won."""
    seed = mix(load64(arena, _SEED) + load64(arena, nodes.COUNT))
    for index in range(EXIT_ROLLOUTS):
        moves = rollout.play(arena, at.CHILD, _EXIT_STEP * index, mix(seed + index), _NO_LIMIT)
        made = moves if moves >= 0 else -1 - moves
        store64(arena, EXPANDED, load64(arena, EXPANDED) + made)
        if moves >= 0:
            store64(arena, ROLLOUT_MOVES, moves)
            return True
    return False


@kernel
def _queue_of(arena: int, order: int) -> int:
    """Return the queue in which the child waits."""
    if order == BY_STOCK:
        return load64(arena, at.ROOT + at.STOCK_LEFT) - load64(arena, at.CHILD + at.STOCK_LEFT)
    if order == BY_PROGRESS:
        drawn = load64(arena, at.ROOT + at.STOCK_LEFT) - load64(arena, at.CHILD + at.STOCK_LEFT)
        return 14 * drawn + min(load64(arena, at.CHILD + at.ALL_OUT), 13)
    if order == BY_DEPTH:
        return min(load64(arena, _QUEUE) + 1, nodes.QUEUES - 1)
    return 0


@kernel
def _enqueue(arena: int, number: int) -> None:
    """Queue the child, which is node `number`."""
    order = load64(arena, _ORDER)
    ranking = load64(arena, at.CHILD + at.SCORE)
    noise = load64(arena, _NOISE)
    if order == ALL_LATEST:
        ranking = number
    elif noise > 0:
        random = mix(nodes.key_of(arena, number) + load64(arena, _SEED))
        ranking += (noise * load64(arena, at.NOISE_AT + _W * shift_right(random, 56))) >> 8
    queue = _queue_of(arena, order)
    nodes.push(arena, queue, number, ranking)
    store64(arena, _QUEUED, load64(arena, _QUEUED) + 1)
    store64(arena, _QUEUES_USED, max(load64(arena, _QUEUES_USED), queue + 1))


@kernel
def _is_lost(arena: int) -> bool:
    """Tell whether the abstraction proves that the state to expand cannot complete phase 1."""
    memory = load64(arena, _MEMORY)
    if memory == 0 or load64(memory, phase_one.EXPANDED) >= load64(arena, _QUERY_TOTAL):
        return False
    if not at.is_phase_one(arena, at.PARENT):
        return False
    return phase_one.query(arena, memory, at.PARENT, _QUERY_LIMIT) == phase_one.DEAD


@kernel
def _take_up(arena: int, parent: int, source: int, target: int, worth: int) -> bool:
    """Make the child's safe moves, store and queue it; True when the game is won.

    source, target  int  pile words that the move took from and went to
    """
    store64(arena, at.CHILD + at.SCORE, load64(arena, at.PARENT + at.SCORE) + worth)
    at.sort_piles(arena, at.CHILD)
    while play_safe(arena, at.CHILD) >= 0:
        pass
    number = nodes.enter(arena, at.CHILD, parent, source, target)
    if number == nodes.NONE:
        return False
    if load64(arena, at.CHILD + at.ALL_OUT) == load64(arena, at.TOTAL_AT):
        store64(arena, WINNER, number)
        return True
    ends_phase_one = at.is_phase_one(arena, at.PARENT) and not at.is_phase_one(arena, at.CHILD)
    if ends_phase_one and _win_by_rollout(arena):
        store64(arena, WINNER, number)
        return True
    _enqueue(arena, number)
    return False


@kernel
def _expand_card(arena: int, parent: int, source: int, pile: int, rank: int) -> bool:
    """Take up every move of one playable card; True when one wins.

    source  int  FROM_WASTE, FROM_RESERVE or the card's pile word
    pile    int  the pile's index, -1 for none
    """
    ranks = load64(arena, at.RANKS_AT)
    phase_one_now = at.is_phase_one(arena, at.PARENT)
    phase = 0 if phase_one_now else policy.WEIGHTS
    left = load64(arena, at.PARENT + at.RESERVES_LEFT)
    alone = pile >= 0 and source < 2 * at.ONE_CARD
    cover = _weight(arena, phase + policy.COVER)
    space = _weight(arena, phase + policy.SPACE)
    # 1. Out.
    if at.may_go_out(arena, at.PARENT, rank, left - (1 if source == FROM_RESERVE else 0)):
        _start_child(arena)
        worth = _out_worth(arena, rank, phase) + _remove(arena, source, pile, phase)
        worth += space if alone else -cover if pile >= 0 else 0
        _take_out(arena, at.CHILD, rank)
        if _take_up(arena, parent, source, TO_FOUNDATION, worth):
            return True
    if source == FROM_RESERVE:
        return False
    # 2. Onto a pile, or into a space. Equal piles are one target.
    isolation = load64(arena, at.ISOLATION_AT)
    isolated = isolation == ISOLATION_ALWAYS or (isolation != ISOLATION_NONE and phase_one_now)
    holder = rank + 1 if rank + 1 < ranks else 0
    if isolated and (rank == 0 or holder == 0):
        holder = -1
    fitting = 1 << holder if holder >= 0 else 0
    if source == FROM_WASTE and (rank == 0 or not phase_one_now):
        fitting |= _SPACE_BIT
    if load64(arena, _TOPS) & fitting == 0:
        return False
    before = -1
    for target in range(load64(arena, at.PILES_AT)):
        code = load64(arena, at.PARENT + at.PILE + _W * target)
        if code == before or target == pile:
            continue
        before = code
        if code == 0:
            if source != FROM_WASTE or (rank != 0 and phase_one_now):
                continue
            _start_child(arena)
            worth = _remove(arena, source, pile, phase) - space
            worth += _weight(arena, phase + policy.SPACE_BASE) if rank == 0 else 0
            worth += _weight(arena, phase + policy.SPACE_RANK) * rank
            store64(arena, at.CHILD + at.PILE + _W * target, at.ONE_CARD | rank)
        else:
            if at.top_rank(arena, code) != holder:
                continue
            _start_child(arena)
            worth = _remove(arena, source, pile, phase) + _cover_worth(arena, code, phase)
            if pile < 0:
                worth += cover
            elif alone:
                worth += cover + space + _weight(arena, phase + policy.PILE_MOVE)
            else:
                worth += _weight(arena, phase + policy.TAIL_MOVE)
            store64(arena, at.CHILD + at.PILE + _W * target, code + at.ONE_CARD)
        if _take_up(arena, parent, source, code, worth):
            return True
    return False


@kernel
def _expand(arena: int, number: int) -> bool:
    """Take up every child of a node, which is unpacked; True when one wins."""
    phase = 0 if at.is_phase_one(arena, at.PARENT) else policy.WEIGHTS
    left = load64(arena, at.PARENT + at.RESERVES_LEFT)
    if left > 0:
        rank = load64(arena, at.RESERVE_AT + _W * (left - 1))
        if _expand_card(arena, number, FROM_RESERVE, _NO_PILE, rank):
            return True
    tops = 0
    for pile in range(load64(arena, at.PILES_AT)):
        code = load64(arena, at.PARENT + at.PILE + _W * pile)
        tops |= 1 << at.top_rank(arena, code) if code > 0 else _SPACE_BIT
    store64(arena, _TOPS, tops)
    before = 0
    for pile in range(load64(arena, at.PILES_AT)):
        code = load64(arena, at.PARENT + at.PILE + _W * pile)
        if code == before:
            continue
        before = code
        if _expand_card(arena, number, code, pile, at.top_rank(arena, code)):
            return True
    waste = at.waste_top(arena, at.PARENT)
    below = np.int64(-1)
    if waste >= 0:
        below = at.stream_rank(arena, waste)
        if _expand_card(arena, number, FROM_WASTE, _NO_PILE, below):
            return True
    stock = load64(arena, at.PARENT + at.STOCK_LEFT)
    if stock == 0:
        return False
    rank = at.stream_rank(arena, stock - 1)
    histogram = load64(arena, at.PARENT + at.HISTOGRAM)
    worth = _arrival_worth(arena, histogram, below, rank, phase)
    worth += _weight(arena, phase + policy.DRAWN)
    _start_child(arena)
    store64(arena, at.CHILD + at.STOCK_LEFT, stock - 1)
    at.push_waste(arena, at.CHILD, stock - 1)
    return _take_up(arena, number, FROM_STOCK, TO_SPACE, worth)


@kernel
def run(arena: int, memory: int, order: int, noise: int, seed: int, max_nodes: int) -> int:
    """Search the deal in the arena from its root state.

    arena      int  address, from `nodes.make_arena`, with a deal loaded
    memory     int  address of the abstraction, prepared for the deal; 0 to do without
    order      int  BY_STOCK, BY_DEPTH, ALL_LATEST or ALL_BEST
    noise      int  temperature of the noise on rankings
    seed       int
    max_nodes  int  states to expand at most; rollouts may go over it by their length

    Returns WON, LOST (a proof that the deal is lost), OUT_OF_NODES or OUT_OF_MEMORY; the
    words WINNER, ROLLOUT_MOVES, EXPANDED and PRUNED of the arena hold the rest.
    """
    # 1. The root.
    nodes.clear(arena, _NODES_PER_EXPANSION * max_nodes + _MOST_CHILDREN)
    for field, value in (
        (_ORDER, order),
        (_NOISE, noise),
        (_SEED, seed),
        (_MEMORY, memory),
        (_QUERY_TOTAL, _QUERY_SHARE * max_nodes),
        (_QUEUE, -1),
        (_QUEUED, 0),
        (_QUEUES_USED, 0),
        (ROLLOUT_MOVES, 0),
        (EXPANDED, 0),
        (PRUNED, 0),
    ):
        store64(arena, field, value)
    copy(arena, at.ROOT, at.CHILD, at.STATE_SIZE)
    number = nodes.enter(arena, at.CHILD, nodes.NONE, TO_SPACE, TO_SPACE)
    if load64(arena, at.ROOT + at.ALL_OUT) == load64(arena, at.TOTAL_AT):
        store64(arena, WINNER, number)
        return WON
    _enqueue(arena, number)
    # 2. One expansion from each queue in turn.
    queue = np.int64(0)
    while load64(arena, _QUEUED) > 0:
        if load64(arena, EXPANDED) >= max_nodes:
            return OUT_OF_NODES
        if not nodes.has_room(arena, _MOST_CHILDREN):
            return OUT_OF_MEMORY if nodes.is_full(arena) else OUT_OF_NODES
        while nodes.is_empty(arena, queue):
            queue = queue + 1 if queue + 1 < load64(arena, _QUEUES_USED) else 0
        number = nodes.pop(arena, queue)
        store64(arena, _QUEUED, load64(arena, _QUEUED) - 1)
        nodes.unpack(arena, number, at.PARENT)
        # Asked only now: two thirds of the states never come to be expanded.
        if _is_lost(arena):
            store64(arena, PRUNED, load64(arena, PRUNED) + 1)
            continue
        store64(arena, _QUEUE, queue)
        store64(arena, EXPANDED, load64(arena, EXPANDED) + 1)
        if _expand(arena, number):
            return WON
        queue = queue + 1 if queue + 1 < load64(arena, _QUEUES_USED) else 0
    return LOST
