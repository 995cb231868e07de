#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of the tutorial and of the how-to pages. Usage: commands_test.py ROOT SSDVP"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "scripts/lib"))
from docsite import commands  # noqa: E402

if __name__ == "__main__":
    sys.exit(commands.main())
