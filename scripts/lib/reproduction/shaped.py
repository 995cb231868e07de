# SPDX-License-Identifier: Apache-2.0
"""By what committed results are shaped, as a hash that they carry: a result whose hash is another
one today is stale.

Quick results: by the experiment's code and the configurations that it names. A change of the
program shows in their figures, which the suite compares. Full results, which no suite has the time
for: by the same, and by the figures of the quick run, in which such a change shows, too. Comments,
and code that all experiments share (drawing, keeping), shape none."""
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
    if path.suffix != ".yaml":
        return kept.content_of(path)
    lines = (re.sub(r"(^|\s)#.*", "", line).rstrip()
             for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(filter(None, lines))


def quick(part: typing.Callable) -> str:
    texts = modules_of(part.__module__.rpartition(".")[2])
    files: typing.Dict[str, str] = {}
    for text in texts.values():
        files.update(configurations(text))
    return digest([{name: code_of(text) for name, text in texts.items()}, files])


def full(part: typing.Callable, quick_figures: typing.Mapping[str, typing.Any]) -> str:
    """`quick_figures`: the claims of the committed quick run."""
    return digest([quick(part), quick_figures])
