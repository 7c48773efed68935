"""What power management reports, by NMEA: XDR of each bus, set and tie by UDP, none longer than the standard's 82 characters, byte by
byte what Sensors of the same moment say, also where a status is frozen, a set trips, a tie opens and a bus is dark.

nmea_power_test.py BUILD SOURCE"""
import json
import socket

from harness import *

EVENTS = "events=[{name: frozen, at_s: 2, fault: status_frozen, target: set-1}, {name: lost, at_s: 3, fault: trip, target: set-1}, " \
         "{name: lost-2, at_s: 3, fault: trip, target: set-2}, {name: apart, at_s: 4, fault: tie_opens, target: tie}, " \
         "{name: dark, at_s: 6, fault: bus_lost, target: port}]"
SECONDS, HERTZ, VOLTS = 10, 50, 440
CONFIG = os.path.join(SOURCE, "configs/osv-83m-power.yaml")


def closed(body):
    value = 0
    for letter in body:
        value ^= ord(letter)
    return f"${body}*{value:02X}\r\n"


def number(value, decimals):
    return f"{0.0 if abs(value) < 0.5 * 10 ** -decimals else value:.{decimals}f}"


def sentences(items):
    """The transducers of one thing in sentences of at most 82 characters."""
    body, out = "IIXDR", []
    for item in items:
        if len(body) > 5 and len(body) + len(item) + 6 > 82:
            out.append(closed(body))
            body = "IIXDR"
        body += item
    return out + [closed(body)]


def report(message):
    """What a message of Sensors says, as sentences."""
    lines = []
    for bus in message["bus"]:
        lines += sentences([f",S,{int(bus.get('supplied', False))},,{bus['name']}_BUS", f",G,{number(bus.get('available_w', 0), 0)},,{bus['name']}_BUS_A",
                            f",G,{number(bus.get('load_w', 0), 0)},,{bus['name']}_BUS_P", f",F,{number(bus.get('frequency', 0) * HERTZ, 2)},H,{bus['name']}_BUS_F",
                            f",U,{number(bus.get('voltage', 0) * VOLTS, 1)},V,{bus['name']}_BUS_U"])
    for one in message["generator"]:
        lines += sentences([f",S,{int(one.get('closed', False))},,{one['name']}_SET", f",G,{number(one.get('load_w', 0), 0)},,{one['name']}_SET_P"])
    for one in message["tie"]:
        lines += sentences([f",S,{int(one.get('closed', False))},,{one['name']}_TIE"])
    return lines


def drain(listener):
    lines = []
    listener.settimeout(0.2)
    while True:
        try:
            lines.append(listener.recv(4096).decode("ascii"))
        except socket.timeout:
            return lines


listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
listener.bind(("127.0.0.1", 0))
port = listener.getsockname()[1]
status, out, errors = run("run", CONFIG, "--mode", "fast", "--duration", str(SECONDS), "--log", path("power.mcap"), "--summary", path("power.json"),
                          "--set", "simulation.step_s=0.05", "--set", "pipe.elements=20", "--set", EVENTS,
                          "--set", f"nmea={{rated_frequency_hz: {HERTZ}, rated_voltage_v: {VOLTS}, ports: [{{udp: '127.0.0.1:{port}', instruments: power}}]}}")
check(status == 0, "the session runs", status, errors)
lines = drain(listener)
counts = load("power.json")["nmea"]
check(counts["sent"] == len(lines) and counts["lost"] == 0, "all sentences arrive", counts, len(lines))
check(max(map(len, lines)) <= 82, "no sentence is longer than the standard's", max(lines, key=len))

sensors = [json.loads(line)["message"] for line in run("log", "cat", path("power.mcap"), "--topic", "sensors")[1].splitlines()]
expected = {}
for message in sensors:
    expected.setdefault(round(message["header"]["time_s"], 6), report(message))
at, times = 0, range(SECONDS + 1)
for time in times:
    wanted = expected[float(time)]
    check(lines[at:at + len(wanted)] == wanted, f"the report at {time} s is that of Sensors, byte by byte", lines[at:at + len(wanted)], wanted)
    at += len(wanted)
check(at == len(lines), "one report each second, and no more", at, len(lines))
check(len({tuple(expected[float(time)]) for time in times}) > 4, "the reports change", lines)
text = "".join(expected[9.0])
check(",S,1,,set-1_SET,G,0," in text and ",S,0,,set-2_SET,G,0," in text, "a frozen status is frozen, a sound one is not", text)
check(",S,0,,tie_TIE" in text and ",S,0,,port_BUS,G,0,,port_BUS_A,G,0,,port_BUS_P" in text and "F,0.00,H,port_BUS_F" in text, "an open tie, a dark bus", text)
check(",S,1,,starboard_BUS" in text and ",S,1,,tie_TIE" in "".join(expected[1.0]), "a live bus, a closed tie", text)

try:
    import pynmea2
except ImportError:
    print("pynmea2 is not installed: the sentences were compared with Sensors only")
else:
    for line in lines:
        m = pynmea2.parse(line.strip(), check=True)
        check(m.talker == "II" and m.sentence_type == "XDR" and m.num_transducers * 4 == len(m.data), "XDR by pynmea2", line)
        for i in range(m.num_transducers):
            one = m.get_transducer(i)
            check(one.type in "SGFU" and one.units == {"S": "", "G": "", "F": "H", "U": "V"}[one.type], "type and unit by pynmea2", one)
            float(one.value)

status, _, errors = run("check", os.path.join(SOURCE, "configs/osv-83m-instruments.yaml"), "--set", f"nmea={{ports: [{{udp: '127.0.0.1:{port}', instruments: power}}]}}")
check(status == 2 and "needs vessel.power.generators or batteries" in errors, "a vessel without a power plant", status, errors)
