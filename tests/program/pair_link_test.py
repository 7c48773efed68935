"""The link of two sagbend-dp in hot standby over the network: keys, who is denied; a link that is cut, slow, or lies; what it must have in its DP file."""
import socket as sockets
import struct
import threading

from harness import *

PAIR = os.path.join(SOURCE, "configs/osv-83m-pair.yaml")
FILES = {name: os.path.join(SOURCE, f"configs/osv-83m-pair-{name}-dp.yaml") for name in "ab"}
context = zmq.Context.instance()


def key(name):
    done, out, err = run("keygen", "--role", "controller", path(name))
    check(done == 0, "keygen", out, err)
    with open(path(name)) as file:
        words = dict(line.split() for line in file if not line.startswith("#"))
    return words["public"].encode(), words["secret"].encode()


keys = {name: key(name) for name in ("a", "b", "other")}


def settings(name, listen, other, other_key=None):
    return ["--set", f"pair.listen={listen}", "--set", f"pair.other={other}", "--set", f"pair.key={path(name)}",
            "--set", f"pair.other_key={path(other_key or ('b' if name == 'a' else 'a'))}.pub", "--set", "event_time_scale=0.02"]


# --- a DP file that asks other machines without keys, or with half of them ---
def refused(expected, *sets):
    done, out, err = run(FILES["a"], *(word for s in sets for word in ("--set", s)), program=SAGBEND_DP)
    check(done == 2 and expected in err, f"'{expected}' expected", done, out, err)


refused("pair.listen: an endpoint of this machine, tcp://127.0.0.1:PORT or ipc://PATH, or pair.key and pair.other_key expected", "pair.listen=tcp://*:47711")
refused("pair.other: an endpoint of this machine", "pair.other=tcp://127.0.0.1.example:47711")
refused("needs pair.other_key", f"pair.key={path('a')}")
refused("needs pair.key", f"pair.other_key={path('a')}.pub")
refused("the key of the other controller expected, got that of pair.key", f"pair.key={path('a')}", f"pair.other_key={path('a')}.pub")
refused("a secret key expected, got the public part of one", f"pair.key={path('a')}.pub", f"pair.other_key={path('b')}.pub")


class Relay:
    """A network that the test holds: what A sends comes to B as the test wants it. It has the keys of both."""

    def __init__(self, source, listen):
        self.source, self.how, self.newest, self.passed = source, lambda m: [m], b"", 0
        self.out = context.socket(zmq.PUB)
        self.out.curve_server, (self.out.curve_publickey, self.out.curve_secretkey) = True, keys["a"]
        self.out.bind(listen)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        source = context.socket(zmq.SUB)
        source.subscribe(b"")
        source.curve_serverkey, (source.curve_publickey, source.curve_secretkey) = keys["a"][0], keys["b"]
        source.connect(self.source)
        while True:
            topic, self.newest = source.recv_multipart()
            for message in self.how(self.newest):
                self.out.send_multipart([topic, message])
            self.passed += 1


def sealed(message):
    """The message with its hash, FNV-1a, made right again."""
    value = 0xcbf29ce484222325
    for byte in message[:-8]:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return message[:-8] + struct.pack("<Q", value)


def altered(message, at, bytes_):
    return sealed(message[:at] + bytes_ + message[at + len(bytes_):])


PORTS = free_ports(3)
LISTEN_A, LISTEN_B, RELAY = (f"tcp://127.0.0.{host}:{port}" for host, port in zip((2, 3, 4), PORTS))
simulator = Simulator(PAIR, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT)
relay = Relay(LISTEN_A, RELAY)
relay.how = lambda m: []  # dead from the start
simulator.rate(8)
a = controller(simulator, *settings("a", LISTEN_A, LISTEN_B), config=FILES["a"])
simulator.wait_for("command_first")
b = controller(simulator, *settings("b", LISTEN_B, RELAY), config=FILES["b"])
a.wait_for("the other controller of the pair does not follow")
simulator.rate(1)
relay.how = lambda m: [m]
b.wait_for("follows dp-a")


def says(what, since, program=None):
    until(lambda: what in (program or b).stderr()[since:], f"'{what}'", lambda: (program or b).stderr()[since:])


# --- who has no key, another key, or speaks nothing of the sort ---
def intruder(**options):
    socket = context.socket(zmq.SUB)
    socket.subscribe(b"")
    for name, value in options.items():
        setattr(socket, name, value)
    socket.connect(LISTEN_A)
    return socket


def denied(text, *what):
    said = len(a.stderr())
    until(lambda: text in a.stderr()[said:] or (attempt(*what) and False), text, lambda: a.stderr()[said:])


def attempt(data):
    with sockets.create_connection(("127.0.0.2", PORTS[0])) as raw:
        try:
            raw.sendall(data)
            raw.settimeout(0.1)
            while raw.recv(4096):
                pass
        except OSError:
            pass


denied("it sends no ZMTP, or too much", b"\0" * 10_000_000)
denied("its connection ended before the handshake", b"\xff")
said = len(a.stderr())
stranger = intruder(curve_serverkey=keys["a"][0], curve_publickey=keys["other"][0], curve_secretkey=keys["other"][1])
says("key " + keys["other"][0].decode() + ": pair.other_key is another key", said, a)
stranger.close(0)
denied("it has no key", b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48))  # of ZMTP, mechanism NULL
nobody = intruder()  # libzmq tries again and again

# --- a link that lies: each message is refused and counted, and the true ones are followed as before ---
SESSION, NAME = 64, 128
SIZE = struct.unpack("<Q", struct.pack("<Q", len(relay.newest)))[0]
at_size = relay.newest.index(struct.pack("<Q", SIZE))
STEP, STATE = at_size + 16, at_size + 16 + 5 * 8
old = relay.newest
nan = struct.pack("<d", float("nan"))
LIES = [("1 bytes", lambda m: b"x"), ("10000000 bytes", lambda m: b"x" * 10_000_000), ("of this version", lambda m: altered(m, 0, b"S")),
        ("altered on its way", lambda m: m[:STATE] + bytes([m[STATE] ^ 255]) + m[STATE + 1:]), ("another build", lambda m: altered(m, 16, b"x")),
        ("another DP file", lambda m: altered(m, at_size + 8, b"12345678")), ("the same name", lambda m: altered(m, NAME, b"dp-b")),
        ("printable ASCII expected", lambda m: altered(m, NAME, b"\33[2J")), ("has come before", lambda m: old),
        ("have not reached", lambda m: altered(m, STEP, struct.pack("<Q", 1 << 62))), ("finite", lambda m: altered(m, STATE + 16, nan))]


def count(text):
    found = re.findall(r"pair: .*? (\d+) messages refused, (\d+) of another session; (\d+) connections denied", text)
    return [int(n) for n in found[-1]] if found else None


for expected, lie in LIES:
    said = len(b.stderr())
    relay.how = lambda m, lie=lie: [lie(m), m]
    says(expected, said)
relay.how = lambda m: [m]
said = len(b.stderr())
relay.how = lambda m: [altered(m, SESSION, b"x\0")]  # of another vessel's session
says("is in another session, x", said)
says("is silent", said)
relay.how = lambda m: [m]
says("the other controller of the pair is there", said)
says("follows dp-a", said)

# --- a slow link: states come after the sample that they belong to ---
said, late = len(b.stderr()), []


def delay(message):
    late.append(message)
    return [late.pop(0)] if len(late) > 5 else []


relay.how = delay
says("is not followed: its states are too late", said)
check("is silent" not in b.stderr()[said:], "it is there", b.stderr()[said:])
relay.how = lambda m: [m]
says("follows dp-a", said)

# --- the link is cut: an alarm, and each goes on by itself; and comes back ---
said = len(b.stderr())
relay.how = lambda m: []
says("the other controller of the pair is silent", said)
check(a.process.poll() is None and b.process.poll() is None, "both go on", a.stderr(), b.stderr())
relay.how = lambda m: [m]
says("follows dp-a", said)

check(not nobody.poll(0), "who has no key hears nothing")
nobody.close(0)

# --- the one in command is killed: the other one commands, without the link ---
a.kill()
simulator.wait_for(r"dp-b commands in place of dp-a \(loss\)")
b.signal()
check(b.end() == 0, "the end", b.stderr())
refusals, elsewhere, _ = count(b.stderr())
check(refusals >= len(LIES) and elsewhere >= 10, "they are counted", b.stderr())
run("ctl", simulator.commands, "stop")
check(simulator.end() == 0, "the end", simulator.stderr())

# --- a wrong key: what to check ---
simulator = Simulator(PAIR, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT)
simulator.rate(8)
a = controller(simulator, *settings("a", LISTEN_A, LISTEN_B), config=FILES["a"])
b = controller(simulator, *settings("b", LISTEN_B, LISTEN_A, "other"), config=FILES["b"])
b.wait_for("no state of the other controller from .*: something listens there, and the handshake fails: is pair.other_key its public key")
a.wait_for("is denied to .*: its handshake is for another key, or forged")
b.wait_for("is denied to key .*: pair.other_key is another key")
