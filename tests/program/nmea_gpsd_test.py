"""gpsd's decoder reads the position, time, speed and heading that were sent (it accepts a heading of talker GP only)."""
import json
import math
import re
import shutil
import socket

from geographiclib.geodesic import Geodesic

from harness import *
from nmea_link import *


def main():
    gpsdecode = shutil.which("gpsdecode") or shutil.which(os.path.join(SOURCE, "build/gpsd/usr/bin/gpsdecode"))
    if not gpsdecode:
        print("SKIPPED: gpsdecode is not installed (tools/deps gpsdecode)")
        sys.exit(SKIPPED)
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    origin = (59.9, 5.2)
    readings = [("gnss", float(t), [10.0 * t, -20.0 * t, -12.5, 3.0, 4.0, 0.5]) for t in range(5)]
    readings += [("gyro", 5.0 + t, [1.25, 0.01, 0, 0, 0, 0]) for t in range(3)]
    lines = say("udp", "127.0.0.1:%d" % listener.getsockname()[1], origin, "2026-02-27T23:00:00", readings, from_udp(listener), "GP")
    decoded = subprocess.run([gpsdecode, "-j"], input="".join(lines), capture_output=True, text=True, timeout=PATIENCE_S)
    fixes = [json.loads(line) for line in decoded.stdout.splitlines() if '"TPV"' in line and '"lat"' in line]
    headings = re.findall(r'"heading":([0-9.]+)', decoded.stdout)  # gpsd 3.22 prints invalid JSON for a rate of turn
    check(len(fixes) >= 4, "fixes by gpsdecode", decoded.stdout, decoded.stderr)
    for fix in fixes:
        t = int(fix["time"][17:19])
        g = Geodesic.WGS84.Inverse(*origin, fix["lat"], fix["lon"])
        near(g["s12"] * math.cos(math.radians(g["azi1"])), 10.0 * t, 0.02, "north by gpsdecode", fix)
        near(g["s12"] * math.sin(math.radians(g["azi1"])), -20.0 * t, 0.02, "east by gpsdecode", fix)
        check(fix["time"].startswith("2026-02-27T23:00:0"), "time by gpsdecode", fix)
    check(any(abs(o.get("speed", 0) - 5) < 0.01 for o in fixes), "speed by gpsdecode", fixes)
    check(any(abs(float(h) - math.degrees(1.25)) < 1e-3 for h in headings), "heading by gpsdecode", decoded.stdout)


main()
