"""Numba parts that the searches of several games share."""
