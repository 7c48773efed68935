"""sagbend sweep: the same bits alone, in a sweep of one or two jobs and point by point; a killed sweep goes on; a child that is killed,
a full disk, a changed plan or file, another folder, a second sweep at the same time; bad plans; lockstep; what a plan's axes give."""
import csv
import math
import shlex
import shutil

from harness import *

BASE = os.path.join(FOLDER, "base.yaml")
shutil.copy(os.path.join(SOURCE, "configs/vessel-only.yaml"), BASE)
PLAN = """
name: test
base: base.yaml
set:
  simulation: {duration_s: 2}
  vessel.current_acts: true
  verdicts: [{name: slow, quantity: speed_mps, below: 0.05}]
vary:
  - {name: depth, key: environment.depth_m, from: 100, to: 200, step: 100}
  - keys: [environment.current.surface_mps, environment.current.direction_deg]
    rows: [[0.5, 0], [1.0, 90]]
  - name: push
    cases:
      - {name: none}
      - {name: side, set: {loads: [{start_s: 0, frame: world, wrench: [0, 5.0e6, 0, 0, 0, 0]}]}}
draws: 2
random:
  - {key: vessel.mass_kg, uniform: [1.0e7, 1.2e7]}
quantities: [offset_m, energy.closure_rel]
"""
BASE_COLUMNS = ["point", "depth", "environment.current.surface_mps", "environment.current.direction_deg", "push", "vessel.mass_kg"]


def write(name, content):
    with open(path(name), "w") as file:
        file.write(content)
    return path(name)


def text(*names):
    with open(os.path.join(FOLDER, *names)) as file:
        return file.read()


def rows(*names):
    return list(csv.DictReader(text(*names).splitlines()))


def sweep(plan, *args, status=0, timeout=120):
    done = run("sweep", plan, *args, timeout=timeout)
    check(done[0] == status, f"sweep {args}: status {done[0]}, not {status}", *done[1:])
    return done


plan = write("plan.yaml", PLAN)

# The points: axes like wheels, the last fastest, draws within; the same draws everywhere.
listed = list(csv.DictReader(sweep(plan, "--list")[1].splitlines()))
check(len(listed) == 16 and list(listed[0]) == BASE_COLUMNS, "the list of points", listed)
check([p["depth"] for p in listed] == 8 * ["100"] + 8 * ["200"] and [p["push"] for p in listed[:4]] == ["none", "none", "side", "side"],
      "the order of the points", listed)
check(len({p["vessel.mass_kg"] for p in listed}) == 2 and listed[0]["vessel.mass_kg"] == listed[2]["vessel.mass_kg"], "the draws", listed)
check(not os.path.exists(path("plan")), "--list writes nothing")

# All of them; verdicts that fail make exit status 1, and are kept apart with their reasons.
status, out, err = sweep(plan, "--out", path("two"), "--jobs", "2", status=1)
table = rows("two", "results.csv")
check(list(table[0]) == BASE_COLUMNS + ["outcome", "slow", "slow.worst", "slow.mean", "slow.rms", "offset_m", "energy.closure_rel", "state_hash"], "columns", table[0])
check([r["outcome"] for r in table] == [("passed" if r["push"] == "none" else "failed") for r in table], "outcomes", *table)
check([r["slow"] for r in table] == [r["outcome"] for r in table] and all(float(r["slow.worst"]) > 0.05 for r in table if r["push"] == "side"),
      "verdicts", *table)
check(len({r["state_hash"] for r in table}) >= 8 and all(float(r["energy.closure_rel"]) < 1e-10 for r in table), "quantities", *table)
# Mean and root mean square are those of the record of every step: the command of a point, with a record.
words = shlex.split(text("two", "points/000003/output.txt").splitlines()[0])
words[words.index("--summary") + 1] = path("again.json")
step_s = load("two/points/000003/summary.json")["step_s"]
run(*words[1:], "--record", path("again.csv"), "--record-every", str(step_s))
speeds = [float(row["speed_mps"]) for row in rows("again.csv")]
squares = sum(x * x for x in speeds) / len(speeds)
verdict = load("again.json")["verdicts"][0]
check(math.isclose(float(table[2]["slow.mean"]), verdict["mean_value"], rel_tol=1e-12) and
      math.isclose(verdict["mean_value"], sum(speeds) / len(speeds), rel_tol=1e-8), "mean", table[2], verdict)
check(math.isclose(float(table[2]["slow.rms"]), verdict["rms_value"], rel_tol=1e-12) and
      math.isclose(verdict["rms_value"], math.sqrt(squares), rel_tol=1e-8), "root mean square", table[2], verdict)
failures = rows("two", "failures.csv")
check(len(failures) == 8 and all("slow: speed_mps below 0.05: violated" in f["reason"] for f in failures), "failures", *failures)
check("8 passed, 8 failed, 0 broken, 0 missing" in out and "point 3 failed" in err, "what is printed", out, err)
check(failures[0]["folder"] == "points/000003" and text("two", "points/000003/output.txt").startswith("'sagbend' 'run'"), "folder of a point")

# The same bits: one job, point by point as on a cluster, and by hand.
sweep(plan, "--out", path("one"), "--jobs", "1", status=1)
check(text("one", "results.csv") == text("two", "results.csv"), "one job and two jobs")
sweep(plan, "--collect", path("cluster"), status=2)
for k in [5, 16, 1]:
    sweep(plan, "--out", path("cluster"), "--point", str(k), status=int(listed[k - 1]["push"] == "side"))
out = sweep(plan, "--collect", path("cluster"), status=1)[1]
part = rows("cluster", "results.csv")
check([r for r in part if r["outcome"] != "missing"] == [table[0], table[4], table[15]], "point by point", *part)
check("13 missing" in out and rows("cluster", "failures.csv")[0]["reason"] == "it has not run yet", "points that have not run", out)
overrides = json.loads(text("two", "points/000016/point.json"))["overrides"]
done = run("run", BASE, "--mode", "fast", "--summary", path("by-hand.json"), *(a for o in overrides for a in ("--set", o)))
check(load("by-hand.json")["state_hash"] == table[15]["state_hash"], "by hand", done)
check("from 1 to 16 expected, got 17" in sweep(plan, "--out", path("cluster"), "--point", "17", status=2)[2], "a point that does not exist")

# Finished points are not run again: their files stay as they are.
before = {p: os.stat(os.path.join(FOLDER, "two/points", p, "point.json")).st_mtime_ns for p in os.listdir(path("two/points"))}
_, _, err = sweep(plan, "--out", path("two"), status=1)
check("16 of 16 points have run before" in err, "nothing left", err)
sweep(plan, "--out", path("two"), "--point", "4", status=1)
check(before == {p: os.stat(os.path.join(FOLDER, "two/points", p, "point.json")).st_mtime_ns for p in before}, "points ran again")

# A changed plan, a changed file, a folder of something else.
other = write("other.yaml", PLAN.replace("step: 100", "step: 50").replace("seed: 1", "seed: 2"))
_, _, err = sweep(other, "--out", path("two"), status=2)
check("now:  vary 1, value 2: depth = 150" in err and "now:  points: 24" in err and "then: points: 16" in err, "a changed plan", err)
check("changed" in sweep(other, "--collect", path("two"), status=2)[2], "collect with another plan")
harmless = write("harmless.yaml", PLAN.replace("[offset_m, energy", "[pitch_deg, energy"))
sweep(harmless, "--collect", path("two"), status=1)
check("pitch_deg" in rows("two", "results.csv")[0], "other quantities of the same points")
original = text("base.yaml")
write("base.yaml", original + "\n# another comment\n")
check("base.yaml has changed since point 1 ran" in sweep(plan, "--out", path("two"), status=2)[2], "a changed configuration")
write("base.yaml", original)
os.mkdir(path("mine"))
write("mine/letter.txt", "dear")
check("a new, an empty or a sweep's folder" in sweep(plan, "--out", path("mine"), status=2)[2], "a folder of something else")
check(os.listdir(path("mine")) == ["letter.txt"], "it is left alone", os.listdir(path("mine")))
check("not the folder of a sweep" in sweep(plan, "--collect", path("mine"), status=2)[2], "collect there")
check(sweep(plan, "--out", BASE, status=2)[2], "a file in place of the folder")

# Points that take long, stopped by a signal, killed, and run at the same time. An end is waited for, never timed.
LONG = PLAN.replace("duration_s: 2", "duration_s: 1e7").split("vary:")[0] + "vary: [{key: environment.depth_m, values: [100, 200, 300]}]\n"
long = write("long.yaml", LONG)


def children(program):
    """The runs of a sweep: process -> arguments."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as stat, open(f"/proc/{name}/cmdline") as line:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == program.process.pid:
                    found[int(name)] = line.read().split("\0")
        except OSError:
            pass  # it has ended
    return {p: a for p, a in found.items() if "run" in a}


def are_running(folder, count):
    """Whether so many points have begun their first step."""
    return sum("s to go" in text(folder, "points", p, "output.txt") for p in os.listdir(path(f"{folder}/points"))
               if os.path.exists(path(f"{folder}/points/{p}/output.txt"))) >= count


first = Program(SAGBEND, "sweep", long, "--out", path("long"), "--jobs", "2")
until(lambda: os.path.isdir(path("long/points")) and are_running("long", 2), "two points run", first.stderr())
err = sweep(long, "--out", path("long"), status=2)[2]
check(f"in use by another sweep (process {first.process.pid} on " in err, "a second sweep in the same folder", err)
check("in use" in sweep(long, "--out", path("long"), "--point", "3", status=2)[2], "a point of it at the same time")
begun = children(first)
check(len(begun) == 2, "two jobs", begun)
victim = next(p for p, a in begun.items() if "environment.depth_m=100" in a)
os.kill(victim, signal.SIGKILL)
first.wait_for(r"point 1 broken: killed by signal 9 \(Killed\)")
until(lambda: are_running("long", 3), "the third point runs", first.stderr())
second = children(first)
first.signal(signal.SIGINT)
check(first.end() == 1 and "stopped by a signal; the same command continues" in first.stderr(), "an end by Ctrl-C", first.stderr())
check(not [p for p in second if os.path.exists(f"/proc/{p}")], "its points have ended too", second)
outcomes = [r["outcome"] for r in rows("long", "results.csv")]
check(outcomes == ["broken", "missing", "missing"], "outcomes after a kill and Ctrl-C", outcomes)
check(rows("long", "failures.csv")[0]["reason"] == "killed by signal 9 (Killed)", "the reason")

# A sweep that is killed takes its points along, and goes on with the ones that are missing.
short = write("short.yaml", PLAN.replace("duration_s: 2", "duration_s: 300").replace("draws: 2", "draws: 1"))
killed = Program(SAGBEND, "sweep", short, "--out", path("short"), "--jobs", "1")
until(lambda: os.path.exists(path("short/points/000001/point.json")), "the first point has ended", killed.stderr())
until(lambda: children(killed) or killed.process.poll() is not None, "the next one runs", killed.stderr())
left = children(killed)
killed.kill()
until(lambda: not [p for p in left if os.path.exists(f"/proc/{p}")], "the points end with the sweep", left)
stamp = os.stat(path("short/points/000001/point.json")).st_mtime_ns
_, _, err = sweep(short, "--out", path("short"), status=1)
check(re.search(r"\d of 8 points have run before", err), "a killed sweep goes on", err)
check(stamp == os.stat(path("short/points/000001/point.json")).st_mtime_ns, "its first point did not run again")
check("missing" not in text("short", "results.csv") and len(rows("short", "results.csv")) == 8, "all have results")

# A process that its sweep has started, and that finds it gone, ends at once.
orphan = subprocess.run([SAGBEND, "run", BASE, "--mode", "fast", "--duration", "1", "--end-with-parent"], capture_output=True, text=True,
                        env={**os.environ, "SAGBEND_PARENT": "1073741824"}, timeout=60)
check(orphan.returncode == -signal.SIGTERM, "an orphan", orphan)

# A damaged record is named. No space: a limit on the size of files acts like a full disk, with the same error path.
write("short/points/000002/point.json", "{")
check("000002/point.json: damaged; remove it" in sweep(short, "--out", path("short"), status=1)[2], "a damaged record")
two = write("two.yaml", PLAN.split("vary:")[0] + "vary: [{key: environment.depth_m, values: [100, 200]}]\n")
full = subprocess.run(["bash", "-c", f"ulimit -f 2; exec {SAGBEND} sweep {two} --out {path('full')} --jobs 1"], capture_output=True, text=True, timeout=120)
check(full.returncode == 1 and "point 1 broken: ended with status 1: sagbend: " in full.stderr and "File too large" in full.stderr, "a full disk", full)

# Bad plans: every error with its place, before anything runs.
for name, content, expected in [
        ("unknown key", PLAN.replace("environment.depth_m", "environment.dept_m"), r"bad.yaml:9:\d+: error: environment.dept_m: unknown key"),
        ("a value out of range", PLAN.replace("[1.0, 90]", "[-1.0, 90]"), r"bad.yaml:11:\d+: error: environment.current.surface_mps: finite number >= 0 "
         r"expected, got '-1.0' \(in 'environment.current.surface_mps=-1.0'\) \(point 5 and 7 more\)"),
        ("an empty axis", PLAN.replace("[[0.5, 0], [1.0, 90]]", "[]"), r"bad.yaml:11:\d+: error: vary.1.rows: a list of at least one row expected"),
        ("a million points", PLAN.replace("draws: 2", "draws: 100000"), r"bad.yaml:\d+:\d+: error: at most 100000 points expected, got 800000"),
        ("no base", PLAN.replace("base.yaml", "nowhere.yaml"), r"bad.yaml:3:7: error: base: a readable file expected, got 'nowhere.yaml'"),
        ("no end", PLAN.replace("duration_s: 2", "duration_s: 0"), r"simulation.duration_s: a time > 0 expected"),
        ("no controller", PLAN.replace("base: base.yaml", f"base: {os.path.join(SOURCE, 'configs/osv-83m.yaml')}"), r"controller.dp_file: a DP file expected, got nothing"),
        ("lockstep without a controller", PLAN + "mode: lockstep\n", r"mode lockstep needs controller.kind external"),
        ("mode realtime", PLAN + "mode: realtime\n", r"bad.yaml:\d+:7: error: mode: lockstep or fast expected, got 'realtime'"),
        ("a quantity", PLAN.replace("[offset_m", "[ofset_m"), r"bad.yaml:\d+:\d+: error: quantities.0: a name of 'sagbend outputs'"),
        ("a plot", PLAN + "plots:\n  - {name: p, x: depth, y: slow.wurst, by: outcome}\n", r"bad.yaml:\d+:\d+: error: plot p: a column of the results expected, got 'slow.wurst'"),
        ("not YAML", "base: [", r"bad.yaml:\d+:\d+: error: syntax"), ("nothing", "", r"bad.yaml:1:1: error: sections")]:
    status, _, err = run("sweep", write("bad.yaml", content), "--out", path("bad"))
    check(status == 2, name + f": status {status}", err)
    check(re.search(expected, err), name, err)
    check(not os.path.exists(path("bad")), name + ": no folder is made")
for args in [["--point", "0"], ["--jobs", "0"], ["--list", "--point", "1"], ["--collect", path("two"), "--out", path("two")]]:
    check("--help" in sweep(plan, *args, status=2)[2], "wrong usage", args)

# Lockstep: sagbend-dp as a second process gives the same bits in a sweep and alone; one that fails is the reason.
lockstep = write("lockstep.yaml", f"base: {JLAY}\nmode: lockstep\nset: {{controller: {{dp_file: {os.path.basename(JLAY_DP)}}}, simulation.duration_s: 5}}\n"
                 "vary: [{key: environment.current.surface_mps, values: [0, 0.5]}]\n")
sweep(lockstep, "--out", path("lockstep"))
fast = write("fast.yaml", text("lockstep.yaml").replace("mode: lockstep", "mode: fast"))
sweep(fast, "--out", path("fast"))
check(text("lockstep", "results.csv") == text("fast", "results.csv"), "lockstep and fast", text("lockstep", "results.csv"), text("fast", "results.csv"))
write("worse-dp.yaml", "pid: 7\n")
worse = sweep(write("worse.yaml", text("lockstep.yaml").replace(os.path.basename(JLAY_DP), path("worse-dp.yaml"))), "--out", path("bad"), status=2)
check(re.search(r"worse-dp.yaml:1:\d+: error: pid: .* \(point 1 and 1 more\)", worse[2]) and not os.path.exists(path("bad")), "a bad DP file", worse[2])

# Groups of a ship's network are heard by all runs on the machine: where the controller cannot be told other ports no two runs are made at the same time.
case = os.path.join(SOURCE, "configs/osv-83m-450.yaml")
GROUPS = f"base: {case}\nmode: lockstep\nset: {{simulation.duration_s: 1}}\ndraws: 2\n"
EXPECTED = (r"{}: udp with port \*, such as 127.0.0.1:\*, or an argument with {{port_offset}} in controller.command and no nmea.network.port_offset, expected, got a group or "
            r"multicast address, which all runs on this machine share, because 2 runs are made at a time")
for inputs, ports, place in (("", "", "nmea.ports.0"), ("", "nmea.ports=[]", "nmea.inputs.0"), ("nmea.inputs=[{udp: '239.192.0.8:60008'}]", "nmea.ports=[]", "nmea.inputs.0"),
                             ("", "nmea.ports=[{udp: '239.192.0.3:60003', instruments: gyro-1}]", "nmea.ports.0")):
    settings = [word for text_of in (inputs, ports) if text_of for word in ("--set", text_of)]
    for fixed, controller_of_plan in (("", "controller: {command: [sagbend-dp, '{endpoint}']}\n"), ("nmea.network.port_offset=20", "")):
        fixing = ["--set", fixed] if fixed else []
        refused = sweep(write("groups.yaml", GROUPS + controller_of_plan), "--out", path("groups"), "--jobs", "2", *settings, *fixing, status=2)
        check(re.search(EXPECTED.format(place), refused[2]) and not os.path.exists(path("groups")), f"groups: {settings} {controller_of_plan}", refused[2])
refused = sweep(write("mark.yaml", text("lockstep.yaml") + "controller: {command: [sagbend-dp, '{endpoint}', '{port_offset}']}\n"), "--out", path("mark"), status=2)
check("{port_offset}: a place that the configuration has expected: nmea.ports and nmea.inputs have no group" in refused[2], "a mark without a group", refused[2])

# As that of network A, a fixed port of network B is replaced by one of the run's own; sagbend-dp connects to both.
sweep(lockstep, "--out", path("b"), "--jobs", "2", *[w for key, port in (("command", 47760), ("telemetry", 47761)) for w in ("--set", f"network.{key}_endpoint_b=tcp://127.0.0.2:{port}")])
check(text("b", "results.csv") == text("lockstep", "results.csv"), "network B", text("b", "results.csv"))
of_b = [json.loads(text("b", "points", point, "summary.json"))["networks"][1]["messages"] for point in sorted(os.listdir(path("b/points")))]
check(min(of_b) > 0, "both networks carry commands", of_b)

# --set acts on every point, after `set` of the plan; a key that is not there is refused for its points.
sweep(two, "--out", path("set"), "--set", "simulation.duration_s=1")
check(json.loads(text("set", "points", sorted(os.listdir(path("set/points")))[0], "summary.json"))["sim_time_s"] == 1, "--set has acted")
refused = sweep(two, "--out", path("set-2"), "--set", "simulation.nothing=1", status=2)
check("--set: error: simulation.nothing: unknown key" in refused[2] and not os.path.exists(path("set-2")), "a key that is not there", refused[2])

# A bisecting axis: of seven rows three are run in each group; a row is lost by the verdict of the axis, not by others. It agrees with all rows.
ROWS = [[0.5, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]
LIMITS = f"""
base: base.yaml
set:
  simulation: {{duration_s: 2}}
  vessel.current_acts: true
  verdicts: [{{name: slow, quantity: speed_mps, below: 0.0007}}, {{name: never, quantity: speed_mps, below: -1}}, {{name: mean, quantity: speed_mps, below: 1, mean_s: 1}}]
vary:
  - {{name: depth, key: environment.depth_m, values: [100, 200]}}
  - {{limit: [environment.current.surface_mps, environment.current.direction_deg], rows: {ROWS}, verdict: slow}}
  - {{name: mass, key: vessel.mass_kg, values: [1.0e7, 1.2e7, 1.0e3]}}
plots: [{{name: most, x: depth, y: limit.environment.current.surface_mps, by: mass}}]
"""
status, out, err = sweep(write("limits.yaml", LIMITS), "--out", path("limits"), "--jobs", "2")
found = {(r["depth"], r["mass"]): r for r in rows("limits", "limits.csv")}
check(len(found) == 6 and "6, 0 not found" in out, "a limit for each group", out, err)
every = LIMITS.replace("limit: [", "keys: [").replace(", verdict: slow}", "}").replace("limit.environment", "environment")
sweep(write("every.yaml", every), "--out", path("every"), "--jobs", "2", status=1)
for (depth, mass), limit in found.items():
    held = [r["slow"] == "passed" for r in rows("every", "results.csv") if (r["depth"], r["mass"]) == (depth, mass)]
    last = held.index(False) if False in held else 7
    wanted = str(ROWS[last - 1][0]) if last else ""
    check(int(limit["rows_held"]) == last and limit["environment.current.surface_mps"] == wanted, "the limit", limit, held)
    check(limit["limit"] == ("none" if not last else "all" if last == 7 else "found"), "the word", limit)
    check(bool(limit["slow.lost"]) == (last < 7) and bool(limit["slow.held"]) == (last > 0), "worst values beside the limit", limit)
check({r["rows_held"] for r in found.values()} >= {"0", "5"}, "limits that differ", *found.values())
table = rows("limits", "results.csv")
ran = [r for r in table if r["outcome"] != "not needed"]
check(len(table) == 42 and len(ran) <= 18 and all(r["outcome"] == "failed" for r in ran), "the rows that were run", *table)
check(all(0 < float(r["mean.worst"]) < float(r["slow.worst"]) for r in ran), "a mean lags behind a speed that grows", *ran)
marked = [r for r in table if r["limit.environment.current.surface_mps"]]
check(len(marked) == 6, "one row stands for each limit", *marked)
before = os.path.getmtime(path("limits/points/%06d/summary.json" % int(ran[0]["point"])))
sweep(path("limits.yaml"), "--out", path("limits"))
check(os.path.getmtime(path("limits/points/%06d/summary.json" % int(ran[0]["point"]))) == before, "the same command runs nothing again")
row = "{limit: environment.depth_m, values: [100, 200], verdict: slow}"
for axis, words in (("{limit: environment.depth_m, values: [100, 200]}", "limit needs verdict"),
                    ("{limit: environment.depth_m, values: [100], verdict: slow}", ":5:16: error: vary.0.limit: at least two"),
                    (row + ", {limit: vessel.mass_kg, values: [1.0e7, 2.0e7], verdict: slow}", "at most one axis with limit"),
                    ("{key: environment.depth_m, values: [100, 200], verdict: slow}", "needs limit"),
                    ("{limit: environment.depth_m, key: vessel.mass_kg, values: [100, 200], verdict: slow}", "one of key, keys and limit"),
                    ("{limit: environment.depth_m, values: [100, 200], verdict: fast}", "verdict: the name of a verdict of the configuration expected, got 'fast'"),
                    ("{failure: {at_s: 1, only: [nothing/lost]}}", "vary.0.failure.only.0: an identifier of 'sagbend trials --list' expected"),
                    ("{failure: {at_s: 1}, key: environment.depth_m}", "failure is not allowed with key"),
                    ("{failure: {}}", "vary.0.failure.at_s")):
    _, out, err = sweep(write("wrong.yaml", "base: base.yaml\nset:\n  simulation.duration_s: 1\n  verdicts: [{name: slow, quantity: speed_mps, below: 1}]\n"
                              "vary: [" + axis + "]\n"), "--list", status=2)
    check(words in err and re.search(r"wrong.yaml:\d+:\d+: error", err), "refused: " + words, err)

# The axis of failures: without one, then those of the trials, at their time.
FAILING = f"""
base: {SOURCE}/configs/osv-83m-instruments.yaml
set: {{simulation.duration_s: 1, simulation.step_s: 0.05, pipe.elements: 10, controller.kind: none, controller.dp_file: null}}
vary: [{{failure: {{at_s: 0.5, only: [bus-*/lost, bow_tunnel_1/tripped]}}}}]
quantities: [buses_dark, thrusters_running]
"""
sweep(write("failing.yaml", FAILING), "--out", path("failing"))
check([(r["failure"], r["buses_dark"]) for r in rows("failing", "results.csv")] ==
      [("none", "0"), ("bow_tunnel_1/tripped", "0"), ("bus-port/lost", "1"), ("bus-starboard/lost", "1")], "failures", text("failing", "results.csv"))

# Plots, where gnuplot is.
if shutil.which("gnuplot"):
    plotted = write("plotted.yaml", PLAN + """plots:
  - {name: line, x: depth, y: slow.worst, by: push}
  - {name: round, kind: polar, x: environment.current.direction_deg, y: slow.worst, by: push}
  - {name: field, kind: map, x: depth, y: push, value: slow.worst}
  - {name: wrong, x: depth, y: nothing}
""")
    _, out, err = sweep(plotted, "--collect", path("one"), status=1)
    for name in ["line", "round", "field"]:
        with open(path(f"one/{name}.png"), "rb") as file:
            check(file.read(8) == b"\x89PNG\r\n\x1a\n", f"the plot {name}", out, err)
    check("plot wrong: the results have no column 'nothing'" in err, "a column that is not there", err)
    check("one" in out and not re.search("warning|failed", err), "gnuplot's words", err)
    whole = text("one", "line.svg")
    os.rename(path("one/points/000003"), path("point-3"))
    sweep(plotted, "--collect", path("one"), status=1)
    os.rename(path("point-3"), path("one/points/000003"))
    said = [re.search(r"15 of 16 points have a result", svg) for svg in (text("one", "line.svg"), text("one", "round.svg"), whole)]
    check(said[0] and said[1] and not said[2], "a plot of a part says so", said)
