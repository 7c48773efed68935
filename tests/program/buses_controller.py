"""A DP controller for tests that knows field buses alone, with the law of dp_law.py. It takes the first of two receivers that is valid.

buses_controller.py nmea OUT_1 OUT_2 IN [late]: listens at the first two, of which the second brings the feedback of the thrusters, and sends TRC and
ALF to the third. buses_controller.py modbus HOST:PORT MAP.json: MAP is {signal: [table, address, type]}."""
import json
import math
import os
import socket
import struct
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dp_law

ORIGIN, KNOT = (59.9, 5.2), 1852 / 3600
ANTENNAS = {"gnss-1": (24.0, -4.0), "gnss-2": (24.0, 4.0)}


def local(latitude, longitude):
    """North and east of the origin, with the radii of curvature of WGS 84 there."""
    a, e2, sine = 6378137.0, 6.69437999014e-3, math.sin(math.radians(ORIGIN[0]))
    w = 1 - e2 * sine * sine
    return (math.radians(latitude - ORIGIN[0]) * a * (1 - e2) / w**1.5, math.radians(longitude - ORIGIN[1]) * a / math.sqrt(w) * math.cos(math.radians(ORIGIN[0])))


class Controller:
    """Turns what the receivers and the gyro say into settings of the thrusters, by the law for the antenna of gnss-1."""

    def __init__(self):
        self.law, self.count = dp_law.Law(), None

    def step(self, gnss, gyro, thrusters):
        """gnss: {name: (count of fixes, north, east, velocity north, velocity east) or None}; gyro: (heading, rate) or None."""
        good = [name for name in ANTENNAS if gnss.get(name)]
        if not good or not gyro:
            return None
        count, north, east, vn, ve = gnss[good[0]]
        arm = np.array(dp_law.ANTENNA) - ANTENNAS[good[0]]
        c, s = math.cos(gyro[0]), math.sin(gyro[0])
        reading = (north + c * arm[0] - s * arm[1], east + s * arm[0] + c * arm[1],
                   vn - gyro[1] * (s * arm[0] + c * arm[1]), ve + gyro[1] * (c * arm[0] - s * arm[1]), *gyro)
        new, self.count = (good[0], count) != self.count, (good[0], count)
        return self.law.step(reading, new, thrusters)


def sentence(body):
    check = 0
    for c in body:
        check ^= ord(c)
    return f"${body}*{check:02X}\r\n"


class Nmea:
    def __init__(self, first, second, to):
        self.sockets, self.to = [], (to.rsplit(":", 1)[0], int(to.rsplit(":", 1)[1]))
        for place in (first, second):
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.bind((place.rsplit(":", 1)[0], int(place.rsplit(":", 1)[1])))
            self.sockets.append(one)
        self.gnss, self.count, self.heading, self.rate, self.thrusters, self.lost = {}, {}, None, 0.0, {}, False

    def take(self, name, line):
        fields = line.strip().split("*")[0].split(",")
        kind = fields[0][-3:]
        if kind == "GGA":
            self.count[name] = self.count.get(name, 0) + 1
            if fields[6] == "0":
                self.gnss[name] = None
                return kind, fields
            degrees = [int(fields[i][:n]) + float(fields[i][n:]) / 60 for i, n in ((2, 2), (4, 3))]
            old = self.gnss.get(name) or (0, 0, 0, 0, 0)
            self.gnss[name] = (self.count[name], *local(*degrees), *old[3:])
        elif kind == "VTG" and self.gnss.get(name) and fields[1]:
            speed, course = float(fields[5]) * KNOT, math.radians(float(fields[1]))
            self.gnss[name] = (*self.gnss[name][:3], speed * math.cos(course), speed * math.sin(course))
        elif kind == "HDT":
            self.heading = math.radians(float(fields[1])) if fields[1] else None
        elif kind == "ROT":
            self.rate = math.radians(float(fields[1])) / 60 if fields[1] else 0.0
        elif kind == "TRD":
            self.thrusters[int(fields[1])] = (float(fields[2]), math.radians(float(fields[6] or 0)))
        return kind, fields

    def run(self):
        controller, answers = Controller(), 0
        self.sockets[0].setblocking(False)
        while True:
            kind, fields = self.take("gnss-1", self.sockets[1].recv(4096).decode("ascii"))
            if kind != "TRD" or fields[1] != "4":
                continue  # the feedback of the last thruster ends a sample
            try:
                while True:
                    self.take("gnss-2", self.sockets[0].recv(4096).decode("ascii"))
            except BlockingIOError:
                pass
            settings = controller.step(self.gnss, None if self.heading is None else (self.heading, self.rate), [self.thrusters[i] for i in (1, 2, 3, 4)])
            self.answer(settings, answers)
            answers += 1

    def answer(self, settings, count):
        bodies = ["IITRC,1,,V,,,,B,C"]
        if settings:
            bodies = [f"IITRC,{i + 1},{rpm:.2f},R,,," + ("" if dp_law.THRUSTERS[i][4] else f"{math.degrees(azimuth) % 360:.2f}") + ",B,C"
                      for i, (rpm, azimuth) in enumerate(settings)]
        is_lost = settings is not None and not self.gnss.get("gnss-1")
        if is_lost != self.lost:
            bodies.append(f"IIALF,1,1,{count % 10},,B,A,{'V' if is_lost else 'N'},,10001,1,{1 + count % 90},0,gnss-1")
            self.lost = is_lost
        for socket_ in self.sockets[:1]:
            socket_.sendto("".join(map(sentence, bodies)).encode(), self.to)


class Modbus:
    def __init__(self, place, path):
        self.stream = socket.create_connection((place.rsplit(":", 1)[0], int(place.rsplit(":", 1)[1])))
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.number = b"", 0
        with open(path) as file:
            self.map = json.load(file)
        self.most = {table: max(address + (2 if kind in ("float32", "uint32") else 1) for t, address, kind in self.map.values() if t == table)
                     for table in ("input", "discrete")}

    def take(self, size):
        while len(self.buffer) < size:
            more = self.stream.recv(4096)
            if not more:
                sys.exit(0)  # the session has ended
            self.buffer += more
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def ask(self, pdu):
        self.number = (self.number + 1) % 65536
        try:
            self.stream.sendall(struct.pack(">HHHB", self.number, 0, len(pdu) + 1, 1) + pdu)
        except OSError:
            sys.exit(0)
        size = struct.unpack(">HHHB", self.take(7))[2]
        return self.take(size - 1)

    def look(self):
        """All input registers and discrete inputs of one step."""
        self.words, self.bits = [], []
        for at in range(0, self.most["input"], 120):
            count = min(120, self.most["input"] - at)
            answer = self.ask(struct.pack(">BHH", 4, at, count))
            if answer[0] != 4:
                sys.exit(f"exception {answer[1]}")
            self.words += struct.unpack(f">{count}H", answer[2:])
        for at in range(0, self.most["discrete"], 2000):
            answer = self.ask(struct.pack(">BHH", 2, at, self.most["discrete"] - at))
            self.bits = [byte >> i & 1 for byte in answer[2:] for i in range(8)]

    def value(self, signal):
        table, address, kind = self.map[signal]
        if table == "discrete":
            return self.bits[address]
        form = {"float32": "f", "uint32": "I", "uint16": "H"}[kind]
        return struct.unpack(">" + form, struct.pack(">" + "H" * (struct.calcsize(form) // 2), *self.words[address:address + struct.calcsize(form) // 2]))[0]

    def run(self):
        controller, last = Controller(), -1
        first = self.map["thruster.bow_tunnel_1.revolutions_set_rpm"][1]
        while True:
            self.look()
            if self.value("session.step") == last:
                time.sleep(0.001)
                continue
            step = self.value("session.step")
            gnss = {name: (self.value(f"instrument.{name}.sequence"), *(self.value(f"instrument.{name}.{part}") for part in ("north_m", "east_m", "velocity_north_mps", "velocity_east_mps")))
                    if self.value(f"instrument.{name}.valid") else None for name in ANTENNAS}
            gyro = tuple(math.radians(self.value(f"instrument.gyro-1.{part}")) for part in ("heading_deg", "rate_degps")) if self.value("instrument.gyro-1.valid") else None
            thrusters = [(self.value(f"thruster.{name}.revolutions_rpm"), math.radians(self.value(f"thruster.{name}.azimuth_deg")) if f"thruster.{name}.azimuth_deg" in self.map else math.pi / 2)
                         for name in dp_law.NAMES]
            settings = controller.step(gnss, gyro, thrusters)
            if settings is None:
                answer = self.ask(struct.pack(">BHH", 6, self.map["command.heartbeat"][1], 0))
            else:
                data = b"".join(struct.pack(">f", rpm) + (b"" if dp_law.THRUSTERS[i][4] else struct.pack(">f", math.degrees(azimuth))) for i, (rpm, azimuth) in enumerate(settings))
                answer = self.ask(struct.pack(">BHHB", 16, first, len(data) // 2, len(data)) + data)
            if answer[0] < 128:
                last = step  # else the step did not take it: between two samples, or it has gone on


def main():
    if sys.argv[1] == "nmea":
        if "late" in sys.argv:
            time.sleep(1.5)
        Nmea(*sys.argv[2:5]).run()
    Modbus(*sys.argv[2:4]).run()


main()
