"""Pyramid: remove 28 cards in pairs of 13, kings alone, with a stock drawn card by card.

Rooms as in every game: `rules` and `notation` in plain Python; `layout`, and `kernel`, the fast
twin of the rules; `proof`, exact winnability by pair needs, which decides all that unlimited
redeals leave to decide; `bulk`, which runs it over many positions, and `lines`, which writes what
was found as moves; `search`, for any win where pair needs alone do not decide, and `optimal`, for
proved fewest moves; `effort`, `solver`, `game`. There is no `schedule`: a position has one test,
and at most one search, which runs until the limits.

What these are made of: `counts` packs small numbers by rank or class; `ranks` sorts a position's
cards; `ideals` tabulates the 1,430 shapes that a pyramid can have; `graph` and `passes` prepare a
search, `bounds` estimates the moves that are left, `children` makes a position's successors,
`frontier` keeps what is known and what waits, and `loop` puts them together. `memory` is the arena
that all of them work in.
"""
