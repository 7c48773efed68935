#!/usr/bin/python3
"""The DP system of dp_law.py over NMEA 0183 by UDP alone (docs/nmea.md). It reads GGA, VTG, HDT, ROT and TRD, and sends TRC and ALF:

  docs/examples/dp_nmea.py HOST:PORT HOST:PORT HOST:PORT TO_HOST:PORT

The sentences have no names, so each receiver has a port of its own with the gyro of the same number. The feedback of the thrusters comes with the last
one, once in each sample: its last sentence ends the sample, and the controller answers with one datagram to TO_HOST:PORT.

  sagbend trials docs/examples/trials-nmea.yaml --jobs 2
"""
import math
import socket
import sys
import time

import dp_law

ORIGIN = (59.9, 5.2)  # latitude and longitude of the world's origin, as in nmea.origin_deg of the case
KNOT = 1852 / 3600
KINDS = {"lost": 10001, "frozen": 10002, "rejected": 10003}  # numbers of the alarms in ALF


def local(latitude, longitude):
    """North and east of the origin, with the radii of curvature of WGS 84 there."""
    a, e2, sine = 6378137.0, 6.69437999014e-3, math.sin(math.radians(ORIGIN[0]))
    w = 1 - e2 * sine * sine
    return (math.radians(latitude - ORIGIN[0]) * a * (1 - e2) / w**1.5, math.radians(longitude - ORIGIN[1]) * a / math.sqrt(w) * math.cos(math.radians(ORIGIN[0])))


def checked(body):
    check = 0
    for c in body:
        check ^= ord(c)
    return f"{check:02X}"


def sentence(body):
    return f"${body}*{checked(body)}\r\n"


def fields_of(line):
    """Fields of a sentence with a right checksum; None: it is none."""
    body, _, check = line.strip()[1:].partition("*")
    return body.split(",") if line.startswith("$") and check.upper() == checked(body) else None


class Nmea:
    def __init__(self, ports, to):
        self.sockets, self.to = [], (to.rsplit(":", 1)[0], int(to.rsplit(":", 1)[1]))
        for place in ports:
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.bind((place.rsplit(":", 1)[0], int(place.rsplit(":", 1)[1])))
            self.sockets.append(one)
        self.gnss, self.gyro = dict.fromkeys(dp_law.ANTENNAS), dict.fromkeys(dp_law.GYROS)
        self.thrusters, self.samples, self.told, self.count = {}, 0, {}, {}

    def take(self, number, fields):
        """What a sentence at port `number` says. True: it ends a sample."""
        kind, gnss, gyro = fields[0][-3:], f"gnss-{number}", f"gyro-{number}"
        if kind == "GGA":
            self.count[gnss] = self.count.get(gnss, 0) + 1
            if fields[6] == "0":
                self.gnss[gnss] = None  # no fix
            else:
                degrees = [int(fields[i][:n]) + float(fields[i][n:]) / 60 for i, n in ((2, 2), (4, 3))]
                signs = [-1 if fields[i] in ("S", "W") else 1 for i in (3, 5)]
                self.gnss[gnss] = (self.count[gnss], *local(*(d * s for d, s in zip(degrees, signs))), *(self.gnss[gnss] or (0, 0, 0, 0, 0))[3:])
        elif kind == "VTG" and self.gnss[gnss] and fields[1]:
            speed, course = float(fields[5]) * KNOT, math.radians(float(fields[1]))
            self.gnss[gnss] = (*self.gnss[gnss][:3], speed * math.cos(course), speed * math.sin(course))
        elif kind == "HDT":
            self.count[gyro] = self.count.get(gyro, 0) + 1
            self.gyro[gyro] = (self.count[gyro], math.radians(float(fields[1])), (self.gyro[gyro] or (0, 0, 0))[2]) if fields[1] else None
        elif kind == "ROT" and self.gyro[gyro] and fields[1]:
            self.gyro[gyro] = (*self.gyro[gyro][:2], math.radians(float(fields[1])) / 60)  # degrees a minute
        elif kind == "TRD":
            self.thrusters[int(fields[1])] = (float(fields[2]), math.radians(float(fields[6] or 0)))
            return int(fields[1]) == len(dp_law.THRUSTERS)
        return False

    def answer(self, settings, alarms):
        """One datagram: a TRC for each thruster, and an ALF for each alarm that comes or ends."""
        bodies = ["IITRC,1,,V,,,,B,C"]  # a sign of life that asks for nothing
        if settings:
            bodies = [f"IITRC,{i + 1},{rpm:.2f},R,,," + ("" if dp_law.THRUSTERS[i][4] else f"{math.degrees(azimuth) % 360:.2f}") + ",B,C"
                      for i, (rpm, azimuth) in enumerate(settings)]
        now = dict(alarms)
        for source in self.told.keys() | now.keys():
            if self.told.get(source) != now.get(source):
                ends = [(self.told[source], "N")] if source in self.told else []
                comes = [(now[source], "V")] if source in now else []
                bodies += [f"IIALF,1,1,{self.samples % 10},,B,W,{state},,{KINDS[kind]},,1,0,{source}" for kind, state in ends + comes]
        self.told = now
        self.send(bodies)

    def send(self, bodies):
        self.sockets[-1].sendto("".join(map(sentence, bodies)).encode(), self.to)

    def run(self):
        dp = dp_law.Dp()
        for one in self.sockets[:-1]:
            one.setblocking(False)
        while True:
            fields = fields_of(self.sockets[-1].recv(4096).decode("ascii", "replace"))
            if not fields or not self.take(len(self.sockets), fields):
                continue
            for number, one in enumerate(self.sockets[:-1], 1):  # what has come before it at the other ports
                try:
                    while True:
                        self.take(number, fields_of(one.recv(4096).decode("ascii", "replace")) or [""])
                except BlockingIOError:
                    pass
            settings, alarms = dp.step(self.samples * dp_law.PERIOD_S, self.gnss, self.gyro, [self.thrusters[i] for i in sorted(self.thrusters)])
            self.answer(settings, alarms)
            self.samples += 1


if __name__ == "__main__":
    if "late" in sys.argv[5:]:
        time.sleep(1.5)  # for a test: the first sentences wait for a controller
    Nmea(sys.argv[1:4], sys.argv[4]).run()
