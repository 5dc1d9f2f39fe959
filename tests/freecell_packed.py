"""FreeCell as arrays for tests: decks, positions, lines."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
from freecell_cases import random_play, reduced_deal
from numpy.typing import NDArray

from dealgen.numbering import numbering_of
from solvers.cards import DECK_SIZE, parse_card
from solvers.freecell import layout
from solvers.freecell.layout import unpack_moves
from solvers.freecell.lines import MAX_LINE, WRITER_SIZE, write_line
from solvers.freecell.rules import NO_CARD, Move, Profile, State

#: Shapes of small games: ranks, columns.
SMALL_SHAPES = ((3, 3), (3, 4), (4, 3), (4, 4), (5, 3), (5, 4))


def decks_of(numbers: Iterable[int]) -> NDArray[np.uint8]:
    """Return the decks of numbered deals, `uint8[n, 52]`."""
    numbering = numbering_of("ms")
    return np.array([list(numbering.stream(number, DECK_SIZE)) for number in numbers], np.uint8)


def cards(text: str) -> tuple[int, ...]:
    """Read cards apart by spaces."""
    return tuple(map(parse_card, text.split()))


def random_position(rng: random.Random, profile: Profile, length: int = 80) -> State:
    """Return a position that random play reaches, of a full deck or of a small one."""
    if rng.random() < 0.3:
        ranks, columns = rng.choice(SMALL_SHAPES)
    else:
        ranks, columns = 13, rng.choice((8, 8, 8, 8, 7, 6))
    state = reduced_deal(rng, ranks, columns, profile.cells)
    return random_play(state, profile, rng, rng.randrange(length))[-1][1]


def tidy_position(rng: random.Random, cells: int, misplaced: int, low: int | None = None) -> State:
    """Return a position of falling columns, some cards home, and a few cards out of place.

    low  the rank that every foundation has reached; by default any up to 8
    """
    low = rng.randrange(9) if low is None else low
    home = [low + rng.randrange(3) for _ in range(4)]
    left = [card for card in range(DECK_SIZE) if card >> 2 >= home[card & 3]]
    rng.shuffle(left)
    aside = [left.pop() for _ in range(min(misplaced, len(left)))]
    columns: list[list[int]] = [[] for _ in range(8)]
    for card in sorted(left, reverse=True):
        rng.choice(columns).append(card)
    kept = [NO_CARD] * cells
    for card in aside:
        cell = rng.randrange(cells + 1)
        if cell < cells and kept[cell] == NO_CARD:
            kept[cell] = card
        else:
            column = rng.choice(columns)
            column.insert(rng.randrange(len(column) + 1), card)
    foundations = (home[0], home[1], home[2], home[3])
    return State(tuple(map(tuple, columns)), tuple(kept), foundations)


def written_line(
    state: State, macros: Iterable[int], searched: int, profile: Profile, room: int = MAX_LINE
) -> tuple[Move, ...] | None:
    """Return the line that `lines` writes from macros, None when it finds none."""
    line = np.empty(room, np.uint16)
    length = write_line(
        layout.pack(state),
        layout.pack_profile(profile),
        np.array(list(macros), np.int64),
        searched,
        np.empty(WRITER_SIZE, np.int64),
        line,
    )
    return None if length < 0 else unpack_moves(line[:length])
