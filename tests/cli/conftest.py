"""Two ways to run the program: in this process through click, and as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from cli.program import program


@dataclass(frozen=True)
class Run:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@pytest.fixture(scope="session")
def run():
    """Run the program in this process: run("check", "freecell", "617", stdin="...")."""

    def call(*arguments, stdin=None) -> Run:
        result = CliRunner().invoke(program, [str(word) for word in arguments], input=stdin)
        assert isinstance(result.exception, SystemExit | None), result.exception
        return Run(result.exit_code, result.stdout, result.stderr)

    return call


#: -P: what lies in the folder where a test runs is not imported.
PROGRAM = [sys.executable, "-P", "-m", "cli.main"]


@pytest.fixture(scope="session")
def process():
    """Run the program as a process: process("games", stdin=b"...", env={...})."""

    def call(*arguments, **options) -> Run:
        done = subprocess.run(
            [*PROGRAM, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture(scope="session")
def one_line():
    """Assert that a run refused its input: one line of ours on stderr, exit 2, nothing else."""

    def check(result: Run) -> str:
        assert result.out == ""
        assert result.err.startswith("winnable: ")
        assert result.err.count("\n") == 1
        assert result.err.endswith("\n")
        assert "Traceback" not in result.err
        assert result.code == 2
        return result.err

    return check


@pytest.fixture(scope="session")
def loaded():
    """Return which heavy packages a run that ends well loads: loaded("games")."""
    code = (
        "import sys\n"
        "from cli.program import program\n"
        "try:\n"
        "    program.main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    assert end.code == 0\n"
        "print(*(name for name in ('numpy', 'numba', 'tqdm') if name in sys.modules))\n"
    )

    def call(*arguments) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()[-1].split()

    return call
