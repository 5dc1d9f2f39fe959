"""Settings of all tests: hypothesis draws the same examples everywhere, without a clock."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("winnable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("winnable")

# A shell has its background jobs ignore interrupts, and what they start inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
