"""Best-first search of The Plot, a queue for each stage of the game.

Owns the moves that are tried and the loop. States compete only with states of the same progress:
the queues are visited one after another, one expansion each, so that a single pass is a dive to
the end and every further pass widens it. As soon as phase 1 ends, a few rollouts try to win from
there, and nearly always do.

Nothing sound is cut: the reserve bound, safe moves and the threshold abstraction lose no win,
and equal states are recognised exactly. So a search that runs dry proves a loss.
"""

from __future__ import annotations

import numpy as np

from solvers.cards import RANKS
from solvers.jit import inlined, kernel
from solvers.plot import moves, nodes, phase_one, phase_one_known, policy, rollout
from solvers.plot import search_state as at
from solvers.plot.kernel import MAX_MOVES
from solvers.plot.layout import ISOLATION_ALWAYS, ISOLATION_NONE
from solvers.plot.moves import FROM_RESERVE, FROM_STOCK, FROM_WASTE, TO_FOUNDATION, TO_SPACE
from solvers.plot.search_state import CHILD, PARENT, ROOT
from solvers.search.arena import copy
from solvers.search.bits import mix, wrapping_add
from solvers.search.record import Record
from solvers.search.status import DRY, LOST, OPEN, OUT_OF_MEMORY, OUT_OF_NODES, WON

#: Which queue a state waits in: by cards drawn, by moves made, by cards drawn and out, or one for
#: all, where the latest is first (depth-first) or the best.
BY_STOCK, BY_DEPTH, BY_PROGRESS, ALL_LATEST, ALL_BEST = range(5)

#: Nodes that an expansion stores on average, at most; 3.1 in the first 20,000 deals' tail, 5.8 in
#: the search that stores most.
_NODES_PER_EXPANSION = 12

#: Rollouts that follow the end of phase 1, and by how much the temperature of each is higher than
#: that of the one before; the first has none.
EXIT_ROLLOUTS = 4
_EXIT_STEP = 30

#: Abstract states that one question of the search may expand, and all of them for each state
#: that the search may: beyond that the threshold is too low to be worth asking.
_QUERY_LIMIT = np.int64(2000)
_QUERY_SHARE = 8

_NO_PILE = np.int64(-1)
#: In a mask of top ranks: a space.
_SPACE_BIT = 1 << 15

#: More states than any search comes to: a budget is taken for no larger, so that its multiples fit.
_MOST_EXPANDED = np.int64(1 << 50)
#: Slots of the table of nodes that are cleared for the time of one expansion.
_CLEARED_A_STEP = 256

#: The search's own words in the arena: what it is asked, where it stands, what it came to.
SEARCH = Record(at=nodes.REPORT)
_get_memory, _set_memory = SEARCH.word(
    "memory", "where the abstraction's memory is, seen from the arena; 0 to do without"
)
_get_order, _set_order = SEARCH.word("order", "which queue a state waits in")
_get_noise, _set_noise = SEARCH.word("noise", "temperature of the noise on rankings")
_get_seed, _set_seed = SEARCH.word("seed", "of the noise and of rollouts")
_get_budget, _set_budget = SEARCH.word("budget", "`expanded` at which the search ends")
_get_limit, _set_limit = SEARCH.word("limit", "`expanded` and `asked` together, never exceeded")
_get_most_asked, _set_most_asked = SEARCH.word("most_asked", "`asked` at which questions end")
_get_turn, _set_turn = SEARCH.word("turn", "the queue whose turn it is")
_get_slice_end, _set_slice_end = SEARCH.word("slice_end", "`expanded` and `asked` where `run` ends")
#: What is next: to choose a state, to go on asking about it, to begin or to go on expanding it, to
#: go on with a rollout from one of its children.
_CHOOSING, _ASKING, _READY, _EXPANDING, _ROLLING = range(5)
_get_doing, _set_doing = SEARCH.word("doing", "what is next")
_get_number, _set_number = SEARCH.word("number", "the state that was chosen, a node")
_get_question, _set_question = SEARCH.word(
    "question", "abstract states that its question may still expand"
)
_get_rolled, _set_rolled = SEARCH.word("rolled", "rollouts from the child that have ended")
_get_rolling_seed, _set_rolling_seed = SEARCH.word("rolling_seed", "of the child's rollouts")
_get_queue, _set_queue = SEARCH.word("queue", "queue of the state being expanded; -1 for the root")
_get_tops, _set_tops = SEARCH.word("tops", "its piles' top ranks, a mask with _SPACE_BIT")
_get_queued, _set_queued = SEARCH.word("queued", "states in all queues")
_get_queues, _set_queues = SEARCH.word("queues", "queues used so far")
get_winner, _set_winner = SEARCH.word("winner", "the node from which it was won")
get_rollout, _set_rollout = SEARCH.word("rollout", "moves of the rollout that won from there, or 0")
_get_expanded, _set_expanded = SEARCH.word("expanded", "states expanded and moves of rollouts made")
_get_asked, _set_asked = SEARCH.word("asked", "abstract states expanded for questions")
assert SEARCH.size() <= nodes.REPORT + nodes.REPORT_SIZE


@inlined
def spent(arena: int) -> int:
    """Return what counts towards the limit so far."""
    return _get_expanded(arena) + _get_asked(arena)


@kernel
def _begin_rollout(arena: int) -> bool:
    """Begin the next rollout from the child; False when there is none, or the limit is reached."""
    index, left = _get_rolled(arena), _get_limit(arena) - spent(arena)
    if index == EXIT_ROLLOUTS or left <= 0:
        return False
    seed = mix(wrapping_add(_get_rolling_seed(arena), index))
    rollout.begin(arena, CHILD, _EXIT_STEP * index, seed, left)
    return True


@kernel
def _roll_on(arena: int) -> int:
    """Go on with the rollouts from the child; return WON, DRY when none has won, or OPEN."""
    while True:
        before = rollout.get_count(arena)
        status = rollout.run(arena, _get_slice_end(arena) - spent(arena))
        count = rollout.get_count(arena)
        _set_expanded(arena, _get_expanded(arena) + count - before)
        if status == WON:
            _set_rollout(arena, count)
        if status != DRY:
            return status
        _set_rolled(arena, _get_rolled(arena) + 1)
        if not _begin_rollout(arena):
            return DRY


@kernel
def _queue_of(arena: int, order: int) -> int:
    """Return the queue in which the child waits."""
    if order == BY_DEPTH:
        return min(_get_queue(arena) + 1, nodes.QUEUES - 1)
    drawn = at.get_stock(arena, ROOT) - at.get_stock(arena, CHILD)
    if order == BY_STOCK:
        return drawn
    if order == BY_PROGRESS:
        return nodes.QUEUES_A_DRAW * drawn + min(at.get_all_out(arena, CHILD), RANKS)
    return 0


@kernel
def _enqueue(arena: int, number: int) -> None:
    """Queue the child, which is node `number`."""
    order = _get_order(arena)
    ranking = at.get_score(arena, CHILD)
    noise = _get_noise(arena)
    if order == ALL_LATEST:
        ranking = number
    elif noise > 0:
        random = mix(wrapping_add(nodes.key_of(arena, number), _get_seed(arena)))
        ranking += policy.noise_of(noise, at.get_noise(arena, policy.noise_at(random)))
    queue = _queue_of(arena, order)
    nodes.push(arena, queue, number, ranking)
    _set_queued(arena, _get_queued(arena) + 1)
    _set_queues(arena, max(_get_queues(arena), queue + 1))


@kernel
def _ask(arena: int) -> int:
    """Ask the abstraction whether the chosen state can complete phase 1.

    Returns LOST (a proof), WON when there is nothing to be proved, or OPEN: `_ask_on` goes on.
    """
    if _get_memory(arena) == 0 or _get_asked(arena) >= _get_most_asked(arena):
        return WON
    if not at.is_phase_one(arena, PARENT):
        return WON
    _set_question(arena, _QUERY_LIMIT)
    answer = phase_one.ask(arena, arena + _get_memory(arena), PARENT)
    return answer if answer in (LOST, OPEN) else WON


@kernel
def _ask_on(arena: int) -> int:
    """Go on with the question about the chosen state; return as `_ask`."""
    memory, left = arena + _get_memory(arena), _get_question(arena)
    before = phase_one_known.get_expanded(memory)
    most = min(left, min(_get_limit(arena), _get_slice_end(arena)) - spent(arena))
    answer = phase_one.explore(arena, memory, most) if most > 0 else OPEN
    asked = phase_one_known.get_expanded(memory) - before
    _set_asked(arena, _get_asked(arena) + asked)
    _set_question(arena, left - asked)
    if answer == OPEN and left - asked > 0 and spent(arena) < _get_limit(arena):
        return OPEN
    return LOST if answer == LOST else WON


@kernel
def _take_up(arena: int, parent: int, source: int, target: int, worth: int) -> bool:
    """Make the child's safe moves, store and queue it.

    True when the game is won, or when the slice ends while a rollout from the child is under way.

    source, target  int  pile words that the move took from and went to
    """
    at.set_score(arena, CHILD, at.get_score(arena, PARENT) + worth)
    at.sort_piles(arena, CHILD)
    while moves.play_safe(arena, CHILD) >= 0:
        pass
    number = nodes.enter(arena, CHILD, parent, source, target)
    if number == nodes.NONE:
        return False
    if at.get_all_out(arena, CHILD) == at.get_total(arena):
        _set_winner(arena, number)
        return True
    ends_phase_one = at.is_phase_one(arena, PARENT) and not at.is_phase_one(arena, CHILD)
    if ends_phase_one and _roll_from(arena, number) != DRY:
        return True
    _enqueue(arena, number)
    return False


@kernel
def _roll_from(arena: int, number: int) -> int:
    """Try a few rollouts from the child, which is node `number`; return as `_roll_on`."""
    _set_rolled(arena, 0)
    _set_rolling_seed(arena, mix(wrapping_add(_get_seed(arena), nodes.get_count(arena))))
    if not _begin_rollout(arena):
        return DRY
    _set_winner(arena, number)
    _set_doing(arena, _ROLLING)
    status = _roll_on(arena)
    if status != OPEN:
        _set_doing(arena, _EXPANDING)
    return status


@kernel
def _holders_of(arena: int, source: int, rank: int, phase_one_now: bool) -> int:
    """Return the mask of the top ranks that take a card, with _SPACE_BIT where spaces do."""
    isolation = at.get_isolation(arena)
    isolated = isolation == ISOLATION_ALWAYS or (isolation != ISOLATION_NONE and phase_one_now)
    holder = rank + 1 if rank + 1 < at.get_ranks(arena) else 0
    fitting = 0 if isolated and (rank == 0 or holder == 0) else 1 << holder
    if source == FROM_WASTE and (rank == 0 or not phase_one_now):
        fitting |= _SPACE_BIT
    return fitting


@kernel
def _expand_card(arena: int, parent: int, source: int, pile: int, rank: int) -> bool:
    """Take up every move of one playable card; True as in `_take_up`.

    source  int  FROM_WASTE, FROM_RESERVE or the card's pile word
    pile    int  the pile's index, -1 for none
    """
    phase_one_now = at.is_phase_one(arena, PARENT)
    phase = 0 if phase_one_now else policy.WEIGHTS
    left = at.get_reserve(arena, PARENT)
    alone = pile >= 0 and at.get_length(source) == 1
    cover = at.get_weight(arena, phase + policy.COVER)
    space = at.get_weight(arena, phase + policy.SPACE)
    # 1. Out.
    if at.may_go_out(arena, PARENT, rank, left - (1 if source == FROM_RESERVE else 0)):
        moves.start_child(arena)
        worth = moves.out_worth(arena, rank, phase) + moves.remove(arena, source, pile, phase)
        worth += space if alone else -cover if pile >= 0 else 0
        moves.take_out(arena, CHILD, rank)
        if _take_up(arena, parent, source, TO_FOUNDATION, worth):
            return True
    if source == FROM_RESERVE:
        return False
    # 2. Onto a pile, or into a space. Equal piles are one target.
    fitting = _holders_of(arena, source, rank, phase_one_now)
    if _get_tops(arena) & fitting == 0:
        return False
    before = -1
    for target in range(at.get_piles(arena)):
        word = at.get_pile(arena, PARENT, target)
        if word == before or target == pile:
            continue
        before = word
        top = 1 << at.top_rank(arena, word) if word > 0 else _SPACE_BIT
        if top & fitting == 0:
            continue
        moves.start_child(arena)
        worth = moves.remove(arena, source, pile, phase)
        if word == 0:
            worth -= space
            worth += at.get_weight(arena, phase + policy.SPACE_BASE) if rank == 0 else 0
            worth += at.get_weight(arena, phase + policy.SPACE_RANK) * rank
            at.set_pile(arena, CHILD, target, at.ONE_CARD | at.put_bottom(rank))
        else:
            worth += moves.cover_worth(arena, word, phase)
            if pile < 0:
                worth += cover
            elif alone:
                worth += cover + space + at.get_weight(arena, phase + policy.PILE_MOVE)
            else:
                worth += at.get_weight(arena, phase + policy.TAIL_MOVE)
            at.set_pile(arena, CHILD, target, word + at.ONE_CARD)
        if _take_up(arena, parent, source, word, worth):
            return True
    return False


@kernel
def _expand(arena: int, number: int) -> bool:
    """Take up every child of a node, which is unpacked; True as in `_take_up`.

    May be repeated after the slice ended: the children that were taken up are known by now.
    """
    phase = 0 if at.is_phase_one(arena, PARENT) else policy.WEIGHTS
    left = at.get_reserve(arena, PARENT)
    if left > 0:
        rank = at.get_reserve_rank(arena, left - 1)
        if _expand_card(arena, number, FROM_RESERVE, _NO_PILE, rank):
            return True
    tops = 0
    for pile in range(at.get_piles(arena)):
        word = at.get_pile(arena, PARENT, pile)
        tops |= 1 << at.top_rank(arena, word) if word > 0 else _SPACE_BIT
    _set_tops(arena, tops)
    before = 0
    for pile in range(at.get_piles(arena)):
        word = at.get_pile(arena, PARENT, pile)
        if word == before:
            continue
        before = word
        if _expand_card(arena, number, word, pile, at.top_rank(arena, word)):
            return True
    waste = at.waste_top(arena, PARENT)
    below = np.int64(-1)
    if waste >= 0:
        below = at.stream_rank(arena, waste)
        if _expand_card(arena, number, FROM_WASTE, _NO_PILE, below):
            return True
    stock = at.get_stock(arena, PARENT)
    if stock == 0:
        return False
    rank = at.stream_rank(arena, stock - 1)
    worth = moves.arrival_worth(arena, at.get_histogram(arena, PARENT), below, rank, phase)
    worth += at.get_weight(arena, phase + policy.DRAWN)
    moves.start_child(arena)
    at.set_stock(arena, CHILD, stock - 1)
    at.push_waste(arena, CHILD, stock - 1)
    return _take_up(arena, number, FROM_STOCK, TO_SPACE, worth)


@kernel
def begin(
    arena: int, memory: int, order: int, noise: int, seed: int, budget: int, limit: int
) -> None:
    """Begin a search of the deal in the arena from its root state; `run` runs it.

    arena   int  address, laid out by `nodes`, with a deal and weights loaded
    memory  int  address of the abstraction, prepared for the deal; 0 to do without
    order   int  BY_STOCK, BY_DEPTH, BY_PROGRESS, ALL_LATEST or ALL_BEST
    noise   int  temperature of the noise on rankings
    seed    int  added to the position's own
    budget  int  states expanded and moves of rollouts at which the search ends: it may exceed it
                 by the rollouts of one state
    limit   int  of those and of what questions to the abstraction cost: never exceeded
    """
    budget = min(budget, _MOST_EXPANDED)
    nodes.begin(arena, _NODES_PER_EXPANSION * budget + MAX_MOVES)
    _set_memory(arena, memory - arena if memory != 0 else 0)
    _set_order(arena, order)
    _set_noise(arena, noise)
    _set_seed(arena, wrapping_add(at.fingerprint(arena), seed))
    _set_budget(arena, budget)
    _set_limit(arena, limit)
    _set_most_asked(arena, _QUERY_SHARE * budget)
    _set_turn(arena, 0)
    _set_doing(arena, _CHOOSING)
    _set_queue(arena, -1)
    _set_queued(arena, 0)
    _set_queues(arena, 0)
    _set_rollout(arena, 0)
    _set_expanded(arena, 0)
    _set_asked(arena, 0)


@kernel
def _enter_root(arena: int) -> bool:
    """Store and queue the root; True when it is won."""
    copy(arena, ROOT, CHILD, at.STATE_SIZE)
    number = nodes.enter(arena, CHILD, nodes.NONE, TO_SPACE, TO_SPACE)
    if at.get_all_out(arena, ROOT) == at.get_total(arena):
        _set_winner(arena, number)
        return True
    _enqueue(arena, number)
    return False


@kernel
def _pass_on(arena: int, queue: int) -> int:
    """Return the queue whose turn it is after another's."""
    return queue + 1 if queue + 1 < _get_queues(arena) else 0


@inlined
def _is_slice_over(arena: int) -> bool:
    """Tell whether `run` has spent what it may in this call."""
    return spent(arena) >= _get_slice_end(arena)


@kernel
def _how_it_ends(arena: int) -> int:
    """Return how the search ends here, OPEN if there is a state to choose."""
    if _get_queued(arena) == 0:
        return LOST
    if spent(arena) >= _get_limit(arena) or _get_expanded(arena) >= _get_budget(arena):
        return OUT_OF_NODES
    if not nodes.has_room(arena, MAX_MOVES):
        return OUT_OF_MEMORY if nodes.is_full(arena) else OUT_OF_NODES
    return OPEN


@kernel
def _choose(arena: int) -> None:
    """Take the next state and unpack it."""
    queue = _get_turn(arena)
    while nodes.is_empty(arena, queue):
        queue = _pass_on(arena, queue)
    number = nodes.pop(arena, queue)
    _set_queued(arena, _get_queued(arena) - 1)
    _set_turn(arena, queue)
    _set_number(arena, number)
    nodes.unpack(arena, number, PARENT)


@kernel
def _hear(arena: int, answer: int) -> None:
    """Take the answer about the chosen state: drop it, go on asking, or be ready to expand it."""
    if answer == LOST:
        _set_slice_end(arena, _get_slice_end(arena) - 1)  # It took its time.
        _set_doing(arena, _CHOOSING)
    else:
        _set_doing(arena, _ASKING if answer == OPEN else _READY)


@kernel
def run(arena: int, most: int) -> int:
    """Go on with the search that `begin` began, or that this function left open.

    most  int  nodes to spend in this call at most, which may be fewer where other things took
               their time; the outcome does not depend on it

    Returns WON, LOST (a proof, if the deal was loaded as it is played), OUT_OF_NODES (the budget
    or the limit), OUT_OF_MEMORY, or OPEN when there is more to do. `get_winner` and `get_rollout`
    say how it was won, `spent` what it took.
    """
    # 1. The table of nodes is cleared, and the root entered.
    if not nodes.clear(arena, _CLEARED_A_STEP * most):
        return OPEN
    if nodes.get_count(arena) == 0 and _enter_root(arena):
        return WON
    # 2. One expansion from each queue after another.
    limit = _get_limit(arena)
    _set_slice_end(arena, spent(arena) + most)
    while True:
        doing = _get_doing(arena)
        if doing == _CHOOSING:
            status = _how_it_ends(arena)
            if status != OPEN or _is_slice_over(arena):
                return status
            # Asked only now: two thirds of the states never come to be expanded.
            _choose(arena)
            _hear(arena, _ask(arena))
        elif doing == _ASKING:
            if spent(arena) < limit and _is_slice_over(arena):
                return OPEN
            _hear(arena, _ask_on(arena))
        elif doing == _READY:
            if spent(arena) >= limit:
                return OUT_OF_NODES
            if _is_slice_over(arena):
                return OPEN
            _set_queue(arena, _get_turn(arena))
            _set_expanded(arena, _get_expanded(arena) + 1)
            _set_doing(arena, _EXPANDING)
        elif doing == _EXPANDING:
            if _expand(arena, _get_number(arena)):
                return OPEN if _get_doing(arena) == _ROLLING else WON
            _set_turn(arena, _pass_on(arena, _get_turn(arena)))
            _set_doing(arena, _CHOOSING)
        else:
            status = _roll_on(arena)
            if status != DRY:
                return status
            _enqueue(arena, get_winner(arena))
            _set_doing(arena, _EXPANDING)
