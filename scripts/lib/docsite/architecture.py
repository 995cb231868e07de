# SPDX-License-Identifier: Apache-2.0
"""The block diagram of the platform, docs/architecture.svg: what there is, what is within what,
and what talks to what. scripts/site --write draws it."""
from docsite.diagram import Block, Wire, svg

WIDTH = 500


def firmware() -> Block:
    """Layers of the firmware, by what they are for; the folders of each."""
    layers = (("commands", "host"), ("buffer", "buffer"), ("map, GC", "map"), ("flash", "ops"))
    return Block("firmware", "firmware", "C11", "firmware", [
        [Block(folder, title, kind="firmware")] for title, folder in layers])


def devices() -> Block:
    rows = ((("sram", "SRAM"), ("dram", "DRAM")), (("nor", "NOR"), ("irq", "IRQ")),
            (("timer", "timer"), ("thermal", "thermal")))
    return Block("devices", "memory, devices", kind="frame", weight=1.3, rows=[
        [Block(name, title, models=[name]) for name, title in row] for row in rows])


def front_end() -> Block:
    return Block("front_end", "front end", "NVMe or SATA", weight=1.1, models=["nvme", "sata"],
                 rows=[[Block(name, name)] for name in ("registers", "queues", "PRP, SGL", "DMA")])


def channel() -> Block:
    return Block("channel", "flash channel 0 ... N", kind="flash", several=True,
                 models=["flash"], rows=[[
                     Block("lists", "queues", models=["flash/channel"]),
                     Block("arbiter", "arbiter", models=["flash/channel"]),
                     Block("ecc", "ECC", weight=0.7, models=["flash/channel"]),
                     Block("bus", "bus", "ONFI", weight=0.7, models=["flash/bus"]),
                     Block("lun", "LUN 0 ... M", "planes, pages", weight=1.5, several=True,
                           models=["flash/die"])]])


def whole() -> Block:
    host = Block("computer", "host", kind="frame", models=["host"], rows=[[
        Block("workload", "workload", "streams, fio, traces"),
        Block("driver", "driver", "NVMe or AHCI"),
        Block("memory", "host memory", "shadow copy")]])
    link = Block("link", "link", "PCIe or SATA, packet by packet", models=["pcie", "sata"])
    controller = Block("controller", "SSD controller", kind="frame", rows=[
        [devices(),
         Block("cores", "core 0 ... 2", "run this natively:", several=True, models=["cpu"],
               rows=[[firmware()]], weight=1.2),
         front_end()],
        [Block("interconnect", "interconnect", "registers, rings of commands, DMA",
               models=["interconnect"])],
        [channel()]])
    return Block("whole", rows=[[host], [link], [controller]])


WIRES = [
    Wire(("workload", "driver")),
    Wire(("driver", "memory")),
    Wire(("computer", "link"), "doorbells", "data, interrupts"),
    Wire(("link", "front_end")),
    Wire(("front_end", "interconnect")),
    Wire(("cores", "interconnect")),
    Wire(("devices", "interconnect")),
    Wire(("interconnect", "channel"), "descriptors", "data, completions"),
    Wire(("lists", "arbiter")), Wire(("arbiter", "ecc")), Wire(("ecc", "bus")),
    Wire(("bus", "lun")),
]


def drawing() -> str:
    return svg("Blocks of the ssdvp virtual platform", whole(), WIRES, WIDTH)
