"""The system calls of the real-time thread, as strace sees them: between its first step and its last it sleeps and wakes the main
thread, and calls nothing else. Skipped, loudly, only where tracing is not permitted."""
import collections

from realtime_cases import *

CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
# Clocks that Linux reads without entering the kernel.
FAST_CLOCKS = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"]


def may_trace():
    try:
        done = subprocess.run(["strace", "-f", "-o", path("try"), "true"], capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        return "no strace (tools/deps)"
    return done.stderr if done.returncode else ""


refused = may_trace()
if refused:
    print(f"SKIPPED: tracing is not permitted here, so the system calls of the step thread are not checked: {refused}", flush=True)
    sys.exit(SKIPPED)


class Traced(Simulator):
    """sagbend run under strace, which follows each thread."""

    def __init__(self, name, config, *args):
        Program.__init__(self, "strace", "-f", "-o", path(f"{name}.strace"), SAGBEND, "run", config, *ANY_PORT, *options(name), *args)
        self.commands = self.wait_for(r"commands at (\S+)").group(1)
        self.telemetry = self.wait_for(r"telemetry at (\S+)").group(1)


def calls_of_step_thread(name):
    """The system calls between the two getrusage calls that enclose the steps, as (name, arguments and result)."""
    calls, number = [], None
    with open(path(f"{name}.strace")) as file:
        for line in file:
            thread, rest = line.split(None, 1)
            match = re.match(r"(?:<\.\.\. )?(\w+)(?:\((.*)| resumed>(.*))", rest)
            if match and match[1] in ("prctl", "write") and '"step"' in rest:  # the thread gives itself its name
                number = thread
            if thread != number or not match or "resumed>" in rest:
                continue
            calls.append((match[1], match[2] or ""))
    check(number, f"{name}: no thread named step")
    marks = [i for i, (call, _) in enumerate(calls) if call == "getrusage"]
    check(len(marks) == 2, f"{name}: the steps have no begin or no end", calls[:40])
    return calls[marks[0] + 1:marks[1]]


def judge(name, summary):
    calls = calls_of_step_thread(name)
    counts = collections.Counter(call for call, _ in calls)
    print(f"{name}: {dict(counts)}")
    wakes = [arguments for call, arguments in calls if call == "write"]
    files = {arguments.split(",")[0] for arguments in wakes}
    check(len(files) <= 1, f"{name}: writes to more than one file", files)
    check(all(re.match(r'\d+, "\\1(\\0){7}", 8', arguments) for arguments in wakes), f"{name}: a write that wakes nobody", wakes[:3])
    expected = {"clock_nanosleep", "write", "restart_syscall"}
    with open(CLOCK) as file:
        if file.read().strip() not in FAST_CLOCKS:
            expected.add("clock_gettime")
    check(set(counts) <= expected, f"{name}: system calls in the real-time loop", set(counts) - expected)
    check(counts["clock_nanosleep"] >= summary["steps"], f"{name}: one sleep for each step", counts, summary["steps"])


run_cases(judge, start=Traced, cases=[pipelay_external, supply_vessel_external, supply_vessel_inside])
