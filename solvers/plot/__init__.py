"""The Plot: rules, notation, kernels, search, proofs of loss and grade.

The rooms that every game has: `rules`, `notation`, `layout`, `kernel`, `search`, `schedule` (which
searches run, and for how long), `lines` (from what a search found to a line of moves), `block`
(what a session's memory holds), `case` (one position on its way to a verdict), `bulk` (the first
stage over many positions), `effort`, `session` (the program's entries), `solver` and `game`.

Beside them: `bound` proves losses at the deal; `phase_one` proves them by exhausting a relaxed
game, whose states are `phase_one_state`'s and whose tables are `phase_one_known`'s. `playout` is
one random game, which `rollout`, the first thing that is tried, shares with `effort`. `policy`
holds the weights of moves, and `moves` weighs and makes them. `search_state` is the search's memory
of a deal, `nodes` that of the states it has met.

There is no `proof`: a search that runs dry is one. There is no `optimal`: fewest moves are not
offered.
"""
