# SPDX-License-Identifier: Apache-2.0
"""What the user can mend: said in one line that names the file and the remedy; exit code 2."""


class Refused(Exception):
    """Input or output that makes no report."""
