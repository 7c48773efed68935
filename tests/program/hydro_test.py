"""sagbend hydro import: the supply vessel (VERES) and the semisubmersible (WAMIT) against independent readings of their files, a WAMIT
vessel with irregular frequencies that this test writes, another reference point, and input that contradicts itself."""
import csv
import shutil

from harness import *
import numpy as np

REFERENCE = os.path.join(SOURCE, "tests/reference")
SUPPLY = [os.path.join(REFERENCE, "mss-hydro/supply/input." + e) for e in ("re1", "re2", "re7", "re8", "hyd")]
SEMISUB = [os.path.join(REFERENCE, "mss-hydro/semisub/semisub." + e) for e in ("1", "3", "4", "hst", "frc")]
VERES_SIGN = np.array([-1, 1, -1, -1, 1, -1])
WAMIT_SIGN = np.array([1, -1, -1, 1, -1, -1])
DOF = ["surge", "sway", "heave", "roll", "pitch", "yaw"]


def hydro(*args, status=0):
    done = run("hydro", "import", *args)
    check(done[0] == status, f"hydro import {args[-4:]}: status {done[0]}, not {status}", *done[1:])
    return done[1], done[2]


def refuse(expected, *args):
    """The import refuses, says why, and writes nothing."""
    target = path("refused.hydro")
    out, err = hydro(*args, "-o", target, status=2)
    check(expected in err, f"'{expected}' expected", err, out[-2000:])
    check(not [n for n in os.listdir(FOLDER) if n.startswith("refused")], "nothing is half written", os.listdir(FOLDER))
    return out


def read(name):
    """A hydro file: matrices, oscillators, tables as dictionaries by (frequency, heading)."""
    lines = [line.split() for line in open(name) if not line.startswith("#")]
    out, at = {}, 1
    while lines[at][0] != "checksum":
        key, numbers = lines[at][0], [float(x) for x in lines[at][1:]]
        take = lambda count: np.array([[float(x) for x in row] for row in lines[at + 1:at + 1 + count]])
        if key in ("mass", "restoring", "added_mass_inf"):
            out[key] = take(6)
            at += 6
        elif key == "oscillators":
            n = int(numbers[0])
            out["w"] = take(n)[:, 0]
            at += n
            out["R"] = take(n)
            at += n
            out["G"] = take(n)
            at += n
        elif key == "radiation":
            table, pairs = take(int(numbers[0])), [(i, j) for i in range(6) for j in range(i + 1)]
            out["A"], out["B"] = ({row[0]: np.array([[row[at + pairs.index((max(i, j), min(i, j)))] for j in range(6)] for i in range(6)]) for row in table}
                                  for at in (1, 22))
            at += int(numbers[0])
        elif key in ("force", "motion", "drift"):
            table = take(int(numbers[0]))
            value = table[:, 2::2] + 1j * table[:, 3::2] if key != "drift" else table[:, 2:]
            out[key] = {(row[0], round(row[1], 6)): v for row, v in zip(table, value)}
            at += int(numbers[0])
        else:
            out[key] = numbers[0]
        at += 1
    return out


def near(w):
    """The frequency of the hydro file that is equal to the digits of another file."""
    return min((k[0] for k in supply["motion"]), key=lambda x: abs(x - w))


def memory(data, omega):
    s = 1j * omega
    n = len(data["w"])
    return s * data["G"].T @ np.linalg.solve(s * s * np.eye(n) + s * data["R"] + np.diag(data["w"]**2), data["G"])


def re7():
    """Frequencies, A, B, C, mass of the first heading, in the axes of the vessel."""
    lines = open(SUPPLY[2]).read().splitlines()
    matrix = lambda at: np.array([[float(x) for x in line.split()] for line in lines[at:at + 6]]) * np.outer(VERES_SIGN, VERES_SIGN)
    mass, at, found = matrix(11), 19, []
    for _ in range(36):
        found.append((float(lines[at]), matrix(at + 1), matrix(at + 13), matrix(at + 25)))
        at += 38
    return [np.array(x) for x in zip(*found)] + [mass]


def memory_error(data, omega, added, damping):
    peak = damping.diagonal(axis1=1, axis2=2).max(axis=0)
    there = peak > 0
    scale = np.sqrt(np.outer(peak, peak))[np.ix_(there, there)]
    return max(abs((memory(data, w) - b - 1j * w * (a - data["added_mass_inf"]))[np.ix_(there, there)] / scale).max()
               for w, a, b in zip(omega, added, damping))


def solve(data, added, damping, omega, force):
    return np.linalg.solve(data["restoring"] - omega**2 * (data["mass"] + added) + 1j * omega * damping, force)


# The supply vessel: what the report names, and the hydro file against files that this test reads by itself.
refuse("second matrices (tanks) of roll, up to 4.4e+09 kg m2", *SUPPLY)
out, _ = hydro(*SUPPLY, "--without-additional", "-o", path("supply.hydro"))
check("0.10472 rad/s left out" in out and out.count("left out:") == 1, "the first frequency, and no other, is left out", out)
check("second matrices (tanks): roll up to 4.4e+09" in out, "tanks are named", out)
table = {row[0]: float(row[2]) for row in (line.split() for line in out[out.index("motions solved"):out.index("the same without")].splitlines()[2:])}
for limit, names in ((0.1, ("surge", "heave", "pitch")), (0.3, ("sway", "yaw")), (2, ("roll",))):
    check(all(table[name] <= limit for name in names), "motions against .re1", table)
supply = read(path("supply.hydro"))
omega, added, damping, restoring, mass = re7()
omega = np.array([near(w) for w in omega])
check(len(supply["w"]) <= 14, "at most 28 states", len(supply["w"]))
error = memory_error(supply, omega[1:], added[1:], damping[1:])
check(error <= 0.02, "K against .re7", error)
check(np.allclose(supply["mass"], mass, atol=1) and np.allclose(supply["restoring"], restoring[0], atol=1), "mass and C")
zero = supply["added_mass_inf"] + supply["G"].T @ np.diag(supply["w"]**-2) @ supply["G"]
for i in (1, 3, 5):
    check(abs(zero[i, i] / added[1, i, i] - 1) < 0.05, f"A(0) of {DOF[i]}", zero[i, i], added[1, i, i])
slow = memory(supply, 0.01).real.diagonal()
check(all(slow <= 1e-4 * damping.max(axis=0).diagonal()), "no damping of slow motion", slow)
check(supply["w"].min() > 0 and np.linalg.eigvalsh(supply["R"]).min() > -1e-9, "w and R")

# Motions of .re1 in the vessel's axes; with the memory in place of A and B.
reference = {}
for row in csv.DictReader(line for line in open(os.path.join(REFERENCE, "supply-motions.csv")) if not line.startswith("#")):
    reference[near(float(row["omega_radps"])), float(row["heading_deg"]), row["motion"]] = [float(row[k]) for k in ("file_re", "file_im", "data_re", "data_im")]
peak, worst = np.zeros(6), np.zeros(6)
roll = np.diag([0, 0, 0, 3e7, 0, 0])
for (w, heading), value in supply["motion"].items():
    k = memory(supply, w)
    solved = solve(supply, supply["added_mass_inf"] + k.imag / w, k.real + roll, w, supply["force"][w, heading])
    for i, name in enumerate(DOF):
        file_re, file_im, data_re, data_im = reference[w, round(heading), name]
        check(abs(value[i] - complex(file_re, file_im)) <= 2e-6 * max(1e-3, abs(value[i])), "motions of .re1", w, heading, name)
        peak[i] = max(peak[i], abs(complex(data_re, data_im)))
        if w > 0.2:
            worst[i] = max(worst[i], abs(solved[i] - complex(data_re, data_im)))
check(all(worst <= 0.013 * peak), "motions with the memory", worst / peak)
# A tenth of a metre of wave from the side: mean drift towards where it goes, in N/m2 as .re2 has it.
first = [line.split() for line in open(SUPPLY[1]).read().splitlines() if line.split()[:1] == ["1.0472"]][9]
check(abs(supply["drift"][near(1.0472), 90][1] / (float(first[2]) * 1025 * 9.81 * 19.2**2 / 82.8) - 1) < 1e-4, "mean drift")

# The code's own A and B; the first frequency is wrong.
check(sorted(supply["A"]) == sorted(omega[1:]), "frequencies of A and B", sorted(supply["A"]))
for w, a, b in zip(omega[1:], added[1:], damping[1:]):
    check(np.allclose(supply["A"][w], a, rtol=1e-8, atol=1) and np.allclose(supply["B"][w], b, rtol=1e-8, atol=1), "A and B of .re7", w)

# The same bits again; another reference point; another size.
hydro(*SUPPLY, "--without-additional", "-o", path("again.hydro"))
check(open(path("again.hydro")).read() == open(path("supply.hydro")).read(), "the same file again")
r = np.array([-5.4, 1.5, 2])
hydro(*SUPPLY, "--without-additional", "--origin", "-5.4,1.5,2", "-o", path("moved.hydro"))
moved = read(path("moved.hydro"))
cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
x = np.block([[np.eye(3), np.zeros((3, 3))], [cross, np.eye(3)]])
for w, heading in ((near(0.5027), 140), (near(1.2566), 70)):
    number = w * w / supply["gravity_mps2"]
    angle = np.radians(heading)
    turn = np.exp(-1j * number * (r[0] * np.cos(angle) + r[1] * np.sin(angle)))
    check(np.allclose(moved["force"][w, heading], turn * x @ supply["force"][w, heading], rtol=1e-6), "moved force")
    check(np.allclose(x.T @ moved["motion"][w, heading], turn * supply["motion"][w, heading], rtol=1e-5, atol=1e-9), "moved motion")
    check(np.allclose(memory(moved, w), x @ memory(supply, w) @ x.T, rtol=1e-9), "moved memory")
check(np.allclose(moved["mass"], x @ supply["mass"] @ x.T) and np.allclose(moved["restoring"], x @ supply["restoring"] @ x.T), "moved matrices")

for w in (omega[5], omega[14]):
    check(np.allclose(moved["A"][w], x @ supply["A"][w] @ x.T) and np.allclose(moved["B"][w], x @ supply["B"][w] @ x.T), "moved A and B")
hydro(*SUPPLY, "--without-additional", "--scale", "0.25", "-o", path("model.hydro"))
model = read(path("model.hydro"))
unit = np.array([1, 1, 1, 0.25, 0.25, 0.25])
for w in (omega[5], omega[14]):
    at = min(model["A"], key=lambda v: abs(v - 2 * w))
    check(abs(at - 2 * w) < 1e-8, "frequencies by the root of the scale")
    check(np.allclose(memory(model, at), memory(supply, w) * 0.25**2.5 * np.outer(unit, unit), rtol=1e-8), "scaled memory")
    check(np.allclose(model["B"][at], supply["B"][w] * 0.25**2.5 * np.outer(unit, unit), rtol=1e-7), "scaled B")
    key = min(model["motion"], key=lambda k: abs(k[0] - at) + abs(k[1] - 70))
    same = min(supply["motion"], key=lambda k: abs(k[0] - w) + abs(k[1] - 70))
    check(np.allclose(model["motion"][key] * unit, supply["motion"][same], rtol=1e-6, atol=1e-9), "scaled motions", model["motion"][key])
    check(np.allclose(model["force"][key], supply["force"][same] * unit * 0.25**2, rtol=1e-6, atol=1e-3), "scaled force")
    solved = solve(model, model["A"][at], model["B"][at] + 0.25**4.5 * roll, at, model["force"][key])
    check(np.allclose(solved * unit, solve(supply, supply["A"][w], supply["B"][w] + roll, w, supply["force"][same]), rtol=1e-5, atol=1e-8), "motions of the scaled vessel")

# The semisubmersible: its range is too short for 2 %.
refuse("the fit of the memory reaches 1", *SEMISUB)
out, _ = hydro(*SEMISUB, "--tolerance", "0.2", "-o", path("semisub.hydro"))
check("warning: the range ends before the damping of surge has fallen to a tenth" in out, "a range that ends early", out)
refuse("'--length-unit 1' would agree", *SEMISUB, "--tolerance", "0.2", "--length-unit", "10")


# A WAMIT vessel: the supply vessel without tanks, with A and B of its memory, written by WAMIT's definitions.
def write_wamit(name, irregular=(), length=1.0, sign=1, frequencies=None):
    rho, g = 1025.0, supply["gravity_mps2"]
    axes = np.outer(WAMIT_SIGN, WAMIT_SIGN)
    power = np.array([[3 + (i > 2) + (j > 2) for j in range(6)] for i in range(6)])
    chosen = omega[1:] if frequencies is None else frequencies
    peaks = damping.max(axis=0).diagonal()
    surge = np.diag([1, 0, 0, 0, 0, 0])
    damped = {}
    with open(path(name + ".1"), "w") as file:
        def put(period, a, b=None):
            for i in range(6):
                for j in range(6):
                    if (i + j) % 2 == 0:
                        numbers = [a[i, j] * axes[i, j] / (rho * length**power[i, j])]
                        if b is not None:
                            numbers.append(b[i, j] * axes[i, j] / (rho * w * length**power[i, j]))
                        file.write(f" {period:.6E} {i + 1:5d} {j + 1:5d}" + "".join(f" {x:.6E}" for x in numbers) + "\n")
        w = 0
        put(-1, zero)
        put(0, supply["added_mass_inf"])
        for w in sorted(chosen, reverse=True):
            k = memory(supply, w)
            a, b = supply["added_mass_inf"] + k.imag / w, sign * k.real
            if w in irregular:
                b = b - 0.4 * np.diag(peaks)
                a = a + 0.3 * np.diag(peaks) / w
            damped[w] = a, b
            put(2 * np.pi / w, a, b)
    extra = np.diag([0, 0, 0, 3e7, 0, 0])
    with open(path(name + ".3"), "w") as forces, open(path(name + ".4"), "w") as motions:
        for w in sorted(chosen, reverse=True):
            for heading in sorted({h for _, h in supply["force"]}):
                force = supply["force"][w, heading]
                a, b = damped[w]
                motion = solve(supply, a, b + extra, w, force)
                mirror = np.array([1, -1, 1, -1, 1, -1])  # WAMIT's heading 30 goes to port, ours to starboard
                for file, value, unit in ((forces, force, [rho * g * length**(2 + (i > 2)) for i in range(6)]),
                                          (motions, motion, [length**-(i > 2) if i > 2 else 1 for i in range(6)])):
                    for i in range(6):
                        z = value[i] * mirror[i] * WAMIT_SIGN[i] / unit[i]
                        file.write(f" {2 * np.pi / w:.6E} {heading:.6E} {i + 1:5d} {abs(z):.6E} {np.degrees(np.angle(z)):.6E} {z.real:.6E} {z.imag:.6E}\n")
    with open(path(name + ".hst"), "w") as file:
        for i in range(6):
            for j in range(6):
                value = supply["restoring"][i, j] * axes[i, j] / (rho * g * length**(2 + (i > 2) + (j > 2)))
                file.write(f" {i + 1:5d} {j + 1:5d} {value:.6E}\n")
    row = lambda m: "\n".join(" ".join(f"{x:.8E}" for x in line) for line in m * axes) + "\n"
    with open(path(name + ".frc"), "w") as file:
        file.write(f"title\n1 0 1 1 0 0 0 0 1\n{rho}\n0 0 1.3\n1\n{row(supply['mass'])}1\n{row(extra)}0\n0\n0\n")
    return [path(name + e) for e in (".1", ".3", ".4", ".hst", ".frc")]


irregular = [omega[20], omega[29]]
for length in (1.0, 20.0):
    files = write_wamit("ship", irregular, length)
    out, _ = hydro(*files, *([] if length == 1 else ["--length-unit", str(length)]), "--gravity", str(supply["gravity_mps2"]), "-o", path("ship.hydro"))
    named = [line for line in out.splitlines() if "left out, an irregular frequency" in line]
    check(len(named) == 2 and all(any(f"{w:.5g}" in line for line in named) for w in irregular), "irregular frequencies are named", out)
    ship = read(path("ship.hydro"))
    good = [k for k in range(1, 36) if omega[k] not in irregular]
    kernels = [memory(supply, omega[k]) for k in good]
    error = memory_error(ship, omega[good], np.array([supply["added_mass_inf"] + k.imag / w for k, w in zip(kernels, omega[good])]),
                         np.array([k.real for k in kernels]))
    check(error <= 0.02 and len(ship["w"]) <= 14, "K of the WAMIT vessel", error)
    table = [float(line.split()[2]) for line in out[out.index("motions solved"):].splitlines()[2:8]]
    check(max(table) <= 0.5, "motions solved against .4", table)
    key = min(ship["force"], key=lambda k: abs(k[0] - omega[15]) + abs(k[1] - 130))
    same = min(supply["force"], key=lambda k: abs(k[0] - omega[15]) + abs(k[1] - 130))
    check(np.allclose(ship["force"][key], supply["force"][same], rtol=1e-5, atol=100), "force of the WAMIT vessel", ship["force"][key], supply["force"][same])
    check(np.allclose(ship["added_mass_inf"], supply["added_mass_inf"], rtol=1e-5, atol=100), "A_inf of the file")


# What contradicts itself.
def altered(name, change, source=None):
    shutil.copy(source or path("ship" + name), path("bad" + name))
    lines = open(path("bad" + name), newline="").read().split("\n")
    change(lines)
    open(path("bad" + name), "w", newline="").write("\n".join(lines))
    return path("bad" + name)


def edit(line, old, new):
    def change(lines):
        check(old in lines[line], "the line to change", lines[line])
        lines[line] = lines[line].replace(old, new, 1)
    return change


files = write_wamit("ship")
plain = ["--gravity", str(supply["gravity_mps2"])]
refuse("ship.1 needs a file .hst beside it", files[0], files[1])
refuse("ship.1 needs a file .3 beside it", files[0], files[3])
refuse("needs a file .re7 (VERES), .1 (WAMIT) or RadiationCoefficients.tec (Nemoh) beside it", files[1])
refuse("files of one code expected", files[0], SUPPLY[2])
refuse("files of one code expected, got some of WAMIT, Capytaine", files[0], path("data.nc"))
refuse("a readable file expected", files[0], path("none.3"), files[3], "--length-unit", "1")
refuse("needs '--length-unit M'", files[0], files[1], files[3])
first = open(files[0]).read().split("\n")[40].split()[3]
for text, expected in (("NaN", "got 'NaN'"), ("*" * 12, "the number did not fit its field"), ("1,5", "got '1,5'")):
    refuse("bad.1:41:", altered(".1", edit(40, first, text)), *files[1:], *plain)
    out = refuse(expected, path("bad.1"), *files[1:], *plain)
hydro(altered(".1", lambda lines: lines.__setitem__(0, lines[0].rsplit(" ", 1)[0] + " 1.0-101")), *files[1:], *plain)
hydro(altered(".1", lambda lines: lines.__setitem__(slice(None), [line + "\r" for line in lines[:-1]] + [""])), *files[1:], *plain)
refuse("damping expected, got 'end'", altered(".1", lambda lines: lines.insert(-1, "end of data")), *files[1:], *plain)
out, _ = hydro(altered(".3", lambda lines: lines.pop()), files[0], *files[2:], *plain)
check("bad.3: the last line has no end; it is taken to be whole" in out, "without the last end of a line", out)
refuse("was it cut?", altered(".3", lambda lines: lines.__setitem__(slice(-2, None), [lines[-2][:-1]])), files[0], *files[2:], *plain)
refuse("the 35 periods of .1 expected, got 34", altered(".3", lambda lines: lines.__delitem__(slice(-115, -1))), files[0], *files[2:], *plain)
refuse("the degrees of freedom of the first block expected", altered(".3", lambda lines: lines.__delitem__(slice(-13, -1))), files[0], *files[2:], *plain)
refuse("the 19 headings of the wave forces expected",
       altered(".4", lambda lines: lines.__setitem__(slice(None), [line for line in lines if " 9.000000E+01 " not in line[:29]])), files[0], files[1], *files[3:], *plain)
out, _ = hydro(altered(".3", lambda lines: lines.__setitem__(slice(None), [x for x in lines if not x or float(x.split()[1]) % 60 == 0])), files[0], *files[3:], *plain)
check("warning: a gap of 60 degrees between headings" in out, "a wide gap of headings", out)
refuse("the amplitude of real and imaginary part", altered(".3", lambda lines: lines.__setitem__(5, lines[5].replace("E", "1E", 1)) or
       lines.__setitem__(6, " ".join(lines[6].split()[:3] + ["9.9E+9"] + lines[6].split()[4:]))), files[0], *files[2:], *plain)
out = refuse("the motions contradict the forces", files[0], files[1], altered(".4", lambda lines: lines.__setitem__(
    slice(None), [" ".join(p[:5] + [str(-float(x)) for x in p[5:]]) if p and p[2] == "3" else line for line in lines for p in [line.split()]])), *files[3:], *plain)
check("heave" in out, "the table of motions shows which", out)
hydro(files[0], files[1], path("bad.4"), *files[3:], *plain, "--accept", "motions")
refuse("added mass is not symmetric", altered(".1", lambda lines: lines.__setitem__(
    slice(None), [" ".join(p[:3] + [str(3 * float(p[3]))] + p[4:]) if p[1:3] == ["2", "4"] else line for line in lines for p in [line.split()]])), *files[1:], *plain)
at = sorted(omega[1:])[20]  # one frequency, while the limit of A is not symmetric either, at another element and by less
refuse(f"added mass is not symmetric: row 4, column 2 at {at:.5g} rad/s", altered(".1", lambda lines: lines.__setitem__(
    slice(None), [" ".join(p[:3] + [str(f * float(p[3]))] + p[4:]) if f != 1 else line for line in lines for p in [line.split()]
                  for f in [1 if not p else 3 if p[1:3] == ["2", "4"] and abs(2 * np.pi / at - float(p[0])) < 1e-5 else 1.01 if p[:3] == ["-1.000000E+00", "3", "5"] else 1]])), *files[1:], *plain)
refuse("damping is negative at 35 of 35 frequencies", *write_wamit("negative", sign=-1), *plain)
refuse("--accept: the name of a check expected", *files, "--accept", "all")
refuse("three numbers X,Y,Z expected", *files, "--origin", "1,2")
speed = altered(".re8", edit(10, "0.0000000E+00", "0.5000000E+01"), SUPPLY[3])
refuse("bad.re8:11: the speed 0 expected", SUPPLY[2], speed)
refuse("36 frequencies as in .re7", SUPPLY[2], altered(".re8", edit(9, "36", "35"), SUPPLY[3]))
refuse("the end of the file after the last frequency", SUPPLY[2], altered(".re8", lambda lines: lines.insert(-1, "more"), SUPPLY[3]))
check(run("hydro", "export", files[0])[0] == 2, "another action")


# A case with a hydro file: regular waves on a weakly held vessel against the linear answer.
def case(name, text):
    with open(path(name), "w") as file:
        file.write(text)
    return path(name)


VESSEL_FILE = os.path.join(os.path.abspath(SOURCE), "configs/vessels/supply-83m.yaml")
shipped = read(os.path.join(SOURCE, "configs/vessels/supply-83m.hydro"))
linear = np.diag([float(x) for x in re.search(r"linear: \[(.*)\]", open(VESSEL_FILE).read()).group(1).split(",")])
HOLD, HOLD_YAW = 2e4, 1e7


def regular(w, heading):
    """Amplitudes per metre in the simulator, by least squares over ten periods, and the linear answer. The wave travels to heading."""
    amplitude, period = 0.05, 2 * np.pi / w
    settle = 60 * np.ceil(500 / 60)
    text = f"""
extends: {VESSEL_FILE}
name: regular
simulation: {{step_s: 0.02, duration_s: {settle + 10 * period + 1}, mode: fast}}
environment: {{waves: {{spectrum: regular, significant_height_m: {2 * amplitude}, peak_period_s: {period}, direction_deg: {(heading + 180) % 360}, ramp_s: 60}}}}
controller: {{kind: continuous, pid: {{kp: [{HOLD}, {HOLD}, 0, 0, 0, {HOLD_YAW}], kd: [0, 0, 0, 0, 0, 0], ki: [0, 0, 0, 0, 0, 0],
  setpoint: {{position_m: [0, 0, 0], attitude_deg: [0, 0, 0]}}, start_s: 0}}}}
vessel: {{damping: {{linear: [5e5, 5e5, 0, {linear[3, 3]}, 0, 5e8], quadratic: [0, 0, 0, 0, 0, 0]}}}}
"""
    damp = np.diag([5e5, 5e5, 0, linear[3, 3], 0, 5e8])
    status, out, err = run("run", case("regular.yaml", text), "--record", path("regular.csv"), "--record-every", "0.1", "--summary", path("regular.json"))
    check(status == 0, "a run in regular waves", out, err)
    check(load("regular.json")["energy"]["closure_rel"] < 1e-12, "the ledger closes")
    rows = [r for r in csv.DictReader(line for line in open(path("regular.csv")) if not line.startswith("#")) if settle <= float(r["time_s"]) <= settle + 10 * period]
    t = np.array([float(r["time_s"]) for r in rows])
    columns = np.array([[float(r[k]) for k in ("north_m", "east_m", "down_m", "roll_rad", "pitch_rad", "heading_rad", "wave_elevation_m")] for r in rows])
    basis = np.column_stack([np.cos(w * t), -np.sin(w * t), np.ones_like(t), t])
    fit = np.linalg.lstsq(basis, columns, rcond=None)[0]
    z = fit[0] + 1j * fit[1]
    k = memory(shipped, w)
    keys = sorted(shipped["force"], key=lambda key: abs(key[0] - w) * 1000 + abs(key[1] - heading))
    hold = np.diag([HOLD, HOLD, 0, 0, 0, HOLD_YAW])
    answer = np.linalg.solve(shipped["restoring"] + hold - w * w * (shipped["mass"] + shipped["added_mass_inf"]) + 1j * w * (k + damp), shipped["force"][keys[0]])
    return z[:6] / z[6], answer


def largest_motion(i):
    return max(abs(v[i]) for v in shipped["motion"].values())


for w, heading in ((near(0.7854), 130), (near(1.0472), 180), (near(0.5236), 60)):
    found, answer = regular(w, heading)
    for i in range(6):
        check(abs(found[i] - answer[i]) <= 0.015 * largest_motion(i), f"{DOF[i]} in regular waves of {w:.4f} rad/s, {heading} degrees", found[i], answer[i])

# The shipped case, its log without the files, and files that do not fit.
WAVES = os.path.join(SOURCE, "configs/supply-83m-waves.yaml")
status, out, err = run("run", WAVES, "--duration", "5", "--log", path("waves.mcap"))
check(status == 0, "the shipped case", out, err)
status, out, err = run("replay", path("waves.mcap"), "--verify")
check(status == 0, "its replay, from the record", out, err)
status, out, err = run("check", WAVES, "--set", "vessel.mass_kg=3e6")
check(status == 2 and "vessel.hydro_file: data of a vessel of vessel.mass_kg" in err, "data of another vessel", err)
text = open(os.path.join(SOURCE, "configs/vessels/supply-83m.hydro")).read()
damaged = case("damaged.hydro", text.replace("depth_m 0", "depth_m 9"))
status, out, err = run("check", WAVES, "--set", f"vessel.hydro_file={damaged}")
check(status == 2 and "damaged.hydro: 'checksum' of its content expected" in err, "a damaged hydro file", err)
status, out, err = run("check", WAVES, "--set", f"vessel.hydro_file={path('none.hydro')}")
check(status == 2 and "a readable file expected" in err, "a hydro file that is missing", err)
