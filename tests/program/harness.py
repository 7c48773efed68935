"""Common functions of the program tests: paths, running a program to its end, starting a simulator and finding its sockets."""
import atexit
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

BUILD, SOURCE = sys.argv[1], sys.argv[2]
SAGBEND = os.path.join(BUILD, "sagbend")
SAGBEND_DP = os.path.join(BUILD, "sagbend-dp")
JLAY = os.path.join(SOURCE, "configs/jlay-900m.yaml")
JLAY_DP = os.path.join(SOURCE, "configs/jlay-900m-dp.yaml")
VESSEL = os.path.join(SOURCE, "configs/vessel-only.yaml")
FOLDER = tempfile.mkdtemp(prefix="sagbend-test-")
ANY_PORT = ["--bind-command", "tcp://127.0.0.1:*", "--bind-telemetry", "tcp://127.0.0.1:*"]
SKIPPED = 77


def path(name):
    return os.path.join(FOLDER, name)


def run(*args, program=SAGBEND, timeout=60):
    """Runs a program to its end; returns (exit status, stdout, stderr)."""
    done = subprocess.run([program, *args], capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def check(condition, what, *shown):
    if not condition:
        sys.exit("\n".join(["FAILED: " + what, *map(str, shown)]))


def load(name):
    with open(path(name)) as file:
        return json.load(file, parse_constant=lambda c: sys.exit(f"FAILED: {c} in {name}, not JSON"))


def hashes(name):
    with open(path(name)) as file:
        return [line.split() for line in file]


class Program:
    """A program in the background. Its stderr goes to a file that can be read at any time."""

    count = 0

    def __init__(self, program, *args):
        Program.count += 1
        self.log = path(f"stderr-{Program.count}")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([program, *args], stdout=subprocess.DEVNULL, stderr=log)
        atexit.register(self.kill)  # a failed test leaves no process running

    def stderr(self):
        with open(self.log) as file:
            return file.read()

    def wait_for(self, pattern, timeout=30):
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

    def end(self, timeout=60):
        """Waits for the end; returns the exit status."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            sys.exit(f"FAILED: {self.process.args} did not end within {timeout} s:\n{self.stderr()}")

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Simulator(Program):
    """sagbend run on TCP ports that the system chooses."""

    def __init__(self, config, *args):
        super().__init__(SAGBEND, "run", config, *ANY_PORT, *args)
        self.commands = self.wait_for(r"commands at (\S+)").group(1)
        self.telemetry = self.wait_for(r"telemetry at (\S+)").group(1)

    def wait_for_step(self, step, timeout=60):
        """Waits until Sensors of this step or a later one were published; returns the step."""
        import zmq
        sys.path.insert(0, os.path.join(BUILD, "proto/python"))
        from sagbend.v1 import telemetry_pb2
        subscriber = zmq.Context.instance().socket(zmq.SUB)
        subscriber.subscribe("sensors")
        subscriber.connect(self.telemetry)
        reached, deadline = -1, time.monotonic() + timeout
        while reached < step and time.monotonic() < deadline and self.process.poll() is None:
            if subscriber.poll(100):
                reached = telemetry_pb2.Sensors.FromString(subscriber.recv_multipart()[1]).header.step
        subscriber.close(linger=0)
        check(reached >= step, f"no step {step} from {self.process.args}", self.stderr())
        return reached


def controller(simulator, *args, config=JLAY_DP):
    return Program(SAGBEND_DP, config, "--connect", simulator.commands, *args)
