#!/usr/bin/python3
"""The 30-inch pipe of configs/jlay-900m.yaml without bending stiffness, hung between a hinge at (0, 0, 900) and the surface at
(1000, 0, 0), in a current across and askew that grows from the bottom to the surface: the shape under weight and Morison's
drag on what is at rest, as an elastic cable, by shooting with Runge-Kutta of order 4 and Newton's method for the force at the
lower end. What src/verification/pipe/rest.c compares with.
  cable_in_current.py 3000     # steps; numpy; two minutes
"""
import sys

import numpy as np

G, RHO, DEPTH, D, MASS, LENGTH, EA = 9.80665, 1025, 900, 0.762, 593.2818, 1500, 1.5569e10
W = (MASS - RHO * np.pi * D**2 / 4) * G
ACROSS, ALONG = 0.5 * RHO * D * 1.2, 0.5 * RHO * D * 0.05
TOP = np.array([1000.0, 0, 0])


def rates(y, current):
    force = y[3:]
    tension = np.linalg.norm(force)
    t = force / tension
    u = current * (1 - min(max(y[2], 0), DEPTH) / DEPTH)
    a = t @ u
    p = u - a * t
    drag = ACROSS * np.linalg.norm(p) * p + ALONG * abs(a) * a * t
    return np.concatenate([(1 + tension / EA) * t, -drag - np.array([0, 0, W])])


def shoot(force, current, steps, keep=False):
    y, h, rows = np.concatenate([[0, 0, DEPTH], force]), LENGTH / steps, []
    for _ in range(steps):
        rows.append(y)
        a = rates(y, current)
        b = rates(y + h / 2 * a, current)
        c = rates(y + h / 2 * b, current)
        y = y + h / 6 * (a + 2 * b + 2 * c + rates(y + h * c, current))
    return np.array(rows + [y]) if keep else y


def solve(current, steps, force):
    for _ in range(60):
        miss = shoot(force, current, steps)[:3] - TOP
        if np.abs(miss).max() < 1e-9:
            break
        columns = [(shoot(force + 10 * e, current, steps)[:3] - TOP - miss) / 10 for e in np.eye(3)]
        change = np.linalg.solve(np.array(columns).T, miss)
        force = force - change * min(1, 5e4 / np.abs(change).max())
    return force


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
for degrees in (90, 50, 180):
    way = np.radians(degrees)
    force = np.array([4e5, 0, 1e5])
    for speed in (0, 0.5, 1):
        current = speed * np.array([np.cos(way), np.sin(way), 0])
        force = solve(current, steps, force)
        if speed == 0 and degrees != 90:
            continue
        if speed == 0.5:
            continue
        y = shoot(force, current, steps, True)
        print(f"{speed} m/s towards {degrees} deg: lower end {np.linalg.norm(force):.2f} N, top {np.linalg.norm(y[-1, 3:]):.2f} N "
              f"({y[-1, 3]:.2f}, {y[-1, 4]:.2f}, {y[-1, 5]:.2f})")
        for s in (500, 750, 1000):
            print("  S = %d m: %.5f %.5f %.5f" % (s, *y[round(s / LENGTH * steps), :3]))
