"""sagbend trials with a controller of another program: a controller in Python holds the vessel and names a lost receiver; its files belong to the
folder. Controllers that do not start, hang, end, crash, find their port taken or print without end: said of each run, and never a pass."""
import shutil
import socket
import xml.etree.ElementTree

from trials_case import *

CONTROLLER = '''import math, os, signal, socket, sys, time
way, endpoint = sys.argv[1:3]
if way == "never":
    time.sleep(1000)
if way == "early":
    print("nothing to do"); sys.exit(0)
if way == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
if way == "port":
    socket.socket().bind(("127.0.0.1", int(sys.argv[3])))
while way == "flood":
    print("x" * 1000)
sys.path.insert(0, sys.argv[3])
import sagbend
client = sagbend.Client(endpoint, "foreign")
start, lost, count = {}, 0, 0
for s in client.samples():
    count += 1
    if way == "silent" and count > 20:
        time.sleep(1000)
    if way == "half" and count > 20:
        sys.exit("a division by zero")
    good = [g for g in s.instruments.gnss if g.telegram.valid]
    here = good[0] if good else None
    heading, rate = s.instruments.gyro[0].heading_rad, s.instruments.gyro[0].rate_radps
    if not start and len(good) == 3:
        start = {g.telegram.name: (g.north_m, g.east_m, heading) for g in good}
    if way != "quiet" and start and len(good) < 3 and not lost:
        lost = 1
        print("t = %.1f s: gnss-1 is lost" % s.header.time_s, flush=True)
    was = start.get(here.telegram.name) if here else None
    hold = client.welcome.initial_holding_force
    north = -5e4 * (here.north_m - was[0]) - 4e5 * here.velocity_north_mps if was else 0
    east = -5e4 * (here.east_m - was[1]) - 4e5 * here.velocity_east_mps if was else 0
    if way == "clock":
        north += 1e3 * (time.time() % 1)
    c, d = math.cos(heading), math.sin(heading)
    turn = math.remainder(heading - was[2], 2 * math.pi) if was else 0
    client.send_wrench(s, surge_n=hold.surge_n + c * north + d * east, sway_n=hold.sway_n - d * north + c * east,
                       yaw_nm=hold.yaw_nm - 2e7 * turn - 2e8 * rate)
'''
write("controller.py", CONTROLLER)
PYTHON, PACKAGE = "/usr/bin/python3", os.path.join(BUILD, "proto/python")
KEPT = ["gnss-1/invalid", "gnss-1/bias-small"]
LISTED = listed_ids(os.path.join(SOURCE, "configs/trials/osv-83m.yaml"))


def plan(name, command, more="", patience=60):
    return write(name + ".yaml", f"""base: {BASE}
controller: {{command: {json.dumps(command)}, files: [controller.py]}}
controller_timeout_s: {patience}
set: {{network.accept_wrench: true, simulation.step_s: 0.1, pipe.elements: 20, vessel.current_acts: true}}
settle_s: 40
hidden_lead_s: 10
failure_s: 20
recover_s: 20
alarms: {{from: output}}
back: {{offset_m: 3, within_s: 10}}
conditions: [{{id: S1}}]
limits: [{{name: position, quantity: offset_m, below: 10}}]
{excluding(LISTED, KEPT)}{more}""")


def runs_of(folder):
    return by_id(results(folder))


def judged(run):
    return criterion(run, "judged")


def answers(run):
    return criterion(run, "controller")


def foreign(way, *more):
    return [PYTHON, "controller.py", way, "{endpoint}", *more]


# It holds the vessel, and names the receiver.
good = plan("good", foreign("good", PACKAGE))
trials(good, "--out", path("out-good"), status=0)
runs = runs_of(path("out-good"))
check(sorted(runs) == sorted(["none"] + KEPT) and all(r["verdict"] == "passed" for r in runs.values()), "a controller in Python", runs)
check("<td>sagbend-dp " not in read(path("out-good"), "report.html"), "a controller that took no part stands in the reproduction")
check(0 <= runs["gnss-1/invalid"]["metrics"]["detected_s"] <= 10, "its alarm", runs["gnss-1/invalid"])
point = runs["gnss-1/invalid"]["point"]
with open(path(f"out-good/points/{point:06d}/controller.txt")) as file:
    check("gnss-1 is lost" in file.read(), "what it printed")

# Another controller file, and another command, are refused.
with open(path("controller.py"), "a") as file:
    file.write("# another version\n")
err = trials(good, "--out", path("out-good"), status=2)[2]
check("controller.py has changed since" in err, "another version of its file", err)
with open(path("controller.py"), "w") as file:
    file.write(CONTROLLER)
err = trials(plan("other", foreign("quiet", PACKAGE)), "--out", path("out-good"), status=2)[2]
check("belong to another plan" in err and "controller: quiet" in err, "another command", err)

# Bad ones.
taken = socket.socket()
taken.bind(("127.0.0.1", 0))
taken.listen()
port = str(taken.getsockname()[1])
for way, command, patience, text in (
        ("start", ["./no-such-program", "{endpoint}"], 60, "the controller does not start: "),
        ("never", foreign("never"), 3, "lockstep"),
        ("silent", foreign("silent", PACKAGE), 3, "lockstep"),
        ("early", foreign("early"), 60, "the controller ended with status 0: nothing to do"),
        ("half", foreign("half", PACKAGE), 60, "the controller ended with status 1: a division by zero"),
        ("crash", foreign("crash"), 60, "the controller was killed by signal 11 (Segmentation fault): it printed nothing"),
        ("port", foreign("port", port), 60, "Address already in use"),
        ("flood", foreign("flood"), 60, "the controller prints without end")):
    folder = path("out-" + way)
    of_machine = way in ("start", "port")
    out = trials(plan(way, command, patience=patience), "--out", folder, "--jobs", "3", status=3 if of_machine else 1)[1]
    runs = runs_of(folder)
    none = runs["none"]
    said = judged(none) if of_machine else answers(none)
    check((none["verdict"], none["category"]) == (("broken", None) if of_machine else ("failed", "A")) and text in said["text"], way, none)
    suites = xml.etree.ElementTree.parse(os.path.join(folder, "junit.xml")).getroot()
    counts = {k: int(suites.get(k)) for k in ("tests", "failures", "errors", "skipped")}
    check(counts["tests"] == 3 and counts["errors" if of_machine else "failures"] >= 1 and counts["failures" if of_machine else "errors"] == 0 and
          counts["errors"] + counts["failures"] + counts["skipped"] == 3, f"{way}: junit.xml", counts)
    for name in KEPT:
        check(runs[name]["verdict"] in (none["verdict"], "not run") and
              text in (judged(runs[name])["text"] + answers(runs[name])["text"]), f"{way}, {name}", runs[name])
    for number in range(1, 4):
        printed = os.path.join(folder, f"points/{number:06d}/controller.txt")
        check(way == "start" or os.path.getsize(printed) <= 4 << 20, "what it printed is bounded", way)
    shutil.rmtree(folder)

# Where the run without a failure has no result, nobody waits for the others, also when the same command goes on.
for _ in range(2):
    out, err = trials(plan("never", foreign("never"), patience=3), "--out", path("out-one"), "--jobs", "1", status=1)[1:]
    check("point 1 has no result, and the points that are compared with it are not run" in err, "the others are not run", out, err)
    runs = runs_of(path("out-one"))
    check(runs["none"]["category"] == "A" and "lockstep time-out" in answers(runs["none"])["text"], "it hangs", runs["none"])
    check(all(runs[n]["verdict"] == "not run" and "lockstep time-out" in judged(runs[n])["text"] for n in KEPT), "and says why the others have not run", runs)
    check(not os.path.exists(path("out-one/points/000002/summary.json")) and not os.path.exists(path("out-one/points/000003/summary.json")), "they have not run")

# One that prints nothing is judged by what it says: nothing, so that no failure passes unseen.
trials(plan("quiet", foreign("quiet", PACKAGE)), "--out", path("out-quiet"), status=1)
runs = runs_of(path("out-quiet"))
check(all(r["verdict"] != "passed" for r in runs.values()) and "printed nothing" in judged(runs["none"])["text"], "a controller that prints nothing", runs["none"])

# Wrong plans.
for command, text in ((["dp"], "an argument with {endpoint}"), ([], "a list of 1 to 64 texts"), ("dp {endpoint}", "a list of 1 to 64 texts")):
    err = trials(plan("wrong", command), "--list", status=2)[2]
    check(re.search(r"wrong\.yaml:2:\d+: error: controller\.command: ", err) and text in err, f"command {command}", err)
with open(good) as file:
    text = file.read()
for old, new, expected in (("files: [controller.py]", "files: [gone.py]", "a readable file"), ("controller_timeout_s: 60", "mode: fast", "mode lockstep")):
    with open(path("wrong.yaml"), "w") as file:
        file.write(text.replace(old, new))
    err = trials(path("wrong.yaml"), "--list", status=2)[2]
    check("wrong.yaml:" in err and expected in err, new, err)

# --twice: the same bits again; of one that reads its clock it is a finding, and the logs of findings are kept, signed.
check(run("keygen", "--log", path("trials.key"))[0] == 0, "keygen")
out = trials(good, "--out", path("out-good"), "--twice", "2", status=0)[1]
runs = runs_of(path("out-good"))
repeated = [r["id"] for r in runs.values() if criterion(r, "repeated")["result"] == "pass"]
check(len(repeated) == 2 and len(os.listdir(path("out-good/again/points"))) == 2, "--twice 2", repeated)
clock = plan("clock", foreign("clock", PACKAGE), more="log_key: trials.key\n")
trials(clock, "--out", path("out-clock"), "--twice", "3", status=1)
runs = runs_of(path("out-clock"))
criteria = [criterion(r, "repeated") for r in runs.values()]
check(all(c["result"] == "fail" and "reads its clock" in c["text"] for c in criteria), "a controller that reads its clock", criteria)
narrow = plan("narrow", foreign("good", PACKAGE), more="log_key: trials.key\n")
with open(narrow) as file:
    text = file.read().replace("below: 10", "below: 10, circle: 0.001")
with open(narrow, "w") as file:
    file.write(text)
trials(narrow, "--out", path("out-kept"), "--set", "hil.seed=7", status=1)
runs = runs_of(path("out-kept"))
logged = {name: r for name, r in runs.items() if r["log"]}
check(set(logged) == {name for name, r in runs.items() if r["category"] in ("A", "B")} and logged, "logs of findings", runs)
for name, r in logged.items():
    log = os.path.join(path("out-kept"), r["log"]["path"])
    status, out, err = run("replay", log, "--verify", "--key", path("trials.key.pub"))
    check(status == 0 and r["log"]["signed"] and len(r["log"]["digest"]) == 64, f"the log of {name}", r["log"], out, err)
    check("--set 'hil.seed=7'" in r["command"], "its command", r["command"])
    # The one printed command repeats it.
    words = [w.strip("'") for w in r["command"].split()[1:]]
    words[words.index("again")] = path("out-alone-" + name.replace("/", "-"))
    run(*words, timeout=600)
    with open(os.path.join(words[words.index("--out") + 1], f"points/{r['point']:06d}/summary.json")) as file:
        check(json.load(file)["state_hash"] == r["state_hash"], "the same bits by the command", r["command"])
err = trials(narrow, "--out", path("out-kept"), status=2)[2]
check("another plan" in err and "hil.seed=7" in err, "a folder with another --set", err)
err = trials(plan("wrong", foreign("good", PACKAGE), more="log_key: gone.key\n"), "--list", status=2)[2]
check("a readable secret key" in err, "no key", err)

# The operator's stop comes so long after the alarm that names the thruster; both runs are reported, and the one with the stop is judged.
write("stop.yaml", f"""mode: fast
base: {BASE}
set: {{controller.dp_file: osv-83m-dp.yaml, simulation.step_s: 0.1, pipe.elements: 20}}
{TIMES}intervention: {{stop_after_alarm_s: 5}}
conditions: [{{id: S1}}]
limits: [{{name: position, quantity: offset_m, below: 100, circle: 50}}]
{excluding(LISTED, ['bow_tunnel_1/to_full'])}""")
run("trials", path("stop.yaml"), "--no-pdf", "--out", path("out-stop"), timeout=600)
wild = runs_of(path("out-stop"))["bow_tunnel_1/to_full"]
check(abs(wild["intervention"]["stop_s"] - (60 + wild["metrics"]["detected_s"] + 5)) < 1e-6, "the time of the stop", wild)
out = run("log", "cat", os.path.join(path("out-stop"), wild["log"]["path"]), "--topic", "/event")[1]
check("stop: emergency_stop on bow_tunnel_1" in out, "the stop in the log", out[-1000:])
check(wild["metrics"]["offset_m"] <= wild["intervention"]["offset_without_m"] and "stopped by the operator" in judged(wild)["text"], "both runs", wild)

# Alone by its name it repeats both runs.
out = run("trials", path("stop.yaml"), "--no-pdf", "--out", path("out-stop-alone"), "--run", "bow_tunnel_1/to_full@S1", timeout=600)[1]
check(f"with the operator's stop at {wild['intervention']['stop_s']:.12g} s" in out, "the stop of a run alone", out)
for folder, expected in ((f"points/{wild['point']:06d}", wild["intervention"]["state_hash_without"]), (f"intervention-{wild['point']:06d}/points/000001", wild["state_hash"])):
    check(json.loads(read(path("out-stop-alone"), folder, "summary.json"))["state_hash"] == expected, "the same bits alone", folder)
text = open(path("stop.yaml")).read()
with open(path("never.yaml"), "w") as file:
    file.write(text.replace("stop_after_alarm_s: 5", "stop_after_alarm_s: 0"))
run("trials", path("never.yaml"), "--no-pdf", "--out", path("out-never"), timeout=600)
never = runs_of(path("out-never"))["bow_tunnel_1/to_full"]
check(never["intervention"] is None and never["state_hash"] == wild["intervention"]["state_hash_without"], "no stop", never)
