"""Sets of numbers as ranges, beside Python's sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealgen.cover import Cover

RANGES = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))),
    max_size=12,
)


@given(RANGES)
def test_a_cover_is_the_set_of_its_numbers(ranges: list[tuple[int, int]]) -> None:
    numbers = sorted({n for first, last in ranges for n in range(first, last + 1)})
    cover = Cover.of(ranges)
    assert list(cover) == numbers
    assert len(cover) == len(numbers)
    assert [cover[place] for place in range(len(cover))] == numbers
    for number in range(-1, 72):
        assert (number in cover) == (number in numbers)
        place = cover.place_of(number)
        assert place == (numbers.index(number) if number in numbers else None)
    # One set has one spelling, with a gap between any two ranges.
    assert Cover.of_numbers(reversed(numbers)) == cover
    assert all(b[0] > a[1] + 1 for a, b in zip(cover.ranges, cover.ranges[1:], strict=False))


def test_ranges_are_not_expanded() -> None:
    cover = Cover.of([(1, 2**62), (2**62 + 2, 2**62 + 3)])
    assert len(cover) == 2**62 + 2
    assert cover[2**62] == 2**62 + 2
    assert 2**62 + 1 not in cover
    assert str(cover) == f"1..{2**62}, {2**62 + 2}..{2**62 + 3}"


@pytest.mark.parametrize("place", [-1, 3])
def test_there_is_no_number_outside(place: int) -> None:
    with pytest.raises(IndexError, match=f"place {place} of 3 numbers"):
        Cover.of([(5, 7)])[place]
