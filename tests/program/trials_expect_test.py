"""What a plan of trials expects of time series, and operations beside failures: a late start in motion, an approach, a longer run. The values
are computed again here; what is beyond a bound is a finding B, also without a failure. A controller with a seeded fault by its name."""
import csv
import fcntl
import math
import pty
import struct
import termios

from trials_case import *

WEAK = write("weak-dp.yaml", f"extends: {SOURCE}/configs/osv-83m-dp.yaml\npid: {{kp: [5.6e3, 7e3, 0, 0, 0, 3.5e6], kd: [9e4, 1.1e5, 0, 0, 0, 5.6e7]}}\n")
TAKES = ["largest", "least", "mean", "rms", "travel", "rate", "growth"]
PLAN = f"""base: {BASE}
set: {{controller.dp_file: osv-83m-dp.yaml, simulation.step_s: 0.1, pipe.elements: 20, vessel.current_acts: true}}
{TIMES}conditions: [{{id: S1, set: {{environment.wind: {{speed_mps: 8, direction_deg: 40}}}}}}]
only: [gnss-1/no_output]
{LIMITS}operations:
  - {{name: late-start, what: the controller starts late, late_start_s: 30}}
  - {{name: approach, what: it begins beside its place, set: {{pipe.lower_end.position_m: [-3, -5]}}}}
  - {{name: long, what: twice as long, set: {{simulation.duration_s: 360}}}}
expect:
"""
LIST = "".join(f"  - {{name: {t}, quantity: heading_error_deg, take: {t}, within: [-1e9, 1e9], from_s: 60, to_s: 120}}\n" for t in TAKES)
LIST += """  - {name: end, quantity: offset_m, runs: operation/long@S1, from_s: 300, below: 5}
  - {name: footprint, quantity: offset_m, take: rms, group: none, below: 1.5}
  - {name: approach, quantity: offset_m, group: operation, runs: '*/approach@*', from_s: 0, within: [0, 50]}
"""


def expected(run, name):
    return next(e for e in run["expected"] if e["name"] == name)


def taken(values, take):
    def deviation(v):
        return math.sqrt(sum((x - sum(v) / len(v)) ** 2 for x in v) / len(v))
    changes, third = [abs(b - a) for a, b in zip(values, values[1:])], len(values) // 3
    return {"largest": max(values, key=abs), "least": min(values), "mean": sum(values) / len(values), "rms": math.sqrt(sum(v * v for v in values) / len(values)),
            "travel": sum(changes) / len(changes), "rate": max(changes), "growth": deviation(values[-third:]) / deviation(values[:third])}[take]


good = write("good.yaml", PLAN + LIST)
listed = run("trials", good, "--list")[1]
check("4 failures, " in listed and "the plan tries others only" in listed and re.search("^operation/late-start +operation +operation +none expected: nothing fails", listed, re.M), "--list",
      listed[-400:])


def on_terminal(columns, *arguments):
    """What a program prints on a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([SAGBEND, *arguments], stdout=slave)
    os.close(slave)
    text = b""
    try:
        while part := os.read(master, 65536):
            text += part
    except OSError:  # Linux: the other end is closed
        pass
    os.close(master)
    check(process.wait() == 0, arguments)
    return text.decode().replace("\r\n", "\n")


plan = os.path.join(SOURCE, "configs/trials/osv-83m-short.yaml")
table, folded = run("trials", plan, "--list")[1], on_terminal(80, "trials", plan, "--list")
check(max(map(len, table.splitlines())) > 100 and max(map(len, folded.splitlines())) <= 80, "--list on a terminal of 80 columns", [x for x in folded.splitlines() if len(x) > 80])
check(" ".join(folded.split()).count("none expected: ") == table.count("none expected: ") and re.search(r"^gnss-1/no_output +single, gnss: [0-9.]+ s$", folded, re.M), "nothing is lost", folded[:2000])

trials(good, "--out", path("good"), status=0)
runs = by_id(results(path("good")))
check(sorted(runs) == ["gnss-1/no_output", "none", "operation/approach", "operation/late-start", "operation/long"], "the runs", sorted(runs))
for name, r in runs.items():
    folder = path(f"good/points/{r['point']:06d}")
    with open(os.path.join(folder, "series.csv")) as file:
        rows = list(csv.DictReader(file))
    check(set(rows[0]) >= {"time_s", "heading_error_rad", "offset_m", "power_used_w", "thruster_surge_n", "hangoff_tension_n"} and len(rows) == (361 if name == "operation/long" else 181), "the series", name, rows[0], len(rows))
    values = [math.degrees(float(row["heading_error_rad"])) for row in rows if 60 <= float(row["time_s"]) <= 120]
    for take in TAKES:
        check(math.isclose(expected(r, take)["value"], taken(values, take), rel_tol=1e-6), f"{take} of {name}", expected(r, take), taken(values, take))
check({len(r["expected"]) for r in runs.values()} == {7, 8} and len(runs["operation/approach"]["expected"]) == 8, "each run has its own", runs["none"]["expected"])
check(5 < expected(runs["operation/approach"], "approach")["value"] < 10, "it begins beside its place", runs["operation/approach"]["expected"])
check("0 criteria fail" in trials(good, "--collect", path("good"), "--against", path("good"), status=0)[1], "again, from what stays of the records")

# In mode fast the controller inside gives the same alarms, and the runs have the same bits.
trials(write("fast.yaml", "mode: fast\n" + PLAN + LIST), "--out", path("fast"), status=0)
fast = by_id(results(path("fast")))["gnss-1/no_output"]
def of_plant(run): return [c for c in run["criteria"] if c["name"] != "controller"]  # in mode fast it is no process
check((fast["state_hash"], fast["alarms"], of_plant(fast)) == (runs["gnss-1/no_output"]["state_hash"], runs["gnss-1/no_output"]["alarms"], of_plant(runs["gnss-1/no_output"])) and
      fast["alarms"], "mode fast",
      fast, runs["gnss-1/no_output"])

# A bound that is passed is a finding B, of a run without a failure too; a quantity that the vessel has not passes none.
tight = LIST.replace("below: 1.5", "below: 1.0e-3")
bad = write("bad.yaml", "mode: fast\n" + PLAN + tight + "  - {name: nothing, quantity: route_cross_m, runs: gnss-1/*, below: 1}\n")
trials(bad, "--out", path("bad"), status=1)
runs = by_id(results(path("bad")))
for name, text in (("none", "footprint: rms "), ("gnss-1/no_output", "nothing: largest none")):
    c = criterion(runs[name], "expected")
    check(runs[name]["category"] == "B" == c["category"] and text in c["text"], name, c)
check(criterion(runs["operation/long"], "expected")["text"].startswith("8 hold; the nearest with "), "what holds", criterion(runs["operation/long"], "expected"))
check(all(e["name"] in criterion(runs["operation/long"], "expected")["text"] for e in runs["operation/long"]["expected"]), "each is named", criterion(runs["operation/long"], "expected"))
with open(path("bad/report.html")) as file:
    page = file.read()
for e in runs["none"]["expected"]:
    check(re.search(f'<td class="w">{e["name"]}</td><td>[^<]*, bound [^<]*</td><td class="w">{"FAILS" if e["margin"] < 0 else "holds"}</td>', page), "the sheet names it", e)

# Bounds of the good one over seeds: it holds them with room, and the weak one does not.
few = re.sub(r"operations:\n(?:  - .*\n)+", "", PLAN).replace("conditions: [{id: S1, set: {environment.wind: {speed_mps: 8, direction_deg: 40}}}]",
                                                         "conditions:\n  - id: S1\n    set:\n      environment.wind: {speed_mps: 8, direction_deg: 40, gusts: norsok, seed: 5}\n")
few += "".join(f"  - {{name: {take}, quantity: {q}, take: {take}, runs: 'none@S1', from_s: 60, below: 0}}\n" for take, q in (("rms", "heading_error_deg"), ("mean", "offset_m"), ("rate", "speed_mps")))
done = subprocess.run([os.path.join(SOURCE, "tools/trial-bounds"), write("few.yaml", "mode: fast\n" + few), "--seeds", "2", "--sagbend", SAGBEND],
                      capture_output=True, text=True, timeout=600)
check(done.returncode == 0, "tools/trial-bounds", done.stdout, done.stderr)
bounded = write("bounded.yaml", done.stdout)
trials(bounded, "--out", path("bounded"), status=0)
check(all(e["margin"] >= (0.2 if e["take"] == "rate" else 0.09) - 1e-9 for e in by_id(results(path("bounded")))["none"]["expected"]), "their room",
      by_id(results(path("bounded")))["none"]["expected"])
# A plan keeps the controllers with seeded faults that it has behind its expectations; its own runs have none of them. They need lockstep.
done = subprocess.run([os.path.join(SOURCE, "tools/trial-bounds"), write("few-weak.yaml", few + f"seeded_faults: [{{dp_file: {WEAK}, name: weak, what: weak}}]\n"), "--seeds", "1",
                       "--sagbend", SAGBEND], capture_output=True, text=True, timeout=600)
check(done.returncode == 0 and done.stdout.count("seeded_faults: [") == 1, "tools/trial-bounds with a seeded fault", done.stdout, done.stderr)
weak = write("bounded-weak.yaml", done.stdout)
trials(weak, "--out", path("bounded-weak"), "--seeded-fault", "weak", status=1)
check(criterion(by_id(results(path("bounded-weak")))["none"], "expected")["result"] == "fail", "the weak one", by_id(results(path("bounded-weak")))["none"]["expected"])

# A controller with a seeded fault by its name: its run alone is that of --seeded-faults, and its report says how to repeat it.
few = write("spoiled.yaml", PLAN.split("operations:")[0] + "expect:\n" + "".join(line for line in tight.splitlines(True) if "footprint" in line)
            + f"seeded_faults: [{{dp_file: {WEAK}, name: weak, what: a tenth of the gains}}]\n")
trials(few, "--out", path("weak"), "--seeded-fault", "weak", status=1)
worst = next(r for r in results(path("weak"))["runs"] if r["id"] == "none@S1")
check(worst["command"].endswith("--run 'none@S1' --seeded-fault 'weak'") and worst["state_hash"] != runs["none"]["state_hash"], "--seeded-fault", worst["command"])
out = run("trials", few, "--out", path("alone"), "--run", "none@S1", "--seeded-fault", "weak", timeout=600)[1]
check(re.search(r"^expected +footprint: FAILS: offset_m, rms .*, bound ", out, re.M), "--run names it", out)
with open(path("alone/points/000001/summary.json")) as file:
    check(json.load(file)["state_hash"] == worst["state_hash"], "the same bits by its command")
err = run("trials", few, "--out", path("alone"), "--seeded-fault", "strong")[2]
check("--seeded-fault: the name of a controller with a seeded fault" in err, "a name that the plan has not", err)

# Wrong plans.
for text, said in (("  - {name: x, quantity: offset_m}\n", "exactly one of within and below expected, got none"),
                   ("  - {name: x, quantity: offset_m, below: 1, from_s: 9, to_s: 8}\n", "a time behind from_s"),
                   ("  - {name: x, quantity: offset_m, below: 1, take: most}\n", "expect.0.take: "),
                   ("".join(f"  - {{name: x, quantity: {q}, below: 1}}\n" for q in re.findall(r"^(\w+) ", run("outputs")[1], re.M)[:17]), "at most 16 different quantities")):
    err = run("trials", write("wrong.yaml", PLAN + text), "--list")[2]
    check(re.search(r"wrong\.yaml:\d+:\d+: error: ", err) and said in err, text, err)
for old, new, said in (("late_start_s: 30", "late_start_s: 60", "a time below settle_s"), ("name: long", "name: approach", "a name other than that of operation 2"),
                       ("name: long", "name: a/b", "a name without"), ("only: [gnss-1/no_output]", "only: [gnss-9/no_output]", "only: an identifier of")):
    err = run("trials", write("wrong.yaml", (PLAN + LIST).replace(old, new)), "--list")[2]
    check(re.search(r"wrong\.yaml:\d+:\d+: error: ", err) and said in err, new, err)

# An operator's set-point: from the order on the offset is the distance that is left, of sagbend-dp as of the controller inside, which gives the
# same bits. Limits are judged when it is done. Before, the vessel is out of command for a while.
ordered = PLAN.split("operations:")[0].replace("circle: 5", "circle: 2") + """operations:
  - {name: move, what: it moves, move_m: [4, -3], done_s: 60}
  - {name: turn, what: it turns about the hang-off, turn_deg: 20, about_m: -44, steps: 2, every_s: 30, done_s: 90}
  - {name: hand-over, what: out of command, silent_s: 15, done_s: 15}
expect: [{name: offset, quantity: offset_m, runs: 'operation/*', below: 50}, {name: heading, quantity: heading_error_deg, runs: 'operation/*', within: [-50, 50]}]
"""
trials(write("ordered.yaml", ordered), "--out", path("ordered"), status=0)
trials(write("inside.yaml", "mode: fast\n" + ordered), "--out", path("inside"), status=0)
runs, inside = by_id(results(path("ordered"))), by_id(results(path("inside")))


def offsets(r):
    with open(path(f"ordered/points/{r['point']:06d}/series.csv")) as file:
        return {round(float(row["time_s"])): (float(row["offset_m"]), math.degrees(float(row["heading_error_rad"]))) for row in csv.DictReader(file)}


moved, turned = offsets(runs["operation/move"]), offsets(runs["operation/turn"])
check(abs(moved[61][0] - 5) < 1 and moved[59][0] < 1 and all(v[0] < 2 for t, v in moved.items() if t > 120) and max(moved) == 240, "a set-point that moves", moved)
check(abs(abs(turned[61][1]) - 10) < 1 and abs(turned[91][1]) > 8 and abs(turned[150][1]) < 2 and abs(turned[61][0] - 44 * math.radians(10)) < 1.5, "one that turns", turned)
check(max(v[0] for t, v in moved.items() if t > 60) > 4 and criterion(runs["operation/move"], "watch circle")["result"] == "pass", "judged when it is done", runs["operation/move"])
check(any("link" in str(a) for a in runs["operation/hand-over"]["alarms"]), "out of command", runs["operation/hand-over"]["alarms"])
for name in ("move", "turn"):
    check(runs[f"operation/{name}"]["state_hash"] == inside[f"operation/{name}"]["state_hash"], f"the same bits inside: {name}", runs[f"operation/{name}"])

# A plan that extends another one: lists are replaced, paths start from the folder of the plan that is read.
write("common.yaml", ordered)
few = write("extending.yaml", "extends: common.yaml\noperations: [{name: late, what: late, late_start_s: 5}]\n")
listed = run("trials", few, "--list")[1]
check("operation/late " in listed and "operation/move" not in listed and "gnss-1/no_output" in listed, "extends", listed[:300])
for text, said in (("extends: gone.yaml\n", "a readable plan"), ("extends: extending-2.yaml\n", "does one extend itself"), ("extends: [1]\n", "extends")):
    err = run("trials", write("extending-2.yaml", text), "--list", timeout=60)[2]
    check(re.search(r"extending-2\.yaml:\d+:\d+: error: ", err) and said in err, text, err)

# Common causes with parameters, and what a controller does not use.
causes = PLAN.split("operations:")[0].replace("only: [gnss-1/no_output]", "only: [slow/*, wind-1/no_output, gnss-1/no_output]\nuses: ['gnss-*', 'gyro-*']") + \
    "common_causes: [{name: slow, equipment: [gnss-1, gnss-2], modes: [drift], parameters: {rate_per_s: 0.02}}]\nalarms: {from: command}\n"
trials(write("causes.yaml", "mode: fast\n" + causes), "--out", path("causes"), status=1)  # so slow a drift of two of three is seen late
runs = by_id(results(path("causes")))
check([e["rate_per_s"] for e in runs["slow/drift"]["events"]] == [0.02, 0.02], "a cause with a parameter", runs["slow/drift"]["events"])
check(criterion(runs["gnss-1/no_output"], "alarm")["result"] == "pass", "an alarm that it gives", runs["gnss-1/no_output"]["criteria"])
mute = causes.replace("common_causes", "alarms: {from: output, match: '(never) (never)'}\ncommon_causes").replace("alarms: {from: command}\n", "")
trials(write("mute.yaml", mute), "--out", path("mute"), status=1)
runs = by_id(results(path("mute")))
check("does not use it" in criterion(runs["wind-1/no_output"], "alarm")["text"] and criterion(runs["gnss-1/no_output"], "alarm")["result"] == "fail", "what it does not use", runs["wind-1/no_output"]["criteria"])
for old, new, said in (("rate_per_s: 0.02", "rate_per: 0.02", "did you mean rate_per_s"), ("uses: ['gnss-*'", "uses: ['gps-*'", "uses: the name of an instrument"),
                       (", parameters: {rate_per_s: 0.02}", "", "without parameters, or parameters beside it")):
    code, out, err = run("trials", write("wrong.yaml", causes.replace(old, new)), "--out", path("wrong-causes"), "--no-pdf", timeout=120)
    check(code == 2 and said in err, new, code, err, out[-300:])

# A run that fails by an event has passed a limit before: the grade is that of the limit, not the B of a failed run.
strained = write("strained.yaml", "mode: fast\n" + PLAN.split("operations:")[0].replace("gnss-1/no_output", "all-gnss/drift").replace("vessel.current_acts: true", "vessel.current_acts: true, validity.strain: 0.001"))
trials(strained, "--out", path("strained"), status=1)
drifted = by_id(results(path("strained")))["all-gnss/drift"]
check(criterion(drifted, "judged")["category"] == "B" and "large_strain" in criterion(drifted, "judged")["text"], "the run fails", drifted)
check(drifted["category"] == "A" and criterion(drifted, "limits")["text"].startswith("position reaches 1"), "and the limit counts", drifted)
