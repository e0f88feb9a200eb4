"""The page of check --html in headless Chromium: html_test.py HTML_SAMPLE [KEEP]

HTML_SAMPLE is the program of testdata/html_sample.cc. With a folder KEEP it leaves pages and pictures there.
"""

import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

SAMPLE = pathlib.Path(sys.argv[1]).resolve()
KEEP = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
CHROMIUM = shutil.which("chromium")


class Node:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children, self.parent = tag, dict(attributes), [], None

    def text(self):
        return "".join(c if isinstance(c, str) else c.text() for c in self.children)

    def all(self, tag=None, **attributes):
        found = []
        for child in self.children:
            if isinstance(child, str):
                continue
            if tag in (None, child.tag) and all(child.attributes.get(k) == v for k, v in attributes.items()):
                found.append(child)
            found += child.all(tag, **attributes)
        return found

    def one(self, **attributes):
        found = self.all(**attributes)
        assert len(found) == 1, (attributes, len(found))
        return found[0]


class Parser(html.parser.HTMLParser):
    VOID = {"meta", "link", "br", "img", "input", "col", "hr"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Node("root", [])
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, attributes)
        node.parent = self.at
        self.at.children.append(node)
        if tag not in self.VOID:
            self.at = node

    def handle_endtag(self, tag):
        node = self.at
        while node.parent and node.tag != tag:
            node = node.parent
        if node.parent:
            self.at = node.parent

    def handle_data(self, data):
        self.at.children.append(data)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = KEEP or pathlib.Path(cls.folder.name)
        cls.here.mkdir(exist_ok=True)
        subprocess.run([SAMPLE, cls.here], check=True)
        cls.loaded = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def chromium(self, *options):
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run(
                [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--disable-extensions", "--disable-dev-shm-usage", f"--user-data-dir={profile}",
                 "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9",
                 "--enable-logging=stderr", "--virtual-time-budget=20000", *options],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=120,
                env=dict(os.environ, HOME=profile))

    def load(self, page, **filters):
        """The document after its scripts ran; the console must have stayed silent."""
        key = (page, tuple(filters.items()))
        if key not in self.loaded:
            url = (self.here / page).as_uri() + ("#" + urllib.parse.urlencode(filters) if filters else "")
            net_log = self.here / "net.json"
            done = self.chromium("--dump-dom", f"--log-net-log={net_log}", url)
            self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
            # Not the constants: they hold the command line.
            requests = json.dumps(json.loads(net_log.read_text(errors="replace"))["events"])
            self.assertFalse("attacker.example" in requests)
            self.loaded[key] = Parser(done.stdout).root
        return self.loaded[key]

    def rows(self, root):
        return root.one(id="rows").all("tr", **{"class": "case"})

    def verdicts(self, root):
        return {row.all("span")[0].text() for row in self.rows(root)}

    def maps(self, root):
        return [table for table in root.all("table") if table.attributes.get("class") == "heat map"]

    def data(self, root):
        return json.loads(root.one(id="data").text())

    def test_ten_thousand_cases_say_their_verdict_and_list_a_page(self):
        root = self.load("big.html")
        self.assertIn("NOT CONFORMANT", root.one(id="verdict-words").text())
        self.assertEqual(root.one(id="count").text(), "all 10000 cases")
        self.assertEqual(len(self.rows(root)), 100)
        # Failures first.
        self.assertEqual(self.verdicts(root), {"fail"})
        self.assertLess((self.here / "big.html").stat().st_size, 10 << 20)

    def test_the_heat_map_counts_every_case_once(self):
        root = self.load("big.html")
        rows = [row for table in self.maps(root) for row in table.all("tbody")[0].all("tr")]
        self.assertEqual(len(rows), 35)
        cells = [link.text() for row in rows for link in row.all("a")]
        self.assertEqual(len(cells), len(rows) * (8 + 1))
        total = failed = apart = 0
        for row in rows:
            for link in row.all("a")[:-1]:
                hatched = "".join(mark.text() for mark in link.all("i"))
                parts = link.text()[:len(link.text()) - len(hatched)].split(" / ")
                apart += int(hatched or 0)
                total += int(parts[-1] or 0)
                failed += int(parts[0]) if len(parts) == 2 else 0
        data = self.data(root)
        verdicts = [data["verdicts"][case[6]] for case in data["cases"]]
        unsupported = verdicts.count("unsupported") - len(data["owed"])
        self.assertGreater(unsupported, 0)
        self.assertEqual((total + apart, failed, apart),
                         (10000, 10000 - verdicts.count("pass") - unsupported, unsupported))
        self.assertEqual(10000 - verdicts.count("pass"), len(data["details"]))

    def test_what_is_not_supported_is_hatched_and_not_red(self):
        root = self.load("big.html", verdict="unsupported", operator="IDENTITY")
        self.assertEqual(len([a for a in root.all("a", **{"class": "apart"})]), 1)
        cells = [cell for table in self.maps(root) for cell in table.all("td", **{"class": "apart"})]
        self.assertEqual({cell.all("i")[0].text() for cell in cells}, {cell.text() for cell in cells})
        self.assertGreater(len(cells), 0)
        self.assertEqual({badge.attributes["class"] for badge in root.one(id="rows").all("span")},
                         {"badge unsupported"})
        self.assertNotIn("unsupported", self.verdicts(self.load("big.html", verdict="failed", operator="IDENTITY")))

    def test_what_is_declared_and_not_answered_is_wrong(self):
        root = self.load("big.html", verdict="declared")
        owed = len(self.data(root)["owed"])
        self.assertGreater(owed, 0)
        self.assertEqual(root.one(id="count").text(), f"{owed} of 10000 cases")
        self.assertEqual({badge.attributes["class"] for badge in root.one(id="rows").all("span")}, {"badge owed"})
        root = self.load("big.html", verdict="failed", q="unsupported")
        self.assertEqual(root.one(id="count").text(), f"{owed} of 10000 cases")

    def test_what_is_wrong_on_legal_graphs_stands_before_illegal_ones(self):
        root = self.load("big.html", verdict="wrong_outcome")
        data = self.data(root)
        illegal = {data["cases"][int(k)][0] for k, detail in data["details"].items()
                   if detail["expected"].startswith("error")}
        rows = [row.all("div", **{"class": "id"})[0].text() in illegal for row in self.rows(root)]
        self.assertEqual(set(rows), {False, True})
        self.assertEqual(rows, sorted(rows))

    def test_the_fragment_of_the_address_filters(self):
        data = self.data(self.load("big.html"))
        root = self.load("big.html", verdict="fail", q="CONV 3x3x3")
        expected = [c for c in data["cases"] if data["verdicts"][c[6]] == "fail" and "conv" in c[0]]
        self.assertGreater(len(expected), 100)
        self.assertEqual(root.one(id="count").text(), f"{len(expected)} of 10000 cases")
        self.assertEqual(self.verdicts(root), {"fail"})
        root = self.load("big.html", operator="CONV2D", type="bf16", profile="PRO-FP", rule="ulp")
        for row in self.rows(root):
            self.assertEqual([cell.text() for cell in row.all("td")[2:]], ["CONV2D", "bf16", "ulp"])
        self.assertGreater(len(self.rows(root)), 0)

    def test_what_no_case_has_finds_none(self):
        root = self.load("big.html", operator="<b>NONE</b>")
        self.assertEqual(root.one(id="count").text(), "0 of 10000 cases")
        self.assertEqual(self.rows(root), [])

    def test_one_case_alone_shows_its_details(self):
        data = self.data(self.load("big.html"))
        index, case = next((k, c) for k, c in enumerate(data["cases"])
                           if data["verdicts"][c[6]] == "fail" and "<" not in data["details"][str(k)]["message"])
        root = self.load("big.html", q=case[0])
        details = root.one(id="rows").all("tr", **{"class": "detail"})
        self.assertEqual(len(details), 1)
        text = details[0].text()
        for words in ["[0,1]: expected 1.5, got 2", "12 of 1000 differ", "stride=1x1", "Some Section",
                      f"tensor-cts explain '/results/acme npu' {case[0]}",
                      f"tensor-cts run /suites/certify --adapter 'acme-adapter --device npu0' --filter {case[0]}",
                      "above 65536: 12"]:
            self.assertIn(words, text)

    def test_hostile_texts_are_inert(self):
        root = self.load("big.html", q="attacker.example")
        self.assertGreater(len(self.rows(root)), 0)
        self.assertIn("<img src=http://attacker.example/x", root.one(id="rows").text())
        title = root.all("title")[0].text()
        self.assertTrue(title.startswith("NOT CONFORMANT: </script><script>"), title)
        self.assertEqual(root.all("img"), [])
        self.assertEqual(len(root.all("script")), 2)
        for link in root.all("a"):
            self.assertTrue(link.attributes["href"].startswith("#"), link.attributes)

    def test_findings_stand_at_the_top(self):
        text = (self.here / "big.html").read_text()
        self.assertLess(text.index("mixed flushing"), text.index("What failed, by cause"))
        self.assertLess(text.index("What failed, by cause"), text.index("id=\"heat-map\""))
        self.assertIn("2 findings over several cases", self.load("big.html").one(**{"class": "verdict bad"}).text())

    def test_a_conformant_report_says_so(self):
        root = self.load("good.html", verdict="not-passed")
        self.assertIn("CONFORMANT", root.one(id="verdict-words").text())
        self.assertNotIn("NOT CONFORMANT", root.text())
        self.assertEqual(root.one(id="count").text(), "0 of 10000 cases")

    def test_every_control_has_a_name(self):
        root = self.load("big.html")
        labelled = {label.attributes["for"] for label in root.all("label")}
        for tag in ["input", "select"]:
            for control in root.all(tag):
                self.assertIn(control.attributes["id"], labelled)
        for button in root.all("button"):
            self.assertTrue(button.text().strip() or button.attributes.get("aria-label"))
        for table in root.all("table"):
            self.assertTrue(table.all("th"))

    def test_the_policy_lets_nothing_in(self):
        policy = self.load("big.html").one(**{"http-equiv": "Content-Security-Policy"}).attributes["content"]
        self.assertRegex(policy, r"^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; "
                                 r"script-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'$")

    def test_tables_are_readable_at_every_width(self):
        """The column of operators has their names in one line each, and only the tables are scrolled sideways. Sums stay in
        sight where there is room for them. Where there is none, names cover no numbers."""
        page = (self.here / "big.html").read_text(encoding="utf-8")
        policy = page[page.index('<meta http-equiv="Content-Security-Policy"'):]
        page = page.replace(policy[:policy.index(">") + 1], "")
        measure = """<script>addEventListener("load", () => {
          const head = [...document.querySelectorAll("#heat-map tbody tr th:first-child")];
          const range = document.createRange();
          const lines = head.map(th => { range.selectNodeContents(th); return new Set([...range.getClientRects()].map(r => Math.round(r.top))).size; });
          const map = document.querySelector("#heat-map"), all = map.querySelector("thead th:last-child");
          map.style.minWidth = "1500px";
          const hidden = all.getBoundingClientRect().right - map.parentElement.getBoundingClientRect().right;
          const covers = getComputedStyle(head[0]).position === "sticky";
          parent.postMessage(JSON.stringify({lines: Math.max(...lines), hidden, covers, wide: document.documentElement.scrollWidth - innerWidth, inner: innerWidth}), "*");
        })</script></body>"""
        page = html.escape(page.replace("</body>", measure))
        for width in (400, 520, 800, 1280):
            with self.subTest(width=width):
                # In a frame: no window of Chromium is narrower than 500 pixels.
                (self.here / "measured.html").write_text(
                    f'<title></title><script>onmessage = (e) => document.title = e.data;</script><iframe width={width} '
                    f'height=900 frameborder=0 srcdoc="{page}"></iframe>', encoding="utf-8")
                done = self.chromium("--dump-dom", "--window-size=1400,900", (self.here / "measured.html").as_uri())
                found = json.loads(Parser(done.stdout).root.all("title")[0].text())
                self.assertEqual((found["lines"], found["inner"]), (1, width))
                self.assertLessEqual(found["wide"], 0)
                self.assertEqual((found["hidden"] > 1, found["covers"]), (width < 761, width > 760))

    def test_it_can_be_looked_at(self):
        for name, options in {"light": ["--window-size=1400,2200"], "narrow": ["--window-size=500,1800"],
                              "dark": ["--window-size=1400,2200", "--blink-settings=preferredColorScheme=0"]}.items():
            picture = self.here / f"{name}.png"
            self.chromium(f"--screenshot={picture}", *options, (self.here / "big.html").as_uri())
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    if CHROMIUM is None:
        print("chromium is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
