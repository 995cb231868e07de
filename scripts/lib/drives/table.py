# SPDX-License-Identifier: Apache-2.0
"""The public figures of drives: figures.csv, a line each."""
import csv
import dataclasses
import pathlib
import typing

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "figures.csv"
JOBS = HERE / "jobs"
KINDS = ("typical", "up to")
UNITS = ("MB/s", "IOPS", "us", "W", "%")
STATES = ("fresh", "filled", "steady", "50 % full", "90 % full")


class BadTable(Exception):
    """A line of the table that says too little or what nobody understands."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """What a data sheet says. `job`: the file in jobs/. `depth`, `jobs`: as the data sheet has
    them. `state`: of the drive before. `reason`: why the simulation may differ by more."""
    drive: str
    job: str
    unit: str
    value: float
    kind: str
    depth: int
    jobs: int
    state: str
    source: str
    reason: str

    @property
    def run(self) -> typing.Tuple[str, str, int, int, str]:
        """Figures with the same one come from one run."""
        return self.drive, self.job, self.depth, self.jobs, self.state

    @property
    def title(self) -> str:
        if self.unit == "%":
            return "length of the SLC cache"
        if self.job.startswith(("burst-", "cache-")):
            kind = "random" if "random" in self.job else "sequential"
            return f"{kind} write {'in' if self.job.startswith('burst-') else 'past'} the cache"
        return self.job.replace("-", " ") + (", power" if self.unit == "W" else "")


def wrong(figure: Figure) -> str:
    """What is wrong with a line of the table, or nothing."""
    if not (JOBS / f"{figure.job}.fio").is_file():
        return f"there is no job {figure.job}"
    for value, choices in ((figure.kind, KINDS), (figure.unit, UNITS), (figure.state, STATES)):
        if value not in choices:
            return f"'{value}' is none of {', '.join(choices)}"
    if figure.value <= 0 or figure.depth < 1 or figure.jobs < 1:
        return "value, depth and jobs are above 0"
    return "" if figure.source else "a figure has a source"


def figure_of(row: typing.Dict[str, str]) -> Figure:
    return Figure(row["drive"], row["job"], row["unit"], float(row["value"]), row["kind"],
                  int(row["depth"]), int(row["jobs"]), row["state"], row["source"],
                  row["reason"])


def read(path: pathlib.Path = TABLE) -> typing.List[Figure]:
    figures: typing.List[Figure] = []
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        for row in reader:
            try:
                figure = figure_of(row)
            except (KeyError, TypeError, ValueError) as error:
                raise BadTable(f"{path.name}:{reader.line_num}: {error}") from error
            said = wrong(figure)
            if not said and any((figure.run, figure.unit) == (f.run, f.unit) for f in figures):
                said = "the same figure again"
            if said:
                raise BadTable(f"{path.name}:{reader.line_num}: {said}")
            figures.append(figure)
    return figures
