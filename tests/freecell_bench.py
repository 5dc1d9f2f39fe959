"""FreeCell's fast search opened up for tests: its states read back, its queue, its moves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from freecell_cases import reduced_deal
from freecell_packed import SMALL_SHAPES
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE
from solvers.freecell import layout, schedule, search, search_state
from solvers.freecell import records as at
from solvers.freecell.rules import NO_CARD, Profile, State
from solvers.search import status
from solvers.search.arena import new_arena
from solvers.search.record import Record

#: Whatever the search remembers of a state in words, but for sums and depth.
WORDS = ("lengths", "tops", "runs", "singles", "held", "next", "hash")
#: States that the arena of a `Bench` stores.
STATES = 1 << 10


def search_arena(table_bits: int = 12, states: int = STATES) -> NDArray[np.int64]:
    """Return a small arena of the fast search."""
    return arena_for(table_bits, 8 * states, states)


def arena_for(table_bits: int, nodes: int, states: int) -> NDArray[np.int64]:
    """Return an arena of the fast search for so many nodes in the queue, and states."""
    arena = new_arena(at.arena_size(table_bits, nodes, states))
    at.lay_out(arena.ctypes.data, table_bits, nodes, states)
    return arena


def run_search(arena: NDArray[np.int64]) -> tuple[int, int, int]:
    """Search from state 0 to the end; return the status, the nodes and the won state."""
    search.start(arena.ctypes.data)
    found = search.run(arena.ctypes.data, 1 << 40)
    won = read_one(arena, at.SEARCH, "won") if found == status.WON else 0
    return int(found), read_one(arena, at.SEARCH, "expanded"), won


def read(arena: NDArray[np.int64], record: Record, name: str, start: int = 0) -> list[int]:
    """Return the values of a field of a record that starts at a byte offset of an arena."""
    field = record.fields[name]
    values = arena.view(f"u{field.bits // 8}")
    first = (start + field.offset) // (field.bits // 8)
    return [int(value) for value in values[first : first + field.count]]


def read_one(arena: NDArray[np.int64], record: Record, name: str, start: int = 0) -> int:
    """Return the value of a field that has one."""
    (value,) = read(arena, record, name, start)
    return value


def first_state(arena: NDArray[np.int64]) -> int:
    """Return the offset of the arena's state 0."""
    return read_one(arena, at.SEARCH, "state_pool")


def slots_of(arena: NDArray[np.int64], state: int) -> list[list[int]]:
    """Return the slots in use of each column that is in the game."""
    slots = read(arena, at.STATE, "slots", state)
    lengths = read_one(arena, at.STATE, "lengths", state).to_bytes(8, "little")
    return [
        slots[at.ROWS * column : at.ROWS * column + length]
        for column, length in enumerate(lengths)
        if length != at.NO_COLUMN or slots[at.ROWS * column]
    ]


def read_state(arena: NDArray[np.int64], state: int, cells: int) -> State:
    """Return the position that a search state stands for; cells in the order of their cards."""
    columns = [
        tuple(at.SLOT.unpack(slot)["card"] for slot in column) for column in slots_of(arena, state)
    ]
    mask = read_one(arena, at.STATE, "held", state)
    held = [card for card in range(DECK_SIZE) if mask >> card & 1]
    foundations = read_one(arena, at.STATE, "home", state).to_bytes(4, "little")
    return State(
        tuple(columns),
        (*held, *[NO_CARD] * (cells - len(held))),
        (foundations[0], foundations[1], foundations[2], foundations[3]),
    )


def same_cells(state: State) -> State:
    """Return a state with its cells in the order in which `read_state` writes them."""
    held = sorted(card for card in state.cells if card != NO_CARD)
    return state._replace(cells=(*held, *[NO_CARD] * (len(state.cells) - len(held))))


class Queued(NamedTuple):
    """A child in the queue: its score, the index of its parent or of itself, its move or 0."""

    score: int
    state: int
    move: int


class Bench:
    """An arena under some rules, with the tuned weights of a stage a little disturbed."""

    def __init__(self, rng: random.Random, profile: Profile) -> None:
        """Set rules and weights; the search is under the profile's autoplay, safe or max."""
        self.profile = profile
        self.arena = search_arena()
        self.address = self.arena.ctypes.data
        self.root = first_state(self.arena)
        self.spare = self.root + at.STATE_SIZE * (STATES - 1)
        rules = layout.pack_profile(profile)
        at.set_rules(self.address, rules)
        config = schedule.QUICK[rng.randrange(len(schedule.QUICK))].copy()
        for name in at.CONFIG.fields:
            if name not in ("budget", "autoplay", "noise", "seed", "splits"):
                config[at.config_words(name)] += [
                    rng.randrange(3) for _ in config[at.config_words(name)]
                ]
        for name, value in (
            ("budget", 1),
            ("autoplay", rules[layout.RULE_AUTOPLAY]),
            ("noise", rng.choice((0, 63))),
            ("seed", rng.randrange(1 << 40)),
            ("splits", rng.choice((0, -1))),
        ):
            config[at.config_words(name)] = value
        at.set_config(self.address, config)

    def load(self, state: State, where: int | None = None) -> None:
        """Build the search's state of a position, from nothing."""
        where = self.root if where is None else where
        assert search_state.load_state(self.address, where, layout.pack(state))

    def read(self, index: int = 0) -> State:
        """Return the position of a state."""
        return read_state(self.arena, self.root + at.STATE_SIZE * index, self.profile.cells)

    def field(self, name: str, where: int) -> int:
        """Return a field of a state."""
        return read_one(self.arena, at.STATE, name, where)

    def everything(self, where: int) -> list[object]:
        """Return all that the search remembers of a state but its depth and its parent."""
        sums = at.SUMS.unpack(self.field("sums", where))
        facts: list[object] = [self.field(name, where) for name in WORDS]
        facts += [sums["cost"], sums["bad"], slots_of(self.arena, where)]
        return [
            *facts,
            read(self.arena, at.STATE, "places", where),
            self.field("home", where),
        ]

    def assert_from_scratch(self, where: int, state: State) -> None:
        """Assert that a state holds what the same position, loaded anew, would hold."""
        self.load(state, self.spare)
        assert self.everything(where) == self.everything(self.spare)

    def queue(self) -> Iterator[Queued]:
        """Yield what is queued."""
        pool = read_one(self.arena, at.SEARCH, "node_pool")
        heads = read(self.arena, at.SEARCH, "heads")
        for group, bits in enumerate(read(self.arena, at.SEARCH, "bitmap")):
            for bucket in range(64 * group, 64 * group + 64):
                if bits >> (bucket & 63) & 1:
                    link = heads[bucket]
                    while link != at.NO_NODE:
                        node = at.NODE.unpack(int(self.arena[pool // 8 + link]))
                        yield Queued(bucket, node["state"], node["move"])
                        link = node["link"]

    def child(self, queued: Queued) -> tuple[int, int]:
        """Return the offset of a queued child, made in the spare state, and its move."""
        where = self.root + at.STATE_SIZE * queued.state
        move = queued.move
        if move == 0:
            move = at.LINK.unpack(self.field("link", where))["move"]
        else:
            size = at.STATE_SIZE // 8
            made, parent = self.spare // 8, where // 8
            self.arena[made : made + size] = self.arena[parent : parent + size]
            search_state.make_move(self.address, self.spare, move)
            sums = (self.spare + at.STATE.at("sums")) // 8
            self.arena[sums] += at.SUMS.pack(depth=1)
            where = self.spare
        return where, move


def searched_profile(rng: random.Random) -> Profile:
    """Return a profile as the search knows it: autoplay safe or max, and by suit the latter."""
    build = rng.choice(("alternate", "alternate", "suit"))
    return Profile(
        "classic",
        rng.randrange(8),
        build,
        rng.choice(("power", "power", "linear", "single")),
        "max" if build == "suit" else rng.choice(("safe", "max", "max")),
    )


def bench_and_deal(seed: object) -> tuple[random.Random, Bench, State]:
    """Return a bench of random rules and a deal for it, of a full or a small deck."""
    rng = random.Random(str(seed))
    profile = searched_profile(rng)
    ranks, columns = rng.choice(((13, 8), (13, 8), (13, 7), *SMALL_SHAPES[3:]))
    return rng, Bench(rng, profile), reduced_deal(rng, ranks, columns, profile.cells)


def fits_rows(state: State) -> bool:
    """Tell whether the search can hold the state's columns."""
    return all(len(column) <= at.ROWS for column in state.columns)
