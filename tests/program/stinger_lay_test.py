"""Pipe is laid and recovered over the rollers of a stinger by a tensioner that holds its tension: joints and an arrestor
pass the rollers, laid pipe retires and returns; log, replay, resuming."""
import csv

from harness import *

LAY = os.path.join(SOURCE, "configs/slay-100m-lay.yaml")
# Sooner than in the file: the arrestor comes 4 m behind the hang-off, and the vessel moves back after 75 s.
LOADS = ("loads=[{name: ahead, frame: world, wrench: [120e3, 0, 0, 0, 0, 0], start_s: 5, ramp_s: 20}, "
         "{name: astern, frame: world, wrench: [-260e3, 0, 0, 0, 0, 0], start_s: 75, ramp_s: 20}, "
         "{name: heave, frame: world, wrench: [0, 0, 5e5, 0, 0, 0], start_s: 0.1, ramp_s: 20, variation: 1, period_s: 8}]")
TALLY = ("pipe.tally=[{length_m: 4.2, elements: 3}, {length_m: 1.2, elements: 1, section: arrestor}, "
        "{length_m: 12.2, elements: 9, endless: true}]")
FAST = ["--set", LOADS, "--set", TALLY]

status, out, err = run("run", LAY, *FAST, "--duration", "170", "--record", path("lay.csv"), "--hashes", path("whole.txt"), "--log", path("lay.mcap"),
                       "--summary", path("lay.json"), "--laid-route", path("route.csv"))
check(status == 0, "run", status, err)
with open(path("lay.csv")) as file:
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
most = max(row["paid_out_m"] for row in rows)
check(most > 18 and rows[-1]["paid_out_m"] < most - 6, "pay-out and recovery", most, rows[-1]["paid_out_m"])
check(max(row["retired_nodes"] for row in rows) > rows[-1]["retired_nodes"] > 0, "retired nodes", rows[-1]["retired_nodes"])
check(all(5.5e5 < row["hangoff_tension_n"] < 8e5 for row in rows), "tension",
      min(row["hangoff_tension_n"] for row in rows), max(row["hangoff_tension_n"] for row in rows))
check(all(1e5 < row["max_reaction_n"] < 3e5 for row in rows), "contact")
check(all(after["dissipated_friction_j"] >= before["dissipated_friction_j"] for before, after in zip(rows, rows[1:])), "friction is a loss")
check(abs(rows[-1]["work_remesh_j"]) < 1e-5 * abs(rows[-1]["work_tensioner_j"]), "remesh", rows[-1]["work_remesh_j"], rows[-1]["work_tensioner_j"])
summary = load("lay.json")
check(summary["energy"]["closure_rel"] < 1e-12 and summary["steps_not_converged"] == 0, "closure", summary["energy"], summary["steps_not_converged"])
with open(path("route.csv")) as file:
    events = {row["event"] for row in csv.DictReader(file)}
check(events == {"retired", "returned"}, "laid route", events)

check_replay("lay.mcap")
check_resumed(LAY, [*FAST, "--duration", "90"], [*FAST, "--duration", "170"])

# The DP controller follows a route joint by joint and orders the tension.
status, out, err = run("run", os.path.join(SOURCE, "configs/slay-100m-route.yaml"), "--mode", "fast", "--set", "controller.kind=sampled",
                       "--duration", "190", "--summary", path("route.json"))
check(status == 0, "S-lay along a route", status, out, err)
summary = load("route.json")
check({verdict["result"] for verdict in summary["verdicts"]} == {"passed"}, "verdicts", summary["verdicts"])
check(summary["energy"]["closure_rel"] < 1e-12 and summary["steps_not_converged"] == 0, "closure on a route", summary["energy"])
check(8 < summary["pipe"]["paid_out_m"] < 20 and 8 < summary["vessel"]["route_distance_m"] < 20, "pay-out keeps up", summary["pipe"]["paid_out_m"])
