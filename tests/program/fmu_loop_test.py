"""One controller, four ways: a client of the protocol in lockstep, the library in process, and exported FMUs of FMI 2.0 and 3.0. The state is the
same to the last bit."""
from fmu import *

import numpy as np
import sagbend
import tune_controller as example

DURATION_S = 12
GAINS = np.exp(example.FIRST)


def over_fmu(fmi):
    options = [word for key, value in example.KEYS.items() for word in ("--set", f"{key}={str(value).lower()}")]
    fmu = Fmu(example.CASE, fmi, "--controller", "caller", *options)
    period_s = float(fmu.xml.find("DefaultExperiment").get("stepSize"))
    live = Live(fmu)
    for line in ("make-loud", "begin 0 -", "enter"):
        live.tell(line)
    for name, variable in fmu.variables.items():  # as an importer does it: each input at its start value
        if variable["causality"] == "input" and variable["type"] in ("Real", "Float64"):
            live.tell(f"set-real {{{name}}} {variable['start']}")
        elif variable["causality"] == "input" and variable["type"] == "Boolean":
            live.tell(f"set-boolean {{{name}}} {int(variable['start'] == 'true')}")
    live.tell("exit")
    seen = "real " + " ".join(f"{{{name}}}" for name in example.SEEN)
    hold = [float(v) for v in live.tell("real " + " ".join(f"{{{name}}}" for name in example.HOLD), 3)]
    law = example.Law(GAINS, hold, [float(v) for v in live.tell(seen, 6)[:3]])
    for period in range(round(DURATION_S / period_s)):
        wrench = law.wrench([float(v) for v in live.tell(seen, 6)])
        live.tell("set-real " + " ".join(f"{{{name}}} {value!r}" for name, value in zip(example.INPUTS[1:], wrench)))
        live.tell(f"set-boolean {{{example.INPUTS[0]}}} 1")
        live.tell(f"step {period * period_s!r} {period_s!r}")
    state = live.tell("text {state_hash}", 1)[0]
    live.end()
    return state


with sagbend.Simulation(example.CASE, overrides=example.KEYS, controller="caller") as simulation:
    law = example.Law(GAINS, simulation.get(example.HOLD).tolist(), simulation.get(example.SEEN[:3]).tolist())
    example.in_process(simulation, law, round(DURATION_S / (simulation.period_steps * simulation.step_s)))
    states = {"library": simulation.hash}
states["protocol"] = example.over_protocol(SAGBEND, GAINS, DURATION_S)
for fmi in (2, 3):
    states[f"FMI {fmi}"] = over_fmu(fmi)
check(len(set(states.values())) == 1, "the states differ", states)
