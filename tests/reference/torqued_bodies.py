#!/usr/bin/env python3
"""Rigid bodies, free and in potentials: prints what src/verification/rigid/free_body.c, tops.c, satellite.c and quaternions.c
compare with.
The splittings of N. Saefstroem (2009), Paper I, in rotation matrices: MR by elementary rotations, DMV by Newton's method on its
matrix equation with the published first modification of the moments (E. Hairer, G. Vilmart, J. Phys. A 39, 2006), SEJ by the momentum
from the classical Runge-Kutta method in small steps and a Magnus series. No elliptic function, no quaternion, no code in common with
src. Needs numpy for the 3 x 3 solve; no test runs it. 30 s.
"""
import math
import numpy as np


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def product(a, b):
    return [[a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] for j in range(3)] for i in range(3)]


def exponential(v):  # exp(hat v)
    n = math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
    s, c = (math.sin(n) / n, (1 - math.cos(n)) / n ** 2) if n > 1e-9 else (1.0, 0.5)
    x, y, z = v
    return [[1 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y],
            [c * x * y + s * z, 1 - c * (x * x + z * z), c * y * z - s * x],
            [c * x * z - s * y, c * y * z + s * x, 1 - c * (x * x + y * y)]]


def rates(i, m):
    return (m[0] / i[0], m[1] / i[1], m[2] / i[2])


def euler(i, h, m):  # the free momentum after h
    n = max(4, math.ceil(160 * abs(h) * max(abs(x) for x in rates(i, m)))) if h else 1
    d = h / n
    for _ in range(n):
        a = cross(m, rates(i, m))
        p = tuple(m[k] + 0.5 * d * a[k] for k in range(3))
        b = cross(p, rates(i, p))
        p = tuple(m[k] + 0.5 * d * b[k] for k in range(3))
        c = cross(p, rates(i, p))
        p = tuple(m[k] + d * c[k] for k in range(3))
        e = cross(p, rates(i, p))
        m = tuple(m[k] + d * (a[k] + 2 * b[k] + 2 * c[k] + e[k]) / 6 for k in range(3))
    return m


def axis(i, k, h, m, q):
    a, b = (k + 1) % 3, (k + 2) % 3
    t = h * m[k] / i[k]
    c, s = math.cos(t), math.sin(t)
    m = list(m)
    m[a], m[b] = c * m[a] + s * m[b], c * m[b] - s * m[a]
    r = [[1.0 * (x == y) for y in range(3)] for x in range(3)]
    r[a][a] = r[b][b] = c
    r[a][b], r[b][a] = -s, s
    return tuple(m), product(q, r)


def mr2(i, h, m, q):
    for k, share in ((0, .5), (1, .5), (2, 1), (1, .5), (0, .5)):
        m, q = axis(i, k, share * h, m, q)
    return m, q


def mr4(i, h, m, q):
    g = 1 / (2 - 2 ** (1 / 3))
    for share in (g, 1 - 2 * g, g):
        m, q = mr2(i, share * h, m, q)
    return m, q


def magnus2(i, h, m, q):
    half = euler(i, h / 2, m)
    w = rates(i, half)
    return euler(i, h / 2, half), product(q, exponential([h * x for x in w]))


def magnus4(i, h, m, q):
    c = 0.5 - math.sqrt(3) / 6
    one = euler(i, c * h, m)
    two = euler(i, (1 - 2 * c) * h, one)
    a, b = rates(i, one), rates(i, two)
    k = cross(a, b)  # [hat a, hat b] = hat(a x b)
    v = [0.5 * h * (a[n] + b[n]) + math.sqrt(3) / 12 * h * h * k[n] for n in range(3)]
    return euler(i, c * h, two), product(q, exponential(v))


def hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def dmv(i, h, m, q):  # h hat(m) = R D - D R', D = tr(I)/2 - I, R = exp(hat theta); then m' = R' m
    d = np.diag([0.5 * sum(i) - x for x in i])
    theta = np.array([h * x for x in rates(i, m)])

    def residual(t):
        r = np.array(exponential(list(t)))
        e = r @ d - d @ r.T
        return np.array([e[2, 1], e[0, 2], e[1, 0]]) - h * np.array(m)
    for _ in range(30):
        f = residual(theta)
        jacobian = np.array([(residual(theta + 1e-6 * u) - residual(theta - 1e-6 * u)) / 2e-6 for u in np.eye(3)]).T
        step = np.linalg.solve(jacobian, f)
        theta = theta - step
        if np.abs(step).max() < 1e-15:
            break
    r = np.array(exponential(list(theta)))
    return tuple(r.T @ np.array(m)), product(q, r.tolist())


def preprocessed(i, h, m):
    c, e = 0.5 * sum(x * x for x in m), 0.5 * sum(x * x / j for x, j in zip(m, i))
    p = i[0] * i[1] * i[2]
    s = -e / 3 * sum(1 / j for j in i) + sum(i) / (6 * p) * c
    d = sum(i) / (6 * p) * e - c / (3 * p)
    return [1 / ((1 + h * h * s) / j + h * h * d) for j in i]


def norm(a):
    return math.sqrt(sum(x * x for x in a))


def apart(a, b):  # distance of the unit quaternions of two near attitudes
    return math.sqrt(sum((a[k][n] - b[k][n]) ** 2 for k in range(3) for n in range(3)) / 8)


IDENTITY = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]


def one_second():  # Figures 2.1 and 2.2
    i, m0 = (5, 4, 3), (-1.0, 0.0, 2.0)
    m, q = m0, IDENTITY
    for _ in range(1024):
        m, q = magnus4(i, 1 / 1024, m, q)
    print("exact m(1) %.12f %.12f %.12f" % m)
    for n in (16, 64):
        for name, step, moments in (("MR 2", mr2, i), ("MR 4", mr4, i), ("DMV 2", dmv, i),
                                    ("DMV 4", dmv, preprocessed(i, 1 / n, m0)), ("JEM 2", magnus2, i), ("JEM 4", magnus4, i)):
            p, r = m0, IDENTITY
            for _ in range(n):
                p, r = step(moments, 1 / n, p, r)
            print("h = 1/%d %s: momentum %.6e attitude %.6e" % (n, name, norm([x - y for x, y in zip(p, m)]), apart(r, q)))


def energy(i, m, q, weight, gradient):
    c = q[2]
    return sum(0.5 * x * x / j for x, j in zip(m, i)) + weight * c[2] + 0.5 * gradient * sum(j * x * x for x, j in zip(c, i))


def verlet(i, m, weight, gradient, body, h, steps, every=1):
    """Yields, after each every-th step, energy and the vertical as the body sees it."""
    q = IDENTITY

    def kick(m, q):
        c = q[2]
        t = cross(c, [x * j for x, j in zip(c, i)])
        return (m[0] + 0.5 * h * (weight * c[1] + gradient * t[0]), m[1] + 0.5 * h * (-weight * c[0] + gradient * t[1]),
                m[2] + 0.5 * h * gradient * t[2])
    for k in range(steps):
        m = kick(m, q)
        m, q = body(i, h, m, q)
        m = kick(m, q)
        if (k + 1) % every == 0:
            yield energy(i, m, q, weight, gradient), q[2], q


METHODS = (("MR", mr2), ("SEJ", magnus2), ("SEJ4", magnus4))


def heavy_top():
    i, m = (1000.0, 5000.0, 6000.0), (1e4, 5e4, 6e4)
    fine = None
    for _, _, fine in verlet(i, m, 1, 0, magnus4, 1 / 4096, 4096):
        pass
    for n in (256, 512):
        for name, body in METHODS:  # Figure 2.3
            for _, _, q in verlet(i, m, 1, 0, body, 1 / n, n):
                pass
            print("Figure 2.3, h = 1/%d %s: attitude %.5e" % (n, name, apart(q, fine)))
    start, paths = energy(i, m, IDENTITY, 1, 0), {}
    for h, every in ((0.1, 1), (0.05, 2), (0.01, 10)):  # Figures 2.4 and 2.5
        for name, body in METHODS[:2]:
            worst, path = 0, []
            for e, c, _ in verlet(i, m, 1, 0, body, h, round(100 / h)):
                worst = max(worst, abs(e - start))
                path.append(c)
            paths[name, h] = path
            print("Figure 2.4 or 2.5, h = %g %s: largest |H - H0| %.5g" % (h, name, worst))
        both = [norm([x - y for x, y in zip(a, b)]) for a, b in zip(paths["SEJ", h], paths["MR", h])]
        print("h = %g: mean |u_SEJ - u_MR| %.5g" % (h, sum(both) / len(both)))
    for h, every in ((0.1, 10), (0.05, 5)):
        for name in ("SEJ", "MR"):
            off = [norm([x - y for x, y in zip(a, b)]) for a, b in zip(paths[name, h], paths[name, 0.01][every - 1::every])]
            print("h = %g: mean |u - u(0.01)|, %s %.5g" % (h, name, sum(off) / len(off)))
    for what in ("omega", "I"):  # Figure 2.6
        for a in (0.1, 1, 10, 100):
            j = [1.0, 2.0, 3.0] if what == "omega" else [a, 2.0 * a, 3.0 * a]
            w = [a, 2.0 * a, 3.0 * a] if what == "omega" else [1.0, 2.0, 3.0]
            m = tuple(x * y for x, y in zip(j, w))
            start = energy(j, m, IDENTITY, 1, 0)
            for name, body in METHODS[:2]:
                off = [abs(e - start) for e, _, _ in verlet(j, m, 1, 0, body, 0.01, 1000)]
                print("Figure 2.6, alpha %s = %g %s: mean |H - H0| %.5e" % (what, a, name, sum(off) / 1000))


def satellite():  # Figures 2.7 and 2.8
    i, w, g = (1.7e4, 3.7e4, 5.4e4), (15, -15, 15), 3 * 3.986e14 / 1.5e5 ** 3
    m = tuple(x * y for x, y in zip(i, w))
    start = energy(i, m, IDENTITY, 0, g)
    for h in (0.1, 0.05):
        early = round(4 / h)
        exact = [c for _, c, _ in verlet(i, m, 0, g, magnus4, h / 64, early * 64, 64)]
        for name, body in METHODS:
            worst, off, low, high = 0, 0, [9.] * 3, [-9.] * 3
            for k, (e, c, _) in enumerate(verlet(i, m, 0, g, body, h, round(400 / h))):
                worst = max(worst, abs(e / start - 1))
                low, high = [min(x, y) for x, y in zip(low, c)], [max(x, y) for x, y in zip(high, c)]
                if k < early:
                    off += norm([x - y for x, y in zip(c, exact[k])]) / early
            print("satellite, h = %g %s: largest |H/H0 - 1| %.5e, mean distance of Q'e3 to t = 4 %.5e, ranges" % (h, name, worst, off),
                  " ".join("%.4f..%.4f" % p for p in zip(low, high)))
    low, high = [9.] * 3, [-9.] * 3
    for _, c, _ in verlet(i, m, 0, g, magnus4, 0.00625, 64000):
        low, high = [min(x, y) for x, y in zip(low, c)], [max(x, y) for x, y in zip(high, c)]
    print("satellite, h = 1/160: ranges", " ".join("%.4f..%.4f" % p for p in zip(low, high)))


def algo_c1(i, h, w, q, weight):  # Simo and Wong (1991): theta = h/2 (W0 + W1), momentum balanced over the step
    r0, w0, j = np.array(q), np.array(w), np.diag(i)

    def end(theta):
        return r0 @ np.array(exponential(list(theta))), 2 / h * theta - w0

    def load(r):
        return np.cross(r[:, 2], [0, 0, -weight])

    def residual(theta):
        r1, w1 = end(theta)
        return r1 @ j @ w1 - r0 @ j @ w0 - h / 2 * (load(r0) + load(r1))
    theta = h * w0
    for _ in range(30):
        jacobian = np.array([(residual(theta + 1e-6 * u) - residual(theta - 1e-6 * u)) / 2e-6 for u in np.eye(3)]).T
        step = np.linalg.solve(jacobian, residual(theta))
        theta = theta - step
        if np.abs(step).max() < 1e-15:
            break
    r1, w1 = end(theta)
    return w1, r1


def quaternions():  # of Betsch and Siebert (2009), quaternions.c
    i, h = (6, 8, 3), 1 / 256
    w, q = np.array([10., 20, 20]), np.eye(3)
    exact = np.array([[0.93957865102336646, -0.14250742336550593, 0.31126129349283915],  # rigid_loads.py
                      [0.18374057755870002, 0.97710225931248329, -0.10728734783205381],
                      [-0.28884486960911426, 0.15799623138595811, 0.94424881899228685]])
    for _ in range(256):
        w, q = algo_c1(i, h, w, q, 0)
    print("ALGO_C1, free, h = 1/256: |R_ref R' - 1| %.6e" % np.linalg.norm(exact @ q.T - np.eye(3)))
    radius, length, tilt, precession = 0.05, 0.1, math.pi / 3, 10
    mass = 2700 * math.pi * radius ** 2 * length / 3
    arm = 0.75 * length
    across, along = 3 * mass / 80 * (4 * radius ** 2 + length ** 2) + mass * arm ** 2, 0.3 * mass * radius ** 2
    weight, h = mass * 9.81 * arm, 0.007
    spin = weight / (along * precession) + (across - along) / along * precession * math.cos(tilt)
    w = np.array([0, precession * math.sin(tilt), spin + precession * math.cos(tilt)])
    q = np.array(exponential([tilt, 0, 0]))
    for _ in range(143):
        w, q = algo_c1((across, across, along), h, w, q, weight)
    t = 143 * h
    axis = [math.sin(tilt) * math.sin(precession * t), -math.sin(tilt) * math.cos(precession * t), math.cos(tilt)]
    print("ALGO_C1, top, h = 0.007: axis off by %.6e" % np.linalg.norm(q[:, 2] - axis))


quaternions()
one_second()
heavy_top()
satellite()
