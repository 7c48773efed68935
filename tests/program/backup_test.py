"""The backup of a class 3 system: its own instruments, and the main/backup switch. Loss of the main zone with three sagbend-dp, in lockstep, twice to the same
bits; in real time whoever is there or not when the switch is moved; what a case must say."""
import threading

from harness import *
from sagbend.v1 import envelope_pb2

CLASS3 = os.path.join(SOURCE, "configs/osv-83m-class3.yaml")
EARLY = ["--set", "pid.start_s=1"]
OWN = ["gnss-3", "gyro-3", "mru-3", "wind-3"]


def peers(simulator):
    return {p["name"]: p for p in json.loads(simulator.ctl("status", "--json"))["peer"]}


def listed(simulator, name):
    return peers(simulator).get(name, {}).get("listed") or {}


def case(name, text):
    with open(path(name), "w") as file:
        file.write(f"extends: {CLASS3}\nname: {name[:-5]}\ncontroller: {{dp_file: {SOURCE}/configs/osv-83m-class3-a-dp.yaml}}\n" + text)
    return path(name)


# --- what a case must say ---
MAINS = "controllers:\n  - {name: a, rank: 1}\n"
for text, expected in {
        "  - {name: b, rank: 2, role: backup, instruments: gnss-3 gyro-9}": "gyro-9",
        "  - {name: b, rank: 2, role: backup, instruments: gnss-3 mru-3}": "a position reference and a gyro expected",
        "  - {name: b, rank: 2, role: backup, instruments: gnss-1 gnss-2 gnss-3 gyro-3}": "main controllers that cannot hold position",
        "  - {name: b, rank: 2, role: backup, instruments: gnss-3 gyro-3, shared: gyro-3}": "each instrument in one list",
        "  - {name: b, rank: 2, shared: gyro-3}": "needs role: backup",
        "  - {name: b, rank: 2, role: backup, instruments: gnss-3 gyro-3}\n  - {name: c, rank: 3, role: backup}": "one backup expected",
}.items():
    done, out, err = run("check", case("wrong.yaml", MAINS + text + "\n"))
    check(done != 0 and expected in err + out and re.search(r"wrong.yaml:\d+:\d+: ", err + out), f"'{expected}' expected", text, out, err)
done, out, err = run("check", case("common.yaml", MAINS + "  - {name: b, rank: 2, role: backup, shared: gnss-3 gyro-3}\n"))
check(done == 0 and "the backup b has no position reference gyro motion sensor wind sensor of its own" in out + err, "a common cause", out, err)
done, out, err = run("check", CLASS3)
check(done == 0 and "of its own" not in out + err, "the shipped case", out, err)

# --- loss of the main zone, in simulated time: nobody comes in by itself; the switch, the zone's return, and the switch back ---
ZONE = case("zone.yaml", """events:
  - {name: silent, at_s: 8, duration_s: 7, fault: controller_silent, target: dp-backup}
  - {name: frozen, at_s: 14, duration_s: 8, fault: controller_frozen, target: dp-b}
  - {name: no gyro, at_s: 12, duration_s: 12, fault: no_output, target: gyro-3}
  - {name: no reference, at_s: 20.5, duration_s: 7, fault: no_output, target: gnss-3}
  - {name: wrong reference, at_s: 52.5, fault: drift, target: gnss-3, rate_per_s: 2, channel: 0}
  - {name: fire, at_s: 30, duration_s: 15, fault: zone_lost, target: main}
  - {name: switch, at_s: 36, fault: take_over, target: dp-backup}
  - {name: switch back, at_s: 52, fault: take_over, target: dp-b}
verdicts:
  - {name: position, quantity: offset_m, below: 6}
  - {name: bumpless, quantity: changeover_step_n, below: 60e3}
""")


def zone(name):
    ends = [f"ipc://{path(name + end)}" for end in "ab"]
    links = [["--set", f"pair.listen={ends[i]}", "--set", f"pair.other={ends[1 - i]}"] for i in range(2)]
    simulator = Simulator(ZONE, "--mode", "lockstep", "--duration", "60", "--log", path(name + ".mcap"), "--summary", path(name + ".json"))
    three = []
    for file, more in (("b", links[1]), ("backup", []), ("a", links[0])):
        three.append(controller(simulator, *more, *EARLY, config=os.path.join(SOURCE, f"configs/osv-83m-class3-{file}-dp.yaml")))
        if file != "a":
            simulator.wait_for(f"standby_ready: dp-{file}")
    check(simulator.end() == 0, "the end", simulator.stderr())
    check([c.end() for c in three] == [0, 0, 0], "the controllers", *[c.stderr() for c in three])
    with open(path(name + ".json")) as file:
        return json.load(file), simulator.stderr(), three


summary, said, (b, backup, a) = zone("z")
check(len(re.findall("controllers_lost", said)) == 1 and "the backup is ready, order its take-over" in said, "the loss of all main ones is said once", said)
check(re.search(r"t = 36.0*\d* s: changeover_began|changeover: dp-backup commands in place of dp-[ab] .switch.", said), "the switch", said)
steps = re.findall(r"changeover: (\S+) commands in place of (\S+) .switch., after (\d+) steps .*? stepped by (\S+) kN and (\S+) kN m so far, before by at most (\S+) kN and (\S+) kN m", said)
check([s[0] for s in steps] == ["dp-backup", "dp-b"], "to the backup and back, by the switch alone", steps, said)
# What stands by is ready only if it could command: a wrong reference, none, no gyro, the same command again and again.
said_of = {who: re.findall(rf"t = (\S+) s: (standby_\w+): {who} .number \d+. (?:stands by, and is not ready: )?(.*)", said) for who in ("dp-backup", "dp-b")}


def was(who, name, text, from_s, to_s):
    check(any(n == name and text in t and from_s <= float(at) <= to_s for at, n, t in said_of[who]), f"{who}: {name} {text} from {from_s} s to {to_s} s", said_of[who], said)


was("dp-backup", "standby_not_ready", "it has no heading reference", 17, 24)
was("dp-backup", "standby_not_ready", "it has no position reference", 25, 28.5)
was("dp-backup", "standby_ready", "ready now", 28.5, 30)
was("dp-backup", "standby_not_ready", "m from that of dp-b", 55, 60)
was("dp-b", "standby_not_ready", "its command stays the same while that of dp-a changes", 14, 17)
was("dp-b", "standby_ready", "ready now", 22, 25)
check("takes over anew" in backup.stderr(), "behind a gap", backup.stderr())
check("is silent" not in backup.stderr() and "instrument" not in backup.stderr(), "the backup misses nothing", backup.stderr())
check(summary["changeovers"]["changeover_backup"] == 0 and summary["changeovers"]["changeovers"] == 2, "counts", summary["changeovers"])
check([v["result"] for v in summary["verdicts"]] == ["passed", "passed"], "verdicts", summary["verdicts"], steps)
check(summary["commands"]["split_brain"] == 0, "no claim", summary["commands"])
again, _, _ = zone("y")
check(again["state_hash"] == summary["state_hash"], "the same bits again", summary["state_hash"], again["state_hash"])
check_replay("z.mcap")


# --- in real time: each side receives its instruments; the switch whoever is there ---
class Peer(CommandPeer):
    """A controller whose messages are the test's. A thread shows that it is alive, however long a program of the test takes."""

    def __init__(self, simulator, name):
        super().__init__(simulator, name)
        self.lock, self.gone = threading.Lock(), threading.Event()
        threading.Thread(target=self.live, daemon=True).start()

    def live(self):
        while not self.gone.wait(0.5):
            if self.session:
                self.send("controller_view", lambda m: None)

    def send(self, kind, fill):
        envelope = envelope_pb2.Envelope()
        message = getattr(envelope, kind)
        with self.lock:
            self.sequence += 1
            message.header.protocol, message.header.sequence = 1, self.sequence
            message.header.session = self.session if kind != "hello" else ""
            if kind != "controller_view":
                message.controller_id = self.name
            fill(message)
            if not self.gone.is_set():
                self.socket.send(envelope.SerializeToString())

    def next(self, wait_ms):
        with self.lock:
            return envelope_pb2.Envelope.FromString(self.socket.recv()) if self.socket.poll(wait_ms) else None

    def receive(self, *kinds):
        found = []

        def comes():
            envelope = self.next(10)
            if envelope and envelope.WhichOneof("message") in kinds:
                found.append(getattr(envelope, envelope.WhichOneof("message")))
            return found

        until(comes, f"{self.name}: no {kinds}", every=0)
        return found[0]

    def leave(self):
        self.gone.set()
        with self.lock:
            self.socket.close(linger=0)

    def hello(self):
        self.send("hello", lambda m: setattr(m, "name", self.name))
        welcome = self.receive("welcome")
        self.session = welcome.header.session
        return welcome

    def newest(self):
        """Sensors that come from now on."""
        while self.next(0):
            pass
        return self.receive("sensors")

    def command(self, change=lambda m: m.thrusters.thruster.add(name="bow_tunnel_1"), **more):
        step = self.newest().header.step

        def fill(m):
            m.based_on_step = step
            change(m)
            for field, value in more.items():
                setattr(m, field, value)

        self.send("command", fill)

    def refused(self, text):
        refusal = self.receive("refusal")
        check(text in refusal.text, f"'{text}' expected", refusal)


def instruments(sensors):
    return sorted(m.telegram.name for field, lists in sensors.instruments.ListFields() for m in lists)


REALTIME = case("switch.yaml", "pipe: {elements: 20, hangoff: {kind: pinned, angle_deg: null}}\nsimulation: {step_s: 0.05}\n")
simulator = Simulator(REALTIME, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT, "--log", path("switch.mcap"), "--summary", path("switch.json"),
                      "--checkpoint", path("state"))
one = Peer(simulator, "dp-a")
welcome = one.hello()
check(welcome.redundancy.in_command and not welcome.redundancy.is_backup, "a main one commands first", welcome.redundancy)
check(not set(OWN) & {i.name for i in welcome.instrument} and "gnss-1" in {i.name for i in welcome.instrument}, "its instruments", welcome.instrument)
one.command()
simulator.wait_for("command_first")
check("hand_over" not in simulator.stderr(), "nothing yet")

# The backup has never joined: the switch moves all the same, the main ones command no more, and it can be moved back.
check("warning: dp-backup is not connected" in simulator.ctl("take-over", "dp-backup"), "the reply says so")
simulator.wait_for(r"changeover_began: the command is taken from dp-a .switch. and given to dp-backup")
one.command()
one.refused("dp-a stands by, dp-backup is in command")
check(listed(simulator, "dp-a")["refused"] == 1, "counted by name", peers(simulator))
simulator.ctl("take-over", "dp-backup", expect=1)  # moved already
simulator.ctl("take-over", "dp-a")
one.command()
simulator.wait_for("changeover_undone: dp-a")

# It joins: its own instruments and the shared ones, no others.
backup = Peer(simulator, "dp-backup")
welcome = backup.hello()
check(welcome.redundancy.is_backup and not welcome.redundancy.in_command, "it stands by", welcome.redundancy)
shared = ["hangoff-1", "load-2"]
check(sorted(i.name for i in welcome.instrument) == sorted(OWN + shared), "its instruments", welcome.instrument)
check(set(instruments(backup.newest())) <= set(OWN + shared) and "gyro-3" in instruments(backup.newest()), "what it receives", instruments(backup.newest()))
check("gyro-1" in instruments(one.newest()) and not set(OWN) & set(instruments(one.newest())), "what the main ones receive", instruments(one.newest()))
def blind(m):
    m.standby.SetInParent()
    m.alarm.add(source="position", kind=8, severity=3, text="no position left: dead reckoning")


backup.command(blind, shadow=True)  # it is alive, and could not command
until(lambda: listed(simulator, "dp-backup").get("standby") == "not ready", "not ready", peers(simulator))
check("stands by: not ready: it would ask for no thrust; it has no position reference, 1 alarm: no position left: dead reckoning" in
      re.sub(r", differs by \S+ of the full thrust", "", simulator.ctl("status")), "for people", simulator.ctl("status"))
check("warning: dp-backup is not ready: it would ask for no thrust" in simulator.ctl("take-over", "dp-backup"), "the reply says so")
simulator.ctl("take-over", "dp-a")
one.command()
backup.command(shadow=True)
until(lambda: listed(simulator, "dp-backup").get("standby") == "ready", "ready", peers(simulator))
check(listed(simulator, "dp-backup")["role"] == "backup", "which is the backup", peers(simulator))
one.command(hand_over="dp-backup")
one.refused("hand_over: the name of a connected controller of the list that stands by")

# The one in command is lost, and the backup does not come in by itself; then the switch, and main ones that return.
one.leave()
simulator.wait_for("controllers_lost: dp-a has gone, and no other main controller is left: the backup is ready")
check(not peers(simulator)["dp-backup"]["in_command"], "by the switch alone", peers(simulator))
check("warning" not in simulator.ctl("take-over", "dp-backup"), "it is ready")
check(backup.receive("welcome").redundancy.in_command, "it is told")
backup.command()
simulator.wait_for(r"changeover: dp-backup commands in place of dp-a .switch.")
one = Peer(simulator, "dp-a")
check(one.hello().redundancy.commander == "dp-backup", "who returns stands by")
one.command()
one.refused("dp-a stands by, dp-backup is in command")
simulator.wait_for("split_brain.*dp-a .number 3. commands, and dp-backup")

# Back and forth while neither has answered.
simulator.ctl("take-over", "dp-a")
simulator.ctl("take-over", "dp-backup")
simulator.ctl("take-over", "dp-b")  # which has never come: the main side all the same, and dp-a of it is there
backup.command()
backup.refused("dp-backup stands by, dp-b is in command")
simulator.ctl("take-over", "dp-backup")
backup.command()
simulator.wait_for("changeover_undone: dp-backup")
simulator.go_on(20)
simulator.ctl("stop")
check(simulator.end() == 0, "the end", simulator.stderr())
check_replay("switch.mcap")
with open(path("switch.json")) as file:
    summary = json.load(file)
check(summary["changeovers"]["changeover_backup"] == 1 and summary["changeovers"]["changeovers"] == 1, "the switch in the summary", summary["changeovers"])

# A session that goes on: the switch stands as it stood.
simulator = Simulator(REALTIME, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT, "--resume", path("state"))
check(Peer(simulator, "dp-backup").hello().redundancy.in_command, "the backup has the command")
simulator.ctl("stop")
check(simulator.end() == 0, "the end", simulator.stderr())
