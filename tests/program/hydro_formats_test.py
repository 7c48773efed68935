"""sagbend hydro import: the supply vessel, which is given by VERES, written in other formats by their published descriptions (Nemoh; WAMIT with
another body origin, headings all around, difference frequencies): the import gives the same data. Files cut and with flipped bytes."""
import random

from harness import *
import numpy as np

SUPPLY = os.path.join(SOURCE, "tests/reference/mss-hydro/supply/input.")
RHO, G = 1025.0, 9.81
VERES, OTHER = np.array([-1, 1, -1, -1, 1, -1]), np.array([1, -1, -1, 1, -1, -1])  # our axes in VERES's; in WAMIT's and Nemoh's
MIRROR = np.array([1, -1, 1, -1, 1, -1])


def hydro(*args, status=0):
    done = run("hydro", "import", *args)
    check(done[0] == status, f"hydro import {args[-4:]}: status {done[0]}, not {status}", *done[1:])
    return done[1], done[2]


def read_supply():
    """Frequencies, mass, A, B, C and forces by heading (degrees, ours) in our axes, without tanks."""
    lines = [line.split() for line in open(SUPPLY + "re7")]
    matrix = lambda at: np.array([[float(x) for x in row] for row in lines[at:at + 6]]) * np.outer(VERES, VERES)
    rows = [19 + 38 * k for k in range(36)]
    omega, force, at = np.array([float(lines[k][0]) for k in rows]), {}, 11
    lines8 = [line.split() for line in open(SUPPLY + "re8")]
    for _ in range(19):
        heading = 180 - float(lines8[at][0])
        value = [[VERES[i] * complex(float(row[1]), float(row[2])) for i, row in enumerate(lines8[at + 2 + 7 * k:at + 8 + 7 * k])] for k in range(36)]
        force[heading] = np.array(value)
        at += 1 + 7 * 36
    return omega, matrix(11), np.array([matrix(k + 1) for k in rows]), np.array([matrix(k + 13) for k in rows]), matrix(rows[0] + 25), force


omega, mass, added, damping, restoring, force = read_supply()


def read(name):
    """Table of A and B, forces, K at a frequency of a hydro file."""
    lines, out, at = [line.split() for line in open(name) if not line.startswith("#")], {}, 1
    while lines[at][0] != "checksum":
        key, count = lines[at][0], int(float(lines[at][1])) if len(lines[at]) > 1 else 0
        size = {"mass": 6, "restoring": 6, "added_mass_inf": 6, "oscillators": 3 * count}.get(key, count if key in ("force", "motion", "drift", "radiation") else 0)
        out[key] = [[float(x) for x in row] for row in lines[at + 1:at + 1 + size]]
        at += 1 + size
    n = len(out["oscillators"]) // 3
    w2, r, g = np.array(out["oscillators"][:n])[:, 0]**2, np.array(out["oscillators"][n:2 * n]), np.array(out["oscillators"][2 * n:])
    out["K"] = lambda w: 1j * w * g.T @ np.linalg.solve(-w * w * np.eye(n) + 1j * w * r + np.diag(w2), g)
    return out


def compare(name, headings):
    """The file has the data of the supply vessel, and a memory within 2 % of them."""
    data, lower = read(path(name)), np.tril_indices(6)
    peak = np.sqrt(np.outer(*[damping.max(axis=0).diagonal()] * 2))
    for k in range(1, 36):
        row = min(data["radiation"], key=lambda r: abs(r[0] - omega[k]))
        for values, first in ((added, 1), (damping, 22)):
            scale = abs(values[k]).max()
            check(np.allclose(row[first:first + 21], values[k][lower], rtol=1e-5, atol=1e-6 * scale), f"{name}: A and B", omega[k])
        k_data = damping[k] + 1j * omega[k] * (added[k] - np.array(data["added_mass_inf"]))
        error = abs(data["K"](omega[k]) - k_data)[peak > 0] / peak[peak > 0]
        check(error.max() <= 0.02, f"{name}: K", omega[k], error.max())
        for heading in headings:
            row = min(data["force"], key=lambda r: 100 * abs(r[0] - omega[k]) + abs(r[1] - heading))
            value = np.array(row[2::2]) + 1j * np.array(row[3::2])
            expected = force[heading][k] if heading <= 180 else force[360 - heading][k] * MIRROR
            check(abs(row[1] - heading) < 1e-6 and np.allclose(value, expected, rtol=1e-5, atol=1e-5 * abs(expected).max()), f"{name}: forces", omega[k], heading, value, expected)


def write(name, lines):
    with open(path(name), "w") as file:
        file.write("\n".join(lines) + "\n")
    return path(name)


# Nemoh: one zone for each motion and heading, e^(-i omega t), z up and y to port.
def write_nemoh(phase=1.0):
    axes, lines = np.outer(OTHER, OTHER), ['VARIABLES="w (rad/s)"']
    lines += [f'"A{1:4d}{i + 1:4d}" "B{1:4d}{i + 1:4d}"' for i in range(6)]
    for i in range(6):
        lines.append(f'Zone t="Motion of body {1:4d} in DoF{i + 1:4d}",I={36:6d},F=POINT')
        for k in range(36):
            pairs = [x for j in range(6) for x in ((added[k] * axes)[j, i], (damping[k] * axes)[j, i])]
            lines.append("".join(f" {x:.7E}" for x in [omega[k], *pairs]))
    out = [write("RadiationCoefficients.tec", lines)]
    lines = ['VARIABLES="w (rad/s)"'] + [f'"abs(F{1:4d}{i + 1:4d})" "angle(F{1:4d}{i + 1:4d})"' for i in range(6)]
    for heading in sorted(force):
        lines.append(f'Zone t="Diffraction force - beta = {heading:7.3f} deg",I={36:6d},F=POINT')
        for k in range(36):
            value = np.conj(force[heading][k] * MIRROR * OTHER)  # its heading 30 goes to port
            lines.append("".join(f" {x:.7E}" for x in [omega[k], *[y for z in value for y in (abs(z), phase * np.angle(z))]]))
    out.append(write("ExcitationForce.tec", lines))
    rows = lambda m: ["".join(f" {x:.7E}" for x in row) for row in m * axes]
    return out + [write("KH.dat", rows(restoring)), write("Inertia.dat", rows(mass))]


HEADINGS = [float(h) for h in range(0, 181, 30)]
for phase in (1.0, 180 / np.pi):
    files = write_nemoh(phase)
    out, _ = hydro(*files, "--gravity", str(G), "-o", path("nemoh.hydro"))
    check("0.10472 rad/s left out" in out and "Nemoh, 36 frequencies" in out and "19 headings" in out, "the report", out)
    compare("nemoh.hydro", HEADINGS[::2])
hydro(*files[:3], "--gravity", str(G), "--tolerance", "0.3")
for missing in (0, 1, 2):
    _, err = hydro(*[f for i, f in enumerate(files[:3]) if i != missing], status=2)
    check("expected, got none" in err, "a companion is missing", err)


# WAMIT, with XBODY away from the point of the waves, headings from 0 to 360, and difference frequencies.
def write_wamit(body=(0.0, 0.0)):
    axes, chosen = np.outer(OTHER, OTHER), list(range(1, 36))
    lines = []
    for k in chosen:
        lines += [f" {2 * np.pi / omega[k]:.7E} {i + 1} {j + 1} {added[k][i, j] * axes[i, j] / RHO:.7E} {damping[k][i, j] * axes[i, j] / (RHO * omega[k]):.7E}"
                  for i in range(6) for j in range(6) if (i + j) % 2 == 0]
    out = [write("ship.1", lines)]
    lines = []
    for k in chosen:
        for heading in range(0, 361, 30):  # theirs, anticlockwise; ours is 360 - heading
            ours = (360 - heading) % 360
            value = (force[ours][k] if ours <= 180 else force[360 - ours][k] * MIRROR) * OTHER
            angle = np.radians(heading)
            turn = np.exp(-1j * omega[k]**2 / G * (body[0] * np.cos(angle) + body[1] * np.sin(angle)))
            lines += [f" {2 * np.pi / omega[k]:.7E} {heading:.5E} {i + 1} {abs(z) / (RHO * G):.7E} 0 {z.real / (RHO * G):.7E} {z.imag / (RHO * G):.7E}"
                      for i, z in enumerate(value * turn)]
    out.append(write("ship.3", lines))
    out.append(write("ship.hst", [f" {i + 1} {j + 1} {restoring[i, j] * axes[i, j] / (RHO * G):.7E}" for i in range(6) for j in range(6)]))
    out.append(write("ship.frc", ["title", "1 0 1 0 0 0 0 0 0", str(RHO), "0 0 1.3", "1", *["".join(f" {x:.7E}" for x in row) for row in mass * axes], "0", "0"]))
    out.append(write("ship.pot", ["title", "-1", "1 1", "2", "5. 6.", "1", "0.", "1", "ship.gdf", f"{body[0]} {body[1]} 0. 0.", "1 1 1 1 1 1"]))
    drift = lambda p, q: 1e-2 * complex(1 / (p + q) + (0.01 if p != q else 0), 0.002 * (p - q))
    out.append(write("ship.12d", [f" {p:.5E} {q:.5E} 0. 0. {i} {abs(z):.7E} {np.degrees(np.angle(z)):.7E} {z.real:.7E} {z.imag:.7E}"
                                  for p in (5.0, 8.0, 12.0) for q in (5.0, 8.0, 12.0) for i in (1, 2, 6) for z in (drift(p, q),)]))
    return out


PLAIN = ["--gravity", str(G)]
for body in ((0.0, 0.0), (12.0, -3.0)):
    files = write_wamit(body)
    out, _ = hydro(*files, *PLAIN, "-o", path("wamit.hydro"))
    compare("wamit.hydro", [0.0, 60.0, 180.0, 240.0, 330.0])
    check("wave forces, 12 headings" in out, "0 and 360 degrees are one heading", out)
    check("9 values on the diagonal, 18 pairs beside it" in out and "surge: Newman's approximation, which the simulator uses, differs by up to" in out, "difference frequencies", out)
turned = write("turned.pot", open(path("ship.pot")).read().replace("-3.0 0. 0.", "-3.0 0. 90.").splitlines())
_, err = hydro(*files[:4], turned, *PLAIN, status=2)
check("a body that is not turned expected" in err, "a turned body", err)

# Cut and flipped files: an error that names the file, or the same counts.
rng, ATTACKED = random.Random(3), [*PLAIN, "--tolerance", "0.3"]
for number, (group, args) in enumerate(((write_nemoh(), ATTACKED), (write_wamit(), ATTACKED))):
    whole, _ = hydro(*group, *args)
    counts = lambda text: re.findall(r"(\d+) (?:frequencies|headings)", text)
    for index, name in enumerate(group):
        content = open(name, "rb").read()
        for attempt in range(2):
            changed = bytearray(content)
            at = rng.randrange(1, len(content))
            if attempt % 2:
                changed = changed[:at // 100 * 100 or 1]
            else:
                changed[at] ^= 1 << rng.randrange(8)
            with open(name, "wb") as file:
                file.write(changed)
            status, out, err = run("hydro", "import", *group, *args)
            check(status in (0, 2) and (status == 0 or err), "cut or flipped", name, at, status, err)
            check(status == 2 or counts(out)[:2] == counts(whole)[:2], "the counts stay", name, at, out)
        with open(name, "wb") as file:
            file.write(content)
