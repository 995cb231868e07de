# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site (scripts/site): what mkdocs needs beside the pages of docs/, pages
that are written from the program, and the check of what was built."""
