"""What FreeCell's fast search keeps in its arena: every record, field by field, and arenas.

Owns the layout; what is done with it is in `search_state`, `children`, `score` and `frontier`. Sets
of cards are masks, a bit a card; points are the unit of scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE, RANKS, SUITS
from solvers.freecell.kernel import fits_on
from solvers.freecell.layout import RULE_CELLS, RULE_SUIT_BUILD, RULE_SUPERMOVE
from solvers.freecell.rules import MAX_CELLS, MAX_COLUMNS
from solvers.jit import inlined, kernel
from solvers.search.arena import HEADER, note_size
from solvers.search.bits import GOLDEN, mix, wrapping_multiply
from solvers.search.record import Bits, Record

MIB = 1 << 20

# --- The configuration of one search, which `schedule` fills in; all but the first four fields are
# score points. A table has an entry for each number that it is taken by.
CONFIG = Record(at=HEADER)
get_budget, set_budget = CONFIG.word("budget", "nodes that the search may expand")
get_autoplay = CONFIG.word("autoplay", "SAFE or MAX").get
get_noise = CONFIG.word("noise", "mask of the disturbance of scores; 0 for none").get
get_seed, set_seed = CONFIG.word("seed", "of the disturbance")
depth_weight = CONFIG.word("depth", "each macro move so far").get
home_weight = CONFIG.word("home", "each card at home (taken off)").get
base_weight = CONFIG.word("base", "a column whose base is not a king").get
covered_weight = CONFIG.word("covered", "a run that a card covers which does not fit on it").get
covered_more_weight = CONFIG.word("covered_more", "each further card of such a run").get
spread_weight = CONFIG.word("spread", "each rank between highest and lowest foundation").get
lowest_weight = CONFIG.word("lowest", "each rank of the lowest foundation (taken off)").get
accept_weight = CONFIG.word("accept", "a free card that fits on a free one (taken off)").get
soon_weight = CONFIG.word("soon", "a card in a cell that goes home soon (taken off)").get
offset_weight = CONFIG.word("offset", "of every state: keeps scores positive").get
get_splits = CONFIG.word(
    "splits", "mask of the cards that may leave a run: none, or -1 for all"
).get
cells_weight = CONFIG.array(64, MAX_CELLS + 1, "cell", "cards in cells, by their number").get
empty_weight = CONFIG.array(64, MAX_COLUMNS + 1, "empty", "empty columns, by their number").get
COVER_RANKS = 4
cover_weight = CONFIG.array(
    64,
    COVER_RANKS,
    "cover",
    "a card over a next-needed one, by its rank over the lowest foundation",
).get
bad_weight = CONFIG.array(64, RANKS, "bad", "a card over lower ones, by the lowest rank").get
cell_rank_weight = CONFIG.array(64, RANKS, "cell_rank", "a card in a cell, by rank").get
#: Words of a configuration, as arrays hold it outside of an arena.
CONFIG_SIZE = (CONFIG.size() - HEADER) // 8
#: The same words once more, as one array to copy into.
_WORDS = Record(at=HEADER)
set_config_word = _WORDS.array(64, CONFIG_SIZE, "words", "the fields of CONFIG").set


@kernel
def set_config(arena: int, config: Any) -> None:
    """Write a configuration, `int64[CONFIG_SIZE]`, into the arena."""
    for word in range(CONFIG_SIZE):
        set_config_word(arena, word, config[word])


def configuration(**fields: int | Sequence[int]) -> NDArray[np.int64]:
    """Return a configuration, `int64[CONFIG_SIZE]`, from its fields by name; the others are 0."""
    words = np.zeros(CONFIG_SIZE, np.int64)
    for name, value in fields.items():
        words[config_words(name)] = value
    return words


def config_words(name: str) -> slice:
    """Return where a configuration holds a field."""
    field = CONFIG.fields[name]
    first = (field.offset - HEADER) // 8
    return slice(first, first + field.count)


# --- What is there once in an arena: the rules, tables that follow from them, and what one search
# keeps account of. Queue, visited table and stored states lie behind it, each at a place of its
# own, since their sizes differ from arena to arena.
SEARCH = Record(at=CONFIG.size(64))
get_cells, set_cells = SEARCH.word("cells", "cells that the rules have")
get_supermove, set_supermove = SEARCH.word("supermove", "POWER, LINEAR or SINGLE")
get_suit_build, set_suit_build = SEARCH.word("suit_build", "1 where columns build by suit")
get_parents, set_parents = SEARCH.array(64, DECK_SIZE, "parents", "cards that a card fits on")
#: What lies beneath a card, for the hash; CODE_FIT + suit for a card that it fits on.
CODE_CELL, CODE_BASE, CODE_OTHER, CODE_FIT = 1, 2, 3, 4
_CODES = CODE_FIT + SUITS
_get_zobrist, _set_zobrist = SEARCH.array(
    64, DECK_SIZE * _CODES, "zobrist", "hash of each card over each code, by card"
)
get_table_bits, _set_table_bits = SEARCH.word(
    "table_bits", "the visited table has 2 to this power entries"
)
get_generation, set_generation = SEARCH.word("generation", "number of this search, from 1")
get_nodes, set_nodes = SEARCH.word("nodes", "nodes in the queue's pool, those popped included")
get_node_cap, _set_node_cap = SEARCH.word("node_cap", "nodes that the pool may hold")
get_node_pool, _set_node_pool = SEARCH.word("node_pool", "where the pool is: 64-bit NODE")
get_states, set_states = SEARCH.word("states", "states stored")
get_state_cap, _set_state_cap = SEARCH.word("state_cap", "states that their pool may hold")
get_state_pool, _set_state_pool = SEARCH.word("state_pool", "where the pool is: STATE")
get_expanded, set_expanded = SEARCH.word("expanded", "states that this search has expanded")
get_current, set_current = SEARCH.word("current", "the state that is expanded next")
get_won, set_won = SEARCH.word("won", "the state that is won, once there is one")
#: Buckets of scores, in groups of as many as a word has bits.
BUCKET = Bits(12)
bucket_bit, put_bucket_bit = BUCKET.field(6, "bit", "which of its group")
bucket_group, put_bucket_group = BUCKET.field(6, "group", "which group")
BUCKETS = 1 << 12
GROUPS = 1 << 6
get_summary, set_summary = SEARCH.word("summary", "groups that hold a node")
get_bitmap, set_bitmap = SEARCH.array(64, GROUPS, "bitmap", "of a group, buckets that hold a node")
get_head, set_head = SEARCH.array(32, BUCKETS, "heads", "the newest node of a bucket")

# --- The children of the state that is expanded.
CHILD = Record()
get_child_move, set_child_move = CHILD.word("move", "MOVE")
get_child_cost, set_child_cost = CHILD.word("cost", "score without cells, empty columns and tops")
get_child_key, set_child_key = CHILD.word("key", "hash")
get_child_tops, set_child_tops = CHILD.word("tops", "as of a state")
get_child_held, set_child_held = CHILD.word("held", "as of a state")
get_child_what, set_child_what = CHILD.word("what", "WHAT")
CHILD_SIZE = CHILD.size()
WHAT = Bits(64)
what_empty, put_what_empty = WHAT.field(4, "empty", "empty columns")
what_event, _ = WHAT.field(1, "event", "1 for a child that has to be made at once")
EVENT = WHAT.pack(event=1)
#: Room for the children of a state: a card home of each suit, one out of each cell, from each
#: column one to a cell and runs of every length to an empty one, two onto each top; and one that
#: is written and not counted.
MAX_CHILDREN = SUITS + MAX_CELLS + MAX_COLUMNS * (1 + RANKS) + 2 * MAX_COLUMNS + 1
CHILDREN = SEARCH.block(CHILD_SIZE * MAX_CHILDREN, "children", "of the state that is expanded")

# --- A state.
ROWS = 16
STATE = Record()
get_slot, set_slot = STATE.array(32, MAX_COLUMNS * ROWS, "slots", "SLOT, by PLACE")
get_place, set_place = STATE.array(8, DECK_SIZE, "places", "PLACE of a card, IN_CELL or AT_HOME")
get_home, set_home = STATE.field(32, "home", "cards home, a byte a suit")
get_lengths, set_lengths = STATE.word("lengths", "cards in each column, a byte a column")
get_tops, set_tops = STATE.word("tops", "top cards of columns")
get_runs, set_runs = STATE.word("runs", "all cards in each column's trailing ordered run")
get_singles, set_singles = STATE.word("singles", "top cards whose run has length 1")
get_held, set_held = STATE.word("held", "cards in cells")
get_next, set_next = STATE.word("next", "the next card of each foundation")
get_hash, set_hash = STATE.word("hash", "of what lies on what: an xor over all cards in play")
get_sums, set_sums = STATE.word("sums", "SUMS")
get_link, set_link = STATE.word("link", "LINK")
STATE_SIZE = STATE.size(32)

PLACE = Bits(8)
place_row, put_row = PLACE.field(4, "row", "0 for the deepest card")
place_column, put_column = PLACE.field(4, "column", "0..7")
IN_CELL, AT_HOME = 128, 255

SLOT = Bits(32)
slot_card, put_slot_card = SLOT.field(6, "card", "the card itself")
slot_run, put_slot_run = SLOT.field(4, "run", "length of the ordered run that ends here")
slot_lowest, put_slot_lowest = SLOT.field(4, "lowest", "lowest rank so far, 0..12")
slot_bad, put_slot_bad = SLOT.field(6, "bad", "bad cards so far: cards that lie over a lower one")
slot_cost, put_slot_cost = SLOT.field(12, "cost", "cost of the column so far, in score points")

SUMS = Bits(64)
sums_cost, put_sums_cost = SUMS.field(16, "cost", "cost of all columns")
sums_bad, put_sums_bad = SUMS.field(16, "bad", "bad cards in all columns")
sums_depth, put_sums_depth = SUMS.field(32, "depth", "macro moves since the first state")

LINK = Bits(64)
link_parent, put_link_parent = LINK.field(32, "parent", "the state before")
link_move, put_link_move = LINK.field(32, "move", "the MOVE that led here")

#: Length of a column that is not in the game: occupied, without a top.
NO_COLUMN = 16

# --- A packed macro move.
MOVE = Bits(22)
move_card, put_move_card = MOVE.field(6, "card", "the deepest card that moves")
move_target, put_move_target = MOVE.field(4, "target", "a column, TO_CELL or TO_HOME")
move_count, put_move_count = MOVE.field(4, "count", "how many cards move")
TO_CELL, TO_HOME = MAX_COLUMNS, MAX_COLUMNS + 1

# --- The visited table, and what waits in the queue: a child that is not made, or a state.
ENTRY = Bits(32)
_, put_tag = ENTRY.field(20, "tag", "of the key")
entry_generation, put_generation = ENTRY.field(12, "generation", "the search that wrote it")
GENERATIONS = ENTRY.unpack(-1)["generation"] + 1
NODE = Bits(64)
node_link, put_node_link = NODE.field(22, "link", "the next node of the bucket, NO_NODE for none")
node_state, put_node_state = NODE.field(20, "state", "the state, or the parent of the child")
node_move, put_node_move = NODE.field(22, "move", "the MOVE of a child; 0 for a state")
#: The largest values of their fields.
NO_NODE, MOST_STATES = (NODE.unpack(-1)[name] for name in ("link", "state"))


@inlined
def state_at(pool: int, index: int) -> int:
    """Return where a stored state is."""
    return pool + STATE_SIZE * index


@inlined
def byte_of(word: int, index: int) -> int:
    """Return one of the eight bytes of a word, the lowest being 0."""
    return (word >> (8 * index)) & 255


@inlined
def in_byte(value: int, index: int) -> int:
    """Return a word with a value in one of its bytes."""
    return value << (8 * index)


@inlined
def code_hash(arena: int, card: int, code: int) -> int:
    """Return the hash of a card over what a code says."""
    return _get_zobrist(arena, _CODES * card + code)


# --- Arenas.

#: Bytes of a node of the queue and of an entry of the visited table.
NODE_SIZE, ENTRY_SIZE = 8, 4
#: Where the visited table is; behind it lie the pools of nodes and states.
TABLE = SEARCH.size(64)
#: Room in the queue for each state that can be stored: of 100 searches, 95 queue fewer than 7.
_NODES_PER_STATE = 8
#: Bits of the visited table, and the most states: for searches of up to 2,000 nodes (four states a
#: node), and for those of up to 250,000.
QUICK_BITS, QUICK_STATES = 14, 1 << 13
DEEP_BITS, _DEEP_STATES = 18, 1 << 18
#: Where the pools of the arena of long searches begin: nothing is kept there between two searches.
DEEP_POOLS = TABLE + (ENTRY_SIZE << DEEP_BITS)
#: Bytes of the memory limit for each state. The states of short searches may take half of it; those
#: of long ones, with their queue, about two fifths, since the proof takes three.
_QUICK_SHARE = 2 * STATE_SIZE
_DEEP_SHARE = 5 * STATE_SIZE // 2 + _NODES_PER_STATE * NODE_SIZE


@kernel
def arena_size(table_bits: int, nodes: int, states: int) -> int:
    """Return the bytes of an arena with room for so many nodes and states; see `lay_out`."""
    return TABLE + (ENTRY_SIZE << table_bits) + NODE_SIZE * nodes + STATE_SIZE * states


@kernel
def lay_out(arena: int, table_bits: int, nodes: int, states: int) -> None:
    """Make an arena of memory of any content; rules and a configuration are still to be set.

    table_bits  of the visited table; at least a few entries for each node, or it forgets
    nodes       at most NO_NODE
    states      at most MOST_STATES

    Memory is touched as it is used.
    """
    note_size(arena, arena_size(table_bits, nodes, states))
    _set_table_bits(arena, table_bits)
    _set_node_pool(arena, TABLE + (ENTRY_SIZE << table_bits))
    _set_state_pool(arena, get_node_pool(arena) + NODE_SIZE * nodes)
    set_room(arena, nodes, states)
    # The last one there is: the first search begins anew with a table that is cleared.
    set_generation(arena, GENERATIONS - 1)
    _fill_zobrist(arena)


@inlined
def set_room(arena: int, nodes: int, states: int) -> None:
    """Bound what the pools may hold; no more than the arena was laid out for."""
    _set_node_cap(arena, nodes)
    _set_state_cap(arena, states)


@kernel
def nodes_for(states: int) -> int:
    """Return the nodes that are queued, at most, where so many states may be stored."""
    return min(_NODES_PER_STATE * states, NO_NODE)


@kernel
def quick_states(memory_mib: int) -> int:
    """Return how many states searches of a few thousand nodes may store."""
    return min(QUICK_STATES, memory_mib * MIB // _QUICK_SHARE)


@kernel
def deep_states(memory_mib: int) -> int:
    """Return how many states searches of a hundred thousand nodes and more may store."""
    return min(_DEEP_STATES, memory_mib * MIB // _DEEP_SHARE)


@kernel
def _fill_zobrist(arena: int) -> None:
    """Fill in the hash of each card over each code, the same in every arena."""
    for number in range(1, DECK_SIZE * _CODES + 1):
        _set_zobrist(arena, number - 1, mix(wrapping_multiply(number, GOLDEN)))


@kernel
def set_rules(arena: int, rules: Any) -> None:
    """Write the rules, `int64[RULES_SIZE]`, and the cards that each card fits on."""
    suit_build = rules[RULE_SUIT_BUILD]
    set_cells(arena, rules[RULE_CELLS])
    set_supermove(arena, rules[RULE_SUPERMOVE])
    set_suit_build(arena, suit_build)
    for card in range(DECK_SIZE):
        parents = 0
        for below in range(DECK_SIZE):
            if fits_on(card, below, suit_build):
                parents |= 1 << below
        set_parents(arena, card, parents)
