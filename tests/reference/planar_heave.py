#!/usr/bin/python3
"""The 30-inch pipe of configs/jlay-circle.yaml in its vertical plane, the top heaving so hard that the tension snaps, by other
code than the program's: masses at the nodes, springs along the chords, rotational springs between chords (no section
rotations, no shear), numpy, explicit Runge-Kutta of order 4. Prints what src/verification/pipe/heave.c compares with.

  planar_heave.py [elements [step_s [amplitude_m]]]      1 to 10 minutes

A node's axis is the direction between its neighbours. Its added mass Ca rho A l acts across that axis only, in two forms:
  morison    M(t) a = F with M = m + ca (I - t t'): the added mass on the acceleration across the axis;
  kirchhoff  Lagrange's equations of T = sum v' M(t) v / 2: d(M v)/dt - dT/dr = F, where t, and so T, depends on the
             positions of the neighbours.
"""
import sys

import numpy as np

N = int(sys.argv[1]) if len(sys.argv) > 1 else 200
STEP = float(sys.argv[2]) if len(sys.argv) > 2 else min(0.25 / N, 48 / N**2)  # stable with the damping
LENGTH, DEPTH, MASS, EA, EI, DIAMETER = 1500.0, 900.0, 593.2818, 1.5569e10, 1.0364e9, 0.762
RHO, G, CD, CA = 1025.0, 9.80665, 1.2, 1.0
AREA = np.pi / 4 * DIAMETER**2
WEIGHT = (MASS - RHO * AREA) * G
SEABED = 3e6 * DIAMETER  # N/m per m, under the axis, no damping
DAMPING = 1e-3           # s, on the rates of stretch and curvature
HORIZONTAL = 400e3
AMPLITUDE = float(sys.argv[3]) if len(sys.argv) > 3 else 5.0
PERIOD, RAMP, END, FROM = 8.0, 8.0, 40.0, 16.0

l = LENGTH / N
lump = np.full(N + 1, l)
lump[[0, -1]] = l / 2


def unit(v):
    return v / np.sqrt((v * v).sum(1))[:, None]


def chords(r):
    d = r[1:] - r[:-1]
    size = np.sqrt((d * d).sum(1))
    return d, size, d / size[:, None]


def bending(e):
    """Angle from each chord to the next over l; the first from the clamp's axis (1, 0) over half of it."""
    first = np.vstack([[1.0, 0.0], e[:-1]])
    return np.arctan2(first[:, 0] * e[:, 1] - first[:, 1] * e[:, 0], (first * e).sum(1)) / np.concatenate([[l / 2], np.full(N - 1, l)])


def internal(r, v, damping):
    d, size, e = chords(r)
    stretch = size / l - 1
    normal = np.stack([-e[:, 1], e[:, 0]], 1)
    curve = bending(e)
    tension, moment = EA * stretch, EI * curve
    if damping:
        dv = v[1:] - v[:-1]
        tension = tension + damping * EA * (dv * e).sum(1) / l
        turn = (dv * normal).sum(1) / size
        rate = np.diff(np.concatenate([[0.0], turn])) / np.concatenate([[l / 2], np.full(N - 1, l)])
        moment = moment + damping * EI * rate
    # the moment at a node turns the chord above it forth and the one below it back
    couple = moment.copy()
    couple[:-1] -= moment[1:]
    force = tension[:, None] * e - couple[:, None] * normal * -1 / size[:, None]
    f = np.zeros_like(r)
    f[:-1] += force
    f[1:] -= force
    return f, EA * stretch, EI * curve


def outer(r, v):
    f = np.zeros_like(r)
    f[:, 1] += WEIGHT * lump
    sunk = np.maximum(r[:, 1] - DEPTH, 0)
    f[:, 1] -= SEABED * sunk * lump
    return f


def axes(r):
    t = np.empty_like(r)
    d = r[1:] - r[:-1]
    t[1:-1] = r[2:] - r[:-2]
    t[0], t[-1] = d[0], d[-1]
    size = np.sqrt((t * t).sum(1))
    return t / size[:, None], size


def drag(v, t):
    across = v - (v * t).sum(1)[:, None] * t
    speed = np.sqrt((across * across).sum(1))
    return -0.5 * RHO * CD * DIAMETER * (lump * speed)[:, None] * across


ADDED = CA * RHO * AREA * lump
ALL = MASS * lump + ADDED


def inverse_mass(f, t):
    """(m + ca (I - t t'))^-1 f"""
    return f / ALL[:, None] + ((1 / (MASS * lump) - 1 / ALL) * (f * t).sum(1))[:, None] * t


def turning_force(v, t, size):
    """dT/dr through t of the neighbours, and of M' v: what Kirchhoff's form has beyond M a."""
    along = (v * t).sum(1)
    span = np.empty_like(v)
    span[1:-1] = v[2:] - v[:-2]
    span[0], span[-1] = v[1] - v[0], v[-1] - v[-2]
    rate = (span - (span * t).sum(1)[:, None] * t) / size[:, None]  # dt/dt
    f = ADDED[:, None] * ((v * rate).sum(1)[:, None] * t + along[:, None] * rate)  # -dM/dt v, M = ... - ca t t'
    # T has -ca (t . v)^2 / 2; its derivative by t, taken across t, goes to the ends of the span
    slope = -(ADDED * along)[:, None] * (v - along[:, None] * t) / size[:, None]
    f[2:] += slope[1:-1]
    f[:-2] -= slope[1:-1]
    f[1] += slope[0]
    f[0] -= slope[0]
    f[-1] += slope[-1]
    f[-2] -= slope[-1]
    return f


def heave(time):
    """Downwards; ramped in by a half cosine."""
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.minimum(time / RAMP, 1))
    return ramp * AMPLITUDE * np.sin(2 * np.pi * time / PERIOD)


def heave_rate(time, d=1e-4):
    return (heave(time + d) - heave(time - d)) / (2 * d)


def statics():
    """Relaxation with kinetic damping from a catenary, then the lay-back that gives the horizontal force by secants."""
    a = HORIZONTAL / WEIGHT
    up = np.sqrt((a + DEPTH)**2 - a**2)
    s = np.arange(N + 1) * l - (LENGTH - up)
    x = np.where(s > 0, a * np.arcsinh(np.maximum(s, 0) / a), s) + (LENGTH - up)
    z = DEPTH - np.where(s > 0, np.sqrt(a * a + np.maximum(s, 0)**2) - a, 0)
    r = np.stack([x, z], 1)
    r[:, 1] -= r[-1, 1]
    r[:, 1] = np.minimum(r[:, 1], DEPTH)
    return newton(r)


def newton(r):
    """Equilibrium with the horizontal force on the top, its depth held: dense Newton with differences for the tangent."""
    free = np.ones(2 * (N + 1), bool)
    free[[0, 1, 2 * N + 1]] = False

    def balance(x):
        f = internal(x, np.zeros_like(x), 0)[0] + outer(x, np.zeros_like(x))
        f[-1, 0] += HORIZONTAL
        return f.ravel()

    mu = 1e3
    f = balance(r)
    for k in range(400):
        tangent = np.zeros((2 * (N + 1), 2 * (N + 1)))
        for colour in range(10):  # every fifth node at once: a node feels two neighbours on either side
            node, axis = np.arange(colour // 2, N + 1, 5), colour % 2
            up, down = r.copy(), r.copy()
            up[node, axis] += 1e-6
            down[node, axis] -= 1e-6
            df = ((balance(up) - balance(down)) / 2e-6).reshape(N + 1, 2)
            for n in node:
                low, high = max(n - 2, 0), min(n + 3, N + 1)
                tangent[2 * low:2 * high, 2 * n + axis] = df[low:high].ravel()
        a = -tangent[np.ix_(free, free)] + mu * np.eye(free.sum())
        step = np.zeros(2 * (N + 1))
        step[free] = np.linalg.solve(a, f[free])
        most = np.abs(step).max()
        share = min(1.0, 2.0 / most)
        r = r + share * step.reshape(-1, 2)
        f = balance(r)
        worst = np.abs(f[free]).max()
        mu = mu * 0.3 if share == 1 else mu
        if mu < 1e-6:
            mu = 0
        if worst < 1e-3 and mu == 0:
            return r
    raise SystemExit("no equilibrium: %g N left" % worst)


def run(form, rest):
    r, v = rest.copy(), np.zeros_like(rest)
    home = rest[-1].copy()
    steps = int(round(END / STEP))

    def rate(time, r, v):
        r = r.copy()
        v = v.copy()
        r[-1], v[-1] = home + [0, heave(time)], [0, heave_rate(time)]
        t, size = axes(r)
        f = internal(r, v, DAMPING)[0] + outer(r, v) + drag(v, t)
        if form == "kirchhoff":
            f += turning_force(v, t, size)
        a = inverse_mass(f, t)
        a[0] = a[-1] = 0
        return v, a

    rows = []
    every = max(1, int(round(0.02 / STEP)))
    for k in range(steps + 1):
        time = k * STEP
        r[-1], v[-1] = home + [0, heave(time)], [0, heave_rate(time)]
        if k % every == 0:
            _, tension, moment = internal(r, v, 0)
            rows.append(np.concatenate([[time], tension, moment]))
        k1 = rate(time, r, v)
        k2 = rate(time + STEP / 2, r + STEP / 2 * k1[0], v + STEP / 2 * k1[1])
        k3 = rate(time + STEP / 2, r + STEP / 2 * k2[0], v + STEP / 2 * k2[1])
        k4 = rate(time + STEP, r + STEP * k3[0], v + STEP * k3[1])
        r = r + STEP / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        v = v + STEP / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
        v[0] = 0
        if not np.isfinite(r).all():
            raise SystemExit("unstable at %g s" % time)
    return np.array(rows)


if __name__ == "__main__":
    rest = statics()
    print("# %d elements, steps of %g ms; top at x %.4f m" % (N, 1e3 * STEP, rest[-1, 0]))
    _, tension, moment = internal(rest, np.zeros_like(rest), 0)
    print("# statics: tension in the last element %.1f N, largest curvature %.6e 1/m" % (tension[-1], np.abs(moment).max() / EI))
    middle, node = (np.arange(N) + 0.5) * l, np.arange(N) * l
    for form in ["kirchhoff", "morison"]:
        x = run(form, rest)
        x = x[x[:, 0] >= FROM - 1e-9]
        tension, curve = x[:, 1:N + 1], np.abs(x[:, N + 1:]) / EI
        at = np.array([np.interp(1492.5, middle, row) for row in tension])
        print("%s, %g m: tension at 1492.5 m largest %.5e, least %.5e N; curvature largest %.5e, above 1200 m %.5e 1/m" %
              (form, AMPLITUDE, at.max(), at.min(), curve.max(), curve[:, node > 1200].max()))
        print("  its tension each half second from 24 s, kN:", ", ".join("%.1f" % (y / 1e3) for y in at[400::25]))
