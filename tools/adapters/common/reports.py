"""A report for each deviation, FOLDER/deviations/ID.md: what its implementers need, and a program that needs nothing of
this project. What a program imports of its adapter's folder stands above it, as far as it is used."""

import ast
import os
import re

KINDS = {
    "wrong": "Wrong values",
    "refuses": "Legal graphs that are refused",
    "lowering": "Legal graphs that are not lowered",
    "accepts": "Illegal graphs that are not refused",
    "crash": "Graphs that the implementation dies of",
    "not asked": "What the implementation was not asked, as its text has no words for it",
}
# What would be right, beside the clause, where that is no value.
RIGHT = {
    "refuses": "The graph is legal: it has a result.",
    "lowering": "The graph is legal: it has a result.",
    "accepts": "The graph is illegal: it has to be refused.",
    "crash": {
        ("valid",): "The graph is legal: it has a result.",
        ("error",): "The graph is illegal: it has to be refused.",
        ("error", "valid"): "A legal graph has a result, an illegal one has to be refused.",
    },
}


def read_text(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def title(deviation):
    """The fault: what the implementation does, up to the first stop or colon, if it has no title of its own."""
    return deviation.get("title") or re.split(r"[.:;](?: |$)", deviation["does"])[0]


def is_a_fault(deviation):
    """A deviation that is no fault of the stack, or was not asked for, has a line in the list and no report."""
    return deviation["kind"] != "not asked" and not deviation.get("owner", "").startswith("nobody")


# --- A program with its helpers ----------------------------------------------------------------


def statements(source):
    """[(node, text)] of what stands at the outermost level, each with the comments above it."""
    found, end, lines = [], 0, source.splitlines()
    for node in ast.parse(source).body:
        text = "\n".join(lines[end : node.end_lineno]).strip("\n")
        found.append((node, re.sub(r"  # (noqa|fmt).*", "", text)))
        end = node.end_lineno
    return found


def names_used(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def names_made(node):
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    return {target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)}


def helper_of(node, folder):
    """The file that `from MODULE import …` reads, if it is of the adapter's folder."""
    if isinstance(node, ast.ImportFrom) and node.module:
        path = os.path.join(folder, node.module + ".py")
        return path if os.path.exists(path) else None
    return None


def needed(path, names):
    """The imports, and the definitions, of a helper without which the names do not stand."""
    parts, names, chosen = statements(read_text(path)), set(names), set()
    while new := {i for i, (node, _) in enumerate(parts) if i not in chosen and names_made(node) & names}:
        chosen |= new
        names = names.union(*(names_used(parts[i][0]) for i in new))
    return split([parts[i] for i in sorted(chosen)], os.path.dirname(path), names)


def split(parts, folder, names):
    """([import, …], [definition, …]): what is imported of the folder itself becomes definitions."""
    imports, rest = [], []
    for node, text in parts:
        if path := helper_of(node, folder):
            every = [alias.name for alias in node.names] != ["*"]
            wanted = {alias.name for alias in node.names} & names if every else names
            found = needed(path, wanted)
            imports += found[0]
            rest += found[1]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(text)
        else:
            rest.append(text)
    return imports, rest


def whole(deviation, folder):
    """The text of a program that runs without the folder."""
    if deviation.get("language", "python") != "python":
        return "\n".join(deviation["program"])
    parts = statements("\n".join(deviation["program"]))
    helpers = [part for part in parts if helper_of(part[0], folder)]
    if not helpers:
        return "\n".join(deviation["program"])
    own = [part for part in parts if part not in helpers]
    names = set().union(*(names_used(node) for node, _ in own))
    imports, definitions = split(helpers, folder, names)
    more, rest = split(own, folder, names)
    head = "\n".join(dict.fromkeys([*imports, *more]))
    return "\n\n".join([head, *definitions, "\n".join(rest)])


# --- The report ----------------------------------------------------------------------------------


def pinned(line, folder):
    """An install line, with the version of each package that requirements.txt pins."""
    path = os.path.join(folder, "requirements.txt")
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)", read_text(path), re.M)) if os.path.exists(path) else {}
    return " ".join(f"{word}=={pins[word]}" if word in pins else word for word in line.split(" "))


def fenced(language, lines):
    return [f"```{language}", *lines, "```"]


def report(about, deviation, folder, variants, expected):
    """`variants` are those that show it: {variant: (implementation, suite, cases)}; `expected`, outcomes of those cases."""
    right = RIGHT.get(deviation["kind"], "")
    if isinstance(right, dict):
        right = right.get(tuple(sorted(expected)), "")
    named = [name for name, _, _ in variants.values()] or [about["implementation"]]
    named = [deviation["implementation"]] if "implementation" in deviation else named
    lines = [f"# {title(deviation)}", "", "<!-- Written by tools/adapters/common/tables.py. -->"]
    lines += [] if deviation["does"] == title(deviation) + "." else [deviation["does"], ""]
    lines.append(f"* Implementation: {', '.join(named)}")
    if "cpu" in deviation:
        without = deviation["cpu"].startswith("not ")
        lines.append(f"* Processors {'without' if without else 'with'}: {deviation['cpu'].removeprefix('not ')}")
        if "program_cpu" in deviation:
            lines[-1] += f"; the program chooses its instructions itself, it needs {deviation['program_cpu']}"
    if "gpu" in deviation:
        lines.append(f"* GPU: {deviation['gpu']}")
    if "varies" in deviation:
        lines.append(f"* Not every time: {deviation['varies']}")
    install = about["install"]
    if isinstance(install, dict):
        install = next((install[variant] for variant in variants if variant in install), install[""])
    lines.append(f"* Install: `{pinned(install, folder)}`")
    lines.append(f"* TOSA {about.get('edition', '1.0')}: {deviation['clause']}. {right}".rstrip())
    if "owner" in deviation:
        lines.append(f"* Owner: {deviation['owner']}")
    lines.append(f"* Upstream: {deviation.get('upstream', 'not looked for')}")
    seen = [f"{name}: {cases} of {suite}".removeprefix(": ") for name, (_, suite, cases) in variants.items() if cases]
    needs = f", needs {deviation['needs']}" if "needs" in deviation else ""
    case, separator, suite = deviation["case"].replace(" beside ", "` beside `").partition(" (")
    lines.append("* " + "; ".join([f"Smallest case of Tensor CTS: `{case}`{separator}{suite}{needs}", *seen]))
    if "not_asked" in deviation:
        lines.append(f"* Why no case counts: {deviation['not_asked']}")
    if "program" not in deviation:
        return "\n".join([*lines, "", f"It has no program: {about.get('no program', 'only the case shows it')}.", ""])
    language = deviation.get("language", "python")
    lines += ["", "In an empty folder", "", *fenced(language, [whole(deviation, folder)]), "", "prints", "", *fenced("", deviation["prints"])]
    if "right" in deviation:
        lines += ["", "expected (where TOSA leaves room, the nearest)", "", *fenced("", deviation["right"])]
    return "\n".join([*lines, ""])


def program_of(text):
    """(language, program, [printed line, …]) of a report."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    (language, program), (_, printed) = blocks[:2]
    return language, program, printed.splitlines()
