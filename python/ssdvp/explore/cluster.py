# SPDX-License-Identifier: Apache-2.0
"""Runs points on the workers of a Dask cluster: on this machine, or the user's own."""
import os
import pathlib
import typing

from ssdvp.errors import Error
from ssdvp.explore.local import Ended
from ssdvp.explore.store import Store
from ssdvp.explore.task import Task
from ssdvp.explore.worker import FAILED, Outcome, run_away

_REACH_S = 20       # to reach a scheduler
_START_S = 120      # until workers of our own are there
_WORKER_DEATHS = 3  # of one point, before it counts as failed


class ClusterError(Error):
    """The scheduler cannot be reached, or has no worker."""


class Cluster:
    """`scheduler`: its address, tcp://HOST:PORT; without one, `jobs` workers are started here. A
    worker that dies costs what it was doing: another one does it again."""

    def __init__(self, scheduler: typing.Optional[str] = None,
                 jobs: typing.Optional[int] = None) -> None:
        import dask
        from dask import distributed
        dask.config.set({"distributed.comm.timeouts.connect": f"{_REACH_S}s",
                         "distributed.scheduler.allowed-failures": _WORKER_DEATHS})
        try:
            if scheduler:
                self._client = distributed.Client(scheduler, timeout=_REACH_S)
            else:
                count = jobs or len(os.sched_getaffinity(0))
                self._client = distributed.Client(_own_cluster(count))
                self._client.wait_for_workers(count, timeout=_START_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"no scheduler answers at {scheduler}: {error}; start one by `dask "
                               "scheduler`, or leave it out to use this machine") from error

    @property
    def jobs(self) -> int:
        return max(1, int(sum(self._client.nthreads().values())))

    def run(self, tasks: typing.Sequence[Task], store: Store,
            timeout: typing.Optional[float]) -> typing.Iterator[Ended]:
        from dask import distributed
        del store  # workers may be on machines that do not see it
        if not self._client.nthreads():
            raise ClusterError("the scheduler has no worker; start some by `dask worker`")
        futures = {}
        for number, task in enumerate(tasks):
            future = self._client.submit(run_away, task, timeout, pure=False, priority=-number)
            futures[future] = task
        for future in distributed.as_completed(list(futures)):
            yield futures[future], _outcome(futures[future], future)
            future.release()

    def close(self) -> None:
        cluster = self._client.cluster
        self._client.close()
        if cluster is not None:
            cluster.close()


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
    return Outcome(task.id, FAILED, f"its workers died: {future.exception()}")
