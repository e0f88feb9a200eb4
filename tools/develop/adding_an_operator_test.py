#!/usr/bin/env python3
"""The pages reference/ADDING_*.md against the sources.

Every path that a page names exists, and every block of code applies: the line before it says in which
file, and before, after or instead of which line. Code compares the name of an operator in files of that
operator only; NAMED has the other places. With TENSOR_CTS_WHOLE=1 in the environment the blocks
of ADDING_AN_OPERATOR.md are applied to a copy of the sources, which is built. The new operator is then generated,
run, judged, audited and compared with the oracle: some 5 minutes of CPU time."""
import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "reference/ADDING_AN_OPERATOR.md"
PAGES = sorted((ROOT / "reference").glob("ADDING_*.md"))
BLOCK = re.compile(r"^`([^`]+)`, (before|after|instead of) `([^`]+)`:\n```\w+\n(.*?)^```$", re.M | re.S)
CODE = re.compile(r"^```\w+\n", re.M)
sys.path.insert(0, str(ROOT / "schemas"))
import notes_test  # noqa: E402  knows the names of all tests


SOME_TYPE = re.compile(r"DType|fp(8|16|32)|bf16")
NO_SOURCE = re.compile(r"_(test|fuzz|benchmark)\.|testing\.h$|/testdata/|^schemas/editions/|^suites/[^/]*\.json$|\.md$"
                       r"|/findings/|/build/")


def known_places(dtype):
    """The sources that name a type, in any of its spellings."""
    for top in ("reference", "generator", "checker", "tools", "schemas", "suites"):
        for path in sorted((ROOT / top).rglob("*")):
            name = str(path.relative_to(ROOT))
            if NO_SOURCE.search(name) or path.suffix not in (".cc", ".h", ".py", ".json", ".fbs", ".txt", ".js", ".mjs"):
                continue
            if dtype in path.read_text(errors="replace").lower():
                yield name

COMPARED = re.compile(r'[!=]= "([A-Z][A-Z0-9_]{2,})"')
NO_PRODUCT = re.compile(r"_test\.|testing\.h$|_benchmark\.|/testdata/|^tools/(adapters|examples|develop)/|^reference/formats/")
# Lines that compare the name of an operator in a file that is not its own: the most of a place, and the
# reason why they ask no fact (reference/ops/facts.h). The number may fall.
NAMED = {
    "reference/calls/": (5, "constants have no operands, and RESCALE's operands may be unsigned"),
    "reference/enclosure/": (17, "an operator with more than a curve has a function of its own that encloses it"),
    "reference/evaluate/": (11, "the executor performs constants, control flow, variables and CUSTOM itself"),
    "reference/faults/": (24, "a fault or a legal implementation treats one operator in its own way"),
    "reference/graph/": (12, "a graph tells constants, control flow, variables and symbolic forms; it lies below ops"),
    "reference/precision/": (1, "products of these texts are exact in the wider type that they yield"),
    "reference/spec/": (4, "the text of one operator is irregular; the room lies below ops"),
    "reference/symbolic/": (8, "each form of symbolic programs has its own rule"),
    "generator/graphs/": (36, "a graph is written for the operators that it names"),
    "generator/networks/": (8, "published layers have these operators"),
    "generator/ops/": (7, "breakers and long cases that only these operators have"),
    "generator/plan/": (1, "an edition without FULLY_CONNECTED takes a convolution"),
    "generator/symbolic/": (14, "a program is written for the operators that it names"),
    "tools/program/ask/": (21, "a question or an explanation has a form of its own for these operators, and they have windows"),
    "tools/program/audit/": (1, "a loop calls an operator again"),
    "tools/program/exchange/": (4, "variables and IDENTITY are parts of a graph; one mode is named for an operator"),
    "tools/program/shrink/": (4, "the shapes of these operators follow from their parameters"),
    "tools/program/sweep/": (6, "these operators have undefined operands, or filters of their own"),
}


def compared_names():
    """Counts the lines of NAMED's kind, by file."""
    rows = re.findall(r"^CTS_OPERATOR\((\w+), \w+, (\w+)\)", (ROOT / "reference/spec/operators.def").read_text(), re.M)
    names = {name for name, _ in rows} | set(re.findall(r'"([A-Z_]{3,})"', (ROOT / "reference/graph/symbols.cc").read_text()))
    own = {f"{folder}/{stem}.cc" for folder in ("reference/ops", "reference/faults", "generator/ops") for _, stem in rows}
    counts = {}
    for top in ("reference", "checker", "generator", "tools"):
        for path in sorted((ROOT / top).rglob("*.[ch]*")):
            name = str(path.relative_to(ROOT))
            if path.suffix not in (".cc", ".h") or NO_PRODUCT.search(name) or name in own:
                continue
            found = sum(any(one in names for one in COMPARED.findall(line)) for line in path.read_text().splitlines())
            if found:
                counts[name] = found
    return counts


class Names(unittest.TestCase):
    def test_are_compared_only_where_the_operator_is_the_subject(self):
        left = dict.fromkeys(NAMED, 0)
        for name, found in compared_names().items():
            place = next((place for place in NAMED if name.startswith(place)), None)
            self.assertIsNotNone(place, f"{name}: found {found} comparisons with an operator's name, expected a fact "
                                        "(reference/ops/facts.h), or a place of NAMED with its reason")
            left[place] += found
        for place, (most, reason) in NAMED.items():
            with self.subTest(place=place, reason=reason):
                self.assertLessEqual(left[place], most, "a fact in reference/ops/facts.h would say more")
                self.assertGreater(left[place], 0, "no such line is left")


class Block:
    def __init__(self, path, where, anchor, code):
        self.path, self.where, self.anchor, self.code = path, where, anchor, code

    def apply(self, text):
        """The file's text with the block in it. The anchor begins one line of the file."""
        lines = text.splitlines(True)
        found = [i for i, line in enumerate(lines) if line.strip().startswith(self.anchor.strip())]
        if len(found) != 1:
            raise AssertionError(f"{self.path}: {len(found)} lines begin with `{self.anchor}`, expected 1")
        at = found[0]
        end = at + (self.where == "instead of")
        if self.where == "after":
            at = end = at + 1
        return "".join(lines[:at]) + self.code + "".join(lines[end:])


def blocks_of(page):
    return [Block(*match) for match in BLOCK.findall(page.read_text())]


def apply(root):
    for block in blocks_of(PAGE):
        path = root / block.path
        path.write_text(block.apply(path.read_text()))


class Pages(unittest.TestCase):
    def test_name_only_paths_that_exist(self):
        for page in PAGES:
            text = BLOCK.sub("", page.read_text())
            paths = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text))
            paths |= {match[0] for match in BLOCK.findall(page.read_text())}
            for path in sorted(paths):
                with self.subTest(page=page.name, path=path):
                    self.assertTrue((ROOT / path).exists() or (page.parent / path).exists())
            for path in re.findall(r"\]\(([\w./-]+)[)#]", text):
                with self.subTest(page=page.name, link=path):
                    self.assertTrue((page.parent / path).exists())

    def test_name_only_tests_that_exist(self):
        names = notes_test.known_names()
        for page in PAGES:
            for name in re.findall(r"`([A-Z]\w+\.(?:[A-Z]\w+|\*))`", BLOCK.sub("", page.read_text())):
                with self.subTest(page=page.name, test=name):
                    self.assertTrue(notes_test.exists(name, names))

    def test_have_no_code_that_belongs_nowhere(self):
        text = PAGE.read_text()
        self.assertEqual(len(CODE.findall(text)), len(blocks_of(PAGE)))
        self.assertGreater(len(blocks_of(PAGE)), 10)

    def test_have_code_that_applies(self):
        texts = {}
        for block in blocks_of(PAGE):
            with self.subTest(path=block.path, anchor=block.anchor):
                before = texts.get(block.path) or (ROOT / block.path).read_text()
                texts[block.path] = block.apply(before)
        for path, text in texts.items():
            with self.subTest(path=path):
                if path.endswith(".json"):
                    read = json.loads(text)
                    names = [row.get("name") or row["operator"] for row in read.get("operators") or read["rows"]]
                    self.assertIn("ROUND", names)
                elif path.endswith(".py"):
                    ast.parse(text)

    def test_type_page_names_every_place_that_knows_a_type(self):
        text = (ROOT / "reference/ADDING_A_TYPE.md").read_text()
        rows = "\n".join(line for line in text.splitlines() if re.match(r"\| \d+ \|", line))
        named = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", rows))
        places = set(known_places("fp8e5m2"))
        self.assertGreater(len(places), 25)
        for path in sorted(places):
            with self.subTest(path=path):
                self.assertTrue(path in named or any(path.startswith(one) for one in named if one.endswith("/")),
                                "ADDING_A_TYPE.md does not name it")
        for path in sorted(one for one in named if (ROOT / one).is_file()):
            with self.subTest(named=path):
                self.assertRegex((ROOT / path).read_text(), SOME_TYPE)

    def test_say_where_an_anchor_is_gone(self):
        block = Block("a.cc", "before", "int B()", "int C();\n")
        self.assertEqual(block.apply("int A();\nint B();\n"), "int A();\nint C();\nint B();\n")
        with self.assertRaisesRegex(AssertionError, "a.cc: 0 lines begin with `int B\\(\\)`"):
            block.apply("int A();\n")
        with self.assertRaisesRegex(AssertionError, "2 lines"):
            block.apply("int B();\nint B();\n")


@unittest.skipUnless(os.environ.get("TENSOR_CTS_WHOLE") == "1", "TENSOR_CTS_WHOLE=1 builds a copy")
class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="adding-an-operator-")
        cls.root = pathlib.Path(cls.folder.name)
        source = cls.root / "source"
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, files.stdout.split("\0")):
            if (ROOT / name).is_file():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, source / name)
        apply(source)
        build = cls.root / "build"
        cls.command(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DTENSOR_CTS_BUILD_TESTS=OFF",
                     "-DTENSOR_CTS_UNITY=ON", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"])
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
        cls.command(["cmake", "--build", build, "--target", "tensor-cts", "-j", jobs])
        cls.source, cls.program = source, build / "tools/tensor-cts"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def command(cls, words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, words))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def test_generates_runs_and_judges_it(self):
        suite, results = self.root / "suite", self.root / "results"
        self.command([self.program, "generate", "--recipe", "certify", "--operator", "ROUND", "--out", suite])
        cases = json.loads((suite / "suite.json").read_text())["cases"]
        self.assertGreater(len(cases), 100)
        self.command([self.program, "coverage", suite])
        self.command([self.program, "run", suite, "--implementation", "builtin:native", "--out", results])
        self.command([self.program, "check", suite, results])
        wrong = self.root / "wrong"
        self.command([self.program, "run", suite, "--implementation", "builtin:fault:round.ties_away", "--out", wrong])
        checked = subprocess.run([self.program, "check", suite, wrong], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 1, checked.stdout)

    def test_catches_all_its_faults(self):
        self.command([self.program, "audit", "--recipe", "certify", "--operator", "ROUND"])

    def test_is_what_the_oracle_says(self):
        self.command(["/usr/bin/python3", self.source / "reference/oracle/compare.py", "--tensor-cts", self.program,
                      "--calls", "200", "--operator", "ROUND", "--edition", "tosa-1.0"])

    def test_has_symbolic_programs_and_mlir_text(self):
        suite = self.root / "symbolic"
        self.command([self.program, "generate", "--recipe", "symbolic", "--id", "*own-round*", "--out", suite])
        cases = json.loads((suite / "suite.json").read_text())["cases"]
        self.assertTrue(cases)
        text = self.command([self.program, "render", "--format", "mlir", suite / cases[0]["id"]])
        self.assertIn("tosa.round", text)


if __name__ == "__main__":
    unittest.main(verbosity=1)
