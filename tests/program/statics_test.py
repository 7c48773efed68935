"""sagbend statics: JSON, overrides, the shape; the numbers against the independent reference."""
import csv
import math

from harness import *

KEYS = ["hangoff_angle_deg", "layback_m", "hangoff_tension_n", "max_moment_nm", "max_curvature_1pm", "hangoff_north_m", "iterations",
        "residual_n"]


def statics(*args):
    status, out, err = run("statics", JLAY, "--json", *args)
    check(status == 0, f"statics {args}: status {status}", err)
    found = json.loads(out)
    for key in KEYS:
        check(isinstance(found.get(key), (int, float)), f"statics {args}: {key} is {found.get(key)}")
    return found


# H (N), elements, hang-off angle (deg), lay-back (m), tension in the middle of the top element (N): an independent solution of this case, a
# planar finite-strain beam with one-point quadrature on equal elements, solved by Newton in double precision.
REFERENCE = [
    (200000, 100, 80.97368, 467.8745, 1301127.1),
    (200000, 740, 80.97311, 467.2333, 1309008.6),
    (400000, 100, 74.30059, 680.6407, 1501288.1),
    (400000, 740, 74.30044, 678.0297, 1509025.8),
    (800000, 100, 64.86829, 998.6557, 1901760.2),
    (800000, 740, 64.86806, 996.4911, 1909024.4),
]
for force, elements, angle_deg, layback_m, tension_n in REFERENCE:
    found = statics("--elements", str(elements), "--horizontal-force-n", str(force), "--set", "pipe.lower_end.height_m=ground",
                    "--set", "pipe.buoyancy=submerged")  # the reference has no surface
    check(found["elements"] == elements, "--elements is not heeded", found)
    check(abs(found["horizontal_force_n"] - force) < 1, "--horizontal-force-n is not heeded", found)
    check(abs(found["hangoff_angle_deg"] - angle_deg) < (0.005 if elements == 740 else 0.02), "hang-off angle", found)
    check(abs(found["layback_m"] - layback_m) < 0.2, "lay-back", found)
    half_n = 1234.106 * 0.5 * 1500 / elements * math.sin(math.radians(angle_deg))  # half of the weight of the top element
    check(abs(found["hangoff_tension_n"] - tension_n - half_n) < 1e-5 * tension_n, "tension", found)
    check(found["residual_n"] < 1, "unbalanced force", found)

coarse = statics()
check(coarse["elements"] == 100, "elements of the file", coarse)
near, far = statics("--horizontal-force-n", "200e3"), statics("--horizontal-force-n", "800e3")
check(near["hangoff_angle_deg"] > coarse["hangoff_angle_deg"] > far["hangoff_angle_deg"], "angles do not follow H")
check(near["layback_m"] < coarse["layback_m"] < far["layback_m"], "lay-backs do not follow H")
check(abs(far["horizontal_force_n"] - 800e3) < 1, "the horizontal force asked for", far)
same = statics("--set", "statics.horizontal_force_n=800e3")
check(same == far, "--set and the option differ", same, far)

# stability, friction and the current at time 0
check(coarse["stable"] is True and coarse["softest_1ps2"] > 0 and coarse["compression_n"] == 0, "stability", coarse)
check(coarse["with_friction"] is False and coarse["with_current"] is False and coarse["unstable_left"] == 0, "taken into account", coarse)
across = statics("--set", "environment.current.start_s=0", "--set", "environment.seabed_friction_lateral=0.6")
check(across["with_current"] is True and across["with_friction"] is True and across["stable"] is True, "in a current", across)
check(abs(across["initial_holding_force_b"][1]) > 5e4 and across["slipping_m"] >= 0, "the vessel's share of the drag", across)
still = statics("--set", "environment.current.start_s=0", "--set", "statics.current=none")
check(still["with_current"] is False and still["initial_holding_force_b"] == coarse["initial_holding_force_b"], "in still water", still)
RISING = ["--set", "environment.current=null", "--set", "pipe.length_m=2300", "--set", "pipe.elements=150",
          "--set", "environment.seabed_slope={angle_deg: 15, direction_deg: 180}"]
status, out, err = run("statics", JLAY, *RISING)
check(status == 1 and "unstable" in err and "sideways at S = " in err and "compression" in err, "an unstable equilibrium", status, err)
status, out, err = run("statics", JLAY, *RISING, "--set", "statics.unstable=leave")
check(status == 0 and "warning" in err and "stable, beside an unstable equilibrium" in out, "left", status, out, err)
held = statics(*RISING, "--set", "environment.seabed_friction_axial=0.5", "--set", "environment.seabed_friction_lateral=0.7")
check(held["stable"] and held["compression_n"] == 0 and abs(held["bottom_tension_n"] * math.cos(math.radians(15)) - 400e3) < 100,
      "friction holds the laid pipe", held)

status, out, err = run("statics", JLAY)
check(status == 0 and "hangoff_angle_deg" in out, "no table", out, err)
status, out, err = run("statics", JLAY, "--shape", path("shape.csv"))
with open(path("shape.csv")) as file:
    nodes = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
check(status == 0 and len(nodes) == 101, f"{len(nodes)} nodes in the shape", err)
check(nodes[0]["s_m"] == 0 and abs(nodes[-1]["s_m"] - 1500) < 1e-6, "arc length", nodes[0], nodes[-1])
# the tension at the top is that of the catenary, H + w h; on the seabed it is H; the wall tension follows from the water pressure
check(abs(nodes[-1]["effective_tension_n"] - coarse["max_tension_n"]) < 1e-6 * coarse["max_tension_n"], "tension at the top", nodes[-1], coarse)
check(abs(nodes[10]["effective_tension_n"] / 400e3 - 1) < 1e-3, "tension on the seabed", nodes[10])
outside_n = 1025 * 9.80665 * nodes[10]["down_m"] * math.pi / 4 * 0.762 ** 2
check(abs(nodes[10]["effective_tension_n"] - outside_n - nodes[10]["wall_tension_n"]) < 1, "wall tension", nodes[10])
check(abs(nodes[-1]["north_m"] - coarse["hangoff_north_m"]) < 1e-3 and nodes[0]["down_m"] > 850, "ends", nodes[0], nodes[-1])

# --find: the force and set-point for a wanted value, and back
for quantity, wanted in (("layback_m", 700), ("max_curvature_1pm", 2e-3), ("hangoff_angle_deg", 70), ("touchdown_m", 250),
                         ("hangoff_tension_n", 1.7e6), ("bottom_tension_n", 3e5), ("touchdown_tension_n", 5e5)):
    status, out, err = run("statics", JLAY, "--json", "--find", f"{quantity}={wanted}")
    check(status == 0, f"--find {quantity}: {err}")
    found = json.loads(out)
    if quantity == "touchdown_m":
        seen = found["hangoff_north_m"] - found["layback_m"]
    else:
        seen = found[quantity]
    check(abs(seen / wanted - 1) < 1e-6, f"--find {quantity}={wanted}: got {seen}")
    status, out, err = run("statics", JLAY, "--json", "--horizontal-force-n", repr(found["horizontal_force_n"]))
    check(abs(json.loads(out)["hangoff_north_m"] - found["hangoff_north_m"]) < 1e-3, f"--find {quantity}: the force gives another set-point")
status, out, err = run("statics", JLAY, "--json", "--find", "touchdown_point_m=180,-240")
found = json.loads(out)
check(status == 0 and abs(found["touchdown_north_m"] - 180) < 1e-3 and abs(found["touchdown_east_m"] + 240) < 1e-3, "touchdown point", found, err)
check(abs(found["lay_azimuth_deg"] + 53.13010235) < 1e-6, "lay azimuth", found)
for wrong in "touchdown_point_m=180", "touchdown_point_m=180,", "touchdown_point_m=,2", "touchdown_point_m=1,2,3", "touchdown_point_m=0,0":
    status, out, err = run("statics", JLAY, "--find", wrong)
    check(status == 2 and "touchdown_point_m=X,Y" in err, f"--find {wrong}: {status} {err}")
status, out, err = run("statics", JLAY, "--find", "layback_m=7000")
check(status == 1 and "is possible from" in err, f"--find out of range: {status} {err}")
status, out, err = run("statics", JLAY, "--find", "layback=7")
check(status == 2 and "quantity=number expected" in err and "layback_m" in err, f"--find unknown: {status} {err}")

# A vessel that is soft in roll and pitch, with a current that moves the pipe against lateral friction: the iteration went in circles.
SOFT = ["controller={kind: none, dp_file: null}", "loads=[]", "vessel.mass_kg=3e7", "vessel.inertia.moments_kgm2=[2.2e10, 2.4e10, 2.9e10]", "pipe.elements=120", "environment.current.start_s=0"]
for speed, direction, depth, friction, gm, area, hangoff, statics, top in (
        (1.5, 304.4, 600, 0.5, (2, 4), 300, [2.2, 0, 10.9], "{horizontal_force_n: 400e3, weight_compensation: pipe}", "pinned"),
        (1.25, 297.5, 600, 0.5, (4, 8), 300, [57.6, 0, -13.8], "{horizontal_force_n: 100e3}", "pinned"),
        (1.25, 110.8, 600, 0.8, (4, 4), 1100, [-34.2, 0, 13.3], "{horizontal_force_n: 400e3}", "clamped, angle_deg: auto"),
        (1.5, 154.5, 600, 1.2, (0.5, 0.5), 300, [24.1, 0.4, 10.1], "{horizontal_force_n: 100e3}", "pinned"),
        (1.5, 83.1, 300, 0.6, (2, 4), 1100, [-33.7, 0, 17.1], "{horizontal_force_n: 400e3}", "pinned")):
    sets = SOFT + [f"environment.current.surface_mps={speed}", f"environment.current.direction_deg={direction}", f"environment.depth_m={depth}", f"environment.seabed_friction_lateral={friction}",
                   f"vessel.hydrostatics.gm_transverse_m={gm[0]}", f"vessel.hydrostatics.gm_longitudinal_m={gm[1]}", f"vessel.hydrostatics.waterplane_area_m2={area}", f"vessel.hangoff_b_m={hangoff}",
                   f"statics={statics}", f"pipe.hangoff={{kind: {top}}}", f"pipe.length_m={2.5 * depth}"]
    status, out, err = run("statics", JLAY, *[word for s in sets for word in ("--set", s)])
    check(status == 0, f"a soft vessel in {speed} m/s to {direction} deg", err)

# A top that moves faster than the pipe sinks: the snap that the step does not resolve is named here as by `check`.
MOVED = os.path.join(SOURCE, "configs/jlay-circle.yaml")
for radius, named in [(4, True), (1, False)]:
    status, out, err = run("statics", MOVED, "--set", f"pipe.hangoff.motion={{radius_m: {radius}, period_s: 8}}", "--set", "simulation.step_s=0.05")
    check(status == 0 and ("notice: jlay-circle: snap loads: the top moves" in err) == named, f"a snap at {radius} m", status, err)
