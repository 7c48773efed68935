#!/usr/bin/python3
"""The DP system of dp_law.py over Modbus TCP alone (docs/field-buses.md), without any library:

  sagbend modbus-map CASE --yaml > map.yaml
  docs/examples/dp_modbus.py HOST:PORT map.yaml

It reads all input registers and discrete inputs of a step, and writes the set-points of all thrusters at once. By Modbus an alarm has neither
source nor text.

  sagbend trials docs/examples/trials-modbus.yaml --jobs 2
"""
import math
import re
import socket
import struct
import sys
import time

import dp_law

READ = {"input": (4, 125), "discrete": (2, 2000)}  # function, and the most that one request reads
FORMATS = {"float32": "f", "uint32": "I", "uint16": "H"}


def map_of(path):
    """{signal: (table, address, type)} of the lines `- {table: input, address: 2, type: uint32, signal: session.step}`. What is written is ("set", signal)."""
    out = {}
    with open(path) as file:
        for line in file:
            found = re.search(r"table: (\w+), address: (\d+), type: (\w+), signal: ([^\s,}]+)", line)
            if found:
                table, address, kind, signal = found.groups()
                out[signal if table in READ else ("set", signal)] = (table, int(address), kind)
    return out


class Modbus:
    def __init__(self, place, path):
        self.stream = socket.create_connection((place.rsplit(":", 1)[0], int(place.rsplit(":", 1)[1])))
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.number, self.map = b"", 0, map_of(path)
        self.most = {table: max(address + (2 if kind in ("float32", "uint32") else 1) for t, address, kind in self.map.values() if t == table) for table in READ}

    def take(self, size):
        while len(self.buffer) < size:
            more = self.stream.recv(4096)
            if not more:
                sys.exit(0)  # the session has ended
            self.buffer += more
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def ask(self, pdu):
        """The answer to a request."""
        self.number = (self.number + 1) % 65536
        try:
            self.stream.sendall(struct.pack(">HHHB", self.number, 0, len(pdu) + 1, 1) + pdu)
            size = struct.unpack(">HHHB", self.take(7))[2]
        except OSError:
            sys.exit(0)
        return self.take(size - 1)

    def read(self, table):
        function, most = READ[table]
        out = []
        for at in range(0, self.most[table], most):
            count = min(most, self.most[table] - at)
            answer = self.ask(struct.pack(">BHH", function, at, count))
            if answer[0] != function:
                sys.exit(f"Modbus exception {answer[1]}")
            out += struct.unpack(f">{count}H", answer[2:]) if table == "input" else [byte >> i & 1 for byte in answer[2:] for i in range(8)]
        return out

    def value(self, signal):
        table, address, kind = self.map[signal]
        if table == "discrete":
            return self.bits[address]
        count = struct.calcsize(FORMATS[kind]) // 2  # high byte and high word first
        return struct.unpack(">" + FORMATS[kind], struct.pack(f">{count}H", *self.words[address:address + count]))[0]

    def measured(self, name, parts):
        """(number of the measurement, values); None: not valid, or there is none yet."""
        values = [self.value(f"instrument.{name}.{part}") for part in ("sequence", *parts)]
        return tuple(values) if self.value(f"instrument.{name}.valid") and values[0] else None

    def run(self):
        dp, next_s = dp_law.Dp(), 0.0
        first = self.map["set", "thruster.bow_tunnel_1.revolutions_set_rpm"][1]
        while True:
            self.words, self.bits = self.read("input"), self.read("discrete")
            time_s = self.value("session.time_s")
            if time_s < next_s:  # the step of the last answer, or one between two samples, which takes none
                time.sleep(0.001)
                continue
            gnss = {name: self.measured(name, ("north_m", "east_m", "velocity_north_mps", "velocity_east_mps")) for name in dp_law.ANTENNAS}
            gyro = {name: self.measured(name, ("heading_deg", "rate_degps")) for name in dp_law.GYROS}
            gyro = {name: g and (g[0], *map(math.radians, g[1:])) for name, g in gyro.items()}
            thrusters = [(self.value(f"thruster.{name}.revolutions_rpm"), math.pi / 2 if thruster[4] else math.radians(self.value(f"thruster.{name}.azimuth_deg")))
                         for name, thruster in zip(dp_law.NAMES, dp_law.THRUSTERS)]
            ready = [bool(self.value(f"thruster.{name}.ready")) for name in dp_law.NAMES]
            settings, _ = dp.step(time_s, gnss, gyro, thrusters, ready)
            request = struct.pack(">BHH", 6, self.map["set", "command.heartbeat"][1], 0)  # a sign of life that asks for nothing
            if settings:  # the default map has the set-points of the thrusters one after the other
                data = b"".join(struct.pack(">f", rpm) + (b"" if dp_law.THRUSTERS[i][4] else struct.pack(">f", math.degrees(azimuth)))
                                for i, (rpm, azimuth) in enumerate(settings))
                request = struct.pack(">BHHB", 16, first, len(data) // 2, len(data)) + data
            self.ask(request)  # an exception: another controller is in command, or the step has gone on
            next_s = time_s + 0.9 * dp_law.PERIOD_S


Modbus(*sys.argv[1:3]).run()
