"""The DP loop closed by field buses alone: the 83 m vessel with its pipe in wind, waves and current, and a controller (dp_law.py)
that reads NMEA 0183 by UDP and commands the thrusters by Modbus, or by TRC sentences. It holds position as it does over the
protocol.

dp_field_buses_test.py BUILD SOURCE [--realtime] [SECONDS]: lockstep by default, 120 s of simulated time for each of the three."""
import math
import socket

import pynmea2

from modbus_link import *
import dp_law
import sagbend

REALTIME = "--realtime" in sys.argv
SECONDS = float(sys.argv[-1]) if len(sys.argv) > 3 and sys.argv[-1] != "--realtime" else 120
CONFIG = os.path.join(SOURCE, "configs/osv-83m-modbus.yaml")
NMEA_CONFIG = os.path.join(SOURCE, "configs/osv-83m-nmea.yaml")
ORIGIN = (59.9, 5.2)
KNOT = 1852 / 3600
WEATHER = """
environment:
  wind: {speed_mps: 10, direction_deg: 20, gusts: norsok, ramp_s: 20}
  waves: {significant_height_m: 1.8, peak_period_s: 6.5, direction_deg: -10, spreading: 10, ramp_s: 20}
vessel: {current_acts: true}
log: {truth_period_s: 0.5}
"""


class THS(pynmea2.TalkerSentence):  # unknown to pynmea2
    fields = (("Heading", "heading"), ("Mode", "mode"))


class TRD(pynmea2.TalkerSentence):
    fields = tuple((x, x) for x in ("number", "rpm", "rpm_mode", "pitch", "pitch_mode", "azimuth"))


def local(latitude, longitude):
    """North and east of the origin, with the radii of curvature of WGS 84 there."""
    a, e2, sine = 6378137.0, 6.69437999014e-3, math.sin(math.radians(ORIGIN[0]))
    w = 1 - e2 * sine * sine
    return (math.radians(latitude - ORIGIN[0]) * a * (1 - e2) / w**1.5,
            math.radians(longitude - ORIGIN[1]) * a / math.sqrt(w) * math.cos(math.radians(ORIGIN[0])))


class NmeaIn:
    """What the vessel's instruments say by UDP."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.fix = self.track = self.heading = self.rate = None
        self.new_fix, self.thrusters = False, {}

    def take(self, line):
        m = pynmea2.parse(line, check=True)
        if isinstance(m, pynmea2.GGA) and m.gps_qual:
            self.fix, self.new_fix = local(m.latitude, m.longitude), True
        elif isinstance(m, pynmea2.VTG) and m.true_track is not None:
            speed, course = float(m.spd_over_grnd_kts) * KNOT, math.radians(float(m.true_track))
            self.track = speed * math.cos(course), speed * math.sin(course)
        elif isinstance(m, pynmea2.HDT) and m.heading is not None:
            self.heading = math.radians(float(m.heading))
        elif isinstance(m, pynmea2.ROT) and m.status == "A":
            self.rate = math.radians(float(m.rate_of_turn)) / 60
        elif isinstance(m, TRD):
            self.thrusters[int(m.number)] = (float(m.rpm), math.radians(float(m.azimuth)))
        return m

    def drain(self):
        """Takes everything that has come."""
        self.socket.setblocking(False)
        try:
            while True:
                self.take(self.socket.recv(4096).decode("ascii"))
        except BlockingIOError:
            pass

    def reading(self):
        """(measurements, whether the position is new), or None as long as an instrument has not spoken."""
        if None in (self.fix, self.track, self.heading, self.rate):
            return None
        new, self.new_fix = self.new_fix, False
        return (*self.fix, *self.track, self.heading, self.rate), new


def begin(name, *args, case=CONFIG):
    with open(path("dp.yaml"), "w") as file:
        file.write(f"extends: {case}\nname: dp-by-{name}\n{WEATHER}")
    mode = [] if REALTIME else ["--mode", "lockstep"]
    return ModbusSimulator(path("dp.yaml"), *mode, "--duration", str(SECONDS), "--log", path(name + ".mcap"), "--overwrite", "--summary", path(name + ".json"), *args)


def by_modbus():
    nmea = NmeaIn()
    simulator = begin("modbus", "--set", f"nmea.ports.0.udp={nmea.address}")
    master, law, last = Master(simulator), dp_law.Law(), -1
    first = simulator.map["thruster.bow_tunnel_1.revolutions_set_rpm"][1]
    at = [(simulator.map[f"thruster.{name}.revolutions_rpm"][1], simulator.map.get(f"thruster.{name}.azimuth_deg")) for name in dp_law.NAMES]
    while simulator.process.poll() is None:
        answer = master.client.read_input_registers(0, 30, slave=1)
        if answer.isError() or not hasattr(answer, "registers"):
            break  # the session has ended
        registers = answer.registers
        step = number("uint32", registers[2:4]) // 10
        if step == last:
            time.sleep(0.005 if REALTIME else 0)
            continue
        last = step
        nmea.drain()
        reading = nmea.reading()
        if not reading:
            master.beat()  # it has set nothing yet, so it asks for nothing
            continue
        thrusters = [(number("float32", registers[rpm:rpm + 2]), math.radians(number("float32", registers[azimuth[1]:azimuth[1] + 2])) if azimuth else math.pi / 2)
                     for rpm, azimuth in at]
        values = []
        for (rpm, azimuth), (_, _, _, _, is_tunnel) in zip(law.step(*reading, thrusters), dp_law.THRUSTERS):
            values += [rpm] if is_tunnel else [rpm, math.degrees(azimuth)]
        master.client.write_registers(first, [word for value in values for word in words("float32", value)], slave=1)
    return simulator


def by_trc():
    nmea = NmeaIn()
    simulator = begin("trc", "--set", f"nmea.ports.0.udp={nmea.address}", "--set", "nmea.inputs.0.udp=127.0.0.1:*", case=NMEA_CONFIG)
    to = ("127.0.0.1", int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1)))
    law = dp_law.Law()
    nmea.socket.settimeout(0.2)
    data = keep = trc(["1,,V,,,,B,C"])
    while simulator.process.poll() is None:
        try:
            line = nmea.take(nmea.socket.recv(4096).decode("ascii"))
        except socket.timeout:
            nmea.socket.sendto(data, to)
            continue
        if not isinstance(line, TRD) or line.number != "4":
            continue  # the feedback of the last thruster ends a sample
        reading = nmea.reading()
        if reading:
            thrusters = [nmea.thrusters[i] for i in (1, 2, 3, 4)]
            data = trc([f"{i + 1},{rpm:.2f},R,,," + ("" if dp_law.THRUSTERS[i][4] else f"{math.degrees(azimuth) % 360:.2f}") + ",B,C"
                        for i, (rpm, azimuth) in enumerate(law.step(*reading, thrusters))])
        else:
            data = keep
        nmea.socket.sendto(data, to)
    return simulator


def trc(all_fields):
    bodies = [f"IITRC,{fields}" for fields in all_fields]
    return "".join(f"${body}*{pynmea2.NMEASentence.checksum(body):02X}\r\n" for body in bodies).encode()


def by_protocol():
    simulator = begin("protocol")
    law, sequence = dp_law.Law(), 0
    with sagbend.Client(simulator.commands, name="foreign") as client:
        for sensors in client.samples():
            gnss, gyro = sensors.instruments.gnss[0], sensors.instruments.gyro[0]
            if not gnss.telegram.sequence or not gyro.telegram.sequence:
                client.send_standby(sensors)
                continue
            new, sequence = gnss.telegram.sequence != sequence, gnss.telegram.sequence
            reading = (gnss.north_m, gnss.east_m, gnss.velocity_north_mps, gnss.velocity_east_mps, gyro.heading_rad, gyro.rate_radps)
            settings = law.step(reading, new, [(t.revolutions_rpm, t.azimuth_rad) for t in sensors.thruster])
            client.send_thrusters(sensors, [{"name": name, "enable": True, "revolutions_rpm": rpm, "azimuth_rad": azimuth}
                                            for name, (rpm, azimuth) in zip(dp_law.NAMES, settings)])
        simulator.sent_again = len(client._again)
    return simulator


def judge(name, simulator):
    """Offsets of the reference point from its start, after the first minute; m and degrees."""
    check(simulator.end() == 0, f"{name}: the session", simulator.stderr())
    truths = [json.loads(line)["message"] for line in run("log", "cat", path(name + ".mcap"), "--topic", "truth")[1].splitlines()]
    places = [(t["header"]["time_s"], t["position_north_m"] - truths[0]["position_north_m"], t["position_east_m"] - truths[0]["position_east_m"],
               math.degrees(2 * math.atan2(t["quaternion_z"], t["quaternion_w"]))) for t in truths]
    late = [place for place in places if place[0] > 60]
    offsets = [math.hypot(north, east) for _, north, east, _ in late]
    rms = math.sqrt(sum(x * x for x in offsets) / len(offsets))
    summary = load(name + ".json")
    print(f"{name:9} offset rms {rms:.3f} m, largest {max(offsets):.3f} m; heading largest {max(abs(wrapped_deg(p[3])) for p in late):.3f} deg; "
          f"{summary['commands']['accepted']} commands, {summary['commands']['refused']} refused, {summary['commands']['lost']} times lost, "
          f"{summary['late_steps']} late steps", flush=True)
    refused = {reason: count for reason, count in summary["commands"]["refused_by_reason"].items() if count}
    # On a busy machine a command comes late, or its repetition by UDP comes after it; and Welcome comes after the next Hello, which asks for
    # the same sample again.
    if REALTIME or name == "trc" or refused.get("stale", 0) <= getattr(simulator, "sent_again", 0):
        refused.pop("stale", 0)
    check(not refused, f"{name}: commands are refused", summary["commands"])
    return rms, max(offsets)


def wrapped_deg(x):
    return (x + 180) % 360 - 180


def main():
    results = {name: judge(name, drive()) for name, drive in (("protocol", by_protocol), ("modbus", by_modbus), ("trc", by_trc))}
    rms, largest = results["protocol"]
    check(largest < 6, "the law itself does not hold position", results)
    for name in ("modbus", "trc"):
        check(results[name][0] < 1.3 * rms + 0.3 and results[name][1] < 1.3 * largest + 0.5, f"{name} does not hold position as the protocol does", results)
        status, out, err = run("replay", path(name + ".mcap"), "--verify", timeout=300)
        check(status == 0, f"{name}: the session does not replay", out, err)


main()
