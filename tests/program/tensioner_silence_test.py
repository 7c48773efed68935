"""What the tensioner does while the controller whose order it follows is silent: it goes on, or it brakes until a controller orders
otherwise; with commands that are lost on the way, and with a controller that is killed and comes back."""
from harness import *

LAY = os.path.join(SOURCE, "configs/osv-83m-lay.yaml")
LAY_DP = os.path.join(SOURCE, "configs/osv-83m-lay-dp.yaml")
BRAKES = "pipe.tensioner.on_silence=brake"


def wait_until(holds, what):
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        check(time.monotonic() < deadline, what, simulator.stderr())
        time.sleep(0.05)


def events(summary):
    return [event["name"] for event in load(summary)["events"]["first"]]


# Commands that are lost for 20 s, with the controller inside.
with open(path("silent.yaml"), "w") as file:
    file.write(f"""extends: {LAY}
simulation: {{duration_s: 200}}
controller: {{kind: sampled, dp_file: {LAY_DP}}}
events: [{{name: silence, at_s: 140, duration_s: 20, fault: loss, probability: 1}}]
verdicts: []
""")
for name, setting, times in (("goes_on", "pipe.tensioner.on_silence=go_on", 0), ("brakes", BRAKES, 1)):
    status, out, err = run("run", path("silent.yaml"), "--mode", "fast", "--set", setting, "--log", path(name + ".mcap"), "--overwrite", "--summary",
                           path(name + ".json"))
    check(status == 0, name, status, out, err)
    found = events(name + ".json")
    check(found.count("tensioner_silence") == times, f"{name}: events", found)
    check(found.count("tensioner_order") == 1 + times, f"{name}: orders", found)
    check(load(name + ".json")["commands"]["tensioner_silences"] == times, f"{name}: count", load(name + ".json")["commands"])
    check(("the tensioner braked 1 time" in out) == (times == 1), f"{name}: table", out)
    check_replay(name + ".mcap")
check(load("brakes.json")["pipe"]["paid_out_m"] < load("goes_on.json")["pipe"]["paid_out_m"], "the brake holds the pipe")

# A controller that is killed; an operator; another controller.
with open(path("soon-dp.yaml"), "w") as file:
    file.write(f"extends: {LAY_DP}\npid: {{start_s: 0.5, approach_s: 1}}\nroute: {{start_s: 0}}\n")
with open(path("soon.yaml"), "w") as file:
    file.write(f"extends: {LAY}\ncontroller: {{dp_file: soon-dp.yaml}}\nverdicts: []\n")
simulator = Simulator(path("soon.yaml"), "--mode", "realtime", "--duration", "86400", "--set", BRAKES, "--log", path("killed.mcap"),
                      "--summary", path("killed.json"))


def status():
    got, out, err = run("ctl", simulator.commands, "status", "--json")
    check(got == 0, "status", got, out, err)
    return json.loads(out)["tensioner"]


first = controller(simulator, config=path("soon-dp.yaml"))
first.wait_for("takes over")
simulator.wait_for("tensioner_order: tension 205000 N, by the controller")
first.kill()
simulator.wait_for("tensioner_silence: the tensioner brakes: its controller is silent")
check(status()["ordered"] == "brake" and status()["source"] == "controller", "the order in force", status())
second = controller(simulator, config=path("soon-dp.yaml"))
second.wait_for("takes over")
wait_until(lambda: status()["ordered"] == "tension", "a controller that comes back orders again")
got, out, err = run("ctl", simulator.commands, "tensioner", "tension", "210e3")
check(got == 0, "an operator's order", got, out, err)
wait_until(lambda: status()["source"] == "operator", "the operator's order is in force")
second.kill()
simulator.wait_for(r"(?s)command_back.*command_lost")
check(status()["ordered"] == "tension" and status()["source"] == "operator", "an operator's order goes on", status())
run("ctl", simulator.commands, "stop")
check(simulator.end(60) == 0, "simulator", simulator.stderr())
check(load("killed.json")["commands"]["tensioner_silences"] >= 1, "count", load("killed.json")["commands"])
check_replay("killed.mcap")

# What is refused.
got, out, err = run("check", LAY, "--set", BRAKES, "--set", "pipe.tensioner.accept=operator")
check(got == 2 and "pipe.tensioner.on_silence needs pipe.tensioner.accept all or controller" in err, "refused", err)
