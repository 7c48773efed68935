"""An FMU in its host. The journal of what an importer does gives logs that replay, with states taken and set between the steps; and a host with a
decimal comma that rounds upwards gets the same states, and its settings back."""
from fmu import *

SETS = ["--set", "network.accept_wrench=true"]


def logs_of(name, wanted):
    status, out, err = run("log", "from-journal", path(name + ".journal"), path(name + ".mcap"))
    check(status == wanted, f"the journal {name}", status, out, err)
    return [log for log in (path(name + ".mcap"), *(path(f"{name}-{n}.mcap") for n in range(2, 9))) if os.path.exists(log)], out


def last(answer):
    return answer[-1]


for fmi in (2, 3):
    name = f"fmi{fmi}"
    fmu = Fmu(JLAY, fmi, "--controller", "caller", *SETS)
    variable = fmu.variables["journal"]
    check(variable["causality"] == "parameter" and variable["variability"] == "fixed" and variable["type"] == "String", "the parameter", variable)
    begin = ("make-loud", "begin 0 -", "enter", f"set-text {{journal}} {path(name + '.journal')}", "exit")
    command = ("set-real {command.wrench.surge_n} 150000", "set-boolean {command.engaged} 1")
    answers = fmu.script(*begin, *command, "steps 0 0.1 4 {state_hash}", "set-text {order} set-point --north 2", "steps 0.4 0.1 3 {state_hash}", "save",
                         "set-real {command.wrench.surge_n} -250000", "steps 0.7 0.1 5 {state_hash}", "load", "steps 0.7 0.1 4 {state_hash}", "text {journal}", "free")
    check(all(last(answer) in ("ok", "made", path(name + ".journal")) for answer in answers), "the importer", answers)
    logs, out = logs_of(name, 0)
    check("result         equal" in out and len(logs) == 2, "the logs of the FMU", out, logs)
    status, out, err = run("replay", *logs, "--verify")
    check(status == 0 and "joints               1 compared" in out, "their replay", out, err)
    status, out, err = run("log", "cat", logs[1], "--topic", "/end")
    state = [line for line in answers[-3] if re.fullmatch("[0-9a-f]{16}", line)][-1]
    check(state in out, "the last state of the log is that of the importer", state, out)

    # A reset ends the journal, one that is there is not written again, and a later one is refused.
    answers = fmu.script(*begin[:3], f"set-text {{journal}} {path(name + '.journal')}", "exit")
    check(last(answers[-1]) == "error" and "a journal in a new file expected" in answers[-1][0], "a journal that exists", answers[-1])
    answers = fmu.script(*begin[:3], "exit", f"set-text {{journal}} {path('late.journal')}")
    check(last(answers[-1]) == "error" and "journal: a fixed parameter" in answers[-1][0], "a late journal", answers[-1])
    answers = fmu.script(*begin[:3], f"set-text {{journal}} {path(name + 'r.journal')}", "exit", "steps 0 0.1 2 {state_hash}", "reset", "text {journal}", "begin 0 -",
                         "enter", "exit", "steps 0 0.1 3 {state_hash}", "free")
    check(answers[7] == ["ok", ""] and last(answers[-1]) == "ok", "a reset", answers)
    logs, out = logs_of(name + "r", 0)
    check("steps          20," in out, "the journal ends at the reset", out)

    # An importer that ends without freeing the instance.
    fmu.script(*begin[:3], f"set-text {{journal}} {path(name + 'b.journal')}", "exit", "steps 0 0.1 2 {state_hash}")
    logs, out = logs_of(name + "b", 3)
    check("incomplete: step 20: the journal breaks off" in out and run("replay", *logs, "--verify")[0] == 3, "an importer that ends", out)

# The host's settings: a decimal comma and rounding upwards.
os.mkdir(path("locales"))
made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", path("locales/de_DE.UTF-8")], capture_output=True, text=True)
check(made.returncode in (0, 1) and os.path.isdir(path("locales/de_DE.UTF-8")), "localedef (package locales)", made.stderr)
for fmi in (2, 3):
    fmu = Fmu(os.path.join(SOURCE, "configs/osv-83m-lay.yaml"), fmi, "--parameter", "environment.waves.significant_height_m")
    lines = ("make-loud", "begin 0 -", "set-real {parameter.environment.waves.significant_height_m} 2.5", "enter", "exit", "steps 0 0.1 10 {state_hash}", "save",
             "steps 1 0.1 5 {state_hash}", "load", "steps 1 0.1 5 {state_hash}", "reset")
    plain = fmu.script(*lines)
    hostile = fmu.script("hostile", *lines, environment={"LOCPATH": path("locales")})[1:]
    wanted = [line for answer in plain for line in answer if not line.startswith("log ")]
    got = [line for answer in hostile for line in answer if not line.startswith("log ")]
    check(got == wanted and len([line for line in got if len(line) == 16]) == 20, f"FMI {fmi} in such a host", got, wanted)
