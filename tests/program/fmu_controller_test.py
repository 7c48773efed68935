"""sagbend-fmu: FMUs of FMI 1.0, 2.0 and 3.0 as controllers in start, a sweep and by hand; the same commands give the same state. FMUs that crash,
hang, exit or answer nonsense end by name, and leave no process."""
import glob
import shutil
import zipfile

from trials_case import *

FMU = os.path.join(BUILD, "sagbend-fmu")
OSV = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
SETS = ["--set", "network.accept_wrench=true", "--set", "instruments=[]", "--set", "simulation.mode=lockstep"]
NAMES = ["north", "east", "north_rate", "east_rate", "heading", "surge", "sway", "yaw", "stiffness", "gear", "active", "on"]
TYPES = {"yaw": "Integer", "gear": "Enumeration", "active": "Boolean", "on": "Boolean"}
MAP = """step_s: {step_s}
timeout_s: {timeout_s}
frame: world
start: {{stiffness: 3.0e5, gear: 1, active: true}}
inputs:
  north: {{from: position_north_m, origin: start}}
  east: {{from: position_east_m, origin: start}}
  north_rate: velocity_north_mps
  {input}: velocity_east_mps
  heading: {{from: heading_rad, origin: start, wrap: true}}
outputs: {{surge_n: surge, sway_n: {{from: sway}}, yaw_nm: {{from: yaw, scale: 1}}, command.engaged: on}}
"""


def description(fmi, is_fixed):
    fixed = ' fixedInternalStepSize="0.1"' if is_fixed and fmi == 3 else "" if is_fixed else ' canHandleVariableCommunicationStepSize="true"'
    variables = ""
    for vr, name in enumerate(NAMES, 1):
        causality = "output" if name in ("surge", "sway", "yaw", "on") else "parameter" if name in ("stiffness", "gear", "active") and fmi > 1 else "input"
        element = TYPES.get(name, "Real")
        if fmi == 3:
            element = {"Real": "Float64", "Integer": "Int32"}.get(element, element)
            variables += f'<{element} name="{name}" valueReference="{vr}" causality="{causality}"/>'
        else:
            variables += f'<ScalarVariable name="{name}" valueReference="{vr}" causality="{causality}"><{element}/></ScalarVariable>'
    head = {1: 'fmiVersion="1.0" modelName="pd" modelIdentifier="m" guid="g"', 2: 'fmiVersion="2.0" modelName="pd" guid="g"',
            3: 'fmiVersion="3.0" modelName="pd" instantiationToken="g"'}[fmi]
    simulation = f"<Implementation><CoSimulation_StandAlone><Capabilities{fixed}/></CoSimulation_StandAlone></Implementation>" if fmi == 1 \
        else f'<CoSimulation modelIdentifier="m"{fixed}/>'
    return f'<?xml version="1.0"?><fmiModelDescription {head}>{simulation}<DefaultExperiment stepSize="0.1"/>' \
           f"<ModelVariables>{variables}</ModelVariables></fmiModelDescription>"


def library_of(fmi):
    """The binary in this standard; make writes its kind into it."""
    library = path(f"{fmi}.so")
    if not os.path.exists(library):
        done = subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, f"-DFMI={fmi}", os.path.join(SOURCE, "tests/program/fmu_controller.c"), "-lm"],
                              capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, "the FMU of the test", done.stderr)
    return library


def make(kind, fmi, step_s=0.5, input="east_rate", is_fixed=False, has_binary=True):
    name = path(f"{kind}-{fmi}.fmu")
    with open(library_of(fmi), "rb") as file:
        library = file.read()
    place = library.index(b"KIND:")  # the word of the kind in the binary
    library = library[:place] + (b"KIND:" + kind.encode()).ljust(32, b"\0") + library[place + 32:]
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description(fmi, is_fixed))
        if has_binary:
            archive.writestr(f"binaries/{'x86_64-linux' if fmi == 3 else 'linux64'}/m.so", library)
    with open(name + ".yaml", "w") as file:
        file.write(MAP.format(step_s=step_s, input=input, timeout_s=1 if kind == "hang" else 600))
    return name


def running():
    """Processes of sagbend-fmu, the oldest first."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/exe") == FMU:
                found.append(int(name))
        except OSError:  # it has ended
            pass
    return sorted(found)


def left_over():
    return running(), glob.glob(os.path.join(os.environ.get("TMPDIR", "/tmp"), "sagbend-fmu-*"))


# ---- The same law in three standards: the vessel is held, and the state is the same.
states = {}
for fmi in (1, 2, 3):
    status, out, err = run("start", OSV, *ANY_PORT, "--controller", make("good", fmi), "--duration", "20", *SETS, "--log", path(f"good-{fmi}.mcap"))
    check(status == 0, f"FMI {fmi} as the controller", out, err)
    text = out + err
    check("takes over" in text and re.search(r"\b201 commands sent, 0 refused", text), "commands", text)
    states[fmi] = re.findall(r"^(?:vessel|commanded last|energy ledger|pipe) .*", text, re.M)
    status, out, err = run("replay", path(f"good-{fmi}.mcap"), "--verify")
    check(status == 0, "a session with an FMU replays", out, err)
    until(lambda: left_over() == ([], []), "something stays", left_over)

check(len(states[1]) == 4 and states[1] == states[2] == states[3], "the same law in another standard", states)

# ---- What goes wrong is said by name.
BAD = {
    "crash": "it ended in the step from 1.000 s: SIGSEGV",
    "hang": "it hangs in the step from 1.000 s: no answer within timeout_s, 1 s",
    "nan": "in the step from 1.000 s: sway is nan, a finite number expected",
    "discard": "in the step from 1.000 s: its step returns discard",
    "error": "in the step from 1.000 s: its step returns error",
    "exit": "it ended in the step from 1.000 s: exit(7)",
    "initialisation": "in its initialisation: its initialisation has failed",
}
for fmi in (1, 2, 3):
    for kind, text in BAD.items():
        status, out, err = run("start", OSV, *ANY_PORT, "--controller", make(kind, fmi), "--duration", "20", *SETS)
        check(status == 1 and f"{kind}-{fmi}.fmu: {text}" in out + err, f"{kind}, FMI {fmi}: '{text}' expected", status, out, err)
        until(lambda: left_over() == ([], []), f"{kind}: something stays", left_over)
for fmi in (1, 2, 3):
    binary = f"binaries/{'x86_64-linux' if fmi == 3 else 'linux64'}/m.so"
    for kind, options, text in (
        ("fixed", {"is_fixed": True}, "step_s: 0.1, the fixed step of the FMU, expected, got 0.5"),
        ("odd", {"step_s": 0.13}, "step_s: a whole multiple of the control period, 0.1 s, expected, got 0.13"),
        ("unknown", {"input": "nowhere"}, "inputs.nowhere: a variable of the FMU expected, got 'nowhere'"),
        ("empty", {"has_binary": False}, f"it has no binary for this machine: {binary} expected"),
    ):
        if (fmi, kind) == (1, "fixed"):  # FMI 1.0 has no element that states a step
            continue
        status, out, err = run("start", OSV, *ANY_PORT, "--controller", make(kind, fmi, **options), "--duration", "5", *SETS)
        check(status in (1, 2) and text in out + err, f"{kind}, FMI {fmi}: '{text}' expected", status, out, err)
        until(lambda: left_over() == ([], []), "something stays", left_over)

# ---- Files that are no FMU or no map, and wrong words.
with open(path("text.fmu"), "w") as file:
    file.write("no archive")
for arguments, text in ((["tcp://127.0.0.1:1", path("text.fmu")], "an FMU, which is a zip archive, expected"),
                        (["tcp://127.0.0.1:1", path("none.fmu")], "a readable file expected"), (["tcp://127.0.0.1:1"], "ENDPOINT and X.fmu expected"),
                        (["tcp://127.0.0.1:1", make("good", 2), path("none.yaml")], "none.yaml:1:1: error: a readable file expected")):
    status, out, err = run(*arguments, program=FMU)
    check(status == 2 and text in err, f"'{text}' expected", status, err)
shutil.copy(make("good", 2), path("unmapped.fmu"))
status, out, err = run("tcp://127.0.0.1:1", path("unmapped.fmu"), program=FMU)
check(status == 2 and "unmapped.fmu.yaml:1:1: error: a readable file expected" in err, "no map, and names that are not those of the library", status, err)
with open(path("unmapped.fmu.yaml"), "w") as file:
    file.write("timeout_s: 3\n")
status, out, err = run("tcp://127.0.0.1:1", path("unmapped.fmu"), program=FMU)
check(status == 2 and "unmapped.fmu.yaml:1:1: error: outputs: required" in err, "a map without outputs", status, err)
status, out, err = run("start", OSV, *ANY_PORT, "--controller", path("nowhere.fmu"), *SETS)
check(status == 2 and "a readable FMU expected" in err, "no such FMU", status, err)
status, out, err = run("--help", program=FMU)
check(status == 0 and "example" in out and not err, "the help", status, out, err)

# ---- The end of the parent is the end of the FMU.
session = Program(SAGBEND, "start", OSV, *ANY_PORT, "--controller", make("good", 3), "--duration", "3600", *SETS, "--set", "simulation.mode=realtime")
until(lambda: "takes over" in session.stderr() + session.stdout(), "no take-over", session.stderr)
processes = running()
check(len(processes) == 2, "the FMU has no process of its own", processes)
os.kill(processes[0], signal.SIGKILL)
until(lambda: not running(), "the FMU outlives its parent", running)
session.kill()
for folder in glob.glob(os.path.join(os.environ.get("TMPDIR", "/tmp"), "sagbend-fmu-*")):  # of the one that was killed
    subprocess.run(["rm", "-r", folder])

# ---- A sweep, whose points each have an FMU of their own.
make("good", 2)
SWEEP = f"""base: {OSV}
mode: MODE
controller: {{command: [FMU]}}
set: {{network.accept_wrench: true, instruments: [], simulation.duration_s: 5}}
vary: [{{name: seed, key: environment.waves.seed, values: [1, 2]}}]
quantities: [offset_m]
"""


def sweep(name, fmu, mode="lockstep"):
    return run("sweep", write(name, SWEEP.replace("FMU", fmu).replace("MODE", mode)), "--out", path("swept"), timeout=600)


status, out, err = sweep("sweep.yaml", "good-2.fmu")
check(status == 0, "a sweep with an FMU", out, err)
points = sorted(glob.glob(path("swept/points/*/controller.txt")))
check(len(points) == 2 and all("takes over" in read(p) for p in points), "the controllers of the points", [read(p) for p in points], out, err)
check(not running(), "a sweep leaves an FMU")
for name, fmu, mode, text in (("nofmu.yaml", "none.fmu", "lockstep", "nofmu.yaml:3:23: error: controller.command: a readable FMU expected"),
                              ("fast.yaml", "good-2.fmu", "fast", "controller.command needs mode lockstep, got fast")):
    status, out, err = sweep(name, fmu, mode)
    check(status == 2 and text in err, "a wrong plan of a sweep", status, err)

# ---- Trials: the FMU reads instruments.
def plan(name, command):
    return write(name, f"""base: {BASE}
controller: {{command: {command}}}
set: {{network.accept_wrench: true, simulation.step_s: 0.1, pipe.elements: 20, vessel.current_acts: true}}
settle_s: 20
hidden_lead_s: 10
failure_s: 10
recover_s: 10
alarms: {{from: output}}
back: {{offset_m: 3, within_s: 10}}
conditions: [{{id: S1}}]
limits: [{{name: position, quantity: offset_m, below: 10}}]
{excluding(listed_ids(os.path.join(SOURCE, "configs/trials/osv-83m.yaml")), ["gnss-2/invalid"])}""")


make("good", 2)
of_instruments = {"position_north_m": "instrument/gnss-1/north_m", "position_east_m": "instrument/gnss-1/east_m", "heading_rad": "instrument/gyro-1/heading_rad",
                  "velocity_north_mps": "instrument/gnss-1/velocity_north_mps", "velocity_east_mps": "instrument/gnss-1/velocity_east_mps"}
with open(path("good-2.fmu.yaml")) as file:
    text = file.read()
for field, instrument in of_instruments.items():
    text = text.replace(field, instrument)
write("good-2.fmu.yaml", text)
status, out, err = run("start", BASE, *ANY_PORT, "--controller", path("good-2.fmu"), "--duration", "5", "--set", "network.accept_wrench=true", "--set",
                       "simulation.mode=lockstep")
check(status != 0 and "frame: world: heading: heading_rad: the vessel of this session has none" in out + err, "a heading that nobody sends", status, out, err)
write("good-2.fmu.yaml", text + "heading: instrument/gyro-1/heading_rad\n")
status, out, err = run("trials", plan("plan.yaml", "[good-2.fmu]"), "--no-pdf", "--out", path("trials"), timeout=600)
check(status in (0, 1), "trials with an FMU", out, err)
points = sorted(glob.glob(path("trials/points/*/controller.txt")))
check(len(points) == 2 and all("takes over" in read(p) and "refused, " not in read(p) for p in points), "the controller of the runs", [read(p) for p in points], out, err)
check(by_id(results(path("trials")))["none"]["verdict"] == "passed", "the run without a failure", out)
with open(path("good-2.fmu"), "ab") as file:
    file.write(b" ")
status, out, err = run("trials", path("plan.yaml"), "--no-pdf", "--out", path("trials"), timeout=600)
check("good-2.fmu has changed since" in err, "another FMU in the same folder", status, err)
for command, text in (("[none.fmu]", "a readable FMU expected"), ("[good-2.fmu, a, b]", "an FMU alone, or an FMU and its map expected"),
                      ("[good-2.fmu, none.yaml]", "a readable map beside the FMU (X.fmu.yaml) expected")):
    status, out, err = run("trials", plan("wrong.yaml", command), "--no-pdf", "--out", path("wrong"))
    check(status == 2 and text in err, f"'{text}' expected", status, err)
until(lambda: not left_over()[0], "a process stays", left_over)
# Folders of those that were killed are removed by the next one, once they are a minute old.
old = left_over()[1]
check(all(os.path.isdir(folder) for folder in old), "folders", old)
for folder in old:
    os.utime(folder, (0, 0))
run("start", OSV, *ANY_PORT, "--controller", make("good", 2), "--duration", "1", *SETS)
until(lambda: left_over() == ([], []), "a folder stays", left_over)
