#!/usr/bin/python3
"""Makes the files of this folder with the programs of the commit 14604e02 (README.md).

make.py BUILD SOURCE OUT: BUILD and SOURCE of 14604e02, OUT a folder to create."""
import os
import shutil
import sys

out = os.path.abspath(sys.argv[3])
sys.path.insert(0, os.path.join(sys.argv[2], "tests/program"))
from harness import *

BUILD, SAGBEND, SAGBEND_DP = map(os.path.abspath, (BUILD, SAGBEND, SAGBEND_DP))
shutil.copytree(os.path.join(SOURCE, "configs"), os.path.join(out, "configs"), ignore=shutil.ignore_patterns("schema", "trials", "sweeps"))
os.chdir(out)  # no path of a machine in a log

FEW = ["log.sensors_period_s=5", "log.nodes_period_s=30", "log.truth_period_s=5", "log.ledger_period_s=5", "log.timing_period_s=60",
       "log.state_hash_period_s=1", "log.status_period_s=60"]


def write(name, text):
    with open(os.path.join("configs", name), "w") as file:
        file.write(text)
    return os.path.join("configs", name)


def words_of(settings):
    return [word for setting in (*FEW, *settings) for word in ("--set", setting)]


def fast(name, case, duration, *settings):
    got, _, err = run("run", case, "--mode", "fast", "--duration", str(duration), "--log", name + ".mcap", *words_of(settings))
    check(got in (0, 1), f"{name}: status {got}", err)


# Faults, events and outputs of a vessel with instruments, thrusters and a power plant; orders of an operator.
vessel = write("vessel.yaml", """extends: osv-83m-power.yaml
name: vessel of 14604e02
hold_wrench: balance
network: {reaction: hold_wrench}
simulation: {unsolved_share_max: 0.002, on_event: {set_tripped: report}}
events:
  - {name: no receiver, at_s: 1, duration_s: 4, fault: 'off', target: gnss-1}
  - {name: sound flag, at_s: 1, duration_s: 4, fault: valid, target: gnss-2}
  - {name: one heading, at_s: 2, duration_s: 2, fault: fixed, target: gyro-1, value: 0.1}
  - {name: two alike, at_s: 2, duration_s: 2, fault: copy, target: gyro-2, of_instrument: gyro-3}
  - {name: one jumps, at_s: 3, duration_s: 2, fault: step, target: gnss-3, step: 4, channel: 1}
  - {name: late clock, at_s: 4, duration_s: 2, fault: clock_step, step_s: 3}
  - {name: no tunnel, at_s: 3, duration_s: 3, fault: not_ready, target: bow_tunnel_1}
  - {name: no set, at_s: 5, fault: trip, target: set-1}
  - {name: it turns, fault: 'off', target: wind-1, when: {quantity: yaw_degps, above: 1e-9}}
  - {name: it moves, at_s: 6, fault: set_point_moved, north_m: 0.5, east_m: 0}
  - {name: it turns more, at_s: 6.5, fault: set_point_turned, turn_deg: 1}
verdicts:
  - {name: in time, quantity: missed_steps, below: 1}
  - {name: no late step, quantity: deadline_misses, below: 1}
  - {name: no lost period, quantity: skipped_periods, below: 1}
  - {name: solved, quantity: unsolved_steps, below: 1}
  - {name: rolls, quantity: roll_degps, within: [-5, 5]}
  - {name: sectors, quantity: moved_commands, below: 100}
  - {name: heard, alarm: {sources: [gnss-1], kinds: [lost, other]}, within_s: 3, after: no receiver}
""")
simulator = Simulator(vessel, "--mode", "realtime", "--duration", "7.5", "--log", "vessel.mcap", *words_of(["controller.kind=sampled"]))
simulator.wait_for("no set: trip")
for words in (("fault", "off", "--target", "log-1", "--name", "gone"), ("fault", "step", "--target", "gyro-1", "--step", "0.01", "--name", "jumped"),
              ("fault", "copy", "--target", "mru-2", "--of_instrument", "mru-1"), ("clear", "gone")):
    got, text, err = run("ctl", simulator.commands, *words)
    check(got == 0, f"ctl {words}", text, err, simulator.stderr())
check(simulator.end() in (0, 1), "vessel", simulator.stderr())

# A lay along a route with a feed that ends.
write("lay-dp.yaml", """extends: osv-83m-lay-dp.yaml
route: {tension_n: null, tension_limits_n: null, payout: null}
""")
lay = write("lay.yaml", """extends: osv-83m-lay.yaml
name: lay of 14604e02
simulation: {on_event: {feed_full: report}}
pipe:
  feed: [{length_m: 20, elements: 2}]
  tensioner: {accept: none, orders: null}
  operations: [{name: out, mode: speed, speed_mps: 1.2, until_way_m: 400, limit_s: 900}]
controller: {dp_file: lay-dp.yaml}
verdicts:
  - {name: along the route, quantity: route_way_m, within: [-5, 100]}
  - {name: slack, quantity: payout_over_way_m, within: [-100, 100]}
  - {name: load, quantity: lcc_utilisation, below: 5}
  - {name: strain, quantity: dcc_utilisation, below: 5}
  - {name: contact, quantity: unresolved_steps, below: 1e6}
""")
fast("lay", lay, 13, "controller.kind=sampled", "log.state_hash_period_s=2", "log.nodes_period_s=24")

shutil.rmtree("configs")

check(subprocess.run(["tar", "--sort=name", "--owner=0", "--group=0", "-cJf", out + ".tar.xz", "-C", out, "."],
                     env={**os.environ, "XZ_OPT": "-9e"}).returncode == 0, "tar")
