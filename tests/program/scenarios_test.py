"""tools/scenarios: every shipped scenario ends as it should, and the one that must fail does."""
import glob
import xml.etree.ElementTree as xml

from harness import *

TOOL = os.path.join(SOURCE, "tools/scenarios")
names = sorted(os.path.basename(p)[:-5] for p in glob.glob(os.path.join(SOURCE, "configs/scenarios/*.yaml")))
check(len(names) >= 8 and "must-fail" in names, "scenarios", names)
out_folder = path("out")
LOGGED = "drift-off"  # one log is replayed; to write all of them would cost an eighth more
for chosen in [LOGGED], ["--without-logs", *[name for name in names if name != LOGGED]]:
    status, out, err = run("--build", BUILD, "--out", out_folder, *chosen, program=TOOL, timeout=1700)
    check(status == 0, f"tools/scenarios: status {status}", out, err)
    count = sum(not word.startswith("--") for word in chosen)
    check(f"{count} of {count} scenarios as expected" in out, "its last line", out)
check([name for name in os.listdir(out_folder) if name.endswith(".mcap")] == [LOGGED + ".mcap"], "--without-logs", os.listdir(out_folder))
for name in names:
    summary = load(f"out/{name}.json")
    failed = [v["name"] for v in summary["verdicts"] if v["result"] != "passed"]
    check(bool(failed) == (name == "must-fail"), f"{name}: verdicts", summary["verdicts"])
    check(summary["faults"]["began"] > 0 and summary["ended_by"] == "duration", f"{name}: its story", summary["faults"])
    suite = xml.parse(path(f"out/{name}.xml")).getroot()[0]
    check(int(suite.get("failures")) == len(failed), f"{name}: JUnit", suite.attrib)

# The log of one of them replays; it contains faults, weather, instruments and thrusters.
status, out, err = run("replay", os.path.join(out_folder, LOGGED + ".mcap"), "--verify", timeout=300)
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
