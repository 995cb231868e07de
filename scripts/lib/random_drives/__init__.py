# SPDX-License-Identifier: Apache-2.0
"""Random drives: valid configurations that mix what drives can have, run and judged."""
