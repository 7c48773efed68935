#!/usr/bin/env python3
"""What somebody sees who connects a screen late: the topics session, status, timing, nodes and dp, also of a controller
that lies; the same in the log, and from its replay. In lockstep, so that nothing depends on the speed of the machine.

onlooker_test.py BUILD_DIR SOURCE_DIR
"""
import json
import math
import os

from harness import (SAGBEND, SAGBEND_DP, SOURCE, PATIENCE_S, Program, Simulator, check, connect_and_wait, load, path, run, telemetry_kinds, until)
import zmq
from sagbend.v1 import command_pb2, envelope_pb2, header_pb2, operator_pb2, session_pb2, telemetry_pb2

KINDS = telemetry_kinds()
DP = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")
CASE = path("case.yaml")
with open(CASE, "w") as file:
    file.write(f"""extends: {SOURCE}/configs/scenarios/common/osv.yaml
name: onlooker
simulation: {{duration_s: 24}}
controller: {{dp_file: {DP}}}
events:
  - {{name: gyro gone, at_s: 5, duration_s: 10, fault: no_output, target: gyro-1}}
  - {{name: weak, at_s: 6, duration_s: 6, fault: load_limit, target: all, share: 0.3}}
verdicts:
  - {{name: near, quantity: offset_m, below: 50}}
  - {{name: straight, quantity: heading_error_deg, within: [-20, 20], from_s: 5}}
  - {{name: too near, quantity: offset_m, below: 0.001, for_s: 1, expect: violated}}
  - {{name: later, quantity: offset_m, above: -1, from_s: 1000}}
""")


class Screen:
    """A subscriber of these topics. It keeps every message."""

    def __init__(self, endpoint, *topics):
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.set_hwm(0)
        for topic in topics:
            self.socket.subscribe(topic)
        connect_and_wait(self.socket, endpoint)
        self.kept = {topic: [] for topic in KINDS}

    def look(self):
        while self.socket.poll(20):
            topic, data = self.socket.recv_multipart()
            self.kept[topic.decode()].append(KINDS[topic.decode()].FromString(data))
        return self.kept

    def wait(self, topic, holds=lambda m: True):
        until(lambda: any(holds(m) for m in self.look()[topic]), f"no such {topic}", self.kept[topic][-1:])
        return next(m for m in self.kept[topic] if holds(m))


simulator = Simulator(CASE, "--log", path("a.mcap"), "--summary", path("a.json"))
screen = Screen(simulator.telemetry, "session", "status", "timing", "dp", "end")

# One message tells everything that is constant.
about = screen.wait("session")
welcome = about.welcome
check(welcome.name == "onlooker" and welcome.step_s == 0.01 and welcome.telemetry_endpoint == simulator.telemetry and
      len(welcome.thruster) == 4 and len(welcome.instrument) > 5 and about.version, "the Welcome", welcome)
check(welcome.thruster[2].forbidden and welcome.thruster[2].thrust_max_n > 0 and welcome.thruster[2].kind == session_pb2.THRUSTER_KIND_AZIMUTH,
      "a thruster", welcome.thruster[2])
check(about.duration_s == 24 and about.HasField("setpoint") and about.setpoint == welcome.setpoint, "set-point", about.setpoint)
pipe = about.pipe
check(len(pipe.arc_length_m) == welcome.node_count == 81 and pipe.arc_length_m[0] == 0 and abs(pipe.arc_length_m[80] - 600) < 1e-6 and
      pipe.outer_diameter_m == 0.2731 and not pipe.element_diameter_m and pipe.hangoff_forward_m == -44, "pipe", pipe)
check(about.seabed.down_m == 300 and about.seabed.slope_north == 0 and not about.seabed.HasField("grid"), "seabed", about.seabed)
corners = [(c.forward_m, c.starboard_m) for c in about.outline]
check(max(f for f, _ in corners) == 41.5 and max(s for _, s in corners) == 9 and len(corners) == 9, "outline", corners)
check(list(about.watch_circle_m) == [5, 10] and about.limits.tension_n == 400e3 and about.limits.curvature_1pm == 0.0146, "circles, limits",
      about.watch_circle_m, about.limits)
near, straight, too_near, later = about.verdict
check((near.name, near.quantity, near.unit, near.high) == ("near", "offset_m", "m", 50) and not near.HasField("low"), "a verdict", near)
check((straight.quantity, straight.unit, straight.low, straight.high, straight.from_s) == ("heading_error_deg", "deg", -20, 20, 5),
      "a verdict in degrees", straight)
check(too_near.expect_violated and too_near.grace_s == 1 and later.from_s == 1000, "verdicts", too_near, later)
waiting = screen.wait("status")
check(waiting.station.state == operator_pb2.RUN_STATE_WAITING and len(waiting.verdict) == 4 and not waiting.fault, "the first Status", waiting)

# An order moves the set-point: a new Session says so at once.
code, out, err = run("ctl", simulator.commands, "set-point", "--north", str(about.setpoint.north_m + 2))
check(code == 0, "set-point", err)
moved = screen.wait("session", lambda m: m.setpoint.order == 1)
check(abs(moved.setpoint.north_m - about.setpoint.north_m - 2) < 1e-9, "the set-point in force", moved.setpoint)

# A controller that lies harms nobody: too many views, one of another session, one of a step to come, one without Hello.
def send(socket, **content):
    socket.send(envelope_pb2.Envelope(**content).SerializeToString())


def view(number, session, **fields):
    header = header_pb2.Header(protocol=1, session=session, sequence=number)
    return {"controller_view": telemetry_pb2.ControllerView(header=header, controller="desk", in_command=True, **fields)}


def answer(socket, kind):
    while True:
        check(socket.poll(1000 * PATIENCE_S), "no answer: " + kind)
        envelope = envelope_pb2.Envelope.FromString(socket.recv())
        if envelope.WhichOneof("message") == kind:
            return getattr(envelope, kind)


session = about.header.session
liar = zmq.Context.instance().socket(zmq.DEALER)
liar.linger = 0
connect_and_wait(liar, simulator.commands)
send(liar, **view(1, session))
send(liar, hello=session_pb2.Hello(header=header_pb2.Header(protocol=1, sequence=1), controller_id="liar-1", name="liar"))
check(answer(liar, "welcome").controller_view_period_s == 0.2, "the period of views")
send(liar, **view(2, "another"))
send(liar, **view(3, session, based_on_step=7))
for number in range(30):
    send(liar, **view(4 + number, session, tension_n=number))
send(liar, **view(40, session, tension_n=math.nan))
check(answer(liar, "refusal").reason == command_pb2.REFUSAL_REASON_NOT_FINITE, "a number that is none")
lies = screen.wait("dp")
check(lies.controller == "liar" and not lies.in_command, "the simulator knows the sender", lies)
liar.close()

dp = Program(SAGBEND_DP, DP, "--connect", simulator.commands, "--name", "desk")
until(lambda: screen.look()["end"], "no end", simulator.stderr(), timeout=170)
check(dp.end() == 0 and simulator.end() in (0, 1), "the ends", simulator.stderr(), dp.stderr())
summary = load("a.json")

# What the controller says: under its name, near the truth.
told, views = screen.kept["dp"], [v for v in screen.kept["dp"] if v.controller == "desk"]
check(views and all(v.header.session == about.header.session for v in views), "the controller", views[:1])
check(len(told) == summary["telemetry"]["controller_views"] and len(told) - len(views) >= 10 and
      len(told) - len(views) + summary["telemetry"]["controller_views_dropped"] == 33, "counts", len(told), len(views), summary["telemetry"])
check(any(v.in_command for v in views) and all(v.setpoint.order == 1 for v in views), "in command", views[-1])
names = {i.name for i in welcome.instrument}
check(all({i.name for i in v.instrument} <= names and len(v.thruster) == 4 for v in views), "references and thrusters", views[-1])

# It pushes against the wind, which comes over the starboard bow.
check(all(v.HasField("wind") and v.HasField("demanded") for v in views if v.active), "the wrenches", views[-1])
check(all(v.wind.surge_n > 0 and v.wind.sway_n > 0 for v in views if v.active and v.based_on_step > 1500), "the wind", views[-1])

# Values of the last Status are those of the summary.
last = screen.kept["status"][-1]
check(last.header.step == 2400 and len(last.verdict) == len(summary["verdicts"]), "the last Status", last)
for told, judged in zip(last.verdict, summary["verdicts"]):
    check(told.name == judged["name"] and told.violations == judged["violations"], "violations", told, judged)
    check(told.passes == (judged["result"] == "passed"), "result", told, judged)
    if judged["worst_value"] is None:
        check(not told.HasField("worst_value") and told.state == operator_pb2.VERDICT_STATE_NOT_JUDGED, "not judged", told, judged)
    else:
        check(math.isclose(told.worst_value, judged["worst_value"], rel_tol=1e-9) and
              math.isclose(told.worst_margin, judged["worst_margin"], rel_tol=1e-9) and
              math.isclose(told.worst_time_s, judged["worst_s"], abs_tol=1e-6), "the worst value", told, judged)
check(last.verdict[2].state == operator_pb2.VERDICT_STATE_VIOLATED and last.verdict[0].state == operator_pb2.VERDICT_STATE_WITHIN, "states", last)
station = last.station
check(math.isclose(station.offset_m, last.verdict[0].value, rel_tol=1e-9) and
      math.isclose(math.degrees(station.heading_error_rad), last.verdict[1].value, rel_tol=1e-6, abs_tol=1e-9) and
      math.isclose(math.hypot(station.offset_forward_m, station.offset_starboard_m), station.offset_m, rel_tol=1e-9), "the station", station)

# The histogram of the last Timing holds all steps, and gives the percentiles of the summary.
timing = screen.kept["timing"][-1]
steps = timing.step_histogram
check(timing.header.step == 2400 and steps.count == sum(steps.counts) == 2400 and len(steps.counts) == len(steps.upper_us) and
      not timing.HasField("wakeup_histogram"), "the histogram", timing.header, steps.count)
check(list(steps.upper_us) == sorted(steps.upper_us), "ascending", steps.upper_us)


def time_of_rank(histogram, rank):
    reached = 0
    for upper, count in zip(histogram.upper_us, histogram.counts):
        reached += count
        if reached >= rank:
            return upper
    return histogram.upper_us[-1]


told = summary["step_us"]
for share, name in ((0.5, "p50"), (0.99, "p99"), (0.999, "p999")):
    low, high = (time_of_rank(steps, share * steps.count + off) for off in (-1, 1))
    check(0.99 * low - 0.01 <= told[name] <= 1.01 * high + 0.01, "a percentile", name, low, high, told)
check(abs(steps.upper_us[-1] - told["max"]) <= 0.01 * told["max"] + 0.01, "the longest", steps.upper_us[-1], told)


# The log has the same, and each fault while it was active.
def logged(topic):
    code, out, err = run("log", "cat", path("a.mcap"), "--topic", topic)
    check(code == 0, "log cat", err)
    return [json.loads(line) for line in out.splitlines()]


infos, states, views_logged = logged("/session_info"), logged("/status"), logged("/dp")
check([i["message"]["setpoint"]["order"] for i in infos] in ([0, 1], [1]) and len(infos[-1]["message"]["pipe"]["arc_length_m"]) == 81, "/session_info",
      [i["time_s"] for i in infos])
check(len(views_logged) == summary["telemetry"]["controller_views"], "/dp", len(views_logged), summary["telemetry"])
times = sorted({s["time_s"] for s in states})
check(len(times) == 49 and times[1] == 0.5, "/status", times[:3], len(times))
for state in states:
    active = {f["name"]: f for f in state["message"].get("fault", [])}
    check(("gyro gone" in active) == (5 <= state["time_s"] < 15) or state["time_s"] in (5, 15), "the fault of an event", state["time_s"], active)
    if 7 <= state["time_s"] <= 11:
        check(active["weak"]["kind"] == "load_limit" and active["weak"]["since_s"] == 6 and state["message"]["fault_count"] == 2,
              "a fault with a parameter", active)
nodes = logged("/nodes")[-1]["message"]
check(len(nodes["penetration_m"]) == 81 and nodes["penetration_m"][1] > 0 and nodes["penetration_m"][80] < -100, "contact", nodes["penetration_m"])

code, out, err = run("replay", path("a.mcap"), "--verify")
check(code == 0 and "equal" in out, "the replay", out, err)

# Who connects to its publication late learns the same.
replay = Program(SAGBEND, "replay", path("a.mcap"), "--publish", "--rate", "5", "--bind-command", "tcp://127.0.0.1:*",
                 "--bind-telemetry", "tcp://127.0.0.1:*")
second = Screen(replay.wait_for(r"telemetry at (\S+)").group(1), "session", "status")
again = second.wait("session")
check(again.header.session != about.header.session and again.pipe == about.pipe and again.verdict == about.verdict, "the session again", again)
state = second.wait("status")
check(state.header.session == again.header.session and len(state.verdict) == 4, "the status again", state)
replay.signal()
check(replay.end() == 0, "the end of the replay", replay.stderr())
