#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a guest does, in a second: probes the device, enables it, moves data, resets it, powers off.
Started by `ssdvp guest --qemu` in place of QEMU; exits with 0 when all was as it should be."""
import os
import sys

import machine

DATA = 4 << 20
READ, WRITE, FLUSH = 2, 1, 0


def pattern(seed, length):
    return bytes((seed * 31 + i * 7 + (i >> 8)) & 0xFF for i in range(length))


def identify(drive):
    assert drive.command(0, 6, prp=DATA, cdw10=1) == 0
    page = drive.m.ram[DATA:DATA + 4096]
    assert int.from_bytes(page[0:2], "little") == 0x1B36
    assert drive.command(0, 6, nsid=1, prp=DATA, cdw10=0) == 0
    return int.from_bytes(drive.m.ram[DATA:DATA + 8], "little")


def move(drive, seed):
    """Eight writes of 4 KiB in flight together, read back."""
    for i in range(8):
        drive.m.ram[DATA + 4096 * i:DATA + 4096 * (i + 1)] = pattern(seed + i, 4096)
        drive.submit(1, WRITE, nsid=1, prp=DATA + 4096 * i, cdw10=64 * i, cdw12=7)
    assert [drive.complete(1) for _ in range(8)] == [0] * 8
    assert drive.command(1, FLUSH, nsid=1) == 0
    check(drive, seed)


def check(drive, seed):
    drive.m.ram[DATA:DATA + 32768] = bytes(32768)
    for i in range(8):
        drive.submit(1, READ, nsid=1, prp=DATA + 4096 * i, cdw10=64 * i, cdw12=7)
    assert [drive.complete(1) for _ in range(8)] == [0] * 8
    for i in range(8):
        assert drive.m.ram[DATA + 4096 * i:DATA + 4096 * (i + 1)] == pattern(seed + i, 4096)


def adapter(argv):
    """AHCI: class, BAR 5, one message, and the registers that say what there is."""
    m = machine.Machine(argv)
    assert m.config_read(8, 4) >> 8 == 0x010601
    m.config_write(0x24, machine.BAR_BASE, 4)
    m.config_write(4, 6, 2)
    m.write(4, 1)  # GHC.HR
    while m.read(4) & 1:
        pass
    assert m.read(0x10) == 0x10301  # VS
    assert m.read(0x0C) == 1  # PI: one port
    assert m.read(0x10, 2) == 0x0301 and m.read(0x12, 2) == 1
    while m.read(0x128) & 0xF != 3:  # PxSSTS.DET
        pass


def again(argv):
    """Another start of the machine: what was written is there."""
    drive = machine.Nvme(machine.Machine(argv))
    drive.probe()
    drive.enable()
    drive.create_queues()
    check(drive, 1)


def writer(argv):
    """Writes and flushes block after block, and notes what was flushed, until the power goes."""
    drive = machine.Nvme(machine.Machine(argv))
    drive.probe()
    drive.enable()
    drive.create_queues()
    note = os.open(os.environ["FAKE_QEMU_WRITES"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for block in range(1, 100000):
        drive.m.ram[DATA:DATA + 4096] = pattern(block, 4096)
        assert drive.command(1, WRITE, nsid=1, prp=DATA, cdw10=8 * block, cdw12=7) == 0
        assert drive.command(1, FLUSH, nsid=1) == 0
        os.write(note, f"{block}\n".encode())


def reader(argv):
    """All that was flushed before the power went."""
    drive = machine.Nvme(machine.Machine(argv))
    drive.probe()
    drive.enable()
    drive.create_queues()
    with open(os.environ["FAKE_QEMU_READS"], encoding="ascii") as note:
        blocks = [int(line) for line in note if line.endswith("\n")]
    assert len(blocks) > 10
    for block in blocks:
        assert drive.command(1, READ, nsid=1, prp=DATA, cdw10=8 * block, cdw12=7) == 0
        assert drive.m.ram[DATA:DATA + 4096] == pattern(block, 4096), f"block {block}"


def guest(argv):
    drive = machine.Nvme(machine.Machine(argv))
    drive.probe()
    drive.enable()
    blocks = identify(drive)
    drive.create_queues()
    move(drive, 1)
    assert drive.command(1, READ, nsid=1, prp=DATA, cdw10=blocks) == 0x80  # LBA out of range
    assert drive.command(1, READ, nsid=1, prp=1 << 40, cdw10=0) != 0  # memory nobody has
    drive.m.reset()
    drive.probe()
    drive.enable()
    drive.create_queues()
    check(drive, 1)
    drive.m.write(0x14, 4 << 20 | 6 << 16 | 1 << 14 | 1)  # CC.SHN: normal shutdown
    while drive.m.read(0x1C) >> 2 & 3 != 2:
        pass


def main(argv):
    if "--version" in argv:
        print(f"QEMU emulator version {os.environ.get('FAKE_QEMU_VERSION', '7.2.0')}")
        return
    if "FAKE_QEMU_FAILS" in os.environ:
        sys.exit(3)
    if "FAKE_QEMU_BABBLES" in os.environ:
        machine.Machine(argv).ask(77, b"")
    elif "FAKE_QEMU_SATA" in os.environ:
        adapter(argv)
    elif "FAKE_QEMU_AGAIN" in os.environ:
        again(argv)
    elif "FAKE_QEMU_WRITES" in os.environ:
        writer(argv)
    elif "FAKE_QEMU_READS" in os.environ:
        reader(argv)
    else:
        guest(argv)


if __name__ == "__main__":
    main(sys.argv)
