"""Thrusters in the running program: Welcome describes them, a controller that uses only the .proto files commands them, invalid
commands are refused with a reason, Truth shows their state, and the log contains the commands and replays bit by bit."""
from harness import *

sys.path.insert(0, os.path.join(BUILD, "proto/python"))
import zmq
from sagbend.v1.envelope_pb2 import Envelope
from sagbend.v1.telemetry_pb2 import Truth

OSV = os.path.join(SOURCE, "configs/osv-83m.yaml")
log = path("thrusters.mcap")
simulator = Simulator(OSV, "--mode", "lockstep", "--duration", "60", "--log", log, "--overwrite", "--summary", path("summary.json"),
                      "--set", "vessel.thrusters.0.on_timeout=zero", "--set", "vessel.thrusters.0.timeout_s=2")
dealer = zmq.Context().socket(zmq.DEALER)
dealer.linger = 0
dealer.connect(simulator.commands)
listener = zmq.Context().socket(zmq.SUB)
listener.subscribe("truth")
connect_and_wait(listener, simulator.telemetry)
sequence, session = 0, ""


def send(envelope, kind):
    global sequence
    sequence += 1
    message = getattr(envelope, kind)
    message.header.protocol, message.header.session, message.header.sequence = 1, session, sequence
    message.controller_id = "test"
    dealer.send(envelope.SerializeToString())


def receive(kind):
    while True:
        check(dealer.poll(1000 * PATIENCE_S), f"no {kind} came", simulator.stderr())
        got = Envelope.FromString(dealer.recv())
        if got.WhichOneof("message") == kind:
            return getattr(got, kind)
        if got.WhichOneof("message") in ("end", "refusal") or kind == "end":
            if kind != "end":
                sys.exit(f"FAILED: {kind} expected, got {got}")


def command(step, *thrusters):
    answer = Envelope(command={"based_on_step": step})
    for name, settings in thrusters:
        answer.command.thrusters.thruster.add(name=name, enable=True, **settings)
    send(answer, "command")


send(Envelope(hello={"name": "test"}), "hello")
welcome = receive("welcome")
session = welcome.header.session
info = {t.name: t for t in welcome.thruster}
check(list(info) == ["bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"], "the thrusters", info)
port = info["stern_azimuth_port"]
check(port.forward_m == -41.5 and port.starboard_m == -7 and port.thrust_max_n == 655e3, "where it is", port)
check(abs(port.forbidden[0].from_rad + 108.6 * 3.141592653589793 / 180) < 1e-12 and port.bus == "port", "its sector", port)
check([b.name for b in welcome.bus] == ["port", "starboard"], "the buses", welcome.bus)

check(not welcome.accepts_wrench and not welcome.instrument, "what she takes and has", welcome)
check(abs(welcome.vessel.mass_kg - 4976887.5) < 1 and len(welcome.vessel.inertia) == 36, "her mass", welcome.vessel)
check(welcome.vessel.inertia[0] - welcome.vessel.added_mass[0] > 4.9e6, "her inertia", welcome.vessel)

sensors = receive("sensors")
for thrusters, expected in (([("bow", {})], "one of the vessel's thrusters expected"), ([("bow_tunnel_1", {"revolutions_rpm": 141})], "140 rpm"),
                            ([], "thrusters"), ([("bow_tunnel_1", {})] * 2, "is listed twice"),
                            ([("bow_tunnel_1", {"revolutions_rpm": float("inf")})], "finite")):
    command(sensors.header.step, *thrusters)
    if not thrusters:
        sequence += 1
        bad = Envelope(command={"based_on_step": sensors.header.step, "thrusters": {}})
        bad.command.header.protocol, bad.command.header.session, bad.command.header.sequence = 1, session, sequence
        bad.command.controller_id = "test"
        dealer.send(bad.SerializeToString())
        receive("refusal")
    refusal = receive("refusal")
    check(expected in refusal.text, f"why it is refused: {expected}", refusal)

truths, bow, last = [], ("bow_tunnel_1", {"revolutions_rpm": 100}), None
while True:
    step = sensors.header.step
    both = [("stern_azimuth_port", {"revolutions_rpm": 150, "azimuth_rad": -1.5}),  # -86 degrees is in the forbidden zone
            ("stern_azimuth_starboard", {"revolutions_rpm": 60, "azimuth_rad": 0.5})]
    command(step, *([bow] if step < 2000 else []), *both)
    while listener.poll(0):
        truths.append(Truth.FromString(listener.recv_multipart()[1]))
    check(dealer.poll(1000 * PATIENCE_S), "silence", simulator.stderr())
    got = Envelope.FromString(dealer.recv())
    while got.WhichOneof("message") not in ("sensors", "end"):
        check(got.WhichOneof("message") != "refusal", "refused", got)
        got = Envelope.FromString(dealer.recv())
    if got.WhichOneof("message") == "end":
        break
    sensors = got.sensors
check(simulator.end() == 0, "the simulator's exit status", simulator.stderr())
while listener.poll(200):
    parts = listener.recv_multipart()
    truths.append(Truth.FromString(parts[1]))

check(len(truths) > 500, "truths", len(truths))
first, middle, end = truths[0], next(t for t in truths if t.header.step == 1900), truths[-1]
hold = {t.name: t for t in first.thruster}
check(abs(first.thruster_wrench.surge_n - 120e3) < 10e3, "the thrusters hold the pipe at the start", first.thruster_wrench)
check(abs(middle.thruster[0].revolutions_rpm - 100) < 1e-3 and middle.thruster[0].thrust_n > 1e5, "the bow tunnel turns", middle)
check(abs(end.thruster[0].revolutions_rpm) < 1e-3, "it does not stop when no command names it", end.thruster[0])
check(abs(end.thruster[2].azimuth_rad + 71.4 * 3.141592653589793 / 180) < 1e-9, "the azimuth goes to the edge", end.thruster[2])
check(end.thruster[2].azimuths_in_forbidden_zone == 1, "and that is counted once", end.thruster[2])
check(abs(end.thruster[2].power_w - 3.8e6 * (150 / 200) ** 3) < 10, "its power", end.thruster[2])
check(abs(end.bus[0].used_w - end.thruster[0].power_w - end.thruster[2].power_w) < 1e-6, "the bus's", end.bus[0])
summary = load("summary.json")
check(summary["commands"]["refused"] == 6, "refusals", summary["commands"])
check(abs(summary["energy"]["work_j"]["thrusters"]) > 1e5, "the thrusters' work", summary["energy"])
status, out, err = run("replay", log, "--verify")
check(status == 0, "the replay of a log with commands of thrusters", out, err)
