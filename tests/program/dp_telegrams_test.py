"""sagbend-dp holds position by telegrams alone: no receivers, a laser, a radar, an acoustic system and a taut wire by UDP, each in the
form of its makers; gyros, motion and wind sensors by sentences of NMEA 0183.

dp_telegrams_test.py BUILD SOURCE"""
import functools
import operator
import re
import socket
import threading
import time

from harness import *

CONFIG = os.path.join(SOURCE, "configs/osv-83m-references.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-references-dp.yaml")
REFERENCES = {"hpr-1": "PSIMSSB", "lbl-1": "PSIMSSB", "wire-1": "XDR", "laser-1": "MDLM", "radar-1": "PSXRAD",
              "gyro-1": "HDT ROT", "gyro-2": "THS ROT", "gyro-3": "HDT", "mru-1": "PSXN", "mru-2": "PRDID", "mru-3": "PSXN",
              "wind-1": "MWV", "wind-2": "MWV", "wind-3": "MWV"}
ports = dict(zip(REFERENCES, free_ports(len(REFERENCES))))
nmea = ", ".join(f"{{udp: '127.0.0.1:{ports[n]}', instruments: {n}, sentences: '{s}'}}" for n, s in REFERENCES.items())
with open(DP) as file:
    text = "".join(line for line in file if "kind: gnss" not in line)
telegrams = "".join(f"  - {{instrument: {n}, udp: {p}, latency_s: {0.05 if n[:4] in ('gyro', 'mru-') else 0.4}}}\n" for n, p in ports.items())
with open(path("dp.yaml"), "w") as file:
    file.write(text + "telegrams:\n" + telegrams)


def telegram(body):
    return f"${body}*{functools.reduce(operator.xor, body.encode()):02X}"


def at(name, *datagrams):
    return [(ports[name], d if isinstance(d, bytes) else d.encode("ascii")) for d in datagrams]


LIES = [  # what others send, and how sagbend-dp names it
    (at("hpr-1", telegram("PSIMSSB,083733.036,M17,A,NRy,C,N,F,0.000,0.000,0.000,20.000,T,0.003731,") + "\r\n",
        telegram("PSIMSSB,180554.432,M44,A,,C,N,M,-61.300,39.017,34.026,0.072,T,0.050576,") + "\n"), "hpr-1: telegrams of B01 expected, got one of M"),
    (at("lbl-1", telegram("PSIMSSB,000000.000,LBL,A,,C,N,M,12.0,-9.0,8.0,0.1,N,,") + "\r\n"), "lbl-1: telegrams of one sender expected"),
    (at("laser-1", "01 0052.80 181.11\r\n01 0052.80 181.11\r\n"), "laser-1: "),
    (at("laser-1", b"\xff\x00noise", "$GPGGA,1,2*00\r\n"), "laser-1: "),
    (at("radar-1", telegram("PSXRAD,1,174512.00,02,00,150,0123.45,00.3,301.20,00.1,-2.50,00.2,-0.12,24,9") + "\r\n"), "radar-1: telegrams of one sender"),
    (at("wire-1", "x" * 4000), "wire-1: a datagram of at most 1500 characters expected, got 4000"),
    (at("gyro-1", telegram("HEHDT,180.0,T") + "\r\n", "$HEHDT,180.0,T\r\n"), "gyro-1: "),
]


def disturb(dp):
    """Lies once the controller is in command: whoever sends first is believed."""
    until(lambda: "takes over" in dp.stderr() or dp.process.poll() is not None, "the controller takes over", dp.stderr)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as liar:
        while dp.process.poll() is None:
            for datagrams, _ in LIES:
                for port, data in datagrams:
                    liar.sendto(data, ("127.0.0.1", port))
            liar.sendto((telegram("GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1") + "\r\n").encode(), ("127.0.0.1", ports["gyro-2"]))
            time.sleep(0.05)


def hold(name, seconds, *sets, lie=False):
    simulator = Simulator(CONFIG, "--mode", "lockstep", "--duration", str(seconds), "--summary", path("summary.json"),
                          "--set", "simulation.step_s=0.05", "--set", "pipe.elements=40", "--set", f"controller.dp_file={path(name)}",
                          "--set", f"nmea={{ports: [{nmea}]}}", *sets,
                          "--set", "verdicts=[{name: held, quantity: offset_m, below: 3, from_s: 60}, "
                                   "{name: heading, quantity: heading_error_deg, within: [-3, 3], from_s: 100}]")
    dp = controller(simulator, config=path(name))
    if lie:
        threading.Thread(target=disturb, args=(dp,), daemon=True).start()
    check(simulator.end() == 0, "position is held by telegrams", simulator.stderr, dp.stderr())
    check(dp.end() == 0, "sagbend-dp ends with the session", dp.stderr)
    said = dp.stderr()
    taken, refused = map(int, re.search(r"telegrams: (\d+) taken, (\d+) refused", said).groups())
    check(taken > 300 and refused > 0, "telegrams are counted", taken, refused, said)
    check("DEAD RECKONING" not in said and "no position left" not in said, "position is always known", said)
    print(f"ok: {taken} telegrams, {refused} refused, largest offset {load('summary.json')['verdicts'][0]['worst_value']:.2f} m")
    return said


said = hold("dp.yaml", 150, "--set", "events=[{name: bad line, at_s: 100, duration_s: 3, fault: checksum, target: laser-1}]")
check("a telegram is refused, laser-1: the checksum" in said, "a wrong checksum is named", said)

# All gyros tell no rate of turn, and the controller turns the vessel. Others send to the same ports meanwhile: each is refused, counted
# and named, and the vessel stays.
nmea = re.sub("(HDT|THS) ROT", r"\1", nmea)
with open(path("dp.yaml")) as file:
    text = file.read().replace("attitude_deg: [0, 0, 0]", "attitude_deg: [0, 0, 20]")
with open(path("turn.yaml"), "w") as file:
    file.write(text)
said = hold("turn.yaml", 160, lie=True)
for _, words in LIES:
    check(f"a telegram is refused, {words}" in said, "it is named", words, said)
check("sentences that say nothing about it passed over, the last one GPGSA" in said and "gyro-2: " not in re.sub(r"telegrams: gyro-2: \d+ sentences that", "", said),
      "a sentence of another formatter is counted and not refused", said)
check("gyro-3 frozen" not in said and "not in agreement with its own rate" not in said, "a gyro without a rate is believed", said)

# A port that is taken, and an instrument that has no telegrams, are named.
busy = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
busy.bind(("127.0.0.1", ports["laser-1"]))
status, _, errors = run(path("dp.yaml"), program=SAGBEND_DP)
check(status == 1 and "telegrams of laser-1 at UDP port" in errors, "a taken port is named", status, errors)
status, _, errors = run(path("dp.yaml"), "--set", "telegrams.0.instrument=load-1", program=SAGBEND_DP)
check(status == 2 and "telegrams.0.instrument: the name of a gnss, gyro, motion" in errors, "a wrong instrument is named", errors)
