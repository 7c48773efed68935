#!/usr/bin/python3
"""A DP controller in ten lines, as the README shows it. It holds the position found at the start."""
import math, sagbend, sys

client, start = sagbend.Client((sys.argv[1:] or ["tcp://127.0.0.1:47700"])[0], "mine"), None
for s in client.samples():  # each Sensors message, until the session ends
    start, hold = start or s, client.welcome.initial_holding_force
    north = -5e5 * (s.position_north_m - start.position_north_m) - 3e6 * s.velocity_north_mps  # N
    east = -5e5 * (s.position_east_m - start.position_east_m) - 3e6 * s.velocity_east_mps
    c, d = math.cos(s.heading_rad), math.sin(s.heading_rad)  # rotated to the axes of the vessel
    client.send_wrench(s, surge_n=hold.surge_n + c * north + d * east, sway_n=hold.sway_n - d * north + c * east,
                       yaw_nm=hold.yaw_nm - 2e7 * (s.heading_rad - start.heading_rad) - 2e8 * s.heading_rate_radps)
