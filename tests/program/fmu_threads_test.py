"""Eight threads, each with instances of its own of one FMU, which step, go back by serialised states and step again: the same state in all, in FMI 2.0
and 3.0, for a vessel with its controller inside, one that a caller commands, and a controller alone. Under ThreadSanitizer and AddressSanitizer
(tools/check thread, address) the importer has the FMU's functions itself; without them helgrind looks on."""
import shutil

from fmu import *

LAY = os.path.join(SOURCE, "configs/osv-83m-lay.yaml")
SUPPRESSIONS = os.path.join(SOURCE, "tests/helgrind.supp")
THREADS, STEPS = 8, 5
with open(IMPORT, "rb") as file:
    content = file.read()
is_instrumented = any(name in content for name in (b"__tsan_", b"__asan_"))

for fmi, kind in ((2, "inside"), (3, "caller"), (2, "alone"), (3, "alone")):
    fmu = Fmu(LAY, fmi, "--controller", kind)
    step_s = float(fmu.xml.find("DefaultExperiment").get("stepSize"))
    threads = f"threads {THREADS} {step_s} {STEPS} {{state_hash}}"
    answers = fmu.script(threads)
    alone = fmu.script("make-loud", "begin 0 -", "enter", "exit", f"steps 0 {step_s} {2 * STEPS} {{state_hash}}")
    check(re.fullmatch("[0-9a-f]{16}", answers[0][-1]) and answers[0][-1] == alone[-1][-2], f"FMI {fmi}, controller {kind}: threads and one instance", answers, alone[-1])
    if (fmi, kind) == (3, "alone") and shutil.which("valgrind") and not is_instrumented:
        # An instance before the threads: helgrind does not know pthread_once, by which the first one finds the id of the build.
        under = fmu.script("make-loud", threads, prefix=("valgrind", "--tool=helgrind", "--error-exitcode=9", "-q", f"--suppressions={SUPPRESSIONS}"))
        check(under[1:] == answers, "another state under helgrind", under, answers)
