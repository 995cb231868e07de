#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ssdvp serve` as clients nobody here wrote see it: fio, nbdinfo, nbdcopy, qemu-img.

Usage: serve_test.py SSDVP CASE
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

SSDVP = sys.argv[1]
DRIVE = ["device/small"]
TINY = ["device/small", "--set", "nand.blocks_per_plane=32"]
SATA = ["device/small", "--set", "host.interface=sata"]
MIB = 1 << 20
SKIPPED = 77


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            print(f"{program} is not installed (scripts/lib/packages.txt, group test)")
            sys.exit(SKIPPED)


class Server:
    """A server that has told its address, until the end of the block."""

    def __init__(self, d, *args, drive=None, image=None, limit=0):
        self.socket = d / "nbd.sock"
        self.out = d / "out"
        self.log_file = d / "log"
        at = [] if "--nbd-tcp" in args else ["--nbd-unix", self.socket]
        kept = [] if image is None else ["--image", image]
        command = [SSDVP, "serve", *(drive or DRIVE), *at, *kept, "--quiet", "--out", self.out,
                   *args]

        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        with open(self.log_file, "w") as log:
            self.process = subprocess.Popen(
                [str(c) for c in command], stdout=log, stderr=log, cwd=d,
                restore_signals=False, preexec_fn=limit_files if limit else None)
        end = time.time() + 60
        while "serving " not in self.log():
            expect(self.process.poll() is None, f"it did not start: {self.log()}")
            expect(time.time() < end, f"it is not up after 60 s: {self.log()}")
            time.sleep(0.02)
        line = next(line for line in self.log().splitlines() if "serving " in line)
        self.uri = line.split(" at ")[1]
        self.bytes = int(line.split("serving ")[1].split()[0])

    def log(self):
        return self.log_file.read_text()

    def stop(self, how=signal.SIGTERM, code=0):
        self.process.send_signal(how)
        got = self.process.wait(timeout=60)
        expect(got == code, f"exit {got}, not {code}: {self.log()}")

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run(*command, code=0):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=100)
    expect(result.returncode == code,
           f"{command[0]}: exit {result.returncode}: {result.stdout}{result.stderr}")
    return result.stdout


def fio(server, *args):
    return run("fio", "--name=t", "--ioengine=nbd", f"--uri={server.uri}", "--thread",
               "--group_reporting", "--output-format=json", "--randrepeat=1",
               "--verify_state_save=0", *args)


def refused(d, *args, words=()):
    result = subprocess.run(
        [SSDVP, "serve", *map(str, args), "--quiet", "--out", str(d / "refused")],
        capture_output=True, text=True, timeout=60, cwd=d)
    expect(result.returncode == 2, f"exit {result.returncode}, not 2: {result.stderr}")
    for word in words:
        expect(word in result.stderr, f"'{word}' is missing in: {result.stderr}")
    expect(not (d / "refused").exists(), "a refused server left files")


def pattern(seed, length):
    return random.Random(seed).randbytes(length)


class Client:
    """A few lines of NBD, for what no client says."""

    def __init__(self, server, structured=False):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(20)
        self.s.connect(str(server.socket))
        self.take(18)
        self.s.sendall(struct.pack(">I", 3))
        if structured:
            self.option(8)
            self.take(20)
        self.option(1)
        self.size, self.flags = struct.unpack(">QH", self.take(10))

    def option(self, number, data=b""):
        self.s.sendall(b"IHAVEOPT" + struct.pack(">II", number, len(data)) + data)

    def take(self, n):
        got = b""
        while len(got) < n:
            more = self.s.recv(n - len(got))
            expect(more, "the server hung up")
            got += more
        return got

    def send(self, kind, offset=0, length=0, flags=0, data=b""):
        self.s.sendall(struct.pack(">IHHQQI", 0x25609513, flags, kind, 7, offset, length) + data)

    def ask(self, *args, **more):
        """The error of a request with a simple reply."""
        self.send(*args, **more)
        magic, error, cookie = struct.unpack(">IIQ", self.take(16))
        expect(magic == 0x67446698 and cookie == 7, "no simple reply")
        return error

    def read(self, offset, length):
        error = self.ask(0, offset, length)
        expect(error == 0, f"error {error} of a read")
        return self.take(length)

    def write(self, offset, data, flags=0):
        error = self.ask(1, offset, len(data), flags, data)
        expect(error == 0, f"error {error} of a write")

    def flush(self):
        return self.ask(3)

    def gone(self):
        try:
            return self.s.recv(1) == b""
        except ConnectionError:
            return True


def case_info(d):
    need("nbdinfo")
    with Server(d, "--nbd-tcp", "127.0.0.1:0") as server:
        info = json.loads(run("nbdinfo", "--json", server.uri))
        export = info["exports"][0]
        expect(info["protocol"] == "newstyle-fixed", "not the fixed newstyle")
        expect(info["structured"], "no structured replies")
        expect(export["export-size"] == server.bytes, "another size")
        for what in ("can_flush", "can_fua", "can_trim", "can_zero", "can_df", "can_multi_conn"):
            expect(export[what], f"not {what}")
        sizes = (export["block_size_minimum"], export["block_size_maximum"])
        expect(sizes == (512, 32 * MIB), "block sizes")
        listed = json.loads(run("nbdinfo", "--json", "--list", server.uri))
        expect(len(listed["exports"]) == 1, "not one export")
        run("nbdinfo", server.uri + "/nonsense", code=1)
        server.stop()
    refused(d, *DRIVE, "--nbd-tcp", "0.0.0.0:0", words=["--nbd-allow-remote"])
    refused(d, *DRIVE, "--nbd-tcp", "nonsense", words=["127.0.0.1:10809"])
    refused(d, *DRIVE, "--nbd-unix", d / ("x" * 200), words=["--nbd-unix", "shorter"])
    refused(d, *DRIVE, words=["--nbd-unix"])
    (d / "file").write_text("")
    refused(d, *DRIVE, "--nbd-unix", d / "file", words=["no socket"])
    with Server(d, "--nbd-tcp", "0.0.0.0:0", "--nbd-allow-remote") as server:
        expect("warning" in server.log(), "no warning")
        refused(d, *DRIVE, "--nbd-tcp", server.uri.replace("nbd://", "127.0.0.1:0").split(":")[0]
                + ":" + server.uri.split(":")[-1], words=["cannot listen"])
        server.stop(signal.SIGINT, 130)
        expect(not server.summary()["complete"], "interrupted, and complete")


def verify(d, drive):
    need("fio")
    with Server(d, drive=drive) as server:
        fio(server, "--rw=randrw", "--bs=512-64k", "--size=24M", "--io_size=12M", "--iodepth=32",
            "--verify=crc32c", "--fsync=64", "--numjobs=1")
        fio(server, "--rw=randtrimwrite", "--bs=4k", "--offset=32M", "--size=2M", "--iodepth=16",
            "--verify=crc32c", "--verify_fatal=1")
        server.stop()
        host = server.summary()["host"]
        for kind in ("read", "write", "trim", "flush"):
            expect(host[kind]["requests"] > 0 and host[kind]["errors"] == 0, f"{kind}: {host}")
        expect(server.summary()["complete"], "not complete")
        checked = server.summary()["integrity"]
        expect(checked["sectors_checked"] > 0 and checked["mismatches"] == 0, f"{checked}")


def case_fio_nvme(d):
    verify(d, DRIVE)


def case_fio_sata(d):
    verify(d, SATA)


def case_copy(d):
    need("nbdcopy", "qemu-img")
    data = pattern(1, 9 * MIB) + bytes(3 * MIB) + pattern(2, 4 * MIB)
    with Server(d, drive=TINY) as server:
        (d / "in").write_bytes(data)
        run("nbdcopy", "--connections=4", "--flush", d / "in", server.uri)
        nbd = f"nbd:unix:{server.socket}"
        with open(d / "in", "ab") as whole:
            whole.truncate(server.bytes)
        run("qemu-img", "compare", "-f", "raw", "-F", "raw", d / "in", nbd)
        run("nbdcopy", server.uri, d / "back")
        with open(d / "back", "rb") as back:
            expect(back.read(len(data)) == data, "nbdcopy brought other bytes back")
        client = Client(server)
        client.write(4096, b"x" * 512)
        run("qemu-img", "compare", "-f", "raw", "-F", "raw", d / "in", nbd, code=1)
        # WRITE_ZEROES must zero, sectors beside it stay
        expect(client.ask(6, 4096, 512) == 0, "WRITE_ZEROES")
        expect(client.read(3584, 1536) == data[3584:4096] + bytes(512) + data[4608:5120], "zeroes")
        big = client.read(0, 16 * MIB)
        expect(big[8192:] == data[8192:], "a read of 16 MiB")
        client.write(16 * MIB, pattern(3, 32 * MIB), flags=1)
        expect(client.read(16 * MIB, 32 * MIB) == pattern(3, 32 * MIB), "32 MiB")
        server.stop()


def case_map(d):
    """Holes: what nobody wrote, and what was trimmed; as nbdinfo and qemu-img see them."""
    need("nbdinfo", "qemu-img")
    with Server(d, drive=[*TINY, "--set", "precondition.fill=0"]) as server:
        client = Client(server)
        end = server.bytes
        client.write(MIB, pattern(1, 4 * MIB))
        client.write(8 * MIB, bytes(MIB))  # zeros that somebody wrote
        expect(client.ask(4, 2 * MIB, MIB) == 0, "TRIM")
        expect(client.read(2 * MIB, MIB) == bytes(MIB), "trimmed sectors are not zeros here")
        wanted = [(0, MIB, 3), (MIB, MIB, 0), (2 * MIB, MIB, 3), (3 * MIB, 2 * MIB, 0),
                  (5 * MIB, 3 * MIB, 3), (8 * MIB, MIB, 0), (9 * MIB, end - 9 * MIB, 3)]
        told = json.loads(run("nbdinfo", "--json", "--map", server.uri))
        expect([(e["offset"], e["length"], e["type"]) for e in told] == wanted, f"{told}")
        told = json.loads(run("qemu-img", "map", "-f", "raw", "--output=json",
                              f"nbd:unix:{server.socket}"))
        expect([(e["start"], e["length"], 3 * e["zero"]) for e in told] == wanted, f"{told}")
        info = json.loads(run("nbdinfo", "--json", server.uri))
        expect(info["exports"][0]["contexts"] == ["base:allocation"], f"{info}")
        run("qemu-img", "convert", "-f", "raw", "-O", "raw", f"nbd:unix:{server.socket}", d / "c")
        with open(d / "c", "rb") as copy:
            expect(copy.read(5 * MIB) == bytes(MIB) + pattern(1, MIB * 4)[:MIB] + bytes(MIB) +
                   pattern(1, MIB * 4)[2 * MIB:], "qemu-img convert")
        expect((d / "c").stat().st_blocks * 512 < 6 * MIB, "the copy is not sparse")
        expect(client.ask(7, 0, 4096) == 22, "BLOCK_STATUS without a context")
        server.stop()


def silent_client(server):
    s = socket.socket(socket.AF_UNIX)
    s.connect(str(server.socket))
    return s


def case_garbage(d):
    with Server(d) as server:
        silent = [silent_client(server) for _ in range(20)]  # make room, and that is all
        good = Client(server)
        good.write(0, b"a" * 4096)
        for bad in (b"\0\0\0\3" + b"GET / HTTP/1.1\r\nHost: drive\r\n\r\n", b"\xff" * 64,
                    b"\0\0\0\3IHAVEOPT\0\0\0\3\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\3IH"):
            s = socket.socket(socket.AF_UNIX)
            s.connect(str(server.socket))
            s.settimeout(20)
            s.sendall(bad)
            s.shutdown(socket.SHUT_WR)
            while s.recv(4096):
                pass
            s.close()
        bad = Client(server)
        bad.s.sendall(b"\x11" * 28)
        expect(bad.gone(), "a request of another magic did not close the connection")
        bad = Client(server)
        bad.send(1, 0, 33 * MIB)
        expect(bad.gone(), "a write of 33 MiB did not close the connection")
        client = Client(server)
        end = server.bytes
        for error, args in {22: (0, 1, 512), 28: (4, end, 512), 5 * 0 + 22: (9, 0, 512)}.items():
            expect(client.ask(*args) == error, f"{args} is not error {error}")
        expect(client.ask(0, 0, 33 * MIB) == 22, "a read of 33 MiB")
        expect(client.ask(0, end - 512, 1024) == 22, "a read over the end")
        expect(client.ask(1, 100, 512, 0, b"b" * 512) == 22, "a write between blocks")
        expect(client.ask(0, 0, 512, 4) == 22, "DF without structured replies")
        expect(client.ask(3, 0, 512) == 22, "a flush of something")
        half = Client(server)
        half.send(1, 0, 4096, data=b"b" * 100)
        half.s.close()
        expect(good.read(0, 4096) == b"a" * 4096, "garbage changed the drive")
        many = [Client(server) for _ in range(14)]
        expect(len(silent) == 20, "they are open until here")
        over = socket.socket(socket.AF_UNIX)
        over.settimeout(20)
        over.connect(str(server.socket))
        expect(over.recv(18) == b"", "a 17th connection")
        expect(many[-1].read(0, 512) == b"a" * 512, "one of 16 connections")
        server.stop()
        for words in ("not 0x25609513", "33 MiB" * 0 + "a write of", "unknown handshake flags",
                      "is refused"):
            expect(words in server.log(), f"'{words}' is not in the log: {server.log()}")


def case_image(d):
    """What is flushed comes back: after an orderly end, and after kill -9."""
    image = d / "drive.img"
    expected = bytearray(4 * MIB)
    for turn in range(4):
        with Server(d, image=image) as server:
            client = Client(server)
            expect(client.read(0, 4 * MIB) == expected, f"turn {turn}: other bytes than flushed")
            for i in range(40):
                at = random.Random(100 * turn + i).randrange(0, 1000) * 4096
                data = pattern(1000 * turn + i, 4096)
                client.write(at, data, flags=1 if i % 10 == 9 else 0)
                expected[at:at + 4096] = data
            expect(client.flush() == 0, "a flush failed")
            client.send(1, 3 * MIB + MIB // 2, 4096, data=b"z" * 4096) # may come or not
            if turn == 0:
                refused(d, *DRIVE, "--nbd-unix", d / "other", "--image", image,
                        words=["another server uses it"])
            client.take(16)
            client.write(3 * MIB + MIB // 2, bytes(expected[3 * MIB + MIB // 2:][:4096]), flags=1)
            if turn % 2 == 0:
                server.process.kill()
                server.process.wait()
            else:
                server.stop()
    kept = image.read_bytes()
    refused(d, *DRIVE, "--nbd-unix", d / "s", "--image", image, "--set", "run.seed=9",
            words=["run.seed"])
    refused(d, *DRIVE, "--nbd-unix", d / "s", "--image", image, "--set", "flash.luns_per_channel=1",
            words=["dies", "left as it is"])
    expect(image.read_bytes() == kept, "a refused image was changed")
    for at, words in ((len(kept) // 2, "CRC"), (8192, "no record"), (0, None)):
        broken = bytearray(kept)
        broken[at] ^= 0x40
        if at == 0:
            broken[4096] ^= 0x40
            words = "no image of ssdvp"
        image.write_bytes(broken)
        refused(d, *DRIVE, "--nbd-unix", d / "s", "--image", image, words=[words])
        expect(image.read_bytes() == broken, "a damaged image was changed")
    image.write_bytes(kept + b"half a record that was never promised")
    with Server(d, image=image) as server:
        expect(Client(server).read(0, 4 * MIB) == expected, "a torn tail")
        server.stop()
        expect(server.summary()["integrity"]["sectors_checked"] == 0, "checked by another's sums")


def case_full_disk(d):
    """The host's disk takes 2 MiB: the drive turns read-only, and what was flushed stays."""
    image = d / "drive.img"
    with Server(d, image=image, limit=2 * MIB) as server:
        client = Client(server)
        client.write(0, b"k" * 4096)
        expect(client.flush() == 0, "the first flush")
        client.write(MIB, pattern(1, 4 * MIB))
        expect(client.flush() == 28, "no ENOSPC")
        expect("read-only" in server.log(), "it does not say so")
        expect(client.ask(1, 0, 512, 0, b"b" * 512) == 1, "a write is taken")
        expect(Client(server).flags & 2, "not read-only for a new client")
        expect(client.read(0, 4096) == b"k" * 4096, "a read")
        server.stop(code=1)
    with Server(d, image=image) as server:
        expect(Client(server).read(0, 4096) == b"k" * 4096, "what was flushed is gone")
        server.stop()


def case_places(d):
    """Sockets and images at places where they cannot be: named, and nothing is left behind."""
    at = ["--nbd-unix", d / "s"]
    for image, words in {"none/x": "No such file", "/proc/x": "can be written",
                         ".": "Is a directory"}.items():
        refused(d, *DRIVE, *at, "--image", image, words=[f"--image {image}: ", words])
    refused(d, *DRIVE, "--nbd-unix", "none/s", "--image", "new", words=["none/s: cannot listen"])
    for address in ("127.0.0.1:99999", "127.0.0.1", "[::1:1", ":1"):
        refused(d, *DRIVE, "--nbd-tcp", address, words=["--nbd-tcp " + address, "10809"])
    with Server(d, image=d / "first.img") as server:
        refused(d, *DRIVE, "--nbd-unix", server.socket, "--image", "new",
                words=["another server listens there"])
        expect(Client(server).read(0, 512) is not None, "the first server")
        server.process.kill()
        server.process.wait()
    expect(server.socket.is_socket(), "a killed server took its socket with it")
    expect(not (d / "new").exists(), "a refused server left an image")
    with Server(d) as server:  # at the dead one's place
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            refused(d, *DRIVE, "--nbd-tcp", f"127.0.0.1:{port}",
                    words=[f"127.0.0.1:{port}: cannot listen there: Address already in use"])
        expect(Client(server).read(0, 512) is not None, "the second server")
        server.stop()
    expect(not server.socket.exists(), "a server left its socket")
    # Killed before its first snapshot was whole: the file is an image, and new.
    with Server(d, image=d / "cut.img", limit=64 * 1024) as server:
        client = Client(server)
        client.write(0, pattern(1, MIB))
        expect(client.flush() == 28, "no ENOSPC")
        server.process.kill()
        server.process.wait()
    with Server(d, image=d / "cut.img") as server:
        expect("cut.img: new" in server.log(), f"not new: {server.log()}")
        server.stop()


def case_pacing(d):
    """Simulated seconds per second: at 0.01, 40 reads of some 60 us take a hundred times that."""
    need("fio")
    wall = {}
    for pace in ("0", "0.02"):
        with Server(d, "--pace", pace) as server:
            client = Client(server)
            client.write(0, pattern(1, 64 * 4096), flags=1)
            begin = time.time()
            for i in range(40):
                client.read(i * 4096, 4096)
            wall[pace] = time.time() - begin
            server.stop()
            latency = server.summary()["host"]["read"]["latency_ns"]["mean"]
    expect(wall["0.02"] >= 40 * latency * 1e-9 / 0.02 * 0.9, f"{wall}, {latency} ns")
    expect(wall["0.02"] > 2 * wall["0"], f"{wall}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        globals()["case_" + sys.argv[2]](pathlib.Path(directory))
