"""sagbend run --ready-fd: the line of JSON that says where the sockets are, or why the start has failed; descriptors that cannot
be written; a reader that has gone; signals during the start; further sessions; what processes that are started inherit."""
import fcntl
import resource
import select

from harness import *

FAST = ["--mode", "fast", "--duration", "0.05"]


class Child:
    """sagbend run with a pipe at a descriptor of its own."""

    def __init__(self, *args, **more):
        self.end, theirs = os.pipe()
        self.process = subprocess.Popen([SAGBEND, "run", *args, "--ready-fd", str(theirs)], pass_fds=[theirs], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
        os.close(theirs)
        self.said = b""
        atexit.register(self.process.kill)

    def line(self):
        """The next line as a dictionary; None: no further one comes."""
        while b"\n" not in self.said:
            check(select.select([self.end], [], [], PATIENCE_S)[0], "nothing is said")
            more = os.read(self.end, 4096)
            if not more:
                check(not self.said, "half a line", self.said)
                return None
            self.said += more
        line, self.said = self.said.split(b"\n", 1)
        return json.loads(line)

    def finish(self):
        err = self.process.communicate(timeout=PATIENCE_S)[1]
        os.close(self.end)
        return self.process.returncode, err


# Sockets on ports that the system chooses: the line names them, and they answer.
child = Child(JLAY, *ANY_PORT)
said = child.line()
check(said["ready"] is True and sorted(said) == ["commands", "ready", "session", "telemetry"], "the line", said)
status, out, err = run("ctl", said["commands"], "status", "--json")
check(status == 0 and json.loads(out)["session"] == said["session"], "the session at that endpoint", out, err)
inherited = os.listdir(f"/proc/{child.process.pid}/fd")
flags = [open(f"/proc/{child.process.pid}/fdinfo/{n}").read() for n in inherited if os.path.exists(f"/proc/{child.process.pid}/fd/{n}")
         and os.readlink(f"/proc/{child.process.pid}/fd/{n}") == f"pipe:[{os.fstat(child.end).st_ino}]"]
check(len(flags) == 1 and int(re.search(r"flags:\s*(\d+)", flags[0]).group(1), 8) & os.O_CLOEXEC, "children would inherit it", flags)

# A reset begins another session, which the next line names.
status, out, err = run("ctl", said["commands"], "reset")
check(status == 0, "the reset", err)
again = child.line()
check(again["session"] != said["session"] and again["commands"] == said["commands"], "the line of the second session", again)
child.process.send_signal(signal.SIGTERM)
check(child.line() is None and child.finish()[0] == 0, "the end")

# Mode fast has no sockets. A file takes the line, too, and so does a high descriptor.
child = Child(VESSEL, *FAST)
check(sorted(child.line()) == ["ready", "session"] and child.line() is None and child.finish()[0] == 0, "mode fast")
with open(path("said"), "w") as file:
    high = fcntl.fcntl(file, fcntl.F_DUPFD, 200)
    done = subprocess.run([SAGBEND, "run", VESSEL, *FAST, "--ready-fd", str(high)], pass_fds=[high], capture_output=True, text=True)
    os.close(high)
check(done.returncode == 0 and json.load(open(path("said")))["ready"], "a file", done.stderr)

# A start that fails says why.
taken = Simulator(JLAY)
child = Child(JLAY, "--bind-command", taken.commands, "--bind-telemetry", "tcp://127.0.0.1:*")
said = child.line()
check(said["ready"] is False and taken.commands in said["error"] and child.line() is None, "a port in use", said)
code, err = child.finish()
check(code == 1 and said["error"] in err, "its status and its message", code, err)
taken.kill()
child = Child(path("missing.yaml"))
check(child.line() == {"ready": False, "error": "the configuration is not valid; standard error states each error"}, "no configuration")
code, err = child.finish()
check(code == 2 and "missing.yaml" in err, "its status and its message", code, err)
child = Child(VESSEL, "--nonsense")
check(child.line() is None and child.finish()[0] == 2, "a wrong command line says nothing")

# Descriptors that cannot be written.
with open("/dev/null") as unwritable:
    for number, text in [(0, "a whole number from 1"), (1, "from 3 expected, got 1"), (2, "from 3 expected, got 2"), ("x", "a whole number"),
                         (777, "an open descriptor expected, got 777"), (unwritable.fileno(), "open for writing expected")]:
        done = subprocess.run([SAGBEND, "run", VESSEL, *FAST, "--ready-fd", str(number)], pass_fds=[unwritable.fileno()],
                              capture_output=True, text=True)
        check(done.returncode == 2 and text in done.stderr and done.stderr.count("\n") == 1, f"--ready-fd {number}", done.stderr)
        check(not done.stdout, "nothing has run", done.stdout)

# A reader that has gone, and a full disk: the run goes on and says so.
child = Child(VESSEL, *FAST, preexec_fn=lambda: time.sleep(0.5))
os.close(child.end)
child.end = os.open("/dev/null", os.O_RDONLY)
code, err = child.finish()
check(code == 0 and "notice: --ready-fd: " in err, "a reader that has gone", code, err)
done = subprocess.run(["sh", "-c", 'exec "$0" "$@" --ready-fd 3 3>/dev/full', SAGBEND, "run", VESSEL, *FAST], capture_output=True, text=True)
check(done.returncode == 0 and "notice: --ready-fd: No space left" in done.stderr, "a full disk", done.stderr)

# SIGTERM at any moment of the start: a whole line or none, and the process ends.
for delay_ms in range(0, 200, 20):
    child = Child(JLAY, *ANY_PORT)
    time.sleep(delay_ms / 1000)
    child.process.send_signal(signal.SIGTERM)
    said = child.line()
    check(said is None or said["ready"] or "stop" in said["error"], "SIGTERM during the start", said)
    code, err = child.finish()
    check(code in (0, -signal.SIGTERM) and (code == 0) == (said is not None), f"SIGTERM after {delay_ms} ms", code, said, err)

print("ok")
