#!/usr/bin/python3
"""Prints docs/configuration-keys.md from the JSON Schemas that the program makes of its own tables:
  sagbend schema > configs/schema/sagbend.schema.json; sagbend schema --dp > configs/schema/sagbend-dp.schema.json
  tools/configuration_keys.py > docs/configuration-keys.md
"""
import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILES = [("A case, as `sagbend` reads it", "sagbend.schema.json"), ("A DP file, as `sagbend-dp` reads it", "sagbend-dp.schema.json")]

MOST_WORDS = 60


def object_in(schema):
    """The mapping that this schema allows, or None."""
    if "properties" in schema:
        return schema
    return next((found for found in map(object_in, schema.get("anyOf", [])) if found), None)


def array_in(schema):
    if schema.get("type") == "array":
        return schema
    return next((found for found in map(array_in, schema.get("anyOf", [])) if found), None)


def bounds(schema):
    words = []
    for key, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤")):
        if key in schema:
            words.append(f"{sign} {schema[key]:g}")
    return " ".join(words)


def kind(schema):
    if len(schema.get("enum", [])) > MOST_WORDS:  # the output quantities
        return "an [output quantity](outputs.md)"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(s) for s in schema["anyOf"] if s.get("type") != "null"))
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        count, of = schema.get("minItems"), schema.get("items", {})
        name = {"number": "numbers", "array": "rows"}.get(of.get("type"), "items")
        return f"{count} {name}" if count else name
    name = {"string": "text", "boolean": "true or false"}.get(schema.get("type"), schema.get("type", ""))
    return (name + " " + bounds(schema)).strip()


def rows(schema, prefix="", needs=None):
    """needs: what a file that extends no other must have of this section."""
    needs = needs or schema.get("else", {})
    required = schema.get("required", []) + needs.get("required", [])
    for name, value in schema["properties"].items():
        inner, text = object_in(value), value.get("description", "")
        items = array_in(value)
        default = "required" if name in required else f"`{json.dumps(value['default'])}`" if "default" in value else ""
        if inner:
            yield f"**{prefix}{name}**", "section", default, text
            yield from rows(inner, f"{prefix}{name}.", needs.get("properties", {}).get(name, {}))
        elif items and object_in(items.get("items", {})):
            yield f"**{prefix}{name}**", "list", default, text
            yield from rows(object_in(items["items"]), f"{prefix}{name}[].")
        else:
            yield f"{prefix}{name}", kind(value), default, text


print("# Keys of the configuration files")
print("Made by `tools/configuration_keys.py` from the table that the program checks against. The files as a whole: "
      "[configuration.md](configuration.md).")
for title, name in FILES:
    with open(os.path.join(ROOT, "configs/schema", name)) as file:
        schema = json.load(file)
    print(f"\n## {title}\n\n| key | value | default | meaning |\n|---|---|---|---|")
    for row in rows(schema):
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
