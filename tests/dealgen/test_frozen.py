"""What others store never changes under its name: efforts, thresholds, the shipped pools.

The expected values are the program's own, kept on purpose: grades that were stored, and pools that
were shipped, mean nothing beside grades of another measurement. New behaviour gets a new grader's
name, and a new entry here.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dealgen.batch import run_batch
from dealgen.cover import Cover
from dealgen.grade import cuts_of
from dealgen.numbering import numbering_of
from dealgen.pool import Pool
from dealgen.pool_build import build_pool
from dealgen.pool_read import read_pool
from dealgen.store import Store
from dealgen.task import Task
from solvers import games
from solvers.profiles import parse_profile

ROOT = Path(__file__).parent.parent.parent
GOLDEN = json.loads((ROOT / "tests" / "golden" / "graders.json").read_text())
POOLS = sorted((ROOT / "data" / "pools").glob("*.json"))
MS = numbering_of("ms")
#: Deals of a shipped pool that are built again; fewest moves take the time of all the others.
BUILT, BUILT_WITH_PAR = 600, 60


@pytest.mark.parametrize("name", games.NAMES)
def test_a_graders_thresholds_and_efforts_are_frozen(name: str) -> None:
    game = games.load(name)
    golden = GOLDEN[game.grader.name]
    scales = game.grader.scales
    assert golden["thresholds"] == {
        profile: [scale.easy_below, scale.hard_from] for profile, scale in scales.items()
    }
    assert len(golden["efforts"]) >= 2
    for profile, efforts in golden["efforts"].items():
        numbers = np.array(list(map(int, efforts)), np.int64)
        rules = parse_profile(profile, game.profiles)
        found = game.measure_many(MS.decks(game, numbers), rules)
        assert found.tolist() == list(efforts.values()), profile


def part_of(pool: Pool, last: int) -> dict[str, list[int]]:
    """Return a pool's lists up to a number, with the pars beside them."""
    lists: dict[str, list[int]] = {
        "duplicates": pool.duplicates[pool.duplicates <= last].tolist(),
        "unwinnable": pool.unwinnable[pool.unwinnable <= last].tolist(),
        "undecided": pool.undecided[pool.undecided <= last].tolist(),
    }
    for name, tier in pool.tiers.items():
        kept = tier.numbers <= last
        lists[name] = tier.numbers[kept].tolist()
        if tier.par is not None:
            lists[f"{name} par"] = tier.par[kept].tolist()
    return lists


@pytest.mark.parametrize("path", POOLS, ids=lambda path: path.stem)
def test_a_shipped_pool_is_what_a_build_makes_of_its_range(path: Path) -> None:
    shipped = read_pool(path)
    assert shipped.sha256 == shipped.digest
    game = games.load(shipped.game)
    assert shipped.grader == game.grader.name
    profile = game.profiles[shipped.profile]
    assert shipped.cuts == cuts_of(game.scale(profile))
    kind, states = shipped.par_kind, shipped.par_states or 0
    last = BUILT_WITH_PAR if kind else BUILT
    task = Task(game, profile, MS, game.default_limits)
    with Store.in_memory() as store:
        run_batch(task, store, [(1, last)])
        covers = Cover.of([(1, last)])
        built = build_pool(task, store, covers, par=kind, states=states)
    assert part_of(built, last) == part_of(shipped, last)
    assert sum(map(len, part_of(shipped, last).values())) >= last


def test_every_game_has_a_pool() -> None:
    assert {read_pool(path).game for path in POOLS} == set(games.NAMES)
