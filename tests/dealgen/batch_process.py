"""A batch of the fake game as a process of its own, to be killed.

Arguments: store, last number, seconds a deal. Prints what the store had at the start, then
how many numbers are done after each chunk.
"""

import sys

from fake_game import FakeGame, task_of

from dealgen.batch import run_batch
from dealgen.store import Store


def main() -> None:
    """Run the batch."""
    path, last, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    with Store.open(path, create=True) as store:
        run_batch(
            task_of(FakeGame(seconds_a_deal=seconds), jobs=2),
            store,
            [(1, last)],
            chunk_size=20,
            on_chunk=lambda report: print(report.done, flush=True),
        )


if __name__ == "__main__":
    main()
