# SPDX-License-Identifier: Apache-2.0
"""Who may include whom, as CONTRIBUTING.md says: each folder of the house, what of ours it may
include, and which libraries it may not. Also which library may link which.

A folder without an entry here may include nothing of ours: a new folder needs a rule first."""
import os
import re
import sys

import source
from source import Finding

MODEL_BASE = ("models/regs/", "models/common/", "models/protocols/")
MODEL_SHARED = {"regs", "common", "protocols"}
# Numbers and formats of the firmware that a configuration is checked against: no state.
FIRMWARE_NUMBERS = ("firmware/space/reserve.h", "firmware/space/spare.h",
                    "firmware/lib/geometry.h")

# What the configuration and the firmware share: tables, no state.
CHOICES = "models/regs/choices/"
BOOT_PARTS = "models/regs/parts/"

# Folder of firmware/ -> the other folders of it that it may include, from below: no circle.
FIRMWARE = {
    "hal": (),
    "lib": ("hal",),
    "drv": ("lib",),
    "space": ("lib", "drv"),
    "ops": ("lib", "drv", "space"),
    "map": ("lib", "space", "ops"),
    "durable": ("lib", "space", "ops", "map"),
    "slc": ("lib", "space", "ops"),
    "gc": ("lib", "space", "ops", "map", "slc"),
    "buffer": ("lib", "space", "ops", "map", "slc", "gc"),
    "blocks": ("lib", "space", "ops", "map", "durable", "gc", "buffer"),
    "schemes": ("lib", "space", "map", "durable", "buffer", "blocks"),
    "host": ("hal", "lib", "drv", "space", "ops", "map", "durable", "gc", "buffer"),
    "run": ("lib", "drv", "space", "ops", "map", "durable", "slc", "gc", "buffer", "blocks",
            "host"),
    "port": ("hal",),
    "template": ("hal",),
}

# What a folder of firmware/ may include besides: single headers, registers.
FIRMWARE_ALSO = {
    "hal": ("models/regs/memory_map.h",),
    "lib": ("models/regs/telemetry_join.h",),
    "drv": ("models/regs/",),
    "run": ("models/regs/boot_layout.h", "models/regs/boot_params.h"),
    "port": ("models/regs/irq_regs.h", "models/regs/timer_regs.h"),
    "template": ("firmware/lib/mem.h", "models/regs/"),
}

# Folder of platform/ -> the other folders of it that it may include: no circle.
PLATFORM = {
    "input": (),
    "fio": ("input",),
    "report": (),
    "plan": (),
    "config": ("input", "fio", "report", "plan"),
    "state": ("input", "config", "report"),
    "ssd": ("config", "report", "plan"),
    "serve": ("config", "ssd"),
    "guest": ("config", "serve"),
    "control": ("input", "config", "report", "plan", "state", "ssd", "serve",
                "guest"),
}

# What a freestanding C11 compiler brings along, and string.h for memcpy and memset.
FREESTANDING = {"stdint.h", "stddef.h", "stdbool.h", "stdalign.h", "stdarg.h", "stdnoreturn.h",
                "limits.h", "float.h", "iso646.h", "string.h"}
MODEL_FORBIDDEN = re.compile(r"^(yaml-cpp|CLI|spdlog|benchmark|catch2)/|^boost/(json|asio|dll)")
SYSTEMC = re.compile(r"^(systemc|tlm)\b")


def models(parts):
    block = parts[1]
    if block == "regs":
        return ("models/regs/",)
    if block == "common":
        return ("models/regs/", "models/common/")
    if block == "protocols":
        return MODEL_BASE
    return MODEL_BASE + (f"models/{block}/",)


def firmware(parts):
    folder = parts[1]
    if folder not in FIRMWARE:
        return ()
    ours = tuple(f"firmware/{name}/" for name in (folder,) + FIRMWARE[folder])
    return ours + FIRMWARE_ALSO.get(folder, ()) + (CHOICES, BOOT_PARTS)


def platform(parts):
    folder = parts[1]
    if folder not in PLATFORM:
        return ()
    ours = tuple(f"platform/{name}/" for name in (folder,) + PLATFORM[folder])
    firmware = {"ssd": ("firmware/",), "config": FIRMWARE_NUMBERS,
                "plan": ("firmware/hal/", "firmware/port/native/timing.h")}
    return ("models/",) + ours + firmware.get(folder, ())


def tests(parts):
    if parts[1] == "firmware":
        return ("firmware/", "models/regs/", "tests/support/", "tests/firmware/")
    if parts[1] == "powercut":
        return ("models/regs/", "tests/support/", "tests/powercut/")
    return ("models/", "platform/", "firmware/", "tests/", "tools/")


def allowed(path):
    """Prefixes of ours that the file may include."""
    parts = path.split("/")
    if parts[0] == "models":
        return models(parts)
    if parts[0] == "firmware":
        return firmware(parts)
    if parts[0] == "platform":
        return platform(parts)
    if parts[0] == "tests":
        return tests(parts)
    if parts[0] == "bench":
        return ("models/", "platform/", "firmware/", "bench/")
    if parts[0] == "tools":
        return (f"tools/{parts[1]}/", "firmware/port/native/timing.h")
    return ("platform/",)  # sc_main.cpp


def forbidden_library(path, name):
    """Why the file may not include a header that is not ours, or None."""
    if path.startswith("models/regs/") and name != "stdint.h":
        return "a register map includes <stdint.h> only"
    if path.startswith("firmware/") and name not in FREESTANDING:
        return "firmware is freestanding C11"
    if path.startswith("models/") and MODEL_FORBIDDEN.match(name):
        return "a model needs no such library"
    if path.startswith(("tests/firmware/", "tests/powercut/")) and SYSTEMC.match(name):
        return "firmware is tested without SystemC"
    return None


def resolve(root, path, name, quoted):
    """Path of an include below the root, or None when it is not ours."""
    places = [name]
    if quoted:
        places.insert(0, os.path.normpath(os.path.join(os.path.dirname(path), name)))
    for place in places:
        if os.path.isfile(os.path.join(root, place)):
            return place.replace(os.sep, "/")
    ours = name.split("/")[0] in ("models", "firmware", "platform", "tests", "bench", "tools")
    return name if ours else None


def check_file(root, path, text):
    found = []
    for line, name, quoted in source.includes(text):
        target = resolve(root, path, name, quoted)
        if target is None:
            why = forbidden_library(path, name)
            if why:
                found.append(Finding(path, line, "layer", f"includes {name}: {why}"))
        elif not target.startswith(allowed(path)):
            found.append(Finding(path, line, "layer", f"may not include {target}"))
        elif target != name:
            found.append(Finding(path, line, "include path", f"write {target} in full"))
    return found


def check_links(path, text):
    """A block's library links no sibling; nothing in models or firmware links the platform."""
    parts = path.split("/")
    if parts[0] != "models" or len(parts) < 3 or parts[1] in MODEL_SHARED:
        return []
    blocks = {"cpu", "interconnect", "irq", "timer", "nor", "thermal", "sram", "dram", "flash",
              "nvme", "sata", "pcie", "host", "platform", "firmware"} - {parts[1]}
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        for name in re.findall(r"\bssdvp_([a-z]+)", line.split("#")[0]):
            if name in blocks:
                found.append(Finding(path, number, "layer", f"may not link ssdvp_{name}"))
    return found


def check(root):
    found = []
    for path in source.project_files(root):
        if path.endswith(source.C_SUFFIXES):
            found += check_file(root, path, source.read(root, path))
        elif path.endswith("CMakeLists.txt"):
            found += check_links(path, source.read(root, path))
    return found


if __name__ == "__main__":
    sys.exit(source.report(check(source.root_of(sys.argv[1:])), "include layers"))
