"""The clients of liar_test.py, each kind in a process of its own: a client whose network lies may end itself.

liar_clients.py BUILD SOURCE KIND ENDPOINT SEED [KEY SERVER_KEY]: runs until SIGTERM, then prints what it counted as JSON. The
kinds that begin with honest_ keep one connection, which nothing alters; the others begin a new one again and again."""
import contextlib
import json
import os
import random
import signal
import socket
import struct
import sys
import time

BUILD, SOURCE, KIND, ENDPOINT, SEED = sys.argv[1:6]
sys.path.insert(0, os.path.join(BUILD, "proto/python"))
sys.path.insert(0, os.path.join(SOURCE, "tests/program"))
sys.argv = sys.argv[:1] + [BUILD, SOURCE] + sys.argv[6:]

import sagbend
import zmq
from disturb import address
from sagbend.v1.telemetry_pb2 import Sensors

KEYS = sagbend.Keys.read(*sys.argv[3:5]) if len(sys.argv) > 3 else None
CHANCE = random.Random(f"{SEED} {KIND}")
READ = struct.pack(">HHHBBHH", 7, 0, 6, 1, 4, 0, 30)  # input registers 0 to 29
COUNTS = {"rounds": 0, "messages": 0, "lost": 0, "errors": 0, "gaps": []}
ended = False


def stop(*_):
    global ended
    ended = True


def served():
    """A message came or went."""
    COUNTS["messages"] += 1
    if COUNTS["messages"] == 1:
        print("served", file=sys.stderr, flush=True)


def life_s():
    return 10 ** CHANCE.uniform(-1.5, -0.3)


def command(client, sensors):
    """A command that moves nothing."""
    if client.welcome.accepts_wrench:
        client.send_wrench(sensors)
    else:
        client.send_thrusters(sensors, [{"name": sensors.thruster[0].name, "enable": True}])
    served()


def honest_controller():
    last = None
    with sagbend.Client(ENDPOINT, "honest", keys=KEYS) as client:
        while not ended:
            got = client.receive(0.1)
            if not isinstance(got, Sensors):
                continue
            if last and last.session == got.header.session and got.header.sequence != last.sequence + 1:
                COUNTS["lost"] += got.header.sequence - last.sequence - 1
                COUNTS["gaps"].append([last.sequence, got.header.sequence])
            last = got.header
            command(client, got)
        COUNTS["errors"] = client.refusal_count


def honest_subscriber():
    with sagbend.Telemetry(ENDPOINT, ["sensors"], keys=KEYS) as telemetry:
        while not ended:
            if telemetry.receive(0.1):
                served()
        COUNTS["lost"] = telemetry.lost


def honest_master():
    with socket.create_connection(address(ENDPOINT), timeout=60) as master:
        while not ended:
            master.sendall(READ)
            answer = b""
            while len(answer) < 69:
                answer += master.recv(69 - len(answer)) or sys.exit("FAILED: the honest master is cut off")
            COUNTS["lost"] += answer[:9] != READ[:2] + b"\0\0\0\x3f\1\4\x3c"
            served()
            time.sleep(0.02)


def controller():
    end = time.monotonic() + life_s()
    with sagbend.Client(ENDPOINT, f"liar-{COUNTS['rounds'] % 3}", keys=KEYS, hello_period_s=0.1) as client:
        while time.monotonic() < end:
            got = client.receive(end - time.monotonic())
            if isinstance(got, Sensors):
                command(client, got)


def operator(question="list"):
    """Nothing but questions: without keys an altered order is the order that it has become."""
    with sagbend.Operator(ENDPOINT, keys=KEYS, timeout_s=life_s()) as one:
        with contextlib.suppress(sagbend.Refused):
            for _ in range(20):
                one.order(question)
                COUNTS["messages"] += 1


def visitor():
    """An operator of sagbend serve."""
    operator("cases")


def subscriber():
    end = time.monotonic() + life_s()
    with sagbend.Telemetry(ENDPOINT, ["sensors", "timing", "event"], keys=KEYS) as telemetry:
        while time.monotonic() < end:
            COUNTS["messages"] += telemetry.receive(max(0, end - time.monotonic())) is not None


def master():
    with socket.create_connection(address(ENDPOINT), timeout=life_s()) as client:
        for _ in range(30):
            client.sendall(READ)
            client.sendall(struct.pack(">HHHBBHHBf", 8, 0, 11, 1, 16, 1, 2, 4, CHANCE.uniform(-9, 9)))
            COUNTS["messages"] += len(client.recv(4096)) > 0


def browser():
    import view_client
    client = view_client.Client(address(ENDPOINT)[1], timeout_s=life_s(), reads=False)
    try:
        for _ in range(30):
            COUNTS["messages"] += client.frame() is not None
    finally:
        client.socket.close()


signal.signal(signal.SIGTERM, stop)
if KIND.startswith("honest_"):
    globals()[KIND]()
while not ended:
    COUNTS["rounds"] += 1
    try:
        globals()[KIND]()
    except (OSError, sagbend.NoAnswer, zmq.ZMQError, ValueError, IndexError, KeyError, struct.error):
        COUNTS["errors"] += 1
print(json.dumps(COUNTS))
