"""`sagbend check` names what is valid and hardly meant, with the place of the key: units, axes and signs, a DP file of another vessel. One table of
mistakes; no shipped configuration has a finding, and `meant` silences one."""
import glob

from harness import *

OSV, JLAY, HYDRO = (os.path.join(SOURCE, "configs", name) for name in ("osv-83m-instruments.yaml", "jlay-900m.yaml", "supply-83m-waves.yaml"))

# What is set in the case (several with &), and the key that is named.
CASE = [
    (OSV, "vessel.hull.draft_m=500", "error: vessel.hull.draft_m", "aground"),
    (OSV, "vessel.waves.draft_m=301", "error: vessel.waves.draft_m", "aground"),
    (OSV, "environment.depth_m=4", "error: vessel.hull.draft_m", "aground"),
    (OSV, "vessel.mass_kg=4976.8875", "vessel.mass_kg", ""),
    (OSV, "vessel.hull.length_m=83000", "vessel.mass_kg", ""),
    (OSV, "vessel.hydrostatics.waterplane_area_m2=1195200", "vessel.hydrostatics.waterplane_area_m2", ""),
    (OSV, "vessel.hydrostatics.gm_transverse_m=240", "vessel.hydrostatics.gm_transverse_m", ""),
    (HYDRO, "vessel.hydrostatics.gm_transverse_m=9", "vessel.hydrostatics.gm_transverse_m", "of vessel.hydro_file"),
    (HYDRO, "vessel.hydrostatics.gm_longitudinal_m=1", "vessel.hydrostatics.gm_longitudinal_m", "of vessel.hydro_file"),
    (JLAY, "vessel.inertia.moments_kgm2=[2.87e11, 2.7e12, 2.9e12]", "vessel.inertia", "radius of gyration"),
    (OSV, "vessel.thrusters.0.position_b_m=[37, 0, -3]", "vessel.thrusters.0.position_b_m", "above it"),
    (OSV, "vessel.thrusters.0.position_b_m=[37000, 0, 3000]", "vessel.thrusters.0.position_b_m", "midships"),
    (OSV, "vessel.thrusters.0.position_b_m=[0, 37, 3]", "vessel.thrusters.0.position_b_m", "centre line"),
    (OSV, "vessel.thrusters.0.thrust_max_n=230", "vessel.thrusters.0.thrust_max_n", "in kN"),
    (OSV, "vessel.thrusters.2.thrust_max_n=655e6", "vessel.thrusters.2.thrust_max_n", ""),
    (OSV, "vessel.thrusters.0.power_max_w=2.0e9", "vessel.thrusters.0.power_max_w", "W are expected"),
    (OSV, "vessel.thrusters.0.power_max_w=2.0e3", "vessel.thrusters.0.power_max_w", "W are expected"),
    (OSV, "vessel.thrusters.0.revolutions_max_rpm=2.33", "vessel.thrusters.0.revolutions_max_rpm", "per second"),
    (OSV, "vessel.power.buses.0.available_w=4.5e9", "vessel.power.buses.0.available_w", ""),
    (OSV, "vessel.power.buses.0.available_w=4.5e3", "vessel.power.buses.0.available_w", ""),
    (OSV, "statics.horizontal_force_n=3e6", "vessel.thrusters", "together they give"),
    (OSV, "instruments.0.position_b_m=[24, -4, 27]", "instruments.0.position_b_m", "above the water"),
    (OSV, "instruments.0.position_b_m=[24000, -4000, -27000]", "instruments.0.position_b_m", "midships"),
    (OSV, "instruments.0.latency_s=50", "instruments.0.latency_s", "in ms"),
    (OSV, "vessel.hangoff_b_m=[0, -44, -2]", "vessel.hangoff_b_m", "centre line"),
    (OSV, "vessel.hangoff_b_m=[-44000, 0, -2]", "vessel.hangoff_b_m", "midships"),
    (OSV, "pipe.mass_kgpm=20", "pipe.mass_kgpm", "floats"),
    (OSV, "pipe.outer_diameter_m=24", "pipe.outer_diameter_m", "inches"),
    (JLAY, "pipe.outer_diameter_m=762", "pipe.outer_diameter_m", "in mm"),
    (JLAY, "pipe.bending_stiffness_nm2=1.0364e12", "pipe.bending_stiffness_nm2", "EA D2/8"),
    (JLAY, "pipe.bending_stiffness_nm2=1.0364e4", "pipe.bending_stiffness_nm2", "EA D2/8"),
    (JLAY, "pipe.axial_stiffness_n=1.5569e7", "pipe.bending_stiffness_nm2", "EA D2/8"),
    (JLAY, "pipe.axial_stiffness_n=1.5569e13", "pipe.axial_stiffness_n", ""),
    (JLAY, "statics.horizontal_force_n=400", "statics.horizontal_force_n", "N are expected"),
    (JLAY, "pipe.mass_kgpm=593281.8", "pipe.mass_kgpm", "kg/m in air"),
    (JLAY, "pipe.length_m=1.5", "pipe.length_m", "reaches the seabed"),
    (OSV, "environment.wind={speed_mps: 8, direction_deg: 400}", "environment.wind.direction_deg", "which is 40"),
    (OSV, "environment.current.direction_deg=-380", "environment.current.direction_deg", "which is -20"),
    (OSV, "environment.wind={speed_mps: 90, direction_deg: 0}", "environment.wind.speed_mps", "knots"),
    (OSV, "environment.current.surface_mps=50", "environment.current.surface_mps", "cm/s"),
    (OSV, "environment.waves={significant_height_m: 8, peak_period_s: 4, direction_deg: 0}", "error: environment.waves.significant_height_m", "break"),
    (OSV, "environment.water_density_kgpm3=1.025", "environment.water_density_kgpm3", ""),
    (JLAY, "environment.gravity_mps2=98.1", "environment.gravity_mps2", ""),
    (JLAY, "pipe.shear_stiffness_n=9.0330e5", "pipe.shear_stiffness_n", ""),
    (JLAY, "pipe.torsion_stiffness_nm2=7.97e11", "pipe.torsion_stiffness_nm2", ""),
    (JLAY, "pipe.ramberg_osgood=perfect & pipe.yield_moment_nm=8e9", "pipe.yield_moment_nm", "strain"),
    (OSV, "vessel.thrusters.2.azimuth_rate_degps=0.2", "vessel.thrusters.2.azimuth_rate_degps", "rad/s"),
    (OSV, "vessel.wind.lateral_area_m2=850000", "vessel.wind.lateral_area_m2", ""),
    (JLAY, "initial_holding_force=[400, 0, 0, 0, 0, 0]", "initial_holding_force", "at rest"),
    (OSV, "vessel.attitude_deg=[0, 0, 90]", "pid.setpoint.attitude_deg", "apart"),
]

# What is replaced in the DP file.
DP = [
    ("name: bow_tunnel_1", "name: bow_tunnel_3", "thrusters.0.name", "'bow_tunnel_3'"),
    ("name: gnss-1,", "name: gnss-9,", "instruments.0.name", "'gnss-9'"),
    ("name: gyro-1, kind: gyro", "name: gyro-1, kind: motion", "instruments.3.kind", "gyro"),
    ("position_b_m: [24, -4, -27]", "position_b_m: [-4, 24, -27]", "instruments.0.position_b_m", "gnss-1"),
    ("position_b_m: [24, -4, -27]", "position_b_m: [24, -4, 27]", "instruments.0.position_b_m", "gnss-1"),
    ("position_m: [503.985, 0, 0]", "position_m: [603.985, 100, 0]", "pid.setpoint.position_m", "141.4 m apart"),
    ("position_m: [503.985, 0, 0]", "position_m: [0, 503.985, 0]", "pid.setpoint.position_m", "apart"),
    ("attitude_deg: [0, 0, 0]", "attitude_deg: [0, 0, 400]", "pid.setpoint.attitude_deg.2", "which is 40"),
    ("position_b_m: [37, 0, 3]", "position_b_m: [3, 37, 0]", "thrusters.0.position_b_m", "bow_tunnel_1"),
    ("thrust_max_n: 230e3", "thrust_max_n: 230", "thrusters.0.thrust_max_n", ""),
    ("power_max_w: 2.0e6", "power_max_w: 2.0e9", "thrusters.0.power_max_w", ""),
    ("bus: port", "bus: starboard", "thrusters.0.bus", "port"),
    ("wrench_limit: [1.2e6, 1.2e6,", "wrench_limit: [1.2e3, 1.2e3,", "pid.wrench_limit", "rest"),
    ("- [5.5768875e6, 0, 0]", "- [5.5768875e9, 0, 0]", "observer.mass", ""),
    ("connect: tcp", "telegrams: [{instrument: gyro-1, udp: 10999}]\nconnect: tcp", "telegrams.0.udp", "nothing is sent"),
    ("lateral_area_m2: 950", "lateral_area_m2: 9500", "wind_feedforward.lateral_area_m2", ""),
]


def checked(config, *sets):
    return run("check", config, *[word for s in sets for word in ("--set", s)], timeout=100)


def named(err, key, text, what):
    severity = "" if key.startswith("error: ") else "notice: "
    line = next((x for x in err.splitlines() if re.match(r"(\S+\.yaml|--set):\d+:\d+: ", x) and f"{severity}{key}: " in x and text in x), None)
    check(line, f"{what}: {key} is named with its place", err)


for config, setting, key, text in CASE:
    status, out, err = checked(config, *setting.split(" & "))
    named(err, key, text, setting)
    check(status == 2 if key.startswith("error") else status in (0, 2), f"{setting}: status {status}", err)

with open(os.path.join(SOURCE, "configs/osv-83m-dp.yaml")) as file:
    text = file.read()
for old, new, key, said in DP:
    with open(path("dp.yaml"), "w") as file:
        check(old in text, f"{old} is no longer in the DP file")
        file.write(text.replace(old, new, 1))
    status, out, err = checked(OSV, f"controller.dp_file={path('dp.yaml')}")
    named(err, key, said, new)
    check(re.search(rf"dp\.yaml:\d+:\d+: notice: {re.escape(key)}: ", err) and status == 0, f"{new}: its line and column", status, err)

# A DP file that others may not read is not quoted. A case from a pipe has no lines.
os.chmod(path("dp.yaml"), 0o640)
err = checked(OSV, f"controller.dp_file={path('dp.yaml')}")[2]
check("notice: wind_feedforward.lateral_area_m2: a value that agrees with the vessel expected" in err and "9500" not in err, "a private DP file", err)
done = subprocess.run(["sh", "-c", f'cat {JLAY} | timeout 60 {BUILD}/sagbend check /dev/stdin --set controller.dp_file={os.path.join(SOURCE, "configs/jlay-900m-dp.yaml")} --set pipe.outer_diameter_m=24'],
                      capture_output=True, text=True)
check("/dev/stdin: notice: pipe.outer_diameter_m: " in done.stderr and done.returncode in (0, 2), "a case from a pipe", done.returncode, done.stderr)

# In a file the place is that of the value.
with open(path("case.yaml"), "w") as file:
    file.write(f"extends: {JLAY}\npipe:\n  outer_diameter_m: 24\n")
status, out, err = checked(path("case.yaml"))
check("case.yaml:3:21: notice: pipe.outer_diameter_m: 0.005 to 3 m expected, got 24 m" in err and "case.yaml" in err, "its line and column", err)
# A run that fails by it names it, too, beside its symptom.
status, out, err = run("run", path("case.yaml"), "--mode", "fast", "--set", "controller={kind: none, dp_file: null}", "--duration", "1")
check("case.yaml:3:21: notice: pipe.outer_diameter_m" in err, "a run names it", status, err)
# A weather without a state of rest is named.
status, out, err = checked(JLAY, "environment.current.surface_mps=60", "environment.current.start_s=0", "environment.wind={speed_mps: 20, direction_deg: 30}")
check(status == 2 and "current 60 m/s to 90 deg, wind 20 m/s from 30 deg" in err, "the weather of the statics", err)

# What is meant is not said; an error is.
quiet = checked(JLAY, "pipe.outer_diameter_m=24", "pipe.element_kind=beam", "meant=pipe.outer_diameter_m statics")[2]
check("notice: pipe.outer_diameter_m" not in quiet and "notice: " not in quiet, "meant", quiet)
check("error: vessel.hull.draft_m" in checked(OSV, "vessel.hull.draft_m=500", "meant=vessel")[2], "an error is never meant")

# No shipped configuration has a finding.
for config in sorted(glob.glob(os.path.join(SOURCE, "configs/*.yaml")) + glob.glob(os.path.join(SOURCE, "configs/scenarios/*.yaml"))):
    if not config.endswith("-dp.yaml"):
        status, out, err = checked(config)
        check(status == 0 and not re.search(r":\d+:\d+: (notice|error): ", err), f"{config} has no finding", err)

# A DP file without thrusters commands a force, which the vessel refuses.
with open(path("force.yaml"), "w") as file:
    file.write(f"extends: {os.path.join(SOURCE, 'configs/osv-83m.yaml')}\ncontroller: {{dp_file: {os.path.join(SOURCE, 'configs/jlay-900m-dp.yaml')}}}\n")
says = "thrusters: the thrusters of the vessel expected"
for more, expected in (["", 1], ["network.accept_wrench=true", 0]):
    status, out, err = run("check", path("force.yaml"), *(["--set", more] if more else []))
    check(status == 0 and (says in out + err) == expected, "a controller of forces", more, out, err)

# A DP file without a gyro, without a position reference, and without both: with instruments the controller would command nothing.
for kinds, said in (("gyro", "a gyro of"), ("gnss|hydroacoustic|taut_wire|laser|radar", "a position reference of"), ("gyro|gnss|hydroacoustic|taut_wire|laser|radar", "a position reference and a gyro of")):
    with open(path("blind.yaml"), "w") as file:
        file.write(re.sub(rf"\n  - {{name: [^,]+, kind: ({kinds})[,}}].*", "", text))
    status, out, err = checked(OSV, f"controller.dp_file={path('blind.yaml')}")
    named(err, "instruments", said, f"without {kinds}")
