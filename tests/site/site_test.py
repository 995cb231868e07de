#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the site by themselves: each finds what is wrong. Usage: site_test.py ROOT"""
import os
import pathlib
import re
import sys
import tempfile
import time
import unittest

import markdown

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(ROOT / "scripts/lib"), str(ROOT / "tests/lint")]
# pylint: disable=wrong-import-position
from docsite import architecture, check, command_line, commands, diagram  # noqa: E402
from docsite import dialect, hooks, navigation, outside, python_api, rooms  # noqa: E402
import layers  # noqa: E402


class Scratch(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.d = pathlib.Path(self.held.name)
        self.addCleanup(self.held.cleanup)

    def put(self, path, text):
        (self.d / path).parent.mkdir(parents=True, exist_ok=True)
        (self.d / path).write_text(text, encoding="utf-8")


class Links(Scratch):
    def wrong(self, body, *more):
        self.put("a.html", body)
        self.put("sub/b.html", '<h2 id="there">x</h2><a href="../a.html">up</a>')
        for path, text in more:
            self.put(path, text)
        return check.check(self.d)[1]

    def test_what_is_right(self):
        self.assertEqual(self.wrong('<a href="sub/b.html#there"></a><a href="#here" id="here"></a>'
                                    '<a href="https://example.org/x">out</a>'
                                    '<img src="data:image/png;base64,AA">'), [])

    def test_what_is_wrong(self):
        for body, says in (
                ('<a href="sub/c.html">x</a>', "leads nowhere"),
                ('<a href="sub/b.html#gone">x</a>', "no such anchor"),
                ('<a href="#gone">x</a>', "no such anchor"),
                ('<a href="sub/">x</a>', "is a folder"),
                ('<a href="../outside.html">x</a>', "leads nowhere"),
                ('<img src="no.png">', "leads nowhere"),
                ('<script src="https://example.org/x.js"></script>', "from elsewhere"),
                ('<link rel="stylesheet" href="//example.org/x.css">', "from elsewhere")):
            found = self.wrong(body)
            self.assertEqual(len(found), 1, f"{body}: {found}")
            self.assertIn(says, found[0])
            self.assertTrue(found[0].startswith("a.html: "), found)

    def test_styles(self):
        found = self.wrong("", ("x.css", "@import url(https://example.org/f.css); a{}"),
                           ("y.css", "/* url(https://example.org) */ b{background:url(p.png)}"))
        self.assertEqual(found, ["x.css: https://example.org/f.css comes from elsewhere"])

    def test_nothing(self):
        self.assertIn("has no page", check.check(self.d)[1][0])


class Navigation(unittest.TestCase):
    def test_sections_groups_and_pages(self):
        self.assertEqual(navigation.navigation(
            "# Docs\n\nText with a [link](no.md).\n\n## A\n\n- [One](one.md): what\n"
            "### Group\n\n| [two.md](two.md) | x |\n- [web](https://example.org)\n"
            "## Nothing\n\ntext\n"),
            [{"Home": "README.md"}, {"A": [{"One": "one.md"}, {"Group": ["two.md"]}]}])


class Dialect(unittest.TestCase):
    """Pages read as on a code host."""

    def html(self, text):
        html = markdown.markdown(text, extensions=["docsite.dialect", "tables"])
        return re.sub(r"\s+", " ", html)

    def test_two_spaces_are_enough_in_a_list(self):
        self.assertEqual(self.html("- a\n  - b\n- c\n"),
                         "<ul> <li>a<ul> <li>b</li> </ul> </li> <li>c</li> </ul>")
        found = self.html("- a\n\n  | x |\n  |---|\n  | 1 |\n\n  more\n- b\n")
        self.assertIn("<td>1</td>", found)
        self.assertIn("<p>more</p> </li> <li> <p>b</p>", found)

    def test_a_list_needs_no_blank_line_before_it(self):
        self.assertEqual(self.html("text:\n- a\n- b\n"),
                         "<p>text:</p> <ul> <li>a</li> <li>b</li> </ul>")
        self.assertEqual(self.html("1980 - 2020 -\nand 2021.\n2. no list"),
                         "<p>1980 - 2020 - and 2021. 2. no list</p>")

    def test_anchors(self):
        for heading, anchor in (("run.until: `steady`", "rununtil-steady"),
                                ("How to add ...", "how-to-add-"), ("A - b_c", "a---b_c")):
            self.assertEqual(dialect.slug(heading, "-"), anchor)


class Content(unittest.TestCase):
    """What is done to the HTML of pages."""

    def test_lines_break_where_they_may(self):
        self.assertEqual(hooks.on_page_content("<p><code>run a-b --set-x y -v</code> --z</p>"),
                         '<p><code>run a-b <span class="whole">--set-x</span> y '
                         '<span class="whole">-v</span></code> --z</p>')
        self.assertEqual(hooks.on_page_content("<td><code>workload.queue_depth</code></td>"),
                         "<td><code>workload.<wbr>queue_<wbr>depth</code></td>")

    def test_pictures_lead_to_themselves(self):
        picture = '<img alt="x" src="p.png">'
        linked = f'<a href="p.png">{picture}</a>'
        self.assertEqual(hooks.on_page_content(picture), linked)
        self.assertEqual(hooks.on_page_content(linked), linked)


class Outside(Scratch):
    def setUp(self):
        super().setUp()
        self.put("docs/a.md", "[s](../src/x.c) [b](b.md#h) [d](../src) [u](https://e.org) "
                 "[n](n.md)\n"
                 "```\n[s](../src/x.c)\n```\n")
        self.put("docs/b.md", "# b\n")
        self.put("src/x.c", "int x;\n")
        self.put("MORE.md", "[a](docs/a.md)\n\n[ref]: src/x.c\n")

    def test_links_are_rewritten_but_in_code(self):
        text = (self.d / "docs/a.md").read_text(encoding="utf-8")
        self.assertEqual(outside.rewritten(self.d, "docs/a.md", text),
                         "[s](project/src/x.c.md) [b](b.md#h) [d](project/src.md) "
                         "[u](https://e.org) [n](n.md)\n```\n[s](../src/x.c)\n```\n")
        self.assertEqual(outside.rewritten(self.d, "MORE.md", "[a](docs/a.md)\n\n[ref]: src/x.c\n"),
                         "[a](../a.md)\n\n[ref]: src/x.c.md\n")

    def test_pages_of_what_is_linked(self):
        found = outside.wanted(self.d, ["docs/a.md"])
        self.assertEqual(set(found), {"src/x.c", "src"})
        self.assertIn("````c\nint x;\n````", found["src/x.c"])
        self.assertTrue(found["src/x.c"].startswith(outside.UNSOUGHT))
        self.assertIn("[x.c](src/x.c)", found["src"])


class Written(unittest.TestCase):
    HELP = ("about\nUsage: x [OPTIONS]\n\nOptions:\n"
            "  -h,--help                   Print this help message and exit\n"
            "  --out DIR                   folder\n"
            "  --worst K:INT in [1 - 100]  how many\n"
            "  --window requests=A..B|time=T..T Needs: --timeline\n"
            "                              what is shown\n"
            "  --unix PATH Excludes: --tcp listen\n")

    def test_help(self):
        self.assertEqual(command_line.rows(self.HELP)["Options"][1:], [
            ["--out DIR", "folder"], ["--worst K", "how many (1 to 100)"],
            ["--window requests=A..B|time=T..T", "what is shown (with --timeline)"],
            ["--unix PATH", "listen (not with --tcp)"]])
        table = command_line.table("option", command_line.rows(self.HELP)["Options"])
        self.assertIn("| `--window requests=A..B\\|time=T..T` | what is shown", table)
        self.assertNotIn("--help", table)

    def test_signatures_and_docstrings(self):
        node = python_api.ast.parse(
            'def f(self, a: int, *b: str, c: "x" = 1, **d) -> typing.List[int]:\n'
            '    """What it does.\n\n    a     first,\n           and more\n    c, d  others\n\n'
            '        f(1)\n    """\n').body[0]
        self.assertEqual(python_api.signature("m.f", node), "```python\nm.f(a: int, *b: str, "
                         "c: 'x' = 1, **d) -> List[int]\n```")
        self.assertEqual(python_api.paragraphs(node), "What it does.\n\n| argument | meaning |\n"
                         "|---|---|\n| `a` | first, and more |\n| `c, d` | others |\n\n"
                         "```python\nf(1)\n```")


class Architecture(unittest.TestCase):
    """The block diagram shows what there is."""

    def test_every_model_is_a_block(self):
        listed = re.search(r"foreach\(block ([^)]*)\)",
                           (ROOT / "models/CMakeLists.txt").read_text(encoding="utf-8"))[1].split()
        parts = [f"flash/{path.parent.name}" for path in ROOT.glob("models/flash/*/*.h")]
        drawn = {model for block in architecture.whole().all() for model in block.models}
        self.assertEqual(drawn, {*listed, *parts} - {"common", "protocols"})
        layers = {block.name for block in architecture.firmware().all()} - {"firmware"}
        self.assertLessEqual(layers, {path.name for path in ROOT.glob("firmware/*/")})

    def test_blocks_lie_within_theirs_and_beside_others(self):
        whole = architecture.whole()
        diagram.svg("", whole, architecture.WIRES, architecture.WIDTH)
        for block in whole.all():
            inner = [one for row in block.rows for one in row]
            for one in inner:
                self.assertGreaterEqual(min(one.x - block.x, one.y - block.y), diagram.PAD)
                self.assertGreaterEqual(min(block.x + block.width - one.x - one.width,
                                            block.y + block.height - one.y - one.height),
                                        diagram.PAD - 1e-6, one.name)
            for row in block.rows:
                for left, right in zip(row, row[1:]):
                    self.assertGreaterEqual(right.x - left.x - left.width, diagram.GAP - 1e-6)

    def test_wires_lead_from_edge_to_edge(self):
        whole = diagram.Block("", rows=[[diagram.Block("a", "a"), diagram.Block("b", "b")],
                                        [diagram.Block("c", "c", several=True)]])
        drawn = diagram.svg("x", whole, [diagram.Wire(("a", "b")),
                                         diagram.Wire(("b", "c"), right="<d>")], 130)
        # Blocks are 50 wide and 32 high, from 10 on, 10 apart.
        self.assertIn('d="M60 26H70"', drawn)
        self.assertIn('d="M91 44V66"', drawn)  # the middle of what b (70..120) and c (..112) share
        self.assertIn(">&lt;d&gt;</text>", drawn)


class Rooms(unittest.TestCase):
    """The picture of the folders is as the lint says who may include whom."""

    def test_a_folder_stands_above_those_that_it_includes(self):
        whole = rooms.whole()
        diagram.svg("", whole, (), rooms.WIDTH)
        for frame, includes in ((rooms.firmware, layers.FIRMWARE),
                                (rooms.platform, layers.PLATFORM)):
            top = next(block for block in whole.all() if block.name == frame().name)
            place = {block.name: block for block in top.all() if block is not top}
            self.assertEqual(set(place), {path.name for path in ROOT.glob(f"{top.name}/*/")})
            for folder, others in includes.items():
                for other in others:
                    self.assertLess(place[folder].y, place[other].y, f"{folder}, {other}")

    def test_the_page_tells_of_each_folder(self):
        page = (ROOT / "docs/explanation/rooms.md").read_text(encoding="utf-8")
        for name in (*layers.FIRMWARE, *layers.PLATFORM):
            self.assertRegex(page, rf"(?m)^\|.*`{name}`")


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z"
    except OSError:
        return False


class Commands(Scratch):
    def test_a_command_that_fails_is_told(self):
        program = self.d / "build/ssdvp"
        self.put("build/ssdvp", "#!/bin/sh\necho ran >ran\n")
        program.chmod(0o755)
        for body, says in (("build/release/ssdvp\ntest -f ran", None),
                           ("false", "exit code 1"), ("ls no-such | cat", "exit code 2"),
                           ("build/release/ssdvp --out out/x", "out/x was not written")):
            self.put("page.md", f"text\n\n```sh\n{body}\n```\n\n```\nfalse\n```\n")
            with tempfile.TemporaryDirectory() as folder:
                said = commands.run(self.d / "page.md", ROOT, program, pathlib.Path(folder))
            self.assertEqual(said is None, says is None, said)
            self.assertIn(says or "", said or "")

    def test_nothing_stays_in_the_background(self):
        ended, said = commands.execute("sleep 100 & echo $!; false", self.d, dict(os.environ))
        self.assertEqual(ended, "exit code 1")
        until = time.monotonic() + 10
        while is_running(said.strip()):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
