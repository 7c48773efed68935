"""A DP controller that shares no code with sagbend-dp: PID on one GNSS receiver and one gyro, and thrust allocation by the
pseudo-inverse, for the 83 m vessel. It knows its own data sheet of the vessel, not the simulator's configuration."""
import math

import numpy as np

# Thrusters in the order of the configuration: forward and starboard position, full thrust, full revolutions, whether it is a tunnel.
THRUSTERS = [(37.0, 0.0, 230e3, 140.0, True), (35.0, 0.0, 230e3, 140.0, True), (-41.5, -7.0, 655e3, 200.0, False), (-41.5, 7.0, 420e3, 150.0, False)]
NAMES = ["bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"]
ANTENNA = (24.0, -4.0)  # of gnss-1, forward and starboard
KP, KD, KI = np.array([5.6e4, 7e4, 3.5e7]), np.array([9e5, 1.1e6, 5.6e8]), np.array([6e2, 8e2, 4e5])
LIMIT = np.array([6e5, 4e5, 1.6e7])
PERIOD_S, FILTER_S = 0.1, 1.5


def turned(heading):
    """From the body to the world: north, east, yaw."""
    c, s = math.cos(heading), math.sin(heading)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def wrapped(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


def columns():
    """Force components of the thrusters: one of a tunnel, two of an azimuth thruster, each with its surge, sway and yaw."""
    out, weights = [], []
    for x, y, full, _, is_tunnel in THRUSTERS:
        if not is_tunnel:
            out.append([1, 0, -y])
            weights.append(full)
        out.append([0, 1, x])
        weights.append(full)
    return np.array(out, float).T, np.diag(np.square(weights))


B, W = columns()
INVERSE = W @ B.T @ np.linalg.inv(B @ W @ B.T)


def setpoints(wrench):
    """Revolutions and azimuth of each thruster, rpm and rad."""
    force, at, out = INVERSE @ wrench, 0, []
    for x, y, full, rpm, is_tunnel in THRUSTERS:
        if is_tunnel:
            thrust, azimuth = force[at], math.pi / 2
            at += 1
        else:
            thrust, azimuth = math.hypot(force[at], force[at + 1]), math.atan2(force[at + 1], force[at])
            at += 2
        share = max(-1.0, min(1.0, thrust / full))
        out.append((math.copysign(math.sqrt(abs(share)), share) * rpm, azimuth))
    return out


def wrench_of(states):
    """The wrench of these revolutions and azimuths."""
    total = np.zeros(3)
    for (x, y, full, most, is_tunnel), (rpm, azimuth) in zip(THRUSTERS, states):
        thrust = full * (rpm / most) * abs(rpm / most)
        fx, fy = (0, thrust) if is_tunnel else (thrust * math.cos(azimuth), thrust * math.sin(azimuth))
        total += [fx, fy, x * fy - y * fx]
    return total


class Law:
    """Holds the first position that it sees. reading: north, east, velocity north and east of the antenna, heading, rate of turn."""

    def __init__(self):
        self.target, self.integral, self.velocity = None, None, np.zeros(3)
        self.position = np.zeros(3)

    def step(self, reading, new_fix, thrusters):
        north, east, vn, ve, heading, rate = reading
        turn = turned(heading)
        lever = turn @ [*ANTENNA, 0]
        velocity = np.array([vn + rate * lever[1], ve - rate * lever[0], rate])  # of the reference point
        if new_fix or self.target is None:
            self.position[:2] = [north - lever[0], east - lever[1]]
        else:
            self.position[:2] += velocity[:2] * PERIOD_S
        self.position[2] = heading
        if self.target is None:
            self.target = self.position.copy()
            self.integral = wrench_of(thrusters)  # what the thrusters do now goes on
        self.velocity += (velocity - self.velocity) * PERIOD_S / FILTER_S
        error = self.position - self.target
        error[2] = wrapped(error[2])
        body_error, body_velocity = turn.T @ error, turn.T @ self.velocity
        self.integral = np.clip(self.integral - KI * body_error * PERIOD_S, -LIMIT, LIMIT)
        return setpoints(np.clip(self.integral - KP * body_error - KD * body_velocity, -LIMIT, LIMIT))
