# SPDX-License-Identifier: Apache-2.0
"""The code behind scripts/capture: block traces of file systems in an emulated guest."""
