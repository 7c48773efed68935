"""Trials of controllers that know field buses alone, two runs at a time: one reads NMEA sentences and sends TRC and ALF, one reads what instruments
measure from Modbus registers. Each run has ports of its own, the first sentences wait for the controller, and a failed instrument reaches both."""
from modbus_link import map_of
from trials_case import *

LISTED = listed_ids(os.path.join(SOURCE, "configs/trials/osv-83m.yaml"))
KEPT = ["gnss-1/invalid", "gnss-1/bias", "wind-1/off", "bow_tunnel_1/swapped"]
PYTHON, CONTROLLER = "/usr/bin/python3", os.path.join(SOURCE, "tests/program/buses_controller.py")
ANY = {"nmea": """nmea:
  origin_deg: [59.9, 5.2]
  ports:
    - {udp: '127.0.0.1:*', instruments: gnss-2}
    - {udp: '127.0.0.1:*', instruments: gnss-1 gyro-1 thrusters, thruster_period_s: 0.1}
  inputs:
    - {udp: '127.0.0.1:*'}
""", "modbus": "modbus: {endpoint: 'tcp://127.0.0.1:*'}\n"}
COMMANDS = {"nmea": [PYTHON, CONTROLLER, "nmea", "{nmea_out}", "{nmea_out_2}", "{nmea_in}"], "modbus": [PYTHON, CONTROLLER, "modbus", "{modbus}", path("map.json")]}


def plan(name, command, buses, more=""):
    write(f"{name}-case.yaml", f"extends: {BASE}\n{buses}")
    return write(f"{name}.yaml", f"""base: {name}-case.yaml
controller: {{command: {json.dumps(command)}, files: [{CONTROLLER}]}}
controller_timeout_s: 20
uses: [gnss-1, gnss-2, gyro-1]
set: {{simulation.step_s: 0.1, pipe.elements: 20, vessel.current_acts: true}}
settle_s: 40
hidden_lead_s: 10
failure_s: 30
recover_s: 20
back: {{offset_m: 3, within_s: 15}}
conditions: [{{id: S1}}]
limits: [{{name: position, quantity: offset_m, below: 10}}]
{excluding(LISTED, KEPT)}{more}""")


def tried(bus, *more):
    folder = path("out-" + bus)
    out = run("trials", path(bus + ".yaml"), "--no-pdf", "--out", folder, "--jobs", "2", *more, timeout=600)
    check(os.path.exists(os.path.join(folder, "results.json")), f"{bus}: it runs", *out)
    runs = by_id(results(folder))
    check(all(criterion(r, "judged")["result"] == "pass" for r in runs.values()), f"{bus}: every run is judged", [(r["id"], criterion(r, "judged")) for r in runs.values()])
    check(runs["none"]["verdict"] == "passed" and runs["none"]["metrics"]["offset_m"] < 2, f"{bus}: it holds position", runs["none"])
    # The bias of the receiver moves the vessel by metres: instruments reach the controller as measured.
    check(runs["gnss-1/bias"]["metrics"]["offset_m"] > runs["none"]["metrics"]["offset_m"] + 1, f"{bus}: a receiver that is off", runs["gnss-1/bias"]["metrics"], runs["none"]["metrics"])
    # Without its first receiver it takes the second one.
    check(runs["gnss-1/invalid"]["metrics"]["offset_m"] < 2, f"{bus}: a receiver without a fix", runs["gnss-1/invalid"]["metrics"])
    # Nothing unjust: no alarm is asked about what it does not use, nor about feedback that is swapped between two thrusters that run alike.
    check(all(runs[i]["verdict"] == "passed" for i in ("wind-1/off", "bow_tunnel_1/swapped")), f"{bus}: no finding for what it cannot see",
          [(i, [c for c in runs[i]["criteria"] if c["result"] == "fail"]) for i in ("wind-1/off", "bow_tunnel_1/swapped")])
    summary = json.loads(read(folder, f"points/{runs['bow_tunnel_1/swapped']['point']:06d}", "summary.json"))
    check(0 < summary["faults"]["feedback_error_mean"] < 0.05, f"{bus}: how far off the feedback is", summary["faults"])
    return folder, runs


# NMEA: the same bits again, although each run has other ports.
plan("nmea", COMMANDS["nmea"], ANY["nmea"])
folder, runs = tried("nmea", "--twice", "2")
repeated = [criterion(r, "repeated")["result"] for r in runs.values()]
check(repeated.count("pass") == 2 and "fail" not in repeated, "nmea: the same bits again", repeated)
check(0 <= runs["gnss-1/invalid"]["metrics"]["detected_s"] < 5, "nmea: its alarm by ALF", runs["gnss-1/invalid"]["metrics"])
for number in (1, 2, 3):
    summary = json.loads(read(folder, f"points/{number:06d}", "summary.json"))
    check(summary["nmea"]["lost"] == 0 and summary["commands"]["refused"] == 0, "nmea: nothing is lost or refused", summary["nmea"], summary["commands"])

# Modbus: by the default map.
plan("modbus", COMMANDS["modbus"], ANY["modbus"])
signals = map_of(path("modbus-case.yaml"))
with open(path("map.json"), "w") as file:
    json.dump(signals, file)
tried("modbus")

# A controller that opens its ports late misses nothing.
plan("late", COMMANDS["nmea"] + ["late"], ANY["nmea"])
run("trials", path("late.yaml"), "--no-pdf", "--out", path("out-late"), "--run", "none@S1", timeout=600)
late, soon = (json.loads(read(path("out-" + name), "points/000001", "summary.json")) for name in ("late", "nmea"))
check(late["state_hash"] == soon["state_hash"], "a controller that opens its ports late", late, soon)

# Ports that two runs cannot both have; they can be tried one at a time.
for bus, old, key in (("modbus", "tcp://127.0.0.1:*", "modbus.endpoint"), ("nmea", "inputs:\n    - {udp: '127.0.0.1:*'}", "nmea.inputs.0.udp"),
                      ("nmea", "{udp: '127.0.0.1:*', instruments: gnss-2}", "nmea.ports.0.udp")):
    plan("fixed", COMMANDS[bus], ANY[bus].replace(old, old.replace("*", "21502")))
    err = trials(path("fixed.yaml"), "--out", path("out-fixed"), "--jobs", "2", status=2)[2]
    check(f"error: {key}: port * expected" in err and "21502" in err and "because 2 runs are made at a time" in err, key, err)

# Marks.
for command, buses, text in (([PYTHON, CONTROLLER], "", "an argument with {endpoint}"), ([PYTHON, CONTROLLER, "{modbus}"], ANY["nmea"], "{modbus}: a place that the configuration has expected"),
                             ([PYTHON, CONTROLLER, "{nmea_in_2_port}"], ANY["nmea"], "{nmea_in_2_port}: a place that the configuration has expected")):
    plan("wrong", command, buses)
    err = trials(path("wrong.yaml"), "--list", status=2)[2]
    check(re.search(r"wrong\.yaml:2:\d+: error: controller\.command: ", err) and text in err, f"command {command}", err)
plan("without", [PYTHON, "-c", "pass"], ANY["modbus"].replace("*", "21503"))
check(run("trials", path("without.yaml"), "--list")[0] == 0, "a command without a mark, for a fixed port")
err = run("check", BASE, "--set", "nmea={origin_deg: [59.9, 5.2], ports: [{udp: '10.0.0.1:*', instruments: gnss-1}]}")[2]
check("nmea.ports.0.udp" in err and "or * with 127.0.0.1, expected" in err, "port * of another machine", err)
