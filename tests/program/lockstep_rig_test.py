"""A vessel with instruments and thrusters in lockstep with sagbend-dp gives the bits of a fast run with the same controller
inside. The controller keeps position, and reports when it has lost its position references."""
from harness import *

OSV = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
OSV_DP = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")
LENGTH = ["--duration", "90"]
INSIDE = ["--set", "controller.dp_file=" + OSV_DP]

status, out, err = run("run", OSV, *INSIDE, "--mode", "fast", *LENGTH, "--hashes", path("fast.hashes"),
                       "--summary", path("fast.json"), timeout=120)
check(status == 0, f"fast run: status {status}", err)
summary = load("fast.json")
check(summary["commands"]["refused"] == 0, "commands refused", summary["commands"])
check(summary["vessel"]["offset_m"] < 1, "further than 1 m from the set-point", summary["vessel"])

simulator = Simulator(OSV, *INSIDE, "--mode", "lockstep", *LENGTH, "--hashes", path("lockstep.hashes"))
dp = controller(simulator, config=OSV_DP)
check(simulator.end(150) == 0, "the simulator ended with an error", simulator.stderr())
check(dp.end() == 0, "the controller ended with an error", dp.stderr())
check("DEAD" not in dp.stderr() and "not following" not in dp.stderr(), "something was lost", dp.stderr())
expected, found = hashes("fast.hashes"), hashes("lockstep.hashes")
for ours, theirs in zip(found, expected):
    check(ours == theirs, f"another state than the fast run's at step {theirs[0]}", ours, theirs)
check(len(found) == len(expected), f"{len(found)} states, {len(expected)} expected")

# The simulator is suspended for longer than the controller waits. The controller sends Hello again, and the Sensors that it
# then receives again must not count as a second sample.
simulator = Simulator(OSV, *INSIDE, "--mode", "lockstep", *LENGTH, "--hashes", path("stopped.hashes"))
dp = controller(simulator, config=OSV_DP)
simulator.wait_for_step(3000)
simulator.suspend()
time.sleep(2.5)
simulator.resume()
check(simulator.end(150) == 0 and dp.end() == 0, "after it stood still", simulator.stderr(), dp.stderr())
for ours, theirs in zip(hashes("stopped.hashes"), expected):
    check(ours == theirs, f"a simulator that stood still: another state at step {theirs[0]}", ours, theirs)

# A controller that rejects every position further than 1 mm from its prediction.
simulator = Simulator(OSV, *INSIDE, "--mode", "lockstep", "--duration", "30")
dp = controller(simulator, "--set", "navigation.position_limit_m=0.001", config=OSV_DP)
check(simulator.end() == 0 and dp.end() == 0, "ended with an error", simulator.stderr(), dp.stderr())
check("no position left: dead reckoning" in dp.stderr(), "dead reckoning was not reported", dp.stderr())
check("gnss-1 is rejected" in dp.stderr(), "the rejected reference was not reported", dp.stderr())
