#!/usr/bin/python3
"""Statics of the 30-inch pipe of configs/jlay-900m.yaml with too little tension, so that its sagbend yields: what
src/verification/pipe/plasticity.c and tests/sagbend/steel_hardening_test.c compare with.

First the law of bending from the strengths of the steel (X65: 450 and 535 MPa, E = 207 GPa, 762 x 32.8 mm): the law of Ramberg
and Osgood through (SMYS, 0.5 %) and (SMTS, uniform strain 0.3 (1 - SMYS/SMTS)), its moment over the section by Simpson's rule
over slices across the plane of bending, and the exponent B and factor A of kappa EI/M_y = m + A m^B through the points at both
strains. Then the ordinary differential equations of a beam that stretches, shears and bends,
  r' = (1 + N/EA) t + (Q/GA) n,  angle' = kappa(M),  force' = -load,  M' = -(r' x force),
with the seabed's spring, by the box scheme (midpoints) and Newton's method with derivatives by complex steps, with the law itself
(no layers). Clamped where it rests on the ground, pinned at the surface.
  yielding_statics.py 3000 6000     # cells; numpy; 20 s
"""
import math
import sys

import numpy as np

G, RHO, DEPTH, D, MASS, LENGTH = 9.80665, 1025, 900, 0.762, 593.2818, 1500
EA, GA, EI, H = 1.5569e10, 9.0330e9, 1.0364e9, 40e3
W = (MASS - RHO * np.pi * D**2 / 4) * G
SLOPE, BREAK = abs(W) / (D / 10), D / 20


def stress(strain, fy, e, plastic, n):
    low, high = 0.0, e * strain
    for _ in range(200):
        s = 0.5 * (low + high)
        low, high = (s, high) if s / e + plastic * (s / fy) ** n < strain else (low, s)
    return low


def law(fy=450e6, fu=535e6, e=207e9, d=0.762, t=0.0328, uniform=None):
    uniform = uniform or max(0.3 * (1 - fy / fu), 0.02)
    plastic = 0.005 - fy / e
    n = math.log((uniform - fu / e) / plastic) / math.log(fu / fy)
    R, r = d / 2, d / 2 - t
    section = math.pi / 4 * (R**4 - r**4) / R

    def moment(strain):  # over fy times the section modulus
        def width(y):
            return 2 * (math.sqrt(max(R * R - y * y, 0)) - (math.sqrt(r * r - y * y) if y < r else 0))

        # slices at y = R sin u: smooth at the crown; a break at y = r
        def integral(a, b, count=2000):
            h, total = (b - a) / count, 0
            for i in range(count + 1):
                u = a + i * h
                y = R * math.sin(u)
                f = stress(strain * y / R, fy, e, plastic, n) * y * width(y) * R * math.cos(u)
                total += f * (1 if i in (0, count) else 4 if i % 2 else 2)
            return total * h / 3

        edge = math.asin(r / R)
        return 2 * (integral(0, edge) + integral(edge, math.pi / 2)) / (fy * section)

    m1, m2 = moment(0.005), moment(uniform)
    k1, k2 = 0.005 * e / fy, uniform * e / fy
    b = math.log((k2 - m2) / (k1 - m1)) / math.log(m2 / m1)
    return (k1 - m1) / m1**b, b, fy * section, m1, m2, n, uniform


A, B, MY, M1, M2, EXPONENT, UNIFORM = law()


def curvature(m, share):  # share of the plastic part
    u = m / MY
    return m / EI + share * A * MY / EI * u * (u * u) ** ((B - 1) / 2)


def push(k):  # of the spring, per length
    parabola = SLOPE * k * k / (2 * BREAK)
    line = SLOPE * (k - BREAK / 2)
    return np.where(k.real <= 0, 0 * k, np.where(k.real <= BREAK, parabola, line))


def cell(a, b, h, share):  # x, z, angle above the horizontal, forces x and z on the part below, moment
    m = 0.5 * (a + b)
    x, z, angle, fx, fz, moment = m
    cs, sn = np.cos(angle), np.sin(angle)  # t = (cs, -sn), n = (sn, cs) with z down
    axial, shear = fx * cs - fz * sn, fx * sn + fz * cs
    dx = (1 + axial / EA) * cs + shear / GA * sn
    dz = -(1 + axial / EA) * sn + shear / GA * cs
    rate = (b - a) / h
    down = W - push(z - DEPTH + D / 2)
    return np.array([rate[3], rate[4] + down, rate[5] - (dx * fz - dz * fx), rate[0] - dx, rate[1] - dz,
                     rate[2] - curvature(moment, share)])


def solve(cells, y, force, share):
    h = LENGTH / cells
    rest = DEPTH - (D / 2 - (W / SLOPE + BREAK / 2))
    for turn in range(400):
        a, b = y[:, :-1], y[:, 1:]
        f = cell(a, b, h, share)
        da, db = np.zeros((6, 6, cells)), np.zeros((6, 6, cells))
        for c in range(6):
            step = np.zeros((6, 1), complex)
            step[c] = 1e-30j
            da[:, c] = cell(a + step, b, h, share).imag / 1e-30
            db[:, c] = cell(a, b + step, h, share).imag / 1e-30
        n = cells + 1
        lower, diag, upper = (np.zeros((n, 6, 6)) for _ in range(3))
        right = np.zeros((n, 6))
        diag[0, 0, 0] = diag[0, 1, 1] = diag[0, 2, 2] = 1
        right[0, :3] = -y[0, 0], -(y[1, 0] - rest), -y[2, 0]
        diag[-1, 3, 1] = diag[-1, 4, 3] = diag[-1, 5, 5] = 1
        right[-1, 3:] = -y[1, -1], -(y[3, -1] - force), -y[5, -1]
        diag[:-1, 3:], upper[:-1, 3:], right[:-1, 3:] = np.moveaxis(da[:3], 2, 0), np.moveaxis(db[:3], 2, 0), -f[:3].T
        diag[1:, :3], lower[1:, :3], right[1:, :3] = np.moveaxis(db[3:], 2, 0), np.moveaxis(da[3:], 2, 0), -f[3:].T
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


def start(cells, force):  # the catenary from a level ground
    s = np.linspace(0, LENGTH, cells + 1)
    a = force / W
    hangs = np.sqrt(DEPTH * (DEPTH + 2 * a))
    u = np.maximum(0, s - (LENGTH - hangs)) / a
    y = np.zeros((6, cells + 1))
    y[0] = np.minimum(s, LENGTH - hangs) + a * np.arcsinh(u)
    y[1] = DEPTH - 0.29 - a * (np.sqrt(1 + u * u) - 1)
    y[2] = np.arctan(u)
    y[3], y[4], y[5] = force, -W * u * a, EI / a / (1 + u * u)
    return y


print(f"uniform strain {UNIFORM:.6f}, n {EXPONENT:.6f}, moments over fy W at 0.5 % {M1:.8f}, at the uniform strain {M2:.8f}")
print(f"A {A:.8f}, B {B:.6f}, M_y {MY:.3f} N m")
for grade, d, t, fy, fu in (("x42", 0.1143, 0.0086, 290e6, 415e6), ("x52", 0.3239, 0.0127, 360e6, 460e6),
                            ("x70", 0.9144, 0.0254, 485e6, 570e6), ("x80", 1.2192, 0.0203, 555e6, 625e6)):
    a, b, my, m1, m2, n, u = law(fy, fu, 207e9, d, t)
    print(f"{grade} {d} x {t}: A {a:.8f}, B {b:.6f}, M_y {my:.3f} N m, moments {m1:.8f} {m2:.8f}")
for cells in [int(a) for a in sys.argv[1:]]:
    y = start(cells, 400e3)
    for force, share in ((400e3, 0), (200e3, 0), (100e3, 0), (70e3, 0), (50e3, 0), (H, 0), (H, 1e-3), (H, 1e-2), (H, 0.1), (H, 0.3), (H, 1)):
        y, h = solve(cells, y, force, share)
    m = y[5]
    tension = y[3] * np.cos(y[2]) - y[4] * np.sin(y[2])
    strain = np.abs(tension / EA) + curvature(m, 1) * D / 2
    i = int(np.argmax(strain))
    second = 0.5 * (strain[i + 1] - strain[i - 1]) ** 2 / (2 * strain[i] - strain[i - 1] - strain[i + 1]) / 4
    print(f"{cells} cells: hang-off north {y[0, -1]:.5f} m, angle {np.degrees(y[2, -1]):.6f} deg, largest strain "
          f"{strain[i] + second:.10f} at S {h * i:.2f} m, moment {m.max():.3f} N m, tension at the hang-off {tension[-1]:.3f} N")
    for s in (540, 570, 600, 630, 660):
        j = round(s / h)
        print(f"  S {s}: moment {m[j]:.3f} N m, strain {strain[j]:.10f}, plastic curvature {curvature(m[j], 1) - m[j] / EI:.10f} 1/m")
