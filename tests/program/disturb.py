"""Disturbances for resilience_test.py: a network that delays, loses or cuts, a wall clock that jumps, crowds of connections."""
import asyncio
import os
import random
import re
import socket
import struct
import subprocess
import threading
import time

HEADER_ONLY = b"\xff\0\0\0\0\0\0\0\1\x7f"  # how a ZeroMQ greeting begins


def address(endpoint):
    host, port = re.match(r"tcp://(.*):(\d+)", endpoint).groups()
    return host, int(port)


class Forwarder:
    """Accepts TCP connections for an endpoint, on a thread of its own; join, of a subclass, forwards each."""

    def __init__(self, endpoint):
        self.target = address(endpoint)
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self.run, args=[started], daemon=True).start()
        started.wait()

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.join, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self.endpoint = f"tcp://127.0.0.1:{self.port}"
        started.set()
        self.loop.run_forever()


class Proxy(Forwarder):
    """Forwards TCP connections to an endpoint. delay_s holds each piece back; a piece is lost with probability loss, which a
    TCP connection feels as a retransmission 0.2 s later; cut forwards nothing and closes nothing, like a pulled cable; drop() ends
    all connections with a reset."""

    def __init__(self, endpoint):
        self.delay_s, self.loss, self.cut = 0, 0, False
        self.random, self.writers = random.Random(1), []
        super().__init__(endpoint)

    def drop(self):
        for writer in self.writers:
            self.loop.call_soon_threadsafe(writer.transport.abort)

    async def join(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.close()
            return
        self.writers += writer, other_writer
        await asyncio.gather(self.forward(reader, other_writer), self.forward(other_reader, writer))

    async def forward(self, reader, writer):
        try:
            while piece := await reader.read(65536):
                while self.cut:
                    await asyncio.sleep(0.02)
                lost = self.random.random() < self.loss
                if self.delay_s or lost:
                    await asyncio.sleep(self.delay_s * self.random.uniform(0.5, 1.5) + (0.2 if lost else 0))
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        writer.close()


def netem_is_permitted():
    """Whether this machine can delay and lose packets in a network namespace of its own."""
    script = "ip link set lo up && tc qdisc add dev lo root netem delay 1ms"
    return subprocess.run(["unshare", "--net", "sh", "-c", script], capture_output=True).returncode == 0


class Crowd:
    """Connects to an endpoint a hundred times a second. Each connection speaks no, half or wrong ZeroMQ, and leaves at once or
    with a reset."""

    def __init__(self, endpoints, per_second=100):
        self.targets, self.interval = [address(e) for e in endpoints], 1 / per_second
        self.made = self.refused = 0

    def run(self, seconds, least):
        """For so long, and until so many connections were made, which a busy machine needs longer for."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds or self.made < least:
            if time.monotonic() - begin > seconds + 60:
                raise OSError(f"{self.made} connections were made, {self.refused} refused")
            try:
                with socket.create_connection(self.targets[self.made % len(self.targets)], timeout=5) as s:
                    self.made += 1
                    if self.made % 3 == 1:
                        s.send(HEADER_ONLY)
                    if self.made % 3 == 2:
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                self.refused += 1
            time.sleep(max(0, begin + (self.made + self.refused) * self.interval - time.monotonic()))


def half_open(endpoints, count):
    """Connections that never say anything, or stop within the greeting."""
    sockets = []
    for i in range(count):
        s = socket.create_connection(address(endpoints[i % len(endpoints)]), timeout=5)
        if i % 2:
            s.send(HEADER_ONLY)
        sockets.append(s)
    return sockets


NOT_ZEROMQ = [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
              b"\0\1\0\0\0\6\1\3\0\0\0\1", b"\xff" * 5000, b"$HEHDT,1.0,T*1B\r\n" * 100]


def speak_other_protocols(endpoints, seconds):
    """Returns the number of connections on which something else than ZeroMQ was said."""
    begin, spoken = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        for text in NOT_ZEROMQ + [random.Random(spoken).randbytes(3000)]:
            for endpoint in endpoints:
                try:
                    with socket.create_connection(address(endpoint), timeout=5) as s:
                        s.sendall(text)
                        spoken += 1
                except OSError:
                    pass
                time.sleep(0.005)
    return spoken


class Clocks:
    """The environment of a program whose clocks jump (jumping_clock.c)."""

    def __init__(self, library, file):
        with open(file, "wb") as f:
            f.write(bytes(16))
        self.file = open(file, "r+b", buffering=0)
        self.environment = {"LD_PRELOAD": library, "SAGBEND_TEST_CLOCK": file}

    def jump(self, wall_s, monotonic_s=0):
        """Seconds beside the true time: of the wall clock, and of the monotonic clock, which never goes back."""
        self.file.seek(0)
        self.file.write(struct.pack("=qq", wall_s, monotonic_s))
