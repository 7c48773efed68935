"""sagbend fmu: each shipped case as FMI 2.0 and 3.0 has the hashes of `run --hashes` at each step, through an importer of our own; what the
model description states."""
import glob

from fmu import *

CONFIGS = os.path.join(SOURCE, "configs")
DP_FILES = sorted((name[:-len("-dp.yaml")] for name in os.listdir(CONFIGS) if name.endswith("-dp.yaml")), key=len)
STEPS = 40


def controller_of(case):
    """The shipped DP file whose name is the longest begin of the name of the case; None without one."""
    return ([None] + [os.path.join(CONFIGS, begin + "-dp.yaml") for begin in DP_FILES if os.path.basename(case).startswith(begin)])[-1]


cases = [case for case in sorted(glob.glob(os.path.join(CONFIGS, "*.yaml"))) if not case.endswith("-dp.yaml")]
check(len(cases) > 20, "shipped cases", cases)
for case in cases:
    fmu = Fmu(case, 3, dp_file=controller_of(case))
    step_s = float(fmu.xml.find("CoSimulation").get("fixedInternalStepSize"))
    wanted = wanted_hashes(case, STEPS, step_s, *fmu.options)
    check(len(wanted) > STEPS / 2, "too few steps", case, wanted)
    for each in (fmu, Fmu(case, 2, *fmu.options)):
        got = each.hashes(len(wanted) - 1, step_s)
        check(got == wanted, f"{case}, FMI {each.fmi}: another hash", next((pair for pair in zip(got, wanted) if pair[0] != pair[1]), len(got)))
