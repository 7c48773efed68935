"""An operator's orders, with real processes: pause, resume, rate, set-point, status; refusals; their log and its replay."""
from harness import *
from sagbend.v1 import envelope_pb2, log_pb2

PAGE = os.path.join(SOURCE, "docs/operation.md")
START_S = ["--set", "pid.start_s=0.2"]


class Peer(CommandPeer):
    """A DEALER at the command endpoint: an operator, or a controller that answers only when it is told to."""

    def send(self, envelope, more=b""):
        self.socket.send(envelope.SerializeToString() + more)

    # --- as an operator ---
    def give(self, kind, /, **fields):
        """Sends an order and does not wait for the answer."""
        envelope, order = self.envelope("order")
        order.operator = self.name
        inner = getattr(order, kind)
        inner.SetInParent()
        for field, value in fields.items():
            setattr(inner, field, value)
        self.send(envelope)
        return self.sequence

    def answer(self, sequence):
        answer = self.receive("receipt", "refusal")
        number = answer.received_sequence if hasattr(answer, "received_sequence") else answer.refused_sequence
        check(number == sequence, f"{self.name}: the answer to another order", answer)
        return answer

    def order(self, kind, /, **fields):
        return self.answer(self.give(kind, **fields))

    def accepted(self, kind, /, **fields):
        answer = self.order(kind, **fields)
        check(hasattr(answer, "received_sequence"), f"{kind} {fields} is refused", answer)
        return answer

    def refused(self, reason, kind, /, **fields):
        answer = self.order(kind, **fields)
        check(hasattr(answer, "refused_sequence") and reason in answer.text, f"{kind} {fields}: '{reason}' expected", answer)

    def status(self):
        return self.accepted("status").status

    # --- as a controller ---
    def hello(self):
        envelope, message = self.envelope("hello")
        message.controller_id = message.name = self.name
        self.send(envelope)
        welcome = self.receive("welcome")
        self.session = welcome.header.session
        return welcome

    def command(self, step):
        envelope, message = self.envelope("command")
        message.controller_id = self.name
        message.based_on_step = step
        message.standby.SetInParent()
        self.send(envelope)


def verify(log, expect="equal"):
    status, out, err = run("replay", path(log), "--verify", timeout=200)
    check(re.search(rf"result +{expect}", out) and status == {"equal": 0, "different": 1}[expect], f"{log}: {expect} expected", out, err)
    return out


def messages(log, topic):
    status, out, err = run("log", "cat", path(log), "--topic", topic)
    check(status == 0, f"log cat {log}", err)
    return [json.loads(line)["message"] for line in out.splitlines()]


# A verdict on the distance from the set-point: what shows that a replay has the operator's set-point.
with open(JLAY) as source, open(path("case.yaml"), "w") as case:
    case.write(source.read().replace("dp_file: ", f"dp_file: {SOURCE}/configs/") +
               "\nverdicts:\n  - {name: far, quantity: offset_m, below: 50}\n")
CASE = path("case.yaml")

# --- in real time: pause, orders during the pause, resume, rate, set-point, stop ---
simulator = Simulator(CASE, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT, "--log", path("realtime.mcap"),
                      "--summary", path("realtime.json"), "--checkpoint", path("state"))
dp = controller(simulator, *START_S)
simulator.wait_for("command_first")
alice, bob = Peer(simulator, "alice"), Peer(simulator, "bob")

# Two operators at once: one of them pauses the session.
asked = [(who, who.give("pause")) for who in (alice, bob)]
answers = [who.answer(sequence) for who, sequence in asked]
check(sorted(hasattr(a, "received_sequence") for a in answers) == [False, True], "one pause of two", answers)
until(lambda: bob.status().HasField("pause"), "the pause is in effect", simulator.stderr())
paused = bob.status()
check(paused.pause.operator in ("alice", "bob") and paused.pauses == 1 and not paused.pause.halted, "who paused", paused)
check(run("ctl", simulator.commands, "pause")[:2] == (1, ""), "a second pause is refused")

# A controller that joins now gets Welcome and Status, and no Sensors as if they were live; it is not forgotten.
late = Peer(simulator, "late")
late.hello()
beats = [late.receive("status", "sensors") for _ in range(8)]  # half a second apart: more than a silent controller has in a running session
check(all(hasattr(b, "pause") and b.header.step == paused.header.step for b in beats), "the simulated time stands", beats)
check(beats[-1].pause.wall_s > beats[0].pause.wall_s, "the pause gets longer", beats)
check({p.name for p in beats[-1].peer} == {"late", "jlay-900m-dp"}, "nobody is forgotten", beats[-1])
dp.wait_for("the simulator makes no steps at t")

# Orders during the pause: in effect from the next step on.
north = paused.setpoint.north_m
alice.accepted("setpoint", north_m=north + 10, heading_rad=0.1)
alice.accepted("setpoint", east_m=3)
fault = bob.order("fault", kind="jitter", name="slow")
check(hasattr(fault, "refused_sequence"), "a parameter is missing", fault)
check(simulator.ctl("fault", "jitter", "--largest_s", "0.05", "--name", "slow") == "slow\n", "a fault during the pause")
until(lambda: len(bob.accepted("list").active) == 1 and not bob.accepted("list").active[0].pending, "the fault is in effect")
until(lambda: bob.status().setpoint.order > 0, "the set-point is in effect")
now = json.loads(simulator.ctl("status", "--json"))
check(now["station"]["state"] == "paused" and now["step"] == paused.header.step and now["mode"] == "realtime", "status", now)
check(abs(now["setpoint"]["north_m"] - north - 10) < 1e-9 and now["setpoint"]["east_m"] == 3, "set-point", now)
check([p["name"] for p in now["peer"] if p["in_command"]] == ["jlay-900m-dp"] and now["active"][0]["name"] == "slow" and now["log"]["path"] == path("realtime.mcap"),
      "status", now)
with open(PAGE) as file:
    page = file.read()


def keys(value):
    if isinstance(value, dict):
        return {k for k in value if k != "largest_s"} | set().union(set(), *map(keys, value.values()))
    return set().union(set(), *map(keys, value)) if isinstance(value, list) else set()


fields = "".join(open(os.path.join(SOURCE, "proto/sagbend/v1", name + ".proto")).read() for name in ("operator", "security", "session", "telemetry"))
for key in keys(now):
    name = re.sub("_deg$", "_rad", key)
    check(f"`{key}`" in page or re.search(rf"\w {name} = \d+; *// \w", fields), f"neither docs/operation.md nor the .proto explains {key}")
text = simulator.ctl("status")
check("paused by" in text and "heading 5.730 deg" in text and "jlay-900m-dp (number 1), in command" in text, "the page", text)
dp.wait_for("the operator's set-point: north")

# Resume and rate.
check(json.loads(simulator.ctl("resume", "--json"))["accepted"] is True, "resume")
alice.refused("not paused", "resume")
dp.wait_for("the simulator goes on")
simulator.wait_for("resumed: by ")
check(json.loads(simulator.ctl("rate", "4", "--json"))["order"] == "rate", "rate")
simulator.wait_for_telemetry("timing", lambda m: m.rate == 4)
check(alice.status().rate == 4, "the rate in the status")
for reason, kind, fields in (("0.05 to 20", "rate", {"rate": 0}), ("finite", "rate", {"rate": float("nan")}),
                             ("finite", "setpoint", {"north_m": float("inf")}), ("at least one", "setpoint", {}),
                             ("-1e+06 to 1e+06", "setpoint", {"east_m": 2e6}), ("-7 to 7", "setpoint", {"heading_rad": 90}),
                             ("letters", "snapshot", {"name": "../x"}), ("letters", "restore", {"name": ""}),
                             ("active fault", "clear", {"name": "nothing"})):
    alice.refused(reason, kind, **fields)

# An order of a later protocol, an order without content, an order for another session.
for more, reason in ((b"\xfa\x01\x00", "field number 31"), (b"", "none is given")):
    envelope, order = alice.envelope("order")
    order.operator = "alice"
    inner = order.SerializeToString() + more
    alice.socket.send(b"\x42" + bytes([len(inner)]) + inner)
    check(reason in alice.receive("refusal").text, reason)
alice.refused("session manager", "load", name="jlay-900m")
envelope, order = alice.envelope("order")
order.header.session = "another"
order.pause.SetInParent()
alice.send(envelope)
check(alice.receive("refusal").reason == 3, "another session")

# Many orders at once by two operators: bounded, and each has its answer. The simulator keeps 64 messages for a peer that does not
# read; ZeroMQ may count 31 as not read that are.
before = alice.status().orders
asked = [(peer, peer.give("setpoint", north_m=north + i / 10)) for i in range(30) for peer in (alice, bob)]
answers = [peer.answer(sequence) for peer, sequence in asked]
taken = [a for a in answers if hasattr(a, "received_sequence")]
check(all("too many orders at once" in a.text for a in answers if a not in taken), "the reason", answers)
after = alice.status().orders
check(after.accepted - before.accepted == len(taken) and after.refused - before.refused == len(asked) - len(taken), "counted", before, after)
check(sorted(a.number for a in taken) == list(range(before.newest + 1, before.newest + 1 + len(taken))), "numbered", taken)
until(lambda: alice.status().orders.in_effect == after.newest, "all are in effect")
simulator.ctl("set-point", "--north", str(north + 5), "--east", "0", "--heading-deg", "0")
simulator.ctl("stop")
check(simulator.end() == 0 and dp.end() == 0, "the end", simulator.stderr(), dp.stderr())
summary = load("realtime.json")
pause = summary["pauses"]["first"][0]
check(summary["pauses"]["count"] == 1 and pause["step"] == paused.header.step and pause["wall_s"] > 3, "pauses", summary["pauses"])
check(summary["orders"]["refused"] >= 15 and summary["commands"]["refused"] == 0, "orders are no commands", summary["orders"],
      summary["commands"])
check(summary["vessel"]["setpoint_m"][:2] == [north + 5, 0], "the set-point at the end", summary["vessel"])
verify("realtime.mcap")
logged = messages("realtime.mcap", "/operator")
check([m["number"] for m in logged] == list(range(1, len(logged) + 1)), "every order is in the log", logged)
check(all(m["order"]["operator"] for m in logged) and logged[0]["order"]["operator"] in ("alice", "bob") and "stop" in logged[-1]["order"], "with its operator", logged)
during = [m for m in logged if m["step"] == paused.header.step]
check([set(m["order"]) & {"pause", "setpoint", "fault", "resume"} for m in during][:5] ==
      [{"pause"}, {"setpoint"}, {"setpoint"}, {"fault"}, {"resume"}], "at the step of the pause", during)

# A log whose orders were altered gives another result.
first_setpoint = next(m["number"] for m in logged if "setpoint" in m["order"])
for kind, number in (("fault_order", 4), ("setpoint", first_setpoint), ("setpoint", len(logged) - 1)):
    subprocess.run([os.path.join(BUILD, "tests/program/alter_log"), path("realtime.mcap"), path("altered.mcap"), kind, str(number)],
                   check=True)
    report = verify("altered.mcap", "different")
    # Truth states the set-point in force: it differs at once, whether or not a verdict or a controller uses it.
    check(number != first_setpoint or re.search(r"(first difference|first in telemetry) .*topic /truth, field target\.", report), "the target of Truth", report)

# replay --publish: a controller learns the later set-points of the session as it did then, by another Welcome.
replay = Program(SAGBEND, "replay", path("realtime.mcap"), "--publish", *ANY_PORT, "--rate", "0.5")
replay.commands = replay.wait_for(r"commands at (\S+)").group(1)
probe = Peer(replay, "probe")
welcome = probe.hello()
while welcome.setpoint.order == 0:
    check(welcome.setpoint.north_m == north, "the set-point as configured", welcome.setpoint)
    welcome = probe.receive("welcome")
check(welcome.setpoint.north_m == north + 10 and welcome.setpoint.order >= first_setpoint and welcome.header.session == probe.session,
      "the operator's set-point", welcome)
replay.signal()
check(replay.end() == 0, "publishing, stopped", replay.stderr())

# A run that resumes from the checkpoint has the operator's set-point.
simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "0", *PATIENT, "--resume", path("state"), "--log", path("resumed.mcap"),
                      "--summary", path("resumed.json"))
probe = Peer(simulator, "probe")
welcome = probe.hello()
check(welcome.setpoint.order == len(logged) - 1 and welcome.setpoint.north_m == north + 5, "the set-point in the Welcome", welcome.setpoint)

# --- lockstep: a pause while the session waits for an answer ---
carol = Peer(simulator, "carol")
first = probe.receive("sensors").header.step
carol.accepted("pause")
carol.refused("rate needs mode realtime", "rate", rate=2)
probe.command(first)
check(carol.status().header.step == first and carol.status().HasField("pause"), "no step, although the answer has come")
for _ in range(3):
    check(probe.receive("status").header.step == first, "the steps stand")
carol.accepted("resume")
second = probe.receive("sensors").header.step
check(second > first, "it goes on with the answer")
carol.accepted("pause")
simulator.signal()
check(simulator.end() == 0, "SIGTERM during a pause", simulator.stderr())
summary = load("resumed.json")
check(summary["pauses"]["count"] == 2 and summary["ended_by"] == "signal" and summary["steps"] == second, "the end", summary["pauses"])
verify("resumed.mcap")

# --- no pause counts against the time-out of an answer, and --duration counts simulated time only ---
# An operator's order that acts is part of the result: in the summary, beside the verdicts, in junit.xml and in End.
simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "0.2", "--lockstep-timeout", "4", "--summary", path("short.json"), "--junit", path("short.xml"))
probe, carol = Peer(simulator, "probe"), Peer(simulator, "carol")
carol.accepted("pause")
carol.accepted("setpoint", heading_rad=0.01)
carol.accepted("mark", text="no order that acts")
probe.hello()
check(probe.receive("sensors").header.step == 0, "the Sensors of the first step")
for _ in range(10):
    probe.receive("status")
carol.accepted("resume")
probe.command(0)
check(probe.receive("sensors").header.step == 10, "the next Sensors")
probe.command(10)
ended = probe.receive("end")
check(simulator.end() in (0, 1), "the end", simulator.stderr())
summary = load("short.json")
given = summary["orders"]
check(given["acting"] == 1 and len(given["first"]) == 1 and (given["first"][0]["operator"], given["first"][0]["step"]) == ("carol", 0) and
      given["first"][0]["order"].startswith("set-point") and given["first"][0]["session"] == summary["session"], "the order that acts is listed", given)
said = "1 order of operators acted, the first at 0.000 s: set-point"
with open(path("short.xml")) as file:
    check(said in file.read() and said in simulator.stdout(), "beside the verdicts", simulator.stdout())
passed = sum(v["result"] == "passed" for v in summary["verdicts"])
check(f"{passed} of 1 verdicts passed" in ended.result and "1 order of operators acted" in ended.result and
      ended.result.startswith("failed: ") == (not summary["passed"]), "the result in End", ended, summary["passed"])
check(summary["ended_by"] == "duration" and summary["steps"] == 20 and summary["pauses"]["wall_s"] > 4, "after its duration", summary["pauses"])

# --- beyond the outer watch circle only with a word more ---
simulator = Simulator(JLAY, "--duration", "0", "--set", "view.watch_circles_m=[5, 10]")
erin = Peer(simulator, "erin")
welcome = erin.status().setpoint
for words, distance in ((["--north", "410"], abs(410 - welcome.north_m)), (["--north", str(welcome.north_m + 8), "--east", str(welcome.east_m + 8)], 8 * 2 ** 0.5)):
    status, out, err = run("ctl", simulator.commands, "set-point", *words)
    check(status == 1 and "outer watch circle, 10 m" in err and "--far" in err and f"{distance:.4g} m" in err, f"{words}: {status}", err)
for words in ["--far"], ["--north", "1", "--far", "--far"], ["--north", "--far"], ["--far", "--north"]:
    status, out, err = run("ctl", simulator.commands, "set-point", *words)
    check(status == 2, f"{words}: {status}", err)
check(abs(erin.status().setpoint.north_m - welcome.north_m) < 1e-9, "a refused set-point is in effect")
simulator.ctl("set-point", "--north", str(welcome.north_m + 9))  # within it
simulator.ctl("set-point", "--heading-deg", "50")
until(lambda: abs(erin.status().setpoint.north_m - welcome.north_m - 9) < 1e-9, "the set-point within the circle")
simulator.ctl("set-point", "--far", "--north", str(welcome.north_m + 410))
until(lambda: abs(erin.status().setpoint.north_m - welcome.north_m - 410) < 1e-9, "the set-point that is far")
simulator.signal()
simulator.end()

# --- a set-point that belongs to the model ---
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0")
dave = Peer(simulator, "dave")
status = dave.status()
if status.HasField("setpoint"):
    dave.refused("part of the model", "setpoint", north_m=1)
dave.accepted("stop")
check(simulator.end() == 0, "the end", simulator.stderr())
