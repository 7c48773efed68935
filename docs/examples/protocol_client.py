#!/usr/bin/python3
"""The controller of minimal_client.py without the package sagbend: every message of the protocol is visible, as an example for
other languages. It needs only the modules that protoc generates from the .proto files:
  protoc --proto_path=proto --python_out=OUT proto/sagbend/v1/*.proto
  PYTHONPATH=OUT docs/examples/protocol_client.py tcp://127.0.0.1:47700
"""
import math, os, sys, zmq
from sagbend.v1.envelope_pb2 import Envelope

dealer = zmq.Context().socket(zmq.DEALER)
dealer.linger, dealer.sndhwm = 0, 2  # messages do not queue up while the simulator is absent
dealer.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:47700")
me, session, sequence, start, hold = "minimal-%d" % os.getpid(), "", 0, None, None
held = ""  # the session whose start position it holds

def send(envelope, kind):  # every message carries a header; messages of a controller also carry its id
    global sequence
    sequence += 1
    message = getattr(envelope, kind)
    message.header.protocol, message.header.session, message.header.sequence = 1, session, sequence
    message.controller_id = me
    dealer.send(envelope.SerializeToString())

while True:
    if not dealer.poll(500):  # no simulator yet, or it is silent: send Hello
        session = ""
        send(Envelope(hello={"name": "minimal"}), "hello")
        continue
    got = Envelope.FromString(dealer.recv())
    kind = got.WhichOneof("message")
    if kind == "welcome":
        session, hold = got.welcome.header.session, got.welcome.initial_holding_force
        if session != held:  # not after a silence in the same session, nor when its set-point has changed
            held, start = session, None
            print("welcomed by session", session, "step", got.welcome.step_s, "s", flush=True)
    elif kind == "sensors" and session:
        s = got.sensors
        start = start or (s.position_north_m, s.position_east_m, s.heading_rad)
        north = -5e4 * (s.position_north_m - start[0]) - 4e5 * s.velocity_north_mps  # newton
        east = -5e4 * (s.position_east_m - start[1]) - 4e5 * s.velocity_east_mps
        c, d = math.cos(s.heading_rad), math.sin(s.heading_rad)
        answer = Envelope(command={"based_on_step": s.header.step})
        wrench = answer.command.wrench
        wrench.surge_n = hold.surge_n + c * north + d * east  # rotated to the body frame
        wrench.sway_n = hold.sway_n - d * north + c * east
        wrench.yaw_nm = hold.yaw_nm - 2e7 * (s.heading_rad - start[2]) - 2e8 * s.heading_rate_radps
        send(answer, "command")
        if sequence % 100 == 0:
            offset = math.hypot(s.position_north_m - start[0], s.position_east_m - start[1])
            print("t %.1f s, %.2f m from the start" % (s.header.time_s, offset), flush=True)
    elif kind == "refusal":
        print("refused:", got.refusal.text, flush=True)
        if got.refusal.reason in (3, 7):  # SESSION or SEQUENCE: Hello restarts both
            session = ""
            send(Envelope(hello={"name": "minimal"}), "hello")
    elif kind == "end":
        print("end:", got.end.why, flush=True)
        break
