# SPDX-License-Identifier: Apache-2.0
"""Writes the page: whole or not at all, and never over something that is no report."""
import os

from ssdvp.report.page import MARK
from ssdvp.report.refused import Refused


def check(path: str) -> None:
    """Refused before any work if the page could not be put there."""
    if os.path.isdir(path):
        raise Refused(f"{path} is a folder; name a file with --out")
    if os.path.isfile(path) and not is_report(path):
        raise Refused(f"{path} exists and is no report; remove it, or name another file with "
                      "--out")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise Refused(f"{folder} is no folder: {path} cannot be written; make it first")


def is_report(path: str) -> bool:
    if os.path.getsize(path) == 0:
        return True  # nothing is lost
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return MARK in file.read(2000)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; name another file") from error


def write(path: str, text: str) -> None:
    """Beside the file first, so that an earlier report stays until this one is complete."""
    data = text.encode("utf-8")
    target = os.path.realpath(path)
    beside = f"{target}.{os.getpid()}.tmp"
    try:
        if os.path.exists(target) and not os.path.isfile(target):  # a pipe, /dev/stdout
            with open(path, "wb") as file:
                file.write(data)
            return
        with open(beside, "wb") as file:
            file.write(data)
        os.replace(beside, target)
    except OSError as error:
        if os.path.exists(beside):
            os.unlink(beside)
        raise Refused(f"{path} cannot be written: {error.strerror}; make room, or name another "
                      "file with --out") from error
