#!/usr/bin/env python3
"""The documentation site: made anew, no dead link, nothing loaded from outside, its search works from a disk.

Usage: docs_test.py PROGRAM             exit code 77: build/pypi/docs is not made; tools/docs.sh makes it
       docs_test.py --outside SITE      lists links to other sites, which no test tries
"""
import functools
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE))
import headers  # noqa: E402
import pages  # noqa: E402

# What a browser loads by itself, by tag: the attributes that name it.
LOADED = {"script": ("src",), "link": ("href",), "img": ("src", "srcset"), "source": ("src", "srcset"), "iframe": ("src",), "video": ("src", "poster"),
          "audio": ("src",), "embed": ("src",), "object": ("data",), "use": ("href", "xlink:href"), "image": ("href", "xlink:href")}  # fmt: skip
# Links in the head that say something of the page, and load nothing.
SAID = {"canonical", "next", "prev", "edit", "license"}
OUTSIDE = re.compile(r"^(?:[a-z]+:)?//", re.I)
STYLE_OUTSIDE = re.compile(r"(?:url\(\s*|@import\s+)[\"']?((?:https?:)?//[^\"')\s]+)", re.I)


class Page(html.parser.HTMLParser):
    """What a page names: ids, links, what it loads, its styles."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded, self.styles, self.classes, self.inside = set(), [], [], [], set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.inside = tag
        self.ids |= {values[name] for name in ("id", "name") if values.get(name)}
        self.classes |= set((values.get("class") or "").split())
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if values.get("style"):
            self.styles.append(values["style"])
        if tag == "link" and set((values.get("rel") or "").split()) & SAID:
            return
        for name in LOADED.get(tag, ()):
            self.loaded += [piece.split()[0] for piece in (values.get(name) or "").split(",") if piece.strip()]

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "style":
            self.styles.append(data)


@functools.lru_cache(maxsize=None)
def read(path):
    return Page(path.read_text())


def html_pages(site):
    return sorted(path for path in site.rglob("*.html"))


def dead_links(site):
    """Links and loaded files that lead nowhere within the site: "page: link"."""
    found = []
    for path in html_pages(site):
        page = read(path)
        for link in [*page.links, *page.loaded]:
            if OUTSIDE.match(link) or re.match(r"(?:mailto|data|javascript):", link):
                continue
            name, _, anchor = link.partition("#")
            name, anchor = urllib.parse.unquote(name.partition("?")[0]), urllib.parse.unquote(anchor)
            target = pathlib.Path(os.path.normpath(path.parent / name)) if name else path
            # The page of what is not found may be shown at any address: its links begin with a slash.
            if path.name == "404.html" and name.startswith("/"):
                target = site / name.lstrip("/")
            if target.is_dir():
                target /= "index.html"
            if site not in target.parents or not target.is_file():
                found.append(f"{path.relative_to(site)}: {link}")
            elif anchor and target.suffix == ".html" and anchor not in read(target).ids and not anchor.startswith("__"):
                found.append(f"{path.relative_to(site)}: {link}")
    return found


def loaded_from_outside(site):
    found = []
    for path in html_pages(site):
        page = read(path)
        found += [f"{path.relative_to(site)}: {link}" for link in page.loaded if OUTSIDE.match(link)]
        found += [f"{path.relative_to(site)}: {link}" for style in page.styles for link in STYLE_OUTSIDE.findall(style)]
        if "mermaid" in page.classes:  # for which the theme loads a library
            found.append(f"{path.relative_to(site)}: a diagram")
    for path in sorted(site.rglob("*.css")):
        found += [f"{path.relative_to(site)}: {link}" for link in STYLE_OUTSIDE.findall(path.read_text())]
    return found


def unreachable(site):
    """Pages that no way of links leads to from the first one."""
    seen, left = set(), [site / "index.html"]
    while left:
        path = left.pop()
        if path in seen or path.suffix != ".html":
            continue
        seen.add(path)
        for link in read(path).links:
            target = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(re.split("[#?]", link)[0])))
            if not OUTSIDE.match(link) and target.is_file():
                left.append(target)
    return sorted(str(path.relative_to(site)) for path in html_pages(site) if path not in seen and path.name != "404.html")


def outside_links(site):
    return sorted({link for path in html_pages(site) for link in read(path).links if OUTSIDE.match(link)})


class Look(unittest.TestCase):
    """What the functions above find in a site of three pages."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="docs_test-")
        self.addCleanup(self.folder.cleanup)
        self.site = pathlib.Path(self.folder.name)
        (self.site / "b").mkdir()
        self.write("b/two.html", '<p id="here">')
        self.write("alone.html", "<p>")

    def write(self, name, text):
        (self.site / name).write_text(text)
        read.cache_clear()

    def test_dead_links(self):
        self.write("index.html", '<a href="b/two.html#here">x</a><a href="#top">y</a><a href="b/two.html#gone">z</a><a href="b/three.html">'
                   '<a href="https://example.org/x"><a href="../outside.html"><img src="no.png"><p id="top">')  # fmt: skip
        self.assertEqual(dead_links(self.site), [f"index.html: {link}" for link in ("b/two.html#gone", "b/three.html", "../outside.html", "no.png")])

    def test_what_is_loaded(self):
        self.write("index.html", '<script src="https://example.org/a.js"></script><link rel="canonical" href="https://example.org/">'
                   '<link rel="stylesheet" href="//example.org/b.css"><a href="https://example.org/c"><img srcset="d.png 1x, http://example.org/e.png 2x">'
                   "<style>@import 'https://example.org/f.css'; p {background: url(https://example.org/g.png)}</style><pre class=\"mermaid\">")  # fmt: skip
        self.write("h.css", "@font-face {src: url(//example.org/i.woff)}")
        self.assertEqual([found.rsplit("/", 1)[-1] for found in loaded_from_outside(self.site)],
                         ["a.js", "b.css", "e.png", "f.css", "g.png", "index.html: a diagram", "i.woff"])  # fmt: skip

    def test_pages_that_nothing_leads_to(self):
        self.write("index.html", '<a href="b/two.html#here">')
        self.assertEqual(unreachable(self.site), ["alone.html"])

    def test_lists_get_an_empty_line_and_four_spaces(self):
        self.assertEqual(pages.for_mkdocs("a:\n* b\n  c\n\n      code\n* d\n\nend\n1. e\n   f"), "a:\n\n* b\n    c\n\n        code\n* d\n\nend\n\n1. e\n    f")
        self.assertEqual(pages.for_mkdocs("```json claim.json\n* a[1][2]\n```\na[1][2] `b[1][2]`"),
                         '```json title="claim.json"\n* a[1][2]\n```\na[1]\\[2] `b[1][2]`')  # fmt: skip

    def test_declarations_of_a_header(self):
        text = ("// About all.\n#pragma once\n#include <a>\n\nnamespace cts {\n\n// Adds.\nint Add(int a);\n// Both <a> and_b.\nstruct Both {\n  int a;\n\n  int b;\n};\n\n"
                "}  // namespace cts\n")  # fmt: skip
        self.assertEqual(headers.parts(text), [(["About all."], []), (["Adds."], ["int Add(int a);", "// Both <a> and_b.", "struct Both {", "  int a;", "", "  int b;", "};"])])
        self.assertEqual(headers.prose(["a `b_c` d_e <f>"]), r"a `b_c` d\_e &lt;f>")


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="docs_test-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.site = pathlib.Path(cls.folder.name).resolve() / "site"
        subprocess.run([str(ROOT / "tools/docs.sh"), "--program", PROGRAM, "--out", str(cls.site)], check=True, stdout=subprocess.DEVNULL)
        read.cache_clear()

    def test_no_link_is_dead(self):
        self.assertGreater(sum(len(read(path).links) for path in html_pages(self.site)), 10000)
        self.assertEqual(dead_links(self.site), [])

    def test_no_link_into_the_repository_is_dead(self):
        """A link of a page that leads nowhere stays as it is, and would be a dead link; those to files lead to the page that names them."""
        names = re.findall(r'<a id="file-[^"]*"></a><code>([^<]*)</code>', (self.site / "files.html").read_text())
        self.assertGreater(len(names), 50)
        self.assertEqual([name for name in names if not (ROOT / name).exists()], [])

    def test_the_licence_of_the_theme_goes_with_it(self):
        self.assertIn("Permission is hereby granted", (self.site / "assets/LICENSE.theme").read_text())
        self.assertIn("under the licence of the project", (self.site / "assets/iframe-worker.js").read_text())

    def test_nothing_is_loaded_from_outside(self):
        self.assertEqual(loaded_from_outside(self.site), [])

    def test_a_way_leads_to_every_page(self):
        self.assertEqual(unreachable(self.site), [])

    def test_every_command_schema_and_interface_has_its_page(self):
        shown = subprocess.run([PROGRAM, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
        commands = re.findall(r"^  ([a-z]+) {3,}\S", shown, re.M)
        self.assertGreater(len(commands), 20)
        wanted = [f"commands/{name}" for name in commands] + [f"formats/{path.name[:-len('.schema.json')]}" for path in (ROOT / "schemas").glob("*.schema.json")]
        self.assertEqual([name for name in wanted if not (self.site / f"docs/reference/{name}.html").is_file()], [])
        page = (self.site / "docs/reference/c.html").read_text()
        for name in ("tensor_cts_judge", "tensor_cts_reference", "tensor_cts_plugin"):
            self.assertIn(name, page)
        module = (ROOT / next(name for name in pages.tracked(ROOT) if name.endswith("src/tensor_cts/__init__.py"))).read_text()
        names = re.findall(r'"(\w+)"', module.partition("__all__")[2])
        self.assertEqual([name for name in names if f"tensor_cts.{name}" not in read(self.site / "docs/reference/python.html").ids], [])

    def test_options_in_the_guides_are_those_of_the_program(self):
        seen = 0
        for guide in sorted((ROOT / "docs/guides").glob("*.md")):
            for line in re.findall(r"^    (tensor-cts (?:.*\\\n)*.*)$", guide.read_text(), re.M):
                line = re.sub(r"\s#.*", "", line)
                command = line.split()[1]
                shown = subprocess.run([PROGRAM, command, "--help"], text=True, stdout=subprocess.PIPE)
                self.assertEqual(shown.returncode, 0, f"{guide.name}: {line}")
                for option in re.findall(r"(?<=\s)--[a-z-]+", re.sub(r'"[^"]*"', "", line)):
                    seen += 1
                    self.assertRegex(shown.stdout, rf"(?m)^ .*{option}\b", f"{guide.name}: {line}")
        self.assertGreater(seen, 40)

    def test_the_search_knows_each_page(self):
        index = json.loads((self.site / "search/search_index.json").read_text())
        places = {entry["location"].partition("#")[0] for entry in index["docs"]}
        missing = [str(path.relative_to(self.site)) for path in html_pages(self.site)]
        missing = [name for name in missing if name not in places and name not in ("404.html", "index.html")
                   and not name.startswith("docs/reference/cpp/") and not name.endswith("/implementations.html")]  # fmt: skip
        self.assertEqual(missing, [])

    def test_the_search_works_from_a_disk(self):
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("chromium is not installed")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder.name}/browser", "--virtual-time-budget=20000",
                               "--dump-dom", f"file://{self.site}/index.html?q=ADDING"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=50)  # fmt: skip
        results = re.findall(r'class="md-search-result__link"', done.stdout)
        self.assertGreater(len(results), 1, done.stdout[:200])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--outside"] and len(sys.argv) == 3:
        print("\n".join(outside_links(pathlib.Path(sys.argv[2]).resolve())))
        sys.exit()
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    PROGRAM = sys.argv[1]
    wanted, made = HERE / "requirements.txt", ROOT / "build/pypi/docs/requirements.txt"
    if not made.is_file() or made.read_bytes() != wanted.read_bytes():
        print("build/pypi/docs is not made: tools/docs.sh makes it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
