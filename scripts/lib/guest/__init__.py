# SPDX-License-Identifier: Apache-2.0
"""A Debian guest on the drive's registers, for people and for tests."""
