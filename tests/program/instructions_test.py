"""Instructions of a step, which no other program on the machine disturbs: callgrind counts those of two runs that resume from the same
checkpoint, and the difference belongs to the steps between their ends. Each case of tests/instructions.txt stays within 3 %.

instructions_test.py BUILD SOURCE [--write]: --write puts what it counts in place of the committed numbers, also in docs/evidence.md."""
import concurrent.futures
import shutil

import step_cases
from harness import *

ALLOWED = 1.03
if not shutil.which("valgrind"):
    print("valgrind is missing")
    sys.exit(SKIPPED)


def measure(case):
    return step_cases.instructions([SAGBEND, "run", *step_cases.arguments(case, SOURCE)], case.before_s, case.length_s, path(case.name))


cases = list(step_cases.read(SOURCE))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    counted = {case.name: number for case, number in zip(cases, pool.map(measure, cases))}
dearer = []
for case in cases:
    number = counted[case.name]
    print(f"{case.name:<14}{number:12.0f} instructions a step, committed {case.instructions:10.0f}, "
          f"ratio {number / max(case.instructions, 1):.3f}", flush=True)
    if number > ALLOWED * case.instructions:
        dearer.append(case.name)
evidence = step_cases.rows(SOURCE)
if "--write" in sys.argv:
    with open(step_cases.list_of(SOURCE)) as file:
        text = file.read()
    for case in cases:
        words = re.split(r"(\s+)", case.line)
        words[8] = str(round(counted[case.name]))
        text = text.replace(case.line, "".join(words))
        evidence[case.name][3] = step_cases.shown(round(counted[case.name]))
    with open(step_cases.list_of(SOURCE), "w") as file:
        file.write(text)
    step_cases.write(SOURCE, evidence)
    sys.exit(0)
check(not dearer, f"more than {ALLOWED} times the committed instructions a step", dearer)
in_evidence = {name: row[3] for name, row in evidence.items()}
check(in_evidence == {case.name: step_cases.shown(case.instructions) for case in cases},
      "docs/evidence.md has the committed instructions of each case", in_evidence)
