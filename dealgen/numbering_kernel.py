"""Deal numbers in bulk: the kernel twin of `numbering.Microsoft`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE
from solvers.jit import kernel

#: Bits of a reciprocal. With m = 2^32 // left + 1, left * m exceeds 2^32 by at most left, so
#: that r * m >> 32 is r // left wherever r * left < 2^32; r is at most 2^16, left far less.
_SHIFT = 32


@kernel
def _deal(numbers: Any, order: Any, decks: Any) -> None:
    """Deal numbers into decks.

    The generator's i-th value is linear in its first one, so that all picks of a deal are
    computed side by side before its cards are swapped.

    numbers  int64[n]         valid `ms` numbers; not checked
    order    int64[size]      card i of a deck is card order[i] of the stream
    decks    uint8[n, size]   out
    Twin: numbering.Microsoft.stream.
    """
    size = len(order)
    factors, summands = np.empty(size, np.int64), np.empty(size, np.int64)
    lefts, reciprocals = np.empty(size, np.int64), np.empty(size, np.int64)
    places, picks = np.empty(size, np.int64), np.empty(size, np.int64)
    cards, fresh = np.empty(size, np.uint8), np.empty(size, np.uint8)
    factor, summand = 1, 0
    for index in range(size):
        factor = factor * 214013 & 0xFFFFFFFF
        summand = (summand * 214013 + 2531011) & 0xFFFFFFFF
        # Modulo 2^32 it may be negative, so that products with 32 bits stay within int64.
        factors[index] = factor - (factor >> 31 << 32)
        summands[index] = summand
        lefts[index] = size - index
        reciprocals[index] = (1 << _SHIFT) // (size - index) + 1
        places[order[index]] = index
        fresh[index] = index % DECK_SIZE
    for row in range(len(numbers)):
        number = numbers[row]
        # What is kept of a value's upper half, what is set in it, and what is added.
        kept, always, more = 0x7FFF, 0, 0
        if number >= 2**32:
            kept, more = 0xFFFF, 1
        elif number >= 2**31:
            always = 0x8000
        x = number & 0xFFFFFFFF
        for index in range(size):
            high = x * factors[index] + summands[index] >> 16
            r = (high & kept | always) + more
            picks[index] = r - lefts[index] * (r * reciprocals[index] >> _SHIFT)
        for index in range(size):
            cards[index] = fresh[index]
        for index in range(size):
            pick = picks[index]
            decks[row, places[index]] = cards[pick]
            cards[pick] = cards[size - index - 1]


def deal_ms(
    numbers: NDArray[np.int64], size: int, order: Sequence[int] | None
) -> NDArray[np.uint8]:
    """Return the decks of valid `ms` numbers, `uint8[n, size]`, one kernel call.

    order  which card of the stream each card of the deck is; None for the stream's own order
    """
    places = np.arange(size) if order is None else np.asarray(order, np.int64)
    decks = np.empty((len(numbers), size), np.uint8)
    _deal(numbers, places, decks)
    return decks
