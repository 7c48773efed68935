#!/usr/bin/python3
"""Planar statics of a pipe from the seabed to a clamped hang-off, as a boundary value problem: the ordinary differential
equations of the extensible, shearable rod by the midpoint rule on a graded grid, Newton on all unknowns at once, banded elimination.
No elements, no code of Sagbend's. Prints what src/verification/pipe/beam.c compares with, on three grids.

  r' = (1 + N/EA) t + (Q/GA) b,   phi' = M/EI,   V' = w - seabed,   M' = -(x' V - z' H),   H given
with t = (cos phi, sin phi), b = (-sin phi, cos phi), N = H cos phi + V sin phi, Q = -H sin phi + V cos phi; z upwards from the
seabed, which pushes with k d per metre and metre of penetration of the axis. (H, V, M) act from the part above on the part below.
"""
import math
import sys

import numpy as np

G, WATER = 9.80665, 1025.0
OUTER, INNER = 0.32385, 0.29845  # 12.75 inch, wall 12.7 mm
STEEL = math.pi / 4 * (OUTER**2 - INNER**2)
EA, GA = 2.07e11 * STEEL, 0.5 * 2.07e11 / 2.6 * STEEL
EI = 2.07e11 * math.pi / 64 * (OUTER**4 - INNER**4)
MASS = 7850 * STEEL
SEABED = 1e5  # Pa/m
LENGTH, HEIGHT, ANGLE = 800.0, 350.0, math.radians(65)


class Case:
    def __init__(self, force, joint=None, stiffer=1.0):
        self.force, self.joint, self.stiffer = force, joint, stiffer  # with a joint the top is pinned
        self.weight = (MASS - WATER * math.pi / 4 * OUTER**2) * G

    def grid(self, n):
        """Finer towards the top, with lines at the ends of the joint."""
        marks = sorted({0.0, 0.75 * LENGTH, LENGTH - 60, LENGTH} | (set(self.joint) if self.joint else set()))
        parts = []
        for a, b in zip(marks, marks[1:]):
            density = 4 if a >= 0.75 * LENGTH or (self.joint and self.joint[0] <= a < self.joint[1]) else 1
            count = max(8, int(round(n * density * (b - a) / LENGTH)))
            parts.append(np.linspace(a, b, count + 1)[:-1])
        return np.append(np.concatenate(parts), LENGTH)

    def stiffness(self, middle):
        factor = np.ones_like(middle)
        if self.joint:
            factor[(middle > self.joint[0]) & (middle < self.joint[1])] = self.stiffer
        return factor

    def rates(self, y, factor):
        """y: x, z, phi, V, M in columns; and their derivatives by y."""
        x, z, phi, v, m = y.T
        h, c, s = self.force, np.cos(phi), np.sin(phi)
        n, q = h * c + v * s, -h * s + v * c
        ea, ga, ei = EA * factor, GA * factor, EI * factor
        k = SEABED * OUTER
        down = z < 0
        f = np.empty_like(y)
        f[:, 0] = (1 + n / ea) * c - q / ga * s
        f[:, 1] = (1 + n / ea) * s + q / ga * c
        f[:, 2] = m / ei
        f[:, 3] = self.weight + k * np.where(down, z, 0)
        f[:, 4] = -(f[:, 0] * v - f[:, 1] * h)
        j = np.zeros((len(y), 5, 5))
        nphi, qphi = q, -n  # derivatives by phi
        j[:, 0, 2] = nphi / ea * c - (1 + n / ea) * s - qphi / ga * s - q / ga * c
        j[:, 0, 3] = s / ea * c - c / ga * s
        j[:, 1, 2] = nphi / ea * s + (1 + n / ea) * c + qphi / ga * c - q / ga * s
        j[:, 1, 3] = s / ea * s + c / ga * c
        j[:, 2, 4] = 1 / ei
        j[:, 3, 1] = k * down
        for col in (2, 3):
            j[:, 4, col] = -(j[:, 0, col] * v - j[:, 1, col] * h)
        j[:, 4, 3] -= f[:, 0]
        return f, j


def banded_solve(band, below, above, rhs):
    """band[i, j - i + below]: row i; partial pivoting."""
    size = len(rhs)
    width = below + above + 1
    a = np.zeros((size, width + below))
    a[:, :width] = band
    for i in range(size):  # rows are kept shifted so that column i is first
        last = min(i + below, size - 1)
        block = a[i:last + 1]
        # the first column of each row of the block
        lead = np.array([block[r, below - r] for r in range(len(block))])
        p = int(np.argmax(np.abs(lead)))
        if p:
            top, other = block[0, below:].copy(), block[p, below - p:below - p + width].copy()
            block[0, below:below + width] = other
            block[p, below - p:] = 0
            block[p, below - p:below - p + width] = top[:width]
            rhs[[i, i + p]] = rhs[[i + p, i]]
            lead[p] = lead[0]
        pivot = block[0, below:below + width]
        for r in range(1, len(block)):
            value = block[r, below - r]
            if value != 0:
                share = value / pivot[0]
                block[r, below - r:below - r + width] -= share * pivot
                rhs[i + r] -= share * rhs[i]
    x = np.zeros(size)
    for i in range(size - 1, -1, -1):
        row = a[i, below:]
        stop = min(size, i + width)
        x[i] = (rhs[i] - row[1:stop - i] @ x[i + 1:stop]) / row[0]
    return x


def solve(case, s, y, angle):
    l = np.diff(s)
    factor = case.stiffness(0.5 * (s[1:] + s[:-1]))
    scale = np.array([1.0, 1.0, 1.0, 1e4, 1e5])
    size = 5 * len(s)
    for iteration in range(60):
        middle = 0.5 * (y[1:] + y[:-1])
        f, j = case.rates(middle, factor)
        rest = y[1:] - y[:-1] - l[:, None] * f
        below, above = 7, 7
        band = np.zeros((size, below + above + 1))
        rhs = np.zeros(size)
        rhs[0:3] = -(y[0, :3] - [0, 0, 0])
        for c in range(3):
            band[c, below] = 1
        rhs[-2] = HEIGHT - y[-1, 1]
        rhs[-1] = 0 if angle is None else angle - y[-1, 2]
        band[size - 2, below - 2] = 1  # column z of the last node is size - 4
        band[size - 1, below - (1 if angle is None else 2)] = 1  # phi: size - 3; M: size - 1
        if angle is None:
            band[size - 1, below - 1], band[size - 1, below] = 0, 1
            rhs[-1] = -y[-1, 4] / scale[4]
        for r in range(5):
            for c in range(5):
                row = 3 + 5 * np.arange(len(l)) + r
                lower = -1.0 * (r == c) - 0.5 * l * j[:, r, c] * scale[c] / scale[r]
                upper = 1.0 * (r == c) - 0.5 * l * j[:, r, c] * scale[c] / scale[r]
                col = 5 * np.arange(len(l)) + c
                band[row, below + col - row] = lower
                band[row, below + col + 5 - row] = upper
        rhs[3:-2] = -(rest / scale).ravel()
        step = banded_solve(band, below, above, rhs).reshape(-1, 5) * scale
        turn = np.max(np.abs(step[:, 2]))
        y = y + step * min(1.0, 0.1 / max(turn, 1e-300))
        if turn < 1e-11:
            return y
    raise SystemExit("no convergence")


def first_guess(case, s):
    """Flat, then the catenary."""
    a = case.force / case.weight
    hanging = math.sqrt(HEIGHT**2 + 2 * a * HEIGHT)
    up = np.maximum(s - (LENGTH - hanging), 0)
    y = np.zeros((len(s), 5))
    y[:, 0] = np.minimum(s, LENGTH - hanging) + a * np.arcsinh(up / a)
    y[:, 1] = a * (np.hypot(1, up / a) - 1)
    y[:, 2] = np.arctan(up / a)
    y[:, 3] = case.weight * up
    return y


def largest(s, values):
    i = int(np.argmax(np.abs(values)))
    return values[i], s[i]


def report(case, s, y):
    middle = 0.5 * (s[1:] + s[:-1])
    stiff = case.stiffness(middle)
    phi, v, m = y[:, 2], y[:, 3], y[:, 4]
    n, q = case.force * np.cos(phi) + v * np.sin(phi), -case.force * np.sin(phi) + v * np.cos(phi)
    pressure = WATER * G * (HEIGHT - y[:, 1])
    wall = n - pressure * math.pi / 4 * OUTER**2
    sides = []  # both sides of every node
    for factor in (np.append(stiff[0], stiff), np.append(stiff, stiff[-1])):
        kappa = m / (EI * factor)
        sides.append((np.abs(kappa), np.abs(n) / (EA * factor) + np.abs(kappa) * OUTER / 2, n / (EA * factor) - np.abs(kappa) * OUTER / 2))
    out = {"max_moment": largest(s, m), "max_shear": largest(s, q), "top_tension": (n[-1], LENGTH), "bottom_tension": (n[0], 0.0),
           "max_wall": (wall.max(), s[wall.argmax()]), "min_wall": (wall.min(), s[wall.argmin()]), "reach": (y[-1, 0], LENGTH), "angle_deg": (math.degrees(phi[-1]), LENGTH)}
    for k, name in enumerate(["max_curvature", "max_strain"]):
        best = max(sides, key=lambda side: side[k].max())
        out[name] = (best[k].max(), s[best[k].argmax()])
    best = min(sides, key=lambda side: side[2].min())
    out["min_strain"] = (best[2].min(), s[best[2].argmin()])
    return out


CASES = {
    "clamped hang-off, H 50 kN": Case(50e3),
    "stiff joint of 40 m, pinned top": Case(50e3, joint=(240.0, 280.0), stiffer=20.0),
}


def main():
    print(f"EA {EA:.9g} GA {GA:.9g} EI {EI:.9g} mass {MASS:.9g} weight {CASES['clamped hang-off, H 50 kN'].weight:.9g}")
    grids = [int(a) for a in sys.argv[1:]] or [1000, 2000, 4000]
    for name, case in CASES.items():
        for n in grids:
            s = case.grid(n)
            y = first_guess(case, s)
            for angle in [None] if case.joint else np.linspace(y[-1, 2], ANGLE, 4):
                y = solve(case, s, y, angle)
            print(name, "grid", n, {k: (float(f"{v:.9g}"), float(f"{at:.6g}")) for k, (v, at) in report(case, s, y).items()})


main()
