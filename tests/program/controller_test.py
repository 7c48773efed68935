"""sagbend-dp as a program: command line, signals, and simulators that start, are killed and restart. Meanwhile the telemetry
is read with the Python modules generated from the .proto files."""
import socket

import zmq

from harness import *

for arguments, word in [
    ([], "missing"),
    (["--frobnicate", JLAY_DP], "--frobnicate"),
    ([JLAY_DP, "--connect"], "--connect"),
    ([JLAY_DP, JLAY_DP], "got also"),
    ([JLAY_DP, "--connect", "nonsense"], "nonsense"),
    ([JLAY_DP, "--name", ""], "--name"),
    ([path("absent.yaml")], "absent.yaml"),
    ([JLAY_DP, "--set", "pid.kp=[1,2,nan,4,5,6]"], "pid.kp"),
]:
    status, out, err = run(*arguments, program=SAGBEND_DP)
    check(status == 2 and out == "", f"{arguments}: status {status}", out, err)
    check(word in err and err.count("\n") == 1, f"{arguments}: one line with '{word}' expected", err)
status, out, err = run("--help", program=SAGBEND_DP)
check(status == 0 and "example:" in out and err == "", "--help", out, err)

for number in signal.SIGINT, signal.SIGTERM:  # without a simulator it waits, and a signal ends it properly
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        waiting = Program(SAGBEND_DP, JLAY_DP, "--connect", "tcp://127.0.0.1:%d" % nobody.getsockname()[1])
        nobody.settimeout(PATIENCE_S)
        nobody.accept()[0].close()  # it runs and asks
    check(waiting.process.poll() is None, "it did not wait for a simulator", waiting.stderr())
    waiting.signal(number)
    check(waiting.end() == 0, "exit status after a signal", waiting.stderr())

# The simulator is killed. A new one at the same endpoint is a new session, and the controller joins it.
first = Simulator(JLAY)
dp = controller(first, "--set", "pid.start_s=1")
session = dp.wait_for(r"welcomed by session (\S+)").group(1)
dp.wait_for("takes over")
first.kill()
second = Program(SAGBEND, "run", JLAY, "--duration", "6", "--bind-command", first.commands,
                 "--bind-telemetry", "tcp://127.0.0.1:*", "--summary", path("second.json"))
telemetry = second.wait_for(r"telemetry at (\S+)").group(1)
subscriber = zmq.Context().socket(zmq.SUB)
subscriber.linger = 0
subscriber.subscribe("")
subscriber.connect(telemetry)
kinds = telemetry_kinds()
seen, sessions, last = {name: 0 for name in kinds}, set(), {}
while not seen["end"]:
    check(subscriber.poll(1000 * PATIENCE_S), "no telemetry", second.stderr())
    topic, payload = subscriber.recv_multipart()
    message = kinds[topic.decode()].FromString(payload)
    header = message.header
    check(header.protocol == 1, "protocol", header)
    check(last.get(topic, header.sequence - 1) == header.sequence - 1, "a gap in the sequence", topic, header)
    check(abs(header.time_s - 0.01 * header.step) < 1e-9, "step and time disagree", header)
    sessions.add(header.session)
    last[topic] = header.sequence
    seen[topic.decode()] += 1
    if topic == b"nodes":
        for order in ("pause", "resume") if seen["nodes"] == 1 else ():  # an event that the subscriber hears, however late it has come
            status, out, err = run("ctl", first.commands, order)
            check(status == 0, order, out, err)
        counts = {len(getattr(message, name)) for name in ("north_m", "east_m", "down_m", "quaternion_w", "quaternion_z")}
        check(counts == {101}, "nodes", counts)
check(all(count for topic, count in seen.items() if topic != "alarm"), "topics without a message", seen)
check(second.end() == 0, "the second simulator's exit status", second.stderr())
check(dp.end() == 0, "the controller's exit status after the end", dp.stderr())
welcomes = re.findall(r"welcomed by session (\S+)", dp.stderr())
check(len(welcomes) == 2 and welcomes[0] == session and sessions == {welcomes[1]}, "sessions", welcomes, sessions)
check(dp.stderr().count("takes over") == 2, "it takes over once in each session", dp.stderr())
check("the session has ended" in dp.stderr(), "the end is not reported", dp.stderr())
summary = load("second.json")
check(summary["commands"]["accepted"] > 20 and summary["commands"]["refused"] == 0, "commands", summary["commands"])
