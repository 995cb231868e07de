# SPDX-License-Identifier: Apache-2.0
"""Many runs: sweeps over a space of configurations, optimisation, comparison, what-if."""
