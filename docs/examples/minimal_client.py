#!/usr/bin/python3
"""A complete DP controller. It holds the position that it finds at the start.

It uses the Python package sagbend (docs/python.md), which `cmake --install build` installs. From the build directory:
  PYTHONPATH=build/proto/python docs/examples/minimal_client.py tcp://127.0.0.1:47700 [--key FILE --server-key KEY]
"""
import argparse, math, sagbend

parser = argparse.ArgumentParser()
parser.add_argument("endpoint", nargs="?", default="tcp://127.0.0.1:47700")
parser.add_argument("--key", help="secret file of a controller's key, for a simulator that requires keys")
parser.add_argument("--server-key", help="the simulator's public key, or its file")
options = parser.parse_args()
keys = sagbend.Keys.read(options.key, options.server_key) if options.key else None
client = sagbend.Client(options.endpoint, "minimal", keys=keys)
session, refusals = None, 0
for s in client.samples():  # each Sensors, until the session ends
    if session != s.header.session:  # the first one, or the first after a restart of the simulator
        session, hold = s.header.session, client.welcome.initial_holding_force
        start = s.position_north_m, s.position_east_m, s.heading_rad
        print("welcomed by session", session, "step", client.welcome.step_s, "s", flush=True)
    north = -5e4 * (s.position_north_m - start[0]) - 4e5 * s.velocity_north_mps  # newton
    east = -5e4 * (s.position_east_m - start[1]) - 4e5 * s.velocity_east_mps
    c, d = math.cos(s.heading_rad), math.sin(s.heading_rad)  # rotated to the body frame
    client.send_wrench(s, surge_n=hold.surge_n + c * north + d * east, sway_n=hold.sway_n - d * north + c * east,
                       yaw_nm=hold.yaw_nm - 2e7 * (s.heading_rad - start[2]) - 2e8 * s.heading_rate_radps)
    if client.refusal_count > refusals:
        refusals = client.refusal_count
        print("refused:", client.refusals[-1].text, flush=True)
    if s.header.sequence % 100 == 0:
        offset = math.hypot(s.position_north_m - start[0], s.position_east_m - start[1])
        print("t %.1f s, %.2f m from the start" % (s.header.time_s, offset), flush=True)
print("end:", client.end.why, flush=True)
