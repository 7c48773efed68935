#!/usr/bin/python3
"""The DP system of dp_law.py on a ship's network alone (docs/ship-network.md): it joins the groups SATD and PROP of IEC 61162-450, knows each device by
the source in its TAG blocks, and sends TRC and ALF to PROP as DP0001:

  docs/examples/dp_450.py [INTERFACE [PORT_OFFSET]]

It is the controller of configs/osv-83m-450.yaml. The feedback of the last thruster ends a sample. INTERFACE is the address of the interface of the
network, 127.0.0.1 by default; PORT_OFFSET is the simulator's nmea.network.port_offset.
"""
import select
import socket
import struct
import sys

import dp_law
import dp_nmea

GROUPS = {"SATD": ("239.192.0.3", 60003), "PROP": ("239.192.0.8", 60008)}
TOKEN, SOURCE = b"UdPbC\0", "DP0001"


def lines(datagram):
    """(source, line count, sentence) of each line of a datagram whose TAG block has a right checksum."""
    for line in datagram[len(TOKEN):].decode("ascii", "replace").splitlines() if datagram.startswith(TOKEN) else []:
        _, tag, sentence = line.split("\\", 2) if line.startswith("\\") and line.count("\\") > 1 else ("", "", "")
        body, _, check = tag.partition("*")
        parameters = dict(p.split(":", 1) for p in body.split(",") if ":" in p)
        if check.upper() == dp_nmea.checked(body) and sentence:
            yield parameters.get("s", ""), int(parameters.get("n", 0)), sentence


class Network(dp_nmea.Nmea):
    def __init__(self, interface, port_offset):
        places = {name: (address, port + port_offset) for name, (address, port) in GROUPS.items()}
        super().__init__([], "%s:%d" % places["PROP"])
        self.count_out = 0
        for place in places.values():
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(place)
            one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack("4s4s", socket.inet_aton(place[0]), socket.inet_aton(interface)))
            self.sockets.append(one)
        self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface))

    def send(self, bodies):
        """One datagram: a line for each sentence, with the source and a line count."""
        text = ""
        for body in bodies:
            self.count_out = self.count_out % 999 + 1
            tag = f"s:{SOURCE},n:{self.count_out}"
            text += f"\\{tag}*{dp_nmea.checked(tag)}\\" + dp_nmea.sentence(body)
        self.out.sendto(TOKEN + text.encode(), self.to)

    def take_from(self, one):
        """True: the feedback of the last thruster was among what has come."""
        ends = False
        for source, _, sentence in lines(one.recv(2000)):
            fields = dp_nmea.fields_of(sentence)
            if fields and source[:2] in ("GP", "HE", "RC"):
                ends |= self.take(int(source[2:]), fields)
        return ends

    def run(self):
        dp = dp_law.Dp()
        while True:
            ready = select.select(self.sockets, [], [])[0]
            # What was measured comes before the feedback of the thrusters.
            if not any([self.take_from(one) for one in self.sockets if one in ready]):
                continue
            while select.select(self.sockets[:1], [], [], 0)[0]:
                self.take_from(self.sockets[0])
            settings, alarms = dp.step(self.samples * dp_law.PERIOD_S, self.gnss, self.gyro, [self.thrusters[i] for i in sorted(self.thrusters)])
            self.answer(settings, alarms)
            self.samples += 1


if __name__ == "__main__":
    Network(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0).run()
