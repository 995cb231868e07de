# SPDX-License-Identifier: Apache-2.0
"""The rooms of the source, docs/rooms.svg: the folders of firmware/ and platform/, each above those
that it may include, and what wakes firmware. scripts/site --write draws it."""
from docsite.diagram import Block, svg

WIDTH = 500


def room(folder: str, holds: str, weight: float = 1) -> Block:
    return Block(folder, folder, holds, "firmware", weight=weight)


def firmware() -> Block:
    return Block("firmware", "firmware/", kind="frame", weight=1.3, rows=[
        [room("run", "start-up, main loop")],
        [room("host", "host commands")],
        [room("schemes", "one file per FTL scheme")],
        [room("blocks", "logical blocks, log blocks")],
        [room("buffer", "buffer of writes and reads")],
        [room("gc", "collection, folds, patrol")],
        [room("durable", "journal, power-up", 1.2), room("slc", "SLC cache")],
        [room("map", "what a scheme is; map pages")],
        [room("ops", "flash operations")],
        [room("space", "superblocks")],
        [room("drv", "registers and rings")],
        [room("lib", "lists, heaps"), room("port", "start-up"), room("template", "to copy")],
        [room("hal", "all that it knows of the world")]])


def platform() -> Block:
    return Block("platform", "platform/", kind="frame", rows=[
        [Block("control", "control", "commands, the run")],
        [Block("guest", "guest", "a virtual machine")],
        [Block("serve", "serve", "NBD"), Block("state", "state", "kept drives")],
        [Block("ssd", "ssd", "binds the models")],
        [Block("config", "config", "options, rules")],
        [Block("fio", "fio", "job files"), Block("plan", "plan", "memory")],
        [Block("input", "input", "YAML, traces"), Block("report", "report", "results")]])


def wakers() -> Block:
    """And in which folder it arrives."""
    return Block("wakers", "what wakes firmware, and where it arrives", kind="frame", rows=[
        [Block("commands", "command", "in host"),
         Block("completions", "completion", "at its owner"),
         Block("times", "timer", "in gc, buffer,\nslc, host"),
         Block("messages", "other core", "in its role")]])


def whole() -> Block:
    return Block("whole", rows=[[wakers()], [firmware(), platform()]])


def drawing() -> str:
    return svg("Folders of firmware/ and platform/, each above those it may include", whole(), (),
               WIDTH)
