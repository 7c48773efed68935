"""A ZeroMQ socket that connects again by a new socket whenever its connection ends: libzmq connects again by itself, but never after an
encrypted message that was altered on the way (docs/security.md)."""
import struct
import sys
import time
from typing import Callable, Optional

import zmq

from .keys import Keys, set_keys

RENEW_S, RENEW_MOST_S = 0.1, 1.0  # from the end of a connection to the next socket; after failures in a row
HANDSHAKE_MS = 2000
FOLLOW_S = 0.1  # longest wait between two looks at the connection
# Not the event of a protocol error: libzmq loses connections whose messages were altered where somebody watches it.
EVENTS = zmq.EVENT_CONNECTED | zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
LISTENS_S = HANDSHAKE_MS / 1000 + 2 * RENEW_MOST_S  # somebody who listens is connected to at least so often


class Connection:
    """prepare(socket) sets the options of each new socket before it connects. is_open: its handshake has succeeded; was_open: that of the
    socket before. renewals: how often a new socket has taken the place of another; opened: when the present one did, time.monotonic()."""

    def __init__(self, kind: int, endpoint: str, keys: Optional[Keys], prepare: "Callable[[zmq.Socket], None]",
                 context: "Optional[zmq.Context]" = None) -> None:
        self.endpoint, self.renewals = endpoint, -1
        self._kind, self._keys, self._prepare, self._context = kind, keys, prepare, context or zmq.Context.instance()
        self._failures, self.was_open = 0, False
        self._connected = float("-inf")  # when the system last connected, before the handshake
        self._open()

    def _open(self) -> None:
        self.renewals += 1
        self.is_open, self.opened, self._renew_at = False, time.monotonic(), float("inf")
        self.socket: "zmq.Socket" = self._context.socket(self._kind)
        self.socket.linger, self.socket.reconnect_ivl, self.socket.handshake_ivl = 0, 100, HANDSHAKE_MS
        self.socket.tcp_keepalive, self.socket.tcp_keepalive_idle = 1, 5
        self.socket.tcp_keepalive_intvl, self.socket.tcp_keepalive_cnt = 5, 3
        self._prepare(self.socket)
        set_keys(self.socket, self._keys)
        self._monitor: "zmq.Socket" = self.socket.get_monitor_socket(EVENTS)
        self.socket.connect(self.endpoint)

    def close(self) -> None:
        self.socket.disable_monitor()
        self._monitor.close(linger=0)
        self.socket.close(linger=0)

    def __del__(self) -> None:
        """One that is forgotten closes in the same order: libzmq's thread would wait for ever to hand an event to a monitor that has
        gone before its socket, and with it all sockets of the context."""
        if hasattr(self, "_monitor") and not self.socket.closed and not sys.is_finalizing():
            self.close()

    def renew(self) -> None:
        """A new socket takes the place of this one with the next wait: the connection is open and silent."""
        self._renew_at = time.monotonic()

    def silence(self) -> str:
        """Why nothing comes, as far as this end knows, and what to check: for people."""
        if self.is_open:
            return "it is connected, and says nothing. Is the simulator suspended?"
        if time.monotonic() - self._connected > LISTENS_S:
            return "nothing listens there. Is the simulator running, and is this the endpoint of its line 'commands at'?"
        if not self._keys:
            return ("something listens there, and the handshake fails. Does the simulator require keys, and is this the endpoint of its "
                    "line 'commands at', not 'telemetry at'?")
        return (f"something listens there, and the handshake fails. Is the server key its public key, does it use keys, does it admit "
                f"the key {self._keys.name}, and is this the endpoint of its line 'commands at', not 'telemetry at'?")

    def wait(self, timeout_s: float) -> bool:
        """Waits for a message and follows the connection. Returns whether one has come; call it again otherwise."""
        deadline = time.monotonic() + timeout_s
        while True:
            left_s = max(0.0, min(deadline - time.monotonic(), FOLLOW_S))
            if self.socket.poll(int(1000 * left_s + 0.999)):  # what has come is taken before the socket is renewed
                return True
            self._follow()
            if time.monotonic() >= deadline:
                return False

    def _follow(self) -> None:
        while self._monitor.poll(0):
            event, = struct.unpack_from("=H", self._monitor.recv_multipart()[0])  # zmq.utils.monitor would import asyncio, longer than all else
            if event == zmq.EVENT_CONNECTED:
                self._connected = time.monotonic()
            elif event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.is_open, self._failures = True, 0
            elif event == zmq.EVENT_DISCONNECTED and self._renew_at == float("inf"):
                self._renew_at = time.monotonic() + min(RENEW_S * 2 ** min(self._failures, 10), RENEW_MOST_S)
                self._failures = 0 if self.is_open else self._failures + 1
        if time.monotonic() >= self._renew_at:
            self.close()
            self.was_open = self.is_open
            self._open()
