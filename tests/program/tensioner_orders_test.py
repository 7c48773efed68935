"""Orders for the tensioner, with real processes: from a controller in lockstep, from an operator, by a programme; who goes
before whom, what is refused; their log, its replay, and resuming between them."""
import csv

from harness import *
from sagbend.v1 import envelope_pb2, session_pb2

TENSIONER = """  tensioner:
    grip_n: 4e6
    brake_n: 4e6
    motor_n: 3e6
    motor_w: 3e6
    elements_max: 120
    orders:
      - {start_s: 0, mode: brake}
"""
PROGRAMME = """      - {start_s: 10, mode: speed, speed_mps: 0.5}
      - {start_s: 30, mode: tension, tension_n: 1.6e6}
      - {start_s: 50, mode: brake}
"""
ORDERS = {10: {"speed_mps": 0.5}, 30: {"tension_n": 1.6e6}, 50: {"brake": {}}}
STEP = ["--set", "simulation.step_s=0.05", "--set", "simulation.duration_s=60"]
with open(os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")) as file:
    plain = file.read().replace("kind: none", "kind: external")
BASE = re.sub(r"  payout:\n(    .*\n)+", TENSIONER, plain, count=1)
check(TENSIONER in BASE, "configuration", BASE)


def case(name, old="", new=""):
    check(old in BASE, "text to replace", old)
    with open(path(name), "w") as file:
        file.write(BASE.replace(old, new, 1) if old else BASE)
    return path(name)


class Peer(CommandPeer):
    """A controller that answers each Sensors, or an operator."""

    def send(self, kind, fill):
        envelope = envelope_pb2.Envelope()
        message = getattr(envelope, kind)
        self.sequence += 1
        message.header.protocol, message.header.session, message.header.sequence = 1, self.session, self.sequence
        fill(message)
        self.socket.send(envelope.SerializeToString())
        return self.sequence

    def hello(self):
        def fill(message):
            message.controller_id = message.name = self.name
        self.send("hello", fill)
        welcome = self.receive("welcome")
        self.session = welcome.header.session
        return welcome

    def command(self, step, tensioner=None):
        def fill(message):
            message.controller_id, message.based_on_step = self.name, step
            message.standby.SetInParent()
            if tensioner is not None:
                message.tensioner.SetInParent()
                for field, value in tensioner.items():
                    if field == "brake":
                        message.tensioner.brake.SetInParent()
                    else:
                        setattr(message.tensioner, field, value)
        self.send("command", fill)

    def order(self, field=None, value=None):
        def fill(message):
            message.operator = self.name
            message.tensioner.SetInParent()
            if value is not None:
                setattr(message.tensioner, field, value)
            elif field:
                getattr(message.tensioner, field).SetInParent()
        self.send("order", fill)
        return self.receive("receipt", "refusal")

    def status(self):
        self.send("order", lambda message: message.status.SetInParent())
        return self.receive("receipt").status


def answer_all(peer, orders, at=None):
    """Answers every Sensors of a lockstep session; orders: by simulated time, each repeated until the next. at: called before the
    answer."""
    order = None
    while True:
        message = peer.receive("sensors", "end", "refusal")
        if hasattr(message, "why"):
            return
        check(not hasattr(message, "refused_sequence"), "a command is refused", message)
        time_s = round(message.header.time_s, 6)
        order = orders.get(time_s, order)
        if at:
            at(time_s, message)
        peer.command(message.header.step, order)


def record(name):
    with open(path(name)) as file:
        return list(csv.DictReader(file))


# --- a programme, and the same orders as commands: the same numbers at each step ---
status, out, err = run("run", case("programme.yaml", TENSIONER, TENSIONER + PROGRAMME), "--mode", "fast", *STEP, "--set", "controller.kind=none",
                       "--record", path("programme.csv"), "--record-every", "1")
check(status == 0, "programme", err)
BASE_CASE = case("case.yaml")
simulator = Simulator(BASE_CASE, "--mode", "lockstep", *STEP, "--record", path("commands.csv"), "--record-every", "1", "--log",
                      path("commands.mcap"), "--hashes", path("commands.txt"))
peer = Peer(simulator, "winch")
welcome = peer.hello()
info = welcome.tensioner
check(info.accepts_commands and info.tension_max_n == 3e6 and info.speed_max_mps == 5 and info.brake_n == 4e6, "Welcome", info)
seen = {}


def note(time_s, sensors):
    seen[time_s] = sensors.pipe


answer_all(peer, ORDERS, note)
check(simulator.end() == 0, "commands", simulator.stderr())
LINK_ENERGY = {"control_law_work_j", "link_work_j", "drives_work_j", "loop_damping_surge_nspm", "loop_damping_sway_nspm",
               "loop_damping_yaw_nmsprad"}  # exists with a controller outside only
ours, theirs = record("commands.csv"), record("programme.csv")
check(len(ours) == len(theirs) == 61, "rows", len(ours), len(theirs))
for one, other in zip(ours, theirs):
    check(set(one) ^ set(other) == LINK_ENERGY, "columns", set(one) ^ set(other))
    differing = {name: (one[name], other[name]) for name in other
                 if one[name] != other[name] and not name.startswith("command_") and not name.endswith("_us") and name != "tensioner_source"}
    check(not differing, f"a programme and the same orders as commands differ at {one['time_s']} s", differing)
check("tensioner_order: speed 0.5 m/s, by the controller" in simulator.stderr(), "event", simulator.stderr())
state = seen[20].tensioner
check(state.mode == state.ordered == session_pb2.TENSIONER_MODE_SPEED and state.source == session_pb2.TENSIONER_SOURCE_CONTROLLER and
      abs(seen[20].payout_mps - 0.5) < 0.01 and seen[20].paid_out_m > 2 and state.speed_set_mps == 0.5, "Sensors", seen[20])
check(seen[0].tensioner.source == session_pb2.TENSIONER_SOURCE_PROGRAMME, "the first order", seen[0])
check_replay("commands.mcap")

# --- an operator goes before the controller, and gives the tensioner back; a checkpoint between the orders ---
CHECKPOINTS = ["--checkpoint", path("orders.checkpoint"), "--checkpoint-every", "5"]
simulator = Simulator(BASE_CASE, "--mode", "lockstep", *STEP, "--log", path("operator.mcap"), "--hashes", path("operator.txt"), *CHECKPOINTS,
                      "--summary", path("operator.json"))
peer, operator = Peer(simulator, "winch"), Peer(simulator, "alice")
peer.hello()
statuses, refusals = {}, []


def operate(time_s, sensors):
    if time_s == 15:
        check(hasattr(operator.order("brake"), "received_sequence"), "the operator's brake")
    if time_s == 20:
        for field, value, expected in [("speed_mps", 6.0, "tensioner.speed_mps: at most 5 m/s out or back expected, got 6"),
                                       ("tension_n", 4e6, "tensioner.tension_n: at least 100000 N, half of the dead band, and at most 3e+06 N expected, got 4e+06"),
                                       ("tension_n", 1.6e3, "tensioner.tension_n: at least 100000 N"),
                                       ("speed_mps", float("nan"), "finite"), (None, None, "brake, tension_n, speed_mps or release")]:
            answer = operator.order(field, value)
            check(hasattr(answer, "refused_sequence") and expected in answer.text, f"refused: {expected}", answer)
    if time_s == 25:
        operator.order("release")
    if time_s in (16, 26):
        statuses[time_s] = operator.status().tensioner
    if time_s == 40:
        status, out, err = run("ctl", simulator.commands, "tensioner", "tension", "1.7e6")
        check(status == 0, "ctl", err)


answer_all(peer, ORDERS, operate)
check(simulator.end() == 0, "operator", simulator.stderr())
check(statuses[16].ordered == session_pb2.TENSIONER_MODE_BRAKE and statuses[16].source == session_pb2.TENSIONER_SOURCE_OPERATOR and
      statuses[16].paid_out_m > 0.5 and statuses[16].hangoff_tension_n > 1e5, "status", statuses)
check(statuses[26].ordered == session_pb2.TENSIONER_MODE_SPEED and statuses[26].source == session_pb2.TENSIONER_SOURCE_CONTROLLER, "released",
      statuses)
status, out, err = run("log", "cat", path("operator.mcap"), "--topic", "event")
events = [json.loads(line)["message"] for line in out.splitlines()]
check(sum(event["name"] == "refused_order" for event in events) == 5, "refused orders", status, err, events)
texts = [event["text"] for event in events if event["name"] == "order"]
check(texts[:2] == ["alice: tensioner brake", "alice: tensioner release"] and texts[2].endswith(": tensioner tension 1.7e+06 N"), "orders", texts)
check("tensioner_order: tension 1.7e+06 N, by the operator" in simulator.stderr(), "the operator's order stands at the end", simulator.stderr())
check_replay("operator.mcap")

# --- resumed after 45 s, when the operator's order is in force: the same bits as without a break ---
def lay(name, *more):
    simulator = Simulator(BASE_CASE, "--mode", "lockstep", *STEP, *more, "--hashes", path(name))
    peer, operator = Peer(simulator, "winch"), Peer(simulator, "alice")
    peer.hello()
    answer_all(peer, ORDERS, lambda time_s, sensors: time_s == 35 and operator.order("tension_n", 1.7e6))
    check(simulator.end() == 0, name, simulator.stderr())
    return [line for line in hashes(name)]


whole = lay("whole.txt")
lay("first.txt", "--set", "simulation.duration_s=45", "--checkpoint", path("part.checkpoint"))
rest = lay("rest.txt", "--resume", path("part.checkpoint"))
check(len(rest) > 100 and rest == whole[-len(rest):], "bits of a resumed session", rest[:2], whole[-len(rest)])

# --- a session that begins again while an order is in force: its log replays ---
os.mkdir(path("again"))
simulator = Simulator(BASE_CASE, "--mode", "realtime", "--duration", "0", "--log-dir", path("again"))
for words in ("tensioner", "speed", "0.1"), ("reset",), ("stop",):
    status, out, err = run("ctl", simulator.commands, *words)
    check(status == 0, "ctl", words, err)
    if words[0] != "stop":
        simulator.wait_for("speed 0.1 m/s, by the operator" if words[0] == "tensioner" else r"session_begun: session \w+")
        simulator.go_on(3)
check(simulator.end() == 0, "a reset", simulator.stderr())
status, out, err = run("replay", "--verify", path("again"))
check(status == 0, "replay of a reset", status, out, err)

# --- what a controller must not order ---
for settings, order, reason in [([], {"speed_mps": -5.1}, "tensioner.speed_mps"), ([], {"tension_n": 0.0}, "tensioner.tension_n"),
                                ([], {}, "brake, tension_n or speed_mps expected"), ([], {"speed_mps": float("inf")}, "finite"),
                                (["--set", "pipe.tensioner.accept=operator"], {"brake": {}}, "an order of a controller needs pipe.tensioner.accept")]:
    simulator = Simulator(BASE_CASE, "--mode", "lockstep", *STEP, *settings, "--set", "simulation.duration_s=1")
    peer = Peer(simulator, "winch")
    peer.hello()
    step = peer.receive("sensors").header.step
    peer.command(step, order)
    refusal = peer.receive("refusal", "sensors")
    check(hasattr(refusal, "text") and reason in refusal.text, reason, refusal)
    peer.command(step)
    answer_all(peer, {})
    check(simulator.end() == 0, reason, simulator.stderr())
    said = re.findall(r"refused_\w+: winch \(number 1\): (.*)", simulator.stderr())
    check(len(said) == 1 and reason in said[0], "the refusal on the console", reason, simulator.stderr())
simulator = Simulator(BASE_CASE, "--mode", "lockstep", *STEP, "--set", "pipe.tensioner.accept=controller")
status, out, err = run("ctl", simulator.commands, "tensioner", "brake")
check(status == 1 and "an order of an operator needs pipe.tensioner.accept" in err, "operators shut out", status, out, err)
simulator = Simulator(os.path.join(SOURCE, "configs/jlay-900m-payout.yaml"), "--mode", "lockstep")
status, out, err = run("ctl", simulator.commands, "tensioner", "brake")
check(status == 1 and "the order tensioner needs pipe.tensioner" in err, "no tensioner", status, out, err)
for words in (["tensioner"], ["tensioner", "hold"], ["tensioner", "speed"], ["tensioner", "speed", "fast"], ["tensioner", "brake", "1"],
              ["tensioner", "tension", "nan"]):
    status, out, err = run("ctl", simulator.commands, *words)
    check(status == 2 and "see 'sagbend ctl --help'" in err, f"{words}", status, out, err)
