"""Rules, notation and solvers of FreeCell, Pyramid and The Plot.

`solvers.games.load(name)` gives a game; see `solvers.games.Game` for what it offers.
Nothing is imported here, so that asking for a name costs nothing.
"""
