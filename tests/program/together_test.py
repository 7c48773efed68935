"""All features in one run: sea on the pipe, soil, fatigue, power plant, instruments of all principles, alarms, also while the pipe is
laid, retires, and runs over a stinger. Balance, losses, resuming, a kill, replay, another C library."""
import csv

from clay import CLAY
from harness import *

NARROW = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-FMA_Usable,-FMA,-FMA4_Usable"}
GROUND = {"seabed": "soil", "seabed_friction_axial": 0.4, "seabed_friction_lateral": 0.6, "soil": CLAY}
PLANT = {"buses": [{"name": "port", "hotel_w": 0.4e6}, {"name": "starboard", "hotel_w": 0.4e6}],
         "generators": [{"name": "set-1", "bus": "port", "rating_w": 2.7e6}, {"name": "set-3", "bus": "starboard", "rating_w": 2.2e6}],
         "ties": [{"name": "tie", "from": "port", "to": "starboard"}]}
FATIGUE = {"curve": "D", "interval_s": 0.05, "window_s": 16, "wall_thickness_m": 0.0159}
FAULTS = [("set", 22, "trip", "set-1"), ("satellites", 24, "freeze", "gnss-2"), ("laser", 26, "wrong_target", "laser-1"), ("thruster", 28, "stuck", "bow_tunnel_1")]


def write(name, base, case):
    with open(path(name + ".yaml"), "w") as file:
        json.dump({"extends": f"{SOURCE}/configs/{base}", "name": name, **case}, file)  # JSON is YAML
    return path(name + ".yaml")


def check_balance(name, of):
    """Of a summary, and of the record of every step."""
    check(of["energy"]["closure_rel"] < 1e-12 and of["steps_not_converged"] == 0, f"{name}: closure, unsolved steps", of["energy"], of["newton"])
    check(of["energy"]["work_j"]["pipe_waves"] and of["fatigue"]["fatigue_damage"] > 0 and of["energy"]["dissipated_j"]["soil"] > 0,
          f"{name}: something did not take part", of["energy"], of["fatigue"])
    last = {}
    with open(path(name + ".csv")) as file:
        for row in csv.DictReader(file):
            for column in (c for c in row if c.startswith("dissipated_") or c == "power_plant_loss_j"):
                check(float(row[column]) >= last.get(column, 0), f"{name}: a loss falls", column, last, row["time_s"])
                last[column] = float(row[column])
    check(last["dissipated_soil_j"] > 0, f"{name}: the record", last)


def go(name, case, until_s, *more, environment=None):
    command = [SAGBEND, "run", case, "--mode", "fast", "--duration", str(until_s), "--summary", path(name + ".json"), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * PATIENCE_S, env={**os.environ, **(environment or {})})
    check(done.returncode in (0, 1), name, done.stderr)  # 1: a verdict that so short a run does not pass
    return load(name + ".json")


def replayed(name, *allowed):
    status, out, err = run("replay", "--verify", path(name + ".mcap"))
    check(status in allowed and "equal" in out, f"{name}: replay", status, out, err)


def judge(name, case, middle_s, until_s):
    """The whole run, the same in two parts, and its replay."""
    whole = go(name, case, until_s, "--hashes", path(name + ".hashes"), "--log", path(name + ".mcap"), "--record", path(name + ".csv"),
               "--record-every", "0.001")
    check_balance(name, whole)
    replayed(name, 0)
    go(name + "-first", case, middle_s, "--checkpoint", path(name + ".checkpoint"))
    rest = go(name + "-rest", case, until_s, "--resume", path(name + ".checkpoint"), "--hashes", path(name + ".rest"))
    check(hashes(name + ".rest") and hashes(name + ".hashes")[-len(hashes(name + ".rest")):] == hashes(name + ".rest"), f"{name}: bits after a resume")
    for part in "fatigue", "soil", "thrusters", "alarms":
        check(rest.get(part) == whole.get(part), f"{name}: {part} after a resume", rest.get(part), whole.get(part))
    return whole


# The shipped case with its faults early: a trip is in the plant, and alarms are raised, before and after the resume.
early = write("early", "osv-83m-everything.yaml", {
    "events": [{"name": name, "at_s": at_s, "duration_s": 12, "fault": fault, "target": target} for name, at_s, fault, target in FAULTS]})
whole = judge("early", early, 33.33, 60)
check(whole["alarms"]["raised"] > 1 and whole["faults"]["began"] == whole["faults"]["ended"] == 4, "alarms", whole["alarms"], whole["faults"])
check(abs(whole["power_plant"]["power_plant_residual_j"]) < 1e-13 * whole["power_plant"]["fuel_work_j"], "balance of the plant", whole["power_plant"])
narrow = go("narrow", early, 20, "--hashes", path("narrow.hashes"), environment=NARROW)
check(hashes("narrow.hashes") == hashes("early.hashes")[:len(hashes("narrow.hashes"))], "bits without AVX2 and FMA")

# Killed: the log is recovered and replays, the newest checkpoint goes on with the same bits.
victim = Program(SAGBEND, "run", early, "--mode", "fast", "--duration", "50", "--log", path("killed.mcap"), "--checkpoint", path("killed"), "--checkpoint-every", "1")
until(lambda: os.path.exists(path("killed")), "no checkpoint", victim.stderr)
victim.kill()
go("revived", early, 60, "--resume", path("killed"), "--hashes", path("revived.hashes"))
check(hashes("revived.hashes") == hashes("early.hashes")[-len(hashes("revived.hashes")):], "bits after a kill")
replayed("killed", 0, 3)

# Laid joint by joint, with laid pipe that retires; and over a stinger.
laid = write("laid", "osv-83m-lay.yaml", {
    "environment": {**GROUND, "waves": {"pipe": True}}, "vessel": {"power": PLANT}, "pipe": {"retire": {"anchor_m": 100}, "fatigue": FATIGUE},
    "controller": {"dp_file": f"{SOURCE}/configs/osv-83m-lay-dp.yaml"}})
whole = judge("laid", laid, 198.35, 265)
with open(path("laid.csv")) as file:
    retired = [int(row["retired_nodes"]) for row in csv.DictReader(file)]
check(0 < retired[3967] < retired[-1] and whole["energy"]["work_j"]["retired"] < 0 and whole["energy"]["work_j"]["feed"],
      "laid pipe that retires before and after the resume", retired[3967], retired[-1], whole["energy"])
stinger = write("stinger", "slay-100m-lay.yaml", {
    "environment": {**GROUND, "waves": {"pipe": True, "significant_height_m": 1.2, "peak_period_s": 6.5, "direction_deg": 180, "ramp_s": 20}},
    "pipe": {"fatigue": FATIGUE}})
judge("stinger", stinger, 63.34, 80)
