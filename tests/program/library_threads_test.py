"""Eight threads open and step simulations of libsagbend at the same time: the same states, and neither ThreadSanitizer (tools/check
thread) nor helgrind, where valgrind is installed, finds anything that two of them touch at once."""
import shutil

from harness import *

THREADS = os.path.join(BUILD, "tests/program/library_threads")
SUPPRESSIONS = os.path.join(SOURCE, "tests/helgrind.supp")
with open(path("everything.yaml"), "w") as file:  # helgrind watches each element alike, and takes long for each
    file.write(f"extends: {SOURCE}/configs/osv-83m-everything.yaml\npipe: {{mesh: null, elements: 20}}\n")
CASES = [VESSEL, path("everything.yaml")]


def states(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    check(done.returncode == 0, f"{' '.join(command)}: status {done.returncode}", done.stdout, done.stderr[-6000:])
    return done.stdout


wanted = states(THREADS, *CASES)
check(len(wanted.splitlines()) == len(CASES), "a state for each case", wanted)
with open(THREADS, "rb") as file:
    content = file.read()
is_instrumented = any(name in content for name in (b"__tsan_", b"__asan_"))
if shutil.which("valgrind") and not is_instrumented:
    found = states("valgrind", "--tool=helgrind", "--error-exitcode=9", "-q", f"--suppressions={SUPPRESSIONS}", THREADS, *CASES)
    check(found == wanted, "other states under helgrind", found, wanted)
