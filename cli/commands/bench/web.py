"""Our WebAssembly module in Node beside a peer's native program, on the same deals."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import solvers
from dealgen.numbering import DEFAULT_NUMBERING, numbering_of
from solvers.errors import WinnableError
from solvers.games import AnyGame

#: Deals 1..DEALS: few, as a page has them, so that loading the module counts.
DEALS = 2000
_SCRIPT = Path(solvers.__file__).parents[1] / "data" / "web" / "bench.mjs"


@dataclass(frozen=True, slots=True)
class WebTimes:
    """CPU seconds of one round in Node: with loading the module, and once it is warm."""

    cold: float
    warm: float


def reason_to_skip() -> str | None:
    """Return why Node cannot be measured here, None where it can."""
    if shutil.which("node") is None:
        return "there is no node on the PATH"
    if not _SCRIPT.is_file():
        return "the modules are in the repository only, not in the installed package"
    return None


def run(game: AnyGame) -> WebTimes:
    """Decide the deals in Node; raises WinnableError when that does not work."""
    decks = numbering_of(DEFAULT_NUMBERING).decks(game, range(1, DEALS + 1))
    done = subprocess.run(
        ["node", str(_SCRIPT), game.name, game.default_profile, str(game.deck_size)],
        input=decks.tobytes(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise WinnableError(f"node ended with exit code {done.returncode}: {done.stderr.decode()}")
    found: dict[str, Any] = json.loads(done.stdout)
    return WebTimes(found["cold"], found["warm"])
