# SPDX-License-Identifier: Apache-2.0
"""The suspend policies, by the names that papers give them."""
import typing

POLICIES = {"baseline": "none", "I-ES": "immediate", "D-ES": "deferred",
            "SSR(s)": "safe_point_static", "SSR(d)": "safe_point_dynamic"}


def by_read_tail() -> typing.Tuple[str, ...]:
    """The longest read tail first."""
    return ("baseline", "D-ES", "SSR(s)", "SSR(d)", "I-ES")
