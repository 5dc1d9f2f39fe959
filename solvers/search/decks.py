"""Arrays that come from outside, checked in bulk before kernels see them: they check nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE
from solvers.errors import InvalidArrayError
from solvers.jit import Local, entry

#: A count for each byte; those of cards are set for each row.
_counts = Local(np.int64, 256)


@entry("u8[:,:]")
def first_bad_row(decks: Any) -> int:
    """Return the first row that is not a number of whole decks, -1 when all are.

    decks  uint8[n, 52 * d]
    """
    copies = decks.shape[1] // DECK_SIZE
    counts = _counts()
    for row in range(len(decks)):
        for card in range(len(counts)):
            counts[card] = 0
        good = True
        for place in range(decks.shape[1]):
            card = np.int64(decks[row, place])
            counts[card] += 1
            good = good and card < DECK_SIZE and counts[card] <= copies
        if not good:
            return row
    return -1


def checked_decks(decks: Any, deck_size: int) -> NDArray[np.uint8]:
    """Return decks as the one kind of array that kernels take, `uint8[n, deck_size]`.

    Any array of integers will do, and is copied where it has to be. Raises InvalidArrayError
    for another shape or type, and for the first row that is not a deck.
    """
    array = np.asarray(decks)
    if array.ndim != 2 or array.shape[1] != deck_size:
        raise InvalidArrayError(
            f"decks have shape {array.shape}; valid is (n, {deck_size}), a row a deck"
        )
    if array.dtype.kind not in "iu":
        raise InvalidArrayError(f"decks are {array.dtype}; valid are whole numbers, as uint8")
    if array.dtype != np.uint8:
        # Out of range before it is cut to a byte, where it could become a card.
        outside = ((array < 0) | (array >= DECK_SIZE)).any(axis=1)
        if outside.any():
            raise _not_a_deck(array, int(outside.argmax()))
    plain = np.require(array, np.uint8, ["C", "A", "W"])
    row = first_bad_row(plain)
    if row >= 0:
        raise _not_a_deck(array, row)
    return plain


def _not_a_deck(decks: NDArray[Any], row: int) -> InvalidArrayError:
    """Return the error for a row that is not a deck."""
    cards, counts = np.unique(decks[row], return_counts=True)
    copies = decks.shape[1] // DECK_SIZE
    wrong = (counts > copies) | (cards < 0) | (cards >= DECK_SIZE)
    return InvalidArrayError(
        f"row {row} is not a deck: it holds {int(cards[wrong][0])} "
        f"{int(counts[wrong][0])} times; valid is each of 0..{DECK_SIZE - 1} "
        f"{'once' if copies == 1 else f'{copies} times'}",
        row=row,
    )


def checked_lines(
    lines: Any, offsets: Any, count: int
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return packed lines, `uint16[m]`, and offsets, `int64[count + 1]`, as kernels take them.

    Raises InvalidArrayError for other shapes and types, and for the first offset that leaves the
    lines or falls behind the one before it.
    """
    moves, bounds = np.asarray(lines), np.asarray(offsets)
    for name, array in (("lines", moves), ("offsets", bounds)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise InvalidArrayError(
                f"{name} are {array.dtype} of shape {array.shape}; valid are whole numbers in a row"
            )
    if moves.dtype != np.uint16 and len(moves) and not 0 <= moves.min() <= moves.max() < 1 << 16:
        raise InvalidArrayError("lines hold a move beyond 16 bits; valid is 0..65535")
    if len(bounds) != count + 1:
        raise InvalidArrayError(f"there are {len(bounds)} offsets; valid is {count + 1}")
    before = np.concatenate(([0], bounds[:-1]))
    wrong = (bounds < before) | (bounds > len(moves))
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidArrayError(
            f"offset {row} is {bounds[row]}; valid is {before[row]}..{len(moves)}", row=row
        )
    return (
        np.require(moves, np.uint16, ["C", "A", "W"]),
        np.require(bounds, np.int64, ["C", "A", "W"]),
    )
