"""The command line: options, output and one module a command.

Owns what is asked and how it is answered, nothing of how a deal is decided. Modules here
import numpy, numba and whatever imports them inside functions only, so that `--help`,
`--version` and the commands that solve nothing start at once.
"""
