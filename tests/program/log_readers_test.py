"""Session logs read by independent readers (tests/mcap, from npm with a lock file); see read.mjs there."""
from npm import *

if not shutil.which("npm"):
    print("SKIPPED: npm is not installed (apt-get install npm)")
    sys.exit(SKIPPED)
folder = npm_folder("mcap", "read.mjs")


def read(log):
    code, out, err = run(os.path.join(folder, "read.mjs"), SAGBEND, log, program="node", timeout=120)
    check(code == 0, f"{log} was not read by others", out, err)
    print(out.strip())


code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "30", "--log", path("fast.mcap"), "--set", "log.nodes_period_s=0.1")
check(code == 0, "fast run", err)
read(path("fast.mcap"))

code, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "5", "--log", path("vessel.mcap"))
check(code == 0, "fast run without pipe", err)
read(path("vessel.mcap"))

# In real time, with events and superseded commands; then killed and recovered.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log", path("killed.mcap"))
dp = controller(simulator, "--set", "pid.start_s=0.5")
simulator.wait_for("command_first")
simulator.wait_for_step(200)
simulator.kill()
dp.signal()
dp.end()
code, out, err = run("log", "recover", "--overwrite", path("killed.mcap"), path("mended.mcap"))
check(code == 0, "recovery", err)
read(path("mended.mcap"))
