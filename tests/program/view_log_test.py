"""sagbend-view plays logs: each client by itself, a seek shows the newest message of each channel, parts, damaged logs."""
import base64
from harness import *
import mcap_forger
from view_client import Client

LIVE = {"/session_info": "/session"}
CHANNELS = ["/session", "/status", "/sensors", "/truth", "/nodes", "/ledger", "/timing", "/dp", "/event"]


def start(*logs):
    viewer = View(*logs)
    return viewer, viewer.port


def contents(*names):
    """Channel -> [(time, bytes)] of the logs, in the order of the times."""
    found = {}
    for name in names:
        for m in (m for chunk in mcap_forger.Log(path(name)).chunks for m in chunk):
            topic = LIVE.get(m.topic, m.topic if m.topic != "/session" else None)
            if topic in CHANNELS:
                found.setdefault(topic, []).append((m.log_ns, bytes(m.data)))
    return found


def state(client, holds):
    """Waits for a report of the player for which holds."""
    while True:
        told = client.op("sagbendPlaybackState")
        if holds(told):
            return told


def after_seek(client, logged, seek_s, topics):
    """Seeks and compares what comes with the log: the newest of each channel at that time."""
    expected = {t: [m for m in logged[t] if m[0] <= round(seek_s * 1e9)][-1] for t in topics if t in logged}
    client.ask(op="sagbendPlayback", playing=False, seek_s=seek_s)
    newest = {}
    while any(newest.get(t) != m for t, m in expected.items()):
        kind, *rest = client.next()
        check(kind != "close", "closed", rest)
        if kind == "message":
            newest[rest[0]] = (rest[1], bytes(rest[2]))
    told = state(client, lambda s: not s["playing"])
    check(abs(told["time_s"] - seek_s) < 1e-6, "the time after a seek", told, seek_s)
    return newest


code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "20", "--log", path("a.mcap"))
check(code == 0, "a run with a log", err)
logged = contents("a.mcap")
viewer, port = start(path("a.mcap"))

client = Client(port).greet()
check(client.info["metadata"]["sagbend"] == "log", "serverInfo", client.info)
check(set(client.channels) == set(logged) | {"/tf", "/scene", "/log"}, "channels", sorted(client.channels), sorted(logged))
told = state(client, lambda s: True)
check((told["start_s"], told["end_s"]) == (0, 20) and told["rate"] == 1 and told["playing"], "the state at the begin", told)
own = [t for t in logged if t != "/event"]
client.subscribe(*client.channels)

# A seek in both directions, to a time between two messages, and to both ends.
for seek_s in (12.34, 3.07, 20, 0, 7.7777):
    after_seek(client, logged, seek_s, own)

# The pictures of a seek: the transforms belong to the Truth of that time.
schema = client.channels["/tf"]
Transforms = message_class(schema["schemaName"], base64.b64decode(schema["schema"]))
client.ask(op="sagbendPlayback", seek_s=15)
truth = telemetry_pb2.Truth.FromString([m for t, m in logged["/truth"] if t <= 15e9][-1])
while True:
    place = Transforms.FromString(client.message("/tf")[3]).transforms[1].translation
    if abs(place.x - truth.position_north_m) < 2e-4 and abs(place.y - truth.position_east_m) < 2e-4:
        break
client.message("/scene")

# Another client plays by itself while this one stands still.
other = Client(port).greet()
other.subscribe("/sensors", "/event")
other.ask(op="sagbendPlayback", rate=40, seek_s=2, playing=True)
end = state(other, lambda s: not s["playing"] and s["time_s"] == 20)
check(end["rate"] == 40, "the rate", end)
client.ask(op="sagbendPlayback", rate=2)
told = state(client, lambda s: s["rate"] == 2)
check(not told["playing"] and told["time_s"] == 15, "the first client has moved", told)
other.ask(op="sagbendPlayback", playing=True, rate=0.05)  # from the start again
state(other, lambda s: s["playing"] and s["time_s"] < 20)

# Times beyond the log are its ends. A rate that cannot be is an error, and nothing changes.
client.ask(op="sagbendPlayback", rate=1000, seek_s=1e8)
check(state(client, lambda s: s["time_s"] == 20)["rate"] == 1000, "the largest rate")
client.ask(op="sagbendPlayback", rate=0, seek_s=3)
client.op("status")
client.ask(op="sagbendPlayback", seek_s=-5)
state(client, lambda s: s["time_s"] == 0)
# What no player understands is an error, and the client stays.
client.ask(op="sagbendPlayback", seek_s="noon")
client.ask(op="sagbendPlayback", seek_s=4)
state(client, lambda s: s["time_s"] == 4)
client.close()
other.close()

# Playing sends each message once or thins it, in order, up to the end.
client = Client(port).greet()
client.subscribe("/nodes")
client.ask(op="sagbendPlayback", playing=True, rate=20, seek_s=0)
times = [client.message("/nodes")[2]]
while times[-1] < 20e9:
    times.append(client.message("/nodes")[2])
check(all(t in [m[0] for m in logged["/nodes"]] for t in times), "times of nodes", times)
client.close()
viewer.signal()
viewer.end()

# The parts of a log, in any order of the arguments.
os.mkdir(path("parts"))
code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "12", "--log-dir", path("parts"), "--set", "log.part_s=5")
check(code == 0, "a log in parts", err)
parts = sorted(os.listdir(path("parts")))
check(len(parts) == 3, "parts", parts)
logged = contents(*[f"parts/{name}" for name in parts])
viewer, port = start(*[path(f"parts/{parts[i]}") for i in (2, 0, 1)])
client = Client(port).greet()
told = state(client, lambda s: True)
check((told["start_s"], told["end_s"]) == (0, 12), "the span of the parts", told)
client.subscribe("/sensors", "/nodes", "/ledger")
for seek_s in (11.2, 6.3, 4.9):
    after_seek(client, logged, seek_s, ["/sensors", "/nodes", "/ledger"])
client.ask(op="sagbendPlayback", playing=True, rate=50)
state(client, lambda s: not s["playing"] and s["time_s"] == 12)
client.close()
viewer.signal()
viewer.end()

# What is constant stands at the begin of each part, and in the log of each session that a reset begins.
for name in parts:
    own = contents(f"parts/{name}")
    check(own["/session"][0][0] == min(m[0] for messages in own.values() for m in messages), "/session_info of a part", name, own["/session"][0][0])
    session = telemetry_pb2.Session.FromString(own["/session"][0][1])
    check(session.welcome.name == "jlay-900m" and len(session.pipe.arc_length_m) == 101, "/session_info of a part", session)
os.mkdir(path("resets"))
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", "--log-dir", path("resets"))
sessions = []
for order in ("reset", "stop"):
    simulator.wait_for_telemetry("session", lambda m: m.header.session not in sessions and not sessions.append(m.header.session))
    simulator.go_on(20)
    code, out, err = run("ctl", simulator.commands, order)
    check(code == 0, order, err)
check(simulator.end() == 0, "a session with a reset", simulator.stderr())
logs = sorted(os.listdir(path("resets")))
check(len(logs) == 2, "a log for each session", logs)
for name in logs:
    own = contents(f"resets/{name}")
    session = telemetry_pb2.Session.FromString(own["/session"][0][1]).header.session
    check(session in name and session in sessions and own["/session"][0][0] == 0, "/session_info after a reset", name, session)
    reset, address = start(path(f"resets/{name}"))
    client = Client(address).greet()
    check(client.info["sessionId"] == session, "the session of a log", client.info, session)
    client.subscribe("/session", "/truth")
    check(telemetry_pb2.Session.FromString(client.message("/session")[3]).header.session == session, "/session of a log")
    check(telemetry_pb2.Truth.FromString(client.message("/truth")[3]).header.session == session, "/truth of a log")
    client.close()
    reset.signal()
    check(reset.end() == 0, "the player", reset.stderr())
code, out, err = run(*[path(f"resets/{name}") for name in logs], "--listen", "127.0.0.1:0", program=SAGBEND_VIEW)
check(code == 1 and "of session" in err, "logs of two sessions", code, err)

# A log that changes while it is played: one line says so, and the player stops.
with open(path("a.mcap"), "rb") as file:
    content = file.read()
with open(path("changes.mcap"), "wb") as file:
    file.write(content)
viewer, port = start(path("changes.mcap"))
client = Client(port).greet()
client.subscribe("/sensors")
client.ask(op="sagbendPlayback", playing=False, seek_s=0)
state(client, lambda s: not s["playing"])
first, last = len(content) // 3, len(content) * 4 // 5  # a player that was held up may pass over a part
with open(path("changes.mcap"), "r+b") as file:
    file.seek(first)
    file.write(bytes(byte ^ 255 for byte in content[first:last]))
client.ask(op="sagbendPlayback", playing=True, rate=5)
viewer.wait_for("the log has changed while it was played: ")
check(state(client, lambda s: not s["playing"])["time_s"] <= 20, "the player goes on")
client.close()
viewer.signal()
check(viewer.end() == 0 and viewer.stderr().count("has changed") == 1, "the end of the player", viewer.stderr())

# Of the parts some may be missing, and the view states that; none may stand twice.
viewer, port = start(path(f"parts/{parts[0]}"), path(f"parts/{parts[2]}"))
viewer.wait_for("part 2 is missing")
client = Client(port).greet()
client.subscribe("/session", "/sensors")
logged = contents(f"parts/{parts[0]}", f"parts/{parts[2]}")
for seek_s in (7, 11.2, 4.9):
    after_seek(client, logged, seek_s, ["/session", "/sensors"])
client.close()
viewer.signal()
viewer.end()
for twice in ([f"parts/{parts[1]}", f"parts/{parts[0]}", f"parts/{parts[1]}"], ["a.mcap", "a.mcap"]):
    code, out, err = run(*[path(name) for name in twice], "--listen", "127.0.0.1:0", program=SAGBEND_VIEW)
    check(code == 1 and "overlaps" in err and err.count("\n") == 1, "a log twice", code, err)

# Damaged logs: the words of log info, status 1. Two sessions do not belong together.
with open(path("a.mcap"), "rb") as file:
    good = file.read()
for name, content in {"cut": good[:len(good) // 2], "flipped": good[:9999] + bytes([good[9999] ^ 1]) + good[10000:], "empty": b""}.items():
    with open(path(name), "wb") as file:
        file.write(content)
    code, out, err = run(path(name), "--listen", "127.0.0.1:0", program=SAGBEND_VIEW)
    informed = run("log", "info", path(name))[2]
    check(code == 1 and err.count("\n") == 1 and err.split(": ", 1)[1] == informed.split(": ", 1)[1], f"{name}", code, err, informed)
code, out, err = run(path("a.mcap"), path(f"parts/{parts[0]}"), "--listen", "127.0.0.1:0", program=SAGBEND_VIEW)
check(code == 1 and "of session" in err and err.count("\n") == 1, "two sessions", code, err)
code, out, err = run(path("a.mcap"), "--connect", "tcp://127.0.0.1:1", program=SAGBEND_VIEW)
check(code == 2 and err.count("\n") == 1, "a log and an endpoint", code, err)
print(f"{len(own)} channels after seeks, parts, {len(times)} of {len(contents('a.mcap')['/nodes'])} nodes played")
