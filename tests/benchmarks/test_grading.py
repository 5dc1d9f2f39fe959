"""The study of the graders runs for every game, and its measures are what they are called."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner

from solvers import games

PATH = Path(__file__).parents[2] / "benchmarks" / "grading.py"


@pytest.fixture(scope="module")
def grading() -> ModuleType:
    """Load the script."""
    spec = importlib.util.spec_from_file_location("grading", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["grading"] = module
    spec.loader.exec_module(module)
    return module


def test_measures_equal_what_is_counted_by_hand(grading: ModuleType) -> None:
    # Of 2 x 2 pairs one is above, two tie, one is below.
    assert grading.area_under_curve(np.array([3, 2]), np.array([2, 3])) == 0.5
    assert grading.area_under_curve(np.array([5, 4]), np.array([4, 1])) == 0.875
    # Ranks 1, 2.5, 2.5, 4 beside 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
    assert grading.correlation([1, 7, 7, 9], [1, 2, 3, 4]) == pytest.approx(0.9**0.5)
    assert grading.thirds_of(np.array([6, 5, 4, 3, 2, 1])) == (3, 5)
    assert grading.thirds(np.array([6, 5, 4, 3, 2, 1])).tolist() == [2, 2, 1, 1, 0, 0]


def test_a_study_writes_a_table_and_a_picture(grading: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = CliRunner().invoke(grading.main, ["pyramid", "--quick", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    text = (tmp_path / "pyramid.md").read_text("utf-8")
    for word in ("classic", "microsoft", "proved par", "random player", "first moves"):
        assert word in text
    assert (tmp_path / "pyramid-efforts.png").read_bytes()[:4] == b"\x89PNG"


def test_calibration_is_a_literal_for_every_profile(grading: ModuleType) -> None:
    result = CliRunner().invoke(grading.main, ["pyramid", "--quick", "--calibrate"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert list(found) == list(games.load("pyramid").profiles)
    for data in found.values():
        assert data["range"] == "ms 1..150"
        assert len(data["percentiles"]) == 99
        assert data["percentiles"] == sorted(data["percentiles"])
    classic = found["classic"]
    assert classic["percentiles"][31] <= classic["easy_below"] <= classic["percentiles"][34]
    assert classic["percentiles"][64] <= classic["hard_from"] <= classic["percentiles"][67]
