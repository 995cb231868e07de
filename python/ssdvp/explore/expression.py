# SPDX-License-Identifier: Apache-2.0
"""Conditions between keys: flash.channels * flash.luns_per_channel <= 32 and ftl.scheme != 'dftl'.

Python's syntax, of which names, numbers, texts, lists, arithmetic, comparisons, and, or, not and
in are allowed. A text that is a number with a unit counts as that number: '4MiB'. Names may end in
a percentile: host.read.latency_ns.p99.9."""
import ast
import operator
import re
import typing

from ssdvp.explore import values

_BINARY: typing.Dict[type, typing.Callable[[typing.Any, typing.Any], typing.Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow}
_COMPARE: typing.Dict[type, typing.Callable[[typing.Any, typing.Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b}
_UNARY: typing.Dict[type, typing.Callable[[typing.Any], typing.Any]] = {
    ast.Not: operator.not_, ast.USub: operator.neg, ast.UAdd: operator.pos}

# Python's names have no dot before a digit.
_PERCENTILE = re.compile(r"\.p([0-9]+)\.([0-9]+)\b")
_UNDERSCORED = re.compile(r"^p([0-9]+)_([0-9]+)$")

Lookup = typing.Callable[[str], values.Value]


class Expression:
    """ValueError if it cannot be read."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            python = _PERCENTILE.sub(r".p\1_\2", text.strip())
            self._tree = ast.parse(python, mode="eval").body
        except SyntaxError as error:
            raise ValueError(f"'{text}' is no condition: {error.msg}") from error
        self.names = tuple(dict.fromkeys(_names(self._tree, text)))

    def __call__(self, lookup: Lookup) -> typing.Any:
        """Its value; `lookup` knows the value of a key. ValueError where it has none."""
        try:
            return _value(self._tree, lookup)
        except (TypeError, ZeroDivisionError) as error:
            raise ValueError(f"'{self.text}' has no value here: {error}") from error


def _names(tree: ast.expr, text: str) -> typing.Iterator[str]:
    """Names in it; ValueError for what is not allowed."""
    name = _dotted(tree)
    if name is not None:
        yield name
        return
    allowed = (ast.BoolOp, ast.Compare, ast.BinOp, ast.UnaryOp, ast.Constant, ast.List, ast.Tuple)
    kinds = {*_BINARY, *_COMPARE, *_UNARY, ast.And, ast.Or, ast.Load}
    if not isinstance(tree, allowed):
        raise ValueError(f"'{text}' is no condition: {ast.unparse(tree)} is not allowed in it")
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr):
            yield from _names(child, text)
        elif type(child) not in kinds:
            raise ValueError(f"'{text}' is no condition: {type(child).__name__} is not allowed")


def _dotted(tree: ast.AST) -> typing.Optional[str]:
    if isinstance(tree, ast.Name):
        return tree.id
    if isinstance(tree, ast.Attribute):
        inner = _dotted(tree.value)
        last = _UNDERSCORED.sub(r"p\1.\2", tree.attr)
        return inner and f"{inner}.{last}"
    return None


def _plain(value: typing.Any) -> typing.Any:
    """Words stay words; true and false are texts, as the program writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    found = values.number(value) if isinstance(value, (str, int, float)) else None
    return value if found is None else found


def _value(tree: ast.AST, lookup: Lookup) -> typing.Any:
    name = _dotted(tree)
    if name is not None:
        return _plain(name if name in ("true", "false") else lookup(name))
    if isinstance(tree, ast.Constant):
        return _plain(tree.value)
    if isinstance(tree, (ast.List, ast.Tuple)):
        return [_value(item, lookup) for item in tree.elts]
    if isinstance(tree, ast.BoolOp):
        each = (_value(v, lookup) for v in tree.values)
        return all(each) if isinstance(tree.op, ast.And) else any(each)
    if isinstance(tree, ast.UnaryOp):
        return _UNARY[type(tree.op)](_value(tree.operand, lookup))
    if isinstance(tree, ast.BinOp):
        return _BINARY[type(tree.op)](_value(tree.left, lookup), _value(tree.right, lookup))
    assert isinstance(tree, ast.Compare)
    left = _value(tree.left, lookup)
    for compare, right_tree in zip(tree.ops, tree.comparators):
        right = _value(right_tree, lookup)
        if not _COMPARE[type(compare)](left, right):
            return False
        left = right
    return True
