"""A lockstep session in the manner of Gymnasium: reset and step."""
import os
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from .client import Client
from .errors import NoAnswer, Refused, SagbendError, SimulatorFailed
from .keys import Keys
from .observation import Commander, Observer, distance_m, place
from .operator import Operator
from .simulator import Path, Simulator, overrides
from .space import make_box
from .v1.command_pb2 import REFUSAL_REASON_SEQUENCE, REFUSAL_REASON_SESSION, REFUSAL_REASON_STALE, Refusal
from .v1.session_pb2 import RUN_MODE_LOCKSTEP, End, Setpoint, Welcome
from .v1.telemetry_pb2 import Sensors

try:
    import gymnasium

    _Base: Any = gymnasium.Env
except ImportError:
    _Base = object

Observation = "np.ndarray"
Reward = Callable[[Sensors, Setpoint], float]
SEED_KEYS = ("hil.seed", "scenario.seed")
_HARMLESS = (REFUSAL_REASON_STALE, REFUSAL_REASON_SESSION, REFUSAL_REASON_SEQUENCE)  # the client repairs these


class Environment(_Base):  # type: ignore[misc]
    """One controller's view of a session. It starts `sagbend run CASE --mode lockstep`, or connects to a simulator that runs in
    lockstep (endpoint instead of case).

        environment = Environment("configs/jlay-900m.yaml", duration_s=60)
        observation, info = environment.reset()
        while True:
            observation, reward, terminated, truncated, info = environment.step(action)

    Each step lasts one sensor period. The same case, seed and actions give the same bits.

    action: a vector in the order of action_names, within action_space (class Commander), or None for Standby.
    observation: a vector in the order of observation_names (class Observer).
    reward: by default minus the horizontal distance from the set-point in m; without a set-point from the first position.
    terminated: the simulation ended by a fault, or a verdict or an operator stopped it. truncated: its duration is over; if the
    duration stands in the case and not here, one more step follows the last observation and repeats it.
    info: "sensors" (the message), "step", "time_s", "session", "distance_m"; at the end also "why".

    overrides: configuration keys and their values. options: further options of sagbend run, such as ["--log", "a.mcap"].
    seed_keys: the keys that reset(seed=...) sets; add "environment.wind.seed" and "environment.waves.seed" if the case has wind and
    waves. use_wrench: True or False decides where the vessel accepts both. timeout_s: longest wait for a step.
    """

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(self, case: Optional[Path] = None, *, endpoint: Optional[str] = None, duration_s: Optional[float] = None,
                 overrides: Optional[Dict[str, object]] = None, options: Sequence[str] = (), reward: Optional[Reward] = None,
                 use_wrench: Optional[bool] = None, seed_keys: Sequence[str] = SEED_KEYS, program: Path = "sagbend",
                 name: str = "python", keys: Optional[Keys] = None, timeout_s: float = 60) -> None:
        if (case is None) == (endpoint is None):
            raise ValueError("either a case or an endpoint expected")
        if endpoint is not None and (duration_s is not None or overrides or options):
            raise ValueError("duration, overrides and options belong to a case, not to a simulator that runs already")
        self.simulator: Optional[Simulator] = None
        self._case, self._endpoint, self._program, self._name, self._keys = case, endpoint, program, name, keys
        self._overrides: Dict[str, object] = dict(overrides or {})
        if duration_s is not None:
            self._overrides["simulation.duration_s"] = f"{duration_s:.17g}"
        self._duration_s = duration_s or None
        self._options, self._reward, self._use_wrench = list(options), reward, use_wrench
        self._seed_keys, self._seed, self._timeout_s = tuple(seed_keys), None, timeout_s  # type: Tuple[str, ...], Optional[int], float
        self._client: Optional[Client] = None
        self._sensors: Optional[Sensors] = None
        self._over = False
        self._start()

    # --- Gymnasium's methods ---
    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        """Begins the session again. seed: a number from 0 to 1e9 for the random streams; it stays until another one is given.
        Without one each session has the seeds of the configuration, hence the same bits."""
        if seed is not None and not (0 <= seed <= 1_000_000_000):
            raise ValueError(f"a seed from 0 to 1e9 expected, not {seed}")
        if seed is not None and self._endpoint is not None:
            raise ValueError("a simulator that runs already keeps its seeds")
        if _Base is not object:
            super().reset(seed=seed)
        if self._sensors is not None or self._client is None or (seed is not None and seed != self._seed):
            same_seed = seed is None or seed == self._seed
            self._seed = self._seed if seed is None else int(seed)
            self._begin_again(same_seed)
        sensors = self._wait()
        if not isinstance(sensors, Sensors):
            raise SimulatorFailed(f"the session ended before it began: {sensors.why}")
        self._sensors, self._over = sensors, False
        if not self._welcome.HasField("setpoint"):
            self._target.north_m, self._target.east_m = place(sensors)
        return self._observer(sensors), self._info(sensors)

    def step(self, action: Optional[Sequence[float]]) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Lets the action act for one sensor period. Raises Refused if the simulator refuses it."""
        if self._sensors is None or self._over:
            raise SagbendError("reset() comes before step()")
        assert self._client
        self._client.send(self._commander(self._sensors, action))
        message = self._wait()
        why = None
        if isinstance(message, Sensors):
            self._sensors = message
            if self._duration_s is not None and message.header.time_s >= self._duration_s * (1 - 1e-12):
                message = self._wait()  # the End follows without an answer
        if isinstance(message, End):
            self._over, why = True, message.why
        info = self._info(self._sensors)
        if why is not None:
            info["why"] = why
        reward = self._reward(self._sensors, self._target) if self._reward else -info["distance_m"]
        truncated = why is not None and why.startswith("duration")
        return self._observer(self._sensors), float(reward), why is not None and not truncated, truncated, info

    def render(self) -> None:
        """Nothing is drawn; `sagbend ctl ENDPOINT watch` shows a session."""

    def close(self) -> None:
        """Ends the session; a simulator that this environment did not start goes on."""
        if self._client:
            self._client.close()
            self._client = None
        if self.simulator:
            self.simulator.stop()
            self.simulator = None

    def __enter__(self) -> "Environment":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- the session ---
    def _start(self) -> None:
        endpoint = self._endpoint
        if self._case is not None:
            keys = {**self._overrides, **({key: self._seed for key in self._seed_keys} if self._seed is not None else {})}
            self.simulator = Simulator(os.fspath(self._case), "--mode", "lockstep", *overrides(keys), *self._options,
                                       program=self._program, timeout_s=self._timeout_s)
            endpoint = self.simulator.commands
        assert endpoint
        self._client = Client(endpoint, self._name, keys=self._keys)
        self._take(self._client.connect(self._timeout_s))
        self._sensors, self._over = None, False

    def _take(self, welcome: Welcome) -> None:
        if welcome.mode != RUN_MODE_LOCKSTEP:
            self.close()
            raise SagbendError("the simulator does not run in lockstep: start it with --mode lockstep")
        self._welcome, self._observer, self._commander = welcome, Observer(welcome), Commander(welcome, self._use_wrench)
        self.observation_names: List[str] = self._observer.names
        self.action_names: List[str] = self._commander.names
        limit = np.full(len(self.observation_names), np.inf)
        self.observation_space = make_box(-limit, limit)
        self.action_space = make_box(self._commander.low, self._commander.high)
        self._target = Setpoint()
        self._target.CopyFrom(welcome.setpoint)

    def _begin_again(self, same_seed: bool) -> None:
        """By the order reset where that is enough, otherwise in a new process."""
        if self._endpoint is None:
            if not (same_seed and self._client and not self._over and self.simulator and self.simulator.is_running and self._reset()):
                self.close()
                self._start()
        elif not self._reset():
            raise SagbendError("the simulator refuses the order reset")

    def _reset(self) -> bool:
        """Sends the order reset and waits for the new session. False: it is refused."""
        assert self._client
        try:
            with Operator(self._client.endpoint, self._name, keys=self._keys, timeout_s=self._timeout_s) as operator:
                operator.order("reset")
        except Refused:
            return False
        before = self._welcome.header.session
        deadline = time.monotonic() + self._timeout_s
        while self._welcome.header.session == before:
            if time.monotonic() >= deadline:
                raise NoAnswer(f"no new session within {self._timeout_s:g} s after the reset")
            self._client.hello()
            message = self._client.receive(0.02)
            if isinstance(message, Welcome) and message.header.session != before:
                self._take(message)
        self._sensors, self._over = None, False
        return True

    def _wait(self) -> Union[Sensors, End]:
        """The next Sensors, or the End."""
        assert self._client
        deadline = time.monotonic() + self._timeout_s
        while True:
            message = self._client.receive(min(0.5, max(0, deadline - time.monotonic())))
            if isinstance(message, (Sensors, End)):
                return message
            if isinstance(message, Refusal) and message.reason not in _HARMLESS:
                raise Refused(message.reason, message.text)
            if message is None and self.simulator and not self.simulator.is_running:
                raise SimulatorFailed(f"the simulator ended with status {self.simulator.kill()}:\n{self.simulator.stderr}")
            if message is None and time.monotonic() >= deadline:
                raise NoAnswer(f"no sensors within {self._timeout_s:g} s")

    def _info(self, sensors: Sensors) -> Dict[str, Any]:
        return {"sensors": sensors, "step": sensors.header.step, "time_s": sensors.header.time_s,
                "session": sensors.header.session, "distance_m": distance_m(sensors, self._target)}
