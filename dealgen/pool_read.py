"""Pool files read, strictly: every error names the file and the field.

Owns what a readable pool is. Whether it is right is up to `pool_verify`.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.codec import decode_numbers
from dealgen.cover import Cover
from dealgen.formats import POOL_FORMAT, POOL_FORMAT_VERSION
from dealgen.grade import Cuts
from dealgen.pool import FOUND, OPTIMAL, RANDOM, Pool, Tier, canonical_bytes
from solvers.errors import InvalidNumberError, NotationError, PoolFormatError
from solvers.outcome import Limits

_VERDICTS = ("winnable", "unwinnable", "undecided")
#: The largest number that a pool holds, and the most that its range may have.
_LARGEST = 2**63 - 1
#: Bytes that are taken from a pipe or a device, which may never end: a hundred times the pool of
#: 32,000 deals with solutions.
_LARGEST_STREAM = 1 << 30
#: Characters of a wrong name that its error quotes.
_QUOTED = 40


def read_pool(path: str | Path) -> Pool:
    """Read a pool file; raises PoolFormatError (one line) when it is not one.

    What the pool claims, its hash included, is checked by `pool_verify.verify_pool`.
    """
    return _Reader(os.fspath(path)).pool()


def open_pool(path: str | Path) -> Pool:
    """Read a pool file for use; raises PoolFormatError also where its hash is wrong."""
    pool = read_pool(path)
    if pool.digest != pool.sha256:
        raise PoolFormatError(
            "its content is not what its hash was made of; 'winnable pool verify' says more",
            path=os.fspath(path),
        )
    return pool


class _Reader:
    """Reads one file field by field, so that an error names the field."""

    def __init__(self, path: str) -> None:
        self._path = path

    def pool(self) -> Pool:
        """Read the file."""
        content = self._load()
        if self._text(content, "format") != POOL_FORMAT:
            found = content["format"][:_QUOTED]
            raise self._error(f"is not a pool: format is {found!r}; a pool has {POOL_FORMAT!r}")
        version = self._whole(content, "format_version")
        if not 1 <= version <= POOL_FORMAT_VERSION:
            raise self._error(
                f"format_version is {version}; this program reads 1..{POOL_FORMAT_VERSION}"
            )
        counts, tiers = self._object(content, "counts"), self._object(content, "tiers")
        covers = self._range(content) if version == 1 else self._covers(content)
        grader = self._object(content, "grader")
        cuts = self._cuts(grader)
        sha256 = self._text(content, "sha256")
        return Pool(
            game=self._text(content, "game"),
            profile=self._text(content, "profile"),
            numbering=self._text(content, "numbering"),
            covers=covers,
            counts={name: self._whole(counts, f"counts.{name}") for name in _VERDICTS},
            grader=self._text(grader, "grader.name"),
            cuts=cuts,
            solver_versions=self._texts(content, "solver_versions"),
            tiers={name: self._tier(tiers, f"tiers.{name}") for name in cuts.tiers},
            duplicates=self._numbers(content, "duplicates"),
            unwinnable=self._numbers(content, "unwinnable"),
            undecided=self._numbers(content, "undecided"),
            limits=None if version == 1 else self._limits(content),
            par_kind=None if version == 1 else self._par_kind(content),
            par_states=None if version == 1 else self._par_states(content),
            sha256=sha256,
            digest=self._digest(content),
            faults=self._random(self._object(tiers, "tiers.random"), covers, version),
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
            raise self._error(f"is not a file, and gives more than {_LARGEST_STREAM >> 20} MiB")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise self._error(f"is not a pool: byte {error.start + 1} is not UTF-8") from None
        try:
            content = json.loads(text, object_pairs_hook=self._pairs, parse_constant=self._constant)
        except json.JSONDecodeError as error:
            raise PoolFormatError(
                f"is not a pool: not JSON from column {error.colno} on: {error.msg}",
                path=self._path,
                line=error.lineno,
            ) from None
        except PoolFormatError:
            raise
        except RecursionError:
            raise self._too_deep() from None
        except ValueError:
            raise self._error("is not a pool: it has a number of thousands of digits") from None
        if not isinstance(content, dict):
            raise self._error("is not a pool: its JSON is not an object")
        return content

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Refuse a key that is given twice: readers would disagree on its value."""
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise self._error(f"key {key[:_QUOTED]!r} is given twice")
            found[key] = value
        return found

    def _constant(self, name: str) -> None:
        """Refuse NaN and infinities, which are not JSON."""
        raise self._error(f"is not a pool: {name} is not JSON")

    def _digest(self, content: dict[str, Any]) -> str:
        """Hash everything that the file says, keys unknown to us included."""
        rest = {key: value for key, value in content.items() if key != "sha256"}
        try:
            return hashlib.sha256(canonical_bytes(rest)).hexdigest()
        except UnicodeEncodeError:
            raise self._error("is not a pool: it holds half a surrogate pair") from None
        except RecursionError:
            # Writing needs more of the stack than reading did.
            raise self._too_deep() from None

    def _cuts(self, found: dict[str, Any]) -> Cuts:
        """Read the tiers' names and the cuts between them."""
        tiers = self._texts(found, "grader.tiers")
        if not tiers or len(set(tiers)) < len(tiers) or RANDOM in tiers:
            raise self._error(f"grader.tiers must hold different names, none of them {RANDOM!r}")
        if not all(0 < len(name) <= _QUOTED for name in tiers):
            raise self._error(f"grader.tiers must hold names of 1..{_QUOTED} characters")
        cuts = self._wholes(found, "grader.cuts")
        if len(cuts) != len(tiers) - 1 or cuts != sorted(cuts):
            raise self._error("grader.cuts must ascend, and be one less than grader.tiers")
        on = self._value(found, "grader.calibrated_on")
        if on is not None:
            on = self._text(found, "grader.calibrated_on")
        return Cuts(tiers, tuple(cuts), on)

    def _range(self, content: dict[str, Any]) -> Cover:
        """Read which range a pool of format 1 answers for."""
        covered = self._object(content, "range")
        first, last = self._whole(covered, "range.first"), self._whole(covered, "range.last")
        if last - first >= _LARGEST:
            raise self._error(f"range {first}..{last} has more than 2^63-1 numbers")
        if first > last:
            raise self._error(f"range {first}..{last} is empty")
        return Cover(((first, last),))

    def _covers(self, content: dict[str, Any]) -> Cover:
        """Read which numbers a pool answers for."""
        try:
            return Cover.of_boundaries(self._numbers(content, "covers").tolist())
        except ValueError as error:
            if isinstance(error, PoolFormatError):
                raise
            raise self._error("covers must hold pairs of boundaries") from None

    def _limits(self, content: dict[str, Any]) -> Limits | None:
        """Read the limits of the build."""
        if self._value(content, "limits") is None:
            return None
        found = self._object(content, "limits")
        timed = self._value(found, "limits.max_seconds") is not None
        seconds = self._whole(found, "limits.max_seconds") if timed else None
        nodes = self._whole(found, "limits.max_nodes")
        memory = self._whole(found, "limits.memory_mib")
        try:
            return Limits(nodes, memory, seconds)
        except InvalidNumberError as error:
            raise self._error(f"limits: {error}") from None

    def _par_kind(self, content: dict[str, Any]) -> str | None:
        """Read what the pars are."""
        kind = self._value(content, "par_kind")
        if kind not in (None, OPTIMAL, FOUND):
            raise self._error(f"par_kind must be {OPTIMAL!r}, {FOUND!r} or null")
        return None if kind is None else str(kind)

    def _par_states(self, content: dict[str, Any]) -> int | None:
        """Read how many states pars took that were found."""
        known = self._value(content, "par_states") is not None
        return self._whole(content, "par_states") if known else None

    def _random(self, found: dict[str, Any], covers: Cover, version: int) -> tuple[str, ...]:
        """Return as a fault that the random tier is labelled as vetted, or not the range."""
        vetted = found.get("vetted") is not False
        if version > 1:
            return ("tiers.random is not with vetted false",) if vetted else ()
        first, last = (self._whole(found, f"tiers.random.{end}") for end in ("first", "last"))
        if (first, last) == (covers.first, covers.last) and not vetted:
            return ()
        return (f"tiers.random is not {covers} with vetted false",)

    def _tier(self, tiers: dict[str, Any], name: str) -> Tier:
        """Read one tier."""
        found = self._object(tiers, name)
        par = solutions = None
        if "par" in found:
            par = np.array(self._wholes(found, f"{name}.par"), np.int64)
        if "solutions" in found:
            solutions = self._texts(found, f"{name}.solutions")
        return Tier(self._numbers(found, f"{name}.numbers"), par, solutions)

    def _numbers(self, found: dict[str, Any], name: str) -> NDArray[Any]:
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

    def _wholes(self, found: dict[str, Any], name: str) -> list[int]:
        values = self._list(found, name)
        if not all(type(value) is int and 0 <= value <= _LARGEST for value in values):
            raise self._error(f"{name} must hold whole numbers")
        return values

    def _text(self, found: dict[str, Any], name: str) -> str:
        value = self._value(found, name)
        if not isinstance(value, str):
            raise self._error(f"{name} must be a text")
        return value

    def _whole(self, found: dict[str, Any], name: str) -> int:
        value = self._value(found, name)
        # A bool is an int to Python, and not a number to JSON.
        if type(value) is not int or not 0 <= value <= _LARGEST:
            raise self._error(f"{name} must be a whole number 0..2^63-1")
        return value

    def _too_deep(self) -> PoolFormatError:
        return self._error("is not a pool: its JSON is nested too deep")

    def _error(self, message: str) -> PoolFormatError:
        return PoolFormatError(message, path=self._path)
