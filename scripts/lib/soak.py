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

KIB = 1024
GROWTH = 1.2  # of the server's memory, from a sixth of the time to the end
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
            s.settimeout(10)
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


def main(argv):
    if shutil.which("fio") is None:
        print("fio is not installed (scripts/lib/packages.txt, group test)")
        return SKIPPED
    program = argv[1]
    seconds = int(argv[2]) if len(argv) > 2 else 3600
    config = argv[3:] or ["device/small"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "nbd.sock"
        log_file = pathlib.Path(folder) / "log"
        with open(log_file, "w", encoding="utf-8") as log:
            server = subprocess.Popen(
                [program, "serve", *config, "--nbd-unix", str(path), "--quiet", "--out",
                 folder + "/out", "--image", folder + "/image"], stdout=log, stderr=log)
        while "serving " not in log_file.read_text():
            if server.poll() is not None:
                print(log_file.read_text())
                return 1
            time.sleep(0.1)
        line = next(x for x in log_file.read_text().splitlines() if "serving " in x)
        bytes_ = int(line.split("serving ")[1].split()[0])
        size = int(bytes_ * FIO_SHARE) // 131072 * 131072
        end = time.time() + seconds
        threads = [threading.Thread(target=vanish, args=(path, i, end, size, bytes_ - size))
                   for i in range(4)]
        for t in threads:
            t.start()
        sizes = []

        def watch():
            while time.time() < end and server.poll() is None:
                sizes.append(resident(server.pid))
                time.sleep(max(seconds / 60, 0.5))

        watcher = threading.Thread(target=watch)
        watcher.start()
        bad = 0
        turn = 0
        requests = 0
        while time.time() < end - 1 and not bad and server.poll() is None:
            turn += 1
            result = fio(f"nbd+unix:///?socket={path}", size,
                         max(1, min(60, int(end - time.time()))), turn)
            bad = result.returncode
            if bad:
                print(result.stdout[-2000:], result.stderr)
                break
            report = result.stdout[result.stdout.index("{"):]  # warnings come first
            job = json.loads(report)["jobs"][0]
            requests += job["read"]["total_ios"] + job["write"]["total_ios"]
        for t in [*threads, watcher]:
            t.join()
        server.send_signal(signal.SIGTERM)
        code = server.wait()
        tail = log_file.read_text().splitlines()[-3:]
        early = max(sizes[: max(1, len(sizes) // 6)])
        grown = sizes[-1] / early
        print(f"{seconds} s, {turn} turns of fio, {requests} requests verified, "
              f"server exit {code}, memory {early // KIB} KiB -> {sizes[-1] // KIB} KiB")
        print("\n".join(tail))
        return 1 if bad or code or not requests or (grown > GROWTH and seconds >= 300) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
