"""kill -9 during logging, 20 times at random moments. What was written is readable, at most 1 s is lost (unless the machine
delayed the writer), and recovery produces a valid, indexed file."""
import random
import zmq
from harness import *

TIMES, AT_ONCE, STEP_S = 20, 5, 0.01
SEED = random.SystemRandom().randrange(2**32)
print("seed", SEED)
random.seed(SEED)
context = zmq.Context.instance()


class Victim:
    def __init__(self, number):
        self.log = path(f"killed-{number}.mcap")
        # Rates above the default, so that chunks are closed by size as well as by time.
        rates = ["--set", "log.nodes_period_s=0"] if number % 2 else []
        self.simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log", self.log, "--overwrite", *rates)
        self.telemetry = context.socket(zmq.SUB)
        self.telemetry.connect(self.simulator.telemetry)
        self.telemetry.setsockopt(zmq.SUBSCRIBE, b"sensors")
        self.moment = None  # time of the kill, after the first steps were received
        self.step = 0

    def listen(self):
        while self.telemetry.poll(0):
            topic, payload = self.telemetry.recv_multipart()
            message = Sensors()
            message.ParseFromString(payload)
            self.step = message.header.step
        if self.moment is None and self.step > 10:
            self.moment = time.monotonic() + random.uniform(0, 2.2)
        if self.simulator.process.poll() is not None:
            sys.exit("FAILED: it ended by itself:\n" + self.simulator.stderr())

    def kill(self):
        self.listen()
        self.simulator.kill()
        self.unwritten_s = time.time() - os.stat(self.log).st_mtime
        self.telemetry.close(linger=0)


sys.path.insert(0, os.path.join(BUILD, "proto/python"))
from sagbend.v1.telemetry_pb2 import Sensors

victims, late_s = [], 0
for batch in range(TIMES // AT_ONCE):
    alive = [Victim(batch * AT_ONCE + i) for i in range(AT_ONCE)]
    victims += alive
    last_look = time.monotonic()
    while alive:
        for victim in list(alive):
            victim.listen()
            if victim.moment and time.monotonic() >= victim.moment:
                victim.kill()
                alive.remove(victim)
        time.sleep(0.01)
        now = time.monotonic()
        late_s, last_look = max(late_s, now - last_look), now

lost = []
for victim in victims:
    # Strict reading without recovery: everything up to the missing end.
    code, out, err = run("log", "cat", victim.log, "--topic", "/state_hash")
    check(code == 1 and "cut off" in err and err.count("\n") == 1, "a killed writer's log", code, err)
    steps = [json.loads(line)["message"]["step"] for line in out.splitlines()]
    check(steps == list(range(len(steps))), "a closed chunk cannot be read", steps[:5], len(steps))
    last = steps[-1] if steps else 0
    lost_s = (victim.step - last) * STEP_S
    lost.append(lost_s)
    # On a busy machine the writer thread may be delayed; what it has written must exist.
    check(lost_s <= max(1, victim.unwritten_s + 0.5), f"more than a second is lost: {lost_s:.2f} s, the last write was "
          f"{victim.unwritten_s:.2f} s ago", victim.step, last)

    mended = victim.log + ".mended"
    code, out, err = run("log", "recover", "--overwrite", victim.log, mended)
    check(code == 0 and "lost: " in out, "recovery", code, out, err)
    code, out, err = run("log", "info", mended)
    check(code == 0 and "in order, every checksum is right" in out, "the recovered log", out, err)
    code, out, err = run("log", "cat", mended, "--topic", "/state_hash", "--from", "0.1", "--to", "1e9")  # through the index
    again = [json.loads(line)["message"]["step"] for line in out.splitlines()]
    check(code == 0 and again == steps[10:], "recovery lost something", len(again), len(steps), err)
# Judged where the machine did not keep this test waiting either.
if late_s < 0.2:
    check(sorted(lost)[TIMES // 2] <= 1, "more than a second is usually lost", lost)
print(f"{len(victims)} logs, at most {max(lost):.2f} s lost, {sorted(lost)[TIMES // 2]:.2f} s usually; this test was {late_s:.2f} s late at most")
