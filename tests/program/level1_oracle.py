"""Level 1 of DNV-ST-0111 a second time, by the text of the standard and integer programmes of SciPy (HiGHS): the utilisation of random
vessels. Used by capability_test.py. Axes of the standard: y to port, moments counter-clockwise."""
from math import atan, atan2, ceil, cos, erf, exp, hypot, pi, sin, sqrt

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

TABLE = {1: (1.5, .1, 3.5, .25), 2: (3.4, .4, 4.5, .5), 3: (5.4, .8, 5.5, .75), 4: (7.9, 1.3, 6.5, .75), 5: (10.7, 2.1, 7.5, .75),
         6: (13.8, 3.1, 8.5, .75), 7: (17.1, 4.2, 9, .75), 8: (20.7, 5.7, 10, .75), 9: (24.4, 7.4, 10.5, .75),
         10: (28.4, 9.5, 11.5, .75), 11: (32.6, 12.1, 12, .75)}


def clamp(x, low, high):
    return max(low, min(high, x))


def drift(t):
    return 1 if t < 1 else t ** -3 * exp(1 - t ** -3)


def loads(v, number, d):
    u, hs, tp, vc = TABLE[number]
    f, tz = (d if d <= pi else 2 * pi - d), tp / 1.4049
    q = 1.226 * u * u / 2
    y = .9 * q * v["AL"] * sin(d)
    sum_ = np.array([-.7 * q * v["AF"] * cos(d), y, y * (v["x_air"] + .3 * (1 - 2 * f / pi) * v["Lpp"])])
    q = 1026 * vc * vc / 2
    y = .6 * q * v["Acur"] * sin(d)
    sum_ += [-.07 * q * v["B"] * v["T"] * cos(d), y, y * (v["x_cur"] + clamp(.4 * (1 - 2 * f / pi), -.2, .25) * v["Lpp"])]
    q = 1026 * 9.81 * hs * hs / 2
    c = clamp(v["AWL"] / (v["Lpp"] * v["B"] / 2), .85, 1.15)
    ha, hb = .8 * v["beta"] ** .45, .7 * c * c
    y = .09 * q * v["Los"] * sin(d) * drift(tz / (.75 * sqrt(v["B"])))
    x = .09 * q * v["B"] * (ha + f / pi * (hb - ha)) * (.05 + .95 * atan(1.45 * (f - 1.75))) * drift(tz / (.9 * v["Lpp"] ** .33))
    return sum_ + [x, y, y * (v["x_Los"] + (.05 - .14 * f / pi) * v["Los"])]


def nominal(t):
    if t["kind"] == "tunnel":
        e = 900 * {"rounded": 1.07, "broken": 1, "other": .93}[t["inlet"]]
    else:
        e = 1200 if t["nozzle"] else 800
    return e * (.93 * t["D"] * t["P"]) ** (2 / 3)


def ventilation(v, t, number, d):
    _, hs, tp, _ = TABLE[number]
    f = d if d <= pi else 2 * pi - d
    b = 1 + .38 * f / pi if f <= pi / 2 else 1.38 - .38 * f / pi
    c = 1 if t["x"] >= 0 else 1 + .4 * t["x"] / v["Lpp"]
    s = .25 * (.85 * b * c * hs * min(.64 * sqrt(v["Lpp"]) / (tp / 1.4049), 1) + max(sqrt(nominal(t) / t["D"] ** 3) / 15.2 - 1, 0))
    return .5 * (1 + erf((4 * (v["T"] - t["z"]) / t["D"] - 1.5 * s) / sqrt(2)))


def wrapped(a):
    return (a + pi) % (2 * pi) - pi


class Directions:
    """Share of the thrust over its angle, and where it may act."""

    def __init__(self, v, t, others):
        self.dips, self.washes, self.closed, self.corners, self.lowest = [], [], [], [], []
        for x, y in v["skegs"]:
            dx, dy = x - t["x"], y - t["y"]
            s = hypot(dx, dy) if dx > 0 else abs(dy)
            if dy == 0 or s >= (8 if t["nozzle"] else 15) * t["D"]:
                continue
            jet, side = atan(.6 * t["D"] / s), (1 if dy < 0 else -1)
            af = pi / 2 - atan(dx / -abs(dy))
            am = clamp(af + jet, pi / 2, pi)
            dip = (max(af - jet, 0), am, min(am + 4 * jet, pi), 2 * am / pi - 1, side)
            self.dips.append(dip)
            self.corners += [side * dip[0], side * am, side * dip[2]]
            self.lowest.append(side * am)
        for o, stopped in others:
            dx, dy = t["x"] - o["x"], t["y"] - o["y"]
            s = hypot(dx, dy)
            middle = atan2(dy, dx)
            if o["kind"] != "azimuth":
                continue
            if stopped and s < (4 if t["nozzle"] else 8) * t["D"]:
                half, r = atan((.35 if t["nozzle"] else .6) * t["D"] / s), s / t["D"]
                self.washes.append((middle, half, 1 - 1 / (.02 * r * r + .25 * r + 1.2)))
                self.corners += [middle - half, middle, middle + half]
                self.lowest.append(middle)
            if not stopped and s < 15 * t["D"]:
                half = atan(.1 + t["D"] / s)
                self.closed.append((middle, half))
                self.corners += [middle - half, middle + half]

    def share(self, angle):
        share = 1
        for a0, am, a1, least, side in self.dips:
            a = wrapped(side * angle)
            if a < -pi + 1e-9:
                a = pi
            if a0 < a < a1:
                share *= least + (1 - least) * ((am - a) / (am - a0) if a < am else (a - am) / (a1 - am))
        for middle, half, a in self.washes:
            e = abs(wrapped(angle - middle))
            if e < half:
                share *= a * sin(half) / (sin(half - e) + a * sin(e))
        return share

    def pieces(self, thrust):
        """Convex pieces, each a list of corners."""
        corners = sorted({round(c % (2 * pi), 12) for c in self.corners} | {2 * pi * k / 36 for k in range(36)})
        found = []
        for i, a in enumerate(corners):
            b = corners[i + 1] if i + 1 < len(corners) else corners[0] + 2 * pi
            middle = (a + b) / 2
            if b - a < 1e-9 or any(abs(wrapped(middle - m)) < h for m, h in self.closed):
                continue
            steps = 1 if self.share(middle) > 1 - 1e-9 else max(1, ceil((b - a) / (pi / 180)))
            found.append([(thrust * self.share(c) * cos(c), thrust * self.share(c) * sin(c))
                          for c in (a + (b - a) * k / steps for k in range(steps + 1))])
        return found


def utilisation(v, thrusters, stopped, number, d):
    """Each piece is at most 10 degrees wide, so that all are convex; one piece of each thruster acts."""
    demand = -1.25 * loads(v, number, d)
    units = []
    for i, t in enumerate(thrusters):
        if i in stopped:
            continue
        thrust = .9 * nominal(t) * ventilation(v, t, number, d)
        if t["kind"] == "tunnel":
            pieces = [[(0, thrust), (0, -thrust)]]
        else:
            pieces = Directions(v, t, [(o, j in stopped) for j, o in enumerate(thrusters) if j != i]).pieces(thrust)
        units.append((t, pieces))
    scale = np.array([1e5, 1e5, 4.5e6])
    columns, owner, piece_of, pieces = [list(-demand / scale)], [-1], [-1], []
    for i, (t, list_) in enumerate(units):
        for p in list_:
            for fx, fy in p:
                columns.append([fx / scale[0], fy / scale[1], (t["x"] * fy - t["y"] * fx) / scale[2]])
                owner.append(i), piece_of.append(len(pieces))
            pieces.append(i)
    n, m = len(columns), len(pieces)
    a_eq = np.hstack([np.array(columns).T, np.zeros((3, m))])
    chosen, one = np.zeros((m, n + m)), np.zeros((len(units), n + m))
    for j, p in enumerate(piece_of):
        if p >= 0:
            chosen[p, j] = 1
    for p, i in enumerate(pieces):
        chosen[p, n + p] = -1
        one[i, n + p] = 1
    result = milp(-np.eye(1, n + m)[0], integrality=np.concatenate([np.zeros(n), np.ones(m)]),
                  bounds=Bounds(np.zeros(n + m), np.concatenate([np.full(n, np.inf), np.ones(m)])),
                  constraints=[LinearConstraint(a_eq, 0, 0), LinearConstraint(chosen, -np.inf, 0), LinearConstraint(one, 0, 1)],
                  options={"mip_rel_gap": 1e-6})
    assert result.status == 0, result.message
    return 1 / result.x[0] if result.x[0] > 1e-12 else float("inf")
