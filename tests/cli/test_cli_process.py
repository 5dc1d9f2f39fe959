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
import time

import click
import pytest

from cli.program import guarded
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
        try:
            _, errors = running.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            # The interpreter drops an interrupt that falls into a callback: a user presses again.
            begin = time.monotonic()
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=30)
    assert running.returncode == 130
    assert errors == "winnable: interrupted\n"
    assert time.monotonic() - begin < 10


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


def on_terminal(command):
    """Run a command with a terminal of 100 columns as its stderr; return what that shows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave):
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
KERNEL = """\
from cli.output import Progress
from solvers.jit import kernel

@kernel
def next_number(number):
    return number + 1

with Progress(1, quiet=False, streams=True) as progress:
    progress.announce_compiling()
    assert next_number(616) == 617
"""


def test_a_first_compilation_is_announced_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    script = tmp_path / "script.py"
    script.write_text(KERNEL)
    seen = on_terminal([sys.executable, str(script)])
    assert seen == "winnable: compiling the solver; this happens once for each version\r\n"
    assert on_terminal([sys.executable, str(script)]) == ""
