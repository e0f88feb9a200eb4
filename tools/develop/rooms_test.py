"""No circle among units or rooms, every source in a target, a README in every room, nothing loose in tools/.

A unit is x.h with x.cc; a room is a folder of sources. CMake sees to it that a room includes only what it links; that
says nothing of units within a room.

Usage: rooms_test.py [SOURCES]      SOURCES: a file in which CMake lists the sources of all targets, one a line
"""

import os
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("reference", "generator", "checker", "tools")
# Within tools/: folders of rooms.
HALLS = ("tools/program", "tools/bindings")
SUFFIXES = (".h", ".cc", ".def")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

# A file that lists the sources of all targets.
SOURCES = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None

# Folders with sources that are no rooms: what they hold is data, or built by itself.
NO_ROOM = {"testdata", "fuzz", "adapters", "clusters", "ci", "examples", "oracle", "python"}


def includes(root):
    """Returns every unit with the units that it includes."""
    units = {}
    for top in TOPS:
        for folder, folders, files in os.walk(root / top):
            folders[:] = sorted(name for name in folders if name != "testdata")
            for name in sorted(files):
                path = pathlib.Path(folder, name).relative_to(root)
                if path.suffix in SUFFIXES:
                    units.setdefault(str(path.with_suffix("")), []).append(path)
    graph = {}
    for unit, paths in units.items():
        found = {str(pathlib.Path(name).with_suffix(""))
                 for path in paths for name in INCLUDE.findall((root / path).read_text())}
        graph[unit] = sorted(found & set(units) - {unit})
    return graph


def rooms(graph):
    """Returns every room with the rooms that it includes; tests do not count.

    A folder within a room is a room of its own: generator/ is the sources that lie in it, without those of generator/ops.
    """
    result = {}
    for unit, found in graph.items():
        room, name = os.path.split(unit)
        # testing.h, and suite_on_disk.h of the checker, are part of the tests of other rooms.
        if name.endswith(("_test", "_benchmark", "testing")) or name == "suite_on_disk":
            continue
        if NO_ROOM & set(room.split("/")):
            continue
        others = result.setdefault(room, set())
        others.update(os.path.dirname(other) for other in found)
        others.discard(room)
    return {room: sorted(others & set(result)) for room, others in result.items()}


def circle(graph):
    """The nodes of a circle, the first one again at the end; empty if there is none."""
    done = set()
    for start in sorted(graph):
        way, visits = [], [(start, iter(graph[start]))]
        way.append(start)
        while visits:
            node, rest = visits[-1]
            other = next(rest, None)
            if other is None:
                done.add(node)
                way.pop()
                visits.pop()
            elif other in way:
                return way[way.index(other):] + [other]
            elif other not in done:
                way.append(other)
                visits.append((other, iter(graph[other])))
    return []


def all_rooms():
    """Every room within a room of the house, and every part of the generator and the checker."""
    for top in TOPS + HALLS:
        for folder in sorted((ROOT / top).iterdir()):
            if folder.is_dir() and folder.name not in NO_ROOM | {"__pycache__"} and str(folder.relative_to(ROOT)) not in HALLS:
                yield folder


def links():
    """Returns every room of CMake with the rooms that it links."""
    result = {}
    for top in TOPS + HALLS:
        text = (ROOT / top / "CMakeLists.txt").read_text()
        for words in re.findall(r"^cts_room\(([^)]*)\)", text, re.M):
            room, *rest = words.split()
            after = rest[rest.index("LINK"):] if "LINK" in rest else []
            result[room] = {word for word in after if word.startswith("cts_")}
    names = {target(room): called(room) for room in result}
    return {room: {names[word] for word in found if word in names} for room, found in result.items()}


def target(room):
    """The library of a room, as cts_room calls it."""
    return "cts_" + re.sub("^(reference|tools/program|tools)/", "", room).replace("/", "_")


def called(room):
    """What a README calls a room: `base` for reference/base, `ops/` for generator/ops."""
    top, _, name = re.sub("^(tools)/program/", r"\1/", room).partition("/")
    return f"{name}/" if name and top in ("generator", "checker") else name or top


# Their READMEs are longer: they hold tables, formulas or an instruction.
LARGE_ROOMS = ("checker", "generator", "reference", "reference/oracle", "schemas", "suites", "tools", "tools/adapters")


class Rooms(unittest.TestCase):
    def test_units_have_no_circle(self):
        graph = includes(ROOT)
        self.assertGreater(len(graph), 300)
        self.assertIn("reference/base/shape", graph["reference/base/tensor"])
        self.assertEqual(circle(graph), [], "a circle of includes: move what both need into a unit below them")

    def test_rooms_have_no_circle(self):
        graph = rooms(includes(ROOT))
        self.assertIn("reference/graph", graph["reference/ops"])
        self.assertIn("generator/plan", graph["generator"])
        self.assertIn("checker/rules", graph["checker/text"])
        self.assertEqual(circle(graph), [], "a circle of rooms: move what both need into a room below them")

    def test_circle_names_the_way(self):
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            for path, lines in {"reference/a/one.h": ['#include "reference/a/two.h"'],
                                "reference/a/two.h": ["// nothing"],
                                "reference/a/two.cc": ['#include "reference/a/two.h"', '  # include "tools/b/three.h"'],
                                "tools/b/three.h": ["#include <vector>", '#include "reference/a/one.h"'],
                                "tools/b/three_test.cc": ['#include "reference/a/one.h"']}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text("\n".join(lines) + "\n")
            graph = includes(root)
            self.assertEqual(circle(graph), ["reference/a/one", "reference/a/two", "tools/b/three", "reference/a/one"])
            self.assertEqual(circle(rooms(graph)), ["reference/a", "tools/b", "reference/a"])
            (root / "reference/a/two.cc").unlink()
            self.assertEqual(circle(includes(root)), [])

    def test_circle_of_a_room_and_a_folder_within_it(self):
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            for path, line in {"generator/low.h": "// nothing",
                               "generator/top.cc": '#include "generator/ops/one.h"',
                               "generator/ops/one.h": '#include "generator/low.h"'}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(line + "\n")
            graph = includes(root)
            self.assertEqual(circle(graph), [])
            self.assertEqual(circle(rooms(graph)), ["generator", "generator/ops", "generator"])

    def test_every_source_is_built(self):
        """A test that no target has would never fail."""
        if SOURCES is None or not SOURCES.is_file():
            self.skipTest("expected the list of sources that CMake writes where tests are built")
        built = set(SOURCES.read_text().split("\n"))
        self.assertIn(str(ROOT / "checker" / "rules" / "ulp_test.cc"), built)
        forgotten = [str(path.relative_to(ROOT)) for top in TOPS for path in sorted((ROOT / top).rglob("*.cc"))
                     if not NO_ROOM & set(path.relative_to(ROOT).parts) and str(path) not in built]
        if not any(path.endswith("_benchmark.cc") for path in built):  # CMake was told to leave them out
            forgotten = [path for path in forgotten if not path.endswith("_benchmark.cc")]
        self.assertEqual(forgotten, [], "no target has these sources: name them in CMakeLists.txt")

    def test_every_room_says_what_it_is(self):
        for room in all_rooms():
            with self.subTest(room=str(room.relative_to(ROOT))):
                self.assertTrue((room / "README.md").is_file(), "expected a README.md")
                text = (room / "README.md").read_text()
                self.assertIn("What this cannot find", text)
                self.assertLessEqual(len(text.splitlines()), 25, "a README of a room is about ten lines")
        for room in LARGE_ROOMS:
            with self.subTest(room=room):
                last = (ROOT / room / "README.md").read_text().split("\n## ")[-1]
                self.assertTrue(last.startswith("What this cannot find\n"), last.splitlines()[0])
                self.assertGreaterEqual(last.count("\n* "), 2, "expected what it cannot find, one line each")

    def test_what_stands_beside_the_rooms_says_what_it_cannot_find(self):
        for folder in [*sorted((ROOT / "tools/adapters").iterdir()), ROOT / "tools/examples/ci", ROOT / "tools/examples/clusters"]:
            if (folder / "README.md").is_file():
                last = (folder / "README.md").read_text().split("\n## ")[-1]
                self.assertTrue(last.startswith("What this cannot find\n"), folder)

    def test_every_part_of_the_house_is_looked_at(self):
        names = {str(room.relative_to(ROOT)) for room in all_rooms()}
        self.assertLessEqual({"checker/rules", "generator/ops", "generator/plan", "reference/base", "tools/program/run"}, names)
        self.assertNotIn("tools/develop/fuzz", names)

    def test_every_room_says_what_it_links(self):
        known = links()
        names = {called(room) for room in known}
        self.assertEqual(known["reference/formats"], {"ops"})
        self.assertEqual(known["generator/plan"], {"symbolic/"})
        for room in all_rooms():
            name = str(room.relative_to(ROOT))
            if name not in known:  # commands/, which is the program
                continue
            said = re.search(r"Depends on: ([^.]*)\.", (room / "README.md").read_text())
            with self.subTest(room=name):
                self.assertTrue(said, "expected a line `Depends on: ...`")
                self.assertEqual(set(re.findall(r"[\w/]+", said[1])) & names, known[name], "as in CMakeLists.txt")

    def test_scripts_that_pages_call_can_be_called(self):
        call = re.compile(r"(?:^    |&& |^)(tools/[\w/-]+\.(?:py|sh))\b", re.M)
        found = {name for page in ROOT.rglob("*.md") if not page.is_relative_to(ROOT / "build")
                 for name in call.findall(page.read_text())}  # fmt: skip
        self.assertLess(5, len(found))
        self.assertEqual([name for name in sorted(found) if not os.access(ROOT / name, os.X_OK)], [])

    def test_tools_holds_rooms_and_scripts_only(self):
        loose = {path.name for path in (ROOT / "tools").iterdir() if path.is_file()}
        loose = {name for name in loose if not name.endswith(".sh") and not name.startswith(".")}
        self.assertEqual(loose, {"BENCHMARKS.md", "CMakeLists.txt", "COMMANDS.md", "README.md"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
