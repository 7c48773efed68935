"""A tally of several sections: joints, arrestor, head and wire go out and come back; what is refused, and where."""
import re

from harness import *

LAY = os.path.join(SOURCE, "configs/jlay-900m-abandonment.yaml")
PROGRAMME = ("pipe.payout.programme=[{start_s: 1, length_m: 45, speed_mps: 0.4, ramp_s: 5}, "
             "{start_s: 125, length_m: -40, speed_mps: 0.4, ramp_s: 5}]")
FAST = ["--mode", "fast", "--set", "simulation.step_s=0.05", "--set", PROGRAMME.replace("0.4", "0.39")]
WHOLE = [*FAST, "--set", "simulation.duration_s=240"]

status, out, err = run("run", LAY, *WHOLE, "--hashes", path("whole.txt"), "--log", path("lay.mcap"), "--summary", path("lay.json"))
check(status == 0, "run", status, err)
energy = load("lay.json")["energy"]
check(energy["closure_rel"] < 1e-12, "closure", energy)
check(abs(energy["work_j"]["remesh"]) < 1e-4 * abs(energy["work_j"]["tensioner"]), "remesh", energy["work_j"])

check_replay("lay.mcap")
# Resumed while the head comes through the hang-off.
check_resumed(LAY, [*FAST, "--set", "simulation.duration_s=85"], WHOLE)

with open(LAY) as file:
    text = file.read().replace("extends: ", "extends: " + os.path.join(SOURCE, "configs") + "/")
for old, new, expected in [
        (", endless: true", "", ": pipe.tally holds no more"),
        ("elements: 1, section: head", "elements: 1, section: cap", "tally.3.section: the name of one of pipe.sections expected"),
        ("section: head}", "section: head, endless: true}", "tally.3.endless: false expected"),
        ("speed_mps: 0.8", "speed_mps: 1.1", "the shortest element, 0.06 m, lasts three steps"),
        ("programme:", "elements_max: 200\n    programme:", "elements_max: at least 255, which the programme needs, expected")]:
    check(old in text, "text to replace", old)
    with open(path("bad.yaml"), "w") as file:
        file.write(text.replace(old, new, 1))
    status, out, err = run("check", path("bad.yaml"))
    line = next((line for line in err.split("\n") if expected in line), "")
    check(status == 2 and re.match(r".*bad.yaml:\d+:\d+: error: pipe\.", line), f"{new}: {expected}", status, err)
# A wire that is too slack for its elements.
for slack, expected in [(2e5, ""), (8e3, "pipe.tally.5.elements: elements of at most 8.00 m expected"),
                        (0, "pipe.tally.5.elements: elements of at most 3.02 m expected")]:
    with open(path("slack.yaml"), "w") as file:
        file.write(text + f"\nstatics:\n  horizontal_force_n: {slack}\n")
    status, out, err = run("check", path("slack.yaml"))
    check(status == (2 if expected else 0) and expected in err, f"a slack wire, {slack}: {expected}", status, err)
    check(not expected or re.search(r"slack.yaml:\d+:\d+: error: pipe.tally.5", err), "place", err)
status, out, err = run("check", JLAY, "--set", "pipe.tally=[{length_m: 10, elements: 1}]")
check(status == 2 and "pipe.tally needs pipe.payout or pipe.tensioner" in err, "a tally without a tensioner", status, err)
