"""sagbend hydro import: the supply vessel, which is given by VERES, written in other formats by their published descriptions (Nemoh; WAMIT with
another body origin, headings all around, difference frequencies): the import gives the same data. Files cut and with flipped bytes."""
import random

from hydro_supply import *

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
    check("beside it" in err, "a companion is missing", err)


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
            changed, at = damaged(content, rng, attempt % 2)
            with open(name, "wb") as file:
                file.write(changed)
            status, out, err = run("hydro", "import", *group, *args)
            check(status in (0, 2) and (status == 0 or err), "cut or flipped", name, at, status, err)
            check(status == 2 or counts(out)[:2] == counts(whole)[:2], "the counts stay", name, at, out)
        with open(name, "wb") as file:
            file.write(content)
