"""A record on a disk that accepts nothing for a while (here: a pipe whose reader does not read). In real time commands are served
as before; rows and shapes are dropped, counted, reported, and the files say where. In fast mode the run waits and nothing is missing."""
import select
import threading
from harness import *

EVERY_STEP = ["--record-every", "0.002", "--shapes-every", "0.002", "--set", "network.nodes_period_s=0.002"]


class Pipe:
    """A named pipe in place of a file: what is written waits until read() is called."""

    def __init__(self, name):
        self.path = path(name)
        os.mkfifo(self.path)
        self.end = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        self.lines = []

    def read(self):
        os.set_blocking(self.end, True)
        self.thread = threading.Thread(target=self.read_all)
        self.thread.start()

    def read_all(self):
        with os.fdopen(self.end) as file:
            self.lines = file.read().splitlines()

    def all(self):
        self.thread.join()
        return self.lines


def missing(lines, what):
    notes = [re.fullmatch(rf"# (\d+) {what} missing here", line) for line in lines if line.startswith("#")]
    check(all(notes), "notes of what is missing", [line for line in lines if line.startswith("#")])
    return sum(int(note.group(1)) for note in notes)


record, shapes = Pipe("record.fifo"), Pipe("shapes.fifo")
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--step-s", "0.002", *EVERY_STEP, "--summary", path("s.json"),
                      "--record", record.path, "--shapes", shapes.path)
dp = controller(simulator, "--set", "pid.start_s=0.1")
simulator.wait_for("record_dropped")

# The recorder stands still now, and nothing reads before this many commands were accepted and used.
before = simulator.wait_for_telemetry("timing", lambda m: m.commands_accepted > 0)
after = simulator.wait_for_telemetry("timing", lambda m: m.commands_accepted >= before.commands_accepted + 50)
based_on = simulator.wait_for_telemetry("sensors", lambda m: m.command_based_on_step > before.header.step).command_based_on_step
check(after.commands_refused == before.commands_refused, "commands were refused", before, after)
record.read()
shapes.read()
simulator.wait_for_step(based_on + 100)
simulator.signal()
check(simulator.end() == 0, "the run failed", simulator.stderr())
dp.end()

s = load("s.json")
steps = s["steps"] + 1
rows, blocks = record.all(), "\n".join(shapes.all())
print(f"{s['record']} of {steps} steps, {s['commands']['accepted']} commands accepted")
check(not s["record"]["complete"] and s["record"]["rows_missing"] + s["record"]["shapes_missing"] > 0, "summary", s["record"])
check("the record is not complete" in simulator.stderr(), "no line at the end", simulator.stderr())
check(missing(rows, "rows") == s["record"]["rows_missing"], "rows missing", s["record"])
check(missing(blocks.splitlines(), "shapes") == s["record"]["shapes_missing"], "shapes missing", s["record"])
kept = [line for line in rows[1:] if not line.startswith("#")]
check(len(kept) + s["record"]["rows_missing"] == steps, "each row is there or counted", len(kept), steps, s["record"])
columns = rows[0].split(",")
check(all(len(line.split(",")) == len(columns) for line in kept), "a row is not whole")

# Fast: the same, but the run waits for the reader.
record, shapes = Pipe("fast-record.fifo"), Pipe("fast-shapes.fifo")
fast = Program(SAGBEND, "run", JLAY, "--mode", "fast", "--duration", "4", "--step-s", "0.002", *EVERY_STEP, "--summary", path("f.json"),
               "--record", record.path, "--shapes", shapes.path)
until(lambda: select.select([record.end], [], [], 0)[0], "nothing is written", fast.stderr())
record.read()
shapes.read()
check(fast.end() == 0, "the fast run failed", fast.stderr())
rows, blocks = record.all(), shapes.all()
s = load("f.json")
check(s["record"] == {"rows_missing": 0, "shapes_missing": 0, "laid_nodes_missing": 0, "complete": True}, "a fast run drops nothing", s["record"])
check(len(rows) == 2002 and not any(line.startswith("#") for line in rows + blocks), "rows of the fast run", len(rows))
check(blocks.count("") == 2001, "shapes of the fast run", blocks.count(""))

# A record that is not whole on the disk fails the run, also in summary and JUnit; each file is written as far as possible.
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", "--record", "/dev/full", "--summary", path("full.json"),
                       "--junit", path("full.xml"))
s = load("full.json")
check(status == 1 and "failed: /dev/full: not written completely: No space left on device" in err, "a full disk", status, err)
check(not s["record"]["complete"] and not s["passed"] and any("/dev/full" in reason for reason in s["failures"]), "summary", s["record"], s["failures"])
with open(path("full.xml")) as file:
    check('failures="1"' in file.read(), "JUnit")
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", "--summary", "/dev/full", "--junit", path("other.xml"))
check(status == 1 and "/dev/full" in err and os.path.exists(path("other.xml")), "JUnit without a summary", status, err)
