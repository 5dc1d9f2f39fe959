"""`python -m winnable` is the program `winnable`."""

from cli.main import run

run()
