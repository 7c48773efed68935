"""Standard error that nobody reads: the simulator answers, steps and ends all the same. Lines that found no room are counted, are an
event in the log, and a line says how many they were once somebody reads."""
import fcntl
import threading

from harness import *
from sagbend import Operator, SagbendError

PIPE_BYTES = 4096


def full_pipe():
    """A pipe into which nothing more fits; returns both ends."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, bytes(64))
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    return reader, writer


class Mute:
    """A simulator whose stderr is such a pipe."""

    def __init__(self, name, mode):
        self.name, self.endpoint = name, "ipc://" + path(name + ".orders")
        self.reader, writer = full_pipe()
        with open(path(name + ".out"), "w") as out:
            self.process = subprocess.Popen([SAGBEND, "run", JLAY, "--mode", mode, "--duration", "0", "--set", "pipe.elements=40",
                                             "--bind-command", self.endpoint, "--bind-telemetry", "ipc://" + path(name + ".telemetry"),
                                             "--log", path(name + ".mcap"), "--overwrite", "--summary", path(name + ".json")], stdout=out, stderr=writer)
        os.close(writer)
        atexit.register(self.process.kill)

    def order(self, *words):
        status, out, err = run("ctl", self.endpoint, *words)
        check(status == 0, f"{words}", out, err)
        return out

    def step(self):
        return json.loads(self.order("status", "--json"))["step"]

    def end(self):
        self.order("stop")
        check(self.process.wait(PATIENCE_S) == 0, "the end")
        return load(self.name + ".json")


# Nothing is ever read: it starts, answers, steps and ends.
mute = Mute("never", "realtime")
until(lambda: os.path.exists(path("never.orders")), "no socket")
step = mute.step()
until(lambda: mute.step() > step + 50, "it does not step")
for _ in range(5):
    mute.order("pause")
    mute.order("resume")
summary = mute.end()
check(summary["console"]["lines_missing"] >= 10 and summary["passed"], "lines that nobody read are counted", summary["console"])
events = [event["name"] for event in summary["events"]["first"]]
check(events.count("paused") == 5 and events.count("resumed") == 5, "events are in log and summary all the same", events)

# In the end somebody reads: every line that had room is there, in order, and nothing is missing.
mute = Mute("late", "realtime")
until(lambda: os.path.exists(path("late.orders")), "no socket")
for _ in range(5):
    mute.order("pause")
    mute.order("resume")
with os.fdopen(mute.reader, "rb") as stream:
    mute.order("stop")
    text = stream.read().decode(errors="replace")
check(mute.process.wait(PATIENCE_S) == 0, "the end")
check(re.findall(r"s: (paused|resumed): ", text) == ["paused", "resumed"] * 5, "the lines", text)
check(load("late.json")["console"]["lines_missing"] == 0, "nothing is missing", load("late.json")["console"])

# So much that the queue is full: what found no room is counted, and a line says so as soon as somebody reads.
mute = Mute("much", "realtime")
until(lambda: os.path.exists(path("much.orders")), "no socket")
with Operator(mute.endpoint, timeout_s=PATIENCE_S) as operator:
    given = 0
    while given < 1200:
        try:
            operator.order("pause" if given % 2 == 0 else "resume")
            given += 1
        except SagbendError:  # too many between two steps
            time.sleep(0.01)
lines = []
reader = threading.Thread(target=lambda: lines.extend(os.fdopen(mute.reader, "rb").read().decode(errors="replace").splitlines()))
reader.start()


def said():
    mute.order("pause")
    mute.order("resume")
    status = json.loads(mute.order("status", "--json"))
    return status["pauses"] >= 610


until(said, "the pauses")
summary = mute.end()
reader.join()
missing = [int(number) for number in re.findall(r"warning: (\d+) lines are missing here", "\n".join(lines))]
shown = sum(1 for line in lines if re.search(r"s: (paused|resumed): ", line))
check(missing and sum(missing) == summary["console"]["lines_missing"], "missing lines", missing, summary["console"])
check(sum(missing) >= 2 * summary["pauses"]["count"] - shown > 0, "what is missing", missing, shown, summary["pauses"]["count"])
out = run("log", "cat", path("much.mcap"), "--topic", "/event")[1]
check("console_dropped" in out and out.count('"name":"paused"') == summary["pauses"]["count"], "the events in the log")
