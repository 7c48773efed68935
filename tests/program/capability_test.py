"""sagbend capability: the tables of two published vessels and of the 83 m vessel at level 1, with loads, thrusts and limits; level 2 beside
the mean force of a run; failures, external forces, files; missing particulars, rudders, a vessel that does not hold itself."""
import csv
import math
import random

import level1_oracle
from harness import *

CONFIGS = os.path.join(SOURCE, "configs")
E, M = (os.path.join(CONFIGS, "capability/example-%s.yaml" % v) for v in "em")
OSV, WEATHER = (os.path.join(CONFIGS, name) for name in ("osv-83m.yaml", "osv-83m-weather.yaml"))


def capability(case, *options):
    status, out, err = run("capability", case, "--json", *options)
    check(status == 0, "capability of " + case, err)
    return json.loads(out)


def case(result, name):
    return next(c["directions"] for c in result["cases"] if c["name"] == name)


def numbers(result, name="intact"):
    return [p["number"] for p in case(result, name)]


def near(found, wanted, tolerance, what):
    for f, w in zip(found, wanted, strict=True):
        check(abs(f - w) <= tolerance, what, found, wanted)


def row(text):
    return [float(v) for v in text.split()]


def loads_of(result, number, direction):
    """kN and kN m in the axes of the standard: to port, counter-clockwise."""
    found = next(l for l in result["loads"] if l["number"] == number and l["direction_deg"] == direction)
    return [[s * v / 1e3 for s, v in zip((1, -1, -1), found[kind])] for kind in ("wind_b", "current_b", "waves_b")]


def test_example_e():
    e = capability(E, "--failures", "groups")
    check(e["published"] == [8, 6, 5, 3], "published form of vessel E", e["published"])
    half = row("11 11 9 8 7 7 6 6 6 6 6 7 7 8 8 9 10 11 11")
    check(numbers(e) == half + half[-2:0:-1], "numbers of vessel E, both sides", numbers(e))
    intact = case(e, "intact")[:19]
    near([p["utilisation"] for p in intact], row(".628 .892 .885 .904 .839 .962 .750 .779 .782 .759 .714 .924 .815 .937 .760 .813 "
                                                 ".723 .747 .650"), 6e-4, "utilisation of vessel E")
    # At 120 degrees 1.105: a programme of SciPy on the same sets gives it as well.
    near([p["utilisation_next"] for p in intact[2:17]],
         row("1.150 1.242 1.119 1.285 1.045 1.091 1.099 1.071 1.011 1.250 1.105 1.320 1.070 1.064 1.048"), 6e-4, "next of vessel E")
    check(numbers(e, "group port")[:19] == row("10 8 6 5 4 4 3 3 3 4 4 4 5 5 6 7 8 8 10"), "port group", numbers(e, "group port"))
    check(numbers(e, "group starboard")[:19] == row("10 9 6 5 5 4 4 4 4 4 4 4 5 5 6 7 8 10 10"), "starboard group")
    near([t["nominal_thrust_n"] / 1e3 for t in e["thrusters"]], row("377.518 377.518 135.768 126.886"), 1e-3, "nominal thrust")
    for direction, wanted in ((30, "-19.82 36.77 1029.64 -1.89 42.42 784.75 -21.81 63.99 82.76"),
                              (90, "0 73.55 882.55 0 84.84 -127.26 -4.43 127.98 -348.10")):
        near(sum(loads_of(e, 6, direction), []), row(wanted), 6e-3, "loads of vessel E")
    check(all(p["utilisation_gap"] < 1e-9 for c in e["cases"] for p in c["directions"]), "proven gaps")
    # The wind is between those of the number and the next; beyond the table it is that of the last number.
    wind = [0] + [w["wind_mps"] for w in e["weather"]]
    for p in intact:
        n = p["number"]
        check(p["beyond_table"] == (n == 11), "beyond the table", p)
        check(p["limit_wind_mps"] == wind[11] if n == 11 else wind[n] <= p["limit_wind_mps"] <= wind[n + 1], "limit", p)


def test_example_m():
    m = capability(M)
    half = row("9 9 8 7 7 6 6 6 6 6 6 6 6 6 6 7 8 8 9")
    check(numbers(m) == half + half[-2:0:-1], "numbers of vessel M", numbers(m))
    intact = case(m, "intact")[:19]
    near([p["utilisation"] for p in intact], row(".778 .789 .760 .787 .971 .773 .841 .880 .898 .873 .844 .773 .695 .693 .679 .864 "
                                                 ".932 .714 .948"), 6e-4, "utilisation of vessel M")
    near([p["utilisation_next"] for p in intact[12:15]], row("1.010 1.017 1.011"), 6e-4, "the tight headings of vessel M")
    near([t["nominal_thrust_n"] / 1e3 for t in m["thrusters"]], row("264.93 264.93 232.16 232.16"), 6e-3, "nominal thrust")
    near(sum(loads_of(m, 6, 30), []), row("-43.2 92.9 2395.3 -2.7 57.8 1489.6 -36.5 111.4 307.3"), 6e-2, "loads of vessel M")


def test_osv():
    o = capability(OSV)
    check(o["published"] == [8, 7, 6, 5] and len(o["cases"]) == 7, "published form of the 83 m vessel", o["published"])
    check(numbers(o)[:19] == row("11 10 9 8 8 8 7 7 7 7 7 8 8 8 9 9 10 11 11"), "numbers of the 83 m vessel", numbers(o))
    check(numbers(o, "bus port") == row("10 8 7 6 6 5 5 5 5 5 5 6 6 6 7 8 9 9 9 9 8 7 7 6 6 6 5 5 5 5 5 6 6 6 7 9"), "port bus lost")


def random_vessel(r):
    """A hull, and 4 to 8 thrusters: azimuths at the stern, skegs, perhaps one forward, tunnels."""
    length = r.uniform(60, 140)
    beam = length * r.uniform(.18, .26)
    skegs = r.choice([[], [(-.43 * length, 0)], [(-.43 * length, .2 * beam), (-.43 * length, -.2 * beam)]])
    hull = {"Lpp": length, "B": beam, "T": beam * r.uniform(.25, .35), "Los": length * r.uniform(.98, 1.1), "x_Los": r.uniform(-3, 3),
            "beta": r.uniform(.3, .8), "AWL": length * beam / 2 * r.uniform(.8, 1.2), "AF": r.uniform(20, 40) * beam,
            "AL": r.uniform(8, 14) * length, "x_air": r.uniform(-5, 15), "Acur": length * beam * r.uniform(.25, .3),
            "x_cur": r.uniform(-3, 3), "skegs": skegs}
    nozzle, count = r.random() < .5, r.choice([2, 3, 4])
    units = [{"kind": "azimuth", "x": -.5 * length + (18 if i > 1 and count == 4 else 0), "nozzle": nozzle, "z": r.uniform(1.2, 2.5),
              "y": (-.28 * beam, .28 * beam, .01 * beam, -.25 * beam)[i], "D": r.uniform(2.2, 3.6), "P": r.uniform(1200, 3500)}
             for i in range(count)]
    if r.random() < .5:
        units.append({"kind": "azimuth", "x": .3 * length, "y": 0, "z": -.5, "D": 2, "P": 1000, "nozzle": True})
    units += [{"kind": "tunnel", "x": .36 * length + 3.5 * i, "y": 0, "z": 2.5, "D": r.uniform(1.7, 2.6), "P": r.uniform(700, 1800),
               "nozzle": False, "inlet": r.choice(["rounded", "broken", "other"])} for i in range(r.choice([2, 3]))]
    return hull, units


def write_vessel(hull, units):
    thrusters = [{"name": "t%d" % i, "kind": t["kind"], "position_b_m": [t["x"], -t["y"], hull["T"] - t["z"]], "thrust_max_n": 1e5,
                  "revolutions_max_rpm": 200, "diameter_m": t["D"], "brake_power_w": t["P"] * 1e3,
                  **({"inlet": t["inlet"]} if t["kind"] == "tunnel" else {"nozzle": t["nozzle"]})} for i, t in enumerate(units)]
    with open(path("random.yaml"), "w") as file:
        json.dump({"extends": os.path.abspath(E), "name": "random", "vessel": {
            "hull": {"length_m": hull["Lpp"], "beam_m": hull["B"], "draft_m": hull["T"]}, "failures": None, "thrusters": thrusters,
            "wind": {"frontal_area_m2": hull["AF"], "lateral_area_m2": hull["AL"]},
            "capability": {"underwater_length_m": hull["Los"], "underwater_centre_m": hull["x_Los"],
                           "bow_angle_deg": math.degrees(hull["beta"]), "waterplane_aft_m2": hull["AWL"],
                           "wind_centre_m": hull["x_air"], "current_area_m2": hull["Acur"], "current_centre_m": hull["x_cur"],
                           "skegs_m": [[x, -y] for x, y in hull["skegs"]]}}}, file)


def test_random_vessels():
    """Beside a second program by the text of the standard, with integer programmes in place of the ray cast."""
    r = random.Random(111)
    for _ in range(3):
        hull, units = random_vessel(r)
        write_vessel(hull, units)
        result = capability(path("random.yaml"), "--failures", "thrusters", "--step", "30")
        for i, c in enumerate(result["cases"]):
            p = r.choice(c["directions"])
            for number, u in ((p["number"], p["utilisation"]), (p["number"] + 1, p["utilisation_next"])):
                if u:
                    other = level1_oracle.utilisation(hull, units, {i - 1} - {-1}, number, math.radians(p["direction_deg"]))
                    check(abs(u / other - 1) < 1e-4, "a random vessel, " + c["name"], p, number, u, other, hull, units)


def test_two_azimuths_with_skegs():
    """Two azimuth thrusters far apart, each closed to the other and behind two skegs: most branches of the search hold next to nothing,
    and still end. A third one that is nearly out of the water gives nothing, and takes no sense from the others."""
    thruster = ("{name: t%d, kind: azimuth, position_b_m: [%g, %g, %g], thrust_max_n: 1e5, revolutions_max_rpm: 200, diameter_m: %g, "
                "power_max_w: %g}")
    dry = thruster % (2, 5, 3, -0.9, 2, 1e6)
    for wet in ([(17.1, -7, 1.6, 1.6, 1.1e6), (-30, -3, 7.2, 3.8, 6e6)], [(0, -4.3, 4.2, 1.9, 1.5e6), (0, 4.3, 3, 2.8, 3.1e6)]):
        both = [thruster % (i, *t) for i, t in enumerate(wet)]
        keys = ("--set", "vessel.failures=null", "--set", "vessel.capability.skegs_m=[[-41, 0], [2.7, 0]]", "--set")
        found = capability(E, *keys, "vessel.thrusters=[%s]" % ", ".join(both))
        check(all(p["utilisation_gap"] < 1e-9 for c in found["cases"] for p in c["directions"]), "proven gaps")
        beside = capability(E, *keys, "vessel.thrusters=[%s]" % ", ".join(both + [dry]), "--failures", "none")
        for p in case(beside, "intact"):
            check(p["thruster_share"][2] >= 0 and p["utilisation_gap"] < 1e-9, "a thruster out of the water", p)


def test_level2():
    intact = capability(WEATHER, "--level", "2")
    pulled = capability(WEATHER, "--level", "2", "--external", "pipe", "--failures", "none", "--step", "30")
    # Values of a prototype of its own, with linear programmes; loads in yaw differ by the added mass of slow motion.
    near([p["limit_wind_mps"] for p in case(intact, "intact")[3:16:3]], (29.3, 20.4, 18.9, 23.1, 32.6), 0.4, "level 2 intact")
    near([p["limit_wind_mps"] for p in case(intact, "bus port")[3:16:3]], (17.4, 11.3, 10.7, 14.3, 28.1), 0.7, "port bus lost")
    near([p["limit_wind_mps"] for p in case(pulled, "intact")[1:6]], (29.1, 20.3, 19.0, 23.3, 32.6), 0.4, "with the pipe")
    for p in case(intact, "intact") + case(intact, "bus port"):
        check(p["bus_power_w"][0] <= 5.0001e6 and p["bus_power_w"][1] <= 4.0001e6, "power of the buses", p)
    lost = case(intact, "bus port")
    check(all(p["bus_power_w"][0] == 0 and p["thruster_share"][0] == p["thruster_share"][2] == 0 for p in lost), "a lost bus", lost[0])


def test_given_current():
    """Where it is that of the table and comes with the weather a given current changes nothing; where the weather turns, the current stays."""
    words = ("--level", "2", "--external", "pipe", "--failures", "none", "--step", "30")
    table = capability(WEATHER, *words)
    def turned(found, direction, kind, number=7):
        return next(l for l in found["loads"] if l["number"] == number and l["direction_deg"] == direction)[kind]
    for direction in (60, 240):
        given = capability(WEATHER, *words, "--current", "0.75,%d" % direction)
        check(given["current"] == {"speed_mps": 0.75, "from_deg": direction}, "the current in the JSON", given["current"])
        same, other = (next(p for p in case(r, "intact") if p["direction_deg"] == direction) for r in (given, table))
        check(other["number"] >= 3 and abs(same["limit_wind_mps"] - other["limit_wind_mps"]) < 1e-6, "the limit with the current of the table", same, other)
        for kind in ("current_b", "external_b"):
            force = turned(table, direction, kind)
            size = math.hypot(*force[:2])
            for d in range(0, 360, 30):
                near(turned(given, d, kind)[:2], force[:2], 1e-9 * size, "%s does not turn" % kind)
        check(turned(given, 0, "wind_b") == turned(table, 0, "wind_b"), "the wind turns")
        check(any(abs(p["limit_wind_mps"] - q["limit_wind_mps"]) > 0.1 for p, q in zip(case(given, "intact"), case(table, "intact"))), "it changes other limits")
    still = capability(WEATHER, *words, "--current", "0,0")
    check(all(max(map(abs, l["current_b"])) == 0 for l in still["loads"]), "still water", still["loads"][:1])
    refused("--current needs --level 2", OSV, "--current", "1,2")
    for text in ("1", "1,", ",1", "-1,0", "11,0", "1,400", "1,2,3", "nan,0", "1,nan"):
        refused("--current: SPEED,DIRECTION expected", WEATHER, "--level", "2", "--current", text)
    refused("a value is missing after 'current'", WEATHER, "--level", "2", "--current", "")
    refused("a file name is missing after 'svg'", WEATHER, "--svg", "")


# A calm controller: a soft PID on the vessel without thrusters, in steady wind and current and the drift of the waves.
RUN = """
extends: %s
name: calm
simulation: {step_s: 0.05, duration_s: 900, mode: fast}
environment:
  current: {surface_mps: %g, direction_deg: %g, start_s: 0, ramp_s: 0}
  wind: {speed_mps: %g, direction_deg: %g, gusts: none, ramp_s: 0}
  waves: {significant_height_m: %g, peak_period_s: %g, direction_deg: %g, spreading: 0, ramp_s: 0, components: 200}
vessel: {thrusters: null, power: null, waves: {first_order: false}}
statics: {current: none}
controller:
  kind: continuous
  dp_file: null
  pid:
    kp: [5e4, 5e4, 0, 0, 0, 5e7]
    kd: [1e6, 1e6, 0, 0, 0, 8e8]
    ki: [500, 500, 0, 0, 0, 4e5]
    setpoint: {position_m: [%r, %r, 0], attitude_rad: [0, 0, 0]}
    start_s: 0
initial_holding_force: [0, 0, 0, 0, 0, 0]
"""


def test_mean_of_a_run(pipe):
    direction, number = 60, 4
    without = [] if pipe else ["--set", "pipe=null", "--set", "statics=null"]
    found = capability(WEATHER, "--level", "2", "--failures", "none", "--step", "60", "--dynamic-factor", "1",
                       "--external", "pipe" if pipe else "none")
    w = found["weather"][number - 1]
    loads = next(l for l in found["loads"] if l["number"] == number and l["direction_deg"] == direction)
    at = [0.0, 0.0]
    if pipe:
        status, out, err = run("statics", WEATHER, "--json", "--set", "statics.current=none")
        check(status == 0, "statics", err)
        rest = json.loads(out)
        at = [rest["north_m"], rest["east_m"]]
    with open(path("calm.yaml"), "w") as file:
        file.write(RUN % (os.path.abspath(WEATHER), w["current_mps"], direction + 180, w["wind_mps"], direction, w["significant_height_m"],
                          w["peak_period_s"], direction, *at))
    status, out, err = run("run", path("calm.yaml"), "--record", path("calm.csv"), *without)
    check(status == 0, "the run", err)
    with open(path("calm.csv")) as file:
        rows = [r for r in csv.DictReader(file) if float(r["time_s"]) > 500]
    mean = [sum(float(r[q]) for r in rows) / len(rows) for q in ("control_surge_n", "control_sway_n", "control_yaw_nm")]
    wanted = [-sum(loads[k][i] for k in ("wind_b", "current_b", "waves_b", "external_b")) for i in range(3)]
    print("pipe" if pipe else "vessel alone", [round(v / 1e3, 1) for v in mean], [round(v / 1e3, 1) for v in wanted])
    size = math.hypot(*wanted[:2])
    for i, share in ((0, 0.03 * size), (1, 0.03 * size), (2, 0.03 * size * 20)):
        check(abs(mean[i] - wanted[i]) <= share, "mean force of the run, component %d" % i, mean, wanted)


def test_files():
    status, out, err = run("capability", OSV, "--csv", path("c.csv"), "--svg", path("c.svg"), "--failures", "buses")
    check(status == 0 and "capability-L1(8, 7, 6, 5)" in out and "worst single failure: bus port" in out, "the table", out, err)
    with open(path("c.csv")) as file:
        rows = list(csv.DictReader(file))
    check(len(rows) == 3 * 36 and rows[0]["case"] == "intact" and rows[9]["direction_deg"] == "90", "the CSV file", rows[0])
    import xml.etree.ElementTree as tree
    picture = tree.parse(path("c.svg")).getroot()
    curves = [p for p in picture.iter("{http://www.w3.org/2000/svg}polygon")]
    check(len(curves) == 4, "three cases and the shaded minimum", len(curves))
    text = " ".join("".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text"))
    check("beyond the table" in text and "bus starboard" in text, "the legend", text)
    check("rings: wind speed, m/s; angle: where the wind comes from, degrees off the bow" in text and all(f"{v} m/s" in text for v in range(5, 40, 5)),
          "the quantities and units of both axes", text)
    drawn = [e.get("class") or e.tag.split("}")[1] for e in picture.iter()]
    check(drawn.index("ring") > len(drawn) - 1 - drawn[::-1].index("polygon"), "no curve crosses the number of a ring", drawn)
    thick = next(p for p in curves if p.get("stroke-width") == "4").get("points").split()
    x, y = map(float, thick[9].split(","))  # 90 degrees: to the right, at the height of the centre
    wind = float(rows[9]["limit_wind_mps"])
    check(abs(y - 400) < 0.01 and abs(x - 400 - 320 * wind / 35) < 0.02, "the place of 90 degrees", x, y, wind)


def test_external():
    pulled, pushed = (capability(OSV, "--failures", "none", "--external", f) for f in ("0,3e5,0", "0,-3e5,0"))
    free = capability(OSV, "--failures", "none")
    u = [case(r, "intact")[9]["limit_wind_mps"] for r in (pushed, free, pulled)]  # wind from starboard pushes to port
    check(u[0] < u[1] < u[2], "a force to starboard helps against weather from starboard", u)


def test_worst_case_failure():
    intent = "vessel.capability.worst_case_failure="
    status, out, err = run("capability", os.path.join(CONFIGS, "capability/osv-83m.yaml"), "--step", "30", "--level", "2")
    check(status == 0 and "declared worst-case failure: bus port, bus starboard; no single failure is worse" in out, "met", out[:400], err)
    status, out, err = run("capability", OSV, "--step", "10", "--json", "--set", intent + "[starboard, thruster bow_tunnel_1]")
    check(status == 1 and err.count("\n") == 1 and "a single failure is worse than the declared" in err, "not met", status, err)
    found = json.loads(out)
    said, cases = found["worst_case_failure"], {c["name"]: c["directions"] for c in found["cases"]}
    check(said["declared"] == ["thruster bow_tunnel_1", "bus starboard"] and said["compared"] and not said["met"], "JSON", said)
    declared = [min(a["limit_wind_mps"], b["limit_wind_mps"]) for a, b in zip(cases["thruster bow_tunnel_1"], cases["bus starboard"])]
    worse = {(name, d * 10) for name, c in cases.items() for d, p in enumerate(c) if p["limit_wind_mps"] < declared[d] - 0.01} 
    check({(w["case"], w["direction_deg"]) for w in said["worse"]} == worse and ("bus port", 10) in worse, "cases and directions", said)
    text = run("capability", OSV, "--set", intent + "bus starboard")[1]
    check("a single failure is worse" in text and "worse than declared: bus port, from 0" in text and "instead of" in text, "the lines", text[:600])
    text = run("capability", OSV, "--set", intent + "port", "--failures", "thrusters")[1]
    check("not compared" in text, "an intent that the list leaves out", text[:300])
    text = run("capability", OSV, "--set", intent + "port", "--failures", "buses")[1]
    check("; a single failure is worse" in text or "; no failure of the list is worse" in text, "part of the failures", text[:300])
    refused("worst_case_failure.1: the name of a thruster", OSV, "--set", intent + "[port, nobody]")
    refused("worst_case_failure.1 is listed twice", OSV, "--set", intent + "[port, bus port]")
    refused("worst_case_failure is the name of several", OSV, "--set", intent + "port", "--set",
            "vessel.failures=[{name: port, thrusters: [bow_tunnel_1]}]")


def test_generators():
    power = os.path.join(CONFIGS, "osv-83m-power.yaml")
    group = "vessel.failures=[{name: engine room, generators: [set-1, set-2, set-3, set-4]}, {name: pair, generators: [set-1, set-3]}]"
    found = capability(power, "--level", "2", "--step", "90", "--failures", "generators,groups,buses", "--set", group)
    islands = {c["name"]: [(i["buses"], i["thrusters_w"]) for i in c["islands"]] for c in found["cases"]}
    both = ["port", "starboard"]
    hotel = 0.8e6  # of both buses; power management loads the sets to 0.98 of their rating
    for name, rating in (("intact", 9.8e6), ("generator set-1", 7.1e6), ("generator set-4", 7.6e6), ("group pair", 4.9e6)):
        (buses, power_w), = islands[name]
        check(buses == both and abs(power_w - (0.98 * rating - hotel)) < 1, "power of the island, " + name, islands[name])
    check(islands["bus port"] == [(["port"], 0), (["starboard"], 0.98 * 4.4e6 - 0.4e6)], "a lost bus opens the tie", islands["bus port"])
    check(all(p["limit_wind_mps"] < 0.01 for p in case(found, "group engine room")), "nothing without sets")
    check(islands["group engine room"] == [(both, 0)], "no power", islands["group engine room"])
    # The tie open: a pair of sets on one bus is the bus; level 1 has no power, but thrusters of a dark bus stop there, too.
    pair = ["--set", "vessel.power.ties.0.closed=false", "--set", "vessel.failures=[{name: pair, generators: [set-1, set-2]}]"]
    for level in ("1", "2"):
        found = capability(power, "--level", level, "--step", "30", "--failures", "buses,groups", *pair)
        check(case(found, "group pair") == case(found, "bus port"), "all sets of a bus, level " + level)
    found = capability(power, "--level", "1", "--step", "90", *pair)
    check(not any(c["name"].startswith("generator") for c in found["cases"]), "single sets have no effect at level 1")
    # A standby set counts if power management starts it.
    for start, rating in (("0.85", 9.8e6), ("0", 7.6e6)):
        found = capability(power, "--level", "2", "--step", "90", "--failures", "none", "--set", "vessel.power.generators.3.running=false",
                           "--set", "vessel.power.management.load_start=" + start)
        check(abs(found["cases"][0]["islands"][0]["thrusters_w"] - (0.98 * rating - hotel)) < 1, "a standby set", start)
    refused("vessel.failures.0.generators.0: the name of one of vessel.power.generators", power, "--set",
            "vessel.failures=[{name: a, generators: [set-9]}]")


def refused(expected, *args):
    status, out, err = run("capability", *args)
    check(status == 2 and expected in err and err.count("\n") == 1, "refused: " + expected, status, err)


def test_refusals():
    for key, what in (("vessel.capability.underwater_length_m", "Los"), ("vessel.capability.bow_angle_deg", "beta"),
                      ("vessel.capability.waterplane_aft_m2", "AWL,aft"), ("vessel.capability.wind_centre_m", "x_air"),
                      ("vessel.capability.current_area_m2", "A_L,current"), ("vessel.capability.current_centre_m", "x_L,current")):
        status, out, err = run("capability", OSV, "--set", key + "=null")
        check(status == 2 and key in err and what in err, "a missing particular: " + key, err)
    refused("vessel.thrusters.0.inlet", OSV, "--set", "vessel.thrusters.0.inlet=null")
    refused("vessel.thrusters.2.diameter_m", OSV, "--set", "vessel.thrusters.2.diameter_m=null")
    refused("--failures", OSV, "--failures", "rudders")
    refused("--external", OSV, "--external", "1,2")
    refused("--external pipe needs a case with a pipe", E, "--external", "pipe")
    refused("--level", OSV, "--level", "3")
    refused("--step", OSV, "--step", "7")
    refused("at least one thruster expected", VESSEL)
    refused("vessel.thrusters.1.position_b_m (azimuth_starboard): a place of its own expected at level 1, got that of azimuth_port", E,
            "--set", "vessel.thrusters.1.position_b_m=[-40, -5.5, 4.2]")
    refused("level 2 needs vessel.waves", E, "--level", "2")
    refused("level 2 needs vessel.wind", E, "--level", "2", "--set", "vessel.wind=null")
    refused("vessel.capability.skegs_m.0", E, "--set", "vessel.capability.skegs_m=[1]")
    refused("vessel.failures.0.thrusters.0", E, "--set", "vessel.failures=[{name: a, thrusters: [nobody]}]")
    refused("rudder is not allowed at level 1", E, "--set", "vessel.thrusters.0={name: a, kind: main, position_b_m: [-40, -5, 4], "
            "thrust_max_n: 3e5, revolutions_max_rpm: 200, diameter_m: 3, power_max_w: 2e6, rudder: {lift: 1, angle_max_deg: 35}}",
            "--set", "vessel.failures=null")
    status, out, err = run("capability", E, "--failures", "none", "--external", "1e9,0,0")
    check(status == 0 and "intact: the vessel cannot hold itself even in calm weather" in out, "a pull beyond all thrust", out, err)


test_example_e()
test_example_m()
test_osv()
test_random_vessels()
test_two_azimuths_with_skegs()
test_files()
test_external()
test_worst_case_failure()
test_generators()
test_refusals()
test_level2()
test_given_current()
test_mean_of_a_run(pipe=False)
test_mean_of_a_run(pipe=True)
