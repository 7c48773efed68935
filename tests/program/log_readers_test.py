"""Session logs read by independent readers (tests/mcap, from npm with a lock file); see read.mjs there."""
import shutil
from harness import *

if not shutil.which("npm"):
    print("SKIPPED: npm is not installed (apt-get install npm)")
    sys.exit(SKIPPED)
folder = os.path.join(BUILD, "tests/mcap")
os.makedirs(folder, exist_ok=True)
for name in ["package.json", "package-lock.json", ".npmrc", "read.mjs"]:
    shutil.copy(os.path.join(SOURCE, "tests/mcap", name), folder)
installed = subprocess.run(["npm", "ci", "--no-progress", "--fetch-retries=1", "--fetch-timeout=60000"], cwd=folder, capture_output=True,
                           text=True, stdin=subprocess.DEVNULL)
unreachable = re.search(r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E40[137]|E5\d\d)\b",
                        installed.stderr)
if installed.returncode and unreachable:
    print(f"SKIPPED: the npm registry cannot be reached ({unreachable.group(1)})")
    sys.exit(SKIPPED)
check(installed.returncode == 0, "npm ci", installed.stdout, installed.stderr)


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
