"""A controller's connection: Hello, Welcome, Sensors, Command, Refusal, End (docs/protocol.md)."""
import logging
import os
import time
from collections import deque
from typing import Any, Deque, Dict, Iterable, Iterator, Optional, Union

import zmq
from google.protobuf.message import DecodeError

from . import exact_fields
from .connection import Connection
from .errors import NoAnswer
from .keys import Keys
from .v1.command_pb2 import REFUSAL_REASON_SEQUENCE, REFUSAL_REASON_SESSION, AlarmKind, AlarmSeverity, Command, Refusal
from .v1.envelope_pb2 import Envelope
from .v1.session_pb2 import End, Event, Welcome
from .v1.telemetry_pb2 import Sensors

PROTOCOL = 1
NOTICE_S = 5.0  # of waiting without a message: what to check is logged
RENEW_S = 3.0  # another socket after so long without an answer over an open connection
LOG = logging.getLogger("sagbend")
Message = Union[Welcome, Sensors, Refusal, Event, End]


class Client:
    """A controller. It sends Hello until the simulator answers, again after silence and after a restart of the simulator, and
    sends an answer again that may have been lost.

        with Client("tcp://127.0.0.1:47700", name="mine") as client:
            for sensors in client.samples():
                client.send_wrench(sensors, surge_n=1e5)

    On a vessel with instruments (client.welcome.instrument) the exact state is not there: position_north_m and the other fields 2 to
    13 of Sensors are 0, and pipe is absent. Read sensors.instruments (gnss, gyro, load_cell, ...), each with its telegram: name,
    valid, time. A program that reads the exact fields nevertheless gets a UserWarning at that line.

    After 5 s of waiting without a message the logger "sagbend" says what to check, and it says what is refused: the first refusal,
    and at every power of two. Python prints its warnings on standard error unless the program configures logging.

    welcome: the newest Welcome, None before the first. end: the End of the session, None before it.
    refusals: the newest 100 refusals; refusal_count: all of them.
    """

    def __init__(self, endpoint: str, name: str = "python", *, keys: Optional[Keys] = None, hello_period_s: float = 0.5,
                 silence_s: float = 1.0, context: "Optional[zmq.Context]" = None) -> None:
        self.endpoint, self.name, self.hello_period_s, self.silence_s = endpoint, name, hello_period_s, silence_s
        self.controller_id = f"{os.getpid()}-{os.urandom(8).hex()}"
        self.welcome: Optional[Welcome] = None
        self.end: Optional[End] = None
        self.refusals: Deque[Refusal] = deque(maxlen=100)
        self.refusal_count = 0
        self._told = 0  # refusals but those of answers that were sent again:
        self._again: Deque[int] = deque(maxlen=100)  # sequences of these
        self._sequence, self._session, self._step = 0, "", -1
        self._answer: Optional[Command] = None  # the last one
        self._last_hello = self._last_message = float("-inf")
        self._keys = keys
        self._connection = Connection(zmq.DEALER, endpoint, keys, _prepare, context)
        self._renewals = 0
        self._waits_since: Optional[float] = None  # a receive found no message since; None: it found one
        self._has_noticed = False

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    # --- receiving ---
    def connect(self, timeout_s: float = 10) -> Welcome:
        """Sends Hello until Welcome arrives; raises NoAnswer after timeout_s."""
        deadline = time.monotonic() + timeout_s
        while not self._session:
            if self.receive(deadline - time.monotonic()) is None:
                raise NoAnswer(f"no simulator answers at {self.endpoint} within {timeout_s:g} s: {self._connection.silence()}")
        assert self.welcome
        return self.welcome

    def receive(self, timeout_s: Optional[float] = None) -> Optional[Message]:
        """The next message; None after timeout_s (None: waits without limit). Each Sensors comes once."""
        deadline = float("inf") if timeout_s is None else time.monotonic() + timeout_s
        while True:
            now = time.monotonic()
            if now >= self._next_hello() and self.end is None:
                self._send_hello(now)
            wait_s = min(deadline, self._next_hello() if self.end is None else deadline) - now
            # A late call still takes what has arrived.
            if not self._connection.wait(max(0.0, min(wait_s, 60.0))):
                self._follow_connection()
                self._notice_silence(now)
                if time.monotonic() >= deadline:
                    return None
                continue
            message = self._take(self._connection.socket.recv_multipart()[-1])
            if message is not None:
                return message

    def hello(self) -> None:
        """Makes the next receive send Hello at once, for a session that is known to have changed."""
        self._session, self._last_hello = "", float("-inf")

    def samples(self, timeout_s: Optional[float] = None) -> Iterator[Sensors]:
        """Each new Sensors, until the session ends. Refusals are counted. After a restart of the simulator the samples of its new
        session follow. Raises NoAnswer after timeout_s without a sample."""
        while self.end is None:
            deadline = float("inf") if timeout_s is None else time.monotonic() + timeout_s
            message: Optional[Message] = None
            while self.end is None and not isinstance(message, Sensors):
                message = self.receive(None if timeout_s is None else deadline - time.monotonic())
                if message is None:
                    raise NoAnswer(f"no sensors from {self.endpoint} within {timeout_s:g} s")
            if isinstance(message, Sensors):
                yield message

    def _follow_connection(self) -> None:
        """Over another connection Hello comes first. One that is open and silent although Hello asks is given up."""
        if self._connection.renewals != self._renewals:
            self._renewals = self._connection.renewals
            self._session, self._last_hello = "", float("-inf")
        elif self.end is None and self._connection.is_open \
                and time.monotonic() - max(self._last_message, self._connection.opened) > RENEW_S:
            self._connection.renew()

    def _notice_silence(self, now: float) -> None:
        """Once in each silence, which begins with the first receive that finds nothing."""
        self._waits_since = now if self._waits_since is None else self._waits_since
        if self.end is None and not self._has_noticed and now - self._waits_since >= NOTICE_S:
            self._has_noticed = True
            LOG.warning("sagbend: no message for %g s from a simulator at %s: %s", NOTICE_S, self.endpoint, self._connection.silence())

    def _next_hello(self) -> float:
        if not self._session:
            return self._last_hello + self.hello_period_s
        return max(self._last_hello, self._last_message) + self.silence_s

    def _send_hello(self, now: float) -> None:
        self._last_hello = now
        envelope = Envelope()
        envelope.hello.name = self.name
        self._send(envelope, envelope.hello)

    def _take(self, data: bytes) -> Optional[Message]:
        """The message, None if it is not for the caller."""
        try:
            envelope = Envelope.FromString(data)
        except DecodeError:
            return None  # not a simulator's
        kind = envelope.WhichOneof("message")
        if kind == "status":  # a pause: the simulator is there and makes no steps
            self._note_message()
        if kind not in ("welcome", "sensors", "refusal", "event", "end"):
            return None
        self._note_message()
        message: Message = getattr(envelope, kind)
        if isinstance(message, Welcome):
            if message.header.session != self._session:
                self._answer, self._step = None, -1
            self.welcome, self._session = message, message.header.session
            if message.instrument:
                exact_fields.watch()
        elif isinstance(message, Sensors):
            return self._take_sensors(message)
        elif isinstance(message, Refusal):
            self.refusals.append(message)
            self.refusal_count += 1
            self._tell_refusal(message)
            if message.reason in (REFUSAL_REASON_SESSION, REFUSAL_REASON_SEQUENCE):
                self._session, self._last_hello = "", float("-inf")  # Hello now
        elif isinstance(message, End):
            self.end = message
        return message

    def _tell_refusal(self, refusal: Refusal) -> None:
        """The first and at every power of two; none of an answer that was sent again and had come already."""
        if refusal.refused_sequence in self._again:
            return
        self._told += 1
        if self._told & (self._told - 1) == 0:
            LOG.warning("sagbend: refused: %s (refusal %d)", refusal.text, self._told)

    def _note_message(self) -> None:
        self._last_message, self._waits_since = time.monotonic(), None
        if self._has_noticed:
            LOG.warning("sagbend: messages come again from %s", self.endpoint)
        self._has_noticed = False

    def _take_sensors(self, sensors: Sensors) -> Optional[Sensors]:
        if not self._session:
            return None  # Welcome comes first
        if sensors.header.session != self._session:  # reset or restored: a new session
            self._session, self._last_hello = "", float("-inf")
            return None
        if sensors.header.step == self._step:  # a repetition
            if self._answer is not None and self._answer.based_on_step == self._step:
                self.send(self._answer)
                self._again.append(self._sequence)
            return None
        self._step = sensors.header.step
        return sensors

    # --- sending ---
    def send_wrench(self, sensors: Sensors, surge_n: float = 0, sway_n: float = 0, heave_n: float = 0, roll_nm: float = 0,
                    pitch_nm: float = 0, yaw_nm: float = 0, emergency_stop: Iterable[str] = (),
                    consequence: Optional[Dict[str, Any]] = None,
                    alarms: Iterable[Dict[str, Any]] = ()) -> None:
        """Answers with a wrench in the body frame, for a vessel that accepts it (Welcome.accepts_wrench).

        emergency_stop, here and below: names of thrusters to stop at once; an operator resets them.
        consequence, here and below: the fields of Consequence, of a controller with a consequence analysis; None: it has none.
        alarms, here and below: the alarms that are active, at most 16, each a dictionary of the fields of Alarm: source, kind,
        severity, text, such as {"source": "gnss-1", "kind": "rejected", "severity": "warning", "text": "gnss-1 jumps"}. kind and
        severity: the words of docs/protocol.md, or values of AlarmKind and AlarmSeverity. Raises ValueError for another word."""
        command = self._command(sensors, emergency_stop, consequence, alarms)
        command.wrench.SetInParent()
        command.wrench.surge_n, command.wrench.sway_n, command.wrench.heave_n = surge_n, sway_n, heave_n
        command.wrench.roll_nm, command.wrench.pitch_nm, command.wrench.yaw_nm = roll_nm, pitch_nm, yaw_nm
        self.send(command)

    def send_thrusters(self, sensors: Sensors, thrusters: Iterable[Dict[str, Any]], emergency_stop: Iterable[str] = (),
                       consequence: Optional[Dict[str, Any]] = None,
                       alarms: Iterable[Dict[str, Any]] = ()) -> None:
        """Answers with set-points, each a dictionary of the fields of ThrusterCommand: name, enable, ..."""
        command = self._command(sensors, emergency_stop, consequence, alarms)
        for fields in thrusters:
            command.thrusters.thruster.add(**fields)
        self.send(command)

    def send_standby(self, sensors: Sensors, emergency_stop: Iterable[str] = (), consequence: Optional[Dict[str, Any]] = None,
                     alarms: Iterable[Dict[str, Any]] = ()) -> None:
        """Answers with Standby: the initial holding force acts."""
        command = self._command(sensors, emergency_stop, consequence, alarms)
        command.standby.SetInParent()
        self.send(command)

    @staticmethod
    def _command(sensors: Sensors, emergency_stop: Iterable[str], consequence: Optional[Dict[str, Any]],
                 alarms: Iterable[Dict[str, Any]]) -> Command:
        command = Command(based_on_step=sensors.header.step, emergency_stop=emergency_stop)
        if consequence is not None:
            command.consequence.SetInParent()
            for name, value in consequence.items():
                setattr(command.consequence, name, value)
        for fields in alarms:
            numbers = {name: _enumerated(prefix, fields[name]) for name, prefix in _ALARM_WORDS.items() if name in fields}
            command.alarm.add(**{**fields, **numbers})
        return command

    def send(self, command: Command) -> None:
        """Sends a command whose effort and based_on_step are set; header and controller_id are added."""
        self._answer = command
        envelope = Envelope()
        envelope.command.CopyFrom(command)
        self._send(envelope, envelope.command)

    def _send(self, envelope: Envelope, message: Any) -> None:
        self._sequence += 1
        message.header.protocol, message.header.session, message.header.sequence = PROTOCOL, self._session, self._sequence
        message.header.step = max(0, self._step)
        message.controller_id = self.controller_id
        if envelope.WhichOneof("message") == "hello":
            message.header.session = ""
        try:
            self._connection.socket.send(envelope.SerializeToString(), zmq.NOBLOCK)
        except zmq.Again:
            pass  # nobody takes messages; Hello follows after the silence


_ALARM_WORDS = {"kind": "ALARM_KIND_", "severity": "ALARM_SEVERITY_"}


def _enumerated(prefix: str, value: Union[str, int]) -> int:
    """Number of a word of an enumeration, or the number itself."""
    if not isinstance(value, str):
        return value
    numbers = AlarmKind.items() if prefix == "ALARM_KIND_" else AlarmSeverity.items()
    words = {name[len(prefix):].lower(): number for name, number in numbers if number}
    if value not in words:
        raise ValueError(f"alarm: one of {', '.join(words)} expected, got {value!r}")
    return int(words[value])


def _prepare(socket: "zmq.Socket") -> None:
    socket.sndhwm, socket.rcvhwm = 10, 0  # messages do not queue up while the simulator is absent
