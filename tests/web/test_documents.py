"""A frontend written from the documents alone gets every deal right and replays every solution.

`reader.mjs` shares no code with the package: what it does wrong, the documents say wrong.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import solvers
from cli.program import program

ROOT = Path(solvers.__file__).parents[1]
REFERENCE = ROOT / "data" / "reference"

POOLS = [
    *(("freecell", profile, 60) for profile in ("classic", "linear", "safe-auto", "max-auto")),
    *(("freecell", profile, 60) for profile in ("bakers", "classic,supermove=single")),
    ("freecell", "safe-auto,autoplay_on_deal=yes", 60),
    *(("pyramid", profile, 80) for profile in ("classic", "microsoft", "single-pass")),
    ("pyramid", "classic,goal=all", 80),
    ("pyramid", "microsoft,redeals=unlimited,cover_pairs=yes", 80),
    *(("plot", profile, 30) for profile in ("classic", "pysol", "classic,base_isolation=always")),
]


def build(command: list[str], out: Path) -> None:
    """Run a command that writes a pool."""
    result = CliRunner().invoke(program, [*command, "--out", str(out)])
    assert result.exit_code == 0, result.output


def in_node(pools: list[str], deals: list[int]) -> dict:
    """Let the reader replay pools and deal numbers."""
    done = subprocess.run(
        ["node", str(ROOT / "tests" / "web" / "reader.mjs")],
        input=json.dumps({"pools": pools, "deals": deals}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_reader_of_the_documents_deals_every_number() -> None:
    boards = json.loads((REFERENCE / "ms_boards.json").read_text("utf-8"))
    answers = in_node([], [int(number) for number in boards])
    assert len(boards) > 30
    assert answers["columns"] == list(boards.values())


def test_the_page_on_deals_shows_published_deals() -> None:
    boards = json.loads((REFERENCE / "ms_boards.json").read_text("utf-8"))
    page = (ROOT / "docs" / "deals.md").read_text("utf-8").split("### Test vectors of `ms`")[1].split("## `pysol`")[0]
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.count(" ") > 12]
    shown = {number: cards.split() for number, cards in (row for row in rows if len(row) == 2)}
    assert len(shown) == 6
    for number, cards in shown.items():
        columns = boards[number]
        assert cards == [c[0] for c in columns] + [c[1] for c in columns[:5]]


@pytest.mark.parametrize(("game", "profile", "last"), POOLS)
def test_a_reader_of_the_documents_replays_every_solution(
    game: str, profile: str, last: int, tmp_path: Path
) -> None:
    out = tmp_path / "pool.json"
    command = ["pool", "build", game, f"1-{last}", "--profile", profile, "--solutions", "--quiet"]
    # The reader knows the numbers of `ms`; and tiers of their own do for rules without a scale.
    build([*command, "--numbering", "ms", "--tiers", "thirds"], out)
    text = out.read_text("utf-8")
    counts = json.loads(text)["counts"]
    (answer,) = in_node([text], [])["pools"]
    assert answer["problems"] == []
    assert answer["replayed"] == counts["winnable"] > 0


def test_the_reader_notices_a_wrong_solution(tmp_path: Path) -> None:
    out = tmp_path / "pool.json"
    build(["pool", "build", "freecell", "1", "--solutions", "--quiet"], out)
    pool = json.loads(out.read_text("utf-8"))
    del pool["sha256"]
    (tier,) = (tier for tier in pool["tiers"].values() if tier.get("solutions"))
    _, *others = tier["solutions"][0].split(",")
    tier["solutions"] = [",".join(others)]
    canonical = json.dumps(pool, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    pool["sha256"] = hashlib.sha256(canonical.encode()).hexdigest()
    (answer,) = in_node([json.dumps(pool)], [])["pools"]
    assert answer["problems"]
