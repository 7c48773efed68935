"""A controller under test that wants the truth. It takes the Welcome at its word, asks for the state as an operator, listens at every port of the
simulator as a telemetry client, as a browser and as a field bus, and looks for files of its run. With the truth withheld none of the sockets
gives it anything but the measurements, and it loses the vessel when all receivers are off; with the truth open it passes that run, and the
report says so. What a process of the same user can read from files and from /proc is what docs/trials.md says."""
from trials_case import *

CONTROLLER = r'''import glob, json, math, os, re, socket, sys, threading, time
sys.path.insert(0, sys.argv[2])
sys.path.insert(0, sys.argv[3])
import sagbend
import zmq
from sagbend.v1 import envelope_pb2, telemetry_pb2
import dp_law

client = sagbend.Client(sys.argv[1], "curious")
newest, tries = {}, {}


def listen(endpoint):
    """As a client of the telemetry."""
    sub = zmq.Context.instance().socket(zmq.SUB)
    sub.subscribe("")
    sub.linger = 0
    sub.connect(endpoint)
    def work():
        while True:
            topic, data = sub.recv_multipart()
            if topic == b"truth":
                newest["truth"] = telemetry_pb2.Truth.FromString(data)
            tries.setdefault("topics", set()).add(topic.decode())
    threading.Thread(target=work, daemon=True).start()


def simulators():
    """The processes that listen at the port of the commands, by /proc."""
    port = f":{int(sys.argv[1].rsplit(':', 1)[1]):04X}"
    inodes = {line.split()[9] for line in open("/proc/net/tcp") if line.split()[1].endswith(port) and line.split()[3] == "0A"}
    return {p.split("/")[2] for p in glob.glob("/proc/[0-9]*/fd/*") if os.path.islink(p) and re.sub(r"\D", "", link(p)) in inodes}


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def ports(pid):
    inodes = {re.sub(r"\D", "", link(p)) for p in glob.glob(f"/proc/{pid}/fd/*") if "socket" in link(p)}
    return [int(line.split()[1].rsplit(":", 1)[1], 16) for line in open("/proc/net/tcp") if line.split()[9] in inodes and line.split()[3] == "0A"]


def as_browser(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 0.5) as s:
            s.settimeout(0.5)
            s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return s.recv(400).startswith(b"HTTP")
    except OSError:
        return False


def ask(kind):
    """An operator's order or question, by a connection of its own."""
    dealer = zmq.Context.instance().socket(zmq.DEALER)
    dealer.linger = 0
    dealer.connect(sys.argv[1])
    envelope = envelope_pb2.Envelope()
    envelope.order.header.protocol, envelope.order.header.sequence, envelope.order.operator = 1, 1, "curious"
    getattr(envelope.order, kind).SetInParent()
    if kind == "setpoint":
        envelope.order.setpoint.north_m = 1
    dealer.send(envelope.SerializeToString())
    answer = envelope_pb2.Envelope()
    if not dealer.poll(3000):
        return "no answer"
    answer.ParseFromString(dealer.recv())
    return answer.WhichOneof("message")


def curious(welcome):
    tries["welcome"] = welcome.telemetry_endpoint
    if welcome.telemetry_endpoint:
        listen(welcome.telemetry_endpoint)
    found = simulators()
    tries["simulators"] = len(found)
    for pid in found:
        for port in ports(pid):
            tries.setdefault("ports", []).append(port)
            listen(f"tcp://127.0.0.1:{port}")
            tries["page"] = tries.get("page", False) or as_browser(port)
        words = open(f"/proc/{pid}/cmdline").read().split("\0")
        tries["events"] = any(w.startswith("events=") for w in words)
        folder = os.path.dirname(words[words.index("--summary") + 1])
        tries["summary"] = os.path.exists(os.path.join(folder, "summary.json"))
        tries["log"] = any(n.endswith(".mcap") for n in os.listdir(folder))
        tries["record"] = os.path.exists(os.path.join(folder, "record.csv"))
    tries["status"], tries["fault"], tries["setpoint"] = ask("status"), ask("list"), ask("setpoint")


law, count = dp_law.Law(), 0
for s in client.samples():
    if not tries:
        curious(client.welcome)
        time.sleep(0.5)
    count += 1
    good = [g for g in s.instruments.gnss if g.telegram.valid]
    gyro = s.instruments.gyro[0]
    heading, rate = gyro.heading_rad, gyro.rate_radps
    reading = None
    if "truth" in newest:  # the antenna of gnss-1 is where the law thinks
        t, (x, y) = newest["truth"], dp_law.ANTENNA
        c, d = math.cos(heading), math.sin(heading)
        reading = (t.position_north_m + c * x - d * y, t.position_east_m + d * x + c * y, 0.0, 0.0, heading, rate)
    elif good:
        g = good[0]
        reading = (g.north_m, g.east_m, g.velocity_north_mps, g.velocity_east_mps, heading, rate)
    states = [(f.revolutions_rpm, f.azimuth_rad) for f in s.thruster]
    settings = law.step(reading, True, states) if reading else None
    if count == 30:
        print("tries " + json.dumps({k: sorted(v) if isinstance(v, set) else v for k, v in tries.items()} | {"truth": "truth" in newest}), flush=True)
    if settings:
        client.send_thrusters(s, [dict(name=dp_law.NAMES[i], enable=True, revolutions_rpm=rpm, **({} if dp_law.THRUSTERS[i][4] else {"azimuth_rad": azimuth})) for i, (rpm, azimuth) in enumerate(settings)])
    else:
        client.send_standby(s)
'''

write("controller.py", CONTROLLER)
PYTHON, PACKAGE, LAWS = "/usr/bin/python3", os.path.join(BUILD, "proto/python"), os.path.join(SOURCE, "docs/examples")
LISTED = listed_ids(os.path.join(SOURCE, "configs/trials/osv-83m.yaml"))
KEPT = ["all-gnss/no_output"]


def tried(name, more):
    plan = write(name + ".yaml", f"""base: {BASE}
controller: {{command: {json.dumps([PYTHON, "controller.py", "{endpoint}", PACKAGE, LAWS])}, files: [controller.py]}}
set: {{simulation.step_s: 0.1, pipe.elements: 20, vessel.current_acts: true{more}}}
settle_s: 40
hidden_lead_s: 10
failure_s: 60
recover_s: 20
alarms: {{from: none}}
conditions: [{{id: S1, set: {{environment.wind: {{speed_mps: 10, direction_deg: 60}}}}}}]
limits: [{{name: position, quantity: offset_m, below: 2}}]
{excluding(LISTED, KEPT)}""")
    run("trials", plan, "--no-pdf", "--out", path("out-" + name), timeout=600)
    runs = by_id(results(path("out-" + name)))
    said = read(path("out-" + name), f"points/{runs['none']['point']:06d}", "controller.txt")
    check("tries " in said, f"{name}: what it tried", said, runs["none"])
    return runs, json.loads(said.split("tries ")[1].split("\n")[0]), read(path("out-" + name), "report.html")


runs, tries, report = tried("closed", "")
check(tries["simulators"] == 1 and tries["ports"], "it finds the simulator", tries)
check(tries["welcome"] == "" and not tries["truth"] and "topics" not in tries and not tries["page"], "no socket gives it the truth", tries)
check({tries[k] for k in ("status", "fault", "setpoint")} == {"refusal"}, "questions and orders are refused", tries)
check(not tries["summary"] and not tries["log"], "neither summary nor log is there before the end", tries)
check(runs["none"]["verdict"] == "passed" and (runs["all-gnss/no_output"]["verdict"], runs["all-gnss/no_output"]["category"]) == ("failed", "A"), "without receivers it loses the vessel",
      {k: (r["verdict"], r["metrics"]["offset_m"]) for k, r in runs.items()})
check("withheld from the control system" in report and "NOT withheld" not in report, "the report on the truth")
# What is not kept from it: the page on trials says so.
check(tries["events"] and tries["record"], "the command line and the record of its own run", tries)
page = re.sub(r"\s+", " ", read(SOURCE, "docs/trials.md"))
check("the simulator's memory, command line and `record.csv`, which show the failure" in page, "docs/trials.md on what is not kept")

runs, tries, report = tried("open", ", network.withhold_truth: false")
check(tries["welcome"] and tries["truth"] and runs["all-gnss/no_output"]["verdict"] == "passed", "with the truth open it needs no receiver", tries, runs["all-gnss/no_output"]["metrics"])
check("NOT withheld from the control system" in report, "the report of open trials")
