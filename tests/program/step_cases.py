"""The cases of tests/instructions.txt: read, started from a checkpoint, and shown in docs/evidence.md. program_instructions counts
their instructions, tools/step-costs times them."""
import collections
import os
import re

HEAD = "| case | configuration, settings | step | instructions a step | µs a step | times real time |\n|---|---|---|---|---|---|\n"
Case = collections.namedtuple("Case", "name config before_s length_s instructions settings line")


def list_of(source):
    return os.path.join(source, "tests/instructions.txt")


def evidence_of(source):
    return os.path.join(source, "docs/evidence.md")


def read(source):
    with open(list_of(source)) as file:
        lines = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    for line in lines:
        name, config, before, length, instructions, *settings = line.split()
        yield Case(name, config, float(before), float(length), int(instructions), settings, line)


def arguments(case, source):
    """Of `sagbend run`, without its duration."""
    return [os.path.join(source, "configs", case.config), "--mode", "fast", *(w for s in case.settings for w in ("--set", s))]


def rows(source):
    """Rows of the table in the evidence by case: lists of cells."""
    with open(evidence_of(source)) as file:
        table = file.read().split(HEAD)[1].split("\n\n")[0].splitlines()
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in table)
    return {row[0].strip("`"): row for row in cells}


def text(table):
    return "".join("| " + " | ".join(row) + " |\n" for row in table.values())


def write(source, table):
    with open(evidence_of(source)) as file:
        before, after = file.read().split(HEAD)
    with open(evidence_of(source), "w") as file:
        file.write(before + HEAD + text(table) + re.sub(r"\A(\|.*\n)+", "", after))


def shown(instructions):
    return f"{instructions:,}"
