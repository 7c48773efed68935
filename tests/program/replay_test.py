"""Replay: a session in real time, with missed deadlines, refused commands and a restarted controller, is recomputed bit by bit.
An alteration of a log is found where it is. The telemetry is played to a controller.

SAGBEND_REPLAY_SECONDS: length of the session (20; 600 for the long campaign)."""
import random
import threading

import zmq

from harness import *

ALTER = os.path.join(BUILD, "tests/program/alter_log")
SECONDS = float(os.environ.get("SAGBEND_REPLAY_SECONDS", "20"))
KINDS = telemetry_kinds()


def verify(log, expected=0, program=SAGBEND):
    """Checks the exit status; returns the JSON (None for an unusable log) and stderr."""
    status, out, err = run("replay", log, "--verify", "--json", program=program, timeout=600)
    check(status == expected, f"replay of {log}: status {status}, {expected} expected", out, err)
    return json.loads(out) if out else None, err


def altered(log, kind, number):
    out = path(f"{kind}.mcap")
    status, _, err = run(log, out, kind, str(number), program=ALTER)
    check(status == 0, f"alter_log {kind} {number}", err)
    return out


class Listener(threading.Thread):
    """Collects everything that a PUB socket sends until its end message: (topic, message) in order."""

    def __init__(self, endpoint):
        super().__init__(daemon=True)
        self.messages, self.at = [], []
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.linger = 0
        self.socket.rcvhwm = 0
        self.socket.subscribe("")
        self.socket.connect(endpoint)
        self.start()

    def run(self):
        while self.socket.poll(20000):
            topic, payload = self.socket.recv_multipart()
            self.messages.append((topic.decode(), KINDS[topic.decode()].FromString(payload)))
            self.at.append(time.monotonic())
            if topic == b"end":
                return

    def of(self, topic):
        """Returns messages by step, without the fields that name the session."""
        found = {}
        for name, message in self.messages:
            if name == topic:
                copy = type(message).FromString(message.SerializeToString())
                copy.header.session, copy.header.sequence = "", 0
                found[message.header.step] = copy.SerializeToString(deterministic=True)
        return found


def liar(simulator):
    """A controller whose messages are all refused."""
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 500
    socket.connect(simulator.commands)
    hello = envelope_pb2.Envelope()
    hello.hello.header.protocol, hello.hello.header.sequence = 1, 1
    hello.hello.controller_id = hello.hello.name = "liar"
    socket.send(hello.SerializeToString())
    session = None
    while session is None:
        check(socket.poll(1000 * PATIENCE_S), "no welcome", simulator.stderr())
        message = envelope_pb2.Envelope.FromString(socket.recv())
        if message.HasField("welcome"):
            session = message.welcome.header.session
    for sequence, surge in enumerate([float("nan"), 1e15, 1e5, 1e5], 2):  # the last two: another controller is in command
        answer = envelope_pb2.Envelope()
        command = answer.command
        command.header.protocol, command.header.session, command.header.sequence = 1, session, sequence
        command.controller_id, command.based_on_step = "liar", 0 if sequence == 4 else 10**6
        command.wrench.surge_n = surge
        socket.send(answer.SerializeToString())
    socket.send(b"garbage")
    refusals = 0
    while refusals < 5:
        check(socket.poll(1000 * PATIENCE_S), f"{refusals} refusals", simulator.stderr())
        refusals += envelope_pb2.Envelope.FromString(socket.recv()).HasField("refusal")
    socket.close()


# The session.
scale = ["--set", f"simulation.event_time_scale={SECONDS / 120}", "--set", "pipe.elements=40"]
log = path("session.mcap")
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", str(SECONDS), *scale, "--log", log, "--overwrite", "--summary", path("s.json"))
listener = Listener(simulator.telemetry)
dp_options = ["--set", f"event_time_scale={SECONDS / 120}"]
dp = controller(simulator, *dp_options)
dp.wait_for("takes over")
liar(simulator)
simulator.go_on(100 * SECONDS // 10)
dp.kill()
simulator.wait_for("command_lost")
dp = controller(simulator, *dp_options)
dp.wait_for("takes over")
simulator.go_on(50)
simulator.suspend()  # the machine stalls: deadlines are missed
time.sleep(0.15)
simulator.resume()
check(simulator.end(SECONDS + 60) == 0 and dp.end() == 0, "the session", simulator.stderr())
listener.join(10)
summary = load("s.json")
commands = summary["commands"]
check(summary["late_steps"] > 0 and commands["lost"] >= 1, "misses and a loss were wanted", summary)
check(commands["refused"] >= 4 and commands["refused_by_reason"]["not_finite"] == 1, "refusals were wanted", commands)

found, err = verify(log)
check(found["result"] == "equal" and found["complete"] and err == "", "the session does not replay", found, err)
check(found["last_step"] == summary["steps"], "not to the end", found)
check(found["compared"]["state_hash"] == summary["steps"] + 3, "not every step was compared", found)  # first and last twice
check(min(n for topic, n in found["compared"].items() if topic != "event") > SECONDS / 2, "compared", found)
check(found["compared"]["event"] >= 3 and found["chain"]["state"] == "holds", "command_first, command_lost, command_back", found)
check(0 < found["commands_used"] <= commands["accepted"], "commands", found, commands)
print(f"{SECONDS:g} s in real time replay in {found['wall_time_s']:.3f} s: {found['real_time_factor']:.0f} times")
status, out, err = run("replay", log, "--verify")
check(status == 0 and "times real time" in out and re.search(r"result +equal", out), "the table", out)

# Alterations are found where they are.
used = found["commands_used"]
number = used * 3 // 4
found, err = verify(altered(log, "command", number), 1)
first, telemetry = found["first_difference"], found["first_difference_in_telemetry"]
check(first["topic"] == "/state_hash" and first["field"] == "hash" and first["logged"] != first["replayed"], "a command", first)
# The state after the step that used the command, and the applied wrench in the sensors after it.
check(telemetry["field"] and first["step"] <= telemetry["step"] <= first["step"] + 10, "telemetry", telemetry)
check(len(telemetry["logged"]) > 3 and telemetry["logged"] != telemetry["replayed"], "both values", telemetry)
step = first["step"]
found, err = verify(altered(log, "nan", number), 1)  # no session has used such a command
check("wrench_b[1]: a finite number expected, got nan" in found["contradiction"]["logged"], "a command that is no number", found, err)
found, err = verify(altered(log, "lose", number), 3)
check("commands are missing" in err and found["last_step"] < step and found["result"] == "incomplete", "a lost command", found, err)
check(step - found["last_step"] <= 2 * 100 * 2, "a lost command: all before it can be verified", found, step)

found, err = verify(altered(log, "hash", 777), 1)
first = found["first_difference"]
check((first["step"], first["topic"], first["field"]) == (777, "/state_hash", "hash"), "a hash", first)
check(int(first["logged"], 16) ^ int(first["replayed"], 16) == 1 << 40, "a hash: both values", first)
check(found["agrees_again_at_step"] == 778, "a hash: the states agree after it", found)
found, err = verify(altered(log, "sensors", 500), 1)
first = found["first_difference"]
check((first["step"], first["topic"], first["field"]) == (500, "/sensors", "position_north_m"), "sensors", first)
gap = abs(float(first["logged"]) - float(first["replayed"]))
check(0 < gap < 1e-12, "the last bit of a number shows", first)
status, out, err = run("replay", path("sensors.mcap"), "--verify")
check(status == 1 and re.search("first difference.*step 500 .*/sensors.*position_north_m: logged 97.*replayed 97", out), "text", out)

found, err = verify(altered(log, "build", 0), 3)
check(found["result"] == "incomplete" and not found["same_build"] and "another build" in err and err.count("\n") == 2, "another build", err)
found, err = verify(altered(log, "none", 0), 3)
check(found["incomplete_reasons"] == [found["incomplete_because"]] and found["chain"]["state"] == "none", "no chain", found)
status, out, err = run("replay", path("none.mcap"), "--verify", "--allow-incomplete")
check(status == 0 and re.search(r"result +incomplete: equal as far as it goes", out), "--allow-incomplete", out, err)
found, err = verify(altered(log, "config", 0), 2)
check(found is None and "not usable" in err, "another configuration text", err)

# The log of a killed simulator, and truncated logs: what remains is verified, or the reason is reported.
victim = Simulator(JLAY, "--mode", "realtime", *scale, "--log", path("killed.mcap"))
dp = controller(victim, *dp_options)
victim.wait_for_step(400)
victim.kill()
dp.kill()
found, err = verify(path("killed.mcap"), 3)
check(found["chain"]["state"] == "holds", "the chain of a killed simulator's log", found)
check(found["result"] == "incomplete" and not found["complete"] and found["last_step"] > 150, "a killed simulator's log", found, err)
check("not complete" in err, "the log is not reported as incomplete", err)
with open(log, "rb") as file:
    whole = file.read()
furthest = 0
for share in 0.999, 0.9, 0.5, 0.2, 0.1:
    with open(path("cut.mcap"), "wb") as file:
        file.write(whole[: int(share * len(whole))])
    found, err = verify(path("cut.mcap"), 3)
    check(found["result"] == "incomplete" and not found["complete"] and found["chain"]["state"] == "holds", f"cut at {share}", found)
    check(furthest == 0 or found["last_step"] <= furthest, "a shorter log reaches further", share)
    furthest = found["last_step"]
for size in 0, 5, 8, 20, 100, 300:
    with open(path("cut.mcap"), "wb") as file:
        file.write(whole[:size])
    found, err = verify(path("cut.mcap"), 2)
    check(err.count("\n") == 1, f"cut at {size}: one line", err)

# Single bits flipped in a small log: never a crash, and never a wrong message accepted.
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", "--set", "pipe.elements=20", "--log", path("small.mcap"))
check(status == 0, "a small log", err)
with open(path("small.mcap"), "rb") as file:
    small = file.read()
noise, outcomes = random.Random(5), {1: 0, 2: 0, 3: 0}
for _ in range(100):
    damaged, bit = bytearray(small), noise.randrange(8 * len(small))
    damaged[bit // 8] ^= 1 << bit % 8
    with open(path("damaged.mcap"), "wb") as file:
        file.write(damaged)
    status, out, err = run("replay", path("damaged.mcap"), "--verify")
    check(status in outcomes, f"bit {bit}: status {status}", out, err)
    outcomes[status] += 1
check(outcomes[2] > 0 and outcomes[3] > 0, "no flip was noticed", outcomes)

# Fast sessions: from the start, from a checkpoint, with the controller as part of the model, with a simulation fault.
fast = ["run", JLAY, "--mode", "fast", *scale]
for name, arguments in {
    "fast": [*fast, "--duration", "15", "--checkpoint", path("c"), "--checkpoint-every", "7"],
    "resumed": [*fast, "--duration", "22.22", "--resume", path("c")],
    "continuous": ["run", VESSEL, "--mode", "fast", "--duration", "70"],
}.items():
    status, out, err = run(*arguments, "--log", path(name + ".mcap"), "--overwrite")
    check(status == 0, name, err)
    found, err = verify(path(name + ".mcap"))
    check(found["result"] == "equal" and found["complete"] and err == "", name, found, err)
    if name == "resumed":
        check((found["first_step"], found["last_step"]) == (1500, 2222), "steps of the resumed session", found)
status, out, err = run("run", JLAY, "--mode", "fast", "--set", "loads=[{name: far too much, frame: world, wrench: [0, 1e300, 0, 0, 0, 0], start_s: 1}]",
                       "--duration", "20", "--log", path("fault.mcap"))
found, err = verify(path("fault.mcap"))
check(status == 1 and found["result"] == "equal" and found["last_step"] == 101, "a session at fault", status, found, err)
with open(VESSEL) as file, open(path("bare.yaml"), "w") as bare:
    bare.write(file.read().rstrip("\n"))  # no newline at its end: the record adds one
status, out, err = run("run", path("bare.yaml"), "--mode", "fast", "--duration", "5", "--log", path("bare.mcap"), "--overwrite", "--checkpoint", path("bare"))
verify(path("bare.mcap"))
status, out, err = run("run", path("bare.yaml"), "--mode", "fast", "--duration", "6", "--log", path("bare.mcap"), "--overwrite", "--resume", path("bare"))
check(verify(path("bare.mcap"))[0]["first_step"] == 500, "resumed without a newline")

# Lockstep with sagbend-dp, interrupted and resumed: a new session, in which the controller takes over again.
for name, arguments in {"first": ["--duration", "8", "--checkpoint", path("lock")], "then": ["--duration", "12", "--resume", path("lock")]}.items():
    simulator = Simulator(JLAY, "--mode", "lockstep", "--set", "simulation.event_time_scale=0.1", *arguments, "--log", path("lock.mcap"), "--overwrite")
    dp = controller(simulator, "--set", "event_time_scale=0.1")
    check(simulator.end() == 0 and dp.end() == 0, f"lockstep, {name}", simulator.stderr())
    found, err = verify(path("lock.mcap"))
    check(found["result"] == "equal" and found["commands_used"] == (80 if name == "first" else 40), f"lockstep, {name}", found, err)
check((found["first_step"], found["last_step"]) == (800, 1200), "steps of the resumed lockstep session", found)

# Usage.
for arguments, word in [
    ([log], "one of --verify and --publish"),
    ([log, "--verify", "--publish"], "one of --verify and --publish"),
    ([log, "--verify", "--rate", "2"], "--rate"),
    ([log, "--publish", "--allow-incomplete"], "need --verify"),
    ([log, "--verify", "--key", log], "64 hexadecimal digits"),
    ([log, "--publish", "--rate", "0"], "factor above 0"),
    ([log, "--publish", "--bind-command", "nonsense"], "nonsense"),
    ([path("absent.mcap"), "--verify"], "absent.mcap"),
    ([JLAY, "--verify"], "not usable"),
    ([FOLDER, "--publish"], "takes one log"),
]:
    status, out, err = run("replay", *arguments)
    check(status == 2 and word in err and err.count("\n") == 1, f"{arguments}", status, err)


# Playback of the telemetry to a subscriber and to a controller, 4 times as fast.
class Replay(Program):
    def __init__(self, *args):
        super().__init__(SAGBEND, "replay", log, "--publish", *ANY_PORT, *args)
        self.commands = self.wait_for(r"commands at (\S+)").group(1)
        self.telemetry = self.wait_for(r"telemetry at (\S+)").group(1)


replay = Replay("--rate", "4")
again = Listener(replay.telemetry)
until(lambda: again.messages, "nothing is published")  # the subscriber is connected before the controller
dp = controller(replay, *dp_options)
session = dp.wait_for(r"welcomed by session (\S+)").group(1)
check(session != summary["session"], "a replay is a session of its own")
dp.wait_for("takes over")
check(replay.end(SECONDS) == 0 and dp.end() == 0, "publishing", replay.stderr(), dp.stderr())
again.join(10)
refused = [line for line in dp.stderr().splitlines() if "refused" in line and "refused, stale" not in line]  # stale: on a busy machine
check("the session has ended: end of the log" in dp.stderr() and not refused, "the controller", dp.stderr())
check("command_ignored" in replay.stderr(), "ignored commands are not reported", replay.stderr())
events = [message.name for name, message in again.messages if name == "event"]
check("command_ignored" in events and "command_lost" in events, "events: of now, and the logged ones", events)
check({message.header.session for _, message in again.messages} == {session}, "session ids")
for topic in "sensors", "truth", "ledger", "nodes":
    then, now = listener.of(topic), again.of(topic)
    both = then.keys() & now.keys()
    check(len(both) > 0.8 * SECONDS * {"sensors": 10, "truth": 10, "ledger": 1, "nodes": 2}[topic], f"few {topic}", len(then), len(now))
    check(all(then[step] == now[step] for step in both), f"{topic} differ from those of the session")
sensors = [(at, message.header.time_s) for at, (name, message) in zip(again.at, again.messages) if name == "sensors"]
pace = (sensors[-1][1] - sensors[0][1]) / (sensors[-1][0] - sensors[0][0])
check(2 < pace < 4.2, "the pace", pace)  # a busy machine may lag behind the rate, but not by half

replay = Replay("--json")  # at the recorded pace, stopped by a signal
last = Listener(replay.telemetry)
until(lambda: last.messages, "nothing is published", replay.stderr())
replay.signal()
check(replay.end() == 0, "a stopped replay", replay.stderr())
