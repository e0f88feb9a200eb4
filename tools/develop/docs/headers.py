"""The reference of the C and C++ interfaces: what the installed headers declare, with the comments above it."""
import os
import re

# Headers that another program needs nothing but: functions in C, and a plugin. By source, what programs include.
C = {"checker/c/tensor_cts.h": "tensor-cts/tensor_cts.h", "tools/bindings/c/tensor_cts_reference.h": "tensor-cts/tensor_cts_reference.h",
     "tools/adapters/plugin.h": "tensor-cts/plugin.h"}  # fmt: skip
# As cmake/install.cmake leaves them out.
NOT_INSTALLED = re.compile(r"testing\.h$|/suite_on_disk\.h$|/tosa_wire\.h$|/testdata/|/fuzz/")
SKIPPED = re.compile(r"#pragma once|#\s*include\b|#ifndef \w+_H_$|#define \w+_H_$|#\s*endif|#ifdef __cplusplus|extern \"C\" \{|namespace [\w:]* ?\{|namespace \{"
                     r"|\}\s*//.*namespace|\} *(?:/\* extern \"C\" \*/)?$")  # fmt: skip
NAME = re.compile(r"\b(?:class|struct|union|enum class|enum)\s+(?:\[\[\w+\]\]\s*)?(\w+)[^;(]*\{|\busing (\w+) =|\bconstexpr\b[^=({]*?\b(\w+)(?:\[\w*\])?\s*[={]"
                  r"|#define (\w+)|\btypedef struct (\w+)|([\w~]+|operator\S+)\s*\(")  # fmt: skip


def without_comments(line):
    return re.sub(r'//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', "", line)


def parts(text):
    """What a header says at its beginning, and its declarations: (comment, code)."""
    chunks, chunk, depth, comment = [], [], 0, False
    for line in [*text.split("\n"), ""]:
        if depth == 0 and not comment and not chunk and SKIPPED.match(line):
            continue
        if not line.strip() and depth == 0 and not comment:
            if chunk:
                chunks.append(chunk)
            chunk = []
            continue
        if depth == 0 and not comment and SKIPPED.match(line):
            if re.match(r"#|namespace|extern", line) or line.startswith("}  //"):
                if chunk:
                    chunks.append(chunk)
                chunk = []
                continue
        chunk.append(line)
        if not comment and line.lstrip().startswith("/*") and "*/" not in line:
            comment = True
        elif comment:
            comment = "*/" not in line
        if not comment and not line.startswith("#") and not line.rstrip().endswith("\\"):
            bare = without_comments(line) if not line.lstrip().startswith("*") else ""
            depth = max(0, depth + bare.count("{") - bare.count("}"))
    return [split(chunk) for chunk in chunks]


def split(chunk):
    """The comment above a declaration, without its marks, and the declaration."""
    comment, inside = [], False
    for index, line in enumerate(chunk):
        if inside or line.startswith("/*"):
            inside = "*/" not in line
            comment.append(re.sub(r"^/?\*+ ?|^ \* ?|\s*\*/.*$", "", line))
        elif line.startswith("//"):
            comment.append(re.sub(r"^// ?", "", line))
        else:
            return comment, chunk[index:]
    return comment, []


def prose(comment):
    """A comment as Markdown: indented lines are code, every sign else is itself."""
    lines, code = [], False
    for line in comment:
        if re.match(r" {2,}\S", line) and (code or not lines or not lines[-1].strip()):
            lines += [] if code else [""]
            code = True
            lines.append("    " + line)
            continue
        if code and line.strip():
            lines.append("")
        code = code and not line.strip()
        pieces = line.lstrip().split("`") if line.count("`") % 2 == 0 else [line.lstrip().replace("`", "&#96;")]
        pieces[::2] = [re.sub(r"([*_\[\]#\\~])", r"\\\1", piece).replace("&", "&amp;").replace("<", "&lt;") for piece in pieces[::2]]
        text = "`".join(pieces)
        lines.append(re.sub(r"^(\d+)\. ", r"\1\\. ", re.sub(r"^([-+]) ", r"\\\1 ", text)))
    return "\n".join(lines)


def named(code):
    text = "\n".join(without_comments(line) for line in code if not re.match(r"#\s*(?:if|el|endif)", line))
    match = NAME.search(text)
    return next((name for name in match.groups() if name), "") if match else ""


def header(include, text, level):
    lines = ["#" * level + f" {include} {{#{re.sub('[^a-z0-9]+', '-', include.lower())}}}", ""]
    language = "c" if include in C.values() else "cpp"
    last = ""
    for comment, code in parts(text):
        name = named(code) if code else ""
        if name and name != last:
            lines += ["#" * (level + 1) + f" `{name}`", ""]
            last = name
        if comment:
            lines += [prose(comment), ""]
        if code:
            lines += [f"```{language}", *code, "```", ""]
    return "\n".join(lines)


def add_pages(pages):
    """Adds a page for C, one for each room in C++ and one of all rooms; returns the first, and the others, that of all before them."""
    c = ["# The interface in C", "", "For whatever can call C: Rust, Go, Python's ctypes. Link `libtensor_cts.so`; a plugin needs its header alone.", ""]
    rooms = {}
    for name in sorted(pages.files):
        if name in C:
            c.append(header(C[name], (pages.root / name).read_text(), 2))
        elif name.startswith(("reference/", "generator/", "checker/")) and name.endswith(".h") and not NOT_INSTALLED.search("/" + name):
            rooms.setdefault(os.path.dirname(name), []).append(name)
    if sum(line.startswith("## ") for text in c for line in text.split("\n")) != len(C):
        raise SystemExit(f"docs: expected the headers {', '.join(C)}")
    pages.add("docs/reference/c.md", "\n".join(c))
    result = []
    index = ["# The interface in C++", "", "A program that links `tensor-cts::reference`, `tensor-cts::checker` or `tensor-cts::generator` may include these headers, "
             "such as `#include \"checker/judge/case_checker.h\"`. What stays from version to version is on [a page of its own](../../../STABILITY.md); it does not name them.", "",
             "| room | headers |", "|---|---|"]  # fmt: skip
    for room, names in rooms.items():
        page = f"docs/reference/cpp/{room.replace('/', '-')}.md"
        readme = f"What the room is for: [{room}]({'../' * 3}{room}/README.md).\n" if f"{room}/README.md" in pages.text else ""
        texts = [header(name, (pages.root / name).read_text(), 2) for name in names]
        # The search finds names by their pages: every declaration would be most of its index.
        pages.add(page, f"---\nsearch:\n  exclude: true\n---\n\n# {room}\n\n{readme}\n" + "\n".join(texts))
        index.append(f"| [{room}]({os.path.basename(page)}) | {', '.join(os.path.basename(name).replace('_', chr(92) + '_') for name in names)} |")
        result.append(page)
    pages.add("docs/reference/cpp/README.md", "\n".join([*index, ""]))
    return "docs/reference/c.md", ["docs/reference/cpp/README.md", *result]
