"""The Python package sagbend: client, operator, telemetry, lockstep environment, logs; and its installation."""
import math
import shutil
import struct

from harness import *

import numpy as np
import sagbend
from sagbend.v1.command_pb2 import REFUSAL_REASON_NOT_FINITE, REFUSAL_REASON_RANGE

OSV = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")


def refused(act, kind, what):
    try:
        act()
    except kind as error:
        return error
    return check(False, f"{what}: no {kind.__name__}")


# A client that is forgotten closes its sockets, the monitor after it was told nothing more.
forgotten = sagbend.Client("tcp://127.0.0.1:9", "forgotten")
sockets = [forgotten._connection.socket, forgotten._connection._monitor]
del forgotten
check(all(socket.closed for socket in sockets), "a forgotten client leaves its sockets open", sockets)

# The client closes the loop, its answers count, operator and telemetry work beside it.
log_file = path("client.mcap")
with sagbend.Simulator(JLAY, "--mode", "lockstep", "--duration", "5", "--log", log_file, "--summary", path("client.json"),
                       program=SAGBEND) as simulator:
    with sagbend.Client(simulator.commands, "mine") as client, sagbend.Telemetry(simulator.telemetry) as telemetry, \
            sagbend.Operator(simulator.commands, "somebody") as operator:
        welcome = client.connect(PATIENCE_S)
        check(welcome.name == "jlay-900m" and welcome.has_pipe, "Welcome", welcome)
        steps = []
        for sensors in client.samples(PATIENCE_S):
            steps.append(sensors.header.step)
            if len(steps) == 3:
                name = operator.fault("loss", probability=0.0, name="nothing")
                check(name == "nothing", "the name of the fault", name)
                error = refused(lambda: operator.fault("no-such-fault"), sagbend.Refused, "an unknown fault")
                check("no-such-fault" in error.text, "the refusal's text", error)
                refused(lambda: operator.order("dance"), ValueError, "an unknown order")
            if len(steps) == 4:
                check([f.name for f in operator.order("list").active] == ["nothing"], "the list of faults")
                operator.clear("nothing")
                client.send_wrench(sensors, surge_n=math.nan)
                answer = client.receive(PATIENCE_S)
                while answer.DESCRIPTOR.name != "Refusal":  # events are messages, too
                    answer = client.receive(PATIENCE_S)
                check(answer.reason == REFUSAL_REASON_NOT_FINITE and client.refusal_count == 1, "NaN is not refused", answer)
            client.send_wrench(sensors, surge_n=4e5, yaw_nm=1e6)
        check(steps == list(range(0, 501, 10)), "the samples", steps)
        check(client.end.why == "duration reached", "the End", client.end)
        topics = [topic for topic, _ in telemetry]
        check(topics[-1] == "end" and {"sensors", "truth", "nodes", "ledger"} <= set(topics), "telemetry", set(topics))
    check(simulator.wait(PATIENCE_S) == 0, "the exit status", simulator.stderr)
check(load("client.json")["commands"]["accepted"] == 50, "commands", load("client.json")["commands"])
with sagbend.Client("tcp://127.0.0.1:1", "nobody") as client:
    refused(lambda: client.connect(0.1), sagbend.NoAnswer, "no simulator")
refused(lambda: sagbend.Simulator(path("missing.yaml"), program=SAGBEND), sagbend.SimulatorFailed, "no case")
refused(lambda: sagbend.Simulator(JLAY, program=path("missing")), sagbend.SimulatorFailed, "no program")

# The log as DataFrames, compared with sagbend log.
log = sagbend.read_log(log_file)
check(log.is_complete and not log.problems, "the log is not complete", log.problems)
check(log.session.name == "jlay-900m" and log.end.step == 500, "session and end", log.session, log.end)
check(len(log["/state_hash"]) == 501 and len(log["/command"]) == 50 and len(log["/operator"]) == 2, "rows of the topics",
      {topic: len(rows) for topic, rows in log.items()})
status, out, err = run("log", "export-csv", log_file, "--topic", "/sensors", "--fields", "pipe.hangoff_tension_n,heading_rad,command_state")
check(status == 0, "export-csv", err)
rows = [line.split(",") for line in out.splitlines()[1:]]
for (time_s, ours), theirs in zip(log["/sensors"].iterrows(), rows):
    found = [time_s, ours["pipe.hangoff_tension_n"], ours["heading_rad"]]
    check(np.allclose(found, [float(t) for t in theirs[:3]], rtol=1e-15, atol=0) and ours["command_state"] == theirs[3],
          "a row differs from export-csv", found, theirs)
check(len(rows) == len(log["/sensors"]) == 51, "rows of /sensors", len(rows))
check(log["/nodes"]["down_m"].iloc[0].shape == (101,), "nodes", log["/nodes"]["down_m"].iloc[0])
check(set(sagbend.read_log(log_file, ["sensors"])) == {"/sensors"}, "the selection of topics")

# Truncated anywhere and altered: read as far as it is intact, and reported. No row differs.
with open(log_file, "rb") as file:
    whole = file.read()
data_size = whole.index(b"\x0f" + struct.pack("<Q", 4))  # the record that ends the data; the summary follows
for size in [8, 9, 100, data_size // 3, data_size // 2, data_size, (data_size + len(whole)) // 2, len(whole) - 9, len(whole) - 100]:
    with open(path("cut.mcap"), "wb") as file:
        file.write(whole[:size])
    part = sagbend.read_log(path("cut.mcap"))
    check(not part.is_complete, f"truncated at {size}: complete", part.problems)
    for topic, table in part.items():
        check(table.equals(log[topic].iloc[:len(table)][table.columns]), f"truncated at {size}: {topic} differs")
check(len(part["/sensors"]) == 51, "a log that lacks only its footer")
for at, what in [(1000, "checksum of the file"), (data_size // 2, "left out"), (data_size // 2, "checksum of the file"),
                 ((data_size + len(whole)) // 2, "checksum of the summary")]:
    altered = bytearray(whole)
    altered[at] ^= 1
    with open(path("altered.mcap"), "wb") as file:
        file.write(altered)
    part = sagbend.read_log(path("altered.mcap"))
    check(any(what in problem for problem in part.problems), f"altered at {at}: not reported", part.problems)

# Parts: joined without repetition; a missing one is reported; files of two sessions are refused.
folder = path("parts")
os.mkdir(folder)
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "6", "--log-dir", folder, "--set", "log.part_s=2")
check(status == 0 and len(os.listdir(folder)) == 3, "a log in parts", os.listdir(folder), err)
joined = sagbend.read_log(folder)
check(joined.is_complete and len(joined.files) == 3, "parts", joined.problems)
check(list(joined["/state_hash"]["step"]) == list(range(601)) and len(joined["/sensors"]) == 61, "the joints", joined["/state_hash"]["step"])
middle = sorted(os.path.join(folder, name) for name in os.listdir(folder))
partly = sagbend.read_log([middle[2], middle[0]])
check(not partly.is_complete and sum(os.path.basename(middle[1]) in problem for problem in partly.problems) == 2, "a missing part", partly.problems)
check(not sagbend.read_log(middle[0]).is_complete, "the first part alone")
refused(lambda: sagbend.read_log([middle[0], log_file]), sagbend.LogError, "two sessions")
for wrong in (JLAY, path("missing.mcap")):
    refused(lambda: sagbend.read_log(wrong), sagbend.LogError, wrong)

# The environment: the same actions give the same bits; another seed other measurements; the episode ends.
def episode(environment, seed=None):
    observation, info = environment.reset(seed=seed)
    seen, rewards, count = [observation], [], 0
    while True:
        action = environment.action_space.low * 0
        action[:2] = [4e5, -2e5] if count < 5 else [4e5, 1e5]
        observation, reward, terminated, truncated, info = environment.step(action)
        seen.append(observation)
        rewards.append(reward)
        count += 1
        if terminated or truncated:
            return np.array(seen), np.array(rewards), terminated, truncated, info


with sagbend.Environment(JLAY, duration_s=2, program=SAGBEND) as environment:
    first, again = episode(environment), episode(environment)
    check(first[0].tobytes() == again[0].tobytes() and first[1].tobytes() == again[1].tobytes(), "two episodes differ")
    check(first[0].shape == (21, len(environment.observation_names)) and first[3] and not first[2], "the episode", first[0].shape, first[2:])
    check(first[4]["why"] == "duration reached" and first[4]["time_s"] == 2, "the end", first[4])
    check(first[0][-1][environment.observation_names.index("position_east_m")] != 0, "nothing moves")
    check(environment.observation_space.contains(first[0][0]) and environment.action_space.shape == (6,), "the spaces")
    refused(lambda: environment.step(None), sagbend.SagbendError, "a step after the end")
    environment.reset()
    process = environment.simulator.process.pid
    for action in ([4e5, 0, 0, 0, 0, 0], [4e5, 1e5, 0, 0, 0, 0]):
        environment.step(action)
    session = environment.reset()[1]["session"]  # in the middle: by the order reset, in the same process
    check(environment.simulator.process.pid == process, "another process after a reset")
    environment.step(None)
    again = episode(environment)
    check(again[0].tobytes() == first[0].tobytes() and again[4]["session"] != session, "an episode after a reset differs")
    environment.reset()
    refused(lambda: environment.step([1, 2]), ValueError, "a short action")
    error = refused(lambda: environment.step(environment.action_space.high * 2), sagbend.Refused, "an action beyond the limits")
    check(error.reason == REFUSAL_REASON_RANGE, "the reason", error.reason)
    environment.step(None)  # Standby; the refused action changed nothing
    environment.simulator.process.kill()
    refused(lambda: [environment.step(None) for _ in range(30)], sagbend.SimulatorFailed, "a killed simulator")

with sagbend.Environment(OSV, duration_s=1, program=SAGBEND) as environment:
    check(environment.action_space.shape == (len(environment.action_names),) and "gnss-1.north_m" in environment.observation_names,
          "thrusters and instruments", environment.action_names, environment.observation_names)

    def measure(seed):
        seen = [environment.reset(seed=seed)[0]]
        seen += [environment.step(0.1 * environment.action_space.high)[0] for _ in range(5)]
        return np.array(seen).tobytes()

    one, two, one_again = measure(1), measure(2), measure(1)
    check(one == one_again and one != two, "the seeds")

# Connected to a simulator that runs already; one in real time is refused.
with sagbend.Simulator(JLAY, "--mode", "lockstep", "--duration", "2", program=SAGBEND) as simulator:
    with sagbend.Environment(endpoint=simulator.commands) as environment:
        environment.reset()
        environment.step(None)
        connected = episode(environment)
    check(connected[0][:21].tobytes() == first[0].tobytes(), "the connected environment sees other bits")
    check(simulator.wait(PATIENCE_S) == 0, "the exit status", simulator.stderr)
with sagbend.Simulator(JLAY, program=SAGBEND) as simulator:
    refused(lambda: sagbend.Environment(endpoint=simulator.commands), sagbend.SagbendError, "real time")
    check(simulator.stop() == 0, "the exit status after SIGTERM", simulator.stderr)

# Keys: an admitted controller commands, an operator orders, an observer reads nothing of either; files that are no keys.
for role, name in [("server", "sim"), ("controller", "dp-1"), ("operator", "bridge"), ("controller", "stranger")]:
    status, out, err = run("keygen", "--role", role, "--name", name, path(f"{name}.key"))
    check(status == 0, "keygen", err)
with open(path("admitted"), "w") as file:
    file.write("".join(open(path(f"{name}.key.pub")).read() for name in ("dp-1", "bridge")))
keyed = ["--set", "network.server_key=" + path("sim.key"), "--set", "network.admitted_keys=" + path("admitted")]
with sagbend.Simulator(JLAY, "--mode", "lockstep", "--duration", "1", *keyed, program=SAGBEND) as simulator:
    def keys(name):
        return sagbend.Keys.read(path(f"{name}.key"), path("sim.key.pub"))

    with sagbend.Client(simulator.commands, keys=keys("stranger")) as client:
        error = refused(lambda: client.connect(1), sagbend.NoAnswer, "an unknown key")
        check("stranger" in str(error), "the name of the key", error)
    with sagbend.Operator(simulator.commands, keys=keys("bridge"), timeout_s=PATIENCE_S) as operator:
        check(operator.order("list").active_count == 0, "an operator's key")
    with sagbend.Client(simulator.commands, keys=keys("dp-1")) as client:
        for sensors in client.samples(PATIENCE_S):
            client.send_standby(sensors)
        check(client.refusal_count == 0, "refusals with a key", client.refusals)
    check(simulator.wait(PATIENCE_S) == 0, "the exit status", simulator.stderr)
check(keys("dp-1").secret not in repr(keys("dp-1")), "the secret is printed")
os.chmod(path("dp-1.key"), 0o644)
for key, server, kind in [("dp-1.key", "sim.key.pub", ValueError), ("sim.key.pub", "sim.key.pub", ValueError),
                          ("bridge.key", "bridge.key.pub", ValueError), ("missing.key", "sim.key.pub", OSError)]:
    refused(lambda: sagbend.Keys.read(path(key), path(server)), kind, f"keys {key}, {server}")

# Installed, it is found and complete.
root = path("root")
status, out, err = run("--install", BUILD, "--prefix", root, program=shutil.which("cmake"))
check(status == 0, "cmake --install", err)
folder = os.path.join(root, "lib/python%d.%d/dist-packages" % sys.version_info[:2])
status, out, err = run("-c", "import sagbend, sagbend.v1.log_pb2; print(sagbend.__file__, sagbend.read_log, sagbend.Environment)",
                       program=sys.executable)
check(status != 0 or not out.startswith((BUILD, root)), "sagbend is found without being installed", out)  # the machine may have its own
os.environ["PYTHONPATH"] = folder
status, out, err = run("-c", "import sagbend, sagbend.v1.log_pb2; print(sagbend.__file__, sagbend.read_log, sagbend.Environment)",
                       program=sys.executable)
check(status == 0 and out.startswith(folder), "the installed package", out, err)
check(os.path.exists(os.path.join(folder, "sagbend/py.typed")), "py.typed")
