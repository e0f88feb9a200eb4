"""The reference of the file formats, from the JSON schemas."""
import json
import re


def escaped(text):
    return str(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("\n", " ")


def code(value):
    """A value in a cell of a table, as JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return "<code>" + re.sub(r"[^\w\s\"',:.-]|_", lambda sign: f"&#{ord(sign[0])};", text) + "</code>"


def referred(link):
    """A $ref as a link of the page."""
    file, _, pointer = link.partition("#")
    name = pointer.rsplit("/", 1)[-1]
    if pointer.startswith("/properties/"):
        return f"as <code>{escaped(name)}</code>"
    page = file.replace(".schema.json", ".md") if file else ""
    return f"[{escaped(name or file)}]({page}{'#' + name.lower() if name else ''})"


def count(least, most, what):
    if least is None and most is None:
        return ""
    if most is None:
        return f" ({least} {what} or more)"
    return f" (at most {most} {what})" if not least else f" ({least} {what})" if least == most else f" ({least} to {most} {what})"


def kind(schema):
    """What a value may be, in words."""
    if schema is True:
        return "anything"
    if schema is False:
        return "nothing"
    if "$ref" in schema:
        return referred(schema["$ref"])
    if "const" in schema:
        return code(schema["const"])
    if "enum" in schema:
        return ", ".join(map(code, schema["enum"]))
    words = schema.get("type", "")
    words = " or ".join(words) if isinstance(words, list) else words
    for bound, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "&lt;"), ("multipleOf", "multiple of")):
        if bound in schema:
            words += f" {sign} {schema[bound]}"
    if "pattern" in schema:
        words += f" {code(schema['pattern'])}"
    words += count(schema.get("minLength"), schema.get("maxLength"), "characters") + count(schema.get("minItems"), schema.get("maxItems"), "items")
    items = schema.get("items")
    if isinstance(items, dict) and not nested(items):
        words += f" of {kind(items)}"
    for word in ("oneOf", "anyOf"):
        if word in schema and not any(nested(way) for way in schema[word]):
            words += (", " if words else "") + "one of: " + "; ".join(kind(way) for way in schema[word])
    return words or "any"


def nested(schema):
    """Whether a schema has members of its own, so that it gets rows."""
    return isinstance(schema, dict) and any(word in schema for word in ("properties", "additionalProperties", "items", "oneOf", "anyOf", "allOf")) and not (
        set(schema) <= {"type", "items", "minItems", "maxItems", "uniqueItems", "description"} and not nested(schema.get("items", {})))  # fmt: skip


def rows(schema, path=""):
    """The members of a schema: (path, whether it must be there, what it may be, what it means)."""
    if not isinstance(schema, dict):
        return
    required = set(schema.get("required", ()))
    for name, member in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        yield here, name in required, kind(member), member.get("description", "") if isinstance(member, dict) else ""
        yield from rows(member, here)
    other = schema.get("additionalProperties")
    if isinstance(other, dict):
        yield f"{path}.NAME" if path else "NAME", False, kind(other), other.get("description", "")
        yield from rows(other, f"{path}.NAME" if path else "NAME")
    items = schema.get("items")
    if isinstance(items, dict) and nested(items):
        if items.get("type") != "object" or items.get("description"):
            yield f"{path}[]", False, kind(items), items.get("description", "")
        yield from rows(items, f"{path}[]")
    elif isinstance(items, list):
        for index, item in enumerate(items):
            yield f"{path}[{index}]", True, kind(item), item.get("description", "") if isinstance(item, dict) else ""
            yield from rows(item, f"{path}[{index}]")
    for word in ("oneOf", "anyOf", "allOf"):
        ways = schema.get(word, ())
        if any(nested(way) for way in ways):
            for number, way in enumerate(ways, 1):
                place = f"{path or 'file'}, {'part' if word == 'allOf' else 'form'} {number}"
                yield place, False, kind(way), way.get("title") or way.get("description", "") if isinstance(way, dict) else ""
                yield from rows(way, path)
        elif word == "allOf":
            for way in ways:
                yield path or "file", True, kind(way), way.get("description", "") if isinstance(way, dict) else ""


def table(schema):
    found = list(dict.fromkeys(rows(schema)))
    if not found:
        return [f"{kind(schema)}", ""]
    lines = ["| member | | may be | means |", "|---|---|---|---|"]
    for path, required, words, means in found:
        lines.append(f"| <code>{escaped(path)}</code> | {'required' if required else ''} | {words} | {escaped(means)} |")
    return [*lines, ""]


def page(name, schema):
    lines = [f"# {name}", "", escaped(schema.get("title", "")), ""]
    if schema.get("description"):
        lines += [escaped(schema["description"]), ""]
    lines += [f"The schema itself: [schemas/{name}.schema.json](../../../schemas/{name}.schema.json).", ""]
    if schema.get("type") != "object" or "$ref" in schema:
        lines += [f"The file is: {kind(schema)}.", ""]
    lines += table(schema)
    for title, part in schema.get("definitions", {}).items():
        lines += [f"## {title} {{#{title.lower()}}}", ""]
        if part.get("description"):
            lines += [escaped(part["description"]), ""]
        if part.get("properties") or nested(part):
            lines += table(part)
        else:
            lines += [kind(part), ""]
    return "\n".join(lines)


def add_pages(pages):
    """Adds a page for each schema, the schema itself, and a page of all; returns the pages, that of all first."""
    names = sorted(name for name in pages.files if name.startswith("schemas/") and name.endswith(".schema.json") and name.count("/") == 1)
    result = []
    index = ["# File formats", "", "These pages are made from the schemas in [schemas/](../../../schemas/README.md), which says how files are read and judged.", "",
             "| format | holds |", "|---|---|"]  # fmt: skip
    for name in names:
        stem = name[len("schemas/"):-len(".schema.json")]
        pages.add_file(name, pages.root / name)
        schema = json.loads((pages.root / name).read_text())
        pages.add(f"docs/reference/formats/{stem}.md", page(stem, schema))
        index.append(f"| [{escaped(stem)}]({stem}.md) | {escaped(schema.get('title', ''))} |")
        result.append(f"docs/reference/formats/{stem}.md")
    pages.add("docs/reference/formats/README.md", "\n".join([*index, ""]))
    return ["docs/reference/formats/README.md", *result]
