"""How kernels are compiled and kept: never stale, in a folder of their own, one signature each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import solvers

ROOT = Path(solvers.__file__).parent.parent

#: A small package that stands for the real one: kernels in two files.
CALLEE = """
from solvers.jit import kernel

STEP = 1

@kernel
def step(value):
    return value + STEP
"""
CALLER = """
from solvers.jit import kernel
from solvers.callee import step

@kernel
def twice(value):
    return step(step(value))
"""
#: Prints where kernels are kept.
WHERE = "from solvers import jit; print(jit._CACHE_FOLDER)"
#: Prints what the kernel says, whether it was compiled, where it is kept, numba's own folder.
MAIN = """
import json
import numba
before = numba.config.CACHE_DIR
from solvers import jit
compiled = []
jit.call_at_first_compile(lambda: compiled.append(1))
from solvers.caller import twice
print(json.dumps({
    "value": twice(40),
    "compiled": len(compiled),
    "kept": jit._CACHE_FOLDER,
    "restored": numba.config.CACHE_DIR == before,
    "kernels": [kernel.__name__ for kernel in jit.KERNELS],
}))
"""


class Project:
    """A copy of `solvers.jit` with two kernels, and a home for its cache."""

    def __init__(self, folder: Path) -> None:
        """Write the files."""
        self.sources, self.home = folder / "sources", folder / "home"
        self.home.mkdir()
        for package in ("solvers", "dealgen"):
            (self.sources / package).mkdir(parents=True)
            self.write(f"{package}/__init__.py", "")
        shutil.copy(ROOT / "solvers" / "jit.py", self.sources / "solvers")
        self.write("solvers/callee.py", CALLEE)
        self.write("solvers/caller.py", CALLER)
        self.write("dealgen/words.py", "WORD = 'one'\n")

    def write(self, name: str, text: str) -> None:
        """Write a source file."""
        (self.sources / name).write_text(text)

    @property
    def cache(self) -> Path:
        """Where the folders of all source states are, unless asked otherwise."""
        return self.home / ".cache" / "winnable"

    def python(self, code: str, environment: dict[str, str]) -> str:
        """Run code in a process of its own; return what it prints."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("NUMBA_") and name != "XDG_CACHE_HOME"
        }
        own = {"HOME": str(self.home), "PYTHONPATH": str(self.sources)}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**inherited, **own, **environment},
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def folder(self, **environment: str) -> Path:
        """Return where kernels are kept."""
        return Path(self.python(WHERE, environment).rstrip("\n"))

    def run(self, **environment: str) -> dict[str, Any]:
        """Run the kernel; return what MAIN prints."""
        facts: dict[str, Any] = json.loads(self.python(MAIN, environment))
        assert facts["kernels"] == ["step", "twice"]
        return facts


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a small project."""
    return Project(tmp_path)


def test_kernels_are_kept_and_loaded_again(project: Project) -> None:
    first, second = project.run(), project.run()
    assert (first["value"], first["compiled"]) == (42, 1)
    assert (second["value"], second["compiled"]) == (42, 0)
    assert first["kept"] == second["kept"]
    assert Path(first["kept"]).parent == project.cache
    assert first["restored"]


def test_an_inlined_kernel_that_python_calls_is_kept_too(project: Project) -> None:
    project.write("solvers/callee.py", CALLEE.replace("kernel", "inlined"))
    code = MAIN.replace("twice(40)", "step(41)").replace(
        "caller import twice", "callee import step"
    )
    facts = [json.loads(project.python(code, {})) for _ in range(2)]
    assert [fact["value"] for fact in facts] == [42, 42]
    assert [fact["compiled"] for fact in facts] == [1, 0]


def test_an_edited_callee_is_never_served_stale(project: Project) -> None:
    first = project.run()
    callee = project.sources / "solvers" / "callee.py"
    times = callee.stat()
    # Of the same size and at the same time: a stamp of the file would not tell.
    project.write("solvers/callee.py", CALLEE.replace("STEP = 1", "STEP = 5"))
    os.utime(callee, ns=(times.st_atime_ns, times.st_mtime_ns))
    # Nor may Python itself take the old file for the new one.
    shutil.rmtree(callee.parent / "__pycache__", ignore_errors=True)
    second = project.run()
    assert (second["value"], second["compiled"]) == (50, 1)
    # The first state again is the first folder again.
    project.write("solvers/callee.py", CALLEE)
    again = project.run()
    assert (again["value"], again["kept"]) == (42, first["kept"])


def test_every_source_and_every_flag_of_numba_has_a_say(project: Project) -> None:
    folders = [project.folder()]
    project.write("dealgen/words.py", "WORD = 'two'\n")
    folders.append(project.folder())
    (project.sources / "solvers" / "game").mkdir()
    project.write("solvers/game/more.py", "")
    folders.append(project.folder())
    folders.append(project.folder(NUMBA_BOUNDSCHECK="1"))
    folders.append(project.folder(NUMBA_OPT="1"))
    assert len(set(folders)) == len(folders)
    # What is no flag and no source has none.
    (project.sources / "solvers" / "notes.txt").write_text("notes")
    assert project.folder(WINNABLE_NOTE="1") == folders[2]


def test_a_folder_that_the_user_names_is_used(project: Project, tmp_path: Path) -> None:
    named = tmp_path / "named"
    facts = project.run(NUMBA_CACHE_DIR=str(named))
    assert Path(facts["kept"]).parent == named
    assert facts["restored"]
    assert list(named.rglob("*.nbi"))
    assert not project.cache.exists()
    # Where it lies does not matter to what it is called.
    elsewhere = project.folder(XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert elsewhere == tmp_path / "xdg" / "winnable" / Path(facts["kept"]).name


def test_a_cache_that_cannot_be_written_is_done_without(project: Project, tmp_path: Path) -> None:
    # A file where a folder should be: not even root can write into that.
    (tmp_path / "file").write_text("")
    facts = project.run(XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (facts["value"], facts["compiled"], facts["kept"]) == (42, 1, None)
    assert facts["restored"]
    assert not list(project.sources.rglob("*.nbi"))


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 10, 100])
def test_a_damaged_cache_is_made_anew(project: Project, kind: str, left: int) -> None:
    (damaged,) = Path(project.run()["kept"]).rglob(f"*.{kind}")
    damaged.write_bytes(damaged.read_bytes()[:left])
    again, after = project.run(), project.run()
    assert (again["value"], again["compiled"]) == (42, 1)
    assert (after["value"], after["compiled"]) == (42, 0)


def test_a_full_disk_keeps_nothing_and_stops_nothing(project: Project) -> None:
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
    ignore = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    facts = json.loads(project.python(ignore + full + MAIN, {}))
    assert (facts["value"], facts["compiled"]) == (42, 1)
    assert not list(Path(facts["kept"]).rglob("*.nb?"))


def test_old_folders_go_but_for_the_newest_few(project: Project) -> None:
    now = time.time()
    names = [f"winnable-{age:020x}" for age in range(1, 10)]
    for age, name in enumerate(names[:8], 1):
        old = project.cache / name
        old.mkdir(parents=True)
        (old / "kernel.nbi").write_text("")
        os.utime(old, (now - 1000 * age, now - 1000 * age))
    others = [project.cache / name for name in ("something-else", "winnable-deals", "winnable-1")]
    for other in others:
        other.mkdir()
        os.utime(other, (now - 10**6, now - 10**6))
    kept = project.folder()
    newest = [project.cache / name for name in names[:3]]
    assert set(project.cache.iterdir()) == {kept, *others, *newest}
    # Use makes a folder new again.
    os.utime(kept, (now - 10**6, now - 10**6))
    (project.cache / names[8]).mkdir()
    assert project.folder() == kept
    assert kept.exists()
    assert sum((project.cache / name).exists() for name in names) == 3


#: A user whom the system does not know, or only by a home that is none.
NOBODY = "import pwd; pwd.getpwuid = lambda number: {}[number]; "
NOWHERE = "import pwd; pwd.getpwuid = lambda number: type('', (), {'pw_dir': '/'}); "
NO_HOME = "import os; del os.environ['HOME']; "


@pytest.mark.parametrize(
    ("before", "environment"),
    [
        (NOBODY + NO_HOME, {}),
        (NOWHERE + NO_HOME, {}),
        (NOBODY, {"HOME": ""}),
        (NOBODY, {"HOME": "", "XDG_CACHE_HOME": "cache"}),
        ("", {"HOME": "/"}),
        ("", {"HOME": "home"}),
        ("", {"HOME": "~"}),
    ],
)
def test_without_a_home_kernels_are_kept_among_the_temporary_files(
    project: Project, tmp_path: Path, before: str, environment: dict[str, str]
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary), **environment}
    for _ in range(2):
        folder = Path(project.python(before + WHERE, environment).rstrip("\n")).parent
        assert folder == temporary / f"winnable-{os.getuid()}"
        assert folder.stat().st_mode & 0o777 == 0o700
    assert list(project.home.iterdir()) == []
    assert not Path("/.cache/winnable").exists()


@pytest.mark.parametrize("unsafe", ["open", "link", "file"])
def test_a_temporary_folder_that_others_may_write_to_is_not_used(
    project: Project, tmp_path: Path, unsafe: str
) -> None:
    (tmp_path / "theirs").mkdir(mode=0o700)
    folder = tmp_path / f"winnable-{os.getuid()}"
    if unsafe == "open":
        folder.mkdir()
        folder.chmod(0o770)
    elif unsafe == "link":
        folder.symlink_to(tmp_path / "theirs")
    else:
        folder.write_text("")
    assert project.folder(TMPDIR=str(tmp_path), HOME="/") == Path("None")
    assert list((tmp_path / "theirs").iterdir()) == []


#: A run through all that FreeCell compiles; prints kernels of more than one signature.
TYPICAL = """
import json
import numpy as np
from dealgen import numbering_kernel
from solvers import games, jit
from solvers.freecell import kernel, layout, rules
from solvers.outcome import Limits

game = games.load("freecell")
decks = np.array([(np.arange(52) * step + 7) % 52 for step in (5, 11, 19)], np.uint8)
limits = Limits(20_000, 32)
for profile in game.profiles.values():
    for method in game.methods:
        batch = game.solve_many(decks, profile, limits, want_lines=True, method=method)
        game.replay_many(decks, profile, batch.lines, batch.offsets)
    game.solve(game.deal(decks[0].tolist()), profile, limits)
    game.measure_many(decks, profile)
state = layout.pack(game.deal(decks[0].tolist()))
packed_rules = layout.pack_profile(rules.PROFILES["classic"])
kernel.perft(
    state,
    packed_rules,
    2,
    np.empty((3, layout.PACKED_SIZE), np.uint8),
    np.empty((3, kernel.MAX_MOVES), np.uint16),
    np.empty((3, 2), np.int64),
)
print(json.dumps({
    "kernels": len(jit.KERNELS),
    "compiled": sum(len(kernel.signatures) > 0 for kernel in jit.KERNELS),
    "several": [
        f"{kernel.__module__}.{kernel.__name__}: {kernel.signatures}"
        for kernel in jit.KERNELS
        if len(kernel.signatures) > 1
    ],
}))
"""


def test_every_kernel_has_one_signature(tmp_path: Path) -> None:
    # Kernels from the cache bring no signatures of those that they call.
    done = subprocess.run(
        [sys.executable, "-c", TYPICAL],
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["kernels"] > 50
    assert facts["compiled"] > 50
    assert facts["several"] == []
