#!/usr/bin/python3
"""Makes the files of this folder with the programs of the commit ed60a69 (README.md).

make.py BUILD SOURCE OUT: BUILD and SOURCE of ed60a69, OUT a folder to create."""
import os
import shutil
import sys

out = os.path.abspath(sys.argv[3])
sys.path.insert(0, os.path.join(sys.argv[2], "tests/program"))
from harness import *

BUILD, SAGBEND, SAGBEND_DP = map(os.path.abspath, (BUILD, SAGBEND, SAGBEND_DP))
shutil.copytree(os.path.join(SOURCE, "configs"), os.path.join(out, "configs"), ignore=shutil.ignore_patterns("schema"))
os.chdir(out)  # no path of a machine in a log

FEW = ["--set", "log.sensors_period_s=0.5", "--set", "log.nodes_period_s=1", "--set", "log.truth_period_s=0.5",
       "--set", "log.ledger_period_s=0.5", "--set", "log.timing_period_s=1"]


def config(name):
    return f"configs/{name}.yaml"


def fast(name, case, duration, *options, settings=()):
    got, _, err = run("run", config(case), "--mode", "fast", "--duration", str(duration), "--log", name + ".mcap", *FEW,
                      *[word for setting in settings for word in ("--set", setting)], *options)
    check(got == 0, f"{name}: status {got}", err)


def order(simulator, *words):
    got, text, err = run("ctl", simulator.commands, *words)
    check(got == 0, f"ctl {words}", text, err, simulator.stderr())


def dp(simulator, name):
    return Program(SAGBEND_DP, config(name), "--connect", simulator.commands)


# Pipe of constant length, the DP controller inside; its checkpoint, and the log of the run that it continues.
check(run("keygen", "--log", path("log.key"))[0] == 0, "keygen")
shutil.copy(path("log.key.pub"), "log.key.pub")
fast("constant", "jlay-900m", 4, "--log-key", path("log.key"), "--checkpoint", "constant.checkpoint",
     settings=["pipe.elements=24", "simulation.event_time_scale=0.05"])
fast("resumed", "jlay-900m", 5, "--resume", "constant.checkpoint",
     settings=["pipe.elements=24", "simulation.event_time_scale=0.05"])
fast("vessel", "vessel-only", 4)

# Laying: by a programme, over a stinger by a tensioner with retiring pipe, by operations.
fast("programme", "jlay-900m-payout", 32, settings=["pipe.elements=20", "simulation.step_s=0.05", "log.nodes_period_s=8",
                                                    "log.sensors_period_s=2", "log.truth_period_s=2", "log.ledger_period_s=2"])
fast("tensioner", "slay-100m-lay", 13, settings=["simulation.step_s=0.02", "log.nodes_period_s=13"])
fast("operations", "jlay-300m-initiation", 6, settings=["log.nodes_period_s=6"])

# Parts of a log in a folder.
os.mkdir("parts")
check(run("run", config("vessel-only"), "--mode", "fast", "--duration", "2", "--log-dir", "parts", *FEW, "--set", "log.part_s=1")[0] == 0,
      "parts")

# Orders of an operator, of each kind that a log keeps; sagbend-dp in its process, and another controller that takes over.
folder = "orders"
os.mkdir(folder)
simulator = Simulator(config("osv-83m-lay"), "--mode", "realtime", "--duration", "0", *FEW, "--log-dir", folder, "--set", "verdicts=[]",
                      "--set", "log.nodes_period_s=10", "--set", "log.sensors_period_s=2", "--set", "log.truth_period_s=2")
order(simulator, "rate", "10")
controller_process = dp(simulator, "osv-83m-lay-dp")
controller_process.wait_for("goes to the route, from")
order(simulator, "rate", "5")
order(simulator, "pause")
simulator.wait_for("paused: ordered")
order(simulator, "tensioner", "tension", "210e3")
order(simulator, "fault", "bias", "--target", "gnss-1", "--bias", "20", "--name", "wild")
order(simulator, "fault", "brake_fails", "--share", "0.5", "--for", "5", "--name", "worn")
order(simulator, "resume")
for words in (("track", "stop"), ("track", "speed", "0.2"), ("track", "go"), ("tensioner", "speed", "0.1"), ("tensioner", "brake"),
              ("tensioner", "release"), ("clear", "wild"), ("set-point", "--north", "2"), ("snapshot", "ship")):
    order(simulator, *words)
    simulator.go_on(3)
simulator.wait_for("snapshot_written: ship")
other = CommandPeer(simulator, "other")
hello = envelope_pb2.Envelope()
hello.hello.header.protocol, hello.hello.header.sequence = 1, 1
hello.hello.controller_id = hello.hello.name = "other"
other.socket.send(hello.SerializeToString())
other.receive("welcome")
order(simulator, "take-over", "other")
order(simulator, "clear", "all")
for count, words in enumerate((("reset",), ("restore", "ship")), 1):
    order(simulator, *words)
    until(lambda: simulator.stderr().count("session_begun: session") == count, words, simulator.stderr())
    simulator.go_on(3)
order(simulator, "stop")
check(simulator.end() == 0, "orders", simulator.stderr())
controller_process.kill()
logs = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".mcap")]
for number, log in enumerate(sorted(logs, key=os.path.getmtime)[:2], 1):  # the third begins with a checkpoint, as resumed.mcap
    shutil.copy(log, f"orders-{number}.mcap")
shutil.copy(os.path.join(folder, "ship.snapshot"), "ship.snapshot")
shutil.rmtree(folder)

# Broken off by a kill.
simulator = Simulator(config("jlay-900m"), "--mode", "realtime", "--duration", "0", *FEW, "--log", "killed.mcap",
                      "--set", "pipe.elements=24")
order(simulator, "fault", "loss", "--probability", "0.5", "--name", "lossy")
simulator.go_on(200)
simulator.kill()

# An external controller in lockstep.
simulator = Simulator(config("jlay-900m"), "--mode", "lockstep", "--duration", "4", *FEW, "--log", "controller.mcap",
                      "--set", "pipe.elements=24", "--set", "simulation.event_time_scale=0.02")
controller_process = dp(simulator, "jlay-900m-dp")
check(simulator.end() == 0, "controller", simulator.stderr())
controller_process.end()

# Keys of the network.
for role in "server", "operator":
    check(run("keygen", "--role", role, role + ".key")[0] == 0, "keygen")

check(subprocess.run(["tar", "--sort=name", "--owner=0", "--group=0", "-cJf", out + ".tar.xz", "-C", out, "."],
                     env={**os.environ, "XZ_OPT": "-9e"}).returncode == 0, "tar")
