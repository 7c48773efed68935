"""Where the alarms of a controller go: the topic alarm, live and in the log, with its limit on alarms that flicker; `ctl status`; what
starts from a checkpoint; what a log of them replays."""
from harness import *
import sagbend

BASE = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
FROZEN = dict(source="gyro-1", kind="frozen", severity="alarm", text="gyro-1 stands still")
LIMIT = dict(source="power", kind="power_limit", severity="warning", text="power limits the thrusters")
NOTE = dict(source="controller", kind="other", severity="message", text="")


def logged(name):
    return [json.loads(line)["message"] for line in run("log", "cat", path(name), "--topic", "/alarm")[1].splitlines()]


def ctl(simulator, *words):
    status, out, err = run("ctl", simulator.commands, "status", *words)
    check(status == 0, "ctl status", err)
    return out


simulator = Simulator(BASE, "--mode", "lockstep", "--duration", "0", "--summary", path("a.json"), "--log", path("a.mcap"), "--set", "simulation.step_s=0.05")
socket = zmq.Context.instance().socket(zmq.SUB)
socket.subscribe("alarm")
connect_and_wait(socket, simulator.telemetry)
client = sagbend.Client(simulator.commands, name="maker")
samples = client.samples()
taken = []


def answer(*alarms):
    """Answers the next Sensors; returns their step."""
    sensors = next(samples)
    client.send_standby(sensors, alarms=alarms)
    taken.append(sensors.header.step)
    return taken[-1]


check(json.loads(ctl(simulator, "--json"))["alarm"] == [] and "alarm" not in ctl(simulator), "before the first command there are no alarms")
answer()
began = answer(FROZEN)
for _ in range(3):
    answer(FROZEN, NOTE)
now = json.loads(ctl(simulator, "--json"))
check([(a["source"], a["kind"], a["severity"], a["text"]) for a in now["alarm"]] == [("gyro-1", "frozen", "alarm", FROZEN["text"]), ("controller", "other", "message", None)],
      "status as JSON", now["alarm"])
check(now["alarm"][0]["since_step"] == began and abs(now["alarm"][0]["since_s"] - 0.05 * began) < 1e-9, "since", now["alarm"], began)
check(now["alarms"] == {"raised": 2, "active": 2, "changes": 2, "suppressed": 0, "newest_step": now["alarms"]["newest_step"]}, "counts", now["alarms"])
text = ctl(simulator)
check(re.search(r"^alarms +2 raised, 2 in force$", text, re.M) and re.search(rf"^alarm +since {0.05 * began:.1f} s: alarm gyro-1 frozen: gyro-1 stands still\n +since [0-9.]+ s: message controller other$",
      text, re.M), "status as text", text)

# An alarm that comes and goes ten times a second, for a minute.
for i in range(600):
    answer(*([LIMIT] if i % 2 else []))
flicker_end = 0.05 * taken[-1]
for _ in range(30):
    answer(LIMIT)
last = json.loads(ctl(simulator, "--json"))
text = ctl(simulator)
check(last["alarms"]["changes"] == 602 and last["alarms"]["raised"] == 302, "every change counts", last["alarms"])
simulator.signal()
check(simulator.end() == 0, "the end", simulator.stderr())
messages = logged("a.mcap")
span = 0.05 * (taken[-1] - taken[0])
check(20 < len(messages) <= 20 + 2 * span + 1, "the log is not filled", len(messages), span)
check(messages[-1]["counts"]["changes"] == 602 and messages[-1]["counts"]["changes"] - messages[-1]["counts"]["suppressed"] == len(messages),
      "each change has a message or counts as suppressed", messages[-1]["counts"], len(messages))
check(last["alarms"]["suppressed"] == messages[-1]["counts"]["suppressed"], "the status has the same count", last["alarms"])
check(f"302 raised, 1 in force, {last['alarms']['suppressed']} changes without a message of their own" in text, "the count is stated", text)
check([a["source"] for a in messages[-1]["alarm"]] == ["power"] and [a["source"] for a in messages[0]["alarm"]] == ["gyro-1"], "the first and the newest", messages[0], messages[-1])
check(messages[-1]["header"]["time_s"] <= flicker_end + 1, "the newest state follows soon", messages[-1]["header"], flicker_end)
live = []
while socket.poll(1000):
    live.append(telemetry_pb2.Alarms.FromString(socket.recv_multipart()[1]))
check([(m.header.step, [a.source for a in m.alarm]) for m in live] == [(m["header"]["step"], [a["source"] for a in m["alarm"]]) for m in messages],
      "live the same messages", len(live), len(messages))
client.close()
check_replay("a.mcap")
