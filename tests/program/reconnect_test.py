"""Clients whose encrypted messages are altered on the way: sagbend-dp, the Python client and its subscriber, ctl watch and the live view's
reader connect again and go on; "refused" comes only where no handshake has ever succeeded.

SAGBEND_FLIPS: connections that are altered and reset in each direction (10; 300 for a campaign)."""
import random
import socket
import threading

from harness import *

import sagbend

FLIPS = int(os.environ.get("SAGBEND_FLIPS", "10"))
chance = random.Random(3)
LENGTH = "length"
DOWN, UP, BOTH = "to the client", "to the simulator", "both ways"


def keygen(role, name):
    check(run("keygen", "--role", role, "--name", name, path(name + ".key"))[0] == 0, "keygen")


for role, name in ("server", "sim"), ("server", "other"), ("controller", "dp-1"), ("controller", "stranger"), ("operator", "bridge"):
    keygen(role, name)
with open(path("admitted"), "w") as out:
    for name in "dp-1", "bridge":
        with open(path(name + ".key.pub")) as public:
            out.write(public.read())
os.chmod(path("admitted"), 0o644)
KEYS = ["--set", "network.server_key=" + path("sim.key"), "--set", "network.admitted_keys=" + path("admitted")]


def client_keys(name="dp-1", server="sim"):
    return ["--key", path(name + ".key"), "--server-key", path(server + ".key.pub")]


class Proxy:
    """Forwards connections. With plan(number of the connection) -> (direction, byte, resets), it flips a bit of this byte of the stream, and
    then resets both ends if told so; LENGTH in place of resets: it enlarges the length of the next frame. `flipped` counts them."""

    def __init__(self, endpoint, plan):
        self.target = endpoint.removeprefix("tcp://").rsplit(":", 1)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = "tcp://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.plan, self.connections, self.flipped, self.flipped_at, self.passed = plan, 0, 0, 0.0, {}
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            plan = self.plan(self.connections)
            self.connections += 1
            for a, b, direction in (client, server, UP), (server, client, DOWN):
                threading.Thread(target=self.forward, args=(a, b, direction, plan, self.connections), daemon=True).start()

    def forward(self, source, sink, direction, plan, number):
        passed, boundary, stream, is_done = 0, 64, b"", False
        try:
            while data := source.recv(65536):
                is_planned = plan and plan[0] in (direction, BOTH)
                at = plan[1] - passed if is_planned else -1
                if is_planned and plan[2] is LENGTH:  # the frame at or after this byte, if its header is complete
                    stream += data
                    while boundary < plan[1] and boundary + 9 <= len(stream):
                        boundary += 9 + int.from_bytes(stream[boundary + 1:boundary + 9], "big") if stream[boundary] & 2 else 2 + stream[boundary + 1]
                    at = boundary - passed if not is_done and boundary >= plan[1] and passed <= boundary and boundary + 9 <= len(stream) else -1
                    is_done |= at >= 0
                    if at >= 0:
                        header = bytes([2]) + (60_000).to_bytes(8, "big") if data[at] & 2 else bytes([0, 255])
                        data = data[:at] + header + data[at + len(header):]
                elif 0 <= at < len(data):
                    data = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]
                passed += len(data)
                self.passed[number, direction] = passed
                sink.sendall(data)
                if 0 <= at < len(data):
                    self.flipped, self.flipped_at = self.flipped + 1, time.monotonic()
                    if plan[2] is True:
                        for end in source, sink:
                            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                        break
        except OSError:
            pass
        for end in source, sink:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", *KEYS, "--set", "network.sensor_period_s=0.02", "--summary", path("s.json"))


def status():
    done, out, err = run("ctl", simulator.commands, "status", "--json", *client_keys("bridge"))
    check(done == 0, "the operator is not served", err, simulator.stderr()[-2000:])
    return json.loads(out)


def in_command():
    return [c["name"] for c in status()["peer"] if c["in_command"]]


class PythonController(threading.Thread):
    """The Python client, until it is told to stop."""

    def __init__(self, endpoint):
        super().__init__(daemon=True)
        self.client = sagbend.Client(endpoint, "python", keys=sagbend.Keys.read(path("dp-1.key"), path("sim.key.pub")))
        self.samples, self.stops = 0, False
        self.start()

    def run(self):
        while not self.stops:
            message = self.client.receive(0.2)
            if type(message).__name__ == "Sensors":
                self.samples += 1
                self.client.send_standby(message)

    def stop(self):
        self.stops = True
        self.join(PATIENCE_S)


# ---- one altered message: the controller is there again at once ----

MESSAGES_AT = 3000  # bytes after which the handshake is over
for direction, resets in (DOWN, False), (UP, False), (DOWN, LENGTH), (UP, LENGTH):
    proxy = Proxy(simulator.commands, lambda number: (direction, MESSAGES_AT + chance.randrange(2000), resets) if number == 0 else None)
    dp = controller(simulator, *client_keys(), endpoint=proxy.endpoint)
    until(lambda: proxy.flipped == 1, "no message is altered", dp.stderr())
    until(lambda: proxy.passed.get((2, DOWN), 0) > MESSAGES_AT, "it does not connect again after an altered message " + direction, dp.stderr())
    print(f"one altered {resets or 'message'} {direction}: {time.monotonic() - proxy.flipped_at:.2f} s until Sensors come again")
    until(lambda: in_command() == ["jlay-900m-dp"], "it is not in command again", dp.stderr())
    dp.signal()
    check(dp.end() == 0 and dp.stderr().count("welcomed") == 1, "sagbend-dp", dp.stderr())

# ---- many connections, each altered and reset, in a handshake or later ----


def altered_each_time(direction):
    return lambda number: (direction, 100 + chance.randrange(3000), True) if number % 3 else (direction, MESSAGES_AT + chance.randrange(1000), True)


for direction in DOWN, UP, BOTH:
    proxy = Proxy(simulator.commands, altered_each_time(direction))
    dp = controller(simulator, *client_keys(), endpoint=proxy.endpoint)
    until(lambda: proxy.flipped >= FLIPS, f"{FLIPS} connections altered {direction}", proxy.flipped, dp.stderr(), timeout=PATIENCE_S + 5 * FLIPS)
    proxy.plan = lambda number: None
    until(lambda: in_command() == ["jlay-900m-dp"], "it is not in command again " + direction, dp.stderr())
    check(dp.process.poll() is None, "sagbend-dp has ended", dp.stderr())
    dp.signal()
    check(dp.end() == 0, "sagbend-dp", dp.stderr())

    proxy = Proxy(simulator.commands, altered_each_time(direction))
    python = PythonController(proxy.endpoint)
    until(lambda: proxy.flipped >= FLIPS, f"{FLIPS} connections of the Python client altered {direction}", proxy.flipped, timeout=PATIENCE_S + 5 * FLIPS)
    proxy.plan = lambda number: None
    samples = python.samples
    until(lambda: python.samples > samples + 20, "the Python client receives nothing any more")
    python.stop()

# ---- subscribers ----

proxy = Proxy(simulator.telemetry, lambda number: (DOWN, MESSAGES_AT + chance.randrange(1000), False) if number < 3 else None)
telemetry = sagbend.Telemetry(proxy.endpoint, ["sensors"], keys=sagbend.Keys.read(path("dp-1.key"), path("sim.key.pub")))
deadline, got = time.monotonic() + 2 * PATIENCE_S, 0
while proxy.flipped < 3 or got < 20:
    check(time.monotonic() < deadline, "the Python subscriber does not connect again", proxy.flipped, got)
    got = 0 if proxy.flipped < 3 else got
    got += telemetry.receive(0.2) is not None
telemetry.close()

proxy = Proxy(simulator.telemetry, lambda number: (DOWN, MESSAGES_AT + chance.randrange(1000), False) if number < 3 else None)
watch = Program(SAGBEND, "ctl", simulator.commands, "watch", "--telemetry", proxy.endpoint, *client_keys("bridge"))
until(lambda: proxy.flipped >= 3 and proxy.passed.get((4, DOWN), 0) > 3 * MESSAGES_AT, "ctl watch does not connect again", proxy.flipped, watch.stderr(),
      timeout=2 * PATIENCE_S)
watch.signal()
watch.end()

# ---- who is refused ----

dp = controller(simulator, *client_keys("stranger"))
check(dp.end() == 1 and "does not admit the key stranger" in dp.stderr(), "an unknown key", dp.stderr())
dp = controller(simulator, *client_keys(server="other"))
dp.wait_for("no message for 5 s .* Is --server-key its public key")
check(dp.process.poll() is None, "a wrong server key ends the controller", dp.stderr())
dp.kill()
done, _, err = run("ctl", simulator.commands, "list", *client_keys("bridge", "other"))
check(done == 1 and "--server-key is not its public key" in err, "ctl with a wrong server key", err)

simulator.signal()
check(simulator.end() == 0, "the simulator", simulator.stderr()[-2000:])
check(load("s.json")["security"]["denied"]["message"] > 0, "altered messages are not counted", load("s.json")["security"])
