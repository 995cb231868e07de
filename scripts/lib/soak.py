# SPDX-License-Identifier: Apache-2.0
"""What scripts/soak does: soak.py SSDVP [SECONDS [CONFIG...]]."""

import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
GROWTH = 32 * MIB  # of the server's memory, from the first sixth of the time to the last
WATCHED = 60  # seconds at least: before, buffers are used for the first time
SAMPLES = 600
SKIPPED = 77
FIO_SHARE = 0.5  # of the drive; the rest belongs to those that vanish


def resident(pid):
    """Bytes."""
    pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def vanish(path, seed, end, first, bytes_):
    """Connects, asks for this and that, and hangs up without a word, until `end`."""
    choose = random.Random(seed)
    while time.time() < end:
        try:
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(1)  # of a reply that never comes, after half a request
            s.connect(str(path))
            s.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
            for _ in range(choose.randrange(200)):
                kind = choose.choice((0, 0, 1, 1, 3, 4, 6))
                length = 0 if kind == 3 else 512 * choose.randrange(1, 256)
                at = 0 if kind == 3 else first + 512 * choose.randrange((bytes_ - length) // 512)
                flags = choose.randrange(2) if kind in (1, 4, 6) else 0
                data = choose.randbytes(length) if kind == 1 else b""
                request = struct.pack(">IHHQQI", 0x25609513, flags, kind, 1, at, length) + data
                s.sendall(request if choose.random() > 0.01 else request[: len(request) // 2])
                if choose.random() < 0.5:
                    s.recv(choose.randrange(1, 65536))
            if choose.random() < 0.1:
                s.sendall(choose.randbytes(choose.randrange(1, 4096)))
            s.close()
        except (OSError, socket.timeout):
            pass
        time.sleep(choose.random() * 0.2)


def fio(uri, size, seconds, seed):
    command = [
        "fio", "--name=soak", "--ioengine=nbd", f"--uri={uri}", "--thread", "--iodepth=32",
        "--rw=randrw", "--bsrange=512-128k", "--bs_unaligned=0", "--verify=crc32c",
        "--verify_backlog=256", "--fsync=256", f"--size={size}", f"--runtime={seconds}",
        "--time_based", "--output-format=json", f"--randseed={seed}", "--verify_fatal=1",
        "--verify_state_save=0",  # it would go to the folder that we were started in
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def fill(uri, size):
    """Twice, so that every block of the flash has been programmed: its cells have memory then."""
    command = ["fio", "--name=fill", "--ioengine=nbd", f"--uri={uri}", "--thread", "--iodepth=32",
               "--rw=write", "--bs=128k", f"--size={size}", "--loops=2"]
    subprocess.run(command, capture_output=True, check=True)


class Server:
    """`ssdvp serve` with an image, in `folder`."""

    def __init__(self, program, config, folder):
        self.path = pathlib.Path(folder) / "nbd.sock"
        self.uri = f"nbd+unix:///?socket={self.path}"
        self.log_file = pathlib.Path(folder) / "log"
        with open(self.log_file, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [program, "serve", *config, "--nbd-unix", str(self.path), "--quiet", "--out",
                 folder + "/out", "--image", folder + "/image"], stdout=log, stderr=log)
        while "serving " not in self.log_file.read_text():
            if self.process.poll() is not None:
                sys.exit(self.log_file.read_text())
            time.sleep(0.1)
        line = next(x for x in self.log_file.read_text().splitlines() if "serving " in x)
        self.bytes = int(line.split("serving ")[1].split()[0])

    def runs(self):
        return self.process.poll() is None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


class Memory(threading.Thread):
    """Resident bytes of a server, sampled until `end`."""

    def __init__(self, server, end):
        super().__init__()
        self.server, self.begin, self.end = server, time.time(), end
        self.samples = []

    def run(self):
        while time.time() < self.end and self.server.runs():
            self.samples.append(resident(self.server.process.pid))
            time.sleep(max((self.end - self.begin) / SAMPLES, 0.1))

    def most(self, first, last):
        """Of a part of the time, given as shares of all samples."""
        n = len(self.samples)
        return max(self.samples[int(n * first):int(n * last)] or self.samples[-1:])

    def table(self):
        """The highest of each twelfth of the time."""
        step = (self.end - self.begin) / 12
        return "\n".join(f"  from {i * step:6.0f} s {self.most(i / 12, (i + 1) / 12) // MIB:6} MiB"
                         for i in range(12))


def verify(server, size, end):
    """(exit code of fio, turns, requests)."""
    turns = requests = 0
    while time.time() < end - 1 and server.runs():
        turns += 1
        result = fio(server.uri, size, max(1, min(60, int(end - time.time()))), turns)
        if result.returncode:
            print(result.stdout[-2000:], result.stderr)
            return result.returncode, turns, requests
        report = result.stdout[result.stdout.index("{"):]  # warnings come first
        job = json.loads(report)["jobs"][0]
        requests += job["read"]["total_ios"] + job["write"]["total_ios"]
    return 0, turns, requests


def main(argv):
    if shutil.which("fio") is None:
        print("fio is not installed (scripts/lib/packages.txt, group test)")
        return SKIPPED
    seconds = int(argv[2]) if len(argv) > 2 else 3600
    with tempfile.TemporaryDirectory() as folder:
        server = Server(argv[1], argv[3:] or ["device/small"], folder)
        fill(server.uri, server.bytes)
        filled = resident(server.process.pid)
        size = int(server.bytes * FIO_SHARE) // 131072 * 131072
        end = time.time() + seconds
        threads = [threading.Thread(target=vanish, args=(server.path, i, end, size,
                                                         server.bytes - size)) for i in range(4)]
        memory = Memory(server, end)
        for t in [*threads, memory]:
            t.start()
        bad, turns, requests = verify(server, size, end)
        for t in [*threads, memory]:
            t.join()
        code = server.stop()
        early, late = memory.most(0, 1 / 6), memory.most(5 / 6, 1)
        print(f"{seconds} s, {turns} turns of fio, {requests} requests verified, server exit "
              f"{code}\nmemory of the server, {filled // MIB} MiB when the drive was full:\n"
              f"{memory.table()}")
        print("\n".join(server.log_file.read_text().splitlines()[-3:]))
        flat = late - early <= GROWTH or seconds < WATCHED
        if not flat:
            print(f"it has grown by {(late - early) // MIB} MiB from the first sixth of the time "
                  f"to the last: {GROWTH // MIB} MiB at most")
        return 0 if flat and not bad and code == 0 and requests else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
