"""An operator's orders (docs/scenarios.md, docs/operation.md)."""
import getpass
import time
from typing import Any, Dict, List, Optional

import zmq
from google.protobuf.message import DecodeError

from .connection import Connection
from .errors import NoAnswer, Refused
from .keys import Keys
from .v1.envelope_pb2 import Envelope
from .v1.operator_pb2 import Receipt


class Operator:
    """Sends orders to a simulator's command endpoint.

        with Operator("tcp://127.0.0.1:47700") as operator:
            operator.fault("bias", target="gnss-1", bias=5.0, name="wild")
            operator.order("pause")
    """

    def __init__(self, endpoint: str, name: Optional[str] = None, *, keys: Optional[Keys] = None, timeout_s: float = 5,
                 context: "Optional[zmq.Context]" = None) -> None:
        self.endpoint, self.timeout_s, self._keys, self._sequence = endpoint, timeout_s, keys, 0
        self.name = name if name is not None else _user()
        self._context = context or zmq.Context.instance()
        self._connection: Optional[Connection] = None

    def __enter__(self) -> "Operator":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def order(self, kind: str, fields: Optional[Dict[str, Any]] = None, /, **more: Any) -> Receipt:
        """Sends the order of this kind (a field of Order's oneof: "pause", "setpoint", ...) with its fields, and waits for the
        Receipt. Raises Refused, or NoAnswer after timeout_s; the order may then have been carried out."""
        envelope = Envelope()
        order, options = envelope.order, Envelope.DESCRIPTOR.fields_by_name["order"].message_type.oneofs_by_name["order"].fields
        if kind not in [field.name for field in options]:
            raise ValueError(f"one of {', '.join(field.name for field in options)} expected, not {kind!r}")
        self._sequence += 1
        order.header.protocol, order.header.sequence, order.operator = 1, self._sequence, self.name
        part = getattr(order, kind)
        part.SetInParent()
        part.MergeFrom(type(part)(**(fields or {}), **more))
        return self._exchange(envelope)

    def fault(self, kind: str, target: str = "", *, name: str = "", duration_s: float = 0, **parameters: Any) -> str:
        """Starts a fault; returns its name. parameters: those of this kind, as numbers or names."""
        listed: List[Dict[str, Any]] = [{"name": key, "text" if isinstance(value, str) else "number": value}
                                        for key, value in parameters.items()]
        return self.order("fault", kind=kind, target=target, name=name, duration_s=duration_s, parameter=listed).name

    def clear(self, name: str = "all") -> None:
        """Ends a fault, or all of them."""
        self.order("clear", name=name)

    def stop(self) -> None:
        """Ends the session properly."""
        self.order("stop")

    @staticmethod
    def _send(connection: Connection, order: bytes) -> None:
        try:
            connection.socket.send(order, zmq.NOBLOCK)
        except zmq.Again:
            pass  # the connection has just ended: to wait for it here could be for ever

    def _exchange(self, envelope: Envelope) -> Receipt:
        if self._connection is None:
            self._connection = Connection(zmq.DEALER, self.endpoint, self._keys, lambda socket: None, self._context)
        connection, order = self._connection, envelope.SerializeToString()
        connection.wait(0)  # a connection that has ended meanwhile is replaced
        self._send(connection, order)
        renewals, deadline = connection.renewals, time.monotonic() + self.timeout_s
        while time.monotonic() < deadline:
            if not connection.wait(min(0.1, max(0.0, deadline - time.monotonic()))):
                if connection.renewals != renewals and connection.was_open:
                    break  # nobody knows whether the order was carried out
                if connection.renewals != renewals:  # it has not left
                    renewals = connection.renewals
                    self._send(connection, order)
                continue
            try:
                answer = Envelope.FromString(connection.socket.recv_multipart()[-1])
            except DecodeError:
                continue
            kind = answer.WhichOneof("message")
            if kind == "receipt" and answer.receipt.received_sequence == self._sequence:
                return answer.receipt
            if kind == "refusal" and answer.refusal.refused_sequence in (0, self._sequence):
                raise Refused(answer.refusal.reason, answer.refusal.text)
        silence = connection.silence()
        self.close()  # an answer to this order cannot be taken for that to the next one
        raise NoAnswer(f"no answer from {self.endpoint} within {self.timeout_s:g} s: {silence}")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "python"
