"""Settings of all tests: hypothesis draws the same examples everywhere, without a clock."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("winnable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("winnable")
