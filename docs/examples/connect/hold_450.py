#!/usr/bin/python3
"""Holds the 83 m vessel where it starts, in groups of a ship's network (IEC 61162-450, docs/connect.md): reads SATD and PROP, sends TRC to PROP as DP0001.
  hold_450.py [INTERFACE]     the address of one interface of this machine; 127.0.0.1 by default"""
import select, socket, sys
import hold_nmea  # the same law: beside this file

SATD, PROP = ("239.192.0.3", 60003), ("239.192.0.8", 60008)
TOKEN, OWN, READ = b"UdPbC\0", "DP0001", ("GP0001", "HE0001", "RC0001")  # receiver, gyro and thrusters that are read: others are passed over
INTERFACE = socket.inet_aton(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1")


def member(group):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # several programs may read a group
    one.bind(group)
    one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group[0]) + INTERFACE)
    return one


def sentences(sockets):
    """Those of the sources of READ. What was measured (SATD) comes before the feedback of the thrusters (PROP), which ends a sample."""
    while True:
        ready = select.select(sockets, [], [])[0]
        datagram = next(one for one in sockets if one in ready).recv(2000)
        for line in datagram[len(TOKEN):].split(b"\r\n") if datagram.startswith(TOKEN) else []:
            _, tag, sentence = line.split(b"\\", 2) if line.count(b"\\") == 2 else (b"", b"", b"")
            body, _, check = tag.decode("ascii", "replace").partition("*")  # s:GP0001,n:23
            if check == hold_nmea.checksum(body) and any("s:" + source in body.split(",") for source in READ):
                yield sentence


out, count = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0
out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, INTERFACE)


def send(data):
    """One datagram: a line for each sentence, with the source and a line count of 1 to 999. Together they are one command."""
    global count
    datagram = TOKEN
    for sentence in data.splitlines(True):
        count = count % 999 + 1
        tag = f"s:{OWN},n:{count}"
        datagram += f"\\{tag}*{hold_nmea.checksum(tag)}\\".encode() + sentence
    out.sendto(datagram, PROP)


hold_nmea.hold(sentences([member(SATD), member(PROP)]), send)
