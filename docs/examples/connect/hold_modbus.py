#!/usr/bin/python3
"""Holds the 83 m vessel where it starts, over Modbus TCP (docs/connect.md):
sagbend modbus-map CASE --yaml > map.yaml;   hold_modbus.py 127.0.0.1:1502 map.yaml"""
import math, re, socket, struct, sys, time
import numpy as np

FULL_N, FULL_RPM = np.array([230e3, 230e3, 655e3, 420e3]), np.array([140, 140, 200, 150])  # thrusters in the order of the case
NAMES = ["bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"]
# Forces: all four to starboard, then the two at the stern forward. B makes surge, sway and yaw of them; INVERSE shares by full thrust.
B = np.array([[0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0], [37, 35, -41.5, -41.5, 7, -7]])
W = np.diag(np.append(FULL_N, FULL_N[2:]) ** 2)
INVERSE = W @ B.T @ np.linalg.inv(B @ W @ B.T)
KP, KD, KI = np.array([5.6e4, 7e4, 3.5e7]), np.array([9e5, 1.1e6, 5.6e8]), np.array([6e2, 8e2, 4e5])  # of surge, sway, yaw

server = socket.create_connection(sys.argv[1].split(":"))
rows = re.findall(r"table: (\w+), address: (\d+), type: \w+, signal: ([^\s,}]+)", open(sys.argv[2]).read())
ADDRESS = {(table, signal): int(address) for table, address, signal in rows}


def ask(pdu):
    """The answer to a request, without its function code."""
    try:
        server.sendall(struct.pack(">HHHB", 1, 0, len(pdu) + 1, 1) + pdu)
        data = server.recv(struct.unpack(">HHHB", server.recv(7, socket.MSG_WAITALL))[2] - 1, socket.MSG_WAITALL)
    except (OSError, struct.error):
        sys.exit("the session has ended")
    return data[1:] if data[0] == pdu[0] else sys.exit(f"Modbus exception {data[1]}")


def read(signal):
    """The number in two input registers, high half first."""
    return struct.unpack(">f", ask(struct.pack(">BHH", 4, ADDRESS["input", signal], 2))[1:])[0]


target, next_s = None, 0.0
while True:
    while (time_s := read("session.time_s")) < next_s:  # until the next sample
        time.sleep(0.005)
    fix = [read(f"instrument.gnss-1.{k}") for k in ("north_m", "east_m", "velocity_north_mps", "velocity_east_mps")]
    heading, rate = (math.radians(read(f"instrument.gyro-1.{k}")) for k in ("heading_deg", "rate_degps"))
    request = struct.pack(">BHH", 6, ADDRESS["holding", "command.heartbeat"], 0)  # a sign of life that asks for nothing
    if not any(map(math.isnan, (*fix, heading, rate))):  # else there is no valid measurement yet
        turn = np.array([[math.cos(heading), -math.sin(heading)], [math.sin(heading), math.cos(heading)]])  # from the vessel's axes
        arm = turn @ (24.0, -4.0)  # gnss-1: forward, starboard, m
        position, velocity = np.array([*(fix[:2] - arm), heading]), turn.T @ [fix[2] + rate * arm[1], fix[3] - rate * arm[0]]
        if target is None:  # what the thrusters do now goes on
            share = [read(f"thruster.{name}.revolutions_rpm") for name in NAMES] / FULL_RPM
            azimuth = np.radians([90, 90, *(read(f"thruster.{name}.azimuth_deg") for name in NAMES[2:])])
            thrust = FULL_N * share * abs(share)
            target, integral = position, B @ [*(thrust * np.sin(azimuth)), *(thrust * np.cos(azimuth))[2:]]
        error = np.array([*(turn.T @ (position - target)[:2]), (heading - target[2] + math.pi) % (2 * math.pi) - math.pi])
        integral = integral - KI * error * 0.1
        force = INVERSE @ (integral - KP * error - KD * np.array([*velocity, rate]))
        forward, starboard = np.append([0, 0], force[4:]), force[:4]
        rpm = FULL_RPM * np.sqrt(np.minimum(1, np.hypot(forward, starboard) / FULL_N)) * [*np.sign(starboard[:2]), 1, 1]
        azimuth = np.degrees(np.arctan2(starboard, forward))
        data = struct.pack(">6f", *rpm[:3], azimuth[2], rpm[3], azimuth[3])  # one after the other in the default map
        request = struct.pack(">BHHB", 16, ADDRESS["holding", "thruster.bow_tunnel_1.revolutions_set_rpm"], 12, 24) + data
    ask(request)
    next_s = time_s + 0.09
