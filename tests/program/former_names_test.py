"""Names that are no longer used: each is refused with its present one, in a case, a DP file, a plan, an order and on the command line,
and stands in CHANGELOG.md. The table is src/.../former_names.inc. Logs with such names: compatibility_test.py."""
from harness import *

with open(next(os.path.join(root, "former_names.inc") for root, _, names in os.walk(os.path.join(SOURCE, "src")) if "former_names.inc" in names)) as file:
    ROWS = re.findall(r'^FORMER\((\w+), "([^"]+)", "([^"]+)"\)$', file.read(), re.M)
OF = {kind: [(was, now) for k, was, now in ROWS if k == kind] for kind, _, _ in ROWS}
check(len(ROWS) > 70 and {"CASE_KEY", "OUTPUT", "FAULT", "EVENT", "FIELD"} <= set(OF), "rows", len(ROWS))
with open(os.path.join(SOURCE, "CHANGELOG.md")) as file:
    removed = re.sub(r"\s+", " ", file.read().split("### Removed")[1].split("### Fixed")[0])
for kind, was, now in ROWS:
    dashes = "--" if kind == "OPTION" else ""
    check(f"`{dashes}{was}`" in removed and now in removed, f"CHANGELOG.md, Removed: {was}", now)

SHIP = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
JLAY = os.path.join(SOURCE, "configs/jlay-900m.yaml")


def refused(words, was, now, *command):
    status, out, err = run(*command, *words)
    check(status == 2 and f"present name is {now}" in err and was.split(".")[-1] in err, f"{command[0]}: {was}", status, out, err)


# Keys of cases, also with run; of DP files and plans.
def override(key):
    return re.sub(r"\[\]", ".0", key) + "=1"


for was, now in OF["CASE_KEY"]:
    if was.startswith("events[]"):  # a list that the case does not have
        refused(["--set", f"events=[{{name: a, at_s: 1, fault: bias, target: gnss-1, {was.split('.')[1]}: 1}}]"], was, now, "check", SHIP)
    elif was.startswith("pipe.operations"):
        refused(["--set", f"pipe.operations=[{{name: a, mode: brake, {was.split('.')[-1]}: 1}}]"], was, now, "check", JLAY)
    else:
        refused(["--set", override(was)], was, now, "check", SHIP)
refused(["--mode", "fast", "--duration", "1", "--set", "hold_wrench=balance"], "hold_wrench", "initial_holding_force", "run", JLAY)
for was, now in OF["DP_KEY"]:
    refused(["--set", override(was)], was, now, "check", "--dp", os.path.join(SOURCE, "configs/osv-83m-dp.yaml"))
for was, now in OF["WORD"]:
    refused(["--set", f"network.reaction={was}"], was, now, "check", JLAY)
with open(path("plan.yaml"), "w") as file:
    file.write(f"name: a\nbase: {SHIP}\nwrong: []\nonly: [gnss-1/off]\n")
status, _, err = run("trials", path("plan.yaml"), "--list")
check(status == 2 and "present name is seeded_faults" in err, "a key of a plan", status, err)
with open(path("plan.yaml"), "w") as file:
    file.write(f"name: a\nbase: {SHIP}\nsettle_s: 90\nonly: [gnss-1/off-freeze]\nlimits: [{{name: a, quantity: offset_m, below: 10}}]\n"
               "conditions: [{id: S1, set: {}}]\n")
status, _, err = run("trials", path("plan.yaml"), "--list")
check(status == 2 and "present name is gnss-1/no_output-freeze" in err, "a failure mode of a plan", status, err)

# Outputs in verdicts, conditions, plots and --find; kinds of fault in events.
for was, now in OF["OUTPUT"]:
    if was.endswith("radps"):
        continue  # of the record only
    refused(["--set", f"verdicts=[{{name: a, quantity: {was}, below: 1}}]"], was, now, "check", SHIP)
refused(["--set", "events=[{name: a, when: {quantity: yaw_degps, above: 1}, fault: no_output, target: gnss-1}]"], "yaw_degps", "body_rate_yaw_degps", "check", SHIP)
refused(["--find", "dcc_utilisation=0.5"], "dcc_utilisation", "displacement_controlled_utilisation", "statics", JLAY)
for was, now in OF["FAULT"]:
    refused(["--set", f"events=[{{name: a, at_s: 1, fault: '{was}', target: gnss-1}}]"], was, now, "check", SHIP)
with open(path("sweep.yaml"), "w") as file:
    file.write(f"name: a\nbase: {SHIP}\nvary: [{{key: hil.seed, values: [1, 2]}}]\nquantities: [missed_steps]\n")
status, _, err = run("sweep", path("sweep.yaml"), "--list")
check(status == 2 and "present name is late_steps_and_lost_periods" in err, "a quantity of a sweep", status, err)
refused(["--set", "modbus={endpoint: 'tcp://127.0.0.1:*', registers: [{signal: quantity.moved_commands, table: input, address: 1, type: float32}]}"],
        "moved_commands", "azimuths_in_forbidden_zone", "check", SHIP)

# Fields of a log; an order.
status, _, err = run("run", SHIP, "--mode", "fast", "--duration", "1", "--log", path("a.mcap"), "--set", "log.timing_period_s=0.5")
check(status == 0, "a log", err)
for topic, was, now in (("/timing", "deadline_misses", "late_steps"), ("/truth", "pipe.code_check.lcc.utilisation", "pipe.code_check.load_controlled.utilisation"),
                        ("/truth", "yaw_radps", "body_rate_yaw_radps")):
    status, _, err = run("log", "export-csv", path("a.mcap"), "--topic", topic, "--fields", was)
    check(status == 2 and f"present name is {now}" in err, f"a field: {was}", status, err)
simulator = Simulator(SHIP, "--mode", "realtime", "--duration", "0")
for was, now in OF["FAULT"]:
    status, _, err = run("ctl", simulator.commands, "fault", was, "--target", "gnss-1")
    check(status != 0 and f"present name is {now}" in err, f"an order: {was}", status, err)
check(run("ctl", simulator.commands, "stop")[0] == 0 and simulator.end() == 0, "the end", simulator.stderr())
