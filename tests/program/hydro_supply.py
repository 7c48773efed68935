"""The supply vessel of tests/reference as numbers, read from its VERES files, and what the tests of other formats share."""
from harness import *
import numpy as np

SUPPLY = os.path.join(SOURCE, "tests/reference/mss-hydro/supply/input.")
RHO, G = 1025.0, 9.81
VERES, OTHER = np.array([-1, 1, -1, -1, 1, -1]), np.array([1, -1, -1, 1, -1, -1])  # our axes in VERES's; in WAMIT's and Nemoh's
MIRROR = np.array([1, -1, 1, -1, 1, -1])
PLAIN = ["--gravity", str(G)]


def hydro(*args, status=0):
    done = run("hydro", "import", *args)
    check(done[0] == status, f"hydro import {args[-4:]}: status {done[0]}, not {status}", *done[1:])
    return done[1], done[2]


def damaged(content, rng, is_cut):
    """Bytes of a file cut short, or with a flipped bit, and the place."""
    changed, at = bytearray(content), rng.randrange(1, len(content))
    if is_cut:
        return changed[:at // 100 * 100 or 1], at
    changed[at] ^= 1 << rng.randrange(8)
    return changed, at


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
