"""Controllers that each make one mistake: what the console, `ctl status`, the summary and the log say of it, that a correct
controller is not accused, and that a replay finds the same notices."""
from harness import *
import math
import threading

import dp_law
import sagbend

OSV = os.path.join(SOURCE, "configs/osv-83m.yaml")


class Controller(threading.Thread):
    """Holds the initial position with a wrench. mistake(wrench, sensors) changes the wrench that it sends; law(sensors, welcome)
    takes the place of the law, and returns surge, sway, yaw or a list of thrusters."""

    def __init__(self, simulator, mistake=lambda w, s: w, law=None, name="test"):
        super().__init__(daemon=True)
        self.client, self.mistake, self.law, self.start_at = sagbend.Client(simulator.commands, name), mistake, law, None
        self.start()

    def wrench(self, s):
        hold, at = self.client.welcome.initial_holding_force, (s.position_north_m, s.position_east_m, s.heading_rad)
        self.start_at = self.start_at or at
        north = -5e4 * (at[0] - self.start_at[0]) - 4e5 * s.velocity_north_mps
        east = -5e4 * (at[1] - self.start_at[1]) - 4e5 * s.velocity_east_mps
        return [hold.surge_n, hold.sway_n, hold.yaw_nm], [north, east, -2e7 * (at[2] - self.start_at[2]) - 2e8 * s.heading_rate_radps]

    def run(self):
        for s in self.client.samples():
            if self.law:
                effort = self.law(s, self.client.welcome)
            else:
                hold, (north, east, yaw) = self.wrench(s)
                c, d = math.cos(s.heading_rad), math.sin(s.heading_rad)
                effort = self.mistake((hold, [c * north + d * east, -d * north + c * east, yaw]), s)
                if isinstance(effort, tuple):
                    effort = [a + b for a, b in zip(*effort)]
            if isinstance(effort[0], dict):
                self.client.send_thrusters(s, effort)
            else:
                self.client.send_wrench(s, surge_n=effort[0], sway_n=effort[1], yaw_nm=effort[2])


def turned(angle):
    """The force of the law stands turned by this angle, clockwise."""
    c, d = math.cos(angle), math.sin(angle)
    return lambda effort, s: (effort[0], [c * effort[1][0] - d * effort[1][1], d * effort[1][0] + c * effort[1][1], effort[1][2]])


def mirrored(*signs):
    """Signs of north, east and yaw, at heading 0."""
    return lambda effort, s: (effort[0], [a * b for a, b in zip(effort[1], signs)])


def session(name, case, duration, *args, **controller):
    """A session in lockstep; returns its summary, its notices by name, and its console."""
    simulator = Simulator(case, "--mode", "lockstep", "--duration", str(duration), "--summary", path(name + ".json"), "--log",
                          path(name + ".mcap"), *args)
    Controller(simulator, **controller)
    check(simulator.end(4 * PATIENCE_S) == 0, f"{name}: the simulator failed", simulator.stderr())
    summary = load(name + ".json")
    notices = {n["name"]: n for n in summary["commands"]["notices"]}
    for n in notices.values():
        check(f"{n['name']}: {n['text']}" in simulator.stderr(), f"{name}: the console lacks the notice", n, simulator.stderr())
        check(f"{n['name']}: {n['text']}" in simulator.stdout(), f"{name}: the printed summary lacks the notice", n, simulator.stdout())
        check(any(e["name"] == n["name"] for e in summary["events"]["first"]), f"{name}: no event", summary["events"])
    status, out, err = run("replay", path(name + ".mcap"), "--verify")
    check(status == 0 and re.search(r"^result +equal$", out, re.M), f"{name}: the replay finds other notices", out, err)
    return summary, notices, simulator.stderr()


def heading(degrees):
    return ["--set", f"vessel.attitude_deg=[0,0,{degrees}]"]


def only(name, notices, kind, *texts):
    check(list(notices) == [kind], f"{name}: only {kind} expected", notices)
    check(all(t in notices[kind]["text"] for t in texts), f"{name}: {texts} expected", notices)
    check(notices[kind]["time_s"] < 30, f"{name}: too late", notices)


# ---- units ----
kilo = lambda effort, s: ([1e-3 * v for v in effort[0]], [1e-3 * v for v in effort[1]])
summary, notices, _ = session("kN", JLAY, 14, mistake=kilo)
only("kN", notices, "command_weak", "expected about 4e+05 N", "is it in N?")
commands = summary["commands"]
check(commands["initial_holding_force"]["surge_n"] == 400e3 and abs(commands["commanded_wrench"]["surge_n"]) < 4e3, "both wrenches", commands)

# A first command of zero is legitimate, and a correct controller is not accused at any heading.
_, notices, _ = session("zero", JLAY, 30, mistake=lambda effort, s: [0, 0, 0] if s.header.time_s < 5 else effort)
check(not notices, "zero at first", notices)
_, notices, _ = session("right", JLAY, 60, *heading(120))
check(not notices, "no mistake", notices)

# ---- sign ----
_, notices, _ = session("sign", JLAY, 26, mistake=mirrored(-1, -1, 1))
only("sign", notices, "positive_feedback", "along east (sway)", "is a sign wrong?")
_, notices, _ = session("east", JLAY, 26, mistake=mirrored(1, -1, 1))
only("east", notices, "positive_feedback", "along east (sway)")

# ---- frame: north and east as surge and sway, and the transposed rotation, at headings away from 0 ----
for degrees in (60, -90, 135):
    _, notices, _ = session(f"frame{degrees}", JLAY, 27, *heading(degrees), mistake=turned(math.radians(degrees)))
    only(f"frame at {degrees}", notices, "command_frame", f"turned by {degrees} deg, at heading {degrees} deg", "body axes")
_, notices, _ = session("transposed", JLAY, 27, *heading(40), mistake=turned(math.radians(80)))
only("transposed", notices, "command_frame", "turned by 80 deg")


# ---- thrusters: revolutions per second ----
def thrusters(s, welcome, law=dp_law.Law()):
    state = [(x.revolutions_rpm, x.azimuth_rad) for x in s.thruster]
    reading = (s.position_north_m, s.position_east_m, s.velocity_north_mps, s.velocity_east_mps, s.heading_rad, s.heading_rate_radps)
    return [{"name": n, "enable": True, "revolutions_rpm": rpm / 60, "azimuth_rad": azimuth}
            for n, (rpm, azimuth) in zip(dp_law.NAMES, law.step(reading, True, state))]


dp_law.ANTENNA = (0.0, 0.0)  # this case has no instruments: Sensors carry the reference point
_, notices, _ = session("rps", OSV, 20, law=thrusters)
only("rps", notices, "thrusters_weak", "rpm")

# ---- thrusters: azimuths counted from starboard; one of four (the other ways: directions_test.py) ----
def dp(change):
    law = dp_law.Law()

    def command(s, welcome):
        state = [(x.revolutions_rpm, x.azimuth_rad) for x in s.thruster]
        reading = (s.position_north_m, s.position_east_m, s.velocity_north_mps, s.velocity_east_mps, s.heading_rad, s.heading_rate_radps)
        return change([{"name": n, "enable": True, "revolutions_rpm": rpm, "azimuth_rad": azimuth} for n, (rpm, azimuth) in zip(dp_law.NAMES, law.step(reading, True, state))])
    return command


_, notices, _ = session("starboard", OSV, 24, law=dp(lambda all: [{**t, "azimuth_rad": t["azimuth_rad"] - math.pi / 2} for t in all]))
only("starboard", notices, "azimuth_direction", "read as clockwise from starboard they would hold it")
_, notices, _ = session("one of four", OSV, 24, law=dp(lambda all: all[:1]))
only("one of four", notices, "thrusters_unnamed", "thruster bow_tunnel_2 is in no command (3 of 4 that run)")
_, notices, _ = session("all four", OSV, 24, law=dp(lambda all: all))
check(not notices, "all four", notices)

# ---- a command far beyond the limits names its unit at once ----
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--junit", path("beyond.xml"), "--summary", path("beyond.json"))
beyond = Controller(simulator, mistake=lambda effort, s: effort if s.header.step < 50 else [1e9, 0, 0])
simulator.wait_for("command_limits: 100 commands in a row of test .number 1. are refused; the last: ")
check(any("wrench.surge_n: at most 3000000 expected, got 1e+09: is it in N?" in r.text or "is it in N?" in r.text for r in beyond.client.refusals),
      "the refusal", [r.text for r in beyond.client.refusals][:3])
simulator.signal()
check(simulator.end() == 1 and any("commands were refused (refused_range): the vessel was not under this controller" in f for f in load("beyond.json")["failures"]),
      "it commanded, and most was refused: no run that passes", load("beyond.json")["failures"])
# A stranger who never commanded, and is refused more often than the controller is heard, is not the controller.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--junit", path("stranger.xml"), "--summary", path("stranger.json"))
Controller(simulator)
simulator.wait_for("command_first")
strangers = [Controller(simulator, mistake=lambda effort, s: [1e9, 0, 0], name=f"stranger {k}") for k in range(3)]
until(lambda: all(c.client.refusal_count >= 40 for c in strangers), "refusals of strangers", simulator.stderr())
simulator.signal()
status, counts = simulator.end(), load("stranger.json")["commands"]
check(status == 0 and counts["refused_by_reason"]["range"] > counts["accepted"], "strangers do not make a run fail", load("stranger.json")["failures"], counts)


# ---- connected, never commands ----
def status_of(simulator):
    done, out, err = run("ctl", simulator.commands, "status")
    check(done == 0, "ctl status", err)
    return out


simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--junit", path("idle.xml"), "--summary", path("idle.json"))
silent = sagbend.Client(simulator.commands, "silent")
listening = threading.Thread(target=lambda: list(silent.samples()), daemon=True)
listening.start()
simulator.wait_for("never_commanded: silent .number 1. has never commanded: it has joined, and sends no Command")
check("silent (number 1), has never commanded" in status_of(simulator), "ctl status", status_of(simulator))
simulator.signal(signal.SIGINT)
check(simulator.end() == 1, "the run must not look passed", simulator.stderr())
check(any("silent (number 1) was connected, and has never commanded" in f for f in load("idle.json")["failures"]), "the failure", load("idle.json")["failures"])
with open(path("idle.xml")) as file:
    check("has never commanded" in file.read(), "the JUnit file")

# ---- two controllers, a stale session, a step ahead and too old ----
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0")
first = Controller(simulator, name="first")
until(lambda: "in command" in status_of(simulator) and "command        none" not in status_of(simulator), "the first commands")  # from the next step on
out = status_of(simulator)
check("command        live: surge " in out.replace("old", "live") and "initial holding force: surge 400000 N" in out, "both wrenches in ctl status", out)
second = Controller(simulator, name="second")
until(lambda: second.client.refusals, "no refusal")
check("another controller is in command: first (number 1)" in second.client.refusals[-1].text, "who is in command", second.client.refusals[-1])


class Liar(CommandPeer):
    def refusal(self, step, session=None):
        self.sequence += 1
        message = envelope_pb2.Envelope()
        header = message.command.header
        header.session, header.sequence, header.protocol = session or self.session, self.sequence, 1
        message.command.controller_id, message.command.based_on_step = self.name, step
        message.command.wrench.surge_n = 4e5
        self.socket.send(message.SerializeToString())
        return self.receive("refusal").text

    def join(self):
        self.sequence += 1
        message = envelope_pb2.Envelope()
        message.hello.header.sequence, message.hello.header.protocol = self.sequence, 1
        message.hello.controller_id = message.hello.name = self.name
        self.socket.send(message.SerializeToString())
        self.session = self.receive("welcome").header.session


simulator.signal()
simulator.end()
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0")
liar = Liar(simulator, "liar")
liar.join()
text = liar.refusal(10**9)
check(re.search(r"based_on_step 1000000000 is ahead, the newest step is \d+", text), "a step ahead", text)
step = simulator.wait_for_step(200)
text = liar.refusal(1)
check(re.search(r"based_on_step 1 is \d+ steps old, the newest step is \d+: an age of at most 50 steps expected \(network.command_max_age_s\)", text), "too old", text)
text = liar.refusal(step, session="0123456789abcdef")
check(f"header.session '0123456789abcdef' is not the present session, '{liar.session}'" in text, "a stale session", text)
simulator.signal()
simulator.end()
