"""Laid pipe that retires and returns: log, replay, resuming; what is refused."""
from harness import *

LAY = os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")
LAID = ["--set", "environment.seabed_friction_axial=0.5", "--set", "environment.seabed_friction_lateral=0.7",
        "--set", "pipe.retire={anchor_m: 310, stored_max: 50}"]
FAST = ["--mode", "fast", "--set", "simulation.step_s=0.1", *LAID]

status, out, err = run("run", LAY, *FAST, "--hashes", path("whole.txt"), "--log", path("lay.mcap"), "--summary", path("lay.json"))
check(status == 0, "run", status, err)
summary = load("lay.json")
check(summary["energy"]["closure_rel"] < 1e-12, "closure", summary["energy"])
status, out, err = run("replay", "--verify", path("lay.mcap"))
check(status == 0 and "result               equal" in out, "replay", status, out, err)
status, out, err = run("run", LAY, *FAST, "--set", "simulation.duration_s=130", "--checkpoint", path("lay.checkpoint"))
check(status == 0, "first part", status, err)
status, out, err = run("run", LAY, *FAST, "--resume", path("lay.checkpoint"), "--hashes", path("rest.txt"))
check(status == 0, "resumed", status, err)
check(open(path("rest.txt")).read().split("\n")[-2] == open(path("whole.txt")).read().split("\n")[-2], "bits of a resumed run")

# What is refused.
for sets, expected in [
        (["pipe.retire={anchor_m: 300}"], "pipe.retire.anchor_m: at least 305.4"),
        (["pipe.retire={stored_max: 3}"], "pipe.retire.anchor_m"),
        (["pipe.retire={anchor_m: 310, stored_max: 0}"], "pipe.retire.stored_max: "),
        (["environment.seabed_friction_lateral=0"], "seabed_friction_lateral above 0 expected")]:
    status, out, err = run("check", LAY, *LAID, *[a for s in sets for a in ("--set", s)])
    check(status == 2 and expected in err, expected, status, err)
status, out, err = run("check", JLAY, *LAID)
check(status == 2 and "pipe.payout or pipe.tensioner expected beside it" in err, "without pay-out", status, err)
