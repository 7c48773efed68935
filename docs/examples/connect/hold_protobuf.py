#!/usr/bin/python3
"""Holds a vessel where it starts, over protobuf (docs/connect.md). Inertia, thrusters and antennas stand in Welcome.
  hold_protobuf.py [tcp://127.0.0.1:47700] [--command thrusters] [--gain 4]"""
import argparse, math
import numpy as np
import sagbend

parser = argparse.ArgumentParser()
parser.add_argument("endpoint", nargs="?", default="tcp://127.0.0.1:47700")
parser.add_argument("--command", choices=["wrench", "thrusters"], default="wrench", help="forces and moment, or set-points of each thruster")
parser.add_argument("--gain", type=float, default=1, help="multiplies the three gains")
options = parser.parse_args()

def turned(heading):  # from the vessel's axes to north and east
    return np.array([[math.cos(heading), -math.sin(heading)], [math.sin(heading), math.cos(heading)]])

def seen(s, antennas):
    """North, east, heading, and their rates, as the first receiver and gyro have them. None: not yet."""
    if not antennas:
        return np.array([s.position_north_m, s.position_east_m, s.heading_rad]), np.array([s.velocity_north_mps, s.velocity_east_mps, s.heading_rate_radps])
    gnss, gyro = s.instruments.gnss[0], s.instruments.gyro[0]
    if not (gnss.telegram.valid and gyro.telegram.valid):
        return None, None
    (north, east), rate = turned(gyro.heading_rad) @ antennas[gnss.telegram.name], gyro.rate_radps
    return (np.array([gnss.north_m - north, gnss.east_m - east, gyro.heading_rad]),
            np.array([gnss.velocity_north_mps + rate * east, gnss.velocity_east_mps - rate * north, rate]))

def column(t, angle):  # surge, sway and yaw of a thrust of 1 N; this law knows tunnel and azimuth thrusters of fixed pitch
    return np.array([math.cos(angle), math.sin(angle), t.forward_m * math.sin(angle) - t.starboard_m * math.cos(angle)])

client, target, ACROSS = sagbend.Client(options.endpoint, "hold"), None, math.pi / 2
for s in client.samples():  # each Sensors, until the session ends; what is refused is said on standard error
    w = client.welcome
    position, velocity = seen(s, {i.name: (i.forward_m, i.starboard_m) for i in w.instrument})
    if position is None:
        client.send_standby(s)  # what holds the vessel at the start acts
        continue
    if target is None:
        forces = [(t, angle) for t in w.thruster for angle in ((ACROSS,) if t.across else (0, ACROSS))]  # those of one thruster, its full thrust
        B, W = np.array([column(t, angle) for t, angle in forces]).T, np.diag([t.thrust_max_n**2 for t, _ in forces])
        kp, kd, ki = (options.gain * k * np.reshape(w.vessel.inertia, (6, 6)).diagonal()[[0, 1, 5]] for k in (0.01, 0.16, 1e-4))  # 0.1 rad/s
        hold, share = w.initial_holding_force, [now.revolutions_rpm / t.revolutions_max_rpm for t, now in zip(w.thruster, s.thruster)]
        thrusts = [t.thrust_max_n * x * abs(x) * column(t, ACROSS if t.across else now.azimuth_rad) for t, now, x in zip(w.thruster, s.thruster, share)]
        target, integral = position, np.array([hold.surge_n, hold.sway_n, hold.yaw_nm]) if options.command == "wrench" else sum(thrusts)  # goes on
    turn = turned(position[2]).T
    error = np.append(turn @ (position - target)[:2], math.remainder(position[2] - target[2], 2 * math.pi))
    integral = integral - ki * error * w.sensor_period_s
    wrench, setpoints = integral - kp * error - kd * np.append(turn @ velocity[:2], velocity[2]), []
    if options.command == "wrench":
        client.send_wrench(s, surge_n=wrench[0], sway_n=wrench[1], yaw_nm=wrench[2])
        continue
    force = iter(W @ B.T @ np.linalg.inv(B @ W @ B.T) @ wrench)
    for t in w.thruster:
        forward, starboard = 0 if t.across else next(force), next(force)
        x = math.copysign(min(1, math.hypot(forward, starboard) / t.thrust_max_n)**0.5, starboard if t.across else 1)
        setpoints.append({"name": t.name, "enable": True, "revolutions_rpm": x * t.revolutions_max_rpm, "azimuth_rad": 0 if t.across else math.atan2(starboard, forward)})
    client.send_thrusters(s, setpoints)
