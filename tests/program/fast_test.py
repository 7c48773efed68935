"""A fast run: the summary is complete; record, shapes and hashes agree with it; runs repeat bit by bit."""
import csv
import math

from harness import *

WANTED = {
    "steps": None, "sim_time_s": None, "wall_time_s": None, "late_steps": None, "real_time_factor": None,
    "step_us": ["p50", "p99", "p999", "max"], "wakeup_us": ["p50", "p99", "p999", "max"],
    "newton": ["max", "mean", "tangents_mean", "divided_count", "cap_count"],
    "energy": ["initial_j", "final_j", "work_j", "dissipated_j", "residual_j", "closure_rel"],
    "vessel": ["position_m", "attitude_deg", "offset_m"],
    "pipe": ["hangoff_tension_n", "hangoff_angle_deg", "layback_m", "max_curvature_1pm"],
    "commands": ["accepted", "refused", "refused_by_reason", "lost"],
    "session": None, "config_hash": None, "mode": None, "step_s": None, "overrides": None, "lost_periods": None,
    "lag_s": None, "events": None, "state_hash": None, "realtime": ["fifo", "mlock"], "config_text": None,
}


def fast(name, *args):
    status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "10", "--set", "simulation.event_time_scale=0.25", "--summary", path(name + ".json"),
                           "--hashes", path(name + ".hashes"), *args, timeout=120)
    check(status == 0, f"fast run {name}: status {status}", err)
    return load(name + ".json"), hashes(name + ".hashes"), out


summary, trace, out = fast("first", "--record", path("series.csv"), "--record-every", "0.5", "--shapes", path("shapes.csv"),
                           "--shapes-every", "2.5")
for key, parts in WANTED.items():
    check(key in summary, f"{key} is missing", sorted(summary))
    for part in parts or []:
        check(part in summary[key], f"{key}.{part} is missing", summary[key])
check(summary["steps"] == 1000 and abs(summary["sim_time_s"] - 10) < 1e-9, "length of the run", summary["steps"])
check(summary["commands"]["accepted"] > 0, "the controller inside gave no command", summary["commands"])
check(summary["step_us"]["p50"] > 0 and summary["wakeup_us"]["p50"] is None, "times", summary["step_us"], summary["wakeup_us"])
check("simulation.duration_s=10" in summary["overrides"], "overrides are not in the record", summary["overrides"])
check("simulation.duration_s=10" in summary["config_text"], "overrides are not in the text")
check("10.000 s" in out, "no table", out)

# The ledger of the summary closes: change of energy = work - dissipation + residual.
e = summary["energy"]
gap = e["final_j"] - e["initial_j"] - sum(e["work_j"].values()) + sum(e["dissipated_j"].values()) - e["residual_j"]
turnover = sum(map(abs, e["work_j"].values())) + sum(e["dissipated_j"].values())
check(turnover > 1e5 and abs(gap) < 1e-6 * turnover, "ledger", e, gap)
check(all(value >= 0 for value in e["dissipated_j"].values()), "negative dissipation", e)

check(len(trace) == 1001 and trace[0][0] == "0" and trace[-1] == ["1000", summary["state_hash"]], "hashes", trace[-1])
check(len({h for _, h in trace}) == len(trace), "a state comes twice")

with open(path("series.csv")) as file:
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
check(len(rows) == 21 and rows[0]["time_s"] == 0 and abs(rows[-1]["time_s"] - 10) < 1e-9, "rows of the series", len(rows))
last = rows[-1]
for name, value in [("north_m", summary["vessel"]["position_m"][0]), ("east_m", summary["vessel"]["position_m"][1]),
                    ("hangoff_tension_n", summary["pipe"]["hangoff_tension_n"]), ("energy_j", e["final_j"]),
                    ("work_loads_j", e["work_j"]["loads"]), ("layback_m", summary["pipe"]["layback_m"])]:
    check(math.isclose(last[name], value, rel_tol=1e-9, abs_tol=1e-9), f"{name} in series and summary", last[name], value)

with open(path("shapes.csv")) as file:
    blocks = [block.splitlines() for block in file.read().split("\n", 1)[1].strip().split("\n\n")]
check([len(block) for block in blocks] == [101] * 5, "shapes", [len(block) for block in blocks])
check([float(block[0].split(",")[0]) for block in blocks] == [0, 2.5, 5, 7.5, 10], "times of the shapes")

again, trace_again, _ = fast("again")
check(trace_again == trace, "the same run gave other bits")
check(again["session"] != summary["session"], "two sessions of one name")
halved, trace_halved, _ = fast("halved", "--step-s", "0.005")
check(halved["steps"] == 2000 and trace_halved[-1][1] != trace[-1][1], "--step-s is not heeded")

# An iteration limit that is too low for Newton: steps are divided, counted and reported, and the ledger still closes.
check(summary["newton"]["divided_count"] == 0 and summary["newton"]["cap_count"] == 0, "divided steps", summary["newton"])
capped, _, _ = fast("capped", "--set", "simulation.newton_max_iterations=1", "--set", "simulation.not_converged_share_max=1")
counts = capped["newton"]
check(0 < counts["divided_count"] <= 1000 and counts["cap_count"] <= counts["divided_count"], "divided steps", counts)
check(any(event["name"] == "step_divided" for event in capped["events"]["first"]), "divided but not reported", capped["events"])
check(capped["energy"]["closure_rel"] < 1e-8, "closure of divided steps", capped["energy"])

# A run with too large a share of unsolved steps fails, with or without verdicts; the summary contains the count.
CIRCLE = JLAY.replace("jlay-900m.yaml", "jlay-circle.yaml")
WHIPPED = ["run", CIRCLE, "--duration", "4", "--set", "simulation.newton_max_iterations=1", "--set", "pipe.hangoff.motion.ramp_s=1"]
status, out, err = run(*WHIPPED, "--summary", path("whipped.json"), "--junit", path("whipped.xml"), timeout=120)
whipped = load("whipped.json")
check(status == 1 and whipped["passed"] is False, f"unsolved steps: status {status}", err, whipped["passed"])
check(0 < whipped["steps_not_converged"] == whipped["newton"]["cap_count"], "unsolved steps", whipped["newton"])
check("were not solved (newton_cap)" in err and "steps not solved" in out, "unsolved steps but not reported", err, out)
check(any("were not solved" in reason for reason in whipped["failures"]), "unsolved steps, not in the summary", whipped["failures"])
check("were not solved" in open(path("whipped.xml")).read(), "unsolved steps, not in JUnit")
status, _, err = run(*WHIPPED, "--set", "simulation.not_converged_share_max=1", timeout=120)
check(status == 0, f"unsolved steps that are allowed: status {status}", err)
status, _, err = run(*WHIPPED, "--set", "simulation.not_converged_share_max=1", "--set",
                     "verdicts=[{name: solved, quantity: steps_not_converged, below: 0}]", timeout=120)
check(status == 1, f"a verdict on unsolved steps: status {status}", err)

# Without a pipe, with the PID as part of the continuous system.
status, out, err = run("run", VESSEL, "--duration", "5", "--summary", "-")
check(status == 0 and json.loads(out)["pipe"] is None, "summary on stdout, without a pipe", out[:300], err)
