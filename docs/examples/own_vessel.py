#!/usr/bin/python3
"""Writes a case and a DP file for a vessel of which only the main particulars are known (docs/own-vessel.md).

    own_vessel.py NAME --length M --breadth M --draught M --tonnes T --gm M [--thruster KIND,FORWARD,STARBOARD,FORCE]...

KIND is tunnel, azimuth (a retractable one, too) or main; FORWARD and STARBOARD are metres from midships; FORCE is 230kN, or 2000kW of power. Without
thrusters the controller commands a force. Every number that follows from a rule has a comment with the rule: replace what you know."""
import argparse
import math
import os
import sys

RHO, G = 1025, 9.81
N_PER_KW = {"tunnel": 127, "azimuth": 170, "main": 113}  # DNV-ST-0111's nominal thrust (azimuth: nozzle) at 450 kW per m2 of disc


def three(x):
    return f"{x:.3g}".replace("e+0", "e").replace("e+", "e") if x else "0"


def row(values):
    return "[" + ", ".join(three(v) for v in values) + "]"


def thruster(words):
    kind, forward, starboard, force = words.split(",")
    number, unit = float(force[:-2]), force[-2:]
    if kind not in N_PER_KW or unit not in ("kN", "kW"):
        sys.exit(f"own_vessel.py: tunnel, azimuth or main, and a force as 230kN or 2000kW expected, got '{words}'")
    newtons = 1e3 * number if unit == "kN" else N_PER_KW[kind] * number
    return kind, float(forward), float(starboard), newtons, newtons / N_PER_KW[kind] * 1e3


def main():
    parser = argparse.ArgumentParser(description="Writes NAME.yaml and NAME-dp.yaml from the main particulars of a vessel.")
    parser.add_argument("name")
    for option in ("length", "breadth", "draught", "tonnes", "gm"):
        parser.add_argument("--" + option, type=float, required=True)
    parser.add_argument("--thruster", action="append", default=[], metavar="KIND,FORWARD,STARBOARD,FORCE",
                        help="tunnel, azimuth (a retractable one, too) or main; metres forward and to starboard of midships; 230kN, or 2000kW of power")
    a = parser.parse_args()
    base = os.path.basename(a.name)
    L, B, T, m, gm = a.length, a.breadth, a.draught, 1e3 * a.tonnes, a.gm
    block = m / RHO / (L * B * T)
    if not 0.35 < block < 1:
        sys.exit(f"own_vessel.py: a block coefficient of 0.35 to 1 expected, got {block:.3g}: are length, breadth, draught in m, the mass in t?")

    cw = (1 + 2 * block) / 3
    area, gm_l = cw * L * B, cw**2 * L**2 / (12 * block * T)
    inertia = [m, m, m, m * (0.37 * B) ** 2, m * (0.25 * L) ** 2, m * (0.25 * L) ** 2]
    half_circle = RHO * math.pi / 2 * T**2 * L
    added = [0.08 * m, 1.2 * half_circle, 0.75 * RHO * math.pi / 8 * B**2 * L,
             0.35 * inertia[3], 1.25 * inertia[4], 0.9 * half_circle * L**2 / 12]
    total = [i + x for i, x in zip(inertia, added)]
    stiffness = [0, 0, RHO * G * area, m * G * gm, m * G * gm_l, 0]
    zeta = [0, 0, 0.2, 0.05, 0.2, 0]
    slow_s = [0, 100 * math.sqrt(L / 83), 0, 0, 0, 20 * math.sqrt(L / 83)]
    damping = [total[i] / slow_s[i] if slow_s[i] else 2 * zeta[i] * math.sqrt(stiffness[i] * total[i]) for i in range(6)]

    thrusters = [thruster(words) for words in a.thruster]
    forward = sum(t[3] for t in thrusters if t[0] != "tunnel")
    sideways = sum(t[3] for t in thrusters if t[0] != "main")
    turning = sum(abs(t[1]) * t[3] if t[0] != "main" else abs(t[2]) * t[3] for t in thrusters)
    if not thrusters:
        forward = sideways = 0.02 * m * G
        turning = sideways * L / 4
    limit = [forward, sideways, 0, 0, 0, turning]
    omega = [0.1 * math.sqrt(83 / L)] * 2 + [0] * 3 + [0.15 * math.sqrt(83 / L)]
    kp = [total[i] * omega[i] ** 2 for i in range(6)]
    kd = [2 * 0.8 * total[i] * omega[i] for i in range(6)]
    ki = [kp[i] * omega[i] / 10 for i in range(6)]

    case = f"""# {base}: {L:g} x {B:g} x {T:g} m, {a.tonnes:g} t, GM {gm:g} m; the rest is estimated (docs/own-vessel.md)
name: {base}

simulation: {{step_s: 0.05, duration_s: 600, mode: fast}}

environment: # CHANGE: depth and weather
  gravity_mps2: {G}
  water_density_kgpm3: {RHO}
  depth_m: 300
  seabed: none
   # Clockwise from north: the wind comes FROM its direction, the current goes TOWARDS it.
  wind: {{speed_mps: 10, direction_deg: 30, gusts: norsok, seed: 1, ramp_s: 60}}
  current: {{surface_mps: 0.5, direction_deg: 250, start_s: 20, ramp_s: 60}}

vessel:
  mass_kg: {a.tonnes:g}e3
  inertia:
    moments_kgm2: {row(inertia[3:])} # estimate: radii 0.37 B, 0.25 L, 0.25 L
    added_mass: {row(added)} # estimate
  damping:
    linear: {row(damping)} # estimate
    quadratic: {row([0.07 * RHO / 2 * B * T, 0, 0, 0, 0, 0])} # estimate: CX 0.07, DNV-ST-0111
  hull: {{length_m: {L:g}, beam_m: {B:g}, draft_m: {T:g}}}
  cross_flow: {{}} # drag of the sections, Hoerner
  current_acts: true # without it a current does not act on the vessel
  hydrostatics:
    waterplane_area_m2: {area:.4g} # estimate: Cw = (1 + 2 Cb)/3 = {cw:.3f}
    gm_transverse_m: {gm:g}
    gm_longitudinal_m: {gm_l:.4g} # estimate: Cw2 L2/(12 Cb T)
    flotation_b_m: [0, 0, 0]
    equilibrium_z_m: 0
  wind: # without it the wind does not act on the vessel
    frontal_area_m2: {B * B:.4g} # estimate: B2; CHANGE: measure it on the drawing
    lateral_area_m2: {0.12 * L * L:.4g} # estimate: 0.12 L2; CHANGE
    length_m: {L:g}
    closed_form: {{transverse: 0.9, bow: 0.55, stern: 0.8, cross_force: 0.55, rolling: 1.2, centroid_forward_m: 0, centroid_height_m: {0.06 * L:.3g}}}
  waves: {{length_m: {L:g}, beam_m: {B:g}, draft_m: {T:g}}} # a box, for environment.waves
  position_n_m: [0, 0, 0]
  attitude_deg: [0, 0, 0]
"""
    dp = f"""# {base}-dp: gains for {2 * math.pi / omega[0]:.0f} s in surge and sway, {2 * math.pi / omega[5]:.0f} s in yaw, 0.8 of critical damping
name: {base}-dp

pid:
  kp: {row(kp)} # M w2
  kd: {row(kd)} # 2 zeta M w
  ki: {row(ki)} # kp w/10
  setpoint: {{position_m: [0, 0, 0], attitude_deg: [0, 0, 0]}}
  integral_limit: {row([0.5 * x for x in limit])}
  wrench_limit: {row(limit)} # the thrusters' forces together
  start_s: 5
"""
    if thrusters:
        case += "  thrusters: # CHANGE: depth (position_b_m, the third number, here and in the DP file), revolutions, lags\n"
        dp += "\nthrusters:\n"
        for number, (kind, x, y, newtons, watts) in enumerate(thrusters, 1):
            common = (f"{{name: {kind}_{number}, kind: {kind}, position_b_m: [{x:g}, {y:g}, {0.7 * T:.3g}], thrust_max_n: {three(newtons)}, "
                      f"revolutions_max_rpm: 200, power_max_w: {three(watts)}")
            astern = ", thrust_astern: 0.6" if kind != "tunnel" else ""
            turns = ", azimuth_lag_s: 0.5, azimuth_rate_degps: 12" if kind == "azimuth" else ""
            case += f"    - {common}{astern}, revolutions_lag_s: 1.5, revolutions_rate_rpmps: 20{turns}}}\n"
            turns = ", azimuth_rate_degps: 10" if kind == "azimuth" else ""
            dp += f"  - {common}{astern}, thrust_rate_nps: {three(newtons / 10)}{turns}}}\n"
    case += f"""
controller: {{kind: external, dp_file: {base}-dp.yaml}}
initial_holding_force: balance

verdicts:
  - {{name: on station, quantity: offset_m, below: 3}}
  - {{name: on heading, quantity: heading_error_deg, within: [-3, 3]}}
"""
    for path, words in ((a.name + ".yaml", case), (a.name + "-dp.yaml", dp)):
        lines = [(line.split(" # ", 1) + [""])[:2] for line in words.split("\n")]
        words = "\n".join(f"{key.rstrip():<66} # {why}" if why and key.strip() else f"{key}# {why}" if why else key for key, why in lines)
        try:
            with open(path, "w") as file:
                file.write(words)
        except OSError as e:
            sys.exit(f"own_vessel.py: {path}: {e.strerror}")
        print("wrote", path)


main()
