"""Names, numbers, kinds, types and units of libsagbend's variables over all shipped cases: none changes and none goes but with a major
version of the library (src/sagbend/variables.txt). No two of any cases have the same number.

library_variables_test.py BUILD SOURCE --write adds what is new to the list; it refuses what has changed or gone."""
import concurrent.futures
import glob

from harness import *

LIST = os.path.join(SOURCE, "src/sagbend/variables.txt")
PROGRAM = os.path.join(BUILD, "tests/program/library_variables")
CONFIGS = os.path.join(SOURCE, "configs")
DP_FILES = sorted((name[:-len("-dp.yaml")] for name in os.listdir(CONFIGS) if name.endswith("-dp.yaml")), key=len)
# Their second or third word is the name of an instrument, a thruster or a part of the power plant.
NAMED = ("sensor.", "feedback.", "command.thruster.", "power.bus.", "power.generator.", "power.tie.")
HEAD = """# The variables of libsagbend: number, name, kind, type, unit. NAME stands for a piece of equipment of the case; such a number
# follows from the whole name, as all do (31-bit FNV-1a). Programs keep names and numbers: within a major version no row changes or goes.
# A new row: tests/program/library_variables_test.py build . --write
"""


def number_of(name):
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xffffffff
    return value & 0x7fffffff or 1


def row_of(number, name, *rest):
    begin = next((begin for begin in NAMED if name.startswith(begin)), None)
    if begin is None:
        return (str(number), name, *rest)
    return ("-", begin + "NAME." + name.rsplit(".", 1)[1], *rest)


def variables(case, controller):
    """Those of a case; of one that needs a DP file with the shipped one whose name is the longest begin of its own."""
    command = [PROGRAM, case, controller]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if "needs controller.dp_file" in done.stderr:
        dp = [os.path.join(CONFIGS, begin + "-dp.yaml") for begin in DP_FILES if os.path.basename(case).startswith(begin)][-1]
        done = subprocess.run([*command, "controller.dp_file=" + dp], capture_output=True, text=True, timeout=300)
    check(done.returncode == 0, " ".join(command), done.stderr)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


cases = [case for case in sorted(glob.glob(os.path.join(CONFIGS, "*.yaml"))) if not case.endswith("-dp.yaml")]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    all_of = [row for rows in pool.map(lambda job: variables(*job), [(case, c) for case in cases for c in ("inside", "caller")]) for row in rows]
names = {}
for number, name, *rest in all_of:
    check(int(number) == number_of(name), "a number that does not follow from its name", number, name)
    check(names.setdefault(number, name) == name, "two names with one number", name, names[number])
found = {row_of(*row) for row in all_of}
with open(LIST) as file:
    listed = [tuple(line.rstrip("\n").split("\t")) for line in file if line[0] != "#"]
gone = sorted(set(listed) - found, key=lambda row: row[1:])
check(not gone, "variables that have changed or gone: a new major version of the library", *gone)
if "--write" in sys.argv:
    with open(LIST, "w") as file:
        file.write(HEAD + "".join("\t".join(row) + "\n" for row in sorted(found, key=lambda row: row[1:])))
    sys.exit(0)
check(len(found) > 250 and listed == sorted(found, key=lambda row: row[1:]), f"new variables: {sys.argv[0]} build . --write", *sorted(found - set(listed)))
