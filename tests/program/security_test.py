"""Keys on the network: who is admitted, what each role may do, and what an attacker achieves. Each check here fails if the
protection that it names is removed."""
import select
import socket as sockets
import threading

import zmq
from zmq.utils.monitor import recv_monitor_message

from harness import *

from sagbend.v1 import command_pb2, operator_pb2
from sagbend.v1.envelope_pb2 import Envelope

context = zmq.Context()
handshakes = {}  # the monitor of each socket


# ---- keys and configurations ----

def keygen(role, name):
    status, _, err = run("keygen", "--role", role, "--name", name, path(name + ".key"))
    check(status == 0, "keygen", err)


def public_of(name):
    with open(path(name + ".key.pub")) as file:
        return file.read().split()[2].encode()


def secret_of(name):
    with open(path(name + ".key")) as file:
        return dict(line.split() for line in file if not line.startswith("#"))["secret"].encode()


def admit(*names):
    with open(path("admitted"), "w") as file:
        file.write("# those who may connect\n")
        for name in names:
            with open(path(name + ".key.pub")) as public:
                file.write(public.read())
    os.chmod(path("admitted"), 0o644)


for role, name in ("server", "sim"), ("server", "other-sim"), ("controller", "dp-1"), ("controller", "dp-2"), \
                  ("operator", "bridge"), ("observer", "screen"), ("controller", "stranger"):
    keygen(role, name)
admit("dp-1", "dp-2", "bridge", "screen")
KEYS = ["--set", "network.server_key=" + path("sim.key"), "--set", "network.admitted_keys=" + path("admitted")]
HOLD = ["--mode", "realtime", "--duration", "0"]


def open_socket(kind, endpoint, name=None, server="sim", routing_id=None):
    """A socket of libzmq with the keys of this name."""
    socket = context.socket(kind)
    socket.linger = 0
    if routing_id:
        socket.routing_id = routing_id
    if name:
        socket.curve_publickey, socket.curve_secretkey = public_of(name), secret_of(name)
        socket.curve_serverkey = public_of(server)
    handshakes[socket] = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_AUTH |
                                                  zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL)
    socket.connect(endpoint)
    return socket


def outcome(socket):
    """The event that ends the handshake."""
    check(handshakes[socket].poll(1000 * PATIENCE_S), "the handshake neither succeeds nor fails")
    return recv_monitor_message(handshakes[socket])["event"]


def close(*sockets):
    for socket in sockets:
        handshakes.pop(socket)
        socket.disable_monitor()
        socket.close()


def receive(socket, *kinds):
    deadline = time.monotonic() + PATIENCE_S
    while socket.poll(max(0, int(1000 * (deadline - time.monotonic())))):
        got = Envelope.FromString(socket.recv())
        if got.WhichOneof("message") in kinds:
            return getattr(got, got.WhichOneof("message"))
    sys.exit(f"FAILED: none of {kinds} came")


def hello(socket, id, name="dp"):
    envelope = Envelope(hello={"controller_id": id, "name": name})
    envelope.hello.header.protocol, envelope.hello.header.sequence = 1, 1
    socket.send(envelope.SerializeToString())
    return receive(socket, "welcome", "refusal")


def command(socket, session, id, step, sequence):
    envelope = Envelope(command={"controller_id": id, "based_on_step": step, "wrench": {"surge_n": 1e3}})
    envelope.command.header.protocol, envelope.command.header.session, envelope.command.header.sequence = 1, session, sequence
    socket.send(envelope.SerializeToString())


def order(socket, **fields):
    envelope = Envelope(order={"operator": "somebody else", **fields})
    envelope.order.header.protocol, envelope.order.header.sequence = 1, 7
    socket.send(envelope.SerializeToString())
    return receive(socket, "receipt", "refusal")


def is_refused_for_role(answer):
    return answer.DESCRIPTOR.name == "Refusal" and answer.reason == command_pb2.REFUSAL_REASON_ROLE


def finish(simulator, name):
    simulator.signal()
    check(simulator.end() == 0, "the simulator failed", simulator.stderr())
    return load(name)


# ---- the simulator does not start open ----

for endpoint in "tcp://*:*", "tcp://0.0.0.0:*":
    for option in "--bind-command", "--bind-telemetry":
        status, _, err = run("run", JLAY, *ANY_PORT, option, endpoint)
        check(status == 2 and "sagbend keygen --role server" in err and len(err.splitlines()) == 1, "it starts open to others", err)
status, _, err = run("check", JLAY, "--set", "network.command_endpoint=tcp://*:47700")
check(status == 2 and "other machines can connect" in err, "check does not report an open socket", err)
check(run("run", JLAY, "--mode", "fast", "--duration", "1", "--set", "network.command_endpoint=tcp://*:47700")[0] == 0, "mode fast")
for mode, what in (0o640, "mode 0600 expected"), (0o600, None):
    os.chmod(path("sim.key"), mode)
    status, _, err = run("check", JLAY, *KEYS, "--set", "network.command_endpoint=tcp://*:47700")
    check(status == (2 if what else 0) and (what or "") in err, "a secret key that others may read", err)
for given, missing, option in ("server_key", "admitted_keys", KEYS[:2]), ("admitted_keys", "server_key", KEYS[2:]):
    status, _, err = run("run", JLAY, *ANY_PORT, *option)
    check(status == 2 and f"network.{given} needs network.{missing} (in 'network.{given}=" in err,
          "one file only", err)
open(path("empty"), "w").close()
status, _, err = run("run", JLAY, *KEYS[:2], "--set", "network.admitted_keys=" + path("empty"))
check(status == 2 and "empty: at least one line 'ROLE NAME KEY' expected, got none" in err, "an empty list", err)
with open(path("bad"), "w") as file:
    file.write("controller a b\n")
status, _, err = run("check", JLAY, *KEYS[:2], "--set", "network.admitted_keys=" + path("bad"))
check(status == 2 and "bad:1: a key of 40 characters of Z85 expected, got 1" in err, "a bad list", err)
with open(path("beside.yaml"), "w") as file:  # relative to the configuration's folder
    file.write(f"extends: {os.path.abspath(JLAY)}\nnetwork:\n  server_key: sim.key\n  admitted_keys: admitted\n")
check(run("check", path("beside.yaml"))[0] == 0, "paths relative to the configuration", run("check", path("beside.yaml")))

# ---- the command socket ----

simulator = Simulator(JLAY, *HOLD, *KEYS, "--log", path("roles.mcap"), "--summary", path("roles.json"))
check("4 are admitted" in simulator.stderr(), "it does not say that keys are required", simulator.stderr())

# Clients of one kind that are denied again and again do not hide who is denied for another reason.
flood = [open_socket(zmq.DEALER, simulator.commands, "dp-1", server="other-sim") for _ in range(15)]
for socket in flood:
    outcome(socket)
close(*flood)

dp = open_socket(zmq.DEALER, simulator.commands, "dp-1", routing_id=b"same")
welcome = hello(dp, "id-1")
check(welcome.DESCRIPTOR.name == "Welcome", "an admitted controller is not welcome", welcome)
command(dp, welcome.header.session, "id-1", receive(dp, "sensors").header.step, 2)
check(is_refused_for_role(order(dp, stop={})), "a controller stops the session")

bridge = open_socket(zmq.DEALER, simulator.commands, "bridge")
check(order(bridge, list={}).DESCRIPTOR.name == "Receipt", "an operator's order is refused")
check(is_refused_for_role(hello(bridge, "id-b")), "an operator joins as a controller")

# Who names the routing id of the controller in command is another peer: what is for that controller does not come to it.
usurper = open_socket(zmq.DEALER, simulator.commands, "bridge", routing_id=b"same")
check(order(usurper, list={}).DESCRIPTOR.name == "Receipt", "a peer with the routing id of another one is not served")
receive(dp, "sensors")
check(not usurper.poll(0), "what is for a controller comes to a peer that names the same routing id")
close(usurper)
sensors, sequence = receive(dp, "sensors"), 3
while sensors.command_sequence < 3:
    command(dp, welcome.header.session, "id-1", sensors.header.step, sequence)
    sensors, sequence = receive(dp, "sensors"), sequence + 1

denied = [open_socket(zmq.DEALER, simulator.commands, "stranger"), open_socket(zmq.DEALER, simulator.commands, "screen")]
for socket in denied:
    check(outcome(socket) == zmq.EVENT_HANDSHAKE_FAILED_AUTH, "an unknown key, or an observer's, is admitted")
plain = open_socket(zmq.DEALER, simulator.commands)
check(outcome(plain) in (zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL), "a client without a key is admitted")
wrong = open_socket(zmq.DEALER, simulator.commands, "dp-1", server="other-sim")
check(outcome(wrong) == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, "a client of another server is admitted")

# Another key does not get the name of a connected controller, and with its id it does not take its place.
thief = open_socket(zmq.DEALER, simulator.commands, "dp-2")
for id in "id-1", "id-2":
    answer = hello(thief, id)
    check(is_refused_for_role(answer) and "dp (number 1, key dp-1)" in answer.text, "another key joins under the same name", answer)
for looks_alike in "DP", "dP":
    answer = hello(thief, "id-2", looks_alike)
    check(is_refused_for_role(answer) and "dp (number 1, key dp-1)" in answer.text, f"{looks_alike!r} is another name than 'dp'", answer)
for looks_alike in "dp ", " dp", " ":
    answer = hello(thief, "id-2", looks_alike)
    check(answer.DESCRIPTOR.name == "Refusal" and "without blanks at its ends" in answer.text, f"{looks_alike!r} is another name than 'dp'", answer)
check(hello(thief, "id-1", "other").DESCRIPTOR.name == "Welcome", "a second controller is not welcome")
command(thief, welcome.header.session, "id-1", receive(thief, "sensors").header.step, 5)
check(receive(thief, "refusal").reason == command_pb2.REFUSAL_REASON_NOT_CONTROLLER, "another key takes over by the id")
again = hello(thief, "id-1", "third")
check(again.DESCRIPTOR.name == "Refusal" and "'third'" in again.text, "a controller changes its name", again)

# The programs.
CLIENT = ["--server-key", path("sim.key.pub")]
status, _, err = run("ctl", simulator.commands, "list", "--key", path("bridge.key"), *CLIENT)
check(status == 0, "ctl with a key", err)
status, out, err = run("ctl", simulator.commands, "status", "--json", "--key", path("bridge.key"), *CLIENT)
keys_of = {c["name"]: c["key"] for c in json.loads(out)["peer"]}
check(keys_of == {"dp": "dp-1", "other": "dp-2"}, "the status does not name the keys", out)
check("dp (number 1, key dp-1)" in run("ctl", simulator.commands, "status", "--key", path("bridge.key"), *CLIENT)[1], "the page")
status, _, err = run("ctl", simulator.commands, "list", "--key", path("bridge.key"), "--server-key", public_of("sim").decode())
check(status == 0, "ctl with the server's key as text", err)
for arguments, text in ([], "admits only clients with a key"), (["--key", path("stranger.key"), *CLIENT], "does not admit the key"), \
                       (["--key", path("dp-1.key"), *CLIENT], "only the key of an operator"):
    status, _, err = run("ctl", simulator.commands, "list", *arguments)
    check(status == 1 and text in err, "ctl does not say why it is denied", arguments, err)
check(run("ctl", simulator.commands, "list", "--key", path("bridge.key"))[0] == 2, "one key only")
dp_program = Program(SAGBEND_DP, JLAY_DP, "--connect", simulator.commands,
                     "--key", path("stranger.key"), *CLIENT)
check(dp_program.end() == 1 and "does not admit the key stranger" in dp_program.stderr(), "sagbend-dp", dp_program.stderr())

close(dp, bridge, plain, wrong, thief, *denied)
summary = finish(simulator, "roles.json")
security = summary["security"]
counts = security["denied"]
check(counts["unknown_key"] >= 3 and counts["role"] >= 4 and counts["handshake"] >= 1 and
      counts["mechanism"] + counts["unfinished"] >= 2, "what was denied is not counted", security)
status, out, err = run("log", "cat", path("roles.mcap"), "--topic", "/event")
check(out.count('"denied_handshake"') >= 10, "the first denials of a flood have events", out, security)
for text in "key " + public_of("stranger").decode(), "observer screen", "controller dp-1", "operator bridge", "controller dp-2 from", \
            "other (number 2, key dp-2) joined":
    check(text in out.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&"), "no event names " + text, out)

# ---- telemetry, against libzmq's own subscriber ----

def subscribe(endpoint, name=None, server="sim", topic="truth"):
    socket = open_socket(zmq.SUB, endpoint, name, server)
    socket.subscribe(topic)
    return socket


def is_published(socket):
    return socket.poll(1000 * PATIENCE_S) and len(socket.recv_multipart()) == 2


simulator = Simulator(JLAY, *HOLD, *KEYS, "--summary", path("telemetry.json"), "--log", path("telemetry.mcap"))
admitted = [subscribe(simulator.telemetry, name) for name in ("bridge", "screen")]
for socket in admitted:
    check(is_published(socket), "an operator or observer receives no telemetry")
controller_sub = subscribe(simulator.telemetry, "dp-1", topic="")
topics = set()
while "sensors" not in topics:
    topics.add(controller_sub.recv_multipart()[0].decode())
hidden = subscribe(simulator.telemetry, "dp-2", topic="truth")  # denied, which is an event
check(outcome(hidden) == zmq.EVENT_HANDSHAKE_SUCCEEDED, "a controller may not subscribe")
while "event" not in topics:
    topics.add(controller_sub.recv_multipart()[0].decode())
check(topics <= {"sensors", "event", "end"}, "a controller receives what it may not know", topics)
check(not hidden.poll(0), "a controller receives the truth")
stranger = subscribe(simulator.telemetry, "stranger")
check(outcome(stranger) == zmq.EVENT_HANDSHAKE_FAILED_AUTH, "telemetry admits an unknown key")
plain = subscribe(simulator.telemetry)
check(outcome(plain) != zmq.EVENT_HANDSHAKE_SUCCEEDED, "telemetry admits a subscriber without a key")
wrong = subscribe(simulator.telemetry, "screen", "other-sim")
check(outcome(wrong) != zmq.EVENT_HANDSHAKE_SUCCEEDED, "telemetry admits a client of another server")
close(*admitted, controller_sub, hidden, stranger, plain, wrong)


# ---- attacks between a client and the simulator, on both sockets ----

def port_of(endpoint):
    return int(endpoint.rsplit(":", 1)[1])


class Proxy:
    """Forwards one connection; `alter` may change what the client sends."""

    def __init__(self, endpoint, alter=lambda data: data):
        self.listener = sockets.create_server(("127.0.0.1", 0))
        self.endpoint = "tcp://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.target, self.alter, self.sent = port_of(endpoint), alter, b""
        self.ended = threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        client, _ = self.listener.accept()
        self.listener.close()
        server = self.server = sockets.create_connection(("127.0.0.1", self.target))

        def answers():
            while data := read(server):
                try:
                    client.sendall(data)
                except OSError:
                    break
            self.ended.set()

        threading.Thread(target=answers, daemon=True).start()
        while data := read(client):
            data = self.alter(data)
            self.sent += data
            try:
                server.sendall(data)
            except OSError:
                break


def read(socket):
    try:
        return socket.recv(65536)
    except OSError:
        return b""


def frames(data):
    """Greeting and frames of what a client has sent."""
    out, at = [data[:64]], 64
    while at < len(data):
        size = 9 + int.from_bytes(data[at + 1:at + 9], "big") if data[at] & 2 else 2 + data[at + 1]
        out.append(data[at:at + size])
        at += size
    return out


def flip(position):
    """Flips a bit of the byte at this position of all that the client sends."""
    passed = [0]

    def alter(data):
        at = position - passed[0]
        passed[0] += len(data)
        return data[:at] + bytes([data[at] ^ 16]) + data[at + 1:] if 0 <= at < len(data) else data

    return alter


KINDS = (zmq.SUB, simulator.telemetry, "screen"), (zmq.DEALER, simulator.commands, "dp-1")
for kind, endpoint, name in KINDS:
    proxy = Proxy(endpoint)
    recorded = open_socket(kind, proxy.endpoint, name)
    if kind == zmq.SUB:
        recorded.subscribe("truth")
        check(is_published(recorded), "no telemetry through the proxy")
    else:
        check(hello(recorded, "id-r").DESCRIPTOR.name == "Welcome", "no Welcome through the proxy")
    record = frames(proxy.sent)
    check([f[2:3] + f[3:8] for f in record[1:2]] == [b"\x05HELLO"], "no HELLO in the record", record)

    # A replayed handshake: its HELLO is answered by another WELCOME, its INITIATE is refused.
    replay = sockets.create_connection(("127.0.0.1", port_of(endpoint)))
    replay.sendall(record[0] + record[1])
    answer = b""
    while len(answer) < 64 + 2 + 168:
        answer += replay.recv(65536)
    replay.sendall(b"".join(record[2:]))
    check(is_closed(replay), "a replayed INITIATE is accepted")

    # A message of the running connection that comes a second time.
    proxy.server.sendall(record[-1])
    check(proxy.ended.wait(PATIENCE_S), "a replayed message is accepted")
    close(recorded)

    # A flipped bit, in each field: signature, mechanism, HELLO (key, number, box), INITIATE (cookie, number, box), message.
    hello_at, initiate_at = 64, 64 + len(record[1])
    message_at = initiate_at + len(record[2])
    for position in 0, 12, hello_at + 4, hello_at + 90, hello_at + 118, hello_at + 150, initiate_at + 12, initiate_at + 60, \
                    initiate_at + 118, initiate_at + 130, initiate_at + 200, message_at + 12, message_at + 20, message_at + 40:
        proxy = Proxy(endpoint, flip(position))
        victim = open_socket(kind, proxy.endpoint, name)
        if kind == zmq.SUB:
            victim.subscribe("truth")
        else:
            victim.send(b"x" * 40)
        check(proxy.ended.wait(PATIENCE_S), "a flipped bit is accepted", position, record)
        check(not victim.poll(0), "a flipped bit gives access", position)
        close(victim)

    # A peer that stops: nothing, half a greeting, after the greeting, in the middle of HELLO, after HELLO.
    halves = [sockets.create_connection(("127.0.0.1", port_of(endpoint))) for _ in range(5)]
    for connection, data in zip(halves, (b"", record[0][:20], record[0], record[0] + record[1][:50], record[0] + record[1])):
        connection.sendall(data)
    for connection in halves:
        check(is_closed(connection), "a peer that stops in the handshake keeps its connection")

    # Downgrade: the greeting states NULL, READY follows.
    downgrade = sockets.create_connection(("127.0.0.1", port_of(endpoint)))
    greeting = bytearray(record[0])
    greeting[12:32] = b"NULL".ljust(20, b"\0")
    downgrade.sendall(bytes(greeting) + b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03" + (b"SUB" if kind == zmq.SUB else b"DEA"))
    check(is_closed(downgrade), "a connection without encryption is accepted")

summary = finish(simulator, "telemetry.json")
counts = summary["security"]["denied"]
check(counts["role"] >= 1 and counts["unknown_key"] >= 1 and counts["handshake"] >= 15 and counts["message"] >= 4 and
      counts["mechanism"] >= 3 and counts["unfinished"] >= 5, "what was denied is not counted", summary["security"])
check(summary["security"]["denied_without_event"] > 0, "each of many denials has an event", summary["security"])

# ---- one controller in command, and an operator who decides ----

simulator = Simulator(JLAY, *HOLD, *KEYS, "--summary", path("command.json"), "--log", path("command.mcap"))
controllers = {}
for name in "dp-1", "dp-2":
    controllers[name] = open_socket(zmq.DEALER, simulator.commands, name)
    session = hello(controllers[name], "id-" + name, name).header.session
sequence = 1


def answers(name, other=None):
    """Sends a command as this controller: whether it is accepted. The reason of a refusal is that of another in command."""
    global sequence
    sequence += 1
    socket = controllers[name]
    while socket.poll(0):
        socket.recv()
    command(socket, session, "id-" + name, receive(socket, "sensors").header.step, sequence)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        got = receive(socket, "sensors", "refusal")
        if got.DESCRIPTOR.name == "Refusal":
            if got.reason == command_pb2.REFUSAL_REASON_STALE:  # on a busy machine
                return answers(name)
            check(got.reason == command_pb2.REFUSAL_REASON_NOT_CONTROLLER and got.refused_sequence == sequence, "refused", got)
            return False
        if got.command_sequence == sequence:
            return True
    sys.exit("FAILED: the command has no effect and is not refused")


OPERATOR = ["--key", path("bridge.key"), *CLIENT]
check(answers("dp-1") and not answers("dp-2"), "two controllers in command")
for who, other in ("dp-2", "dp-1"), ("dp-1", "dp-2"):
    status, _, err = run("ctl", simulator.commands, "take-over", who, *OPERATOR)
    check(status == 0, "take-over", err)
    check(answers(who) and not answers(other), "the command does not move at once")
status, out, err = run("ctl", simulator.commands, "status", "--json", *OPERATOR)
check(status == 0 and json.loads(out)["security"]["take_overs"] == 2, "take-overs in the status", out, err)
number = [c["number"] for c in json.loads(out)["peer"] if c["name"] == "dp-2"][0]
check(run("ctl", simulator.commands, "take-over", str(number), *OPERATOR)[0] == 0 and answers("dp-2"), "take-over by number")
status, _, err = run("ctl", simulator.commands, "take-over", "nobody", *OPERATOR)
check(status == 1 and "the name or number of a connected controller" in err, "take-over of nobody", err)
status, _, err = run("ctl", simulator.commands, "take-over", "dp-1", "--key", path("dp-1.key"), *CLIENT)
check(status == 1 and "only the key of an operator" in err, "a controller takes over by itself", err)
close(*controllers.values())
summary = finish(simulator, "command.json")
check(summary["security"]["take_overs"] == 3, "take-overs in the summary", summary["security"])
status, out, err = run("log", "cat", path("command.mcap"), "--topic", "/operator")
check(out.count("dp-2") == 2 - 1 and out.count("take") >= 3 and "bridge" in out, "the log lacks a take-over", out, err)
status, out, err = run("replay", path("command.mcap"), "--verify", timeout=200)
check(status == 0, "a session with take-overs does not replay", out, err)

# ---- limits; on loopback without keys, where anyone can try ----

simulator = Simulator(JLAY, *HOLD, "--summary", path("limits.json"), "--log", path("limits.mcap"))
victim = open_socket(zmq.DEALER, simulator.commands)
controllers, session, sequence = {"v": victim}, hello(victim, "id-v", "v").header.session, 1
check(answers("v"), "the first command")

timings = subscribe(simulator.telemetry, topic="timing")


def until_timing(holds, what):
    """Waits for Timing with which this holds. Meanwhile the controller's commands are accepted."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        check(answers("v"), what)
        if timings.poll(0) and holds(telemetry_pb2.Timing.FromString(timings.recv_multipart()[1]).security):
            return
    sys.exit("FAILED: " + what)


# A flood of messages: the excess is refused, the controller's commands are not.
flood = open_socket(zmq.DEALER, simulator.commands)
flood.linger, flood.sndhwm = -1, 0
for i in range(20000):
    flood.send(b"flood")
    if i % 4000 == 0:
        check(answers("v"), "the controller loses its commands in a flood")
until_timing(lambda security: security.rate > 1000, "a flood is not limited, or the controller loses its commands in it")

# More connections than the limit: the excess is dropped, or closed if it comes in a burst before the simulator acts (it
# was suspended meanwhile). The controller stays, and new ones come in when others go.
for in_a_burst in False, True:
    before, crowd = [], []
    until_timing(lambda security: before.append(security.too_many) or True, "no timing")
    if in_a_burst:
        simulator.suspend()
    for _ in range(400):
        crowd.append(sockets.socket())
        crowd[-1].setblocking(False)
        crowd[-1].connect_ex(("127.0.0.1", port_of(simulator.commands)))
    if in_a_burst:
        select.select([], crowd, [], PATIENCE_S)
        simulator.signal(signal.SIGCONT)
    until_timing(lambda security: security.too_many > before[0], "a crowd is not limited, or the controller loses its connection in it")
    for connection in crowd:
        connection.close()
    until_timing(lambda security: security.connections < 100, "a crowd that has gone is counted")
late = open_socket(zmq.DEALER, simulator.commands)
check(hello(late, "id-late").DESCRIPTOR.name == "Welcome", "no newcomer after a crowd")

# Giant messages: refused, or beyond the limit the connection is closed. Memory stays.
for size in 200_000, 1_000_000, 50_000_000:
    giant = open_socket(zmq.DEALER, simulator.commands)
    closed = handshakes[giant]
    giant.send(bytes(size))
    if size < 256 << 10:
        check(receive(giant, "refusal").reason == command_pb2.REFUSAL_REASON_MALFORMED, "a giant message")
    close(giant)
check(answers("v"), "the controller suffers from giant messages")
close(flood, late, victim, timings)
summary = finish(simulator, "limits.json")
counts = summary["security"]
check(counts["denied"]["rate"] > 1000 and counts["denied"]["too_many"] > 0, "what was denied is not counted", counts)
events = run("log", "cat", path("limits.mcap"), "--topic", "/event")[1].splitlines()
denials = [e for e in events if '"denied' in e]
check(0 < len(denials) < 100 and any("more denied" in e for e in denials) or counts["denied_without_event"] > 0, "a flood fills the log",
      len(denials), *denials[:20])

# At a path in place of a port the number is limited too.
simulator = Program(SAGBEND, "run", JLAY, "--bind-command", "ipc://" + path("c.sock"), "--bind-telemetry", "tcp://127.0.0.1:*",
                    "--duration", "0", "--summary", path("local.json"))
simulator.wait_for("telemetry at")
crowd = []
for _ in range(200):
    crowd.append(sockets.socket(sockets.AF_UNIX))
    crowd[-1].connect(path("c.sock"))
closed, deadline = set(), time.monotonic() + PATIENCE_S
while len(closed) < 200 - 128 and time.monotonic() < deadline:
    for connection in select.select([c for c in crowd if c not in closed], [], [], 1)[0]:
        if not connection.recv(1000):
            closed.add(connection)
check(len(closed) >= 200 - 128, "a crowd at a path is not limited", len(closed))
for connection in crowd:
    connection.close()
check(finish(simulator, "local.json")["security"]["denied"]["too_many"] >= 200 - 128, "a crowd at a path is not counted")

# ---- replay --publish has keys of its own; other machines need them ----

log = path("limits.mcap")
status, _, err = run("replay", log, "--publish", "--bind-command", "tcp://127.0.0.1:*", "--bind-telemetry", "tcp://*:*")
check(status == 2 and "other machines can connect" in err, "a replay opens a socket to others", status, err)
check(run("replay", log, "--publish", *ANY_PORT, "--server-key", path("sim.key"))[0] == 2, "a replay with one file of keys")
replay = Program(SAGBEND, "replay", log, "--publish", *ANY_PORT, "--server-key", path("sim.key"), "--admitted-keys", path("admitted"),
                 "--rate", "0.1")
screen = subscribe(replay.wait_for(r"telemetry at (\S+)").group(1), "screen", topic="")
check(is_published(screen), "no telemetry of a replay")
stranger = subscribe(replay.wait_for(r"telemetry at (\S+)").group(1), "stranger", topic="")
check(outcome(stranger) == zmq.EVENT_HANDSHAKE_FAILED_AUTH, "a replay admits an unknown key")
close(screen, stranger)
replay.signal()
replay.end()
