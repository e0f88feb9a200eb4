#!/usr/bin/env python3
"""What pyproject.toml leaves to the sources: the version, and the page about the module, which names the commit.

metadata.py VERSION DIR writes into DIR the metadata of Debian's package, which needs no scikit-build-core.
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def commit():
    """That of a checkout of this very folder, as `tensor-cts version` prints it; empty elsewhere."""
    try:
        said = subprocess.run(["git", "-C", ROOT, "rev-parse", "--show-toplevel", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    except FileNotFoundError:
        return ""
    if said.returncode != 0:  # no checkout, or one without a commit
        return ""
    top, head = said.stdout.splitlines()
    if pathlib.Path(top) != ROOT:
        return ""
    changed = subprocess.run(["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"], stdout=subprocess.PIPE, check=True).stdout
    return head + (", modified" if changed else "")


def version(made_of):
    """0.3.0 of a release; between releases 0.3.0.dev0+g1e2f672834d1, and .modified behind it where files were changed."""
    lists = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    (number,) = re.findall(r"^project\(tensor-cts VERSION ([\d.]+)", lists, re.M)
    (suffix,) = re.findall(r"^set\(TENSOR_CTS_VERSION_SUFFIX *(.*)\)$", lists, re.M)
    if not suffix:
        return number
    head, _, state = made_of.partition(", ")
    return f"{number}.{suffix.removeprefix('-')}0" + (f"+g{head[:12]}" if head else "") + (f".{state}" if state else "")


def page(made_of):
    """README.md as far as it is about the use of the module, without links to other files."""
    text = (HERE / "README.md").read_text(encoding="utf-8").split("\n## Why ctypes")[0]
    text = re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)
    return text + (f"\nMade from commit {made_of}.\n" if made_of else "")


def dynamic_metadata(_settings, _project):
    """Called by scikit-build-core. In an sdist, which has no git, PKG-INFO has both."""
    info = ROOT / "PKG-INFO"
    if info.exists() and not (ROOT / ".git").exists():
        head, _, text = info.read_text(encoding="utf-8").partition("\n\n")
        (number,) = re.findall(r"^Version: (.*)$", head, re.M)
    else:
        made_of = commit()
        number, text = version(made_of), page(made_of)
    return {"version": number, "readme": {"text": text, "content-type": "text/markdown"}}


def main():
    import tomllib  # Python 3.11 has it; scikit-build-core needs less

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = pathlib.Path(sys.argv[2]) / f"tensor_cts-{sys.argv[1]}.dist-info"
    folder.mkdir()
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {sys.argv[1]}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}", *(f"Requires-Dist: {name}" for name in project["dependencies"])]  # fmt: skip
    (folder / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    texts = [f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in names.items()) for group, names in groups.items()]
    (folder / "entry_points.txt").write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
