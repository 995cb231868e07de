# SPDX-License-Identifier: Apache-2.0
"""Runs points on this machine: one process of the program per core."""
import concurrent.futures
import os
import threading
import typing

from ssdvp.explore.store import Store
from ssdvp.explore.task import Task
from ssdvp.explore.worker import Outcome, run_in

Ended = typing.Tuple[Task, Outcome]


class Local:
    """`jobs`: runs side by side; default: as many as this process may use cores."""

    def __init__(self, jobs: typing.Optional[int] = None) -> None:
        self.jobs = jobs or len(os.sched_getaffinity(0))

    def run(self, tasks: typing.Sequence[Task], store: Store,
            timeout: typing.Optional[float]) -> typing.Iterator[Ended]:
        """Each with its outcome, as they end. What is left is not begun once the caller stops."""
        stop = threading.Event()
        pool = concurrent.futures.ThreadPoolExecutor(self.jobs)
        try:
            futures = {pool.submit(run_in, store.part(t), t, timeout, stop): t for t in tasks}
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
