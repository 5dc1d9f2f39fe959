"""What a best-first search has seen and what waits: positions, a queue and an index of them.

Owns these tables and their memory. Positions are exact, so nothing is ever lost. In which order
they are taken, and what is done with one, is up to `loop`.
"""

from __future__ import annotations

from solvers.jit import inlined, kernel
from solvers.pyramid.fields import waste_top
from solvers.pyramid.graph import GRAPH, get_pyramid, node_at
from solvers.pyramid.rules import STOCK_SIZE
from solvers.search.arena import fill32
from solvers.search.bits import mix
from solvers.search.record import Bits, Record

# A position, in a word.
POSITION = Bits()
stock_in, _put_stock = POSITION.field(STOCK_SIZE, "stock", "mask of stock and waste")
drawn_in, _put_drawn = POSITION.field(
    5, "drawn", "one more than the index of the waste's top, 0 without one"
)
node_in, put_node = POSITION.field(15, "node", "number of the graph's node")
redeals_in, _put_redeals = POSITION.field(7, "redeals", "resets so far; 0 where they have no bound")

# How an entry came about, in a word.
_WAY = Bits()
cost_in, _put_cost = _WAY.field(12, "cost", "moves from the start")
_parent_in, _put_parent = _WAY.field(31, "parent", "the entry that it came from; 0 for the start")
_must_reset_in, _put_must_reset = _WAY.field(1, "must_reset", "1 where a reset is to follow")
_stale_in, _put_stale = _WAY.field(1, "stale", "1 where a cheaper entry took its place")

#: Solutions have fewer moves; totals below this have queues.
MAX_COST = 1 << 12

_ENTRY = Record()
_get_position, _set_position = _ENTRY.word("position", "a POSITION")
_get_way, _set_way = _ENTRY.word("way", "a _WAY")
ENTRY_SIZE = _ENTRY.size()

# Links of the queues, a word of 32 bits an entry.
_LINKS = Record()
_get_link, _set_link = _LINKS.array(32, 1, "link", "1 + the next entry of the same queue, or 0")
LINK_SIZE = _LINKS.size(multiple_of=1)

# A slot of the index, in a word: open addressing.
_SLOT = Bits()
_entry_in, _put_entry = _SLOT.field(31, "entry", "1 + an entry; the slot is free where this is 0")
_tag_in, _put_tag = _SLOT.field(33, "tag", "the upper bits of its position's hash")
_INDEX = Record()
_get_slot, _set_slot = _INDEX.array(64, 1, "slot", "a _SLOT")
SLOT_SIZE = _INDEX.size(multiple_of=1)

#: What an entry takes in all tables, its two slots included.
_BYTES_OF_ENTRY = ENTRY_SIZE + LINK_SIZE + 2 * SLOT_SIZE

#: 1 + an entry must fit into a slot's bits.
_MOST_ENTRIES = 1 << 30
#: Slots in use at first: short searches stay in the processor's cache.
_FIRST_SLOTS = 1 << 12
_GROWTH = 4

#: More than the steps of a solution: each removes a card.
_STEPS = 64
_STEP = Record()
get_step_pyramid, _set_step_pyramid = _STEP.word("pyramid", "mask of the pyramid after the step")
get_step_stock, _set_step_stock = _STEP.word("stock", "mask of stock and waste after the step")
_STEP_SIZE = _STEP.size()

FRONTIER = Record(at=GRAPH.size())
_get_entries, _set_entries = FRONTIER.word("entries", "offset of the entries")
_get_links, _set_links = FRONTIER.word("links", "offset of the links")
_get_index, _set_index = FRONTIER.word("index", "offset of the index")
_get_entry_room, _set_entry_room = FRONTIER.word("entry_room", "entries that there is room for")
_get_slot_room, _set_slot_room = FRONTIER.word(
    "slot_room", "slots that there is room for, a power of two"
)
get_used, _set_used = FRONTIER.word("used", "entries in use")
_get_slots, _set_slots = FRONTIER.word("slots", "slots in use, a power of two")
get_queue, set_queue = FRONTIER.word("queue", "the total that is taken from; none is less")
get_goal, set_goal = FRONTIER.word("goal", "the entry of a solution's end")
_get_head, _set_head = FRONTIER.array(
    32, MAX_COST, "head", "1 + the first entry of each total's queue, 0 where that is empty"
)
_HEADS = FRONTIER.at("head")
_STEPS_AT = FRONTIER.block(_STEP_SIZE * _STEPS, "steps", "_STEP records of a solution")


@kernel
def _room_for(memory_mib: int) -> int:
    """Return how many entries fit into some MiB, a power of two, with two slots for each."""
    entries = _FIRST_SLOTS // 2
    while 2 * entries * _BYTES_OF_ENTRY <= memory_mib << 20 and entries < _MOST_ENTRIES:
        entries *= 2
    return entries


@kernel
def tables_size(memory_mib: int) -> int:
    """Return the bytes of all tables; each has a multiple of 64, as many as a cache line."""
    return _room_for(memory_mib) * _BYTES_OF_ENTRY


@kernel
def lay_out(arena: int, at: int, memory_mib: int) -> None:
    """Lay the tables out from the offset `at` on, a multiple of 64; `begin` empties them."""
    entries = _room_for(memory_mib)
    _set_entry_room(arena, entries)
    _set_slot_room(arena, 2 * entries)
    _set_entries(arena, at)
    _set_links(arena, at + entries * ENTRY_SIZE)
    _set_index(arena, _get_links(arena) + entries * LINK_SIZE)


@inlined
def pack_position(node: int, stock: int, drawn: int, redeals: int) -> int:
    """Return a POSITION; the waste's top decides what is written as drawn."""
    drawn = waste_top(stock, drawn) + 1
    return _put_redeals(redeals) | put_node(node) | _put_drawn(drawn) | _put_stock(stock)


@inlined
def _entry_at(arena: int, entry: int) -> int:
    """Return the offset of an entry."""
    return _get_entries(arena) + ENTRY_SIZE * entry


@inlined
def way_of(arena: int, entry: int) -> int:
    """Return the _WAY of an entry."""
    return _get_way(arena, _entry_at(arena, entry))


@inlined
def position_of(arena: int, entry: int) -> int:
    """Return the POSITION of an entry."""
    return _get_position(arena, _entry_at(arena, entry))


@inlined
def is_stale(way: int) -> bool:
    """Tell whether a cheaper entry took the place of one that came this way."""
    return _stale_in(way) != 0


@inlined
def must_reset(way: int) -> bool:
    """Tell whether only solutions with a reset are of interest from here on."""
    return _must_reset_in(way) != 0


@kernel
def begin(arena: int, position: int, cost: int, total: int) -> None:
    """Empty the tables, and queue the first position of a search, with a total of moves."""
    fill32(arena, _HEADS, MAX_COST, 0)
    _set_used(arena, 0)
    set_queue(arena, total)
    _grow(arena, _FIRST_SLOTS)
    hashed = mix(position)
    add(arena, _home(arena, hashed), hashed, position, 0, cost, False, total)


@kernel
def _grow(arena: int, slots: int) -> None:
    """Take `slots` slots into use, and enter all that is current."""
    index = _get_index(arena)
    _set_slots(arena, slots)
    for slot in range(slots):
        _set_slot(arena, index, slot, 0)
    for entry in range(get_used(arena)):
        if is_stale(way_of(arena, entry)):
            continue
        hashed = mix(position_of(arena, entry))
        slot = _home(arena, hashed)
        while _get_slot(arena, index, slot) != 0:
            slot = slot + 1 & slots - 1
        _set_slot(arena, index, slot, _put_entry(entry + 1) | _put_tag(_tag_in(hashed)))


@inlined
def _home(arena: int, hashed: int) -> int:
    """Return the slot that a position belongs in by its hash."""
    return hashed & _get_slots(arena) - 1


@inlined
def peek(arena: int, hashed: int) -> int:
    """Return what is in the slot that a position belongs in: its use is to bring it near."""
    return _get_slot(arena, _get_index(arena), _home(arena, hashed))


@kernel
def make_room(arena: int, count: int) -> bool:
    """Make sure that `count` entries can be added; tell whether there is memory for them."""
    needed = get_used(arena) + count
    if needed > _get_entry_room(arena):
        return False
    if 2 * needed > _get_slots(arena):
        _grow(arena, min(_GROWTH * _get_slots(arena), _get_slot_room(arena)))
    return True


@inlined
def pop(arena: int) -> int:
    """Take an entry of the lowest total out of its queue; -1 when nothing waits."""
    queue = get_queue(arena)
    while queue < MAX_COST and _get_head(arena, queue) == 0:
        queue += 1
    set_queue(arena, queue)
    if queue >= MAX_COST:
        return -1
    entry = _get_head(arena, queue) - 1
    _set_head(arena, queue, _get_link(arena, _get_links(arena), entry))
    return entry


@inlined
def find(arena: int, hashed: int, position: int) -> int:
    """Return the slot of a position, or the free one where it is to be."""
    index, entries = _get_index(arena), _get_entries(arena)
    last, tag = _get_slots(arena) - 1, _tag_in(hashed)
    slot = hashed & last
    value = _get_slot(arena, index, slot)
    while value != 0 and (
        _tag_in(value) != tag
        or _get_position(arena, entries + ENTRY_SIZE * (_entry_in(value) - 1)) != position
    ):
        slot = slot + 1 & last
        value = _get_slot(arena, index, slot)
    return slot


@inlined
def entry_in(arena: int, slot: int) -> int:
    """Return the entry in a slot, -1 when the slot is free."""
    return _entry_in(_get_slot(arena, _get_index(arena), slot)) - 1


@inlined
def discard(arena: int, entry: int) -> None:
    """Note that a cheaper entry is about to take the place of one."""
    at = _entry_at(arena, entry)
    _set_way(arena, at, _get_way(arena, at) | _put_stale(1))


@inlined
def add(
    arena: int,
    slot: int,
    hashed: int,
    position: int,
    parent: int,
    cost: int,
    must_reset: bool,
    total: int,
) -> None:
    """Add an entry to the queue of a total, and to a slot from `find`."""
    entry = get_used(arena)
    _set_used(arena, entry + 1)
    at = _entry_at(arena, entry)
    _set_position(arena, at, position)
    way = _put_parent(parent) | _put_cost(cost)
    _set_way(arena, at, way | _put_must_reset(1) if must_reset else way)
    _set_slot(arena, _get_index(arena), slot, _put_entry(entry + 1) | _put_tag(_tag_in(hashed)))
    _set_link(arena, _get_links(arena), entry, _get_head(arena, total))
    _set_head(arena, total, entry + 1)


@inlined
def goal_cost(arena: int) -> int:
    """Return the moves that a solution takes."""
    return cost_in(way_of(arena, get_goal(arena)))


@inlined
def step_at(step: int) -> int:
    """Return the offset of a step of a solution."""
    return _STEPS_AT + _STEP_SIZE * step


@kernel
def trace(arena: int) -> int:
    """Follow the solution that ends at `goal` back to its start; return how many steps it has.

    The steps are written in order; the first is the position that the search began with.
    """
    count = 1
    entry = get_goal(arena)
    while entry != 0:
        entry = _parent_in(way_of(arena, entry))
        count += 1
    entry = get_goal(arena)
    for step in range(count - 1, -1, -1):
        position = position_of(arena, entry)
        at = step_at(step)
        _set_step_pyramid(arena, at, get_pyramid(arena, node_at(node_in(position))))
        _set_step_stock(arena, at, stock_in(position))
        entry = _parent_in(way_of(arena, entry))
    return count
