#!/usr/bin/python3
"""Holds the 83 m vessel where it starts, over NMEA 0183 (docs/connect.md). Reads GGA, VTG, HDT, ROT and TRD, and answers with one
TRC for each thruster, by UDP or over a serial line:   hold_nmea.py 10110 127.0.0.1:10120   hold_nmea.py /dev/ttyUSB0"""
import functools, math, operator, os, socket, sys, tty
import numpy as np

ORIGIN, ANTENNA = (59.9, 5.2), (24.0, -4.0)  # nmea.origin_deg; gnss-1: forward, starboard, m
FULL_N, FULL_RPM = np.array([230e3, 230e3, 655e3, 420e3]), np.array([140, 140, 200, 150])  # thrusters in the order of the case
# Forces: all four to starboard, then the two at the stern forward. B makes surge, sway and yaw of them; INVERSE shares by full thrust.
B = np.array([[0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0], [37, 35, -41.5, -41.5, 7, -7]])
W = np.diag(np.append(FULL_N, FULL_N[2:]) ** 2)
INVERSE = W @ B.T @ np.linalg.inv(B @ W @ B.T)
KP, KD, KI = np.array([5.6e4, 7e4, 3.5e7]), np.array([9e5, 1.1e6, 5.6e8]), np.array([6e2, 8e2, 4e5])  # of surge, sway, yaw

def checksum(body):
    return f"{functools.reduce(operator.xor, body.encode(), 0):02X}"

def connect(where, to=None):
    """The lines that come, and the function that sends some."""
    if where.startswith("/"):
        line = open(os.open(where, os.O_RDWR | os.O_NOCTTY), "r+b", buffering=0)
        tty.setraw(line)  # the line keeps its baud rate: stty -F /dev/ttyUSB0 115200
        return os.fdopen(os.dup(line.fileno()), "rb"), line.write
    inlet, (host, port) = socket.socket(type=socket.SOCK_DGRAM), to.rsplit(":", 1)
    inlet.bind(("127.0.0.1", int(where)))
    return iter(lambda: inlet.recv(2000), b""), lambda data: inlet.sendto(data, (host, int(port)))

def hold(lines, send):
    seen, thrust, target = {}, np.zeros((4, 2)), None  # newest fields of each formatter; thrust as reported, forward and to starboard, N
    for line in lines:
        body, _, check = line.decode("ascii", "replace").strip().lstrip("$").partition("*")
        field, answer = body.split(","), ["IITRC,1,,V,,,,B,C"]  # a sign of life that asks for nothing
        if check == checksum(body) and body[2:5] != "TRD" and field[6 if body[2:5] == "GGA" else 1] not in ("", "0"):
            seen[body[2:5]] = field
        if check != checksum(body) or body[2:5] != "TRD":
            continue
        i, share, angle = int(field[1]) - 1, float(field[2]) / FULL_RPM[int(field[1]) - 1], math.radians(float(field[6] or 90))
        thrust[i] = FULL_N[i] * share * abs(share) * np.array([math.cos(angle), math.sin(angle)])
        if i < 3:
            continue  # the last TRD ends a sample
        if seen.keys() >= {"GGA", "VTG", "HDT", "ROT"}:
            place = [int(seen["GGA"][k][:n]) + float(seen["GGA"][k][n:]) / 60 - o for k, n, o in ((2, 2, ORIGIN[0]), (4, 3, ORIGIN[1]))]
            course, heading, rate, speed = *(math.radians(float(seen[k][1])) for k in ("VTG", "HDT", "ROT")), float(seen["VTG"][5]) * 1852 / 3600
            turn = np.array([[math.cos(heading), -math.sin(heading)], [math.sin(heading), math.cos(heading)]])  # from the vessel's axes
            arm = turn @ ANTENNA
            position = np.array([place[0] * 111412 - arm[0], place[1] * 111320 * math.cos(math.radians(ORIGIN[0])) - arm[1], heading])
            velocity = np.array([speed * math.cos(course) + rate / 60 * arm[1], speed * math.sin(course) - rate / 60 * arm[0]])
            if target is None:
                target, integral = position, B @ [*thrust[:, 1], *thrust[2:, 0]]  # what the thrusters do now goes on
            error = np.array([*(turn.T @ (position - target)[:2]), (heading - target[2] + math.pi) % (2 * math.pi) - math.pi])
            integral = integral - KI * error * 0.1
            force = INVERSE @ (integral - KP * error - KD * np.array([*(turn.T @ velocity), rate / 60]))
            forward, starboard = np.append([0, 0], force[4:]), force[:4]
            rpm = FULL_RPM * np.sqrt(np.minimum(1, np.hypot(forward, starboard) / FULL_N)) * [*np.sign(starboard[:2]), 1, 1]
            azimuth = ["", "", *(f"{math.degrees(math.atan2(starboard[k], forward[k])) % 360:.2f}" for k in (2, 3))]
            answer = [f"IITRC,{k + 1},{rpm[k]:.2f},R,,,{azimuth[k]},B,C" for k in range(4)]
        send("".join(f"${b}*{checksum(b)}\r\n" for b in answer).encode())

if __name__ == "__main__": hold(*connect(*sys.argv[1:]))
