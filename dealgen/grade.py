"""Grades: what an effort is worth under a game's thresholds.

Owns the three grades and their rule. The measurement and the thresholds are data of the
game (`Game.grader`); only winnable deals are graded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.errors import InvalidNumberError
from solvers.outcome import Grader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Easiest first; `grades_of` returns places in this list.
GRADES = ("easy", "normal", "hard")


def grade_of(grader: Grader, effort: int) -> str:
    """Return the grade of an effort in thousandths of the grader's unit.

    Raises InvalidNumberError for an effort below 1: 0 stands for "not measured".

    >>> grade_of(Grader("x-1", "nodes", 2000, 5000, "1..9"), 2000)
    'normal'
    """
    if effort < 1:
        raise InvalidNumberError(f"effort is {effort}; valid is 1 or more (thousandths)")
    return GRADES[(effort >= grader.easy_below) + (effort >= grader.hard_from)]


def grades_of(grader: Grader, efforts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the grades of measured efforts (each at least 1), `int8[n]`: places in GRADES.

    Twin: grade_of.
    """
    grades: NDArray[np.int8] = (efforts >= grader.easy_below).astype("int8")
    grades += efforts >= grader.hard_from
    return grades
