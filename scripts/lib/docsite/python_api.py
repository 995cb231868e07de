# SPDX-License-Identifier: Apache-2.0
"""docs/reference/python_api.md, from the sources of the package: signatures and docstrings. The
package is read, not imported, so nothing that it needs has to be there."""
import ast
import inspect
import pathlib
import re
import typing

from docsite.words import NOTE, cell

HEAD = """# Python API

Each name of the package `ssdvp`, from its docstrings. The guide is [python.md](../python.md).

"""
ROW = re.compile(r"(\w[\w, ]*?)(?:  +|: )(\S.*)")
ERRORS = "errors"  # the module of the exceptions
Function = ast.FunctionDef


def joined(lines: typing.Sequence[str]) -> typing.List[str]:
    """Lines that go on with the second column belong to the line before."""
    found: typing.List[str] = []
    for line in lines:
        if found and re.match(r" {6,}\S", line):
            found[-1] += " " + line.strip()
        else:
            found.append(line)
    return found


def is_table(lines: typing.Sequence[str]) -> bool:
    return "  " in lines[0].strip() and all(ROW.fullmatch(line) for line in lines)


def paragraphs(node: ast.AST) -> str:
    """A docstring as Markdown: a paragraph of aligned columns is a table, an indented one code."""
    out = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(ast.get_docstring(node) or "")):
        lines = joined(part.split("\n"))
        if is_table(lines):
            rows = (ROW.fullmatch(line) for line in lines)
            out.append("| argument | meaning |\n|---|---|\n" + "\n".join(
                f"| `{row[1]}` | {cell(row[2])} |" for row in rows if row))
        elif all(line.startswith("    ") for line in part.split("\n")):
            out.append("```python\n" + inspect.cleandoc(part) + "\n```")
        else:
            out.append(part)
    return "\n\n".join(out)


def parameter(argument: ast.arg, default: typing.Optional[ast.expr], stars: str = "") -> str:
    text = stars + argument.arg
    if argument.annotation:
        text += f": {ast.unparse(argument.annotation)}"
    if default is not None:
        text += f"{' = ' if argument.annotation else '='}{ast.unparse(default)}"
    return text


def parameters(node: Function) -> typing.List[str]:
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults: typing.List[typing.Optional[ast.expr]] = [None] * (len(plain) - len(a.defaults))
    found = [parameter(argument, default)
             for argument, default in zip(plain, [*defaults, *a.defaults])
             if argument.arg not in ("self", "cls")]
    if a.vararg:
        found.append(parameter(a.vararg, None, "*"))
    elif a.kwonlyargs:
        found.append("*")
    found += [parameter(*pair) for pair in zip(a.kwonlyargs, a.kw_defaults)]
    return found + ([parameter(a.kwarg, None, "**")] if a.kwarg else [])


def signature(name: str, node: Function) -> str:
    back = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    text = f"{name}({', '.join(parameters(node))}){back}"
    if len(text) > 90:
        text = f"{name}(\n    " + ",\n    ".join(parameters(node)) + f"){back}"
    return "```python\n" + text.replace("typing.", "") + "\n```"


def decorated(node: Function) -> typing.Set[str]:
    return {ast.unparse(decorator) for decorator in node.decorator_list}


def of_class(name: str, node: ast.ClassDef) -> str:
    bases = [ast.unparse(base) for base in node.bases]
    named = [f"`{base}`" for base in bases if re.fullmatch(r"[A-Z]\w+", base)]
    text = f"### {name}\n\n" + (f"A kind of {', '.join(named)}. " if named else "")
    text += paragraphs(node) + "\n"
    for member in node.body:
        if not isinstance(member, Function) or not ast.get_docstring(member):
            continue
        words = decorated(member)
        if member.name == "__init__":
            head = signature(name, member)
        elif member.name.startswith("_"):
            continue
        elif words & {"property", "functools.cached_property"}:
            back = f": {ast.unparse(member.returns)}" if member.returns else ""
            head = f"```python\n.{member.name}{back}\n```".replace("typing.", "")
        else:
            of = name if words & {"classmethod", "staticmethod"} else ""
            head = signature(f"{of}.{member.name}", member)
        text += f"\n{head}\n\n{paragraphs(member)}\n"
    return text


def homes(package: pathlib.Path) -> typing.Dict[str, str]:
    """Name -> module that has it, from the table of the package."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOME":
            return dict(sorted(ast.literal_eval(node.value).items()))
    raise ValueError("python/ssdvp/__init__.py has no table _HOME")


def definition(package: pathlib.Path, name: str, module: str) -> typing.Union[Function,
                                                                            ast.ClassDef]:
    path = package / (module.replace(".", "/") + ".py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (Function, ast.ClassDef)) and node.name == name:
            return node
    raise ValueError(f"{path} does not define {name}")


def page(root: pathlib.Path) -> str:
    package = root / "python/ssdvp"
    found = {name: definition(package, name, home) for name, home in homes(package).items()}
    text = NOTE + HEAD + "## Functions\n"
    for name, node in found.items():
        if isinstance(node, Function):
            text += f"\n### {name}\n\n{signature('ssdvp.' + name, node)}\n\n{paragraphs(node)}\n"
    for title, errors in (("Classes", False), ("Exceptions", True)):
        text += f"\n## {title}\n"
        for name, node in found.items():
            if isinstance(node, ast.ClassDef) and (homes(package)[name] == ERRORS) == errors:
                text += "\n" + of_class(name, node)
    return text
