# SPDX-License-Identifier: Apache-2.0
"""By what committed results are shaped, as a hash that they carry: a result whose hash is another
one today is stale.

By the experiment's code and the configurations that it names; comments, and code that all
experiments share (drawing, keeping), shape nothing. A change of the program shows in the figures of
quick runs, which the suite compares; full results keep those of their time (results.py)."""
import ast
import functools
import hashlib
import io
import json
import pathlib
import re
import tokenize
import typing

from . import kept

HERE = pathlib.Path(__file__).parent
SHARED = ("claims", "experiments", "figures", "grids", "kept", "overview", "pages", "pictures",
          "results", "runs", "schedule", "shaped", "work")

ENERGY = re.compile(r"^energy:\n(?: .*\n)*|^nand:\n  current:\n(?:    .*\n)*(?! )"
                    r"|^  current:\n(?:    .*\n)*", re.MULTILINE)


def digest(content: typing.Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=None)
def siblings(text: str) -> typing.Tuple[str, ...]:
    """Modules beside it that it imports: `from . import a, b`, `from .a import x`."""
    found: typing.List[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found += [node.module] if node.module else [name.name for name in node.names]
    return tuple(found)


def modules_of(name: str, found: typing.Optional[dict] = None) -> typing.Dict[str, str]:
    """The text of a module of an experiment, and of those that it is made of."""
    found = {} if found is None else found
    path = HERE / f"{name}.py"
    if name not in found and name not in SHARED and path.is_file():
        found[name] = path.read_text(encoding="utf-8")
        for other in siblings(found[name]):
            modules_of(other, found)
    return found


@functools.lru_cache(maxsize=None)
def code_of(text: str) -> str:
    """Without comments, docstrings and layout; the same by any version of Python."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            for row in range(first.lineno - 1, first.end_lineno or first.lineno):
                lines[row] = ""
    return " ".join(" ".join(lines).split())


@functools.lru_cache(maxsize=None)
def words_of(text: str) -> typing.Tuple[str, ...]:
    """Texts in it that may name a configuration."""
    return tuple({node.value for node in ast.walk(ast.parse(text))
                  if isinstance(node, ast.Constant) and isinstance(node.value, str)
                  and re.fullmatch(r"[\w./-]+", node.value)})


def configurations(text: str) -> typing.Dict[str, str]:
    """Files behind the words in it that name configurations, without comments."""
    named = (kept.CONFIGS / f"{word}.yaml" for word in words_of(text))
    return {str(path.relative_to(kept.CONFIGS.parent)): meaning(path)
            for config in named if config.is_file() for path in kept.behind(config)}


def meaning(path: pathlib.Path) -> str:
    """A configuration without comments and without what draws power: energy is counted beside a
    run, and no experiment tells of it."""
    if path.suffix != ".yaml":
        return kept.content_of(path)
    lines = (re.sub(r"(^|\s)#.*", "", line).rstrip()
             for line in path.read_text(encoding="utf-8").splitlines())
    text = "".join(f"{line}\n" for line in lines if line)
    return ENERGY.sub("", text)


def by(part: typing.Callable) -> str:
    texts = modules_of(part.__module__.rpartition(".")[2])
    files: typing.Dict[str, str] = {}
    for text in texts.values():
        files.update(configurations(text))
    return digest([{name: code_of(text) for name, text in texts.items()}, files])
