"""sagbend-dp holds position by a laser (RLS), an Artemis and a taut wire alone, all by UDP, without receivers. The wire hangs slack for a
while and says so; an Artemis behind an obstruction is named, as is a wrong checksum of the laser.

dp_lines_test.py BUILD SOURCE"""
import re

from harness import *

DP = os.path.join(SOURCE, "configs/osv-83m-references-dp.yaml")
LINES = {"laser-1": "RLS", "artemis-1": "ARTEMIS", "wire-1": "XDR"}
ARTEMIS = """  - name: artemis-1
    kind: artemis
    position_b_m: [18, -4, -20]
    rate_hz: 1
    latency_s: 0.3
    targets: station
    errors:
      - {quantity: range_m, white: 0.3, quantum: 0.1}
      - {quantity: azimuth_deg, white: 0.02, quantum: 0.001}
"""


def without(text, kinds):
    """The instruments of a configuration but those of these kinds."""
    parts = re.split(r"(?m)^(?=  - name: )", text)
    return "".join(part for part in parts if not re.search(rf"(?m)^    kind: ({kinds})$", part))


def files(ports):
    with open(os.path.join(SOURCE, "configs/osv-83m-references.yaml")) as file:
        head, instruments = re.split(r"(?m)^instruments:\n", file.read())
    head = head.replace("extends: osv-83m.yaml", f"extends: {os.path.join(SOURCE, 'configs/osv-83m.yaml')}")
    head = re.sub(r"(?m)^  common_errors:\n    - .*\n", "", head).replace("targets:\n", "targets:\n  - {name: station, structure: platform, position_m: [30, -60, -40]}\n")
    with open(path("case.yaml"), "w") as file:
        file.write(head + "instruments:\n" + without(instruments, "gnss|hydroacoustic|lbl|radar").rstrip() + "\n" + ARTEMIS)
    with open(DP) as file:
        dp = "".join(line for line in file if not re.search("kind: (gnss|hydroacoustic|lbl|radar)", line))
    station = "  - {name: artemis-1, kind: artemis, position_b_m: [18, -4, -20], target_m: [444, 65, -40], sigma_m: 0.5}\n"
    dp = dp.replace("  - {name: log-1,", station + "  - {name: log-1,")
    telegrams = "".join(f"  - {{instrument: {n}, udp: {p}, latency_s: 0.4}}\n" for n, p in ports.items())
    with open(path("dp.yaml"), "w") as file:
        file.write(dp + "telegrams:\n" + telegrams)


ports = dict(zip(LINES, free_ports(len(LINES))))
files(ports)
nmea = ", ".join(f"{{udp: '127.0.0.1:{ports[n]}', instruments: {n}, sentences: '{s}'}}" for n, s in LINES.items())
events = "events=[{name: slack, at_s: 90, duration_s: 15, fault: wire_slack, target: wire-1, longer_m: 10}, " \
         "{name: hidden, at_s: 110, duration_s: 8, fault: obstructed, target: artemis-1}, " \
         "{name: bad line, at_s: 130, duration_s: 3, fault: checksum, target: laser-1}]"
simulator = Simulator(path("case.yaml"), "--mode", "lockstep", "--duration", "150", "--summary", path("summary.json"),
                      "--set", "simulation.step_s=0.05", "--set", "pipe.elements=40", "--set", f"controller.dp_file={path('dp.yaml')}",
                      "--set", f"nmea={{ports: [{nmea}]}}", "--set", events,
                      "--set", "verdicts=[{name: held, quantity: offset_m, below: 3, from_s: 60}, "
                               "{name: slack, alarm: {sources: [wire-1], kinds: [lost]}, after: slack, within_s: 10}]")
dp = controller(simulator, config=path("dp.yaml"))
check(simulator.end() == 0, "position is held by telegrams", simulator.stderr)
check(dp.end() == 0, "sagbend-dp ends with the session", dp.stderr)
said = dp.stderr()
check("wire-1 hangs slack" in said, "a slack wire is named", said)
check("artemis-1 is invalid" in said, "an Artemis without its station is named", said)
check("a telegram is refused, laser-1: the checksum" in said, "a wrong checksum is named", said)
check("DEAD RECKONING" not in said and "no position left" not in said, "position is always known", said)
taken, refused = map(int, re.search(r"telegrams: (\d+) taken, (\d+) refused", said).groups())
check(taken > 400 and refused > 0, "telegrams are counted", taken, refused)
worst = load("summary.json")["verdicts"][0]["worst_value"]
print(f"ok: {taken} telegrams, largest offset {worst:.2f} m")
