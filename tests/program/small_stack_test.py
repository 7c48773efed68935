"""A host with small stacks (ulimit -s 256, in kB): every command works, or says what it needs. No function of the programs beside a vessel
has a frame above 68 kB, whatever the limit."""
import shutil

from harness import *

STACK_KB, LARGEST_FRAME = 256, 68 << 10
SMALL = ["bash", "-c", f'ulimit -s {STACK_KB} && exec "$0" "$@"']
FAST = ["--mode", "fast"]


def small(*args, program=SAGBEND, status=0, says=None):
    done = subprocess.run([*SMALL, program, *map(str, args)], capture_output=True, text=True, timeout=300)
    check(done.returncode == status, f"{os.path.basename(program)} {args}: {done.returncode}, not {status}", done.stdout[-500:], done.stderr[-2000:])
    if says:
        check(says in done.stderr and done.stderr.count("\n") == 1, f"{args} does not say what it needs", done.stderr)
    return done.stdout


# ---- frames ----
def frames(program):
    """The largest step of the stack pointer in each function."""
    found, name = {}, None
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    for label, *step in re.findall(r"^[0-9a-f]+ <(.*)>:$|\bsub +\$0x([0-9a-f]{1,8}),%rsp|lea +-0x([0-9a-f]{1,8})\(%rsp\),%r11", text, re.M):
        if label:
            name = label
        else:
            found[name] = max(found.get(name, 0), int(step[0] or step[1], 16))
    return found


def is_plain(program):
    with open(program, "rb") as file:
        return b"__asan_" not in file.read() and os.uname().machine == "x86_64"


if shutil.which("objdump") and is_plain(SAGBEND):
    for name in "sagbend", "sagbend-dp", "sagbend-view":
        found = frames(os.path.join(BUILD, name))
        check(len(found) > 200, f"the functions of {name}", len(found))
        large = {f: size for f, size in found.items() if size > LARGEST_FRAME}
        check(not large, f"{name}: functions with a frame above {LARGEST_FRAME} bytes; ask for memory instead", large)

# ---- every command ----
OSV = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
WAVES = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
DP = ["--set", "controller.dp_file=" + os.path.join(SOURCE, "configs/osv-83m-dp.yaml")]
log, point = path("a.mcap"), path("a.checkpoint")
for case, more in (JLAY, []), (OSV, []), (WAVES, DP):
    small("check", case)
    small("run", case, *more, *FAST, "--duration", "1", "--log", log, "--overwrite", "--record", path("a.csv"), "--summary", path("a.json"),
          "--checkpoint", point, "--shapes", path("a.shapes"), "--junit", path("a.xml"))
    small("replay", log, "--verify")
small("run", WAVES, *DP, *FAST, "--duration", "2", "--resume", point, "--log", path("b.mcap"))
small("replay", log, path("b.mcap"), "--verify")
os.mkdir(path("parts"))
small("run", JLAY, *FAST, "--duration", "3", "--log-dir", path("parts"), "--set", "log.part_s=1")
small("replay", *(path("parts/" + name) for name in sorted(os.listdir(path("parts")))), "--verify")
for args in ("info", log), ("topics", log), ("cat", log, "--topic", "/truth"), ("export-csv", log, "--topic", "/truth"):
    small("log", *args)
small("statics", JLAY)
small("modbus-map", OSV)
small("outputs")
small("trials", os.path.join(SOURCE, "configs/trials/osv-83m.yaml"), "--list")
small("capability", OSV, "--level", "2")
with open(path("plan.yaml"), "w") as file:
    file.write(f"base: {JLAY}\nset: {{simulation.duration_s: 1}}\nvary: [{{key: environment.depth_m, values: [890, 900]}}]\n")
small("sweep", path("plan.yaml"), "--out", path("swept"))
small("verify", "--case", "elastica", status=2, says="a stack of at least")

# ---- a session in real time with its controller and view ----
simulator = Program(SMALL[0], *SMALL[1:], SAGBEND, "run", JLAY, *ANY_PORT, "--duration", "0", "--log", path("live.mcap"), "--summary", path("live.json"))
commands = simulator.wait_for(r"commands at (\S+)").group(1)
telemetry = simulator.wait_for(r"telemetry at (\S+)").group(1)
view = Program(SMALL[0], *SMALL[1:], os.path.join(BUILD, "sagbend-view"), "--connect", telemetry, "--listen", "127.0.0.1:0", "--config", JLAY)
view.wait_for(r"shows the telemetry of")
small("ctl", commands, "status")
small("ctl", commands, "pause")
small("ctl", commands, "resume")
controller = Program(SMALL[0], *SMALL[1:], os.path.join(BUILD, "sagbend-dp"), os.path.join(SOURCE, "configs/jlay-900m-dp.yaml"), "--connect", commands)
until(lambda: "in command" in run("ctl", commands, "status")[1], "the controller is in command", controller.stderr())
small("ctl", commands, "stop")
for program, name in (simulator, "the simulator"), (controller, "the controller"):
    check(program.end() in (0, 1), f"the end of {name}", program.stderr())
view.signal()
check(view.end() == 0, "the end of the view", view.stderr())
