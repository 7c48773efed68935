"""A joint-by-joint lay along a route: sagbend-dp in its process gives the bits of the controller inside, a controller that is
killed goes on from where the vessel is, the log replays with its verdicts on the route, and routes that cannot be laid are
refused at their place."""
from harness import *

LAY = os.path.join(SOURCE, "configs/osv-83m-lay.yaml")
LAY_DP = os.path.join(SOURCE, "configs/osv-83m-lay-dp.yaml")
SHORT = ["--duration", "300"]


def route(out):
    found = load(out)["vessel"]
    return found["route_distance_m"], found["route_cross_m"], load(out)["vessel"]["payout_minus_distance_m"]


# In lockstep as inside.
status, out, err = run("run", LAY, "--mode", "fast", *SHORT, "--set", "controller.kind=sampled", "--hashes", path("fast.hashes"),
                       "--summary", path("fast.json"))
check(status == 0, "fast run", status, out, err)
simulator = Simulator(LAY, *SHORT, "--lockstep-timeout", "0", "--hashes", path("lay.hashes"), "--summary", path("lay.json"), "--log", path("lay.mcap"))
dp = controller(simulator, config=LAY_DP)
check(simulator.end(120) == 0, "lockstep", simulator.stderr())
check(dp.end() == 0, "controller", dp.stderr())
check(hashes("lay.hashes") == hashes("fast.hashes"), "sagbend-dp gives other bits than the controller inside")
for words in ("joint 1, at 12.20 m of the route: holds after the joint", "joint 2, at 24.40 m", "moves along the route, from 24.40 m",
              "route: 36.60 m of 1159", "2 joints, largest cross-track error"):
    check(words in dp.stderr(), words, dp.stderr())
way, cross, over = route("lay.json")
check(25 < way < 37 and abs(cross) < 2 and abs(over) < 15, "on the route", way, cross, over)
results = {v["name"]: v["result"] for v in load("lay.json")["verdicts"]}
# Offsets count from the route, not from where the lay began; the summary has the way-points.
lay = load("lay.json")
check(lay["vessel"]["offset_m"] < 5 and lay["vessel"]["drift_m"] >= 0 and len(lay["route"]["waypoints"]) == 3 and lay["route"]["length_m"] > 1000 and
      "setpoint_m" not in lay["vessel"], "the route in the summary", lay["vessel"], lay["route"])
check(set(results.values()) == {"passed"} and "hang-off on the route" in results, "verdicts", results)
check_replay("lay.mcap")

# A controller that is killed while it holds: the next one goes on from where the vessel is.
simulator = Simulator(LAY, *SHORT, "--lockstep-timeout", "0", "--summary", path("again.json"))
first = controller(simulator, config=LAY_DP)
first.wait_for("joint 1, ")
first.kill()
second = controller(simulator, config=LAY_DP)
found = second.wait_for(r"goes to the route, from (\S+) m")
check(6 < float(found.group(1)) < 36, "where it begins", found.group(0))
check(simulator.end(120) == 0, "lockstep", simulator.stderr())
check(second.end() == 0, "second controller", second.stderr())
way, cross, over = route("again.json")
check(6 < way < 37 and abs(cross) < 3, "on the route again", way, cross)

# What is refused, and where: in the DP file, by what the simulator's configuration knows.
with open(LAY_DP) as file:
    lines = file.read().split("\n")


def place(word):
    row = next(i for i, line in enumerate(lines) if word in line)
    return f"osv-83m-lay-dp.yaml:{row + 1}:{lines[row].index(word) + len(word) + 2}: error: route."


for setting, at, words in [
        ("environment.seabed_friction_lateral=0.2", "radius_m:", "waypoints.1.radius_m: at least 1907.1 m expected, got 800"),
        ("environment.seabed_friction_lateral=0", "radius_m:", "waypoints.1.radius_m needs environment.seabed_friction_lateral"),
        ("statics.horizontal_force_n=300e3", "radius_m:", "waypoints.1.radius_m: at least 1732.4 m expected, got 800"),
        ("pipe.tensioner.accept=operator", "tension_n:", "tension_n: an order that the vessel accepts expected, got 205000 N"),
        ("instruments.17.name=other", "payout:", "payout needs an instrument of the kind payout that the vessel and the DP file"),
        ("pipe.tensioner.speed_max_mps=0.3", "speed_mps:", "speed_mps: at most 0.3 m/s, pipe.tensioner.speed_max_mps of the vessel")]:
    for command in ("check", "run"):
        status, out, err = run(command, LAY, "--set", setting)
        check(status == 2 and place(at)[:-1] in err and words in err and err.count(": error: ") == 1, f"{command} {setting}", status, err)
status, out, err = run("check", os.path.join(SOURCE, "configs/vessel-only.yaml"), "--set",
                       "verdicts=[{name: a, quantity: route_cross_m, below: 1}]")
check(status == 2 and "needs a route in controller.dp_file" in err, "verdict without a route", err)
