"""Build the wheel, install it alone in a clean environment, and use it from another folder.

A script, run by `make wheel`: what it tests is what a user gets, without this folder and
without the development dependencies.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def command(words: list[object], *, code: int = 0, **options: object) -> str:
    """Run a command that must end with `code`; return what it printed."""
    shown = " ".join(Path(str(words[0])).name if i == 0 else str(w) for i, w in enumerate(words))
    begin = time.monotonic()
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, **options
    )
    print(f"{time.monotonic() - begin:6.1f} s  {shown}", flush=True)
    if done.returncode != code:
        sys.exit(f"exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(folder: Path) -> Path:
    """Build the wheel from a source archive and install it; return the environment's programs."""
    command([sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT])
    (wheel,) = (folder / "dist").glob("*.whl")
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / "bin"
    constraints = ROOT / "constraints.txt"
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check"]
    command([*pip, "install", "--quiet", "-c", constraints, wheel])
    packages = {
        entry["name"].lower() for entry in json.loads(command([*pip, "list", "--format=json"]))
    }
    unwanted = packages & {"pytest", "hypothesis", "ruff", "mypy", "distributed", "matplotlib"}
    if "winnable" not in packages or unwanted:
        sys.exit(f"installed: {sorted(packages)}")
    return programs


def use(programs: Path, elsewhere: Path) -> None:
    """Use the installed program as a user would, in a folder of theirs."""
    # Nothing of this folder, and no kernels compiled by somebody else.
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NUMBA_"))
    }
    environment["XDG_CACHE_HOME"] = str(elsewhere / "cache")

    def winnable(*words: object, code: int = 0) -> str:
        return command([programs / "winnable", *words], code=code, cwd=elsewhere, env=environment)

    # Folders of the same names beside the user's files are not ours.
    for name in ("winnable", "solvers", "dealgen", "cli"):
        (elsewhere / name).mkdir()
        (elsewhere / name / "__init__.py").write_text("raise SystemExit('not this one')\n")
    where = "import winnable, solvers, dealgen, cli; print(*(m.__file__ for m in ({})))".format(
        "winnable, solvers, dealgen, cli"
    )
    isolated = [programs / "python", "-P", "-c"]
    for path in command([*isolated, where], cwd=elsewhere, env=environment).split():
        if not Path(path).is_relative_to(programs.parent):
            sys.exit(f"imported from {path}, not from the wheel")
    winnable("--version")
    winnable("games")
    winnable("deal", "freecell", "617")
    winnable("check", "freecell", "617")
    winnable("check", "freecell", "11982", code=1)
    winnable("solve", "freecell", "617")
    winnable("pool", "build", "freecell", "1-200", "--out", "pool.json")
    winnable("pool", "verify", "pool.json")
    if json.loads(winnable("pool", "stats", "pool.json", "--json"))["counts"]["winnable"] != 200:
        sys.exit("deals 1..200 are all winnable")
    winnable("bench", "freecell")
    code = "import winnable; print(winnable.check('freecell', [617, 11982]).unwinnable.tolist())"
    if command([*isolated, code], cwd=elsewhere, env=environment) != "[11982]\n":
        sys.exit("11982 is the unwinnable one")
    module = [programs / "python", "-P", "-m", "winnable"]
    command([*module, "check", "freecell", "11982"], code=1, cwd=elsewhere, env=environment)


def main() -> None:
    """Do it all in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="winnable-wheel-") as name:
        folder = Path(name)
        programs = install(folder)
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        use(programs, elsewhere)
    print("the wheel works")


if __name__ == "__main__":
    main()
