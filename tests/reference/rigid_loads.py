#!/usr/bin/env python3
"""Rigid bodies under loads, integrated in body coordinates: prints what src/verification/rigid/spatial.c, body_loads.c and quaternions.c
compare with. Differential equations of the momentum in the body frame and of a quaternion, by extrapolation of the modified
midpoint rule (Gragg, Bulirsch, Stoer), ten columns in 34 digits; no code and no formulation in common with src. Each result is printed with
two step sizes: the digits that agree hold. Needs nothing beyond Python; no test runs it. A minute.

    A. Giusti, Spatial formulation for the dynamics of floating rigid bodies (2016), 7.1 to 7.4
    P. Betsch, R. Siebert, Rigid body dynamics in terms of quaternions (Int. J. Numer. Meth. Engng 79, 2009), 5.1
"""
from decimal import Decimal, getcontext

getcontext().prec = 34
PI = Decimal("3.14159265358979323846264338327950288")


def sine(x):
    x %= 2 * PI
    term, total, n = x, x, 1
    while abs(term) > Decimal("1e-33"):
        n += 2
        term *= -x * x / (n * (n - 1))
        total += term
    return total


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def matrix(q):
    w, x, y, z = q
    n = w * w + x * x + y * y + z * z
    return [[1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n],
            [2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n],
            [2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n]]


def turn(r, v):
    return [sum(r[i][j] * v[j] for j in range(3)) for i in range(3)]


def turn_back(r, v):
    return [sum(r[j][i] * v[j] for j in range(3)) for i in range(3)]


def quaternion_rate(q, w):
    return [(-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) / 2, (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2,
            (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2, (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2]


def midpoint(f, t, y, width, n):
    h = width / n
    before, now = y, [a + h * b for a, b in zip(y, f(t, y))]
    for k in range(1, n):
        rate = f(t + k * h, now)
        before, now = now, [a + 2 * h * b for a, b in zip(before, rate)]
    return [(a + b + h * c) / 2 for a, b, c in zip(before, now, f(t + width, now))]


def integrate(f, y, end, steps, columns=10):
    y, width = [Decimal(a) for a in y], Decimal(end) / steps
    for step in range(steps):
        table = []
        for k in range(columns):
            row = [midpoint(f, step * width, y, width, 2 * (k + 1))]
            for j in range(k):
                up, down = (k - j) ** 2, (k + 1) ** 2 - (k - j) ** 2
                row.append([a + (a - b) * up / down for a, b in zip(row[j], table[j])])
            table = row
        y = table[-1]
    return y


def solve(a, b):
    n = len(b)
    a = [row[:] + [b[i]] for i, row in enumerate(a)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            s = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] -= s * a[k][j]
    for k in reversed(range(n)):
        a[k][n] = (a[k][n] - sum(a[k][j] * a[j][n] for j in range(k + 1, n))) / a[k][k]
    return [row[n] for row in a]


def turning(moments, torque):
    def rate(t, y):
        w = y[4:]
        gyro = cross([moments[i] * w[i] for i in range(3)], w)
        return quaternion_rate(y[:4], w) + [(torque[i] + gyro[i]) / moments[i] for i in range(3)]
    return rate


def symmetric(rows):
    return [[Decimal(str(rows[max(i, j)][min(i, j)])) / 10000 for j in range(6)] for i in range(6)]


BQ = symmetric([[7.69], [3.78, 1.55], [8.26, 2.59, 5.34], [0] * 4, [0] * 5, [0] * 6])
BV = symmetric([[3.48], [1.96, 4.42], [6.35, 6.96, 4.42], [2.66, 2.78, 4.21, 4.30], [4.07, 5.67, 5.70, 8.21, 3.77],
                [7.73, 6.72, 3.76, 5.31, 3.27, 8.34]])
BA = symmetric([[3.18], [3.32, 6.47], [5.79, 3.25, 1.10], [5.06, 7.42, 3.46, 7.72], [3.36, 3.31, 5.50, 5.13, 5.25],
                [7.50, 7.39, 4.21, 8.22, 6.36, 5.20]])


def follower(t, y):  # quaternion, rates in the body, position and velocity in space; the weight is balanced
    moments = [20, 20, 10]
    inertia = [[(1 if i < 3 else moments[i - 3]) * (i == j) + BA[i][j] for j in range(6)] for i in range(6)]
    q, w, x, v = y[:4], y[4:7], y[7:10], y[10:]
    r = matrix(q)
    xv = turn_back(r, x) + [0, 0, 0], turn_back(r, v) + w
    gyro = cross([moments[i] * w[i] for i in range(3)], w)
    force = [sine(PI * t / 5) / 10, 0, 0, gyro[0], sine(PI * t / 10) / 10 + gyro[1], gyro[2]]
    for i in range(6):
        force[i] -= sum(BQ[i][j] * xv[0][j] + BV[i][j] * xv[1][j] for j in range(6))
    a = solve(inertia, force)
    return quaternion_rate(q, w) + a[3:] + v + turn(r, a[:3])


def below(matrix, x):  # eigenvalues of a symmetric matrix below x: negative pivots of matrix - x
    a = [[matrix[i][j] - (i == j) * x for j in range(6)] for i in range(6)]
    for k in range(6):
        for i in range(k + 1, 6):
            for j in range(k + 1, 6):
                a[i][j] -= a[i][k] * a[k][j] / a[k][k]
    return sum(a[k][k] < 0 for k in range(6))


def eigenvalue(matrix, index):
    low, high = Decimal(-1), Decimal(1)
    for _ in range(60):
        mid = (low + high) / 2 + Decimal("1e-30")
        low, high = (low, mid) if below(matrix, mid) > index else (mid, high)
    return (low + high) / 2


def show(what, numbers):
    print("%-40s" % what, "  ".join("%.16e" % a for a in numbers))


def main():
    one = [1, 0, 0, 0]
    for steps in (50, 100):
        y = integrate(turning([3, 3, 3], [0, 0, 30]), one + [10, 15, 20], 1, steps)
        show("sphere, x_P(1)", turn(matrix(y[:4]), [0, 0, Decimal("-0.6")]))
        y = integrate(turning([20, 20, 7], [0, 0, 30]), one + [1, 2, 3], 1, steps)
        show("axisymmetric, x_P(1)", turn(matrix(y[:4]), [0, 0, Decimal("-0.6")]))
        y = integrate(turning([20, 20, 7], [0, 0, 30]), one + [2, 4, 6], 1, steps)
        show("axisymmetric, doubled, x_P(1)", turn(matrix(y[:4]), [0, 0, Decimal("-0.6")]))
        y = integrate(turning([6, 8, 3], [0, 0, 0]), one + [10, 20, 20], 1, steps)
        for i in range(3):
            show("free body, R(1), row %d" % (i + 1), matrix(y[:4])[i])
    pi2, damping = PI ** 2, 6 * PI / 10
    for steps in (20, 40):
        for end in (1, 2, 5):
            y = integrate(lambda t, y: [y[1], sine(2 * PI * t) - damping * y[1] - pi2 * y[0]], [0, 0], end, steps * end)
            show("oscillator, x(%d)" % end, y[:1])
    for name, matrix6 in (("B^q", BQ), ("B^v", BV), ("B^vdot", BA)):
        show("follower loads, eigenvalues of " + name, [eigenvalue(matrix6, i) for i in range(6)])
    for steps in (100, 200):
        y = integrate(follower, one + [0] * 9, 50, steps)
        show("follower loads, at rest, x(50)", y[7:10])
        y = integrate(follower, one + ["0.1", "0.2", "0.1", 1, 2, 3, "1.5", 1, "0.5"], 50, steps)
        show("follower loads, moving, x(50)", y[7:10])
    for end in range(5, 51, 5):
        y = integrate(follower, one + ["0.1", "0.2", "0.1", 1, 2, 3, "1.5", 1, "0.5"], end, 3 * end)
        show("follower loads, moving, t = %d" % end, y[7:10] + turn(matrix(y[:4]), y[4:7]))


if __name__ == "__main__":
    main()
