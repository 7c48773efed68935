"""Subscribers cannot disturb the simulator. Each attack runs beside a controller in command: memory stays bounded, no command is
lost, telemetry continues, and a well-behaved subscriber misses nothing. Endpoints are checked as well."""
import socket
import struct
import threading

import zmq

from harness import *

sys.path.insert(0, os.path.join(BUILD, "proto/python"))
from sagbend.v1 import telemetry_pb2

PLAIN = os.environ.get("SAGBEND_TEST_KIND") != "sanitize"
TOPICS = {"sensors", "truth", "nodes", "ledger", "timing", "event", "end", "status", "session", "dp"}
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--summary", path("s.json"), *PATIENT)
dp = controller(simulator, "--set", "pid.start_s=0")
dp.wait_for("takes over")
host, port = re.match(r"tcp://(.*):(\d+)", simulator.telemetry).groups()


def rss_mib():
    with open(f"/proc/{simulator.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


class Good(threading.Thread):
    """A well-behaved subscriber."""

    def __init__(self, prefixes=("",)):
        super().__init__(daemon=True)
        self.seen, self.gaps, self.last = {}, [], {}
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.linger = 0
        for prefix in prefixes:
            self.socket.subscribe(prefix)
        self.socket.connect(simulator.telemetry)
        self.start()

    def run(self):
        while self.socket.poll(20000):
            topic, payload = self.socket.recv_multipart()
            topic = topic.decode()
            self.seen[topic] = self.seen.get(topic, 0) + 1
            if topic == "sensors":
                header = telemetry_pb2.Sensors.FromString(payload).header
                if self.last.get(topic, header.sequence - 1) != header.sequence - 1:
                    self.gaps.append(header.sequence)
                self.last[topic] = header.sequence
            if topic == "end":
                return

    def wait(self, topic, count):
        end = time.monotonic() + PATIENCE_S
        while self.seen.get(topic, 0) < count:
            check(time.monotonic() < end, f"no {topic}", self.seen, simulator.stderr())
            time.sleep(0.01)


def goes_on():
    """Checks that telemetry arrives and that the controller's commands are used."""
    good.wait("sensors", good.seen.get("sensors", 0) + 20)


good = Good()
good.wait("nodes", 2)
some = Good(["sen", "sensors", "tru", "t"])  # prefixes of topics
some.wait("timing", 1)
check(set(some.seen) == {"sensors", "truth", "timing"}, "beginnings of topics", some.seen)
before = rss_mib()
most = before + (64 if PLAIN else 500)

# Endless different subscriptions, by ZeroMQ sockets and on raw connections; one peer disconnects at once.
greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(16) + bytes(32)
ready = b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03SUB"
for count in 30000, 70000:
    attacker = zmq.Context()
    flood = attacker.socket(zmq.SUB)
    flood.linger = 0
    flood.connect(simulator.telemetry)
    for i in range(count):
        flood.subscribe(os.urandom(200))
    goes_on()
    check(rss_mib() < most, "memory after subscriptions", before, rss_mib())
    flood.close()
    attacker.term()
    goes_on()


def connect(*pieces):
    raw = socket.create_connection((host, int(port)))
    for piece in pieces:
        raw.sendall(piece)
    return raw


def message(body, flags=0):
    return struct.pack(">BB", flags, len(body)) + body if len(body) < 256 else struct.pack(">BQ", flags | 2, len(body)) + body


# Old and new forms of subscription on raw connections, the first byte by byte; a heartbeat is answered.
for subscribe in message(b"\x01truth"), message(b"\x09SUBSCRIBEtruth", 4):
    raw = connect(*[bytes([b]) for b in greeting + ready + subscribe])
    raw.sendall(message(b"\x04PING\0\x05abc", 4))
    raw.settimeout(PATIENCE_S)
    got = b""
    while b"\x01\x05truth" not in got or b"\x04\x08\x04PONGabc" not in got:
        got += raw.recv(65536)
    check(b"\x07sensors" not in got, "what was not subscribed to", got[:200])
    raw.close()

# A peer that is no subscriber is disconnected: other protocols, versions, mechanisms, socket types, oversized parts.
for pieces in ([b"GET / HTTP/1.1\r\n\r\n" * 10], [greeting[:10] + b"\x01" + greeting[11:]], [greeting.replace(b"NULL", b"PLAI")],
               [greeting, ready.replace(b"SUB", b"REQ")], [greeting, message(b"\x01truth")], [greeting, ready, b"\xff" * 30],
               [greeting, ready, struct.pack(">BQ", 2, 2**63)], [greeting, ready, struct.pack(">BQ", 2, 70000)],
               [greeting, b"\x04\x19\x05READY\x0bSocket-Type\xff\xff\xff\xffSUB"], [os.urandom(5000)], [greeting, os.urandom(5000)]):
    try:
        raw = connect(*pieces)
    except ConnectionError:
        continue
    check(is_closed(raw), "what is no subscriber was not cut off", pieces[-1][:40])
raw = connect(greeting, ready)
try:  # a peer that floods
    for _ in range(2000):
        raw.sendall(message(b"\x01" + os.urandom(200)) * 10)
    check(False, "a flood was not cut off")
except ConnectionError:
    pass
goes_on()

# Crowds that send nothing, read nothing or disconnect half-way; new subscribers are accepted all the same.
silent = [connect() for _ in range(100)]
newcomer = Good()
newcomer.wait("truth", 3)
half = [connect(greeting[:17]) for _ in range(100)]
idle = [connect(greeting, ready) for _ in range(100)]
lazy = []
for _ in range(40):
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect((host, int(port)))
    raw.sendall(greeting + ready + message(b"\x01"))
    lazy.append(raw)
goes_on()
another = Good()
another.wait("nodes", 2)
check(rss_mib() < most, "memory after crowds", before, rss_mib())
for raw in silent + half + idle + lazy:
    raw.close()
goes_on()
check(not good.gaps, "a subscriber that reads missed something", good.gaps)
check(simulator.process.poll() is None, "the simulator has ended", simulator.stderr())
print(f"memory {before:.1f} MiB before, {rss_mib():.1f} MiB after")
simulator.signal()
check(simulator.end() == 0, "the exit status", simulator.stderr())
good.join(20)
check(set(good.seen) == TOPICS, "topics", good.seen)
summary = load("s.json")
check(summary["commands"]["lost"] == 0 and summary["commands"]["refused"] == 0, "commands", summary["commands"])
counts = summary["telemetry"]
check(counts["subscriptions_ignored"] > 200 and counts["connections_cut_off"] > 100, "counts", counts)
check("telemetry_limited" in json.dumps(summary["events"]), "the limit is not reported", summary["events"])
dp.end()

# Endpoints are used exactly as given, or refused in one line with their position.
file = path("a-file")
link = path("a-link")
with open(file, "w") as out:
    out.write("kept")
os.symlink(file, link)
os.mkfifo(path("a-fifo"))
long = "ipc://" + path("x" * 110)
BAD = ["tcp://127.0.0.1:99999", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:", "tcp://127.0.0.1:+80", "tcp://127.0.0.1",
       "tcp://:80", "tcp://127.0.0.256:80", "tcp://127.1:80", "tcp://1:80", "tcp://127.0.0.1 :80", "tcp://a.b.c.example:80", "tcp://::1:80",
       "tcp://127.0.0.1:80:90", "tcp://*:1e3", "udp://127.0.0.1:80", "ipc://", "ipc://" + file, "ipc://" + link, "ipc://" + FOLDER,
       "ipc://" + path("a-fifo"), long, "nonsense", "127.0.0.1:80"]
with open(VESSEL) as text:
    plain = text.read()
for key, option in ("command_endpoint", "--bind-command"), ("telemetry_endpoint", "--bind-telemetry"):
    for bad in BAD:
        status, out, err = run("run", VESSEL, "--mode", "realtime", "--duration", "0.1", *ANY_PORT, option, bad)
        check(status == 2 and err.count("\n") == 1 and f"network.{key}" in err, f"{option} {bad}", status, err)
    with open(path("bad.yaml"), "w") as config:
        config.write(plain + f"\nnetwork:\n  {key}: tcp://127.0.0.1:99999\n")
    line = 1 + open(path("bad.yaml")).read().split("\n").index(f"  {key}: tcp://127.0.0.1:99999")
    status, out, err = run("check", path("bad.yaml"))
    check(status == 2 and f"bad.yaml:{line}:{len(key) + 5}: error" in err and "65535" in err, "where it is", err)
check(open(file).read() == "kept" and os.path.islink(link), "a file was replaced")
for bad in "tcp://127.0.0.1:99999", "tcp://127.0.0.1:0", "tcp://127.0.0.1:*", "tcp://*:80", "tcp://127.0.0.256:80", "ipc://", "nonsense":
    status, out, err = run(JLAY_DP, "--connect", bad, program=SAGBEND_DP)
    check(status == 2 and err.count("\n") == 1, f"--connect {bad}", status, err)
    status, out, err = run("ctl", bad, "list")
    check(status == 2 and err.count("\n") == 1, f"ctl {bad}", status, err)
for bad in "127.0.0.1:99999", "127.0.0.1:+80", "127.0.0.1: 80", "127.0.0.1:0", "localhost:80", "127.0.0.1:80x":
    status, out, err = run("check", VESSEL, "--set", f'nmea={{ports: [{{udp: "{bad}"}}]}}')
    check(status == 2 and "udp" in err, f"nmea {bad}", status, err)

# The socket of a killed program is replaced; a socket in use is not, and no other file is harmed.
left = path("left.sock")
at = ["--bind-command", "ipc://" + left, "--bind-telemetry", "ipc://" + path("t.sock")]
first = Program(SAGBEND, "run", VESSEL, "--mode", "realtime", "--duration", "0", *at)
first.wait_for("telemetry at")
status, out, err = run("run", VESSEL, "--mode", "realtime", "--duration", "0.1", *at)
check(status == 1 and "in use" in err, "an endpoint in use", status, err)
status, out, err = run("ctl", "ipc://" + left, "list")
check(status == 0, "the first is harmed", err)
first.kill()
check(os.path.exists(left), "nothing was left")
status, out, err = run("run", VESSEL, "--mode", "realtime", "--duration", "0.1", *at)
check(status == 0 and not os.path.exists(left) and not os.path.exists(path("t.sock")), "a socket that was left", status, err)
status, out, err = run("run", VESSEL, "--mode", "realtime", "--duration", "0.1", "--bind-command", "tcp://127.0.0.1:*",
                       "--bind-telemetry", "tcp://*:0")
check(status == 2 and "other machines can connect" in err, "it starts although others can connect without a key", err)
status, out, err = run("run", VESSEL, "--mode", "realtime", "--duration", "0.1", "--bind-command", "tcp://localhost:*",
                       "--bind-telemetry", "tcp://lo:0")
check(status == 0 and err.count("tcp://127.0.0.1:") == 2 and "other machines" not in err, "loopback", err)
