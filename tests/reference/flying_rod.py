#!/usr/bin/python3
"""The flying flexible rod of Simo and Vu-Quoc (1988) by another discretisation and another integrator: positions at nodes,
attitudes on elements (a staggered grid), bending by the rotation vector between neighbouring elements, Runge-Kutta of
order 4. Prints the ends' displacements on three meshes and their limit (Richardson, order 2).

Axes as in the paper's figure: x and z span the plane of the rod at rest, from (0, 0, 8) to (6, 0, 0); the load on its lower
end is the force (T/10, 0, 0) and the moment (0, T, T/2), T a triangle of 0, 200, 0 at 0, 2.5 and 5 s.
"""
import sys

import numpy as np

LENGTH, TENSILE, BENDING = 10.0, 1e4, 500.0  # EA = GA, EI = GJ
INERTIA = np.array([20.0, 10.0, 10.0])       # per length; unit mass per length
SHOWN_S = [2.5, 3.5, 5.0]


def triangle(t):
    return 200 * max(0.0, min(t / 2.5, 2 - t / 2.5))


def product(p, q):  # of quaternions, scalar first
    w = p[:, 0] * q[:, 0] - np.sum(p[:, 1:] * q[:, 1:], axis=1)
    v = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])
    return np.column_stack([w, v])


def turned(q, v):
    t = 2 * np.cross(q[:, 1:], v)
    return v + q[:, :1] * t + np.cross(q[:, 1:], t)


def conjugate(q):
    return q * np.array([1, -1, -1, -1])


def rates(t, state, l, mass):
    r, q, v, w = state  # nodes: positions, velocities; elements: quaternions, body rates
    unit = q / np.linalg.norm(q, axis=1)[:, None]
    step = np.diff(r, axis=0)
    strain = turned(conjugate(unit), step / l) - np.array([1.0, 0, 0])
    force = turned(unit, TENSILE * strain)
    relative = product(conjugate(unit[:-1]), unit[1:])
    relative *= np.where(relative[:, :1] < 0, -1, 1)
    sine = np.linalg.norm(relative[:, 1:], axis=1)
    angle = 2 * np.arctan2(sine, relative[:, 0])
    axis = relative[:, 1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2)[:, None]
    couple = turned(unit[:-1], BENDING * axis / l)  # at inner nodes; its axis is the same seen from both elements
    load = triangle(t)
    on_nodes = np.zeros_like(r)
    on_nodes[:-1] += force
    on_nodes[1:] -= force
    on_nodes[-1, 0] += load / 10
    moment = np.cross(step, force)
    moment[:-1] += couple
    moment[1:] -= couple
    moment[-1] += [0, load, load / 2]
    body = turned(conjugate(unit), moment) / l
    spin = (body - np.cross(w, INERTIA * w)) / INERTIA
    dq = 0.5 * product(q, np.column_stack([np.zeros(len(w)), w]))
    return v, dq, on_nodes / mass[:, None], spin


def fly(elements):
    l = LENGTH / elements
    mass = np.full(elements + 1, l)
    mass[[0, -1]] /= 2
    r = np.linspace([0, 0, 8.0], [6.0, 0, 0], elements + 1)
    half = 0.5 * np.arctan2(8, 6)
    state = [r, np.tile([np.cos(half), 0, np.sin(half), 0], (elements, 1)), np.zeros((elements + 1, 3)), np.zeros((elements, 3))]
    per_s = 40 * elements
    h, shown = 1 / per_s, []
    for k in range(int(SHOWN_S[-1] * per_s + 0.5)):
        t = k * h
        a = rates(t, state, l, mass)
        b = rates(t + h / 2, [x + h / 2 * d for x, d in zip(state, a)], l, mass)
        c = rates(t + h / 2, [x + h / 2 * d for x, d in zip(state, b)], l, mass)
        d = rates(t + h, [x + h * e for x, e in zip(state, c)], l, mass)
        state = [x + h / 6 * (p + 2 * q + 2 * s + u) for x, p, q, s, u in zip(state, a, b, c, d)]
        if any(abs((k + 1) * h - s) < h / 2 for s in SHOWN_S):
            shown.append(np.array([state[0][-1] - r[-1], state[0][0] - r[0]]))
    return np.array(shown)


levels = [int(n) for n in sys.argv[1:]] or [40, 80, 160]
found = [fly(n) for n in levels]
names = [f"{n} elements" for n in levels] + ["limit"]
for name, values in zip(names, found + [(4 * found[-1] - found[-2]) / 3]):
    for t, (loaded, other) in zip(SHOWN_S, values):
        print(f"{name:13} {t:4} s  loaded end {loaded[0]:9.5f} {loaded[1]:9.5f} {loaded[2]:9.5f}   "
              f"other end {other[0]:9.5f} {other[1]:9.5f} {other[2]:9.5f}")
