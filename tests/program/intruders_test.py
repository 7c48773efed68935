"""Other peers on the command socket cannot disturb the controller in command: forged commands, absurd wrenches, crowds that
only send Hello. A controller refused for its sequence sends Hello again and continues."""
import zmq

from harness import *

sys.path.insert(0, os.path.join(BUILD, "proto/python"))
from sagbend.v1 import command_pb2
from sagbend.v1.envelope_pb2 import Envelope

context = zmq.Context()
OSV = os.path.join(SOURCE, "configs/osv-83m.yaml")
LARGEST = 2**64 - 1


class Peer:
    """A controller made of bare messages, so that it can violate the protocol."""

    def __init__(self, endpoint, id="a", name="test"):
        self.socket, self.id, self.name, self.session, self.sequence = context.socket(zmq.DEALER), id, name, "", 0
        self.socket.linger = 0
        self.socket.connect(endpoint)

    def send(self, envelope, kind, sequence=None):
        self.sequence = self.sequence + 1 if sequence is None else sequence
        message = getattr(envelope, kind)
        message.header.protocol, message.header.session, message.header.sequence = 1, self.session, self.sequence
        message.controller_id = self.id
        self.socket.send(envelope.SerializeToString())

    def receive(self, *kinds, timeout_s=PATIENCE_S):
        deadline = time.monotonic() + timeout_s
        while self.socket.poll(max(0, int(1000 * (deadline - time.monotonic())))):
            got = Envelope.FromString(self.socket.recv())
            if got.WhichOneof("message") in kinds:
                return getattr(got, got.WhichOneof("message"))
        sys.exit(f"FAILED: none of {kinds} came to {self.name}")

    def hello(self):
        self.session = ""
        self.send(Envelope(hello={"name": self.name}), "hello")
        welcome = self.receive("welcome")
        self.session = welcome.header.session
        return welcome

    def command(self, step, sequence=None, **wrench):
        self.send(Envelope(command={"based_on_step": step, "wrench": wrench}), "command", sequence)

    def thrusters(self, step, extra, name="bow_tunnel_1"):
        e = Envelope(command={"based_on_step": step})
        e.command.thrusters.thruster.add(name=name, enable=True, revolutions_rpm=10)
        for key, value in extra.items():
            setattr(e.command.thrusters.extra_wrench, key, value)
        self.send(e, "command")


# A forged command with the id of the controller in command and the largest sequence number: that controller is not affected.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--summary", path("forged.json"), *PATIENT)
victim, forger = Peer(simulator.commands, "victim-1"), Peer(simulator.commands, "victim-1")
forger.session = victim.hello().header.session
for i in range(20):
    step = victim.receive("sensors").header.step
    forger.command(step, LARGEST, surge_n=1e6)
    check(forger.receive("refusal").reason == command_pb2.REFUSAL_REASON_SESSION, "a forged command was not refused as such")
    victim.command(step, surge_n=1000 + i)
for _ in range(5):
    sensors = victim.receive("sensors")
    victim.command(sensors.header.step, surge_n=1019)
check(sensors.applied_wrench.surge_n == 1019, "the controller's command is not what acts", sensors)

# Thirty peers that only send Hello, repeatedly: each is welcomed, a new peer is welcomed, and the controller stays in command.
crowd = [Peer(simulator.commands, f"crowd-{i}", "crowd") for i in range(30)]
for peer in crowd + crowd:
    peer.hello()
    victim.command(victim.receive("sensors").header.step, surge_n=1019)
for peer in crowd + crowd:  # faster: on a slow machine those before were forgotten for their silence and made no way
    peer.hello()
newcomer = Peer(simulator.commands, "newcomer", "newcomer")
newcomer.hello()
newcomer.command(newcomer.receive("sensors").header.step)
check(newcomer.receive("refusal").reason == command_pb2.REFUSAL_REASON_NOT_CONTROLLER, "the newcomer is not known")
sensors = victim.receive("sensors")
victim.command(sensors.header.step, surge_n=1019)
check(sensors.command_state != 5 and sensors.applied_wrench.surge_n == 1019, "the controller lost the command", sensors)
simulator.signal()
simulator.end()
summary = load("forged.json")
commands = summary["commands"]
check(commands["lost"] == 0 and commands["refused_by_reason"]["session"] == 20, "the forged commands", commands)
check(commands["refused_by_reason"]["sequence"] == 0, "a sequence was spoilt", commands)
check(commands["controllers_made_way"] >= 30, "who made way is not counted", commands)
check("victim-1" not in simulator.stderr() and "victim-1" not in json.dumps(summary), "the id of the controller is published")
check("controllers_made_way" in json.dumps(summary["events"]), "displaced controllers are not reported", summary["events"])
for peer in crowd + [victim, forger, newcomer]:
    peer.socket.close()


# An operator's order reaches the controller that it names, or none: numbers are no names, names do not change, and several
# controllers of one name are told apart by their numbers.
simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "0")
first, second, other = [Peer(simulator.commands, f"id-{i}", name) for i, name in enumerate(("dp", "dp", "other"))]
for peer in first, second, other:
    peer.hello()
for name, text in ("3", "at least one character other than a digit"), ("dp", "the name in the first Hello"):
    other.session = ""
    other.send(Envelope(hello={"name": name}), "hello")
    refused = other.receive("refusal")
    check(refused.reason == command_pb2.REFUSAL_REASON_MALFORMED and text in refused.text, "a name that is refused", name, refused)


def take_over(who):
    return run("ctl", simulator.commands, "take-over", who)


def in_command():
    return [c["number"] for c in json.loads(run("ctl", simulator.commands, "status", "--json")[1])["peer"] if c["in_command"]]


status, _, err = take_over("dp")
check(status == 1 and "got 'dp', the name of several controllers: 1, 2" in err and not in_command(), "an ambiguous name", err)
for who, number in ("1", 1), ("other", 3), ("2", 2):
    status, _, err = take_over(who)
    check(status == 0 and in_command() == [number], "take-over of " + who, err, in_command())
status, _, err = take_over("4")
check(status == 1 and "the name or number of a connected controller" in err and in_command() == [2], "no such number", err)
for peer in first, second, other:
    peer.socket.close()
simulator.kill()


# A vessel with thrusters refuses a wrench unless the configuration permits it; then the default limit of the vessel applies.
def osv(*arguments):
    simulator = Simulator(OSV, "--mode", "lockstep", "--duration", "2", "--summary", path("osv.json"), *arguments)
    peer = Peer(simulator.commands)
    welcome = peer.hello()
    return simulator, peer, welcome, peer.receive("sensors").header.step


def refusal(peer, *texts):
    got = peer.receive("refusal")
    check(got.reason == command_pb2.REFUSAL_REASON_RANGE, "the reason", got)
    for text in texts:
        check(text in got.text, f"'{text}' in the reason", got)


def finish(simulator, peer, step, **wrench):
    """Answers Sensors until the end; returns the summary."""
    while True:
        peer.command(step, **wrench) if wrench else peer.thrusters(step, {})
        got = peer.receive("sensors", "end", "refusal")
        if got.DESCRIPTOR.name == "End":
            break
        check(got.DESCRIPTOR.name == "Sensors", "refused", got)
        step = got.header.step
    simulator.end()
    summary = load("osv.json")
    check(summary["steps"] == 200 and summary["ended_by"] == "duration", "the run did not go to its end", summary["ended_by"])
    return summary


simulator, peer, welcome, step = osv()
for wrench in {"surge_n": 1e12}, {"surge_n": 1e300}, {"yaw_nm": -1.0}, {}:
    peer.command(step, **wrench)
    refusal(peer, "thrusters", "network.accept_wrench")
peer.thrusters(step, {"surge_n": 1e5})
refusal(peer, "extra_wrench.surge_n", "got 100000")
peer.thrusters(step, {"pitch_nm": 2 * welcome.initial_holding_force.pitch_nm})  # for a hand-over
check(peer.receive("sensors", "refusal").DESCRIPTOR.name == "Sensors", "no hand-over from the initial holding force")
finish(simulator, peer, step + 10)

simulator, peer, welcome, step = osv("--set", "network.accept_wrench=true")
limit = welcome.wrench_limit
check(abs(limit.surge_n - 5 * 4976887.5) < 1e-6 and limit.yaw_nm > 2e8, "the limit by default", limit)
for name in "surge_n", "sway_n", "heave_n", "roll_nm", "pitch_nm", "yaw_nm":
    for value in 1e12, -1e300, getattr(limit, name) * (1 + 1e-15):
        peer.command(step, **{name: value})
        refusal(peer, "wrench." + name, "got %s" % ("1e+12" if value == 1e12 else "-1e+300" if value < 0 else ""))
check(abs(finish(simulator, peer, step, surge_n=limit.surge_n)["vessel"]["position_m"][0]) < 1000, "where she is")

simulator, peer, welcome, step = osv("--set", "network.accept_wrench=true", "--set", "network.wrench_limit=[140,1,1,1,1,1]")
peer.command(step, surge_n=140.0000000001)
refusal(peer, "at most 140 expected, got 140.0000000001")
finish(simulator, peer, step, surge_n=140)

# sagbend-dp, refused for its sequence, sends Hello and continues from there.
router = context.socket(zmq.ROUTER)
router.linger = 0
port = router.bind_to_random_port("tcp://127.0.0.1")
dp = Program(SAGBEND_DP, JLAY_DP, "--connect", f"tcp://127.0.0.1:{port}", "--set", "pid.start_s=0")
hellos, taken, last, sent = 0, 0, LARGEST, 0


def answer(to, envelope, kind):
    message = getattr(envelope, kind)
    message.header.protocol, message.header.session, message.header.step, message.header.time_s = 1, "fake", sent, 0.1 * sent
    router.send_multipart([to, envelope.SerializeToString()])


deadline = time.monotonic() + PATIENCE_S
while taken < 5:
    check(time.monotonic() < deadline, "sagbend-dp does not recover from a refused sequence", dp.stderr())
    if not router.poll(500):
        continue
    to, payload = router.recv_multipart()
    got = Envelope.FromString(payload)
    if got.WhichOneof("message") == "hello":
        hellos += 1
        last = LARGEST if hellos == 1 else got.hello.header.sequence  # at first another peer has used up the sequence numbers
        answer(to, Envelope(welcome={"step_s": 0.1, "sensor_period_s": 0.1, "mode": 1, "initial_holding_force": {}, "wrench_limit": {}}), "welcome")
    elif got.command.header.sequence <= last:
        answer(to, Envelope(refusal={"reason": command_pb2.REFUSAL_REASON_SEQUENCE, "text": "sequence",
                                     "refused_sequence": got.command.header.sequence}), "refusal")
    else:
        taken, last = taken + 1, got.command.header.sequence
    sent += 1
    answer(to, Envelope(sensors={"command_state": 1, "applied_wrench": {}}), "sensors")
check(hellos == 2, "hellos", hellos)
dp.kill()

# Before the first command the command of a vessel with thrusters would not pass the checks; its checkpoint is valid all the same.
kept = ["--mode", "realtime", *ANY_PORT, "--checkpoint", path("kept"), "--set", "simulation.realtime_priority=0"]
for more in ["--duration", "0.2"], ["--duration", "0.4", "--resume", path("kept")]:
    status, out, err = run("run", OSV, *kept, *more)
    check(status == 0, "a checkpoint from before the first command", out, err)
