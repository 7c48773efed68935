"""The example controllers of docs/examples over protobuf, NMEA and Modbus, each by its own plan with shorter times, two runs at a time. They have findings
for what they lack, and no other. Each run has ports of its own, the first sentences wait for the controller, a failed instrument reaches all three, and
two runs give the same bits."""
from trials_case import *

os.environ["PYTHONPATH"] = os.path.join(BUILD, "proto/python")
EXAMPLES, PYTHON = os.path.join(SOURCE, "docs/examples"), "/usr/bin/python3"
KEPT = ["gnss-1/invalid", "gnss-1/bias", "gnss-1/freeze", "gyro-1/no_output", "all-gnss/bias", "wind-1/no_output", "bow_tunnel_1/tripped", "bow_tunnel_1/swapped"]
MARKS = {"protobuf": ["{endpoint}"], "nmea": ["{nmea_out}", "{nmea_out_2}", "{nmea_out_3}", "{nmea_in}"], "modbus": ["{modbus}", path("map.yaml")]}
COMMANDS = {way: [PYTHON, os.path.join(EXAMPLES, f"dp_{way}.py"), *marks] for way, marks in MARKS.items()}
CASES = {"protobuf": BASE, "nmea": os.path.join(EXAMPLES, "case-nmea.yaml"), "modbus": os.path.join(EXAMPLES, "case-modbus.yaml")}
# What a controller lacks: TRD has no status of a thruster, and Modbus alarms have no name.
LACKS = {"protobuf": set(), "nmea": {"bow_tunnel_1/tripped"}, "modbus": set()}


def plan(name, way, command=None, case=None, more=""):
    """The plan of the example with other times, in the folder of this test: its paths start from here."""
    return write(f"{name}.yaml", f"""extends: {EXAMPLES}/trials-{way}.yaml
base: {case or CASES[way]}
controller: {{command: {json.dumps(command or COMMANDS[way])}, files: [{EXAMPLES}/dp_{way}.py, {EXAMPLES}/dp_law.py]}}
controller_timeout_s: 20
set: {{simulation.step_s: 0.1, pipe.elements: 20, environment: {{wind: {{ramp_s: 10}}, waves: {{ramp_s: 10}}, current: {{ramp_s: 10}}}}}}
settle_s: 30
hidden_lead_s: 10
failure_s: 30
recover_s: 30
back: {{offset_m: 3, within_s: 20}}
worst_case: []
only: {json.dumps(KEPT)}
{more}""")


def tried(way, *more):
    folder = path("out-" + way)
    out = run("trials", plan(way, way), "--no-pdf", "--out", folder, "--jobs", "2", *more, timeout=900)
    check(os.path.exists(os.path.join(folder, "results.json")), f"{way}: it runs", *out)
    runs = by_id(results(folder))
    check(runs.keys() == {"none", *KEPT} and all(criterion(r, "judged")["result"] == "pass" for r in runs.values()), f"{way}: every run is judged",
          [(r["id"], criterion(r, "judged")) for r in runs.values()])
    check(runs["none"]["verdict"] == "passed" and runs["none"]["metrics"]["offset_m"] < 1, f"{way}: it holds position", runs["none"])
    # The same error of all receivers moves the vessel by metres: instruments reach the controller as measured.
    moved = runs["all-gnss/bias"]["metrics"]["offset_m"] - runs["none"]["metrics"]["offset_m"]
    check(moved > 1, f"{way}: receivers that are off", moved)
    # Nothing but for what it lacks: no finding of a single failure, neither by its effect nor by its alarms.
    found = {i: [c for c in r["criteria"] if c["result"] == "fail"] for i, r in runs.items() if r["group"] == "single" and r["verdict"] != "passed"}
    check(found.keys() == LACKS[way], f"{way}: findings", found)
    check(all(c["name"] == "alarm" for failed in found.values() for c in failed), f"{way}: only alarms are missing", found)
    summary = json.loads(read(folder, f"points/{runs['bow_tunnel_1/swapped']['point']:06d}", "summary.json"))
    check(0 < summary["faults"]["feedback_error_mean"] < 0.05, f"{way}: how far off the feedback is", summary["faults"])
    for r in runs.values():
        summary = json.loads(read(folder, f"points/{r['point']:06d}", "summary.json"))
        check(summary["commands"]["refused"] == 0 and summary.get("nmea", {"lost": 0})["lost"] == 0, f"{way}: nothing is lost or refused", summary.get("nmea"), summary["commands"])
    return runs


status, registers, err = run("modbus-map", CASES["modbus"], "--yaml")
check(status == 0, "modbus-map", err)
write("map.yaml", registers)
for way in MARKS:
    runs = tried(way, "--twice", "2")  # the same bits again, although each run has other ports
    repeated = [criterion(r, "repeated")["result"] for r in runs.values()]
    check(repeated.count("pass") >= 2 and "fail" not in repeated, f"{way}: the same bits again", repeated)
    if way != "modbus":  # its alarms have no names
        check(0 <= runs["gnss-1/invalid"]["metrics"]["detected_s"] < 5, f"{way}: its alarm", runs["gnss-1/invalid"]["metrics"])

# A controller that opens its ports late misses nothing.
run("trials", plan("late", "nmea", COMMANDS["nmea"] + ["late"]), "--no-pdf", "--out", path("out-late"), "--run", "none@S1", timeout=600)
late, soon = (json.loads(read(path("out-" + name), "points/000001", "summary.json")) for name in ("late", "nmea"))
check(late["state_hash"] == soon["state_hash"], "a controller that opens its ports late", late, soon)

# Ports that two runs cannot both have; they can be tried one at a time.
for way, old, key in (("modbus", "tcp://127.0.0.1:*", "modbus.endpoint"), ("nmea", "inputs:\n    - {udp: '127.0.0.1:*'}", "nmea.inputs.0.udp"),
                      ("nmea", "{udp: '127.0.0.1:*', instruments: gnss-2", "nmea.ports.1.udp")):
    text = read(CASES[way]).replace("../../configs", os.path.join(SOURCE, "configs"))
    check(old in text, f"{way}: the case", text)
    case = write("fixed-case.yaml", text.replace(old, old.replace("*", "21502")))
    err = trials(plan("fixed", way, case=case), "--out", path("out-fixed"), "--jobs", "2", status=2)[2]
    check(f"error: {key}: port *" in err and " expected, got " in err and "21502" in err and "because 2 runs are made at a time" in err, key, err)

# Marks.
NONE = COMMANDS["nmea"][:2]
for command, way, text in ((NONE, "protobuf", "an argument with {endpoint}"), ([*NONE, "{modbus}"], "nmea", "{modbus}: a place that the configuration has expected"),
                           ([*NONE, "{nmea_in_2_port}"], "nmea", "{nmea_in_2_port}: a place that the configuration has expected")):
    err = trials(plan("wrong", way, command), "--list", status=2)[2]
    check(re.search(r"wrong\.yaml:3:\d+: error: controller\.command: ", err) and text in err, f"command {command}", err)
case = write("fixed-case.yaml", f"extends: {BASE}\nmodbus: {{endpoint: 'tcp://127.0.0.1:21503'}}\n")
check(run("trials", plan("without", "modbus", [PYTHON, "-c", "pass"], case), "--list")[0] == 0, "a command without a mark, for a fixed port")
err = run("check", BASE, "--set", "nmea={origin_deg: [59.9, 5.2], ports: [{udp: '10.0.0.1:*', instruments: gnss-1}]}")[2]
check("nmea.ports.0.udp" in err and "or * with 127.0.0.1, expected" in err, "port * of another machine", err)
