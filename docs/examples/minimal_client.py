#!/usr/bin/python3
"""A complete DP controller over the protocol in proto/sagbend/v1: holds the position it finds at the start.

Make the Python modules from the .proto files once (the build does it too, in build/proto/python), then run it:
  protoc --proto_path=proto --python_out=OUT proto/sagbend/v1/*.proto
  PYTHONPATH=OUT docs/examples/minimal_client.py tcp://127.0.0.1:47700
"""
import math, os, sys, zmq
from sagbend.v1.envelope_pb2 import Envelope

dealer = zmq.Context().socket(zmq.DEALER)
dealer.linger, dealer.sndhwm = 0, 2  # nothing piles up for a simulator that is not there
dealer.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:47700")
me, session, sequence, start, hold = "minimal-%d" % os.getpid(), "", 0, None, None

def send(envelope, kind):  # every message has a header and, from a controller, its id
    global sequence
    sequence += 1
    message = getattr(envelope, kind)
    message.header.protocol, message.header.session, message.header.sequence = 1, session, sequence
    message.controller_id = me
    dealer.send(envelope.SerializeToString())

while True:
    if not dealer.poll(500):  # nobody there yet, or silence: say hello
        session = ""
        send(Envelope(hello={"name": "minimal"}), "hello")
        continue
    got = Envelope.FromString(dealer.recv())
    kind = got.WhichOneof("message")
    if kind == "welcome":
        session, start, hold = got.welcome.header.session, None, got.welcome.hold_wrench
        print("welcomed by session", session, "step", got.welcome.step_s, "s", flush=True)
    elif kind == "sensors" and session:
        s = got.sensors
        start = start or (s.position_north_m, s.position_east_m, s.heading_rad)
        north = -5e4 * (s.position_north_m - start[0]) - 4e5 * s.velocity_north_mps  # newton
        east = -5e4 * (s.position_east_m - start[1]) - 4e5 * s.velocity_east_mps
        c, d = math.cos(s.heading_rad), math.sin(s.heading_rad)
        answer = Envelope(command={"based_on_step": s.header.step})
        wrench = answer.command.wrench
        wrench.surge_n = hold.surge_n + c * north + d * east  # to the body frame
        wrench.sway_n = hold.sway_n - d * north + c * east
        wrench.yaw_nm = hold.yaw_nm - 2e7 * (s.heading_rad - start[2]) - 2e8 * s.heading_rate_radps
        send(answer, "command")
        if sequence % 100 == 0:
            print("t %.1f s, %.2f m from the start" % (s.header.time_s, math.hypot(s.position_north_m - start[0], s.position_east_m - start[1])), flush=True)
    elif kind == "refusal":
        print("refused:", got.refusal.text, flush=True)
        if got.refusal.reason in (3, 7):  # session or sequence: hello begins both anew
            session = ""
            send(Envelope(hello={"name": "minimal"}), "hello")
    elif kind == "end":
        print("end:", got.end.why, flush=True)
        break
