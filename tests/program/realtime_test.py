"""Real time: 5 s with the controller killed and restarted; SIGTERM ends a run properly."""
from harness import *

simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "6", "--summary", path("s.json"), "--record", path("r.csv"),
                      "--set", "network.command_timeout_s=0.5")
dp = controller(simulator, "--set", "pid.start_s=1")
simulator.wait_for("command_first")
simulator.wait_for_step(150)
dp.kill()
simulator.wait_for("command_lost")
dp = controller(simulator, "--set", "pid.start_s=1")
simulator.wait_for("command_back")
check(simulator.end() == 0, "the simulator failed", simulator.stderr())
check(dp.end() == 0, "the controller did not end with the simulator", dp.stderr())

s = load("s.json")
check(s["steps"] == 600 and abs(s["sim_time_s"] - 6) < 1e-9, "steps", s["steps"])
wall_s = s["sim_time_s"] + s["lag_s"]
check(abs(s["wall_time_s"] - wall_s) < 0.5, "simulated time and lag do not make the wall clock's", s["wall_time_s"], wall_s)
check(s["commands"]["lost"] >= 1, "the killed controller was not missed", s["commands"])  # more often on a busy machine
check(s["commands"]["accepted"] > 20, "commands", s["commands"])
names = [event["name"] for event in s["events"]["first"]]
for name in ["command_first", "command_lost", "command_back"]:
    check(name in names, f"no event {name}", names)
for kind in ["step_us", "wakeup_us"]:
    p = s[kind]
    check(0 < p["p50"] <= p["p99"] <= p["p999"] <= p["max"], kind, p)
latency = s["latency"]
for kind, most in [("step_us", 600), ("wakeup_us", 600), ("step_end_to_sensors_sent_us", 61), ("command_received_to_latched_us", s["commands"]["accepted"])]:
    p = latency[kind]
    check(0 < p["count"] <= most and p["p50"] <= p["p99"] <= p["p999"] <= p["max"], kind, p)
    check(sum(count for _, count in p["histogram_us"]) == p["count"] and p["histogram_us"][-1][0] <= p["max"] + 1e-3, "histogram of " + kind, p)
check(abs(s["lag_s"] - s["lost_periods"] * s["step_s"]) < 1e-9, "lag", s["lag_s"], s["lost_periods"])
check(isinstance(s["realtime"]["fifo"], bool), "what was permitted", s["realtime"])
check(s["realtime"]["fifo"] and s["realtime"]["mlock"] or "notice: steps may be late" in simulator.stderr(),
      "no notice of what was refused", simulator.stderr())
with open(path("r.csv")) as file:
    check(len(file.readlines()) == 62, "rows in the record")

# Where permitted the main thread, which serves the sockets, runs at a low real-time priority, below the step thread; all others are normal.
def scheduling(process):
    """Name of each thread, the main one "main", and its SCHED_FIFO priority; 0: another policy."""
    found = {}
    for thread in map(int, os.listdir(f"/proc/{process.pid}/task")):
        with open(f"/proc/{process.pid}/task/{thread}/comm") as file:
            name = "main" if thread == process.pid else file.read().strip()
        policy = os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK
        found[name] = os.sched_getparam(thread).sched_priority if policy == os.SCHED_FIFO else 0
    return found


for settings, step, main in [([], 50, 1), (["simulation.serving_priority=0"], 50, 0), (["simulation.realtime_priority=0"], 0, 0),
                             (["simulation.realtime_priority=5", "simulation.serving_priority=9"], 5, 4)]:
    simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--summary", path("a.json"), "--log", path("a.mcap"), "--overwrite", "--record", path("a.csv"),
                          *[word for setting in settings for word in ("--set", setting)])
    simulator.wait_for_step(20)
    check(not [name for name in scheduling(simulator.process) if name.startswith("ZMQ")], "a thread of libzmq in the process of the step")

    def wanted(name):
        return step if name == "step" else main if name == "main" else 0

    refused = "SCHED_FIFO" in simulator.stderr()
    if not refused:
        until(lambda: all(priority == wanted(name) for name, priority in scheduling(simulator.process).items()), "the priorities", settings,
              scheduling(simulator.process))
    simulator.signal()
    check(simulator.end() == 0, "priorities", simulator.stderr())
    granted = load("a.json")["realtime"]
    check(granted["fifo"] or step == 0 or "SCHED_FIFO" in simulator.stderr(), "no notice of what was refused", simulator.stderr())
    check(granted["serving_fifo"] == (granted["fifo"] and main > 0), "the priority of the main thread", granted, simulator.stderr())

# The main thread stays on the processor that the configuration names; other threads do not, and a processor that is missing is said.
def processors(process):
    found = {}
    for thread in map(int, os.listdir(f"/proc/{process.pid}/task")):
        with open(f"/proc/{process.pid}/task/{thread}/comm") as file:
            name = "main" if thread == process.pid else file.read().strip()
        found[name] = os.sched_getaffinity(thread)
    return found


every = os.sched_getaffinity(0)
last = max(every)
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log", path("c.mcap"), "--set", f"simulation.serving_cpu={last}")
until(lambda: all(cpus == ({last} if name == "main" else every) for name, cpus in processors(simulator.process).items()),
      "the processors", processors(simulator.process))
check(run("ctl", simulator.commands, "snapshot", "bound")[0] == 0, "a snapshot, whose thread starts now", simulator.stderr())
until(lambda: processors(simulator.process).get("snapshots") == every, "the processors of the snapshots", processors(simulator.process))
check(run("ctl", simulator.commands, "reset")[0] == 0, "reset")
until(lambda: simulator.stderr().count("session ") >= 2 and processors(simulator.process)["main"] == {last}, "the processors after a restart")
check(all(cpus == every for name, cpus in processors(simulator.process).items() if name != "main"), "threads of the next session",
      processors(simulator.process))
simulator.signal()
check(simulator.end() == 0, "processors", simulator.stderr())
status, _, err = run("run", JLAY, *ANY_PORT, "--mode", "realtime", "--duration", "0.2", "--set", "simulation.serving_cpu=1023")
check(status == 0 and "steps may be late" in err and "processor 1023" in err, "a processor that is missing", err)

# The processors are kept out of sleep states while the run lasts, or a notice states why not.
LATENCY = "/dev/cpu_dma_latency"


def holds_latency(process):
    files = f"/proc/{process.pid}/fd"
    return LATENCY in [os.path.realpath(os.path.join(files, file)) for file in os.listdir(files)]


for wanted in ["true", "false"]:
    simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--summary", path("a.json"), "--set", f"simulation.keep_cpus_awake={wanted}")
    simulator.wait_for_step(20)
    held, refused = holds_latency(simulator.process), LATENCY in simulator.stderr()
    check((held or refused) if wanted == "true" else not (held or refused), f"{LATENCY}, wanted {wanted}", held, simulator.stderr())
    simulator.signal()
    check(simulator.end() == 0 and load("a.json")["realtime"]["cpus_awake"] == held, "processors awake", simulator.stderr())

# A spin window changes no result, also where a higher rate makes the period shorter than the window.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log", path("s.mcap"), "--set", "simulation.spin_s=0.001")
reached = simulator.wait_for_step(10)
status, out, err = run("ctl", simulator.commands, "rate", "8")
check(status == 0, "rate with a spin window", err, simulator.stderr())
simulator.wait_for_step(reached + 50)
simulator.signal()
check(simulator.end() == 0, "a run with a spin window", simulator.stderr())
check(run("replay", path("s.mcap"), "--verify")[0] == 0, "replay of a run with a spin window")
for window, step, expected in [("0.002", "0.01", "finite number from 0 to 0.001 expected"), ("0.0006", "0.001", "at most half of simulation.step_s")]:
    status, out, err = run("check", JLAY, "--set", f"simulation.spin_s={window}", "--set", f"simulation.step_s={step}")
    check(status == 2 and expected in err, "a spin window too long", window, step, err)

for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
    simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--summary", path("t.json"))
    reached = simulator.wait_for_step(60)
    simulator.signal(number)
    check(simulator.end() == 0, f"signal {number}: not an orderly end", simulator.stderr())
    s = load("t.json")
    check(s["ended_by"] == "signal" and reached <= s["steps"], "summary after a signal", s["steps"], s["ended_by"])
    check(s["commands"]["state"] == "none", "state without a controller", s["commands"])
    os.remove(path("t.json"))

# A step size that no machine can keep up with: late steps are counted, periods are lost, the run ends.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0.01", "--step-s", "0.00001", "--summary", path("u.json"))
check(simulator.end() == 0, "overloaded", simulator.stderr())
s = load("u.json")
check(s["steps"] == 1000 and s["late_steps"] > 500 and s["lost_periods"] > 500, "overload is not reported", s)
check("late_steps" in simulator.stderr(), "overload is not logged", simulator.stderr())

# The process is suspended for half a second: the lost periods are reported and not made up.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "2", "--summary", path("p.json"), "--record", path("p.csv"),
                      "--record-every", "0.01", "--log", path("p.mcap"), "--set", "log.timing_period_s=0",
                      "--set", "simulation.realtime_priority=0", "--set", "simulation.keep_cpus_awake=false")
simulator.wait_for_step(50)
simulator.suspend()
time.sleep(0.5)
simulator.resume()
check(simulator.end() == 0, "a run that stood still", simulator.stderr())
s = load("p.json")
check(s["steps"] == 200 and s["lost_periods"] >= 40, "skipped periods", s["lost_periods"])
# Judged at the suspension itself; a busy machine or a sanitizer adds late steps before and after it.
status, out, err = run("log", "cat", path("p.mcap"), "--topic", "/timing")
timing = [json.loads(line)["message"] for line in out.splitlines()]
check(status == 0 and [t["header"]["step"] for t in timing] == list(range(201)), "timing of every step", len(timing), err)
lost, misses = max((b["lost_periods"] - a["lost_periods"], b["late_steps"] - a["late_steps"]) for a, b in zip(timing, timing[1:]))
check(lost >= 40, "the stall is not skipped at once", lost)
check(1 <= misses <= 2, "one stall is one miss, or two with the machine's own beside it", misses)
check("lost_periods" in simulator.stderr(), "lost periods are not reported", simulator.stderr())
check(s["wall_time_s"] > 2.4, "the stall was made up", s["wall_time_s"])
# The suspension fell into the wait for a step, into the step or, on a busy machine, between the two.
longest_us = [float(us) for us in re.findall(r"late_step: .*: (\d+) us", simulator.stderr())]
check(max(s["wakeup_us"]["max"], s["step_us"]["max"], *longest_us) > 400e3, "the stall is in no time", s["wakeup_us"], s["step_us"], simulator.stderr())
check(s["realtime"] == {"fifo": False, "serving_fifo": False, "mlock": False, "cpus_awake": False} and "notice: steps" not in simulator.stderr(), "priority not asked for")
r = s["real_time"]
check(r["late_steps"] == s["late_steps"] and r["worst_late_step"]["late_us"] > 300e3, "the stall is no late step", r)
check(sum(r["worst_late_step"]["stages_us"].values()) > 300e3, "the stall is in no stage", r["worst_late_step"])
check(re.search(r"late_step: step \d+, t = \S+ s, ended \d+ us after its deadline; most of it in \w+", simulator.stderr()),
      "the late step is not reported", simulator.stderr())
check(timing[-1]["worst_late_step"]["late_us"] > 300e3, "the late step is not in the log", timing[-1])
with open(path("p.csv")) as file:
    check(len(file.readlines()) == 202, "rows in the record")
