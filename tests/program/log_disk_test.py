"""A log on a disk that is temporarily full, permanently full, or slow: no step is late, the least important topics are dropped
first and counted, commands remain, and the log is valid."""
from harness import *

EVERY_STEP = sum([["--set", f"log.{topic}_period_s=0"] for topic in ["sensors", "truth", "nodes", "ledger", "timing"]], [])
RUN = ["--mode", "realtime", "--step-s", "0.005", "--set", "log.buffer_mib=1", *EVERY_STEP]
FIRST_TO_LAST = ["nodes", "truth", "timing", "sensors", "ledger", "state_hash", "command"]


def verifies_as_incomplete(log, reason):
    """Checks that the log is equal as far as it goes, and that it is not reported as complete."""
    code, out, err = run("replay", log, "--verify", "--json")
    found = json.loads(out)
    check(code == 3 and found["result"] == "incomplete" and found["chain"]["state"] == "holds", "a log with losses", code, out, err)
    check(reason in out or "commands did not reach it" in out, f"'{reason}' is not among the reasons", out)


def look(name, simulator, stalled):
    """Checks that apply to every case; returns the summary."""
    s = load(name)
    log, dropped = s["log"], s["log"]["dropped"]
    names = [event["name"] for event in s["events"]["first"]]
    check("log_dropped" in names, "dropped messages are not reported", names)
    check(("log_stalled" in names) == stalled, "log_stalled", names)
    shares = [dropped[topic] / s["steps"] for topic in FIRST_TO_LAST[:6]]
    check(shares[0] > 0.1 and shares == sorted(shares, reverse=True), "not the least important first", dropped)
    # A step that waited for the disk would take the 2.5 s of a sync; no busy machine takes that long.
    print(f"{name}: {s['steps']} steps, {s['late_steps']} misses, {s['lost_periods']} skipped, dropped {dropped}")
    check(s["wakeup_us"]["max"] < 2e6 and s["step_us"]["max"] < 2e6, "a step waited for the disk", s["wakeup_us"], s["step_us"])
    code, out, err = run("log", "info", log["file"])
    check(code == 0 and "in order" in out and f"/nodes {dropped['nodes']} messages" in out, "the log is not valid", out, err)
    check("holds over" in out, "the chain", out)
    verifies_as_incomplete(log["file"], f"its end says {dropped['nodes']}")
    return s


def commanded_run(name, *args, seconds, env=None, meanwhile=lambda simulator: None):
    before = dict(os.environ)
    os.environ.update(env or {})
    simulator = Simulator(JLAY, *RUN, "--duration", str(seconds), "--summary", path(name), *args)
    os.environ.clear()
    os.environ.update(before)
    dp = controller(simulator, "--set", "pid.start_s=0.5")
    meanwhile(simulator)
    check(simulator.end() == 0, "the simulator failed", simulator.stderr())
    dp.end()
    return simulator


def commands_of(log):
    code, out, err = run("log", "cat", log, "--topic", "/command")
    return [c["number"] for c in (json.loads(line)["message"] for line in out.splitlines()) if not c["superseded"]]


# Slow: each sync takes 2.5 s.
preload = {"LD_PRELOAD": os.path.join(BUILD, "tests/program/libslow_disk.so"), "SLOW_DISK_MS": "2500"}
if "sanitize" not in os.environ.get("SAGBEND_TEST_KIND", ""):
    simulator = commanded_run("slow.json", "--log", path("slow.mcap"), seconds=8, env=preload)
    s = look("slow.json", simulator, stalled=False)
    check(s["log"]["dropped"]["command"] == 0 and not s["log"]["commands_missing"], "commands", s["log"])
    numbers = commands_of(path("slow.mcap"))
    check(numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 30, "commands in the log", len(numbers))

# Full: a small separate file system, with room for a whole log.
DISK_BYTES = 6000 * 1024
disk = small_disk("disk", DISK_BYTES)
if not disk:
    sys.exit(SKIPPED)
try:
    ballast = os.path.join(disk, "ballast")

    # Room for what every log contains, most of it the schemas, and for little more.
    code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "0.01", "--log", path("empty.mcap"))
    check(code == 0, "a log of one step", err)
    room_bytes = os.path.getsize(path("empty.mcap")) + 262_000

    def fill():
        with open(ballast, "wb") as file:
            file.write(bytes(DISK_BYTES - room_bytes))

    # Temporarily: soon full, then space becomes free.
    fill()

    def make_room(simulator):
        simulator.wait_for("log_stalled")
        simulator.wait_for("log_dropped")
        os.remove(ballast)

    log = os.path.join(disk, "a.mcap")
    simulator = commanded_run("room.json", "--log", log, "--overwrite", seconds=7, meanwhile=make_room)
    s = look("room.json", simulator, stalled=True)
    check("log_resumed" in [e["name"] for e in s["events"]["first"]], "log_resumed", s["events"]["first"])
    check(s["log"]["dropped"]["command"] == 0 and not s["log"]["commands_missing"], "commands", s["log"])
    numbers = commands_of(log)
    check(numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 30, "commands in the log", len(numbers))
    os.remove(log)

    # Permanently: the log ends where the disk is full, is closed properly and states how far it can be replayed.
    fill()
    log = os.path.join(disk, "b.mcap")
    simulator = commanded_run("full.json", "--log", log, "--overwrite", seconds=6)
    s = look("full.json", simulator, stalled=True)
    check(s["log"]["commands_missing"] and 0 < s["log"]["replayable_to_step"] < s["steps"], "commands", s["log"])
    code, out, err = run("log", "info", log)
    check(f"to step {s['log']['replayable_to_step']} only" in out, "how far it can be replayed", out)
    check("can be replayed to step" in simulator.stderr(), "not stated at the end", simulator.stderr())
    numbers = commands_of(log)
    check(numbers == list(range(1, len(numbers) + 1)), "commands in the log", numbers)
    os.remove(log)

    # Where the step waits for the log, the run stops instead and states why.
    code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "60", "--log", log, "--overwrite", "--set", "log.buffer_mib=1", *EVERY_STEP)
    check(code == 1 and "No space left" in err, "a fast run on a full disk", code, err)
    code, out, err = run("log", "info", log)
    check(code == 0 and "log failed" in out, "its log", out, err)
    verifies_as_incomplete(log, "messages of topic /nodes are missing")
    # No space even for the start of the log.
    os.remove(log)
    os.remove(ballast)
    with open(ballast, "wb") as file:
        file.write(bytes(DISK_BYTES - 36_000))
    code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", "--log", log, "--overwrite")
    check(code == 1 and "No space left" in err, "a log that cannot begin", code, err)
finally:
    subprocess.run(["umount", disk])
