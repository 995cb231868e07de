# SPDX-License-Identifier: Apache-2.0
"""A machine in place of QEMU: speaks the multi-process protocol as x-pci-proxy-dev does, has memory
that it shares, and listens where QEMU's qtest would. A test's script drives the device with it."""
import array
import mmap
import os
import re
import socket
import struct
import sys

SYNC_SYSMEM, RET, CFG_WRITE, CFG_READ, BAR_WRITE, BAR_READ, SET_IRQFD, RESET = range(8)
BAR_BASE = 0xFEB00000
MESSAGE = 0xFEE00000


class Machine:
    """`argv`: the command line that QEMU got."""

    def __init__(self, argv, memory=16 << 20):
        text = " ".join(argv)
        self.link = socket.socket(fileno=int(re.search(r"x-pci-proxy-dev,.*fd=(\d+)", text)[1]))
        self.qtest = socket.socket(socket.AF_UNIX)
        self.qtest.bind(re.search(r"unix:([^,]+),", text)[1])
        self.qtest.listen(1)
        self.messages = None
        self.text = b""
        fd = os.memfd_create("ram")
        os.ftruncate(fd, memory)
        self.ram = mmap.mmap(fd, memory)
        self.share(fd, memory)

    def send(self, command, payload, files=()):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        self.link.sendmsg([struct.pack("<i4xQ", command, len(payload)) + payload], rights)

    def ask(self, command, payload):
        self.send(command, payload)
        answer = b""
        while len(answer) < 24:
            part = self.link.recv(24 - len(answer))
            if not part:
                sys.exit("the device has gone")
            answer += part
        kind, size, value = struct.unpack("<i4xQQ", answer)
        assert (kind, size) == (RET, 8)
        return value

    def share(self, fd, size):
        rest = [0] * 7
        payload = struct.pack("<8Q8Q8Q", 0, *rest, size, *rest, 0, *rest)
        self.send(SYNC_SYSMEM, payload, [fd])

    def config_read(self, offset, length):
        return self.ask(CFG_READ, struct.pack("<IIi", offset, 0, length))

    def config_write(self, offset, value, length):
        self.ask(CFG_WRITE, struct.pack("<IIi", offset, value, length))

    def read(self, offset, size=4):
        return self.ask(BAR_READ, struct.pack("<QQI?3x", BAR_BASE + offset, 0, size, True))

    def write(self, offset, value, size=4):
        self.ask(BAR_WRITE, struct.pack("<QQI?3x", BAR_BASE + offset, value, size, True))

    def reset(self):
        self.ask(RESET, b"")

    def message(self):
        """The data of the next interrupt message."""
        if self.messages is None:
            self.messages, _ = self.qtest.accept()
        while b"\n" not in self.text:
            part = self.messages.recv(4096)
            if not part:
                sys.exit("no more messages")
            self.text += part
        line, self.text = self.text.split(b"\n", 1)
        self.messages.sendall(b"OK\n")
        word, address, data = line.decode().split()
        assert word == "writel" and int(address, 16) == MESSAGE
        return int(data, 16)


class Nvme:
    """A register-level driver: admin queue at 1 MiB, I/O queue 1 at 2 MiB, data from 4 MiB on."""

    ENTRIES = 32

    def __init__(self, machine):
        self.m = machine
        self.queues = {0: [1 << 20, 0, 0, 1], 1: [2 << 20, 0, 0, 1]}  # base, tail, head, phase
        self.cid = 0

    def probe(self):
        m = self.m
        assert m.config_read(0, 4) == 0x5D051B36
        assert m.config_read(8, 4) >> 8 == 0x010802
        m.config_write(0x10, 0xFFFFFFFF, 4)
        assert m.config_read(0x10, 4) == 0xFFFFC000
        m.config_write(0x10, BAR_BASE, 4)
        m.config_write(4, 6, 2)
        at = m.config_read(0x34, 1)
        while m.config_read(at, 1) != 0x11:
            at = m.config_read(at + 1, 1)
        table = m.config_read(at + 4, 4)
        for vector in range(2):
            m.write(table + 16 * vector, MESSAGE)
            m.write(table + 16 * vector + 8, 0x40 + vector)
            m.write(table + 16 * vector + 12, 0)
        m.config_write(at + 2, 0x8000, 2)

    def enable(self):
        m = self.m
        m.write(0x14, 0)
        while m.read(0x1C) & 1:
            pass
        for q in self.queues.values():
            q[1:] = [0, 0, 1]
            m.ram[q[0]:q[0] + 65536] = bytes(65536)
        m.write(0x24, (self.ENTRIES - 1) << 16 | (self.ENTRIES - 1))
        m.write(0x28, self.queues[0][0], 8)
        m.write(0x30, self.queues[0][0] + 32768, 8)
        m.write(0x14, 4 << 20 | 6 << 16 | 1)
        while not m.read(0x1C) & 1:
            pass

    def create_queues(self):
        base = self.queues[1][0]
        size = (self.ENTRIES - 1) << 16 | 1
        assert self.command(0, 5, prp=base + 32768, cdw10=size, cdw11=1 << 16 | 3) == 0
        assert self.command(0, 1, prp=base, cdw10=size, cdw11=1 << 16 | 1) == 0

    def submit(self, qid, opcode, nsid=0, prp=0, cdw10=0, cdw11=0, cdw12=0, prp2=0):
        q = self.queues[qid]
        self.cid += 1
        entry = struct.pack("<BBHI16xQQIIIIII", opcode, 0, self.cid & 0xFFFF, nsid, prp, prp2,
                            cdw10, cdw11, cdw12, 0, 0, 0)
        self.m.ram[q[0] + 64 * q[1]:q[0] + 64 * q[1] + 64] = entry
        q[1] = (q[1] + 1) % self.ENTRIES
        self.m.write(0x1000 + 8 * qid, q[1])

    def complete(self, qid):
        """The status of the next completion; its interrupt comes first."""
        assert self.m.message() == 0x40 + qid
        q = self.queues[qid]
        at = q[0] + 32768 + 16 * q[2]
        status = struct.unpack_from("<H", self.m.ram, at + 14)[0]
        assert status & 1 == q[3], "no completion behind an interrupt"
        q[2] += 1
        if q[2] == self.ENTRIES:
            q[2:] = [0, q[3] ^ 1]
        self.m.write(0x1004 + 8 * qid, q[2])
        return status >> 1 & 0x7FF  # without DNR and More

    def command(self, qid, opcode, **fields):
        self.submit(qid, opcode, **fields)
        return self.complete(qid)
