"""An object linked into a C program: the example of docs/programs.md gives Python's answer."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from cli.program import program
from solvers import games
from solvers.outcome import Limits
from solvers.programs.targets import generic_targets
from solvers.search.status import VERDICTS

DOCS = Path(__file__).parents[2] / "docs"


def build(*words: object) -> str:
    """Run `winnable build`."""
    result = CliRunner().invoke(program, ["build", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_example_in_c_answers_as_python_does(tmp_path) -> None:
    game = games.load("freecell")
    profile = game.profiles["classic"]
    rules = game.layout.pack_profile(profile)
    build("freecell", "--target", generic_targets()[-1].name, "--out", tmp_path)
    text = (DOCS / "programs.md").read_text("utf-8")
    (source,) = re.findall(r"```c\n(.*?)```", text, re.DOTALL)
    (tmp_path / "example.c").write_text(source)
    constants = {
        "PACKED_SIZE": game.layout.PACKED_SIZE,
        "RULES_SIZE": len(rules),
        "RULES": "{" + ",".join(map(str, rules.tolist())) + "}",
    }
    subprocess.run(
        [
            "cc",
            *(f"-D{name}={value}" for name, value in constants.items()),
            "-o",
            "example",
            "example.c",
            "winnable-freecell.o",
        ],
        cwd=tmp_path,
        check=True,
    )
    done = subprocess.run([tmp_path / "example"], capture_output=True, text=True, check=True)
    status, nodes, length = map(int, done.stdout.split())
    deck = np.array([[51 - card for card in range(52)]], np.uint8)
    batch = game.solve_many(deck, profile, Limits(1_000_000, 64), want_lines=True)
    assert VERDICTS[status] == batch.verdict[0]
    assert (nodes, length) == (batch.nodes[0], batch.length[0])


@pytest.mark.parametrize("target", ["aarch64-apple-darwin", "aarch64", "host"])
def test_objects_and_headers_are_written_for_other_machines(tmp_path, target) -> None:
    assert "bytes for" in build("pyramid", "--target", target, "--out", tmp_path / "engine")
    data = (tmp_path / "engine" / "winnable-pyramid.o").read_bytes()
    assert data[:4] == (b"\xcf\xfa\xed\xfe" if "darwin" in target else b"\x7fELF")
    header = (tmp_path / "engine" / "winnable-pyramid.h").read_text()
    assert "int64_t winnable_pyramid_step(int64_t session, int64_t nodes);" in header


def test_what_cannot_be_built_is_one_line(tmp_path) -> None:
    for words, says in (
        (["pyramid", "--target", "no-such"], "unknown target 'no-such'"),
        (["chess"], "unknown game 'chess'"),
        (["pyramid", "--out", tmp_path / "file" / "folder"], "cannot be written"),
    ):
        (tmp_path / "file").touch()
        result = CliRunner().invoke(program, ["build", *map(str, words)])
        assert result.exit_code == 2
        assert says in result.stderr
        assert result.stderr.count("\n") == 1


def test_warm_compiles_and_keeps_every_program(tmp_path, monkeypatch) -> None:
    """What it made is found by whoever comes later; where nothing can be kept, it says so."""
    from solvers.programs import files, load

    monkeypatch.setattr(load, "MODULES", {"deals": load.MODULES["deals"]})
    monkeypatch.setenv("WINNABLE_CACHE_DIR", str(tmp_path))
    result = CliRunner().invoke(program, ["warm", "--json"])
    assert result.exit_code == 0
    (row,) = map(json.loads, result.stdout.splitlines())
    assert row["program"] == "deals"
    assert row["kept"] is True
    assert files.folder().is_dir()
    assert load.is_kept("deals")
    monkeypatch.setenv("WINNABLE_CACHE_DIR", "/proc/none")
    result = CliRunner().invoke(program, ["warm"])
    assert result.exit_code == 1
    assert "is not kept" in result.stderr
