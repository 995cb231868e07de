# SPDX-License-Identifier: Apache-2.0
"""Progress bars: tqdm's, in terminals and notebooks."""
import contextlib
import importlib.util
import sys
import typing

from ssdvp.process import Progress

Tell = typing.Callable[[Progress], None]


@contextlib.contextmanager
def showing(wanted: typing.Union[bool, None, Tell],
            name: str) -> typing.Iterator[typing.Optional[Tell]]:
    """What is to be called with the progress of a run; None where nobody looks."""
    if callable(wanted):
        yield wanted
    elif wanted or (wanted is None and somebody_looks()):
        with _Bar(name) as bar:
            yield bar
    else:
        yield None


def somebody_looks() -> bool:
    return in_notebook() or sys.stderr.isatty()


def in_notebook() -> bool:
    return "ipykernel" in sys.modules


def tqdm() -> typing.Any:
    """A widget in notebooks that have ipywidgets; a line of text elsewhere, without a warning."""
    if in_notebook() and importlib.util.find_spec("ipywidgets"):
        from tqdm.notebook import tqdm as of_notebooks
        return of_notebooks
    from tqdm import tqdm as of_text
    return of_text


class _Bar:
    def __init__(self, name: str) -> None:
        self._bar = tqdm()(total=100, desc=name, leave=False,
                         bar_format="{desc} {percentage:3.0f} % |{bar}| {postfix}")
        self._name = name

    def __call__(self, progress: Progress) -> None:
        self._bar.set_description_str(f"{self._name}: {progress.phase}", refresh=False)
        self._bar.set_postfix_str(progress.facts, refresh=False)
        self._bar.n = round(progress.share * 100)
        self._bar.refresh()

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
