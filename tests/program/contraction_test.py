"""No instruction of the simulator joins a product and a sum, in whatever form the compiler was asked for: with another rounding the bits of a
replay would depend on the processor that it was built for (docs/determinism.md)."""
import platform
import shutil

from harness import *

if platform.machine() != "x86_64" or not shutil.which("objdump"):
    print("SKIPPED: objdump on x86-64 expected")
    sys.exit(SKIPPED)
found = []
for program in (SAGBEND, SAGBEND_DP):
    listing = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True)
    function, lines = "", 0
    for line in listing.stdout:
        lines += 1
        if line.endswith(">:\n"):
            function = line.split("<")[1][:-3]
        elif re.search(r"\tvfn?m(add|sub)", line):
            found.append((os.path.basename(program), function, line.split("\t")[1].strip()))
    check(listing.wait() == 0 and lines > 10000, "objdump", lines)
check(not found, "fused instructions", *found[:20])
