# SPDX-License-Identifier: Apache-2.0
"""Runs points on the workers of a Dask cluster: on this machine, or the user's own."""
import json
import logging
import os
import pathlib
import threading
import time
import typing

from ssdvp.errors import Error
from ssdvp.explore.local import Ended
from ssdvp.explore.store import Store
from ssdvp.explore.task import Task
from ssdvp.explore.worker import FAILED, Outcome, run_away

_REACH_S = 20       # to reach a scheduler; until it has a worker
_START_S = 120      # until workers of our own are there
_WORKER_DEATHS = 3  # of one point, before it counts as failed
_ALONE_S = 60       # without any worker, or without the scheduler, before we give up
_POLL_S = 0.05      # between two looks for what has ended
_GOES_ON = "what is done is kept, and the same command goes on"


class ClusterError(Error):
    """The scheduler cannot be reached, or has no worker."""


class Cluster:
    """`scheduler`: its address, tcp://HOST:PORT, or the file that names it; without one, `jobs`
    workers are started here. A worker that dies costs what it was doing: another one does it
    again."""

    def __init__(self, scheduler: typing.Optional[str] = None,
                 jobs: typing.Optional[int] = None) -> None:
        import dask
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we tell it ourselves
        dask.config.set({"distributed.comm.timeouts.connect": f"{_REACH_S}s",
                         "distributed.scheduler.allowed-failures": _WORKER_DEATHS})
        self._client = _reached(scheduler) if scheduler else _started(
            jobs or len(os.sched_getaffinity(0)))

    @property
    def jobs(self) -> int:
        return max(1, int(sum(self._client.nthreads().values())))

    def run(self, tasks: typing.Sequence[Task], store: Store,
            timeout: typing.Optional[float]) -> typing.Iterator[Ended]:
        from dask import distributed
        del store  # workers may be on machines that do not see it
        try:
            self._client.wait_for_workers(1, timeout=_REACH_S)
        except TimeoutError:
            raise ClusterError("the scheduler has no worker; start some by `dask worker`") from None
        futures = {}
        for number, task in enumerate(tasks):
            future = self._client.submit(run_away, task, timeout, pure=False, priority=-number)
            futures[future] = task
        coming = distributed.as_completed(list(futures))
        there = time.monotonic()
        while not coming.is_empty():
            if coming.has_ready():
                future = next(coming)
                yield futures[future], _outcome(futures[future], future)
                future.release()
                continue
            time.sleep(_POLL_S)
            if self._client.status == "running" and self._client.scheduler_info()["workers"]:
                there = time.monotonic()
            elif time.monotonic() - there > _ALONE_S:
                raise ClusterError(f"for {_ALONE_S:g} s there has been no scheduler, or no "
                                   f"worker; {_GOES_ON}")

    def close(self) -> None:
        cluster = self._client.cluster
        self._client.close()
        if cluster is not None:
            cluster.close()


def _address_in(file: pathlib.Path) -> str:
    """Of the scheduler that writes the file once it is ready."""
    until = time.monotonic() + _REACH_S
    while True:
        try:
            return str(json.loads(file.read_text(encoding="utf-8"))["address"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            if time.monotonic() >= until:
                raise ClusterError(f"no scheduler is named in {file}: {error}; `dask scheduler "
                                   "--scheduler-file` writes it") from error
        time.sleep(_POLL_S)


def _reached(scheduler: str) -> typing.Any:
    """A client. What answers may be another program, for which distributed would wait for ever."""
    from dask import distributed
    address = scheduler if "://" in scheduler else _address_in(pathlib.Path(scheduler))
    found: typing.List[typing.Any] = []

    def reach() -> None:
        try:
            found.append(distributed.Client(address, timeout=_REACH_S))
        except Exception as error:  # of sockets, of distributed, of what it tries to read
            found.append(error)
    thread = threading.Thread(target=reach, daemon=True)
    thread.start()
    thread.join(2 * _REACH_S)
    if found and isinstance(found[0], distributed.Client):
        return found[0]
    reason = found[0] if found else "what answers there is none"
    raise ClusterError(f"no scheduler answers at {address}: {reason}; start one by `dask "
                       "scheduler`, or leave it out to use this machine")


def _started(workers: int) -> typing.Any:
    from dask import distributed
    try:
        client = distributed.Client(_own_cluster(workers))
        client.wait_for_workers(workers, timeout=_START_S)
        return client
    except (OSError, TimeoutError) as error:
        raise ClusterError(f"no workers could be started here: {error}") from error


def _own_cluster(workers: int) -> typing.Any:
    """Workers that are programs of their own: those that are copies of this process would run the
    user's script again."""
    from distributed import deploy
    here = str(pathlib.Path(__file__).resolve().parents[2])
    found = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    untyped: typing.Any = deploy  # its types know no dashboard_address=None
    return untyped.SubprocessCluster(n_workers=workers, threads_per_worker=1,
                                     dashboard_address=None,
                                     worker_kwargs={"env": {"PYTHONPATH": found}})


def _outcome(task: Task, future: typing.Any) -> Outcome:
    if future.status == "finished":
        return typing.cast(Outcome, future.result())
    if future.status in ("cancelled", "lost"):  # that says nothing about the point
        raise ClusterError(f"the scheduler has ended, or has forgotten what it was to do; "
                           f"{_GOES_ON}")
    return Outcome(task.id, FAILED, f"its workers died: {future.exception()}")
