"""Thruster commands as TRC sentences over UDP and a pseudo-terminal: they pass the gate of all commands, wrong ones are refused and
counted by their reason, and the session replays bit by bit."""
import math
import pty
import socket
import tty

import pynmea2

from harness import *

VESSEL_83M = os.path.join(SOURCE, "configs/vessels/osv-83m.yaml")


def sentence(fields, address="IITRC"):
    body = f"{address},{fields}"
    return f"${body}*{pynmea2.NMEASentence.checksum(body):02X}"


def case(text):
    with open(path("nmea-input.yaml"), "w") as file:
        file.write(f"extends: {VESSEL_83M}\nname: nmea-input\nnetwork: {{timing_period_s: 0.1}}\n{text}")
    return path("nmea-input.yaml")


def check_configuration():
    for keys, expected in (("udp: 0.0.0.0:10120", "an address of this machine only, or senders, expected"),
                           ("udp: localhost:10120", "HOST:PORT with a numeric IPv4 address"), ("baud: 4800", "udp"),
                           ("{udp: 127.0.0.1:*, serial: /dev/ttyS0}", "udp"), ("{udp: 127.0.0.1:*, senders: here}", "IPv4 addresses"),
                           ("{udp: 127.0.0.1:*, baud: 5000}", "4800, 9600")):
        status, _, err = run("check", case(f"nmea:\n  inputs:\n    - {keys}\n"))
        check(status == 2 and expected in err and "nmea-input.yaml:6:" in err, f"{keys}: {expected}", err)
    status, _, err = run("run", case("nmea:\n  inputs:\n    - serial: /dev/no-such-device\n"), *ANY_PORT)
    check(status != 0 and "NMEA input /dev/no-such-device" in err, "a device that does not exist", err)


WRONG = [  # reason, bytes
    ("form", "TRC without a dollar"), ("form", "$IITRC,1,1,R,,,,B,C"), ("form", "$*00"), ("length", sentence("1,50,R,,,," + "0" * 70)),
    ("checksum", sentence("1,50,R,,,,B,C")[:-2] + "00"), ("formatter", sentence("1,50,R,,,,B,C", "IITRD")), ("formatter", sentence("A", "GPGLL")),
    ("fields", sentence("1,50,R,,,,B")), ("fields", sentence("1,50,R,,,,B,C,")), ("fields", sentence("1,nan,R,,,,B,C")), ("fields", sentence("1,5e1,R,,,,B,C")),
    ("fields", sentence("1,50,X,,,,B,C")), ("fields", sentence("1,50,,,,,B,C")), ("fields", sentence("1,,R,,,,B,C")), ("fields", sentence("one,50,R,,,,B,C")),
    ("fields", sentence("3,50,R,,,361,B,C")), ("fields", sentence("3,50,R,,,-1,B,C")), ("fields", sentence("1,50,R,10,D,,B,C")),
    ("fields", sentence("1,50,R,,,,X,C")), ("fields", sentence("1,50,R,,,,B,")), ("fields", sentence("1,50,R,,,,B,A")),
    ("status", sentence("1,50,R,,,,B,R")), ("thruster", sentence("0,50,R,,,,B,C")), ("thruster", sentence("5,50,R,,,,B,C")),
    ("gate", sentence("1,140.1,R,,,,B,C")), ("gate", sentence("1,-100.1,P,,,,B,C")),
]


def check_udp():
    log = path("trc.mcap")
    simulator = Simulator(case("nmea:\n  inputs:\n    - udp: 127.0.0.1:*\n"), "--duration", "0", "--log", log, "--overwrite", "--summary", path("trc.json"))
    port = int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1))
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("127.0.0.1", 0))
    to = ("127.0.0.1", port)

    def timing(holds):
        return simulator.wait_for_telemetry("timing", holds)

    wrong = 0
    for _, text in WRONG:  # one at a time, so that none is lost
        link.sendto(text.encode() + b"\r\n", to)
        wrong += 1
    link.sendto(b"\0\xff\n" + sentence("1,50,R,,,,B,C")[:20].encode(), to)
    wrong += 2
    timing(lambda m: m.nmea_refused >= wrong)
    check(timing(lambda m: True).commands_from_buses == 0, "nothing wrong became a command")

    time.sleep(1.1)  # events of peers are limited in number in each second of the clock
    # One datagram with a sentence for each thruster: revolutions in rpm and percent, azimuths, a demand that keeps its value.
    whole = [sentence("1,-45.5,R,,,,B,C"), sentence("2,25,P,,,,B,C", "RCTRC"), sentence("3,60,R,,V,330,,C"), sentence("4,30,R,,,90,E,C")]
    until(lambda: link.sendto("\r\n".join(whole).encode(), to) and abs(truth(simulator)[0].revolutions_rpm + 45.5) < 1, "the thrusters do not follow")
    until(lambda: link.sendto("\r\n".join(whole).encode(), to) and abs(abs(math.degrees(truth(simulator)[3].azimuth_rad) - 90) - 16.7) < 0.1, "90 degrees lies in a forbidden zone")
    until(lambda: link.sendto("\r\n".join(whole).encode(), to) and abs(math.degrees(truth(simulator)[2].azimuth_rad) + 30) < 0.1, "330 degrees")
    thrusters = truth(simulator)
    check(abs(thrusters[1].revolutions_rpm - 35) < 1, "25 % of 140 rpm", thrusters[1])
    keep = sentence("1,,V,,,,B,C")
    before = timing(lambda m: True).commands_from_buses
    until(lambda: link.sendto(keep.encode(), to) and timing(lambda m: True).commands_from_buses > before, "a sentence without demands is a sign of life")
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())
    summary = load("trc.json")
    reasons = summary["field_buses"]["nmea_refused_by_reason"]
    wanted = {reason: sum(r == reason for r, _ in WRONG) for reason, _ in WRONG}
    wanted["form"] += 2
    check({k: v for k, v in reasons.items() if v} == wanted, "refused by reason", reasons, wanted)
    check(summary["commands"]["accepted"] == summary["field_buses"]["commands"] > 0, "commands", summary["commands"])
    check(summary["commands"]["refused_by_reason"]["range"] == 2, "out of range", summary["commands"])
    events = run("log", "cat", log, "--topic", "event")[1]
    check("nmea:127.0.0.1 (number 1) is in command" in events and "refused_nmea_checksum" in events, "events", events)
    commands = [json.loads(line)["message"] for line in run("log", "cat", log, "--topic", "command")[1].splitlines()]
    used = commands[0]["thrusters"]["thruster"]
    check([t["name"] for t in used] == ["bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"], "one command for a datagram", used)
    status, out, err = run("replay", log, "--verify")
    check(status == 0, "the session does not replay", out, err)


def check_many_senders():
    """Garbage takes no place and hides no change of command from the events; valid sentences of more hosts than have a place do not
    displace the sender in command."""
    log = path("many.mcap")
    simulator = Simulator(case("nmea:\n  inputs:\n    - udp: 127.0.0.1:*\n"), "--mode", "lockstep", "--duration", "0.2", "--summary", path("many.json"), "--log", log, "--overwrite")
    port = int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1))

    def send(host, text):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            link.bind((f"127.0.0.{host}", 0))
            return link.sendto(text.encode(), ("127.0.0.1", port))

    command = sentence("1,60,R,,,,B,C")
    for host in range(2, 22):
        send(host, "x")
    for host in (1, *range(22, 42)):
        send(host, command)
    until(lambda: send(1, command) and simulator.process.poll() is not None, "the sender in command is refused", simulator.stderr())
    check(simulator.end() == 0, "the session", simulator.stderr())
    summary = load("many.json")
    reasons, commands = summary["field_buses"]["nmea_refused_by_reason"], summary["commands"]
    check(reasons["form"] == 20 and commands["accepted"] == 2 and commands["refused_by_reason"]["not_controller"] == 20, "refused by reason", reasons, commands)
    check(commands["controllers_made_way"] == 5, "displaced senders are counted", commands)
    check(commands["changes_of_command"] == 1, "changes of command are counted", commands)
    events = run("log", "cat", log, "--topic", "event")[1]
    check("nmea:127.0.0.1 (number 1) is in command" in events and "nmea:127.0.0.1 (number 1) has gone" not in events, "who is in command", events)


def truth(simulator):
    return simulator.wait_for_telemetry("truth", lambda m: True).thruster


def check_serial():
    """A line that takes a sentence in pieces; a line that goes away leaves no master behind."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    simulator = Simulator(case(f"nmea:\n  inputs:\n    - serial: {os.ttyname(slave)}\n      baud: 115200\n"), "--duration", "0", "--summary", path("serial.json"))
    simulator.wait_for("NMEA commands at /dev/")
    text = ("noise" * 60 + "\r\n" + sentence("1,70,R,,,,B,C") + "\r\n").encode()
    for i in range(0, len(text), 7):
        os.write(master, text[i:i + 7])
    until(lambda: os.write(master, (sentence("1,70,R,,,,B,C") + "\n").encode()) and abs(truth(simulator)[0].revolutions_rpm - 70) < 1, "no thrust by the line")
    events = zmq.Context.instance().socket(zmq.SUB)
    events.subscribe("event")
    events.connect(simulator.telemetry)
    time.sleep(0.2)  # without the subscription the test below fails
    os.close(slave)
    os.close(master)
    until(lambda: events.poll(100) and b"nmea_failed" in events.recv_multipart()[1], "a line that goes away", simulator.stderr())
    events.close(linger=0)
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())
    buses = load("serial.json")["field_buses"]
    check(buses["nmea_refused_by_reason"]["length"] == 1 and buses["commands"] > 0, "the line", buses)


def check_lockstep():
    """In lockstep a datagram answers a step."""
    simulator = Simulator(case("nmea:\n  inputs:\n    - udp: 127.0.0.1:*\n"), "--mode", "lockstep", "--duration", "2", "--summary", path("lock.json"))
    port = int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1))
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    data = "\r\n".join(sentence(f"{i},20,R,,,,B,C") for i in (1, 2, 3, 4)).encode()
    until(lambda: link.sendto(data, ("127.0.0.1", port)) and simulator.process.poll() is not None, "the steps wait", simulator.stderr())
    check(simulator.end() == 0, "the session", simulator.stderr())
    check(load("lock.json")["lockstep"]["answers"] == 20, "answers", load("lock.json")["lockstep"])




check_configuration()
check_udp()
check_many_senders()
check_serial()
check_lockstep()
