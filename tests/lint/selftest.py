# SPDX-License-Identifier: Apache-2.0
"""Each rule of the lint against a snippet that keeps it and one that breaks it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import docs
import doors
import format as formatting
import layers
import programs
import source
import state
import style

SPDX = "// " + style.SPDX + "\n"


class Case(unittest.TestCase):
    def tree(self, files):
        """A project of a few files in a temporary folder, until the test ends: its root."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in files.items():
            full = os.path.join(folder.name, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return folder.name


    def need(self, program, package):
        """What cannot be checked is not known to be right."""
        self.assertIsNotNone(shutil.which(program), f"{program} is missing: package {package}, "
                                                    "which scripts/test installs")


def rules(findings):
    return {f.rule for f in findings}


class Scanner(Case):
    def names(self, text):
        return [(f.name, f.parameters) for f in source.functions(text)[0]]

    def test_shapes_of_functions(self):
        text = """
namespace a { namespace {
struct fw* fw_make(int a, char b) { return 0; }
class c final : public base<int, 3> {
public:
    c(int a, int b) : base{a}, m_x{b, {1, 2}}, m_y(3) { go(); }
    explicit c(int a) noexcept : m_x{a} {}
    [[nodiscard]] bool f() const noexcept override { if (x) { y(); } return true; }
    auto g(std::map<int, int> m) -> int { return [&](int q, int r) { return q; }(1, 2); }
    bool operator==(const c& o) const { return false; }
    void operator()(int a, int b, int c) { }
    int m_x = {3};
    std::array<int, 2> m_y{{1, 2}};
};
template <typename T = int> T h(T a, void (*call)(int, int), int b = f(1, 2)) { return a; }
static const struct entry table[] = { {1, fn}, {2, fn} };
enum class e { A, B };
TEST_CASE("a { brace", "[x]") { REQUIRE(1); }
}}
int main(void) { const char* s = "}{"; char c = '{'; /* { */ return 1'000; }
"""
        self.assertEqual(self.names(text), [
            ("fw_make", 2), ("c", 2), ("c", 1), ("f", 0), ("g", 1), ("operator==", 1),
            ("operator()", 3), ("h", 3), ("TEST_CASE", 2), ("main", 0)])

    def test_lines_of_a_function(self):
        found = source.functions("\n// x\nint f(int a,\n      int b)\n{\n    /*\n*/\n}\n")[0]
        self.assertEqual([(f.line, f.last) for f in found], [(3, 8)])

    def test_branches_of_the_preprocessor(self):
        self.assertEqual(self.names("#if A\nint f(int a) {\n#else\nint f() {\n#endif\n}\n"),
                         [("f", 1)])

    def test_comments_keep_the_lines(self):
        self.assertEqual(source.strip_comments("a/* 1\n2 */b\nc").count("\n"), 2)


class Layers(Case):
    GOOD = {
        "models/regs/a.h": "#include <stdint.h>\n#include \"models/regs/b.h\"\n",
        "models/regs/b.h": "",
        "models/common/t.h": "#include <systemc>\n#include \"models/regs/a.h\"\n",
        "models/flash/die/die.h": "#include \"models/common/t.h\"\n",
        "models/flash/bus/bus.h": "#include \"models/flash/die/die.h\"\n",
        "firmware/hal/hal.h": "#include <stdint.h>\n",
        "firmware/lib/ring.h": "#include \"firmware/hal/hal.h\"\n",
        "firmware/drv/chan.h": "#include \"models/regs/a.h\"\n#include \"firmware/lib/ring.h\"\n",
        "firmware/ops/flash.h": "#include \"firmware/drv/chan.h\"\n",
        "firmware/map/ftl.h": "#include \"firmware/lib/ring.h\"\n",
        "firmware/map/map.c": "#include \"firmware/ops/flash.h\"\n",
        "firmware/gc/greedy.c": "#include \"firmware/map/ftl.h\"\n",
        "firmware/schemes/map.c": "#include \"firmware/blocks/blockmap.h\"\n",
        "platform/ssd/ssd.h":
            "#include \"firmware/hal/hal.h\"\n#include \"models/flash/bus/bus.h\"\n",
        "sc_main.cpp": "#include \"platform/ssd/ssd.h\"\n",
    }
    # (file, include, why it is wrong)
    BAD = [
        ("models/regs/a.h", "<string.h>"), ("models/regs/a.h", "\"models/common/t.h\""),
        ("models/common/t.h", "\"models/flash/die/die.h\""),
        ("models/common/t.h", "\"models/protocols/onfi.h\""),
        ("models/flash/die/die.h", "\"models/nvme/nvme.h\""),
        ("models/flash/die/die.h", "\"firmware/hal/hal.h\""),
        ("models/flash/die/die.h", "\"platform/ssd/ssd.h\""),
        ("models/flash/die/die.h", "<yaml-cpp/yaml.h>"),
        ("firmware/hal/hal.h", "\"firmware/lib/ring.h\""),
        ("firmware/lib/ring.h", "\"models/regs/a.h\""),
        ("firmware/lib/ring.h", "\"firmware/drv/chan.h\""),
        ("firmware/map/map.c", "\"firmware/drv/chan.h\""),
        ("firmware/map/map.c", "\"models/regs/a.h\""),
        ("firmware/map/map.c", "\"firmware/gc/greedy.h\""),
        ("firmware/map/map.c", "\"firmware/durable/recovery.h\""),
        ("firmware/gc/greedy.c", "\"firmware/buffer/cache.h\""),
        ("firmware/durable/scan.c", "\"firmware/blocks/blockmap_found.h\""),
        ("firmware/buffer/evict.c", "\"firmware/blocks/hybrid.h\""),
        ("firmware/space/lanes.c", "\"firmware/ops/flash.h\""),
        ("firmware/host/core/hil.c", "\"firmware/schemes/cmt.h\""),
        ("firmware/drv/chan.h", "\"firmware/map/ftl.h\""),
        ("firmware/drv/chan.h", "\"models/common/t.h\""),
        ("firmware/drv/chan.h", "\"platform/ssd/ssd.h\""),
        ("firmware/drv/chan.h", "<systemc>"), ("firmware/drv/chan.h", "<stdlib.h>"),
        ("firmware/brandnew/x.c", "\"firmware/hal/hal.h\""),
        ("platform/config/c.h", "\"firmware/map/ftl.h\""),
        ("platform/fio/jobs.h", "\"platform/config/config.h\""),
        ("platform/config/c.h", "\"platform/ssd/ssd.h\""),
        ("platform/brandnew/x.h", "\"platform/input/config_error.h\""),
        ("platform/ssd/ssd.h", "\"tests/support/x.h\""),
        ("sc_main.cpp", "\"models/flash/die/die.h\""),
        ("tests/firmware/t.cpp", "<systemc>"),
        ("tests/firmware/t.cpp", "\"models/flash/die/die.h\""),
        ("models/flash/die/x.cpp", "\"die.h\""),
    ]

    def test_the_house_as_drawn_passes(self):
        self.assertEqual(layers.check(self.tree(self.GOOD)), [])

    def test_every_wrong_include_is_found(self):
        root = self.tree(self.GOOD)
        for path, include in self.BAD:
            with self.subTest(path=path, include=include):
                self.assertTrue(layers.check_file(root, path, f"#include {include}\n"))

    def test_folders_are_listed_from_below(self):
        for table in (layers.FIRMWARE, layers.PLATFORM):
            below = set()
            for folder, others in table.items():
                with self.subTest(folder=folder):
                    self.assertLessEqual(set(others), below)
                below.add(folder)

    def test_a_library_links_no_sibling(self):
        good = "target_link_libraries(ssdvp_flash PUBLIC ssdvp_common ssdvp_protocols)\n"
        bad = "target_link_libraries(ssdvp_flash PUBLIC ssdvp_nvme)\n"
        self.assertEqual(layers.check_links("models/flash/CMakeLists.txt", good), [])
        self.assertEqual(rules(layers.check_links("models/flash/CMakeLists.txt", bad)), {"layer"})


class Style(Case):
    # (path, line, rule)
    BAD = [
        ("models/x/a.cpp", "std::uniform_int_distribution<int> d;", "random"),
        ("firmware/x/a.c", "int a = rand();", "random"),
        ("models/x/a.cpp", "std::random_device seed;", "random"),
        ("platform/ssd/a.cpp", "auto t = std::chrono::steady_clock::now();", "wall clock"),
        ("firmware/x/a.c", "t = time(NULL);", "wall clock"),
        ("models/x/a.cpp", "const char* d = __DATE__;", "wall clock"),
        ("firmware/x/a.c", "p = malloc(3);", "heap"),
        ("models/x/a.cpp", "auto* p = new thing(1);", "owning pointer"),
        ("models/x/a.cpp", "    delete m_thing;", "owning pointer"),
        ("models/x/a.cpp", "int a; // TO" + "DO later", "unfinished"),
        ("scripts/lib/a.py", 'MIRROR = "http://de' + 'b.debian.org/debian"', "archive host"),
        ("models/x/a.cpp", "int a; ", "blanks"),
        ("tests/x/a.cpp", "TEST_CASE(\"one; two\")", "test name"),
        ("models/x/a.h", "#pragma once\nusing namespace std;", "using namespace"),
        ("models/x/a.h", "int f();", "include guard"),
        ("firmware/x/a.h", "#pragma once\n", "include guard"),
    ]
    GOOD = [
        ("platform/control/a.cpp", "auto t = std::chrono::steady_clock::now();"),
        ("platform/report/progress.cpp", "auto t = std::chrono::steady_clock::now();"),
        ("models/x/a.cpp", "boost::random::uniform_int_distribution<int> d;"),
        ("models/x/a.cpp", "auto t = make_time(0); free_pages(3); x.time(0); brand(1);"),
        ("models/x/a.cpp", "thing(const thing&) = delete; // a new thing, delete later"),
        ("models/x/a.cpp", "new (&slot) thing;"),
        ("models/x/a.cpp", "buffer b(new unsigned char[size]);"),
        ("models/x/a.cpp", "const char* s = \"using rand() or new thing\";"),
        ("models/x/a.h", "#pragma once\nusing std::array;"),
        ("models/x/a.h", "#pragma once\ninline int f() {\n    using namespace std;\n}"),
        ("firmware/x/a.h", "#ifndef A_H\n#define A_H\n#endif"),
    ]

    def test_banned(self):
        for path, line, rule in self.BAD:
            with self.subTest(line=line):
                self.assertEqual(rules(style.check_text(path, SPDX + line + "\n")), {rule})

    def test_allowed(self):
        for path, line in self.GOOD:
            with self.subTest(line=line):
                self.assertEqual(style.check_text(path, SPDX + line + "\n"), [])

    def test_stray(self):
        self.assertEqual(rules(style.stray_findings("local-t-0-verify.state")), {"stray"})
        self.assertEqual(style.stray_findings("firmware/state.h"), [])

    def test_test_names(self):
        case = '#include "a.h"\nTEST_CASE("a: works", "[a]")\n{\n}\n'
        self.assertEqual(rules(style.test_name_findings("tests/unit/a.cpp", case)), {"test name"})
        self.assertEqual(style.test_name_findings("tests/unit/a_test.cpp", case), [])
        self.assertEqual(style.test_name_findings("tests/unit/a_bench.cpp", "int n;\n"), [])

    def test_spdx(self):
        self.assertEqual(rules(style.check_text("a.py", "import os\n")), {"SPDX"})
        self.assertEqual(style.check_text("a", "#!/bin/bash\n# " + style.SPDX + "\n"), [])

    def test_house_numbers_at_the_edge(self):
        def body(lines):
            return "void f(int a, int b, int c, int d, int e) {\n" + "x();\n" * (lines - 2) + "}\n"
        over = style.measure_text
        self.assertEqual(over("a.cpp", body(70)), {})
        self.assertEqual(set(over("a.cpp", body(71))), {"function lines: a.cpp f"})
        self.assertEqual(over("a.h", "\n" * 300), {})
        self.assertEqual(set(over("a.h", "\n" * 301)), {"file lines: a.h"})
        self.assertEqual(over("a.cpp", "\n" * 600), {})
        self.assertEqual(set(over("a.cpp", "\n" * 601)), {"file lines: a.cpp"})
        self.assertEqual(over("a.py", "x" * 100 + "\n"), {})
        self.assertEqual(set(over("a.py", "x" * 101)), {"lines over 100 columns: a.py"})
        self.assertEqual(set(over("a.cpp", "int f(int a, int b, int c, int d, int e, int g) {}")),
                         {"parameters: a.cpp f"})

    def test_ratchet_shrinks_only(self):
        key = "function lines: a.cpp f"
        over = {key: (80, 70, 3)}
        self.assertEqual(style.against_ratchet(over, {key: 80}), [])
        self.assertEqual(rules(style.against_ratchet(over, {})), {"function lines"})
        self.assertEqual(rules(style.against_ratchet(over, {key: 79})), {"function lines"})
        self.assertEqual(rules(style.against_ratchet(over, {key: 81})), {"ratchet"})
        self.assertEqual(rules(style.against_ratchet({}, {key: 81})), {"ratchet"})
        self.assertEqual(style.grown({key: 80}, {key: 80}), [])
        self.assertEqual(rules(style.grown({key: 81}, {key: 80})), {"ratchet"})
        self.assertEqual(rules(style.grown({key: 80}, {})), {"ratchet"})


class State(Case):
    GOOD = """#include "a.h"
typedef int (*call)(int);
static const struct step steps[] = { { "a", f }, { "b", g } };
const char* const name = "x";
static const char text[] = "a;b";
struct fw { int x; };
enum mode { A, B };
static int f(struct fw* fw);
static int f(struct fw* fw) { int local = 1; static const int k = 3; return local + k; }
_Static_assert(sizeof(int) == 4, "x");
struct fw* make(void) { return 0; }
"""
    BAD = ["int counter;", "static int counter = 3;", "static struct fw the_fw;",
           "struct fw { int x; } the_fw;", "static uint8_t buffer[4096];", "const char* name = 0;",
           "static const char* names[] = { \"a\" };", "static int (*hook)(int);",
           "static struct fw table[] = { { 1 } };",
           "void f(void)\n{\n    static int calls;\n    calls++;\n}"]

    def test_constants_pass(self):
        self.assertEqual(state.check_source("a.c", self.GOOD), [])

    def test_variables_are_found(self):
        for text in self.BAD:
            with self.subTest(text=text):
                self.assertEqual(len(state.check_source("a.c", self.GOOD + text + "\n")), 1)

    def test_objects(self):
        self.need("gcc", "gcc")
        self.need("objdump", "binutils")
        text = ("static const char* const names[] = {\"a\"}; int used; static int hidden = 3;\n"
                "const char* f(int i) { hidden += i; return names[i]; }\n"
                "int g(void) { static int calls; return ++calls; }\n")
        root = self.tree({"firmware/a.c": text})
        command = ["gcc", "-c", "-fPIC", "-o", "firmware/a.o", "firmware/a.c"]
        subprocess.run(command, cwd=root, check=True)
        names = {f.text.split(".")[0] for f in state.check_objects(root, root)}
        self.assertEqual(names, {"used", "hidden", "calls"})

    def test_const_by_constructor_and_signal_flag(self):
        code = "static const sequential policy;\nconst std::string name = f();\nstatic int calls;\n"
        self.assertTrue(state.is_declared_const(code, "ssdvp::order()::policy"))
        self.assertTrue(state.is_declared_const(code, "guard variable for ssdvp::order()::policy"))
        self.assertTrue(state.is_declared_const(code, "ssdvp::name[abi:cxx11]"))
        self.assertFalse(state.is_declared_const(code, "f()::calls"))
        self.assertTrue(state.is_excepted("platform/control/a.cpp", "ssdvp::ctrl_c"))
        self.assertFalse(state.is_excepted("platform/control/a.cpp", "ssdvp::counter"))
        self.assertFalse(state.is_excepted("platform/ssd/a.cpp", "ssdvp::ctrl_c"))

    def test_no_objects_is_a_finding(self):
        root = self.tree({})
        self.assertEqual(rules(state.check_objects(root, root)), {"writable data"})


class Others(Case):
    def test_format(self):
        self.need(formatting.CLANG_FORMAT, "clang-format-14")
        root = self.tree({".clang-format": "BasedOnStyle: LLVM\n", "a/good.cpp": "int a = 1;\n",
                     "a/bad.cpp": "int   a=1;\n"})
        self.assertEqual(formatting.check(root, ["a/bad.cpp", "a/good.cpp"]), ["a/bad.cpp"])

    def test_programs(self):
        good = "#!/usr/bin/env bash\nset -euo pipefail\necho\n"
        self.assertEqual(programs.check_bash("run", good), [])
        self.assertEqual(rules(programs.check_bash("run", good + "if true\n")), {"bash -n"})
        self.assertEqual(rules(programs.check_bash("run", "#!/bin/bash\necho\n")), {"bash"})
        self.assertEqual(rules(programs.check_python("a.py", "def f(:\n")), {"python"})
        self.assertEqual(rules(programs.check(self.tree({"scripts/run": good}))), {"mode"})

    def test_documents(self):
        files = ["models/flash/die.cpp", "models/regs/a.cpp", "scripts/run", "docs/DESIGN.md"]
        self.assertEqual(len(docs.check_pages(files)), 1)
        self.assertEqual(docs.check_pages(files + ["docs/models/flash.md"]), [])
        self.assertEqual(len(docs.check_scripts(files, "nothing")), 1)
        self.assertEqual(docs.check_scripts(files, "call scripts/run"), [])
        self.assertEqual(len(docs.check_index(files, "")), 1)
        self.assertEqual(docs.check_index(files, "[why](DESIGN.md)"), [])
        self.assertEqual(docs.check_links("docs/README.md", "[why](DESIGN.md#part)", files), [])
        self.assertEqual(len(docs.check_links("docs/README.md", "[x](GONE.md)", files)), 1)

    def test_columns_of_documents(self):
        fits, wide = "a" * 130, "a" * 131
        recipe = f"{docs.RECIPES}\n\n- **a row**: in `models/regs/a.h`, then `scripts/a --all`\n"
        named = ["models/regs/a.h", "scripts/a"]
        self.assertEqual(docs.check_recipes(recipe, named), [])
        self.assertEqual(len(docs.check_recipes(recipe, named[:1])), 1)
        self.assertEqual(len(docs.check_recipes(recipe, named[1:])), 1)
        self.assertEqual(docs.check_recipes(recipe + "  x\n" * 44, named), [])
        self.assertEqual(len(docs.check_recipes(recipe + "  x\n" * 45, named)), 1)
        self.assertEqual(docs.check_columns("a.md", f"{fits}\n| {wide} |\n"), [])
        self.assertEqual(docs.check_columns("a.md", f"```\n{wide}\n```\n"), [])
        found = docs.check_columns("a.md", f"```\n```\n{wide}\n- {fits}\n")
        self.assertEqual([f.line for f in found], [3, 4])

    def test_configuration_keys(self):
        schema = {"properties": {"nand": {"$ref": "#/$defs/nand"}, "flash": {
            "properties": {"suspend": {"properties": {"policy": {"enum": ["none"]}}}}}},
            "$defs": {"nand": {"properties": {"tR": {"type": "string"}}}}}
        keys = docs.schema_keys(schema)
        self.assertEqual(docs.check_keys("a.md", "`nand.tR`, `flash.suspend.policy`", keys), [])
        self.assertEqual(len(docs.check_keys("a.md", "`nand.tRR`\n`flash.x`", keys)), 2)
        self.assertEqual(docs.check_keys("a.md", "`flash.reads`", keys, {"flash", "reads"}), [])
        self.assertEqual(len(docs.check_keys("a.md", "`flash.reads`", keys, {"flash"})), 1)

    def test_tables_of_the_program(self):
        head = docs.COUNTER_HEAD
        table = head + " value |\n|---|\n| `ftl.gc.runs` | `gc_runs` | n |\n"

        def found(page, printed):
            return docs.check_table(page, head, printed, "--counters")

        self.assertEqual(found(f"before\n\n{table}\nafter\n", table), [])
        self.assertEqual(found(f"{table}", table), [])
        for wrong in ("nothing", f"{table}\n{table}", table + "| one | more |\n",
                      table.replace("gc_runs", "gc_run"), table[:table.rindex("| `ftl")]):
            self.assertEqual(len(found(wrong, table)), 1, wrong)
        self.assertEqual(len(found(table, "")), 1)

    def test_keys_that_nothing_writes(self):
        table = "| key | meaning |\n|---|---|\n| `host.<kind>.iops` | x |\n| `luns[].busy` | y |\n"
        names = {"host", "iops", "luns", "busy"}
        self.assertEqual(docs.check_summary_keys(table, names), [])
        self.assertEqual(len(docs.check_summary_keys(table, names - {"busy"})), 1)


class Doors(Case):
    ENV = "struct env {\n    struct blocks* blocks;\n    struct run* run;\n};\n"
    GOOD = {
        "firmware/lib/env.h": ENV,
        "firmware/lib/run.h": "struct run {\n    int due;\n};\n",
        "firmware/space/blocks.h": "struct blocks {\n    int free;\n};\nint blocks_free(int e);\n",
        "firmware/space/blocks.c": "int blocks_free(int e)\n{\n    return e->blocks->free;\n}\n",
        "firmware/gc/gc.c": "static int f(int e)\n{\n    return e->run->due;\n}\n",
    }

    def found(self, **files):
        return rules(doors.check(self.tree({**self.GOOD, **files})))

    def test_good(self):
        self.assertEqual(self.found(), set())

    def test_field_of_another_folder(self):
        self.assertEqual(self.found(**{"firmware/gc/a.c": "int x = e->blocks->free;\n"}), {"door"})

    def test_function_elsewhere(self):
        wrong = {"firmware/space/blocks.c": "", "firmware/space/free.c":
                 self.GOOD["firmware/space/blocks.c"]}
        self.assertEqual(self.found(**wrong), {"place of a function"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
