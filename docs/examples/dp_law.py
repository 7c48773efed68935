"""A small DP system for the 83 m vessel, the same for every way in which it can be connected: which instruments count, a law with a
proportional, a derivative and an integral part, and the allocation to the thrusters by the pseudo-inverse. dp_protobuf.py, dp_nmea.py and
dp_modbus.py connect it (docs/trials.md). It shares no code with sagbend-dp, knows its own data sheet of the vessel, not the
simulator's configuration, and needs no library.

To begin with another vessel: the data sheet, then the gains. It lacks an observer, so that the thrusters feel the waves; feed-forward of wind
and pipe; supervision of thrusters that say they are ready and do not follow; any reference but GNSS."""
import math
import statistics

# The data sheet. Thrusters in the order of the configuration: forward and starboard position, full thrust, full revolutions, whether it is a tunnel.
THRUSTERS = [(37.0, 0.0, 230e3, 140.0, True), (35.0, 0.0, 230e3, 140.0, True), (-41.5, -7.0, 655e3, 200.0, False), (-41.5, 7.0, 420e3, 150.0, False)]
NAMES = ["bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"]
ANTENNAS = {"gnss-1": (24.0, -4.0), "gnss-2": (24.0, 4.0), "gnss-3": (10.0, 0.0)}  # forward and starboard
ANTENNA = ANTENNAS["gnss-1"]
GYROS = ("gyro-1", "gyro-2", "gyro-3")

# Gains of surge, sway and yaw: about 0.1 rad/s with 0.8 of critical damping on the mass including added mass.
KP, KD, KI = (5.6e4, 7e4, 3.5e7), (9e5, 1.1e6, 5.6e8), (6e2, 8e2, 4e5)
LIMIT = (6e5, 4e5, 1.6e7)            # of the integral, and of the whole: N, N, N m
PERIOD_S, FILTER_S = 0.1, 1.5        # between two samples; of the velocity

# An instrument counts no more if it says nothing new for OLD_S, repeats its numbers for STILL_S, or differs from the median of three by more than the
# limit of its kind; after that it counts again when it has been right for AGAIN_S.
OLD_S, STILL_S, AGAIN_S = 3.0, 8.0, 10.0
POSITION_LIMIT_M, HEADING_LIMIT_RAD = 3.0, math.radians(2.0)


def to_body(heading, north, east, yaw):
    c, s = math.cos(heading), math.sin(heading)
    return c * north + s * east, c * east - s * north, yaw


def limited(wrench):
    return [max(-most, min(most, value)) for value, most in zip(wrench, LIMIT)]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def wrapped(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


def inverse(ready):
    """The pseudo-inverse of the thrusters that are ready: a row for each force component, one of a tunnel and two of an azimuth thruster, which
    gives it from a wrench. Each component weighs by the square of its full thrust; one that is not ready gets nothing. The damping, a millionth of
    (100 kN)^2, matters only where no thruster is left for a direction."""
    columns = []  # weight, and the wrench of 1 N
    for (x, y, full, _, is_tunnel), is_ready in zip(THRUSTERS, ready):
        weight = (full / 1e5) ** 2 * is_ready
        columns += ([] if is_tunnel else [(weight, (1.0, 0.0, -y))]) + [(weight, (0.0, 1.0, x))]
    square = [[sum(w * b[i] * b[j] for w, b in columns) + 1e-6 * (i == j) for j in range(3)] for i in range(3)]
    cofactors = [cross(square[1], square[2]), cross(square[2], square[0]), cross(square[0], square[1])]
    determinant = dot(square[0], cofactors[0])
    return [[w * dot(b, row) / determinant for row in cofactors] for w, b in columns]


ALL = (True,) * len(THRUSTERS)
INVERSES = {ALL: inverse(ALL)}  # of each set of ready thrusters that has come


def setpoints(wrench, ready=ALL):
    """Revolutions and azimuth of each thruster, rpm and rad."""
    if ready not in INVERSES:
        INVERSES[ready] = inverse(ready)
    force, at, out = [dot(row, wrench) for row in INVERSES[ready]], 0, []
    for x, y, full, rpm, is_tunnel in THRUSTERS:
        if is_tunnel:
            thrust, azimuth = force[at], math.pi / 2
            at += 1
        else:
            thrust, azimuth = math.hypot(force[at], force[at + 1]), math.atan2(force[at + 1], force[at])
            at += 2
        share = max(-1.0, min(1.0, thrust / full))
        out.append((math.copysign(math.sqrt(abs(share)), share) * rpm, azimuth))  # thrust grows with the square of revolutions
    return out


def wrench_of(states):
    """The wrench of these revolutions and azimuths."""
    surge = sway = yaw = 0.0
    for (x, y, full, most, is_tunnel), (rpm, azimuth) in zip(THRUSTERS, states):
        thrust = full * (rpm / most) * abs(rpm / most)
        fx, fy = (0.0, thrust) if is_tunnel else (thrust * math.cos(azimuth), thrust * math.sin(azimuth))
        surge, sway, yaw = surge + fx, sway + fy, yaw + x * fy - y * fx
    return surge, sway, yaw


class Law:
    """Holds the first position that it sees. reading: north, east, velocity north and east of the antenna, heading, rate of turn."""

    def __init__(self, antenna=None):
        self.antenna, self.target, self.integral, self.velocity = antenna, None, None, (0.0, 0.0, 0.0)
        self.position = (0.0, 0.0)

    def step(self, reading, new_fix, thrusters, ready=ALL):
        north, east, vn, ve, heading, rate = reading
        c, s, (x, y) = math.cos(heading), math.sin(heading), self.antenna or ANTENNA
        arm_north, arm_east = c * x - s * y, s * x + c * y
        velocity = (vn + rate * arm_east, ve - rate * arm_north, rate)  # of the reference point
        if new_fix or self.target is None:
            self.position = north - arm_north, east - arm_east
        else:
            self.position = self.position[0] + velocity[0] * PERIOD_S, self.position[1] + velocity[1] * PERIOD_S
        if self.target is None:
            self.target = (*self.position, heading)
            self.integral = wrench_of(thrusters)  # what the thrusters do now goes on
        self.velocity = [old + (new - old) * PERIOD_S / FILTER_S for old, new in zip(self.velocity, velocity)]
        error = to_body(heading, self.position[0] - self.target[0], self.position[1] - self.target[1], wrapped(heading - self.target[2]))
        speed = to_body(heading, *self.velocity)
        self.integral = limited([i - ki * e * PERIOD_S for i, ki, e in zip(self.integral, KI, error)])
        return setpoints(limited([i - kp * e - kd * v for i, kp, e, kd, v in zip(self.integral, KP, error, KD, speed)]), ready)


class Watch:
    """Which instruments of one kind count, and why the others do not."""

    def __init__(self, limit):
        self.limit, self.last, self.came_s, self.changed_s, self.out = limit, {}, {}, {}, {}

    def sort(self, time_s, raw, given):
        """raw: {name: (number of the measurement, value, ...), or None: not valid}; given: the same, so that values of sound instruments are
        equal. Returns the names that count."""
        doubts = {name: self.doubt(name, time_s, measured) for name, measured in raw.items()}
        good = [name for name in given if not doubts[name]]
        if len(good) >= 3:  # with two nobody knows which one is wrong
            for k in (1, 2):
                middle = statistics.median(given[name][k] for name in good)
                for name in good:
                    if abs(given[name][k] - middle) > self.limit:
                        doubts[name] = "rejected"
        for name, doubt in doubts.items():
            if doubt:
                self.out[name] = (doubt, time_s)
            elif name in self.out and time_s - self.out[name][1] > AGAIN_S:
                del self.out[name]
        return [name for name in given if name not in self.out]

    def doubt(self, name, time_s, measured):
        last = self.last.get(name)
        if measured and (not last or measured[0] != last[0]):
            self.came_s[name] = time_s
            if not last or measured[1:] != last[1:]:
                self.changed_s[name] = time_s
            self.last[name] = measured
        if not measured or time_s - self.came_s[name] > OLD_S:
            return "lost"
        return "frozen" if time_s - self.changed_s[name] > STILL_S else ""


class Dp:
    """The whole of it. One step for each sample."""

    def __init__(self):
        self.law, self.gnss, self.gyro, self.counts = Law((0, 0)), Watch(POSITION_LIMIT_M), Watch(HEADING_LIMIT_RAD), None
        self.heading = self.rate = 0.0
        self.settings = None

    def step(self, time_s, gnss, gyro, thrusters, ready=ALL):
        """gnss: {name: (number of the fix, north, east, velocity north, velocity east) or None: not valid}, of the antenna; gyro: {name: (number,
        heading, rate) or None}; thrusters: (rpm, azimuth) of each; ready: whether it is, of each. Returns the settings, None before the
        first fix, and the alarms: [(source, kind)]."""
        first = next((g[1] for g in gyro.values() if g), 0.0)  # headings about the first one do not wrap
        near = {name: g and (g[0], first + wrapped(g[1] - first), g[2]) for name, g in gyro.items()}
        sound = self.gyro.sort(time_s, gyro, near)
        if sound:
            self.heading, self.rate = (statistics.median(near[name][k] for name in sound) for k in (1, 2))
        c, s = math.cos(self.heading), math.sin(self.heading)

        def of_vessel(name):  # from the antenna to the reference point
            count, north, east, vn, ve = gnss[name]
            x, y = ANTENNAS[name]
            arm_north, arm_east = c * x - s * y, s * x + c * y
            return count, north - arm_north, east - arm_east, vn + self.rate * arm_east, ve - self.rate * arm_north

        fixes = {name: of_vessel(name) if gnss[name] else None for name in gnss}
        known = self.gnss.sort(time_s, gnss, fixes)
        if known and sound:
            counts = {name: fixes[name][0] for name in known}
            reading = [statistics.median(fixes[name][k] for name in known) for k in (1, 2, 3, 4)]
            self.settings = self.law.step((*reading, self.heading, self.rate), counts != self.counts, thrusters, tuple(ready))
            self.counts = counts
        # Without any position or heading the last settings stay: it has no model of the vessel.
        alarms = [(name, doubt) for watch in (self.gnss, self.gyro) for name, (doubt, _) in watch.out.items()]
        alarms += [(name, "lost") for name, is_ready in zip(NAMES, ready) if not is_ready]
        return self.settings, alarms if self.settings else []
