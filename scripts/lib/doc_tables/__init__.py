# SPDX-License-Identifier: Apache-2.0
"""The measured tables of documents."""
