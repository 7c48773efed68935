#!/usr/bin/python3
"""The 83 m supply vessel of configs/vessels/osv-83m-published.yaml by other code than the program's: numpy, Euler angles, explicit
Runge-Kutta of order 4. Prints what src/verification/vessel/vessel.c compares with.

periods: eigenvalues of its M and G (of T. I. Fossen's Marine Systems Simulator).
run: from rest under constant commands of the thrusters, without current:
  M nu' + C(nu) nu + D nu + d |u| u + g(eta) = sum of thrusts, C by Kirchhoff's equations,
  n' = clamp((n_c - n)/T, +-r) and the same for azimuths, thrust = T_max (x |x| - k |x| u_along), tunnels / (1 + (u/u_half)^2).
"""
import numpy as np

MRB = np.array([[4976887.5, 0, 0, 0, -5972265, 0], [0, 4976887.5, 0, 5972265, 0, -22395993.8],
                [0, 0, 4976887.5, 0, 22395993.8, 0], [0, 5972265, 0, 204699383, 0, -26875192.5],
                [-5972265, 0, 22395993.8, 0, 2.25080981e9, 0], [0, -22395993.8, 0, -26875192.5, 0, 2.2436431e9]])
MA = np.array([[0.6e6, 0, 0, 0, 0, 0], [0, 2.0e6, 0, 3.1e6, 0, -9.1e6], [0, 0, 8.3e6, 0, 90.7e6, 0],
               [0, 3.1e6, 0, 74.8e6, 0, -112.7e6], [0, 0, 90.7e6, 0, 3987.5e6, 0], [0, -9.1e6, 0, -112.7e6, 0, 1241.6e6]])
M = MRB + MA
D = np.diag([5.53620024e4, 6.97688750e4, 5.05271564e6, 5.03691294e7, 3.63221897e9, 3.48524310e9])
G = np.zeros((6, 6))
G[2, 2], G[2, 4], G[4, 2], G[3, 3], G[4, 4] = 1.20180348e7, 6.00901740e6, 6.00901740e6, 1.00856879e8, 5.87454999e9

squares, shapes = np.linalg.eig(np.linalg.solve(M, G))
order = [k for k in np.argsort(-squares.real) if squares[k].real > 1e-6]
print("period, s; heave m, roll, pitch rad of the mode")
for k in order:
    v = shapes[:, k].real
    v = v / np.abs(v[2:5]).max()
    print("  {%.10f, {%.10f, %.10f, %.10f}}," % (2 * np.pi / np.sqrt(squares[k].real), v[2], v[3], v[4]))

# Restoring from the potential of docs/model.md: heave of the flotation point, the tilts of two axes.
XF = -0.5
K3, K4, K5 = G[2, 2], G[3, 3], G[4, 4] - G[2, 2] * XF**2
#           place          T_max  astern n_max lag rate  tunnel  k     u_half alag arate
UNITS = [([37, 0, 3], 300e3, 1, 140, 1.0, 20, True, 0.05, 2.5, 0, 0), ([35, 0, 3], 300e3, 1, 140, 1.0, 20, True, 0.05, 2.5, 0, 0),
         ([-41.5, -7, 4], 655e3, 0.6, 200, 1.5, 20, False, 0.06, 0, 0.5, np.radians(12)),
         ([-41.5, 7, 4], 420e3, 0.6, 150, 1.5, 15, False, 0.06, 0, 0.5, np.radians(12))]
COMMANDS = [(70, 0), (-50, 0), (120, 0.4), (90, -0.3)]  # rpm, azimuth rad


def rotation(e):
    (cr, cp, cy), (sr, sp, sy) = np.cos(e), np.sin(e)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def clamp(x, most):
    return max(-most, min(most, x))


def rate(s):
    x, e, nu, units = s[:3], s[3:6], s[6:12], s[12:].reshape(4, 2)
    q = rotation(e)
    v, w = nu[:3], nu[3:]
    p = M @ nu
    force = np.concatenate([np.cross(p[:3], w), np.cross(p[3:], w) + np.cross(p[:3], v)])
    force -= D @ nu
    force[0] -= 18131.22 * abs(nu[0]) * nu[0]
    down = q.T @ [0, 0, 1]  # e3 in b
    flotation = np.array([XF, 0, 0])
    buoyancy = -K3 * (x[2] + (q @ flotation)[2]) * down
    force[:3] += buoyancy
    force[3:] += np.cross(flotation, buoyancy)
    # U = K5/2 down.x^2 + K4/2 down.y^2, d(down)/dt = down x w
    gradient = np.array([K5 * down[0], K4 * down[1], 0])
    force[3:] += np.cross(down, gradient)
    drive = np.zeros((4, 2))
    for i, (place, top, astern, n_max, lag, bound, tunnel, k, half, alag, abound) in enumerate(UNITS):
        n, a = units[i]
        share = n / n_max
        at = v + np.cross(w, place)
        direction = np.array([0, 1, 0]) if tunnel else np.array([np.cos(a), np.sin(a), 0])
        thrust = top * ((astern if share < 0 else 1) * share * abs(share) - k * abs(share) * (at @ direction))
        if tunnel:
            thrust /= 1 + (at[0] / half) ** 2
        force[:3] += thrust * direction
        force[3:] += np.cross(place, thrust * direction)
        drive[i, 0] = clamp((COMMANDS[i][0] - n) / lag, bound)
        if not tunnel:
            drive[i, 1] = clamp((COMMANDS[i][1] - a) / alag, abound)
    cr, sr, cp, tp = np.cos(e[0]), np.sin(e[0]), np.cos(e[1]), np.tan(e[1])
    de = np.array([[1, sr * tp, cr * tp], [0, cr, -sr], [0, sr / cp, cr / cp]]) @ w
    return np.concatenate([q @ v, de, np.linalg.solve(M, force), drive.ravel()])


def run(h, end, every):
    s, rows = np.zeros(20), []
    for k in range(int(round(end / h))):
        a = rate(s)
        b = rate(s + h / 2 * a)
        c = rate(s + h / 2 * b)
        d = rate(s + h * c)
        s = s + h / 6 * (a + 2 * b + 2 * c + d)
        if (k + 1) % int(round(every / h)) == 0:
            rows.append([(k + 1) * h, *s[:3], *s[3:6], *s[6:9]])
    return np.array(rows)


coarse, fine = run(0.02, 200, 20), run(0.01, 200, 20)
print("largest difference to twice the step: %.1e" % np.abs(coarse - fine).max())
print("time s; north, east, down m; roll, pitch, yaw rad; surge, sway, heave m/s")
for row in fine:
    print("  {" + ", ".join("%.10g" % value for value in row) + "},")
