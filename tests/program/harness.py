"""Common functions of the program tests: paths, running a program to its end, starting a simulator and finding its sockets."""
import atexit
import functools
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

BUILD, SOURCE = sys.argv[1], sys.argv[2]
guard = os.path.join(BUILD, "tests/guard")
if "SAGBEND_GUARDED" not in os.environ and os.path.exists(guard):  # a test that is run by hand leaves nothing either, however it ends
    os.execv(guard, [guard, os.path.basename(sys.argv[0]), sys.executable, *sys.argv])
sys.path.insert(0, os.path.join(BUILD, "proto/python"))
sys.path.insert(0, os.path.join(SOURCE, "docs/examples"))  # dp_law, the law of the example controllers


def when_used(name):
    """A module that is imported with the first use of one of its names: half of the tests use none of zmq and of the messages. Those
    run where the messages are not built, too: then it is None."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        spec = None
    if not spec:
        return None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


zmq, envelope_pb2, telemetry_pb2 = map(when_used, ("zmq", "sagbend.v1.envelope_pb2", "sagbend.v1.telemetry_pb2"))
SAGBEND = os.path.join(BUILD, "sagbend")
SAGBEND_DP = os.path.join(BUILD, "sagbend-dp")
SAGBEND_VIEW = os.path.join(BUILD, "sagbend-view")
JLAY = os.path.join(SOURCE, "configs/jlay-900m.yaml")
JLAY_DP = os.path.join(SOURCE, "configs/jlay-900m-dp.yaml")
VESSEL = os.path.join(SOURCE, "configs/vessel-only.yaml")
try:  # below the guard's folder, with a short name: programs cut long paths in what they say
    FOLDER = os.path.join(os.environ["TMPDIR"] if "SAGBEND_GUARDED" in os.environ else "/nowhere", "t")
    os.mkdir(FOLDER)
except OSError:  # without a guard, or a process of a test that has it
    FOLDER = tempfile.mkdtemp(prefix="sagbend-test-")
ANY_PORT = ["--bind-command", "tcp://127.0.0.1:*", "--bind-telemetry", "tcp://127.0.0.1:*"]
ANY_LAG = ["--set", "simulation.lost_time_limit_s=0"]  # for a test in real time: what a busy machine loses is no failure
COARSE = ["--set", "pipe.elements=20", "--set", "simulation.step_s=0.05"]  # where the pipe is not the subject
# A controller that is alive is never silent or behind for so long, however busy the machine is.
PATIENT = ["--set", "network.command_timeout_s=20", "--set", "network.command_max_age_s=20"]
SKIPPED = 77
PATIENCE_S = int(os.environ.get("PATIENCE", 120))


@functools.lru_cache(maxsize=None)
def telemetry_kinds():
    """The message of each topic that a session publishes; that of alarms only if it has had one. The socket's messages name their topic
    alone: view_live_test compares the list with the channels that sagbend-view advertises."""
    from sagbend.v1 import operator_pb2, session_pb2
    kinds = {name: getattr(telemetry_pb2, name.capitalize()) for name in ("sensors", "truth", "nodes", "ledger", "timing", "session")}
    return {**kinds, "dp": telemetry_pb2.ControllerView, "alarm": telemetry_pb2.Alarms, "status": operator_pb2.Status, "event": session_pb2.Event, "end": session_pb2.End}


def message_class(name, files):
    """The class of a message by nothing but its name and the FileDescriptorSet that comes with it, in a log or from sagbend-view."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(files).file:
        pool.Add(file)
    described = pool.FindMessageTypeByName(name)
    return message_factory.GetMessageClass(described) if hasattr(message_factory, "GetMessageClass") else message_factory.MessageFactory(pool).GetPrototype(described)


def path(name):
    return os.path.join(FOLDER, name)


def free_ports(count):
    """Ports of this machine for datagrams."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def is_closed(connection):
    """Reads from a socket until the other end closes it."""
    connection.settimeout(PATIENCE_S)
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


def run(*args, program=SAGBEND, timeout=5 * PATIENCE_S):
    """Runs a program to its end; returns (exit status, stdout, stderr)."""
    done = subprocess.run([program, *args], capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def until(holds, what, *shown, timeout=PATIENCE_S, every=0.01):
    """Waits until holds() is true. The time-out only ends a test that has failed; no test depends on its length. What is shown then
    can be a function, called at that moment."""
    deadline = time.monotonic() + timeout
    while not holds():
        check(time.monotonic() < deadline, what, *shown)
        time.sleep(every)


def check(condition, what, *shown):
    if not condition:
        sys.exit("\n".join(["FAILED: " + what, *(str(s() if callable(s) else s) for s in shown)]))


def load(name):
    with open(path(name)) as file:
        return json.load(file, parse_constant=lambda c: sys.exit(f"FAILED: {c} in {name}, not JSON"))


def hashes(name):
    with open(path(name)) as file:
        return [line.split() for line in file]


def check_replay(log, *options, timeout=5 * PATIENCE_S):
    """A log is computed again to the same bits."""
    status, out, err = run("replay", "--verify", path(log), *options, timeout=timeout)
    check(status == 0 and re.search("^result +equal$", out, re.M), f"replay of {log}", status, out, err)


def check_resumed(config, first, rest, whole="whole.txt"):
    """A run that ends early and is resumed from its checkpoint has the bits of the whole one, which has written its hashes; returns what
    the resumed one prints."""
    status, out, err = run("run", config, *first, "--checkpoint", path("interrupted"))
    check(status == 0, "first part", status, err)
    status, out, err = run("run", config, *rest, "--resume", path("interrupted"), "--hashes", path("rest.txt"))
    check(status == 0, "resumed", status, err)
    check(hashes("rest.txt")[-1] == hashes(whole)[-1], "bits of a resumed run")
    return out + err


def small_disk(name, size):
    """A folder on a file system of its own, of this size; None: nobody may mount one here."""
    folder = path(name)
    os.mkdir(folder)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True, text=True)
    if mounted.returncode:
        print("SKIPPED: no small file system can be mounted here:", mounted.stderr.strip())
    return None if mounted.returncode else folder


class Program:
    """A program in the background. Its output goes to files that can be read at any time."""

    count = 0

    def __init__(self, program, *args, environment=None):
        if telemetry_pb2 and "run" in args:  # now, because a session can end while a slow machine imports them
            zmq.Context, telemetry_pb2.Sensors, envelope_pb2.Envelope
        Program.count += 1
        self.log = path(f"stderr-{Program.count}")
        self.output = path(f"stdout-{Program.count}")
        with open(self.log, "w") as log, open(self.output, "w") as output:
            self.process = subprocess.Popen([program, *args], stdout=output, stderr=log,
                                            env={**os.environ, **(environment or {})})
        atexit.register(self.kill)  # a failed test leaves no process running

    def stderr(self):
        with open(self.log) as file:
            return file.read()

    def stdout(self):
        with open(self.output) as file:
            return file.read()

    def wait_for(self, pattern, timeout=PATIENCE_S):
        """Waits until stderr contains the pattern; returns the match."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            match = re.search(pattern, self.stderr())
            if match:
                return match
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        self.kill()
        sys.exit(f"FAILED: no '{pattern}' from {self.process.args}, but:\n{self.stderr()}")

    def end(self, timeout=PATIENCE_S):
        """Waits for the end; returns the exit status."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            sys.exit(f"FAILED: {self.process.args} did not end within {timeout} s:\n{self.stderr()}")

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def suspend(self):
        """Suspends the process; returns once all its threads stand still."""
        self.signal(signal.SIGSTOP)
        tasks = f"/proc/{self.process.pid}/task"

        def stopped(task):
            with open(f"{tasks}/{task}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "T"

        until(lambda: all(stopped(task) for task in os.listdir(tasks)), "it does not stop", self.stderr())

    def resume(self):
        self.signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Simulator(Program):
    """sagbend run on TCP ports that the system chooses."""

    def __init__(self, config, *args, environment=None):
        super().__init__(SAGBEND, "run", config, *ANY_PORT, *args, environment=environment)
        self.commands = self.wait_for(r"commands at (\S+)").group(1)
        self.telemetry = self.wait_for(r"telemetry at (\S+)").group(1)

    def wait_for_telemetry(self, topic, holds, timeout=PATIENCE_S):
        """Waits for a message of this topic for which holds(message) is true; returns it."""
        kind = telemetry_kinds()[topic]
        subscriber = zmq.Context.instance().socket(zmq.SUB)
        subscriber.subscribe(topic)
        subscriber.connect(self.telemetry)
        message, found, deadline = None, False, time.monotonic() + timeout
        while not found and time.monotonic() < deadline and (self.process.poll() is None or subscriber.poll(0)):
            if subscriber.poll(100):
                message = kind.FromString(subscriber.recv_multipart()[1])
                found = holds(message)
        subscriber.close(linger=0)
        check(found, f"no such {topic} from {self.process.args}, the last is", message, self.stderr())
        return message

    def wait_for_step(self, step, timeout=PATIENCE_S):
        """Waits until Sensors of this step or a later one were published; returns the step."""
        return self.wait_for_telemetry("sensors", lambda m: m.header.step >= step, timeout).header.step

    def ctl(self, *words, expect=0):
        """An operator's order, which ends with this status; returns what is printed."""
        status, out, err = run("ctl", self.commands, *words)
        check(status == expect, f"ctl {words}: status {status}", out, err, self.stderr()[-3000:])
        return out + err

    def rate(self, times):
        """The pace of mode realtime. Whoever waits for a simulated minute need not wait for one."""
        self.ctl("rate", str(times))

    def go_on(self, steps):
        """Waits until so many more steps were made; returns the step."""
        return self.wait_for_step(self.wait_for_step(0) + steps)


class View(Program):
    """sagbend-view with its page at an address; port 0: the system chooses one."""

    def __init__(self, *arguments, port=0):
        super().__init__(SAGBEND_VIEW, *arguments, "--listen", f"127.0.0.1:{port}")
        self.port = int(self.wait_for(r"http://127\.0\.0\.1:(\d+)/").group(1))
        self.address = f"http://127.0.0.1:{self.port}/"


def connect_and_wait(socket, endpoint):
    """Connects and returns when both sides have greeted each other, so that a subscriber misses nothing that follows."""
    monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
    socket.connect(endpoint)
    check(monitor.poll(1000 * PATIENCE_S), "no connection to " + endpoint)
    socket.disable_monitor()


def controller(simulator, *args, config=JLAY_DP, endpoint=None):
    return Program(SAGBEND_DP, config, "--connect", endpoint or simulator.commands, *args)


class CommandPeer:
    """A DEALER at the command endpoint; what it sends is the test's."""

    def __init__(self, simulator, name):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(simulator.commands)
        self.name, self.sequence, self.session = name, 0, ""

    def envelope(self, kind):
        """An envelope and its message of this kind, the next one in the sequence."""
        envelope = envelope_pb2.Envelope()
        message = getattr(envelope, kind)
        self.sequence += 1
        message.header.protocol, message.header.sequence = 1, self.sequence
        message.header.session = self.session if kind == "command" else ""
        return envelope, message

    def receive(self, *kinds):
        """The next message of one of these kinds; others are skipped."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            check(self.socket.poll(1000 * PATIENCE_S) and time.monotonic() < deadline, f"{self.name}: no {kinds}")
            envelope = envelope_pb2.Envelope.FromString(self.socket.recv())
            if envelope.WhichOneof("message") in kinds:
                return getattr(envelope, envelope.WhichOneof("message"))
