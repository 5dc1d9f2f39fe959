"""Pools: what is in one, its canonical bytes, its facts, and a deal picked from it.

Owns the format (docs/pool-format.md). Reading a file is `pool_read`, building a pool `pool_build`,
checking what one claims `pool_verify`; this module solves nothing and does not load numba.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.codec import encode_numbers
from dealgen.formats import POOL_FORMAT, POOL_FORMAT_VERSION
from dealgen.grade import Cuts
from dealgen.numbering import Numbering
from solvers.errors import (
    InvalidNumberError,
    UnknownNameError,
    WinnableError,
)
from solvers.outcome import Verdict

#: Pick's seeds are below this; a double, JavaScript's only number, holds them all.
SEEDS = 2**53

#: Numbers of a pool are signed integers of 64 bits.
_LARGEST_NUMBER = 2**63 - 1

#: The tier of the whole range, vetted or not.
RANDOM = "random"
#: How many times the smallest tier the largest may have before a pool is lopsided.
_MOST_LOPSIDED = 5


@dataclass(frozen=True, slots=True)
class Tier:
    """The deals of one tier.

    numbers    int64[n]           ascending
    par        int64[n] or None   moves to beat; 0 where none is known
    solutions  n texts or None    moves in standard notation, joined by commas

    Of a pool that was read, par and solutions may have any length (`verify_pool` tells).
    """

    numbers: NDArray[np.int64]
    par: NDArray[np.int64] | None = None
    solutions: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """One pool; docs/pool-format.md explains each field.

    grader      the measurement's name, such as `freecell-2`
    cuts        where the tiers divide the efforts
    tiers       by name, easiest first
    duplicates  int64[n]  winnable, and the same board as a lower number of the tiers
    unwinnable, undecided  int64[n]
    counts      as claimed: winnable, unwinnable, undecided
    sha256      as claimed; empty for a pool that is not sealed yet
    digest      the SHA-256 of the content as it was read or sealed
    faults      what was read and is not so, a line each, for `verify_pool`
    """

    game: str
    profile: str
    numbering: str
    first: int
    last: int
    counts: Mapping[str, int]
    grader: str
    cuts: Cuts
    solver_versions: tuple[str, ...]
    tiers: Mapping[str, Tier]
    duplicates: NDArray[np.int64]
    unwinnable: NDArray[np.int64]
    undecided: NDArray[np.int64]
    sha256: str = ""
    digest: str = ""
    faults: tuple[str, ...] = ()


def check_range(numbering: Numbering, first: int, last: int, game_name: str) -> None:
    """Raise WinnableError unless first..last are valid numbers that a pool can hold."""
    numbering.check_range(first, last, game_name)
    if first < 0 or last > _LARGEST_NUMBER:
        raise WinnableError(
            f"range {first}-{last} is not one of a pool, which holds numbers 0..2^63-1"
        )


def canonical_bytes(content: Mapping[str, Any]) -> bytes:
    """Return decoded JSON in its one canonical spelling: what the hash is over.

    >>> canonical_bytes({"b": [1, 2], "a": "x"})
    b'{"a":"x","b":[1,2]}'
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def content_of(pool: Pool) -> dict[str, Any]:
    """Return a pool as the JSON object that its hash is over."""
    tiers: dict[str, Any] = {
        RANDOM: {"first": pool.first, "last": pool.last, "vetted": False},
    }
    for name, tier in pool.tiers.items():
        tiers[name] = {"numbers": encode_numbers(tier.numbers)}
        if tier.par is not None:
            tiers[name]["par"] = tier.par.tolist()
        if tier.solutions is not None:
            tiers[name]["solutions"] = list(tier.solutions)
    return {
        "format": POOL_FORMAT,
        "format_version": POOL_FORMAT_VERSION,
        "game": pool.game,
        "profile": pool.profile,
        "numbering": pool.numbering,
        "range": {"first": pool.first, "last": pool.last},
        "counts": dict(pool.counts),
        "grader": {"name": pool.grader, **asdict(pool.cuts)},
        "solver_versions": list(pool.solver_versions),
        "tiers": tiers,
        "duplicates": encode_numbers(pool.duplicates),
        "unwinnable": encode_numbers(pool.unwinnable),
        "undecided": encode_numbers(pool.undecided),
    }


def sealed(pool: Pool) -> Pool:
    """Return a pool with the hash of its content."""
    digest = hashlib.sha256(canonical_bytes(content_of(pool))).hexdigest()
    return replace(pool, sha256=digest, digest=digest)


def pool_bytes(pool: Pool) -> bytes:
    """Return the file of a sealed pool: canonical JSON with the hash, and a final newline."""
    return canonical_bytes({**content_of(pool), "sha256": pool.sha256}) + b"\n"


def check_output(path: str | Path, *, force: bool) -> None:
    """Raise WinnableError if `write_pool` would refuse the place; call it before long work."""
    target = Path(path)
    if target.is_dir() or (target.exists() and not target.is_file()):
        raise WinnableError(f"pool {path} cannot be written: it is not a regular file")
    if target.exists() and not force:
        raise WinnableError(f"pool {path} exists already, and is replaced only when forced")
    folder = target.absolute().parent
    if not folder.is_dir():
        raise WinnableError(f"pool {path} cannot be written: {folder} is not a folder")
    if not os.access(folder, os.W_OK):
        raise WinnableError(f"pool {path} cannot be written: folder {folder} is not writable")


def write_pool(pool: Pool, path: str | Path, *, force: bool = False) -> None:
    """Write a sealed pool as a whole or not at all; only `force` replaces an existing file.

    Raises WinnableError (one line).
    """
    check_output(path, force=force)
    # Through a link, the file that it points at is replaced, not the link.
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            with open(draft, "wb") as file:
                file.write(pool_bytes(pool))
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise WinnableError(f"pool {path} cannot be written: {error.strerror}") from None


def stats(pool: Pool) -> dict[str, Any]:
    """Return a pool's facts, ready for JSON.

    Keys: game, profile, numbering, first, last, counts, grader (its cuts in tries),
    solver_versions, sha256, duplicates (how many), solutions (whether every tier has them) and
    tiers: for each but `random` {count, share (of the tiers' deals), par (null, or min, median and
    max of the known ones)}.
    """
    in_tiers = sum(len(tier.numbers) for tier in pool.tiers.values())
    return {
        "game": pool.game,
        "profile": pool.profile,
        "numbering": pool.numbering,
        "first": pool.first,
        "last": pool.last,
        "counts": dict(pool.counts),
        "grader": {
            "name": pool.grader,
            "tiers": list(pool.cuts.tiers),
            "cuts": [cut / 1000 for cut in pool.cuts.cuts],
            "calibrated_on": pool.cuts.calibrated_on,
        },
        "solver_versions": list(pool.solver_versions),
        "sha256": pool.sha256,
        "duplicates": len(pool.duplicates),
        "solutions": all(tier.solutions is not None for tier in pool.tiers.values()),
        "tiers": {
            name: {
                "count": len(tier.numbers),
                "share": round(len(tier.numbers) / in_tiers, 4) if in_tiers else 0.0,
                "par": _par_stats(tier),
            }
            for name, tier in pool.tiers.items()
        },
    }


def lopsided(pool: Pool) -> str | None:
    """Say that the tiers are too unequal to be of use, None where they are not."""
    counts = {name: len(tier.numbers) for name, tier in pool.tiers.items()}
    smallest, largest = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    if counts[smallest] and counts[largest] <= _MOST_LOPSIDED * counts[smallest]:
        return None
    few = f"{counts[smallest]:,} deals" if counts[smallest] else "no deals"
    return f"the tiers are lopsided: {smallest} has {few}, {largest} {counts[largest]:,}"


def _par_stats(tier: Tier) -> dict[str, int] | None:
    """Return min, median (the lower of two) and max of a tier's known pars."""
    known = np.sort(tier.par[tier.par > 0]) if tier.par is not None else np.empty(0, np.int64)
    if not len(known):
        return None
    return {
        "min": int(known[0]),
        "median": int(known[(len(known) - 1) // 2]),
        "max": int(known[-1]),
    }


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

    Raises InvalidNumberError for a number outside the pool's range.
    """
    if not pool.first <= number <= pool.last:
        raise InvalidNumberError(
            f"the pool does not answer for deal {number}; it has {pool.first}..{pool.last}"
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


def _place_of(numbers: NDArray[np.int64] | range, number: int) -> int | None:
    """Return where a number stands among ascending ones, None where it does not."""
    if isinstance(numbers, range):
        return number - numbers.start if number in numbers else None
    place = int(np.searchsorted(numbers, number))
    return place if place < len(numbers) and numbers[place] == number else None


def pick(pool: Pool, tier: str, seed: int, exclude: Collection[int] = ()) -> int:
    """Return a number of a tier, always the same for the same pool, tier, seed and exclusions.

    tier     one of the pool's, or `random`: any number of the range, vetted or not
    seed     0..2^53 - 1
    exclude  numbers never to return

    Raises UnknownNameError for the tier, InvalidNumberError for the seed, WinnableError for
    a tier with no other deal.
    """
    if tier != RANDOM and tier not in pool.tiers:
        raise UnknownNameError("tier", tier, (*pool.tiers, RANDOM))
    if not 0 <= seed < 2**53:
        raise InvalidNumberError(f"seed is {seed}; valid is 0..{2**53 - 1}")
    numbers: Any = range(pool.first, pool.last + 1) if tier == RANDOM else pool.tiers[tier].numbers
    left_out = sorted(
        place for number in set(exclude) if (place := _place_of(numbers, number)) is not None
    )
    choices = len(numbers) - len(left_out)
    if choices < 1:
        other = " but those excluded" if left_out else ""
        raise WinnableError(f"tier {tier} of the pool has no deals{other}")
    index = spread(seed) % choices
    for place in left_out:
        index += place <= index
    return int(numbers[index])


def spread(seed: int) -> int:
    """Hash a seed 0..2^53 - 1 to 53 bits, in steps that JavaScript's numbers hold exactly.

    Two 32-bit hashes make one number; `_mix` is the finaliser of MurmurHash3 (public domain). The
    constants that tell the two apart are 2^32 divided by the golden ratio and that finaliser's own.
    """
    low, high = seed % 2**32, seed // 2**32
    first = _mix(low ^ _mix(high ^ 0x9E3779B9))
    second = _mix(first ^ 0x85EBCA6B)
    return first * 2**21 + (second >> 11)


def _mix(x: int) -> int:
    """Mix 32 bits; one to one."""
    x = (x ^ (x >> 16)) * 0x85EBCA6B % 2**32
    x = (x ^ (x >> 13)) * 0xC2B2AE35 % 2**32
    return x ^ (x >> 16)
