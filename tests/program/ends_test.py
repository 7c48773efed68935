"""All ways in which a run ends. A test that does not reach its end fails, in exit status, summary, JUnit, message and log. A
run without an end that is stopped properly does not. Lost time and lost messages also fail a run."""
import resource
import xml.etree.ElementTree as xml

from harness import *

CASE = path("case.yaml")


def write(name, *lines):
    with open(path(name), "w") as file:
        file.write("\n".join(lines) + "\n")
    return path(name)


write("case.yaml", f"extends: {JLAY}", "pipe: {elements: 20}", "name: ends", "events:", "  - {name: late, at_s: 3000, fault: loss, probability: 1}",
      "verdicts:", "  - {name: circle, quantity: offset_m, below: 1e6}",
      "  - {name: early, quantity: offset_m, below: 1e6, to_s: 0.5}",
      "  - {name: after the event, quantity: offset_m, below: 1e6, after: late}")
HOLDS = write("holds.yaml", f"extends: {JLAY}", "pipe: {elements: 20}", "name: holds", "verdicts:", "  - {name: circle, quantity: offset_m, below: 1e6}")
FAILS = write("fails.yaml", f"extends: {JLAY}", "pipe: {elements: 20}", "name: fails", "verdicts:", "  - {name: circle, quantity: north_m, above: 1e6}")
PLAIN = write("plain.yaml", f"extends: {JLAY}", "name: plain")


def outputs(name):
    return ["--summary", path(name + ".json"), "--junit", path(name + ".xml"), "--log", path(name + ".mcap"), "--overwrite"]


def session_of(name):
    """Returns "failure", "error" or "" and the text of the test case "session" in JUnit; checks that the counts of the suite match
    its cases."""
    suite = xml.parse(path(name + ".xml")).getroot()[0]
    for kind in "failure", "error":
        found = len(suite.findall(f"testcase/{kind}"))
        check(int(suite.get(kind + "s")) == found, f"{name}: number of {kind}s", suite.attrib)
    case = suite.find("testcase[@name='session']")
    kind = next((k for k in ("failure", "error") if case.find(k) is not None), "")
    return kind, case.find(kind).get("message") if kind else ""


def end_in_log(name):
    status, out, err = run("log", "cat", path(name + ".mcap"), "--topic", "/end")
    check(status == 0, f"{name}: its log", err)
    return json.loads(out)["message"]


def has_failed(name, simulator, ended_by, junit, why):
    check(simulator.end() == 1, f"{name}: exit status", simulator.stderr())
    s = load(name + ".json")
    check(s["ended_by"] == ended_by and not s["complete"] and s["passed"] is False, f"{name}: summary", s["ended_by"], s["passed"])
    check(any(why in f for f in s["failures"]) and why in simulator.stderr(), f"{name}: why", s["failures"], simulator.stderr())
    kind, text = session_of(name)
    check(kind == junit and why in text, f"{name}: JUnit", kind, text)
    return s


# --- lockstep, 4000 s requested: the controller is killed, then the run is stopped as by the time-out of a CI ---
def stop_by(number):
    return lambda simulator: simulator.signal(number)


def order_stop(simulator):
    status, out, err = run("ctl", simulator.commands, "stop")
    check(status == 0, "ctl stop", err)


for name, stop, ended_by, why in [("sigterm", stop_by(signal.SIGTERM), "signal", "of 4000 s by SIGTERM"),
                                  ("sigint", stop_by(signal.SIGINT), "signal", "of 4000 s by SIGINT"),
                                  ("sighup", stop_by(signal.SIGHUP), "signal", "of 4000 s by SIGHUP"),
                                  ("ordered", order_stop, "operator", "of 4000 s by an operator's order")]:
    simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "4000", *outputs(name))
    dp = controller(simulator)
    simulator.wait_for_step(200)
    dp.kill()
    stop(simulator)
    s = has_failed(name, simulator, ended_by, "failure", why)
    results = {v["name"]: v["result"] for v in s["verdicts"]}
    check(results == {"circle": "unfinished", "early": "passed", "after the event": "not_judged"}, f"{name}: verdicts", results)
    check(end_in_log(name)["step"] == s["steps"] >= 200, f"{name}: end of the log", end_in_log(name), s["steps"])

# --- lockstep with a time-out: no controller connects; the controller is killed ---
simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "4000", "--lockstep-timeout", "0.5", *outputs("nobody"))
s = has_failed("nobody", simulator, "lockstep_timeout", "error", "no controller answered the Sensors of step 0")
simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "0", "--set", "simulation.lockstep_timeout_s=1.5", *outputs("killed"))
dp = controller(simulator)
simulator.wait_for_step(200)
dp.kill()
check(simulator.end() == 1, "a lockstep time-out without an end", simulator.stderr())
s = load("killed.json")
check(s["ended_by"] == "lockstep_timeout" and s["passed"] is False and "time-out" in s["failures"][0], "its summary", s["failures"])
check("lockstep_timeout" in [e["name"] for e in s["events"]["first"]] and s["lockstep"]["longest_wait_s"] >= 1.5, "its wait", s["lockstep"])
check(end_in_log("killed")["why"] == "lockstep time-out", "its log", end_in_log("killed"))

# --- real time: no controller ever connected; a session that was suspended ---
simulator = Simulator(HOLDS, "--mode", "realtime", "--duration", "0.5", "--set", "simulation.lost_time_limit_s=0", *outputs("alone"))
check(simulator.end() == 1, "a test without a controller", simulator.stderr())
s = load("alone.json")
check(s["complete"] and not s["passed"] and "no controller ever sent a command" in s["failures"][0], "its summary", s["failures"])
check(session_of("alone")[0] == "failure", "its JUnit", session_of("alone"))

COUNTED = write("counted.yaml", f"extends: {JLAY}", "pipe: {elements: 20}", "name: counted", "controller: {kind: none, dp_file: null}", "verdicts:",
                "  - {name: at most 10 missed steps, quantity: late_steps_and_lost_periods, below: 10}",
                "  - {name: lag, quantity: lag_s, below: 3}", "  - {name: late, quantity: late_steps, below: 1e9}",
                "  - {name: lost, quantity: lost_periods, above: 300, from_s: 5.5, expect: held}")


def stand_still(name, config, *args):
    simulator = Simulator(config, "--mode", "realtime", "--duration", "6", *outputs(name), *args)
    simulator.wait_for_step(50)
    simulator.suspend()
    time.sleep(4)
    simulator.resume()
    status = simulator.end()
    s = load(name + ".json")
    check(s["lost_periods"] >= 390 and abs(s["lag_s"] - s["lost_periods"] * 0.01) < 1e-9, f"{name}: periods lost", s["lag_s"])
    told = re.findall(r"lost_periods: \d+ more periods lost, (\d+) in all", simulator.stderr())
    check(told and int(told[-1]) == s["lost_periods"], f"{name}: not reported, or not all", told, s["lost_periods"])
    return status, s


status, s = stand_still("still", COUNTED)
results = {v["name"]: v["result"] for v in s["verdicts"]}
check(status == 1 and results == {"at most 10 missed steps": "failed", "lag": "failed", "late": "passed", "lost": "passed"},
      "verdicts over lost time", status, s["verdicts"])
check("were lost, the limit is 1 s" in s["failures"][0] and not s["passed"], "lost time fails a test", s["failures"])
NONE = ["--set", "controller.kind=none", "--set", "controller.dp_file=null"]
status, s = stand_still("unlimited", HOLDS, *NONE, "--set", "simulation.lost_time_limit_s=0")
check(status == 0 and s["passed"], "without a limit", s["failures"])
status, s = stand_still("limited", HOLDS, *NONE)
check(status == 1 and len(s["failures"]) == 1 and session_of("limited")[0] == "failure", "with the default limit", s["failures"])

# --- a run without an end, stopped properly: 0 unless a verdict is violated; the same for a run that is not a test ---
for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP, None:
    simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "0", *outputs("endless"))
    dp = controller(simulator)
    simulator.wait_for_step(100)
    simulator.signal(number) if number else order_stop(simulator)
    check(simulator.end() == 0, f"a run without an end, {number}", simulator.stderr())
    s = load("endless.json")
    check(s["passed"] and s["complete"] and not s["failures"] and session_of("endless")[0] == "", "its summary", s["failures"])
    check(dp.end() == 0, "its controller", dp.stderr())
simulator = Simulator(FAILS, "--mode", "lockstep", "--duration", "0", *outputs("violated"))
dp = controller(simulator)
simulator.wait_for_step(100)
simulator.signal()
check(simulator.end() == 1 and not load("violated.json")["passed"], "violated, without an end", simulator.stderr())
simulator = Simulator(PLAIN, "--mode", "realtime", "--duration", "1000", "--summary", path("plain.json"))
simulator.wait_for_step(50)
simulator.signal()
check(simulator.end() == 0, "no test, stopped", simulator.stderr())
check(load("plain.json")["passed"] and not load("plain.json")["complete"] and "of 1000 s by SIGTERM" in simulator.stderr(), "is not reported")

# --- a latched simulation fault; verdicts on the ledger and the controller ---
BROKEN = write("broken.yaml", f"extends: {JLAY}", "pipe: {elements: 20}", "name: broken", "loads: [{frame: world, wrench: [0, 1e300, 0, 0, 0, 0], start_s: 1}]", "verdicts:",
               "  - {name: circle, quantity: offset_m, below: 1e300}")
status, out, err = run("run", BROKEN, "--mode", "fast", "--duration", "5", *outputs("broken"))
s = load("broken.json")
check(status == 1 and s["ended_by"] == "fault" and not s["passed"] and session_of("broken")[0] == "error", "a latched fault", err)
GOOD = write("good.yaml", f"extends: {JLAY}", "pipe: {elements: 20}", "name: good", "verdicts:", "  - {name: closes, quantity: ledger_closure, below: 1e-6}",
             "  - {name: does not close as well, quantity: ledger_closure, below: 1e-30, expect: violated}",
             "  - {name: waits, quantity: controller_in_command, below: 0.5, to_s: 29}",
             "  - {name: in command, quantity: controller_in_command, above: 0.5, from_s: 31}",
             "  - {name: quick, quantity: command_age_s, below: 0.2, from_s: 1}")
status, out, err = run("run", GOOD, "--mode", "fast", "--duration", "35", *outputs("good"))
check(status == 0 and load("good.json")["passed"] and session_of("good") == ("", ""), "verdicts that hold", out, err)
status, out, err = run("check", write("clock.yaml", f"extends: {JLAY}", "events:",
                                      "  - {name: x, when: {quantity: lag_s, above: 1}, fault: loss, probability: 1}"))
check(status == 2 and "clock.yaml:3:" in err, "an event by the clock could not be replayed", status, err)

# --- a full disk where the step waits for the log: the run ends, reports what is missing, and fails ---
EVERY_STEP = sum([["--set", f"log.{topic}_period_s=0"] for topic in ["sensors", "truth", "nodes", "ledger", "timing"]], [])
for length, limit in ("400", 1_500_000), ("6", 500_000):  # the second run ends before the ring buffer is full
    full = subprocess.run([SAGBEND, "run", PLAIN, "--mode", "fast", "--duration", length, *EVERY_STEP, "--log", path("full.mcap"), "--overwrite",
                           "--summary", path("full.json")], capture_output=True, text=True, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    s = load("full.json")
    missing = s["log"]["missing"]
    check(full.returncode == 1 and not s["passed"] and not s["log"]["complete"], "a full disk", full.stderr)
    check(missing > 0 and missing == sum(s["log"]["dropped"].values()), "missing messages", s["log"])
    check(f"{missing} messages are missing in the log" in full.stderr and "File too large" in full.stderr, "is not reported", full.stderr)
    check(length == "6" or (s["ended_by"] == "log" and s["steps"] < 40000), "it went on", s["ended_by"], s["steps"])
    status, out, err = run("log", "cat", path("full.mcap"), "--overwrite", "--topic", "/state_hash,/sensors,/truth,/ledger,/nodes,/timing")
    readable, dropped = len(out.splitlines()), s["log"]["dropped"]
    of_steps = sum(dropped[t] for t in ("state_hash", "sensors", "truth", "ledger", "nodes", "timing"))
    check(readable + of_steps == 6 * (s["steps"] + 1), "messages read and missing are not all", readable, of_steps, s["steps"])
