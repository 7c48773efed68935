"""Checkpoints: a resumed run has the bits of the uninterrupted one at every step, with the controller inside the simulator or
connected over the protocol. Damaged and foreign files are refused with the reason. The file is complete at any moment."""
import random
import shutil

import zmq

from harness import *

sys.path.insert(0, os.path.join(BUILD, "proto/python"))
from sagbend.v1 import envelope_pb2, session_pb2

FAST = ["run", JLAY, "--mode", "fast", "--set", "simulation.event_time_scale=0.2", "--set", "pipe.elements=30"]


def sagbend(*args, expected=0, timeout=120):
    status, out, err = run(*args, timeout=timeout)
    check(status == expected, f"{args}: status {status}, {expected} expected", err)
    return err


# The controller inside (it takes over at 6 s): its state is part of the checkpoint.
sagbend(*FAST, "--duration", "20", "--hashes", path("whole"))
sagbend(*FAST, "--duration", "9.37", "--hashes", path("one"), "--checkpoint", path("c"), "--checkpoint-every", "4",
        "--summary", path("one.json"))
check(load("one.json")["checkpoint"] == {"file": path("c"), "written": 3, "failed": 0, "skipped": 0, "last_step": 937},
      "two checkpoints on the way and one at the end", load("one.json")["checkpoint"])
check(not [name for name in os.listdir(FOLDER) if name.endswith(".sagbend-part")], "a temporary file is left")
err = sagbend(*FAST, "--duration", "20", "--resume", path("c"), "--hashes", path("two"), "--summary", path("two.json"),
              "--record", path("two.csv"))
whole, one, two = hashes("whole"), hashes("one"), hashes("two")
check(one == whole[:938] and two == whole[937:], "the resumed run differs", len(one), len(two))
check("resumed: from the checkpoint" in err and "at step 937" in err, "the resumption is not reported", err)
check(load("two.json")["resumed_from"] == {"file": path("c"), "session": load("one.json")["session"], "step": 937, "lost_steps": 0}, "not in the summary")
with open(path("two.csv")) as file:
    check(file.readline().startswith("time_s,"), "the record has no header")

# Resumed repeatedly, each time from a newer checkpoint, it remains the same run; also when a signal ends it.
shutil.copy(path("c"), path("chain"))
for end in "9.38", "12", "15.5":
    sagbend(*FAST, "--duration", end, "--resume", path("chain"), "--checkpoint", path("chain"))
endless = Program(SAGBEND, *FAST, "--duration", "0", "--resume", path("chain"), "--checkpoint", path("chain"),
                  "--hashes", path("endless"))
endless.wait_for("resumed")
endless.signal()
check(endless.end() == 0, "stopped by a signal", endless.stderr())
trace = hashes("endless")
check(trace[0] == whole[1550] and all(a == b for a, b in zip(trace, whole[1550:])), "the chain differs")
sagbend(*FAST, "--duration", str(int(trace[-1][0]) / 100), "--resume", path("chain"), "--hashes", path("last"))
check(hashes("last") == trace[-1:], "the signal's checkpoint is not the last state", hashes("last"), trace[-1])
check("is at or beyond the end of the run" in sagbend(*FAST, "--duration", "1", "--resume", path("c")), "resumed beyond the end")

# Order 4 and the exact splitting: checkpoint, log and replay are bit-exact; each refuses the other's checkpoint; Welcome
# reports the integrator.
INTEGRATORS = {"order": ("simulation.order=4", 4, "STRANG"), "splitting": ("vessel.integrator=sp4", 4, "SP4")}
for name, (setting, order, kind) in INTEGRATORS.items():
    timed = ["run", VESSEL, "--mode", "fast", "--step-s", "0.1", "--set", setting, "--set", "controller.pid.start_s=5"]
    sagbend(*timed, "--duration", "60", "--hashes", path(name + ".whole"), "--log", path(name + ".mcap"), "--overwrite")
    sagbend(*timed, "--duration", "20", "--checkpoint", path(name + ".c"))
    sagbend(*timed, "--duration", "60", "--resume", path(name + ".c"), "--hashes", path(name + ".two"), "--log", path(name + ".two.mcap"), "--overwrite")
    check(hashes(name + ".two") == hashes(name + ".whole")[200:], f"{setting}: the resumed run differs")
    for log in name + ".mcap", name + ".two.mcap":
        check_replay(log)
    sagbend("run", VESSEL, "--mode", "fast", "--step-s", "0.1", "--set", "controller.pid.start_s=5", "--duration", "60",
            "--resume", path(name + ".c"), expected=2)
    simulator = Simulator(VESSEL, "--mode", "lockstep", "--set", setting)
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(simulator.commands)
    hello = envelope_pb2.Envelope()
    hello.hello.header.protocol, hello.hello.header.sequence = 1, 1
    hello.hello.controller_id = hello.hello.name = "asks"
    socket.send(hello.SerializeToString())
    answer = envelope_pb2.Envelope()
    while not answer.HasField("welcome"):
        check(socket.poll(1000 * PATIENCE_S), "no welcome", simulator.stderr())
        answer = envelope_pb2.Envelope.FromString(socket.recv())
    told = answer.welcome.integrator
    check(told.order == order and told.vessel == session_pb2.VesselIntegrator.Value("VESSEL_INTEGRATOR_" + kind), setting, told, answer)
    socket.close()
    simulator.signal()
    simulator.end()

# What may differ, and what is refused.
os.mkfifo(path("fifo"))
sagbend(*FAST, "--duration", "10", "--resume", path("c"), "--set", "simulation.cpu=-1")
changed, changed_dp = path("changed.yaml"), path("changed-dp.yaml")
for target, source, old, new in [(changed, JLAY, "surface_mps: 0.8", "surface_mps: 0.81"),
                                 (changed_dp, JLAY_DP, "start_s: 30", "start_s: 29")]:
    with open(source) as file:
        text = file.read()
    check(old in text, f"'{old}' is not in {source}")
    with open(target, "w") as file:
        file.write(text.replace(old, new))
shutil.copy(JLAY_DP, path("jlay-900m-dp.yaml"))
with open(path("c"), "rb") as file:
    good = file.read()
with open(path("later-format"), "wb") as file:
    file.write(good[:8] + b"\x63" + good[9:])
with open(path("garbage"), "wb") as file:
    file.write(random.Random(1).randbytes(5000))
outside = ["run", JLAY, "--mode", "fast", "--set", "controller.kind=none", "--set", "controller.dp_file=null"]
sagbend(*outside, "--duration", "1", "--checkpoint", path("none"))
for arguments, reason in [
    ([*FAST, "--resume", path("absent")], "No such file"),
    ([*FAST, "--resume", FOLDER], "not a checkpoint"),
    ([*FAST, "--resume", "/dev/zero"], "not a checkpoint"),
    ([*FAST, "--resume", path("fifo")], "a regular file expected, got a FIFO"),
    (["replay", path("fifo"), "--verify"], "a file expected"),
    ([*FAST, "--resume", JLAY], "not a checkpoint"),
    ([*FAST, "--resume", path("garbage")], "not a checkpoint"),
    ([*FAST, "--resume", path("later-format")], "format 99"),
    ([*FAST, "--resume", path("c"), "--step-s", "0.02"], "another configuration"),
    ([*FAST, "--resume", path("c"), "--set", "vessel.mass_kg=6e6"], "another configuration"),
    (["run", changed, *FAST[2:], "--resume", path("c")], "another configuration"),
    (["run", VESSEL, "--resume", path("c")], "another configuration"),
    ([*FAST, "--resume", path("none")], "another configuration"),
    ([*FAST, "--checkpoint-every", "3"], "--checkpoint FILE"),
    ([*FAST, "--checkpoint", path("x"), "--checkpoint-every", "0"], "above 0"),
]:
    err = sagbend(*arguments, *([] if arguments[0] == "replay" else ["--duration", "1"]), expected=2)
    check(reason in err and err.count("\n") == 1, f"{arguments}: one line with '{reason}' expected", err)
with open(path("jlay-900m-dp.yaml"), "w") as file, open(changed_dp) as source:
    file.write(source.read())
with open(path("same.yaml"), "w") as file, open(JLAY) as source:
    file.write(source.read())
err = sagbend("run", path("same.yaml"), *FAST[2:], "--duration", "10", "--resume", path("c"), expected=2)
check("another DP file" in err, "another DP file", err)
err = sagbend(*FAST, "--duration", "1", "--checkpoint", path("no/such/folder"), expected=1)
check("no/such/folder" in err, "a bad path shows before the run", err)

# Damage: truncated at many places, one bit flipped at many others.
noise = random.Random(3)
cuts = [0, 1, 7, 8, 9, 63, 200, 300, 500, len(good) - 9, len(good) - 8, len(good) - 1] + noise.sample(range(len(good)), 20)
for cut in cuts:
    with open(path("cut"), "wb") as file:
        file.write(good[:cut])
    err = sagbend(*FAST, "--duration", "10", "--resume", path("cut"), expected=2)
    check(err.count("\n") == 1, f"cut at {cut}", err)
for bit in [0, 64, 128, 200, 8 * len(good) - 1] + noise.sample(range(8 * len(good)), 60):
    damaged = bytearray(good)
    damaged[bit // 8] ^= 1 << bit % 8
    with open(path("damaged"), "wb") as file:
        file.write(damaged)
    err = sagbend(*FAST, "--duration", "10", "--resume", path("damaged"), expected=2)
    check(err.count("\n") == 1, f"bit {bit} turned", err)
with open(path("long"), "wb") as file:
    file.write(good + b"\0")
sagbend(*FAST, "--duration", "10", "--resume", path("long"), expected=2)

# Damage with correct checksums: a field that would index beyond an array, with all hashes recomputed. A resumed run and a
# replay that starts from the checkpoint refuse it and name the field.
sagbend(*FAST, "--duration", "10", "--resume", path("c"), "--log", path("resumed.mcap"))
for field, name in [("faults.count", "scenario.events.faults.count"), ("link.count", "scenario.link.count"),
                    ("thruster_count", "latch.last.thruster_count"), ("history_count", "observer.history_count"),
                    ("latch.state", "latch.state")]:
    forger = os.path.join(BUILD, "tests/program/")
    subprocess.run([forger + "alter_checkpoint", path("c"), path("forged"), field], check=True)
    err = sagbend(*FAST, "--duration", "10", "--resume", path("forged"), expected=2)
    check(name in err and "expected, got" in err and err.count("\n") == 1, f"{field}: refused by its name", err)
    if field == "history_count":
        continue  # state of the controller, which a replay does not use
    subprocess.run([forger + "alter_log", path("resumed.mcap"), path("forged.mcap"), field, "0"], check=True)
    err = sagbend("replay", path("forged.mcap"), "--verify", expected=2)
    check(name in err and "expected, got" in err, f"{field}: a replay refuses it by its name", err)

# Another build: the same program with one byte of its build id changed.
build = run("--version")[1].split("build ")[1].strip()
with open(SAGBEND, "rb") as file:
    program = file.read()
check(program.count(bytes.fromhex(build)) == 1, "the build id is not in the program", build)
with open(path("sagbend"), "wb") as file:
    file.write(program.replace(bytes.fromhex(build), bytes(20)))
os.chmod(path("sagbend"), 0o755)
status, out, err = run(*FAST, "--duration", "10", "--resume", path("c"), program=path("sagbend"))
check(status == 2 and "another build" in err and build in err, "another build", status, err)

# A killed writer leaves a complete file: killed at random moments during frequent checkpoints.
for trial in range(8):
    victim = Program(SAGBEND, *FAST, "--duration", "0", "--resume", path("c"), "--checkpoint", path("killed"),
                     "--checkpoint-every", "0.01")
    victim.wait_for("resumed")
    until(lambda: os.path.exists(path("killed")), "no checkpoint", victim.stderr())
    time.sleep(noise.random() / 4)
    victim.kill()
    sagbend(*FAST, "--duration", "1", "--resume", path("killed"))

status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", "--checkpoint", "/dev/full")
check(status == 1 and "/dev/full" in err, "a device is no file", status, err)

# A full disk is reported, the run goes on to its end and has failed, and the last good checkpoint remains.
small = small_disk("small-disk", "1m")
if small:
    try:
        target = os.path.join(small, "c")
        sagbend(*FAST, "--duration", "1", "--checkpoint", target)
        disk = os.statvfs(small)
        with open(os.path.join(small, "filler"), "wb") as file: # leaves too little space for another
            file.write(bytes(disk.f_bavail * disk.f_bsize - os.path.getsize(target) // 2 // disk.f_bsize * disk.f_bsize))
        err = sagbend(*FAST, "--duration", "5", "--resume", target, "--checkpoint", target, "--checkpoint-every", "1",
                      "--summary", path("full.json"), expected=1)
        counts = load("full.json")["checkpoint"]
        check("checkpoint_failed" in err and "No space" in err, "a full disk is not reported", err)
        check(counts["written"] == 0 and counts["failed"] >= 4, "a full disk is not counted", counts)
        check(not load("full.json")["passed"] and "checkpoints could not be written" in load("full.json")["failures"][0], "a full disk has passed")
        check(load("full.json")["steps"] == 500 and sorted(os.listdir(small)) == ["c", "c.progress", "filler"], "a full disk", os.listdir(small))
        check("at step 100\n" in sagbend(*FAST, "--duration", "2", "--resume", target), "the good checkpoint has gone")
    finally:
        subprocess.run(["umount", small], check=True)


def lockstep(name, law, *args):
    """Runs in lockstep with a controller that is a function of the sensors alone, and writes state hashes."""
    simulator = Simulator(JLAY, "--mode", "lockstep", "--set", "simulation.event_time_scale=0.2", "--hashes", path(name), *args)
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(simulator.commands)
    hello = envelope_pb2.Envelope()
    hello.hello.header.protocol = 1
    hello.hello.header.sequence = 1
    hello.hello.controller_id = hello.hello.name = name
    socket.send(hello.SerializeToString())
    session, sequence = None, 1
    while simulator.process.poll() is None:
        if not socket.poll(1000 * PATIENCE_S):
            simulator.kill()
            sys.exit(f"FAILED: silence from lockstep run {name}:\n{simulator.stderr()}")
        message = envelope_pb2.Envelope.FromString(socket.recv())
        if message.HasField("welcome"):
            session = message.welcome.header.session
        elif message.HasField("sensors") and session:
            answer = envelope_pb2.Envelope()
            command = answer.command
            sequence += 1
            command.header.protocol, command.header.session, command.header.sequence = 1, session, sequence
            command.controller_id, command.based_on_step = name, message.sensors.header.step
            law(message.sensors, command.wrench)
            socket.send(answer.SerializeToString())
        elif message.HasField("refusal"):
            simulator.kill()
            sys.exit(f"FAILED: refused in lockstep run {name}: {message.refusal.text}")
        elif message.HasField("end"):
            break
    check(simulator.end() == 0, f"lockstep run {name}", simulator.stderr())
    return hashes(name)


def law(sensors, wrench):
    wrench.surge_n = 4e5 - 2e4 * (sensors.position_north_m - 972)
    wrench.sway_n = -1e5 * sensors.position_east_m - 2e5 * sensors.velocity_east_mps
    wrench.yaw_nm = -1e8 * sensors.heading_rad


whole = lockstep("lock-whole", law, "--duration", "6")
one = lockstep("lock-one", law, "--duration", "3.45", "--checkpoint", path("lock-c"), "--checkpoint-every", "1")
two = lockstep("lock-two", law, "--duration", "6", "--resume", path("lock-c"))
check(len(whole) == 601 and one == whole[:346] and two == whole[345:], "lockstep: the resumed run differs", len(one), len(two))

# A checkpoint of a fast run warms up a real-time run. In real time, writing checkpoints causes no additional late step.
simulator = Simulator(JLAY, "--mode", "realtime", *FAST[4:], "--duration", "12", "--resume", path("c"),
                      "--checkpoint", path("rt"), "--checkpoint-every", "0.5", "--summary", path("rt.json"))
dp = controller(simulator, "--set", "event_time_scale=0.2")
check(simulator.end() == 0 and dp.end() == 0, "real time from a checkpoint", simulator.stderr())
summary = load("rt.json")
check(summary["steps"] == 1200 and summary["commands"]["accepted"] > 10, "real time from a checkpoint", summary["commands"])
counts = summary["checkpoint"]
check(counts["last_step"] == 1200 and counts["failed"] == 0 and counts["written"] + counts["skipped"] in (6, 7), "checkpoints", counts)
sagbend(*FAST, "--duration", "12", "--resume", path("rt"), expected=2)  # it contains no state of a controller inside the simulator
print("a checkpoint has", len(good), "bytes")
