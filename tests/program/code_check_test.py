"""Code check: statics in text, JSON and CSV; a run with record, log, events and verdicts; replay; what is refused."""
import csv

from harness import *

CHECKED = os.path.join(SOURCE, "configs/jlay-900m-checked.yaml")
CHECKS = ["load_controlled", "displacement_controlled", "strain", "stress", "collapse", "yield", "burst", "propagation"]


def statics(*args):
    status, out, err = run("statics", CHECKED, "--json", *args)
    check(status == 0, f"statics {args}: status {status}", err)
    return json.loads(out)


# statics: maxima with arc lengths, and along the pipe
at_rest = statics("--shape", path("shape.csv"))
along = at_rest["code_check"]
check(len(along["s_m"]) == 101 and along["s_m"][-1] == 1500, "nodes", along["s_m"][-1])
with open(path("shape.csv")) as file:
    rows = list(csv.DictReader(file))
for name in CHECKS:
    largest = at_rest[f"{name}_utilisation"]
    check((0 < max(along[name]) or name == "burst") and max(along[name]) <= largest * 1.001, f"{name} along the pipe", max(along[name]), largest)
    check(0 <= at_rest[f"{name}_utilisation_arc_length_m"] <= 1500, f"arc length of {name}", at_rest)
    check([float(f"{x:.12g}") for x in along[name]] == [float(row[f"{name}_utilisation"]) for row in rows], f"{name} in CSV")
check(at_rest["utilisation"] == max(at_rest["load_controlled_utilisation"], at_rest["collapse_utilisation"]), "the larger of the two", at_rest)
check(along["does_not_apply"] == {} and at_rest["overload"] is False and at_rest["beyond_yield"] is False, "limits", along)

# text; limits and the elastic model are named
status, out, err = run("statics", CHECKED)
check(status == 0 and "utilisations along the pipe" in out and "does not apply" not in out, "statics in text", out)
status, out, err = run("statics", CHECKED, "--set", "pipe.steel.wall_thickness_m=0.012", "--set", "pipe.steel.grade=none")
for line in "load_controlled_utilisation does not apply: D/t is above 45", "strain_utilisation does not apply: the steel has no grade", \
            "its strain is underestimated", "by local buckling, collapse or burst exceeds 1":
    check(status == 0 and line in out, line, out)
thin = statics("--set", "pipe.steel.wall_thickness_m=0.012")
check(thin["load_controlled_utilisation"] is None and thin["utilisation"] is None and thin["collapse_utilisation"] > 1, "undefined", thin)
check(thin["code_check"]["does_not_apply"] == {"load_controlled": ["D/t is above 45"], "displacement_controlled": ["D/t is above 45"], "propagation": ["D/t is above 45"]}, "reasons", thin["code_check"])

# propagation of a buckle: where it would run, what stops it; arrestors lift the event; no part of the utilisation
PIPE = ("--set", "environment.depth_m=350", "--set", "pipe.length_m=900", "--set", "pipe.outer_diameter_m=0.508", "--set", "pipe.mass_kgpm=290",
        "--set", "pipe.bending_stiffness_nm2=1.63e8", "--set", "pipe.axial_stiffness_n=5.4e9", "--set", "pipe.steel.wall_thickness_m=0.01693333",
        "--set", "statics.horizontal_force_n=250e3", "--set", "pipe.code_check.arrestor_spacing_m=0")
deep = statics(*PIPE)
check(abs(deep["propagation_utilisation"] - 1.6132) < 1e-3 and deep["utilisation"] < 0.4, "propagation", deep["propagation_utilisation"], deep["utilisation"])
check(deep["buckle_propagation"] is True and deep["overload"] is False, "its event", deep)
runs = deep["code_check"]["buckle_propagation"]
check(abs(runs["sections"][0]["runs_below_m"] - 216.866) < 0.01 and abs(runs["sections"][0]["arrestor_wall_m"] - 0.0213) < 1e-4, "depth and arrestor", runs)
thick = thin["code_check"]["buckle_propagation"]["sections"][0]
check(thick["runs_below_m"] is None and thick["arrestor_wall_m"] is None, "outside D/t nothing is said of propagation", thick)
check(600 < runs["length_m"] == deep["propagation_length_m"] < 700, "length", runs)
check(statics(*PIPE, "--set", "pipe.code_check.arrestor_spacing_m=244")["buckle_propagation"] is False, "arrestors", runs)
status, out, err = run("statics", CHECKED, *PIPE, "--set", "pipe.code_check.arrestor_spacing_m=244")
check("buckle arrestors every 244 m" in out and "21.3" in out, "arrestors in text", out[-800:])

# an internal pressure above the bursting pressure never looks safe
PRESSED = ("--set", "pipe.inner_diameter_m=0.6964", "--set", "pipe.content_pressure_pa=60e6", "--set", "pipe.content_density_kgpm3=1")
for args in PRESSED, ("--set", "pipe.code_check.min_pressure_pa=60e6"):
    burst = statics(*args)
    check(burst["burst_utilisation"] > 1 and burst["utilisation"] is None and burst["displacement_controlled_utilisation"] is None, "burst", burst["burst_utilisation"], burst["utilisation"])
    check(burst["overload"] is True and burst["check_limit"] is True, "its events", burst["overload"])
    status, out, err = run("check", CHECKED, *args)
    check(status == 0 and "it bursts the pipe" in err, "notice of the pressure", status, err)
status, out, err = run("check", CHECKED, "--set", "pipe.steel.wall_thickness_m=0.012")
check("D/t = 63.5 is outside 15 to 45" in err, "notice of D/t", err)

# elements that are too long at a clamp, of a pipe whose length is constant
CLAMP = ("--set", "pipe.hangoff={kind: clamped, angle_deg: 60}")
status, out, err = run("check", JLAY, *CLAMP, "--set", "pipe.elements=79")
check(status == 0 and "the element at the clamp is 19 m long" in err and "1.6 % too high" in err, "notice of the clamp", status, err)
status, out, err = run("check", JLAY, *CLAMP, "--set", "pipe.elements=300")
check(status == 0 and "at the clamp" not in err, "fine elements at the clamp", err)

# --find; without a check neither that nor a column
found = statics("--find", "stress_utilisation=0.7")
check(abs(found["stress_utilisation"] - 0.7) < 1e-6, "--find", found["stress_utilisation"])
status, out, err = run("statics", JLAY, "--find", "utilisation=0.7")
check(status == 2 and "needs pipe.code_check" in err, "--find without a check", status, err)
status, out, err = run("statics", JLAY, "--json")
check("code_check" not in out and "utilisation" not in out and "overload" not in out, "nothing without a check", out)

# a run: verdicts hold, record, telemetry and replay agree
RUN = ("--mode", "fast", "--duration", "20", "--set", "controller.kind=none", "--set", "controller.dp_file=null")
status, out, err = run("run", CHECKED, *RUN, "--summary", path("s.json"), "--record", path("r.csv"), "--log", path("run.mcap"), timeout=120)
check(status == 0, "run", status, err)
summary = load("s.json")
with open(path("r.csv")) as file:
    record = list(csv.DictReader(file))
check(abs(float(record[0]["utilisation"]) / at_rest["utilisation"] - 1) < 1e-3, "the start", record[0]["utilisation"])
check(float(record[-1]["displacement_controlled_utilisation"]) != float(record[0]["displacement_controlled_utilisation"]), "it moves", record[-1]["displacement_controlled_utilisation"])
check(float(f"{summary['pipe']['displacement_controlled_utilisation']:.12g}") == float(record[-1]["displacement_controlled_utilisation"]), "summary", summary["pipe"])
status, out, err = run("log", "export-csv", path("run.mcap"), "--topic", "/truth", "--fields", "pipe.code_check.displacement_controlled.utilisation")
check(status == 0 and float(f"{float(out.splitlines()[-1].split(',')[-1]):.12g}") == float(record[-1]["displacement_controlled_utilisation"]), "log", err, out[-200:])
status, out, err = run("log", "cat", path("run.mcap"), "--topic", "/nodes,/truth")
messages = [json.loads(line) for line in out.splitlines()]
truths = {m["message"]["header"]["step"]: m["message"] for m in messages if m["topic"] == "/truth"}
both = [(m["message"], truths[m["message"]["header"]["step"]]) for m in messages if m["topic"] == "/nodes" and m["message"]["header"]["step"] in truths]
check(len(both) > 5, "states with nodes", len(both))
for nodes, truth in both:
    check(max(nodes["utilisation"]) == truth["pipe"]["code_check"]["governing"]["utilisation"], "the largest along the pipe", truth["header"])
    check(len(nodes["utilisation"]) == len(nodes["arc_length_m"]) == len(nodes["north_m"]) and nodes["arc_length_m"][0] == 0, "lists of the nodes", nodes["header"])
status, out, err = run("replay", path("run.mcap"), "--verify", timeout=120)
check(status == 0, "replay", status, out, err)

# steel that is too weak: events, and the verdicts fail
status, out, err = run("run", CHECKED, *RUN, "--set", "pipe.steel.yield_strength_pa=200e6", "--set", "pipe.steel.tensile_strength_pa=240e6",
                       "--summary", path("weak.json"), "--log", path("weak.mcap"), timeout=120)
weak = load("weak.json")
check(status == 1 and weak["pipe"]["yield_utilisation"] > 1, "weak steel", status, weak["pipe"])
status, out, err = run("log", "cat", path("weak.mcap"), "--topic", "/event")
check("beyond_yield" in out and "overload" in out, "events", out)

# what is missing has its place
with open(path("case.yaml"), "w") as file:
    file.write(f"extends: {os.path.abspath(JLAY)}\nname: case\npipe:\n  code_check: {{safety_class: low}}\n")
status, out, err = run("check", path("case.yaml"))
check(status == 2 and "case.yaml:4:3: error: pipe.code_check needs pipe.steel" in err, "no steel", status, err)

# the window of a lay: the same equilibria as one by one, with the length on the seabed kept; edges by bisection
status, out, err = run("statics", CHECKED, "--depths", "600:1200:300", "--forces", "100e3:400e3:100e3", "--json", "--table", path("w.csv"),
                       "--plot", path("w"))
check(status == 0, "window", status, err)
window = json.loads(out)
check(window["limits"] == 2 and len(window["points"]) == 12, "points", window["points"])
own = [p for p in window["points"] if p["depth_m"] == 900 and p["horizontal_force_n"] == 400e3][0]
check(own["length_m"] == 1500 and all(own[name] == at_rest[name] for name in ("utilisation", "layback_m", "hangoff_angle_deg")), "own", own)
for p in window["points"]:
    one = statics("--set", f"environment.depth_m={p['depth_m']}", "--set", f"statics.horizontal_force_n={p['horizontal_force_n']}",
                  "--set", f"pipe.length_m={p['length_m']!r}", "--set", f"pipe.elements={round(p['length_m'] / 15)}")
    check(abs(one["utilisation"] - p["utilisation"]) < 1e-9 and abs(one["layback_m"] - p["layback_m"]) < 1e-6, "one by one", p, one["utilisation"])
    check(p["within"] == (p["utilisation"] <= 1) and (p["limit"] == "pipe within the code") == (not p["within"]), "limits", p)
    check(abs(one["touchdown_arc_length_m"] - at_rest["touchdown_arc_length_m"]) < 60, "length on the seabed", p, one["touchdown_arc_length_m"])
for span in window["window"]:
    check(span["to_open"] and span["to_n"] == 400e3 and not span["from_open"], "span", span)
    one = json.loads(run("statics", CHECKED, "--json", "--depths", f"{span['depth_m']}", "--forces", f"{span['from_n'] - 100:.17g}:{span['from_n']:.17g}:100")[1])
    check([p["within"] for p in one["points"]] == [False, True] , "edge", span, one["points"])
check(len(window["window"]) == 3, "a span for each depth", window["window"])
with open(path("w.csv")) as file:
    table = list(csv.DictReader(file))
check([float(row["utilisation"]) for row in table] == [float(f"{p['utilisation']:.12g}") for p in window["points"]], "CSV of the window", table[0])
with open(path("w.gp")) as file:
    check("multiplot" in file.read(), "script of the plot")
status, out, err = run("statics", JLAY, "--depths", "900", "--forces", "400e3")
check(status == 0 and "no verdict limits one" in out and "utilisation" not in out, "without limits", out)
status, out, err = run("statics", CHECKED, "--depths", "30", "--set", "pipe.length_m=750", "--set", "pipe.elements=50")
check(status == 0 and "no equilibrium: the mesh cannot be shortened" in out and "no tension of the range" in out, "too shallow", out)
for wrong in ("--depths", "900:100:1"), ("--depths", "x"), ("--forces", "1:2"), ("--forces", "1:2:3:4"), ("--forces", "-1"), ("--forces", "nan"), \
             ("--table", "x.csv"), ("--depths", "900", "--find", "layback_m=1"), ("--depths", "1:1000:1", "--forces", "1:1000:1"):
    status, out, err = run("statics", CHECKED, *wrong)
    check(status == 2 and any(word in err for word in ("expected", " need ", "not allowed")) and not out, f"{wrong}", status, err)
