"""Bit counts, set bits, hashes and what a card is, for kernels in int64.

Numba marks signed sums and products as never overflowing, and LLVM then assumes that they do
not: a hash in plain int64 arithmetic can be optimised into a constant. Whatever is meant to
wrap goes through `wrapping_add` and `wrapping_multiply`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import inlined, intrinsic, kernel


@intrinsic
def popcount(_context: Any, builder: Any, mask: Any) -> Any:
    """Return how many bits of an int64 are set."""
    return builder.ctpop(mask)


@intrinsic
def lowest_bit(_context: Any, builder: Any, mask: Any) -> Any:
    """Return the index of the lowest set bit of an int64; 64 for zero."""
    return builder.cttz(mask, _false())


@intrinsic
def highest_bit(_context: Any, builder: Any, mask: Any) -> Any:
    """Return the index of the highest set bit of an int64; -1 for zero."""
    return builder.sub(mask.type(63), builder.ctlz(mask, _false()))


@intrinsic
def shift_right(_context: Any, builder: Any, value: Any, count: Any) -> Any:
    """Shift an int64 right by 0..63 places, filling with zeros."""
    return builder.lshr(value, count)


@intrinsic
def wrapping_add(_context: Any, builder: Any, left: Any, right: Any) -> Any:
    """Return the sum of two int64 modulo 2^64."""
    return builder.add(left, right)


@intrinsic
def wrapping_multiply(_context: Any, builder: Any, left: Any, right: Any) -> Any:
    """Return the product of two int64 modulo 2^64."""
    return builder.mul(left, right)


def _false() -> Any:
    """Return LLVM's false: a zero is not undefined."""
    from llvmlite import ir

    return ir.IntType(1)(0)


@inlined
def without_lowest(mask: int) -> int:
    """Return an int64 without its lowest set bit; 0 for zero."""
    return mask & wrapping_add(mask, -1)


@kernel
def mix(value: int) -> int:
    """Scramble an int64: a bijection in which every input bit moves every output bit.

    The finaliser of SplitMix64 (Steele, Lea and Flood, 2014), in wrapping int64.
    """
    value = wrapping_multiply(value ^ shift_right(value, 30), -4658895280553007687)
    value = wrapping_multiply(value ^ shift_right(value, 27), -7723592293110705685)
    return value ^ shift_right(value, 31)


#: The odd constant nearest to 2^64 over the golden ratio, as a signed word: what hashes of single
#: words are multiplied by (Knuth, The Art of Computer Programming, volume 3, section 6.4).
GOLDEN = -7046029254386353131


@kernel
def hash_deck(deck: Any) -> int:
    """Hash cards in order, for seeds: the same cards give the same seed however asked for.

    deck  uint8[n]  cards in canonical deal order

    Returns int64. Frozen: grades depend on it. h starts as n; for each card
    h = mix((h + card + 1) * 0x9E3779B97F4A7C15), wrapping in 64 bits.
    """
    value = np.int64(len(deck))
    for card in deck:
        value = mix(wrapping_multiply(wrapping_add(value, card + 1), GOLDEN))
    return value


@inlined
def rank_of(card: int) -> int:
    """Return a card's rank, 0 for an ace to 12 for a king."""
    return card >> 2


@inlined
def suit_of(card: int) -> int:
    """Return a card's suit, 0..3 as in `solvers.cards`."""
    return card & 3
