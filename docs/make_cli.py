"""Write docs/cli.md from what `--help` says; with `--check`, tell whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from cli.program import PROGRAM_NAME, program

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 88

HEAD = """# Command line

Generated from `winnable --help` by `make docs-write`; `make docs` checks it.

Results go to stdout, one line or one JSON object per deal; progress and summaries go to stderr,
progress only on a terminal.

| exit code | means |
|---|---|
| 0 | done; `check`, `solve`, `hint`, `grade`: all deals are winnable; `replay`: the line wins |
| 1 | some deals are unwinnable, the line does not win, none is found, or a check fails |
| 2 | bad input: one line on stderr says what, where and what is valid |
| 3 | some deals are undecided and none is unwinnable |
| 4 | a batch was interrupted; the same command goes on from there |
| 70 | a bug of ours |
| 130 | interrupted by Ctrl-C |

## JSON

With `--json` each result is one object on one line. Keys are added in later versions, never
renamed.

- `check`, `solve`, `hint`, `grade`: `game`, `profile`, `numbering`, `number`, `verdict`, `nodes`,
  `limit` (null, or what stopped the search: `nodes`, `memory`, `seconds`, `worker`). For
  `--board` there are `name` (what the board is called) and `board` (the position's text) instead of
  `number`, and `numbering` is null; `check` adds `deal` where the board is a numbered deal: an
  object of `numbering`, `number` and `same_order` (false where its columns lie in another order).
  With `--after` there is `after`, the moves that lead from there to the position that is answered.
- `--csv` (`check`, `grade`) has the same keys in its first line, and nothing for null.
- `solve` also: `moves` (a list of texts), `length` (as the profile counts moves) and `par_kind`
  (`optimal` where no solution has fewer moves, which is proved, else `found`), all null unless
  winnable; for FreeCell `single_card_moves`, too. With `--expand` `moves` are single-card
  moves, and `move_sizes` says how many of them make up each move of the game, after which
  autoplay comes.
- `hint` also: `move` (null when there is none), `words` (what it does), `moves`, `length` and
  `par_kind` (the whole line that it begins, as `solve` has them) and `legal_moves`, empty when
  the player is stuck or has won: a list of objects of `move`, `from` and `to` (places as below),
  `cards` (those that move, deepest first) and `target` (the kind of place); with `--all` also
  `verdict`: what can be said of the game after the move. Targets come in the order `foundation`,
  `column`, `cell`, `empty column` (FreeCell), `foundation`, `waste`, `stock` (Pyramid),
  `foundation`, `pile`, `space`, `waste` (The Plot); of several empty columns, cells or spaces the
  first stands for all. For FreeCell `capacity`, an object of `column` and `empty_column`: how
  many cards may move as one; `longest_movable`, for each column how many of its last cards may;
  `finishes_by_itself`, whether sending home whatever fits, again and again, wins. Where the
  frontend plays by itself (`safe-auto`, `max-auto`, `pysol`), all this is about the position
  after that, and `board` the one before. With `--history` also `history`, an object of `lost_by`
  (the move that lost the game, null where none did or limits leave it open), `first_lost` and
  `last_winnable` (positions, by the number of moves before them), `position` and `moves` (the
  last winnable position, and a line that wins from it) and `undecided` (positions between the two
  that the limits left open).
- Places are named as in the game's notation: FreeCell `1` to `8`, `a` to `g` and `h`; The Plot `1`
  to `12`, `w`, `r`, `f` and `stock`; Pyramid `pyramid`, `waste`, `stock` and `foundation`, for a
  pair whose cards lie apart both, as `pyramid+waste`.
- `replay`: `game`, `profile`, `numbering`, `number` or `board`, `wins`, `legal`, `length` and
  `moves` (those that are legal, as they were read), `refused`, `ply` and `reason` (the first move
  that is not legal, its place in the line from 1 and why; null where all are), `notes` (what had to
  be read into the line) and `position` (after the legal moves).
- `grade` also: `effort` (in tries, null unless winnable); `grade` and `percentile` (than how many
  percent of the deals of the scale's range it is harder, 0 to 99), null also under rules without a
  scale; `grader`. With `--cells` `fewest_cells`, an object of `low` and `high`, the same where
  that is decided; `high` is null where no number of cells was found to win.
- `number` is text under the numbering `pysol`, which has more digits than most readers of JSON
  keep.
- `deal`: `game`, `numbering`, `number`, `cards`, `position`.
- `find`, for each number found: `game`, `numbering`, `number`, `same_order` (false where the
  columns of a FreeCell board lie in another order).
- `batch`: `game`, `profile`, `numbering`, `first`, `last` (the lowest and the highest number),
  `deals` (how many), `store`, `kept` (answers from an earlier run), `winnable`, `unwinnable`,
  `undecided`.
- `store info`, for each game, profile and numbering: `game`, `profile`, `numbering`, `deals`,
  `first`, `last`, `winnable`, `unwinnable`, `undecided`, `graded` (how many have an effort).
- `store export`, for each deal, as the store's view `deals` has it: `game`, `profile`,
  `numbering`, `number`, `verdict`, `nodes`, `limit`, `length`, `max_nodes`, `memory_mib`,
  `max_seconds`, `solver`, `effort` (in tries) and `grader`.
- `pool build`, `pool stats`, `pool subset`, `pool merge`: `game`, `profile`, `numbering`, `first`,
  `last` (the lowest and the highest number), `deals` (how many the pool answers for), `counts` (an
  object of `winnable`, `unwinnable` and `undecided`), `limits` (of the build, or null), `par_kind`
  (`optimal`, `found` or null), `grader` (`name`, `tiers`, easiest first, `cuts`
  in tries, where each but the first begins, `calibrated_on`), `solver_versions`, `sha256`,
  `duplicates` (how many), `solutions` (whether every tier has them) and `tiers`: for each but
  `random` `count`, `share` and `par` (null, or `min`, `median` and `max`).
- `pool pick`: `game`, `profile`, `numbering`, `number`, `tier`, `position`, `par`, `par_kind` and
  `solution` (a list of moves), null where the pool has none.
- `pool lookup`: `game`, `profile`, `numbering`, `number`, `verdict`, `tier` (null for one in
  none), `par`, `par_kind`, `solution`, `duplicate` (the same board as a lower number).
- `pool list`, for each deal: `number`, `tier`, `par`.
- `pool verify`: `pool`, `ok`, `problems` (texts), `measured` (whether grades and pars were
  checked).
- `bench`, one object per list and method: `game`, `profile`, `list`, `method`, `deals`, `winnable`,
  `unwinnable`, `undecided`, `nodes`, `deals_per_s`, `recorded` (the nodes that are right, or
  null). With `--peer` one more: `game`, `peer`, `first`, `last`; the seconds of each round in
  `peer_cpu_s`, `peer_wall_s`, `our_cpu_s` and `our_wall_s`; median, least and greatest of the
  rounds' ratios in `cpu_ratio` and `wall_ratio`.
- `games`, one object per game: `game`, `title`, `deck_size`, `default_profile`, `profiles` (the
  options of each, spelled as `--profile` takes them), `options` (`valid` and `help` of each),
  `numberings` (`name`, `first`, `last`, `describes`), `default_numberings` (by profile), `methods`,
  `default_limits` (`max_nodes`, `memory_mib`) and `grader` (`name`, `unit`, which is tries, and
  `scales`: for each profile `easy_below`, `hard_from` and `calibrated_on`).

## Boards and positions

`--board` reads a file, a folder of files, or standard input for `-`. [boards.md](boards.md) says
what is read, for every game, and in which programs' spelling.
"""


def pages(command: click.Command, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the section of a command and of every command below it."""
    context = click.Context(
        command,
        info_name=" ".join(path),
        terminal_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    text = command.get_help(context).rstrip()
    text = "\n".join(line.rstrip() for line in text.splitlines())
    yield f"## {' '.join(path)}\n\n```\n{text}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from pages(below, (*path, name))


def main() -> int:
    """Write the page, or compare it with `--check`; return the exit code."""
    text = "\n".join([HEAD, *pages(program, (PROGRAM_NAME,))])
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == text:
        return 0
    print(f"{PAGE} is not what --help says; run make docs-write", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
