#!/usr/bin/python3
"""Propagation buckling and pressure containment by hand, for src/verification/pipe/code.c and tests/core_steel_code_check_test.c.

The formulas as S. McEntee's program qwilka/PDover2t quotes them from DNVGL-ST-F101 (2017-12): 5.4.5.1, equations 5.15 and 5.16;
5.4.5.2, equations 5.17 and 5.18; 5.4.2, equations 5.6 and 5.8. Its notebooks give for 660 mm, t2 20.7 mm, t1 19.7 mm, SMYS 450 MPa
less 6 MPa, alpha_fab 0.85, medium safety class: ppr 2,301,102.5 Pa and utilisation 2.353 at 410 m of 1027 kg/m3; containment
24,105,989 Pa (with its factors) and utilisation 1.0985 under 26,480,932.5 Pa.

Another path than the project's: powers by logarithms, in decimals of 40 digits; the bursting pressure from the membrane stress at the mean
radius, in plane strain after von Mises; the arrestor by its crossover pressure and the secant method.
  code_check.py
"""
from decimal import Decimal as D
from decimal import getcontext

getcontext().prec = 40
GM = D("1.15")
LB = {"low": D("1.04"), "medium": D("1.14"), "high": D("1.26")}
PC = {"low": D("1.046"), "medium": D("1.138"), "high": D("1.308")}


def propagation(d, t, fy, fab):
    return 35 * fy * fab * (D("2.5") * (t / d).ln()).exp()


def burst(d, t, fy, fu):
    hoop = min(fy, fu / D("1.15")) * 2 / D(3).sqrt()  # what the hoop stress reaches, plane strain
    return hoop * t / ((d - t) / 2)  # membrane: p r = s t at the mean radius


def arrestor(d, own, fy, fab, length, needed):
    def over(t):
        reached = own + (propagation(d, t, fy, fab) - own) * (1 - (-20 * t * length / (d * d)).exp())
        return reached - needed

    a, b = d / 40, d / 16
    for _ in range(100):
        if abs(b - a) < D("1e-30"):
            break
        a, b = b, b - over(b) * (b - a) / (over(b) - over(a))
    return b


ROWS = (  # diameter, t2, tolerance, fy, fu, alpha_fab, class, depth m, water kg/m3, g, internal Pa
    ("660 x 20.7 (published)", "0.660", "0.0207", "0.001", "444e6", "529e6", "0.85", "medium", "410", "1027", "9.81", "26480932.5"),
    ("508, D/t 30, 350 m", "0.508", "0.016933333333333333", "0.001", "432e6", "513.6e6", "0.85", "low", "350", "1025", "9.80665", "15e6"),
    ("114.3 x 7.62", "0.1143", "0.00762", "0.0005", "345.6e6", "441.6e6", "1", "high", "2000", "1025", "9.80665", "30e6"),
    ("1219.2 x 27.1", "1.2192", "0.0271", "0.001", "465.6e6", "547.2e6", "0.85", "medium", "90", "1030", "9.80665", "10e6"),
)
for name, d, t, tolerance, fy, fu, fab, safety, depth, rho, g, inside in ROWS:
    d, t, tolerance, fy, fu, fab = D(d), D(t), D(tolerance), D(fy), D(fu), D(fab)
    pe = D(rho) * D(g) * D(depth)
    ppr, pb = propagation(d, t, fy, fab), burst(d, t - tolerance, fy, fu)
    factor = GM * LB[safety]
    wall = arrestor(d, ppr, fy, fab, D("12.2"), D("1.1") * factor * pe)
    print(f"{name}: D/t {d / t:.6f}, ppr {ppr:.4f} Pa, utilisation {pe * factor / ppr:.12f}, runs below {ppr / factor / (D(rho) * D(g)):.8f} m, "
          f"arrestor of 12.2 m {1000 * wall:.8f} mm (D/t {d / wall:.2f}), pb(t1) {pb:.4f} Pa, containment {D(inside) * GM * PC[safety] / pb:.12f}")
