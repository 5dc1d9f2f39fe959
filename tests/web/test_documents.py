"""A frontend written from the documents alone gets every deal right and replays every solution.

`reader.mjs` shares no code with the package: what it does wrong, the documents say wrong.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import solvers
import winnable
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


def in_node(pools: list[str], deals: list[int], **more: object) -> dict:
    """Let the reader replay pools and deal numbers; `more` as the reader says."""
    done = subprocess.run(
        ["node", str(ROOT / "tests" / "web" / "reader.mjs")],
        input=json.dumps({"pools": pools, "deals": deals, **more}),
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
    page = (
        (ROOT / "docs" / "deals.md")
        .read_text("utf-8")
        .split("### Test vectors of `ms`")[1]
        .split("## `pysol`")[0]
    )
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


def test_a_reader_of_the_documents_deals_pysolfcs_numbers() -> None:
    boards = json.loads((REFERENCE / "pysol_pyramid_plot.json").read_text("utf-8"))
    asked, expected = [], []
    for key, board in boards["pyramid"].items():
        kind, number = key.split(":")
        if kind == "MT" or int(number) < 32000:
            asked.append([number, 1])
            rows = [card for row in board["rows"] for card in row]
            expected.append(rows + board["stock_top_first"])
    for key, board in boards["plot"].items():
        asked.append([key.split(":")[1], 2])
        # The reference has the piles in the order of dealing, the twelfth first.
        tableau = [*board["reserve_bottom_first"], *board["tableau_1_12"]]
        expected.append([board["base"], *tableau, *board["stock_top_first"]])
    assert len(asked) > 10
    assert in_node([], [], pysol=asked)["pysol"] == expected
    page = (ROOT / "docs" / "deals.md").read_text("utf-8").split("### Test vectors of `pysol`")[1]
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.count(" ") > 12]
    shown = [(row[0], int(row[1]), row[2].split()) for row in rows if len(row) == 3]
    assert len(shown) == 5
    dealt = in_node([], [], pysol=[[number, decks] for number, decks, _ in shown])["pysol"]
    assert [cards[:13] for cards in dealt] == [cards for _, _, cards in shown]


@pytest.mark.parametrize("tier", ["easy", "hard", "random"])
def test_a_reader_of_the_documents_picks_the_same_deals(tier: str, tmp_path: Path) -> None:
    out = tmp_path / "pool.json"
    build(["pool", "build", "freecell", "1-90", "200-230", "617", "--quiet"], out)
    pool = winnable.Pool.open(out)
    excluded = [5, 617, pool.numbers("easy")[0], pool.numbers("hard")[-1]]
    seeds = [0, 1, 617, 2**32, 2**53 - 1, *range(100, 130)]
    days = [datetime.date(2000, 1, 1) + datetime.timedelta(117 * n) for n in range(120)]
    asked = {
        "pool": out.read_text("utf-8"),
        "tier": tier,
        "seeds": seeds,
        "days": [day.isoformat() for day in days],
        "not": excluded,
    }
    assert in_node([], [], picks=asked)["picks"] == {
        "seeds": [pool.pick(tier, seed=seed, exclude=excluded) for seed in seeds],
        "days": [pool.pick(tier, date=day, exclude=excluded) for day in days],
    }
