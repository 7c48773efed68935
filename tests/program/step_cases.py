"""The cases of tests/instructions.txt: read, started from a checkpoint, and shown in docs/evidence.md. program_instructions counts
their instructions, tools/step-costs times them."""
import collections
import json
import os
import re
import subprocess

HEAD = "| case | configuration, settings | step | instructions a step | µs a step | times real time |\n|---|---|---|---|---|---|\n"
# Only what a step calls counts: other threads and the waits of the program depend on the clock. callgrind counts one instruction for each byte of a string move; whether the C library uses one depends on where memory lies.
QUIET = {**os.environ, "GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=100000000:glibc.cpu.x86_rep_stosb_threshold=100000000"}
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


def ran(command, summary, **more):
    """A run of sagbend to its end: (its summary, its stderr). Status 1: a verdict that so short a run does not pass."""
    done = subprocess.run([*command, "--summary", summary], capture_output=True, text=True, **more)
    if done.returncode > 1 or not os.path.exists(summary):
        raise SystemExit(f"FAILED: {' '.join(command)}\n{done.stderr}")
    with open(summary) as file:
        return json.load(file), done.stderr


def instructions(run, before_s, length_s, kept):
    """Instructions of a step of `run` (the command of a run without its duration) over length_s from before_s and a quarter of length_s on: callgrind
    counts those of a run that resumes from a checkpoint. kept: a path for files."""
    begin_s = before_s + 0.25 * length_s
    first, _ = ran([*run, "--duration", str(begin_s), "--checkpoint", kept], kept + ".json")
    last, err = ran(["valgrind", "--tool=callgrind", "--vgdb=no", "--callgrind-out-file=/dev/null", "--toggle-collect=session_step", *run, "--resume", kept,
                     "--duration", str(begin_s + length_s)], kept + ".json", env=QUIET)
    return int(re.search(r"Collected : (\d+)", err)[1]) / (last["steps"] - first["steps"])
