"""Common functions of the NMEA tests: a writer of sentences (nmea_say.c) and the receiving ends of its links."""
import socket

from harness import *

SAY = os.path.join(BUILD, "tests/program/nmea_say")


def near(got, wanted, tolerance, what, line):
    check(abs(float(got) - wanted) <= tolerance, f"{what}: {got} for {wanted}", line)


def say(how, where, origin, start, readings, receive, *talker):
    lines = [f"{origin[0]!r} {origin[1]!r} {start}"]
    lines += [" ".join([kind, "1", repr(time), *map(repr, value[:6])]) for kind, time, value in readings]
    process = subprocess.Popen([SAY, how, where, *talker], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.close()
    got = receive(process)
    check(process.wait(60) == 0, "nmea_say failed", process.stderr.read())
    return got


def from_udp(listener):
    def receive(process):
        got = []
        listener.settimeout(0.5)
        while True:
            ended = process.poll() is not None  # checked before reading, so that the read below gets everything
            try:
                got.append(listener.recv(4096).decode("ascii"))
            except socket.timeout:
                if ended:
                    return got

    return receive


def from_pty(master):
    def receive(process):
        os.set_blocking(master, False)
        text = b""
        while True:
            ended = process.poll() is not None
            try:
                text += os.read(master, 4096)
            except BlockingIOError:
                if ended:
                    return [line + "\r\n" for line in text.decode("ascii").split("\r\n")[:-1]]

    return receive
