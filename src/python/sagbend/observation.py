"""Sensors as a vector of numbers, and a vector of numbers as a command: what the environment exchanges."""
import math
from typing import List, Optional, Sequence, Tuple

import numpy as np
from google.protobuf.descriptor import FieldDescriptor

from .v1.command_pb2 import Command
from .v1.session_pb2 import THRUSTER_DRIVE_REVOLUTIONS, THRUSTER_KIND_TUNNEL, THRUSTER_STEERING_NONE, InstrumentKind, Setpoint, ThrusterInfo, Welcome
from .v1.telemetry_pb2 import Instruments, PipeSensors, Sensors, ThrusterFeedback

STATE = ["position_north_m", "position_east_m", "position_down_m", "roll_rad", "pitch_rad", "heading_rad", "velocity_north_mps",
         "velocity_east_mps", "velocity_down_mps", "roll_rate_radps", "pitch_rate_radps", "heading_rate_radps"]
WRENCH = ["surge_n", "sway_n", "heave_n", "roll_nm", "pitch_nm", "yaw_nm"]
PIPE = [field.name for field in PipeSensors.DESCRIPTOR.fields if field.message_type is None]
TOUCHDOWN = [field.name for field in PipeSensors.DESCRIPTOR.fields_by_name["touchdown"].message_type.fields]
FEEDBACK = [field.name for field in ThrusterFeedback.DESCRIPTOR.fields if field.name != "name"]


class Observer:
    """Turns Sensors into a vector whose names follow from Welcome. What does not exist at the moment (no contact) is zero.

    Exact state: STATE, then pipe.* (pipe.contact is 1 with contact). With instruments instead: NAME.valid and NAME.* of each.
    Then of each thruster NAME.running, NAME.ready, ... (its feedback).
    """

    def __init__(self, welcome: Welcome) -> None:
        self.names: List[str] = []
        self._instruments: List[Tuple[str, str, List[str]]] = []  # name, field of Instruments, channels
        self._thrusters = [info.name for info in welcome.thruster]
        self._pipe = welcome.has_pipe and not welcome.instrument
        for info in welcome.instrument:
            kind = InstrumentKind.Name(info.kind)[len("INSTRUMENT_KIND_"):].lower()
            fields = Instruments.DESCRIPTOR.fields_by_name[kind].message_type.fields
            channels = [field.name for field in fields if field.type == FieldDescriptor.TYPE_DOUBLE]
            self._instruments.append((info.name, kind, channels))
            self.names += [f"{info.name}.{channel}" for channel in ["valid", *channels]]
        if not welcome.instrument:
            self.names += STATE
        if self._pipe:
            self.names += [f"pipe.{name}" for name in [*PIPE, "contact"]] + [f"pipe.touchdown.{name}" for name in TOUCHDOWN]
        self.names += [f"{name}.{field}" for name in self._thrusters for field in FEEDBACK]

    def __call__(self, sensors: Sensors) -> "np.ndarray":
        values: List[float] = []
        for name, kind, channels in self._instruments:
            measured = next((m for m in getattr(sensors.instruments, kind) if m.telegram.name == name), None)
            values.append(bool(measured and measured.telegram.valid))
            values += [getattr(measured, channel) if measured else 0.0 for channel in channels]
        if not self._instruments:
            values += [getattr(sensors, name) for name in STATE]
        if self._pipe:
            values += [getattr(sensors.pipe, name) for name in PIPE] + [sensors.pipe.HasField("touchdown")]
            values += [getattr(sensors.pipe.touchdown, name) for name in TOUCHDOWN]
        feedback = {thruster.name: thruster for thruster in sensors.thruster}
        values += [float(getattr(feedback.get(name), field, 0)) for name in self._thrusters for field in FEEDBACK]
        return np.array(values, dtype=np.float64)


class Commander:
    """Turns a vector into a command. A vessel that accepts a wrench takes the six components of WRENCH in N and N m (the hold
    wrench, which balances the pipe, is not added). Otherwise the vector has for each thruster NAME.revolutions_rpm or NAME.pitch,
    by its drive, and NAME.azimuth_rad unless it is a tunnel thruster. low and high are the limits of the vessel."""

    def __init__(self, welcome: Welcome, use_wrench: Optional[bool] = None) -> None:
        self.use_wrench = welcome.accepts_wrench if use_wrench is None else use_wrench
        self.names: List[str] = []
        low: List[float] = []
        high: List[float] = []
        self._thrusters: List[ThrusterInfo] = list(welcome.thruster)
        if self.use_wrench:
            self.names = list(WRENCH)
            high = [getattr(welcome.wrench_limit, name) for name in WRENCH]
            low = [-limit for limit in high]
        for info in [] if self.use_wrench else self._thrusters:
            limit = info.revolutions_max_rpm if info.drive == THRUSTER_DRIVE_REVOLUTIONS else 1.0
            self.names.append(f"{info.name}.{_effort(info)}")
            low.append(-limit)
            high.append(limit)
            if _is_directed(info):
                self.names.append(f"{info.name}.azimuth_rad")
                low.append(-(info.rudder_max_rad or math.pi))
                high.append(info.rudder_max_rad or math.pi)
        self.low, self.high = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)

    def __call__(self, sensors: Sensors, action: "Optional[Sequence[float]]") -> Command:
        command = Command(based_on_step=sensors.header.step)
        if action is None:
            command.standby.SetInParent()
            return command
        values = np.asarray(action, dtype=np.float64)
        if values.shape != self.low.shape or not np.isfinite(values).all():
            raise ValueError(f"{len(self.names)} finite numbers expected ({', '.join(self.names)}), not {action!r}")
        if self.use_wrench:
            command.wrench.SetInParent()
            for name, value in zip(WRENCH, values):
                setattr(command.wrench, name, float(value))
            return command
        left = iter(values)
        for info in self._thrusters:
            thruster = command.thrusters.thruster.add(name=info.name, enable=True)
            setattr(thruster, _effort(info), float(next(left)))
            if _is_directed(info):
                thruster.azimuth_rad = float(next(left))
        return command


def _is_directed(info: ThrusterInfo) -> bool:
    """Whether something directs its thrust. Sessions of earlier builds say so by the kind alone."""
    return info.steering != THRUSTER_STEERING_NONE if info.HasField("steering") else info.kind != THRUSTER_KIND_TUNNEL


def _effort(info: ThrusterInfo) -> str:
    return "revolutions_rpm" if info.drive == THRUSTER_DRIVE_REVOLUTIONS else "pitch"


def place(sensors: Sensors) -> Tuple[float, float]:
    """North and east of the vessel: the exact position, or with instruments that of the first valid GNSS receiver."""
    if sensors.HasField("instruments"):
        for gnss in sensors.instruments.gnss:
            if gnss.telegram.valid:
                return gnss.north_m, gnss.east_m
        return math.nan, math.nan
    return sensors.position_north_m, sensors.position_east_m


def distance_m(sensors: Sensors, target: Setpoint) -> float:
    """Horizontal distance from the set-point; nan without a valid position."""
    north, east = place(sensors)
    return math.hypot(north - target.north_m, east - target.east_m)
