#!/usr/bin/python3
"""Statics of the 30-inch pipe of configs/jlay-900m.yaml in its plane, as a boundary value problem: what src/verification/pipe/rest.c
compares with. Other code, another discretisation than the project's: the ordinary differential equations of a beam that
stretches, shears and bends (Reissner 1972),
  r' = (1 + N/EA) t + (Q/GA) n,  angle' = M/EI,  force' = -load,  M' = -(r' x force),
with the distributed reaction of the seabed's spring, by the box scheme (midpoints) and Newton's method with derivatives by
complex steps. Clamped where it rests on the ground, pinned at the surface under a horizontal force of 400 kN.
  planar_statics.py 3000 6000     # cells; numpy; 10 s
"""
import sys

import numpy as np

G, RHO, DEPTH, D, MASS, LENGTH = 9.80665, 1025, 900, 0.762, 593.2818, 1500
EA, GA, EI, H = 1.5569e10, 9.0330e9, 1.0364e9, 400e3
W = (MASS - RHO * np.pi * D**2 / 4) * G
SLOPE, BREAK = abs(W) / (D / 10), D / 20
AT, DEEP, WIDE = 150, 3, 25  # a trench or a ridge: deep exp(-((x - at)/wide)^2)


def ground(x, deep):  # level, down; slope; second derivative
    u = (x - AT) / WIDE
    e = deep * np.exp(-u * u)
    return DEPTH + e, -2 * u / WIDE * e, (4 * u * u - 2) / WIDE**2 * e


def push(k):  # of the spring, per length
    parabola = SLOPE * k * k / (2 * BREAK)
    line = SLOPE * (k - BREAK / 2)
    return np.where(k.real <= 0, 0 * k, np.where(k.real <= BREAK, parabola, line))


def load(x, z, deep):  # per length: east (x), down (z)
    level, slope, bend = ground(x, deep)
    c = (1 + slope**2) ** -0.5
    k = (z - level) * c + D / 2
    f = push(k)
    return -f * (-slope * c - (z - level) * slope * bend * c**3), W - f * c, k


def cell(a, b, h, deep):  # x, z, angle above the horizontal, forces x and z on the part below, moment
    m = 0.5 * (a + b)
    x, z, angle, fx, fz, moment = m
    cs, sn = np.cos(angle), np.sin(angle)  # t = (cs, -sn), n = (sn, cs) with z down
    axial, shear = fx * cs - fz * sn, fx * sn + fz * cs
    dx = (1 + axial / EA) * cs + shear / GA * sn
    dz = -(1 + axial / EA) * sn + shear / GA * cs
    qx, qz, _ = load(x, z, deep)
    rate = (b - a) / h
    # a positive angle turns x towards -z, up
    return np.array([rate[3] + qx, rate[4] + qz, rate[5] - (dx * fz - dz * fx), rate[0] - dx, rate[1] - dz,
                     rate[2] - moment / EI])


def solve(cells, deep, y):
    h = LENGTH / cells
    rest = DEPTH - (D / 2 - (W / SLOPE + BREAK / 2))
    for turn in range(200):
        a, b = y[:, :-1], y[:, 1:]
        f = cell(a, b, h, deep)
        da, db = np.zeros((6, 6, cells)), np.zeros((6, 6, cells))
        for c in range(6):
            step = np.zeros((6, 1), complex)
            step[c] = 1e-30j
            da[:, c] = cell(a + step, b, h, deep).imag / 1e-30
            db[:, c] = cell(a, b + step, h, deep).imag / 1e-30
        first, last = np.zeros(6), np.zeros(6)
        first[:3] = y[0, 0], y[1, 0] - rest, y[2, 0]
        last[3:] = y[1, -1], y[3, -1] - H, y[5, -1]
        # block row i: the kinematics of the cell before, the balance of the cell after
        n = cells + 1
        lower, diag, upper, right = (np.zeros((n, 6, 6)) for _ in range(4))
        right = np.zeros((n, 6))
        diag[0, 0, 0] = diag[0, 1, 1] = diag[0, 2, 2] = 1
        right[0, :3] = -first[:3]
        diag[-1, 3, 1] = diag[-1, 4, 3] = diag[-1, 5, 5] = 1
        right[-1, 3:] = -last[3:]
        diag[:-1, 3:] = np.moveaxis(da[:3], 2, 0)
        upper[:-1, 3:] = np.moveaxis(db[:3], 2, 0)
        right[:-1, 3:] = -f[:3].T
        diag[1:, :3] = np.moveaxis(db[3:], 2, 0)
        lower[1:, :3] = np.moveaxis(da[3:], 2, 0)
        right[1:, :3] = -f[3:].T
        for i in range(1, n):
            factor = np.linalg.solve(diag[i - 1].T, lower[i].T).T
            diag[i] -= factor @ upper[i - 1]
            right[i] -= factor @ right[i - 1]
        change = np.zeros((n, 6))
        change[-1] = np.linalg.solve(diag[-1], right[-1])
        for i in range(n - 2, -1, -1):
            change[i] = np.linalg.solve(diag[i], right[i] - upper[i] @ change[i + 1])
        most = np.abs(change[:, 2]).max()
        y = y + min(1, 0.1 / most) * change.T
        if most < 1e-11:
            return y, h
    raise SystemExit("no solution")


def start(cells):  # the catenary from a level ground
    s = np.linspace(0, LENGTH, cells + 1)
    a = H / W
    hangs = np.sqrt(DEPTH * (DEPTH + 2 * a))
    u = np.maximum(0, s - (LENGTH - hangs)) / a
    y = np.zeros((6, cells + 1))
    y[0] = np.minimum(s, LENGTH - hangs) + a * np.arcsinh(u)
    y[1] = DEPTH - 0.29 - a * (np.sqrt(1 + u * u) - 1)
    y[2] = np.arctan(u)
    y[3], y[4], y[5] = H, -W * u * a, EI / a / (1 + u * u)
    return y


for cells in [int(a) for a in sys.argv[1:]] or [3000]:
    y = start(cells)
    for deep in (0, 1, 2, 3, -1, -2):
        if deep == -1:
            y = start(cells)
        y, h = solve(cells, deep, y)
        if deep not in (0, 3, -2):
            continue
        s = h * np.arange(cells + 1)
        k = np.array([load(y[0], y[1], deep)[2]])[0]
        c = (1 + ground(y[0], deep)[1] ** 2) ** -0.5
        gap = -k / c  # under the pipe, upright
        laid, near = s < 250, np.argmin(np.abs(y[0] - AT))
        at = lambda x, v: np.interp(x, y[0][:near + cells // 5], v[:near + cells // 5])
        print(f"{cells} cells, {'level' if deep == 0 else 'trench' if deep > 0 else 'ridge'} of {abs(deep)} m")
        print(f"  hang-off angle {np.degrees(y[2, -1]):.6f} deg, hang-off north {y[0, -1]:.5f} m")
        print(f"  z at north {AT} m: {at(AT, y[1]):.6f} m, gap there {at(AT, gap):.6f} m, moment {at(AT, y[5]):.2f} N m")
        print(f"  laid part: largest gap {gap[laid].max():.6f} m, moment from {y[5][laid].min():.2f} to {y[5][laid].max():.2f} N m")
        print(f"  largest moment {y[5].max():.2f} N m; moment at the lower end {y[5, 0]:.2f} N m")
        up = np.where(k[laid] > 0, 0, 1)
        ends = np.flatnonzero(np.diff(up))
        print("  leaves or meets the ground at S", [round(float(s[i] + h * k[i] / (k[i] - k[i + 1])), 4) for i in ends])
