"""Laid pipe that retires and returns: log, replay, resuming; what is refused."""
import csv

from harness import *

LAY = os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")
LAID = ["--set", "environment.seabed_friction_axial=0.5", "--set", "environment.seabed_friction_lateral=0.7",
        "--set", "pipe.retire={anchor_m: 310, stored_max: 50}"]
FAST = ["--mode", "fast", "--set", "simulation.step_s=0.1", *LAID]

status, out, err = run("run", LAY, *FAST, "--hashes", path("whole.txt"), "--laid-route", path("laid.csv"),
                       "--record", path("lay.csv"), "--record-every", "0.1", "--log", path("lay.mcap"), "--summary", path("lay.json"))
check(status == 0, "run", status, err)
summary = load("lay.json")
check(summary["energy"]["closure_rel"] < 1e-12, "closure", summary["energy"])
# The laid route: what retires and returns, in order, as the record has it.
with open(path("laid.csv")) as file:
    laid = list(csv.DictReader(file))
with open(path("lay.csv")) as file:
    record = list(csv.DictReader(file))
number = 0
for row in laid:
    number -= row["event"] == "returned"
    check(int(row["node"]) == number and abs(float(row["s_m"]) - 15 * number) < 1e-9, "node", row)
    check(abs(float(row["north_m"]) - float(row["s_m"])) < 1 and float(row["effective_tension_n"]) > 1e5, "place", row)
    number += row["event"] == "retired"
check(number == int(record[-1]["retired_nodes"]) and len(laid) > 0, "nodes", number, record[-1]["retired_nodes"])
check({row["event"] for row in laid} == {"retired", "returned"}, "events", laid)
changes = sum(a["retired_nodes"] != b["retired_nodes"] for a, b in zip(record, record[1:]))
check(changes == len(laid), "changes", changes, len(laid))
status, out, err = run("log", "export-csv", path("lay.mcap"), "--topic", "/truth", "--fields", "pipe.retired_nodes,pipe.retired_north_m")
check(status == 0 and max(float(row.split(",")[-2]) for row in out.split()[1:]) == 6, "the route in the log", status, err, out[:300])

check_replay("lay.mcap")
check_resumed(LAY, [*FAST, "--set", "simulation.duration_s=130"], FAST)

# What is refused.
for sets, expected in [
        (["pipe.retire={anchor_m: 300}"], "pipe.retire.anchor_m: at least 305.4"),
        (["pipe.retire={stored_max: 3}"], "pipe.retire.anchor_m"),
        (["pipe.retire={anchor_m: 310, stored_max: 0}"], "pipe.retire.stored_max: "),
        (["environment.seabed_friction_lateral=0"], "seabed_friction_lateral above 0")]:
    status, out, err = run("check", LAY, *LAID, *[a for s in sets for a in ("--set", s)])
    check(status == 2 and expected in err, expected, status, err)
status, out, err = run("check", JLAY, *LAID)
check(status == 2 and "needs pipe.payout or pipe.tensioner" in err, "without pay-out", status, err)
