"""Lockstep with sagbend-dp in a second process gives the bits of a fast run with the same controller inside, whatever the
timing: undisturbed, and with the controller suspended for a while."""
from harness import *

LENGTH = ["--duration", "40"]
WEATHER, WEATHER_DP = (os.path.join(SOURCE, f"configs/{name}.yaml") for name in ("osv-83m-weather", "osv-83m-dp"))


def fast(config, *args):
    status, out, err = run("run", config, "--mode", "fast", *LENGTH, "--hashes", path("fast.hashes"), *args, timeout=120)
    check(status == 0, f"fast run: status {status}", err)
    return hashes("fast.hashes")


def lockstep(name, disturb, expected, config=JLAY, dp_config=JLAY_DP):
    simulator = Simulator(config, "--mode", "lockstep", *LENGTH, "--hashes", path(name), "--summary", path(name + ".json"))
    dp = controller(simulator, config=dp_config)
    disturb(simulator, dp)
    status = simulator.end(120)
    check(status == 0, f"{name}: simulator ended with {status}", simulator.stderr())
    check(dp.end() == 0, f"{name}: controller ended with an error", dp.stderr())
    check(load(name + ".json")["commands"]["refused"] == 0, "commands refused", load(name + ".json")["commands"])
    found = hashes(name)
    for ours, theirs in zip(found, expected):
        check(ours == theirs, f"{name}: another state than the fast run's at step {theirs[0]}", ours, theirs)
    check(len(found) == len(expected), f"{name}: {len(found)} states, {len(expected)} expected")


def pause(simulator, dp):
    simulator.wait_for("command_first")
    dp.suspend()
    time.sleep(0.7)
    check(simulator.process.poll() is None, "the session ended before the controller was suspended", simulator.stderr())
    dp.resume()


expected = fast(JLAY)
lockstep("undisturbed", lambda simulator, dp: None, expected)
lockstep("paused", pause, expected)

# A vessel with the memory of the radiation, in wind and waves.
LENGTH = ["--duration", "10"]
lockstep("memory", lambda simulator, dp: None, fast(WEATHER, "--set", f"controller.dp_file={WEATHER_DP}"), WEATHER, WEATHER_DP)

# Without an answer it waits, and a signal ends it properly.
simulator = Simulator(JLAY, "--mode", "lockstep", *LENGTH, "--summary", path("alone.json"))
simulator.wait_for("waiting_for_response")
simulator.signal(signal.SIGINT)
check(simulator.end() == 0, "SIGINT while waiting", simulator.stderr())
check(load("alone.json")["steps"] == 0 and load("alone.json")["ended_by"] == "signal", "steps without commands")
