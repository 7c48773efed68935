"""tools/rt-report: a short report is complete, its numbers belong together, and it says what the machine lacks. No number is judged."""
import shutil
from harness import *

TOOL = os.path.join(SOURCE, "tools/rt-report")
done = subprocess.run([sys.executable, TOOL, "--build", BUILD, "--out", FOLDER, "--rounds", "1", "--seconds", "0.5", "--exchanges", "20", "--priority", "10"],
                      capture_output=True, text=True, timeout=200)
check(done.returncode == 0, "rt-report failed", done.stdout, done.stderr)
with open(path("rt-report.txt")) as file:
    text = file.read()
check(text == done.stdout and "what this machine refused" in text, "the table", text, done.stdout)
report = load("rt-report.json")


def looks_right(name, p, least):
    check(p["count"] >= least and p["p50"] <= p["p99"] <= p["p999"] <= p["max"], name, p)
    check(sum(count for _, count in p["histogram_us"]) == p["count"], f"histogram: {name}", p)


for state in ["idle", "load"]:
    looks_right(f"wake-up, {state}", report["wakeup"][state]["step_thread"], 1)
    looks_right(f"path, {state}", report["path"][state]["step_end_to_client"], 100)
    looks_right(f"bare, {state}", report["path"][state]["bare_one_way"], 100)
    has_cyclictest = report["wakeup"][state]["cyclictest"]["count"] > 0
    check(has_cyclictest == ("ratio" in report["wakeup"][state]), "a ratio without cyclictest", report["wakeup"][state])
    check(has_cyclictest or "cyclictest" in " ".join(report["refused"]), "cyclictest is missing without a line", report["refused"])
for state, trip in report["round_trip"].items():
    looks_right(f"round trip, {state}", trip["bare"], 200)
    looks_right(f"lockstep, {state}", trip["lockstep"], 190)  # an exchange with an event in it does not count
    check(trip["latency"]["command_received_to_latched_us"]["count"] >= 200 + 200, "commands", trip["latency"])
    check(set(trip["ratio"]) == {"p50", "p99", "p999"}, "ratios", trip["ratio"])
check(os.path.exists(path("rt-report.png")) == bool(shutil.which("gnuplot")), "plot")

done = subprocess.run([sys.executable, TOOL, "--build", "/nowhere"], capture_output=True, text=True)
check(done.returncode != 0 and "/nowhere/sagbend: a built program expected" in done.stderr, "a folder without programs", done.stderr)
