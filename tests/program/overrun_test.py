"""Overrun policy: too many late steps in a row halt simulated time; what operator, controller and NMEA receiver see; an operator
resumes it; exit status, summary and verdicts do not look better than what happened."""
import math
import socket
import xml.etree.ElementTree as xml

from modbus_link import *
from sagbend.v1.envelope_pb2 import Envelope

HALT = ["--mode", "realtime", "--set", "simulation.overrun=halt", "--set", "simulation.overrun_limit=100", "--set", "simulation.realtime_priority=0"]


def stall(simulator):
    """Suspends the process for far more than 100 periods, and waits until it has halted."""
    simulator.suspend()
    time.sleep(2)
    simulator.resume()
    simulator.wait_for("halted: overrun: ")


def status(simulator):
    code, out, err = run("ctl", simulator.commands, "status", "--json")
    check(code == 0, "ctl status", out, err, simulator.stderr())
    return json.loads(out)


def resume(simulator):
    code, out, err = run("ctl", simulator.commands, "resume")
    check(code == 0, "ctl resume", out, err, simulator.stderr())


# --- a halt, as operator, controller and NMEA receiver see it; then it is resumed ---
listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listener.bind(("127.0.0.1", 0))
listener.settimeout(PATIENCE_S)
config = path("nmea.yaml")
with open(config, "w") as file:
    file.write(f"extends: {SOURCE}/tests/program/instruments.yaml\nnmea:\n  origin_deg: [59.9, 5.2]\n  ports:\n"
               f"    - udp: 127.0.0.1:{listener.getsockname()[1]}\n      instruments: gnss-1\n      sentences: GGA RMC\n")
simulator = Simulator(config, *HALT, "--duration", "0", "--summary", path("halted.json"), "--log", path("halted.mcap"))
simulator.wait_for_step(150)
stall(simulator)
s = status(simulator)
check(s["station"]["state"] == "halted" and "overrun" in s["pause"]["why"], "the operator's status", s)
step = s["step"]

while True:  # sentences from before the halt, then those that are marked as not valid
    sentence = listener.recv(200).decode()
    if sentence[3:6] == "GGA" and sentence.split(",")[6] == "0":
        break
check(listener.recv(200).decode().split(",")[2] == "V", "RMC while halted")

dealer = zmq.Context.instance().socket(zmq.DEALER)
dealer.linger = 0
dealer.connect(simulator.commands)
hello = Envelope()
hello.hello.header.protocol, hello.hello.header.sequence = 1, 1
hello.hello.controller_id, hello.hello.name = "late", "late"
dealer.send(hello.SerializeToString())
kinds, halted = [], None
while halted is None:
    check(dealer.poll(1000 * PATIENCE_S), "a controller that connects learns nothing of the halt", kinds)
    message = Envelope.FromString(dealer.recv())
    kinds.append(message.WhichOneof("message"))
    if kinds[-1] == "status":
        halted = message.status.pause
check("welcome" in kinds and "sensors" not in kinds, "Sensors of a state that stands still", kinds)
check(halted.halted and "overrun" in halted.why, "the controller's Status", halted)
check(status(simulator)["step"] == step, "simulated time goes on", step)

# A halt is cleared like a latched fault; 'clear all' ends faults only.
check(run("ctl", simulator.commands, "clear", "all")[0] == 0 and status(simulator)["station"]["state"] == "halted", "clear all")
code, out, err = run("ctl", simulator.commands, "clear", "bias-1")
check(code == 1 and "overrun" in err and "resume" in err, "the refusal names what ends the halt", out, err)
code, out, err = run("ctl", simulator.commands, "clear", "overrun")
check(code == 0, "clear overrun", out, err, simulator.stderr())
while kinds[-1] != "sensors":
    check(dealer.poll(1000 * PATIENCE_S), "no Sensors after the halt", kinds)
    message = Envelope.FromString(dealer.recv())
    kinds.append(message.WhichOneof("message"))
check(message.sensors.header.step > step, "Sensors from before the halt", message.sensors.header.step, step)
simulator.go_on(50)
check(status(simulator)["station"]["state"] == "running", "the state after the halt")
code, out, err = run("ctl", simulator.commands, "clear", "overrun")
check(code == 1 and "active fault" in err, "clear overrun without a halt", out, err)
code, out, err = run("ctl", simulator.commands, "stop")
check(simulator.end() == 0, "a run without an end that was resumed", simulator.stderr())
s = load("halted.json")
r = s["real_time"]
check(r["overrun"] == "halt" and r["halts"] == 1 and s["pauses"]["first"][0]["halted"], "the summary of a halt", r, s["pauses"])
check(s["pauses"]["first"][0]["step"] == step and s["lost_periods"] >= 100, "where it halted", s["pauses"], s["lost_periods"])
names = [event["name"] for event in s["events"]["first"]]
check("halted" in names and "resumed" in names and "late_step" in names, "the events of a halt", names)
code, out, err = run("replay", path("halted.mcap"), "--verify")
check(code == 0, "the log of a halted run does not replay", out, err)

# --- a run that ends while it is halted has failed ---
simulator = Simulator(JLAY, *HALT, "--duration", "0", "--summary", path("left.json"))
simulator.wait_for_step(30)
stall(simulator)
simulator.signal(signal.SIGTERM)
check(simulator.end() == 1, "halted until the end, but the run succeeded", simulator.stderr())
check("the run was halted at" in simulator.stderr() and not load("left.json")["passed"], "the reason", simulator.stderr())

# --- Modbus masters see no feedback during a halt and during a pause, and their set-points are refused ---
registers = [("holding", 0, "uint16", "command.heartbeat"), ("holding", 1, "float32", "thruster.bow_tunnel_1.revolutions_set_rpm"),
             ("input", 0, "float32", "thruster.bow_tunnel_1.revolutions_rpm"), ("input", 2, "int16", "thruster.bow_tunnel_1.azimuth_deg"),
             ("input", 3, "uint16", "session.held"), ("discrete", 0, "bool", "thruster.bow_tunnel_1.ready"), ("discrete", 1, "bool", "thruster.bow_tunnel_1.running")]
with open(path("held.yaml"), "w") as file:
    file.write(f"extends: {SOURCE}/configs/vessels/osv-83m.yaml\nname: held\nmodbus:\n  registers:\n")
    file.writelines(f"    - {{table: {table}, address: {address}, type: {kind}, signal: {signal}}}\n" for table, address, kind, signal in registers)
simulator = ModbusSimulator(path("held.yaml"), *HALT, "--duration", "0", "--log", path("held.mcap"))
master = Master(simulator)
HELD, (FEEDBACK, WHOLE, READY, RUNNING), SET = "session.held", [registers[i][3] for i in (2, 3, 5, 6)], registers[1][3]
until(lambda: master.write({SET: 50}) == 0 and master.read(FEEDBACK) > 1, "the thruster does not turn", simulator.stderr())
check(master.read(READY, RUNNING) == [1, 1], "ready and running before the halt")
for held in (2, 1):
    if held == 2:
        stall(simulator)
    else:
        check(run("ctl", simulator.commands, "pause")[0] == 0, "pause")
    until(lambda: master.read(HELD) == held, "session.held", simulator.stderr())
    check(master.read(READY, RUNNING, WHOLE) == [0, 0, 0] and math.isnan(master.read(FEEDBACK)), f"feedback while held {held}")
    check(master.write({SET: 70}) == BUSY and master.read(SET) == 50, f"a set-point while held {held}")
    check(master.beat() == 0, f"a heartbeat while held {held}")
    resume(simulator)
    until(lambda: master.write({SET: 50}) == 0 and master.read(FEEDBACK) > 1, "the thruster does not turn after the halt", simulator.stderr())
    check(master.read(HELD, READY, RUNNING) == [0, 1, 1], "after the halt")
# A session that begins in a pause is held as well.
for order in ("pause", "reset"):
    check(run("ctl", simulator.commands, order)[0] == 0, order, simulator.stderr())
until(lambda: "session_begun" in simulator.stderr() and master.read(HELD) == 1, "session.held after a reset in a pause", simulator.stderr())
check(master.read(READY, RUNNING, WHOLE) == [0, 0, 0] and math.isnan(master.read(FEEDBACK)), "feedback after a reset in a pause")
check(master.write({SET: 70}) == BUSY, "a set-point after a reset in a pause")
resume(simulator)
until(lambda: master.write({SET: 50}) == 0 and master.read(HELD) == 0, "after the pause", simulator.stderr())
simulator.signal()
check(simulator.end() == 0, "the session", simulator.stderr())
code, out, err = run("replay", path("held.mcap"), "--verify")
check(code == 0 and "equal" in out, "the replay of halts", out, err)

# --- a halt in the last step fails the run: its only period is shorter than any step takes ---
simulator = Simulator(JLAY, "--mode", "realtime", "--set", "simulation.overrun=halt", "--set", "simulation.overrun_limit=1", "--set", "simulation.step_s=1e-5",
                      "--duration", "1e-5", "--summary", path("last.json"), "--set", "simulation.realtime_priority=0", "--set", "simulation.lost_time_limit_s=0")
check(simulator.end() == 1, "a halt in the last step", simulator.stderr())
s = load("last.json")
check(s["steps"] == 1 and s["real_time"]["halts"] == 1 and any("was halted at" in text for text in s["failures"]), "the failure of the last step", s)

# --- a test that was halted has no result, though every verdict passes ---
simulator = Simulator(JLAY, *HALT, "--duration", "5", "--summary", path("test.json"), "--junit", path("test.xml"), "--set", "controller.kind=none",
                      "--set", "controller.dp_file=null", "--set", "simulation.lost_time_limit_s=0")
simulator.wait_for_step(30)
stall(simulator)
resume(simulator)
check(simulator.end() == 1, "a test that was halted passed", simulator.stderr())
s = load("test.json")
check(s["steps"] == 500 and any("halted 1 times" in text for text in s["failures"]), "the failure of the test", s["failures"])
check(xml.parse(path("test.xml")).getroot().get("failures") != "0", "JUnit of a test that was halted")

# --- the policy count goes on ---
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "4", "--summary", path("count.json"), "--set", "simulation.realtime_priority=0")
simulator.wait_for_step(30)
simulator.suspend()
time.sleep(0.5)
simulator.resume()
check(simulator.end() == 0 and load("count.json")["real_time"]["halts"] == 0, "the policy count", simulator.stderr())
