#!/usr/bin/python3
"""The DP system of dp_law.py over the protocol, with the Python package sagbend (docs/python.md):

  PYTHONPATH=build/proto/python docs/examples/dp_protobuf.py tcp://127.0.0.1:47700
  PYTHONPATH="$PWD/build/proto/python" build/sagbend trials docs/examples/trials-protobuf.yaml --jobs 2
"""
import sys

import sagbend

import dp_law

TEXTS = {"lost": "{} gives nothing", "frozen": "{} repeats its numbers", "rejected": "{} is far from the others"}


def alarm(source, kind):
    return {"source": source, "kind": kind, "severity": "warning", "text": TEXTS[kind].format(source)}


client, dp = sagbend.Client(sys.argv[1], "example"), dp_law.Dp()
for sensors in client.samples():  # each Sensors, until the session ends
    gnss = {g.telegram.name: (g.telegram.sequence, g.north_m, g.east_m, g.velocity_north_mps, g.velocity_east_mps) if g.telegram.valid else None
            for g in sensors.instruments.gnss}
    gyro = {g.telegram.name: (g.telegram.sequence, g.heading_rad, g.rate_radps) if g.telegram.valid else None for g in sensors.instruments.gyro}
    thrusters = [(t.revolutions_rpm, t.azimuth_rad) for t in sensors.thruster]
    settings, alarms = dp.step(sensors.header.time_s, gnss, gyro, thrusters, [t.ready for t in sensors.thruster])
    if settings is None:
        client.send_standby(sensors)  # what holds the vessel at the start goes on
        continue
    client.send_thrusters(sensors, [{"name": name, "enable": True, "revolutions_rpm": rpm, **({} if thruster[4] else {"azimuth_rad": azimuth})}
                                    for name, thruster, (rpm, azimuth) in zip(dp_law.NAMES, dp_law.THRUSTERS, settings)],
                          alarms=[alarm(*a) for a in alarms])
