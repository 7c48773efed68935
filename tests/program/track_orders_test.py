"""An operator's orders for the route, with real processes: sagbend-dp comes to rest, goes on and changes its speed; a controller
that starts again keeps them; what is refused; the log replays, also with the controller inside."""
from harness import *

LAY = os.path.join(SOURCE, "configs/osv-83m-lay.yaml")
LAY_DP = os.path.join(SOURCE, "configs/osv-83m-lay-dp.yaml")


def route_of(simulator):
    return json.loads(simulator.ctl("status", "--json"))["track"]


# With sagbend-dp in its process.
simulator = Simulator(LAY, "--set", "verdicts=[]", "--duration", "86400", "--lockstep-timeout", "0", "--log", path("orders.mcap"), "--summary", path("orders.json"))
check(route_of(simulator) == {"stopped": False, "speed_mps": None, "order": 0}, "before any order", route_of(simulator))
check("goes as the DP file says" in simulator.ctl("status"), "status")
check(re.search(r"route +-?[\d.]+ m of [\d.]+ m, cross-track -?[\d.]+ m, goes", simulator.ctl("status")), "the place on the route", simulator.ctl("status"))
check(re.search(r"set-point +none", simulator.ctl("status")), "no set-point on a route", simulator.ctl("status"))
dp = controller(simulator, config=LAY_DP)
dp.wait_for("moves along the route, from")
simulator.ctl("track", "stop")
dp.wait_for("the operator's order for the route: stop")
dp.wait_for("the reference waits for the operator")
check(route_of(simulator)["stopped"] is True, "stopped", route_of(simulator))
check("stopped, by order 1" in simulator.ctl("status"), "status")

# A controller that starts again is told.
dp.kill()
dp = controller(simulator, config=LAY_DP)
dp.wait_for("the operator's order for the route: stop")
dp.wait_for("the reference waits for the operator")
simulator.ctl("track", "speed", "0.2")
dp.wait_for("stop, 0.2 m/s")
simulator.ctl("track", "go")
dp.wait_for("go, 0.2 m/s")
dp.wait_for("moves along the route, from")
check(route_of(simulator) == {"stopped": False, "speed_mps": 0.2, "order": 3}, "under way", route_of(simulator))

# What is refused.
for words, why in [(["speed", "3"], "a speed from 0.001 to 1.5 m/s expected, got 3"), (["speed", "0"], "a speed from 0.001 to"),
                   (["speed", "-0.1"], "a speed from 0.001 to")]:
    check(why in simulator.ctl("track", *words, expect=1), f"ctl track {words}")
for words in ([], ["speed"], ["speed", "fast"], ["speed", "nan"], ["back"], ["stop", "now"]):
    simulator.ctl("track", *words, expect=2)
simulator.ctl("set-point", "--north", "520", "--far")
dp.wait_for("leaves the route for the operator's set-point")
check("a set-point, has ended the route" in simulator.ctl("track", "stop", expect=1), "after a set-point")
simulator.ctl("stop")
check(simulator.end(60) == 0, "simulator", simulator.stderr())
check(dp.end() == 0, "controller", dp.stderr())
check(load("orders.json")["orders"]["accepted"] == 5, "orders", load("orders.json")["orders"])
check_replay("orders.mcap")

# With the controller inside, which the replay computes again.
with open(path("soon-dp.yaml"), "w") as file:
    file.write(f"extends: {LAY_DP}\npid: {{start_s: 0.5, approach_s: 1}}\nroute: {{start_s: 0}}\n")
with open(path("inside.yaml"), "w") as file:
    file.write(f"extends: {LAY}\ncontroller: {{kind: sampled, dp_file: soon-dp.yaml}}\nverdicts: []\n")
simulator = Simulator(path("inside.yaml"), "--mode", "realtime", "--duration", "86400", "--log", path("inside.mcap"))
simulator.ctl("rate", "20")
simulator.wait_for_step(100)
for words in (["stop"], ["speed", "0.25"], ["go"]):
    simulator.ctl("track", *words)
    simulator.go_on(100)
simulator.ctl("stop")
check(simulator.end(60) == 0, "with the controller inside", simulator.stderr())
check_replay("inside.mcap")

# Without a route there is nothing to order.
simulator = Simulator(os.path.join(SOURCE, "configs/jlay-900m.yaml"), "--mode", "realtime", "--duration", "86400")
check("track needs a controller with a route" in simulator.ctl("track", "stop", expect=1), "without a route")
check(route_of(simulator) is None, "status without a route")
simulator.ctl("stop")
check(simulator.end(60) == 0, "without a route", simulator.stderr())
