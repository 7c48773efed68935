"""Several sessions of one process: what happened in the earlier ones is not forgotten, and the numbers of the summary say which of
them they are about."""
from harness import *

SMALL = ["--set", "pipe.elements=40"]


def order(simulator, *words, expected=0):
    status, out, err = run("ctl", simulator.commands, *words)
    check(status == expected, f"{words}: status {status}", out, err, simulator.stderr())
    return out + err


def status_of(simulator):
    return json.loads(order(simulator, "status", "--json"))


def stop(simulator, status=0):
    order(simulator, "stop")
    check(simulator.end() == status, "the end", simulator.stderr())


def begun(simulator, count):
    """Waits until so many sessions have begun by orders."""
    until(lambda: simulator.stderr().count("session_begun: ") >= count, f"session {count} does not begin", simulator.stderr())


def pace_is_right(summary, paused_s, stdout):
    """The pace is that of this session: its steps in its wall clock without its pauses."""
    steps = summary["steps"] - summary["first_step"]
    factor = steps * summary["step_s"] / (summary["wall_time_s"] - paused_s)
    check(abs(summary["real_time_factor"] - factor) < 1e-9 * factor, "real_time_factor", summary["real_time_factor"], factor)
    line = next(line for line in stdout.splitlines() if line.startswith("simulated"))
    check(f" {steps * summary['step_s']:.3f} s in {summary['wall_time_s']:.3f} s" in line and f", {steps} steps" in line, "simulated", line, steps)
    return line


# A pause lies in an earlier session: the pace of this one does not contain it. Then one that goes on from the one to the other.
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", "--snapshot-dir", FOLDER, "--summary", path("pace.json"),
                      "--checkpoint", path("pace"))
simulator.wait_for_step(40)
order(simulator, "snapshot", "early")
simulator.wait_for("snapshot_written")
order(simulator, "pause")
simulator.wait_for("paused: ordered")
until(lambda: status_of(simulator)["pause"]["wall_s"] > 1, "a pause of a second")
order(simulator, "resume")
order(simulator, "restore", "early")
begun(simulator, 1)
simulator.go_on(30)
stop(simulator)
summary = load("pace.json")
check(summary["first_step"] > 0 and summary["pauses"]["wall_s"] > 1, "a session that begins later", summary["first_step"], summary["pauses"])
line = pace_is_right(summary, 0, simulator.stdout())
check(f"from step {summary['first_step']} to {summary['steps']}" in line and "paused" not in line, "where it began", line)

# Resumed from a checkpoint, with a pause of its own.
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", "--summary", path("resumed.json"), "--resume", path("pace"))
order(simulator, "pause")
simulator.wait_for("paused: ordered")
order(simulator, "resume")
simulator.go_on(30)
stop(simulator)
resumed = load("resumed.json")
check(resumed["first_step"] == summary["steps"], "it begins where the other ended", resumed["first_step"])
line = pace_is_right(resumed, resumed["pauses"]["wall_s"], simulator.stdout())
check(f"({resumed['pauses']['wall_s']:.3f} s of them paused)" in line, "its pause", line)
