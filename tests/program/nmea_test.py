"""NMEA 0183 sentences over UDP and a pseudo-terminal, decoded by pynmea2: the decoded values are the measured ones."""
import json
import math
import os
import pty
import random
import re
import socket
import subprocess
import sys
import tty

import pynmea2
from geographiclib.geodesic import Geodesic

from harness import *
from nmea_link import *


class THS(pynmea2.TalkerSentence):  # pynmea2 decodes an unknown sentence by its fields
    fields = (("Heading", "heading"), ("Mode", "mode"))


class TRD(pynmea2.TalkerSentence):
    fields = tuple((x, x) for x in ("number", "rpm", "rpm_mode", "pitch", "pitch_mode", "azimuth"))


KNOT = 1852 / 3600


def deg(x):
    return math.degrees(x)


def wrapped(a, b, full=360):
    return abs((a - b + full / 2) % full - full / 2)


def reading(kind, random):
    u = random.uniform
    return {
        "gnss": lambda: [u(-9000, 9000), u(-9000, 9000), u(-40, 5), u(-6, 6), u(-6, 6), u(0.01, 5)],
        "gyro": lambda: [u(-7, 7), u(-0.05, 0.05)],
        "motion": lambda: [u(-0.5, 0.5), u(-0.3, 0.3), u(-8, 8), 0, 0],
        "wind": lambda: [u(0, 40), u(-4, 4)],
        "speed_log": lambda: [u(-3, 8), u(-2, 2)],
        "load_cell": lambda: [u(0, 4e6)],
        "hangoff_angle": lambda: [u(0.3, 1.57), u(-3, 3)],
        "touchdown": lambda: [u(-900, 900), u(-900, 900), u(20, 3000)],
        "payout": lambda: [u(-90, 9000), u(-1, 1)],
        "tensioner": lambda: [u(0, 4e6), random.randrange(3), random.randrange(2)],
    }[kind]() + [0] * 5


def place(line, m, origin, value):
    """Checks the position relative to the origin against an independent geodesic."""
    g = Geodesic.WGS84.Inverse(origin[0], origin[1], m.latitude, m.longitude)
    north, east = g["s12"] * math.cos(math.radians(g["azi1"])), g["s12"] * math.sin(math.radians(g["azi1"]))
    near(north, value[0], 0.025, "north", line)
    near(east, value[1], 0.025, "east", line)


def judge(line, kind, value, origin, seconds):
    """Compares one sentence with its measurement. Returns its name."""
    m = pynmea2.parse(line, check=True)
    name = line[1:6] if line.startswith("$P") else line[3:6]
    speed, course = math.hypot(value[3], value[4]), deg(math.atan2(value[4], value[3])) % 360
    if name in ("GGA", "RMC"):
        place(line, m, origin, value)
    if name in ("GGA", "RMC", "GST", "ZDA", "GBS"):
        clock = m.data[0]
        at = int(clock[:2]) * 3600 + int(clock[2:4]) * 60 + float(clock[4:])
        check(wrapped(at, seconds, 86400) <= 0.0051, f"time {clock} for {seconds}", line)
    if name == "GGA":
        near(m.altitude, -value[2], 0.0051, "altitude", line)
        check(m.gps_qual == 2, "quality", line)
    elif name == "RMC":
        near(m.spd_over_grnd, speed / KNOT, 6e-4, "speed", line)
        check(m.status == "A", "status", line)
    elif name == "VTG":
        near(m.spd_over_grnd_kmph, speed * 3.6, 6e-4, "speed", line)
        check(wrapped(m.true_track, course) <= 0.0051, "course", line, course)
    elif name == "GST":
        near(m.data[5], value[5], 6e-4, "sigma", line)
    elif name == "GBS":
        near(m.data[1], value[5], 6e-4, "error", line)
    elif name in ("HDT", "THS"):
        check(wrapped(float(m.data[0]), deg(value[0])) <= 6e-4, "heading", line, deg(value[0]))
    elif name == "ROT":
        near(m.rate_of_turn, deg(value[1]) * 60, 0.0051, "rate of turn", line)
    elif name.startswith("PSXN"):
        near(m.roll, deg(value[0]), 0.0051, "roll", line)
        near(m.pitch, deg(value[1]), 0.0051, "pitch", line)
        near(m.heave, value[2], 0.0051, "heave", line)
    elif name.startswith("PRDI"):
        fields = line[7:].split("*")[0].split(",")
        near(fields[0], deg(value[1]), 0.0051, "pitch", line)
        near(fields[1], deg(value[0]), 0.0051, "roll", line)
    elif name.startswith("PHTR"):
        pitch, bow, roll, port = line[7:].split("*")[0].split(",")
        near(float(pitch) * {"M": 1, "P": -1}[bow], deg(value[1]), 0.0051, "pitch", line)
        near(float(roll) * {"T": 1, "B": -1}[port], deg(value[0]), 0.0051, "roll", line)
    elif name == "MWV" and m.reference == "R":
        near(m.wind_speed, value[0], 0.0051, "wind", line)
        check(wrapped(float(m.wind_angle), deg(value[1])) <= 0.051, "wind's angle", line, deg(value[1]))
    elif name == "VBW":
        near(m.data[0], value[0] / KNOT, 6e-4, "along", line)
        near(m.data[1], value[1] / KNOT, 6e-4, "across", line)
    elif name == "XDR":
        shown = [float(x) for x in m.data[1::4]]
        wanted = {"load_cell": [value[0]], "hangoff_angle": [deg(value[0]), deg(value[1])], "touchdown": value[:3],
                  "payout": value[:2], "tensioner": value[:3]}[kind]
        for got, want in zip(shown, wanted, strict=True):
            near(got, want, 0.51 if kind in ("load_cell", "tensioner") else 0.0051, "measure", line)
    return name + (m.reference if name == "MWV" else "")


def whole(lines, at, kind):
    """The sentence at this place, with the further ones of an XDR that 82 characters do not hold; and how many they are."""
    count = 1
    check(len(lines[at]) <= 82, "length", lines[at])
    if kind != "touchdown":
        return lines[at].strip(), count
    body = lines[at].strip()[1:-3]
    while body.count(",") < 12:
        check(len(lines[at + count]) <= 82 and lines[at + count].startswith("$YXXDR,D,"), "its next part", lines[at + count])
        pynmea2.parse(lines[at + count].strip(), check=True)
        body += lines[at + count].strip()[6:-3]
        count += 1
    value = 0
    for letter in body:
        value ^= ord(letter)
    return f"${body}*{value:02X}", count


def sentences_of(kind):
    return {"gnss": 6, "gyro": 3, "motion": 3, "wind": 2}.get(kind, 1)


def check_round_trip(how, where, receive, seed):
    source = random.Random(seed)
    seen = set()
    for origin in [(59.9, 5.2), (-33.86, 151.2), (0.001, -0.002), (71.2, 179.999)] * 3:  # a few at a time, because a UDP socket drops
        kinds = ["gnss", "gyro", "motion", "wind", "speed_log", "load_cell", "hangoff_angle", "touchdown", "payout", "tensioner"]
        readings = [(k, source.uniform(0, 2e5), reading(k, source)) for _ in range(4) for k in kinds]
        lines = say(how, where, origin, "2026-02-27T23:00:00", readings, receive)
        at = 0
        for kind, time, value in readings:
            for _ in range(sentences_of(kind)):
                check(lines[at].endswith("\r\n"), "end of line", lines[at])
                line, count = whole(lines, at, kind)
                seen.add(judge(line, kind, value, origin, 23 * 3600 + time))
                at += count
        check(at == len(lines), f"{len(lines)} telegrams")
    check(len(seen) == 16, "sentences", sorted(seen))


def session():
    """A session of the simulator: sentences equal the measurements in its log; a decoder detects each fault of a sentence."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    process = Program(SAGBEND, "run", os.path.join(SOURCE, "tests/program/nmea_run.yaml"), *ANY_PORT, "--log", path("nmea.mcap"),
                      "--set", "nmea.ports.0.udp=127.0.0.1:%d" % listener.getsockname()[1], "--summary", path("nmea.json"))
    lines = [line.strip() for line in from_udp(listener)(process.process)]
    check(process.end() == 0, "the session failed", process.stderr())
    return lines, load("nmea.json")["nmea"], run("log", "cat", path("nmea.mcap"), "--topic", "sensors")[1]


def check_session():
    lines, counts, sensors = session()
    check(counts == {"sent": len(lines), "lost": 0, "failed": 0}, "counts", counts, len(lines))
    readings = [json.loads(line)["message"]["instruments"] for line in sensors.splitlines()]
    gyro = {r["gyro"][2]["telegram"]["sequence"]: r["gyro"][2] for r in readings if r["gyro"][2]["telegram"]["sequence"]}
    good, bad = [], 0
    for line in lines:
        try:
            good.append((line, pynmea2.parse(line, check=True)))
        except pynmea2.ChecksumError:
            bad += 1
    check(bad == 30, "three sentences, ten times, with a wrong checksum", bad)
    check(sum(line.startswith("$XX") for line in lines) == 30, "ten times with a wrong talker")
    headings = [float(m.data[0]) for line, m in good if line.startswith("$HEHDT")]
    wanted = sorted({round(deg(g["heading_rad"]) % 360, 3) for g in gyro.values()})
    missing = [w for w in wanted if not any(wrapped(w, h) < 1.1e-3 for h in headings)]
    check(not missing, "headings of the third gyro are in the log and in no telegram", missing)
    check(twice(lines) == 30, "ten times each sentence twice", twice(lines))
    times = [m.data[0] for line, m in good if line.startswith("$GPZDA")]
    check(times[:3] == ["235957.00", "235958.00", "235959.00"], "the year ends", times)
    check(all(t.startswith("2358") for t in times[3:]) and len(times) == 6, "100 s too old", times)
    winds = [m for line, m in good if line.startswith("$WIMWV") and m.reference == "R"]
    check(len(winds) in (4, 5), "the wind sensor falls silent", len(winds))
    motions = [m.data for line, m in good if line.startswith("$PHTRO")]
    check(motions[0][1] != "" and motions[-1][1] == "", "the motion sensor is not flagged invalid", motions)


def twice(lines):
    """Returns the number of gyro sentences that are followed by a copy."""
    return sum(a == b and a.startswith("$HE") for a, b in zip(lines, lines[1:]))


def main():
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    listener.bind(("127.0.0.1", 0))
    check_round_trip("udp", "127.0.0.1:%d" % listener.getsockname()[1], from_udp(listener), 1)
    master, slave = pty.openpty()
    tty.setraw(slave)
    check_round_trip("serial", os.ttyname(slave), from_pty(master), 2)
    check_session()


main()
