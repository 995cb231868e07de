# SPDX-License-Identifier: Apache-2.0
"""Conditions between keys: flash.channels * flash.luns_per_channel <= 32 and ftl.scheme != 'dftl'.

Python's syntax, of which names, numbers, texts, lists, arithmetic, comparisons, and, or, not and
in are allowed. A text that is a number with a unit counts as that number: '4MiB'; true and false
are truth values, of which alone a condition and what and, or, not join may consist. Names may end
in a percentile: host.read.latency_ns.p99.9."""
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
    ast.USub: operator.neg, ast.UAdd: operator.pos}

# Python's names have no dot before a digit.
_PERCENTILE = re.compile(r"\.p([0-9]+)\.([0-9]+)\b")
_UNDERSCORED = re.compile(r"^p([0-9]+)_([0-9]+)$")

_LONGEST = 10_000  # characters
_DEEPEST = 100     # of what stands in each other; Python ends at some hundreds
Lookup = typing.Callable[[str], values.Value]


class Expression:
    """ValueError if it cannot be read."""

    def __init__(self, text: str) -> None:
        self.text = text if len(text) <= 80 else text[:76] + " ..."
        self._tree = _parsed(text, self.text)
        self.names = tuple(dict.fromkeys(_names(self._tree, self.text)))

    def __call__(self, lookup: Lookup) -> typing.Any:
        """Its value; `lookup` knows the value of a key. ValueError where it has none."""
        try:
            return _value(self._tree, lookup)
        except (TypeError, ArithmeticError) as error:
            raise ValueError(f"'{self.text}' has no value here: {error}") from error

    def holds(self, lookup: Lookup) -> bool:
        """Of a condition. ValueError where it is neither true nor false."""
        value = self(lookup)
        if not isinstance(value, bool):
            raise ValueError(f"'{self.text}' is no condition: its value is {_told(value)}, neither "
                             "true nor false")
        return value


def _parsed(text: str, told: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ValueError(f"'{told}' is no condition: it has {len(text)} characters, at most "
                         f"{_LONGEST}")
    try:
        tree = ast.parse(_PERCENTILE.sub(r".p\1_\2", text.strip()), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"'{told}' is no condition: {error.msg}") from error
    except ValueError as error:  # of a letter that no program may have
        raise ValueError(f"'{told}' is no condition: {error}") from error
    except (RecursionError, MemoryError) as error:  # MemoryError: of the parser's own stack
        raise ValueError(f"'{told}' is no condition: it is nested too deep") from error
    level: typing.List[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise ValueError(f"'{told}' is no condition: it is nested deeper than {_DEEPEST}")
    return tree


def _names(tree: ast.expr, text: str) -> typing.Iterator[str]:
    """Names in it; ValueError for what is not allowed."""
    name = _dotted(tree)
    if name is not None:
        yield name
        return
    allowed = (ast.BoolOp, ast.Compare, ast.BinOp, ast.UnaryOp, ast.Constant, ast.List, ast.Tuple)
    kinds = {*_BINARY, *_COMPARE, *_UNARY, ast.Not, ast.And, ast.Or, ast.Load}
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
    return values.typed(value) if isinstance(value, (str, int, float)) else value


def _told(value: typing.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _truth(value: typing.Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{_told(value)} is neither true nor false; compare it with something")
    return value


def _no_truth(*found: typing.Any) -> None:
    """A truth value beside a number or a word: it is no 1, and no 'on'."""
    truth = next((v for v in found if isinstance(v, bool)), None)
    if truth is not None:
        raise TypeError(f"{_told(truth)} stands beside what is neither true nor false")


def _value(tree: ast.AST, lookup: Lookup) -> typing.Any:
    name = _dotted(tree)
    if name is not None:
        return _plain(name if name in ("true", "false") else lookup(name))
    if isinstance(tree, ast.Constant):
        return _plain(tree.value)
    if isinstance(tree, (ast.List, ast.Tuple)):
        return [_value(item, lookup) for item in tree.elts]
    if isinstance(tree, ast.BoolOp):
        each = (_truth(_value(v, lookup)) for v in tree.values)
        return all(each) if isinstance(tree.op, ast.And) else any(each)
    if isinstance(tree, ast.UnaryOp):
        operand = _value(tree.operand, lookup)
        if isinstance(tree.op, ast.Not):
            return not _truth(operand)
        _no_truth(operand)
        return _UNARY[type(tree.op)](operand)
    if isinstance(tree, ast.BinOp):
        left, right = _value(tree.left, lookup), _value(tree.right, lookup)
        _no_truth(left, right)
        return _BINARY[type(tree.op)](left, right)
    assert isinstance(tree, ast.Compare)
    left = _value(tree.left, lookup)
    for compare, right_tree in zip(tree.ops, tree.comparators):
        right = _value(right_tree, lookup)
        if isinstance(left, bool) != isinstance(right, bool) and not isinstance(right, list):
            _no_truth(left, right)
        if not _COMPARE[type(compare)](left, right):
            return False
        left = right
    return True
