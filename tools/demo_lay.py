"""tools/demo lay: lays pipe joint by joint along a route with a curve, in weather, in lockstep faster than real time, with the
DP controller in a second process, then draws plots of route, tension, pay-out and utilisation."""
import argparse
import csv
import json
import math
import os
import re
import signal
import subprocess
import sys

from demo import ANY_PORT, Failure, ROOT, Simulator, draw, drive, end, fly, quiet
from ready import ends_with_its_starter

CASE = os.path.join(ROOT, "configs/osv-83m-lay.yaml")
DP_FILE = os.path.join(ROOT, "configs/osv-83m-lay-dp.yaml")
PLOTS = ["route", "lay"]
WRITTEN = ["summary.json", "summary.txt", "record.csv", "shapes.csv", "route.csv"] + [p + ".png" for p in PLOTS]
STORY_S = 7200


def options():
    parser = argparse.ArgumentParser(prog="tools/demo lay", description=__doc__, epilog="Ctrl-C stops the demo cleanly. Exit status: "
                                     "0 success, 1 the simulator or the controller failed or a verdict did not pass, 2 wrong usage, "
                                     "128 + n signal n.")
    parser.add_argument("--duration", type=float, default=STORY_S, metavar="S",
                        help="simulated time in s (%(default)s): a shorter one ends the lay earlier")
    parser.add_argument("--out", default="demo-lay-out", metavar="DIR", help="output directory (%(default)s)")
    parser.add_argument("--build", metavar="DIR", help="use the programs in this build directory; default: build them first")
    o = parser.parse_args()
    if not (math.isfinite(o.duration) and 10 <= o.duration <= 86400):
        parser.error(f"--duration: 10 to 86400 seconds expected, found {o.duration:g}")
    return o


def run(programs, o):
    """Starts both processes, and ends them whatever happens."""
    path = lambda name: os.path.join(o.out, name)
    simulator = Simulator(
        [os.path.join(programs, "sagbend"), "run", CASE, "--mode", "lockstep", "--duration", f"{o.duration:.17g}",
         "--lockstep-timeout", "60", "--bind-command", ANY_PORT, "--bind-telemetry", ANY_PORT, "--summary", path("summary.json"),
         "--record", path("record.csv"), "--record-every", "1", "--shapes", path("shapes.csv"), "--shapes-every",
         f"{o.duration / 6:.17g}"], o.out)
    controller = None
    try:
        endpoint = simulator.endpoint()
        with open(path("controller.log"), "w") as log:
            controller = subprocess.Popen([os.path.join(programs, "sagbend-dp"), DP_FILE, "--connect", endpoint],
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                          preexec_fn=ends_with_its_starter)
        fly(simulator.process, controller)
    finally:
        end(simulator.process)
        if controller:
            end(controller, signal.SIGTERM)
        simulator.close()
        with open(path("simulator.log"), "w") as log:
            log.write(simulator.log())


def waypoints(text):
    """Waypoints of a DP file whose route is written one waypoint a line: north, east, radius."""
    found = re.findall(r"- \{position_m: \[([^,\]]+), *([^,\]]+)\](?:, radius_m: ([0-9.e+-]+))?\}", text)
    return [(float(north), float(east), float(radius or 0)) for north, east, radius in found]


def route_points(corners, step=0.02):
    """Points of the route: its legs, and arcs that touch both legs of a corner."""
    points = [corners[0][:2]]
    for (n0, e0, _), (n1, e1, radius), (n2, e2, _) in zip(corners, corners[1:], corners[2:]):
        first, second = math.atan2(e1 - e0, n1 - n0), math.atan2(e2 - e1, n2 - n1)
        turn = math.remainder(second - first, 2 * math.pi)
        reach, side = radius * math.tan(abs(turn) / 2), math.copysign(1, turn)
        north, east = n1 - reach * math.cos(first), e1 - reach * math.sin(first)
        count = max(1, int(abs(turn) / step))
        for i in range(count + 1):
            course = first + turn * i / count
            points.append((north + side * radius * (math.sin(course) - math.sin(first)),
                           east - side * radius * (math.cos(course) - math.cos(first))))
    return points + [corners[-1][:2]]


def plot(out):
    with open(DP_FILE) as file:
        points = route_points(waypoints(file.read()))
    with open(os.path.join(out, "route.csv"), "w") as file:
        file.write("north_m,east_m\n" + "".join(f"{north:.3f},{east:.3f}\n" for north, east in points))
    with open(os.path.join(out, "shapes.csv")) as file:
        times = list(dict.fromkeys(row["time_s"] for row in csv.DictReader(file)))
    with open(os.path.join(out, "record.csv")) as file:
        end_s = max([float(row["time_s"]) for row in csv.DictReader(file)] + [1])
    given = f"end_s = {end_s!r}; shape_count = {len(times)}; disturbed_s = -1; active_s = -1"
    draw(out, given, PLOTS)


def report(out, is_complete):
    with open(os.path.join(out, "summary.txt")) as file:
        print(file.read(), end="")
    with open(os.path.join(out, "summary.json")) as file:
        summary = json.load(file)
    vessel, pipe = summary["vessel"], summary["pipe"]
    print(f"{'lay':<20} {vessel['route_distance_m']:.1f} m of the route, {pipe['paid_out_m']:.1f} m of pipe paid out, "
          f"{summary['real_time_factor']:.0f} times real time")
    plot(out)
    print(f"written to {out}: " + ", ".join(WRITTEN))


def main():
    return drive(options(), WRITTEN, run, report)


if __name__ == "__main__":
    sys.exit(main())
