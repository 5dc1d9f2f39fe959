"""What the searches of several games share: njit parts, and the bookkeeping of one deal."""
