"""Exit statuses and errors: 0 success, 1 failure, 2 wrong usage or input; one line on stderr states the error."""
from harness import *

WRONG = [
    ([], "command is missing"),
    (["sail"], "unknown command 'sail'"),
    (["run"], "CONFIG"),
    (["run", JLAY, VESSEL], VESSEL),
    (["run", JLAY, "--fast"], "'--fast'"),
    (["run", JLAY, "--duration"], "'--duration'"),
    (["run", JLAY, "--set", "nonsense"], "KEY=VALUE"),
    (["run", JLAY, "--set", "vessel.colour=red"], "vessel.colour"),
    (["run", JLAY, "--step-s", "fast"], "simulation.step_s"),
    (["run", JLAY, "--step-s", "-1"], "simulation.step_s"),
    (["run", JLAY, "--step-s", "nan"], "simulation.step_s"),
    (["run", JLAY, "--mode", "slow"], "simulation.mode"),
    (["run", JLAY, "--mode", "fast", "--record-every", "0"], "seconds above 0"),
    (["run", JLAY, "--mode", "fast", *ANY_PORT], "opens no sockets"),
    (["run", JLAY, "--mode", "realtime", "--hashes", path("h")], "--hashes"),
    (["run", JLAY, "--mode", "fast", "--set", "controller.dp_file="], "dp_file"),
    (["run", path("missing.yaml")], "missing.yaml"),
    (["run", FOLDER], FOLDER),
    (["statics", JLAY, "--elements", "many"], "pipe.elements"),
    (["statics", JLAY, "--horizontal-force-n", "inf"], "statics.horizontal_force_n"),
    (["statics", JLAY, "--summary", "x"], "'--summary'"),
    (["check"], "CONFIG"),
    (["check", JLAY, "--set", "vessel.mass_kg=heavy"], "vessel.mass_kg"),
    (["check", JLAY_DP], "check --dp"),
    (["schema", "extra"], "'extra'"),
]
for args, expected in WRONG:
    status, out, err = run(*args)
    check(status == 2, f"{args} exits with {status}, not 2", err)
    check(expected in err, f"{args} does not contain '{expected}'", err)
    check(out == "", f"{args} prints on stdout", out)

# The help of ctl fits 80 columns; usage and orders begin with what an operator uses first.
status, out, err = run("ctl", "--help")
used = re.findall(r"^ *(?:usage: )? *sagbend ctl ENDPOINT ([a-z-]+)", out, re.M)
listed = re.findall(r"^  ([a-z-]+) ", out.split("\norders:\n")[1].split("\noptions:")[0], re.M)
check(status == 0 and used == listed and used[:5] == ["watch", "status", "fault", "clear", "list"] and max(map(len, out.splitlines())) <= 80,
      "the help of ctl", used, listed)

# What check says that it has read, and what will run: some ten lines before the last one.
status, out, err = run("check", os.path.join(SOURCE, "configs/osv-83m-lay.yaml"), "--set", "simulation.duration_s=77")
said = dict(re.findall(r"^(\w+(?: \w+)?) {2,}(.*)$", out, re.M))
check(status == 0 and 8 <= len(out.splitlines()) <= 12, "check says what it has read", out, err)
for label, words in (("case", "osv-83m-lay"), ("vessel", "4 thrusters on 2 buses"), ("pipe", "600 m of 273.1 mm in 50 elements, with a tensioner"), ("at rest", "lay-back"),
                     ("sea", "300 m of water, wind 8 m/s from 20 deg, waves of 1.5 m significant height, current 0.4 m/s towards 90 deg"), ("instruments", "3 gnss, 3 gyro"), ("controller", "osv-83m-lay-dp.yaml"),
                     ("scenario", "0 loads, 0 events, 5 verdicts"), ("run", "in lockstep with its controller, steps of 0.05 s, 77 s"), ("network", "tcp://127.0.0.1:47700")):
    check(words in said.get(label, ""), f"check says {label}", out)
status, out, err = run("check", VESSEL)
check(status == 0 and "no thrusters" in out and re.search(r"^pipe +none$", out, re.M) and "network" not in out, "check of a vessel alone", out, err)

# Keys without an effect: check and run give the same notice, and both succeed.
for settings, expected in [(["simulation.overrun=halt", "simulation.mode=lockstep"], "overrun: halt has an effect in mode realtime only"),
                           (["simulation.overrun=halt", "simulation.mode=fast"], "in mode fast no step is late"),
                           (["simulation.overrun=halt", "simulation.mode=realtime"], None), (["simulation.mode=fast"], None),
                           (["simulation.mode=fast", "log.keep_parts=2"], "delete nothing"), (["simulation.mode=fast", "log.keep_mib=2"], "delete nothing"),
                           (["simulation.mode=fast", "log.keep_mib=2", "log.part_mib=1"], None),
                           (["simulation.mode=fast", "simulation.lockstep_timeout_s=2"], "lockstep_timeout_s has an effect")]:
    overrides = [word for setting in settings for word in ("--set", setting)]
    status, out, err = run("check", VESSEL, *overrides)
    check(status == 0 and out.endswith(": ok\n") and (": notice: " in err and expected in err if expected else not err), f"check {settings}", out, err)
    if "simulation.mode=fast" in settings:
        status, out, err = run("run", VESSEL, *overrides, "--duration", "0.1")
        check(status == 0 and (expected in err if expected else "notice" not in err), f"run {settings}", err)

# So is a key that a case inherits: waves on a pipe that the case leaves out change no bit. Heave damping in body axes pushes a box against
# the sea; in level axes, without waves on the vessel, without this damping or with the data of a diffraction code it does not.
SEA = "environment.waves={significant_height_m: 2, peak_period_s: 8, direction_deg: 0, pipe: %s}"
BOX = "vessel.waves={length_m: 80, beam_m: 18, draft_m: 5}"
WEATHER = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
ALONE = ["pipe=null", "statics=null", "instruments=[]", "controller={kind: none}"]
NO_PIPE, PUSHED = "environment.waves.pipe has no effect: there is no pipe", "set vessel.damping.axes to level"
for case, settings, expected in [
        (VESSEL, [SEA % "true"], {NO_PIPE}), (VESSEL, [SEA % "false"], set()), (VESSEL, [SEA % "true", BOX], {NO_PIPE, PUSHED}),
        (VESSEL, [SEA % "false", BOX], {PUSHED}), (VESSEL, [SEA % "false", BOX, "vessel.damping.axes=body"], {PUSHED}),
        (VESSEL, [SEA % "false", BOX, "vessel.damping.axes=level"], set()), (VESSEL, [SEA % "false", BOX, "vessel.waves.first_order=false"], set()),
        (VESSEL, [SEA % "false", BOX, "vessel.damping.linear=[1, 1, 0, 1, 1, 1]"], set()), (VESSEL, [BOX], set()),
        (VESSEL, [SEA % "true", "simulation.order=4"], {NO_PIPE}), (WEATHER, ALONE, {NO_PIPE}), (WEATHER, ALONE + ["vessel.damping.axes=body"], {NO_PIPE})]:
    overrides = ["--set", "simulation.mode=fast", *(word for setting in settings for word in ("--set", setting))]
    for status, out, err in [run("check", case, *overrides), run("run", case, *overrides, "--duration", "0.1")]:
        check(status == 0 and {n for n in (NO_PIPE, PUSHED) if n in err} == expected, f"notices of {case} with {settings}", out, err)
hashes = []
for on_pipe in ("true", "false"):
    status, out, err = run("run", WEATHER, *(word for setting in ALONE for word in ("--set", setting)), "--set", f"environment.waves.pipe={on_pipe}", "--mode",
                           "fast", "--duration", "5", "--summary", path("alone.json"))
    check(status == 0, "a case that leaves its pipe out", out, err)
    hashes.append(load("alone.json")["state_hash"])
check(hashes[0] == hashes[1], "waves on a pipe that is not there change the motion", hashes)

# Files that cannot be written are reported before the run, not after it.
for option in ["--summary", "--record", "--hashes", "--shapes"]:
    status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1e6", option, path("no/such/folder"))
    check(status == 1 and "no/such/folder" in err, f"{option} into a folder that is not there: {status}", err)
# A full disk is reported after it.
status, out, err = run("run", VESSEL, "--duration", "1", "--record", "/dev/full")
check(status == 1 and "/dev/full" in err, f"a full disk passes unseen: {status}", err)
status, out, err = run("run", VESSEL, "--duration", "1", "--summary", "/dev/full")
check(status == 1 and "/dev/full" in err, f"a full disk passes unseen: {status}", err)

commands = re.findall(r"^  ([a-z-]+)(?:  +\w|$)", run("--help")[1], re.M)
check(len(commands) >= 10, "commands in the help", commands)
for args in [["--help"]] + [[command, "--help"] for command in commands]:
    status, out, err = run(*args)
    check(status == 0 and "example" in out and err == "", f"{args}: status {status}, no example", out, err)
    if args[0] != "ctl":
        check("exit status: 0" in out and "2 wrong usage" in " ".join(out.split()), f"{args}: exit statuses are not stated", out)
        check(max(map(len, out.splitlines())) <= 80, f"{args}: a line of more than 80 columns", out)

for config in sorted(os.listdir(os.path.join(SOURCE, "configs"))):
    if config.endswith(".yaml"):
        kind = ["--dp"] if "-dp" in config else []
        status, out, err = run("check", os.path.join(SOURCE, "configs", config), *kind)
        said = [line for line in err.splitlines() if "its elements are wires, by element_kind: auto" not in line]
        alone = [line for line in said if "environment.current acts on the pipe alone: vessel.current_acts is false" in line]
        check(len(alone) == out.count("(on the pipe alone)"), f"check {config}: the notice of the current where the sea says it", out, err)
        said = [line for line in said if line not in alone]
        check(status == 0 and "ok" in out and said == [], f"check {config}: status {status}", out, err)

status, out, err = run("schema")
check(status == 0 and "vessel" in json.loads(out)["properties"], "no schema", out[:200], err)

# A DP file as a case, and a case as a DP file: one error says what it is.
for program, args, expected in ((SAGBEND, ["run", JLAY_DP], "a case expected, got a DP file (it has"), (SAGBEND, ["check", JLAY_DP], "a case expected, got a DP file (it has"),
                                (SAGBEND_DP, [JLAY], "a DP file expected, got a case (it has"), (SAGBEND, ["check", "--dp", JLAY], "a DP file expected, got a case (it has"),
                                (SAGBEND, ["check", os.path.join(SOURCE, "configs/osv-83m-lay-dp.yaml")], "a case expected, got a DP file (it has")):
    status, out, err = run(*args, program=program)
    check(status == 2 and len(err.splitlines()) == 1 and expected in err and re.match(r".+:\d+:\d+: error: ", err), f"{args}: one error", err)
# What the statics refuse, check refuses.
status, out, err = run("check", JLAY, "--set", "pipe.length_m=800")
check(status == 2 and not out and "the pipe (800 m) is too short" in err, "check solves the statics", out, err)
