"""Sagbend in Python: a controller's connection, an operator's orders, telemetry, a lockstep environment, logs, and
simulations in this process.

    Client        a controller: Hello, Sensors, Command
    Operator      an operator's orders
    Telemetry     what the simulator publishes
    Simulator     starts `sagbend run` on free ports
    Environment   a lockstep session in the manner of Gymnasium
    Keys          CURVE keys for any of these
    read_log      a session log as pandas DataFrames
    Simulation    a simulation in this process, by libsagbend; rollout, run_each: many of them in threads

The messages are in sagbend.v1: the modules that protoc generates from the .proto files. A name is imported when it is
first used, so that a program loads numpy and pandas only if it uses them.
"""
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client import Client as Client
    from .environment import Environment as Environment
    from .errors import CaseError as CaseError, FaultLatched as FaultLatched, LibraryError as LibraryError, LogError as LogError
    from .errors import NoAnswer as NoAnswer, Refused as Refused, SagbendError as SagbendError, SimulatorFailed as SimulatorFailed
    from .keys import Keys as Keys
    from .log import Log as Log, read_log as read_log
    from .operator import Operator as Operator
    from .rollouts import Rollouts as Rollouts, rollout as rollout, run_each as run_each
    from .simulation import Selection as Selection, Simulation as Simulation
    from .simulator import Simulator as Simulator
    from .telemetry import Telemetry as Telemetry

_HOME = {"Client": "client", "Environment": "environment", "Keys": "keys", "Log": "log", "read_log": "log", "Operator": "operator",
         "Simulator": "simulator", "Telemetry": "telemetry", "SagbendError": "errors", "NoAnswer": "errors", "Refused": "errors",
         "SimulatorFailed": "errors", "LogError": "errors", "LibraryError": "errors", "FaultLatched": "errors", "CaseError": "errors",
         "Simulation": "simulation", "Selection": "simulation", "rollout": "rollouts", "run_each": "rollouts", "Rollouts": "rollouts"}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'sagbend' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module("." + _HOME[name], __name__), name)


def __dir__() -> "list[str]":
    return sorted(__all__)
