"""sagbend hydro import of OrcaFlex's text data files: the supply vessel, which is given by VERES, written as a vessel type by the published
description, with two sets of conventions and several origins: the import gives the same data. Bad input."""
import random

from hydro_supply import *

AXES = np.array([1, -1, -1])  # our axes in OrcaFlex's vessel axes


def moved(matrix, point):
    """A matrix, given about the origin of the axes, about a point (ours)."""
    x = np.eye(6)
    x[3:, :3] = np.cross(-np.array(point), np.eye(3)).T
    return x @ matrix @ x.T


def orcaflex_rows(values, wave, waves, phase_of):
    pair = lambda z: f"{abs(z):.9g}, {phase_of(z):.9g}"
    return [f"                - [{waves(omega[k]):.9g}, {', '.join(pair(z) for z in values[k] * wave(omega[k]))}]" for k in range(1, 36)]


def write_orcaflex(name, other, reference=(0, 0, 0), origin=(0, 0, 0), phase_origin=None):
    """other: not the conventions of OrcaFlex itself; points are ours."""
    sign = np.array([-1, 1, 1, -1, 1, 1]) if other else OTHER
    theirs = lambda matrix, point: moved(matrix, point) * np.outer(sign, sign) / 1000
    waves = (lambda w: w / (2 * np.pi)) if other else (lambda w: 2 * np.pi / w)
    phase_of = (lambda z: 1.5 * np.pi + np.angle(z)) if other else (lambda z: -np.degrees(np.angle(z)))  # leads an up-crossing; lags a crest
    point = lambda p: str([float(x) for x in np.array(p) * AXES])
    table = lambda matrix, indent: [f"{indent}- [{', '.join(f'{x:.9g}' for x in row)}]" for row in matrix]
    columns = "RAOPeriodOrFrequency, " + ", ".join(f"RAO{n}Amp, RAO{n}Phase" for n in ("Surge", "Sway", "Heave", "Roll", "Pitch", "Yaw"))
    words = (["aft", "starboard", "down", "up", "up", "starboard"] if other else ["forward", "port", "up", "down", "down", "port"])
    lines = ["\ufeff%YAML 1.1", "# Type: Model", "---", "General:", "  UnitsSystem: SI", "Environment:", "  Density: 1.025", "  WaterDepth: 100", "VesselTypes:",
             "  - Name: Unused", "    Draughts:", "      - Name: Draught1", "        FrequencyDependentAddedMassAndDamping: []", "  - Name: Supply",
             f"    RAOResponseUnits: {'radians' if other else 'degrees'}", "    RAOWaveUnit: amplitude", f"    WavesReferredToBy: {'frequency (Hz)' if other else 'period (s)'}",
             f"    RAOPhaseConvention: {'leads' if other else 'lags'}", f"    RAOPhaseUnitsConvention: {'radians' if other else 'degrees'}",
             f"    RAOPhaseRelativeToConvention: {'zero up-crossing' if other else 'crest'}",
             *[f"    {n}: {w}" for n, w in zip(("SurgePositive", "SwayPositive", "HeavePositive", "RollPositiveStarboard", "PitchPositiveBow", "YawPositiveBow"), words)],
             f"    Symmetry: {'None' if other else 'xz plane'}", "    Draughts:", "      - Name: Draught1", f"        Mass: {mass[0, 0] / 1000:.9g}",
             "        MomentOfInertiaTensorX, MomentOfInertiaTensorY, MomentOfInertiaTensorZ:"]
    centre = np.array([mass[1, 5] / mass[0, 0], 0.0, mass[0, 4] / mass[0, 0]])
    lines += table((moved(mass, centre)[3:, 3:] * np.outer(AXES, AXES)) / 1000, "          ") + [f"        CentreOfMass: {point(centre)}"]
    headings = range(0, 360, 30) if other else range(0, 181, 30)  # theirs, anticlockwise
    for key in ("LoadRAOs", "DisplacementRAOs"):
        lines += [f"        {key}:", f"          RAOOrigin: {point(origin)}", f"          PhaseOrigin: {point(phase_origin) if phase_origin else '[~, ~, ~]'}", "          RAOs:"]
        wave_point = np.array(phase_origin or origin)
        for heading in headings:
            ours = (360 - heading) % 360
            at_origin = force[ours] if ours <= 180 else force[360 - ours] * MIRROR
            if key == "DisplacementRAOs":
                at_origin = np.array([np.linalg.solve(restoring - w * w * (mass + added[k]) + 1j * w * damping[k], at_origin[k]) for k, w in enumerate(omega)])
            value = at_origin.copy()
            if key == "LoadRAOs":  # about the RAO origin
                value[:, 3:] -= np.cross(origin, at_origin[:, :3])
            else:
                value[:, :3] += np.cross(at_origin[:, 3:], origin)
            value = value * sign * (1 / 1000 if key == "LoadRAOs" else 1)
            if key == "DisplacementRAOs" and not other:
                value[:, 3:] *= 180 / np.pi
            along = wave_point[0] * np.cos(np.radians(ours)) + wave_point[1] * np.sin(np.radians(ours))
            lines += [f"            - RAODirection: {heading}", f"              {columns}:"]
            lines += orcaflex_rows(value, lambda w: np.exp(1j * w * w / G * along), waves, phase_of)
    lines += ["        WaveDrift:", "          RAOOrigin: [0, 0, 0]", "          RAOs:"]
    for heading in headings:
        lines += [f"            - RAODirection: {heading}", "              RAOPeriodOrFrequency, RAOSurgeAmp, RAOSwayAmp, RAOHeaveAmp, RAORollAmp, RAOPitchAmp, RAOYawAmp:"]
        drift = np.array([5e3 * np.cos(np.radians(heading)), -4e3 * np.sin(np.radians(heading)), 0, 0, 0, -1e5 * np.sin(np.radians(2 * heading))])  # ours
        lines += [f"                - [{waves(w):.9g}, {', '.join(f'{x:.9g}' for x in drift * sign / 1000)}]" for w in (0.5, 1.0)]
    lines += [f"        ReferenceOrigin: {point(reference)}", "        ReferenceOriginDatumPosition: [0, 0, 0]", f"        DisplacedVolume: {mass[0, 0] / RHO:.9g}",
              "        HydrostaticStiffnessz, HydrostaticStiffnessRx, HydrostaticStiffnessRy:", *table(theirs(restoring, reference)[2:5, 2:5], "          "),
              "        FrequencyDependentAddedMassAndDamping:"]
    for k in list(range(1, 36))[::1 if other else -1]:
        lines += [f"          - AMDPeriodOrFrequency: {waves(omega[k]):.9g}",
                  "            AddedMassMatrixX, AddedMassMatrixY, AddedMassMatrixZ, AddedMassMatrixRx, AddedMassMatrixRy, AddedMassMatrixRz:",
                  *table(theirs(added[k], reference), "              "), "            DampingX, DampingY, DampingZ, DampingRx, DampingRy, DampingRz:",
                  *table(theirs(damping[k], reference), "              ")]
    return write(name, lines)


# What is there is what comes back.
for case in (dict(other=True), dict(other=False, reference=(4, 0, 1), origin=(-2, 0, -3)), dict(other=True, reference=(1, 0, -2), origin=(3, 0, 2), phase_origin=(10, -4, 0))):
    out, _ = hydro(write_orcaflex("ship.yml", **case), *PLAIN, "-o", path("orcaflex.hydro"))
    compare("orcaflex.hydro", [0.0, 60.0, 180.0] + ([240.0, 330.0] if case["other"] else []))
    errors = [float(row.split()[2]) for row in out[out.index("motions solved"):].splitlines()[2:8]]
    check(max(errors) < 0.01, "OrcaFlex: motions solved against displacement RAOs", out)
    drift = {(round(row[0], 4), round(row[1])): row[2:] for row in read(path("orcaflex.hydro"))["drift"]}
    for heading in (0, 30, 90):  # ours, to starboard: theirs is 360 - heading
        expected = [5e3 * np.cos(np.radians(heading)), 4e3 * np.sin(np.radians(heading)), 1e5 * np.sin(np.radians(2 * heading))]
        check(np.allclose(drift[1.0, heading], expected, atol=1), "OrcaFlex: mean drift", heading, drift[1.0, heading], expected)

# What contradicts itself, or cannot be used, is refused with the line.
whole = open(write_orcaflex("ship.yml", other=False)).read()


def refuse(expected, old, new, *args):
    assert old in whole, old
    with open(path("bad.yml"), "w") as file:
        file.write(whole.replace(old, new, 1))
    _, err = hydro(path("bad.yml"), *PLAIN, *args, "-o", path("bad.hydro"), status=2)
    check(expected in err and not os.path.exists(path("bad.hydro")), f"'{expected}' expected", err)


line_of = lambda text: whole[:whole.index(text)].count("\n") + 1
row = re.search(r" +- \[60, .*\n", whole) or re.search(r"                - \[.*\n", whole)
refuse(f"bad.yml:{line_of('  UnitsSystem')}: UnitsSystem: 'SI' expected, got 'US'", "UnitsSystem: SI", "UnitsSystem: US")
refuse("RAOPhaseConvention: 'leads' or 'lags' expected, got 'late'", "RAOPhaseConvention: lags", "RAOPhaseConvention: late")
refuse("a key AMDPeriodOrFrequency expected", "AMDPeriodOrFrequency", "Frequency")
refuse("a column RAOHeavePhase expected", "RAOHeavePhase", "RAOHeavePhases")
refuse("13 numbers expected", row[0], row[0].replace("]", ", 1]"))
refuse("a finite number expected, got '.nan'", row[0], re.sub(r", [^,]*]", ", .nan]", row[0]))
refuse("35 periods or frequencies above zero, of the added mass expected", row[0], "")
refuse("each period or frequency once expected", row[0], row[0] + row[0])
refuse("a period or frequency of the added mass expected", row[0], re.sub(r"\[[^,]*", "[61.5", row[0]))
refuse("DisplacementRAOs in the directions of LoadRAOs expected", "RAODirection: 30", "RAODirection: 31")
refuse("different headings expected, got", "RAODirection: 30", "RAODirection: 60")
refuse("a datum position without heel and trim expected", "DatumPosition: [0, 0, 0]", "DatumPosition: [0, 2, 0]")
refuse("3 rows of 3 numbers expected", "HydrostaticStiffnessRy:\n", "HydrostaticStiffnessRy:\n          - [0, 0, 0]\n")
refuse("a text data file of OrcaFlex with a key VesselTypes expected", "VesselTypes", "Vessels")
refuse("a vessel type with FrequencyDependentAddedMassAndDamping expected", "        FrequencyDependentAddedMassAndDamping:\n", "        Other:\n")
refuse("a vessel type named 'Other' once expected", "Supply", "Supply", "--vessel-type", "Other")
refuse("YAML expected", "    Draughts:", "    Draughts: [")
refuse("the motions contradict the forces", "RollPositiveStarboard: down", "RollPositiveStarboard: up")
twin = whole[whole.index("  - Name: Supply"):]
refuse("'--vessel-type NAME' expected, one of 'Supply', 'Twin'", twin, twin + twin.replace("Supply", "Twin"))
hydro(write("twins.yml", (whole + twin.replace("Supply", "Twin")).splitlines()), *PLAIN, "--vessel-type", "Twin", "--draught", "Draught1", "--tolerance", "0.3")

# Cut and flipped files: an error that names the file, or the same counts.
rng, content = random.Random(5), whole.encode()
for attempt in range(24):
    changed, at = damaged(content, rng, attempt % 2)
    with open(path("changed.yml"), "wb") as file:
        file.write(changed)
    status, out, err = run("hydro", "import", path("changed.yml"), *PLAIN, "--tolerance", "0.3")
    check(status == 0 or status == 2 and err, "cut or flipped", at, status, err)
    check(status == 2 or "35 frequencies" in out and "7 headings" in out, "the counts stay", at, out)
