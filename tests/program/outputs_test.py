"""sagbend outputs: each quantity of the list is in every output that follows the list, with the same value."""
import csv
import math
import re

from harness import *

status, out, err = run("outputs", "--json")
check(status == 0, "sagbend outputs", err)
QUANTITIES = json.loads(out)
NAMES = [q["name"] for q in QUANTITIES]
check(len(set(NAMES)) == len(NAMES) > 80, "names", NAMES)
check(all(q["meaning"] and q["record_name"] for q in QUANTITIES), "meanings", QUANTITIES)

# a case in which every quantity exists: pipe with a code check and pay-out, thrusters, wind and waves
CASE = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
CHECK = ("--set", "pipe.code_check={safety_class: low}",
         "--set", "pipe.steel={wall_thickness_m: 0.0127, wall_tolerance_m: 0.0005, yield_strength_pa: 450e6, "
         "tensile_strength_pa: 535e6, fabrication_factor: 1, ovality: 0.01, grade: x65}")
with open(path("route-dp.yaml"), "w") as file:  # the quantities of a route need one
    file.write(f"extends: {os.path.abspath(SOURCE)}/configs/osv-83m-dp.yaml\n"
               "route: {waypoints: [{position_m: [459.985, 0]}, {position_m: [600, 0]}], point_b_m: [-44, 0], speed_mps: 0.3}\n")
status, out, err = run("run", CASE, "--mode", "fast", "--duration", "3", "--set", "controller.dp_file=" + path("route-dp.yaml"),
                       "--set", "hil=null", *CHECK,
                       "--set", "pipe.tensioner={grip_n: 4e6, brake_n: 4e6, motor_n: 3e6, motor_w: 3e6, elements_max: 120, "
                       "accept: all}", "--set", "pipe.operations=[{name: hold, mode: brake}]",
                       "--set", "pipe.retire={anchor_m: 400}", "--set", "environment.seabed_friction_axial=0.5",
                       "--set", "environment.seabed_friction_lateral=0.7",
                       "--summary", path("summary.json"), "--record", path("record.csv"), "--record-every", "1", "--log", path("run.mcap"), timeout=120)
check(status == 0, "run", status, err)
summary = load("summary.json")
with open(path("record.csv")) as file:
    header = file.readline().strip().split(",")
    record = [dict(zip(header, map(float, line.split(",")))) for line in file][-1]
check(len(set(header)) == len(header), "a column comes twice", header)


def close(a, b):
    if a is None or math.isnan(b):  # undefined: null in the summary, nan in the record
        return a is None and math.isnan(b)
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def factor(q):
    return 180 / math.pi if q["name"] != q["record_name"] else 1


PRESENT = [q for q in QUANTITIES if q["summary_object"] not in ("stinger", "power_plant", "soil", "fatigue", "changeovers")]  # this case has none
for q in PRESENT:
    part = summary[q["summary_object"]] if q["summary_object"] else summary
    check(q["name"] in part, f"the summary has no {q['name']}", q)
    check(q["record_name"] in record, f"the record has no {q['record_name']}", header)
    check(close(part[q["name"]], factor(q) * record[q["record_name"]]), f"{q['name']} in summary and record", part, record)

# messages: the log's last Truth, Sensors and Ledger
fields = {}
for q in PRESENT:
    if "message_field" in q:
        message, field = q["message_field"].split(".", 1)
        fields.setdefault(message, {})[field] = q
check(set(fields) == {"Truth", "Sensors", "Ledger", "Timing"}, "messages", list(fields))
for message, rows in fields.items():
    status, out, err = run("log", "export-csv", path("run.mcap"), "--topic", "/" + message.lower(), "--fields", ",".join(rows))
    check(status == 0, f"fields of {message}", err)
    last = {name: value for name, value in list(csv.DictReader(out.splitlines()))[-1].items()}
    check(float(last["log_time_s"]) == 3 or message == "Timing", f"last {message}", last)
    for field, q in rows.items():
        if message != "Timing":
            check(close(float(last[field] or 0), record[q["record_name"]]), f"{message}.{field}", last[field], record[q["record_name"]])

# fields of a log by the quantity's name
for topic, names in ("/truth", ["bottom_tension_n", "max_tension_arc_length_m", "north_m", "touchdown_tension_n", "wind_gust_mps"]), \
                    ("/ledger", ["residual_j"]), ("/sensors", ["hangoff_tension_n", "layback_m", "heading_rad"]):
    status, out, err = run("log", "export-csv", path("run.mcap"), "--topic", topic, "--fields", ",".join(names))
    check(status == 0, f"quantities of {topic}", err)
    last = list(csv.DictReader(out.splitlines()))[-1]
    check(all(close(float(last[name]), record[name]) for name in names), f"quantities of {topic}", last)
status, out, err = run("log", "export-csv", path("run.mcap"), "--topic", "/ledger", "--fields", "north_m")
check(status == 2 and "no field 'north_m'" in err, "a quantity of another topic", err)

# columns of the nodes: CSV and message
status, out, err = run("statics", CASE, "--shape", path("shape.csv"))
with open(path("shape.csv")) as file:
    columns = file.readline().strip().split(",")
    top = dict(zip(columns, map(float, file.readlines()[-1].split(","))))
check(columns[0] == "s_m" and "curvature_1pm" in columns and "quaternion_w" not in columns, "columns of the shape", columns)
check(close(top["north_m"], json.loads(run("statics", CASE, "--json")[1])["hangoff_north_m"]), "top of the shape", top)

# statics
status, out, err = run("statics", CASE, "--json", *CHECK)
statics = json.loads(out)
status, table, err = run("statics", CASE, *CHECK)
for q in PRESENT:
    check((q["name"] in statics) == q["in_statics"], f"statics and {q['name']}", statics)
    check(bool(re.search(rf"^{q['name']} .*{re.escape(q['meaning'])}$", table, re.M)) == q["in_statics"], f"table: {q['name']}", table)

# --find takes every quantity of the pipe. In a case without a pipe it refuses what it knows for want of a pipe.
for name in NAMES + ["touchdown_m", "top_tension_n", "nothing"]:
    known = name == "touchdown_m" or any(q["name"] == name and q["in_statics"] and q["needs_pipe"] for q in QUANTITIES)
    status, out, err = run("statics", VESSEL, "--find", f"{name}=1")
    check(status == 2 and ("a configuration with a pipe" in err) == known and ("sagbend outputs" in err) != known, f"--find {name}", err)

# conditions and verdicts: the schema, and an error that lists the names
item = json.loads(run("schema")[1])["properties"]
events = item["events"]["anyOf"][0]["items"]["properties"]["when"]["anyOf"][0]["properties"]["quantity"]["enum"]
verdicts = item["verdicts"]["anyOf"][0]["items"]["properties"]["quantity"]["anyOf"][0]["enum"]
check(verdicts == NAMES, "quantities of verdicts", verdicts)
check(events == [q["name"] for q in QUANTITIES if q["in_events"]], "quantities of events", events)
with open(path("judged.yaml"), "w") as file:
    file.write(f"extends: {JLAY}\nverdicts:\n  - {{name: tension, quantity: hangoff_tensoin_n, below: 1}}\n")
status, out, err = run("check", path("judged.yaml"))
check(status == 2 and "judged.yaml:3:" in err and "did you mean hangoff_tension_n?" in err and "'sagbend outputs' lists them" in err,
      "an unknown quantity: the nearest one and where the list stands", err)
with open(path("judged.yaml"), "w") as file:
    file.write(f"extends: {JLAY}\nverdicts:\n" + "".join(f"  - {{name: v{i}, quantity: {name}, above: -1e300}}\n"
               for i, name in enumerate(("touchdown_tension_n", "bottom_tension_n", "max_wall_tension_n"))))
status, out, err = run("run", path("judged.yaml"), "--mode", "fast", "--duration", "1")
check(status == 0 and out.count("passed") == 3, "verdicts on other quantities", out, err)

# names of before are gone
for old, where in (("top_tension_n", statics), ("ballast_n", statics), ("touchdown_s_m", summary["pipe"]),
                   ("position_error_m", summary["vessel"]), ("yaw_rad", record), ("max_shear_s_m", record)):
    check(old not in where, f"the old name {old}", where)

# events: each name once, with a grade, a meaning and an advice; something raises each event of a run
status, out, err = run("outputs", "--events", "--json")
check(status == 0, "sagbend outputs --events", err)
rows = {row["name"]: row for row in json.loads(out)}
check(len(rows) == len(json.loads(out)) > 120 and all(r["meaning"] and r["advice"] and r["grade"] in ("information", "warning", "error")
                                                      for r in rows.values()), "events", rows)
check(rows["verdict_violated"]["grade"] == "error" and rows["verdict_violated"]["computed"] and rows["refused_range"]["grade"] == "warning"
      and not rows["late_step"]["computed"], "grades", rows["verdict_violated"], rows["refused_range"], rows["late_step"])
raised = {"mark"}  # its name is the word of the order
for folder, _, files in os.walk(os.path.join(SOURCE, "src")):
    for name in files:
        if name.endswith(".c"):
            with open(os.path.join(folder, name)) as file:
                raised |= set(re.findall(r"EVENT_NAME\((\w+)\)", file.read()))
of_runs = {r["name"] for r in rows.values() if r["group"] in ("Commands and controllers", "Scenario and operators", "Machine and outputs")}
check(of_runs == raised, "nothing raises these events, or they have no row", sorted(of_runs ^ raised))
