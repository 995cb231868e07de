# SPDX-License-Identifier: Apache-2.0
"""scripts/validate-drives: figures of data sheets beside those of the simulation."""
