"""Whatever arrives at the command socket, the simulator continues, counts and reports it, and still serves its controller."""
import random

import zmq

from harness import *

sys.path.insert(0, os.path.join(BUILD, "proto/python"))
from sagbend.v1 import envelope_pb2

simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--summary", path("s.json"))
context = zmq.Context()
noise = random.Random(2)


def dealer():
    socket = context.socket(zmq.DEALER)
    socket.linger = 500
    socket.connect(simulator.commands)
    return socket


def receive(socket, kind, timeout_s=PATIENCE_S):
    """Returns the next message of this kind and skips others."""
    deadline = time.monotonic() + timeout_s
    while socket.poll(max(0, int(1000 * (deadline - time.monotonic())))):
        envelope = envelope_pb2.Envelope.FromString(socket.recv())
        if envelope.WhichOneof("message") == kind:
            return getattr(envelope, kind)
    sys.exit(f"FAILED: no {kind} from the simulator:\n{simulator.stderr()}")


socket = dealer()
for size in [0, 1, 2, 7, 64, 500, 4000]:
    for _ in range(10):
        socket.send(noise.randbytes(size))
socket.send(b"\x0b" * 3000)  # nested groups without an end
socket.send(b"\x0a\xff\xff\xff\xff\x7f")  # a length beyond the message
socket.send_multipart([b"two", b"parts"])
socket.send_multipart([b""] * 50)
simulator.wait_for_telemetry("timing", lambda m: m.commands_refused >= 73)
big = dealer()
big.send(bytes(100_000))
simulator.wait_for_telemetry("timing", lambda m: m.commands_refused >= 74)
big.close(0)
huge = dealer()  # exceeds the largest message: the transport closes the connection
monitor = huge.get_monitor_socket(zmq.EVENT_DISCONNECTED)
huge.send(bytes(20_000_000))
check(monitor.poll(1000 * PATIENCE_S), "a message of 20 MB is accepted", simulator.stderr())
huge.close(0)

# A peer that follows the protocol but sends NaN and infinite numbers.
liar = dealer()
envelope = envelope_pb2.Envelope()
envelope.hello.header.protocol = 1
envelope.hello.header.sequence = 1
envelope.hello.controller_id = "liar-1"
envelope.hello.name = "liar"
liar.send(envelope.SerializeToString())
session = receive(liar, "welcome").header.session
BAD = [("not_finite", "wrench", {"surge_n": float("nan")}), ("not_finite", "wrench", {"yaw_nm": float("inf")}),
       ("range", "wrench", {"sway_n": 1e12}), ("session", "wrench", {}), ("protocol", "wrench", {}), ("stale", "wrench", {})]
for sequence, (reason, effort, values) in enumerate(BAD, 2):
    envelope = envelope_pb2.Envelope()
    command = envelope.command
    command.header.protocol = 99 if reason == "protocol" else 1
    command.header.session = "yesterday" if reason == "session" else session
    command.header.sequence = sequence
    command.controller_id = "liar-1"
    command.based_on_step = 10**9 if reason == "stale" else receive(liar, "sensors").header.step
    command.wrench.SetInParent()
    for key, value in values.items():
        setattr(command.wrench, key, value)
    liar.send(envelope.SerializeToString())
    refusal = receive(liar, "refusal")
    check(refusal.refused_sequence in (0, sequence), f"{reason}: another message was refused", refusal)
liar.close()

simulator.wait_for("refused: ")
dp = controller(simulator)
simulator.wait_for("command_first")
simulator.go_on(50)
check(simulator.process.poll() is None, "the simulator has ended", simulator.stderr())
simulator.signal()
check(simulator.end() == 0, "the simulator failed", simulator.stderr())
check(dp.end() == 0, "the controller did not end with the simulator", dp.stderr())
s = load("s.json")
refused = s["commands"]["refused_by_reason"]
check(refused["malformed"] >= 74, "garbage was not counted", refused)
for reason in ["range", "session", "protocol", "stale"]:
    check(refused[reason] == 1, f"refused for {reason}", refused)
check(refused["not_finite"] == 2, "refused for not_finite", refused)
check(s["commands"]["refused"] == sum(refused.values()), "sum of the reasons", s["commands"])
check(s["commands"]["accepted"] > 0, "the controller was not heard", s["commands"])
check(all(abs(x) < 1e4 for x in s["vessel"]["position_m"]), "where the vessel is", s["vessel"])
