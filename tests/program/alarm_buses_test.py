"""Alarms over field buses. ALF sentences of a controller count like alarms in protobuf: they reach status, log, ALF output and Modbus, and
the session replays; wrong ones are refused with their reason. Modbus: bits of the alarms in force, and bits by which a master reports its
own; what power management hands to a controller."""
import socket

import pynmea2

from harness import *
import modbus_link

BASE = os.path.join(SOURCE, "configs/osv-83m-power.yaml")
SPEED = ("--set", "simulation.step_s=0.05", "--set", "simulation.mode=realtime", "--set", "pipe.elements=20", "--duration", "0")


def sentence(fields, address="IIALF"):
    return f"${address},{fields}*{pynmea2.NMEASentence.checksum(address + ',' + fields):02X}"


def ctl(simulator):
    status, out, err = run("ctl", simulator.commands, "status", "--json")
    check(status == 0, "ctl status", err)
    return json.loads(out)


def in_force(simulator):
    return {(a["source"], a["kind"]): (a["severity"], a["text"] or "") for a in ctl(simulator)["alarm"]}


# A controller by NMEA. The telegrams that the simulator sends come to `ear`.
ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ear.bind(("127.0.0.1", 0))
ear.settimeout(PATIENCE_S)
with open(path("nmea.yaml"), "w") as file:
    file.write(f"extends: {BASE}\nname: alarms-by-nmea\nnmea:\n  start_utc: 2026-01-31T12:00:00\n"
               f"  ports: [{{udp: '127.0.0.1:{ear.getsockname()[1]}', instruments: alarms}}]\n  inputs: [{{udp: '127.0.0.1:*'}}]\n")
simulator = Simulator(path("nmea.yaml"), *SPEED, "--summary", path("nmea.json"), "--log", path("nmea.mcap"))
port = int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1))
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ALIVE = sentence("1,50,R,,,,B,C", "IITRC")
FROZEN = sentence("2,1,3,120000.00,B,A,V,,10002,1,1,0,GYRO-1") + "\r\n" + sentence("2,2,3,,,,,,10002,1,1,0,stands still^2C as it seems")
OTHER = sentence("1,1,4,120000.00,B,W,A,XYZ,512,,1,0,power")


def say(*lines):
    link.sendto("\r\n".join(lines).encode(), ("127.0.0.1", port))


def until_in_force(expected, *lines):
    """Says these lines once and stays alive until the alarms are as expected."""
    say(*lines, ALIVE)
    until(lambda: say(ALIVE) is None and in_force(simulator) == expected, str(expected), lambda: in_force(simulator), lambda: ctl(simulator)["refused"])


BOTH = {("gyro-1", "frozen"): ("alarm", "stands still, as it seems"), ("power", "other"): ("warning", "")}
until_in_force(BOTH, FROZEN, OTHER)
heard = [ear.recv(200).decode() for _ in range(3)]
first, second, third = sorted(heard, key=lambda text: ("10012" in text, text.split(",")[2]))
check(all(text.endswith("\r\n") and len(text) <= 82 and pynmea2.NMEASentence.checksum(text[1:text.index("*")]) == int(text[-4:-2], 16) for text in heard), "form", heard)
check(re.fullmatch(r"\$IIALF,2,1,\d,1200\d\d\.\d\d,B,A,V,,10002,\d+,1,0,gyro-1\*..\r\n", first), "the first sentence", first)
check(re.fullmatch(r"\$IIALF,2,2,\d,,,,,,10002,\d+,1,0,stands still\^2C as it seems\*..\r\n", second), "the second sentence", second)
check(re.fullmatch(r"\$IIALF,1,1,\d,1200\d\d\.\d\d,B,W,V,,10012,\d+,1,0,power\*..\r\n", third), "an alarm without text", third)

# What is refused leaves the alarms as they are.
NAMES = [f"gnss-{i}" for i in (1, 2, 3)] + ["gyro-2", "gyro-3", "mru-1", "position", "heading", "motion", "wind", "tension", "payout", "link", "pipe"]
WRONG = [("checksum", OTHER[:-2] + ("00" if OTHER[-2:] != "00" else "01")), ("alarm", sentence("1,1,4,,B,W,A,,10001,,1,0,gnss-9")),
         ("alarm", sentence("2,2,7,,,,,,10002,1,1,0,whose text?")), ("fields", sentence("3,1,4,,B,W,A,,10001,,1,0,power")),
         ("fields", sentence("1,1,4,,B,W,X,,10001,,1,0,power")), ("fields", sentence("1,1,4,,B,W,A,,10001,,1,power")), ("fields", sentence("1,1,4,,B,W,A,,0,,1,0,power")),
         ("fields", sentence("1,1,4,,B,W,A,,10001,,1,0,po^0Awer")), ("formatter", sentence("1,2", "IIALR"))]
say(*(line for _, line in WRONG), ALIVE)
FULL = {**BOTH, **{(name, "lost"): ("warning", "") for name in NAMES}}
until_in_force(FULL, *(sentence(f"1,1,5,,B,W,A,,10001,,1,0,{name}") for name in NAMES[:7]), *(sentence(f"1,1,5,,B,W,A,,10001,,1,0,{name}") for name in NAMES[7:]))
say(sentence("1,1,6,,B,W,A,,10001,,1,0,route"), ALIVE)  # the 17th
until(lambda: ctl(simulator)["commands_refused"] == len(WRONG) + 1, "refused", lambda: ctl(simulator)["refused_by_reason"])
until_in_force(BOTH, *(sentence(f"1,1,5,,B,W,N,,10001,,1,0,{name}") for name in NAMES[:7]), *(sentence(f"1,1,5,,B,W,N,,10001,,1,0,{name}") for name in NAMES[7:]))
until_in_force({("power", "other"): ("warning", "")}, sentence("1,1,8,,B,A,U,,10002,1,2,0,gyro-1"))
ended = []
until(lambda: ended.append(ear.recv(200).decode()) is None and re.search(r",B,A,N,,10002,\d+,2,0,gyro-1\*", ended[-1]), "the end of the alarm", ended)
simulator.signal()
check(simulator.end() == 0, "the session", simulator.stderr())
summary = load("nmea.json")
reasons = {k: v for k, v in summary["field_buses"]["nmea_refused_by_reason"].items() if v}
check(reasons == {"checksum": 1, "alarm": 3, "fields": 5, "formatter": 1}, "refused by reason", reasons)
frozen = [a for a in summary["alarms"]["list"] if a["source"] == "gyro-1"]
check(len(frozen) == 1 and frozen[0]["to_s"] > frozen[0]["from_s"], "the summary", frozen)
status, out, err = run("replay", path("nmea.mcap"), "--verify")
check(status == 0, "the session does not replay", out, err)

# Modbus.
with open(path("modbus.yaml"), "w") as file:
    file.write(f"extends: {BASE}\nname: alarms-by-modbus\nmodbus: {{unit_id: 1}}\n")
simulator = modbus_link.ModbusSimulator(path("modbus.yaml"), *SPEED, "--set", "events=[{name: t, at_s: 3, fault: trip, target: set-3}]")
master = modbus_link.Master(simulator)
check(master.read("alarms.active", "alarm.frozen") == [0, 0], "no alarm", master.read("alarms.active", "alarm.frozen"))
until(lambda: master.write({"command.alarm.frozen": 1}) == 0 and master.write({"command.heartbeat": 7}) == 0 and
      master.read("alarms.active", "alarm.frozen", "alarm.lost", "command.alarm.frozen", "alarms.raised") == [1, 1, 0, 1, 1], "an alarm by Modbus",
      lambda: master.read("alarms.active", "alarm.frozen", "alarm.lost", "command.alarm.frozen", "alarms.raised"))
check(in_force(simulator) == {("controller", "frozen"): ("warning", "reported by Modbus")}, "in force", in_force(simulator))
until(lambda: master.write({"command.alarm.frozen": 0}) == 0 and master.read("alarms.active", "alarm.frozen") == [0, 0], "its end")
check(master.read("generator.set-1.on_line", "tie.tie.closed") == [1, 1] and abs(master.read("bus.port.frequency_pu") - 1) < 0.1, "the plant")
until(lambda: master.write({"command.heartbeat": 8}) == 0 and master.read("generator.set-3.on_line", "generator.set-3.tripped", "generator.set-3.load_w") == [0, 1, 0], "a set trips",
      lambda: master.read("generator.set-3.on_line", "generator.set-3.tripped", "generator.set-3.load_w"))
check(master.read("quantity.power_reserve_w") > 1e6 and master.read("generator.set-1.load_w") > 0, "load and reserve")
simulator.signal()
simulator.end()
with open(path("bad.yaml"), "w") as file:
    file.write(f"extends: {BASE}\nname: bad\nmodbus:\n  registers:\n" + "".join(
        f"    - {{table: {table}, address: {i}, type: bool, signal: {signal}}}\n" for i, (table, signal) in enumerate(
            (("discrete", "alarm.late"), ("discrete", "generator.set-9.on_line"), ("discrete", "tie.tie.open")))))
status, out, err = run("check", path("bad.yaml"))
check(status == 2 and all(words in err for words in (":5:", ":6:", ":7:", "vessel.power.generators", "a signal of a tie")), "wrong signals", err)
