"""Instruments in the running program: in messages, log and replay, and across a checkpoint; faults from a scenario; the exact
state is withheld; invalid configurations are refused with their positions."""
import json
import math

import zmq

from harness import *

sys.path.insert(0, os.path.join(BUILD, "proto/python"))
from sagbend.v1 import envelope_pb2, telemetry_pb2

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(HERE, "instruments.yaml")


def sagbend(*args, expected=0):
    status, out, err = run(*args, timeout=120)
    check(status == expected, f"{args}: status {status}, {expected} expected", out, err)
    return out + err


def messages(log, topic):
    return [json.loads(line)["message"] for line in sagbend("log", "cat", path(log), "--topic", topic).splitlines()]


def without_session(message):
    return {k: v for k, v in message.items() if k != "header"} | {"step": message["header"]["step"]}


FAST = ["run", SUITE, "--mode", "fast", "--set", "log.truth_period_s=0.1"]
sagbend(*FAST, "--duration", "40", "--log", path("whole.mcap"), "--hashes", path("whole"))
sensors, truth = messages("whole.mcap", "/sensors"), messages("whole.mcap", "/truth")
record = messages("whole.mcap", "/session")[0]
check(len(sensors) == 401, "a message each 0.1 s", len(sensors))

# The exact state is withheld, and the measurements are close to it.
kinds = {"gnss": 3, "gyro": 3, "motion": 3, "wind": 3, "speed_log": 1, "load_cell": 2, "hangoff_angle": 1, "touchdown": 1}
truth_at = {t["header"]["step"]: t for t in truth}
for s in sensors:
    check(all(s[k] == 0 for k in s if k[-2:] in ("_m", "ad", "ps") and not k.startswith("power")), "an exact value is sent", s)
    check("pipe" not in s, "the pipe's exact figures are sent")
    check({k: len(v) for k, v in s["instruments"].items() if v} == kinds, "the suite is not complete", s["instruments"].keys())
    for g in s["instruments"]["gyro"]:
        telegram = g["telegram"]
        check(telegram["sequence"] == (0 if s["header"]["step"] < 5 else (s["header"]["step"] - 5) // 10 + 1), "sequence", g)
        step = round(telegram["time_s"] * 100)
        t = truth_at[step]
        yaw = math.atan2(2 * (t["quaternion_w"] * t["quaternion_z"] + t["quaternion_x"] * t["quaternion_y"]),
                         1 - 2 * (t["quaternion_y"] ** 2 + t["quaternion_z"] ** 2))
        check(not telegram["sequence"] or abs(g["heading_rad"] - yaw) < math.radians(0.9), "heading is far off", g, yaw)
for a, b in zip(sensors, sensors[1:]):
    for one, other in zip(a["instruments"]["gnss"], b["instruments"]["gnss"]):
        same = one["telegram"]["sequence"] == other["telegram"]["sequence"]
        check(same == (one == other), "a telegram changes without a new number")
check([s["name"] for s in record["random_streams"]][:4] == ["gnss-1", "gnss-2", "gnss-3", "gyro-1"], "streams", record["random_streams"])
check(len({s["seed"] for s in record["random_streams"]}) == 17, "each has a seed of its own")

# Replay, and a replay that must differ: another seed in the text of the record is another configuration.
check("result               equal" in sagbend("replay", "--verify", path("whole.mcap")), "not replayed to the bit")

# Another seed gives other measurements of the same motion; the same seed gives the same measurements.
sagbend(*FAST, "--duration", "5", "--log", path("again.mcap"), "--hashes", path("again"))
sagbend(*FAST, "--duration", "5", "--log", path("other.mcap"), "--hashes", path("other"), "--set", "hil.seed=84")
again, other = messages("again.mcap", "/sensors"), messages("other.mcap", "/sensors")
check([without_session(s) for s in again] == [without_session(s) for s in sensors[:51]], "the same seed gives other readings")
check(hashes("again") == hashes("other") == hashes("whole")[:501], "instruments change the motion")
check(again[50]["instruments"]["gnss"][0]["north_m"] != other[50]["instruments"]["gnss"][0]["north_m"], "another seed, same readings")

# Across a checkpoint, with measurements in transit and active faults.
events = path("faulty.yaml")
with open(events, "w") as file:
    file.write(f"""extends: {SUITE}
name: faulty
events:
  - {{name: drift, at_s: 3, fault: drift, target: gnss-2, rate_per_s: 0.5}}
  - {{name: late, at_s: 4, duration_s: 10, fault: delay, target: mru-1, delay_s: 3}}
  - {{name: wild, at_s: 4, fault: outliers, target: gyro-3, amplitude: 0.5, probability: 0.2}}
  - {{name: some, at_s: 4, fault: intermittent, target: wind-1, probability: 0.5}}
  - {{name: twin, at_s: 5, fault: duplicate_of, target: mru-3, of_instrument: mru-2}}
  - {{name: lost, at_s: 6, duration_s: 4, fault: no_output, target: load-1}}
  - {{name: estimate, at_s: 6, fault: constant, target: load-2, value: 1.0e6}}
""")
FAULTY = ["run", events, "--mode", "fast"]
sagbend(*FAULTY, "--duration", "20", "--log", path("f-whole.mcap"))
sagbend(*FAULTY, "--duration", "7.53", "--checkpoint", path("c"), "--log", path("f-one.mcap"))
sagbend(*FAULTY, "--duration", "20", "--resume", path("c"), "--log", path("f-two.mcap"))
whole, one, two = (messages(f"f-{name}.mcap", "/sensors") for name in ("whole", "one", "two"))
strip = lambda list_: [without_session(m) for m in list_ if m["header"]["step"] % 10 == 0]
check(strip(one) == strip(whole)[:76] and strip(two) == strip(whole)[76:], "the resumed run's readings differ", len(one), len(two))
for name in "f-whole", "f-one", "f-two":
    check("result               equal" in sagbend("replay", "--verify", path(name + ".mcap")), "faults are not replayed: " + name)
at = {m["header"]["step"]: m["instruments"] for m in whole}
check(at[1500]["gnss"][1]["north_m"] - at[1500]["gnss"][0]["north_m"] > 4, "no drift", at[1500]["gnss"])
check(at[900]["load_cell"][0] == at[700]["load_cell"][0] and at[1100]["load_cell"][0] != at[700]["load_cell"][0], "not off and on again")
check(at[700]["load_cell"][1]["tension_n"] == 1e6, "no fixed value", at[700]["load_cell"])
check(at[1200]["motion"][0]["telegram"]["time_s"] < 9.1 < 11.8 < at[1200]["motion"][1]["telegram"]["time_s"], "not late", at[1200]["motion"])
twin, twins = at[1200]["motion"][2], at[1200]["motion"][1]
check({**twin, "telegram": 0} == {**twins, "telegram": 0} and twin["telegram"]["name"] == "mru-3", "not copied", twin, twins)
check(at[2000]["wind"][0]["telegram"]["sequence"] < at[2000]["wind"][1]["telegram"]["sequence"] - 2, "not intermittent")

# Wind and water at the position of the sensor: a vessel at rest, heading north; wind from the east, a sheared current to the east.
still = path("still.yaml")
with open(still, "w") as file:
    file.write(f"""extends: {JLAY}
name: still
controller: {{kind: none, dp_file: null}}
environment:
  current: {{start_s: 0}}
  wind: {{speed_mps: 12, direction_deg: 90}}
instruments:
  - {{name: low, kind: wind, position_b_m: [0, 0, -10], rate_hz: 1}}
  - {{name: high, kind: wind, position_b_m: [20, 5, -40], rate_hz: 1}}
  - {{name: log, kind: speed_log, position_b_m: [0, 0, 90], rate_hz: 1}}
""")
sagbend("run", still, "--mode", "fast", "--duration", "0.02", "--log", path("still.mcap"))
seen = messages("still.mcap", "/sensors")[0]["instruments"]
low, high, water = *seen["wind"], seen["speed_log"][0]
check(abs(low["speed_mps"] - 12) < 0.01 and abs(low["direction_rad"] - math.pi / 2) < 1e-6, "wind", low)
check(12.5 < high["speed_mps"] < 18 and abs(high["direction_rad"] - math.pi / 2) < 1e-6, "more wind above", high)
check(abs(water["sway_mps"] + 0.8 * 810 / 900) < 1e-3 and abs(water["surge_mps"]) < 1e-6, "water", water)

# Over the protocol a controller receives the same suite.
simulator = Simulator(SUITE, "--mode", "lockstep", "--duration", "3", "--set", "controller.kind=external",
                      "--set", "controller.dp_file=null")
dealer = zmq.Context().socket(zmq.DEALER)
dealer.connect(simulator.commands)


def send(kind, **fields):
    send.count += 1
    e = envelope_pb2.Envelope()
    m = getattr(e, kind)
    m.header.protocol, m.header.sequence, m.header.session = 1, send.count, fields.pop("session", "")
    for k, v in fields.items():
        setattr(m, k, v)
    if kind == "command":
        m.standby.SetInParent()
    dealer.send(e.SerializeToString())


send.count = 0
send("hello", controller_id="test", name="test")
session, seen = None, []
while dealer.poll(1000 * PATIENCE_S):
    e = envelope_pb2.Envelope.FromString(dealer.recv())
    which = e.WhichOneof("message")
    if which == "welcome":
        session = e.welcome.header.session
    elif which == "sensors":
        seen.append(e.sensors)
        send("command", session=session, controller_id="test", based_on_step=e.sensors.header.step)
    elif which == "end":
        break
check(simulator.end() == 0, "lockstep", simulator.stderr())
check(len(seen) >= 30 and all(len(s.instruments.motion) == 3 and not s.HasField("pipe") for s in seen), "sensors over the wire", len(seen))
for s in seen[:30]:
    logged = sensors[s.header.step // 10]["instruments"]
    check([g.heading_rad for g in s.instruments.gyro] == [g["heading_rad"] for g in logged["gyro"]], "other readings over the wire")

# Errors: one run reports all of them with their positions.
bad = path("bad.yaml")
with open(bad, "w") as file:
    file.write(f"""extends: {VESSEL}
name: bad
instruments:
  - {{name: a, kind: gyro, rate_hz: 300}}
  - {{name: a, kind: gyro, rate_hz: 10, latency_s: 0.123}}
  - {{name: b c, kind: gnss, rate_hz: 1}}
  - {{name: d, kind: load_cell, rate_hz: 1}}
  - {{name: e, kind: motion, rate_hz: 1, share: 0.5}}
  - {{name: f, kind: wind, rate_hz: 1, errors: [{{quantity: heading_deg, white: 1}}]}}
  - {{name: g, kind: wind, rate_hz: 1, errors: [{{quantity: speed_mps, white: 1}}, {{quantity: speed_mps, bias: 1}}]}}
  - {{name: h, kind: gnss, rate_hz: 1, errors: [{{quantity: position_m, markov: 1}}]}}
  - {{name: i, kind: gps, rate_hz: 0}}
""")
text = sagbend("check", bad, expected=2)
for place, words in [(":4:36:", "at most one measurement per step of 0.01 s, 100 Hz, expected, got '300'"), (":5:12:", "a name different from instruments.0"),
                     (":6:12:", "printable ASCII without spaces"),
                     (":7:21:", "needs a pipe"), (":8:48:", "needs kind load_cell"),
                     (":9:59:", "a quantity of a wind (speed_mps or direction_deg) expected"),
                     (":10:92:", "different from those of the items before"), (":11:", "a time > 0 expected"), (":12:21:", "one of 16 words expected"),
                     (":12:35:", "finite number from 0.001 to 1000")]:
    check(any(place in line and words in line for line in text.splitlines()), f"'{words}' at {place} is not reported", text)
