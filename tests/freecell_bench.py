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
from solvers.freecell import kernel, layout, stages
from solvers.freecell import search_state as at
from solvers.freecell.rules import NO_CARD, Profile, State
from solvers.freecell.bulk import set_config

#: Whatever the search remembers of a state in words, but for sums and depth.
WORDS = (at.LENGTHS, at.TOPS, at.RUNS, at.SINGLES, at.CELLS, at.NEXT, at.HASH)
#: The low bits of the sums: column costs and bad cards.
COSTS = (1 << 24) - 1


def search_arena(table_bits: int = 12, states: int = 1 << 10) -> NDArray[np.int64]:
    """Return a small arena of the fast search."""
    return at.make_arena(table_bits, 8 * states, states)


def word(arena: NDArray[np.int64], offset: int) -> int:
    """Return the 64-bit word at a byte offset of an arena."""
    return int(arena[offset // 8])


def first_state(arena: NDArray[np.int64]) -> int:
    """Return the offset of the arena's state 0."""
    return word(arena, at.COUNTERS + 8 * at.C_STATE_POOL)


def read_state(arena: NDArray[np.int64], state: int, cells: int) -> State:
    """Return the position that a search state stands for; cells in the order of their cards."""
    lengths = word(arena, state + at.LENGTHS)
    slots = arena.view(np.uint32)
    columns = []
    for column in range(8):
        length = lengths >> (8 * column) & 255
        if length != at.NO_COLUMN:
            first = (state + 64 * column) // 4
            columns.append(tuple(int(slot) & 63 for slot in slots[first : first + length]))
    mask = word(arena, state + at.CELLS)
    held = [card for card in range(DECK_SIZE) if mask >> card & 1]
    foundations = arena.view(np.uint8)[state + at.HOME : state + at.HOME + 4].tolist()
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

    def __init__(self, rng: random.Random, profile: Profile, columns: int) -> None:
        """Set rules and weights; the search is under the profile's autoplay, safe or max."""
        self.profile = profile
        self.arena = search_arena()
        self.address = self.arena.ctypes.data
        self.root = first_state(self.arena)
        self.spare = self.root + at.STATE_SIZE * ((1 << 10) - 1)
        options = layout.pack_profile(profile)
        at.set_rules(
            self.address,
            profile.cells,
            columns,
            int(options[layout.RULE_SUPERMOVE]),
            int(options[layout.RULE_SUIT_BUILD]),
        )
        config = schedule.QUICK[rng.randrange(len(schedule.QUICK))].copy()
        for weight in range(at.W_DEPTH, at.W_CELL_RANK + 13):
            config[weight] += rng.randrange(3)
        config[at.AUTOPLAY] = options[layout.RULE_AUTOPLAY]
        config[at.NOISE], config[at.SEED] = rng.choice((0, 63)), rng.randrange(1 << 40)
        config[at.SPLITS] = rng.choice((0, -1))
        set_config(self.address, config, 1)

    def load(self, state: State, where: int | None = None) -> None:
        """Build the search's state of a position, from nothing."""
        where = self.root if where is None else where
        assert at.load_state(self.address, where, layout.pack(state))

    def read(self, index: int = 0) -> State:
        """Return the position of a state."""
        return read_state(self.arena, self.root + at.STATE_SIZE * index, self.profile.cells)

    def everything(self, where: int) -> list[object]:
        """Return all that the search remembers of a state but its depth."""
        lengths = word(self.arena, where + at.LENGTHS)
        slots = self.arena.view(np.uint32)
        facts: list[object] = [word(self.arena, where + offset) for offset in WORDS]
        facts.append(word(self.arena, where + at.SUMS) & COSTS)
        for column in range(8):
            length = lengths >> (8 * column) & 255
            if length != at.NO_COLUMN:
                first = (where + 64 * column) // 4
                facts.append(slots[first : first + length].tolist())
        in_bytes = self.arena.view(np.uint8)
        for offset, size in ((at.POSITION, DECK_SIZE), (at.HOME, 4)):
            facts.append(in_bytes[where + offset : where + offset + size].tolist())
        return facts

    def assert_from_scratch(self, where: int, state: State) -> None:
        """Assert that a state holds what the same position, loaded anew, would hold."""
        self.load(state, self.spare)
        assert self.everything(where) == self.everything(self.spare)

    def queue(self) -> Iterator[Queued]:
        """Yield what is queued."""
        pool = word(self.arena, at.COUNTERS + 8 * at.C_NODE_POOL)
        heads = self.arena.view(np.uint32)[at.HEADS // 4 :]
        groups = self.arena[at.BITMAP // 8 :][: at.BUCKETS // 64]
        for group in np.flatnonzero(groups).tolist():
            for bucket in range(64 * group, 64 * group + 64):
                if int(groups[group]) >> (bucket & 63) & 1:
                    link = int(heads[bucket])
                    while link != at.NO_NODE:
                        node = word(self.arena, pool + 8 * link)
                        yield Queued(bucket, node >> 22 & at.NO_STATE, node >> 42)
                        link = node & at.NO_NODE

    def child(self, queued: Queued) -> tuple[int, int]:
        """Return the offset of a queued child, made in the spare state, and its move."""
        where = self.root + at.STATE_SIZE * queued.state
        move = queued.move
        if move == 0:
            move = word(self.arena, where + at.LINK) >> 32
        else:
            size = at.STATE_SIZE // 8
            made, parent = self.spare // 8, where // 8
            self.arena[made : made + size] = self.arena[parent : parent + size]
            at.make_move(self.address, self.spare, move)
            self.arena[(self.spare + at.SUMS) // 8] += 1 << 32
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
    return (
        rng,
        Bench(rng, profile, columns),
        reduced_deal(rng, ranks, columns, profile.cells),
    )


def fits_rows(state: State) -> bool:
    """Tell whether the search can hold the state's columns."""
    return all(len(column) <= at.ROWS for column in state.columns)
