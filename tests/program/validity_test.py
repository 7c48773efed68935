"""Seas that cannot exist are refused by every command that reads a case, and steep ones are named. A run that leaves the range in
which the model holds fails, with the limit and its key, unless the case says that the event is only reported."""
from harness import *

CONFIGS = os.path.join(SOURCE, "configs")
SUPPLY, WAVES = (os.path.join(CONFIGS, name + ".yaml") for name in ("supply-83m-waves", "slay-100m-waves"))


def case(name, *settings, limit=None, status=1, duration="1"):
    summary = path("summary.json")
    sets = [x for s in settings for x in ("--set", s)]
    got, out, err = run("run", os.path.join(CONFIGS, name + ".yaml"), "--mode", "fast", "--duration", duration, "--summary", summary, *sets)
    check(got == status, f"{name} {settings}: status {got}", out, err)
    failures = load("summary.json")["failures"]
    if status == 1:
        check(len(failures) == 1 and failures[0].endswith("(simulation.on_event): " + limit), "its reason", failures)
        check(f"failed: {failures[0]}\n" in err, "its line", err)
    else:
        check(failures == [], f"{name}: no reason", failures)
    check((f": {limit}: " in err) == (limit is not None), f"the event {limit}", err)


# Limits: each fails the run, is only reported if the case says so, and can be moved.
for name, limit, push, further in (
        ("vessel-only", "large_angle", "vessel.attitude_rad=[0.79,0,0]", "validity.angle_deg=60"),
        ("vessel-only", "large_angle", "vessel.attitude_rad=[0,-0.79,0]", "validity.angle_deg=46"),
        ("jlay-900m", "hangoff_outside", "vessel.hangoff_b_m=[0,0,21]", "validity.hangoff_depth_m=23"),
        ("jlay-900m", "large_strain", "validity.strain=1e-4", "validity.strain=0.05"),
        ("jlay-uneven", "pipe_sinks", "validity.sinking_diameters=0.5", "validity.sinking_diameters=0.9"),
        ("supply-83m-waves", "beyond_hydro", "vessel.velocity_b=[3,0,0,0,0,0]", "validity.brard_number=0.4")):
    case(name, push, limit=limit)
    case(name, push, f"simulation.on_event.{limit}=report", limit=limit, status=0)
    case(name, push, further, status=0)
    case(name, status=0)
status, out, err = run("check", SUPPLY, "--set", "simulation.on_event.large_angle=ignore")
check(status == 2 and "simulation.on_event.large_angle: " in err and "fail" in err, "an unknown outcome", err)
status, out, err = run("statics", os.path.join(CONFIGS, "jlay-900m.yaml"), "--set", "vessel.hangoff_b_m=[0,0,21]")
check(status == 0 and "hang-off has come under water" in out, "the statics warn", out, err)

# What has happened stays in a checkpoint: the resumed run has failed too.
first = run("run", os.path.join(CONFIGS, "jlay-900m.yaml"), "--mode", "fast", "--duration", "1", "--set", "validity.strain=1e-4",
            "--checkpoint", path("point"))
again = run("run", os.path.join(CONFIGS, "jlay-900m.yaml"), "--mode", "fast", "--duration", "2", "--set", "validity.strain=1e-4",
            "--resume", path("point"))
check(first[0] == 1 and again[0] == 1 and "(simulation.on_event): large_strain" in again[2], "a resumed run", first, again)

# Seas.
def sea(height, period, *more):
    return [x for s in (f"environment.waves.significant_height_m={height}", f"environment.waves.peak_period_s={period}", *more) for x in ("--set", s)]


REGULAR = "environment.waves.spectrum=regular"
for settings, word in ((sea(8, 5), "2 pi Hs/(g Tp^2) of at most 1/10, at 5 s a height of at most 3.903 m"), (sea(30, 3), "3 s"),
                       (sea(13, 18, "environment.depth_m=20"), "0.6 of the depth, 12 m"), (sea(9.4, 6.5, REGULAR), "9.367 m high"),
                       (sea(2, 8, "environment.waves.table=[{time_s: 0, factor: 1}, {time_s: 9, factor: 6}]", "environment.waves.ramp_s=null"), "does not break")):
    for command in (["check"], ["run", "--duration", "1"]):
        status, out, err = run(command[0], SUPPLY, *command[1:], *settings)
        check(status == 2 and word in err and "environment.waves.significant_height_m: " in err and err.count("\n") == 1, f"{command}: {word}", err)
status, out, err = run("statics", WAVES, *sea(8, 5))
check(status == 2 and "does not break" in err, "statics", err)
with open(path("plan.yaml"), "w") as file:
    file.write(f"name: seas\nbase: {SUPPLY}\nset: {{simulation: {{duration_s: 1}}}}\n"
               "vary:\n  - {keys: [environment.waves.significant_height_m], rows: [[1], [20]]}\nquantities: [offset_m]\n")
status, out, err = run("sweep", path("plan.yaml"), "--out", path("sweep"))
check(status == 2 and "does not break" in err, "sweep", status, out, err)
for settings, word in ((sea(2.7, 5), "1/14"), (sea(12, 12), "1/18.7"), (sea(7.6, 6.5, REGULAR), "81 %")):
    for command in (["check"], ["run", "--duration", "1"]):
        status, out, err = run(command[0], SUPPLY, *command[1:], *settings)
        check(status == 0 and "notice: " in err and word in err, f"{command}: {word}", status, err)
for settings in (sea(2.5, 5), sea(11.5, 12), sea(7.4, 6.5, REGULAR)):
    status, out, err = run("check", SUPPLY, *settings)
    check(status == 0 and "notice" not in err, f"{settings}", err)
with open(path("sea.yaml"), "w") as file:
    file.write(f"extends: {SUPPLY}\nenvironment:\n  waves:\n    significant_height_m: 8\n    peak_period_s: 5\n")
status, out, err = run("check", path("sea.yaml"))
check(status == 2 and "sea.yaml:4:27: error: environment.waves.significant_height_m: " in err, "line and column", err)
