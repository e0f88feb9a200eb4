#!/usr/bin/env python3
"""Checks what the texts of the repository name: commands that exist, and packages that exist or are ours."""
import os
import pathlib
import re
import subprocess
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# No registry has a package of ours. An attacker who takes its name could run code on the machine of a user who follows
# such a line. A path is harmless: `pip install out/wheel/tensor_cts-0.2.0-py3-none-any.whl[pytest]`.
OURS = r"tensor[-_.]?cts"
EXTRA = re.compile(rf"(?<![\w/.-]){OURS}\[", re.I)
INSTALL = re.compile(rf"\b(?:pip[\d.]*|pipx|uvx?|poetry|conda|npm|npx|cargo)\b[^\n`;&|]*?[ \t\"'\\]{OURS}(?=[\s\"'\\`=<>~!@;&|,)\[]|$)", re.I | re.M)
PINNED = re.compile(rf"^\s*[\"']?{OURS}\s*(?:[=~<>!]=|@\s)", re.I | re.M)
PAGE = re.compile(rf"pypi\.(?:org|python\.org)/\S*{OURS}", re.I)


def texts():
    """Each text of the repository by its path: what git has, or what lies here where that is no checkout."""
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(git, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if (ROOT / ".git").exists() and listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        names = []
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in (".git", "build", "out", "node_modules", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files]
    for name in sorted(set(names)):
        path = ROOT / name
        if path.is_file() and path.resolve() != pathlib.Path(__file__).resolve():
            data = path.read_bytes()
            if b"\0" not in data[:4096]:
                yield name, data.decode(errors="replace")


def packages_of_ours(text):
    """The words of a text that name a package of ours as a registry would have it."""
    text = re.sub(r'"[ ]*\n[ ]*"', "", text)  # a literal of C++ in several lines
    return [match[0].strip() for pattern in (EXTRA, INSTALL, PINNED, PAGE) for match in pattern.finditer(text)]


def code_blocks(page):
    """The lines of each code block: indented by four, or between fences."""
    blocks, block, fenced = [], [], False
    for line in [*page.splitlines(), ""]:
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            block.append(line if fenced else line[4:])
            continue
        if block:
            blocks.append(block)
            block = []
    return blocks


class Texts(unittest.TestCase):
    def test_the_citation_names_the_version_of_the_build(self):
        (version,) = re.findall(r"^project\(tensor-cts VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
        (cited,) = re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
        self.assertEqual(cited, version)

    def test_no_text_names_a_package_of_ours_that_no_registry_has(self):
        found, seen = [], 0
        for name, text in texts():
            seen += 1
            found += [f"{name}: {words}" for words in packages_of_ours(text)]
        self.assertGreater(seen, 1000)
        self.assertEqual(found, [], "name the wheel's file, the packages of others that it needs, or a script of the repository")

    def test_what_counts_as_one(self):
        for text in ('pip install "tensor-cts[tflite]"', "tensor_cts[torch]", "pip3 install tensor-cts", "python3 -m pip install -U tensor_cts==0.2.0",
                     "uv add tensor-cts\n", "uvx tensor-cts check", "pipx run tensor-cts", 'say(R"(pip install \\"tensor-cts\\")")', "numpy\ntensor-cts>=0.2\n",
                     "`pip install numpy tensor-cts`", "https://pypi.org/project/tensor-cts/", "npm install tensor-cts", "TensorCTS[a]",
                     '"pip install "\n    "tensor-cts"'):  # fmt: skip
            self.assertNotEqual(packages_of_ours(text), [], text)
        for text in ('pip install "out/wheel/tensor_cts-0.2.0-py3-none-any.whl[pytest]"', ".venv/bin/pip install ./conformance/tensor_cts-*.whl",
                     "pip install numpy && tensor-cts check", "`pip install jax`, then `tensor-cts run`", "pip install executorch beside the wheel of\ntensor-cts",
                     "tensor_cts_suite = [", "apt install ./out/wheel/tensor-cts_0.2.0_amd64.deb"):  # fmt: skip
            self.assertEqual(packages_of_ours(text), [], text)

    def test_lines_that_stand_for_an_extra_of_the_wheel_name_its_packages(self):
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        for extra, names in {"tflite": ["program/exchange/convert_network.cc"], "torch": ["program/exchange/convert_network.cc", "bindings/python/src/tensor_cts/pt2.py"],
                             "legalize": ["legalize/legalize.py"]}.items():  # fmt: skip
            for name in names:
                self.assertIn(f"pip install {' '.join(extras[extra])}\"", (ROOT / "tools" / name).read_text(), f"{name}: {extra}")

    def test_the_first_command_of_the_first_page_is_in_a_clone(self):
        command = code_blocks((ROOT / "README.md").read_text())[0][0].split()[0]
        self.assertTrue(command in {name for name, _ in texts()} and os.access(ROOT / command, os.X_OK),
                        f"README.md: the first code block: found {command}, expected a script of the repository")

    def test_the_architecture_names_what_there_is(self):
        """Each file, and each type or function, of the tables of stages and types."""
        page = (ROOT / "ARCHITECTURE.md").read_text()
        tables = page[page.index("## The way of a case") : page.index("## Words")]
        code = "".join(
            path.read_text()
            for top in ("reference", "generator", "checker", "tools")
            for suffix in ("h", "cc")
            for path in (ROOT / top).rglob(f"*.{suffix}")
        )
        names = re.findall(r"`([^`\n]+)`", tables)
        self.assertGreater(len(names), 50)
        for name in names:
            if "/" in name:
                files = [name.replace("STEM", "abs"), name.replace("STEM", "conv2d"), name.replace("STEM", "elementwise")]
                self.assertTrue(any((ROOT / file).exists() for file in files), f"ARCHITECTURE.md: `{name}` is no file or folder")
            elif re.fullmatch(r"[A-Z][a-z]\w+", name):
                defined = re.search(rf"\b(?:struct|class|enum class) {name}\b|\b{name}\(", code)
                self.assertTrue(defined, f"ARCHITECTURE.md: `{name}` is defined nowhere")

    def test_blocks_of_code(self):
        self.assertEqual(code_blocks("# A\n\n    b c\n     d\n\ne\n```sh\nf\n```\n    g"), [["b c", " d"], ["f"], ["g"]])


CITED = re.compile(r"(?<![\w/.-])((?:[a-z_0-9]+/)+\w+\.(?:h|cc|def|py|md))\b")


def cited_files(source):
    """The paths that the comments of a C++ source name, without addresses of the web."""
    for line in source.splitlines():
        comment = line.partition("//")[2]
        if "http" not in line and "github.com" not in source:
            yield from CITED.findall(comment)


class Comments(unittest.TestCase):
    def test_cite_files_that_exist(self):
        ends = set()
        sources = dict(texts())
        for name in sources:
            parts = name.split("/")
            ends.update("/".join(parts[i:]) for i in range(len(parts)))
        cited = [(name, path) for name, text in sources.items() if name.endswith((".h", ".cc")) for path in cited_files(text)]
        self.assertGreater(len(cited), 50)
        self.assertEqual([(name, path) for name, path in cited if path not in ends], [])

    def test_a_file_that_is_not_there_is_found(self):
        self.assertEqual(list(cited_files("int a;  // as in graph/no_such.h\n")), ["graph/no_such.h"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
