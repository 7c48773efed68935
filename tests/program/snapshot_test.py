"""Snapshot, restore and reset: the run goes on with a new session at the state of the snapshot, controllers follow, and every log
replays bit by bit, alone and together; in real time and in lockstep, also while paused. What cannot be restored is refused."""
import itertools
import shutil

from harness import *

import sagbend

SMALL = ["--set", "pipe.elements=20"]


def refused(simulator, word, *words):
    text = simulator.ctl(*words, expect=1)
    check(word in text, f"{words}: '{word}' expected", text)


def status_of(simulator):
    return json.loads(simulator.ctl("status", "--json"))


def verify(*logs):
    status, out, err = run("replay", *logs, "--verify", "--json", timeout=120)
    report = json.loads(out) if out else None
    check(status == 0 and report["result"] == "equal", "replay", status, json.dumps(report, indent=1), err)
    return report


def logs_in(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".mcap")]


def begun(simulator, count):
    """Waits until so many sessions have begun by orders; returns the name of the newest."""
    found = []

    def holds():
        found[:] = re.findall(r"session_begun: session (\w+), ", simulator.stderr())
        return len(found) >= count

    until(holds, f"session {count} does not begin", simulator.stderr())
    return found[count - 1]


# A snapshot of another configuration, and a damaged one.
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", "--checkpoint", path("other"), "--set", "vessel.mass_kg=6e6", *SMALL)
check(status == 0, "a run of another configuration", err)

for mode, parts in [("realtime", []), ("lockstep", ["--set", "log.part_s=0.5"])]:
    folder = path(mode)
    os.mkdir(folder)
    shutil.copy(path("other"), os.path.join(folder, "other.snapshot"))
    simulator = Simulator(JLAY, "--mode", mode, "--duration", "0", "--log-dir", folder, *SMALL, *parts, "--summary", path(mode + ".json"),
                          "--record", path(mode + ".csv"), "--checkpoint", path(mode + ".c"))
    dp = controller(simulator, "--set", "pid.start_s=0.3")
    simulator.wait_for_step(100)
    first = status_of(simulator)["session"]
    simulator.ctl("snapshot", "a")
    simulator.wait_for("snapshot_written: a, of step")
    refused(simulator, "there is a snapshot a already", "snapshot", "a")
    refused(simulator, "there is no snapshot b", "restore", "b")
    refused(simulator, "another configuration", "restore", "other")
    for name in "", "../a", "a/b", ".a", "x" * 24, "a b":
        check(run("ctl", simulator.commands, "snapshot", name)[0] in (1, 2), f"a snapshot called '{name}'")
    simulator.go_on(20)

    # A set-point and a pause, and a snapshot of the paused session.
    simulator.ctl("set-point", "--north", "985")
    simulator.ctl("fault", "loss", "--probability", "0.1", "--name", "lossy")
    simulator.ctl("pause")
    simulator.wait_for("paused: ordered")
    simulator.ctl("snapshot", "b")
    paused_at = int(simulator.wait_for(r"snapshot_written: b, of step (\d+)").group(1))
    with open(os.path.join(folder, "b.snapshot"), "rb") as file:
        good = file.read()
    with open(os.path.join(folder, "bad.snapshot"), "wb") as file:
        file.write(good[:700] + b"\xa5" * 40 + good[740:])
    refused(simulator, "damaged", "restore", "bad")
    simulator.ctl("resume")
    simulator.go_on(30)

    # Restore: another session, at the snapshot's step, with the state of then. The controller follows.
    simulator.ctl("restore", "a")
    second = begun(simulator, 1)
    until(lambda: status_of(simulator)["session"] == second, "the new session", simulator.stderr())
    simulator.go_on(80)
    until(lambda: dp.stderr().count("welcomed") == 2, "the controller does not follow", dp.stderr())

    # While paused: the new session is paused, too, and has the set-point of its snapshot.
    simulator.ctl("pause")
    simulator.ctl("restore", "b")
    begun(simulator, 2)
    status = status_of(simulator)
    check(status["station"]["state"] == "paused" and status["step"] == paused_at, "it stays paused", status)
    check(status["setpoint"]["north_m"] == 985 and status["active"][0]["name"] == "lossy", "set-point and faults of the snapshot", status)
    simulator.ctl("resume")
    simulator.go_on(40)

    # Reset: from the beginning.
    simulator.ctl("reset")
    last = begun(simulator, 3)
    until(lambda: dp.stderr().count("welcomed") == 4, "the controller does not follow", dp.stderr())
    simulator.wait_for_telemetry("sensors", lambda m: m.header.session == last and m.header.step >= 50)
    simulator.ctl("snapshot", "c")
    simulator.ctl("restore", "c")  # at once: waits until it is written
    begun(simulator, 4)
    until(lambda: dp.stderr().count("welcomed") == 5, "the controller does not follow", dp.stderr())  # else it misses the end
    simulator.go_on(20)
    simulator.ctl("stop")
    check(simulator.end() == 0 and dp.end() == 0, "the end", simulator.stderr(), dp.stderr())

    # All logs replay, alone and together; each names where it comes from, and the old one what follows it.
    report = verify(folder)
    check(not report["findings"], "findings", report["findings"])
    sessions = list(dict.fromkeys(log["session"] for log in report["logs"]))
    check(len(sessions) == 5 and sessions[0] == first and sessions[1] == second, "five sessions", sessions)
    origins = [next(log["origin"] for log in report["logs"] if log["session"] == session) for session in sessions]
    check(origins[0] is None and [o["how"] for o in origins[1:]] == ["restore", "restore", "reset", "restore"], "origins", origins)
    check([o["session"] for o in origins[1:3]] == [first, first] and origins[2]["step"] == paused_at, "origins", origins)
    ends = [[log["next_session"] for log in report["logs"] if log["session"] == session][-1] for session in sessions]
    check(ends == sessions[1:] + [""], "each log names the next session", ends, sessions)
    for log in logs_in(folder):
        verify(log)
    for chosen, what in (sessions[:2], f"continues in session {sessions[2]}"), (sessions[1:], f"begins with a state of session {first}"):
        status, out, err = run("replay", *[log for log in logs_in(folder) if any(s in log for s in chosen)], "--verify", "--json", timeout=120)
        check(status == 3 and what in out and "which is not among the logs" in out, "sessions are missing", status, out, err)
    summary = load(mode + ".json")
    check(summary["session"] == sessions[-1] and [s["session"] for s in summary["sessions"]] == sessions[:-1], "summary", summary["sessions"])
    check(summary["origin"]["name"] == "c", "summary", summary["origin"])
    with open(path(mode + ".csv")) as file:
        times = [float(line.split(",")[0]) for line in file.read().splitlines()[1:]]
    # Back in time for certain: the restore of a and the reset. On a slow machine the others go to later times or by less than a row.
    check(sum(b < a for a, b in zip(times, times[1:])) >= 2, "the record goes on, with steps back in time", times)

    # The checkpoint is the last session's.
    status, out, err = run("run", JLAY, "--mode", "realtime", "--duration", "0.01", "--resume", path(mode + ".c"), *SMALL,
                           "--bind-command", "tcp://127.0.0.1:*", "--bind-telemetry", "tcp://127.0.0.1:*", "--summary", path("after.json"))
    check(status == 0 and load("after.json")["resumed_from"]["session"] == sessions[-1], "the checkpoint", err)

# Without a folder there are no snapshots; --log FILE gives each session a file of its own.
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0")
refused(simulator, "--snapshot-dir", "snapshot", "a")
refused(simulator, "--snapshot-dir", "restore", "a")
simulator.ctl("reset")
begun(simulator, 1)
simulator.signal()
check(simulator.end() == 0, "a reset without a log", simulator.stderr())
os.mkdir(path("slots"))
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", "--log", path("one.mcap"), "--snapshot-dir", path("slots"))
simulator.ctl("snapshot", "s-1")
simulator.ctl("restore", "s-1")
begun(simulator, 1)
simulator.ctl("reset")
begun(simulator, 2)
simulator.signal()
check(simulator.end() == 0 and os.listdir(path("slots")) == ["s-1.snapshot"], "a folder of snapshots", simulator.stderr())
verify(path("one.mcap"), path("one-2.mcap"), path("one-3.mcap"))
status, out, err = run("replay", path("one.mcap"), "--verify")
following = sagbend.read_log(path("one-2.mcap")).session.session
check(status == 0 and re.search(rf"^next session +{following}$", out, re.M), "the report of one log names the next session", out, err)

# Sessions that began in the same second: the names of their logs do not sort in the order of their starts. Each order replays.
for i, order_of_names in enumerate(itertools.permutations(("one.mcap", "one-2.mcap", "one-3.mcap"))):
    os.mkdir(path(f"second-{i}"))
    for j, name in enumerate(order_of_names):
        shutil.copy(path(name), os.path.join(path(f"second-{i}"), f"20260101T000000Z-{j:016x}.mcap"))
    status, out, err = run("replay", path(f"second-{i}"), "--verify", "--json", timeout=120)
    check(status == 0 and json.loads(out)["joints"] == 1, "sessions of the same second", order_of_names, status, out, err)

# A full folder.
for i in range(63):
    shutil.copy(os.path.join(path("slots"), "s-1.snapshot"), os.path.join(path("slots"), f"n{i}.snapshot"))
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", "--snapshot-dir", path("slots"))
refused(simulator, "at most 64", "snapshot", "more")
# Back and forth: descriptors and memory stay as they are.
def resident_kb(simulator):
    with open(f"/proc/{simulator.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def descriptors(simulator):
    return len(os.listdir(f"/proc/{simulator.process.pid}/fd"))


# A snapshot that is being written, or a session that ends, has some open for a moment: each later turn comes back to what the
# first four had at most.
allowed, memory = 0, []
for i in range(24):
    simulator.ctl(*(["restore", "s-1"] if i % 2 else ["reset"]))
    begun(simulator, i + 1)
    if i < 4:
        simulator.go_on(100)  # until all is open that a session opens
        allowed = max(allowed, descriptors(simulator))
    else:
        until(lambda: descriptors(simulator) <= allowed, f"descriptors of turn {i}, at most {allowed}", lambda: descriptors(simulator))
    memory.append(resident_kb(simulator))
# Where the machine is busy, a session has not ended yet as the next begins, and three are there for a moment, whose memory the
# allocator keeps. A leak would take more than one and a half in twelve turns.
check(memory[-1] <= max(memory[:12]) + 1.5 * (memory[1] - memory[0]), "two sessions at a time, one afterwards", memory)
simulator.signal()
check(simulator.end() == 0, "many sessions", simulator.stderr())
