"""A subscriber to the simulator's telemetry."""
import time
from typing import Any, Callable, Dict, Iterable, Iterator, Optional, Tuple, Type

import zmq
from google.protobuf.message import DecodeError

from .connection import Connection
from .errors import NoAnswer
from .keys import Keys
from .v1 import session_pb2, telemetry_pb2

TOPICS: Dict[str, Type[Any]] = {
    "sensors": telemetry_pb2.Sensors, "truth": telemetry_pb2.Truth, "nodes": telemetry_pb2.Nodes, "ledger": telemetry_pb2.Ledger,
    "timing": telemetry_pb2.Timing, "alarm": telemetry_pb2.Alarms, "event": session_pb2.Event, "end": session_pb2.End}


class Telemetry:
    """Receives telemetry. Without topics all of them.

        with Telemetry("tcp://127.0.0.1:47701", ["truth"]) as telemetry:
            for topic, message in telemetry: ...

    lost: messages that did not arrive, from gaps in their numbers.
    """

    def __init__(self, endpoint: str, topics: Optional[Iterable[str]] = None, *, keys: Optional[Keys] = None,
                 context: "Optional[zmq.Context]" = None) -> None:
        self.endpoint, self.lost = endpoint, 0
        self._last: Dict[str, Tuple[str, int]] = {}  # topic: session, sequence
        wanted = list(TOPICS) if topics is None else list(topics)
        for topic in wanted:
            if topic not in TOPICS:
                raise ValueError(f"one of {', '.join(TOPICS)} expected, not {topic!r}")

        def prepare(socket: "zmq.Socket") -> None:
            for topic in wanted:
                socket.subscribe(topic)

        self._connection = Connection(zmq.SUB, endpoint, keys, prepare, context)

    def __enter__(self) -> "Telemetry":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def receive(self, timeout_s: Optional[float] = None) -> Optional[Tuple[str, Any]]:
        """The next topic and message; None after timeout_s (None: waits without limit)."""
        deadline = float("inf") if timeout_s is None else time.monotonic() + timeout_s
        while True:
            wait_s = deadline - time.monotonic()
            if not self._connection.wait(max(0.0, min(wait_s, 60.0))):
                if time.monotonic() >= deadline:
                    return None
                continue
            parts = self._connection.socket.recv_multipart()
            topic = parts[0].decode("ascii", "replace")
            if len(parts) != 2 or topic not in TOPICS:
                continue  # of a later version
            try:
                message = TOPICS[topic].FromString(parts[1])
            except DecodeError:
                continue
            self._count(topic, message.header.session, message.header.sequence)
            return topic, message

    def wait_for(self, topic: str, holds: Callable[[Any], bool] = lambda message: True, timeout_s: float = 60) -> Any:
        """The next message of this topic for which holds(message) is true; raises NoAnswer after timeout_s."""
        deadline = time.monotonic() + timeout_s
        while True:
            got = self.receive(max(0, deadline - time.monotonic()))
            if got is None:
                raise NoAnswer(f"no such {topic} from {self.endpoint} within {timeout_s:g} s")
            if got[0] == topic and holds(got[1]):
                return got[1]

    def __iter__(self) -> Iterator[Tuple[str, Any]]:
        """Every message, until the session ends (if "end" is among the topics)."""
        while True:
            got = self.receive()
            assert got
            yield got
            if got[0] == "end":
                return

    def _count(self, topic: str, session: str, sequence: int) -> None:
        before = self._last.get(topic)
        if before and before[0] == session and sequence > before[1] + 1:
            self.lost += sequence - before[1] - 1
        self._last[topic] = (session, sequence)
