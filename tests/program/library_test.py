"""libsagbend in a host: each shipped case has the hashes of `run --hashes`, read from its file and from memory, at rest and beside another
simulation. What the archive needs of its host, and that it keeps no state of its own."""
import glob
import subprocess

from harness import *

STEPS = 100
EMBED = os.path.join(BUILD, "tests/program/embed")
ARCHIVE = os.path.join(BUILD, "src/sagbend/libsagbend.a")
CONFIGS = os.path.join(SOURCE, "configs")
DP_FILES = sorted((name[:-len("-dp.yaml")] for name in os.listdir(CONFIGS) if name.endswith("-dp.yaml")), key=len)


def controller_of(case):
    """The shipped DP file whose name is the longest begin of the name of the case."""
    name = os.path.basename(case)
    return [os.path.join(CONFIGS, begin + "-dp.yaml") for begin in DP_FILES if name.startswith(begin)][-1]


cases = [case for case in sorted(glob.glob(os.path.join(CONFIGS, "*.yaml"))) if not case.endswith("-dp.yaml")]
check(len(cases) > 20, "shipped cases", cases)
for case in cases:
    sets = []
    command = ["run", case, "--mode", "fast", "--hashes", path("hashes"), "--overwrite", "--duration", "4"]
    status, out, err = run(*command)
    if status == 2 and "needs controller.dp_file" in err:
        sets = ["controller.dp_file=" + controller_of(case)]
        status, out, err = run(*command, "--set", sets[0])
    check(status in (0, 1), f"{case} does not run", status, err)
    wanted = hashes("hashes")[:STEPS + 1]
    embedded = subprocess.run([EMBED, case, str(len(wanted) - 1), *sets], capture_output=True, text=True, timeout=300)
    check(embedded.returncode == 0, f"{case} in a host", embedded.stderr)
    got = [line.split() for line in embedded.stdout.splitlines()]
    check(len(wanted) > 20 and got == wanted, f"{case}: another hash in a host", next((pair for pair in zip(got, wanted) if pair[0] != pair[1]), len(got)))

# An error comes as data, and nothing is printed.
embedded = subprocess.run([EMBED, JLAY, "1", "vessel.mass_kg=-1"], capture_output=True, text=True, timeout=60)
check(embedded.returncode == 1 and embedded.stderr.startswith("case: --set:1:16: bad input: vessel.mass_kg: "), "error", embedded.stderr)

# The archive needs libc, libm and libyaml: all of it links into a program with nothing else.
with open(path("host.c"), "w") as file:
    file.write("int main(void) { return 0; }\n")
linked = subprocess.run(["cc", "-o", path("whole"), path("host.c"), "-Wl,--whole-archive", ARCHIVE, "-Wl,--no-whole-archive", "-lyaml", "-lm"],
                        capture_output=True, text=True, timeout=300)
check(linked.returncode == 0, "the archive needs another library", linked.stderr[-2000:])

# And nothing of the system that a library must not do to its host.
FORBIDDEN = """socket bind listen accept connect setsockopt ioctl flock fcntl signal sigaction fork vfork execv execve execvp system exit _exit abort
    chdir setenv putenv pthread_create pthread_mutex_lock clock_gettime gettimeofday time nanosleep usleep printf puts putchar perror stdout stderr
    setlocale dlopen getenv rand srand strtok localtime gmtime""".split()
names = subprocess.run(["nm", "-u", "-A", ARCHIVE], capture_output=True, text=True, timeout=60, check=True).stdout
used = sorted({(line.split()[-1].split("@")[0], line.split(":")[1]) for line in names.splitlines() if line.split()[-1].split("@")[0] in FORBIDDEN})
check(not used, "the library calls what is not its business", used)

# It keeps no state outside its handles but the id of its build, which is written once. Constants with addresses in them lie in
# .data.rel.ro, which nobody writes to after the start.
symbols = subprocess.run(["objdump", "-t", ARCHIVE], capture_output=True, text=True, timeout=60, check=True).stdout
state = sorted(line.split()[-1] for line in symbols.splitlines() if " O " in line and re.search(r" O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)(\.(?!rel\.ro)\S+)?\t", line))
check(state == ["build_once", "build_text"], "state of the library", state)
