"""A client of sagbend-view: HTTP and WebSocket (RFC 6455) with nothing but sockets, so that tests can also break the rules."""
import base64
import json
import os
import queue
import socket
import struct
import threading

SDK, WEBSOCKET = "foxglove.sdk.v1", "foxglove.websocket.v1"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def http(port, request, timeout_s=60):
    """Sends the bytes of a request and returns (status, head, body)."""
    with socket.create_connection(("127.0.0.1", port), timeout_s) as s:
        s.sendall(request)
        data = b""
        while piece := s.recv(65536):
            data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), head.decode(), body


def get(port, path="/", host=None, method="GET", fields=()):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", *fields, "", ""]
    return http(port, "\r\n".join(lines).encode())


def handshake(port, protocols=SDK, host=None, path="/?sagbend", fields=(), version="13", key=None, method="GET"):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket",
             "Connection: keep-alive, Upgrade", f"Sec-WebSocket-Version: {version}",
             f"Sec-WebSocket-Key: {key or base64.b64encode(os.urandom(16)).decode()}"]
    if protocols:
        lines.append(f"Sec-WebSocket-Protocol: {protocols}")
    return "\r\n".join([*lines, *fields, "", ""]).encode()


class Client:
    """A WebSocket. A thread reads, answers pings and keeps the frames for next(); with reads=False nothing is read after the handshake
    but by frame()."""

    def __init__(self, port, protocols=SDK, timeout_s=120, receive_buffer=None, reads=True, answers_pings=True, fields=()):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout_s)
        self.socket.connect(("127.0.0.1", port))
        self.answers_pings, self.data, self.code = answers_pings, b"", None
        self.frames, self.timeout_s = queue.Queue(), timeout_s
        self.socket.sendall(handshake(port, protocols, fields=fields))
        while b"\r\n\r\n" not in self.data:
            self._more()
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        self.head = head.decode()
        self.status = int(self.head.split(" ")[1])
        self.protocol = next((line.split(": ")[1] for line in self.head.split("\r\n")
                              if line.lower().startswith("sec-websocket-protocol")), None)
        self.info = self.channels = None
        if reads:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            self.socket.settimeout(None)
            while True:
                self.frames.put(self.frame())
        except (OSError, struct.error):
            self.frames.put((None, b""))

    def _more(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise ConnectionError("closed")
        self.data += piece

    def _take(self, count):
        while len(self.data) < count:
            self._more()
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def frame(self):
        """The next frame as (opcode, payload); pieces of a message are joined."""
        whole, kind = b"", None
        while True:
            first, second = self._take(2)
            size = second & 127
            if size > 125:
                size = struct.unpack(">H" if size == 126 else ">Q", self._take(2 if size == 126 else 8))[0]
            payload, opcode = self._take(size), first & 15
            if opcode == PING and self.answers_pings:
                self.send(payload, PONG)
            if opcode == CLOSE:
                self.code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None
            if opcode >= 8:
                return opcode, payload
            kind = opcode or kind
            whole += payload
            if first & 128:
                return kind, whole

    def send(self, payload, opcode=TEXT, final=True, masked=True):
        size = len(payload)
        head = bytes([opcode | (128 if final else 0)])
        flag = 128 if masked else 0
        if size < 126:
            head += bytes([flag | size])
        elif size < 65536:
            head += bytes([flag | 126]) + struct.pack(">H", size)
        else:
            head += bytes([flag | 127]) + struct.pack(">Q", size)
        mask = os.urandom(4) if masked else b""
        if masked:
            pattern = (mask * (size // 4 + 1))[:size]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + payload)

    def ask(self, **operation):
        self.send(json.dumps(operation).encode())

    def greet(self):
        """Waits for serverInfo and the channels: topic -> channel."""
        self.info = self.op("serverInfo")
        self.channels = {c["topic"]: c for c in self.op("advertise")["channels"]}
        return self

    def subscribe(self, *topics):
        """Subscription ids are the channels' ids and 1000."""
        self.ask(op="subscribe", subscriptions=[{"id": 1000 + self.channels[t]["id"], "channelId": self.channels[t]["id"]}
                                                for t in topics])

    def next(self):
        """The next message: ("text", object), ("message", topic, time_ns, bytes), ("time", time_ns) or ("close", code)."""
        names = {1000 + c["id"]: t for t, c in (self.channels or {}).items()}
        while True:
            opcode, payload = self.frames.get(timeout=self.timeout_s)
            if opcode is None:
                self.frames.put((None, b""))
                raise ConnectionError("closed")
            if opcode == TEXT:
                return "text", json.loads(payload)
            if opcode == BINARY and payload[0] == 1:
                subscription, time_ns = struct.unpack_from("<IQ", payload, 1)
                return "message", names.get(subscription, subscription), time_ns, payload[13:]
            if opcode == BINARY and payload[0] == 2:
                return "time", struct.unpack_from("<Q", payload, 1)[0]
            if opcode == CLOSE:
                return "close", self.code

    def op(self, *names):
        """The next text message with one of these operations; others are passed over."""
        while True:
            message = self.next()
            if message[0] == "text" and message[1]["op"] in names:
                return message[1]
            if message[0] == "close":
                raise ConnectionError(f"closed with {message[1]} instead of {names}")

    def message(self, topic=None):
        """The next message of a channel."""
        while True:
            message = self.next()
            if message[0] == "message" and topic in (None, message[1]):
                return message
            if message[0] == "close":
                raise ConnectionError(f"closed with {message[1]} instead of {topic}")

    def wait_close(self):
        """The code with which the server closes; None: without one."""
        try:
            while self.next()[0] != "close":
                pass
            self.send(struct.pack(">H", self.code or 1000), CLOSE)
        except (ConnectionError, OSError):
            pass
        return self.code

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # also ends the thread's reading
        except OSError:
            pass
        self.socket.close()
