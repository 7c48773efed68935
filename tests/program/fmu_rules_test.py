"""What an exported FMU refuses and in which words, its parameters, orders, inputs and states; each in FMI 2.0 and 3.0 through an importer of our
own. What the FMU's binary needs and shows."""
import itertools
import shutil

from fmu import *

HEIGHT = "environment.waves.significant_height_m"
LAY = os.path.join(SOURCE, "configs/osv-83m-lay.yaml")
WEATHER = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
STARTED = ("make-loud", "begin 0 -", "enter", "exit")


def told(answer):
    """The texts of the log, and the last line, which is the status."""
    return [line.split(" ", 3)[3] for line in answer if line.startswith("log ")], answer[-1]


def refused(fmu, text, *lines, status="error"):
    answers = fmu.script(*lines)
    texts, last = told(answers[-1])
    check(last == status and texts and text in texts[0], f"FMI {fmu.fmi}: {lines[-1]}: '{text}' expected", answers[-1])


# What the shared object of an FMU needs and shows.
fmu = Fmu(VESSEL, 2)
needs = re.findall(r"\(NEEDED\).*\[(.*)\]", subprocess.run(["readelf", "-d", fmu.binary], capture_output=True, text=True, check=True).stdout)
is_shared = "INTERP" not in subprocess.run(["readelf", "-lW", fmu.binary], capture_output=True, text=True, check=True).stdout  # not the tests' own importer
check(not is_shared or set(needs) <= {"libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}, "an FMU needs what a foreign machine need not have", needs)
shown = [line.split()[-1] for line in subprocess.run(["nm", "-D", "--defined-only", fmu.binary], capture_output=True, text=True, check=True).stdout.splitlines()]
check(not is_shared or shown and all(name.startswith(("fmi2", "fmi3")) for name in shown), "an FMU shows other names", shown)

for fmi in (2, 3):
    # ---- Wrong exports
    for options, text in (
        (["--fmi", "4"], "--fmi: 2 or 3 expected, got '4'"),
        (["--controller", "mine"], "--controller: inside, caller or alone expected, got 'mine'"),
        (["--parameter", "environment.nothing"], "--parameter environment.nothing: a key of a number expected, got none"),
        (["--parameter", "simulation.mode"], "--parameter simulation.mode: a key of a number expected, got one of something else"),
        (["--parameter", HEIGHT, "--parameter", HEIGHT], f"--parameter: {HEIGHT} once expected, got it twice"),
        (["--set", HEIGHT + "=-3"], f"--set:1:{len(HEIGHT) + 2}: error: {HEIGHT}: "),
    ):
        status, out, err = run("fmu", LAY, "-o", path("wrong.fmu"), *options)
        check(status == 2 and text in err and not os.path.exists(path("wrong.fmu")), f"'{text}' expected", status, err)
    status, out, err = run("fmu", LAY)
    check(status == 2 and "-o X.fmu: the file to write expected" in err, "no output", status, err)

    # ---- Steps, times, phases
    fmu = Fmu(JLAY, fmi, "--controller", "caller")
    step_s = float(Fmu(JLAY, 3).xml.find("CoSimulation").get("fixedInternalStepSize"))
    do_step = "fmi2DoStep" if fmi == 2 else "fmi3DoStep"
    refused(fmu, f"communication step 0.037 s: a whole multiple of the step of the case, {step_s:.9g} s, expected", *STARTED, "step 0 0.037")
    refused(fmu, "communication step nan s: a whole multiple", *STARTED, "step 0 nan")
    refused(fmu, "communication point 3 s: this FMU stands at 0 s", *STARTED, f"step 3 {step_s}")
    refused(fmu, "communication step to 101.1 s: beyond the stop time 101 s", "make-loud", "begin 100 101", "enter", "exit", "step 100 1", "step 101 0.1")
    refused(fmu, do_step + " is not allowed in this state", "make-loud", "begin 0 -", "enter", f"step 0 {step_s}")
    refused(fmu, "is not allowed in this state", *STARTED, "terminate", f"step 0 {step_s}")
    answers = fmu.script("make-loud", "begin 100 -", "enter", "exit", f"step 100 {step_s}", "real {time_s}", f"step {100 + step_s + 1e-9} {step_s}", "real {time_s}")
    check(abs(float(answers[5][-1]) - 100 - step_s) < 1e-9 and abs(float(answers[7][-1]) - 100 - 2 * step_s) < 1e-9, "a start other than 0", answers)
    answers = fmu.script(*STARTED, "other")
    check([line for line in answers[-1] if not line.startswith("log ")] == ["error"] * (4 if fmi == 2 else 5) + (["discard"] if fmi == 2 else []), "not provided",
          answers)
    if fmi == 3:
        refused(fmu, "all variables are scalar: 1 values expected for 1 references, got 2", *STARTED, "mismatch {time_s}")
        texts, last = told(fmu.script("make-events")[0])
        check(last == "none" and "event mode: not provided" in texts[0], "event mode", texts)

    # ---- Values
    surge, engaged = "{command.wrench.surge_n}", "{command.engaged}"
    refused(fmu, "command.wrench.surge_n: a number from -", *STARTED, f"set-real {surge} nan")
    refused(fmu, "expected, got 1e+300", *STARTED, f"set-real {surge} 1e300")
    refused(fmu, "value reference 12345: this FMU has none", *STARTED, "real 12345")
    refused(fmu, "it is no input", *STARTED, "set-real {vessel.north_m} 0")
    refused(fmu, "a function for variables of type boolean expected, got one for real", *STARTED, f"real {engaged}")
    answers = fmu.script(*STARTED, f"set-real {surge} 1000 {{command.wrench.sway_n}} 1e300", f"real {surge}")
    check(answers[-2][-1] == "error" and answers[-1][-1] == "0", "one bad value lets the other through", answers)
    # An importer sets every input to its start value: that is no command.
    quiet = fmu.script(*STARTED, f"set-real {surge} 0", f"set-boolean {engaged} 0", f"steps 0 {step_s} 5 {{state_hash}}")
    untouched = fmu.script(*STARTED, f"steps 0 {step_s} 5 {{state_hash}}")
    check(quiet[-1] == untouched[-1], "start values are a command", quiet, untouched)
    pushed = fmu.script(*STARTED, f"set-real {surge} 100000", f"set-boolean {engaged} 1", f"steps 0 {step_s} 200 {{state_hash}}", "real {vessel.surge_mps}")
    alone = fmu.script(*STARTED, f"steps 0 {step_s} 200 {{state_hash}}", "real {vessel.surge_mps}")
    check(abs(float(pushed[-1][-1]) - float(alone[-1][-1])) > 1e-2, "a command does nothing", pushed[-1], alone[-1])

    # ---- Orders
    answers = fmu.script(*STARTED, "set-text {order} clear nothing", f"step 0 {step_s}", "text {order_result}", "set-text {order} pause",
                         f"step {step_s} {step_s}", "text {order_result}", "set-text {order} " + "x" * 600)
    check(answers[6][-1].startswith("refused: ") and "an order to the vessel expected, got one to a run" in answers[9][-1], "orders", answers)
    check(told(answers[10])[1] == "error", "a long order", answers[10])

    # ---- Integers and booleans; a latched fault
    lay = Fmu(LAY, fmi, "--controller", "caller")
    mode, tension = "{command.tensioner.mode}", "{command.tensioner.tension_n}"
    thruster = next(name for name in lay.variables if name.startswith("command.thruster.") and name.endswith(".commanded"))
    answers = lay.script(*STARTED, f"integer {mode} {{events_count}} {{verdicts_failed}}", f"set-integer {mode} 7", f"set-real {tension} 5e5", f"set-integer {mode} 1",
                         f"integer {mode}", f"boolean {{{thruster}}} {engaged}", f"set-boolean {{{thruster}}} 1 {engaged} 1", f"boolean {{{thruster}}} {engaged}",
                         f"set-boolean {engaged} 0", f"boolean {engaged}", f"real {mode}", f"set-boolean {mode} 1")
    check(answers[4][:2] == ["ok", "-1"] and len(answers[4]) == 4, "integers", answers[4])
    check(answers[5][-1] == "error" and "command.tensioner.mode: a whole number from -1 to 2 expected, got 7" in answers[5][0], "an integer out of its range", answers[5])
    check([answer[-1] for answer in answers[6:9]] == ["ok", "ok", "1"] and answers[9] == ["ok", "0", "0"] and answers[11] == ["ok", "1", "1"] and answers[13] == ["ok", "0"],
          "integers and booleans", answers[6:14])
    check(answers[14][-1] == answers[15][-1] == "error" and "of type integer expected, got one for boolean" in answers[15][0], "an integer by another function", answers[14:])
    broken = Fmu(JLAY, fmi, "--controller", "caller", "--set", "loads=[{frame: world, wrench: [0, 1e300, 0, 0, 0, 0], start_s: 1}]")
    answers = broken.script(*STARTED, "save", f"steps 0 {step_s} 200 {{state_hash}}", "status", f"step {1 + step_s} {step_s}", "load", f"step 0 {step_s}", "reset", "begin 0 -",
                            "enter", "exit", f"steps 0 {step_s} 50 {{state_hash}}")
    texts, last = told(answers[5])
    made = len([line for line in answers[5] if re.fullmatch("[0-9a-f]{16}", line)])
    check(last == "discard" and any("the simulation has latched a fault at " in text for text in texts) and made == round(1 / step_s), "a fault", made, answers[5][-6:])
    if fmi == 2:
        check(re.fullmatch(r"last 1\.?[0-9]* terminated 1", answers[6][-1]), "the status after a fault", answers[6])
    else:
        check(any(re.fullmatch(r"terminate 1, last 1\.?[0-9]*", line) for line in answers[5]), "what the step tells of a fault", answers[5][-6:])
    check(answers[7][-1] in ("discard", "error") and answers[8][-1] == answers[9][-1] == "ok", "a state from before the fault", answers[7:10])
    check(answers[10][-1] == "ok" and answers[14][-1] == "ok", "a reset after a fault", answers[10:])

    # ---- The token, the resources
    answers = fmu.script("make", token="{0}")
    check(answers[0][-1] == "none" and f"token {fmu.token} expected, got {{0}}" in answers[0][0], "another token", answers)
    answers = fmu.script("make", resources="/nowhere")
    check(answers[0][-1] == "none" and "/nowhere/sagbend.txt:1:1: a readable file expected" in answers[0][0], "no resources", answers)
    answers = fmu.script("make", name="")
    check(answers[0][-1] == "none" and "a name of the instance expected" in answers[0][0], "no name", answers)
    changed = path(f"changed {fmi}")
    shutil.copytree(os.path.join(fmu.folder, "resources"), changed)
    name = next(n for n in os.listdir(changed) if n.startswith("0-"))
    with open(os.path.join(changed, name), "a") as file:
        file.write("# another text\n")
    answers = fmu.script("make", resources=changed)
    check(answers[0][-1] == "none" and "the binary or a file of the resources is not the one that was exported" in answers[0][0], "another case", answers)

    # ---- Parameters
    lay = Fmu(LAY, fmi, "--parameter", HEIGHT)
    start = float(lay.variables["parameter." + HEIGHT]["start"])
    height = "{parameter." + HEIGHT + "}"
    # No output depends on an input at the same time; at the start each depends on the parameter.
    structure = lay.xml.find("ModelStructure")
    in_step, at_start = (structure.find("Outputs"), structure.find("InitialUnknowns")) if fmi == 2 else (structure.findall("Output"), structure.findall("InitialUnknown"))
    order = [variable.get("name") for variable in lay.xml.find("ModelVariables")]
    parameter = str(order.index("parameter." + HEIGHT) + 1) if fmi == 2 else lay.vr("parameter." + HEIGHT)
    outputs = [v for v in lay.variables.values() if v["causality"] == "output"]
    check(len(in_step) == len(at_start) == len(outputs) > 100 and {each.get("dependencies") for each in in_step} == {""}
          and {each.get("dependencies") for each in at_start} == {parameter}, "dependencies", parameter, at_start[0].attrib)
    lay_step_s = 0.05
    for value in (start, 2.5):
        wanted = wanted_hashes(LAY, 20, lay_step_s, "--set", f"{HEIGHT}={value}")
        check(lay.hashes(20, lay_step_s, f"set-real {height} {value}") == wanted, f"significant height {value}")
    refused(lay, HEIGHT + ": a fixed parameter; it can be set until the initialisation has ended", *STARTED, f"set-real {height} 2")
    texts, last = told(lay.script("make-loud", f"set-real {height} -3", "begin 0 -", "enter", "exit")[-1])
    check(last == "error" and re.match(rf"--set:1:{len(HEIGHT) + 2}: {HEIGHT}: .* expected, got '-3'", texts[0]), "a height below 0", texts)
    answers = lay.script("make-loud", f"set-real {height} -3", "begin 0 -", "enter", "exit", "reset", "begin 0 -", "enter", f"real {height}", "exit",
                         "text {state_hash}")
    check(float(answers[8][-1]) == start and answers[-1][-1] == wanted_hashes(LAY, 1, lay_step_s)[0], "reset after a bad parameter", answers)

    # ---- States: in place, again, in another process, from before an order
    go_on = f"steps {{at}} {step_s} 20 " + fmu.vr("state_hash")
    until_here = (*STARTED, f"set-real {surge} 50000", f"set-boolean {engaged} 1", f"step 0 {20 * step_s}")
    after = go_on.replace("{at}", repr(20 * step_s))
    answers = fmu.script(*until_here, "save", after, "set-text {order} set-point --north 30", f"step {40 * step_s} {step_s}", "load", after, "load", "write " + path("state"),
                         after, "free")
    straight = answers[8]
    check(straight[-1] == "ok" and answers[12] == straight and answers[15] == straight, "a state in place", answers)
    answers = fmu.script("make-loud", "begin 0 -", "read " + path("state"), "load", after, "real {time_s}", "text {order}")
    check(answers[4] == straight and abs(float(answers[5][-1]) - 40 * step_s) < 1e-9, "a state in another process", answers)
    with open(path("state"), "rb") as file:
        good = file.read()
    damaged = []
    for place in itertools.chain(range(0, len(good), max(64, len(good) // 300 // 64 * 64)), (len(good) - 1,)):
        with open(path(f"damaged-{place}"), "wb") as file:
            file.write(good[:place] + bytes([good[place] ^ 0x41]) + good[place + 1:])
        damaged.append(path(f"damaged-{place}"))
    for size in (0, 1, 7, 8, 100, 2000, len(good) // 2, len(good) - 1):
        with open(path(f"damaged-short-{size}"), "wb") as file:
            file.write(good[:size])
        damaged.append(path(f"damaged-short-{size}"))
    lines = [line for name in damaged for line in ("read " + name, "load")]
    answers = fmu.script(*until_here, "save", *lines, "text {state_hash}")
    here = fmu.script(*until_here, "text {state_hash}")[-1]
    for name, read, loaded in zip(damaged, answers[8:-1:2], answers[9:-1:2]):
        # A state that is not read leaves the one of before in place, which loads.
        check(read[-1] == "error" or loaded[-1] == "error", "a damaged state is taken", name, read, loaded)
    check(answers[-1][-1] == here[-1], "a damaged state has changed something")
    other = Fmu(JLAY, fmi, "--controller", "caller", "--set", "pipe.elements=60")
    refused(other, "", "make-loud", "begin 0 -", "read " + path("state"), "load")

# A state of one standard's FMU is of another phase and token, but of the same case and binary: FMI 2 -> FMI 3 is allowed to differ; nothing
# else is promised. Several instances of one file in one process, and a decimal comma, are tests of the library.
