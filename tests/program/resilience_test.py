"""What a session in real time withstands. Each row disturbs a running session and compares it with a quiet time of the same
length before it: steps made, late and lost, and afterwards memory and descriptors. Late and lost steps are reported, not
judged, because a busy machine has them without any disturbance.

resilience_test.py BUILD SOURCE [SECONDS [ROW...]]: length of each disturbance (2 s). tools/resilience prints the table."""
import contextlib
import statistics
import threading

from disturb import *
from harness import *

SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 2
WANTED = sys.argv[4:]
TOPICS = ["sensors", "truth", "nodes", "ledger", "timing", "event"]
# Short, as some rows wait until a controller is missed; long enough for a machine that others take away for a second or two.
TIMEOUTS = ["--set", "network.command_timeout_s=5", "--set", "network.command_max_age_s=5"]
ROWS, TABLE = [], []


def row(function):
    ROWS.append(function)
    return function


class Session(Simulator):
    """A simulator in real time whose timing and events are collected, and a controller in command."""

    def __init__(self, *args, environment=None, with_controller=True):
        self.summary = path(f"summary-{Program.count}.json")
        super().__init__(JLAY, "--mode", "realtime", "--duration", "0", "--summary", self.summary, "--set",
                         "network.timing_period_s=0.1", *TIMEOUTS, *args, environment=environment)
        self.timing, self.sensors = None, None
        self.context = zmq.Context()
        threading.Thread(target=self.collect, daemon=True).start()
        self.dp = self.new_controller() if with_controller else None
        until(lambda: self.timing and self.sensors, "no telemetry", self.stderr())
        if with_controller:
            self.command_is("LIVE")

    def collect(self):
        subscriber = self.context.socket(zmq.SUB)
        subscriber.linger = 0
        subscriber.connect(self.telemetry)
        for topic in ["timing", "sensors"]:
            subscriber.subscribe(topic)
        with contextlib.suppress(zmq.ContextTerminated):
            while True:
                topic, payload = subscriber.recv_multipart()
                if topic == b"timing":
                    self.timing = telemetry_pb2.Timing.FromString(payload)
                else:
                    self.sensors = telemetry_pb2.Sensors.FromString(payload)
        subscriber.close()

    def new_controller(self, *args, endpoint=None):
        dp = controller(self, "--set", "pid.start_s=0", *args, endpoint=endpoint)
        dp.wait_for("takes over|not following|in command", timeout=PATIENCE_S)
        return dp

    def command_is(self, name):
        """Waits until the command in use has this state."""
        state = getattr(telemetry_pb2, "COMMAND_STATE_" + name)
        until(lambda: self.sensors.command_state == state, f"the command does not become {name}", lambda: self.sensors, self.stderr, lambda: self.dp and self.dp.stderr())

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def fresh_timing(self):
        last = self.timing.header.step
        until(lambda: self.timing.header.step > last, "no timing follows", self.stderr)
        return self.timing

    def disturb(self, name, disturbance):
        """Runs disturbance(), after a quiet time of the same length, and adds a row to the table."""
        marks = [self.fresh_timing()]
        time.sleep(SECONDS)
        marks.append(self.fresh_timing())
        memory, files = self.memory(), self.files()
        disturbance()
        marks.append(self.fresh_timing())
        steps = [b.header.step - a.header.step for a, b in zip(marks, marks[1:])]
        late = [b.late_steps - a.late_steps for a, b in zip(marks, marks[1:])]
        lost = [b.lost_periods - a.lost_periods for a, b in zip(marks, marks[1:])]
        check(steps[1] > 0, f"{name}: no step was made during the disturbance", self.stderr())
        # What a disturbance occupied is free again soon after it.
        until(lambda: self.files() <= files + 2, f"{name}: descriptors stay open", files, self.files)
        until(lambda: self.memory() < memory + 8, f"{name}: memory grew", memory, self.memory)
        TABLE.append([name, steps[0], late[0], lost[0], steps[1], late[1], lost[1], f"{self.memory() - memory:+.1f}",
                      f"{self.files() - files:+d}"])

    def finish(self):
        self.signal(signal.SIGTERM)
        check(self.end() == 0, "the session failed", self.stderr())
        if self.dp:
            check(self.dp.end() == 0, "the controller failed", self.dp.stderr())
        self.context.term()
        with open(self.summary) as file:
            return json.load(file)


@row
def controllers():
    """The controller is killed, suspended and has a rival."""
    session = Session()

    def kill():
        session.dp.kill()
        session.command_is("LOST")
        session.dp = session.new_controller()
        session.command_is("LIVE")

    def suspend():
        session.dp.suspend()
        session.command_is("LOST")
        time.sleep(SECONDS)
        session.dp.resume()
        session.command_is("LIVE")

    def rival():
        refused = session.fresh_timing().commands_refused
        rival = Program(SAGBEND_DP, JLAY_DP, "--connect", session.commands, "--name", "rival", "--set", "pid.start_s=0")
        until(lambda: session.timing.commands_refused > refused, "the rival's commands are not refused", rival.stderr)
        time.sleep(SECONDS)
        rival.kill()
        session.command_is("LIVE")

    session.disturb("controller: SIGKILL, new one", kill)
    session.disturb("controller: SIGSTOP, SIGCONT", suspend)
    session.disturb("two controllers", rival)
    commands = session.finish()["commands"]
    check(commands["lost"] == 2, "the command was lost twice, by the two that went silent, not by the rival", commands)


@row
def network():
    """The controller's network delays, loses and cuts."""
    session = Session(with_controller=False)
    proxy = Proxy(session.commands)
    session.dp = session.new_controller(endpoint=proxy.endpoint)
    session.command_is("LIVE")

    def delay():
        proxy.delay_s = 0.1
        time.sleep(SECONDS)
        session.command_is("LIVE")
        proxy.delay_s = 0

    def loss():
        proxy.loss = 0.2
        time.sleep(SECONDS)
        proxy.loss = 0
        session.command_is("LIVE")

    def cut():
        proxy.cut = True
        session.command_is("LOST")
        time.sleep(SECONDS)
        proxy.cut = False
        session.command_is("LIVE")

    session.disturb("network: delay of 50 to 150 ms", delay)
    session.disturb("network: every fifth packet lost", loss)
    session.disturb("network: cut and joined again", cut)
    session.finish()


@row
def netem():
    """The same by the kernel, in a network namespace of its own."""
    if "SAGBEND_NETEM" not in os.environ:
        if not netem_is_permitted():
            print("resilience: this machine does not permit tc netem; the rows 'network' stand in for it", file=sys.stderr)
            return
        script = 'ip link set lo up && exec "$@"'
        inside = subprocess.run(["unshare", "--net", "sh", "-c", script, "sh", sys.executable, *sys.argv[:3], str(SECONDS), "netem"],
                                env={**os.environ, "SAGBEND_NETEM": "1"})
        check(inside.returncode == 0, "under tc netem")
        return
    session = Session()

    def disturbed(*netem):
        def disturbance():
            subprocess.run(["tc", "qdisc", "replace", "dev", "lo", "root", "netem", *netem], check=True)
            time.sleep(SECONDS)
            subprocess.run(["tc", "qdisc", "del", "dev", "lo", "root"], check=True)
            session.command_is("LIVE")
        return disturbance

    session.disturb("netem: delay of 100 +- 50 ms", disturbed("delay", "100ms", "50ms"))
    session.disturb("netem: loss of 20 %", disturbed("loss", "20%"))
    session.disturb("netem: cut", disturbed("loss", "100%"))
    session.finish()


@row
def crowds():
    """Subscribers that never read, crowds of connections, half-open ones, other protocols."""
    session = Session("--set", "network.truth_period_s=0.01", "--set", "network.nodes_period_s=0.05")
    endpoints = [session.commands, session.telemetry]

    def deaf():
        own = zmq.Context()
        subscribers = [own.socket(zmq.SUB) for _ in range(5)]
        for s in subscribers:
            s.linger, s.rcvhwm = 0, 1
            s.subscribe("")
            s.connect(session.telemetry)
        time.sleep(SECONDS)
        own.destroy(linger=0)

    def connections():
        Crowd(endpoints).run(SECONDS, 50 * SECONDS)

    def half():
        sockets = half_open(endpoints, 60)
        time.sleep(SECONDS)
        for s in sockets:
            s.close()

    session.disturb("5 subscribers that never read", deaf)
    session.disturb("100 connections a second", connections)
    session.disturb("60 half-open connections", half)
    session.disturb("bytes that are not ZeroMQ", lambda: check(speak_other_protocols(endpoints, SECONDS) > 0, "nobody listened"))
    session.command_is("LIVE")
    commands = session.finish()["commands"]
    check(commands["lost"] == 0, "a command was lost", commands)


@row
def clock():
    """The wall clock jumps by hours; the monotonic clock does not."""
    if os.environ.get("SAGBEND_TEST_KIND") == "sanitize":
        return  # no library can be preloaded before the sanitizer's
    clocks = Clocks(os.path.join(BUILD, "tests/program/libjumping_clock.so"), path("clocks"))
    session = Session("--log", path("clock.mcap"), environment=clocks.environment)

    def jump():
        for seconds in [3600, -7200, 86400]:
            clocks.jump(seconds)
            time.sleep(SECONDS / 3)
        clocks.jump(0)

    session.disturb("wall clock: +1 h, -2 h, +1 day", jump)
    summary = session.finish()
    check(summary["commands"]["lost"] == 0, "a command was lost", summary["commands"])
    check(run("replay", path("clock.mcap"), "--verify")[0] == 0, "the log of a session whose clock jumped")


@row
def standstill():
    """The machine stands still: the process is suspended, and a virtual machine whose clocks show an hour more afterwards. No step
    is made up for; what was lost is counted, and the controller is in command again."""
    log, environment = path("standstill.mcap"), None
    if os.environ.get("SAGBEND_TEST_KIND") != "sanitize":
        clocks = Clocks(os.path.join(BUILD, "tests/program/libjumping_clock.so"), path("standstill"))
        environment = clocks.environment
    session = Session("--log", log, environment=environment)

    def suspend():
        session.suspend()
        time.sleep(SECONDS)
        session.resume()
        session.command_is("LIVE")

    def hour():
        clocks.jump(3600, 3600)
        session.command_is("LIVE")
        time.sleep(SECONDS)
        session.command_is("LIVE")

    begin, first = time.monotonic(), session.fresh_timing()
    session.disturb("SIGSTOP, SIGCONT", suspend)
    lost = session.timing.lost_periods - first.lost_periods
    check(lost > 50 * SECONDS, "what was lost while it was suspended is not counted", lost)
    if environment:
        session.disturb("an hour of a virtual machine", hour)
        lost = session.timing.lost_periods - first.lost_periods
        check(lost > 360000, "an hour is not counted as lost", lost)
    steps = session.fresh_timing().header.step - first.header.step
    check(steps < 110 * (time.monotonic() - begin) + 20, "steps are made up for", steps)
    session.finish()
    check(run("replay", log, "--verify")[0] == 0, "the log of a session that stood still")


@row
def ends():
    """SIGTERM amid a chunk of the log; kill -9, and the run resumed from its last checkpoint."""
    session = Session("--log", path("term.mcap"))
    session.fresh_timing()
    session.finish()
    check(run("replay", path("term.mcap"), "--verify")[0] == 0, "the log of a session that SIGTERM ended")

    kept = ["--checkpoint", path("kept"), "--checkpoint-every", "0.5"]
    session = Session("--log", path("killed.mcap"), *kept)
    until(lambda: os.path.exists(path("kept")), "no checkpoint", session.stderr())
    time.sleep(SECONDS)
    # Of two checkpoints that appear from now on, the second was begun after this step, however slow the disk is.
    kept_at = session.fresh_timing().header.step
    for _ in range(2):
        written = os.stat(path("kept")).st_mtime_ns
        until(lambda: os.stat(path("kept")).st_mtime_ns != written, "no further checkpoint", session.stderr)
    killed_at = session.fresh_timing().header.step
    session.kill()
    session.dp.kill()
    session.context.term()
    status, _, err = run("replay", path("killed.mcap"), "--verify")
    check(status == 3, "the log of a killed session is equal but incomplete", status, err)

    resumed = Session("--log", path("resumed.mcap"), *kept, "--resume", path("kept"))
    resumed.fresh_timing()
    summary = resumed.finish()
    check(summary["resumed_from"]["step"] >= kept_at, "it is not the last checkpoint", kept_at, summary["resumed_from"])
    lost = killed_at - summary["resumed_from"]["step"]
    status, _, err = run("replay", path("resumed.mcap"), "--verify")
    check(status == 0, "the log of the resumed session", status, err)
    print(f"kill -9 at step {killed_at}: {max(lost, 0)} steps ({max(lost, 0) * 0.01:.2f} s) followed the last checkpoint", file=sys.stderr)


@row
def flat():
    """Memory and descriptors over a long session: lockstep with log, checkpoints and subscribers, as fast as the machine can."""
    simulated_s = 150 * SECONDS  # its first two thirds hold the first chunks of the log and fill its ring once, whose pages are mapped at their first use
    simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", str(simulated_s), "--log", path("flat.mcap"), "--summary",
                          path("flat.json"), "--checkpoint", path("flat.checkpoint"), "--set", "log.nodes_period_s=10")
    dp = controller(simulator, "--set", "pid.start_s=0")
    subscriber = zmq.Context.instance().socket(zmq.SUB)
    subscriber.linger, subscriber.rcvhwm = 0, 0
    subscriber.subscribe("sensors")
    subscriber.connect(simulator.telemetry)
    step, early, late = 0, [], []  # (MiB, descriptors), in two thirds of the session and the last one
    while simulator.process.poll() is None:
        while subscriber.poll(0):
            step = telemetry_pb2.Sensors.FromString(subscriber.recv_multipart()[1]).header.step
        with contextlib.suppress(OSError, AttributeError):
            with open(f"/proc/{simulator.process.pid}/status") as status:
                memory = int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024
            (late if step >= 200 / 3 * simulated_s else early).append((memory, len(os.listdir(f"/proc/{simulator.process.pid}/fd"))))
        time.sleep(max(0.02, SECONDS / 100))
    subscriber.close()
    check(simulator.end() == 0 and dp.end() == 0, "the session failed", simulator.stderr())
    # From two thirds of the session on, everything that is allocated once has been allocated.
    check(len(early) >= 4 and len(late) >= 4, "too short to judge", early, late)
    growth = statistics.median(m for m, _ in late[len(late) // 2:]) - max(m for m, _ in early)  # a median: single values stand out
    check(growth < 0.8, "memory grows", early[-1], late[::max(1, len(late) // 8)])
    check(max(f for _, f in late) <= max(f for _, f in early), "descriptors grow", early[-1], late[::max(1, len(late) // 8)])
    TABLE.append([f"{simulated_s:g} s in lockstep", load("flat.json")["steps"], "", "", "", "", "", f"{growth:+.1f}", "+0"])


for function in ROWS:
    if not WANTED or function.__name__ in WANTED:
        print(f"{function.__name__} ...", flush=True)
        function()
heads = ["disturbance", "quiet: steps", "late", "lost", "disturbed: steps", "late", "lost", "MiB", "files"]
for cells in [heads] + TABLE if TABLE else []:
    print(f"{cells[0]:34}" + "".join(f"{cell!s:>{max(6, len(head) + 2)}}" for cell, head in zip(cells[1:], heads[1:])))
