"""sagbend hydro import of a round hull in finite water that this test writes as WAMIT does: forces by the laws of long waves, damping from them by
Haskind's relation, added mass by that of Kramers and Kronig. Depth, length unit, first column, control files and rounding are told apart."""
import math
import random

from hydro_supply import *

DEPTH, DRAUGHT, AREA, MASS = 120.0, 12.0, 700.0, 8.6e6
OMEGA = np.geomspace(0.04, 3.0, 60)


def wavenumber(w, depth):
    k = np.maximum(w * w / G, w / math.sqrt(G * depth))
    for _ in range(30):
        t = np.tanh(k * depth)
        k = k - (k * t - w * w / G) / (t + k * depth * (1 - t * t))
    return k


def hull(depth=DEPTH, omega=OMEGA):
    """Rows of frequency, A and B of surge (0), heave (2), pitch (4) and, B only, surge with pitch (24), and the amplitudes of their forces."""
    w = np.geomspace(0.01, 12, 1200)
    k = wavenumber(w, depth)
    x = np.minimum(k * depth, 300)
    waves = 2 * k / (np.tanh(x) + x / np.cosh(x)**2)
    fade, added_1 = np.exp(-k * DRAUGHT), 2.0e6
    for _ in range(2):  # the surge force needs the added mass, which needs the damping
        surge = G * k * (MASS + added_1) * fade
        damping = [waves * w / (4 * RHO * G * G) * x for x in (surge**2 / 2, (RHO * G * AREA * fade * np.exp(-3 * k))**2)]
        added = []
        for b, limit in zip(damping, (2.0e6, 4.0e6)):  # A = A_inf + 2/pi P int B / (w'^2 - w^2), the singularity taken out
            inner = (b[None, :] - b[:, None]) / (w[None, :]**2 - w[:, None]**2 + np.eye(len(w)))
            whole = ((inner[:, 1:] + inner[:, :-1]) / 2 * np.diff(w)).sum(axis=1)
            added.append(limit + 2 / math.pi * (whole + b / (2 * w) * np.log(np.abs((12.001 - w) / (12.001 + w)))))
        added_1 = added[0]
    at = lambda y: np.interp(omega, w, y)
    # The surge force acts 4 m above the origin, so that pitch radiates as surge does.
    return [(w1, {0: a1, 2: a3, 4: 9.0e7 + 16 * (a1 - 2.0e6)}, {0: b1, 2: b3, 4: 16 * b1, 24: 4 * b1}, (s, h, 4 * s)) for w1, a1, a3, b1, b3, s, h in
            zip(omega, at(added[0]), at(added[1]), at(damping[0]), at(damping[1]), at(surge), at(RHO * G * AREA * fade * np.exp(-3 * k)))]


def write_hull(name, rows, column=lambda w: 2 * math.pi / w, length=1.0, yaw=1e-11, frc=True, limits=False):
    rng = random.Random(5)
    one, three = [], []
    largest = max(b[4] for _, _, b, _ in rows)
    power = lambda i, j: 3 + (i > 2) + (j > 2)
    for w, a, b, (s, h, p) in rows:
        c = column(w)
        put = lambda i, j, x, y: one.append(f" {c:.7E} {i + 1} {j + 1} {x / (RHO * length**power(i, j)):.7E} {y / (RHO * w * length**power(i, j)):.7E}")
        for i, j, key, sign in ((0, 0, 0, 1), (1, 1, 0, 1), (2, 2, 2, 1), (3, 3, 4, 1), (4, 4, 4, 1), (0, 4, 24, 1), (4, 0, 24, 1), (1, 3, 24, -1), (3, 1, 24, -1)):
            put(i, j, sign * (4.0 * (a[0] - 2.0e6) if key == 24 else a[key]), sign * b[key])
        noise = lambda: yaw * largest * rng.uniform(-0.3, 1)
        put(5, 5, 1e-9 * largest, noise())
        put(5, 3, 1e-8 * largest, noise())
        put(3, 5, -1e-8 * largest, noise())
        for heading in (0, 30, 60, 90):
            cos, sin = math.cos(math.radians(heading)), math.sin(math.radians(heading))
            for i, z in enumerate((1j * s * cos, 1j * s * sin, h, -1j * p * sin, 1j * p * cos, 0)):
                z = z / (RHO * G * length**(2 + (i > 2)))
                three.append(f" {c:.7E} {heading:.5E} {i + 1} {abs(z):.7E} 0 {complex(z).real:.7E} {complex(z).imag:.7E}")
    if limits:
        for c, k in ((-1, 0), (0, -1)):
            for i, j, key in ((0, 0, 0), (1, 1, 0), (2, 2, 2), (3, 3, 4), (4, 4, 4), (0, 4, 24), (4, 0, 24), (1, 3, -24), (3, 1, -24), (5, 5, 99), (5, 3, 99), (3, 5, 99)):
                x = {24: 4, -24: -4, 99: 0}.get(key)
                value = rows[k][1][key] if x is None else x * (rows[k][1][0] - 2.0e6)
                one.append(f" {c} {i + 1} {j + 1} {value / (RHO * length**power(i, j)):.7E}")
    files = [write(name + ".1", one), write(name + ".3", three)]
    stiffness = np.zeros((6, 6))
    stiffness[2, 2], stiffness[3, 3], stiffness[4, 4] = RHO * G * AREA, 4e8, 4e8
    files.append(write(name + ".hst", [f" {i + 1} {j + 1} {stiffness[i, j] / (RHO * G * length**(2 + (i > 2) + (j > 2))):.7E}" for i in range(6) for j in range(6)]))
    if frc:
        rigid = [[MASS if i == j and i < 3 else 6e8 if i == j else 0 for j in range(6)] for i in range(6)]
        files.append(write(name + ".frc", ["title", "1 0 1 0 0 0 0 0 0", f"{RHO}  RHO", "0 0 0  XCG", "1  IMASS", *[" ".join(f"{x:.7E}" for x in row) for row in rigid], "0", "0"]))
    return files


def refuse(expected, *args, absent=None):
    out, err = hydro(*args, status=2)
    check(expected in err, f"'{expected}' expected", err, out[-1500:])
    check(absent is None or absent not in err, f"no '{absent}'", err)
    return err


GRAVITY, EASY = ["--gravity", str(G)], ["--gravity", str(G), "--tolerance", "0.3"]
ROWS = hull()

# The depth is named from the data, whatever is given; a length unit that only cures a depth is not accepted. Given, all agrees.
files = write_hull("float", ROWS)
for args in ([], ["--length-unit", "1"], ["--depth", "30"]):
    err = refuse("would agree, not ", *files, *EASY, *args, absent="--length-unit")
    named = float(re.search(r"water of ([0-9.e+]+) m", err).group(1))
    check(0.8 * DEPTH < named < 1.25 * DEPTH, "the depth of the data", named, err)
for unit in ("0.3", "0.373", "0.5", "3"):
    err = refuse("damping and heave force contradict the length unit of ", *files, *EASY, "--length-unit", unit)
    found = float(re.search(r"'--length-unit ([0-9.]+)'", err).group(1))
    check(0.9 < found < 1.1, "the unit of the data", unit, err)
out, _ = hydro(*files, *EASY, "--depth", str(DEPTH))
check(f"XBODY" not in out and "yaw: its damping" in out and "is rounding: none" in out, "yaw counts as none", out)
check("long waves: heave force" in out, "the checks were done", out)
# In deep water nothing of this is said, and a wrong unit is named as before.
deep = write_hull("deep", hull(1e5), length=20.0)
out, _ = hydro(*deep, *EASY, "--length-unit", "20")
check("warning: long waves" not in out, "deep water", out)
refuse("'--length-unit 20' would agree", *deep, *EASY, "--length-unit", "10")
refuse("'--length-unit 20' would agree", *deep, *EASY)
# Without a mass the report warns of the depth.
out, _ = hydro(*write_hull("float", ROWS, frc=False)[:3], *EASY, "--length-unit", "1")
check(re.search(r"warning: long waves: damping and heave force agree with water of 1[12]\d m: '--depth'", out), "a warning of the depth", out)

# Rounding of yaw: few or many digits of it, of one sign or of both, is not fitted.
for yaw in (1e-13, 1e-8, 3e-5):
    files = write_hull("round", ROWS, yaw=yaw)
    out, _ = hydro(*files, "--depth", str(DEPTH), *EASY)
    check("is rounding: none" in out, "rounding", yaw, out)

# What the first column holds.
AT_DEPTH = ["--depth", str(DEPTH)]
for name, column in (("rad/s", lambda w: w), ("Hz", lambda w: w / 2 / math.pi), ("KL", lambda w: w * w / G), ("nuL", lambda w: wavenumber(w, DEPTH))):
    files = write_hull("column", ROWS, column, limits=True)
    err = refuse("the first column was read as periods in s, but damping and heave force agree with", *files, *EASY, *AT_DEPTH)
    check("'--first-column " in err and (name in ("KL", "nuL") or f"'--first-column {name}'" in err), "the column is named", name, err)
    out, _ = hydro(*files, *EASY, *AT_DEPTH, "--first-column", name, "-o", path(f"{name[:2]}.hydro"))
    check(f"{len(OMEGA)} frequencies, 0.04 to 3 rad/s" in out, "frequencies of the column", name, out)
refuse("--first-column: s, rad/s, Hz, KL or nuL expected, got 'rpm'", *files, "--first-column", "rpm")
files = write_hull("column", ROWS, lambda w: w, limits=True)  # -1 for the infinite frequency and 0 for none, as some codes mean it
lines = open(files[0]).read().splitlines()
swap = {"-1": "0", "0": "-1"}
turned = write("column.1", [" " + swap[line.split()[0]] + " " + " ".join(line.split()[1:]) if line.split()[0] in swap else line for line in lines])
hydro(turned, *files[1:], *EASY, *AT_DEPTH, "--first-column", "rad/s", "-o", path("turned.hydro"))
strip = lambda name: [line for line in open(path(name)) if not line.startswith(("#", "checksum"))]
check(strip("turned.hydro") == strip("ra.hydro"), "the limits of the added mass either way")

# More frequencies than a hydro file holds: --frequencies leaves out before anything counts.
many = write_hull("many", hull(omega=np.linspace(0.04, 6.0, 700)))
refuse("at most 400 frequencies expected, got 700 from 0.04 to 6 rad/s: '--frequencies FIRST:LAST'", *many, *EASY, *AT_DEPTH)
out, _ = hydro(*many, *EASY, *AT_DEPTH, "--frequencies", "0:2.5")
check("of 700 used" in out, "a range of many frequencies", out)

# Control files: both forms, lists over lines and as first and step, commas and repetitions, a geometry of any name; a switch 0.
files = write_hull("float", ROWS)
PERIODS = "4\n1. 2.\n3. 4.\n2\n0 90\n"
for number, (text, depth, x) in enumerate((
        (f"t\n{DEPTH} 7. 0. 0. 0.  HBOT XBODY\n1 1\n1 1 1 1 1 1\n" + PERIODS, DEPTH, 7),
        (f"t\n{DEPTH} 7. 0. 0. 0.\n1 1\n1 1 1 1 0 1 MODE\n" + PERIODS, DEPTH, 7),
        (f"t\n{DEPTH}, 7., 3*0.\n1 1\n0 0 1 0 0 0\n" + PERIODS, DEPTH, 7),
        ("t\n0 1  ISOR IRR\n" + f"{DEPTH} 7. 0. 0. 0.\n1 1\n1 1 1 1 1 1\n" + PERIODS, DEPTH, 7),
        (f"t\n{DEPTH}  HBOT\n1 1 IRAD IDIFF\n" + PERIODS + "1 NBODY\nhull of mine\n7. 0. 0. 0.  XBODY\n1 1 1 1 1 1\n", DEPTH, 7),
        (f"t\n{DEPTH}\n1 1\n-40 NPER\n0.1 0.1\n-7\n0 30\n1\n'a.gdf'\n7. 3*0.\n1 1 1 1 1 1\n", DEPTH, 7),
        ("t\n-1. 0. 0. 0. 0.\n1 1\n1 1 1 1 0 1\n" + PERIODS, 0, 0))):
    pot = write("float.pot", text.splitlines())
    done = run("hydro", "import", *files, pot, *EASY)
    said = f"{DEPTH:g} m of water, body origin {x:g} m forward" if depth else "deep water, body origin 0 m forward"
    check(said in done[1], "depth and origin of the control file", number, said, done)
    check(depth or "would agree, not deep water" in done[2], "the data are not those of deep water", done)
_, err = hydro(*files, write("float.pot", ["title", "infinite"]), *EASY, status=2)
check("float.pot:2: the depth of the water (HBOT) expected, got 'infinite'" in err, "no depth", err)

# Radii of gyration (form 1): the mass is that of the displaced water, of the panels of the .gdf or of the longest wave.
side, deep = math.sqrt(AREA), MASS / RHO / AREA
corner = side / 2
quad = lambda *points: "\n".join(f"{x:.6f} {y:.6f} {z:.6f}" for x, y, z in points)
panels = [quad((corner, 0, 0), (corner, 0, -deep), (corner, corner, -deep), (corner, corner, 0)),
          quad((corner, corner, 0), (corner, corner, -deep), (0, corner, -deep), (0, corner, 0)),
          quad((0, 0, -deep), (0, corner, -deep), (corner, corner, -deep), (corner, 0, -deep))]
radius = math.sqrt(6e8 / MASS)
form_1 = write("float.frc", ["title", "1 0 1 0 0 0 0 0 0", "0.0  VCG", f"{radius:.6f} 0 0", f"0 {radius:.6f} 0", f"2*0 {radius:.6f}  XPRDCT", "0 NBETAH"])
gdf = write("float.gdf", ["title", f"1.0 {G}  ULEN GRAV", "1 1 ISX ISY", "3", *panels])
for with_gdf in (0, 1):
    extra = [gdf] if with_gdf else ["--length-unit", "1"]
    out, _ = hydro(*files[:3], form_1, *extra, *EASY, *AT_DEPTH, "-o", path("form1.hydro"))
    found = float(re.search(r"form 1: mass ([0-9.e+]+) kg", out).group(1))
    check(abs(found / MASS - 1) < (1e-5 if with_gdf else 0.05), "the mass of radii of gyration", with_gdf, found, MASS)
    check(("of the volume in .gdf" in out) == bool(with_gdf), "where the mass is from", out)
    rows = read(path("form1.hydro"))["mass"]
    check(abs(rows[3][3] / rows[0][0] - radius**2) < 1e-4 * radius**2, "moments of inertia", rows)
refuse("agree with water of ", *files[:3], form_1, "--length-unit", "1", *EASY)  # without the depth the mass would be wrong
