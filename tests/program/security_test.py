"""Keys on the network: who is admitted, what each role may do, and what an attacker achieves. Each check here fails if the
protection that it names is removed."""
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


def open_socket(kind, endpoint, name=None, server="sim"):
    """A socket of libzmq with the keys of this name."""
    socket = context.socket(kind)
    socket.linger = 0
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
status, _, err = run("check", JLAY, *KEYS[:2])
check(status == 2 and "network.admitted_keys: the path of a file beside server_key expected" in err, "one file only", err)
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
dp = open_socket(zmq.DEALER, simulator.commands, "dp-1")
welcome = hello(dp, "id-1")
check(welcome.DESCRIPTOR.name == "Welcome", "an admitted controller is not welcome", welcome)
command(dp, welcome.header.session, "id-1", receive(dp, "sensors").header.step, 2)
check(is_refused_for_role(order(dp, stop={})), "a controller stops the session")

bridge = open_socket(zmq.DEALER, simulator.commands, "bridge")
check(order(bridge, list={}).DESCRIPTOR.name == "Receipt", "an operator's order is refused")
check(is_refused_for_role(hello(bridge, "id-b")), "an operator joins as a controller")

denied = [open_socket(zmq.DEALER, simulator.commands, "stranger"), open_socket(zmq.DEALER, simulator.commands, "screen")]
for socket in denied:
    check(outcome(socket) == zmq.EVENT_HANDSHAKE_FAILED_AUTH, "an unknown key, or an observer's, is admitted")
plain = open_socket(zmq.DEALER, simulator.commands)
check(outcome(plain) in (zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL), "a client without a key is admitted")
wrong = open_socket(zmq.DEALER, simulator.commands, "dp-1", server="other-sim")
check(outcome(wrong) == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, "a client of another server is admitted")

# Another key with the name and id of the controller in command does not take its place.
thief = open_socket(zmq.DEALER, simulator.commands, "dp-2")
check(hello(thief, "id-1").DESCRIPTOR.name == "Welcome", "a second controller is not welcome")
command(thief, welcome.header.session, "id-1", receive(thief, "sensors").header.step, 5)
check(receive(thief, "refusal").reason == command_pb2.REFUSAL_REASON_NOT_CONTROLLER, "another key takes over by the name alone")

# The programs.
CLIENT = ["--server-key", path("sim.key.pub")]
status, _, err = run("ctl", simulator.commands, "list", "--key", path("bridge.key"), *CLIENT)
check(status == 0, "ctl with a key", err)
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
for reason, least in ("unknown_key", 3), ("role", 4), ("mechanism", 2), ("handshake", 1):
    check(security["denied"][reason] >= least, "not counted: " + reason, security)
status, out, err = run("log", "cat", path("roles.mcap"), "--topic", "/event")
for text in "key " + public_of("stranger").decode(), "observer screen", "controller dp-1", "operator bridge":
    check(text in out.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&"), "no event names " + text, out)
