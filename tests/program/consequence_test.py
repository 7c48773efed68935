"""The consequence analysis: of sagbend-dp in lockstep and of a controller of another maker. Quantities, verdicts, lines, the page's
message, log and replay; what is refused."""
from harness import *
import sagbend

OSV = os.path.join(SOURCE, "configs/scenarios/common/osv.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")
COARSE = ("--mode", "lockstep", "--set", "simulation.step_s=0.05", "--set", "pipe.elements=20")
BEAM = ("--set", "environment.wind={speed_mps: 12.5, direction_deg: 282, seed: 3, gusts: norsok, ramp_s: 10}",
        "--set", "environment.waves={significant_height_m: 2.7, peak_period_s: 8, direction_deg: 282, seed: 5, ramp_s: 10}",
        "--set", "environment.current={surface_mps: 0.75, direction_deg: 102, start_s: 0, ramp_s: 10}")
VERDICTS = "verdicts=[{name: margin, quantity: consequence_margin, above: 1.2, from_s: 100}, {name: alarm, quantity: consequence_alarm, below: 0.5, from_s: 60}]"

# The shipped controller: a beam sea in which the loss of a bus would be too much.
simulator = Simulator(OSV, *COARSE, *BEAM, "--set", VERDICTS, "--duration", "160", "--summary", path("dp.json"), "--log", path("dp.mcap"))
dp = controller(simulator, "--set", "consequence={mean_s: 20, margin: 1.2}", config=DP)
status = simulator.end()
check(dp.end() == 0, "sagbend-dp", dp.stderr())
summary = load(path("dp.json"))
verdicts = {v["name"]: v for v in summary["verdicts"]}
check(status == 1 and verdicts["margin"]["result"] != "passed" and verdicts["alarm"]["result"] != "passed", "verdicts", status, verdicts)
check(0 < verdicts["margin"]["worst_value"] < 1.2, "margin", verdicts["margin"])
check(summary["consequence"]["consequence_alarms"] >= 1, "alarms", summary["consequence"])
line = re.search(r"t = ([0-9.]+) s: consequence alarm: the vessel would not be held without (bus-\w+), margin ([0-9.]+)", dp.stderr())
check(line and 60 <= float(line[1]) and float(line[3]) < 1.2, "the line", dp.stderr())
check_replay("dp.mcap")
views = [json.loads(line)["message"] for line in run("log", "cat", path("dp.mcap"), "--topic", "/dp")[1].splitlines()]
told = [v["consequence"] for v in views if v.get("consequence", {}).get("known")]
for view in told:
    margins = {f["name"]: f["margin"] for f in view["failures"]}
    check(set(margins) == {"bus-port", "bus-starboard", "bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"}, "failures", margins)
    check(all(f.get("alarm", False) in (True, False) for f in view["failures"]) and (view["alarm"] or not any(f.get("alarm") for f in view["failures"])), "its alarms", view)
    check(abs(min(margins.values()) - view["margin"]) < 1e-12 and margins[view["failure"]] == view["margin"], "the least", view)

# Inside the simulator the same.
status, out, err = run("run", OSV, "--mode", "fast", *COARSE[2:], *BEAM, "--duration", "30", "--record", path("none.csv"))
check(status == 0, "without the key", err)
with open(path("none.csv")) as file:
    import csv
    rows = list(csv.DictReader(file))
check(all(r["consequence_margin"] in ("nan", "") and float(r["consequence_alarms"]) == 0 for r in rows), "without the key nothing is known", rows[-1])

# A controller of another maker.
simulator = Simulator(OSV, *COARSE, "--duration", "0", "--log", path("maker.mcap"), "--summary", path("maker.json"),
                      "--set", "verdicts=[{name: alarm, quantity: consequence_alarm, below: 0.5}]")
client = sagbend.Client(simulator.commands, name="maker")
samples = client.samples()
GOOD = {"known": True, "alarm": False, "margin": 1.4, "failure": "bus-port"}
for said in ({"known": False}, GOOD, dict(GOOD, alarm=True, margin=0.9), GOOD, dict(GOOD, alarm=True, margin=0.8), dict(GOOD, alarm=True, margin=0.7)):
    for _ in range(3):
        client.send_standby(next(samples), consequence=said)
for said, reason in ((dict(GOOD, margin=-1), "consequence.margin: a number from 0 to 1e9 expected, got -1"), (dict(GOOD, known=False), "with known false no other field"),
                     (dict(GOOD, failure="x" * 32), "consequence.failure: at most 31 characters"), (dict(GOOD, margin=float("nan")), "finite")):
    before = client.refusal_count
    sensors = next(samples)
    client.send_standby(sensors, consequence=said)

    def is_refused():
        client.receive(0.05)
        return client.refusal_count > before

    until(is_refused, "no refusal", said)
    check(reason in client.refusals[-1].text, "the refusal", said, client.refusals[-1])
    client.send_standby(sensors, consequence=dict(GOOD, alarm=True, margin=0.7))
simulator.signal()
client.close()
simulator.end()
summary = load(path("maker.json"))
check(summary["consequence"] == {"consequence_margin": 0.7, "consequence_alarm": 1, "consequence_alarms": 2, "consequence_unsolved": 0}, "its analysis", summary["consequence"])
check(summary["verdicts"][0]["result"] != "passed", "its verdict", summary["verdicts"])
status, out, err = run("replay", path("maker.mcap"), "--verify")
check(status == 0, "replay", out, err)

# The campaign that judges an analysis: one short environment, with the controller inside and beside it. A case for each failure.
CAMPAIGN = ("--jobs", "1", "--at-s", "70", "--after-s", "5", "--judged-s", "10", "--failures", "bus-port", "bow_tunnel_1", "--sagbend", SAGBEND, "--set", "pipe.elements=20")
QUICK = path("quick-dp.yaml")
with open(QUICK, "w") as file:
    file.write(f"extends: {DP}\nconsequence: {{mean_s: 15, margin: 90}}\n")  # with the alarm on
ALONE = path("alone-dp.yaml")  # it names one failure
with open(ALONE, "w") as file:
    file.write(f"extends: {QUICK}\nconsequence: {{failures: groups, groups: [{{name: bus-port, thrusters: [bow_tunnel_1, stern_azimuth_port]}}]}}\n")
for name, more in (("inside", ("--dp-file", QUICK, "--chance", "1", "--near", "0", "99")),
                   ("beside", ("--controller", f"{SAGBEND_DP} {ALONE} --connect {{endpoint}}")),
                   ("silent", ("--controller", f"{SAGBEND_DP} {DP} --connect {{endpoint}}"))):
    status, out, err = run("--out", path(name), "--environments", "1", *CAMPAIGN, *more, program=os.path.join(SOURCE, "tools/consequence"))
    check(status == 0 and "1 held: 2 cases, 2 of them run" in out, "tools/consequence", status, out, err)
    result = load(path(name + "/results.json"))
    check([c["failure"] for c in result["cases"]] == ["bus-port", "bow_tunnel_1"], "cases", result["cases"])
    told, table = result["cases"], result["tables"]["without wave motion"]["all"]
    check(name == "silent" or told[0]["alarm"] and 0 < told[0]["margin"] < 99, "what the controller says of the worst failure", name, told)
    check(name != "inside" or (told[1]["alarm"] and told[0]["margin"] < told[1]["margin"] < 99), "what it says of the other", told)
    alarms, not_reported = sum(c["alarm"] is True for c in told), [c["alarm"] for c in told].count(None)
    check(not_reported == {"inside": 0, "beside": 1, "silent": 2}[name] == table["not_reported"], "of how many it says nothing", name, told)
    check(table["cases"] == 2 and table["found"] + table["false"] == alarms and table["lost"] + table["kept"] == 2, "the table", table)
    check(name != "silent" or (table["missed"] == table["lost"] and table["false_share"] is None), "nothing that a silent controller is right in", table)
    check(name != "inside" or all(len(c["others"]) == 1 for c in result["cases"]), "runs with other seeds", result["cases"])
kept = os.listdir(path("inside/runs"))
os.remove(path("inside/runs/0-bus-port.csv"))
status, out, err = run("--out", path("inside"), "--environments", "1", *CAMPAIGN, "--dp-file", QUICK, program=os.path.join(SOURCE, "tools/consequence"))
check(status == 0 and sorted(os.listdir(path("inside/runs"))) == sorted(kept), "what is missing runs again", status, err)
status, out, err = run("--out", path("inside"), "--seed", "2", "--environments", "1", "--sagbend", SAGBEND, program=os.path.join(SOURCE, "tools/consequence"))
check(status == 1 and "belongs to a campaign with other options" in err, "another campaign in the same folder", status, err)

status, out, err = run("--out", path("trusting"), "--bound", "2", "--controller", "true", program=os.path.join(SOURCE, "tools/consequence"))
check(status == 2 and "--bound trusts the margins" in err, "the margins of another maker", status, err)

# What a controller beside the simulator says of each failure, by its newest command and its newest view.
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import consequence as campaign_tool
import consequence_said
import consequence_table

ON = {"known": True, "alarm": True, "margin": 0.8, "failure": "a"}


def told_of(command, view=(), at_s=600.0, view_s=599.9):
    lines = [{"time_s": s, "message": {"consequence": c} if c else {}} for s, c in ((at_s, command), (view_s, dict(ON, failures=list(view))))]
    return consequence_said.from_messages(*lines, 600.0, ["a", "b"])


def both(a, b):
    return {"a": dict(zip(("margin", "alarm"), a)), "b": dict(zip(("margin", "alarm"), b))}


NONE, SOME = (None, None), ({"name": "b", "margin": 0.9, "alarm": True}, {"name": "a", "margin": 0.8})
for got, expected in ((told_of(None), {}), (told_of({"known": False}), {}), (told_of(ON, at_s=590), {}), (told_of(ON), both((0.8, True), NONE)),
                      (told_of(dict(ON, alarm=False)), both((0.8, False), (None, False))), (told_of(ON, SOME), both((0.8, False), (0.9, True))),
                      (told_of(ON, SOME, view_s=590), both((0.8, True), NONE)), (told_of(dict(ON, failure="")), both(NONE, NONE)),
                      (consequence_said.from_messages(None, None, 600, ["a"]), {}), (consequence_said.from_summary({"consequence_alarm": 0}, ["a"]), {}),
                      (consequence_said.from_summary({"failures": [{"name": "a", "margin": 0.8, "alarm": True}]}, ["a", "b"]), both((0.8, True), (None, False)))):
    check(got == expected, "what it says", got, expected)
OUTCOMES = ((True, True), (True, False), (False, True), (False, False), (None, True), (None, True), (None, False))  # alarm, lost
t = consequence_table.count([{"held": True, "alarm": alarm, "lost": lost} for alarm, lost in OUTCOMES], "")
check([t[k] for k in ("cases", "lost", "found", "missed", "kept", "false", "not_reported", "false_share")] == [7, 4, 1, 3, 3, 1, 3, 0.5], "counted", t)
# Eight environments of ten cases that are all found or all missed are eight cases, not eighty.
ALIKE = [{"held": True, "alarm": e < 6, "lost": True, "environment": {"index": e}} for e in range(8) for _ in range(10)]
low, high = consequence_table.by_environment(ALIKE, "")["found"]
t = consequence_table.count(ALIKE, "")
check(low < 0.5 and high == 1 and low < t["found_interval"][0] - 0.1 and consequence_table.by_environment(ALIKE, "")["false"] is None, "clusters", low, high, t)

# Beyond the bound every tenth case runs all the same; one that is lost raises the bound.


for lost, ran, bound in (((), 12, 1.7), ((2,), 25, 3.3)):
    judged = [{"environment": {"index": i, "direction_deg": 10}, "failure": "bus", "margin": 1 if i < 2 else 3 if i < 17 else 4, "alarm": False, "held": True,
               "held_without_waves": True} for i in range(100)]
    order = []

    def outcomes(cases):
        for c in cases:
            order.append(c["environment"]["index"])
            c.update(lost=order[-1] in lost, lost_without_waves=order[-1] in lost, run=True)

    got = campaign_tool.judge(judged, 1.7, outcomes)
    t = consequence_table.tables(judged)["without wave motion"]["all"]
    check(abs(got - bound) < 1e-9 and len(order) == len(set(order)) == ran, "the bound", got, order)
    check(t["lost"] == t["missed"] == len(lost) and sum(c["run"] for c in judged) == ran, "counted", t)

# The largest number held in time, with a failure and without.
status, out, err = run("--out", path("limits"), "--limits", "180", "--seeds", "1", "--jobs", "1", "--at-s", "70", "--after-s", "5", "--judged-s", "10", "--failures", "bus-port",
                       "--sagbend", SAGBEND, program=os.path.join(SOURCE, "tools/consequence"))
check(status == 0 and "bus-port" in out, "tools/consequence --limits", status, out, err)
limits = load(path("limits/limits.json"))["limits"]
check({r["failure"] for r in limits} == {"none", "bus-port"} and all(len(r["runs"]) >= 3 for r in limits), "limits", limits)
for r in limits:
    check(all(x["lost_without_waves"] == (x["number"] > r["number"]) for x in r["runs"]), "bisection", r)

# Declared failures: one that stops what a bus stops has its margin, one that takes power has less than none. Wrong ones are named.
GROUPS = "[{name: engine room, thrusters: [bow_tunnel_1, stern_azimuth_port]}, {name: set-1, power_w: [0.3e6, 0.3e6]}, {name: dark, power_w: [0, 3.8e6]}]"


def with_groups(groups, failures="all"):
    with open(path("groups-dp.yaml"), "w") as file:
        file.write(f"extends: {DP}\nname: groups\nconsequence: {{mean_s: 20, failures: {failures}, groups: {groups}}}\n")
    return run("run", OSV, "--mode", "fast", *COARSE[2:], *BEAM, "--duration", "160", "--summary", path("groups.json"), "--set", "controller.dp_file=" + path("groups-dp.yaml"))


with_groups(GROUPS)
margins = {f["name"]: f["margin"] for f in load(path("groups.json"))["consequence"]["failures"]}
check(margins["engine room"] == margins["dark"] == margins["bus-port"] and margins["set-1"] < min(margins["bus-port"], margins["bus-starboard"]), "margins", margins)
with_groups(GROUPS, "groups")
check(set(f["name"] for f in load(path("groups.json"))["consequence"]["failures"]) == {"engine room", "set-1", "dark"}, "groups alone", load(path("groups.json"))["consequence"])
for groups, place, what in (("[{name: a, thrusters: [nobody]}]", "groups.0.thrusters.0", "the name of one of thrusters"), ("[{name: a, thrusters: []}]", "groups.0.thrusters", "a list of names"),
                            ("[{name: a, power_w: [1]}]", "groups.0.power_w", "a list of 2 numbers"), ("[{name: a, power_w: [1, -2]}]", "groups.0.power_w.1", "at least 0 W"),
                            ("[{name: a}]", "groups.0", "thrusters or power_w expected"), ("[{name: bow_tunnel_1, power_w: [1, 2]}]", "groups.0.name", "is the name of a thruster"),
                            ("[{name: bus-port, power_w: [1, 2]}]", "groups.0.name", "is not allowed with consequence.failures buses or both"), ("[{name: a, power_w: [1, 2]}, {name: a, power_w: [1, 2]}]", "groups.1", "")):
    status, out, err = with_groups(groups)
    check(status == 2 and place in err and what in err and re.search(r"groups-dp\.yaml:\d+:\d+: ", err), "a wrong group", groups, status, err)
status, out, err = with_groups("[]", "groups")
check(status == 2 and "consequence.failures" in err and "the file has no consequence.groups" in err, "a list without failures", status, err)
