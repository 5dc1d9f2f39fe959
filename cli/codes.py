"""Exit codes that no command decides alone, and nothing else: the door imports this first."""

from __future__ import annotations

BAD_INPUT, INTERNAL_ERROR, INTERRUPTED = 2, 70, 130
#: An interrupted batch: the same command goes on from where it was.
RESUMABLE = 4


def interrupt_code(arguments: list[str]) -> int:
    """Return the exit code of a program with these arguments that Ctrl-C ends."""
    return RESUMABLE if arguments[:1] == ["batch"] else INTERRUPTED
