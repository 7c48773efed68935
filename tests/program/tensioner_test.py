"""A tensioner with orders: brake, speed, tension; record, log, replay and resuming; what is refused."""
import csv
import re

from harness import *

FAST = ["--mode", "fast", "--set", "simulation.step_s=0.05", "--set", "simulation.duration_s=150"]
TENSIONER = """  tensioner:
    grip_n: 4e6
    brake_n: 4e6
    motor_n: 3e6
    motor_w: 3e6
    elements_max: 120
    orders:
      - {start_s: 0, mode: brake}
      - {start_s: 10, mode: speed, speed_mps: 0.5}
      - {start_s: 80, mode: tension, tension_n: 1.6e6}
      - {start_s: 130, mode: brake}
"""
with open(os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")) as file:
    text = re.sub(r"  payout:\n(    .*\n)+", TENSIONER, file.read(), count=1)
check(TENSIONER in text, "configuration", text)
with open(path("lay.yaml"), "w") as file:
    file.write(text)
LAY = path("lay.yaml")

status, out, err = run("run", LAY, *FAST, "--record", path("lay.csv"), "--record-every", "1", "--hashes", path("whole.txt"),
                       "--log", path("lay.mcap"), "--summary", path("lay.json"))
check(status == 0 and re.search(r"^lay +\d+\.\d{3} m paid out, -?0\.0\d+ m/s, tensioner in mode brake, ordered by the programme$", out, re.M),
      "run", status, out, err)
with open(path("lay.csv")) as file:
    rows = [{name: float(value) for name, value in row.items() if value} for row in csv.DictReader(file)]
at = {round(row["time_s"]): row for row in rows}
check(abs(at[9]["paid_out_m"]) < 1e-3, "the brake holds", at[9]["paid_out_m"])
check(abs(at[70]["payout_mps"] - 0.5) < 1e-2 and at[80]["paid_out_m"] > 30, "speed", at[70]["payout_mps"])
check(abs(at[125]["hangoff_tension_n"] - 1.6e6) < 1.5e5, "tension", at[125]["hangoff_tension_n"])
check(abs(at[150]["payout_mps"]) < 1e-3, "the brake holds again", at[150]["payout_mps"])
check(at[150]["dissipated_tensioner_j"] > 0, "loss", at[150]["dissipated_tensioner_j"])
summary = load("lay.json")
check(summary["energy"]["closure_rel"] < 1e-12, "summary", summary["energy"])

check_replay("lay.mcap")
check_resumed(LAY, [*FAST, "--set", "simulation.duration_s=95"], FAST)

for old, new, expected in [
        ("speed_mps: 0.5}", "speed_mps: 26}", "speed_mps: at most 25 m/s out or back expected"),
        ("start_s: 80", "start_s: 5", "start_s: a time after 10 s, that of the order before, expected, got '5'"),
        ("start_s: 0,", "start_s: 2,", "start_s: 0 expected, got '2': the first order acts from the start"),
        ("tension_n: 1.6e6", "tension_n: 9e6", "tension_n: at most 3e+06 N expected"),
        ("tension_n: 1.6e6", "tension_n: 1.6e3", "tension_n: at least 100000 N expected"),
        ("grip_n: 4e6", "grip_n: 4e3", "dead_band_n: at most the force of the grip, 4000 N"),
        ("elements_max: 120", "elements_max: 12", "elements_max: at least 100, the elements of the mesh, expected"),
        ("mode: brake}", "mode: lock}", "mode: brake or tension or speed expected"),
        ("kind: pinned", "kind: free", "pipe.tensioner needs pipe.hangoff.kind pinned or clamped"),
        (", tension_n: 1.6e6", "", "tension_n: a value expected"),
        ("  tensioner:", "  payout: {programme: [{start_s: 0, length_m: 20, speed_mps: 0.5}]}\n  tensioner:",
         "pipe.tensioner is not allowed with pipe.payout")]:
    check(old in text, "text to replace", old)
    changed = text.replace(old, new, 1)
    with open(path("bad.yaml"), "w") as file:
        file.write(changed)
    status, out, err = run("check", path("bad.yaml"))
    check(status == 2 and expected in err and re.search(r"bad.yaml:\d+:\d+: error: pipe.tensioner", err), f"{new}: {expected}", status, err)

# What is possible and probably meant otherwise: forces in kN.
for old, new, expected in [
        ("brake_n: 4e6", "brake_n: 4e3", "notice: pipe.tensioner: brake and grip hold 4000 N, less than statics.horizontal_force_n, 400000 N"),
        ("tension_n: 1.6e6", "tension_n: 160e3", "notice: pipe.tensioner.orders.2: a tension of 160000 N is less than statics.horizontal_force_n")]:
    with open(path("odd.yaml"), "w") as file:
        file.write(text.replace(old, new, 1))
    status, out, err = run("check", path("odd.yaml"))
    check(status == 0 and expected in err, expected, status, err)
with open(path("odd.yaml"), "w") as file:
    file.write(text.replace("kind: pinned", "kind: clamped\n    angle_deg: 70", 1))
status, out, err = run("check", path("odd.yaml"))
check(status == 0 and "notice: pipe.hangoff: elements of 15 m come to the clamp; ones of at most 5.2 m" in err, "clamp", status, err)
status, out, err = run("check", path("odd.yaml"), "--set", "pipe.elements=300", "--set", "pipe.tensioner.elements_max=330")
check(status == 0 and err == "", "clamp with short elements", status, err)
status, out, err = run("check", LAY)
check(status == 0 and err == "", "no notice", status, err)
