"""Azimuths that a controller counts in another way than clockwise from the bow: the event names the way, for each way, heading, weather and
vessel; and no right controller is accused, whatever its gains, filter, noise, weather and moves. In process, without sockets: notices_test.py
has console, summary, log and replay of the same event."""
from harness import *
import math
import random
import sys

import numpy as np
import yaml

import sagbend

TUNNEL, NAMES = math.pi / 2, ("north_m", "east_m", "velocity_north_mps", "velocity_east_mps", "heading_rad", "heading_rate_radps")
SENT = {  # what is sent for a direction a of the thrust, at heading h
    "clockwise from starboard": lambda a, h: a - math.pi / 2,
    "clockwise from port": lambda a, h: a + math.pi / 2,
    "the direction of the wash": lambda a, h: a + math.pi,
    "anticlockwise from the bow": lambda a, h: -a,
    "anticlockwise from starboard": lambda a, h: math.pi / 2 - a,
    "anticlockwise from port": lambda a, h: -math.pi / 2 - a,
    "anticlockwise from the stern": lambda a, h: math.pi - a,
    "clockwise from north": lambda a, h: a + h,
}
NOTICES = ("azimuth_direction", "thrusters_unnamed", "azimuth_units", "thrusters_weak")


class Law:
    """A proportional, derivative and integral law, and the pseudo-inverse, as in docs/examples/connect/hold_protobuf.py."""

    def __init__(self, thrusters, mass, gain, damping=1, integral=1):
        self.thrusters, self.target = thrusters, None
        self.gains = [gain * k * mass for k in (0.01, 0.16 * damping, 1e-4 * integral)]
        columns = [(t, a) for t in thrusters for a in ((TUNNEL,) if t["kind"] == "tunnel" else (0, TUNNEL))]
        B = np.array([[math.cos(a), math.sin(a), t["position_b_m"][0] * math.sin(a) - t["position_b_m"][1] * math.cos(a)] for t, a in columns]).T
        W = np.diag([float(t["thrust_max_n"]) ** 2 for t, _ in columns])
        self.inverse = W @ B.T @ np.linalg.inv(B @ W @ B.T)

    def step(self, seen, hold, dt):
        north, east, v_north, v_east, heading, rate = seen
        if self.target is None:
            self.target, self.sum = np.array([north, east, heading]), np.array(hold)
        c, s = math.cos(heading), math.sin(heading)
        turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        away = np.array([north, east, heading]) - self.target
        away[2] = math.remainder(away[2], 2 * math.pi)
        error, kp, kd, ki = turn @ away, *self.gains
        self.sum = self.sum - ki * error * dt
        force, out = iter(self.inverse @ (self.sum - kp * error - kd * (turn @ np.array([v_north, v_east, rate])))), []
        for t in self.thrusters:
            full, forward, across = float(t["thrust_max_n"]), 0 if t["kind"] == "tunnel" else next(force), next(force)
            share = min(1, math.hypot(forward, across) / full) ** 0.5
            out.append((math.copysign(share, across) if t["kind"] == "tunnel" else share, math.atan2(across, forward)))
        return out


def run_law(case, overrides, law, duration, sent=lambda a, h: a, change=lambda law, time_s, seen: seen, named=lambda name: True):
    """Events of a session with this law, and how far the vessel has gone in the end."""
    with sagbend.Simulation(case, overrides=overrides, controller="caller") as sim:
        state, thrusters = sim.select(*("vessel." + name for name in NAMES)), law.thrusters
        hold = sim.get(("thrusters.thruster_surge_n", "thrusters.thruster_sway_n", "thrusters.thruster_yaw_nm"))
        inputs = sim.select("command.engaged", *(f"command.thruster.{t['name']}.{k}" for t in thrusters for k in ("commanded", "enable", "revolutions_rpm", "azimuth_rad")))
        period, start = sim.period_steps, sim.get(state)[:2]
        while sim.time_s < duration:
            seen, values = sim.get(state), [1]
            for t, (share, azimuth) in zip(thrusters, law.step(change(law, sim.time_s, seen), hold, period * sim.step_s)):
                values += [named(t["name"]), 1, share * float(t["revolutions_max_rpm"]), 0 if t["kind"] == "tunnel" else sent(azimuth, seen[4])]
            sim.set(inputs, values)
            sim.step(period)
        return [e for e in sim.events if e.name in NOTICES], math.dist(sim.get(state)[:2], start)


def vessel(case):
    with open(case) as file:
        own = yaml.safe_load(file)["vessel"]
    of, m = own["inertia"], float(own["mass_kg"])
    rigid, added = (np.array(x, float) for x in (of.get("rigid_body", [m] * 3 + list(of.get("moments_kgm2", [0] * 3))), of["added_mass"]))
    mass = sum(x if x.ndim == 1 else x.diagonal() for x in (rigid, added))[[0, 1, 5]]
    for t in own["thrusters"]:
        t["position_b_m"] = [float(x) for x in t["position_b_m"]]
    return case, own["thrusters"], mass


def own(name, particulars, *thrusters):
    words = [word for t in thrusters for word in ("--thruster", t)]
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "docs/examples/own_vessel.py"), path(name), *particulars.split(), *words], capture_output=True, text=True)
    check(done.returncode == 0, name, done.stderr)
    return vessel(path(name + ".yaml"))


OSV = vessel(os.path.join(SOURCE, "configs/osv-83m.yaml"))
LARGE = own("large", "--length 160 --breadth 30 --draught 8 --tonnes 28000 --gm 3", "azimuth,60,0,900kN", "azimuth,50,0,900kN", "azimuth,-70,-9,900kN", "azimuth,-70,9,900kN")
SMALL = own("small", "--length 60 --breadth 14 --draught 4.5 --tonnes 2400 --gm 1.5", "tunnel,24,0,120kN", "azimuth,-26,-4,260kN", "azimuth,-26,4,260kN")
WEATHER = [{}, {"vessel.current_acts": True, "environment.current": "{surface_mps: 0.8, direction_deg: 200}"},
           {"environment.wind": "{speed_mps: 14, direction_deg: 310, seed: 5}", "environment.current": "{surface_mps: 0.4, direction_deg: 90}", "vessel.current_acts": True}]

# ---- each way at several headings, in several weathers, of three vessels: named as what it is, or, as it needs a motion, not at all ----
told, silent = {way: 0 for way in SENT}, []
for (case, thrusters, mass), gain, headings in ((OSV, 1, (0, 70, -150)), (LARGE, 1, (25, -100)), (SMALL, 0.7, (140, -40))):
    for heading in headings:
        for k, weather in enumerate(WEATHER):
            for way in SENT:
                if (heading + k + len(way)) % 2 and case != OSV[0]:  # half of them
                    continue
                events, away = run_law(case, {"vessel.attitude_deg": f"[0,0,{heading}]", **weather}, Law(thrusters, mass, gain), 60, SENT[way])
                what = f"{os.path.basename(case)}, {heading} deg, weather {k}, {way}: {away:.1f} m"
                told[way] += len(events) > 0
                silent += [what] if not events and away > 6 else []
                check(not events or (events[0].name == "azimuth_direction" and f"read as {way} they would hold it" in events[0].text), what, events)
check(min(told.values()) >= 4 and len(silent) <= 0.1 * sum(told.values()), "each way is named, nearly always", told, silent)

# ---- one of four ----
events, _ = run_law(OSV[0], {}, Law(*OSV[1:], 1), 30, named=lambda name: name == "bow_tunnel_1")
check([e.name for e in events] == ["thrusters_unnamed"] and "thruster bow_tunnel_2 is in no command (3 of 4 that run)" in events[0].text and 19 < events[0].time_s < 22, "one of four", events)


# ---- right controllers with what makes them look wrong: low and high gains, filters, noise, a force of their own, moves of their own, heavy weather
def right(seed):
    r = random.Random(seed)
    case, thrusters, mass = r.choice((OSV, LARGE, SMALL))
    overrides = {"vessel.attitude_deg": f"[0,0,{r.uniform(-180, 180):.1f}]", "vessel.current_acts": True,
                 "environment.current": f"{{surface_mps: {r.uniform(0, 1.8):.2f}, direction_deg: {r.uniform(0, 360):.0f}, start_s: {r.uniform(0, 40):.0f}, ramp_s: {r.choice((1, 5, 20))}}}",
                 "environment.wind": f"{{speed_mps: {r.uniform(3, 28):.1f}, direction_deg: {r.uniform(0, 360):.0f}, seed: {seed + 1}}}"}
    if r.random() < 0.5:
        overrides["environment.waves"] = (f"{{spectrum: jonswap, significant_height_m: {r.uniform(0.5, 4):.1f}, peak_period_s: {r.uniform(8, 12):.1f}, "
                                          f"direction_deg: {r.uniform(0, 360):.0f}, seed: {seed + 2}}}")
    law = Law(thrusters, mass, math.exp(r.uniform(math.log(0.3), math.log(8))), r.choice((0.4, 1, 2)), r.choice((0, 1, 5)))
    noise, lag_s, begins, lasts = r.choice((0, 0.02, 0.1, 0.5)), r.choice((0, 0.5, 2)), r.uniform(3, 50), r.choice((10, 20, 40))
    move = r.choice((None, "step", "ramp", "smooth", "by hand", "force"))
    way, kept = np.array([r.uniform(-40, 40), r.uniform(-40, 40), r.uniform(-0.8, 0.8) if r.random() < 0.4 else 0]), {}

    def change(law, time_s, seen):
        seen = seen + [r.gauss(0, noise * share) for share in (1, 1, 0.1, 0.1, 0.01, 0.001)]
        kept["seen"] = seen = seen if not lag_s or not kept else kept["seen"] + (seen - kept["seen"]) * min(1, 0.1 / lag_s)
        u = min(1, max(0, (time_s - begins) / lasts))
        if law.target is not None and u > 0:
            kept.setdefault("from", law.target.copy())
            share = {"step": 1, "ramp": u, "smooth": u**3 * (10 - 15 * u + 6 * u * u)}.get(move, 0)
            law.target = kept["from"] + share * way
            if move == "by hand":  # ahead by a lever; only the heading is held
                law.target[:2], law.sum[0] = seen[:2], way[0] * 5e-4 * mass[0] * u
            elif move == "force" and u < 1:  # a feed-forward that overdoes
                law.sum = law.sum + way * [2e-4, 2e-4, 2e-3] * mass / (lasts * 10)
        return seen

    events, away = run_law(case, overrides, law, 130, change=change)
    check(not events, f"a right controller is accused, seed {seed}: gain {law.gains[0][0] / mass[0]:.3g}, noise {noise}, lag {lag_s}, {move}, {away:.1f} m", events)


for seed in range(int(os.environ.get("SAGBEND_RIGHT", 24))):
    right(seed)
