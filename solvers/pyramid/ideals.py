"""The 1,430 shapes that a pyramid can have, numbered.

A shape is a set of places closed upwards: with a card, all cards that it covers are
there. Number 0 is the full pyramid, the last one the empty one, and removing a card
leads to a higher number, so that tables over shapes are filled from the end.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from solvers.pyramid.layout import BIT_OF, FULL_PYRAMID, PLACE_BITS, STRIDE

IDEALS = 1430
EMPTY = IDEALS - 1


@cache
def tables() -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Return the pyramid mask of each shape, and where removing a card leads.

    masks  int64[IDEALS]
    after  int16[IDEALS, PLACE_BITS]  shape without the card of a bit; -1 where that card
                                      is gone or covered
    """
    level = [FULL_PYRAMID]
    ordered: list[int] = []
    while level:
        ordered += level
        smaller = {mask & ~(1 << bit) for mask in level for bit in _exposed_bits(mask)}
        level = sorted(smaller, reverse=True)
    numbers = {mask: number for number, mask in enumerate(ordered)}
    after = np.full((len(ordered), PLACE_BITS), -1, np.int16)
    for number, mask in enumerate(ordered):
        for bit in _exposed_bits(mask):
            after[number, bit] = numbers[mask & ~(1 << bit)]
    return np.array(ordered, np.int64), after


def _exposed_bits(mask: int) -> list[int]:
    """Return the bits of a shape's uncovered cards."""
    covered = mask >> STRIDE | mask >> STRIDE + 1
    return [bit for bit in BIT_OF if (mask & ~covered) >> bit & 1]


def number_of(pyramid: int) -> int:
    """Return the number of a shape, given as a pyramid mask."""
    masks, _after = tables()
    return int(np.flatnonzero(masks == pyramid)[0])
