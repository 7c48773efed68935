"""Operations of a lay: an initiation from a dead-man anchor with its events, log, replay and resuming; an end by the way along
the route; what an operator sees, and that their order holds an operation; what is refused."""
from harness import *

INITIATION = os.path.join(SOURCE, "configs/jlay-300m-initiation.yaml")
with open(INITIATION) as file:
    text = file.read()

# --- wire, head and pipe go out, a joint follows, and the pipe comes back as far as the wire ---
LIST = """  operations:
    - {name: wire out, mode: speed, speed_mps: 0.5, until_section: head}
    - {name: head out, mode: speed, speed_mps: 0.3, until_section: pipe, limit_s: 10}
    - {name: joint, mode: move, length_m: 12.2, joints: 2, speed_mps: 0.4, pause_s: 10}
    - {name: settle, mode: brake, until_s: 20}
    - {name: back, mode: speed, speed_mps: -0.4, until_section: wire, limit_s: 500}
"""
listed = re.search(r"  operations:\n(    .*\n)+", text).group(0)
with open(path("short.yaml"), "w") as file:
    file.write(text.replace(listed, LIST))
FAST = ["--mode", "fast"]
status, out, err = run("run", path("short.yaml"), *FAST, "--duration", "460", "--log", path("short.mcap"),
                       "--summary", path("short.json"), "--hashes", path("whole.txt"))
check(status == 0, "run", status, err)
summary = load("short.json")
check(summary["energy"]["closure_rel"] < 1e-12 and summary["steps_not_converged"] == 0, "ledger", summary["energy"], summary)
check(summary["pipe"]["operation"] == 6 and summary["pipe"]["operation_progress"] == 1, "the end", summary["pipe"])
events = re.findall(r"operation: (.*)", err)
check(events == ["wire out begins, 1 of 5", "wire out ends", "head out begins, 2 of 5", "head out is overdue", "head out ends",
                 "joint begins, 3 of 5", "joint ends", "settle begins, 4 of 5", "settle ends", "back begins, 5 of 5", "back ends",
                 "all 5 have ended"], "events", events, err)
check_replay("short.mcap")
status, out, err = run("log", "export-csv", path("short.mcap"), "--topic", "/truth", "--fields", "pipe.operation.name,pipe.operation.progress")
check(status == 0 and ",settle," in out, "the log", status, err, out[:300])
said = check_resumed(path("short.yaml"), [*FAST, "--duration", "215"], [*FAST, "--duration", "460"])
check("wire out" not in said, "an operation begins again", said)

# --- an end by the way along the route ---
with open(os.path.join(SOURCE, "configs/osv-83m-lay-dp.yaml")) as file:
    route = file.read()
with open(path("way-dp.yaml"), "w") as file:
    file.write(re.sub(r"  (joint_m|hold_s|tension_n|payout): .*\n", "", route).replace("start_s: 120", "start_s: 20").replace(
        "extends: ", f"extends: {SOURCE}/configs/"))
with open(path("way.yaml"), "w") as file:
    file.write(f"""extends: {SOURCE}/configs/osv-83m-lay.yaml
name: way
controller: {{kind: sampled, dp_file: way-dp.yaml}}
verdicts: null
pipe:
  tensioner: {{orders: null}}
  operations:
    - {{name: lay, mode: tension, tension_n: 205e3, until_distance_m: 4}}
    - {{name: stop, mode: brake, until_s: 5}}
""")
status, out, err = run("run", path("way.yaml"), "--mode", "fast", "--duration", "110", "--log", path("way.mcap"), "--summary", path("way.json"))
check(status == 0 and "operation: lay ends" in err, "an end by the way", status, err)
check(load("way.json")["pipe"]["operation"] == 3, "ended", load("way.json")["pipe"])
check_replay("way.mcap")

with open(path("far.yaml"), "w") as file:
    file.write(f"extends: {path('way.yaml')}\nname: far\npipe:\n  operations:\n    - {{name: lay, mode: tension, tension_n: 205e3, until_distance_m: 4e3}}\n")
status, out, err = run("check", path("far.yaml"))
check(status == 2 and re.search(r"far.yaml:5:\d+: error: pipe.operations.0.until_distance_m: at most 1\d+(\.\d+)? m, the length of the route", err),
      "a way beyond the route", status, err)

# --- an operator ---
simulator = Simulator(path("short.yaml"), "--mode", "realtime", "--duration", "1000")
simulator.wait_for_telemetry("truth", lambda m: m.pipe.operation.since_s > 0 and m.pipe.operation.name == "wire out")
status, out, err = run("ctl", simulator.commands, "status")
check(status == 0 and re.search(r"operation +1 of 5, wire out: ", out), "status", status, out, err)
status, out, err = run("ctl", simulator.commands, "tensioner", "brake")
check(status == 0, "an order from outside", status, err)
held = simulator.wait_for_telemetry("truth", lambda m: m.pipe.operation.held).pipe.operation
simulator.go_on(20)
later = simulator.wait_for_telemetry("truth", lambda m: m.pipe.operation.held).pipe.operation
check(later.since_s == held.since_s, "its time stands still", held, later)
status, out, err = run("ctl", simulator.commands, "tensioner", "release")
simulator.wait_for_telemetry("truth", lambda m: m.pipe.operation.since_s > held.since_s and not m.pipe.operation.held)
simulator.signal()
simulator.end()
check("wire out is held by an order from outside" in simulator.stderr() and "wire out goes on" in simulator.stderr(),
      "events", simulator.stderr())

# --- what is refused ---
status, out, err = run("check", INITIATION)
check(status == 0, "shipped", status, err)
for old, new, expected in [
        ("mode: brake, until_s: 20", "mode: hold, until_s: 20", "pipe.operations.3.mode: "),
        ("name: settle", "name: joint", "pipe.operations.3.name"),
        ("mode: brake, until_s: 20", "mode: brake", "pipe.operations.3 needs an end"),
        ("mode: brake, until_s: 20", "mode: brake, until_paid_out_m: 500", "3.until_paid_out_m is not allowed in the mode brake"),
        ("mode: brake, until_s: 20", "mode: brake, until_s: 20, tension_n: 1e5", "3.tension_n needs the mode tension"),
        ("mode: brake, until_s: 20", "mode: brake, until_s: 20, until_tension_n: 1e5", "3.until_tension_n is not allowed with another end of the same operation"),
        ("mode: brake, until_s: 20", "mode: tension, until_s: 20", "3.tension_n: a value expected"),
        ("mode: brake, until_s: 20", "mode: tension, tension_n: 2e6, until_s: 20", "3.tension_n: at most 600000 N expected"),
        ("mode: brake, until_s: 20", "mode: tension, tension_n: 5, until_s: 20", "3.tension_n: at least "),
        ("0.5, until_section: head}", "-0.4, until_paid_out_m: -5000}", "0.until_paid_out_m: a length paid out of more than "),
        ("mode: brake, until_s: 20", "mode: tension, tension_n: 2e5, until_tension_n: 205e3", "3.until_tension_n: a tension at least half"),
        ("mode: brake, until_s: 20", "mode: brake, until_distance_m: 5", "3.until_distance_m needs a route in controller.dp_file"),
        ("mode: brake, until_s: 20", "mode: brake, until_s: 20, limit_s: 10", "3.limit_s: at least until_s, 20 s, expected"),
        ("mode: brake, until_s: 20", "mode: brake, turn_deg: 2, turn_s: 60", "3.turn_deg needs pipe.hangoff.kind clamped"),
        ("until_section: wire", "until_section: rope", "4.until_section: the name of one of pipe.sections, or pipe, expected"),
        ("-0.4, until_section: wire", "-4, until_section: wire", "4.speed_mps: at most "),
        ("length_m: 12.2, joints", "length_m: 0, joints", "2.length_m: a length other than 0 expected"),
        ("0.5, until_section: head}", "0.5, until_paid_out_m: -3}", "0.until_paid_out_m: a length above 0 m"),
        ("    elements_max", "    orders: [{start_s: 0, mode: brake}]\n    elements_max", "pipe.tensioner.orders is not allowed with pipe.operations")]:
    bad = text.replace(listed, LIST)
    check(old in bad, "text to replace", old)
    with open(path("bad.yaml"), "w") as file:
        file.write(bad.replace(old, new, 1))
    status, out, err = run("check", path("bad.yaml"))
    line = next((line for line in err.split("\n") if expected in line), "")
    check(status == 2 and re.match(r".*bad.yaml:\d+:\d+: error: ", line), f"{new}: {expected}", status, err)
with open(path("slack.yaml"), "w") as file:
    file.write(text.replace("horizontal_force_n: 150e3", "horizontal_force_n: 2e3"))
status, out, err = run("check", path("slack.yaml"))
check(status == 2 and "pipe.mesh.0.elements: elements of at most" in err, "a wire too slack for its mesh", status, err)
