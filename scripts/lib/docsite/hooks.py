# SPDX-License-Identifier: Apache-2.0
"""Where mkdocs asks the modules beside this one."""
import pathlib
import re
import typing

from mkdocs.structure.files import File, Files, InclusionLevel

from docsite import navigation, outside

KEY = re.compile(r"(?<=<td><code>)[\w.\[\]-]{16,}(?=</code>)")
CODE = re.compile(r"<code>([^<]*)</code>")
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
PICTURE = re.compile(r'<img [^>]*src="([^"]+)"[^>]*>(?!\s*</a>)')
ROOT = pathlib.Path(__file__).resolve().parents[3]


def on_config(config: typing.Any) -> typing.Any:
    index = pathlib.Path(config.docs_dir) / "README.md"
    config.nav = navigation.navigation(index.read_text(encoding="utf-8"))
    nav_uris(config.nav)
    return config


def nav_uris(entries: typing.List[navigation.Entry]) -> None:
    """Pages outside of docs/ by their place among the site's sources."""
    for i, item in enumerate(entries):
        if isinstance(item, str):
            entries[i] = outside.uri(ROOT, outside.resolved("docs/README.md", item))
        else:
            (title, value), = item.items()
            if isinstance(value, list):
                nav_uris(value)
            else:
                item[title] = outside.uri(ROOT, outside.resolved("docs/README.md", value))


def on_files(files: Files, config: typing.Any) -> Files:
    pages = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    for path, text in outside.wanted(ROOT, pages).items():
        made = File.generated(config, outside.uri(ROOT, path), content=text,
                              inclusion=InclusionLevel.NOT_IN_NAV)
        made.of_project = path
        files.append(made)
    return files


def on_page_markdown(markdown: str, page: typing.Any, **_: typing.Any) -> str:
    path = getattr(page.file, "of_project", f"docs/{page.file.src_uri}")
    return outside.rewritten(ROOT, path, markdown)


def on_page_content(html: str, **_: typing.Any) -> str:
    """Where long keys in tables may break, and that options do not break behind their hyphens;
    pictures lead to themselves, for small screens."""
    html = PICTURE.sub(r'<a href="\1">\g<0></a>', html)
    html = KEY.sub(lambda found: re.sub(r"([._])", r"\1<wbr>", found[0]), html)
    return CODE.sub(lambda found: OPTION.sub(r'<span class="whole">\g<0></span>', found[0]), html)
