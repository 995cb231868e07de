# SPDX-License-Identifier: Apache-2.0
"""Packs a firmware image for Firmware Image Download: the header of firmware/hal/package.h, the
image without debug information, and its timing file where there is one.

    fw_package.py IMAGE.so OUT.fw

Exit code 2: what is given is no image that can be packed."""
import ctypes
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AREA = "models/regs/nor_records.h"
HAL = "firmware/hal/hal.h"
PACKAGE = "firmware/hal/package.h"


def refuse(text):
    sys.stderr.write(f"fw_package.py: error: {text}\n")
    sys.exit(2)


def constant(header, name):
    """The value of a macro, from the header that says it."""
    with open(os.path.join(ROOT, header), encoding="utf-8") as f:
        found = re.search(rf"^#define {name} (0x[0-9A-Fa-f]+|[0-9]+)u?\b", f.read(), re.M)
    if found is None:
        refuse(f"{header}: no {name}; use the script of the clone that the header is of")
    return int(found.group(1), 0)


def about(image):
    """Revision and layout: struct firmware_about."""
    try:
        found = (ctypes.c_uint8 * 12).in_dll(ctypes.CDLL(os.path.abspath(image)),
                                             "ssdvp_firmware_about")
    except (OSError, ValueError) as e:
        refuse(f"{image}: {e}; a packed image exports `ssdvp_firmware_about`, see {PACKAGE}")
    return bytes(found[:8]), struct.unpack("<I", bytes(found[8:]))[0]


def stripped(image):
    strip = shutil.which("strip")
    if strip is None:
        refuse("no program strip; install the package binutils")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "image.so")
        subprocess.run([strip, "--strip-debug", "-o", out, image], check=True)
        with open(out, "rb") as f:
            return f.read()


def pack(path):
    revision, layout = about(path)
    image = stripped(path)
    timing = b""
    if os.path.exists(path + ".timing"):
        with open(path + ".timing", "rb") as f:
            timing = f.read()
    image += bytes(-(len(image) + len(timing)) % 4)  # downloads are in units of four bytes
    body = image + timing
    size = 64 + len(body)
    if size > constant(AREA, "NOR_AREA_SIZE"):
        refuse(f"{path}: {size} bytes, an area of the boot flash has "
               f"{constant(AREA, 'NOR_AREA_SIZE')}; leave functions out of the image")
    head = struct.pack("<5I8s4I16s", constant(PACKAGE, "FIRMWARE_PACKAGE_MAGIC"),
                       constant(PACKAGE, "FIRMWARE_PACKAGE_VERSION"), size, zlib.crc32(body),
                       constant(HAL, "HAL_ABI_VERSION"), revision, layout,
                       struct.unpack_from("<H", image, 18)[0],  # e_machine
                       len(image), len(timing), hashlib.sha256(body).digest()[:16])
    return head + struct.pack("<I", zlib.crc32(head)) + body


def main(arguments):
    if len(arguments) != 2:
        refuse("write: fw_package.py IMAGE.so OUT.fw")
    bytes_of_it = pack(arguments[0])
    with open(arguments[1], "wb") as f:
        f.write(bytes_of_it)


if __name__ == "__main__":
    main(sys.argv[1:])
