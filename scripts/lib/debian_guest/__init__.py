# SPDX-License-Identifier: Apache-2.0
"""A small Debian guest for QEMU: packages, kernel modules, initramfs. Nothing is installed."""
