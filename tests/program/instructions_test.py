"""Instructions of a step, which no other program on the machine disturbs: callgrind counts those of two runs that resume from the same
checkpoint, and the difference belongs to the steps between their ends. Each case of tests/instructions.txt stays within 3 %.

instructions_test.py BUILD SOURCE [--write]: --write puts what it counts in place of the committed numbers."""
import concurrent.futures
import shutil

from harness import *

ALLOWED = 1.03
LIST = os.path.join(SOURCE, "tests/instructions.txt")
if not shutil.which("valgrind"):
    print("valgrind is missing")
    sys.exit(SKIPPED)


def count(name, config, kept, until_s, settings):
    summary = path(f"{name}-{until_s}.json")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", SAGBEND, "run", config, "--mode", "fast",
                           "--resume", kept, "--duration", str(until_s), "--summary", summary, *settings], capture_output=True, text=True)
    total = re.search(r"Collected : (\d+)", done.stderr)
    check(done.returncode in (0, 1) and total, name, done.stderr)  # 1: a verdict that this short run does not pass
    with open(summary) as file:
        return int(total[1]), json.load(file)


def measure(line):
    name, config, before, length, *_ = line.split()
    settings = [word for setting in line.split()[5:] for word in ("--set", setting)]
    config, before, length, kept = os.path.join(SOURCE, "configs", config), float(before), float(length), path(name + ".checkpoint")
    status, _, err = run("run", config, "--mode", "fast", "--duration", str(before), "--checkpoint", kept, *settings)
    check(status in (0, 1) and os.path.exists(kept), name, err)
    (first, short), (second, long) = (count(name, config, kept, before + share * length, settings) for share in (0.25, 1.25))
    return (second - first) / (long["steps"] - short["steps"])


with open(LIST) as file:
    lines = file.read().splitlines()
cases = [line for line in lines if line and not line.startswith("#")]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    counted = dict(zip(cases, pool.map(measure, cases)))
dearer = []
for line, number in counted.items():
    name, committed = line.split()[0], float(line.split()[4])
    print(f"{name:<14}{number:12.0f} instructions a step, committed {committed:10.0f}, ratio {number / max(committed, 1):.3f}", flush=True)
    if number > ALLOWED * committed:
        dearer.append(name)
if "--write" in sys.argv:
    with open(LIST, "w") as file:
        for line in lines:
            words = re.split(r"(\s+)", line)
            if line in counted:
                words[8] = str(round(counted[line]))
            file.write("".join(words) + "\n")
    sys.exit(0)
check(not dearer, f"more than {ALLOWED} times the committed instructions a step", dearer)
