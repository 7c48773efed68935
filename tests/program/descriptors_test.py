"""Limit of open files: raised where permitted; a limit that is too low is refused at the start. If connections exhaust it at
run time, no thread spins, checkpoints continue and an event reports it; new connections are accepted once others close."""
import shutil
import socket

from harness import *

CHECKPOINT = ["--checkpoint", path("c"), "--checkpoint-every", "0.2", "--summary", path("s.json")]


def limited(soft, hard, *args):
    return Program(shutil.which("prlimit"), f"--nofile={soft}:{hard}", SAGBEND, "run", JLAY, *args)


# Too low: one line, before anything is opened or computed. For a run without sockets the same limit suffices.
for mode in "realtime", "lockstep":
    refused = limited(64, 64, *ANY_PORT, "--mode", mode, "--duration", "1", "--log", path("none.mcap"), *CHECKPOINT)
    check(refused.end() == 2, "64 descriptors are refused", refused.stderr())
    check(re.fullmatch(r"sagbend: the run needs 88 more open files, and the limit of 64 leaves \d+; raise it .*\n", refused.stderr()),
          "one clear line", refused.stderr())
    check(not os.path.exists(path("none.mcap")) and not os.path.exists(path("s.json")), "a file has been made")
fast = limited(64, 64, "--mode", "fast", "--duration", "1", *CHECKPOINT)
check(fast.end() == 0, "64 descriptors are enough for mode fast", fast.stderr())
check(load("s.json")["checkpoint"]["failed"] == 0, "its checkpoints", load("s.json")["checkpoint"])

# A low soft limit is raised.
raised = limited(64, 4096, *ANY_PORT, "--mode", "realtime", "--duration", "1", *CHECKPOINT)
check(raised.end() in (0, 1) and load("s.json")["checkpoint"]["failed"] == 0, "the soft limit is raised", raised.stderr())


# Connections until the descriptors are exhausted.
simulator = limited(160, 160, *ANY_PORT, "--mode", "realtime", "--duration", "0", "--log", path("l.mcap"), *CHECKPOINT)
commands = simulator.wait_for(r"commands at (tcp://\S+)").group(1)
telemetry = simulator.wait_for(r"telemetry at (tcp://\S+)").group(1)
simulator.wait_for("session ")


def cpu_s():
    """CPU time of each thread."""
    ticks = {}
    for task in os.listdir(f"/proc/{simulator.process.pid}/task"):
        with open(f"/proc/{simulator.process.pid}/task/{task}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        ticks[task] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return ticks


def flood():
    """Opens as many connections as both sockets accept."""
    held = []
    for endpoint in commands, telemetry:
        address, port = endpoint[len("tcp://"):].rsplit(":", 1)
        for _ in range(200):
            one = socket.socket()
            one.settimeout(1)
            try:
                one.connect((address, int(port)))
            except OSError:  # the connection is refused
                one.close()
                break
            held.append(one)
    return held


def checkpoints(count):
    """Waits until so many checkpoints were written."""
    for _ in range(count):
        written = os.stat(path("c")).st_mtime_ns
        until(lambda: os.stat(path("c")).st_mtime_ns != written, "no checkpoint is written any more", simulator.stderr())


def shares():
    """Share of a core that each thread uses while the run makes 8 checkpoints."""
    before, start = cpu_s(), time.monotonic()
    checkpoints(8)
    elapsed = time.monotonic() - start
    return {task: (after - before[task]) / elapsed for task, after in cpu_s().items() if task in before}


until(lambda: os.path.exists(path("c")), "no checkpoint", simulator.stderr())
usual = shares()
for turn in 1, 2:
    held = []

    def is_short():  # those of the turn before may still count as open, and others are refused meanwhile
        held.extend(flood())
        return simulator.stderr().count("descriptors_short") >= turn

    until(is_short, "the descriptors do not run short", simulator.stderr())
    used = shares()
    check(all(share < usual.get(task, 0) + 0.3 for task, share in used.items()),
          f"a thread spins while {len(held)} connections are held", usual, used)
    for one in held:
        one.close()
    simulator.wait_for(r"(?s)" + "descriptors_again.*" * turn)

dp = Program(SAGBEND_DP, JLAY_DP, "--connect", commands)
simulator.wait_for("command_first")
simulator.signal()
check(simulator.end() in (0, 1), "it ends in order", simulator.stderr())
dp.end()
summary = load("s.json")
check(summary["checkpoint"]["failed"] == 0 and summary["checkpoint"]["written"] > 5, "checkpoints", summary["checkpoint"])
names = [event["name"] for event in summary["events"]] if isinstance(summary["events"], list) else json.dumps(summary["events"])
check("descriptors_short" in names and "descriptors_again" in names, "missing in the summary", summary["events"])
check("descriptors_short" in run("log", "cat", path("l.mcap"), "--topic", "event")[1], "missing in the log")
