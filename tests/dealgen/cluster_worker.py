"""Preloaded by workers of the cluster tests: slow chunks, and numbers that end a worker.

Settings come in TEST_WORKER, JSON: `seconds` a chunk, `deadly` numbers, `state` another state of
the sources. Workers may load this more than once.
"""

import json
import os
import signal
import time

from dealgen import batch, cluster

SETTINGS = json.loads(os.environ["TEST_WORKER"])


def slow_and_mortal(task, numbers, **options):
    time.sleep(SETTINGS.get("seconds", 0))
    if set(SETTINGS.get("deadly", ())) & set(numbers.tolist()):
        os.kill(os.getpid(), signal.SIGKILL)
    return batch.solve_numbers(task, numbers, **options)


cluster.solve_numbers = slow_and_mortal
if "state" in SETTINGS:
    cluster.source_hash = lambda: SETTINGS["state"]
