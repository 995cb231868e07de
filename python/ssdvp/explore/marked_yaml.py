# SPDX-License-Identifier: Apache-2.0
"""YAML whose values know where they stand, so that an error names file, line and column."""
import os
import typing

import yaml

from ssdvp.errors import ConfigError

Path = typing.Tuple[typing.Union[str, int], ...]
_LONGEST = 16 << 20  # bytes
_MOST = 100_000      # values; an alias counts as all that it stands for


class Document:
    """`data`: the file as plain Python."""

    def __init__(self, file: typing.Union[str, "os.PathLike[str]"]) -> None:
        self.file = os.fspath(file)
        self._marks: typing.Dict[Path, yaml.Mark] = {}
        self._values = 0
        try:
            node = yaml.compose(self._text(), Loader=yaml.SafeLoader)
            self.data: typing.Any = self._plain(node, ()) if node is not None else None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
            raise ConfigError(f"{self.file}{where}: {error.problem}; this is no YAML") from error
        except yaml.YAMLError as error:  # a letter that YAML has not
            told = str(error).splitlines()[0]
            raise ConfigError(f"{self.file}: {told}; this is no YAML") from error
        except RecursionError as error:
            raise ConfigError(f"{self.file}: it is nested too deep") from error

    def _text(self) -> str:
        try:
            with open(self.file, encoding="utf-8") as stream:
                text = stream.read(_LONGEST + 1)
        except UnicodeDecodeError as error:
            raise ConfigError(f"{self.file}: not text (byte {error.start})") from error
        except OSError as error:
            raise ConfigError(f"{self.file} cannot be read: {error.strerror}") from error
        if len(text) > _LONGEST:
            raise ConfigError(f"{self.file}: longer than {_LONGEST >> 20} MiB; this is no space")
        return text

    def wrong(self, path: Path, text: str) -> ConfigError:
        """The error of the value at `path`: of the nearest one that is in the file."""
        while path and path not in self._marks:
            path = path[:-1]
        mark = self._marks.get(path)
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        return ConfigError(f"{self.file}{where}: {text}")

    def _plain(self, node: yaml.Node, path: Path) -> typing.Any:
        self._marks[path] = node.start_mark
        self._values += 1
        if self._values > _MOST:
            raise self.wrong(path, f"more than {_MOST:,} values, with those of aliases")
        if isinstance(node, yaml.MappingNode):
            found: typing.Dict[str, typing.Any] = {}
            for key_node, value_node in node.value:
                key = str(key_node.value)
                if key in found:
                    raise self._twice(key, key_node)
                found[key] = self._plain(value_node, (*path, key))
                self._marks[(*path, key)] = key_node.start_mark
            return found
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, (*path, i)) for i, item in enumerate(node.value)]
        try:
            return yaml.SafeLoader("").construct_object(node)
        except ValueError as error:  # a number of thousands of digits, the 30th of February
            raise self.wrong(path, f"this is no value: {error}") from error

    def _twice(self, key: str, node: yaml.Node) -> ConfigError:
        mark = node.start_mark
        return ConfigError(f"{self.file}:{mark.line + 1}:{mark.column + 1}: {key} is here twice")
