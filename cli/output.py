"""What the commands print: lines, JSON objects, counts and progress.

Owns the words and keys of results. Results go to stdout; progress and summaries go to
stderr, progress only where that is a terminal.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from cli.boards import After, Board
from cli.options import Setup
from dealgen.numbering import Numbering
from solvers.outcome import Limit, Limits, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dealgen.batch import BatchReport
    from solvers.outcome import BatchOutcome

ALL_WINNABLE, SOME_UNWINNABLE, SOME_UNDECIDED = 0, 1, 3

_VERDICT_WIDTH = max(len(verdict.label) for verdict in Verdict)


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout at once, so that a reader sees each chunk as it is done."""
    text = "".join(f"{line}\n" for line in lines)
    if text:
        click.echo(text, nl=False)


def printable(text: str) -> str:
    """Return a text with line breaks and what else a terminal would act on escaped."""
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def note(text: str) -> None:
    """Write a line to stderr; where nobody can read it, that changes nothing."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(text, err=True)


def json_line(record: dict[str, Any]) -> str:
    """Write an object as one line of JSON, keys in the order in which they were set."""
    return json.dumps(record, separators=(", ", ": "))


def json_number(numbering: Numbering, number: int) -> int | str:
    """Return a deal number for JSON: text under a numbering that has some beyond 64 bits.

    Many readers of JSON would make such a number another one without a word.
    """
    return str(number) if numbering.is_wide else number


class CsvLines:
    """Writes records as lines of CSV, after a line that names the keys."""

    def __init__(self) -> None:
        self._begun = False

    def header(self, record: Mapping[str, Any]) -> Iterator[str]:
        """Yield the names of a record's keys, the first time."""
        if not self._begun:
            self._begun = True
            yield _csv_line(record)

    def line(self, record: Mapping[str, Any]) -> str:
        """Write a record; null is empty, and a list its values between commas."""
        return _csv_line(
            ", ".join(value) if isinstance(value, list) else value for value in record.values()
        )


def _csv_line(values: Iterable[Any]) -> str:
    """Write values as one line of CSV, quoted where it must be, without its end."""
    out = io.StringIO()
    # Some versions quote line breaks only where they are the terminator.
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue().removesuffix("\n")


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict on what was asked: a deal number, or a board."""

    asked: int | Board
    verdict: Verdict
    nodes: int
    limit: Limit

    @property
    def label(self) -> str:
        """Return what stands at the start of the line: the number, or the board's file."""
        return self.asked.name if isinstance(self.asked, Board) else str(self.asked)


def answers_of(outcome: BatchOutcome, numbers: NDArray[np.int64]) -> Iterator[Answer]:
    """Go through the answers of a chunk; `numbers` is int64[n] and row i its number i."""
    rows = zip(
        numbers.tolist(),
        outcome.verdict.tolist(),
        outcome.nodes.tolist(),
        outcome.limit.tolist(),
        strict=True,
    )
    for number, verdict, nodes, limit in rows:
        yield Answer(number, Verdict(verdict), nodes, Limit(limit))


def answer_record(setup: Setup, answer: Answer) -> dict[str, Any]:
    """Return the keys of every result: which deal under which rules, and its verdict."""
    return {
        **asked_record(setup, answer.asked),
        "verdict": answer.verdict.label,
        "nodes": answer.nodes,
        "limit": answer.limit.label,
    }


def asked_record(setup: Setup, asked: int | Board) -> dict[str, Any]:
    """Return the keys that say what was asked: which deal, or board, under which rules."""
    rules = {"game": setup.game.name, "profile": setup.profile_name}
    if isinstance(asked, After):
        moves = list(map(setup.game.format_move, asked.followed.moves))
        before = Board(asked.asked, asked.begun) if asked.number is None else asked.number
        return {**asked_record(setup, before), "after": moves}
    if isinstance(asked, Board):
        board = setup.game.format_board(asked.state)
        record: dict[str, Any] = {**rules, "numbering": None, "name": asked.name, "board": board}
        if asked.deal is not None:
            record["deal"] = {
                "numbering": setup.numbering.name,
                "number": json_number(setup.numbering, asked.deal.number),
                "same_order": asked.deal.same_order,
            }
        return record
    number = json_number(setup.numbering, asked)
    return {**rules, "numbering": setup.numbering.name, "number": number}


def answer_line(setup: Setup, answer: Answer, label_width: int = 0) -> str:
    """Write an answer as an aligned line, with the limit that stopped it."""
    text = (
        f"{answer.label:>{label_width}} {answer.verdict.label:<{_VERDICT_WIDTH}} "
        f"{answer.nodes:>6} nodes"
    )
    if isinstance(answer.asked, Board) and answer.asked.deal is not None:
        deal = answer.asked.deal
        order = "" if deal.same_order else " with its columns in another order"
        text += f", deal {deal.number} ({setup.numbering.name}){order}"
    if answer.limit is Limit.NONE:
        return text
    return f"{text}, stopped by {describe_limit(answer.limit, setup.limits)}"


def describe_limit(limit: Limit, limits: Limits) -> str:
    """Write a limit as the option that sets it."""
    if limit is Limit.NODES:
        return f"--max-nodes {limits.max_nodes}"
    if limit is Limit.MEMORY:
        return f"--memory {limits.memory_mib}"
    if limit is Limit.SECONDS:
        return f"--max-seconds {limits.max_seconds:g}"
    return "the loss of its workers"


@dataclass(slots=True)
class Tally:
    """How many deals have which verdict, and since when they are counted."""

    winnable: int = 0
    unwinnable: int = 0
    undecided: int = 0
    _started: float = field(default_factory=time.monotonic)

    def add(self, verdict: Verdict) -> None:
        """Count one deal."""
        self.winnable += verdict is Verdict.WINNABLE
        self.unwinnable += verdict is Verdict.UNWINNABLE
        self.undecided += verdict is Verdict.UNDECIDED

    def add_many(self, verdicts: NDArray[np.int8]) -> None:
        """Count a chunk: int8[n] of Verdict numbers."""
        self.winnable += int((verdicts == Verdict.WINNABLE).sum())
        self.unwinnable += int((verdicts == Verdict.UNWINNABLE).sum())
        self.undecided += int((verdicts == Verdict.UNDECIDED).sum())

    @property
    def deals(self) -> int:
        """Return how many deals were counted."""
        return self.winnable + self.unwinnable + self.undecided

    @property
    def exit_code(self) -> int:
        """Return the exit code of a command that answers deals."""
        if self.unwinnable:
            return SOME_UNWINNABLE
        return SOME_UNDECIDED if self.undecided else ALL_WINNABLE

    def __str__(self) -> str:
        """Write the counts."""
        return (
            f"{self.winnable:,} winnable, {self.unwinnable:,} unwinnable, "
            f"{self.undecided:,} undecided"
        )

    def summary(self) -> str:
        """Write the counts, the time and, past a second, the rate: before, it tells nothing."""
        seconds = time.monotonic() - self._started
        rate = f", {self.deals / seconds:,.0f} deals/s" if seconds >= 1 else ""
        return f"{self}; {seconds:.1f} s{rate}"


class Progress:
    """A bar on stderr with deals/s, counts and the time left, where that is a terminal.

    total    deals in all; 0 when `show` will say
    quiet    show nothing
    streams  whether results go to stdout meanwhile; where that is a terminal too, they are
             the progress, and a bar would be written across them
    unit     what is counted
    """

    def __init__(self, total: int, *, quiet: bool, streams: bool, unit: str = "deals") -> None:
        self._bar: Any = None
        self._notes = not quiet and _is_terminal(sys.stderr)
        if self._notes and total != 1 and not (streams and _is_terminal(sys.stdout)):
            from tqdm import tqdm

            self._bar = tqdm(
                total=total, unit=f" {unit}", file=sys.stderr, dynamic_ncols=True, smoothing=0.1
            )

    def __enter__(self) -> Progress:
        """Return itself; the bar is there from the start."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close the bar."""
        self.close()

    def close(self) -> None:
        """Leave the bar as it is, on a line of its own; may be called again."""
        if self._bar is not None:
            self._bar.close()

    def advance(self, deals: int, tally: Tally) -> None:
        """Show that some more deals are done."""
        if self._bar is not None:
            self._bar.set_postfix_str(str(tally), refresh=False)
            self._bar.update(deals)

    def begin_at(self, done: int) -> None:
        """Show deals that were done before this run; the rate leaves them out."""
        if self._bar is not None:
            self._bar.initial = self._bar.n = done
            self._bar.refresh()

    def show(self, done: int, total: int) -> None:
        """Show that `done` of `total` deals are done, where the total was not known before."""
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def announce_compiling(self) -> None:
        """Say so, on a terminal, when kernels have to be compiled before the first answer."""
        if not self._notes:
            return
        from solvers.programs.load import announce

        announce(self._note_compiling)

    def _note_compiling(self) -> None:
        text = "winnable: compiling the solver; this happens once for each version"
        if self._bar is None:
            note(text)
        else:
            self._bar.write(text, file=sys.stderr)


def _is_terminal(stream: Any) -> bool:
    """Tell whether a standard stream, which may be closed, is a terminal."""
    return stream is not None and stream.isatty()


def print_summary(tally: Tally, *, quiet: bool) -> None:
    """Write the counts of several deals to stderr."""
    if not quiet and tally.deals > 1:
        note(tally.summary())


class RangeProgress:
    """Shows a batch's reports on a bar; `done` is how many deals the store has."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._begun = False
        self.done = 0
        self.tally = Tally()

    def show(self, report: BatchReport) -> None:
        """Take the next report of the batch."""
        self.tally = Tally(report.winnable, report.unwinnable, report.undecided)
        if self._begun:
            self._progress.advance(report.done - self.done, self.tally)
        else:
            self._progress.begin_at(report.done)
            self._begun = True
        self.done = report.done
