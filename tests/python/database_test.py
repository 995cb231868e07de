#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies in a database that others see too: on a PostgreSQL server, started here.
Usage: database_test.py ROOT SSDVP PG_CTL, the latter of Debian's package postgresql"""
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from explore_case import Case, driver_of, optimise, ssdvp

BIN = pathlib.Path(sys.argv.pop(1)).parent
TRIALS = 10  # two batches


class Server:
    """In a folder of its own, heard at a socket there. It refuses to run as root."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ssdvp-pg"))  # a socket's path is short
        self._as = []
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}",
                        "--clear-groups"]
        self._run("initdb", "--no-sync", "--auth=trust", "--username=me")
        self.start()

    def start(self):
        self._run("pg_ctl", "start", "--wait", "-o",
                  f"-F -c listen_addresses= -c unix_socket_directories={self.folder}",
                  "-l", self.folder / "log")

    def database(self, name):
        """Its URL; made anew."""
        self._run("createdb", "--username=me", f"--host={self.folder}", name, data=False)
        return f"postgresql://me:secret@/{name}?host={self.folder}"

    def stop(self):
        self._run("pg_ctl", "stop", "--mode=immediate")

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)

    def _run(self, name, *words, data=True):
        where = ["-D", self.folder / "data"] if data else []
        subprocess.run([*self._as, BIN / name, *words, *where], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL)


class PostgreSql(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.remove)

    def test_killed(self):
        """The trials of SQLite, on two workers, after kill -9 of who drives it."""
        here = optimise(self.d / "here", TRIALS).trials
        url, folder = self.server.database("killed"), self.d / "there"
        self.killed(driver_of(folder, TRIALS, storage=url, jobs=2),
                    lambda: len(self.outcomes(folder)) >= 10)
        before = self.outcomes(folder)
        there = optimise(folder, TRIALS, storage=url, jobs=2)
        self.assertTrue(here.equals(there.trials), f"{here}\n{there.trials}")
        self.assertLessEqual(set(before.items()), set(self.outcomes(folder).items()))
        self.assertFalse((folder / "study.db").exists())
        with self.assertRaisesRegex(ssdvp.ResultError, "holds another study") as e:
            optimise(self.d / "other", TRIALS, storage=url, seed=2)
        self.assertNotIn("secret", str(e.exception))

    def test_one_at_a_time(self):
        url = self.server.database("busy")
        from ssdvp.explore.database import Database
        first = Database(url)
        with self.assertRaisesRegex(ssdvp.ResultError, "another optimisation uses the database"):
            optimise(self.d / "o", 1, storage=url)
        first.close()
        Database(url).close()

    def test_no_server(self):
        with self.assertRaisesRegex(ssdvp.ResultError, "cannot be used: .*/no/such") as e:
            optimise(self.d / "o", 1, storage="postgresql://me:secret@/x?host=/no/such/folder")
        self.assertNotIn("secret", str(e.exception))
        with self.assertRaisesRegex(ssdvp.ResultError, "write sqlite:///FILE or postgresql:"):
            optimise(self.d / "o", 1, storage="studies")

    def test_server_ends(self):
        """It goes on once there is a server again."""
        url, folder = self.server.database("ends"), self.d / "o"

        def stop():
            self.soon(lambda: len(self.outcomes(folder)) >= 2)
            self.server.stop()
        stopper = threading.Thread(target=stop)
        stopper.start()
        with self.assertRaisesRegex(ssdvp.ResultError, "failed: .*the same command goes on"):
            optimise(folder, TRIALS, storage=url)
        stopper.join()
        self.server.start()
        self.assertEqual(len(optimise(folder, TRIALS, storage=url).trials), TRIALS)


if __name__ == "__main__":
    unittest.main()
