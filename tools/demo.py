"""tools/demo: runs a J-lay in 900 m of water in real time with its DP controller in a second process, then draws plots. tools/demo
lay: lays pipe along a route; tools/demo trials: tries every failure of a DP system; see their --help."""
import argparse
import csv
import json
import math
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tty

from ready import Started, ends_with_its_starter

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASE = os.path.join(ROOT, "configs/jlay-900m.yaml")
DP_FILE = os.path.join(ROOT, "configs/jlay-900m-dp.yaml")
STORY_S = 120  # duration to which the event times of the case refer
PLOTS = ["overview", "position", "tension", "pipe", "energy", "timing"]
WRITTEN = ["summary.json", "summary.txt", "record.csv", "shapes.csv"] + [p + ".png" for p in PLOTS]
ANY_PORT = "tcp://127.0.0.1:*"
FRESH = 2  # command_state in the record: a fresh command acts
CYCLE_US, CYCLE_S, PRIORITY = 10000, 2, 50


class Failure(Exception):
    """A failure, described in one line."""


class Stopped(Exception):
    """A signal requested the end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def stop(number, frame):
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)  # one signal suffices: the clean-up takes seconds
    raise Stopped(number)


def options():
    parser = argparse.ArgumentParser(prog="tools/demo", description=__doc__, epilog="Ctrl-C stops the demo cleanly. Exit status: "
                                     "0 success, 1 the simulator or the controller failed, 2 wrong usage, 128 + n signal n.")
    parser.add_argument("--duration", type=float, default=STORY_S, metavar="S",
                        help="simulated time in s (%(default)s); the times of the story scale with it")
    parser.add_argument("--out", default="demo-out", metavar="DIR", help="output directory (%(default)s)")
    parser.add_argument("--build", metavar="DIR", help="use the programs in this build directory; default: build them first")
    o = parser.parse_args()
    if not (math.isfinite(o.duration) and 1 <= o.duration <= 86400):
        parser.error(f"--duration: 1 to 86400 seconds expected, found {o.duration:g}")
    return o


def quiet(command, **more):
    """Runs a command to its end; .stdout contains stdout and stderr."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


class Progress:
    """How far the build is, on standard error: on a terminal a line that changes, elsewhere a line every ten seconds."""

    def __init__(self):
        self.on_terminal, self.shown_at, self.begun = sys.stderr.isatty(), 0, time.monotonic()

    def show(self, text, is_last=False):
        now = time.monotonic()
        if is_last or now - self.shown_at > (0.2 if self.on_terminal else 10):
            self.shown_at = now
            end = "\n" if is_last or not self.on_terminal else ""
            print(("\r\033[K" if self.on_terminal else "") + f"tools/demo: {text}, {now - self.begun:.0f} s", end=end, file=sys.stderr, flush=True)


def build():
    """Builds what the demo and the tour of the README use."""
    progress, text = Progress(), []
    for command in (["cmake", "--preset", "release"],
                    ["cmake", "--build", "--preset", "release", "--target", "sagbend", "sagbend-lab", "sagbend-verify", "sagbend-dp", "sagbend-view", "messages_python"]):
        guarded = [os.path.join(ROOT, "tools/guarded"), "demo", *command]  # no compiler goes on
        with subprocess.Popen(guarded, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              preexec_fn=ends_with_its_starter) as running:
            try:
                for line in running.stdout:
                    text.append(line)
                    step = re.match(r"\[(\d+)/(\d+)\]", line)
                    progress.show(f"building, step {step[1]} of {step[2]}" if step else "preparing the build")
            except Stopped:
                running.terminate()
                raise
        if running.returncode:
            raise Failure("the build failed: " + " ".join(command) + "\n" + "".join(text))
    progress.show("built", is_last=True)
    return os.path.join(ROOT, "build")


class Simulator:
    """A running sagbend run. Its stderr is forwarded, through a pseudo-terminal if ours is a terminal, for the status line."""

    def __init__(self, command, out):
        self.text = ""
        on_terminal = sys.stderr.isatty()
        self.end, theirs = pty.openpty() if on_terminal else os.pipe()
        if on_terminal:
            tty.setraw(theirs)
        self.table = open(os.path.join(out, "summary.txt"), "w")
        self.started = Started(command, stdin=subprocess.DEVNULL, stdout=self.table, stderr=theirs, start_new_session=True)
        self.process, self.endpoints = self.started.process, None
        os.close(theirs)
        self.reader = threading.Thread(target=self.pass_on, daemon=True)
        self.reader.start()

    def pass_on(self):
        while True:
            try:
                data = os.read(self.end, 4096)
            except OSError:  # a pseudo-terminal without writers raises this at its end
                data = b""
            if not data:
                break
            sys.stderr.buffer.write(data)
            sys.stderr.flush()
            self.text += data.decode(errors="replace")

    def endpoint(self, of="commands"):
        self.endpoints = self.endpoints or self.started.wait()
        if not self.endpoints:
            raise Failure("the simulator did not start")
        return self.endpoints[of]

    def close(self):
        self.reader.join(5)
        self.table.close()
        self.started.close()

    def log(self):  # without the status line
        return re.sub(r"(?m)^t +[0-9][^\n]*\n?", "", re.sub(r"[^\n]*\r(\x1b\[K)?", "", self.text))


def wait(process, seconds):
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def end(process, first=signal.SIGINT):
    """Ends a process: with the given signal first, then with SIGTERM, then with SIGKILL."""
    for number in (first, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
            wait(process, 5)


def fly(simulator, controller):
    """Waits until the simulator ends. The controller must not end earlier."""
    while wait(simulator, 0.1) is None:
        if controller.poll() is not None and (controller.returncode != 0 or wait(simulator, 5) is None):
            raise Failure(f"the controller ended before the simulator, with status {controller.returncode}; "
                          "see controller.log")
    if simulator.returncode:
        raise Failure(f"the simulator ended with status {simulator.returncode}")
    if wait(controller, 5) != 0:
        raise Failure(f"the controller did not end with the simulator (status {controller.poll()}); see controller.log")


def view(programs, telemetry, out):
    """Starts the live view and prints its address. Returns the process; None: there is no view, and the demo goes on without."""
    path = os.path.join(out, "view.log")
    for listen in ("127.0.0.1:8765", "127.0.0.1:0"):  # the second if another program uses the first
        with open(path, "w") as log:
            try:
                process = subprocess.Popen([os.path.join(programs, "sagbend-view"), "--connect", telemetry, "--listen", listen],
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=ends_with_its_starter)
            except OSError as error:
                print(f"notice: no live view: {error}", file=sys.stderr)
                return None
        address = None
        try:
            while not address and process.poll() is None:
                time.sleep(0.02)
                with open(path) as log:
                    address = re.search(r"http://\S+/", log.read())
        except Stopped:
            end(process, signal.SIGTERM)
            raise
        if address:
            print(f"live view: {address.group(0)}", file=sys.stderr)
            return process
    print("notice: no live view; see view.log", file=sys.stderr)
    return None


def run(programs, o):
    """Starts the processes, and ends all whatever happens."""
    scale = f"{o.duration / STORY_S:.17g}"
    path = lambda name: os.path.join(o.out, name)
    simulator = Simulator(
        [os.path.join(programs, "sagbend"), "run", CASE, "--mode", "realtime", "--duration", f"{o.duration:.17g}",
         "--set", "simulation.event_time_scale=" + scale, "--bind-command", ANY_PORT, "--bind-telemetry", ANY_PORT,
         "--summary", path("summary.json"), "--record", path("record.csv"),
         "--record-every", str(max(0.01, min(0.1, o.duration / 600))),
         "--log-dir", o.out, "--shapes", path("shapes.csv"), "--shapes-every", str(o.duration / 6)], o.out)
    controller = viewer = None
    try:
        endpoint = simulator.endpoint()
        viewer = view(programs, simulator.endpoint("telemetry"), o.out)
        with open(path("controller.log"), "w") as log:
            controller = subprocess.Popen([os.path.join(programs, "sagbend-dp"), DP_FILE, "--connect", endpoint,
                                           "--set", "event_time_scale=" + scale],
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                          preexec_fn=ends_with_its_starter)
        fly(simulator.process, controller)
    finally:
        end(simulator.process)
        if controller:
            end(controller, signal.SIGTERM)
        if viewer:
            end(viewer, signal.SIGTERM)
        simulator.close()
        with open(path("simulator.log"), "w") as log:
            log.write(simulator.log())


def cyclictest(out, fifo):
    """Wake-up latency of the machine itself with the same period and priority; None if it cannot be measured."""
    program = shutil.which("cyclictest")
    if not program or not fifo:
        print("notice: no cyclictest results: " + ("real-time priority is not permitted" if program else "not installed"),
              file=sys.stderr)
        return None
    report = os.path.join(out, "cyclictest.json")
    command = [program, "-q", "-m", "-p", str(PRIORITY), "-i", str(CYCLE_US), "-D", str(CYCLE_S), "-h", "100000",
               "--json=" + report]
    print(f"measuring the machine's own wake-up latency for {CYCLE_S} s", file=sys.stderr)
    done = quiet(command, timeout=CYCLE_S + 20)
    if done.returncode or not os.path.exists(report):
        print("notice: cyclictest failed: " + done.stdout.strip().replace("\n", "; "), file=sys.stderr)
        return None
    with open(report) as file:
        thread = json.load(file)["thread"]["0"]
    os.remove(report)
    late_us = sorted((int(us), count) for us, count in thread["histogram"].items())
    total = sum(count for us, count in late_us)

    def percentile(share):
        seen = 0
        for us, count in late_us:
            seen += count
            if seen >= share * total:
                return us

    return {"p50": percentile(0.5), "p99": percentile(0.99), "max": thread["max"], "samples": total,
            "period_us": CYCLE_US, "priority": PRIORITY}


def draw(out, given, plots):
    """Draws the PNGs of these scripts of tools/plots, from one start of gnuplot. given: its variables."""
    scripts = [os.path.join(ROOT, "tools/plots", script + ".gp") for name in plots for script in ("style", name)]
    done = quiet(["gnuplot", "-e", given, *scripts], cwd=out)
    if done.returncode:
        raise Failure(f"gnuplot failed: {done.stdout.strip()}")


def plot(out, summary):
    """Draws the PNGs from the record, including the times that they mark."""
    def first(rows, happened):
        return next((float(r["time_s"]) for r in rows if happened(r)), -1)

    with open(os.path.join(out, "record.csv")) as file:
        rows = list(csv.DictReader(file))
    with open(os.path.join(out, "shapes.csv")) as file:
        shape_times = list(dict.fromkeys(r["time_s"] for r in csv.DictReader(file)))
    setpoint = summary["vessel"]["setpoint_m"]
    values = {
        "setpoint_north_m": setpoint[0], "setpoint_east_m": setpoint[1],
        "setpoint_heading_deg": summary["vessel"]["setpoint_heading_deg"],
        "disturbed_s": first(rows, lambda r: float(r["work_loads_j"]) != 0 or float(r["work_current_j"]) != 0),
        "active_s": first(rows, lambda r: float(r["command_state"]) == FRESH),
        "end_s": max(summary["sim_time_s"], 0.1), "step_s": summary["step_s"],
    }
    given = "; ".join(f"{name} = {float(value)!r}" for name, value in values.items())
    given += "; shape_times = '" + " ".join(f"{float(t):g}" for t in shape_times) + "'"
    draw(out, given, PLOTS)


def report(out, is_complete):
    """Adds the cyclictest results of a complete run to summary and table, prints the table and draws the plots."""
    path, table = os.path.join(out, "summary.json"), os.path.join(out, "summary.txt")
    with open(path) as file:
        summary = json.load(file)
    c = summary["cyclictest"] = cyclictest(out, summary["realtime"]["fifo"]) if is_complete else None
    with open(path + ".new", "w") as file:
        json.dump(summary, file, indent="\t")
        file.write("\n")
    os.replace(path + ".new", path)
    with open(table) as file:
        lines = file.read().splitlines()
    if c:
        after = next((i for i, line in enumerate(lines) if line.startswith("wake-up")), len(lines) - 1) + 1
        lines.insert(after, f"{'  cyclictest':<20} p50 {c['p50']}  p99 {c['p99']}  max {c['max']} us, "
                     f"the machine itself in {CYCLE_S} s")
    with open(table, "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    plot(out, summary)
    print(f"written to {out}: " + ", ".join(WRITTEN))
    if is_complete and summary["commands"]["accepted"] == 0:
        raise Failure("the simulator accepted no command from the controller; see controller.log")


def drive(o, written, run, report):
    """Runs a demo with its options: run(programs, o) and then, where there is a summary, report(out, is_complete). written: files of
    an earlier demo, which go first. Returns the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # SIGHUP stays ignored under nohup
            signal.signal(number, stop)
    status = 0
    try:
        programs = o.build or build()
        os.makedirs(o.out, exist_ok=True)
        for name in written:
            if os.path.exists(os.path.join(o.out, name)):
                os.remove(os.path.join(o.out, name))
        try:
            run(programs, o)
        except Stopped as stopped:
            status = 128 + stopped.number
            print("tools/demo: stopped", file=sys.stderr)
        if os.path.exists(os.path.join(o.out, "summary.json")):
            report(o.out, status == 0)
    except Stopped as stopped:
        status = 128 + stopped.number
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        print(f"tools/demo: {failure}", file=sys.stderr)
        status = 1
    return status


def main():
    return drive(options(), WRITTEN, run, report)


if __name__ == "__main__":
    sys.exit(main())
