"""How short the short lines of FreeCell are, and how long they take to find.

    python benchmarks/par.py             # writes benchmarks/par.md
    python benchmarks/par.py --quick     # a few deals, to see that it runs

Moves are counted as the profile `max-auto` does: a run is one move, and what goes home by itself is
none. Times are CPU seconds of one thread, beside those of fc-solve on deals 1..32000 in the same
run, where that program is installed.
"""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import click

from dealgen.numbering import numbering_of
from solvers import games
from solvers.outcome import MOST_EFFORT, Verdict, states_of_effort

HERE = Path(__file__).parent
FREECELL = games.load("freecell")
RULES = FREECELL.profiles["max-auto"]
MS = numbering_of("ms")
#: Deals whose near-optimal lengths are published.
FIRST, LAST = 1, 300
#: Levels of effort that are measured on all of them.
LEVELS = (1, 2, 3, 4)
#: Known lengths of single deals.
KNOWN = {224533: 8, 239313: 8, 31465: 47, 57148: 51}
_PEER = "freecell-solver-range-parallel-solve"


def solve(number: int, level: int) -> int:
    """Return the length of a deal's short line, 0 for a deal without one."""
    state = FREECELL.deal(MS.deck(FREECELL, number))
    states = states_of_effort(level)
    outcome = FREECELL.solve(state, RULES, FREECELL.default_limits, short=states)
    return outcome.length if outcome.verdict is Verdict.WINNABLE else 0


def yardstick() -> float | None:
    """Return the CPU seconds of fc-solve on deals 1..32000, None where it is not installed."""
    if shutil.which(_PEER) is None:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [_PEER, "1", "32000", "32000", "-l", "lg"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@click.command()
@click.option("--quick", is_flag=True, help="A few deals, and write nothing.")
def main(quick: bool) -> None:
    """Measure, and write the page."""
    numbers = range(FIRST, FIRST + 5 if quick else LAST + 1)
    solve(FIRST, 1)  # loads the program
    rows = []
    for level in LEVELS:
        begin = time.process_time()
        lengths = [solve(number, level) for number in numbers]
        spent = time.process_time() - begin
        beside = statistics.mean(lengths[:20])
        rows.append(
            f"| {level} | {states_of_effort(level):,} | {statistics.mean(lengths):.2f} "
            f"| {beside:.2f} | {len(lengths) / spent:,.0f} |"
        )
        click.echo(rows[-1])
    known = []
    for number, length in KNOWN.items():
        found = {level: solve(number, level) for level in range(1, 3 if quick else MOST_EFFORT + 1)}
        best = min(found.values())
        first = min(level for level in found if found[level] == best)
        known.append(f"| {number} | {length} | {best} | {first} |")
        click.echo(known[-1])
    seconds = None if quick else yardstick()
    peer = "fc-solve is not installed" if seconds is None else f"{seconds:.1f} s of CPU"
    page = f"""# Par: short lines of FreeCell

    python benchmarks/par.py

Profile `max-auto`, `ms` {FIRST}..{LAST}; deals a second of CPU on one core, where fc-solve
`-l lg` takes for deals 1..32000: {peer}.

| effort | states | mean moves | on 1..20 | deals/s |
|---|---|---|---|---|
{chr(10).join(rows)}

Under the same rules macroxue/freecell, a C++ program, has a mean of 25.1 on 1..20 at .95 deals/s,
27.0 at 8.6 and 27.6 at 35, on a machine where fc-solve takes 6.0 s. Published near-optimal lengths
of 1..300 have a mean of 25.59. Nobody has published proved optima, and none are proved here.

Single deals, by the least effort that finds what is the shortest line here:

| deal | best known | found | effort |
|---|---|---|---|
{chr(10).join(known)}
"""
    if not quick:
        (HERE / "par.md").write_text(page, "utf-8")


if __name__ == "__main__":
    main()
