#!/usr/bin/python3
"""A weightless rod in the plane between a clamp at (0, 0, 0 rad) and a sleeve at (44 m, -30 m, -1.9 rad): the ordinary differential
equations of the extensible, shearable rod by Runge and Kutta's rule of order 4, shooting for force and moment at the clamp by Newton's
method, from the circular arc of that angle on. No elements, no code of Sagbend's. Prints, for three lengths, the first integral
N + N^2/2EA + Q^2/2GA + M^2/2EI at the sleeve, N there, and the change of the elastic energy from 60 m on: src/verification/pipe/stinger.c.

  r' = (1 + N/EA) t + (Q/GA) b,   phi' = M/EI,   M' = -((1 + N/EA) Q - (Q/GA) N),   the force (X, Y) constant
with t = (cos phi, sin phi), b = (-sin phi, cos phi), N = X cos phi + Y sin phi, Q = -X sin phi + Y cos phi.
"""
import math
import sys

import numpy as np

EA, GA, EI, LENGTH = 1e9, 4e8, 1e7, 60.0
SLEEVE = np.array([44.0, -30.0, -1.9])


def rates(y, force):
    _, _, phi, m, _ = y
    c, s = math.cos(phi), math.sin(phi)
    n, q = force[0] * c + force[1] * s, -force[0] * s + force[1] * c
    e, g = 1 + n / EA, q / GA
    energy = 0.5 * (n * n / EA + q * q / GA + m * m / EI)
    return np.array([e * c - g * s, e * s + g * c, m / EI, -(e * q - g * n), energy])


def end_of(unknown, length, cells):
    force, h = unknown[:2], length / cells
    y = np.array([0, 0, 0, unknown[2], 0], float)
    for _ in range(cells):
        k1 = rates(y, force)
        k2 = rates(y + h / 2 * k1, force)
        k3 = rates(y + h / 2 * k2, force)
        k4 = rates(y + h * k3, force)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def shoot(place, length, unknown, cells):
    for _ in range(60):
        miss = end_of(unknown, length, cells)[:3] - place
        if abs(miss).max() < 1e-12:
            return unknown
        slope = np.zeros((3, 3))
        for k in range(3):
            d = np.zeros(3)
            d[k] = max(1.0, 1e-5 * abs(unknown[k]))
            slope[:, k] = (end_of(unknown + d, length, cells) - end_of(unknown - d, length, cells))[:3] / (2 * d[k])
        unknown = unknown - np.linalg.solve(slope, miss)
    sys.exit("no solution")


def main():
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 800
    turn = SLEEVE[2]
    arc = LENGTH * np.array([math.sin(turn) / turn, (1 - math.cos(turn)) / turn, turn / LENGTH])
    unknown = np.array([0, 0, EI * turn / LENGTH])
    for share in np.linspace(0, 1, 41):
        unknown = shoot(arc + (SLEEVE - arc) * share, LENGTH, unknown, 400)
    start = None
    for length in (LENGTH, LENGTH + 0.75, LENGTH + 1.5):
        unknown = shoot(SLEEVE, length, unknown, cells)
        _, _, phi, m, energy = end_of(unknown, length, cells)
        n = unknown[0] * math.cos(phi) + unknown[1] * math.sin(phi)
        q = -unknown[0] * math.sin(phi) + unknown[1] * math.cos(phi)
        first = n + n * n / (2 * EA) + q * q / (2 * GA) + m * m / (2 * EI)
        start = energy if start is None else start
        print(f"{length:6.2f} m: first integral {first:.4f} N, N {n:.4f} N, energy {energy - start:.4f} J")


main()
