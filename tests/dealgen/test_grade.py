import numpy as np
import pytest

from dealgen.grade import (
    GRADES,
    OWN_RANGE,
    Cuts,
    cuts_of,
    even_cuts,
    format_tries,
    grade_of,
    grades_of,
)
from solvers import games
from solvers.errors import InvalidNumberError
from solvers.graders import Scale
from solvers.profiles import parse_profile

SCALE = Scale(2000, 5000, tuple(range(100, 10_000, 100)), "ms 1..9")
CUTS = Cuts(GRADES, (2000, 5000), "ms 1..9")


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
    assert cuts_of(SCALE) == CUTS
    assert grade_of(CUTS, effort) == grade


@pytest.mark.parametrize("effort", [0, -5])
def test_what_was_not_measured_has_no_grade(effort):
    with pytest.raises(InvalidNumberError, match=f"effort is {effort}; valid is 1 or more"):
        grade_of(CUTS, effort)


def test_many_at_once_are_graded_alike():
    efforts = np.array([1, 1999, 2000, 3000, 4999, 5000, 10**12], np.int64)
    five = Cuts(tuple("12345"), (1999, 2000, 4000, 5000), None)
    for cuts in (CUTS, five):
        places = grades_of(cuts, efforts)
        assert [cuts.tiers[p] for p in places] == [grade_of(cuts, int(e)) for e in efforts]


def test_equal_thresholds_leave_no_normal_deals():
    cuts = Cuts(GRADES, (10, 10), "")
    assert [grade_of(cuts, effort) for effort in (9, 10)] == ["easy", "hard"]


def tiers_of(efforts, names):
    cuts = even_cuts(np.array(efforts, np.int64), names)
    assert cuts.calibrated_on == OWN_RANGE
    return [grade_of(cuts, effort) for effort in efforts]


def test_a_range_without_ties_is_divided_to_the_deal():
    assert tiers_of([9, 1, 5, 3, 7, 2], GRADES) == [
        "hard",
        "easy",
        "normal",
        "normal",
        "hard",
        "easy",
    ]
    assert tiers_of(range(1, 11), "12345") == list("1122334455")


def test_deals_of_the_same_effort_stay_together_on_the_nearer_side():
    # The first half ends among the fives: after one of four, after three of four, in the middle.
    assert tiers_of([1, 2, 3, 5, 5, 5, 5, 9], "ab") == list("aaabbbbb")
    assert tiers_of([1, 5, 5, 5, 5, 7, 8, 9], "ab") == list("aaaaabbb")
    assert tiers_of([1, 2, 5, 5, 5, 5, 8, 9], "ab") == list("aabbbbbb")
    assert set(tiers_of([4, 4, 4], GRADES)) <= set(GRADES)


def test_an_effort_is_harder_than_the_deals_that_take_less():
    # The p-th percentile is 100 * p: as much as p % of the deals take, or less.
    for effort, percentile in ((1, 0), (100, 0), (101, 1), (5000, 49), (9901, 99), (10**9, 99)):
        assert SCALE.percentile(effort) == percentile


@pytest.mark.parametrize(
    ("effort", "text"),
    [(1234, "1.23"), (9994, "9.99"), (9996, "10.0"), (99_960, "100"), (412_345, "412")],
)
def test_tries_are_written_to_three_digits(effort, text):
    assert format_tries(effort) == text


@pytest.mark.parametrize("name", games.NAMES)
def test_every_named_profile_has_a_whole_scale(name):
    game = games.load(name)
    assert set(game.grader.scales) == set(game.profiles)
    for scale in game.grader.scales.values():
        assert len(scale.percentiles) == 99
        assert sorted(scale.percentiles) == list(scale.percentiles)
        # Thirds: the cuts lie where the percentiles 33 and 34, 66 and 67 do.
        assert scale.percentiles[32] <= scale.easy_below <= scale.percentiles[33] + 1
        assert scale.percentiles[65] <= scale.hard_from <= scale.percentiles[66] + 1


@pytest.mark.parametrize(
    ("name", "text", "same"),
    [
        ("freecell", "classic,supermove=single", "classic"),
        ("freecell", "bakers,autoplay=safe", "bakers"),
        ("freecell", "classic,build=suit,supermove=linear", "bakers"),
        ("freecell", "classic,cells=3", None),
        ("pyramid", "classic,redeals=1", None),
        ("plot", "pysol,initial_waste=0", None),
    ],
)
def test_a_varied_profile_has_the_scale_of_the_one_with_the_same_efforts(name, text, same):
    game = games.load(name)
    scale = game.scale(parse_profile(text, game.profiles))
    assert scale is (None if same is None else game.grader.scales[same])
