"""sagbend trials: failures of a DP system, each judged against the run without one. Findings of the shipped controller and of one without
redundancy; alarms; what is accepted, excluded, outside the envelope or cannot be judged; the same bits again; bad plans."""
import xml.etree.ElementTree

from trials_case import *

SHIPPED = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")
DP = os.path.join(SOURCE, "configs/trials/seeded/no-thruster-supervision.yaml")  # the shipped controller finds what these trials are to find
KEPT = ["gnss-1/no_output", "gnss-1/bias", "gnss-1/bias-small", "bow_tunnel_1/tripped", "bow_tunnel_1/stuck", "link/cut"]


FAST = "mode: fast\nbase: " + BASE  # the controller inside: the same bits in a third of the time


def plan(name, more="", dp=DP, limits=LIMITS, conditions="conditions: [{id: S1}]", begin="base: " + BASE):
    return write(name, f"""{begin}
set:
  controller.dp_file: {dp}
  simulation: {{step_s: 0.1}}
  pipe.elements: 20
{TIMES}{conditions}
{limits}{more}""")


# The list names everything that can fail, and what is not tried with its reason.
listed = trials(plan("whole.yaml"), "--list", status=0)[1]
ids = re.findall(r"^(\S+/\S+) +(?:single|common cause|hidden)", listed, re.M)
check(len(ids) == 359 and set(KEPT) < set(ids), "the list", len(ids), listed[-200:])
check(re.search(r"^gnss-1/flag_forced_valid +acts beside another fault only$", listed, re.M), "what is not tried", listed[-2000:])
check("359 failures, 129 not tried, 1 conditions, 360 runs" in listed, "the sums", listed[-200:])
few = excluding(ids, KEPT)
SHORT = ["gnss-1/no_output", "bow_tunnel_1/stuck"]  # one that is named in time, and one that is a finding
two = excluding(ids, SHORT)

# A lost reference and a cut link are named in time; a stuck thruster that nobody looks at is a finding.
good = path("good")
status, out, err = trials(plan("good.yaml", few + "worst_case: [bow_tunnel_1/tripped]\n"), "--out", good, status=1)
found = results(good)
runs = by_id(found)
check(found["schema"] == "sagbend-trials/2" and sorted(runs) == sorted(["none"] + KEPT), "the runs", sorted(runs))
check(found["conditions"][0]["judged"] and not found["conditions"][0]["outside"], "the condition is judged", found["conditions"])
lost = runs["gnss-1/no_output"]
check(lost["verdict"] == "passed" and 0 < lost["metrics"]["detected_s"] <= 10, "a lost reference", lost)
check(any("gnss-1" in text for _, text in lost["alarms"]), "its alarm", lost["alarms"])
check(criterion(runs["gnss-1/bias-small"], "alarm")["result"] == "n/a", "no alarm is expected", runs["gnss-1/bias-small"])
check(2 < runs["link/cut"]["metrics"]["detected_s"] <= 5, "a cut link", runs["link/cut"])
stuck = runs["bow_tunnel_1/stuck"]
check(stuck["category"] == "B" and criterion(stuck, "alarm")["result"] == "fail", "a stuck thruster that nobody names", stuck)
check(len(found["excluded"]) == 129 + 359 - len(KEPT), "what is excluded", len(found["excluded"]))
check(re.search(r"runs +7 in 1 condition: \d passed, \d failed, 0 broken, 0 not run, 0 not judged\n", out) and f"{good}/report.html" in out, "what it prints", out)

# The report in all forms says the same.
with open(os.path.join(good, "report.html")) as file:
    html = file.read()
check("<script" not in html and "bow_tunnel_1/stuck@S1" in html and stuck["state_hash"] in html, "the report", html[:500])
check(html.count('<path fill="none" stroke="#6a6a6a"') == 4 * html.count('class="sheet"') > 0 and "offset, m" in html, "plots of the sheets", html.count("<svg"))
kept = [r["point"] for r in found["runs"] if os.path.exists(os.path.join(good, f"points/{r['point']:06d}/record.csv"))]
check(kept == [r["point"] for r in found["runs"] if r["category"] in ["A", "B"] or r["id"] in ["none@S1", "bow_tunnel_1/tripped@S1"]], "records that stay", kept)
suite = xml.etree.ElementTree.parse(os.path.join(good, "junit.xml")).find("testsuite")
failed = [case.get("name") for case in suite if case.find("failure") is not None]
check(suite.get("name") == "S1" and "bow_tunnel_1/stuck@S1" in failed and "gnss-1/no_output@S1" not in failed, "junit.xml", failed)

# A run again, alone: the same bits and the same alarms. The folder belongs to its plan.
again = path("again")
out = trials(path("good.yaml"), "--out", again, "--run", "gnss-1/no_output@S1", "--hash", lost["state_hash"], status=0)[1]
check(re.search(r"^run +gnss-1/no_output@S1: passed", out, re.M) and f"{lost['state_hash']}, equal" in out and "have not run" in out, "--run says its grade and hash", out)
out = trials(path("good.yaml"), "--out", again, "--run", "gnss-1/no_output@S1", "--hash", stuck["state_hash"], status=1)[1]
check("NOT EQUAL" in out, "another hash", out)
run("trials", path("good.yaml"), "--no-pdf", "--collect", again)
repeated = by_id(results(again))
check(repeated["gnss-1/no_output"]["state_hash"] == lost["state_hash"] and repeated["gnss-1/no_output"]["alarms"] == lost["alarms"], "a run again",
      repeated["gnss-1/no_output"], lost)
check({r["verdict"] for i, r in repeated.items() if i not in ("gnss-1/no_output", "none")} == {"not run"} and
      {repeated[i]["verdict"] for i in ("gnss-1/no_output", "none")} == {"passed"}, "what has not run is no pass", repeated["none"])
check("another plan" in trials(plan("other.yaml", few + "magnitudes: {large: 31}\n"), "--out", good, status=2)[2], "another plan in the folder")

# What the owner accepts stays in the report.
accepted = trials(plan("accepted.yaml", two + "accept:\n" + "".join(f"  - {{id: '*', finding: {g}, why: 'letter 12'}}\n" for g in "AB"), begin=FAST),
                  "--out", path("accepted"), status=0)
check(by_id(results(path("accepted")))["bow_tunnel_1/stuck"]["accepted"] == "letter 12", "an accepted finding")

# A controller that knows one reference only and believes it: what costs the good one nothing is a finding.
with open(SHIPPED) as file:
    lines = file.read().splitlines(keepends=True)
single = write("single-dp.yaml", "".join(line for line in lines if not re.match(r"  - \{name: gnss-[23]", line))
               .replace("position_limit_m: 5", "position_limit_m: 1000"))
worse_text = trials(plan("single.yaml", few, dp=single, begin=FAST), "--out", path("single"), "--against", good, status=1)[1]
check(re.search(r"^worse +gnss-1/bias@S1, added offset: ", worse_text, re.M), "--against names what is worse", worse_text)
same = trials(path("good.yaml"), "--collect", good, "--against", good, status=0)[1]
check("0 criteria fail that held in" in same and "; 0 runs are not there" in same, "--against itself", same)
err = run("trials", path("good.yaml"), "--collect", good, "--against", path("nowhere"))
check(err[0] == 2 and "--against: a folder of trials" in err[2], "--against nothing", err)
alone = by_id(results(path("single")))
worse = [name for name in KEPT if alone[name]["category"] and not runs[name]["category"]]
check("gnss-1/bias" in worse and criterion(alone["gnss-1/bias"], "added offset")["result"] == "fail", "no redundancy is not found", worse,
      alone["gnss-1/bias"]["criteria"])

# --seeded-faults: what is wrong on purpose is found; a controller like the good one is not, and that is a failure.
twin = write("twin-dp.yaml", f"extends: {DP}\n")
aside = write("aside-dp.yaml", f"extends: {DP}\npid: {{setpoint: {{attitude_deg: [0, 0, 2]}}}}\n")
spoil = os.path.join(SOURCE, "configs/trials/seeded/spoil.py")
wrong = f"""seeded_faults:
  - {{dp_file: {single}, what: one reference}}
  - {{dp_file: {twin}, what: nothing}}
  - {{dp_file: {aside}, name: aside, what: another set-point}}
  - name: late
    what: late alarms
    command: [{sys.executable}, {spoil}, late-alarms, '{{endpoint}}', sagbend-dp, {DP}, --connect, '{{here}}']
    files: [{spoil}]
  - {{name: gone, what: it does not start, command: [./no-such-program, '{{endpoint}}']}}
"""
sharp = trials(plan("sharp.yaml", excluding(ids, ["gnss-1/no_output", "gnss-1/bias"]) + wrong), "--out", path("sharp"), "--seeded-faults", status=1)[1]
check("3 of 5 seeded faults found" in sharp and sharp.count("seeded fault ") == 5, "--seeded-faults", sharp)
for name, said in (("single-dp.yaml", "found by criteria"), ("twin-dp.yaml", "NOT FOUND"), ("aside", "found by measures only"), ("late", "found by criteria"),
                   ("gone", "NOT FOUND: its runs have no result")):
    check(re.search(f"^seeded faults +{name}: {said}$", sharp, re.M), f"the controller with a seeded fault {name}", sharp)
listed = {w["controller"]: w for w in results(path("sharp"))["seeded_faults"]}
check({name for name, w in listed.items() if not w["found"]} == {"twin-dp.yaml", "gone"}, "sharpness in results.json", listed)
late = by_id(results(path("sharp/seeded-faults/late")))["gnss-1/no_output"]
good_s = by_id(results(path("sharp")))["gnss-1/no_output"]["metrics"]["detected_s"]
check(abs(late["metrics"]["detected_s"] - good_s - 40) < 0.2, "the alarm comes 40 s late", late["metrics"], good_s)
for name, said in (("late", "spoil.py late-alarms {endpoint} sagbend-dp"), ("aside", "aside-dp.yaml")):
    with open(path(f"sharp/seeded-faults/{name}/report.html")) as file:
        check(re.search(f"Control system</th><td>[^<]*{re.escape(said)}", file.read()), "its report names it", name)
moved = by_id(results(path("sharp/seeded-faults/aside")))["none"]["metrics"]
check(1.5 < moved["heading_rms_deg"] < 2.5, "the simulator keeps its own set-point", moved)
for entry, text in (("{name: x, what: x}", "exactly one of dp_file and command expected, got none"),
                    (f"{{dp_file: {twin}, command: [a, '{{endpoint}}'], what: x}}", "exactly one of dp_file and command expected, got both"),
                    ("{dp_file: gone.yaml, what: x}", "a readable DP file"), ("{name: a/b, what: x, command: [a, '{endpoint}']}", "the name of a folder"),
                    ("{name: x, what: x, command: [a]}", "an argument with {endpoint}"),
                    (f"{{dp_file: {twin}, what: x}}\n  - {{dp_file: {twin}, what: x}}", "seeded fault 1 has this name already")):
    err = trials(plan("bad.yaml", few + "seeded_faults:\n  - " + entry + "\n"), "--list", status=2)[2]
    check(text in err and "bad.yaml:" in err, entry, err)

# A condition in which the vessel passes a limit without any failure is said once, and nothing of it passes.
narrow = LIMITS.replace("below: 10, circle: 5", "below: 0.001")
status, out, err = trials(plan("narrow.yaml", two, limits=narrow, begin=FAST), "--out", path("narrow"), status=1)
outside = by_id(results(path("narrow")))
check("not judged" in out and outside["none"]["category"] == "B", "outside the envelope", out, outside["none"])
check({outside[name]["verdict"] for name in SHORT} == {"not judged"}, "its failures are not judged", outside["gnss-1/no_output"])

# A circle on a mean leaves out the motion in the waves. What the record has said stays when the record is gone.
def heave(more): return LIMITS + "  - {name: heave, quantity: heave_m, within: [-9, 9], circle: 0.3" + more + "}\n"
sea = "conditions: [{id: S1, set: {environment.waves: {significant_height_m: 3, peak_period_s: 8, direction_deg: 60, seed: 12, ramp_s: 30}}}]"
one = excluding(ids, ["gyro-1/no_output"])
trials(plan("each.yaml", one, limits=heave(""), conditions=sea, begin=FAST), "--out", path("each"), status=1)
check("heave reaches" in by_id(results(path("each")))["none"]["criteria"][0]["text"], "each value", by_id(results(path("each")))["none"])
averaged = plan("mean.yaml", one, limits=heave(", circle_mean_s: 40"), conditions=sea, begin=FAST)
trials(averaged, "--out", path("mean"), status=0)
first = results(path("mean"))["runs"]
trials(averaged, "--collect", path("mean"), status=0)
check(all(criterion(r, "watch circle")["result"] != "fail" for r in first) and results(path("mean"))["runs"] == first, "the mean", first)
for limit, text in (("below: 10, circle_mean_s: 30", "needs circle"), ("below: 10, circle: 5, circle_mean_s: 61", "a number of at most settle_s")):
    err = trials(plan("bad.yaml", one, limits="limits: [{name: position, quantity: offset_m, " + limit + "}]\n"), "--list", status=2)[2]
    check(text in err and "bad.yaml:" in err, limit, err)

# A controller that does not answer in time: every run is a finding, none a pass.
trials(plan("silent.yaml", two + "controller_timeout_s: 1.0e-6\n"), "--out", path("silent"), status=1)
silent = results(path("silent"))["runs"]
check(all(r["category"] == "A" and criterion(r, "controller")["result"] == "fail" for r in silent if r["verdict"] != "not run") and
      silent[0]["verdict"] == "failed" and not any(r["verdict"] == "passed" for r in silent),
      "a controller that does not answer", [(r["id"], r["verdict"]) for r in silent])

status, out, err = run("trials", path("good.yaml"), "--out", again, "--run", "gnss-9/no_output@S1")
check(status == 2 and "EQUIPMENT/MODE@CONDITION" in err, "a run that does not exist", err)

# A common cause of the plan stands beside the generated ones.
cause = "common_causes: [{name: ups-1, equipment: [gnss-1, gyro-1, wind-1], modes: [no_output, freeze]}]\n"
listed = trials(plan("cause.yaml", cause), "--list", status=0)[1]
check(re.search(r"^ups-1/no_output +common cause", listed, re.M) and re.search(r"^ups-1/freeze +common cause", listed, re.M) and "361 failures" in listed, "common_causes", listed[-300:])
err = trials(plan("cause.yaml", cause.replace("gyro-1", "gyro-9")), "--out", path("cause"), status=2)[2]
check("gyro-9" in err and "nothing has run" in err, "an unknown equipment of a cause", err)

# Wrong plans.
for more, place, text in [("exclude: [{id: 'gnss-9/*', why: x}]\n", r"bad\.yaml:\d+:\d+", "exclude: an identifier of"),
                          ("worst_case: [bus/lost]\n", r"bad\.yaml:\d+:\d+", "worst_case: an identifier of"),
                          ("accept: [{id: '*', finding: D, why: x}]\n", r"bad\.yaml:\d+:\d+", "finding A or B"),
                          ("alarms: {match: '(['}\n", r"bad\.yaml:\d+:\d+", "alarms.match: an extended regular expression"),
                          ("alarms: {match: 'alarm'}\n", r"bad\.yaml:\d+:\d+", "the groups time and text"),
                          ("added_m: -1\n", r"bad\.yaml:\d+:\d+", "added_m: finite number > 0"),
                          ("common_causes: [{name: x, equipment: [gnss-1], modes: [bias]}]\n", r"bad\.yaml:\d+:\d+", "a kind of fault without parameters"),
                          ("speed: 3\n", r"bad\.yaml:\d+:\d+", "speed: unknown key")]:
    err = trials(plan("bad.yaml", more), "--list", status=2)[2]
    check(re.search(place, err) and text in err, f"{more.strip()}: {text}", err)
err = trials(plan("bad.yaml", limits="limits: [{name: x, quantity: offset_m}]\n"), "--list", status=2)[2]
check("exactly one of within and below" in err, "a limit without bounds", err)
err = trials(plan("bad.yaml", begin="base: none.yaml"), "--list", status=2)[2]
check("base: a readable file expected" in err, "no base", err)
err = trials(plan("bad.yaml", conditions="conditions: [{id: S1, set: {environment.wind: 3}}]"), "--out", path("bad"), status=2)[2]
check("bad.yaml:" in err and not os.path.exists(path("bad")), "a condition that is not valid", err)
