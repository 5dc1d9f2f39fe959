"""The 1,430 shapes that a pyramid can have, numbered.

A shape is a set of places closed upwards: with a card, all cards that it covers are there. Number 0
is the full pyramid, the last one the empty one, and removing a card leads to a higher number, so
that tables over shapes are filled from the end. They are the same for all deals, and written once.
"""

from __future__ import annotations

from solvers.jit import inlined, kernel
from solvers.pyramid.fields import exposed
from solvers.pyramid.layout import FULL_PYRAMID, PLACE_BITS
from solvers.pyramid.proof import PROOF
from solvers.search.bits import lowest_bit
from solvers.search.record import Record

IDEALS = 1430
EMPTY = IDEALS - 1
#: In place of a shape that there is not: more than any number.
NO_SHAPE = (1 << 16) - 1

_SHAPE = Record()
_get_mask, _set_mask = _SHAPE.word("mask", "mask of its cards")
_get_after, _set_after = _SHAPE.array(
    16, PLACE_BITS, "after", "shape without the card of a bit; NO_SHAPE where that cannot leave"
)
_SHAPE_SIZE = _SHAPE.size()

SHAPES = Record(at=PROOF.size())
_SHAPES = SHAPES.block(_SHAPE_SIZE * IDEALS, "shapes", "_SHAPE records by number")


@inlined
def _at(shape: int) -> int:
    """Return the offset of a shape."""
    return _SHAPES + _SHAPE_SIZE * shape


@inlined
def mask_of(arena: int, shape: int) -> int:
    """Return the mask of a shape's cards."""
    return _get_mask(arena, _at(shape))


@inlined
def without(arena: int, shape: int, bit: int) -> int:
    """Return the shape that is left when the card of a bit leaves a shape."""
    return _get_after(arena, _at(shape), bit)


@kernel
def shape_of(arena: int, pyramid: int, first: int) -> int:
    """Return the number of a pyramid's shape, which is `first` or higher."""
    shape = first
    while mask_of(arena, shape) != pyramid:
        shape += 1
    return shape


@kernel
def write_shapes(arena: int) -> None:
    """Write all shapes: those with the same number of cards side by side, by falling masks."""
    _set_mask(arena, _at(0), FULL_PYRAMID)
    first, count = 0, 1
    while count < IDEALS:
        level = count
        for shape in range(first, level):
            left = exposed(mask_of(arena, shape))
            while left != 0:
                count = _insert(arena, mask_of(arena, shape) & ~(left & -left), level, count)
                left &= left - 1
        first = level
    for shape in range(IDEALS):
        for bit in range(PLACE_BITS):
            _set_after(arena, _at(shape), bit, NO_SHAPE)
        left = exposed(mask_of(arena, shape))
        while left != 0:
            smaller = shape_of(arena, mask_of(arena, shape) & ~(left & -left), shape + 1)
            _set_after(arena, _at(shape), lowest_bit(left), smaller)
            left &= left - 1


@kernel
def _insert(arena: int, mask: int, level: int, count: int) -> int:
    """Insert a mask among those from `level` on, unless it is there; return how many there are."""
    at = count
    while at > level and mask_of(arena, at - 1) < mask:
        at -= 1
    if at > level and mask_of(arena, at - 1) == mask:
        return count
    for shape in range(count, at, -1):
        _set_mask(arena, _at(shape), mask_of(arena, shape - 1))
    _set_mask(arena, _at(at), mask)
    return count + 1
