"""A WAMIT set with what the files of others contain, all at once: no end of the last line, comments behind the numbers of the .frc, modes
-4 to -6 in the .9, an irregular frequency that is not symmetric and frequencies above it that are not either, a mass matrix that is no
rigid body's, a fit that is accepted with a tolerance. Each is named where it stands, and the error of the fit at each use."""
from hydro_supply import *

IRREGULAR, SKEW = 32, (34, 35)  # places in omega
FIRST, LAST = 1, 35
AXES = np.outer(OTHER, OTHER)


def whole(name, lines):
    with open(path(name), "w") as file:
        file.write("\n".join(lines))  # the last line has no end
    return path(name)


def write_set(mass_of_set, skew=SKEW, name="other"):
    peaks, out, lines = damping.max(axis=0).diagonal(), [], []
    for k in range(LAST, FIRST - 1, -1):
        a, b = added[k].copy(), damping[k].copy()
        if k == IRREGULAR:  # damping below zero, and 18 % of asymmetry in another element of A
            b = b - 0.4 * np.diag(peaks)
            a[3, 1] += 0.18 * np.sqrt(added[:, 3, 3].max() * added[:, 1, 1].max())
        if k in skew:
            b[5, 1] += 0.04 * np.sqrt(peaks[5] * peaks[1])
        for i in range(6):
            for j in range(6):
                if (i + j) % 2 == 0:
                    lines.append(f" {2 * np.pi / omega[k]:.6E} {i + 1:5d} {j + 1:5d} {a[i, j] * AXES[i, j] / RHO:13.6E} {b[i, j] * AXES[i, j] / (RHO * omega[k]):13.6E}")
    out.append(whole(name + ".1", lines))
    lines = []
    for k in range(LAST, FIRST - 1, -1):
        for heading in range(0, 181, 30):
            for i, z in enumerate(force[heading][k] * MIRROR * OTHER / (RHO * G)):
                lines.append(f" {2 * np.pi / omega[k]:.6E} {heading:.6E} {i + 1:5d} {abs(z):.6E} {np.degrees(np.angle(z)):13.6E} {z.real:13.6E} {z.imag:13.6E}")
    out.append(whole(name + ".3", lines))
    lines = []
    for k in range(LAST, FIRST - 1, -1):
        for heading in range(0, 181, 30):
            for mode in (1, 2, 3, 4, 5, 6, -4, -5, -6):
                x = drift(k, heading, mode)
                lines.append(f" {2 * np.pi / omega[k]:.6E} {heading:.6E} {heading:.6E} {mode:5d} {abs(x):.6E} {0 if x >= 0 else 180:13.6E} {x:13.6E} {0:13.6E}")
    out.append(whole(name + ".9", lines))
    out.append(whole(name + ".hst", [f" {i + 1:5d} {j + 1:5d} {restoring[i, j] * AXES[i, j] / (RHO * G):14.6E}" for i in range(6) for j in range(6)]))
    rows = ["".join(f" {x:.7E}" for x in row) for row in mass_of_set * AXES]
    out.append(whole(name + ".frc", ["title", "1 0 1 0 0 0 0 0 1\t IOPTN(1-9)", f"{RHO}\t RHO", "0 0 1.3\t VCG", "1\t IMASS", *rows, "0\t IDAMP", "0\t ISTIF", "0"]))
    out.append(whole(name + ".pot", ["title", "-1  HBOT", "1 1  IRAD, IDIFF", "2  NPER", "5. 6.", "1  NBETA", "0.", "1  NBODY", "other.gdf", "0. 0. 0. 0.  XBODY(1-4)", "1 1 1 1 1 1"]))
    return out


def drift(k, heading, mode):
    """Without unit, in WAMIT's axes. Moments about the moving origin are a tenth larger."""
    wave = np.radians(heading)
    x = omega[k]**2 * (np.cos(wave), np.sin(wave), 0.1, 0.2, 0.3, 5 * np.sin(2 * wave))[abs(mode) - 1]
    return 1.1 * x if mode < 0 else x


skewed = mass.copy()
skewed[1, 3] = skewed[3, 1] = 0
files = write_set(skewed)

# --- everything at once ---
out, err = hydro(*files, *PLAIN, "-o", path("no.hydro"), status=2)
check("the mass matrix is no rigid body's: M15 = -8.2709e+06 and M24 = 0 " in err and "a rigid body has M15 = -M24 = m z_G; '--accept mass' imports it nevertheless; failed too: symmetry" in err,
      "the mass matrix", err)
check(out.count("the last line has no end; it is taken to be whole") == len(files), "a notice for each file", out)
check("mean drift, 7 headings; yaw moment about the body's own origin (mode -6)" in out, "negative modes", out)
check(f"{omega[IRREGULAR]:.5g} rad/s left out, an irregular frequency" in out, "the irregular frequency", out)
check("symmetry: A to 0 %, B to 4 % of the peaks at the frequencies that are used" in out, "symmetry without the irregular frequency", out)
check(not os.path.exists(path("no.hydro")), "nothing is written")
_, err = hydro(*files, *PLAIN, "--accept", "mass", status=2)
check(f"damping is not symmetric: row 6, column 2 at {omega[SKEW[0]]:.5g} rad/s differ by 4 % of the peaks, at most 2 % expected; "
      f"'--frequencies {omega[FIRST]:.5g}:{omega[SKEW[0] - 1]:.5g}' leaves such frequencies out; '--accept symmetry'" in err, "the place of the asymmetry, and a range", err)

# --- the range that it names ---
range_of = ["--frequencies", f"{omega[FIRST]:.5g}:{omega[SKEW[0] - 1]:.5g}"]
out, err = hydro(*files, *PLAIN, "--accept", "mass", *range_of, "--tolerance", "0.12", "--origin", "-5.38592,0,0", "-o", path("loose.hydro"))
check(f"frequencies: {SKEW[0] - FIRST} of {LAST - FIRST + 1} used, {omega[FIRST]:.5g} to {omega[SKEW[0] - 1]:.5g} of" in out, "the range in the report", out)
check("check mass: FAILED, accepted" in out and "symmetry: A to 0 %, B to 0 %" in out, "what is accepted is named", out)
data = read(path("loose.hydro"))
for key, kept in (("radiation", SKEW[0] - FIRST - 1), ("force", 7 * (SKEW[0] - FIRST)), ("drift", 7 * (SKEW[0] - FIRST))):
    check(len(data[key]) == kept, f"{key} in the range", len(data[key]), kept)
for row in data["drift"]:  # moved to a point 5.38592 m forward of the files' origin
    k, heading = np.argmin(abs(omega - row[0])), round(row[1])
    surge, sway, yaw = (drift(k, heading, mode) * RHO * G * sign for mode, sign in ((1, 1), (2, 1), (-6, 1)))
    check(np.allclose(row[2:], [surge, sway, yaw - 5.38592 * sway], rtol=1e-5, atol=1e-5 * RHO * G), "drift, yaw by mode -6", row, (surge, sway, yaw))
for text, expected in (("3", "--frequencies: a range FIRST:LAST in rad/s, such as 0:3, expected"), ("2:1", "a range FIRST:LAST"), ("1:x", "a range FIRST:LAST"),
                       ("0:0.3", f"a range with at least 8 of the 35 frequencies from 0.20944 to 3.1416 rad/s expected, got 0:0.3 with {sum(omega[1:] < 0.3)}")):
    _, err = hydro(*files, *PLAIN, "--accept", "mass", "--frequencies", text, status=2)
    check(expected in err, f"--frequencies {text}", err)

# --- each use of a loose fit ---
error = float(next(line for line in open(path("loose.hydro")) if line.startswith("fit_error")).split()[1])
check(0.02 < error <= 0.12, "the file carries the error of its fit", error)
CASE = os.path.join(SOURCE, "configs/supply-83m-waves.yaml")
LOOSE = ["--set", f"vessel.hydro_file={path('loose.hydro')}"]
named = f"vessel.hydro_file: the memory of the radiation misses the data by up to {100 * error:.3g} % of the peaks of the damping ("
status, out, err = run("check", CASE, *LOOSE)
check(status == 0 and named in err, "check", err)
status, out, err = run("run", CASE, *LOOSE, "--duration", "2", "--summary", path("loose.json"))
check(status == 0 and named in err and "hydro file           the memory of the radiation misses the data by" in out, "run", out, err)
summary = load("loose.json")["hydro"]
check(abs(summary["fit_error_of_peak"] / error - 1) < 1e-4 and len(summary["motion_error_of_peak"]) == 6 and max(summary["motion_error_of_peak"].values()) > 1e-3, "the summary", summary)
status, out, err = run("rao", CASE, *LOOSE, "--frequencies", "1.2", "--headings", "90", "--out", path("rao"), timeout=120)
check(status == 0 and named in err and abs(load("rao/rao.json")["fit_error_of_peak"] / error - 1) < 1e-4, "rao", err)
status, out, err = run("check", CASE, "--set", "simulation.order=4")
check(status == 0 and "simulation.order: 4 beside vessel.hydro_file: the memory of the radiation is of order 2" in err and "misses the data" not in err, "order 4; a good fit is not mentioned", err)
status, out, err = run("run", CASE, "--duration", "2", "--summary", path("good.json"))
check(status == 0 and "misses" not in out + err and load("good.json")["hydro"]["fit_error_of_peak"] < 0.02, "a good fit is in the summary only", out, err)

# Version 2 has no key: the error follows from A and B. Version 1 has not these either.
text = open(path("loose.hydro")).read()


def older(name, version, drop):
    lines, kept, skip = text.splitlines(keepends=True)[:-1], [], 0
    for line in lines:
        key = line.split(" ")[0]
        if skip:
            skip -= 1
        elif key in drop:
            skip = int(line.split()[1]) if key == "radiation" else 0
        else:
            kept.append(line)
    kept[0] = f"sagbend-hydro {version}\n"
    body, h = "".join(kept), 0xcbf29ce484222325
    for byte in body.encode():
        h = (h ^ byte) * 0x100000001b3 & (1 << 64) - 1
    with open(path(name), "w") as file:
        file.write(f"{body}checksum {h:016x}")  # without an end: the checksum tells that it is whole
    return ["--set", f"vessel.hydro_file={path(name)}"]


status, out, err = run("check", CASE, *older("two.hydro", 2, ("fit_error",)))
found = re.search(r"misses the data by up to ([0-9.]+) %", err)
check(status == 0 and found and abs(float(found.group(1)) / (100 * error) - 1) < 0.1, "a file of version 2", err, error)
status, out, err = run("check", CASE, *older("one.hydro", 1, ("fit_error", "radiation")))
check(status == 0 and "the hydro file is of an earlier version, which does not tell the error of its memory" in err, "a file of version 1", err)

# --- cut files: one character of the last number, one row, one block; a cut at the end of a block of the drift ---
for index, name in enumerate(files[:4]):
    content = open(name).read()
    lines = content.split("\n")
    for cut in (content[:-1], content[:-3], "\n".join(lines[:-1]), "\n".join(lines[:-1]) + "\n"):
        with open(name, "w") as file:
            file.write(cut)
        out, err = hydro(*files, *PLAIN, "--accept", "mass", *range_of, "--tolerance", "0.12", status=2)
        check(name in err and ("was it cut?" in err or "expected" in err), f"{name} cut by {len(content) - len(cut)}", err)
    with open(name, "w") as file:
        file.write(content)
content = open(files[2]).read().split("\n")
with open(files[2], "w") as file:
    file.write("\n".join(content[:-63]))
_, err = hydro(*files, *PLAIN, "--accept", "mass", status=2)
check("the 35 periods of .1 expected, got 34 and no end of the last line: was it cut?" in err, "a drift that was cut at the end of a period", err)
whole("other.9", [line.replace("   -4 ", "   -3 ") for line in content])
_, err = hydro(*files, *PLAIN, "--accept", "mass", status=2)
check("a degree of freedom from 1 to 6, or a moment from -4 to -6 about the body's own origin, expected, got -3" in err, "another negative mode", err)
whole("other.9", content)

# --- a rigid body's mass matrix passes, and each law is named ---
files = write_set(mass, ())
out, _ = hydro(*files, *PLAIN, "--tolerance", "0.12")
check("mass:" not in out and "check" not in out, "a rigid body", out)
for i, j, expected in ((2, 2, "M33 = M11 = m"), (0, 1, "M12 = 0"), (2, 5, "M36 = 0"), (0, 4, "M15 = -M24 = m z_G"), (2, 3, "M16 = -M34 = -m y_G")):
    wrong = mass.copy()
    wrong[i, j] = wrong[j, i] = wrong[i, j] + 0.02 * np.sqrt(wrong[i, i] * wrong[j, j])
    write_set(wrong, ())
    _, err = hydro(*files, *PLAIN, status=2)
    check(f"a rigid body has {expected}" in err, expected, err)
