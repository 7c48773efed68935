"""The simulator as a service. The test is the service manager: it receives what sd_notify sends. READY=1 comes when the
steps run, WATCHDOG=1 while step thread and main thread run and no longer when one of them stands still; a run that waits
for its controller is healthy. Where the journal reads stderr, events become entries with fields."""
import ctypes
import select
import socket

from harness import *

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207


class Manager:
    """The socket of NOTIFY_SOCKET, and the messages that have come."""

    def __init__(self, name, abstract=False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + path(name) if abstract else path(name))
        os.environ["NOTIFY_SOCKET"] = "@" + path(name) if abstract else path(name)
        self.all = []

    def next(self):
        ready, _, _ = select.select([self.socket], [], [], PATIENCE_S)
        check(ready, "no further notification", self.all)
        message = self.socket.recv(4096).decode()
        self.all.append(message)
        return message

    def wait_for(self, pattern):
        """Returns the messages up to the first that matches."""
        first = len(self.all)
        while not re.search(pattern, self.next()):
            pass
        return self.all[first:]


def trace(request, thread):
    check(libc.ptrace(request, thread, None, None) == 0, "ptrace", request, os.strerror(ctypes.get_errno()))


def thread_of(process, name):
    tasks = f"/proc/{process.pid}/task"
    for task in os.listdir(tasks):
        with open(f"{tasks}/{task}/comm") as file:
            if file.read().strip() == name:
                return int(task)
    sys.exit(f"FAILED: no thread {name}")


def hold(simulator, manager, thread, words):
    """Stops one thread of the simulator as a debugger does: the watchdog starves until it runs again."""
    trace(PTRACE_SEIZE, thread)
    trace(PTRACE_INTERRUPT, thread)
    os.waitpid(thread, 0x40000000)  # __WALL: it stands still
    manager.wait_for(f"STATUS=the {words} hangs")
    while_held = manager.wait_for(f"STATUS=the {words} hangs") + manager.wait_for(f"STATUS=the {words} hangs")
    check("WATCHDOG=1" not in while_held, f"the watchdog is fed while the {words} stands still", while_held)
    simulator.wait_for(f"the {words} has not moved for [0-9.]+ s: the watchdog is not fed")
    trace(PTRACE_DETACH, thread)
    manager.wait_for("WATCHDOG=1")
    simulator.wait_for(f"the {words} moves again")


os.environ["WATCHDOG_USEC"] = "2000000"
os.environ.pop("WATCHDOG_PID", None)

# Real time.
manager = Manager("realtime")
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0")
before = manager.wait_for("READY=1")
check("WATCHDOG=1" not in before, "fed before it is ready", before)
simulator.wait_for_step(1)
manager.wait_for("WATCHDOG=1")
steps = [int(re.search(r"STATUS=step (\d+), lag [0-9.]+ s, \d+ late steps", manager.wait_for("STATUS=step")[-1]).group(1)) for _ in range(2)]
check(0 <= steps[0] < steps[1], "the state line", steps)
hold(simulator, manager, thread_of(simulator.process, "step"), "step thread")
hold(simulator, manager, simulator.process.pid, "main thread")
status, out, err = run("ctl", simulator.commands, "pause")
check(status == 0, "pause", out, err)
manager.wait_for("STATUS=paused at step")
paused = [manager.wait_for("WATCHDOG=1") for _ in range(3)]
check(not any("hangs" in message for messages in paused for message in messages), "a pause counts as hanging", paused)
simulator.signal()
manager.wait_for("STOPPING=1")
check(simulator.end() == 0, "the end", simulator.stderr())

# Lockstep without a controller: it waits, which is healthy.
manager = Manager("lockstep")
simulator = Simulator(JLAY, "--mode", "lockstep")
manager.wait_for("READY=1")
simulator.wait_for("waiting_for_response")
first = len(manager.all)
for _ in range(3):
    manager.wait_for("WATCHDOG=1")
check(not any("hangs" in message for message in manager.all[first:]), "waiting counts as hanging", manager.all)
simulator.signal()
manager.wait_for("STOPPING=1")
check(simulator.end() == 0, "the end in lockstep", simulator.stderr())

# Without a watchdog nothing is fed; a manager that does not hear does not stop the run.
del os.environ["WATCHDOG_USEC"]
manager = Manager("no-watchdog")
status, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "100")
manager.wait_for("STOPPING=1")
check(status == 0 and "WATCHDOG=1" not in manager.all, "a run without a watchdog", manager.all, err)
for place, error in ((path("nobody"), "No such file or directory"), ("nobody", "Invalid argument"), ("/" + 200 * "x", "Invalid argument")):
    os.environ["NOTIFY_SOCKET"] = place
    status, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "1")
    check(status == 0 and f"NOTIFY_SOCKET does not hear: {error}" in err, "nobody at NOTIFY_SOCKET", place, status, err)

# A socket without a file, as in a container; a watchdog is that of the process that it names.
for process, is_watched in (("$$", True), ("1", False)):
    manager = Manager("abstract", abstract=True)
    command = f'WATCHDOG_USEC=2000000 WATCHDOG_PID={process} exec "$0" run "$1" --mode fast --duration 0'
    simulator = Program("sh", "-c", command, SAGBEND, VESSEL)
    manager.wait_for("STATUS=step")
    manager.wait_for("STATUS=step")  # a second later: it is fed twice a second
    check(("WATCHDOG=1" in manager.all) == is_watched, f"the watchdog of {process}", manager.all)
    simulator.signal()
    manager.wait_for("STOPPING=1")
    check(simulator.end() == 0, "the end", simulator.stderr())
    manager.socket.close()

# The journal: a preloaded library leads its socket here, which a sanitizer's run-time does not allow.
del os.environ["NOTIFY_SOCKET"]
if os.environ.get("SAGBEND_TEST_KIND") == "sanitize":
    sys.exit()
journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
journal.bind(path("journal"))
preload = f"LD_PRELOAD={os.path.join(BUILD, 'tests/program/libjournal_socket.so')} SAGBEND_TEST_JOURNAL={path('journal')}"
here = "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)"


def entries(*args):
    """Runs sagbend with the journal at its stderr; returns status, stderr and the entries as dictionaries."""
    done = subprocess.run(["sh", "-c", f'{here} {preload} exec "$0" "$@"', SAGBEND, *args], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
    found = []
    while select.select([journal], [], [], 0)[0]:
        found.append(dict(line.split("=", 1) for line in journal.recv(65536).decode().splitlines()))
    return done.returncode, done.stderr, found


status, err, found = entries("run", os.path.join(SOURCE, "configs/scenarios/drift-off.yaml"), "--mode", "fast", "--set", "events.0.at_s=5", "--duration", "40",
                             "--summary", path("summary.json"))
session = load("summary.json")["session"]
check(status in (0, 1) and found and err == "", "nothing but entries", status, err, found)
check(all(entry["SAGBEND_SESSION"] == session and entry["SYSLOG_IDENTIFIER"] == "sagbend" for entry in found if "SAGBEND_EVENT" in entry), "session", found)
began = [entry for entry in found if entry.get("SAGBEND_EVENT") == "fault_began"]
check(began and all(entry["PRIORITY"] == "5" and int(entry["SAGBEND_STEP"]) > 0 and "fault_began: " in entry["MESSAGE"] for entry in began),
      "the entry of a fault", found)
violated = [entry for entry in found if entry.get("SAGBEND_EVENT") == "verdict_violated"]
check(all(entry["PRIORITY"] == "4" for entry in violated), "the entry of a verdict", violated)
status, err, found = entries("run", path("missing.yaml"))
check(status == 2 and err, "an error before the run", status, err, found)

# stderr is not the journal's: plain lines.
os.environ["JOURNAL_STREAM"] = "1:2"
status, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "1")
check(status == 0 and re.search(r"^sagbend: vessel-only: session", err, re.M), "lines", err)
