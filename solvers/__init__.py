"""Rules, notation and solvers of FreeCell, Pyramid and The Plot.

`solvers.games.load(name)` gives a game; `solvers.games.Game` says what it offers, and
`docs/python.md` shows it. Nothing is imported here, so that asking for a name costs nothing.
"""
