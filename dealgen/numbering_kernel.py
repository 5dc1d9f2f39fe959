"""Deal numbers in bulk: the kernel twin of `numbering`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.numbering import Numbering, check_number
from solvers.cards import DECK_SIZE
from solvers.jit import kernel


@kernel
def _deal(numbers: Any, order: Any, decks: Any) -> None:
    """Deal numbers into decks.

    numbers  int64[n]         valid `ms` numbers; not checked
    order    int64[size]      card i of a deck is card order[i] of the stream
    decks    uint8[n, size]   out
    Twin: numbering.stream.
    """
    size = len(order)
    cards = np.empty(size, np.uint8)
    dealt = np.empty(size, np.uint8)
    for row in range(len(numbers)):
        number = numbers[row]
        x = number & 0xFFFFFFFF
        for index in range(size):
            cards[index] = index % DECK_SIZE
        for index in range(size):
            left = size - index
            x = (x * 214013 + 2531011) & 0xFFFFFFFF
            high = x >> 16
            if number < 2**31:
                r = high & 0x7FFF
            elif number < 2**32:
                r = high & 0x7FFF | 0x8000
            else:
                r = high + 1
            pick = r % left
            dealt[index] = cards[pick]
            cards[pick] = cards[left - 1]
        for index in range(size):
            decks[row, index] = dealt[order[index]]


def deal_numbers(
    numbers: Sequence[int] | NDArray[np.int64],
    numbering: Numbering,
    size: int,
    order: Sequence[int] | None,
) -> NDArray[np.uint8]:
    """Return the decks of many numbers, `uint8[n, size]`, one kernel call.

    order  which card of the stream each card of the deck is (`Game.deal_order`); None for
           the stream's own order

    Raises InvalidNumberError naming the first number outside the numbering.
    """
    array = np.asarray(numbers)
    if array.dtype.kind not in "iu":
        # Converting would round a fraction down to another deal, and overflow on a huge number.
        for number in numbers:
            check_number(number, numbering)
    outside = (array < numbering.first) | (array > numbering.last)
    if outside.any():
        check_number(int(array[outside.argmax()]), numbering)
    places = np.arange(size) if order is None else np.asarray(order, np.int64)
    decks = np.empty((len(array), size), np.uint8)
    _deal(array.astype(np.int64), places, decks)
    return decks
