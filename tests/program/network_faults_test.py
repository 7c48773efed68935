"""Faults of networks A and B (docs/scenarios.md): each acts on its network alone, the other one carries on, and no bit of the run differs; a network that is cut is
said, and comes back.

network_faults_test.py BUILD SOURCE"""
from harness import *

TWO = ["--set", "network.command_endpoint_b=tcp://127.0.0.2:*", "--set", "network.telemetry_endpoint_b=tcp://127.0.0.2:*"]


def run_of(name, *events):
    simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "20", "--summary", path(name + ".json"), "--hashes", path(name + ".hashes"), *TWO,
                          *(["--set", "events=[" + ", ".join(events) + "]"] if events else []))
    ends = simulator.commands, simulator.wait_for(r"commands by network B at (\S+)").group(1)
    dp = Program(SAGBEND_DP, JLAY_DP, "--connect", ends[0], "--connect", ends[1])
    check(simulator.end() == 0 and dp.end() == 0, name, simulator.stderr(), dp.stderr())
    summary = load(name + ".json")
    check(summary["commands"]["refused"] == 0 and summary["commands"]["changes_of_command"] == 1, name + ": nothing is refused", summary["commands"])
    return summary, hashes(name + ".hashes")


def event(kind, target, more=""):
    return f"{{name: it, at_s: 5, duration_s: 10, fault: {kind}, target: {target}{more}}}"


def bits_of(hashes):
    return [words[-1] for words in hashes]


_, undisturbed = run_of("none")
for name, one in (("cut-a", event("network_cut", "A")), ("cut-b", event("network_cut", "B")), ("sends-a", event("network_sends_only", "A")),
                  ("hears-b", event("network_hears_only", "B")), ("loss-a", event("network_loss", "A", ", probability: 0.5")),
                  ("repeat-b", event("network_repeat", "B", ", probability: 0.5")), ("delay-a", event("network_delay", "A", ", delay_s: 0.05"))):
    summary, found = run_of(name, one)
    messages = [n["messages"] for n in summary["networks"]]
    check(len(found) == len(undisturbed), name + ": all steps are made", len(found), len(undisturbed))
    if name == "cut-a":
        check(messages[0] <= messages[1] - 80, "A brings nothing meanwhile", messages)
    if name == "sends-a":
        check(messages[0] <= messages[1] - 80, "nothing comes by A", messages)
    check(summary["commands"]["accepted"] >= 199, name + ": each step has its answer", summary["commands"])
status, _, err = run("check", JLAY, "--set", "events=[" + event("network_cut", "C") + "]")
check(status == 2 and "A or B or all expected" in err or "A, B or all expected" in err, "another network", err)
for one, words in ((event("network_repeat", "A", ", probability: 0.5"), "network_repeat needs network B, network.command_endpoint_b, nmea.network.interface_b or modbus.endpoint_b"),
                   (event("network_delay", "B", ", delay_s: 0.1"), "network_delay with target B needs network B")):
    status, _, err = run("check", JLAY, "--set", "events=[" + one + "]")
    check(status == 2 and words in err, "a fault without its network", err)
simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "0")
status, out, err = run("ctl", simulator.commands, "fault", "network_repeat", "--target", "A", "--probability", "0.5")
check(status == 1 and "network_repeat needs network B" in out + err, "an order", out, err)
status, _, err = run("ctl", simulator.commands, "fault", "network_cut", "--target", "A")
check(status == 0, "network A is always there", err)
