"""The WebAssembly modules in Node: the same verdicts, nodes, lines and efforts as in Python.

Node alone, without packages. Both run the same kernels, compiled for two machines.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solvers
from dealgen.numbering import numbering_of
from solvers import games
from solvers.games import AnyGame
from solvers.outcome import Limit, Limits
from solvers.search.status import LIMITS, VERDICTS

ROOT = Path(solvers.__file__).parents[1]
WEB = ROOT / "data" / "web"
#: How much of the whole comparison is made; WINNABLE_WEB_SHARE=1 makes all of it.
SHARE = float(os.environ.get("WINNABLE_WEB_SHARE", "0.1"))
DEALS = {"freecell": 2000, "pyramid": 5000, "plot": 500}
POSITIONS = 200
MS = numbering_of("ms")


def in_node(game: str, tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run tasks on a game's module."""
    done = subprocess.run(
        ["node", str(ROOT / "tests" / "web" / "programs.mjs")],
        input=json.dumps({"game": game, "tasks": tasks}),
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def task_of(game: AnyGame, packed: np.ndarray, profile: Any, limits: Limits, method: str) -> dict:
    """Describe a position for Node."""
    return {
        "packed": packed.tolist(),
        "rules": game.layout.pack_profile(profile).tolist(),
        "method": method,
        "maxNodes": limits.max_nodes,
        "memory": limits.memory_mib,
    }


def compare(game: AnyGame, cases: list[tuple[Any, Any, Limits, str]]) -> dict[str, int]:
    """Decide positions here and in Node; return how often each verdict came."""
    cases.sort(key=lambda case: case[2].memory_mib)
    tasks, expected = [], []
    for state, profile, limits, method in cases:
        began = game.start(state, profile)
        packed = game.layout.pack(began)
        tasks.append(task_of(game, packed, profile, limits, method))
        place = game.methods.index(method)
        batch = game.solver.solve_packed(
            packed[None], profile, limits, want_lines=True, method=place
        )
        expected.append(
            (
                int(batch.verdict[0]),
                int(batch.limit[0]),
                int(batch.nodes[0]),
                batch.line(0).tolist(),
            )
        )
    counts: dict[str, int] = {}
    for answer, (verdict, limit, nodes, line), task in zip(
        in_node(game.name, tasks), expected, tasks, strict=True
    ):
        found = (
            int(VERDICTS[answer["status"]]),
            int(LIMITS[answer["status"]]),
            answer["nodes"],
            answer["line"] or [],
        )
        assert found == (verdict, limit, nodes, line), task
        label = f"{verdict} {Limit(limit).label}"
        counts[label] = counts.get(label, 0) + 1
    return counts


def played(game: AnyGame, number: int, profile: Any, rng: random.Random) -> Any:
    """Return a position in mid-game."""
    state = game.start(game.deal(MS.deck(game, number)), profile)
    for _ in range(rng.randrange(1, 40)):
        moves = game.legal_moves(state, profile)
        if not moves or game.is_won(state, profile):
            break
        state = game.apply(state, rng.choice(moves), profile)
    return state


@pytest.mark.parametrize("name", games.NAMES)
def test_deals_are_decided_as_in_python(name: str) -> None:
    """Numbered deals under the default profile and limits, lines included."""
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    numbers = range(1, int(DEALS[name] * SHARE) + 1)
    cases = [
        (game.deal(MS.deck(game, number)), profile, game.default_limits, game.methods[0])
        for number in numbers
    ]
    counts = compare(game, cases)
    assert counts["1 None"] > len(numbers) // 2


@pytest.mark.parametrize("name", games.NAMES)
def test_positions_profiles_and_methods_are_decided_as_in_python(name: str) -> None:
    """In mid-game, under every named profile, by every method, under limits that stop some."""
    game, rng = games.load(name), random.Random(name)
    cases = []
    for index in range(int(POSITIONS * SHARE) * 2):
        profile = game.profiles[rng.choice(list(game.profiles))]
        state = played(game, rng.randrange(1, 10**6), profile, rng)
        limits = Limits(rng.choice((50, 1000, 20_000)), rng.choice((8, 16)))
        cases.append((state, profile, limits, game.methods[index % len(game.methods)]))
    counts = compare(game, cases)
    assert counts["1 None"] > 0
    assert any("nodes" in label for label in counts)


@pytest.mark.parametrize("name", games.NAMES)
def test_efforts_are_those_of_python(name: str) -> None:
    game = games.load(name)
    decks = MS.decks(game, np.arange(1, int(300 * SHARE) + 1))
    tasks, efforts = [], []
    for profile in game.profiles.values():
        rules = game.layout.pack_profile(profile).tolist()
        tasks += [{"deck": deck, "rules": rules, "memory": 16} for deck in decks.tolist()]
        efforts += game.measure_many(decks, profile).tolist()
    assert [answer["effort"] for answer in in_node(name, tasks)] == efforts


@pytest.mark.parametrize("name", games.NAMES)
def test_many_decks_at_once_are_decided_as_in_python(name: str) -> None:
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    decks = MS.decks(game, np.arange(1, 201))
    (answer,) = in_node(
        name,
        [
            {
                "decks": decks.tolist(),
                "rules": game.layout.pack_profile(profile).tolist(),
                "memory": game.default_limits.memory_mib,
                "maxNodes": game.default_limits.max_nodes,
            }
        ],
    )
    batch = game.solve_many(decks, profile, game.default_limits, want_lines=False)
    assert VERDICTS[answer["statuses"]].tolist() == batch.verdict.tolist()
    assert answer["nodes"] == batch.nodes.tolist()


@pytest.mark.parametrize("name", games.NAMES)
def test_what_cannot_be_is_an_error_with_a_name(name: str) -> None:
    """Memory that cannot be had, a method that is not there, a position of another size."""
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    packed = game.layout.pack(game.deal(MS.deck(game, 1)))
    good = task_of(game, packed, profile, Limits(10, 8), game.methods[0])
    answers = in_node(
        name,
        [good, {**good, "method": "no-such"}, {**good, "packed": good["packed"][:-1]}, good],
    )
    assert [answer.get("error") for answer in answers] == [
        None,
        "UnknownMethod",
        "BadPosition",
        None,
    ]


@pytest.mark.parametrize("name", games.NAMES)
def test_modules_are_small_and_import_nothing(name: str) -> None:
    """At most 150 kB, and 60 kB as a server sends it."""
    import gzip
    import hashlib

    module = (WEB / f"winnable-{name}.wasm").read_bytes()
    facts = json.loads((WEB / f"winnable-{name}.json").read_text("utf-8"))
    assert len(module) <= 150_000
    assert len(gzip.compress(module, 9)) <= 60_000
    assert facts["sha256"] == hashlib.sha256(module).hexdigest()
    script = (
        "const m = new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));"
        "console.log(JSON.stringify(WebAssembly.Module.imports(m)))"
    )
    path = str(WEB / f"winnable-{name}.wasm")
    done = subprocess.run(
        ["node", "-e", script, path], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == []
