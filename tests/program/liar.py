"""A network that lies: a proxy for TCP and one for UDP that flip, drop, repeat, reorder, cut and delay what passes, in both
directions. What becomes of a connection follows from the seed and the number of the connection alone, so that a seed repeats it."""
import asyncio
import random
import socket
import struct

from disturb import Forwarder, address

KINDS = ["flip", "drop", "repeat", "reorder", "cut", "reset", "delay", "invent"]


def plan(seed, number, direction):
    """The lies of one direction of a connection: (offset, kind, size, value), by offset. Offsets are spread evenly over their
    orders of magnitude: greeting, handshake and what follows are hit alike."""
    r = random.Random(f"{seed} {number} {direction}")
    lies = [(int(10 ** r.uniform(0, 4.5)), r.choice(KINDS), int(10 ** r.uniform(0, 2)), r.random()) for _ in range(r.randint(0, 2))]
    if lies and r.random() < 0.5:  # what stops a reader, and then the end of the connection
        lies.append((lies[0][0] + r.randint(1, 400), r.choice(["cut", "reset"]), 1, 0))
    return sorted(lies)


def invented(size, value):
    return random.Random(value).randbytes(size)


class Direction:
    """Applies the lies of a plan to a stream. take() returns what to do in turn: ("send", bytes), ("wait", s) or ("end", is_reset)."""

    def __init__(self, lies):
        self.lies, self.at, self.held, self.done = list(lies), 0, b"", []

    def take(self, piece):
        data, out = self.held + piece, []
        self.held = b""
        while data:
            if not self.lies or self.lies[0][0] >= self.at + len(data):
                out.append(("send", data))
                self.at += len(data)
                break
            offset, kind, size, value = self.lies[0]
            before = max(0, offset - self.at)
            needed = {"drop": size, "repeat": size, "reorder": 2 * size, "flip": 1}.get(kind, 0)
            if len(data) < before + needed:  # until there is enough of it
                self.held = data
                break
            if before:
                out.append(("send", data[:before]))
            data, self.at = data[before:], self.at + before
            self.lies.pop(0)
            self.done.append(kind)
            self.at += needed
            if kind in ("cut", "reset"):
                return out + [("end", kind == "reset")]
            if kind == "delay":
                out.append(("wait", 10 ** (3 * value - 2.5)))  # 3 ms to 3 s
            else:
                out.append(("send", {"flip": lambda: bytes([data[0] ^ 1 << int(8 * value)]), "drop": lambda: b"",
                                     "repeat": lambda: data[:size] * 2, "reorder": lambda: data[size:needed] + data[:size],
                                     "invent": lambda: invented(size, value)}[kind]()))
            data = data[needed:]
        return out


class Liar(Forwarder):
    """Forwards TCP connections to an endpoint, and lies. With honest set it forwards what comes. counts: lies by kind."""

    def __init__(self, endpoint, seed):
        self.seed = seed
        self.connections, self.counts, self.honest = 0, dict.fromkeys(KINDS, 0), False
        super().__init__(endpoint)

    async def join(self, reader, writer):
        number, self.connections = self.connections, self.connections + 1
        try:
            other_reader, other_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.transport.abort()
            return
        ends = [writer, other_writer]
        await asyncio.gather(self.forward(number, "up", reader, other_writer, ends), self.forward(number, "down", other_reader, writer, ends))

    async def forward(self, number, name, reader, writer, ends):
        direction = Direction([] if self.honest else plan(self.seed, number, name))
        try:
            while piece := await reader.read(65536):
                for what, value in direction.take(piece):
                    if what == "send":
                        writer.write(value)
                        await writer.drain()
                    elif what == "wait":
                        await asyncio.sleep(value)
                    else:
                        self.end(ends, value)
        except OSError:
            pass
        for kind in direction.done:
            self.counts[kind] += 1
        writer.close()

    def end(self, ends, is_reset):
        for writer in ends:
            if is_reset and not writer.transport.is_closing():
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            else:
                writer.close()


class LyingDatagrams:
    """The same for UDP: every other datagram is flipped, dropped, repeated, cut short or sent after the next one."""

    def __init__(self, port, seed):
        self.target, self.random, self.counts, self.held = ("127.0.0.1", port), random.Random(f"{seed} udp"), 0, None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, datagram):
        data, r = bytearray(datagram), self.random
        if r.random() < 0.5:
            self.counts += 1
            lie = r.choice(["flip", "drop", "repeat", "reorder", "cut"])
            if lie == "flip":
                data[r.randrange(len(data))] ^= 1 << r.randrange(8)
            elif lie == "cut":
                del data[r.randrange(len(data)):]
            elif lie == "repeat":
                self.socket.sendto(data, self.target)
            elif lie == "reorder":
                self.held, data = data, self.held
            else:
                return
        if data:
            self.socket.sendto(data, self.target)
