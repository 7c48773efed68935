"""sagbend-dp holds position by telegrams alone: no receivers, a laser, a radar, an acoustic system and a taut wire by UDP, each in the
form of its makers; gyros, motion and wind sensors by sentences of NMEA 0183.

dp_telegrams_test.py BUILD SOURCE"""
import re
import socket

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

simulator = Simulator(CONFIG, "--mode", "lockstep", "--duration", "150", "--summary", path("summary.json"),
                      "--set", "simulation.step_s=0.05", "--set", "pipe.elements=40", "--set", f"controller.dp_file={path('dp.yaml')}",
                      "--set", f"nmea={{ports: [{nmea}]}}",
                      "--set", "events=[{name: bad line, at_s: 100, duration_s: 3, fault: checksum, target: laser-1}]",
                      "--set", "verdicts=[{name: held, quantity: offset_m, below: 3, from_s: 60}]")
dp = controller(simulator, config=path("dp.yaml"))
check(simulator.end() == 0, "position is held by telegrams", simulator.stderr)
check(dp.end() == 0, "sagbend-dp ends with the session", dp.stderr)
said = dp.stderr()
check("a telegram is refused, laser-1: the checksum" in said, "a wrong checksum is named", said)
taken, refused = map(int, re.search(r"telegrams: (\d+) taken, (\d+) refused", said).groups())
check(taken > 300 and refused > 0, "telegrams are counted", taken, refused, said)
check("DEAD RECKONING" not in said and "no position left" not in said, "position is always known", said)
worst = load("summary.json")["verdicts"][0]["worst_value"]
print(f"ok: {taken} telegrams, largest offset {worst:.2f} m")

# A port that is taken, and an instrument that has no telegrams, are named.
busy = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
busy.bind(("127.0.0.1", ports["laser-1"]))
status, _, errors = run(path("dp.yaml"), program=SAGBEND_DP)
check(status == 1 and "telegrams of laser-1 at UDP port" in errors, "a taken port is named", status, errors)
status, _, errors = run(path("dp.yaml"), "--set", "telegrams.0.instrument=load-1", program=SAGBEND_DP)
check(status == 2 and "telegrams.0.instrument: the name of a gnss, gyro, motion" in errors, "a wrong instrument is named", errors)
