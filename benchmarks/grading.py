"""Study the grader of a game: what it measures, how stable it is, and what it agrees with.

    python benchmarks/grading.py GAME              # writes benchmarks/grading/GAME.md and pictures
    python benchmarks/grading.py GAME --quick      # a few deals, to see that it runs
    python benchmarks/grading.py GAME --calibrate  # prints thirds and percentiles of each profile

Asks games by `solvers.games` alone, and takes measures from outside out of `data/reference`.
Pictures need the extra `report`.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from dealgen.numbering import numbering_of
from solvers import games
from solvers.games import AnyGame
from solvers.outcome import Verdict

HERE = Path(__file__).parent
REFERENCE = HERE.parent / "data" / "reference"
MS = numbering_of("ms")
#: First deals of the ranges: thirds come from the one, studies look at the other.
CALIBRATED_FROM, STUDIED_FROM = 1, 20_001
#: Where other seeds begin.
OTHER_SEEDS = 10**6
#: FreeCell deals that players call hard, and easy.
HARD = [169, 178, 285, 454, 575, 598, 617, 657, 718, 775, 829, 988, 1941, 5087, 8820, 11854]
EASY = [164, 1187, 3148, 9998, 10913, 14820, 15196, 24176, 27251]
#: Games of the player who moves by pure chance.
RANDOM_GAMES = 100
#: Moves after which it gives up.
RANDOM_MOVES = 300


class Size(NamedTuple):
    """How many deals a study takes: in bulk, for proved par, and for what plain Python plays."""

    dealt: int
    par: int
    played: int


FULL, QUICK = Size(4000, 500, 60), Size(30, 5, 2)


class Sample(NamedTuple):
    """The winnable deals of a range under a profile, and the CPU seconds of finding them."""

    numbers: NDArray[np.int64]
    decks: NDArray[np.uint8]
    solved: float
    dealt: int


def sample_of(game: AnyGame, profile: Any, first: int, count: int) -> Sample:
    """Deal a range and keep what can be won."""
    numbers = np.arange(first, first + count)
    decks = MS.decks(game, numbers)
    # Loads the program.
    game.solve_many(decks[:1], profile, game.default_limits, want_lines=False)
    begin = time.process_time()
    verdict = game.solve_many(decks, profile, game.default_limits, want_lines=False).verdict
    solved = time.process_time() - begin
    kept = verdict == Verdict.WINNABLE
    return Sample(numbers[kept], decks[kept], solved, count)


def ranks_of(values: Any) -> NDArray[np.float64]:
    """Return ranks, equal values sharing the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def correlation(left: Any, right: Any) -> float:
    """Return the rank correlation (Spearman) of two measures; not a number for a constant."""
    one, other = ranks_of(left), ranks_of(right)
    if len(one) < 2 or one.std() == 0 or other.std() == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def area_under_curve(hard: NDArray[np.int64], easy: NDArray[np.int64]) -> float:
    """Return how often a hard deal's effort is above an easy one's; ties count half."""
    above = hard[:, None] > easy[None, :]
    return float((above + 0.5 * (hard[:, None] == easy[None, :])).mean())


def thirds_of(efforts: NDArray[np.int64]) -> tuple[int, int]:
    """Return the efforts at which the second and the last third of deals begin."""
    ordered = np.sort(efforts)
    return int(ordered[len(ordered) // 3]), int(ordered[2 * len(ordered) // 3])


def thirds(efforts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0, 1 or 2 for each deal: the third that it is in."""
    return np.searchsorted(thirds_of(efforts), efforts, side="right")


def table(header: list[str], rows: list[list[str]]) -> str:
    """Write a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tries(effort: float) -> str:
    """Write an effort in tries."""
    return f"{effort / 1000:.2f}"


# Stability, distribution, cost.


def study_profile(game: AnyGame, profile: Any, found: Sample) -> tuple[list[str], Any]:
    """Return the row of a profile, and its efforts."""
    solver, decks = game.solver, found.decks
    solver.measure_decks(decks[:1], profile)
    begin = time.process_time()
    efforts = solver.measure_decks(decks, profile)
    cost = time.process_time() - begin
    half = solver.measure_decks(decks, profile, parts=2)
    other_half = solver.measure_decks(decks, profile, first=OTHER_SEEDS, parts=2)
    other = solver.measure_decks(decks, profile, first=OTHER_SEEDS)
    points = np.percentile(efforts, [1, 10, 50, 90, 99], method="lower")
    return [
        f"{len(decks)} of {found.dealt}",
        *(tries(point) for point in points),
        f"{100 * (efforts == efforts.max()).mean():.2f} %",
        f"{correlation(half, other_half):.3f}",
        f"{correlation(efforts, other):.3f}",
        f"{100 * (thirds(efforts) == thirds(other)).mean():.1f} %",
        f"{1000 * cost / len(decks):.2f}",
        f"{1000 * found.solved / found.dealt:.2f}",
    ], efforts


HEADER = [
    *("profile", "winnable", "1 %", "10 %", "median", "90 %", "99 %", "at the greatest effort"),
    *("halves", "other seeds", "same third", "ms a deal", "ms to solve one"),
]


# What others say of the same deals.


def first_moves(game: AnyGame, profile: Any, deck: NDArray[np.uint8]) -> float:
    """Return the share of the first moves that keep the win."""
    state = game.start(game.deal(deck.tolist()), profile)
    moves = game.legal_moves(state, profile)
    verdicts = [
        game.solve(game.apply(state, move, profile), profile, game.default_limits).verdict
        for move in moves
    ]
    return sum(verdict == Verdict.WINNABLE for verdict in verdicts) / len(moves)


def chance_of_random(game: AnyGame, profile: Any, deck: NDArray[np.uint8], seed: int) -> float:
    """Return how often a player wins who takes any legal move with the same chance."""
    chance = random.Random(seed)
    wins = 0
    for _game in range(RANDOM_GAMES):
        state = game.start(game.deal(deck.tolist()), profile)
        for _move in range(RANDOM_MOVES):
            moves = game.legal_moves(state, profile)
            if game.is_won(state, profile) or not moves:
                break
            state = game.apply(state, chance.choice(moves), profile)
        wins += game.is_won(state, profile)
    return wins / RANDOM_GAMES


def compare_freecell(game: AnyGame, size: Size) -> Iterator[tuple[str, str, int]]:
    """Yield what FreeCell's efforts agree with, and how much."""
    profile = game.profiles[game.default_profile]
    fewest = np.loadtxt(REFERENCE / "freecell_fewest_cells_1_to_8000.txt", np.int64)
    fewest = fewest[: 2 * size.dealt]
    decks = MS.decks(game, np.ascontiguousarray(fewest[:, 0]))
    efforts = game.measure_many(decks, profile)
    figure = correlation(efforts, fewest[:, 1])
    yield "fewest cells that win, rank correlation", f"{figure:.3f}", len(fewest)
    hard, easy = (game.measure_many(MS.decks(game, deals), profile) for deals in (HARD, EASY))
    yield "players' lists, AUC", f"{area_under_curve(hard, easy):.3f}", len(HARD) + len(EASY)
    for cells in range(int(fewest[:, 1].max()) + 1):
        chosen = efforts[fewest[:, 1] == cells]
        if len(chosen):
            yield f"median tries where {cells} cells suffice", tries(np.median(chosen)), len(chosen)


def compare_pyramid(
    game: AnyGame, profile: Any, found: Sample, efforts: Any, size: Size
) -> Iterator[tuple[str, str, int]]:
    """Yield what Pyramid's efforts agree with, and how much."""
    decks = found.decks[: size.par]
    par = game.par_many(decks, profile, game.default_limits)
    known = par > 0
    figure = correlation(efforts[: size.par][known], par[known])
    yield "proved par, rank correlation", f"{figure:.3f}", int(known.sum())
    decks = found.decks[: size.played]
    chances = [chance_of_random(game, profile, deck, row) for row, deck in enumerate(decks)]
    figure = correlation(efforts[: size.played], chances)
    yield "chance of a random player, rank correlation", f"{figure:.3f}", len(decks)


def agreement(
    game: AnyGame, profile: Any, found: Sample, efforts: Any, size: Size
) -> Iterator[tuple[str, str, int]]:
    """Yield measures from outside: what, the figure, of how many deals."""
    if game.name == "freecell":
        yield from compare_freecell(game, size)
    if game.name == "pyramid":
        yield from compare_pyramid(game, profile, found, efforts, size)
    shares = [first_moves(game, profile, deck) for deck in found.decks[: size.played]]
    figure = correlation(efforts[: size.played], shares)
    shown = "the same for all" if np.isnan(figure) else f"{figure:.3f}"
    yield "share of first moves that keep the win, rank correlation", shown, len(shares)


# What is written.


def draw(game: AnyGame, efforts: dict[str, Any], out: Path) -> None:
    """Draw the share of deals up to each effort, under every profile."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name, values in efforts.items():
        axes.step(np.sort(values) / 1000, np.linspace(0, 100, len(values)), label=name)
    axes.set_xscale("log")
    axes.set(xlabel="effort, tries", ylabel="winnable deals, %", title=game.title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(out / f"{game.name}-efforts.png", dpi=100, bbox_inches="tight")
    pyplot.close(figure)


def write_study(game: AnyGame, size: Size, out: Path) -> None:
    """Write the tables and pictures of a game."""
    rows, efforts, outside = [], {}, list[list[str]]()
    for name, profile in game.profiles.items():
        found = sample_of(game, profile, STUDIED_FROM, size.dealt)
        if len(found.decks) < 2:
            continue
        row, efforts[name] = study_profile(game, profile, found)
        rows.append([name, *row])
        if name == game.default_profile:
            compared = agreement(game, profile, found, efforts[name], size)
            outside += [[what, figure, str(count)] for what, figure, count in compared]
    last = STUDIED_FROM + size.dealt - 1
    text = (
        f"# {game.title}: the grader\n\n    python benchmarks/grading.py {game.name}\n\n"
        f"Winnable deals of `ms` {STUDIED_FROM}..{last}; efforts in tries; halves and other seeds "
        "are rank correlations;\ntimes are of one thread, solving the same deals in the same run "
        f"beside them.\n\n{table(HEADER, rows)}\n\n![efforts]({game.name}-efforts.png)\n\n"
        f"## Other measures, `{game.default_profile}`\n\n"
        f"{table(['what', 'figure', 'deals'], outside)}\n"
    )
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{game.name}.md").write_text(text, "utf-8")
    draw(game, efforts, out)


def calibration(game: AnyGame, size: Size) -> dict[str, Any]:
    """Return the thirds and percentiles of each named profile's winnable deals."""
    found = {}
    for name, profile in game.profiles.items():
        # Where few deals are winnable, a range five times as long has hundreds of them.
        dealt = 5 * size.dealt
        sample = sample_of(game, profile, CALIBRATED_FROM, dealt)
        efforts = game.solver.measure_decks(sample.decks, profile)
        easy_below, hard_from = thirds_of(efforts)
        found[name] = {
            "range": f"ms {CALIBRATED_FROM}..{CALIBRATED_FROM + dealt - 1}",
            "easy_below": easy_below,
            "hard_from": hard_from,
            "percentiles": np.percentile(efforts, range(1, 100), method="lower").tolist(),
        }
    return found


@click.command()
@click.argument("name", metavar="GAME", type=click.Choice(games.NAMES))
@click.option("--quick", is_flag=True, help="A few deals, to see that it runs.")
@click.option("--calibrate", is_flag=True, help="Print thirds and percentiles of each profile.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=HERE / "grading",
    help="Where tables and pictures go.",
)
def main(name: str, quick: bool, calibrate: bool, out: Path) -> None:
    """Study the grader of GAME, or calibrate it."""
    game, size = games.load(name), QUICK if quick else FULL
    if calibrate:
        click.echo(json.dumps(calibration(game, size), indent=1))
    else:
        write_study(game, size, out)


if __name__ == "__main__":
    main()
