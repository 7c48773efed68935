"""sagbend.Simulation: the states of `sagbend run`, commands, states, orders, errors, rollouts over threads; and the example that tunes a
controller in process and finds the same state over the protocol."""
import importlib.util
import threading

from harness import *

import numpy as np
import sagbend

OSV = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
WRENCH = ["command.engaged", "command.wrench.surge_n", "command.wrench.yaw_nm"]
SEEN = ["time_s", "vessel.surge_mps", "vessel.heading_rad"]


def refused(act, kind, *texts):
    try:
        act()
    except kind as error:
        check(all(text in str(error) for text in texts), "the text of an error", error, texts)
        return error
    return check(False, f"no {kind.__name__}", texts)


# The steps are those of the program, with the controller inside.
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "2", "--hashes", path("hashes"))
wanted = [state for _, state in hashes("hashes")]
with sagbend.Simulation(JLAY) as simulation:
    got = [simulation.hash]
    for _ in wanted[1:]:
        simulation.step()
        got.append(simulation.hash)
    check(got == wanted and len(wanted) == 201, "another state than that of the program")
    check(simulation.name == "jlay-900m" and simulation.steps == 200 and abs(simulation.time_s - 2) < 1e-9 and simulation.step_s == 0.01, "what it is")
    check(simulation.period_steps == 10 and simulation.nodes().shape[1] == 6 and simulation.memory_bytes > 1e5, "what it has")
    check(not any(v.kind == "input" for v in simulation.variables.values()), "inputs beside a controller inside")
    check(simulation.variables["pipe.hangoff_tension_n"].unit == "N", "a unit")
refused(lambda: simulation.step(), sagbend.LibraryError, "closed")

# Errors are data, and change nothing.
error = refused(lambda: sagbend.Simulation(JLAY, overrides={"vessel.mass_kg": -1, "simulation.step_s": 0}), sagbend.CaseError, "vessel.mass_kg")
check({e.key for e in error.errors} == {"vessel.mass_kg", "simulation.step_s"} and error.errors[0].file == "--set", "all errors of a case", error.errors)
refused(lambda: sagbend.Simulation("/nowhere.yaml"), sagbend.CaseError, "/nowhere.yaml:1:1")
refused(lambda: sagbend.Simulation(JLAY, controller="somebody"), ValueError, "'inside', 'caller' or 'alone'")

first = sagbend.Simulation(OSV, controller="caller", overrides={"network.accept_wrench": True, "instruments": "[]"})
second = first.beside()
check(second.hash == first.hash, "a simulation beside another one")
inputs, seen = first.select(*WRENCH), first.select(*SEEN)
refused(lambda: first.set(inputs, (1, np.nan, 0)), ValueError, "command.wrench.surge_n", "got nan")
refused(lambda: first.set({"command.engaged": 1, "command.wrench.surge_n": 1e99}), ValueError, "command.wrench.surge_n")
refused(lambda: first.set(inputs, (1, 2)), ValueError, "3 values expected")
refused(lambda: first.set({"time_s": 1}), ValueError, "an input expected")
refused(lambda: first.get(["no.such"]), ValueError, "no.such")
refused(lambda: first.order("dance"), ValueError, "dance")
refused(lambda: first.restore(b"nothing"), ValueError, "a state of this library")
check(first["command.engaged"] == 0 and first["command.wrench.surge_n"] == 0, "a refused command changes inputs")
check(first.order("fault loss --probability 0.5 --name lossy") == 1 and [e.name for e in first.events][-1] == "fault_began", "an order and its event")
first.reset()
check(first.hash == second.hash and first.refused() == (0, ""), "a reset")

# There, back, and there again: in place, and in the other one.
first.set({"command.engaged": 1, "command.wrench.surge_n": 2e5})
first.step(30)
state, at = first.snapshot(), first.hash
first.step(50)
after = first.hash
second.restore(state)
check(second.hash == at, "restored beside")
for simulation in (first, second):
    simulation.restore(state)
    simulation.step(50)
    check(simulation.hash == after, "another state after a restored one")
damaged = bytearray(state)
damaged[len(state) // 2] ^= 1
refused(lambda: first.restore(bytes(damaged)), ValueError)
check(first.hash == after, "a refused state changes the simulation")

# Rollouts: those of one thread, of two, and of steps by hand are the same.
count, rows = 7, 4
controls = np.ones((count, rows, 3))
controls[:, :, 1:] = np.random.default_rng(3).normal(0, 1e5, (count, rows, 2))
results = []
for simulations in ([first], [first, second]):
    results.append(sagbend.rollout(simulations, inputs, controls, SEEN, states=state))
for result in results:
    check(result.outputs.shape == (count, rows, 3) and (result.rows == rows).all() and len(set(result.hashes)) == count, "a rollout", result.hashes)
    check(result.hashes == results[0].hashes and (result.outputs == results[0].outputs).all(), "threads change a rollout")
first.restore(state)
for n, row in enumerate(controls[4]):
    first.set(inputs, row)
    first.step(first.period_steps)
    check((first.get(seen) == results[0].outputs[4, n]).all(), "a rollout is not its steps", n)
check(first.hash == results[0].hashes[4], "the state after a rollout")
short = sagbend.rollout([second], inputs, controls[:1], SEEN, states=[state], every=1)
check(abs(short.outputs[0, -1, 0] - 0.3 - rows * first.step_s) < 1e-9, "steps of a row", short.outputs)
controls[5, 2, 1] = 1e99
refused(lambda: sagbend.rollout([first, second], inputs, controls, SEEN, states=state), ValueError, "sequence 5, row 2", "command.wrench.surge_n")
refused(lambda: sagbend.rollout([first], inputs, controls[0], SEEN), ValueError, "shape")
refused(lambda: sagbend.rollout([first], inputs, controls, SEEN, states=[state]), ValueError, "a state for each")

# run_each has a thread for each simulation, keeps the order, and raises what a function raises.
threads = set()
meet = threading.Barrier(2, timeout=60)


def work(simulation, item):
    threads.add(threading.get_ident())
    if item < 2:
        meet.wait()  # only two at once pass
    return item * item


check(sagbend.run_each([first, second], work, range(20)) == [n * n for n in range(20)] and len(threads) == 2, "run_each", threads)
refused(lambda: sagbend.run_each([first], lambda simulation, item: 1 // item, [1, 0]), ZeroDivisionError)
second.close()
first.close()

# Where there is no library, the error says what to do.
code = "import sagbend; sagbend.Simulation('x')"
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                      env={**os.environ, "PYTHONPATH": os.path.join(BUILD, "proto/python"), "SAGBEND_LIBRARY": "/nowhere/libsagbend.so.0"})
check("LibraryError" in done.stderr and "package libsagbend0" in done.stderr and "SAGBEND_LIBRARY" in done.stderr, "no library", done.stderr)

# The example, with few and short rollouts. One thread and two find the same gains.
example = os.path.join(SOURCE, "docs/examples/tune_controller.py")
told = []
for count in ("1", "2"):
    done = subprocess.run([sys.executable, example, "--rollouts", "12", "--length", "2", "--duration", "12", "--threads", count, "--program", SAGBEND],
                          capture_output=True, text=True, timeout=600, env={**os.environ, "PYTHONPATH": os.path.join(BUILD, "proto/python")})
    check(done.returncode == 0, "the example", done.stdout, done.stderr)
    told.append(done.stdout)
check(told[0] == told[1], "threads change what the example finds", *told)
states = re.search(r"in process ([0-9a-f]{16}), over the protocol ([0-9a-f]{16})", told[0])
check(states and states[1] == states[2], "the example: other states", told[0])

# A journal of what is done, from which come logs that replay.
with sagbend.Simulation(JLAY, controller="caller") as simulation:
    simulation.journal(path("python.journal"))
    refused(lambda: simulation.journal(path("second.journal")), ValueError, "without a journal expected")
    simulation.set({"command.engaged": 1, "command.wrench.sway_n": 1e5})
    before = simulation.snapshot()
    sagbend.rollout([simulation], ["command.wrench.sway_n"], np.array([[[2e5], [3e5]], [[1e5], [0]]]), ["vessel.east_m"], every=20)
    simulation.restore(before)
    simulation.step(15)
status, out, err = run("log", "from-journal", path("python.journal"), path("python.mcap"))
check(status == 0 and "result         equal" in out, "the journal of a host in Python", out, err)
logs = [path(name) for name in sorted(os.listdir(FOLDER)) if name.startswith("python") and name.endswith(".mcap")]
check(len(logs) > 1 and run("replay", *logs, "--verify")[0] == 0, "its replay", logs)
with sagbend.Simulation(JLAY) as simulation:
    refused(lambda: simulation.journal(path("python.journal")), ValueError, "python.journal: a journal in a new file expected")
    simulation.step()
    refused(lambda: simulation.journal(path("late.journal")), ValueError, "before the first step")
