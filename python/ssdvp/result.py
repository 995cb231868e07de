# SPDX-License-Identifier: Apache-2.0
"""What a run has written, read when it is asked for."""
import os
import pathlib
import typing

from ssdvp import extras
from ssdvp.errors import ResultError
from ssdvp.report import folder, resolved
from ssdvp.report.csv_file import open_text
from ssdvp.report.refused import Refused
from ssdvp.summary import Section

if typing.TYPE_CHECKING:
    import pandas
    import polars

# Name of a frame -> its file, beside the names that an option may have given it.
FRAMES = {"latencies": "latency.csv", "latency_parts": "latency_parts.csv", "series": "series.csv",
          "worst": "worst.csv", "worst_meanwhile": "worst_meanwhile.csv", "wear": "wear.csv",
          "requests": "requests.csv"}
_BY_OPTION = {"series": "--series", "worst": "--worst", "worst_meanwhile": "--worst",
              "wear": "--wear", "requests": "--requests-log"}
_PACKED = ("", ".zst", ".gz")
_PARQUET = ".parquet"


class Result:
    """A folder of results. The sections of summary.json are its attributes: r.host.read.iops."""

    def __init__(self, path: typing.Union[str, "os.PathLike[str]"]) -> None:
        self.path = pathlib.Path(path)
        try:
            self.summary = Section(folder.read_summary(str(self.path)))
        except Refused as refused:
            raise ResultError(str(refused)) from refused

    @classmethod
    def load(cls, path: typing.Union[str, "os.PathLike[str]"]) -> "Result":
        """Of a folder that `ssdvp run --out` has written. Raises ResultError for any other."""
        return cls(path)

    def __getattr__(self, name: str) -> typing.Any:
        if name.startswith("_") or name == "summary":
            raise AttributeError(name)
        return getattr(self.summary, name)

    def __dir__(self) -> typing.List[str]:
        return [*super().__dir__(), *dir(self.summary)]

    def __getitem__(self, pointer: str) -> typing.Any:
        """r["host.read.latency_ns.p99.9"]"""
        found = self.summary.at(pointer)
        if found is None:
            raise KeyError(f"{self.path / 'summary.json'} has no {pointer}")
        return found

    @property
    def config(self) -> typing.Dict[str, str]:
        """Every key of the configuration with its value as text."""
        file = self.path / "config.resolved.yaml"
        try:
            return dict(resolved.flatten(open_text(str(file))))
        except Refused as refused:
            raise ResultError(str(refused)) from refused

    # Tables. A run writes `series`, `worst`, `wear` and `requests` when it is asked to.
    @property
    def latencies(self) -> "pandas.DataFrame":
        """kind, from_ns, to_ns, count: how many requests took how long."""
        return self.frame("latencies")

    @property
    def latency_parts(self) -> "pandas.DataFrame":
        """What the latencies consist of, from the shortest to the longest."""
        return self.frame("latency_parts")

    @property
    def series(self) -> "pandas.DataFrame":
        """Rates, latencies, free space, load and power, a row per piece of time."""
        return self.frame("series")

    @property
    def worst(self) -> "pandas.DataFrame":
        """The slowest requests, slowest first, with what they waited for."""
        return self.frame("worst")

    @property
    def worst_meanwhile(self) -> "pandas.DataFrame":
        """What LUN and channel of each of them did while it waited."""
        return self.frame("worst_meanwhile")

    @property
    def wear(self) -> "pandas.DataFrame":
        """Erases of each block of the part at the end."""
        return self.frame("wear")

    @property
    def requests(self) -> "pandas.DataFrame":
        """A row per request."""
        return self.frame("requests")

    @typing.overload
    def frame(self, name: str) -> "pandas.DataFrame": ...

    @typing.overload
    def frame(self, name: str, library: typing.Literal["pandas"]) -> "pandas.DataFrame": ...

    @typing.overload
    def frame(self, name: str, library: typing.Literal["polars"]) -> "polars.DataFrame": ...

    def frame(self, name: str, library: str = "pandas") -> typing.Any:
        """A table by its name in FRAMES, by pandas or polars. Its columns are those of the file,
        docs/results.md lists them."""
        file = self._file(name)
        if library == "pandas":
            import pandas
            return (pandas.read_parquet if file.suffix == _PARQUET else pandas.read_csv)(file)
        if library == "polars":
            extras.need("polars")
            import polars
            if file.suffix == _PARQUET:
                return polars.read_parquet(file)
            return polars.read_csv(file, infer_schema_length=None)
        raise ValueError(f"no library {library!r} for frames; there are pandas and polars")

    def _file(self, name: str) -> pathlib.Path:
        if name not in FRAMES:
            raise ValueError(f"no table {name!r}; there are {', '.join(FRAMES)}")
        whole = self.path / FRAMES[name]
        packed = [whole.with_name(whole.name + ending) for ending in _PACKED]
        for file in (*packed, whole.with_suffix(_PARQUET)):
            if file.is_file():
                return file
        asked = f"; run it with {_BY_OPTION[name]}" if name in _BY_OPTION else ""
        raise ResultError(f"{self.path} has no {FRAMES[name]}{asked}")

    def to_report(self, out: typing.Union[str, "os.PathLike[str]", None] = None) -> pathlib.Path:
        """Makes the page of docs/report.md, and returns its path."""
        return report(self, out=out)

    def __repr__(self) -> str:
        return f"Result({str(self.path)!r})"

    def __str__(self) -> str:
        from ssdvp import display
        return display.line(self)

    def _repr_html_(self) -> str:
        from ssdvp import display
        return display.result(self)


def report(*results: Result,
           out: typing.Union[str, "os.PathLike[str]", None] = None) -> pathlib.Path:
    """A page of one result, or of several beside each other. An earlier report at the same place is
    replaced; anything else is not (ResultError)."""
    from ssdvp.report.__main__ import make
    try:
        return pathlib.Path(make([str(r.path) for r in results],
                                 os.fspath(out) if out is not None else None))
    except Refused as refused:
        raise ResultError(str(refused)) from refused


