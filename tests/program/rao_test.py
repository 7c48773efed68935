"""sagbend rao: the supply vessel in regular waves against the linear answer, which this test also computes by itself; the same without the
memory must fail; an irregular sea against the spectral answer; points one by one and collected; bad input."""
import csv

from harness import *
import numpy as np

WAVES = os.path.join(SOURCE, "configs/supply-83m-waves.yaml")
VESSEL_FILE = os.path.join(SOURCE, "configs/vessels/supply-83m.yaml")
HYDRO = os.path.join(os.path.abspath(SOURCE), "configs/vessels/supply-83m.hydro")
MOTIONS = ["surge", "sway", "heave", "roll", "pitch", "yaw"]
COLUMNS = ["north_m", "east_m", "down_m", "roll_rad", "pitch_rad", "heading_rad"]


def rao(*args, status=0):
    done = run("rao", *args)
    check(done[0] == status, f"rao {args}: status {done[0]}, not {status}", *done[1:])
    return done[1], done[2]


def results(folder):
    """The motions by (frequency, heading, motion): complex numbers simulated, linear, file."""
    polar = lambda row, name: float(row[name]) * np.exp(1j * np.radians(float(row[name + "_phase_deg"])))
    with open(os.path.join(path(folder), "rao.csv")) as file:
        return {(float(r["frequency_radps"]), float(r["heading_deg"]), r["motion"]): [polar(r, k) for k in ("simulated", "linear", "file")]
                for r in csv.DictReader(file)}


def read_hydro():
    lines, out, at = [line.split() for line in open(HYDRO) if not line.startswith("#")], {}, 1
    while lines[at][0] != "checksum":
        key, numbers = lines[at][0], [int(float(x)) for x in lines[at][1:]]
        count = {"mass": 6, "restoring": 6, "added_mass_inf": 6, "oscillators": 3 * numbers[0] if numbers else 0}.get(
            key, numbers[0] if key in ("force", "motion", "drift", "radiation") else 0)
        rows = [[float(x) for x in row] for row in lines[at + 1:at + 1 + count]]
        if key == "oscillators":
            n = numbers[0]
            out["w2"], out["R"], out["G"] = np.array(rows[:n])[:, 0]**2, np.array(rows[n:2 * n]), np.array(rows[2 * n:])
        else:
            out[key] = np.array(rows)
        at += 1 + count
    return out


data = read_hydro()
text = open(VESSEL_FILE).read()
linear_damping = np.diag([float(x) for x in re.search(r"linear: \[(.*)\]", text).group(1).split(",")])


def answer(w, heading, stiffness, damping):
    """The linear answer; the wave force at a heading of the file by interpolation between its frequencies."""
    s, n, table = 1j * w, len(data["w2"]), data["radiation"]
    if table[0, 0] <= w <= table[-1, 0]:  # the code's own A and B, linear between its frequencies
        lower = np.tril_indices(6)
        added, damped = np.zeros((6, 6)), np.zeros((6, 6))
        for matrix, first in ((added, 1), (damped, 22)):
            matrix[lower] = [np.interp(w, table[:, 0], table[:, first + i]) for i in range(21)]
            matrix += np.tril(matrix, -1).T
        k = damped + s * (added - data["added_mass_inf"])
    else:
        k = s * data["G"].T @ np.linalg.solve(s * s * np.eye(n) + s * data["R"] + np.diag(data["w2"]), data["G"])
    rows = data["force"][abs(data["force"][:, 1] - heading) < 1e-6]
    if w > rows[-1, 0]:
        return np.zeros(6, complex)
    force = np.array([np.interp(w, rows[:, 0], rows[:, 2 + 2 * i]) + 1j * np.interp(w, rows[:, 0], rows[:, 3 + 2 * i]) for i in range(6)])
    matrix = data["restoring"] + np.diag(stiffness) - w * w * (data["mass"] + data["added_mass_inf"]) + s * (k + linear_damping + np.diag(damping))
    return np.linalg.solve(matrix, force)


# 25 points in steps of 20 ms within 1.5 % of the peaks; the linear answer of the program is that of this test.
out, _ = rao(WAVES, "--set", "simulation.step_s=0.02", "--frequencies", "0.4:1.6:0.3", "--headings", "0:180:45", "--tolerance", "0.015",
             "--out", path("regular"), "--jobs", "2")
check("25 of 25 points" in out and all(m in out for m in MOTIONS), "the table", out)
found, summary = results("regular"), load("regular/rao.json")
check(len(found) == 150 and summary["points"] == 25 and summary["missing"] == 0, "all points", len(found), summary["points"])
peaks = {m: max(abs(row[2 + 2 * i] + 1j * row[3 + 2 * i]) for row in data["motion"]) for i, m in enumerate(MOTIONS)}
for (w, heading, motion), (simulated, linear, _) in found.items():
    check(abs(simulated - linear) <= 0.015 * peaks[motion], "within 1.5 % of the peak", w, heading, motion, simulated, linear)
    if heading in (0, 90, 180):
        other = answer(w, heading, summary["hold_stiffness"], summary["hold_damping"])[MOTIONS.index(motion)]
        check(abs(linear - other) <= 1e-5 * peaks[motion], "the linear answer", w, heading, motion, linear, other)
for name in ("rao.csv", "rao.json", "rao.gp", "points/000001/record.csv"):
    check(os.path.getsize(os.path.join(path("regular"), name)) > 0, name)

# The same vessel without the memory of its hydro file differs.
lines = [line for line in open(HYDRO).read().splitlines(keepends=True) if not line.startswith("#")]
start = next(i for i, line in enumerate(lines) if line.startswith("oscillators "))
count = int(lines[start].split()[1])
body = "".join(lines[:start] + ["oscillators 0\n"] + lines[start + 1 + 3 * count:-1])
checksum = 0xcbf29ce484222325
for byte in body.encode():
    checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
with open(path("without.hydro"), "w") as file:
    file.write(f"{body}checksum {checksum:016x}\n")
rao(WAVES, "--set", f"vessel.hydro_file={path('without.hydro')}", "--frequencies", "0.7:1:0.3", "--headings", "90", "--out", path("without"))
without = results("without")
worst = max(abs(simulated - found[key][1]) / peaks[key[2]] for key, (simulated, _, _) in without.items())
check(worst > 0.1, "without the memory the motions differ", worst)


# An irregular sea: standard deviations against the surface at the reference point times the linear answer.
def irregular(period, heading):
    hold, hold_rate = [2e4, 2e4, 0, 0, 0, 1e7], [1e5, 1e5, 0, 0, 0, 1e8]
    diagonal = lambda v: "[" + ",".join(map(str, v)) + "]"
    settings = ["environment.waves={significant_height_m: 0.2, peak_period_s: %g, direction_deg: %g, ramp_s: 60}" % (period, (heading + 180) % 360),
                "vessel.waves={length_m: 1, beam_m: 1, draft_m: 1, slow_drift: false}",
                f"controller.pid={{kp: {diagonal(hold)}, kd: {diagonal(hold_rate)}, ki: [0,0,0,0,0,0], "
                "setpoint: {position_m: [0,0,0], attitude_deg: [0,0,0]}, start_s: 0}"]
    status, out, err = run("run", WAVES, *[x for s in settings for x in ("--set", s)], "--duration", "1638.4", "--record", path("sea.csv"),
                           "--record-every", "0.4")
    check(status == 0, "a run in an irregular sea", out, err)
    with open(path("sea.csv")) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))[:4096]
    wave = np.array([float(r["wave_elevation_m"]) for r in rows])
    motion = np.array([[float(r[c]) for c in COLUMNS] for r in rows])
    omega = 2 * np.pi * np.fft.rfftfreq(len(rows), 0.4)
    transfer = np.array([np.zeros(6) if w < 0.2 else answer(w, heading, hold, hold_rate) for w in omega])
    # A motion is Re(value e^(i omega t)): irfft takes the spectrum as it is.
    expected = np.fft.irfft(np.fft.rfft(wave)[:, None] * transfer, axis=0)
    inner = slice(1000, 3800) # after ramp and transients, and before the end that the transform joins to the start
    # Slow motion in the horizontal plane, below the waves, is not of the linear answer: only what the waves' frequencies have.
    window = np.hanning(inner.stop - inner.start)[:, None]
    high = (2 * np.pi * np.fft.rfftfreq(len(window), 0.4) > 0.2)[:, None]
    deviation = lambda x: np.sqrt((abs(np.fft.rfft((x[inner] - x[inner].mean(axis=0)) * window, axis=0) * high)**2).sum(axis=0))
    return deviation(motion) / deviation(expected), deviation(motion)


for period, heading in ((5, 130), (8, 60), (12, 110)):
    ratio, _ = irregular(period, heading)
    for i, motion in enumerate(MOTIONS):
        check(abs(ratio[i] - 1) <= 0.02, f"{motion} in an irregular sea of {period} s, {heading} degrees", ratio)

# At roll resonance in beam waves the first-order forces have a mean side force well below the drift, which is 0.067 MN/m2 here.
settings = ["environment.waves={spectrum: regular, significant_height_m: 0.1, peak_period_s: 10.472, direction_deg: 270, ramp_s: 60}",
            "vessel.waves={length_m: 1, beam_m: 1, draft_m: 1, slow_drift: false}",
            "controller.pid={kp: [8e4, 8e4, 0, 0, 0, 1e8], kd: [1e6, 1e6, 0, 0, 0, 1e9], ki: [0,0,0,0,0,0], "
            "setpoint: {position_m: [0,0,0], attitude_deg: [0,0,0]}, start_s: 0}"]
status, out, err = run("run", WAVES, *[x for s in settings for x in ("--set", s)], "--duration", "809.44", "--record", path("beam.csv"),
                       "--record-every", "0.2")
check(status == 0, "a run in beam waves", out, err)
with open(path("beam.csv")) as file:
    east = [float(r["east_m"]) for r in csv.DictReader(line for line in file if not line.startswith("#")) if float(r["time_s"]) > 600]
check(abs(8e4 * np.mean(east) / 0.05**2) < 1e4, "mean side force, N/m2", 8e4 * np.mean(east) / 0.05**2)

# Points one by one, collected, are the same bits; a folder belongs to its points.
GRID = [WAVES, "--frequencies", "0.7:1:0.3", "--headings", "90"]
out, _ = rao(*GRID, "--list")
check(out.splitlines() == ["point,frequency_radps,heading_deg", "1,0.7,90", "2,1,90"], "the list of points", out)
rao(*GRID, "--point", "2", "--out", path("single"))
_, err = rao(*GRID, "--collect", path("single"), status=1)
check("1 of 2 points have no result" in err, "a point is missing", err)
rao(*GRID, "--point", "1", "--out", path("single"))
out, _ = rao(*GRID, "--collect", path("single"), "--json")
check(json.loads(out) == load("single/rao.json"), "JSON on standard output")
rao(*GRID, "--out", path("together"), "--jobs", "2")
same = lambda name: open(os.path.join(path("single"), name)).read() == open(os.path.join(path("together"), name)).read()
check(same("rao.csv") and same("rao.json"), "the same results in any order")
_, err = rao(*GRID, "--collect", path("together"), "--tolerance", "1e-6", status=1)
check("differs from the linear answer by" in err, "the tolerance", err)
record = os.path.join(path("single"), "points/000001/record.csv")
lines = open(record).readlines()
with open(record, "w") as file:
    file.writelines(lines[:-len(lines) // 20])
_, err = rao(*GRID, "--collect", path("single"), status=1)
check("record.csv: at least 50 rows from 500 to" in err and "run the point again" in err, "a record that was cut", err)
_, err = rao(*GRID, "--set", "simulation.step_s=0.01", "--out", path("together"), status=2)
check("simulation.step_s=0.01" in err, "a folder of other points", err)


# Bad input, before anything is written.
def refuse(expected, *args):
    _, err = rao(*args, "--out", path("refused"), status=2)
    check(expected in err, f"'{expected}' expected", err)
    check(not os.path.exists(path("refused")), "nothing is written")


refuse("--frequencies: FIRST:LAST:STEP or a number, in rad/s", WAVES, "--headings", "0")
for text in ("1:2", "2:1:0.1", "0:1:0.1", "1:2:0", "1:2:-1", "1:2:0.1:3", "1:2:x", "nan", "0.5:2:1e-6", "1,2"):
    refuse(f"--frequencies: FIRST:LAST:STEP or a number, in rad/s from 0.01 to 10, at most 400 values, expected, got '{text}'", WAVES,
           "--frequencies", text, "--headings", "0")
for text in ("-30:0:10", "0:390:30", "0:180:0.1", ""):
    refuse("--headings" if text else "is missing after 'headings'", WAVES, "--frequencies", "1", "--headings", text)
refuse("--frequencies: from 0.10472 to 3.14159 rad/s, the range of supply-83m.hydro", WAVES, "--frequencies", "1:4:1", "--headings", "0")
refuse("needs vessel.hydro_file", os.path.join(SOURCE, "configs/vessel-only.yaml"), "--frequencies", "1", "--headings", "0")
refuse("vessel.unknown", WAVES, "--set", "vessel.unknown=1", "--frequencies", "1", "--headings", "0")
PIPE = [os.path.join(SOURCE, "configs/osv-83m-weather.yaml")]
refuse("pipe is not allowed", *PIPE, "--frequencies", "1", "--headings", "0")
refuse("--point: a number from 1 to 2 expected, got 3", *GRID, "--point", "3")
refuse("--list, --point and --collect are not allowed with one another", *GRID, "--list", "--point", "1")
rao(*PIPE, "--set", "pipe=null", "--set", "statics=null", "--set", "instruments=[]", "--frequencies", "1", "--headings", "90", "--out", path("alone"))
