"""Bit counts and hashes against plain Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from solvers.jit import kernel
from solvers.search import bits

MASK = (1 << 64) - 1
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
EDGES = (0, 1, -1, 2, -2, 255, 1 << 31, 1 << 32, 1 << 62, -(1 << 62), (1 << 63) - 1, -(1 << 63))


def signed(value: int) -> int:
    """Return the low 64 bits of an integer as an int64."""
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def plain_mix(value: int) -> int:
    """Return SplitMix64's finaliser as published, on 64 bits."""
    value &= MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def plain_hash(cards: list[int]) -> int:
    """Return the hash of a deck as its docstring defines it."""
    value = len(cards)
    for card in cards:
        value = plain_mix((value + card + 1) * 0x9E3779B97F4A7C15)
    return signed(value)


# Intrinsics have no life of their own: kernels that call one each.


@kernel
def popcount(mask: int) -> int:
    """Call bits.popcount."""
    return bits.popcount(mask)


@kernel
def lowest_bit(mask: int) -> int:
    """Call bits.lowest_bit."""
    return bits.lowest_bit(mask)


@kernel
def without_lowest(mask: int) -> int:
    """Call bits.without_lowest."""
    return bits.without_lowest(mask)


@kernel
def highest_bit(mask: int) -> int:
    """Call bits.highest_bit."""
    return bits.highest_bit(mask)


@kernel
def shift_right(value: int, count: int) -> int:
    """Call bits.shift_right."""
    return bits.shift_right(value, count)


@kernel
def wrapping_add(left: int, right: int) -> int:
    """Call bits.wrapping_add."""
    return bits.wrapping_add(left, right)


@kernel
def wrapping_multiply(left: int, right: int) -> int:
    """Call bits.wrapping_multiply."""
    return bits.wrapping_multiply(left, right)


@kernel
def chain(value: int, count: int) -> int:
    """Wrap again and again in a loop, where a compiler would see its chance."""
    for index in range(count):
        value = bits.wrapping_multiply(bits.wrapping_add(value, index), 3)
        if value >= 0 and bits.wrapping_add(value, 1) < 0:
            value = bits.wrapping_add(value, 1)
    return value


def all_edges(function: Any) -> Any:
    """Add the edge values as examples of a test of two integers."""
    for left in EDGES:
        for right in (1, -1, EDGES[-1], EDGES[-2]):
            function = example(left, right)(function)
    return function


@given(INT64)
@example(0)
@example(-1)
@example(1 << 62)
@example(-(1 << 63))
def test_bits_of_one_number(value: int) -> None:
    assert popcount(value) == (value & MASK).bit_count()
    unsigned = value & MASK
    assert lowest_bit(value) == ((unsigned & -unsigned).bit_length() - 1 if value else 64)
    assert without_lowest(value) == signed(unsigned & (unsigned - 1) if value else 0)
    assert highest_bit(value) == unsigned.bit_length() - 1
    assert bits.mix(value) == signed(plain_mix(value))


@given(INT64, st.integers(0, 63))
@example(-1, 0)
@example(-1, 63)
@example(-(1 << 63), 63)
@example((1 << 63) - 1, 62)
def test_shifts_fill_with_zeros(value: int, count: int) -> None:
    assert shift_right(value, count) == signed((value & MASK) >> count)


@all_edges
@given(INT64, INT64)
def test_sums_and_products_wrap(left: int, right: int) -> None:
    assert wrapping_add(left, right) == signed(left + right)
    assert wrapping_multiply(left, right) == signed(left * right)


@given(INT64, st.integers(0, 200))
@example((1 << 63) - 1, 200)
def test_wrapping_goes_on_in_loops(value: int, count: int) -> None:
    expected = value
    for index in range(count):
        expected = signed(signed(expected + index) * 3)
        if expected == (1 << 63) - 1:
            expected = signed(expected + 1)
    assert chain(value, count) == expected


def test_mixing_is_splitmix64() -> None:
    # The first numbers of the generator seeded 1234567, as its authors' C code prints them.
    state, numbers = 1234567, []
    for _ in range(5):
        state += 0x9E3779B97F4A7C15
        numbers.append(int(bits.mix(signed(state))) & MASK)
    assert numbers == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.lists(st.integers(0, 51), max_size=104))
@example([])
@example(list(range(52)))
def test_hash_of_a_deck_is_as_documented(cards: list[int]) -> None:
    assert bits.hash_deck(np.array(cards, np.uint8)) == plain_hash(cards)


def test_decks_that_differ_have_different_hashes() -> None:
    deck = list(range(52))
    hashes = {bits.hash_deck(np.array(deck, np.uint8))}
    for first in range(52):
        for second in range(first):
            swapped = deck.copy()
            swapped[first], swapped[second] = swapped[second], swapped[first]
            hashes.add(bits.hash_deck(np.array(swapped, np.uint8)))
    assert len(hashes) == 1 + 52 * 51 // 2


@pytest.mark.parametrize("bit", range(64))
def test_each_bit_moves_about_half_of_all_bits(bit: int) -> None:
    moved = [
        ((bits.mix(value) ^ bits.mix(signed(value ^ 1 << bit))) & MASK).bit_count()
        for value in range(100, 164)
    ]
    assert 28 < sum(moved) / len(moved) < 36
