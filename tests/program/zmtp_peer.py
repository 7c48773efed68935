"""A ZMTP peer on a plain socket, without keys or with CURVE (libsodium), which can lie at every place: it sends what a test wants, on
a connection that the other end has admitted. The other end of https://rfc.zeromq.org/spec/37 and 26."""
import ctypes
import ctypes.util
import os
import socket
import struct

import zmq.utils.z85

_sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
_sodium.sodium_init()
MORE, LONG, COMMAND = 1, 2, 4
PATIENCE_S = 60


def _box(plain, nonce, public, secret):
    out = ctypes.create_string_buffer(len(plain) + 16)
    assert _sodium.crypto_box_easy(out, plain, ctypes.c_ulonglong(len(plain)), nonce, public, secret) == 0
    return out.raw


def _open(box, nonce, public, secret):
    out = ctypes.create_string_buffer(len(box) - 16)
    assert _sodium.crypto_box_open_easy(out, box, ctypes.c_ulonglong(len(box)), nonce, public, secret) == 0, "a forged box"
    return out.raw


def _key_pair():
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    _sodium.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


def frame(body, flags=0):
    if len(body) > 255:
        return struct.pack(">BQ", flags | LONG, len(body)) + body
    return struct.pack(">BB", flags, len(body)) + body


def _property(name, value):
    return bytes([len(name)]) + name + struct.pack(">I", len(value)) + value


class ZmtpPeer:
    """keys: server's public key, own public and secret key, as Z85; None: mechanism NULL. With window, the receive buffer is small."""

    def __init__(self, endpoint, kind=b"DEALER", keys=None, routing_id=b"", window=0):
        self.keys = keys and [zmq.utils.z85.decode(key) for key in keys]
        self.number, self.received = 0, b""
        if endpoint.startswith("ipc://"):
            self.socket, address = socket.socket(socket.AF_UNIX), endpoint[6:]
        else:
            self.socket, address = socket.socket(), (endpoint[6:].rsplit(":", 1)[0], int(endpoint.rsplit(":", 1)[1]))
        self.socket.settimeout(PATIENCE_S)
        if window:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.socket.connect(address)
        self.socket.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x01" + (b"CURVE" if keys else b"NULL").ljust(20, b"\0") + bytes(32))
        self.exactly(64)
        properties = _property(b"Socket-Type", kind) + _property(b"Identity", routing_id)
        if keys:
            self.handshake(properties)
        else:
            self.socket.sendall(frame(b"\x05READY" + properties, COMMAND))
            self.next_frame()

    def handshake(self, properties):
        server, public, secret = self.keys
        short, self.short_secret = _key_pair()
        box = _box(bytes(64), b"CurveZMQHELLO---" + self.next_number(), server, self.short_secret)
        self.socket.sendall(frame(b"\x05HELLO\x01\x00" + bytes(72) + short + self.last_number() + box, COMMAND))
        welcome = self.next_frame()[1]
        plain = _open(welcome[24:], b"WELCOME-" + welcome[8:24], server, self.short_secret)
        self.server_short, cookie, random = plain[:32], plain[32:], os.urandom(16)
        vouch = random + _box(short + server, b"VOUCH---" + random, self.server_short, secret)
        box = _box(public + vouch + properties, b"CurveZMQINITIATE" + self.next_number(), self.server_short, self.short_secret)
        self.socket.sendall(frame(b"\x08INITIATE" + cookie + self.last_number() + box, COMMAND))
        ready = self.next_frame()[1]
        assert ready.startswith(b"\x05READY"), ready

    def last_number(self):
        return struct.pack(">Q", self.number)

    def next_number(self):
        self.number += 1
        return self.last_number()

    # --- frames, as they are sent ---
    def message(self, content, more=0):
        """A frame of a message."""
        if not self.keys:
            return frame(content, MORE if more else 0)
        return self._encrypted(bytes([1 if more else 0]) + content)

    def command(self, name, content=b""):
        body = bytes([len(name)]) + name + content
        return self._encrypted(b"\2" + body) if self.keys else frame(body, COMMAND)

    def _encrypted(self, plain):
        box = _box(plain, b"CurveZMQMESSAGEC" + self.next_number(), self.server_short, self.short_secret)
        return frame(b"\x07MESSAGE" + self.last_number() + box)

    # --- the connection ---
    def send(self, data):
        """Returns whether the other end still takes it."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def exactly(self, size):
        while len(self.received) < size:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError
            self.received += more
        out, self.received = self.received[:size], self.received[size:]
        return out

    def next_frame(self):
        flags = self.exactly(1)[0]
        size = struct.unpack(">Q", self.exactly(8))[0] if flags & LONG else self.exactly(1)[0]
        return flags, self.exactly(size)

    def receive(self):
        """The content of the next message; PING is answered."""
        while True:
            flags, body = self.next_frame()
            if self.keys:
                plain = _open(body[16:], b"CurveZMQMESSAGES" + body[8:16], self.server_short, self.short_secret)
                flags, body = (COMMAND if plain[0] & 2 else 0), plain[1:]
            if flags & COMMAND and body.startswith(b"\4PING"):
                self.send(self.command(b"PONG", body[7:]))
            elif not flags & COMMAND:
                return body

    def is_closed(self):
        """Reads until the other end closes."""
        try:
            while self.socket.recv(65536):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends the connection with RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
