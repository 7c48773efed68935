"""What the tests of a ship's network share: a member of a group as any program may be, and a reader of datagrams written from the public facts alone."""
import socket
import struct
import threading

from harness import *

GROUPS = {name: ("239.192.0.%d" % (i + 1), 60001 + i) for i, name in enumerate("MISC TGTD SATD NAVD VDRD RCOM TIME PROP".split())}
SO_RXQ_OVFL = 40  # of Linux, which Python does not name


def xor(text):
    result = 0
    for c in text.encode():
        result ^= c
    return "%02X" % result


def sentence(body):
    return f"${body}*{xor(body)}\r\n"


def line(parameters, body):
    return f"\\{parameters}*{xor(parameters)}\\{sentence(body)}".encode()


class Group:
    """A member of a group, as any program on the ship's network."""

    def __init__(self, name, interface="127.0.0.1"):
        self.place = GROUPS[name]
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.place)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack("4s4s", socket.inet_aton(self.place[0]), socket.inet_aton(interface)))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface))

    def collect(self):
        """Collects from now on, in a thread; what found no room in the socket is counted as the kernel has it."""
        self.datagrams, self.without_room, self.is_ended = [], 0, False
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RXQ_OVFL, 1)
        self.socket.settimeout(0.1)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                data, beside, _, _ = self.socket.recvmsg(4096, 64)
            except TimeoutError:
                if self.is_ended:
                    return
                continue
            self.datagrams.append(data)
            for level, kind, value in beside:
                if (level, kind) == (socket.SOL_SOCKET, SO_RXQ_OVFL):
                    self.without_room = struct.unpack("I", value)[0]

    def collected(self):
        """What has come until now, and how much found no room."""
        self.is_ended = True
        self.thread.join()
        return self.datagrams, self.without_room

    def all(self):
        """Every datagram that has come."""
        self.socket.setblocking(False)
        got = []
        try:
            while True:
                got.append(self.socket.recv(4096))
        except BlockingIOError:
            return got

    def with_addresses(self):
        """Every datagram that has come, with the address of its sender."""
        self.socket.setblocking(False)
        got = []
        try:
            while True:
                data, (address, _) = self.socket.recvfrom(4096)
                got.append((data, address))
        except BlockingIOError:
            return got

    def send(self, data):
        self.out.sendto(data, self.place)


def parsed(datagram):
    """(parameters, sentence) of a datagram of one line, which must be as the public facts have it."""
    check(datagram[:6] == b"UdPbC\0" and datagram.endswith(b"\r\n") and len(datagram) <= 1472, "token and end", datagram)
    match = re.fullmatch(r"\\([^\\*]*)\*([0-9A-F]{2})\\(\$([^*]*)\*([0-9A-F]{2}))\r\n", datagram[6:].decode("ascii"))
    check(match, "one TAG block and one sentence", datagram)
    body, tag_sum, whole, inner, sentence_sum = match.groups()
    check(xor(body) == tag_sum and xor(inner) == sentence_sum, "both checksums", datagram)
    check(len(body) + 5 <= 80 and len(whole) <= 80, "lengths", datagram)
    return dict(p.split(":", 1) for p in body.split(",")), inner


def counted(datagrams, without_room):
    """The sentences by their sources, whose line counts go on by one from 1 to 999, but for those that found no room in the test's own socket."""
    newest, by_source, missing = {}, {}, 0
    for parameters, inner in map(parsed, datagrams):
        check(re.fullmatch("[A-Z]{2}[0-9]{4}", parameters["s"]), "a source", parameters)
        n = int(parameters["n"])
        before = newest.get(parameters["s"], n - 1)
        check(1 <= n <= 999, "a line count", parameters)
        missing += (n - before - 1) % 999
        check(missing <= without_room, "line counts go on", parameters, before, without_room)
        newest[parameters["s"]] = n
        by_source.setdefault(parameters["s"], []).append((parameters, inner))
    return by_source


def trc(parameters, number, rpm):
    return line(parameters, f"IITRC,{number},{rpm},R,,,,B,C")
