"""Small numbers packed side by side in one word: pairs of each class, cards of each rank.

A number has four bits, but is below 8: the highest bit is the room that comparing takes. Pairs
are counted by class, 0..5: class c is the ranks c + 1 and 12 - c, which make 13 together. Cards
are counted by rank, 1..13. A word of these is never negative.
"""

from __future__ import annotations

from solvers.jit import inlined
from solvers.pyramid.rules import PAIR_SUM
from solvers.search.bits import lowest_bit

#: Classes of ranks that make pairs; kings have none.
CLASSES = 6

_BITS = 4
#: From a bit's index to its number's.
_TO_INDEX = 2
_MASK = (1 << _BITS) - 1
#: The lowest bit of each number of a word, and the highest.
_LOWEST = sum(1 << _BITS * index for index in range(14))
_HIGHEST = _LOWEST << _BITS - 1


@inlined
def class_of(rank: int) -> int:
    """Return the class of a rank 1..12."""
    return min(rank, PAIR_SUM - rank) - 1


@inlined
def count_at(counts: int, index: int) -> int:
    """Return one of the numbers."""
    return counts >> _BITS * index & _MASK


@inlined
def as_counts(count: int, index: int) -> int:
    """Return a word with one number, the others 0; also what to add or subtract to change it."""
    return count << _BITS * index


@inlined
def first_counted(counts: int) -> int:
    """Return the lowest index whose number is not 0; some must not be."""
    return lowest_bit(counts) >> _TO_INDEX


@inlined
def at_least_one(counts: int) -> int:
    """Return 1 for each number that is not 0; the others are 0."""
    return (counts | counts >> 1 | counts >> 2) & _LOWEST


@inlined
def at_least_two(counts: int) -> int:
    """Return 1 for each number of 2 or more; the others are 0."""
    return (counts >> 1 | counts >> 2) & _LOWEST


@inlined
def exactly_one(counts: int) -> int:
    """Return 1 for each number that is 1; the others are 0."""
    return counts & ~at_least_two(counts) & _LOWEST


@inlined
def greater_of(one: int, other: int) -> int:
    """Return the greater of each two numbers."""
    # The highest bit stays where nothing had to be borrowed from it: there `one` is no less.
    no_less = ((one | _HIGHEST) - other) & _HIGHEST
    keep = no_less - (no_less >> _BITS - 1)
    return one & keep | other & ~keep
