"""The processes of a run end with it: a controller that has left its group and its session, and what outlives trials that are killed by SIGKILL.
The same command goes on at once, and finds nothing that is not there; links in the folder of the results are refused."""
import shutil

from trials_case import *

CONTROLLER = '''import os, signal, sys, time
way, endpoint, marks = sys.argv[1:4]
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
def mark(name):
    with open(os.path.join(marks, name + "-%d" % os.getpid()), "w"):
        pass
mark("controller")
here, there = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:  # its parent ends: the system's first process, or a keeper, adopts it
        mark("daemon")
        os.write(there, b"x")
        while True:
            time.sleep(0.01)
            if os.fork() == 0:  # and it goes on under other numbers
                os._exit(0)
            os.waitpid(-1, 0)
    os._exit(0)
os.read(here, 1)
if way == "holds":
    time.sleep(10000)
os.execv(sys.argv[4], [sys.argv[4], sys.argv[5], "--connect", endpoint])
'''
write("controller.py", CONTROLLER)
DP, DP_FILE = os.path.join(BUILD, "sagbend-dp"), os.path.join(SOURCE, "configs/osv-83m-instruments-dp.yaml")
LISTED = listed_ids(os.path.join(SOURCE, "configs/trials/osv-83m.yaml"))


def plan(name, way, marks, settle=10, patience=60):
    os.makedirs(marks, exist_ok=True)
    command = ["/usr/bin/python3", "controller.py", way, "{endpoint}", marks, DP, DP_FILE]
    return write(name + ".yaml", f"""base: {BASE}
controller: {{command: {json.dumps(command)}, files: [controller.py]}}
controller_timeout_s: {patience}
set: {{network.accept_wrench: true, simulation.step_s: 0.1, pipe.elements: 20}}
settle_s: {settle}
hidden_lead_s: 5
failure_s: 5
recover_s: 5
alarms: {{from: output}}
back: {{offset_m: 30, within_s: 5}}
conditions: [{{id: S1}}]
limits: [{{name: position, quantity: offset_m, below: 30}}]
{excluding(LISTED, ["gnss-1/invalid"])}""")


def living(marks):
    """The processes that have left a mark and still run."""
    found = []
    for name in os.listdir(marks):
        try:
            with open(f"/proc/{name.split('-')[1]}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(name)
        except OSError:
            pass
    return found


# ---- an end in order: what the controller has started ends as well ----
marks = path("marks-good")
good = plan("good", "runs", marks)
trials(good, "--out", path("good"), "--jobs", "2", status=1)
check(len([m for m in os.listdir(marks) if m.startswith("daemon")]) >= 2, "each controller has started a daemon", os.listdir(marks))
check(not living(marks), "a daemon of a controller survives its run", living(marks))

# ---- killed: everything ends, nothing is found in the second half that was not there ----
marks = path("marks-killed")
killed = plan("killed", "holds", marks, patience=600)
first = Program(SAGBEND, "trials", killed, "--no-pdf", "--out", path("killed"), "--jobs", "1")
until(lambda: len(os.listdir(marks)) >= 2, "a controller runs", first.stderr())
check(len(living(marks)) == 2, "controller and daemon", living(marks))
first.kill()
until(lambda: not living(marks), "a controller or its daemon survives trials that are killed", living(marks))

# ---- killed, and the same command again at once: a simulator that is still ending is waited for ----
SWEEP = f"""base: {BASE}
set: {{simulation.duration_s: 1200, simulation.step_s: 0.1}}
vary: [{{key: environment.depth_m, values: [200, 250]}}]
"""
swept = write("sweep.yaml", SWEEP)


def simulators(folder):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline") as file:
                words = file.read().split("\0")
            if "run" in words and any(folder in w for w in words):
                found.append(int(name))
        except OSError:
            pass
    return found


folder = path("swept")
first = Program(SAGBEND, "sweep", swept, "--out", folder, "--jobs", "1")
until(lambda: simulators(folder), "a point runs", first.stderr())
until(lambda: os.path.exists(folder + "/points/000001/output.txt") and "s to go" in read(folder, "points/000001/output.txt"), "its first steps", first.stderr())
ending = simulators(folder)[0]
os.kill(ending, signal.SIGSTOP)  # it ends slowly, as on a busy machine or a slow disk
first.kill()
second = Program(SAGBEND, "sweep", swept, "--out", folder, "--jobs", "1", "--point", "1")
time.sleep(0.5)  # nothing can be waited for: that it waits is what is shown
check(second.process.poll() is None and not [p for p in simulators(folder) if p != ending], "it does not wait for the simulator before it", second.process.poll(), second.stderr(), simulators(folder), ending)
os.kill(ending, signal.SIGCONT)
check(second.end() == 0, "the point after a kill", second.stderr(), os.listdir(folder + "/points/000001"))
outcome = json.loads(read(folder, "points/000001/point.json"))
check(outcome["outcome"] == "passed", "a false finding after a kill", outcome)

# ---- links: what they lead to stays as it is ----
victim = write("victim", "precious\n")
for name in "lock", "sweep.txt", "results.csv":
    linked = path("linked-" + name)
    os.mkdir(linked)
    os.symlink(victim, os.path.join(linked, name))
    for command in (["sweep", swept], ["trials", good, "--no-pdf"]):
        status, out, err = run(*command, "--out", linked)
        check(status == 2 and err.count("\n") == 1 and ("a link" in err or "a new, an empty or a sweep's folder" in err), f"{name}: {status}", err)
        check(read(victim) == "precious\n", f"{name} is a link and was overwritten", read(victim))
for name in "lock", "output.txt", "summary.json", "record.csv":
    linked = path("pointed-" + name)
    shutil.copytree(folder, linked)
    where = os.path.join(linked, "points/000002", name)
    os.makedirs(os.path.dirname(where), exist_ok=True)
    if os.path.exists(where):
        os.remove(where)
    os.symlink(victim, where)
    status, out, err = run("sweep", swept, "--out", linked)
    check(status == 2 and "a link" in err and read(victim) == "precious\n", f"{name} of a point: {status}", err, read(victim))

# ---- sagbend start with a controller of another program ----
marks = path("marks-start")
os.makedirs(marks)
program = Program(SAGBEND, "start", JLAY, *ANY_PORT, "--controller", f"/usr/bin/python3 {path('controller.py')} holds {{endpoint}} {marks}")
until(lambda: len(living(marks)) == 2, "controller and daemon", program.stderr())
program.kill()
until(lambda: not living(marks), "they survive sagbend start that is killed", living(marks))
