"""Tries: the one rule by which a fallible player's games become an effort, and the player's dice.

Owns what the graders of all games share: the numbers that chance is made of, the odds between
moves of different worth, and the estimate. Frozen: grades that others store depend on every
line here. Nothing of it is used by a search. `docs/grading.md` says the same in prose.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import inlined
from solvers.search.bits import shift_right, wrapping_add, wrapping_multiply

#: A move that is so many points behind the best one has half its odds.
HALF_LIFE = 8
#: Thousandths: efforts are stored so.
SCALE = 1000

# The generator of Knuth's MMIX.
_MULTIPLIER = 6364136223846793005
_INCREMENT = 1442695040888963407
_HALF_WORD = 32

# 2^(20 - k / 8) for k = 0..7, rounded. A literal: powers differ between machines.
_TICKETS = np.array([1048576, 961548, 881744, 808563, 741455, 679917, 623487, 571740], np.int64)


@inlined
def next_number(x: int) -> int:
    """Return the state of the dice that after x; try t begins from mix(hash of deck + t)."""
    return wrapping_add(wrapping_multiply(x, _MULTIPLIER), _INCREMENT)


@inlined
def drawn(x: int, n: int) -> int:
    """Return one of 0..n - 1, n below 2^31, by the upper half of the dice's state."""
    return shift_right(x, _HALF_WORD) * n >> _HALF_WORD


@inlined
def tickets(behind: int) -> int:
    """Return how many tickets a move holds that is so many points behind the best: 0..2^20."""
    return _TICKETS[behind % HALF_LIFE] >> behind // HALF_LIFE if behind < 168 else 0


@inlined
def go_on(tries: int, wins: int, least: int, enough: int, most: int) -> bool:
    """Tell whether the player plays on.

    tries, wins  so far
    least        tries that are always played
    enough       wins that the player goes on for after these
    most         tries at which it stops all the same
    """
    return tries < least or (wins < enough and tries < most)


@inlined
def thousandths(tries: int, wins: int, least: int, enough: int) -> int:
    """Return tries a win, in thousandths.

    Of a series that ends with the win that it waited for, tries / wins is right on average; of
    one that ends after a number of tries, it is what comes out when the next one counts as won.
    """
    if tries == least or wins < enough:
        tries += 1
        wins += 1
    return tries * SCALE // wins
