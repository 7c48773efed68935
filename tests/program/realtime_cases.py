"""The cases in which the real-time thread shows what it does: both shipped vessels, the controller in another process and inside,
with log, checkpoints, record, operator's orders and every output. Each lasts some seconds. A test runs them with a program
of its choice and judges the summary of each."""
from harness import *

WEATHER = os.path.join(SOURCE, "tests/program/realtime_weather.yaml")
OSV_DP = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")
DURATION_S = 3
STEPS = 100 * DURATION_S


def orders(simulator, *lines):
    """Gives orders, each when so many steps have been made; 0: at once."""
    for step, *words in lines:
        if step:
            simulator.wait_for_step(step)
        status, out, err = run("ctl", simulator.commands, *words)
        check(status == 0, f"ctl {words}: status {status}", out, err, simulator.stderr())


def give_orders_and_stop(simulator, *lines):
    """The session has no end of its own, so that orders from a slow machine come in time."""
    orders(simulator, *lines, (STEPS, "stop"))


def pipelay_external(start):
    """The pipelay vessel with sagbend-dp; commands are lost and delayed, time stands and runs faster by order."""
    simulator = start("pipelay_external", JLAY, "--duration", "0")
    dp = controller(simulator, "--set", "pid.start_s=0.5")
    give_orders_and_stop(simulator, (60, "fault", "loss", "--probability", "0.3", "--for", "0.5"),
           (100, "fault", "jitter", "--largest_s", "0.2", "--name", "late"),
           (110, "pause"), (0, "set-point", "--north", "682"), (0, "resume"), (130, "snapshot", "one"),
           (140, "rate", "1.2"), (150, "clear", "late"), (151, "list"), (160, "rate", "1"))
    check(simulator.end() == 0, "pipelay_external: it failed", simulator.stderr())
    check(dp.end() == 0, "the controller did not end with the simulator", dp.stderr())
    summary = load("pipelay_external.json")
    check(summary["commands"]["accepted"] > 0, "no command was accepted", summary["commands"])
    return summary


def supply_vessel_external(start):
    """The 83 m vessel with thrusters, instruments, weather and NMEA; sagbend-dp; faults of each kind by order."""
    simulator = start("supply_vessel_external", WEATHER, "--duration", "0")
    dp = controller(simulator, "--set", "pid.start_s=0.5", config=OSV_DP)
    give_orders_and_stop(simulator, (40, "fault", "bias", "--target", "gnss-1", "--bias", "3", "--for", "1"),
           (60, "fault", "stuck", "--target", "bow_tunnel_1", "--name", "stuck"), (100, "clear", "stuck"),
           (120, "fault", "blackout", "--target", "all", "--restart_interval_s", "0.3", "--for", "0.4"),
           (180, "fault", "noise", "--target", "gyro-2", "--growth_per_s", "0.1"), (200, "clear", "all"))
    check(simulator.end() == 0, "supply_vessel_external: it failed", simulator.stderr())
    check(dp.end() == 0, "the controller did not end with the simulator", dp.stderr())
    summary = load("supply_vessel_external.json")
    check(summary["commands"]["accepted"] > 0, "no command was accepted", summary["commands"])
    return summary


def supply_vessel_inside(start):
    """The same vessel with the controller inside, in command from the start."""
    with open(OSV_DP) as file, open(path("inside-dp.yaml"), "w") as copy:
        copy.write(file.read().replace("start_s: 20", "start_s: 0.2"))
    simulator = start("supply_vessel_inside", WEATHER, "--duration", str(DURATION_S), "--set", "controller.kind=sampled", "--set", f"controller.dp_file={path('inside-dp.yaml')}")
    check(simulator.end() == 0, "supply_vessel_inside: it failed", simulator.stderr())
    summary = load("supply_vessel_inside.json")
    check(summary["commands"]["accepted"] > 0 and summary["commands"]["state"] == "live", "the controller inside", summary["commands"])
    return summary


def fourth_order(start):
    """A vessel without a pipe, with the scheme of order 4."""
    simulator = start("fourth_order", VESSEL, "--duration", str(DURATION_S), "--set", "simulation.order=4")
    check(simulator.end() == 0, "fourth_order: it failed", simulator.stderr())
    return load("fourth_order.json")


CASES = [pipelay_external, supply_vessel_external, supply_vessel_inside, fourth_order]


def options(name):
    """Everything that a run can write."""
    return ["--mode", "realtime", *ANY_LAG, "--summary", path(f"{name}.json"), "--log", path(f"{name}.mcap"), "--overwrite",
            "--checkpoint", path(f"{name}.checkpoint"), "--checkpoint-every", "0.5", "--record", path(f"{name}.csv")]


def start_here(name, config, *args):
    return Simulator(config, *options(name), *args)


def run_cases(judge, start=start_here, cases=CASES):
    """Runs each case and calls judge(name, summary)."""
    for case in cases:
        summary = case(start)
        check(summary["steps"] >= STEPS, f"{case.__name__}: steps", summary["steps"])
        check(summary["log"]["complete"] and summary["checkpoint"]["written"] >= 1, f"{case.__name__}: log, checkpoints", summary)
        judge(case.__name__, summary)
