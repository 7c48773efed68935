"""A pipe over the rollers of a stinger: statics, record, summary, verdicts, log, replay, resuming; what is refused."""
import csv
import math
import re

from harness import *

SLAY = os.path.join(SOURCE, "configs/slay-100m.yaml")
SETS = ["--set", "pipe.stinger.friction=0.1", "--set", "pipe.stinger.v_angle_deg=25", "--set", "simulation.duration_s=20"]
FAST = ["--mode", "fast", "--set", "simulation.step_s=0.05", *SETS]

status, out, err = run("statics", SLAY)
rows = {line.split()[0]: line.split()[1] for line in out.splitlines() if len(line.split()) > 1}
check(status == 0 and 1e5 < float(rows["max_reaction_n"]) < 3e5, "reaction", status, err, rows)
check(float(rows["stinger_tip_reaction_n"]) == 0 and float(rows["stinger_tip_clearance_m"]) > 1, "tip", rows)
check(float(rows["overbend_strain"]) >= float(rows["max_strain"]), "strain of the overbend", rows)
status, out, err = run("statics", SLAY, "--set", "pipe.yield_moment_nm=1e6", "--set", "pipe.ramberg_osgood=perfect")
rows = {line.split()[0]: line.split()[1] for line in out.splitlines() if len(line.split()) > 1}
check(status == 0 and float(rows["overbend_strain"]) >= 0.95 * float(rows["max_strain"]) > 0.0028, "strain of the overbend beyond yield", status, err, rows)
check("depend on the mesh" in out, "statics warn of perfect plasticity", out)
reactions = []
for diameter in ("0.4064", "0.4464"):  # a section that is wider over the support with the largest reaction
    status, out, err = run("statics", SLAY, "--set", "pipe.sections=[{name: wide, outer_diameter_m: %s, steel_diameter_m: 0.4064}]" % diameter,
                           "--set", "pipe.mesh=[{length_m: 550, elements: 55}, {length_m: 300, elements: 60}, {length_m: 109.5, elements: 73}, "
                           "{length_m: 1.5, elements: 1, section: wide}, {length_m: 39, elements: 26}]")
    check(status == 0, "a wide section", status, err)
    reactions += [float(line.split()[1]) for line in out.splitlines() if line.startswith("max_reaction_n")]
check(5e3 < reactions[1] - reactions[0] < 2e4, "a section that is wider by 20 mm", reactions)
status, out, err = run("statics", JLAY)
check(status == 0 and "max_reaction_n" not in out, "a pipe without a stinger", status, err)

status, out, err = run("run", SLAY, *FAST, "--hashes", path("whole.txt"), "--record", path("slay.csv"), "--log", path("slay.mcap"),
                       "--summary", path("slay.json"), "--set", "verdicts=[{name: tip, quantity: stinger_tip_clearance_m, above: 0}]")
check(status in (0, 1), "run", status, err)
summary = load("slay.json")
check(summary["energy"]["closure_rel"] < 1e-12, "closure", summary["energy"])
check(summary["stinger"]["max_reaction_n"] >= 0, "summary", summary.get("stinger"))
with open(path("slay.csv")) as file:
    record = list(csv.DictReader(file))
check(max(float(row["max_reaction_n"]) for row in record) > 1e5, "record", record[-1])
status, out, err = run("log", "export-csv", path("slay.mcap"), "--topic", "/truth", "--fields", "pipe.stinger.max_reaction_n")
check(status == 0 and max(float(row.split(",")[-1]) for row in out.split()[1:]) > 1e5, "reactions in the log", status, err, out[:300])
check_replay("slay.mcap")

check_resumed(SLAY, [*FAST, "--set", "simulation.duration_s=10"], FAST)

# The vessel free in waves: the pipe stays on the rollers, and the balance closes.
status, out, err = run("run", os.path.join(SOURCE, "configs/slay-100m-waves.yaml"), "--duration", "40", "--summary", path("waves.json"),
                       "--record", path("waves.csv"))
check(status == 0, "S-lay in waves", status, err)
check(load("waves.json")["energy"]["closure_rel"] < 1e-12 and load("waves.json")["steps_not_converged"] == 0, "closure in waves", load("waves.json")["energy"])
with open(path("waves.csv")) as file:
    record = list(csv.DictReader(file))
check(min(float(row["max_reaction_n"]) for row in record) > 1e5, "contact in waves")
tension = [float(row["hangoff_tension_n"]) for row in record]
check(4e5 < min(tension) and max(tension) < 1e6 and max(tension) - min(tension) > 5e4, "tension in waves", min(tension), max(tension))

# Supports listed one by one: those of the arc, with the same result.
def place(k, slope=math.radians(5), radius=85):
    way = 9 * (k - 3)
    angle = slope + max(way, 0) / radius
    ramp = min(way, 0)
    return ((-30 - ramp * math.cos(slope) - radius * (math.sin(angle) - math.sin(slope))),
            (-5.4 + ramp * math.sin(slope) + radius * (math.cos(slope) - math.cos(angle))))
supports = ", ".join("{x_m: %.9f, z_m: %.9f}" % place(k) for k in range(9))
tables = []
for sets in ["friction: 0", "supports: [%s], arc_supports: null, start_b_m: null, radius_m: null, spacing_m: null" % supports]:
    with open(path("listed.yaml"), "w") as file:
        file.write("extends: %s\npipe:\n  stinger: {%s}\n" % (os.path.abspath(SLAY), sets if "supports" not in sets else sets + ", ramp_supports: null, slope_deg: null"))
    status, out, err = run("statics", path("listed.yaml"))
    check(status == 0, "listed supports", status, err)
    tables.append({line.split()[0]: float(line.split()[1]) for line in out.splitlines() if line[:4] in ("max_", "stin", "over")})
check(all(abs(tables[0][name] - tables[1][name]) <= 1e-5 * abs(tables[0][name]) for name in ("max_reaction_n", "stinger_tip_clearance_m", "overbend_strain")),
      "listed supports", tables)

# 98 supports on the same arc: each carries the less, the strain is that of the arc, and the tension stays.
DENSE = ["pipe.stinger.ramp_supports=25", "pipe.stinger.arc_supports=73", "pipe.stinger.spacing_m=0.75",
         "pipe.mesh=[{length_m: 550, elements: 55}, {length_m: 300, elements: 100}, {length_m: 150, elements: 900}]"]
status, out, err = run("statics", SLAY, *[a for s in DENSE for a in ("--set", s)])
dense = {line.split()[0]: float(line.split()[1]) for line in out.splitlines() if line[:4] in ("max_", "hang", "over")}
check(status == 0 and dense["max_reaction_n"] < 0.25 * tables[0]["max_reaction_n"] and dense["overbend_strain"] < tables[0]["overbend_strain"], "98 supports", dense, err)

# What is refused, with file, line and column.
for sets, expected in [
        (["pipe.stinger.start_b_m=[-30, 0, 60]"], "m higher expected"),
        (["pipe.stinger.start_b_m=[30, 0, -5]"], "supports aft of the hang-off, below x = 0 m, expected"),
        (["pipe.stinger.radius_m=20"], "ends less than 86 degrees below the horizontal"),
        (["pipe.stinger.arc_supports=126", "pipe.stinger.radius_m=5000"], "at most 128 supports"),
        (["pipe.stinger.spacing_m=3"], "elements of at most 0.75 m"),
        (["pipe.stinger.supports=[{x_m: -5, z_m: -7}]"], "is not allowed with supports"),
        (["pipe.stinger={supports: []}"], "at least one support expected"),
        (["pipe.stinger={slope_deg: 5}"], "pipe.stinger.radius_m: a value expected"),
        (["pipe.stinger={supports: [{x_m: -5, z_m: -7}, {x_m: -4, z_m: -7}]}"], "supports.1.x_m: a support aft of the one before, below x_m = -5, expected"),
        (["pipe.stinger={supports: [{x_m: -5, z_m: -7}, {x_m: -5.1, z_m: 60}]}"], "descends by less than 86 degrees"),
        (["pipe.stinger={supports: [{x_m: -5, z_m: 50}, {x_m: -14, z_m: 60}]}"], "supports: a stinger at least 55.5 m higher expected"),
        (["pipe.payout={programme: [{start_s: 0, length_m: 3, speed_mps: 0.1}]}", "pipe.tally=[{length_m: 12, elements: 1}]"],
         "pipe.tally.0.elements: elements of at most 2.25 m"),
        (["pipe.hangoff={kind: free}"], "needs pipe.hangoff.kind pinned or clamped"),
        (["pipe.stinger.friction=-0.1"], "pipe.stinger.friction: "),
        (["pipe.stinger.start_b_m=[-20, 0, -7.2]",
          "pipe.payout={programme: [{start_s: 0, length_m: 3, speed_mps: 0.1}]}", "pipe.stinger.ramp_supports=3"], "supports aft of the")]:
    status, out, err = run("check", SLAY, *[a for s in sets for a in ("--set", s)])
    check(status == 2 and expected in err and re.search(r":\d+:\d+: error", err), expected, status, err)
status, out, err = run("check", JLAY, "--set", "verdicts=[{name: tip, quantity: stinger_tip_clearance_m, above: 0}]")
check(status == 2 and "tip_clearance_m needs pipe.stinger" in err, "a quantity without a stinger", status, err)
