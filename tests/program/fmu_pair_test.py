"""A vessel and its controller, each exported as an FMU: connected by the names of their variables they have the states of sagbend-dp over the
protocol in lockstep, to the last bit; with FMI 2.0, 3.0 and both. The controller's FMU has them over the protocol too, by sagbend-fmu."""
import glob

from fmu import *

PAIR = os.path.join(BUILD, "tests/program/fmu_pair")
SAGBEND_FMU = os.path.join(BUILD, "sagbend-fmu")
JLAY = os.path.join(SOURCE, "configs/jlay-900m.yaml")
LAY = os.path.join(SOURCE, "configs/osv-83m-lay.yaml")
TYPES = {"Real": "real", "Float64": "real", "Integer": "integer", "Int32": "integer", "Boolean": "boolean"}


class Pair:
    """Two FMUs, connected: each input of one that is an output of the other."""

    def __init__(self, vessel, control):
        self.vessel, self.control = vessel, control
        self.lines = []
        for word, source, sink in (("in", vessel, control), ("out", control, vessel)):
            for name, variable in sink.variables.items():
                if variable["causality"] != "input" or variable["type"] == "String":
                    continue
                check(name in source.variables and source.variables[name]["causality"] == "output", "an input without an output", name)
                check(TYPES[source.variables[name]["type"]] == TYPES[variable["type"]] and source.variables[name].get("unit") == variable.get("unit"),
                      "type and unit of a connection", name, source.variables[name], variable)
                self.lines.append(f"{word} {TYPES[variable['type']]} {source.vr(name)} {sink.vr(name)}")
        self.period_s = float(vessel.xml.find("DefaultExperiment").get("stepSize"))
        check(float(control.xml.find("DefaultExperiment").get("stepSize")) == self.period_s, "the controller's step")
        self.lines.append(f"start {self.period_s!r}")

    def periods(self, count):
        return f"run {count} {self.vessel.vr('state_hash')} {self.control.vr('state_hash')}"

    def run(self, *lines):
        """Hashes of the vessel and of the controller's commands after each period."""
        fmus = [word for fmu in (self.vessel, self.control) for word in (str(fmu.fmi), fmu.binary, fmu.token, fmu.resources())]
        done = subprocess.run([PAIR, *fmus], input="\n".join((*self.lines, *lines)) + "\n", capture_output=True, text=True, timeout=600)
        check(done.returncode == 0 and not done.stderr, "the pair", done.stdout[-500:], done.stderr)
        return [tuple(line.split()) for line in done.stdout.splitlines() if line != "ok"]


def in_lockstep(case, duration_s, start, *sets):
    """Hash of the state after each step of a session with this controller."""
    simulator = Simulator(case, "--mode", "lockstep", "--duration", repr(duration_s), "--hashes", path("lockstep"), "--overwrite", "--summary", path("lockstep.json"), *sets)
    control = start(simulator)
    check(simulator.end(300) in (0, 1), "the session", simulator.stderr(), control.stderr())
    control.end()
    commands = load("lockstep.json")["commands"]
    check(commands["refused"] == 0 and commands["accepted"] > 0 and "takes over" in control.stderr(), "commands", commands, control.stderr())
    return [hash for _, hash in hashes("lockstep")]


def fmu_controller(fmu):
    return lambda simulator: Program(SAGBEND_FMU, simulator.commands, fmu.file)


# A vessel without instruments that is held by a wrench, and one with instruments and thrusters that lays pipe. The controller takes over soon; a moved
# set-point and a failed instrument reach it.
MOVED = "events=[{name: off, fault: setpoint_moved, at_s: 3, north_m: 20}, {name: gone, fault: sensors_loss, probability: 0.3, at_s: 4}"
for case, dp, duration_s, more, combinations in (
        (JLAY, JLAY_DP, 6, "]", ((2, 2), (3, 3))),
        (LAY, os.path.join(SOURCE, "configs/osv-83m-dp.yaml"), 6, ", {name: blind, fault: no_output, target: gnss-1, at_s: 2}]", ((2, 3), (3, 2)))):
    with open(path(os.path.basename(dp)), "w") as file:
        file.write(f"extends: {dp}\npid: {{start_s: 1, approach_s: 2, tension_feedforward: true}}\n")
    dp = file.name
    sets = ["--set", MOVED + more, "--set", f"controller.dp_file={dp}"]
    expected = in_lockstep(case, duration_s, lambda simulator: controller(simulator, config=dp), *sets)
    vessels = {fmi: Fmu(case, fmi, "--controller", "caller", *sets) for fmi in (2, 3)}
    controls = {fmi: Fmu(case, fmi, "--controller", "alone", *sets) for fmi in (2, 3)}
    every = None
    for of_vessel, of_control in combinations:
        pair = Pair(vessels[of_vessel], controls[of_control])
        count = round(duration_s / pair.period_s)
        every = (len(expected) - 1) // count
        states = pair.run(pair.periods(count))
        got = [vessel for vessel, _ in states]
        check(got == expected[every::every], f"{case}, vessel FMI {of_vessel}, controller FMI {of_control}: from period",
              next((k for k in range(count) if got[k] != expected[(k + 1) * every]), None))
        # States of both, taken and set: the same once more.
        first, second = count // 2, count - count // 2
        again = pair.run(pair.periods(first), "save", pair.periods(second), "load", pair.periods(second))
        check(again == states + states[first:], f"{case}: states of vessel and controller")
    for fmi, control in controls.items():
        check("controller alone" in control.out, "what the export says", control.out)
        check(in_lockstep(case, duration_s, fmu_controller(control), *sets) == expected, f"{case}: the controller's FMU {fmi} over the protocol")

# In start, and in a plan of a sweep: without a map.
lay = ["--set", f"controller.dp_file={dp}"]
status, out, err = run("start", LAY, *ANY_PORT, "--controller", controls[3].file, "--duration", "2", "--set", "simulation.mode=lockstep", *lay)
check(status in (0, 1) and "takes over" in out + err and re.search(r"\b[1-9]\d* commands sent, 0 refused", out + err), "start", status, out, err)
with open(path("sweep.yaml"), "w") as file:
    file.write(f"""base: {LAY}
mode: lockstep
controller: {{command: [{controls[2].file}]}}
set: {{controller.dp_file: {dp}, simulation.duration_s: 2}}
vary: [{{name: seed, key: environment.waves.seed, values: [1]}}]
quantities: [offset_m]
""")
status, out, err = run("sweep", path("sweep.yaml"), "--out", path("swept"), timeout=600)
told = [name for name in glob.glob(path("swept/points/*/controller.txt")) if "takes over" in open(name).read()]
check(status in (0, 1) and len(told) == 1, "a sweep", status, out, err)

# What a controller alone has not, and what it needs.
control = controls[3]
own = {name for name in control.variables if "." not in name}
check(own == {"time_s", "state_hash"}, "the FMU's own variables", own)
check({v["causality"] for name, v in control.variables.items() if name.startswith("command.")} == {"output"}, "commands are outputs")
answers = control.script("make-loud", "begin 0 -", "enter", "exit", "set-real {link.step} 1")
check(answers[-1][-1] == "error" and "a function for variables of type integer expected" in answers[-1][0], "link.step", answers[-1])
answers = control.script("make-loud", "begin 0 -", "enter", "exit", "set-real {sensor.'gnss-1'.north_m} nan")
check(answers[-1][-1] == "error" and "sensor.gnss-1.north_m: a number from -inf to inf expected, got nan" in answers[-1][0], "a measurement that is none", answers[-1])
status, out, err = run("fmu", os.path.join(SOURCE, "configs/slay-100m.yaml"), "-o", path("none.fmu"), "--controller", "alone")
check(status == 2 and "controller.dp_file: a DP file expected, which defines the controller" in err, "a case without a DP file", status, err)

# Unconnected to the vessel's clock it counts its own steps, and damaged states are refused.
answers = control.script("make-loud", "begin 0 -", "enter", "exit", "steps 0 0.5 4 {state_hash}", "save", "write " + path("control"), "text {state_hash}")
with open(path("control"), "rb") as file:
    good = file.read()
for place in (*range(0, len(good), max(8, len(good) // 200 // 8 * 8)), len(good) - 1):
    with open(path(f"bad-{place}"), "wb") as file:
        file.write(good[:place] + bytes([good[place] ^ 0x21]) + good[place + 1:])
bad = [name for name in sorted(os.listdir(path("."))) if name.startswith("bad-")]
lines = [line for name in bad for line in ("read " + path(name), "load")]
tried = control.script("make-loud", "begin 0 -", "enter", "exit", "save", *lines, "text {state_hash}", "read " + path("control"), "load", "text {state_hash}")
check(all(read[-1] == "error" or loaded[-1] == "error" for read, loaded in zip(tried[5:-4:2], tried[6:-4:2])), "a damaged state of a controller is taken")
check(tried[-1][-1] == answers[-1][-1] and tried[-4][-1] != answers[-1][-1], "a state of a controller", tried[-4:], answers[-1])
