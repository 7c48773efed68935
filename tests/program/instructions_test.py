"""Instructions of a step, which no other program on the machine disturbs: callgrind counts those of two runs that resume from the same
checkpoint, and the difference belongs to the steps between their ends. Each case of tests/instructions.txt stays within 3 %.

instructions_test.py BUILD SOURCE [--write]: --write puts what it counts in place of the committed numbers, also in docs/evidence.md."""
import concurrent.futures
import shutil

import step_cases
from harness import *

ALLOWED = 1.03
# Only what a step calls counts: other threads and the waits of the program depend on the clock. callgrind counts one instruction for each byte of a string move; whether the C library uses one depends on where memory lies.
QUIET = {**os.environ, "GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=100000000:glibc.cpu.x86_rep_stosb_threshold=100000000"}
if not shutil.which("valgrind"):
    print("valgrind is missing")
    sys.exit(SKIPPED)


def count(case, kept, until_s):
    summary = path(f"{case.name}-{until_s}.json")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=session_step", SAGBEND, "run",
                           *step_cases.arguments(case, SOURCE), "--resume", kept, "--duration", str(until_s), "--summary", summary],
                          capture_output=True, text=True, env=QUIET)
    total = re.search(r"Collected : (\d+)", done.stderr)
    check(done.returncode in (0, 1) and total, case.name, done.stderr)  # 1: a verdict that this short run does not pass
    with open(summary) as file:
        return int(total[1]), json.load(file)


def measure(case):
    kept = path(case.name + ".checkpoint")
    status, _, err = run("run", *step_cases.arguments(case, SOURCE), "--duration", str(case.before_s), "--checkpoint", kept)
    check(status in (0, 1) and os.path.exists(kept), case.name, err)
    (first, short), (second, long) = (count(case, kept, case.before_s + share * case.length_s) for share in (0.25, 1.25))
    return (second - first) / (long["steps"] - short["steps"])


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
