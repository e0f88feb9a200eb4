#!/usr/bin/env python3
"""Finds sentences that need a second reading: in comments, in messages and help of the program, and in pages.

Usage: prose.py [--list] [--pattern NAME] [PATH ...]   the whole tree, or these files and folders: counts per folder
                                                       and pattern; --list: each sentence; NAME: only one pattern
       prose.py --changed BASE                         the sentences on lines that `git diff BASE` adds
       prose.py --check                                each sentence of the whole tree
       prose.py --patterns                             each pattern with an example, and the example in plain English

A test runs --check. A sentence that is right as it stands goes into prose_allowed.tsv: the pattern, words of the sentence, the reason.
Exit code: 1 when --changed or --check finds a sentence.
"""
import argparse
import ast
import collections
import dataclasses
import io
import os
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = next(folder for folder in pathlib.Path(__file__).resolve().parents if (folder / "CMakePresets.json").exists())
HERE = pathlib.Path(__file__).resolve().parent
ALLOWED = HERE / "prose_allowed.tsv"
MOST_WORDS = 35

# Pages that a script writes, and texts that are data: expected output.
SKIPPED = re.compile(r"(^|/)(testdata|third_party)/"
                     r"|^(suites/(ACCUMULATORS|STRENGTH)|reference/OPERATORS|tools/BENCHMARKS|schemas/editions/slack)\.md$")  # fmt: skip

VERB = (r"(?:is|are|was|were|has|have|had|does|do|did|can|cannot|may|must|will|would|should|stands?|holds?|says?|gives?|takes?|needs?|gets?|goes|"
        r"comes?|stays?|counts?|costs?|fails?|passes|names?|makes?|means?|lies|belongs?|knows?|reads?|writes?|sees?|shows?|answers?|ends?|keeps?|"
        r"tells?|decides?|depends?|follows?|changes?|yields?|asks?|wants?|finds?|leaves?|allows?|binds?|sends?|runs?|adds?|hands?)")  # fmt: skip
CLAUSE = re.compile(rf"(?:What|Whatever|Whichever)\b(?P<clause>[^,:(]*)")
FINITE = re.compile(rf"\b(?:(?:can|cannot|may|must|will|would|should|does|do|did|has|have|had|is|are|was|were)(?: not)? )?{VERB}\b")
# A noun with "none" before it needs no verb; after one of these words it stands for a noun.
BEFORE_NONE = (r"is|are|was|were|be|has|have|had|needs?|takes?|gives?|makes?|finds?|wants?|holds?|names?|knows?|lacks?|leaves?|asks?|reads?|sets?|"
               r"shows?|adds?|writes?|gets?|keeps?|of|with|for|to|by|from|beside|but|and")  # fmt: skip
PLACE = r"(?:Beside|Behind|Before|Between|In|On|Under|Among|From|At|Here|There|Within|Above|Below)"


def what_subject(sentence):
    """A clause with "What" that is the subject of another verb: two finite verbs before the first comma."""
    match = CLAUSE.match(sentence)
    return bool(match) and not sentence.endswith("?") and len(FINITE.findall(match["clause"])) > 1


def regular(pattern):
    found = re.compile(pattern)
    return lambda sentence: bool(found.search(sentence))


def too_long(sentence):
    """Counts words, not code, figures or what stands in parentheses."""
    plain = re.sub(r"`[^`]*`|\([^()]*\)|\S*[\d_/]\S*", " ", sentence)
    return len(re.findall(r"[A-Za-z][\w'-]*", plain)) > MOST_WORDS


@dataclasses.dataclass(frozen=True)
class Pattern:
    name: str
    found: object  # of one sentence: whether it has the pattern
    example: str
    plain: str  # the example without the pattern


PATTERNS = [
    Pattern("who-subject", regular(r"^(?:Who|Whoever)\b(?!.*\?$)"),
            "Who calls the profiles that it needs conformant.", "The declarations that call this case's profiles conformant."),
    Pattern("what-subject", what_subject,
            "What follows the last row is padding.", "The bytes after the last row are padding."),
    Pattern("those-subject", regular(r"^(?:Those|All) (?:that|who|which|whose)\b|^Those (?:of|in|with|from|to)\b"),
            "Those of the first operand are read twice.", "The first operand's values are read twice."),
    Pattern("so-many", regular(r"\b[Ss]o (?:many|much)\b(?! (?:so|for)\b)(?!.*\bthat\b)"),
            "Drops so many bits of the significand.", "Drops `count` bits of the significand."),
    Pattern("bare-else", regular(r"(?:[,;:(] ?(?:or )?|\bor |^)[Ee]lse\b(?! (?:branch|block|if)\b)"),
            "The nearest one that fits, or else the first; else the size is 0.", "The nearest one that fits; otherwise the first."),
    Pattern("none-object", regular(rf"\b(?<![Tt]here )(?:{BEFORE_NONE}) none(?! of)\b(?!`)(?!(?<=(?:has|had) none)[.,;]?$)(?!(?<=have none)[.,;]?$)"),
            "A file that has none is refused.", "A file without a signature is refused."),
    Pattern("of-first", regular(r"^Of (?!course\b|(?:the )?[\d,]+ )|^of (?:the others?|others?|these|those|them) \w+|"
                                r"[,;:] of (?:these|them|those|each|all|the others?|others?|every|one|two|several)\b"),
            "Every refused element; of the others some.", "Every refused element and some of the others."),
    Pattern("verb-last", regular(r"\b(?:(?:those|all|as|the \w+|any|how \w+) that there (?:is|are|was|were)|as (?:the \w+|it|they) (?:has|have) (?:it|them))[.,;:]?$"),
            "Returns the list of those that there are.", "Returns the list of known readers."),
    Pattern("inversion", regular(rf"^(?:{PLACE}\b[^,.;:]{{2,50}} (?:stands?|lies?|comes?|goes|belongs?)|(?:Here|There|Then) (?:stands?|lies?|comes?|goes)|"
                                 r"(?:So|Nor) (?:is|are|was|do|does|has|have|can|may|must|will)|"
                                 r"Only [^,.;:]{1,40} (?:is|are|do|does|may|can|must)) (?:an?|the|it|they|what|all|this|one|those)\b(?!.*\?$)"),
            "Behind the header stands the digest.", "The digest follows the header."),
    Pattern("nobody", regular(r"\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ww]hoever|(?:for|to|by|from) who)\b"),
            "A value that nobody reads.", "A value without a reader."),
    Pattern("long", too_long,
            "The program reads the file " + "and then it reads another file " * 6 + "at last.", "The program reads seven files."),
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Found:
    path: str
    first: int  # the lines of the sentence
    last: int
    pattern: str
    sentence: str


# --- Texts of a file: lists of (line number, text), each list a paragraph.

CPP = re.compile(r'R"(?P<fence>[^()\s]*)\((?P<raw>.*?)\)(?P=fence)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/'
                 r"|'(?:[^'\\\n]|\\.)*'", re.S)  # fmt: skip
ESCAPES = {"n": "\n", "t": " ", '"': '"', "\\": "\\"}


def paragraphs(lines):
    """Splits lines at blank ones, at items of lists, and around lines that are no sentences, such as code."""
    paragraph = []
    for number, text in lines:
        stripped = text.strip()
        item = re.match(r"(?:[-*+] |\d+\. |--- |[-\w<>=,.]+(?: [A-Z<][-\w.,|<>]*)? {2,})", stripped)
        if paragraph and (not stripped or item):
            yield paragraph
            paragraph = []
        if not stripped or "-----" in stripped:
            continue
        if item:
            stripped = stripped[item.end():].strip()
        paragraph.append((number, stripped))
    if paragraph:
        yield paragraph


def cpp_texts(source, with_messages):
    comment, message = [], []
    message_end = 0
    for match in CPP.finditer(source):
        number = source.count("\n", 0, match.start()) + 1
        if match["line"] is not None:
            line_start = source.rfind("\n", 0, match.start()) + 1
            place = (number - len(comment), match.start() - line_start)  # of a comment that this line goes on
            alone = not source[line_start:match.start()].strip()
            if comment and not (alone and place == (comment[0][0], column)):
                yield from paragraphs(comment)
                comment = []
            column = match.start() - line_start
            comment.append((number, match["line"].lstrip("/!<")))
        elif match["block"] is not None:
            yield from paragraphs([(number + i, line.strip(" *")) for i, line in enumerate(match["block"].split("\n"))])
        elif with_messages and (match["raw"] is not None or match["text"] is not None):
            if match["raw"] is not None:
                text = match["raw"]
            else:
                text = re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[0]), match["text"], flags=re.S)
            if message and source[message_end:match.start()].strip():
                yield from message_texts(message)
                message = []
            message.append((number, text, match["raw"] is not None))
            message_end = match.end()
    yield from paragraphs(comment)
    yield from message_texts(message)


def message_texts(parts):
    """What adjacent literals say, when that has the words of a sentence."""
    lines = [(parts[0][0], "")] if parts else []
    for number, text, raw in parts:
        for i, line in enumerate(text.split("\n")):
            if i == 0:
                lines[-1] = (lines[-1][0] if lines[-1][1] else number, lines[-1][1] + line)
            else:
                lines.append((number + i * raw, line))
    for paragraph in paragraphs(lines):
        if len(re.findall(r"[A-Za-z]{2,}", " ".join(text for _, text in paragraph))) >= 5:
            yield paragraph


def python_texts(source):
    comment, trailing = [], False
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                if comment and (token.start[0] != comment[-1][0] + 1 or token.line[:token.start[1]].strip() or trailing):
                    yield from paragraphs(comment)
                    comment = []
                trailing = bool(token.line[:token.start[1]].strip())
                if not token.string.startswith(("#!", "# fmt", "# noqa")):
                    comment.append((token.start[0], token.string.lstrip("#")))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                first = node.body[0].lineno
                yield from paragraphs([(first + i, line) for i, line in enumerate(node.body[0].value.value.split("\n"))])
    except (SyntaxError, tokenize.TokenError):  # a template
        pass
    yield from paragraphs(comment)


def script_texts(source):
    comment = []
    for number, line in enumerate(source.split("\n"), 1):
        match = re.match(r"\s*#(?!!)(.*)|.*\s{2}#\s(.*)", line)
        if not match or match[1] is None:
            yield from paragraphs(comment)
            comment = []
        if match and match[1] is None:
            yield from paragraphs([(number, match[2])])
        elif match:
            comment.append((number, match[1]))
    yield from paragraphs(comment)


def page_texts(source):
    """Paragraphs, items and cells of tables, without headings and blocks of code."""
    lines, fenced, code, blank = [], False, False, True
    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        code = not fenced and line.startswith("    ") and (blank or code) and bool(line.strip())
        blank = not line.strip()
        if fenced or code or re.match(r"#+ |<|\[[^]]*\]: ", line):
            lines.append((number, ""))
        elif line.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line):
                lines += [(number, ""), (number, cell), (number, "")]
        else:
            lines.append((number, line))
    yield from paragraphs(lines)


def texts(path, source):
    if path.endswith((".cc", ".h", ".c", ".def")):
        return cpp_texts(source, not re.search(r"_(test|testing|fuzz|benchmark)\.(cc|h)$", path))
    if path.endswith(".py"):
        return python_texts(source)
    if path.endswith((".sh", ".cmake", "CMakeLists.txt")):
        return script_texts(source)
    return page_texts(source) if path.endswith(".md") else []


# --- Sentences

END = re.compile(r"(?<![A-Z]\.[A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bNo)[.!?][\"')*`]*(?=\s+[\"'(*`\[]?(?:[A-Z0-9`-]|k[A-Z])|\s*$)|;(?=\s)")


def plain_text(text):
    """Markdown without marks; a name in code stays, in backticks."""
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\*\*?|(?<!\w)_(?=\w)", "", text)


def sentences(paragraph):
    """(first line, last line, sentence) of each sentence of a paragraph."""
    joined, starts = "", []
    for number, text in paragraph:
        starts.append((len(joined), number))
        joined += plain_text(text).strip() + " "

    def line(offset):
        return [number for start, number in starts if start <= offset][-1]

    begin = 0
    for end in [*(match.end() for match in END.finditer(joined)), len(joined)]:
        sentence = " ".join(joined[begin:end].split())
        if len(sentence) > 3:
            begin += len(joined[begin:end]) - len(joined[begin:end].lstrip())
            yield line(begin), line(max(begin, end - 1)), sentence
        begin = end


def in_source(path, source):
    for paragraph in texts(path, source):
        for first, last, sentence in sentences(paragraph):
            for pattern in PATTERNS:
                if pattern.found(sentence):
                    yield Found(path, first, last, pattern.name, sentence)


# --- The tree

def files():
    """The files of the repository with text of ours: those that git has, or that lie here where that is no checkout."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if (ROOT / ".git").exists() and listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        names = []
        for folder, folders, inside in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in (".git", "build", "out", "node_modules", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in inside]
    for name in sorted(set(names)):
        if re.search(r"\.(cc|h|c|def|py|sh|cmake|md)$|CMakeLists\.txt$", name) and not SKIPPED.search(name) and (ROOT / name).is_file():
            yield name


def allowed():
    """(pattern, words, reason) of each line."""
    for line in ALLOWED.read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, words, reason = line.split("\t")
            yield pattern, words, reason


def whole_tree(within=()):
    exceptions = list(allowed())
    for name in files():
        if within and not any(name == path or name.startswith(path.rstrip("/") + "/") for path in within):
            continue
        for found in in_source(name, (ROOT / name).read_text(errors="replace")):
            if not any(found.pattern == pattern and words in found.sentence for pattern, words, _ in exceptions):
                yield found


def added_lines(diff):
    """{path: numbers of its new lines} of a `git diff -U0`."""
    added, path = collections.defaultdict(set), None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else None
        elif path and (match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            first, count = int(match[1]), int(match[2] or 1)
            added[path] |= set(range(first, first + count))
    return added


def changed(base):
    added = added_lines(subprocess.run(["git", "diff", "-U0", "--no-color", "--no-ext-diff", base, "--"], cwd=ROOT, check=True, capture_output=True,
                                       text=True, errors="replace").stdout)  # fmt: skip
    return [found for found in whole_tree() if added.get(found.path, set()) & set(range(found.first, found.last + 1))]


def print_list(all_found):
    for found in all_found:
        print(f"{found.path}:{found.first}: {found.pattern}: {found.sentence}")


def print_counts(all_found):
    names = [pattern.name for pattern in PATTERNS]
    table = collections.defaultdict(collections.Counter)
    for found in all_found:
        folder = "/".join(found.path.split("/")[:-1][:2]) or "."
        for row in (folder, "all"):
            table[row][found.pattern] += 1
    width = max(map(len, [*table, "folder"]))
    print("folder".ljust(width), *names, "sum")
    for folder in sorted(table, key=lambda name: (name == "all", name)):
        print(folder.ljust(width), *(str(table[folder][name]).rjust(len(name)) for name in names), table[folder].total())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--pattern")
    parser.add_argument("--changed", metavar="BASE")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--patterns", action="store_true")
    options = parser.parse_args()
    if options.patterns:
        for pattern in PATTERNS:
            print(f"{pattern.name}\n  found: {pattern.example}\n  plain: {pattern.plain}")
    elif options.changed or options.check:
        found = changed(options.changed) if options.changed else list(whole_tree())
        print_list(found)
        return bool(found)
    else:
        found = [one for one in whole_tree(options.paths) if options.pattern in (None, one.pattern)]
        print_list(found) if options.list or options.pattern else print_counts(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
