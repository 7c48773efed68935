"""tools/scenarios: every shipped scenario ends as it should, and the one that must fail does."""
import glob
import xml.etree.ElementTree as xml

from harness import *

TOOL = os.path.join(SOURCE, "tools/scenarios")
names = sorted(os.path.basename(p)[:-5] for p in glob.glob(os.path.join(SOURCE, "configs/scenarios/*.yaml")))
check(len(names) >= 8 and "must-fail" in names, "scenarios", names)
out_folder = path("out")
# With the controller as a process of its own: the scenario with most to do for the connection, and one of each case that scenarios extend,
# as what is on the connection depends on the case. One log is replayed.
LOGGED = "drift-off"
APART = ["network", "lay-tensioner-brakes", "wrong-reflector", "tensioner-runaway"]


def extended(name):
    with open(os.path.join(SOURCE, f"configs/scenarios/{name}.yaml")) as file:
        base = re.search(r"^extends: (\S+)\.yaml", file.read(), re.M).group(1)
    return extended(base) if base in names else base


check({extended(name) for name in names} == {extended(name) for name in [LOGGED, *APART]}, "a scenario of each case is run with a process", [(n, extended(n)) for n in names])
for folder, *chosen in [out_folder, "--fast", "--without-logs", *names], [path("apart"), LOGGED], [path("apart"), "--without-logs", *APART]:
    status, out, err = run("--build", BUILD, "--out", folder, *chosen, program=TOOL, timeout=1700)
    check(status == 0, f"tools/scenarios: status {status}", out, err)
    count = sum(not word.startswith("--") for word in chosen)
    check(f"{count} of {count} scenarios as expected" in out, "its last line", out)
for name in [LOGGED, *APART]:  # what the process decides is what the controller inside decides
    inside, apart = load(f"out/{name}.json"), load(f"apart/{name}.json")
    check((inside["mode"], apart["mode"]) == ("fast", "lockstep") and apart["lockstep"]["answers"] > 100, f"{name}: modes", inside["mode"], apart["mode"])
    check(inside["commands"]["accepted"] > 100, f"{name}: commands", inside["commands"])
    for key in "state_hash", "steps", "verdicts", "events", "faults", "failures", "energy", "newton", "vessel", "pipe", "dp":
        check(inside.get(key) == apart.get(key), f"{name}: {key} of the controller inside and of the process", inside.get(key), apart.get(key))
    for key in "accepted", "refused", "refused_by_reason", "lost":
        check(inside["commands"][key] == apart["commands"][key], f"{name}: commands {key}", inside["commands"], apart["commands"])
check([name for name in os.listdir(path("apart")) + os.listdir(out_folder) if name.endswith(".mcap")] == [LOGGED + ".mcap"], "--without-logs", os.listdir(path("apart")))
for name in names:
    summary = load(f"out/{name}.json")
    failed = [v["name"] for v in summary["verdicts"] if v["result"] != "passed"]
    check(bool(failed) == (name == "must-fail"), f"{name}: verdicts", summary["verdicts"])
    check(summary["faults"]["began"] > 0 and summary["ended_by"] == "duration", f"{name}: its story", summary["faults"])
    suite = xml.parse(path(f"out/{name}.xml")).getroot()[0]
    check(int(suite.get("failures")) == len(failed), f"{name}: JUnit", suite.attrib)

# The log of one of them replays; it contains faults, weather, instruments and thrusters.
status, out, err = run("replay", path(f"apart/{LOGGED}.mcap"), "--verify", timeout=300)
check(status == 0 and "equal" in out, "replay of a scenario", out, err)

# Failures are reported: a verdict that fails where it should hold, an unknown name.
with open(os.path.join(SOURCE, "configs/scenarios/must-fail.yaml")) as file:
    text = file.read()
with open(path("wrong.yaml"), "w") as file:
    file.write(text.replace("extends: ", f"extends: {SOURCE}/configs/scenarios/").replace("name: must-fail", "name: wrong\nsimulation: {duration_s: 30}")
               .replace("below: 10, after: lost", "below: 0.0001, from_s: 25"))
status, out, err = run("--build", BUILD, path("wrong.yaml"), program=TOOL, timeout=300)
check(status == 1 and "not wrong" in out, "a scenario that fails", out, err)
status, out, err = run("--build", BUILD, "nothing", program=TOOL)
check(status == 2 and "no scenario 'nothing'" in err, "an unknown scenario", status, err)
