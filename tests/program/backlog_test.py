"""A main thread that falls behind: while it stands still, the step thread goes on. Afterwards it serves what has come before the frames
that wait: a controller whose Hello waited gets Welcome first, then the Sensors of every step that waited, in order and without a gap, as
do the other controllers and the subscribers."""
import ctypes
import fcntl
import socket
import struct
import termios
import threading

from harness import *
from sagbend.v1 import envelope_pb2

SEIZE, INTERRUPT, DETACH, ALL_THREADS = 0x4206, 0x4207, 17, 0x40000000
EVERY = 10  # steps between Sensors
BACKLOG = 80  # steps that wait
libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request, thread):
    if libc.ptrace(ctypes.c_long(request), ctypes.c_long(thread), ctypes.c_void_p(0), ctypes.c_void_p(0)) != 0:
        return os.strerror(ctypes.get_errno())
    return None


class Dealer(threading.Thread):
    """A DEALER on a plain TCP socket (ZMTP 3.0), so that one can see when its bytes have arrived."""

    def __init__(self, endpoint, name):
        super().__init__(daemon=True)
        self.name_, self.messages = name, []
        host, port = endpoint.removeprefix("tcp://").split(":")
        self.port = int(port)
        self.socket = socket.create_connection((host, self.port), PATIENCE_S)
        self.socket.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(16) + bytes(32))
        self.exactly(64)
        self.frame(b"\x05READY\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER", 4)
        self.start()

    def frame(self, body, flags=0):
        self.socket.sendall(bytes([flags | (2 if len(body) > 255 else 0)]) + (struct.pack(">Q", len(body)) if len(body) > 255 else bytes([len(body)])) + body)

    def exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise ConnectionError
            data += more
        return data

    def run(self):
        try:
            while True:
                flags = self.exactly(1)[0]
                size = struct.unpack(">Q", self.exactly(8))[0] if flags & 2 else self.exactly(1)[0]
                body = self.exactly(size)
                if flags & 4 and body.startswith(b"\x04PING"):
                    self.frame(b"\x04PONG" + body[7:], 4)
                elif not flags & 4:
                    self.messages.append(envelope_pb2.Envelope.FromString(body))
        except OSError:
            pass

    def hello(self):
        message = envelope_pb2.Envelope()
        message.hello.header.protocol = message.hello.header.sequence = 1
        message.hello.controller_id = message.hello.name = self.name_
        self.frame(message.SerializeToString())

    def kinds(self):
        return [m.WhichOneof("message") for m in list(self.messages)]

    def steps(self):
        return [m.sensors.header.step for m in list(self.messages) if m.HasField("sensors")]

    def has_arrived(self):
        """Whether all that was sent waits at the simulator's end: its system has acknowledged it."""
        return struct.unpack("i", fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)))[0] == 0


def threads(simulator, name):
    found = []
    for task in map(int, os.listdir(f"/proc/{simulator.process.pid}/task")):
        with open(f"/proc/{simulator.process.pid}/task/{task}/comm") as file:
            if file.read().startswith(name):
                found.append(task)
    return found


def status_of(simulator, thread, word):
    with open(f"/proc/{simulator.process.pid}/task/{thread}/status") as file:
        return next(line.split()[1] for line in file if line.startswith(word + ":"))


simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", "--log", path("backlog.mcap"), "--summary", path("backlog.json"))
subscriber = zmq.Context.instance().socket(zmq.SUB)
subscriber.linger = 0
subscriber.subscribe("sensors")
subscriber.connect(simulator.telemetry)
first, late = Dealer(simulator.commands, "first"), Dealer(simulator.commands, "late")
first.hello()
until(lambda: len(first.steps()) > 2 and subscriber.poll(0), "no Sensors", simulator.stderr())

# The main thread alone stands still. A step waits once for its time.
pid = simulator.process.pid
step_thread = threads(simulator, "step")[0]
refused = ptrace(SEIZE, pid)
if refused:
    print("SKIPPED: a thread cannot be stopped here:", refused)
    sys.exit(SKIPPED)
check(ptrace(INTERRUPT, pid) is None, "the main thread cannot be stopped")
os.waitpid(pid, ALL_THREADS)
begun = int(status_of(simulator, step_thread, "voluntary_ctxt_switches"))
late.hello()
until(late.has_arrived, "the Hello does not arrive", simulator.stderr())
until(lambda: int(status_of(simulator, step_thread, "voluntary_ctxt_switches")) >= begun + BACKLOG, "no steps while the main thread stands still",
      simulator.stderr())
check(late.kinds() == [], "an answer without the main thread", late.kinds())
last = first.steps()[-1]
check(ptrace(DETACH, pid) is None, "the main thread cannot go on")
until(lambda: late.steps() and late.steps()[-1] > last + 2 * BACKLOG, "no Sensors afterwards", simulator.stderr())
simulator.signal()
check(simulator.end() == 0, "the end", simulator.stderr())

check("sensors" not in late.kinds()[:late.kinds().index("welcome")], "Welcome comes first", late.kinds()[:5])
check(late.steps()[0] <= last + 2 * EVERY, "the Sensors that waited are served after the Hello that waited", late.steps()[:3], last)
for name, steps in (("the newcomer", late.steps()), ("the other controller", first.steps())):
    check(all(b - a == EVERY for a, b in zip(steps, steps[1:])), f"Sensors of {name}", steps)
published = []
while subscriber.poll(0):
    published.append(telemetry_pb2.Sensors.FromString(subscriber.recv_multipart()[1]).header.step)
check(all(b - a == EVERY for a, b in zip(published, published[1:])) and published[-1] > last + BACKLOG, "Sensors as telemetry", published)
events = [json.loads(line)["message"] for line in run("log", "cat", path("backlog.mcap"), "--topic", "/event")[1].splitlines()]
joined = next(e["header"]["step"] for e in events if e["name"] == "controller_joined" and "late" in e["text"])
check(joined <= last + 2 * EVERY, "it joined before the frames that waited were published", joined, last)
s = load("backlog.json")
check(s["dropped_frames"] == 0 and s["steps"] > last + BACKLOG, "no frame is dropped", s["dropped_frames"], s["steps"])
