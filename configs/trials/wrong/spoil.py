"""Wrong on purpose: passes the messages between the simulator and a controller on, and spoils them. docs/trials.md

    spoil.py HOW ENDPOINT COMMAND...      COMMAND starts the controller; {here} in it is the endpoint of this program

HOW is one of
    azimuth-sign   the azimuths have the other sign while bow_tunnel_1 is not ready
    hold           the commands stay what they were while a thruster is not ready
    late-alarms    every alarm comes 40 s late, in the commands and in what the controller prints

It needs nothing but Python: it reads the frames of ZMTP 3 and the fields of protobuf that it changes. No keys."""
import re
import selectors
import socket
import struct
import subprocess
import sys

LATE_S, THRUSTER = 40, b"bow_tunnel_1"
GREETING = 64  # bytes, in each direction
LONG, ORDER = 2, 4  # flags of a frame: its size has 8 bytes; it is of the protocol itself
# Numbers of fields (proto/sagbend/v1).
COMMAND, SENSORS = 3, 5  # Envelope
HEADER, TIME, FEEDBACK, READY = 1, 5, 20, 3  # Sensors.header, Header.time_s, Sensors.thruster, ThrusterFeedback.ready
EFFORTS, THRUSTERS, ALARM = (4, 5, 6), 6, 16  # Command
AZIMUTH = 5  # ThrusterCommand


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def write_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def fields(data):
    """(number, wire type, value) of each field in order: bytes, or a number for a varint."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        else:
            size, at = read_varint(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, tag & 7, value


def message(parts):
    """The bytes of such fields."""
    out = bytearray()
    for number, kind, value in parts:
        out += write_varint(number << 3 | kind)
        out += write_varint(value) if kind == 0 else (write_varint(len(value)) if kind == 2 else b"") + value
    return bytes(out)


def first(data, number, default):
    return next((value for n, _, value in fields(data) if n == number), default)


class Spoiler:
    """What the last Sensors said, and what it makes of commands."""

    def __init__(self, how):
        self.how, self.time_s, self.out, self.efforts, self.alarms, self.lines = how, 0.0, set(), [], [], []

    def sensors(self, body):
        for number, _, value in fields(body):
            if number == HEADER:
                self.time_s = struct.unpack("<d", first(value, TIME, bytes(8)))[0]
        self.out = {first(v, 1, b"") for n, _, v in fields(body) if n == FEEDBACK and not first(v, READY, 0)}
        while self.lines and self.lines[0][0] <= self.time_s:
            print(self.lines.pop(0)[1], flush=True)

    def command(self, body):
        parts = list(fields(body))
        if self.how == "azimuth-sign" and THRUSTER in self.out:
            parts = [(n, k, self.turned(v)) if n == THRUSTERS else (n, k, v) for n, k, v in parts]
        elif self.how == "hold":
            if not self.out or not self.efforts:
                self.efforts = [p for p in parts if p[0] in EFFORTS]
            parts = [p for p in parts if p[0] not in EFFORTS] + self.efforts
        elif self.how == "late-alarms":
            self.alarms.append((self.time_s, [p for p in parts if p[0] == ALARM]))
            while len(self.alarms) > 1 and self.alarms[1][0] <= self.time_s - LATE_S:
                self.alarms.pop(0)
            late = self.alarms[0][1] if self.alarms[0][0] <= self.time_s - LATE_S else []
            parts = [p for p in parts if p[0] != ALARM] + late
        return message(parts)

    def turned(self, thrusters):
        def entry(value):
            return message((n, k, struct.pack("<d", -struct.unpack("<d", v)[0])) if n == AZIMUTH else (n, k, v) for n, k, v in fields(value))
        return message((n, k, entry(v)) if n == 1 else (n, k, v) for n, k, v in fields(thrusters))

    def envelope(self, data):
        """A message on its way, in either direction."""
        parts = list(fields(data))
        for i, (number, kind, value) in enumerate(parts):
            if number == SENSORS:
                self.sensors(value)
            elif number == COMMAND:
                parts[i] = number, kind, self.command(value)
        return message(parts) if parts and parts[0][0] == COMMAND else data

    def line(self, text):
        """What the controller prints: its time becomes that at which it is printed."""
        said = re.match(r"(.*?\bt = )([0-9.]+)( s: .*)", text)
        if self.how == "late-alarms" and said:
            late_s = float(said[2]) + LATE_S
            self.lines.append((late_s, f"{said[1]}{late_s:.1f}{said[3]}"))
        else:
            print(text, flush=True)


class Way:
    """One direction: what has come and is not yet a whole frame."""

    def __init__(self, source, target):
        self.source, self.target, self.rest, self.greeting = source, target, b"", GREETING

    def take(self, spoiler):
        """Passes on what has come. False: the end."""
        data = self.source.recv(1 << 16)
        self.rest += data
        if self.greeting:
            passed, self.rest = self.rest[:self.greeting], self.rest[self.greeting:]
            self.greeting -= len(passed)
            self.target.sendall(passed)
        while not self.greeting and len(self.rest) >= 2:
            head = 9 if self.rest[0] & LONG else 2
            if len(self.rest) < head:
                break
            size = int.from_bytes(self.rest[1:head], "big")
            if len(self.rest) < head + size:
                break
            flags, body, self.rest = self.rest[0], self.rest[head:head + size], self.rest[head + size:]
            if not flags & ORDER and body:
                body = spoiler.envelope(body)
            is_long = len(body) > 255
            length = len(body).to_bytes(8 if is_long else 1, "big")
            self.target.sendall(bytes([flags & ~LONG | LONG * is_long]) + length + body)
        return bool(data)


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("azimuth-sign", "hold", "late-alarms") or not re.fullmatch(r"tcp://[^:]+:[0-9]+", sys.argv[2]):
        sys.exit("usage: spoil.py azimuth-sign|hold|late-alarms tcp://HOST:PORT COMMAND...")
    host, port = sys.argv[2][len("tcp://"):].split(":")
    spoiler, waiting, watched = Spoiler(sys.argv[1]), socket.create_server(("127.0.0.1", 0)), selectors.DefaultSelector()
    here = f"tcp://127.0.0.1:{waiting.getsockname()[1]}"
    try:
        controller = subprocess.Popen([a.replace("{here}", here) for a in sys.argv[3:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        sys.exit(f"{sys.argv[3]}: {error.strerror}")
    watched.register(waiting, selectors.EVENT_READ, None)
    watched.register(controller.stdout, selectors.EVENT_READ, None)
    said = b""
    while True:
        for key, _ in watched.select():
            if key.fileobj is waiting:
                near, far = waiting.accept()[0], socket.create_connection((host, int(port)))
                for source, target in ((near, far), (far, near)):
                    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    watched.register(source, selectors.EVENT_READ, Way(source, target))
            elif key.fileobj is controller.stdout:
                data = controller.stdout.read1(1 << 16)
                if not data:  # it has ended
                    sys.exit(controller.wait())
                *lines, said = (said + data).split(b"\n")
                for line in lines:
                    spoiler.line(line.decode(errors="replace"))
            elif key.fileobj.fileno() >= 0:
                try:
                    goes_on = key.data.take(spoiler)
                except OSError:
                    goes_on = False
                if not goes_on:
                    for end in (key.data.source, key.data.target):
                        if end.fileno() >= 0:
                            watched.unregister(end)
                            end.close()


main()
