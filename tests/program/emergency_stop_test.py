"""The emergency stop of a thruster: by a controller's Command and by an operator's order. It stops a thruster that runs to full, is
stuck or turns by itself; it lasts until an operator resets it; feedback, status, log and replay say so. What is refused."""
from harness import *
import sagbend

VESSEL = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
NAMES = ["bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"]
FAULTS = "events=[{name: full, at_s: 1, fault: to_full, target: bow_tunnel_1}, {name: stuck, at_s: 1, fault: stuck, target: bow_tunnel_1}, " \
         "{name: full-2, at_s: 1, fault: to_full, target: stern_azimuth_port}, {name: turns, at_s: 1, fault: rotating, target: stern_azimuth_port, rate_radps: 0.2}]"
simulator = Simulator(VESSEL, "--mode", "lockstep", "--duration", "0", "--set", "simulation.step_s=0.05", "--set", "pipe.elements=20", "--set", FAULTS,
                      "--log", path("stop.mcap"), "--summary", path("stop.json"))
client = sagbend.Client(simulator.commands, name="desk")
samples = client.samples()
operator = sagbend.Operator(simulator.commands)


def ctl(*words):
    return run("ctl", simulator.commands, *words)


def answer(stop=()):
    """Answers one Sensors, with 40 rpm on each thruster; returns the feedback by name."""
    sensors = next(samples)
    client.send_thrusters(sensors, [{"name": name, "enable": True, "revolutions_rpm": 40} for name in NAMES], emergency_stop=stop)
    return sensors.header.time_s, {t.name: t for t in sensors.thruster}


def go_on(until_s, stop=()):
    time_s, feedback = answer(stop)
    while time_s < until_s:
        time_s, feedback = answer(stop)
    return feedback


def active():
    return {a["name"]: a["kind"] for a in json.loads(ctl("list", "--json")[1])["active"]}


# Without a stop both run away.
feedback = go_on(10)
check(feedback["stern_azimuth_port"].revolutions_rpm > 60 and not feedback["stern_azimuth_port"].emergency_stopped, "to_full", feedback)
azimuth = feedback["stern_azimuth_port"].azimuth_rad

# The controller stops one and the operator the other. One command with the name is enough: the stop stays.
answer(["stern_azimuth_port"])
answer()
answer()  # a command acts on the step after its Sensors
feedback = answer()[1]
check(feedback["stern_azimuth_port"].emergency_stopped and not feedback["stern_azimuth_port"].ready and not feedback["bow_tunnel_1"].emergency_stopped,
      "stopped by the controller", feedback)
held = feedback["stern_azimuth_port"].azimuth_rad
check(abs(held - azimuth) < 0.3, "it is stopped at once", azimuth, held)
check(ctl("emergency-stop", "bow_tunnel_1")[0] == 0, "stopped by the operator")
feedback = go_on(60)
for name in NAMES:
    stops = name in ("bow_tunnel_1", "stern_azimuth_port")
    check(feedback[name].emergency_stopped == stops and feedback[name].running != stops, name, feedback[name])
    check(abs(feedback[name].revolutions_rpm) < 0.1 if stops else feedback[name].revolutions_rpm > 30, "revolutions of " + name, feedback[name])
check(feedback["stern_azimuth_port"].azimuth_rad == held, "its azimuth stands", held, feedback["stern_azimuth_port"])
check({n: k for n, k in active().items() if k == "emergency_stop"} == {"bow_tunnel_1": "emergency_stop", "stern_azimuth_port": "emergency_stop"}, "list", active())
check(ctl("status")[1].count("emergency_stop") == 2, "ctl status", ctl("status")[1])

# Only an operator resets it; the controller's silence about it does not.
for word in ("full", "stuck", "full-2", "turns"):
    operator.clear(word)
operator.clear("bow_tunnel_1")
feedback = go_on(130)
check(feedback["bow_tunnel_1"].running and not feedback["bow_tunnel_1"].emergency_stopped and feedback["bow_tunnel_1"].revolutions_rpm > 30, "reset", feedback)
check(feedback["stern_azimuth_port"].emergency_stopped, "the other one stays stopped", feedback)

# Refused.
for words, reason in ((["stern_azimuth_port"], "stern_azimuth_port is stopped already"), (["rudder"], "bow_tunnel_1, "), (["all"], "the name of one thruster")):
    status, _, err = ctl("emergency-stop", *words)
    check(status == 1 and reason in err and len(err.splitlines()) == 1, f"emergency-stop {words}", status, err)
status, _, err = ctl("emergency-stop")
check(status == 2 and "a name is missing" in err, "no name", err)
before = client.refusal_count
answer(["rudder"])


def is_refused():
    client.receive(0.05)
    return client.refusal_count > before


until(is_refused, "no refusal of an unknown thruster")
check("emergency_stop: the name of one of the vessel's thrusters expected, got rudder" in client.refusals[-1].text, "the refusal", client.refusals[-1])
simulator.signal()
client.close()
check(simulator.end() == 0, "the run", simulator.stderr())

# The log has them, and replays.
check_replay("stop.mcap")
out = run("log", "cat", path("stop.mcap"), "--topic", "/event")[1]
check('stern_azimuth_port: emergency_stop on stern_azimuth_port' in out and 'bow_tunnel_1: emergency_stop on bow_tunnel_1' in out, "events", out[-2000:])
commands = [json.loads(line)["message"] for line in run("log", "cat", path("stop.mcap"), "--topic", "/command")[1].splitlines()]
check([c["emergency_stop"] for c in commands if c.get("emergency_stop")] == [["stern_azimuth_port"]], "the command in the log", len(commands))
orders = run("log", "cat", path("stop.mcap"), "--topic", "/operator")[1]
check("emergency_stop" in orders and "bow_tunnel_1" in orders, "the order in the log", orders)
