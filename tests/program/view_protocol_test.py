"""sagbend-view against clients that break the rules and telemetry that does: each gets its answer, and a well-behaved client beside
them misses nothing. The telemetry comes from this test."""
import gzip
import socket
import struct
import threading

from harness import *
from sagbend.v1 import header_pb2, session_pb2
from view_client import *



class Telemetry:
    """A publisher of messages that look like a simulator's."""

    def __init__(self):
        self.socket = zmq.Context.instance().socket(zmq.PUB)
        self.socket.linger = 0
        self.socket.sndhwm = 0
        port = self.socket.bind_to_random_port("tcp://127.0.0.1")
        self.endpoint, self.session, self.numbers, self.protocol = f"tcp://127.0.0.1:{port}", "first", {}, 1

    def header(self, topic, time_s):
        self.numbers[topic] = self.numbers.get(topic, 0) + 1
        return header_pb2.Header(protocol=self.protocol, session=self.session, sequence=self.numbers[topic], step=1, time_s=time_s)

    def truth(self, time_s, **fields):
        self.send("truth", telemetry_pb2.Truth(header=self.header("truth", time_s), **fields).SerializeToString())

    def nodes(self):
        lists = [one.name for one in telemetry_pb2.Nodes.DESCRIPTOR.fields if one.name != "header"]
        self.send("nodes", telemetry_pb2.Nodes(header=self.header("nodes", 1), **{name: [0.5] * 1500 for name in lists}).SerializeToString())

    def event(self, name):
        self.send("event", session_pb2.Event(header=self.header("event", 1), name=name, text="text").SerializeToString())

    def send(self, topic, payload):
        self.socket.send_multipart([topic.encode(), payload])


def start(*options):
    program = Program(SAGBEND_VIEW, *options)
    return program, int(program.wait_for(r"http://[\d.]+:(\d+)/").group(1))


telemetry = Telemetry()
view, port = start("--connect", telemetry.endpoint, "--listen", "127.0.0.1:0", "--allow-origin", "http://lichtblick:8080")


def until_received(client, send, topic):
    """Sends again and again until the client gets a message of the topic: the view's subscription takes effect at some time."""
    got = []
    thread = threading.Thread(target=lambda: got.append(client.message(topic)), daemon=True)
    thread.start()
    while thread.is_alive():
        send()
        thread.join(0.05)
    return got[0]


# A client of each subprotocol gets the channels, and messages as they were sent.
good = Client(port, WEBSOCKET).greet()
check(good.protocol == WEBSOCKET, "subprotocol", good.head)
other = Client(port, f"other, {SDK}, {WEBSOCKET}").greet()
check(other.protocol == SDK, "the first known subprotocol is taken", other.head)
other.close()
check(good.info["capabilities"] == ["time"] and good.info["metadata"] == {"sagbend": "live", "page": "1", "protocol": "1"}, "info", good.info)
check({"/session", "/status", "/sensors", "/truth", "/nodes", "/ledger", "/timing", "/dp", "/alarm", "/event", "/end", "/tf", "/scene", "/log"}
      == set(good.channels), "channels", list(good.channels))
good.subscribe("/truth", "/event")
until_received(good, lambda: telemetry.truth(2.5), "/truth")
until_received(good, lambda: telemetry.event("old"), "/event")
info = good.info
check(info["sessionId"] != "first", "a session before the first message", info)

# Events are never thinned; of other channels the newest wins. Who subscribes later gets the newest and the last 500 events.
for i in range(700):
    telemetry.event(f"event-{i}")
for i in range(400):
    telemetry.truth(10 + i / 100)
names, newest = [], 0
while names[-1:] != ["event-699"] or newest < 13.99:
    _, topic, time_ns, payload = good.message()
    if topic == "/event" and (name := session_pb2.Event.FromString(payload).name) != "old":
        names.append(name)
    elif topic == "/truth":
        newest = telemetry_pb2.Truth.FromString(payload).header.time_s
        check(time_ns == round(newest * 1e9), "the time of a message is the simulated one", time_ns, newest)
check(names == [f"event-{i}" for i in range(700)], "a client misses events", len(names))
late = Client(port).greet()
check(late.info["sessionId"] == "first", "session", late.info)
late.subscribe("/event", "/truth")
names = [session_pb2.Event.FromString(late.message("/event")[3]).name for _ in range(500)]
check(names == [f"event-{i}" for i in range(200, 700)], "the last 500 events", names[:3], names[-3:])
check(telemetry_pb2.Truth.FromString(late.message("/truth")[3]).header.time_s == 13.99, "the newest of a channel")
late.close()

# Requests that are refused.
for status, request in {
    "405 POST": get(port, method="POST"), "404 unknown": get(port, "/unknown"), "404 ..": get(port, "/../../etc/passwd"),
    "403 host": get(port, host="evil.example"), "403 origin": get(port, fields=["Origin: http://evil.example"]),
    "200 origin": get(port, fields=["Origin: http://lichtblick:8080"]), "200 own": get(port, fields=[f"Origin: http://127.0.0.1:{port}"]),
    "400 garbage": http(port, b"\x16\x03\x01 nonsense\r\n\r\n"), "431 long": http(port, b"GET /" + b"x" * 8192),
    "400 protocol": http(port, handshake(port, "graphql-ws")), "400 none": http(port, handshake(port, None)),
    "404 path": http(port, handshake(port, path="/other")), "426 version": http(port, handshake(port, version="8")),
    "400 key": http(port, handshake(port, key="x")), "403 ws host": http(port, handshake(port, host="evil.example")),
    "403 ws origin": http(port, handshake(port, fields=["Origin: https://evil.example"])),
}.items():
    check(request[0] == int(status[:3]), status, request[:2])
page = get(port)
check(page[0] == 200 and b"sagbend" in page[2].lower(), "the page, or the text that there is none", page)
for part in ("script-src 'self';", "default-src 'none'", "frame-ancestors 'none'", "X-Content-Type-Options: nosniff"):
    check(part in page[1], "headers", part, page[1])
plain, packed = get(port, "/app.js"), get(port, "/app.js", fields=["Accept-Encoding: gzip, br"])
if plain[0] == 200:  # a build with npm
    check("Content-Encoding" not in plain[1] and "Content-Encoding: gzip" in packed[1] and "Vary: Accept-Encoding" in plain[1] and
          gzip.decompress(packed[2]) == plain[2] and len(packed[2]) < len(plain[2]) / 2, "the script, compressed", packed[1], len(packed[2]))
check("unsafe-eval" not in page[1] and "Access-Control" not in page[1], "headers", page[1])

# Connections that stand still give way, whether they send no request or read no answer.
def idle(request):
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    one.connect(("127.0.0.1", port))
    one.sendall(request)
    return one


for request in (b"GET", b"GET /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n"):
    idlers = [idle(request) for _ in range(40)]
    check(get(port)[0] == 200, "a request beside idle connections", request)
    for one in idlers:
        one.close()

# Operations that are refused: a status each, the tenth closes.
bad = Client(port).greet()
for i, text in enumerate([b"{", b"[]", b'{"op":"subscribe"}', b'{"op":"subscribe","subscriptions":[{"id":1,"channelId":99}]}',
                          b'{"op":"advertise","channels":[{"id":1,"topic":"/command","encoding":"protobuf","schemaName":"x"}]}',
                          b'{"op":"setParameters","parameters":[]}', b'{"op":"sagbendPlayback","playing":true}', b"", b"null"]):
    bad.send(text)
    answer = bad.op("status")
    check(answer["level"] == 2 and answer["message"], "an error status", text, answer)
bad.send(b"the tenth")
check(bad.op("status")["level"] == 2 and bad.wait_close() == 1008, "the tenth error closes", bad.code)
for code, frames in {1003: [(b"\x01binary", BINARY, True)], 1009: [(b" " * 65537, TEXT, True)],
                     1007: [(b'{"op":"\xff\xfe"}', TEXT, True)]}.items():
    bad = Client(port).greet()
    for payload, opcode, final in frames:
        bad.send(payload, opcode, final)
    check(bad.wait_close() == code, "close code", bad.code, code)
bad = Client(port).greet()
for _ in range(17):
    try:
        bad.send(b" " * 4096, TEXT if _ == 0 else 0, False)  # pieces without end
    except OSError:
        break
check(bad.wait_close() in (1009, None), "a message in pieces beyond 64 KiB", bad.code)
bad = Client(port).greet()
bad.send(b'{"op":"subscribe","subscriptions":[{"id":1,"channelId":9}]}' + b" " * (65536 - 59))
check(bad.message(1)[0] == "message", "a message of 64 KiB is taken")
bad.close()

# More than 16 clients: 503 until one leaves.
crowd = []


def is_crowd(count):
    client = Client(port)
    if client.status == 101:
        crowd.append(client)
    else:
        check(client.status == 503, "a client too many", client.head)
        client.close()
    return len(crowd) == count


until(lambda: is_crowd(15), "15 clients beside the first")  # those before them are still leaving
check(http(port, handshake(port))[0] == 503, "the 17th client")
crowd.pop().close()
until(lambda: is_crowd(15), "a client after another has left")
for client in crowd:
    client.close()

# Telemetry that cannot be used is left out, counted and shown; so is another version of the protocol.
base = good.op("sagbendSource")
check(base["state"] == "connected" and base["unreadable"] == 0 and base["dropped"] == 0, "source", base)
telemetry.send("truth", b"\xff\xff\xff")
telemetry.send("truth", b"")
telemetry.truth(20, position_north_m=float("nan"))
telemetry.truth(20, position_north_m=float("inf"))
telemetry.socket.send_multipart([b"truth"])
telemetry.socket.send_multipart([b"truth", b"two", b"three"])
telemetry.truth(float("nan"))
while (state := good.op("sagbendSource"))["unreadable"] < 7:
    pass
check(state["unreadable"] == 7 and state["last_error"] and state["other_protocol"] == 0, "unreadable", state)
telemetry.protocol = 2
telemetry.truth(20)
while (state := good.op("sagbendSource"))["other_protocol"] == 0:
    pass
telemetry.protocol = 1
telemetry.numbers["truth"] += 5  # these were lost on the way
telemetry.truth(21)
while (message := good.message("/truth"))[2] < 20_000_000_000:
    pass
check(message[2] == 21_000_000_000, "what was left out does not reach a client", message)
while (state := good.op("sagbendSource"))["dropped"] == 0:
    pass

# Silence is told; a new session has a new sessionId and nothing of the old one.
while (state := good.op("sagbendSource"))["state"] != "no_data":
    pass
telemetry.session, telemetry.numbers = "second", {}
telemetry.truth(0.01)
check(good.op("serverInfo")["sessionId"] == "second" and len(good.op("advertise")["channels"]) == len(good.channels), "a new session")
check(good.message("/truth")[2] == 10_000_000, "subscriptions stay")
late = Client(port).greet()
check(late.info["sessionId"] == "second", "session", late.info)
late.subscribe("/event", "/truth")
check(late.message()[1] == "/truth", "no event of the old session")
late.close()

# A client that does not read costs the others nothing and is closed; so is one that answers no pings.
stalled = Client(port, receive_buffer=4096, reads=False)
stalled.channels = good.channels
stalled.subscribe("/event", "/truth")
silent = Client(port, answers_pings=False).greet()
silent.subscribe("/truth")
ends = []
waiter = threading.Thread(target=lambda: ends.append(silent.wait_close()), daemon=True)
waiter.start()
sent = 0
while waiter.is_alive():
    for _ in range(50):
        telemetry.event(f"flood-{sent}")
        sent += 1
    names = []
    while f"flood-{sent - 1}" not in names:
        names.append(session_pb2.Event.FromString(good.message("/event")[3]).name)
    check(len(names) == 50, "a client misses events beside one that stalls", names)
    waiter.join(0.05)


def is_stalled_closed():
    with open(f"/proc/{view.process.pid}/net/tcp") as table:
        local = "%04X" % stalled.socket.getsockname()[1]
        return not any(line.split()[2].endswith(":" + local) and line.split()[3] == "01" for line in table.readlines()[1:])


until(is_stalled_closed, "a client that reads nothing is closed")
stalled.close()

# One that has stalled and then goes, in either way, does not hold the program up.
def dropped():
    return int(re.search(r"^sagbend_view_dropped_total (\d+)$", get(port, "/metrics")[2].decode(), re.M).group(1))


for goes in (lambda s: s.shutdown(socket.SHUT_RDWR), lambda s: s.shutdown(socket.SHUT_WR),
             lambda s: (s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)), s.close())):
    leaver, before = Client(port, receive_buffer=4096, reads=False), dropped()
    while b'"advertise"' not in leaver.frame()[1]:  # nothing is heard of a client that has not taken the channels
        pass
    leaver.channels = good.channels
    leaver.subscribe("/nodes")
    while dropped() == before:  # its queue is full, and of a large message the system has taken a part only
        telemetry.nodes()
    goes(leaver.socket)
    for _ in range(20):
        telemetry.truth(50)
        good.message("/truth")
        check(get(port)[0] == 200, "a client that has gone holds the program up")
    leaver.close()

# Nothing but the telemetry is connected to.
inodes = set()
for name in os.listdir(f"/proc/{view.process.pid}/fd"):
    try:
        inodes.add(os.readlink(f"/proc/{view.process.pid}/fd/{name}"))
    except OSError:
        pass
with open(f"/proc/{view.process.pid}/net/tcp") as table:
    rows = [line.split() for line in table.readlines()[1:]]
own = [(int(r[1].split(":")[1], 16), int(r[2].split(":")[1], 16)) for r in rows if f"socket:[{r[9]}]" in inodes]
away = {remote for local, remote in own if local != port and remote}
check(away == {int(telemetry.endpoint.rsplit(":")[-1])}, "connections of the program", own)

# A pause of the program is no silence of its clients.
view.suspend()
time.sleep(0.3)
view.resume()
telemetry.truth(99)
check(good.message("/truth")[2] == 99_000_000_000, "after a pause")

# Wrong use: one line, exit status 2.
taken = f"127.0.0.1:{port}"
connect = ["--connect", telemetry.endpoint]
for options in ([], ["--connect"], ["--connect", "127.0.0.1:1"], [*connect, "--listen", taken], [*connect, "--listen", "127.0.0.1:99999"],
                [*connect, "--listen", "tcp://127.0.0.1:0"], [*connect, "--listen", "0.0.0.0:0"], [*connect, "--seeded-fault"], [*connect, "extra"],
                [*connect, "--allow-host", "http://x"], [*connect, "--allow-origin", "x"], [*connect, "--key", "x"],
                [*connect, "--key", "/nonexistent", "--server-key", "x"]):
    status, out, err = run(*options, program=SAGBEND_VIEW)
    check(status == 2 and err.startswith("sagbend-view: ") and err.count("\n") == 1 and not out, "wrong use", options, status, err)
open_to_all, _ = start(*connect, "--listen", "0.0.0.0:0", "--allow-host", "rig.example")
open_to_all.wait_for("there is no authentication")
open_to_all.signal()
check(open_to_all.end() == 0, "SIGTERM", open_to_all.stderr())

view.signal()
check(view.end() == 0 and good.wait_close() in (None, 1001), "SIGTERM", view.stderr())
print("ok")
