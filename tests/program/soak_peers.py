"""A Modbus master and a watch of a program's memory, for long sessions: program_soak and tools/hour."""
import contextlib
import os
import re
import socket
import struct
import threading
import time


class Master(threading.Thread):
    """A Modbus master: a read of its feedback 50 times a second; with the address of a set-point also a write of it."""

    def __init__(self, port, address=None):
        super().__init__(daemon=True)
        self.link, self.address, self.polls, self.wrong, self.stop = socket.create_connection(("127.0.0.1", port), 60), address, 0, [], False
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request, size):
        self.link.sendall(request)
        answer = b""
        while len(answer) < size and (piece := self.link.recv(size - len(answer))):
            answer += piece
        if len(answer) != size or answer[:2] != request[:2] or answer[7] != request[7]:
            self.wrong.append(answer)

    def run(self):
        begin = time.monotonic()
        while not self.stop and not self.wrong:
            number, rpm = self.polls % 65536, 20.0 + self.polls % 50
            self.ask(struct.pack(">HHHBBHH", number, 0, 6, 1, 4, 0, 30), 69)
            if self.address is not None:
                self.ask(struct.pack(">HHHBBHHBf", number, 0, 11, 1, 16, self.address, 2, 4, rpm), 12)
            self.polls += 1
            time.sleep(max(0, begin + 0.02 * self.polls - time.monotonic()))


class Watch(threading.Thread):
    """Memory in MiB and descriptors of a process (subprocess.Popen), from time to time until it ends."""

    def __init__(self, process, period_s):
        super().__init__(daemon=True)
        self.process, self.period_s, self.memory, self.files = process, period_s, [], []

    def run(self):
        with contextlib.suppress(OSError, AttributeError):
            while self.process.poll() is None:
                with open(f"/proc/{self.process.pid}/status") as status:
                    self.memory.append(int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024)
                self.files.append(len(os.listdir(f"/proc/{self.process.pid}/fd")))
                time.sleep(self.period_s)
