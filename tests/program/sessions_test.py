"""Several sessions of one process: what happened in the earlier ones is not forgotten, and the numbers of the summary say which of
them they are about."""
import resource

from harness import *

SMALL = ["--set", "pipe.elements=40"]


def status_of(simulator):
    return json.loads(simulator.ctl("status", "--json"))


def stop(simulator, status=0):
    simulator.ctl("stop")
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
simulator.ctl("snapshot", "early")
simulator.wait_for("snapshot_written")
simulator.ctl("pause")
simulator.wait_for("paused: ordered")
until(lambda: status_of(simulator)["pause"]["wall_s"] > 1, "a pause of a second")
simulator.ctl("resume")
simulator.ctl("restore", "early")
begun(simulator, 1)
simulator.go_on(30)
stop(simulator)
summary = load("pace.json")
check(summary["first_step"] > 0 and summary["pauses"]["wall_s"] > 1, "a session that begins later", summary["first_step"], summary["pauses"])
line = pace_is_right(summary, 0, simulator.stdout())
check(f"from step {summary['first_step']} to {summary['steps']}" in line and "paused" not in line, "where it began", line)

# Resumed from a checkpoint, with a pause of its own.
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", "--summary", path("resumed.json"), "--resume", path("pace"))
simulator.ctl("pause")
simulator.wait_for("paused: ordered")
simulator.ctl("resume")
simulator.go_on(30)
stop(simulator)
resumed = load("resumed.json")
check(resumed["first_step"] == summary["steps"], "it begins where the other ended", resumed["first_step"])
line = pace_is_right(resumed, resumed["pauses"]["wall_s"], simulator.stdout())
check(f"({resumed['pauses']['wall_s']:.3f} s of them paused)" in line, "its pause", line)


# ---- The log of the next session cannot begin: the order is abandoned, and the session goes on in its log. ----

def logs_in(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".mcap"))


def replays(*logs):
    status, out, err = run("replay", *logs, "--verify", "--json", timeout=120)
    check(status == 0 and json.loads(out)["result"] == "equal", "replay", status, out, err)


def restarts_fail(name, mode, shut, open_again, folder, reason, *args):
    """shut() makes the disk take nothing; the orders are then accepted, fail, and change nothing; open_again() ends that."""
    simulator = Simulator(JLAY, "--mode", mode, "--duration", "0", "--log-dir", folder, "--snapshot-dir", FOLDER, *SMALL,
                          "--summary", path(name + ".json"), "--checkpoint", path(name), *args)
    dp = controller(simulator, "--set", "pid.start_s=0.3")
    simulator.wait_for_step(100)
    first = status_of(simulator)["session"]
    simulator.ctl("snapshot", name)
    simulator.wait_for("snapshot_written")
    simulator.ctl("pause")  # the newest command before the next step is not lost
    simulator.wait_for("paused: ordered")
    shut(simulator)
    simulator.ctl("reset")
    simulator.wait_for(r"reset_failed: goes on after .*" + reason)
    simulator.ctl("restore", name)
    simulator.wait_for(r"restore_failed: goes on after .*" + reason)
    open_again(simulator)
    check({name[17:33] for name in logs_in(folder)} == {first}, "no stub is left", logs_in(folder))
    check(status_of(simulator)["session"] == first and status_of(simulator)["station"]["state"] == "paused", "the same session, still paused")
    simulator.ctl("resume")
    step = simulator.wait_for_step(0)
    simulator.go_on(60)
    check(dp.stderr().count("welcomed") == 1, "the controller notices nothing", dp.stderr())

    # Once there is room, it works.
    simulator.ctl("reset")
    begun(simulator, 1)
    simulator.wait_for_telemetry("sensors", lambda m: m.header.session != first and m.header.step >= 20)
    until(lambda: dp.stderr().count("welcomed") == 2, "the controller joins the next session", dp.stderr())  # else it misses the end
    stop(simulator)
    dp.end()
    summary = load(name + ".json")
    check(summary["orders"]["failed"] == 2 and re.search(reason, summary["orders"]["failure"]), "counted", summary["orders"])
    check(summary["log"]["complete"] and summary["complete"] and summary["passed"], "the end", summary["log"], summary["failures"])
    check([s["session"] for s in summary["sessions"]] == [first] and summary["sessions"][0]["last_step"] >= step + 60, "sessions", summary["sessions"])
    found = [event["name"] for event in summary["events"]["first"]]
    check(found.count("reset_failed") == 1 and found.count("restore_failed") == 1 and found.count("session_begun") == 1, "events", found)
    check("nothing left out" in simulator.stdout() and "no message missing in a log" in simulator.stdout(), "it is true of both logs",
          simulator.stdout())
    replays(folder)
    out = "".join(run("log", "cat", os.path.join(folder, log), "--topic", "/event")[1] for log in logs_in(folder) if first in log)
    check("reset_failed" in out and "restore_failed" in out, "in the log of the session", out)


def move(folder, to):
    return lambda simulator: os.rename(folder, to)


# The folder has gone: the log that is open goes on, another one cannot begin.
for mode in "realtime", "lockstep":
    folder = path("limited-" + mode)
    os.mkdir(folder)
    restarts_fail("limited-" + mode[0], mode, move(folder, folder + ".away"), move(folder + ".away", folder), folder, "No such file or directory")

# A disk that is full: a small file system of its own, where that is permitted. The log is in parts.
disk = small_disk("disk", "24m")
if disk:
    ballast = os.path.join(disk, "ballast")

    def fill(simulator):
        with open(ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    try:
        restarts_fail("full", "realtime", fill, lambda simulator: os.remove(ballast), disk, "No space left", "--set", "log.part_s=0.5")
    finally:
        subprocess.run(["umount", "-l", disk])


# ---- What happened in an earlier session is not forgotten: late steps, a halt, missing messages, a failed verdict. ----

def limit_files(size):
    """A process whose files may not grow beyond this size: the system refuses it as a full disk does."""
    return lambda simulator: resource.prlimit(simulator.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


case = path("earlier.yaml")
with open(case, "w") as file:
    file.write(f"extends: {JLAY}\nname: earlier\ncontroller: {{kind: none, dp_file: null}}\nverdicts:\n  - {{name: near, quantity: offset_m, below: 500}}\n"
               "  - {name: for long, quantity: offset_m, below: 1e6, to_s: 1000}\n")
EVERY_STEP = sum([["--set", f"log.{topic}_period_s=0"] for topic in ["sensors", "truth", "nodes", "ledger", "timing"]], [])
simulator = Simulator(case, "--mode", "realtime", "--duration", "0", "--log", path("earlier.mcap"), "--summary", path("earlier.json"),
                      "--junit", path("earlier.xml"), "--set", "log.buffer_mib=1", *EVERY_STEP, "--set", "simulation.overrun=halt",
                      "--set", "simulation.overrun_limit=200", *SMALL)
simulator.wait_for_step(20)
simulator.suspend()
time.sleep(2.5)  # far more than 200 periods
simulator.resume()
simulator.wait_for("halted: overrun: ")
simulator.ctl("resume")
simulator.go_on(20)
simulator.ctl("set-point", "--north", "5000")
simulator.wait_for("verdict_violated: near")
limit_files(4096)(simulator)
simulator.wait_for("log_dropped: ")
limit_files(resource.RLIM_INFINITY)(simulator)
simulator.ctl("reset")
begun(simulator, 1)
simulator.wait_for("warning: the log of session .* is not complete: ")
status = status_of(simulator)
text = simulator.ctl("status")
stop(simulator, 1)
summary = load("earlier.json")
[before], sums, first = summary["sessions"], summary["earlier_sessions"], summary["sessions"][0]["session"]
check(before["late_steps"] >= 1 and before["lost_periods"] >= 200 and before["lag_s"] >= 2 and before["halts"] == 1, "lateness", before)
check(before["log_missing"] > 0 and not before["log_complete"] and before["end"] == "reset", "its log", before)
check({v["name"]: v["result"] for v in before["verdicts"]} == {"near": "failed", "for long": "unfinished"}, "its verdicts", before)
check(summary["log"]["complete"] and summary["log"]["missing"] == 0, "the log of the last session", summary["log"])
check(summary["verdicts"][0]["result"] == "passed", "the verdict in the last session", summary["verdicts"])
for key in "late_steps", "lost_periods", "lag_s", "log_missing":
    check(sums[key] == before[key], key, sums, before)
check(sums["count"] == 1 and sums["logs_incomplete"] == 1 and sums["verdicts_failed"] == 1, "sums", sums)
check(status["earlier"] == {**{key: sums[key] for key in ("count", "late_steps", "lost_periods", "logs_incomplete", "verdicts_failed")},
                                     "lag_s": status["earlier"]["lag_s"], "log_dropped": sums["log_missing"]}, "status", status)
check(f"in earlier sessions: 1 session, {sums['late_steps']} late steps" in text and "verdicts failed in 1" in text, "status", text)
check(any(f"verdicts failed in 1 of 1 earlier session, first near in session {first}" in reason for reason in summary["failures"]), "reasons",
      summary["failures"])
check("halted 1 times" in str(summary["failures"]), "reasons", summary["failures"])
shown = simulator.stdout()
check(f"in earlier sessions: 1 session, {sums['late_steps']} steps late" in shown and "verdicts failed in 1" in shown, "the end", shown)
check("nothing left out" not in shown and "complete" in shown, "a log of another session is not complete", shown)
check(re.search(r"halted +1 times, the last after [1-9]\d* periods", shown), "the halt", shown)
with open(path("earlier.xml")) as file:
    check("earlier session, first near" in file.read(), "JUnit")

# A snapshot half a minute ahead: the controller begins again there, and takes the step in time for no gap of its link.
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "30", "--checkpoint", os.path.join(FOLDER, "ahead.snapshot"), "--set", "pipe.elements=40")
check(status == 0, "a run to begin from", err)
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--snapshot-dir", FOLDER, "--set", "pipe.elements=40")
dp = controller(simulator)
until(lambda: "welcomed" in dp.stderr(), "no controller", dp.stderr())
simulator.go_on(20)
simulator.ctl("restore", "ahead")
begun(simulator, 1)
until(lambda: dp.stderr().count("welcomed") == 2, "the controller does not follow", dp.stderr())
simulator.go_on(40)
stop(simulator)
check(dp.end() == 0 and "no Sensors" not in dp.stderr(), "a gap where there is none", dp.stderr())
