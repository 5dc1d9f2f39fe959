"""The fields of packed positions and moves, and what a pyramid or stock mask says.

The functions by which kernels read and write what `layout` describes; what is legal is `kernel`'s
business. A position is `packed`, `uint8[PACKED_SIZE]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import inlined
from solvers.pyramid.layout import (
    BIT_OF,
    BYTE,
    CARD_BITS,
    CARD_MASK,
    DECK,
    DRAWN,
    MOST_REDEALS,
    NO_SECOND,
    PLACE_BITS,
    PYRAMID,
    REDEALS,
    STOCK,
    STOCK_BYTES,
    STRIDE,
)
from solvers.pyramid.rules import PYRAMID_SIZE, ROWS
from solvers.search.bits import highest_bit, lowest_bit

#: What `stock_next` says of an empty stock: `lowest_bit` of no bits.
NO_INDEX = 64

#: Bits of a card's suit; its rank lies above.
_SUIT_BITS = 2
#: The covers of the card of bit 0.
_TWO_COVERS = 1 << STRIDE | 1 << STRIDE + 1

#: The bit of each place in a pyramid mask, and back.
BITS = np.array(BIT_OF, np.int64)
_PLACES = np.zeros(PLACE_BITS, np.int64)
_PLACES[list(BIT_OF)] = range(PYRAMID_SIZE)


# The fields of a packed position.


@inlined
def pyramid_of(packed: Any) -> int:
    """Return the pyramid mask of a position."""
    pyramid = 0
    for row in range(ROWS):
        pyramid |= np.int64(packed[PYRAMID + row]) << STRIDE * row
    return pyramid


@inlined
def stock_of(packed: Any) -> int:
    """Return the mask of stock and waste of a position."""
    stock = 0
    for index in range(STOCK_BYTES):
        stock |= np.int64(packed[STOCK + index]) << BYTE * index
    return stock


@inlined
def drawn_of(packed: Any) -> int:
    """Return where the stock begins: stock cards of a lower index lie in the waste."""
    return np.int64(packed[DRAWN])


@inlined
def redeals_of(packed: Any) -> int:
    """Return how many resets there were."""
    return np.int64(packed[REDEALS])


@inlined
def pyramid_card(packed: Any, place: int) -> int:
    """Return the card dealt to a place 0..27, NOTHING for none."""
    return np.int64(packed[DECK + place])


@inlined
def card_at(packed: Any, bit: int) -> int:
    """Return the card dealt to a bit of the pyramid mask."""
    return pyramid_card(packed, _PLACES[bit])


@inlined
def stock_card(packed: Any, index: int) -> int:
    """Return the card dealt to an index 0..23 of the stock, NOTHING for none."""
    return np.int64(packed[DECK + PYRAMID_SIZE + index])


@inlined
def write_state(packed: Any, pyramid: int, stock: int, drawn: int, redeals: int) -> None:
    """Write what is left of a position: the fields beside its deck."""
    for row in range(ROWS):
        packed[PYRAMID + row] = pyramid >> STRIDE * row & (1 << STRIDE) - 1
    for index in range(STOCK_BYTES):
        packed[STOCK + index] = stock >> BYTE * index & (1 << BYTE) - 1
    packed[DRAWN] = drawn
    packed[REDEALS] = min(redeals, MOST_REDEALS)


# The fields of a packed move.


@inlined
def first_of(move: int) -> int:
    """Return the first card of a packed move, DRAW_CODE or RESET_CODE."""
    return move & CARD_MASK


@inlined
def second_of(move: int) -> int:
    """Return the second card of a packed move, NO_SECOND for none; more is not a card."""
    return move >> CARD_BITS


@inlined
def pack_king(card: int) -> int:
    """Return the packed removal of a king."""
    return card | NO_SECOND << CARD_BITS


@inlined
def pack_pair(one: int, other: int) -> int:
    """Return the packed removal of two cards, the higher one first."""
    return max(one, other) | min(one, other) << CARD_BITS


# Ranks and masks.


@inlined
def rank_of(card: int) -> int:
    """Return the rank 1..13 of a card; more for what is not a card."""
    return (card >> _SUIT_BITS) + 1


@inlined
def exposed(pyramid: int) -> int:
    """Return the mask of the uncovered cards of a pyramid mask."""
    return pyramid & ~(pyramid >> STRIDE | pyramid >> STRIDE + 1)


@inlined
def cover_of(pyramid: int, bit: int) -> int:
    """Return the mask of the cards that still cover a card."""
    return pyramid & (_TWO_COVERS << bit)


@inlined
def in_waste(stock: int, drawn: int) -> int:
    """Return the mask of the waste."""
    return stock & (1 << drawn) - 1


@inlined
def in_stock(stock: int, drawn: int) -> int:
    """Return the mask of the cards that are still to be drawn."""
    return stock >> drawn << drawn


@inlined
def waste_top(stock: int, drawn: int) -> int:
    """Return the stock index of the waste's top card, -1 when the waste is empty."""
    return highest_bit(in_waste(stock, drawn))


@inlined
def stock_next(stock: int, drawn: int) -> int:
    """Return the stock index of the next card to draw, NO_INDEX when the stock is empty."""
    return lowest_bit(in_stock(stock, drawn))
