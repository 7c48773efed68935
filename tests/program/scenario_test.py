"""Scenarios in the running programs: each kind of fault is visible in the message, in the NMEA sentence if it has one, and in
the replay; operator's orders; verdicts, JUnit and exit status; a log replays without its original files."""
import shutil
import socket
import xml.etree.ElementTree as xml

from harness import *
from sagbend import mcap

OSV = os.path.join(SOURCE, "configs/osv-83m.yaml")
INSTRUMENTS = os.path.join(SOURCE, "tests/program/instruments.yaml")


def write(name, *lines):
    with open(path(name), "w") as file:
        file.write("\n".join(lines) + "\n")
    return path(name)


def sagbend(*args, expect=0, timeout=120):
    status, out, err = run(*args, timeout=timeout)
    check(status == expect, f"{args}: status {status}", out, err)
    return out + err


def sensors(log, topic="/sensors"):
    """Returns the Sensors of a log, or another topic, without the fields that differ between sessions."""
    kind, found, reader = getattr(telemetry_pb2, topic[1:].capitalize()), [], mcap.Reader(log)
    for record in reader:
        if record.topic == topic:
            found.append(kind.FromString(record.data))
            found[-1].header.session = ""
    check(found and not reader.problems, "the log", topic, reader.problems)
    return found


def telegrams(receiver):
    lines = []
    try:
        while True:
            lines.append(receiver.recv(65536).decode("ascii", "replace"))
    except BlockingIOError:
        return lines


# --- every kind of fault, from the table that the program prints ---
schema = json.loads(sagbend("schema"))
item = schema["properties"]["events"]["anyOf"][0]["items"]["properties"]
KINDS = item["fault"]["enum"]
with open(path("tensioner.yaml"), "w") as file:  # in the mode brake
    with open(os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")) as payout:
        file.write(re.sub(r"  payout:\n(    .*\n)+", "  tensioner: {grip_n: 4e6, brake_n: 4e6, motor_n: 3e6, motor_w: 3e6, elements_max: 120, "
                          "orders: [{start_s: 0, mode: brake}]}\n", payout.read(), count=1))
TENSIONER = path("tensioner.yaml")
FLOODED = write("flooded.yaml", f"extends: {TENSIONER}", "name: flooded", "pipe: {inner_diameter_m: 0.69}")
with open(os.path.join(SOURCE, "configs/osv-83m-power.yaml")) as file:  # its power plant, without a controller
    POWER = write("power.yaml", file.read().replace("osv-83m-instruments.yaml", OSV))
REFERENCES = os.path.join(SOURCE, "configs/osv-83m-references.yaml")
CASES = {  # base case and parameters of each
    "no_output": (INSTRUMENTS, "target: gyro-1"),
    "freeze": (INSTRUMENTS, "target: gyro-1"),
    "garbage": (INSTRUMENTS, "target: gyro-1, amplitude: 3"),
    "bias": (INSTRUMENTS, "target: gnss-1, bias: 5, channel: 1"),
    "drift": (INSTRUMENTS, "target: gnss-1, rate_per_s: 0.5"),
    "jump": (INSTRUMENTS, "target: all, jump: 0.1"),
    "noise": (INSTRUMENTS, "target: gyro-2, growth_per_s: 0.1"),
    "outliers": (INSTRUMENTS, "target: gyro-2, amplitude: 1, probability: 0.5"),
    "slow": (INSTRUMENTS, "target: gyro-2, period_s: 1"),
    "delay": (INSTRUMENTS, "target: gyro-2, delay_s: 0.7"),
    "intermittent": (INSTRUMENTS, "target: gyro-2, probability: 0.5"),
    "invalid": (INSTRUMENTS, "target: gnss-1"),
    "flag_forced_valid": (INSTRUMENTS, "target: gnss-1"),
    "constant": (INSTRUMENTS, "target: gyro-1, value: 1.5"),
    "lever_arm": (INSTRUMENTS, "target: gnss-1, forward_m: 5"),
    "duplicate_of": (INSTRUMENTS, "target: gyro-1, of_instrument: gyro-2"),
    "checksum": (INSTRUMENTS, "target: gyro-1"),
    "talker": (INSTRUMENTS, "target: gyro-2"),
    "duplicate_telegram": (INSTRUMENTS, "target: gnss-1"),
    "age": (INSTRUMENTS, "target: gnss-1, age_s: 20"),
    "stuck": (OSV, "target: bow_tunnel_1"),
    "to_zero": (OSV, "target: stern_azimuth_port"),
    "to_full": (OSV, "target: bow_tunnel_1"),
    "rotating": (OSV, "target: stern_azimuth_port, rate_radps: 0.2"),
    "feedback": (OSV, "target: stern_azimuth_port, factor: 0.5"),
    "swapped_feedback": (OSV, "target: stern_azimuth_port, with_thruster: stern_azimuth_starboard"),
    "tripped": (OSV, "target: all"),
    "sluggish": (OSV, "target: stern_azimuth_port, share: 0.1"),
    "load_limit": (OSV, "target: port, share: 0"),
    "bus_lost": (OSV, "target: starboard"),
    "blackout": (OSV, "target: all, restart_interval_s: 0.5"),
    "brake_fails": (TENSIONER, "share: 0.2"),
    "slip": (TENSIONER, "share: 0.2"),
    "runaway": (TENSIONER, "speed_mps: 0.5"),
    "flooding": (FLOODED, "fill_s: 20, from_m: 400"),
    "loss": (JLAY, "probability: 0.5"),
    "jitter": (JLAY, "largest_s: 0.5"),
    "duplicate": (JLAY, "probability: 0.5"),
    "reorder": (JLAY, "probability: 0.5"),
    "sensors_loss": (JLAY, "probability: 0.5"),
    "clock_jump": (JLAY, "jump_s: 7"),
    "emergency_stop": (OSV, "target: all"),
    "governor_high": (POWER, "target: set-1"),
    "governor_low": (POWER, "target: set-1"),
    "governor_stuck": (POWER, "target: set-1"),
    "field_high": (POWER, "target: set-1"),
    "field_low": (POWER, "target: set-1"),
    "trip": (POWER, "target: set-1"),
    "fuel_loss": (POWER, "target: set-1"),
    "start_fails": (POWER, "target: set-1"),
    "status_frozen": (POWER, "target: set-1"),
    "tie_opens": (POWER, "target: tie"),
    "tie_stuck": (POWER, "target: tie"),
    "no_reduction": (POWER, ""),
    "emergency_reset": (OSV, "target: bow_tunnel_1"),
    "setpoint_moved": (JLAY, "north_m: 2, east_m: 1"),
    "setpoint_turned": (JLAY, "turn_deg: 5"),
    "target_moved": (REFERENCES, "target: laser-1, north_m: 2, east_m: 1"),
    "obstructed": (REFERENCES, "target: laser-1"),
    "wrong_target": (REFERENCES, "target: laser-1"),
    "reflection": (REFERENCES, "target: radar-1, longer_m: 4"),
    "noise_burst": (REFERENCES, "target: hpr-1, times: 5"),
    "common_bias": (REFERENCES, "target: ionosphere, bias: 5, channel: 1"),
    "clump_dragging": (REFERENCES, "target: wire-1, share: 0.01"),
    "wire_jammed": (REFERENCES, "target: wire-1"),
    "wire_slack": (REFERENCES, "target: wire-1, longer_m: 10"),
}
# The others: changeover_test.py, network_faults_test.py, backup_test.py.
KINDS = [kind for kind in KINDS if not kind.startswith(("controller_", "network_")) and kind not in ("zone_lost", "take_over")]
check(sorted(CASES) == sorted(KINDS), "each kind of fault has its case here", set(CASES) ^ set(KINDS))
TELEGRAMS = ("checksum", "talker", "duplicate_telegram", "age")  # these act on sentences only
# Further events, also present in the run without the fault: a stuck thruster shows only where it should move, and data flagged
# valid show only where they are not.
BESIDE = {"stuck": "fault: to_full, target: bow_tunnel_1", "sluggish": "fault: to_zero, target: stern_azimuth_port",
          "start_fails": "fault: blackout, target: all, restart_interval_s: 0.5", "status_frozen": "fault: trip, target: set-1",
          "governor_stuck": "fault: trip, target: set-2", "no_reduction": "fault: to_full, target: all",
          "tie_stuck": "fault: field_high, target: set-1", "emergency_reset": "fault: emergency_stop, target: bow_tunnel_1", "flag_forced_valid": "fault: invalid, target: gnss-1",
          "clump_dragging": "fault: to_full, target: all", "wire_jammed": "fault: to_full, target: all"}
# What a fault of one instrument concerns, where that is not its target. Faults of different instruments share a run: each is judged by the readings and
# the sentences of its own.
CONCERNS = {"ionosphere": "gnss-1"}


def concerned(kind):
    """The instrument by which a fault is judged; None: by the whole message, in a run of its own."""
    base, words = CASES[kind]
    target = re.search(r"target: (\S+?)(,|$)", words)
    if base not in (INSTRUMENTS, REFERENCES) or kind in BESIDE or target.group(1) == "all":
        return None
    return CONCERNS.get(target.group(1), target.group(1))


def grouped(kinds):
    """Lists of kinds that share a run."""
    groups = []
    for kind in kinds:
        group = next((g for g in groups if concerned(kind) and CASES[g[0]][0] == CASES[kind][0] and None not in map(concerned, g) and concerned(kind) not in map(concerned, g)), None)
        if group:
            group.append(kind)
        else:
            groups.append([kind])
    return groups


def receive():
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    receiver.bind(("127.0.0.1", 0))
    receiver.setblocking(False)
    return receiver


receivers = {name: receive() for name in ("gnss-1", "gyro-1", "gyro-2")}
NMEA = "nmea:\n  ports:\n" + "".join(f"    - {{udp: 127.0.0.1:{r.getsockname()[1]}, instruments: {name}}}\n" for name, r in receivers.items())


def times_of(base):
    """Begin and end of the faults, and the length of a run. What has to start or to fall takes longer than a reading."""
    return (3, 7, 9) if base in (POWER, TENSIONER, FLOODED) else (1, 3, 4)


def try_kind(base, *events):
    """Runs the base case with these events; returns Sensors, NMEA sentences by instrument, and stderr."""
    begin_s, end_s, length_s = times_of(base)
    # On jlay-900m the controller must be active: the story is shortened, and the times of the events with it.
    scale = 0.05 if base == JLAY else 1
    times = f"at_s: {begin_s / scale}, duration_s: {(end_s - begin_s) / scale}"
    config = write("kind.yaml", f"extends: {base}", "name: kind", NMEA if base == INSTRUMENTS else "",
                   "controller: {kind: none}" if base in (OSV, POWER, TENSIONER, FLOODED) else "controller: {kind: none, dp_file: null}" if base == REFERENCES else "", "events:" if events else "",
                   *[f"  - {{name: {name}, {times}, {fault}}}" for name, fault in events])
    err = sagbend("run", config, "--mode", "fast", "--duration", str(length_s), "--set", f"simulation.event_time_scale={scale}",
                  "--log", path("kind.mcap"), "--overwrite", "--summary", path("kind.json"))
    # A controller sees little of the power plant: its faults show in the truth.
    return sensors(path("kind.mcap"), "/truth" if base == POWER else "/sensors"), {name: telegrams(r) for name, r in receivers.items()}, err


def readings(messages, instrument):
    """Those of this instrument; without one the whole messages."""
    found = [[m] if instrument is None else [r for _, some in m.instruments.ListFields() for r in some if r.telegram.name == instrument] for m in messages]
    check(all(found) and found, "no readings", instrument)
    return [[r.SerializeToString() for r in some] for some in found]


baselines = {}
for kinds in grouped(KINDS):
    base = CASES[kinds[0]][0]
    beside = [("beside", BESIDE[kinds[0]])] if kinds[0] in BESIDE else []
    key = base, BESIDE.get(kinds[0])
    if key not in baselines:
        baselines[key] = try_kind(base, *beside)
    plain, plain_telegrams, err = baselines[key]
    messages, heard, err = try_kind(base, *beside, *[(f"it-{kind}", f"fault: {kind}, {CASES[kind][1]}") for kind in kinds])
    faults = load("kind.json")["faults"]
    check(faults["began"] == faults["ended"] == len(kinds) + len(beside), f"{kinds}: counted", faults)
    before = [m for m in messages if m.header.step < 100 * times_of(base)[0]]
    check(before and readings(before, None) == readings(plain[:len(before)], None), f"{kinds}: acts before its time")
    for kind in kinds:
        check(f"fault_began: it-{kind}: " + kind in err and f"fault_ended: it-{kind}" in err, f"{kind}: start and end are not reported", err)
        its = concerned(kind)
        if kind in TELEGRAMS:
            check(readings(messages, its) == readings(plain, its), f"{kind}: is not to be seen in the message")
        else:
            check(readings(messages, its) != readings(plain, its), f"{kind}: not seen in the message")
        if base == INSTRUMENTS:
            for name in [its] if its else heard:
                check(heard[name], f"{kind}: no telegrams of {name}")
            check(heard != plain_telegrams if its is None else heard[its] != plain_telegrams[its], f"{kind}: not seen in the telegrams", heard[its or "gyro-1"][:3])
    check("equal" in sagbend("replay", path("kind.mcap"), "--verify"), f"{kinds}: in the replay")

# --- the same in lockstep over the protocol, with sagbend-dp in a second process; a log moved to another place ---
os.mkdir(path("case"))
shutil.copy(JLAY, path("case/base.yaml"))
shutil.copy(JLAY_DP, path("case/jlay-900m-dp.yaml"))
write("case/links.yaml", "extends: base.yaml", "name: links", "events:",
      "  - {name: lossy, at_s: 32, duration_s: 20, fault: loss, probability: 0.3}",
      "  - {name: late, after: lossy, at_s: 1, duration_s: 10, fault: jitter, largest_s: 0.4}",
      "  - {name: deaf, when: {quantity: offset_m, above: 15, for_s: 0.2}, duration_s: 5, fault: sensors_loss, probability: 0.3}",
      "  - {name: twice, at_s: 34, duration_s: 10, fault: duplicate, probability: 0.2}",
      "  - {name: swapped, at_s: 34, duration_s: 10, fault: reorder, probability: 0.2}",
      "  - {name: clock, at_s: 40, duration_s: 3, fault: clock_jump, jump_s: 3}")
LENGTH = ["--duration", "60"]
sagbend("run", path("case/links.yaml"), "--mode", "fast", *LENGTH, "--hashes", path("fast"), "--log", path("fast.mcap"),
        "--summary", path("fast.json"))
faults = load("fast.json")["faults"]
check(faults["began"] == faults["ended"] == 6, "six faults", faults)
check(min(count for name, count in faults.items() if not name.startswith("feedback_error")) > 0, "each has happened", faults)
simulator = Simulator(path("case/links.yaml"), "--mode", "lockstep", *LENGTH, "--hashes", path("lockstep"))
dp = controller(simulator)
check(simulator.end(120) == 0 and dp.end() == 0, "lockstep with faults", simulator.stderr(), dp.stderr())
check(hashes("fast") == hashes("lockstep"), "lockstep gives other bits than fast where links fail")
shutil.rmtree(path("case"))
check("equal" in sagbend("replay", path("fast.mcap"), "--verify"), "replay where the files are not")

# A checkpoint during the faults resumes with identical bits.
shutil.copy(JLAY, path("base.yaml"))
shutil.copy(JLAY_DP, path("jlay-900m-dp.yaml"))
case = write("again.yaml", "extends: base.yaml", "name: again", "events:",
             "  - {name: lossy, at_s: 31, duration_s: 20, fault: loss, probability: 0.3}",
             "  - {name: late, after: lossy, at_s: 4.5, duration_s: 10, fault: jitter, largest_s: 2}", "verdicts:",
             "  - {name: circle, quantity: offset_m, below: 30}")
FAST = ["--mode", "fast"]
sagbend("run", case, *FAST, "--duration", "50", "--hashes", path("whole"), "--summary", path("whole.json"))
sagbend("run", case, *FAST, "--duration", "36", "--checkpoint", path("c"))
sagbend("run", case, *FAST, "--duration", "50", "--resume", path("c"), "--hashes", path("rest"), "--summary", path("rest.json"))
check(hashes("whole")[3600:] == hashes("rest"), "resumed amid faults: other bits")
check(load("whole.json")["verdicts"] == load("rest.json")["verdicts"], "resumed: other verdicts", load("rest.json")["verdicts"])

# --- verdicts: exit status, summary, JUnit ---
case = write("verdicts.yaml", "extends: base.yaml", "name: a <case> & \"more\"", "events:",
             "  - {name: never, when: {quantity: offset_m, above: 1e6}, fault: loss, probability: 1}", "verdicts:",
             "  - {name: holds, quantity: offset_m, below: 1000}",
             "  - {name: must break, quantity: hangoff_tension_n, within: [0, 1000], expect: violated}")
JUNIT = [*FAST, "--duration", "5", "--junit", path("junit.xml"), "--summary", path("v.json")]
out = sagbend("run", case, *JUNIT)
check(out.count("passed") == 2 and load("v.json")["passed"] is True, "both pass", out)
suite = xml.parse(path("junit.xml")).getroot()[0]
check(suite.get("name") == "a <case> & \"more\"" and suite.get("tests") == "3" and suite.get("failures") == "0", "JUnit", suite.attrib)
with open(case, "a") as file:
    file.write("  - {name: fails, quantity: offset_m, below: 1e-3, from_s: 2}\n  - {name: too late, quantity: offset_m, below: 1, from_s: 50}\n"
               "  - {name: no event, quantity: offset_m, below: 1, after: never}\n  - {name: holds after all, quantity: offset_m, below: 1000, expect: violated}\n")
out = sagbend("run", case, *JUNIT, expect=1)
results = {v["name"]: v for v in load("v.json")["verdicts"]}
check({n: v["result"] for n, v in results.items()} == {
    "holds": "passed", "must break": "passed", "fails": "failed", "too late": "not_judged", "no event": "not_judged",
    "holds after all": "failed"}, "results", results)
fails = results["fails"]
check(fails["first_s"] == 2 and fails["violations"] == 1 and fails["worst_margin"] < 0 and fails["worst_value"] > 1e-3 and
      abs(fails["worst_value"] - 1e-3 + fails["worst_margin"]) < 1e-9, "when, how often, by how much", fails)
check(results["must break"]["first_s"] == 0 and load("v.json")["passed"] is False, "the whole has failed", results)
try:
    from junitparser import JUnitXml
    cases = {c.name: [type(r).__name__ for r in c.result] for s in JUnitXml.fromfile(path("junit.xml")) for c in s}
    check(cases == {"session": [], "holds": [], "must break": [], "fails": ["Failure"], "too late": ["Failure"],
                    "no event": ["Failure"], "holds after all": ["Failure"]}, "by junitparser", cases)
except ImportError:
    sys.exit("FAILED: python3-junitparser is missing; run tools/deps")


# --- an operator's orders, in real time and in lockstep ---
def ctl(endpoint, *words, expect=0):
    status, out, err = run("ctl", endpoint, *words)
    check(status == expect, f"ctl {words}: status {status}", out, err)
    return out + err


def orders(mode, *args):
    """Sends orders to a running session; the session replays, and its log contains them."""
    log = path(mode + ".mcap")
    simulator = Simulator(JLAY, "--mode", mode, "--duration", "0", "--log", log, "--overwrite", "--summary", path(mode + ".json"), *args)
    dp = controller(simulator, "--set", "pid.start_s=0.2")
    simulator.wait_for("command_first")
    e = simulator.commands
    check(ctl(e, "list") == "no fault is active\n", "nothing is active")
    check(ctl(e, "fault", "loss", "--probability", "0.5", "--for", "2").startswith("loss-1"), "named by kind and number")
    simulator.wait_for("fault_began: loss-1: loss on commands")
    ctl(e, "fault", "jitter", "--largest_s", "0.3", "--name", "late")
    simulator.wait_for("fault_began: late: jitter on commands")
    check("late" in ctl(e, "list"), "an active fault is listed")
    for words, reason in (("fault los", "kind of fault"), ("fault loss", "probability expected"),
                          ("fault loss --probability 2", "from 0 to 1"), ("fault bias --bias 1 --target x", "no instrument"),
                          ("fault loss --probability 1 --target bow", "commands or no target"), ("clear nothing", "active fault"),
                          ("fault jitter --largest_s 0.1 --name late", "is called")):
        check(reason in ctl(e, *words.split(), expect=1), f"refused: {words}", reason)
    simulator.wait_for("fault_ended: loss-1")  # at the end of its duration
    ctl(e, "clear", "late")
    simulator.wait_for("fault_ended: late")
    ctl(e, "stop")
    check(simulator.end() == 0 and dp.end() == 0, "ended by order", simulator.stderr())
    check(load(mode + ".json")["ended_by"] == "operator", "ended by", load(mode + ".json")["ended_by"])
    check("equal" in sagbend("replay", log, "--verify"), f"{mode}: orders in the replay")
    logged = [json.loads(l)["message"] for l in sagbend("log", "cat", log, "--topic", "/operator").splitlines()]
    check([m["number"] for m in logged] == [1, 2, 3, 4] and logged[2]["order"]["clear"]["name"] == "late" and "stop" in logged[3]["order"],
          "orders in the log", logged)
    names = [json.loads(l)["message"]["name"] for l in sagbend("log", "cat", log, "--topic", "/event").splitlines()]
    check(names.count("order") == 4 and names.count("fault_began") == 2 and names.count("fault_ended") == 2, "events", names)


orders("realtime")
orders("lockstep")
check("no answer" in ctl("tcp://127.0.0.1:9", "list", expect=1), "no simulator")
for words in (["x"], ["tcp://127.0.0.1:9", "burn"], ["tcp://127.0.0.1:9", "fault"], ["tcp://127.0.0.1:9", "fault", "loss", "--likely", "1"],
              ["tcp://127.0.0.1:9", "fault", "loss", "--for", "-1"], ["tcp://127.0.0.1:9", "list", "more"]):
    ctl(words[0], *words[1:], expect=2)

# --- the page names every fault and quantity ---
with open(os.path.join(SOURCE, "docs/scenarios.md")) as file:
    page = file.read()
verdict = schema["properties"]["verdicts"]["anyOf"][0]["items"]["properties"]
check("lag_s" in verdict["quantity"]["anyOf"][0]["enum"] and "lag_s" not in item["when"]["anyOf"][0]["properties"]["quantity"]["enum"], "by the clock")
for word in KINDS:
    check(f"`{word}`" in page, f"docs/scenarios.md does not name {word}")
with open(os.path.join(SOURCE, "docs/outputs.md")) as file:
    page = file.read()
for word in verdict["quantity"]["anyOf"][0]["enum"]:
    check(f"`{word}`" in page, f"docs/outputs.md does not name {word}")
