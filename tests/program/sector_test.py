"""A forbidden zone against a thruster that has lost its bus, with the real controller: the vessel of 83 m without a pipe holds
its place with the thrusters left, and the thruster that starts again finds no thrust in the sector that protects it. With a
controller that does not know `against` the sector stays: the azimuth left crosses it to and fro, and the vessel is three times as far off."""
import math

from harness import *

CONFIGS = os.path.join(SOURCE, "configs")
NAMES = {2: "stern_azimuth_starboard", 3: "stern_azimuth_port"}  # whom each azimuth's sector protects
FULL_RPM = {2: 200, 3: 150}
EDGES = {2: (-108.6, -71.4), 3: (73.3, 106.7)}


def write(name, content):
    with open(path(name), "w") as file:
        json.dump(content, file)
    return path(name)


CASE = write("case.yaml", {
    "extends": CONFIGS + "/vessels/osv-83m.yaml", "name": "sector",
    "simulation": {"mode": "lockstep", "duration_s": 420, "step_s": 0.02},
    "environment": {"current": {"surface_mps": 0.75, "direction_deg": 270, "start_s": 20, "ramp_s": 60},
                    "wind": {"speed_mps": 3.4, "direction_deg": 90, "gusts": "norsok", "seed": 3, "ramp_s": 20},
                    "waves": {"significant_height_m": 0.4, "peak_period_s": 4.5, "direction_deg": 90, "seed": 5, "ramp_s": 20}},
    "vessel": {"current_acts": True},
    "events": [{"name": "lost", "at_s": 220, "fault": "bus_lost", "target": "port"}]})
DP = write("dp.yaml", {"extends": CONFIGS + "/osv-83m-dp.yaml", "name": "sector-dp", "instruments": None, "navigation": None,
                       "pid": {"setpoint": {"position_m": [0, 0, 0]}, "tension_feedforward": False}})


def always(prefix):
    """Settings that leave `against` out."""
    return [x for i, (low, high) in EDGES.items() for x in ("--set", f"{prefix}thrusters.{i}.forbidden=[{{from_deg: {low}, to_deg: {high}}}]")]


def offset(name, *case, dp=(), expect=0):
    simulator = Simulator(CASE, "--summary", path(name + ".json"), *case, "--set",
                          "verdicts=[{name: offset, quantity: offset_m, below: 5, from_s: 220}]")
    steered = controller(simulator, *dp, config=DP)
    status = simulator.end(5 * PATIENCE_S)
    steered.end()
    check(status == expect, f"{name}: status {status}", simulator.stderr(), steered.stderr())
    return load(name + ".json")["verdicts"][0]["worst_value"]


def thrusters(log):
    for line in run("log", "cat", log, "--topic", "/truth")[1].splitlines():
        message = json.loads(line)["message"]
        yield message["header"]["time_s"], message["thruster"]


with_it = offset("with")
check(with_it < 1, "metres off without one bus", with_it)
for name, case in (("neither of both", always("vessel.")), ("the vessel alone", [])):
    without = offset(name, *case, dp=always(""))
    check(without > 2.5 * with_it, f"a sector that stays, {name} knows against", without, with_it)
far = [x for kind, from_deg in (("wind", 270), ("waves", 270), ("current", 90)) for x in ("--set", f"environment.{kind}.direction_deg={from_deg}")]
from_port = offset("far side", *far, dp=always(""))
check(from_port < 1, "metres off, from the side where the sector does not matter", from_port)

# The bus returns at 280 s, and the thruster starts within 20 s.
log = path("again.mcap")
check(offset("again", "--log", log, "--set", "events.0.duration_s=60") < 1, "metres off while it starts again")
used = started = 0
for t, now in thrusters(log):
    for i, (low, high) in EDGES.items():
        own, other = now[i], next(x for x in now if x["name"] == NAMES[i])
        inside = low + 3 < math.degrees(own["azimuth_rad"]) < high - 3 and own["revolutions_rpm"] > 0.04 * FULL_RPM[i]
        if inside:
            check(not other["running"], f"at {t} s {own['name']} thrusts at {other['name']}", own, other)
            used += 1
    started += t > 300 and now[2]["running"]
check(used > 100, "thrust in the sector while the other thruster is stopped", used)
check(started > 100, "the thruster that it protects runs again", started, t, now)
status, out, err = run("replay", log, "--verify")
check(status == 0 and "equal" in out, "its replay", out, err)

# Names that are wrong, with their place.
for name, word in (("stern_azimuth_port", "another one"), ("nobody", "another one")):
    for program, file, prefix in ((SAGBEND, CASE, "vessel."), (SAGBEND_DP, DP, "")):
        bad = ["--set", f"{prefix}thrusters.2.forbidden=[{{from_deg: -100, to_deg: -80, against: {name}}}]"]
        status, out, err = run(*(["check"] if program == SAGBEND else []), file, *bad, program=program)
        check(status == 2 and re.search(r"against: the name of another one of \S*thrusters expected, got '" + name, err), "its error", err)
with open(os.path.join(CONFIGS, "osv-83m.yaml")) as file:
    lines = file.read().replace("against: stern_azimuth_port", "against: nobody").splitlines()
with open(path("named.yaml"), "w") as file:
    file.write("\n".join(lines) + "\n")
place = next((n, line.index("nobody")) for n, line in enumerate(lines, 1) if "nobody" in line)
status, out, err = run("check", path("named.yaml"))
check(status == 2 and "named.yaml:%d:%d: " % (place[0], place[1] + 1) in err, "line and column", place, err)
print(f"0.75 m/s and 3.4 m/s of wind from the side, port bus lost: {with_it:.2f} m")
