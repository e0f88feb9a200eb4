"""Pages of the repository as pages of the site: which files they are, their links, and what Python's Markdown reads otherwise."""
import os
import pathlib
import re
import subprocess

LINK = re.compile(r"(?<=\]\()([^()\s]+)(?=(?:\s+\"[^\"]*\")?\))")
SOURCE = re.compile(r'(?<=src=")([^":]+)(?=")')
ITEM = re.compile(r"(?:[*+-]|\d+\.) +")
PICTURES = (".png", ".svg")
# Pages that take the room of what stands beside others.
WIDE = {"README.md": "navigation", "reference/OPERATORS.md": "navigation, toc"}
LEFT_OUT = ("build", "out", ".git", "node_modules", "__pycache__")


def tracked(root):
    """Every file of the repository: what git has, or what lies here where that is no checkout."""
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(git, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if (root / ".git").exists() and listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            names += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return sorted(name for name in set(names) if (root / name).is_file())


def for_mkdocs(text):
    """The same page for Python's Markdown: a list needs an empty line before it, and four spaces within an item."""
    result, fence, width = [], "", 0
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        start = re.match(r" *(```+)(.*)", line)
        if fence:
            if line.strip() == fence:
                fence = ""
        elif start:
            fence = start[1]
            words = start[2].split()
            if len(words) > 1:  # ```json claim.json
                line = f'{line[:indent]}{start[1]}{words[0]} title="{words[1]}"'
        if not fence and indent == 0:
            item = ITEM.match(line)
            before = result[-1] if result else ""
            if item:
                if before.strip() and not width and not before.startswith(("#", " ")):
                    result.append("")
                width = len(item[0])
            elif line.strip() and (not before.strip() or line.startswith(("#", "|", "```"))):
                width = 0
        elif width and indent >= width:
            line = " " * max(0, 4 - width) + line
        if not fence and indent < 4:  # a[y][x] is no link
            line = re.sub(r"(`[^`]*`)|\]\[", lambda match: match[1] or r"]\[", line)
        result.append(line)
    return "\n".join(result)


class Pages:
    """Pages by their path within the site, which is that of the repository; files that links lead to."""

    def __init__(self, root, repository):
        self.root = root
        self.repository = repository
        self.files = set(tracked(root))
        self.text = {}
        self.copies = {}  # what is no page: path within the site -> path of the file
        self.made = {}  # link within the repository -> page that is made of what it leads to
        self.mentioned = {}  # path of a file of the repository -> pages that link to it

    def add(self, name, text):
        self.text[name] = text

    def add_file(self, name, path):
        self.copies[name] = pathlib.Path(path)

    def take_committed(self):
        for name in self.files:
            if name.endswith(".md") and "/testdata/" not in name:
                self.add(name, (self.root / name).read_text())

    def is_folder(self, name):
        return (self.root / name).is_dir() and any(file.startswith(name + "/") for file in self.files)

    def target(self, page, link):
        """Where a link of a page leads within the site; the link itself if it leads outside, or nowhere."""
        if re.match(r"[a-z]+:|#|/", link):
            return link
        path, _, anchor = link.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path))
        whole = f"{path}#{anchor}" if anchor else path
        if whole in self.made:
            return os.path.relpath(self.made[whole], os.path.dirname(page) or ".")
        if self.is_folder(path) and path + "/README.md" in self.text:
            path += "/README.md"
        elif path in self.text or path in self.copies:
            pass
        elif path.endswith(PICTURES) and path in self.files:
            self.add_file(path, self.root / path)
        elif path in self.files or self.is_folder(path):
            self.mentioned.setdefault(path, set()).add(page)
            if self.repository:
                return f"{self.repository}{path}" + (f"#{anchor}" if anchor else "")
            path, anchor = "files.md", identifier(path)
        else:
            return link
        found = os.path.relpath(path, os.path.dirname(page) or ".")
        return found + (f"#{anchor}" if anchor else "")

    def linked(self, page):
        """The text of a page with its links."""
        lines, fence = [], False
        for line in self.text[page].split("\n"):
            if line.lstrip().startswith("```"):
                fence = not fence
            elif not fence:
                for pattern in (LINK, SOURCE):
                    line = pattern.sub(lambda match: self.target(page, match[1]), line)
            lines.append(line)
        return "\n".join(lines)

    def files_page(self):
        lines = ["# Files of the repository", "", "Pages of this site link to these files, which are no pages. Each lies in the repository, by this path.", ""]
        for name in sorted(self.mentioned):
            pages = sorted(self.mentioned[name])
            shown = ", ".join(f"[{page}]({page})" for page in pages[:3]) + (f" and {len(pages) - 3} more" if len(pages) > 3 else "")
            lines.append(f'* <a id="{identifier(name)}"></a>`{name}`: {shown}')
        return "\n".join([*lines, ""])

    def write(self, out):
        written = {page: self.linked(page) for page in sorted(self.text)}
        written["files.md"] = self.files_page()
        for name, hidden in WIDE.items():
            if name in written:
                written[name] = f"---\nhide: [{hidden}]\n---\n\n{written[name]}"
        for name, text in written.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(for_mkdocs(text))
        for name, source in self.copies.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.html(name, source) if name.endswith(".html") else source.read_bytes())

    def html(self, name, source):
        """A page that a script wrote as HTML: its links to pages are links to their HTML."""
        def target(match):
            found = self.target(name, match[1])
            return re.sub(r"(^|/)README\.md(?=#|$)", r"\1index.html", found).replace(".md", ".html") if found else found

        return re.sub(r'(?<=href=")([^":#]+)(?=["#])', target, source.read_text()).encode()


def identifier(path):
    return "file-" + re.sub(r"[^A-Za-z0-9_.]+", "-", path)
