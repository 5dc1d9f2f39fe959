import numpy as np
import pytest

from dealgen.grade import GRADES, grade_of, grades_of
from solvers.errors import InvalidNumberError
from solvers.outcome import Grader

GRADER = Grader("x-1", "nodes", easy_below=2000, hard_from=5000, calibrated_on="1-9")


@pytest.mark.parametrize(
    ("effort", "grade"),
    [
        (1, "easy"),
        (1999, "easy"),
        (2000, "normal"),
        (4999, "normal"),
        (5000, "hard"),
        (2**62, "hard"),
    ],
)
def test_thresholds_belong_to_the_harder_grade(effort, grade):
    assert grade_of(GRADER, effort) == grade


@pytest.mark.parametrize("effort", [0, -5])
def test_what_was_not_measured_has_no_grade(effort):
    with pytest.raises(InvalidNumberError, match=f"effort is {effort}; valid is 1 or more"):
        grade_of(GRADER, effort)


def test_many_at_once_are_graded_alike():
    efforts = np.array([1, 1999, 2000, 3000, 4999, 5000, 10**12], np.int64)
    grades = grades_of(GRADER, efforts)
    assert grades.dtype == np.int8
    assert [GRADES[grade] for grade in grades] == [grade_of(GRADER, int(e)) for e in efforts]


def test_equal_thresholds_leave_no_normal_deals():
    grader = Grader("x-1", "nodes", 10, 10, "")
    assert [grade_of(grader, effort) for effort in (9, 10)] == ["easy", "hard"]
