"""Compiled programs on disk: never stale, never run when in doubt; trouble costs time only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import solvers
from dealgen.numbering import numbering_of
from solvers.programs import files, targets

ROOT = Path(solvers.__file__).parents[1]
HOST = targets.HOST

#: Deals a deck by the smallest program; prints it, and whether anything was compiled for it.
DEAL = """
import sys
from dealgen.numbering import numbering_of
from solvers import games
from solvers.programs import load
compiled = []
load.announce(lambda: compiled.append(1))
decks = numbering_of("ms").decks(games.load("freecell"), [617])
print(decks[0, :5].tolist(), len(compiled), "numba" in sys.modules)
"""
#: What the plain specification deals.
DEALT = str(numbering_of("ms").stream(617, 52)[:5])


def deal(folder: Path, **environment: str) -> str:
    """Deal in a process with a cache folder of its own."""
    done = subprocess.run(
        [sys.executable, "-c", DEAL],
        env={**os.environ, "WINNABLE_CACHE_DIR": str(folder), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    """Return a cache folder in which the program is compiled."""
    folder = tmp_path_factory.mktemp("cache")
    assert deal(folder).endswith("1 True")
    return folder


def objects(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.o"))


def test_what_is_compiled_is_loaded_without_numba(compiled) -> None:
    assert {path.name for path in objects(compiled)} == {"deals-host.o"}
    assert deal(compiled) == f"{DEALT} 0 False"


ALL_OF_IT = """
import sys
from dealgen.numbering import numbering_of
from solvers import games
from solvers.jit import KERNELS
from solvers.outcome import Limits

few = Limits(2_000, 16)
for name in games.NAMES:
    game = games.load(name)
    decks = numbering_of("ms").decks(game, range(1, 4))
    deal = game.deal(decks[0].tolist())
    for profile in game.profiles.values():
        for method in game.methods:
            batch = game.solve_many(decks, profile, few, want_lines=True, method=method)
            game.replay_many(decks, profile, batch.lines, batch.offsets)
        game.measure_many(decks, profile)
        if game.optimal_method:
            game.par_many(decks, profile, few)
        if game.offers_short:
            game.short_many(decks, profile, few, 500)
        game.hint(deal, profile, few)
        game.solve(deal, profile, Limits(2_000, 16, 60.0))
direct = [kernel.name for kernel in KERNELS if "direct" in kernel.__dict__]
print(direct, "numba" in sys.modules)
"""


def test_whatever_is_asked_numba_is_loaded_to_compile_programs_alone(tmp_path) -> None:
    """No kernel is compiled for a call from Python: that would take seconds in every process."""
    command = [sys.executable, "-c", ALL_OF_IT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[] ")
    # By now everything is compiled.
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[] False\n"


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "folder", "heading"])
def test_a_damaged_file_is_compiled_again(compiled, tmp_path, damage) -> None:
    """Also a single changed bit, which would be run otherwise."""
    shutil.copytree(compiled, tmp_path / "cache")
    (path,) = objects(tmp_path / "cache")
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[-len(data) // 3] ^= 4
    elif damage == "cut":
        del data[-100:]
    elif damage == "empty":
        data.clear()
    elif damage == "heading":
        data[20] ^= 1
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(data)
    assert deal(tmp_path / "cache") == f"{DEALT} 1 True"
    if damage != "folder":
        assert deal(tmp_path / "cache") == f"{DEALT} 0 False"


def test_files_of_other_sources_targets_and_processors_do_not_exist(tmp_path, monkeypatch) -> None:
    path = tmp_path / "x.o"
    assert files.write(path, "freecell", HOST, b"code")
    assert files.read(path, "freecell", HOST) == b"code"
    assert files.read(path, "pyramid", HOST) is None
    assert files.read(path, "freecell", targets.GENERIC[0]) is None
    assert files.read(tmp_path / "y.o", "freecell", HOST) is None
    heading = json.loads(path.read_bytes().partition(b"\n")[0])
    assert heading["sources"] == files.source_hash()
    monkeypatch.setattr(files, "host_identity", lambda: "another processor")
    assert files.read(path, "freecell", HOST) is None
    monkeypatch.undo()
    monkeypatch.setattr(files, "source_hash", lambda: "0" * 20)
    assert files.read(path, "freecell", HOST) is None


def test_a_processor_without_the_features_gets_plainer_code(monkeypatch) -> None:
    """The best of what runs; nothing generic at all on a processor that has too little."""
    everything = frozenset(targets._V2 + targets._V3)
    for features, best in (
        (everything, "x86-64-v3"),
        (everything - {"avx2"}, "x86-64-v2"),
        (everything - {"popcnt"}, None),
    ):
        monkeypatch.setattr(targets, "host_triple", lambda: "x86_64-unknown-linux-gnu")
        monkeypatch.setattr(targets, "host_features", lambda found=features: found)
        names = [target.name for target in targets.generic_targets() if targets.runs_here(target)]
        assert (names[0] if names else None) == best


def test_a_folder_that_cannot_be_written_costs_time_only() -> None:
    """Not even root writes there."""
    assert deal(Path("/proc/winnable")) == f"{DEALT} 1 True"


def test_a_full_disk_leaves_no_draft_behind(tmp_path, monkeypatch) -> None:
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    assert not files.write(tmp_path / "x.o", "freecell", HOST, b"code")
    assert list(tmp_path.iterdir()) == []


def test_two_processes_at_once_compile_and_both_answer(tmp_path) -> None:
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(deal, [tmp_path / "cache"] * 2))
    assert all(answer.startswith(DEALT) for answer in answers)
    assert deal(tmp_path / "cache") == f"{DEALT} 0 False"
    assert {path.suffix for path in (tmp_path / "cache").rglob("*") if path.is_file()} == {".o"}


def test_folders_of_the_latest_source_states_are_kept_and_no_others_touched(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("WINNABLE_CACHE_DIR", str(tmp_path))
    mine = tmp_path / "programs-mine"
    mine.mkdir()
    for age in range(8):
        old = tmp_path / f"programs-{age:020x}"
        old.mkdir()
        os.utime(old, (1000 + age, 1000 + age))
    own = files.folder()
    own.mkdir()
    files.clear_old()
    kept = {path.name for path in tmp_path.iterdir()}
    assert own.name in kept
    assert mine.name in kept
    assert len(kept) == files._KEPT_FOLDERS + 1


def test_an_edited_source_is_compiled_anew(tmp_path) -> None:
    """Any file of the packages counts, not only those with kernels."""
    for package in ("solvers", "dealgen"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("*.pyc"))
    code = "from solvers.programs import files; print(files.source_hash())"

    def hash_there() -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    before = hash_there()
    assert before == files.source_hash()
    with open(tmp_path / "solvers" / "cards.py", "a") as file:
        file.write("# edited\n")
    assert hash_there() != before


@pytest.mark.parametrize("home", ["", "relative", "/"])
def test_nobodys_home_gets_no_files(tmp_path, home, monkeypatch) -> None:
    """No folder named `~`, none in the root: a private one among the temporary files."""
    monkeypatch.delenv("WINNABLE_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", home)
    monkeypatch.setattr("pwd.getpwuid", lambda _number: (_ for _ in ()).throw(KeyError()))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    root = files.cache_root()
    assert root == tmp_path / f"winnable-{os.getuid()}"
    assert root.stat().st_mode & 0o777 == 0o700
    root.chmod(0o755)
    assert files.cache_root() is None
    root.rmdir()
    root.symlink_to(tmp_path)
    assert files.cache_root() is None
