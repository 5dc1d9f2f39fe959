"""Pools: what is in one, its canonical bytes, and its facts.

Owns the format (docs/pool-format.md). Reading a file is `pool_read`, building a pool `pool_build`,
making one of others `pool_merge`, checking what one claims `pool_verify`, and asking it for deals
`pool_use`; this module solves nothing and does not load numba.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.codec import encode_numbers
from dealgen.cover import Cover
from dealgen.formats import POOL_FORMAT, POOL_FORMAT_VERSION
from dealgen.grade import Cuts
from solvers.errors import WinnableError
from solvers.outcome import Limits

#: The tier of all numbers that a pool answers for, vetted or not.
RANDOM = "random"
#: What a par is: proved to be the fewest moves, or the shortest line that was found.
OPTIMAL, FOUND = "optimal", "found"
#: How many times the smallest tier the largest may have before a pool is lopsided.
_MOST_LOPSIDED = 5


@dataclass(frozen=True, slots=True)
class Tier:
    """The deals of one tier.

    numbers    [n]                ascending; int64, or objects where one is larger
    par        int64[n] or None   moves to beat; 0 where none is known
    solutions  n texts or None    moves in standard notation, joined by commas

    Of a pool that was read, par and solutions may have any length (`verify_pool` tells).
    """

    numbers: NDArray[Any]
    par: NDArray[np.int64] | None = None
    solutions: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """One pool; docs/pool-format.md explains each field.

    covers      the numbers that it answers for
    grader      the measurement's name, such as `freecell-2`
    cuts        where the tiers divide the efforts
    tiers       by name, easiest first
    duplicates  [n]  winnable, and the same board as a lower number of the tiers
    unwinnable, undecided  [n]
    counts      as claimed: winnable, unwinnable, undecided
    limits      under which every answer can be found again; None where that is not known
    par_kind    OPTIMAL or FOUND; None where there are no pars, or nobody knows
    par_states  states expanded for each par that was found, at most; None where that is not known
    sha256      as claimed; empty for a pool that is not sealed yet
    digest      the SHA-256 of the content as it was read or sealed
    faults      what was read and is not so, a line each, for `verify_pool`
    """

    game: str
    profile: str
    numbering: str
    covers: Cover
    counts: Mapping[str, int]
    grader: str
    cuts: Cuts
    solver_versions: tuple[str, ...]
    tiers: Mapping[str, Tier]
    duplicates: NDArray[Any]
    unwinnable: NDArray[Any]
    undecided: NDArray[Any]
    limits: Limits | None = None
    par_kind: str | None = None
    par_states: int | None = None
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


def encode_cover(covers: Cover) -> str:
    """Write numbers as a list of boundaries: each range's first, and the number after its last.

    >>> encode_cover(Cover(((1, 32000),)))
    'AYD6AQ'
    """
    points = covers.boundaries
    wide = bool(points) and points[-1] >= 2**63
    return encode_numbers(np.array(points, object if wide else np.int64))


def content_of(pool: Pool) -> dict[str, Any]:
    """Return a pool as the JSON object that its hash is over."""
    tiers: dict[str, Any] = {
        RANDOM: {"vetted": False},
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
        "covers": encode_cover(pool.covers),
        "counts": dict(pool.counts),
        "grader": {"name": pool.grader, **asdict(pool.cuts)},
        "solver_versions": list(pool.solver_versions),
        "limits": None if pool.limits is None else _limits_content(pool.limits),
        "par_kind": pool.par_kind,
        "par_states": pool.par_states,
        "tiers": tiers,
        "duplicates": encode_numbers(pool.duplicates),
        "unwinnable": encode_numbers(pool.unwinnable),
        "undecided": encode_numbers(pool.undecided),
    }


def _limits_content(limits: Limits) -> dict[str, int | None]:
    """Return limits in whole numbers: languages differ in how they write others."""
    seconds = limits.max_seconds
    return {**asdict(limits), "max_seconds": None if seconds is None else math.ceil(seconds)}


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

    Keys: game, profile, numbering, first, last, deals (how many numbers it answers for), counts,
    grader (its cuts in tries), solver_versions, limits, par_kind, sha256, duplicates (how many),
    solutions (whether every tier has them) and tiers: for each but `random` {count, share (of the
    tiers' deals), par (null, or min, median and max of the known ones)}.
    """
    in_tiers = sum(len(tier.numbers) for tier in pool.tiers.values())
    return {
        "game": pool.game,
        "profile": pool.profile,
        "numbering": pool.numbering,
        "first": pool.covers.first,
        "last": pool.covers.last,
        "deals": pool.covers.size,
        "counts": dict(pool.counts),
        "grader": {
            "name": pool.grader,
            "tiers": list(pool.cuts.tiers),
            "cuts": [cut / 1000 for cut in pool.cuts.cuts],
            "calibrated_on": pool.cuts.calibrated_on,
        },
        "solver_versions": list(pool.solver_versions),
        "limits": None if pool.limits is None else asdict(pool.limits),
        "par_kind": pool.par_kind,
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
