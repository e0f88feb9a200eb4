"""The reference of the commands, from what the program's own help says."""
import re
import subprocess


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], check=True, text=True, stdout=subprocess.PIPE, env={"COLUMNS": "96", "NO_COLOR": "1"})
    return done.stdout.rstrip()


def groups(text):
    """The commands that the program's help lists, by group: {"Make": [("generate", "Make a suite from a recipe")]}."""
    found = {}
    for block in text.split("\n\n"):
        title, _, rest = block.partition(":\n")
        lines = re.findall(r"^  ([a-z]+) {2,}(\S.*)$", rest, re.M)
        if re.fullmatch(r"[A-Z][a-z ]+", title) and title != "Options" and lines:
            found[title] = lines
    return found


def usage(text):
    """What a command does, and the rest of its help."""
    first, _, rest = text.partition("\n")
    return first, rest


def add_pages(pages, program):
    """Adds a page for each command, and one for all; returns them by group."""
    whole = help_of(program)
    found = groups(whole)
    if not found:
        raise SystemExit("docs: the program's help lists no commands in groups")
    index = ["# Commands", "", "Each command explains itself: `tensor-cts COMMAND --help`. These pages are made from that.", "", "```text", whole.partition("\n\nMake:\n")[0], "```", ""]
    for title, lines in found.items():
        index += [f"## {title}", "", "| command | does |", "|---|---|"]
        index += [f"| [`{name}`]({name}.md) | {does.replace('|', chr(92) + '|')} |" for name, does in lines] + [""]
        for name, _ in lines:
            does, rest = usage(help_of(program, name))
            pages.add(f"docs/reference/commands/{name}.md", f"# tensor-cts {name}\n\n{does}.\n\n```text\n{rest}\n```\n")
    pages.add("docs/reference/commands/README.md", "\n".join(index))
    return {title: [f"docs/reference/commands/{name}.md" for name, _ in lines] for title, lines in found.items()}
