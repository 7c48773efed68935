"""Pay-out and recovery: record, shapes and log with a number of nodes that changes; replay and resuming; what is refused."""
import csv
from collections import Counter

from harness import *

LAY = os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")
FAST = ["--mode", "fast", "--set", "simulation.step_s=0.05"]

# A whole run.
status, out, err = run("run", LAY, *FAST, "--record", path("lay.csv"), "--record-every", "1", "--shapes", path("shapes.csv"),
                       "--hashes", path("whole.txt"), "--log", path("lay.mcap"), "--summary", path("lay.json"))
check(status == 0, "run", status, err)
with open(path("lay.csv")) as file:
    rows = list(csv.DictReader(file))
last = {name: float(value) for name, value in rows[-1].items()}
check(abs(last["paid_out_m"] - 30) < 1e-9 and last["payout_mps"] == 0, "paid out", last["paid_out_m"])
check(max(float(row["payout_mps"]) for row in rows) == 0.5, "speed")
check(abs(last["work_remesh_j"]) < 1e-6 * abs(last["work_tensioner_j"]), "ports", last["work_remesh_j"], last["work_tensioner_j"])
summary = load("lay.json")
check(abs(summary["pipe"]["paid_out_m"] - 30) < 1e-9 and summary["energy"]["closure_rel"] < 1e-12, "summary", summary["energy"])

# Each shape has the nodes of its time, up to the length of the pipe.
shapes = Counter()
top = {}
with open(path("shapes.csv")) as file:
    for row in csv.DictReader(line for line in file if line.strip()):
        shapes[row["time_s"]] += 1
        top[row["time_s"]] = float(row["s_m"])
check(shapes["0"] == 101 and max(shapes.values()) == 105 and shapes["300"] == 103, "nodes", shapes)
check(abs(top["0"] - 1500) < 1e-9 and abs(top["300"] - 1530) < 1e-6, "length", top)

# The log replays to the same bits, and a resumed run has those of the whole one.
check_replay("lay.mcap")
check_resumed(LAY, [*FAST, "--set", "simulation.duration_s=215"], FAST)

# Pipe that starts abruptly vibrates in its shortest waves, which the step does not resolve: the run fails, unless told otherwise.
ABRUPT = ["--set", "pipe.elements=300", "--set", "simulation.duration_s=20",
          "--set", "pipe.payout.programme=[{start_s: 10, length_m: 30, speed_mps: 1, ramp_s: 0.02}]"]
REPORT = ["--set", "simulation.on_event.tension_alternates=report"]
for more, expected in [([], 1), (REPORT, 0)]:
    log = path(f"abrupt-{expected}.mcap")
    status, out, err = run("run", LAY, *FAST, *ABRUPT, *more, "--summary", path("abrupt.json"), "--log", log)
    summary = load("abrupt.json")
    check(status == expected and summary["passed"] == (not expected), f"abrupt start: status {status}", err)
    check("t = 10." in err and "tension_alternates: the hang-off tension alternates" in err, "the event on the console", err)
    check([e["time_s"] // 1 for e in summary["events"]["first"] if e["name"] == "tension_alternates"] == [10], "once in the summary", summary["events"])
    reasons = [text for text in summary["failures"] if "tension_alternates" in text]
    check(len(summary["failures"]) == len(reasons) == expected, "reasons of failure", summary["failures"])
    check(run("replay", "--verify", log)[0] == 0, "replay with the event")
    check("tension_alternates" in run("log", "cat", log, "--topic", "/event")[1], "the event in the log")
status, out, err = run("run", LAY, *FAST, *ABRUPT, *REPORT, "--set", "pipe.payout.programme.0.ramp_s=2", "--summary", path("gentle.json"))
check(status == 0 and "tension_alternates" not in err, "a gentle start", status, err)
status, out, err = run("run", LAY, *FAST, "--set", "simulation.duration_s=20", "--set", "simulation.on_event.strain_limit=fail", "--set", "pipe.strain_limit=1e-4")
check(status == 1 and "failed: events that fail a run were raised (simulation.on_event): strain_limit" in err, "another event", status, err)
status, out, err = run("check", LAY, "--set", "simulation.on_event.not_finite=report")
check(status == 2 and "not_finite" in err, "a fault cannot be tolerated", status, err)

# What is refused, and where.
with open(LAY) as file:
    text = file.read()
for old, new, expected in [
        ("start_s: 160", "start_s: 100", "start_s: at least 140 s, when the row before has ended, expected, got '100'"),
        ("length_m: 60", "length_m: 3", "length_m: at least speed_mps x ramp_s = 5 m, up or down, expected, got '3'"),
        ("length_m: -30", "length_m: -1600", "length_m: more than -1484.25 m in all expected"),
        ("speed_mps: 0.5", "speed_mps: 26", "speed_mps: at most 25 m/s expected"),
        ("programme:", "elements_max: 102\n    programme:", "elements_max: at least 104, which the programme needs, expected"),
        ("kind: pinned", "kind: free", "pipe.payout is not allowed with pipe.hangoff.kind free")]:
    check(old in text, "text to replace", old)
    changed = text.replace(old, new, 1)
    with open(path("bad.yaml"), "w") as file:
        file.write(changed)
    status, out, err = run("check", path("bad.yaml"))
    check(status == 2 and expected in err, f"{new}: {expected}", status, err)
    at = changed.index(new) + new.index(":") + 2  # the value
    place = f"bad.yaml:{changed[:at].count(chr(10)) + 1}:{at - changed.rfind(chr(10), 0, at)}: error: pipe.payout"
    check(place in err or "free" in new, f"{new}: {place}", err)

# Quantities of the tensioner need one.
status, out, err = run("check", JLAY, "--set", "verdicts=[{name: out, quantity: paid_out_m, below: 1}]")
check(status == 2 and "needs pipe.payout" in err, "a verdict without a tensioner", status, err)

# --- a J-lay tower ---
TOWER = """extends: %s
name: tower
pipe:
  hangoff:
    kind: clamped
    angle_deg: auto
    tower:
      - {time_s: 2, turn_deg: 0}
      - {time_s: 20, turn_deg: 1}
""" % os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")
for old, new, expected in [
        ("", "", ""),
        ("kind: clamped\n    angle_deg: auto", "kind: pinned", "pipe.hangoff.tower needs kind clamped"),
        ("turn_deg: 0", "turn_deg: 1", "pipe.hangoff.tower.0.turn_deg: 0 in the first row expected"),
        ("time_s: 20", "time_s: 2", "pipe.hangoff.tower.1.time_s: a time after 2 s (the row before) expected")]:
    with open(path("tower.yaml"), "w") as file:
        file.write(TOWER.replace(old, new, 1))
    status, out, err = run("check", path("tower.yaml"))
    check(status == (2 if expected else 0) and expected in err, f"tower: {expected}", status, err)
with open(path("tower.yaml"), "w") as file:
    file.write(TOWER)
FAST = ["--mode", "fast", "--set", "simulation.step_s=0.05"]
status, out, err = run("run", path("tower.yaml"), *FAST, "--duration", "30", "--hashes", path("turned.txt"), "--summary", path("turned.json"))
energy = load("turned.json")["energy"]
check(status == 0 and energy["work_j"]["motion"] != 0 and energy["closure_rel"] < 1e-11, "tower", err, energy)
check_resumed(path("tower.yaml"), [*FAST, "--duration", "11"], [*FAST, "--duration", "30"], whole="turned.txt")
