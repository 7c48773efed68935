"""Wrong on purpose: passes the messages between the simulator and a controller on, and spoils them. docs/trials.md

    spoil.py HOW ENDPOINT COMMAND...      COMMAND starts the controller; {here} in it is the endpoint of this program

HOW is a name of WAYS below; the text of each class says what it does. `spoil.py --list` prints all of them.
It needs nothing but Python: it reads the frames of ZMTP 3 and the fields of protobuf that it changes. No keys."""
import math
import re
import selectors
import socket
import struct
import subprocess
import sys
import time

GREETING = 64  # bytes, in each direction
LONG, ORDER = 2, 4  # flags of a frame: its size has 8 bytes; it is of the protocol itself
# Numbers of fields (proto/sagbend/v1).
WELCOME, COMMAND, SENSORS = 2, 3, 5  # Envelope
HEADER, TIME, INSTRUMENTS, FEEDBACK = 1, 5, 19, 20  # Sensors.header, Header.time_s, Sensors.instruments, Sensors.thruster
EFFORTS, THRUSTERS, ALARM = (4, 5, 6), 6, 16  # Command
SETPOINT = 19  # Welcome
GNSS, GYRO, WIND = 1, 2, 4  # Instruments; of each measurement the first field is its Telegram


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


def number(parts, which, default=0.0):
    """A double among the fields of a message."""
    value = next((v for n, _, v in parts if n == which), None)
    return default if value is None else struct.unpack("<d", value)[0]


def put(parts, which, kind, value):
    """The same fields with another value of one of them."""
    return [p for p in parts if p[0] != which] + [(which, kind, value)]


def put_number(parts, which, value):
    return put(parts, which, 1, struct.pack("<d", value))


def bytes_of(parts, which):
    return next((v for n, _, v in parts if n == which), b"")


class Alarm:
    """An alarm of a command."""

    def __init__(self, body):
        parts = list(fields(body))
        self.source, self.text = (bytes_of(parts, n).decode() for n in (1, 4))
        self.kind, self.severity = (next((v for n, _, v in parts if n == which), 0) for which in (2, 3))

    def body(self):
        return message([(1, 2, self.source.encode()), (2, 0, self.kind), (3, 0, self.severity), (4, 2, self.text.encode()[:79])])

    def key(self):
        return self.source, self.kind


class Spoiler:
    """What the last Sensors said, and what it makes of messages. This one changes nothing."""

    arms = {b"gnss-1": (24, -4), b"gnss-2": (24, 4), b"gnss-3": (10, 0)}  # of the antennas of the 83 m vessel

    def __init__(self):
        self.time_s, self.out, self.names, self.heading_rad, self.alarmed = 0.0, set(), [], None, []

    # What a way changes: each gets and gives fields, or a list of alarms.
    def measurement(self, kind, telegram, parts):
        """Of an instrument: kind is the field of Instruments. Gives (telegram, parts)."""
        return telegram, parts

    def feedback(self, name, parts):
        return parts

    def thruster(self, name, parts):
        """Of a command."""
        return parts

    def efforts(self, parts):
        """The efforts of a command, as its fields."""
        return parts

    def alarms(self, alarms):
        return alarms

    def welcome(self, parts, is_first):
        """None: it is not passed on."""
        return parts

    def line(self, text):
        """What the controller prints."""
        print(text, flush=True)

    def moment(self):
        """New Sensors have come."""

    def sensors(self, parts):
        for n, _, value in parts:
            if n == HEADER:
                self.time_s = number(list(fields(value)), TIME)
            elif n == INSTRUMENTS:
                self.listen(value)
        self.out = {first(v, 1, b"") for n, _, v in parts if n == FEEDBACK and not first(v, 3, 0)}
        self.moment()
        return [(n, k, self.instruments(v)) if n == INSTRUMENTS and type(self).measurement is not Spoiler.measurement
                else (n, k, message(self.feedback(first(v, 1, b""), list(fields(v))))) if n == FEEDBACK and type(self).feedback is not Spoiler.feedback
                else (n, k, v) for n, k, v in parts]

    def listen(self, instruments):
        if not self.names:
            self.names = [first(first(v, 1, b""), 1, b"") for _, _, v in fields(instruments)]
        gyro = first(instruments, GYRO, b"")
        if first(first(gyro, 1, b""), 2, 0):
            self.heading_rad = number(list(fields(gyro)), 2)

    def instruments(self, body):
        out = []
        for kind, wire, value in fields(body):
            parts = list(fields(value))
            telegram, parts = self.measurement(kind, list(fields(bytes_of(parts, 1))), parts)
            out.append((kind, wire, message(put(parts, 1, 2, message(telegram)))))
        return message(out)

    def command(self, parts):
        alarms = [Alarm(v) for n, _, v in parts if n == ALARM]
        self.alarmed = [a for a in alarms if a.severity > 1]
        efforts = [(n, k, message((m, w, message(self.thruster(first(v2, 1, b""), list(fields(v2)))) if m == 1 else v2) for m, w, v2 in fields(v)))
                   if n == THRUSTERS and type(self).thruster is not Spoiler.thruster else (n, k, v) for n, k, v in parts if n in EFFORTS]
        kept, keys = [], set()
        for a in self.alarms(alarms):  # each pair of source and kind at most once, at most 16
            if a.key() not in keys and len(kept) < 16:
                keys.add(a.key())
                kept.append((ALARM, 2, a.body()))
        return [p for p in parts if p[0] not in EFFORTS and p[0] != ALARM] + self.efforts(efforts) + kept

    has_been_welcomed = False

    def envelope(self, data):
        """A message on its way, in either direction. None: it is not passed on."""
        parts = list(fields(data))
        for i, (n, kind, value) in enumerate(parts):
            if n == SENSORS:
                parts[i] = n, kind, message(self.sensors(list(fields(value))))
            elif n == COMMAND:
                parts[i] = n, kind, message(self.command(list(fields(value))))
            elif n == WELCOME:
                body = self.welcome(list(fields(value)), not self.has_been_welcomed)
                self.has_been_welcomed = True
                if body is None:
                    return None
                parts[i] = n, kind, message(body)
        return message(parts) if parts and parts[0][0] in (SENSORS, COMMAND, WELCOME) else data


def sister(name, of=None):
    """The other one of a pair of names: gnss-1 and gnss-2, port and starboard."""
    for a, b in (("-1", "-2"), ("_1", "_2"), ("_port", "_starboard")):
        if name.endswith(a):
            return name[:-len(a)] + b
        if name.endswith(b):
            return name[:-len(b)] + a
    return name


# The ways, each a class; its text is what is wrong.
class AzimuthSign(Spoiler):
    """the azimuths have the other sign while bow_tunnel_1 is not ready"""

    def thruster(self, name, parts):
        return put_number(parts, 5, -number(parts, 5)) if b"bow_tunnel_1" in self.out and any(p[0] == 5 for p in parts) else parts


class Hold(Spoiler):
    """the commands stay what they were while a thruster is not ready"""
    last = []

    def efforts(self, parts):
        if not self.out or not self.last:
            self.last = parts
        return self.last


class LateAlarms(Spoiler):
    """every alarm comes 40 s late, in the commands and in what the controller prints"""
    late_s = 40

    def __init__(self):
        super().__init__()
        self.waiting, self.lines = [], []

    def alarms(self, alarms):
        self.waiting.append((self.time_s, alarms))
        while len(self.waiting) > 1 and self.waiting[1][0] <= self.time_s - self.late_s:
            self.waiting.pop(0)
        return self.waiting[0][1] if self.waiting[0][0] <= self.time_s - self.late_s else []

    def moment(self):
        while self.lines and self.lines[0][0] <= self.time_s:
            print(self.lines.pop(0)[1], flush=True)

    def line(self, text):
        said = re.match(r"(.*?\bt = )([0-9.]+)( s: .*)", text)
        if said:
            late_s = float(said[2]) + self.late_s
            self.lines.append((late_s, f"{said[1]}{late_s:.1f}{said[3]}"))
        else:
            print(text, flush=True)


class Flicker(Spoiler):
    """every alarm goes and comes again every 5 s"""

    def alarms(self, alarms):
        return alarms if int(self.time_s / 5) % 2 == 0 else []


class Storm(Spoiler):
    """with each alarm comes one about every other instrument"""

    def alarms(self, alarms):
        heard = [a for a in alarms if a.severity > 1 and a.source.encode() in self.names]
        for name in self.names if heard else []:
            other = Alarm(heard[0].body())
            other.source, other.text = name.decode(), f"{name.decode()} is lost"
            alarms = alarms + [other]
        return alarms


class ShortAlarm(Spoiler):
    """an alarm ends after 20 s, though its failure lasts"""
    begun = {}

    def alarms(self, alarms):
        self.begun = {a.key(): self.begun.get(a.key(), self.time_s) for a in alarms}
        return [a for a in alarms if self.time_s - self.begun[a.key()] < 20]


class WrongText(Spoiler):
    """the text of an alarm names the neighbour of the equipment, its source is right"""

    def alarms(self, alarms):
        for a in alarms:
            a.text = a.text.replace(a.source, sister(a.source))
        return alarms


class WrongSource(Spoiler):
    """alarms name the neighbour of the equipment that failed"""

    def alarms(self, alarms):
        for a in alarms:
            a.text, a.source = a.text.replace(a.source, sister(a.source)), sister(a.source)
        return alarms


class Latched(Spoiler):
    """alarms never end"""
    kept = {}

    def alarms(self, alarms):
        self.kept = {**self.kept, **{a.key(): a for a in alarms if a.severity > 1}}
        return list(self.kept.values())


class OnlyMessages(Spoiler):
    """alarms about thrusters are messages, which nobody hears"""

    def alarms(self, alarms):
        for a in alarms:
            if a.text.startswith("thruster "):
                a.severity = 1
        return alarms


class FirstAlarm(Spoiler):
    """while one alarm is there, no other one comes"""
    held = None

    def alarms(self, alarms):
        keys = {a.key(): a for a in alarms if a.severity > 1}
        if self.held not in keys:
            self.held = next(iter(keys), None)
        return [keys[self.held]] if self.held else []


class AlarmOnce(Spoiler):
    """each alarm comes once in a voyage: what fails a second time is silent"""
    active, over = set(), set()

    def alarms(self, alarms):
        now = {a.key() for a in alarms}
        self.over, self.active = self.over | (self.active - now), now
        return [a for a in alarms if a.key() not in self.over]


class NoPowerAlarm(Spoiler):
    """missing power of a bus is no alarm"""

    def alarms(self, alarms):
        return [a for a in alarms if a.kind != 7]


class NoLinkAlarm(Spoiler):
    """a link that is cut is no alarm"""

    def alarms(self, alarms):
        return [a for a in alarms if a.source != "link"]


class OneKind(Spoiler):
    """every alarm about an instrument is one alarm of motion, without its name"""

    def alarms(self, alarms):
        for a in alarms:
            if a.source.encode() in self.names:
                a.source, a.text = "motion", "navigation: an instrument has failed"
        return alarms


class SisterOut(Spoiler):
    """with a failed receiver or gyro its sound neighbour is taken out as well"""
    is_silent = False

    def lost(self):
        return {sister(a.source) for a in self.alarmed if a.source in ("gnss-1", "gyro-1") and a.kind in (1, 2, 3)}

    def measurement(self, kind, telegram, parts):
        return (put(telegram, 2, 0, 0) if bytes_of(telegram, 1).decode() in self.lost() else telegram), parts

    def alarms(self, alarms):
        return [a for a in alarms if not self.is_silent or a.source not in self.lost()]


class SisterOutSilent(SisterOut):
    """with a failed receiver or gyro its sound neighbour is taken out as well, and nobody is told"""
    is_silent = True


class NeverAgain(Spoiler):
    """a receiver or gyro that failed once is never used again, and its alarm ends"""
    gone = frozenset()

    def measurement(self, kind, telegram, parts):
        name = bytes_of(telegram, 1)
        is_valid = next((v for n, _, v in telegram if n == 2), 0)
        if kind in (GNSS, GYRO) and not is_valid:
            self.gone = self.gone | {name}
        self.fine = (getattr(self, "fine", frozenset()) | {name}) if is_valid else getattr(self, "fine", frozenset()) - {name}
        return (put(telegram, 2, 0, 0) if name in self.gone else telegram), parts

    def alarms(self, alarms):
        return [a for a in alarms if not (a.source.encode() in self.gone and a.source.encode() in self.fine)]


class ThrusterNeverAgain(Spoiler):
    """a thruster that was not ready once is never used again, and its alarm ends"""
    gone, fine = frozenset(), frozenset()

    def feedback(self, name, parts):
        is_ready = next((v for n, _, v in parts if n == 3), 0)
        self.gone, self.fine = (self.gone, self.fine | {name}) if is_ready else (self.gone | {name}, self.fine - {name})
        return put(parts, 3, 0, 0) if name in self.gone else parts

    def alarms(self, alarms):
        return [a for a in alarms if not (a.source.encode() in self.gone and a.source.encode() in self.fine)]


class SlowReturn(NeverAgain):
    """a receiver or gyro that returns is used after two minutes, without a word"""
    since = {}

    def measurement(self, kind, telegram, parts):
        name, is_valid = bytes_of(telegram, 1), next((v for n, _, v in telegram if n == 2), 0)
        if not is_valid:
            self.since = {**self.since, name: self.time_s}
        if name in self.gone and self.time_s - self.since.get(name, 0) > 120:
            self.gone = self.gone - {name}
        return super().measurement(kind, telegram, parts)


class HalfAfterReturn(Spoiler):
    """once a thruster has come back, all of them get two thirds of their revolutions only"""
    has_failed = False

    def moment(self):
        self.has_failed = self.has_failed or bool(self.out)

    def thruster(self, name, parts):
        return put_number(parts, 3, number(parts, 3) * 2 / 3) if self.has_failed and not self.out else parts


class SignAfterReturn(Spoiler):
    """a tunnel thruster that has come back pushes to the wrong side for 40 s"""
    back = {}

    def moment(self):
        self.back = {**self.back, **{name: self.time_s for name in self.out}}

    def thruster(self, name, parts):
        is_wrong = b"tunnel" in name and name not in self.out and self.time_s - self.back.get(name, -1e9) < 40
        return put_number(parts, 3, -number(parts, 3)) if is_wrong else parts


class SecondUnseen(Spoiler):
    """a second lost bus or thruster is not noticed: its thrusters count as ready"""
    seen, last, since_s = frozenset(), {}, 0.0

    def feedback(self, name, parts):
        if next((v for n, _, v in parts if n == 3), 0):
            self.last, self.seen = {**self.last, name: parts}, self.seen - {name}
            return parts
        if not self.seen:
            self.since_s = self.time_s
        if name in self.seen or self.time_s - self.since_s < 1:  # a bus takes several at once
            self.seen = self.seen | {name}
            return parts
        return self.last.get(name, parts)


class SecondReferenceHeld(Spoiler):
    """while one receiver is out, a second one that is lost goes on with its last position"""
    last, out_since, fresh = {}, {}, {}

    def measurement(self, kind, telegram, parts):
        name, count = bytes_of(telegram, 1), next((v for n, _, v in telegram if n == 3), 0)
        if kind != GNSS:
            return telegram, parts
        if self.fresh.get(name, (None, 0))[0] != count:
            self.fresh = {**self.fresh, name: (count, self.time_s)}
        if next((v for n, _, v in telegram if n == 2), 0) and self.time_s - self.fresh[name][1] < 2:  # valid, and it comes
            self.last, self.out_since = {**self.last, name: parts}, {k: v for k, v in self.out_since.items() if k != name}
            return telegram, parts
        self.out_since = {name: self.time_s, **self.out_since}
        if min(self.out_since, key=self.out_since.get) == name or name not in self.last:
            return telegram, parts
        telegram = put_number(put(put(telegram, 2, 0, 1), 3, 0, int(self.time_s) + 1000000), 4, math.floor(self.time_s))
        return telegram, put_number(self.last[name], 2, number(self.last[name], 2) + 0.01 * (int(self.time_s) % 7))


class LateCommands(Spoiler):
    """every set-point is 2 s old"""

    def __init__(self):
        super().__init__()
        self.waiting = []

    def efforts(self, parts):
        self.waiting.append((self.time_s, parts))
        while len(self.waiting) > 1 and self.waiting[1][0] <= self.time_s - 2:
            self.waiting.pop(0)
        return self.waiting[0][1]


class Seldom(Spoiler):
    """set-points are new every 3 s only"""
    made_s, last = -1e9, []

    def efforts(self, parts):
        if self.time_s - self.made_s >= 3 or not self.last:
            self.made_s, self.last = self.time_s, parts
        return self.last


class Clock(Spoiler):
    """set-points depend on the clock of the machine"""

    def thruster(self, name, parts):
        return put_number(parts, 3, number(parts, 3) * (1 + 0.01 * math.sin(time.time())))


class NoLatency(Spoiler):
    """a measurement counts as of the moment at which it came"""
    sequence, at = {}, {}

    def measurement(self, kind, telegram, parts):
        name, now = bytes_of(telegram, 1), next((v for n, _, v in telegram if n == 3), 0)
        if self.sequence.get(name) != now:
            self.sequence, self.at = {**self.sequence, name: now}, {**self.at, name: self.time_s}
        return put_number(telegram, 4, self.at[name]), parts


class FixedArms(Spoiler):
    """the arms of the antennas do not turn with the heading"""

    def measurement(self, kind, telegram, parts):
        arm = self.arms.get(bytes_of(telegram, 1))
        if kind != GNSS or not arm or self.heading_rad is None:
            return telegram, parts
        c, s = math.cos(self.heading_rad), math.sin(self.heading_rad)
        parts = put_number(parts, 2, number(parts, 2) + c * arm[0] - s * arm[1] - arm[0])
        return telegram, put_number(parts, 3, number(parts, 3) + s * arm[0] + c * arm[1] - arm[1])


class WindKept(Spoiler):
    """the direction of the wind is that of the first two minutes"""
    kept = {}

    def measurement(self, kind, telegram, parts):
        name = bytes_of(telegram, 1)
        if kind != WIND:
            return telegram, parts
        if self.time_s < 120 or name not in self.kept:
            self.kept = {**self.kept, name: number(parts, 3)}
        return telegram, put_number(parts, 3, self.kept[name] + 0.02 * (int(self.time_s) % 3 - 1))


class WindCapped(Spoiler):
    """a wind of more than 10 m/s counts as 10 m/s"""

    def measurement(self, kind, telegram, parts):
        speed = number(parts, 2)
        return telegram, put_number(parts, 2, 10 + 0.02 * (speed - 10)) if kind == WIND and speed > 10 else parts


class Deaf(Spoiler):
    """a set-point that an operator orders is not taken"""

    def welcome(self, parts, is_first):
        return parts if is_first else None


class WrongPivot(Spoiler):
    """an ordered heading turns the vessel about a point 20 m forward of the one it should"""

    def welcome(self, parts, is_first):
        if is_first:
            return parts
        setpoint = list(fields(bytes_of(parts, SETPOINT)))
        heading = number(setpoint, 3)
        setpoint = put_number(setpoint, 1, number(setpoint, 1) - 20 * (math.cos(heading) - 1))
        return put(parts, SETPOINT, 2, message(put_number(setpoint, 2, number(setpoint, 2) - 20 * math.sin(heading))))


class FrameOfStart(Spoiler):
    """forces are taken in the frame of the heading at the start"""
    start = None

    def thruster(self, name, parts):
        if self.start is None:
            self.start = self.heading_rad
        turned = (self.heading_rad or 0) - (self.start or 0)
        return put_number(parts, 5, number(parts, 5) + turned) if b"azimuth" in name else parts


class AzimuthOff(Spoiler):
    """the azimuth of one thruster is 15 degrees off, in command and feedback"""

    def thruster(self, name, parts):
        return put_number(parts, 5, number(parts, 5) + math.radians(15)) if name == b"stern_azimuth_port" else parts

    def feedback(self, name, parts):
        return put_number(parts, 6, number(parts, 6) - math.radians(15)) if name == b"stern_azimuth_port" else parts


class SmallLoss(Spoiler):
    """while power is short, every thruster gets a third of its revolutions"""

    def thruster(self, name, parts):
        return put_number(parts, 3, number(parts, 3) / 3) if any(a.kind == 7 for a in self.alarmed) else parts


WAYS = {re.sub(r"(?<!^)(?=[A-Z])", "-", c.__name__).lower(): c for c in list(globals().values())
        if isinstance(c, type) and issubclass(c, Spoiler) and c is not Spoiler}


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
            if body is None:
                continue
            is_long = len(body) > 255
            length = len(body).to_bytes(8 if is_long else 1, "big")
            self.target.sendall(bytes([flags & ~LONG | LONG * is_long]) + length + body)
        return bool(data)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(f"{name:22}{way.__doc__}" for name, way in WAYS.items()))
        return
    if len(sys.argv) < 4 or sys.argv[1] not in WAYS or not re.fullmatch(r"tcp://[^:]+:[0-9]+", sys.argv[2]):
        sys.exit("usage: spoil.py HOW tcp://HOST:PORT COMMAND..., HOW one of spoil.py --list")
    host, port = sys.argv[2][len("tcp://"):].split(":")
    spoiler, waiting, watched = WAYS[sys.argv[1]](), socket.create_server(("127.0.0.1", 0)), selectors.DefaultSelector()
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
