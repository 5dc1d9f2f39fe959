"""How the program ends: closed pipes, Ctrl-C, full disks, bugs of ours."""

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import click
import pytest

from cli.program import guarded
from solvers import games
from solvers.errors import SolutionRejectedError

PROGRAM = [sys.executable, "-P", "-m", "cli.main"]


@pytest.mark.parametrize(
    "line", ["check freecell 1-8000000000 --json", "deal freecell 1-8000000000", "games", "--help"]
)
def test_a_closed_pipe_ends_it_in_silence(line):
    with subprocess.Popen(
        [*PROGRAM, *line.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        running.stdout.read(10)
        running.stdout.close()
        errors = running.stderr.read()
        assert running.wait(timeout=60) == 0
    assert errors == b""


def test_a_reader_that_is_gone_from_the_start():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "games"], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_one_line():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, "games"], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert done.returncode == 2
    assert done.stderr == b"winnable: output: No space left on device\n"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("check freecell 1-3", 0),
        ("check freecell 11981-11982", 1),
        ("check freecell 31465-31466 --max-nodes 10", 3),
        ("check freecell 0", 2),
        ("grade freecell 1-3", 0),
        ("hint pyramid 1-2", 0),
    ],
)
@pytest.mark.parametrize("stderr", ["/dev/full", "closed", "no reader"])
def test_a_stderr_that_cannot_be_written_changes_nothing(line, code, stderr):
    expected = subprocess.run(
        [*PROGRAM, *line.split()], capture_output=True, check=False, timeout=60
    )
    assert expected.returncode == code
    assert expected.stderr
    if stderr == "no reader":
        reading, writing = os.pipe()
        os.close(reading)
        run = {"args": [*PROGRAM, *line.split()], "stderr": writing}
    else:
        target = "2>&-" if stderr == "closed" else f"2>{stderr}"
        run = {"args": ["sh", "-c", f'exec "$@" {target}', "sh", *PROGRAM, *line.split()]}
    done = subprocess.run(stdout=subprocess.PIPE, check=False, timeout=60, **run)
    if stderr == "no reader":
        os.close(writing)
    assert (done.returncode, done.stdout) == (code, expected.stdout)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "iso8859-7"])
def test_what_the_output_cannot_encode_is_escaped(process, tmp_path, encoding):
    named, wrong = tmp_path / "7♠.txt", tmp_path / "wrong♥.txt"
    named.write_text(process("deal", "freecell", "617", "--format", "board").out)
    wrong.write_text("7♠ XX♣\n")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    result = process("check", "freecell", "--board", named, env=environment)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{tmp_path}/7\\u2660.txt winnable")
    result = process("check", "freecell", "--board", wrong, env=environment)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"winnable: {tmp_path}/wrong\\u2665.txt: line 1, column 4: ")
    assert "XX\\u2663" in result.err
    result = process("check", "freecell", "♦", env=environment)
    assert (result.code, result.out) == (2, "")
    assert "'\\u2666' is not a deal number" in result.err


@pytest.mark.parametrize(
    "line", ["check freecell 1-4000 --jobs 1024", "solve plot 1-9 --jobs 3", "batch {batch}"]
)
def test_threads_that_run_out_are_one_line(run, one_line, monkeypatch, tmp_path, line):
    started = []
    start = threading.Thread.start

    def refuse(thread):
        # What the system does to the second thread.
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    line = line.format(batch=f"freecell 1-4000 --jobs 1024 --store {tmp_path / 's.db'}")
    told = one_line(run(*line.split()))
    assert told == "winnable: the system gives us no more threads; give less to --jobs\n"
    assert started


def test_ctrl_c_is_130_in_one_line():
    with subprocess.Popen(
        [*PROGRAM, "check", "freecell", "1-8000000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        running.stdout.readline()
        # Somebody has to read on, or the program waits for the pipe and not for us.
        begin = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
    assert running.returncode == 130
    assert errors == "winnable: interrupted\n"
    assert time.monotonic() - begin < 10


#: A package that is interrupted while it loads, as one that takes long may be.
INTERRUPTED = """\
import signal, time
signal.raise_signal(signal.SIGINT)
time.sleep(60)
"""
#: The same where an exception would get lost: in a callback of the import system, or any other.
LOST = """\
import signal, time
class Dying:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.01)
Dying()
time.sleep(60)
"""


#: The same where it becomes another exception, as in numba's import of numpy.
REPLACED = """\
import signal, time
try:
    signal.raise_signal(signal.SIGINT)
    time.sleep(60)
except BaseException:
    raise ImportError("failed to import") from None
"""


@pytest.mark.parametrize("code", [INTERRUPTED, LOST, REPLACED], ids=["caught", "lost", "replaced"])
@pytest.mark.parametrize("package", ["click", "json", "solvers.outcome", "numpy", "llvmlite"])
@pytest.mark.parametrize(
    ("line", "exit_code"),
    [
        ("check freecell 1-3", 130),
        ("batch freecell 1-3 --store deals.db", 4),
        ("pool build freecell 1-3 --out pool.json", 130),
    ],
)
def test_ctrl_c_while_packages_load_is_one_line(tmp_path, code, package, line, exit_code):
    # An importer that runs the code in the package's place.
    script = tmp_path / "interrupted.py"
    script.write_text(
        "import importlib.abc, importlib.machinery, sys, types\n"
        "class Importer(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {package!r}:\n"
        "            return importlib.machinery.ModuleSpec(name, self)\n"
        "    def exec_module(self, module):\n"
        f"        exec({code!r}, {{}})\n"
        "sys.meta_path.insert(0, Importer())\n"
        f"sys.modules.pop({package!r}, None)\n"
        "from cli.main import run\n"
        "run()\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), *line.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (exit_code, "")
    assert done.stderr.startswith("winnable: interrupted")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "pool.json").exists()


def test_results_come_as_they_are_found():
    with subprocess.Popen(
        [*PROGRAM, "check", "freecell", "1-8000000000"], stdout=subprocess.PIPE, text=True
    ) as running:
        first = running.stdout.readline()
        running.stdout.close()
        running.wait(timeout=60)
    assert first.split()[:2] == ["1", "winnable"]


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KeyError("x"), 70, "internal error: KeyError: 'x'"),
        (SolutionRejectedError("move 3"), 70, "internal error: SolutionRejectedError: move 3"),
        (RuntimeError("can't start new thread"), 2, "the system gives us no more threads"),
        (RuntimeError("dictionary changed"), 70, "internal error: RuntimeError: dictionary"),
        (AssertionError(), 70, "internal error: AssertionError"),
        (MemoryError(), 2, "not enough memory; give less to --memory or to --jobs"),
        (OSError(5, "Input/output error", "x.db"), 2, "x.db: Input/output error"),
        (OSError(28, "No space left on device"), 2, "output: No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.UsageError("No such thing."), 2, "no such thing; see winnable --help"),
    ],
)
def test_every_error_is_one_line_and_its_own_code(capsys, monkeypatch, error, code, says):
    monkeypatch.delenv("WINNABLE_DEBUG", raising=False)

    def fail():
        raise error

    assert guarded(fail) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"winnable: {says}")
    assert err.count("\n") == 1


def test_a_bug_says_where_to_report_and_how_to_see_more(capsys, monkeypatch):
    def fail():
        raise KeyError("x")

    monkeypatch.setenv("WINNABLE_DEBUG", "1")
    assert guarded(fail) == 70
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "please report" in err.splitlines()[-1]
    assert "WINNABLE_DEBUG=1" in err.splitlines()[-1]


def test_a_broken_pipe_is_success(capsys):
    def fail():
        raise BrokenPipeError

    assert guarded(fail) == 0
    assert capsys.readouterr().err == ""


def test_a_closed_stdin_is_one_line(one_line, process):
    # The shell closes it; subprocess alone cannot.
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "check", "freecell", "--board", "-"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr == "winnable: stdin: cannot be read: it is closed\n"


def on_terminal(command, **options):
    """Run a command with a terminal of 100 columns as its stderr; return what that shows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave, **options):
        os.close(slave)
        seen = b""
        # Linux ends a terminal with an error where a pipe has an empty read.
        with contextlib.suppress(OSError):
            while part := os.read(master, 4096):
                seen += part
    os.close(master)
    return seen.decode()


def test_a_terminal_sees_the_share_the_rate_the_counts_and_the_time_left(tmp_path):
    batch = [*PROGRAM, "batch", "freecell", "1-600", "--no-grade", "--store", tmp_path / "s.db"]
    seen = on_terminal(batch)
    bars = [bar for bar in seen.split("\r") if "%|" in bar]
    assert bars
    assert any(
        re.search(r"/600 \[\d\d:\d\d<.* deals/s, \d+ winnable, 0 unwin", bar) for bar in bars
    )
    # What is there already shows at once, and does not count for the rate.
    seen = on_terminal(batch)
    bars = [bar for bar in seen.split("\r") if "%|" in bar]
    assert "100%|" in bars[-1]


@pytest.mark.parametrize("words", [("check", "freecell", "1-300", "--quiet"), ("games",)])
def test_quiet_shows_nothing_on_a_terminal(words):
    assert on_terminal([*PROGRAM, *words]) == ""


def test_a_pipe_sees_no_progress(process):
    result = process("check", "freecell", "1-300", "--json")
    assert len(result.lines) == 300
    assert len(result.err.splitlines()) == 1
    assert result.err.startswith("300 winnable, 0 unwinnable, 0 undecided; ")


#: The smallest kernel there is, compiled as the commands compile theirs.
LOADS = """
from cli.output import Progress
from solvers.programs.load import load

with Progress(1, quiet=False, streams=True) as progress:
    progress.announce_compiling()
    load("deals")
"""


def test_a_first_compilation_is_announced_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("WINNABLE_CACHE_DIR", str(tmp_path / "cache"))
    script = tmp_path / "script.py"
    script.write_text(LOADS)
    seen = on_terminal([sys.executable, str(script)])
    assert seen == "winnable: compiling the solver; this happens once for each version\r\n"
    assert on_terminal([sys.executable, str(script)]) == ""


@pytest.mark.parametrize("name", games.NAMES)
def test_nothing_is_compiled_twice(run, tmp_path, name):
    board = tmp_path / "board.txt"
    board.write_text(run("deal", name, "441", "--format", "board").out)
    game = games.load(name)
    lines = [f"{command} {name} 441-442" for command in ("check", "solve", "hint", "grade")]
    lines += [f"{command} {name} --board {board}" for command in ("check", "hint", "grade")]
    lines += [f"check {name} 441 --method {method} --max-nodes 5000" for method in game.methods]
    if game.offers_optimal(game.profiles[game.default_profile]):
        lines.append(f"solve {name} 441 --optimal --max-nodes 5000")
    for line in lines:
        # The first run may have to compile.
        on_terminal([*PROGRAM, *line.split()])
        assert "compiling" not in on_terminal([*PROGRAM, *line.split()]), line
