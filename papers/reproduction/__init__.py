# SPDX-License-Identifier: Apache-2.0
"""Experiments that show a paper's results again: one module per paper."""
