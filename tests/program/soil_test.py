"""A seabed that remembers and the fatigue of the pipe: a lay in weather, its balance, log, replay, resuming; what is refused."""
import csv
import json

from clay import CLAY
from harness import *

FATIGUE = {"curve": "D", "interval_s": 0.05, "window_s": 16, "gate_pa": 0, "wall_thickness_m": 0.0159}


def case(name, soil, fatigue):
    with open(path(name), "w") as file:
        file.write("""extends: %s/configs/osv-83m-lay.yaml
name: lay-on-clay
simulation: {mode: fast, duration_s: 400}
environment: {seabed: soil, soil: %s}
pipe: {retire: {anchor_m: 150}, fatigue: %s}
controller: {dp_file: %s/configs/osv-83m-lay-dp.yaml}
""" % (SOURCE, json.dumps(soil), json.dumps(fatigue), SOURCE))
    return path(name)


lay = case("lay.yaml", CLAY, FATIGUE)
status, out, err = run("run", lay, "--hashes", path("whole.txt"), "--log", path("lay.mcap"), "--summary", path("lay.json"),
                       "--record", path("lay.csv"))
check(status in (0, 1), "run", status, err)
summary = load("lay.json")
energy, fatigue = summary["energy"], summary["fatigue"]
check(energy["closure_rel"] < 1e-12, "closure", energy)
check(all(loss >= 0 for loss in energy["dissipated_j"].values()) and energy["dissipated_j"]["soil"] > 0, "losses", energy["dissipated_j"])
check(summary["newton"]["cap_count"] == 0, "unsolved steps", summary["newton"])
check(summary["soil"]["soil_embedment_m"] > 0.001, "embedment", summary["soil"])
check(fatigue["fatigue_damage"] > 0 and fatigue["fatigue_rate_1ps"] > 0 and fatigue["fatigue_standby_h"] < 1e6, "fatigue", fatigue)
with open(path("lay.csv")) as file:
    damage = [float(row["fatigue_damage"]) for row in csv.DictReader(file)]
check(all(a <= b for a, b in zip(damage, damage[1:])) and abs(damage[-1] - fatigue["fatigue_damage"]) < 1e-9 * damage[-1], "damage grows", damage[-5:])
status, out, err = run("log", "export-csv", path("lay.mcap"), "--topic", "/truth", "--fields", "pipe.fatigue.damage,pipe.soil.embedment_m")
check(status == 0 and float(out.split()[-1].split(",")[-1]) > 0.001, "log", status, err, out[-300:])
check_replay("lay.mcap")

# In the middle of a window: the hashes and the counts of the second half are those of the whole run.
status, out, err = run("run", lay, "--set", "simulation.duration_s=203", "--checkpoint", path("half.checkpoint"))
check(status in (0, 1), "first half", status, err)
status, out, err = run("run", lay, "--resume", path("half.checkpoint"), "--hashes", path("rest.txt"), "--summary", path("rest.json"))
check(status in (0, 1), "second half", status, err)
whole, rest = (open(path(name)).read().split() for name in ("whole.txt", "rest.txt"))
check(len(rest) > 3000 and whole[-len(rest):] == rest, "hashes after a resume", len(rest), whole[-1:], rest[-1:])
check(load("rest.json")["fatigue"] == fatigue, "fatigue after a resume", load("rest.json")["fatigue"], fatigue)

# From the log: recomputed as it was counted, with another curve beside the session, and from the nodes' messages.
counted = "%.6g" % fatigue["fatigue_damage"]
status, out, err = run("log", "fatigue", path("lay.mcap"), "--plot", path("along"))
check(status == 0 and out.split()[1] == counted and "equal to the log" in out, "log fatigue", status, out, err, counted)
check(open(path("along.gp")).read().count("\n") > 40, "plot")
status, out, err = run("log", "fatigue", path("lay.mcap"), "--curve", "F1", "--wall", "0.0159")
check(status == 0 and "missed by the sampling" in out and "counts fatigue itself" in err, "another curve", status, out, err)
status, out, err = run("log", "fatigue", path("lay.mcap"), "--from-nodes")
check(status == 0 and float(out.split()[1]) > 0 and "missed by the sampling" in out, "from nodes", status, out, err)
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "20", "--set", "controller.kind=none", "--set", "controller.dp_file=null", "--log", path("jlay.mcap"))
check(status == 0, "a session without fatigue", status, err)
status, out, err = run("log", "fatigue", path("jlay.mcap"), "--curve", "F1", "--wall", "0.03")
check(status == 0 and float(out.split()[1]) > 0 and "equal to the log" in out, "counted beside the session", status, out, err)
status, out, err = run("log", "fatigue", path("jlay.mcap"))
check(status == 2 and "--curve is missing" in err, "no curve", status, err)
status, out, err = run("log", "fatigue", path("lay.mcap"), "--curve", "F9")
check(status == 2 and "F9" in err, "unknown curve", status, err)

# Clay that softens with cycles: the balance, the memory through a checkpoint, and what it does to the pipe.
soft = case("soft.yaml", {**CLAY, "sensitivity": 3, "softening_m": 0.2}, FATIGUE)
status, out, err = run("run", soft, "--hashes", path("whole.txt"), "--summary", path("soft.json"))
check(status in (0, 1), "run on clay that softens", status, err)
softened = load("soft.json")
check(softened["energy"]["closure_rel"] < 1e-12, "closure", softened["energy"])
check(all(loss >= 0 for loss in softened["energy"]["dissipated_j"].values()), "losses", softened["energy"]["dissipated_j"])
check(softened["newton"]["cap_count"] == 0, "unsolved steps", softened["newton"])
check(softened["soil"]["soil_embedment_m"] > 1.01 * summary["soil"]["soil_embedment_m"], "deeper", softened["soil"], summary["soil"])
status, out, err = run("run", soft, "--set", "simulation.duration_s=203", "--checkpoint", path("soft.checkpoint"))
check(status in (0, 1), "first half", status, err)
status, out, err = run("run", soft, "--resume", path("soft.checkpoint"), "--hashes", path("rest.txt"))
check(status in (0, 1), "second half", status, err)
whole, rest = (open(path(name)).read().split() for name in ("whole.txt", "rest.txt"))
check(len(rest) > 3000 and whole[-len(rest):] == rest, "hashes after a resume on clay that softens", len(rest), whole[-1:], rest[-1:])
status, out, err = run("run", lay, "--resume", path("soft.checkpoint"))
check(status == 2, "a checkpoint of another clay", status, err)

for soil, counted, place, word in (({**CLAY, "strength_pa": 20, "strength_gradient_papm": 0, "unit_weight_npm3": 0}, FATIGUE, ":4:", "does not carry the pipe"),
                                   ({**CLAY, "sensitivity": 60, "softening_m": 1}, FATIGUE, ":4:", "where cycles have remoulded it"),
                                   ({**CLAY, "sensitivity": 3}, FATIGUE, ":4:", "softening_m"),
                                   ({**CLAY, "lateral_residual_m": 0.001}, FATIGUE, ":4:", "friction stiffness"),
                                   ({**CLAY, "model": "mud"}, FATIGUE, ":4:", "clay"),
                                   ({key: CLAY[key] for key in CLAY if key != "strength_pa"}, FATIGUE, ":4:", "strength_pa"),
                                   (CLAY, {**FATIGUE, "curve": "F9"}, ":5:", "F9"),
                                   (CLAY, {**FATIGUE, "wall_thickness_m": 0.5}, ":5:", "half of"),
                                   (CLAY, {**FATIGUE, "m1": 3}, ":5:", "own")):
    status, out, err = run("check", case("bad.yaml", soil, counted))
    check(status == 2 and place in err and word in err, "refused: " + word, status, err)
