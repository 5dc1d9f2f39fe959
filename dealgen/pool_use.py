"""Pools asked for deals: what one says of a number, deals picked by seed and by date, and parts.

Owns how a deal is picked, which `docs/pool-format.md` specifies for other languages: 32-bit steps
alone. Takes the content of a pool to be right.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.cover import Cover
from dealgen.grade import OWN_RANGE
from dealgen.pool import RANDOM, Pool, Tier, sealed
from solvers.errors import InvalidNumberError, WinnableError, known_name
from solvers.outcome import Verdict

#: Seeds are below this; a double, JavaScript's only number, holds them all.
SEEDS = 2**53
#: The day that has the number 0.
FIRST_DAY = datetime.date(2000, 1, 1)
#: Deals of a tier that days are spread over, at most: 32-bit steps reach no further.
_MOST_SHUFFLED = 2**32
_ROUNDS = 4
#: 2^32 divided by the golden ratio, and a constant of MurmurHash3's finaliser.
_GOLDEN, _MURMUR = 0x9E3779B9, 0x85EBCA6B


@dataclass(frozen=True, slots=True)
class Entry:
    """What a pool says of one number.

    tier       its name, such as `easy`; None for a deal that is not in a tier
    par        moves to beat, None where none is known
    solution   moves in standard notation, None where the pool has none
    duplicate  whether a lower number of the tiers has the same board
    """

    number: int
    verdict: Verdict
    tier: str | None = None
    par: int | None = None
    solution: tuple[str, ...] | None = None
    duplicate: bool = False


def lookup(pool: Pool, number: int) -> Entry:
    """Return what a pool says of a number; its content is taken to be right.

    Raises InvalidNumberError for a number that the pool does not answer for.
    """
    if number not in pool.covers:
        raise InvalidNumberError(
            f"the pool does not answer for deal {number}; it has {pool.covers}"
        )
    for name, tier in pool.tiers.items():
        place = _place_of(tier.numbers, number)
        if place is not None:
            par = 0 if tier.par is None else int(tier.par[place])
            solution = None if tier.solutions is None else tier.solutions[place].split(",")
            return Entry(
                number,
                Verdict.WINNABLE,
                name,
                par or None,
                None if solution is None else tuple(move for move in solution if move),
            )
    if _place_of(pool.unwinnable, number) is not None:
        return Entry(number, Verdict.UNWINNABLE)
    duplicate = _place_of(pool.duplicates, number) is not None
    return Entry(number, Verdict.WINNABLE if duplicate else Verdict.UNDECIDED, duplicate=duplicate)


def _place_of(numbers: NDArray[Any] | Cover, number: int) -> int | None:
    """Return where a number stands among ascending ones, None where it does not."""
    if isinstance(numbers, Cover):
        return numbers.place_of(number)
    if not len(numbers) or number > numbers[-1]:
        return None
    place = int(np.searchsorted(numbers, number))
    return place if numbers[place] == number else None


def pick(pool: Pool, tier: str, seed: int, exclude: Collection[int] = ()) -> int:
    """Return a number of a tier, always the same for the same pool, tier, seed and exclusions.

    tier     one of the pool's, or `random`: any number that it answers for, vetted or not
    seed     0..2^53 - 1
    exclude  numbers never to return

    Raises UnknownNameError for the tier, InvalidNumberError for the seed, WinnableError for
    a tier with no other deal.
    """
    if not 0 <= seed < SEEDS:
        raise InvalidNumberError(f"seed is {seed}; valid is 0..{SEEDS - 1}")
    choices = _Choices(pool, tier, exclude)
    return choices[spread(seed) % choices.size]


def pick_for(pool: Pool, tier: str, date: datetime.date, exclude: Collection[int] = ()) -> int:
    """Return the deal of a day: none of the tier comes again before all of it were there.

    tier, exclude  as for `pick`

    Raises as `pick`; InvalidNumberError for a day before 2000, WinnableError for a tier of more
    than 2^32 deals.
    """
    day = (date - FIRST_DAY).days
    if day < 0:
        raise InvalidNumberError(f"the day is {date}; valid is {FIRST_DAY} and later")
    choices = _Choices(pool, tier, exclude)
    if choices.size > _MOST_SHUFFLED:
        raise WinnableError(f"tier {tier} has more than 2^32 deals, too many to go by days")
    round_of_tier, place = divmod(day, choices.size)
    return choices[shuffled(place, choices.size, _mix(round_of_tier % 2**32))]


class _Choices:
    """The numbers of a tier but for those excluded, by place."""

    def __init__(self, pool: Pool, tier: str, exclude: Collection[int]) -> None:
        name = known_name("tier", tier, (*pool.tiers, RANDOM))
        self._numbers: Any = pool.covers if name == RANDOM else pool.tiers[name].numbers
        places = (_place_of(self._numbers, number) for number in set(exclude))
        self._left_out = sorted(place for place in places if place is not None)
        among = pool.covers.size if name == RANDOM else len(self._numbers)
        self.size = among - len(self._left_out)
        if self.size < 1:
            other = " but those excluded" if self._left_out else ""
            raise WinnableError(f"tier {tier} of the pool has no deals{other}")

    def __getitem__(self, index: int) -> int:
        """Return the number at a place of what is left."""
        for place in self._left_out:
            index += place <= index
        return int(self._numbers[index])


def subset(pool: Pool, tiers: Iterable[str] = (), count: int | None = None, seed: int = 0) -> Pool:
    """Return the pool of some deals of tiers, which answers for these and no others.

    tiers  names; none means all
    count  deals of each tier, those that `shuffled` puts first; None takes all
    seed   0..2^53 - 1; another one shuffles otherwise

    Raises UnknownNameError for a tier, InvalidNumberError for the seed, WinnableError for a tier
    with fewer deals.
    """
    if not 0 <= seed < SEEDS:
        raise InvalidNumberError(f"seed is {seed}; valid is 0..{SEEDS - 1}")
    named = {known_name("tier", name, pool.tiers) for name in tiers} or set(pool.tiers)
    key = spread(seed) >> 21
    parts = {}
    for name, tier in pool.tiers.items():
        size = len(tier.numbers) if name in named else 0
        wanted = size if count is None or not size else count
        if wanted > size:
            raise WinnableError(
                f"tier {name} of the pool has {size:,} deals, fewer than {wanted:,}"
            )
        parts[name] = _part(tier, sorted(shuffled(place, size, key) for place in range(wanted)))
    numbers = [number for tier in parts.values() for number in tier.numbers.tolist()]
    nothing = pool.undecided[:0]
    # What is left does not divide itself evenly any more.
    on = pool.cuts.calibrated_on
    return sealed(
        replace(
            pool,
            covers=Cover.of_numbers(numbers),
            counts={"winnable": len(numbers), "unwinnable": 0, "undecided": 0},
            cuts=replace(pool.cuts, calibrated_on=None if on == OWN_RANGE else on),
            tiers=parts,
            duplicates=nothing,
            unwinnable=nothing,
            undecided=nothing,
        )
    )


def _part(tier: Tier, places: list[int]) -> Tier:
    """Return the deals of a tier at some places."""
    return Tier(
        tier.numbers[places],
        None if tier.par is None else tier.par[places],
        None if tier.solutions is None else tuple(tier.solutions[place] for place in places),
    )


def shuffled(place: int, size: int, key: int) -> int:
    """Return where a place 0..size - 1 comes to when `size` places, at most 2^32, are shuffled.

    key  32 bits; each makes another order

    A Feistel network of four rounds over twice as many bits as half of a place has at least, walked
    until it stays below the size: one to one.

    >>> [shuffled(place, 7, 1) for place in range(7)]
    [6, 4, 1, 2, 0, 3, 5]
    """
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    mask = (1 << half) - 1
    while True:
        left, right = place >> half, place & mask
        for step in range(1, _ROUNDS + 1):
            mixed = _mix(right ^ _mix(key ^ _GOLDEN * step % 2**32))
            left, right = right, left ^ mixed & mask
        place = left << half | right
        if place < size:
            return place


def spread(seed: int) -> int:
    """Hash a seed 0..2^53 - 1 to 53 bits, in steps that JavaScript's numbers hold exactly.

    Two 32-bit hashes make one number; `_mix` is the finaliser of MurmurHash3 (public domain). The
    constants that tell the two apart are 2^32 divided by the golden ratio and that finaliser's own.
    """
    low, high = seed % 2**32, seed // 2**32
    first = _mix(low ^ _mix(high ^ _GOLDEN))
    second = _mix(first ^ _MURMUR)
    return first * 2**21 + (second >> 11)


def _mix(x: int) -> int:
    """Mix 32 bits; one to one."""
    x = (x ^ (x >> 16)) * _MURMUR % 2**32
    x = (x ^ (x >> 13)) * 0xC2B2AE35 % 2**32
    return x ^ (x >> 16)
