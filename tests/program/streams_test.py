"""Standard output without a reader, or closed, has no effect: exit status and results are those of the run. A full device is a
failure. A terminal that hangs up ends every program properly."""
from harness import *

LOG = path("log.mcap")
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "10", "--log", LOG, "--overwrite")
check(status == 0, "a log to read", err)
FAILING = path("failing.yaml")
with open(FAILING, "w") as file:
    file.write(f"extends: {JLAY}\nname: failing\nverdicts:\n  - {{name: no, quantity: north_m, above: 1e6}}\n")


def with_stdout(kind, *args, program=SAGBEND):
    """Runs a program whose standard output is a pipe without a reader, closed, or a full device; returns exit status and stderr."""
    reader, writer = os.pipe()
    os.close(reader)  # no reader
    full = os.open("/dev/full", os.O_WRONLY)
    close = (lambda: os.close(1)) if kind == "closed" else None
    done = subprocess.run([program, *args], stdout={"gone": writer, "closed": None, "full": full}[kind], stderr=subprocess.PIPE, text=True,
                          preexec_fn=close, timeout=120, restore_signals=True)
    os.close(writer)
    os.close(full)
    return done.returncode, done.stderr


COMMANDS = [("run", JLAY, "--mode", "fast", "--duration", "1"), ("statics", JLAY), ("statics", JLAY, "--json"), ("check", JLAY), ("schema",),
            ("schema", "--dp"), ("log", "info", LOG), ("log", "topics", LOG), ("log", "cat", LOG), ("log", "export-csv", LOG, "--topic", "/truth"),
            ("replay", LOG, "--verify"), ("replay", LOG, "--publish", "--rate", "100", *ANY_PORT), ("verify", "--list"),
            ("verify", "--case", "elastica"), ("--help",), ("run", "--help"), ("ctl", "--help"), ("--version",)]
for command in COMMANDS:
    for kind in "gone", "closed":
        status, err = with_stdout(kind, *command)
        check(status == 0, f"{command}, standard output {kind}: status {status}", err)
    if command[-1] not in ("--help", "--version"):
        status, err = with_stdout("full", *command)
        check(status == 1 and "standard output cannot be written" in err, f"{command}, standard output full: status {status}", err)
for command in ("--help",), ("--version",):
    for kind in "gone", "closed":
        check(with_stdout(kind, *command, program=SAGBEND_DP)[0] == 0, f"sagbend-dp {command}, standard output {kind}")

for kind in "gone", "closed":
    # The summary exists, and a failure remains one.
    status, err = with_stdout(kind, "run", JLAY, "--mode", "fast", "--duration", "2", "--summary", path("s.json"), "--log", path("s.mcap"),
                              "--checkpoint", path("c"))
    check(status == 0 and load("s.json")["passed"] and os.path.exists(path("c")), f"a run, standard output {kind}", status, err)
    os.remove(path("s.json"))
    os.remove(path("c"))
    # Closed: no file opened later takes its descriptor and receives the printed lines.
    status, out, err = run("log", "info", path("s.mcap"))
    check(status == 0 and "in order" in out, "a log that took the place of standard output", out, err)
    os.remove(path("s.mcap"))
    status, err = with_stdout(kind, "run", FAILING, "--mode", "fast", "--duration", "1")
    check(status == 1, f"a run that fails, standard output {kind}", status, err)
    check(with_stdout(kind, "statics", path("absent.yaml"))[0] == 2, f"wrong input, standard output {kind}")

# A large log, and a reader that reads one line of it.
pipe = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" log cat "$1" | head -1', SAGBEND, LOG], capture_output=True, text=True, timeout=60)
check(pipe.returncode == 0 and pipe.stderr == "" and pipe.stdout.count("\n") == 1, "head", pipe.returncode, pipe.stderr)

# SIGHUP: summary, checkpoint and end of the log are written; under nohup the run continues.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--summary", path("h.json"), "--checkpoint", path("h.c"), "--log", path("h.mcap"))
dp = controller(simulator)
simulator.wait_for("command_first")
dp.signal(signal.SIGHUP)
check(dp.end() == 0, "sagbend-dp at a hang-up", dp.stderr())
reached = simulator.wait_for_step(30)
simulator.signal(signal.SIGHUP)
check(simulator.end() == 0, "sagbend run at a hang-up", simulator.stderr())
s = load("h.json")
check(s["ended_by"] == "signal" and s["steps"] >= reached and s["checkpoint"]["last_step"] == s["steps"], "its summary", s["ended_by"])
status, out, err = run("log", "cat", path("h.mcap"), "--topic", "/end")
check(json.loads(out)["message"]["step"] == s["steps"], "its log's end", out, err)
replay = Program(SAGBEND, "replay", path("h.mcap"), "--publish", "--rate", "0.01", *ANY_PORT)
replay.wait_for("telemetry at")
replay.signal(signal.SIGHUP)
check(replay.end() == 0, "sagbend replay at a hang-up", replay.stderr())


def signals(program, kind):
    """The signals that a program catches (SigCgt) or ignores (SigIgn), as bits."""
    with open(f"/proc/{program.process.pid}/status") as file:
        return int(re.search(rf"^{kind}:\s*(\w+)", file.read(), re.M).group(1), 16)


for program, *args in ([SAGBEND, "run", JLAY, "--mode", "realtime", "--duration", "0", *ANY_PORT], [SAGBEND_DP, JLAY_DP]):
    kept = Program("/usr/bin/nohup", program, *args)
    if program == SAGBEND:
        kept.wait_for("until stopped")
    else:
        until(lambda: signals(kept, "SigCgt") >> signal.SIGTERM - 1 & 1, "it catches no SIGTERM", kept.stderr)
    check(signals(kept, "SigIgn") >> signal.SIGHUP - 1 & 1, "a hang-up is not ignored below nohup", program)
    kept.signal(signal.SIGHUP)
    time.sleep(0.3)
    check(kept.process.poll() is None, "nohup", kept.stderr())
    kept.signal(signal.SIGTERM)
    check(kept.end() == 0, "ended after nohup", kept.stderr())
