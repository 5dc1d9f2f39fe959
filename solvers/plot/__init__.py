"""The Plot: rules, notation, kernels, search, proofs of loss and grade.

The rooms that every game has: `rules`, `notation`, `layout`, `kernel`, `search`, `schedule` (which
searches run, and for how long), `lines` (from what a search found to a line of moves), `bulk` (the
first stages over many positions), `effort`, `solver` and `game`.

Beside them: `bound` and `phase_one` prove losses, the former at the deal and the latter by
exhausting the relaxed game of `phase_one_state`. `playout` is one random game, which `rollout`, the
first thing that is tried, shares with `effort`. `policy` holds the weights of moves, `search_state`
the search's memory, and `nodes` the states that it has met.

There is no `proof`: a search that runs dry is one. There is no `optimal`: fewest moves are not
offered.
"""
