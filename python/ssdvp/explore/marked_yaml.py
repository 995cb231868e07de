# SPDX-License-Identifier: Apache-2.0
"""YAML whose values know where they stand, so that an error names file, line and column."""
import os
import typing

import yaml

from ssdvp.errors import ConfigError

Path = typing.Tuple[typing.Union[str, int], ...]


class Document:
    """`data`: the file as plain Python."""

    def __init__(self, file: typing.Union[str, "os.PathLike[str]"]) -> None:
        self.file = os.fspath(file)
        self._marks: typing.Dict[Path, yaml.Mark] = {}
        try:
            with open(self.file, encoding="utf-8") as stream:
                text = stream.read()
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            self.data: typing.Any = self._plain(node, ()) if node is not None else None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
            raise ConfigError(f"{self.file}{where}: {error.problem}; this is no YAML") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"{self.file}: not text (byte {error.start})") from error
        except OSError as error:
            raise ConfigError(f"{self.file} cannot be read: {error.strerror}") from error

    def wrong(self, path: Path, text: str) -> ConfigError:
        """The error of the value at `path`: of the nearest one that is in the file."""
        while path and path not in self._marks:
            path = path[:-1]
        mark = self._marks.get(path)
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        return ConfigError(f"{self.file}{where}: {text}")

    def _plain(self, node: yaml.Node, path: Path) -> typing.Any:
        self._marks[path] = node.start_mark
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
        return yaml.SafeLoader("").construct_object(node)

    def _twice(self, key: str, node: yaml.Node) -> ConfigError:
        mark = node.start_mark
        return ConfigError(f"{self.file}:{mark.line + 1}:{mark.column + 1}: {key} is here twice")
