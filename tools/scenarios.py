"""tools/scenarios: runs every scenario of configs/scenarios in lockstep with its DP controller in a second process, or with --fast inside the
simulator, faster than real time, and prints each verdict with its margin, and the speed."""
import argparse
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from ready import Started

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANY_PORT = "tcp://127.0.0.1:*"
MUST_FAIL = "must-fail"  # scenarios whose names begin with this must fail


def options():
    parser = argparse.ArgumentParser(prog="tools/scenarios", description=__doc__, epilog="Exit status: 0 each scenario passed (or "
                                     "failed, if its name begins with must-fail), 1 one did not, 2 wrong usage. Example: "
                                     "tools/scenarios --out results drift-off")
    parser.add_argument("names", nargs="*", metavar="NAME", help="name or path of a scenario (default: all of configs/scenarios)")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), metavar="DIR", help="build directory with the programs (%(default)s)")
    parser.add_argument("--out", metavar="DIR", help="directory in which to keep summaries, JUnit files, session logs and program output")
    parser.add_argument("--without-logs", action="store_true", help="with --out: no session logs")
    parser.add_argument("--fast", action="store_true", help="in mode fast, with the controller in the simulator: the same bits in less than half the "
                        "processor time")
    parser.add_argument("--lockstep-timeout", type=float, default=60, metavar="S", help="longest wall-clock wait for an answer "
                        "of the controller; beyond it the scenario fails; 0: no limit (%(default)g)")
    o = parser.parse_args()
    for program in ("sagbend", "sagbend-dp"):
        if not os.access(os.path.join(o.build, program), os.X_OK):
            parser.error(f"{os.path.join(o.build, program)} is missing: build it first, or use --build DIR")
    folder = os.path.join(ROOT, "configs/scenarios")
    known = {os.path.splitext(os.path.basename(p))[0]: p for p in sorted(glob.glob(os.path.join(folder, "*.yaml")))}
    for name in o.names:
        if name not in known and not os.path.isfile(name):
            parser.error(f"no scenario '{name}'; available: {', '.join(known)}")
    o.paths = [known.get(name, name) for name in o.names] or list(known.values())
    return o


def dp_file(path):
    """The DP file named by a configuration or by a configuration that it extends; None if there is none."""
    with open(path) as file:
        text = file.read()
    folder = os.path.dirname(path)
    found = re.search(r"^[^#\n]*\bdp_file:\s*([^\s,}#]+)", text, re.M)
    if found:
        return os.path.join(folder, found.group(1))
    base = re.search(r"^extends:\s*([^\s#]+)", text, re.M)
    return dp_file(os.path.join(folder, base.group(1))) if base else None


def run(o, folder, path):
    """Runs one scenario. Returns its name, its summary (None if the run wrote none) and the output of both programs."""
    name = os.path.splitext(os.path.basename(path))[0]
    at = lambda suffix: os.path.join(folder, name + suffix)
    mode = ["fast"] if o.fast else ["lockstep", "--bind-command", ANY_PORT, "--bind-telemetry", ANY_PORT, "--lockstep-timeout", f"{o.lockstep_timeout:g}"]
    command = [os.path.join(o.build, "sagbend"), "run", path, "--mode", *mode, "--summary", at(".json"), "--junit", at(".xml")] + (["--log", at(".mcap"), "--overwrite"] if o.out and not o.without_logs else [])
    if o.fast:
        with open(at(".log"), "w") as log:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode
        return outcome(at, name, status in (0, 1), [".log"])
    with open(at(".log"), "w") as log, open(at("-dp.log"), "w") as dp_log:
        started, controller = Started(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log), None
        simulator = started.process
        try:
            ready, law = started.wait(), dp_file(path)
            if ready and law:
                controller = subprocess.Popen([os.path.join(o.build, "sagbend-dp"), law, "--connect", ready["commands"]],
                                              stdin=subprocess.DEVNULL, stdout=dp_log, stderr=dp_log)
            while simulator.poll() is None:
                time.sleep(0.02)
                if controller and controller.poll() is not None and simulator.poll() is None:
                    time.sleep(2)  # the controller ended first: the simulator would wait until its time-out
                    break
        finally:
            started.close()
            for process in (simulator, controller):
                if process and process is simulator and process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                try:
                    if process:
                        process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
    return outcome(at, name, controller is not None and controller.returncode == 0 and simulator.returncode in (0, 1), [".log", "-dp.log"])


def outcome(at, name, good_end, logs):
    """What run returns."""
    said = "".join(open(at(end)).read() for end in logs)
    if not good_end or not os.path.exists(at(".json")):
        return name, None, said
    with open(at(".json")) as file:
        return name, json.load(file), said


def say(line):
    """Prints a line. A closed output is not a failure."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show(name, summary, as_wanted):
    say(f"{name:24s} {'ok    ' if as_wanted else 'NOT OK'}  {summary['sim_time_s']:7.1f} s in {summary['wall_time_s']:6.1f} s,"
          f" {summary['real_time_factor']:5.1f} x real time")
    for verdict in summary["verdicts"]:
        say(f"    {verdict['result']:10s} {verdict['name']:24s} {verdict['text']}")
    for failure in summary["failures"]:
        say(f"    failed: {failure}")


def main():
    o = options()
    wrong = []
    with tempfile.TemporaryDirectory(prefix="sagbend-scenarios-") as temporary:
        folder = o.out or temporary
        os.makedirs(folder, exist_ok=True)
        for path in o.paths:
            name, summary, said = run(o, folder, path)
            if summary is None:
                say(f"{name:24s} NOT OK  the simulator or the controller failed:\n{said}")
                wrong.append(name)
                continue
            at_end = summary["ended_by"] == "duration" and summary["verdicts"]
            by_verdicts = all(failure.endswith("verdicts did not pass") for failure in summary["failures"])
            as_wanted = bool(at_end) and by_verdicts and summary["passed"] != name.startswith(MUST_FAIL)
            show(name, summary, as_wanted)
            if not as_wanted:
                wrong.append(name)
    say(f"{len(o.paths) - len(wrong)} of {len(o.paths)} scenarios as expected" + ("; not " + ", ".join(wrong) if wrong else ""))
    return 1 if wrong else 0


def stop(number, frame):
    sys.exit(128 + number)  # run() ends the running programs


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
