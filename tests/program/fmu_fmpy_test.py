"""Exported FMUs under FMPy, where it is installed: its validator, which includes the XML schemas of both standards, and its simulation against our
own importer."""
from fmu import *

try:
    import fmpy
    import fmpy.validation
except ImportError as missing:
    print(f"SKIPPED: the Python package FMPy is not installed ({missing}); it is no Debian package")
    sys.exit(SKIPPED)

STOP_S, SEEN = 5, ["vessel.north_m", "vessel.heading_rad", "ledger.residual_j"]
HEIGHT = "environment.waves.significant_height_m"
for case, options in (("osv-83m-lay", ["--parameter", HEIGHT, "--controller", "caller"]), ("osv-83m-weather", ["--controller", "caller"]), ("jlay-900m", ["--controller", "caller"]),
                      ("slay-100m", []), ("vessel-only", []), ("osv-83m-references", [])):
    for fmi in (2, 3):
        fmu = Fmu(os.path.join(SOURCE, f"configs/{case}.yaml"), fmi, *options)
        problems = fmpy.validation.validate_fmu(fmu.file)
        check(not problems, f"FMPy's validator, {case}, FMI {fmi}", *problems)
        seen = [name for name in SEEN if name in fmu.variables]
        last = fmpy.simulate_fmu(fmu.file, stop_time=STOP_S, output=seen, fmi_type="CoSimulation")[-1]
        period_s = float(fmu.xml.find("DefaultExperiment").get("stepSize"))
        answers = fmu.script("make-loud", "begin 0 -", "enter", "exit", *(f"step {k * period_s!r} {period_s!r}" for k in range(round(STOP_S / period_s))),
                             "real " + " ".join(f"{{{name}}}" for name in seen))
        check([float(v) for v in answers[-1][1:]] == [float(last[name]) for name in seen], f"another end under FMPy, {case}, FMI {fmi}", last, answers[-1])
