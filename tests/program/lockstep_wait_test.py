"""Lockstep does not depend on how long a controller computes. No other controller takes its place meanwhile. Messages, log and
summary report the wait. An answer that is not the first to the awaited sensors is refused with a reason and counted."""
import zmq

from harness import *

sys.path.insert(0, os.path.join(BUILD, "proto/python"))
from sagbend.v1 import command_pb2, envelope_pb2

context = zmq.Context()


class Peer:
    """A controller that computes for a given time."""

    def __init__(self, simulator, name):
        self.simulator, self.name, self.sequence, self.events = simulator, name, 1, []
        self.waiting = []  # messages of another kind than the one asked for: Sensors may overtake a Refusal
        self.socket = context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(simulator.commands)
        hello = envelope_pb2.Envelope()
        hello.hello.header.protocol = hello.hello.header.sequence = 1
        hello.hello.controller_id = hello.hello.name = name
        self.socket.send(hello.SerializeToString())
        self.session = self.next("welcome").header.session

    def next(self, kind, timeout_s=30):
        for envelope in self.waiting:
            if envelope.WhichOneof("message") == kind:
                self.waiting.remove(envelope)
                return getattr(envelope, kind)
        deadline = time.monotonic() + timeout_s
        while self.socket.poll(max(0, 1000 * (deadline - time.monotonic()))):
            envelope = envelope_pb2.Envelope.FromString(self.socket.recv())
            if envelope.WhichOneof("message") == "event":
                self.events.append(envelope.event.name)
            if envelope.WhichOneof("message") == kind:
                return getattr(envelope, kind)
            self.waiting.append(envelope)
        sys.exit(f"FAILED: no {kind} for {self.name}:\n{self.simulator.stderr()}")

    def answer(self, step, surge_n=3e5):
        self.sequence += 1
        envelope = envelope_pb2.Envelope()
        command = envelope.command
        command.header.protocol, command.header.session, command.header.sequence = 1, self.session, self.sequence
        command.controller_id, command.based_on_step, command.wrench.surge_n = self.name, step, surge_n
        self.socket.send(envelope.SerializeToString())

    def refusal(self, reason, word):
        refusal = self.next("refusal")
        check(command_pb2.RefusalReason.Name(refusal.reason) == "REFUSAL_REASON_" + reason, f"the reason {reason}", refusal)
        check(refusal.refused_sequence == self.sequence and word in refusal.text, f"refused with '{word}'", refusal)


def session(name, thinks_s):
    """60 samples. At some of them one controller computes for long while a second one tries to take its place."""
    simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "6", "--set", "network.command_timeout_s=0.3", "--hashes", path(name),
                          "--summary", path(name + ".json"), "--log", path(name + ".mcap"), "--overwrite")
    first, second = Peer(simulator, "first"), Peer(simulator, "second")
    for sample in range(60):
        step = first.next("sensors").header.step
        check(step == 10 * sample, "steps go on without an answer", step, sample)
        if sample in (20, 40) and thinks_s:
            time.sleep(thinks_s)  # many times the wall-clock time-outs
            second.answer(step, -9e5)
            second.refusal("NOT_CONTROLLER", "another controller is in command")
            first.answer(step - 10, -9e5)
            first.refusal("STALE", f"answers the sensors of step {step - 10}, in lockstep those of step {step} expected")
        first.answer(step, 3e5 + 1e3 * sample)
        if sample == 30 and thinks_s:
            first.answer(step, -9e5)
            first.refusal("STALE", "")
    check(simulator.end() == 0, "the simulator failed", simulator.stderr())
    s = load(name + ".json")
    check(s["lockstep"]["answers"] == 60 and s["commands"]["accepted"] == 60, "answers", s["lockstep"], s["commands"])
    latency = s["latency"]
    check(latency["command_received_to_latched_us"]["count"] == 60 and latency["step_end_to_sensors_sent_us"]["count"] >= 60, "latency", latency)
    return s, first


quick, _ = session("quick", 0)
check(quick["lockstep"]["long_waits"] == 0 or quick["wall_time_s"] > 2, "long waits of a quick controller", quick["lockstep"])
slow, first = session("slow", 2.6)
check(hashes("quick") == hashes("slow"), "thinking changes the bits")
check(slow["commands"]["refused_by_reason"]["stale"] == 3 and slow["commands"]["refused_by_reason"]["not_controller"] == 2, "refusals",
      slow["commands"])
waits = slow["lockstep"]
check(waits["long_waits"] >= 2 and waits["longest_wait_s"] >= 2.6 and waits["longest_wait_step"] in (200, 400), "in the summary", waits)
names = [e["name"] for e in slow["events"]["first"]]
check(names.count("waiting_for_response") >= 2 and names.count("response_came") >= 2, "in the summary's events", names)
check({"waiting_for_response", "response_came"} <= set(first.events), "in messages", first.events)
status, out, err = run("log", "cat", path("slow.mcap"), "--topic", "/event")
check(out.count('"waiting_for_response"') >= 2 and out.count('"response_came"') >= 2, "in the log", out)

# A suspended controller, as in a debugger, keeps its place; one that disconnects loses it.
simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "0", "--summary", path("still.json"), "--set", "network.command_timeout_s=0.3")
dp = controller(simulator, "--set", "pid.start_s=1")
reached = simulator.wait_for_step(200)
dp.suspend()
time.sleep(2.5)  # longer than the heartbeats of the connection
other = Peer(simulator, "other")
step = other.next("sensors").header.step
other.answer(step)
other.refusal("NOT_CONTROLLER", "another controller")
dp.resume()
simulator.wait_for_step(step + 200)
dp.kill()
other.socket.close()
other = Peer(simulator, "another")  # the newest Sensors follows its Welcome
step, refused, begin = other.next("sensors").header.step, 0, time.monotonic()
while True:
    other.answer(step)
    check(other.socket.poll(10000) and time.monotonic() < begin + 60, "no controller can take the place of one that disconnected", simulator.stderr())
    envelope = envelope_pb2.Envelope.FromString(other.socket.recv())
    kind = envelope.WhichOneof("message")
    if kind == "sensors" and envelope.sensors.header.step > step and refused:
        break
    if kind == "sensors":
        step = envelope.sensors.header.step
    refused += kind == "refusal"
    time.sleep(0.1)
simulator.signal()
check(simulator.end() == 0, "the simulator failed", simulator.stderr())
