# SPDX-License-Identifier: Apache-2.0
"""scripts/report: one self-contained page of what a run has written."""
