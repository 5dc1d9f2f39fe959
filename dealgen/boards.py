"""Boards that occur under more than one number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.task import Task

#: Decks in memory at once: 10 MB at most.
_BLOCK = 100_000


def find_duplicates(task: Task, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return those of ascending numbers that deal the same board as a lower one of them.

    Two boards are the same when their decks are: the same cards in the same places.
    """
    hashes = np.empty(len(numbers), np.int64)
    for start in range(0, len(numbers), _BLOCK):
        decks = task.decks(numbers[start : start + _BLOCK])
        hashes[start : start + len(decks)] = [hash(deck) for deck in _as_bytes(decks)]
    # Equal hashes (which differ from process to process) only name candidates.
    _, group, sizes = np.unique(hashes, return_inverse=True, return_counts=True)
    candidates = numbers[sizes[group] > 1]
    seen: set[bytes] = set()
    found = []
    decks = task.decks(candidates)
    for number, deck in zip(candidates.tolist(), _as_bytes(decks), strict=True):
        if deck in seen:
            found.append(number)
        seen.add(deck)
    return np.array(found, numbers.dtype)


def _as_bytes(decks: NDArray[np.uint8]) -> list[bytes]:
    """Return each deck as bytes."""
    data, size = decks.tobytes(), decks.shape[1]
    return [data[at : at + size] for at in range(0, len(data), size)]
