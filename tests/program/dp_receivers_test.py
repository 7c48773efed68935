"""sagbend-dp holds position by the sentences of its receivers alone (GGA, VTG, GST), as well as by the messages of the simulator.

dp_receivers_test.py BUILD SOURCE"""
import re

from harness import *

CONFIG = os.path.join(SOURCE, "configs/osv-83m-references.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-references-dp.yaml")
NAMES = ["gnss-1", "gnss-2", "gnss-3"]
ORIGIN = "[59.9, 5.2]"
ports = dict(zip(NAMES, free_ports(len(NAMES))))


def session(name, *, telegrams, holds=True, sentences="GGA VTG GST", origin=ORIGIN):
    """Largest offset after the start, and what the controller says."""
    settings = ["--set", f"nmea={{origin_deg: {ORIGIN}, ports: ["
                + ", ".join(f"{{udp: '127.0.0.1:{ports[n]}', instruments: {n}, sentences: '{sentences}'}}" for n in NAMES) + "]}"] if telegrams else []
    file = path(name + "-dp.yaml")
    with open(DP) as source, open(file, "w") as out:
        out.writelines(line for line in source if not re.search("kind: (hydroacoustic|lbl|taut_wire|laser|radar)", line))
        if telegrams:
            out.write(f"nmea: {{origin_deg: {origin}}}\ntelegrams:\n")
            out.writelines(f"  - {{instrument: {n}, udp: {p}, latency_s: 0.3}}\n" for n, p in ports.items())
    simulator = Simulator(CONFIG, "--mode", "lockstep", "--duration", "150", "--summary", path(name + ".json"), "--set", "simulation.step_s=0.05", "--set", "pipe.elements=40",
                          "--set", f"controller.dp_file={file}", *settings,
                          "--set", "verdicts=[{name: held, quantity: offset_m, below: 3, from_s: 60}]")
    dp = controller(simulator, config=file)
    check(simulator.end() == (0 if holds else 1), f"{name}: position is {'held' if holds else 'lost'}", simulator.stderr)
    check(dp.end() == 0, f"{name}: sagbend-dp ends with the session", dp.stderr)
    return load(name + ".json")["verdicts"][0]["worst_value"], dp.stderr()


by_messages, _ = session("messages", telegrams=False)
by_sentences, said = session("sentences", telegrams=True)
taken, refused = map(int, re.search(r"telegrams: (\d+) taken, (\d+) refused", said).groups())
print(f"ok: largest offset {by_sentences:.3f} m by sentences, {by_messages:.3f} m by messages, {taken} sentences")
check(taken > 3 * 3 * 140 and refused == 0, "all sentences are taken", taken, refused, said)
check("DEAD RECKONING" not in said and "no position" not in said, "position is always known", said)
check(abs(by_sentences - by_messages) < 0.3, "held as by messages", by_sentences, by_messages)

# A receiver without its velocity is no reference: it is named, and not used as one of a vessel at rest.
_, said = session("still", telegrams=True, holds=False, sentences="GGA GST")
check("GGA needs VTG beside it" in said, "a velocity that is missing is named", said)

# Another place of the Earth: a fix 1000 km off is refused by name.
_, said = session("elsewhere", telegrams=True, holds=False, origin="[40, 5.2]")
check("a position within 1000 km of nmea.origin_deg expected" in said, "a wrong origin is named", said)

for key, value, words in [("nmea.origin_deg", "[95, 5]", "a latitude from -89.9 to 89.9"), ("nmea.origin_deg", "[5]", "nmea.origin_deg"),
                          ("nmea.origin_deg", "[5, 200]", "nmea.origin_deg")]:
    status, _, errors = run(path("sentences-dp.yaml"), "--set", f"{key}={value}", program=SAGBEND_DP)
    check(status == 2 and words in errors, f"{key}={value} is named", status, errors)
with open(path("sentences-dp.yaml")) as source, open(path("none-dp.yaml"), "w") as out:
    out.writelines(line for line in source if "origin_deg" not in line)
status, _, errors = run(path("none-dp.yaml"), program=SAGBEND_DP)
check(status == 2 and "nmea.origin_deg expected" in errors, "an origin that is missing is named", status, errors)
