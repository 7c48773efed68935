"""Attacks on the command socket over connections that it has admitted, with and without keys, in real time, in lockstep and at the
session manager: whatever a peer sends and however it goes, its connection ends, is counted, and gives back its descriptor and its
memory; the session and its controller go on. Most of these end a process in which libzmq serves (docs/security.md).

SAGBEND_ATTACKS: attempts of each attack (8; 300 for a campaign)."""
import random

from harness import *
from sagbend import Keys, NoAnswer, Operator, Refused
from zmtp_peer import COMMAND, ZmtpPeer, frame

ATTEMPTS = int(os.environ.get("SAGBEND_ATTACKS", "8"))
chance = random.Random(24)


def keygen(role, name):
    check(run("keygen", "--role", role, "--name", name, path(name + ".key"))[0] == 0, "keygen")


def words(name):
    with open(path(name + ".key")) as file:
        return dict(line.split() for line in file if not line.startswith("#"))


for role, name in ("server", "sim"), ("controller", "dp-1"), ("controller", "dp-2"), ("operator", "bridge"):
    keygen(role, name)
with open(path("admitted"), "w") as out:
    for name in "dp-1", "dp-2", "bridge":
        with open(path(name + ".key.pub")) as public:
            out.write(public.read())
os.chmod(path("admitted"), 0o644)
KEYS = ["--set", "network.server_key=" + path("sim.key"), "--set", "network.admitted_keys=" + path("admitted")]
CLIENT = ["--key", path("dp-1.key"), "--server-key", path("sim.key.pub")]
OPERATOR = Keys.read(path("bridge.key"), path("sim.key.pub"))


def ask(program, endpoint, keys, kind):
    """What an operator gets who comes anew."""
    with Operator(endpoint, keys=keys, timeout_s=PATIENCE_S) as operator:
        try:
            return operator.order(kind)
        except (NoAnswer, Refused) as error:
            check(False, "the operator is not served", error, program.stderr()[-2000:])


def keys_of(name):
    return words("sim")["public"], words(name)["public"], words(name)["secret"]


def hello(peer, name="liar"):
    envelope = envelope_pb2.Envelope(hello={"controller_id": name, "name": name})
    envelope.hello.header.protocol = envelope.hello.header.sequence = 1
    return peer.message(envelope.SerializeToString())


# ---- the attacks; each takes a function that connects ----

def altered(connect):
    """A bit of a message is flipped; the connection is reset at once."""
    peer = connect()
    data = bytearray(peer.message(b"x" * 40))
    data[chance.randrange(10, len(data))] ^= 1 << chance.randrange(8)
    peer.send(bytes(data))
    peer.reset()


def altered_and_waits(connect):
    peer = connect()
    data = bytearray(peer.message(b"x" * 40))
    data[-1] ^= 1
    peer.send(bytes(data))
    check(not peer.keys or peer.is_closed(), "an altered message is accepted")
    peer.close()


def twice(connect):
    """The same box a second time: its number has been used."""
    peer = connect()
    peer.send(hello(peer) + peer.message(b"y") * 2)
    peer.close()


def broken(connect):
    """A MESSAGE that is none."""
    peer = connect()
    peer.send(chance.choice([frame(b"\x07MESSAGE"), frame(b"\x07MESSAGE" + bytes(20)), frame(b""), frame(b"\x07NESSAGE" + bytes(40)),
                             frame(b"\x07MESSAGE" + b"\xff" * 60, COMMAND), b"\xff" * 30]))
    chance.choice([peer.close, peer.reset])()


def cut(connect):
    """The end in the middle of a frame."""
    peer = connect()
    data = peer.message(b"z" * 5000)
    peer.send(data[:chance.randrange(1, len(data))])
    chance.choice([peer.close, peer.reset])()


def same_id(connect):
    """A second connection names the routing id of a first, sends a flood, and is reset."""
    first, second = connect(b"same"), connect(b"same")
    first.send(hello(first))
    for _ in range(40):
        second.send(second.message(b"m" * 1000))
    second.reset()
    first.close()


def hand_over(connect):
    """The owner of a routing id sends after another connection has named it, and is reset."""
    first = connect(b"moved")
    first.send(hello(first))
    second = connect(b"moved")
    for _ in range(40):
        first.send(first.message(b"m" * 1000))
    first.reset()
    second.close()


def pings(connect):
    """A flood of PING, whose answers the peer does not read, and messages between them; reset."""
    peer = connect(b"", 4096)
    for _ in range(20):
        data = b"".join(peer.command(b"PING", b"\0\1" + b"c" * 16) for _ in range(100)) + peer.message(b"m" * 1000) * (0 if peer.keys else 3)
        if not peer.send(data):
            break
    peer.reset()


def unread(connect):
    """A controller that joins, asks for much and reads nothing."""
    peer = connect(b"", 4096)
    for _ in range(300):
        if not peer.send(hello(peer)):
            break
    peer.reset()


def giant(connect):
    """A frame that is announced and too large, or that never comes; a message of frames without an end."""
    peer = connect()
    which = chance.randrange(3)
    if which == 0:
        peer.send(b"\x02" + (1 << 63).to_bytes(8, "big"))
        check(peer.is_closed(), "a frame of 2^63 bytes is awaited")
    elif which == 1:
        peer.send(b"\x02" + (262_000).to_bytes(8, "big") + bytes(1000))
    else:
        for _ in range(200):
            if not peer.send(peer.message(bytes(20_000), more=1)):
                break
    peer.reset()


def error(connect):
    peer = connect()
    peer.send(peer.command(b"ERROR", b"\x03400"))
    check(peer.is_closed(), "a peer that reports an error keeps its connection")
    peer.close()


ATTACKS = altered, altered_and_waits, twice, broken, cut, same_id, hand_over, pings, unread, giant, error


# ---- what they may not cost ----

def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory_kib(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def attack(program, endpoint, keys, is_well, attempts=ATTEMPTS):
    """Every attack so many times; is_well() states that the program serves its good peers."""
    pid = program.process.pid

    def connect(routing_id=b"", window=0):
        return ZmtpPeer(endpoint, keys=keys, routing_id=routing_id, window=window)

    def has_returned(before, what):
        until(lambda: descriptors(pid) <= before, "descriptors stay open after " + what, descriptors(pid), before)

    before = descriptors(pid)
    for one in ATTACKS:  # once for memory that stays with the process
        one(connect)
    is_well()
    has_returned(before, "the first of each")
    memory = memory_kib(pid)
    for one in ATTACKS:
        for _ in range(attempts):
            one(connect)
            check(program.process.poll() is None, f"{one.__name__} has ended the program", program.process.returncode, program.stderr()[-2000:])
        is_well()
        has_returned(before, one.__name__)
    check(memory_kib(pid) < memory + 16384, "memory does not return", memory, memory_kib(pid))
    return connect, has_returned, before


def simulate(name, keys, mode):
    """A session with sagbend-dp, attacked; returns its summary. The log's ring is small: its pages are mapped at their first use, and count as memory."""
    simulator = Simulator(JLAY, "--mode", mode, "--duration", "0", *(KEYS if keys else []), "--log", path(name + ".mcap"),
                          "--summary", path(name + ".json"), "--set", "log.buffer_mib=4", *PATIENT)
    dp = controller(simulator, *(CLIENT if keys else []))
    dp.wait_for("welcomed")

    def status():
        return ask(simulator, simulator.commands, OPERATOR if keys else None, "status").status

    def is_well():
        step = status().header.step
        until(lambda: status().header.step > step + 20, "no steps", simulator.stderr()[-2000:])
        until(lambda: [c.name for c in status().peer if c.in_command] == ["jlay-900m-dp"], "who is in command", lambda: status().peer)
        check(dp.process.poll() is None, "sagbend-dp has ended", dp.stderr())

    is_well()
    until(lambda: status().security.connections <= 2, "connections at the start", lambda: status().security)
    connect, has_returned, before = attack(simulator, simulator.commands, keys_of("dp-2") if keys else None, is_well)
    if keys and mode == "lockstep":
        for _ in range(max(1000, ATTEMPTS)):
            altered(connect)
        is_well()
        has_returned(before, "1000 altered messages")
    simulator.signal()
    check(simulator.end() == 0, "the session failed", simulator.stderr()[-2000:])
    check(dp.end() == 0, "the controller failed", dp.stderr())
    check(dp.stderr().count("welcomed") == 1, "the controller had to begin anew", dp.stderr())
    check(run("log", "info", path(name + ".mcap"))[0] == 0, "the log")
    return load(name + ".json")


for name, keys, mode in ("keys", True, "realtime"), ("open", False, "realtime"), ("lockstep", True, "lockstep"):
    summary = simulate(name, keys, mode)
    denied = summary["security"]["denied"]
    violations = 5 if keys else 1  # kinds of attack that violate the protocol for certain
    check(denied["message"] >= violations * ATTEMPTS, "closed connections are not counted", denied)
    check(summary["commands"]["lost"] == 0, "a controller that did nothing wrong lost the command", summary["commands"])

# The session manager has the same socket.
os.mkdir(path("served"))
manager = Program(SAGBEND, "serve", path("served"), "--bind-command", "tcp://127.0.0.1:*", "--server-key", path("sim.key"), "--admitted-keys", path("admitted"))
endpoint = manager.wait_for(r"orders at (\S+)").group(1)


def answers():
    ask(manager, endpoint, OPERATOR, "cases")


answers()
attack(manager, endpoint, keys_of("bridge"), answers)
manager.signal()
check(manager.end() == 0, "the manager", manager.stderr()[-2000:])
