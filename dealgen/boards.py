"""Boards that occur under more than one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dealgen.batch import decks_of
from dealgen.numbering import Numbering
from solvers.games import Game

#: Decks in memory at once, 10 MB at most.
_BLOCK = 100_000


def find_duplicates(
    game: Game, numbers: NDArray[np.int64], numbering: Numbering
) -> NDArray[np.int64]:
    """Return those of ascending numbers that are the same board as a lower one of them."""
    hashes = np.empty(len(numbers), np.int64)
    for start in range(0, len(numbers), _BLOCK):
        decks = decks_of(game, numbers[start : start + _BLOCK], numbering)
        hashes[start : start + len(decks)] = [hash(key) for key in _keys(game, decks)]
    # Equal hashes (which differ from process to process) only name candidates.
    _, group, sizes = np.unique(hashes, return_inverse=True, return_counts=True)
    candidates = numbers[sizes[group] > 1]
    seen: set[bytes] = set()
    found = []
    for number, key in zip(
        candidates.tolist(), _keys(game, decks_of(game, candidates, numbering)), strict=True
    ):
        if key in seen:
            found.append(number)
        seen.add(key)
    return np.array(found, np.int64)


def _keys(game: Game, decks: NDArray[np.uint8]) -> list[bytes]:
    """Return the board key of each deck."""
    data, size = decks.tobytes(), decks.shape[1]
    return [game.board_key(data[at : at + size]) for at in range(0, len(data), size)]
