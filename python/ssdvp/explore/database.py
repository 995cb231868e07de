# SPDX-License-Identifier: Apache-2.0
"""The database of a study: Optuna's, in SQLite or on a PostgreSQL server."""
import contextlib
import fcntl
import typing
import warnings

import sqlalchemy

from ssdvp.errors import ResultError

with warnings.catch_warnings():  # tqdm's, in a notebook without ipywidgets
    warnings.simplefilter("ignore")
    import optuna

_ADVISORY_LOCK = 0x737364_7670  # "ssdvp", PostgreSQL's pg_try_advisory_lock


class Database:
    """Of one optimisation at a time: two would draw each other's trials."""

    def __init__(self, url: str) -> None:
        """ResultError if it cannot be used."""
        self._held: typing.Optional[typing.Any] = None
        try:
            self.name = sqlalchemy.engine.make_url(url).render_as_string(hide_password=True)
        except sqlalchemy.exc.ArgumentError as error:
            raise ResultError("the URL of the database cannot be read; write sqlite:///FILE or "
                              "postgresql://USER:PASSWORD@HOST/DATABASE") from error
        try:
            self.storage = _opened(url)
            self._held = _held(self.storage.engine)
        except Exception as error:  # of SQLAlchemy and of each driver under it
            raise ResultError(f"the database {self.name} cannot be used: {_reason(error)}"
                              ) from error
        if self._held is None:
            self.close()
            raise ResultError(f"another optimisation uses the database {self.name}; name another "
                              "one, or wait for its end")

    def close(self) -> None:
        if self._held is not None:
            self._held.close()
        self.storage.remove_session()
        self.storage.engine.dispose()

    @contextlib.contextmanager
    def in_use(self) -> typing.Iterator[None]:
        """What goes wrong with it inside is told as a ResultError."""
        try:
            yield
        except (sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
            raise ResultError(f"the database {self.name} failed: {_reason(error)}; what was done "
                              "before is kept: the same command goes on") from error


def _opened(url: str) -> optuna.storages.RDBStorage:
    """Of SQLite one that does not wait for the disk at each of a trial's many small changes: in its
    mode WAL it is sound after a loss of power, too, but for the last of them."""
    storage = optuna.storages.RDBStorage(url)
    if storage.engine.dialect.name == "sqlite":
        def quick(connection: typing.Any, _: object) -> None:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
        sqlalchemy.event.listen(storage.engine, "connect", quick)
        storage.engine.dispose()  # what is open already
    return storage


def _held(engine: typing.Any) -> typing.Optional[typing.Any]:
    """What keeps others out until it is closed, or this process ends; None if it is they who do."""
    if engine.dialect.name == "sqlite":
        file = open(engine.url.database, "rb")  # SQLite's own locks are of another kind (fcntl)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except OSError:
            file.close()
            return None
    if engine.dialect.name != "postgresql":
        raise ValueError("it is neither SQLite nor PostgreSQL")
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    asked = sqlalchemy.text(f"SELECT pg_try_advisory_lock({_ADVISORY_LOCK})")
    if connection.execute(asked).scalar():
        return connection
    connection.close()
    return None


def _reason(error: BaseException) -> str:
    """What the driver under SQLAlchemy said, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
