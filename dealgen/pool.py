"""Pools as files: what is in one, reading, writing, statistics, picking a deal.

Owns the format (docs/pool-format.md). Building one is `pool_build`, checking what it claims
`pool_verify`; this module solves nothing and does not load numba.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.codec import decode_numbers, encode_numbers
from dealgen.formats import POOL_FORMAT, POOL_FORMAT_VERSION
from dealgen.grade import GRADES
from solvers.errors import (
    InvalidNumberError,
    NotationError,
    PoolFormatError,
    UnknownNameError,
    WinnableError,
)
from solvers.outcome import Grader

#: The tier of the whole range, vetted or not.
RANDOM = "random"
#: What `pick` takes.
TIERS = (*GRADES, RANDOM)

_VERDICTS = ("winnable", "unwinnable", "undecided")
_LARGEST = 2**63 - 1
#: Bytes that are taken from a pipe or a device, which may never end.
_LARGEST_STREAM = 1 << 30


@dataclass(frozen=True, slots=True)
class Tier:
    """The deals of one grade.

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

    tiers       by grade, in the order of GRADES
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
    grader: Grader
    solver_versions: tuple[str, ...]
    tiers: Mapping[str, Tier]
    duplicates: NDArray[np.int64]
    unwinnable: NDArray[np.int64]
    undecided: NDArray[np.int64]
    sha256: str = ""
    digest: str = ""
    faults: tuple[str, ...] = ()


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
        "grader": asdict(pool.grader),
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
        raise WinnableError(f"pool {path} cannot be written: it is no regular file")
    if target.exists() and not force:
        raise WinnableError(f"pool {path} exists already, and is replaced only when forced")
    folder = target.absolute().parent
    if not folder.is_dir():
        raise WinnableError(f"pool {path} cannot be written: {folder} is no folder")
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


def read_pool(path: str | Path) -> Pool:
    """Read a pool file; raises PoolFormatError (one line) when it is none.

    What the pool claims, its hash included, is checked by `pool_verify.verify_pool`.
    """
    return _Reader(os.fspath(path)).pool()


class _Reader:
    """Reads one file field by field, so that an error names the field."""

    def __init__(self, path: str) -> None:
        self._path = path

    def pool(self) -> Pool:
        """Read the file."""
        content = self._load()
        if self._text(content, "format") != POOL_FORMAT:
            raise self._error(f"format is {content['format']!r}; a pool has {POOL_FORMAT!r}")
        version = self._whole(content, "format_version")
        if version != POOL_FORMAT_VERSION:
            raise self._error(
                f"format_version is {version}; this program reads {POOL_FORMAT_VERSION}"
            )
        covered = self._object(content, "range")
        counts, tiers = self._object(content, "counts"), self._object(content, "tiers")
        first, last = self._whole(covered, "range.first"), self._whole(covered, "range.last")
        sha256 = self._text(content, "sha256")
        return Pool(
            game=self._text(content, "game"),
            profile=self._text(content, "profile"),
            numbering=self._text(content, "numbering"),
            first=first,
            last=last,
            counts={name: self._whole(counts, f"counts.{name}") for name in _VERDICTS},
            grader=self._grader(self._object(content, "grader")),
            solver_versions=self._texts(content, "solver_versions"),
            tiers={name: self._tier(tiers, f"tiers.{name}") for name in GRADES},
            duplicates=self._numbers(content, "duplicates"),
            unwinnable=self._numbers(content, "unwinnable"),
            undecided=self._numbers(content, "undecided"),
            sha256=sha256,
            digest=self._digest(content),
            faults=self._random(self._object(tiers, "tiers.random"), first, last),
        )

    def _load(self) -> dict[str, Any]:
        """Decode the file, strictly."""
        try:
            with open(self._path, "rb") as file:
                is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                data = file.read(-1 if is_file else _LARGEST_STREAM + 1)
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror}") from None
        if not is_file and len(data) > _LARGEST_STREAM:
            raise self._error(f"is no file, and gives more than {_LARGEST_STREAM >> 20} MiB")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise self._error(f"is no pool: byte {error.start + 1} is no UTF-8") from None
        try:
            content = json.loads(text, object_pairs_hook=self._pairs, parse_constant=self._constant)
        except json.JSONDecodeError as error:
            raise PoolFormatError(
                f"is no JSON, column {error.colno}: {error.msg}", path=self._path, line=error.lineno
            ) from None
        except PoolFormatError:
            raise
        except (RecursionError, ValueError):
            # Nested too deep, or a number of thousands of digits.
            raise self._error("is no pool: its JSON is out of all bounds") from None
        if not isinstance(content, dict):
            raise self._error("is no pool: its JSON is no object")
        return content

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Refuse a key that is given twice: readers would disagree on its value."""
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise self._error(f"key {twice[:40]!r} is given twice")
        return found

    def _constant(self, name: str) -> None:
        """Refuse NaN and infinities, which are no JSON."""
        raise self._error(f"{name} is no JSON")

    def _digest(self, content: dict[str, Any]) -> str:
        """Hash everything that the file says, keys unknown to us included."""
        rest = {key: value for key, value in content.items() if key != "sha256"}
        try:
            return hashlib.sha256(canonical_bytes(rest)).hexdigest()
        except UnicodeEncodeError:
            raise self._error("is no pool: it holds half a surrogate pair") from None

    def _grader(self, found: dict[str, Any]) -> Grader:
        """Read the grader."""
        return Grader(
            name=self._text(found, "grader.name"),
            unit=self._text(found, "grader.unit"),
            easy_below=self._whole(found, "grader.easy_below"),
            hard_from=self._whole(found, "grader.hard_from"),
            calibrated_on=self._text(found, "grader.calibrated_on"),
        )

    def _random(self, found: dict[str, Any], first: int, last: int) -> tuple[str, ...]:
        """Return as a fault that the random tier is not the range, or labelled as vetted."""
        claimed = (
            self._whole(found, "tiers.random.first"),
            self._whole(found, "tiers.random.last"),
            found.get("vetted"),
        )
        if claimed[:2] == (first, last) and claimed[2] is False:
            return ()
        return (f"tiers.random is not {first}..{last} with vetted false",)

    def _tier(self, tiers: dict[str, Any], name: str) -> Tier:
        """Read the tier of one grade."""
        found = self._object(tiers, name)
        par = solutions = None
        if "par" in found:
            values = self._list(found, f"{name}.par")
            if not all(type(value) is int and 0 <= value <= _LARGEST for value in values):
                raise self._error(f"{name}.par must hold whole numbers")
            par = np.array(values, np.int64)
        if "solutions" in found:
            solutions = self._texts(found, f"{name}.solutions")
        return Tier(self._numbers(found, f"{name}.numbers"), par, solutions)

    def _numbers(self, found: dict[str, Any], name: str) -> NDArray[np.int64]:
        """Read a coded list of numbers."""
        try:
            return decode_numbers(self._text(found, name))
        except NotationError as error:
            raise self._error(f"{name}: {error}") from None

    def _value(self, found: dict[str, Any], name: str) -> Any:
        """Return the field that a dotted name ends with."""
        key = name.rpartition(".")[2]
        if key not in found:
            raise self._error(f"{name} is missing")
        return found[key]

    def _object(self, found: dict[str, Any], name: str) -> dict[str, Any]:
        value = self._value(found, name)
        if not isinstance(value, dict):
            raise self._error(f"{name} must be an object")
        return value

    def _list(self, found: dict[str, Any], name: str) -> list[Any]:
        value = self._value(found, name)
        if not isinstance(value, list):
            raise self._error(f"{name} must be a list")
        return value

    def _texts(self, found: dict[str, Any], name: str) -> tuple[str, ...]:
        values = self._list(found, name)
        if not all(isinstance(value, str) for value in values):
            raise self._error(f"{name} must hold texts")
        return tuple(values)

    def _text(self, found: dict[str, Any], name: str) -> str:
        value = self._value(found, name)
        if not isinstance(value, str):
            raise self._error(f"{name} must be a text")
        return value

    def _whole(self, found: dict[str, Any], name: str) -> int:
        value = self._value(found, name)
        # A bool is an int to Python, and no number to JSON.
        if type(value) is not int or not 0 <= value <= _LARGEST:
            raise self._error(f"{name} must be a whole number 0..2^63-1")
        return value

    def _error(self, message: str) -> PoolFormatError:
        return PoolFormatError(message, path=self._path)


def stats(pool: Pool) -> dict[str, Any]:
    """Return a pool's facts, ready for JSON.

    Keys: game, profile, numbering, first, last, counts, grader, solver_versions, sha256,
    duplicates (how many), solutions (whether every tier has them) and tiers: for each grade
    {count, share (of the tiers' deals), par (null, or min, median and max of the known ones)}.
    """
    in_tiers = sum(len(tier.numbers) for tier in pool.tiers.values())
    return {
        "game": pool.game,
        "profile": pool.profile,
        "numbering": pool.numbering,
        "first": pool.first,
        "last": pool.last,
        "counts": dict(pool.counts),
        "grader": asdict(pool.grader),
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


def pick(pool: Pool, tier: str, seed: int, exclude: int | None = None) -> int:
    """Return a number of a tier, always the same for the same pool, tier, seed and exclude.

    tier     one of TIERS; `random` is any number of the range, vetted or not
    seed     0..2^53 - 1
    exclude  a number never to return

    Raises UnknownNameError for the tier, InvalidNumberError for the seed, WinnableError for
    a tier with no other deal.
    """
    if tier not in TIERS:
        raise UnknownNameError("tier", tier, TIERS)
    if not 0 <= seed < 2**53:
        raise InvalidNumberError(f"seed is {seed}; valid is 0..{2**53 - 1}")
    numbers: Any = range(pool.first, pool.last + 1) if tier == RANDOM else pool.tiers[tier].numbers
    left_out = len(numbers)
    if exclude is not None:
        place = exclude - pool.first if tier == RANDOM else int(np.searchsorted(numbers, exclude))
        if 0 <= place < len(numbers) and numbers[place] == exclude:
            left_out = place
    choices = len(numbers) - (left_out < len(numbers))
    if choices < 1:
        other = "" if exclude is None else f" but {exclude}"
        raise WinnableError(f"tier {tier} of the pool has no deal{other}")
    index = spread(seed) % choices
    return int(numbers[index + (index >= left_out)])


def spread(seed: int) -> int:
    """Hash a seed 0..2^53 - 1 to 53 bits, in steps that JavaScript's numbers hold exactly.

    Two 32-bit hashes make one number; `_mix` is the finaliser of MurmurHash3 (public domain).
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
