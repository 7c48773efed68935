"""`sagbend ctl ENDPOINT mark TEXT`: the note is an event of the telemetry and of the log, and an order of the log; the
session replays. Refused: empty, too long and unprintable texts, keys of other roles, and what comes too fast."""
from harness import *
from sagbend.v1 import envelope_pb2, session_pb2

NOTE = 'pump 2 started: "all well" & 100 %'
LONGEST = "x" * 160


def ctl(simulator, *words):
    return run("ctl", simulator.commands, *words)


def notes(log, topic):
    status, out, err = run("log", "cat", path(log), "--topic", topic)
    check(status == 0, "log cat", err)
    return [json.loads(line)["message"] for line in out.splitlines()]


simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log", path("mark.mcap"), "--summary", path("mark.json"))
subscriber = zmq.Context.instance().socket(zmq.SUB)
subscriber.linger = 0
subscriber.subscribe("event")
connect_and_wait(subscriber, simulator.telemetry)


def published(text):
    """Waits for the event of a note."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if subscriber.poll(100):
            event = session_pb2.Event.FromString(subscriber.recv_multipart()[1])
            if event.name == "mark" and event.text.endswith(": " + text):
                return event
    sys.exit(f"FAILED: no event of the note '{text}'")


simulator.wait_for_step(1)
status, out, err = ctl(simulator, "mark", NOTE)
check((status, out, err) == (0, "", ""), "a note", status, out, err)
check(published(NOTE).text.split(": ", 1)[0], "who sent it")
status, out, err = ctl(simulator, "mark", LONGEST, "--json")
check(status == 0 and json.loads(out)["order"] == "mark" and json.loads(out)["number"] == 2, "the longest note", out, err)
published(LONGEST)

# While no steps are made.
check(ctl(simulator, "pause")[0] == 0 and ctl(simulator, "mark", "in the pause")[0] == 0, "a note in a pause")
published("in the pause")
check(ctl(simulator, "resume")[0] == 0, "resume")

# Wrong usage: nothing is sent.
for words, reason in (([], "needs one text, in quotation marks"), (["two", "words"], "needs one text, in quotation marks"),
                      ([""], "that are not all blanks"), (["   "], "that are not all blanks"), (["x" * 161], "1 to 160 characters expected, got 161"),
                      (["a\nb"], "got another character at 2"), (["\033[2J"], "got another character at 1"), (["K\u00f6ln"], "got another character at 2")):
    status, out, err = ctl(simulator, "mark", *words)
    check(status == 2 and reason in err and len(err.splitlines()) == 1 and "\033" not in err, f"mark {words}", status, err)

# From a client that does not check.
peer = CommandPeer(simulator, "raw")


def send(text):
    envelope = envelope_pb2.Envelope()
    peer.sequence += 1
    envelope.order.header.protocol, envelope.order.header.sequence, envelope.order.operator = 1, peer.sequence, "anna"
    envelope.order.mark.text = text
    peer.socket.send(envelope.SerializeToString())


for text in "", "  ", "x" * 161, "x" * 300, "a\nb", "\x1b[2J", "\u00f6":
    send(text)
    check(peer.receive("receipt", "refusal").DESCRIPTOR.name == "Refusal", f"accepted: {text!r}")
send("by anna")
check(peer.receive("receipt", "refusal").number == 6, "the refused ones have no number")
check(published("by anna").text == "anna: by anna", "who sent it")


def denied():
    status, out, err = ctl(simulator, "status", "--json")
    check(status == 0, "status", err)
    return json.loads(out)["security"]["rate"]


# Faster than a connection may send: the excess is refused and counted, each accepted note is an event, and the session goes on.
for i in range(6000):
    send(f"note {i}")
until(lambda: denied() > 0, "the flood is not limited")
until(lambda: ctl(simulator, "mark", "the last")[0] == 0, "no note after the flood", simulator.stderr()[-2000:])
published("the last")
check(ctl(simulator, "stop")[0] == 0 and simulator.end() == 0, "the end", simulator.stderr()[-2000:])

orders = [m for m in notes("mark.mcap", "/operator") if "mark" in m["order"]]
events = [m for m in notes("mark.mcap", "/event") if m["name"] == "mark"]
check([m["order"]["mark"]["text"] for m in orders[:4]] == [NOTE, LONGEST, "in the pause", "by anna"], "orders of the log", orders[:4])
check([f'{m["order"]["operator"]}: {m["order"]["mark"]["text"]}' for m in orders] == [m["text"] for m in events], "an event for each note", 
      [(o, e) for o, e in zip(orders, events) if not e["text"].endswith(o["order"]["mark"]["text"])][:3], len(orders), len(events))
check(len(orders) < 6000, "the flood was not limited", len(orders))
check(load("mark.json")["orders"]["accepted"] == len(orders) + 3, "counted", load("mark.json")["orders"])
status, out, err = run("replay", path("mark.mcap"), "--verify")
check(status == 0 and "equal" in out, "the replay", out, err)

# The role of a key permits it, as other orders.
for role, name in ("server", "sim"), ("controller", "dp-1"), ("operator", "bridge"):
    check(run("keygen", "--role", role, "--name", name, path(name + ".key"))[0] == 0, "keygen")
with open(path("admitted"), "w") as file:
    for name in "dp-1", "bridge":
        with open(path(name + ".key.pub")) as public:
            file.write(public.read())
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--set", "network.server_key=" + path("sim.key"),
                      "--set", "network.admitted_keys=" + path("admitted"), "--log", path("keys.mcap"))
keys = {name: ["--key", path(name + ".key"), "--server-key", path("sim.key.pub")] for name in ("dp-1", "bridge")}
status, _, err = ctl(simulator, "mark", "not mine", *keys["dp-1"])
check(status == 1 and "only the key of an operator" in err, "a controller leaves a note", status, err)
check(ctl(simulator, "mark", "mine", *keys["bridge"])[0] == 0, "an operator with a key")
check(ctl(simulator, "stop", *keys["bridge"])[0] == 0 and simulator.end() == 0, "the end", simulator.stderr())
check([m["text"] for m in notes("keys.mcap", "/event") if m["name"] == "mark"] == ["bridge: mine"], "the key names the operator")
