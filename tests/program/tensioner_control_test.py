"""A vessel in waves: the tensioner's own law inside keeps the tension within its band, and so does a sampled controller outside
that orders speeds over ZeroMQ in lockstep; with the brake on, the tension leaves both. Log and replay of the controlled session."""
import csv
import math

from harness import *
from sagbend.v1 import envelope_pb2

SET_N, BAND_N = 273e3, 30e3  # set-point; dead band of the law
with open(path("waves.yaml"), "w") as file:
    file.write(f"""extends: {SOURCE}/configs/osv-83m.yaml
name: waves
simulation: {{duration_s: 120}}
environment:
  waves: {{significant_height_m: 3.4, peak_period_s: 8, direction_deg: 210, seed: 5, ramp_s: 20}}
network: {{sensor_period_s: 0.05}}
pipe:
  tensioner: {{grip_n: 800e3, brake_n: 600e3, motor_n: 500e3, motor_w: 600e3, mass_kg: 15e3, stiffness_npm: 2e7, damping_nspm: 3e4,
              dead_band_n: {BAND_N}, speed_max_mps: 1, ramp_nps: 20e3, acceleration_mps2: 3, elements_max: 110,
              orders: [{{start_s: 0, mode: tension, tension_n: {SET_N}}}]}}
""")
BRAKED = ["--set", "pipe.tensioner.orders=[{start_s: 0, mode: brake}]"]


def record(name):
    """Tensions from 30 s on, when the waves have their height, and the closure of the ledger."""
    with open(path(name + ".csv")) as file:
        rows = [row for row in csv.DictReader(file) if float(row["time_s"]) >= 30]
    tension = [float(row["hangoff_tension_n"]) for row in rows]
    check(load(name + ".json")["energy"]["closure_rel"] < 1e-11, f"{name}: ledger", load(name + ".json")["energy"])
    return min(tension), max(tension), math.sqrt(sum((t - SET_N) ** 2 for t in tension) / len(tension))


def outputs(name):
    return ["--record", path(name + ".csv"), "--record-every", "0.1", "--summary", path(name + ".json")]


def inside(name, *more):
    status, out, err = run("run", path("waves.yaml"), "--mode", "fast", "--set", "controller.kind=none", *outputs(name), *more)
    check(status == 0, name, err)
    return record(name)


class Winch:
    """A tension controller: the speed of the hang-off along the pipe, and the filtered deviation of the tension. The gain stays
    below 2 lag / (period impedance), the limit by the pipe's impedance of 0.6 MN s/m."""

    GAIN, LAG_S = 5e-6, 0.3

    def __init__(self, simulator):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(simulator.commands)
        self.sequence, self.session, self.deviation_n = 0, "", 0.0

    def send(self, envelope, message):
        self.sequence += 1
        message.header.protocol, message.header.session, message.header.sequence = 1, self.session, self.sequence
        message.controller_id = "winch"
        self.socket.send(envelope.SerializeToString())

    def speed(self, sensors, period_s):
        pipe = sensors.pipe
        self.deviation_n += period_s / self.LAG_S * (pipe.hangoff_tension_n - SET_N - self.deviation_n)
        up = -(sensors.velocity_down_mps + 44 * sensors.pitch_rate_radps)  # of the hang-off, 44 m aft
        along = sensors.velocity_north_mps * math.cos(pipe.hangoff_angle_rad) + up * math.sin(pipe.hangoff_angle_rad)
        return max(-3.0, min(3.0, along + self.GAIN * self.deviation_n))

    def serve(self):
        hello = envelope_pb2.Envelope()
        hello.hello.name = "winch"
        self.send(hello, hello.hello)
        period_s = None
        while self.socket.poll(1000 * PATIENCE_S):
            envelope = envelope_pb2.Envelope.FromString(self.socket.recv())
            kind = envelope.WhichOneof("message")
            check(kind != "refusal", "an order is refused", envelope)
            if kind == "end":
                return
            if kind == "welcome":
                self.session, period_s = envelope.welcome.header.session, envelope.welcome.sensor_period_s
            if kind == "sensors" and period_s:
                answer = envelope_pb2.Envelope()
                answer.command.based_on_step = envelope.sensors.header.step
                answer.command.standby.SetInParent()
                answer.command.tensioner.speed_mps = self.speed(envelope.sensors, period_s)
                self.send(answer, answer.command)
        check(False, "the simulator is silent")


def outside(name):
    simulator = Simulator(path("waves.yaml"), "--mode", "lockstep", *outputs(name), "--log", path(name + ".mcap"), "--overwrite", *BRAKED)
    winch = Winch(simulator)
    winch.serve()
    check(simulator.end() == 0, name, simulator.stderr())
    commands = load(name + ".json")["commands"]
    check(commands["accepted"] == 2400 and commands["refused"] == 0, "orders", commands)
    return record(name)


law, braked, controlled = inside("law"), inside("braked", *BRAKED), outside("controlled")
shown = {"law inside": law, "controller outside": controlled, "brake": braked}
low, high = SET_N - 2 * BAND_N, SET_N + 2 * BAND_N
for name in ("law inside", "controller outside"):
    check(low < shown[name][0] and shown[name][1] < high, f"{name}: the tension leaves {low} to {high} N", shown)
check(braked[0] < low and braked[1] > high, "the brake does not leave the band: the case is too calm", shown)
check(max(law[2], controlled[2]) < 0.6 * braked[2], "deviation", shown)
check_replay("controlled.mcap")
