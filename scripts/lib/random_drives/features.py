# SPDX-License-Identifier: Apache-2.0
"""What a drive can have: features, each with choices of which a drive has one.

A choice is {key: value}; the first of a feature is the plain one. Where a value is `one_of`, one
of its values is drawn, anew for each drive. Two choices that set a key differently exclude each
other; what else the program refuses together is found by asking `ssdvp check`. Keys with @ are
not the configuration's: see drive.py."""
import typing

from random_drives import controller, load, media
from random_drives.choice import Choices, Keys, Needs

# Small, so that a run takes a fraction of a second; its part can do all that is asked for below.
BASE: Keys = {
    "nand.slc_mode.tR": "30us", "nand.slc_mode.tPROG": "200us", "nand.slc_mode.tBERS": "5ms",
    "nand.slc_mode.copyback": True, "cpu.hang_limit": "10s",
    "energy.core.active": "5W", "run.failed_limit": 1,
}

FEATURES: typing.Dict[str, Choices] = {
    "geometry": media.GEOMETRY, "cells": media.CELL, "scheme": media.SCHEME,
    "placement": media.PLACEMENT, "buffer": media.BUFFER, **media.MORE,
    **controller.FEATURES, **load.FEATURES,
}

# What a choice needs of another feature, whose plain one it does not go with: one of these.
CACHED_MAPS = ("scheme", ("dftl", "vm_map", "log_set"))
NEEDS: Needs = {
    **{("map memory", choice): CACHED_MAPS for choice in media.MORE["map memory"]
       if choice != "DRAM"},
    **{("verification", choice): ("power", tuple(load.EVENTS["power"])[1:])
       for choice in ("none", "all")},
    ("streams", "by class"): ("host", ("NVMe, queues",)),
    ("namespace", "metadata"): ("data", ("bytes",)),
    ("namespace", "protected"): ("data", ("bytes",)),
}
