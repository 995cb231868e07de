# SPDX-License-Identifier: Apache-2.0
"""Packages that some parts of this one need, and pip's names of these parts."""
import importlib.util
import typing

from ssdvp.errors import ConfigError

_PARTS = {"optuna": "explore", "pyarrow": "explore", "dask": "cluster", "distributed": "cluster",
          "polars": "polars", "psycopg": "postgresql"}


def there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def told(package: str) -> typing.Optional[str]:
    """How it is installed; None of a package that is none of these."""
    part = _PARTS.get(package.partition(".")[0])
    return part and f"{package} is not installed; pip install 'ssdvp[{part}]'"


def need(*packages: str) -> None:
    """ConfigError with pip's command for the first that is missing: before any work."""
    for package in packages:
        if not there(package):
            raise ConfigError(str(told(package)))
