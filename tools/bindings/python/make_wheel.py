#!/usr/bin/env python3
"""Makes a wheel of the module and what CMake built: make_wheel.py --program FILE --library FILE --version X.Y.Z --out DIR

The same files make the same bytes: names in order, times of SOURCE_DATE_EPOCH. `auditwheel repair` puts the libraries in
that the two need; their licenses are in it already. tools/release.sh calls both. Prints the path. With --metadata DIR writes only the metadata, for Debian's package.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TAG = "py3-none-linux_x86_64"
# Libraries that every system has for which a manylinux wheel is made (PEP 600).
OF_THE_SYSTEM = re.compile(r"^(lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)\.so|ld-linux|linux-vdso)")

# The command, without NumPy, which `import tensor_cts` takes time for.
SCRIPT = """#!python
import importlib.util
import os
import sys

folder = importlib.util.find_spec("tensor_cts").submodule_search_locations[0]
program = os.path.join(folder, "bin", "tensor-cts")
os.environ.setdefault("TENSOR_CTS_PYTHON", sys.executable)  # what `legalize` runs
os.execv(program, [program, *sys.argv[1:]])
"""

METADATA = """Metadata-Version: 2.1
Name: tensor-cts
Version: {version}
Summary: Generates and checks conformance suites for tensor operator sets
License: Apache-2.0
Requires-Python: >=3.10
Requires-Dist: numpy>=1.24
Provides-Extra: pytest
Requires-Dist: pytest>=7; extra == "pytest"
Provides-Extra: ml-dtypes
Requires-Dist: ml-dtypes; extra == "ml-dtypes"
Provides-Extra: tflite
Requires-Dist: tosa-converter-for-tflite; extra == "tflite"
Provides-Extra: legalize
Requires-Dist: ai-edge-litert; extra == "legalize"
Requires-Dist: flatbuffers; extra == "legalize"
Requires-Dist: mpmath; extra == "legalize"
Requires-Dist: tosa-converter-for-tflite; extra == "legalize"
Provides-Extra: torch
Requires-Dist: executorch; extra == "torch"
Requires-Dist: torch; extra == "torch"
Requires-Dist: torchao; extra == "torch"
Classifier: Framework :: Pytest
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: tensor-cts\nRoot-Is-Purelib: false\nTag: {TAG}\n"
ENTRY_POINTS = "[console_scripts]\ntensor-cts-pt2 = tensor_cts.pt2:main\n\n[pytest11]\ntensor-cts = tensor_cts.pytest_plugin\n"


def stripped(path):
    """The file without symbols for debuggers."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, path], check=True)
        return pathlib.Path(copy).read_bytes()


def licenses(paths):
    """The copyright files of Debian's packages whose libraries the files need."""
    libraries = set()
    for path in paths:
        said = subprocess.run(["ldd", path], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
        for name, place in re.findall(r"(\S+) => (/\S+)", said):
            if not OF_THE_SYSTEM.match(name):
                libraries.add(os.path.realpath(place))
    found = {}
    for library in sorted(libraries):
        # Debian lists libraries by /lib or by /usr/lib, which are one folder.
        for place in (library, library.removeprefix("/usr")):
            said = subprocess.run(["dpkg", "-S", place], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
            if said.returncode == 0:
                package = said.stdout.split(":")[0]
                found[package] = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
                break
        else:
            sys.exit(f"make_wheel.py: {library}: found in no package of Debian, expected one with its license")
    return found


def legalize_files():
    """What `tensor-cts legalize` runs: {name in the package: path}."""
    folder = ROOT / "tools" / "legalize"
    paths = [path for path in folder.rglob("*.py") if not re.search(r"_test\.py$|^(corpus|tables|smallest)\.py$", path.name)]
    paths += [folder / "requirements.txt", *(folder.parent / f"findings/{source}/deviations.json" for source in ("tflite", "torch"))]
    return {**{str(path.relative_to(folder.parent)): path for path in sorted(paths)}, "legalize/report_page.html": ROOT / "checker/report/report_page.html"}


def soname(library):
    """What a program that is linked to the library looks for."""
    said = subprocess.run(["objdump", "-p", library], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    return re.search(r"SONAME +(\S+)", said).group(1)


def without_links(page):
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", page)


def development_files(library, version):
    """What another program is built with: headers, tensor-cts.pc, what linkers call the library; schemas and the skeleton."""
    reference = (ROOT / "tools/bindings/c/tensor_cts_reference.h").read_text(encoding="utf-8")
    pc = (ROOT / "cmake/tensor-cts.pc.in").read_text(encoding="utf-8")
    for name, value in (("pc_prefix", ".."), ("pc_libdir", "."), ("pc_includedir", "include"), ("pc_rpath", "-Wl,-rpath,${libdir} "),
                        ("PROJECT_VERSION", version)):
        pc = pc.replace(f"@{name}@", value)
    texts = {
        "libtensor_cts.so": f"/* For linkers. */ INPUT({soname(library)})\n",
        "pkgconfig/tensor-cts.pc": pc,
        "include/tensor-cts/tensor_cts_reference.h": reference.replace('"checker/c/tensor_cts.h"', '"tensor_cts.h"'),
        "adapters/README.md": without_links((ROOT / "tools/adapters/README.md").read_text(encoding="utf-8")),
    }
    paths = {"include/tensor-cts/plugin.h": "tools/adapters/plugin.h", "include/tensor-cts/tensor_cts.h": "checker/c/tensor_cts.h",
             "adapters/skeleton.py": "tools/adapters/skeleton.py"}
    paths.update({f"schemas/{path.name}": path for path in (ROOT / "schemas").glob("*.json")})
    return {**{name: text.encode() for name, text in texts.items()}, **{name: (ROOT / path).read_bytes() for name, path in paths.items()}}


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "library", "version", "out", "metadata"):
        parser.add_argument("--" + name, required=name == "version")
    arguments = parser.parse_args()
    info = f"tensor_cts-{arguments.version}.dist-info"
    readme = (HERE / "README.md").read_text(encoding="utf-8").split("\n## Why ctypes")[0]
    readme = re.sub(r"\[([^]]*)\]\(\.\./[^)]*\)", r"\1", readme)
    metadata = METADATA.format(version=arguments.version) + readme
    if arguments.metadata:  # for Debian's package, which has the rest
        folder = pathlib.Path(arguments.metadata) / info
        folder.mkdir()
        (folder / "METADATA").write_text(metadata, encoding="utf-8")
        (folder / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
        return
    files = {}
    for path in sorted((HERE / "src" / "tensor_cts").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            files["tensor_cts/" + path.name] = (path.read_bytes(), 0o644)
    for name, path in legalize_files().items():
        files["tensor_cts/" + name] = (path.read_bytes(), 0o644)
    for name, data in development_files(arguments.library, arguments.version).items():
        files["tensor_cts/" + name] = (data, 0o644)
    files["tensor_cts/" + soname(arguments.library)] = (stripped(arguments.library), 0o755)
    files["tensor_cts/bin/tensor-cts"] = (stripped(arguments.program), 0o755)
    files[f"tensor_cts-{arguments.version}.data/scripts/tensor-cts"] = (SCRIPT.encode(), 0o755)
    files[info + "/METADATA"] = (metadata.encode(), 0o644)
    files[info + "/WHEEL"] = (WHEEL.encode(), 0o644)
    files[info + "/entry_points.txt"] = (ENTRY_POINTS.encode(), 0o644)
    files[info + "/licenses/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), 0o644)
    for package, text in licenses([arguments.program, arguments.library]).items():
        files[f"{info}/licenses/{package}.copyright"] = (text, 0o644)
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, (data, _) in sorted(files.items()))
    files[info + "/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    out = pathlib.Path(arguments.out) / f"tensor_cts-{arguments.version}-{TAG}.whl"
    out.parent.mkdir(parents=True, exist_ok=True)
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, (data, mode) in sorted(files.items(), key=lambda item: (item[0].startswith(info), item[0])):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, data)
    print(out)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
