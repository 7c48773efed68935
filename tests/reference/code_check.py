#!/usr/bin/python3
"""Propagation buckling, pressure containment and combined loading by hand, for src/verification/pipe/code.c.

The formulas as S. McEntee's program qwilka/PDover2t quotes them from DNVGL-ST-F101 (2017-12): 5.4.5.1, equations 5.15 and 5.16;
5.4.5.2, equations 5.17 and 5.18; 5.4.2, equations 5.6 and 5.8. Its notebooks give for 660 mm, t2 20.7 mm, t1 19.7 mm, SMYS 450 MPa
less 6 MPa, alpha_fab 0.85, medium safety class: ppr 2,301,102.5 Pa and utilisation 2.353 at 410 m of 1027 kg/m3; containment
24,105,989 Pa (with its factors) and utilisation 1.0985 under 26,480,932.5 Pa.

Another path than the project's: powers by logarithms, in decimals of 40 digits; the bursting pressure from the membrane stress at the mean
radius, in plane strain after von Mises; the arrestor by its crossover pressure and the secant method.

Combined loading (moment, tension and pressure together): no published example with numbers was found, so what follows is a calculation of
its own of the criterion as W. R. Shipway's program quotes it from DNV-OS-F101 (2007), section 5 D607, equations 5.19 to 5.28. Its path:
fractions for the factors, the mean radius in place of D - t, the collapse pressure as a root by bisection, design loads of each combination
one after the other.
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

# ---- Combined loading ----
PI = D("3.141592653589793238462643383279502884197")
FACTORS = {"a": (D("1.2"), D("0.7")), "b": (D("1.1"), D("1.3")), "b, relieved": (1 / D("1.1"), D("1.3"))}


def collapse(d, t, fy, fab, ovality, young, poisson):
    elastic, plastic = 2 * young * (t / d) ** 3 / (1 - poisson**2), 2 * fy * fab * t / d
    low, high = D(0), min(elastic, plastic)
    while high - low > D("1e-30") * high:
        p = (low + high) / 2
        low, high = (p, high) if (1 - p / elastic) * (1 - (p / plastic) ** 2) > p / plastic * ovality * d / t else (low, p)
    return low


def combined(d, t, fy, fu, fab, safety, pe, pi, functional, environmental, condition):
    radius, g = (d - t) / 2, GM * LB[safety]
    beta = min(max((60 - d / t) / 90, D(0)), D("0.5"))
    hardened = fy + beta * (fu - fy)  # alpha_c fy
    moment, force = 4 * hardened * radius**2 * t, 2 * PI * hardened * radius * t  # alpha_c Mp, alpha_c Sp
    if pi > pe:
        share = (pi - pe) / burst(d, t, fy, fu)
        pressure = (1 - beta if share * 3 < 2 else 1 - 3 * beta * (1 - share)) * share * fy / hardened
    else:
        pressure = g * pe / collapse(d, t, fy, fab, D("0.005"), D("207e9"), D("0.3"))
    worst = None
    for name, (on_functional, on_environmental) in FACTORS.items():
        m, s = [on_functional * condition * f + on_environmental * e for f, e in zip(functional[:2], environmental[:2])], \
               on_functional * condition * functional[2] + on_environmental * environmental[2]
        bending, tension = g * (m[0] ** 2 + m[1] ** 2).sqrt() / moment, (g * s / force) ** 2
        used = (bending + tension) ** 2 + pressure**2
        if worst is None or used > worst[0]:
            worst = used, name
    return worst


COMBINED = (  # diameter, wall, fy, fu, alpha_fab, class, pe, pi, functional M2 M3 S, environmental M2 M3 S, gamma_C
    ("609.6 x 25.4, sagbend in 900 m", "0.6096", "0.0254", "450e6", "535e6", "0.85", "low", "9.05e6", "0", ("0", "-780e3", "900e3"),
     ("90e3", "-310e3", "250e3"), "1"),
    ("406.4 x 21, sagbend in 2100 m", "0.4064", "0.021", "450e6", "535e6", "0.85", "medium", "21.1e6", "0", ("110e3", "240e3", "450e3"),
     ("-30e3", "85e3", "300e3"), "1"),
    ("323.9 x 12.7, 15 MPa inside", "0.3239", "0.0127", "415e6", "520e6", "1", "medium", "3e6", "18e6", ("0", "170e3", "-400e3"),
     ("9e3", "5e3", "-20e3"), "1"),
    ("323.9 x 12.7, 29 MPa inside", "0.3239", "0.0127", "415e6", "520e6", "1", "medium", "3e6", "32e6", ("0", "130e3", "350e3"),
     ("45e3", "20e3", "120e3"), "1.07"),
    ("168.3 x 9.5, motion against the static bend", "0.1683", "0.0095", "360e6", "460e6", "1", "high", "4e6", "0", ("14e3", "0", "60e3"),
     ("-47e3", "6e3", "35e3"), "1"),
)
for name, d, t, fy, fu, fab, safety, pe, pi, functional, environmental, condition in COMBINED:
    used, by = combined(D(d), D(t), D(fy), D(fu), D(fab), safety, D(pe), D(pi), [D(x) for x in functional],
                        [D(x) for x in environmental], D(condition))
    print(f"{name}: D/t {D(d) / D(t):.4f}, utilisation {used:.14f} by combination {by}")
