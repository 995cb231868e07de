# SPDX-License-Identifier: Apache-2.0
"""Progress bars: tqdm's, in terminals and notebooks."""
import contextlib
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
    return "ipykernel" in sys.modules or sys.stderr.isatty()


class _Bar:
    def __init__(self, name: str) -> None:
        from tqdm.auto import tqdm
        self._bar = tqdm(total=100, desc=name, leave=False,
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
