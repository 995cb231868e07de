# SPDX-License-Identifier: Apache-2.0
"""The code behind scripts/generate-registers: C headers and references out of models/regs/*.rdl."""
