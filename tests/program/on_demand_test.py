"""Libraries that few runs need are loaded by those that do: no program is linked with them; without one a run that needs it says so
before it begins, by the name of the library and of Debian's package, and all others go on. A simulation never loads one."""
import shutil

from harness import *

NEVER_LINKED = r"libzmq|libnetcdf|libsystemd"
OTHERS = {name: os.path.join(BUILD, "sagbend-" + name) for name in ("dp", "view", "fmu", "lab", "verify")}
for program in [SAGBEND, *OTHERS.values()]:
    if os.path.exists(program):
        dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
        check("libc.so" in dynamic and not re.search(NEVER_LINKED, dynamic), f"{program} is linked with a library that few runs need", dynamic)


def mapped(process):
    with open(f"/proc/{process.pid}/maps") as file:
        return set(re.findall(r"/(lib[\w+-]+)\.so", file.read()))


# Present: the simulator has a controller and an operator, and only these load libzmq.
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT)
peer = Program(SAGBEND_DP, JLAY_DP, "--connect", simulator.commands)
peer.wait_for("welcomed")
status, out, err = run("ctl", simulator.commands, "status")
check(status == 0, "an operator with libzmq", out, err)
check("libzmq" in mapped(peer.process), "libzmq, where a controller has it", mapped(peer.process))
check(not re.search(NEVER_LINKED, " ".join(mapped(simulator.process))), "a simulation loads what it does not need", mapped(simulator.process))
peer.signal()
check(peer.end() == 0, "sagbend-dp", peer.stderr())

# A damaged library, and one without the functions; both stand before the machine's own.
write = lambda name, text: open(name, "w").write(text)
for case, expected in (("cut", "file too short"), ("foreign", "undefined symbol: ")):
    folder = path(case)
    os.mkdir(folder)
    for name in ("libzmq.so.5", "libnetcdf.so.19"):
        if case == "cut":
            write(os.path.join(folder, name), "")
        else:
            shutil.copy(os.path.join(BUILD, "tests/program/libslow_monitor.so"), os.path.join(folder, name))
    without = {**os.environ, "LD_LIBRARY_PATH": folder}

    def told(program, *args):
        done = subprocess.run([program, *args], capture_output=True, text=True, env=without, timeout=PATIENCE_S)
        return done.returncode, done.stdout + done.stderr

    os.makedirs(path("cases"), exist_ok=True)
    shutil.copy(VESSEL, path("cases/vessel.yaml"))
    for status, program, *args in [
            (1, SAGBEND, "ctl", simulator.commands, "status"), (1, SAGBEND, "ctl", simulator.commands, "watch"),
            (1, SAGBEND, "serve", path("cases"), "--bind-command", "tcp://127.0.0.1:*"),
            (1, SAGBEND_DP, JLAY_DP, "--connect", simulator.commands),
            (1, OTHERS["view"], "--connect", simulator.telemetry, "--listen", "127.0.0.1:0")]:
        if os.path.exists(program):
            got, text = told(program, *args)
            check(got == status and "A connection to a simulator needs libzmq.so.5 (Debian: apt-get install libzmq5)" in text and expected in text,
                  f"without libzmq ({case}), status {status} expected", got, text, args)
    write(path("ship.nc"), "CDF\x01")
    if os.path.exists(OTHERS["lab"]):
        got, text = told(OTHERS["lab"], "hydro", "import", path("ship.nc"), "-o", path("ship.hydro"))
        check(got == 2 and "NetCDF needs libnetcdf.so.19 (Debian: apt-get install libnetcdf19)" in text and expected in text and "nemoh" in text,
              f"without libnetcdf ({case})", got, text)
    for args in (("check", VESSEL), ("run", VESSEL, "--mode", "fast", "--duration", "1", "--log", path("a.mcap"), "--overwrite"), ("replay", path("a.mcap"), "--verify"),
                 ("statics", JLAY), ("--version",)):
        got, text = told(SAGBEND, *args)
        check(got == 0, f"a run that does not need them ({case})", args, got, text)

# The simulator serves without libzmq as well.
with_own = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", *ANY_LAG, environment={"LD_LIBRARY_PATH": path("cut")})
status, out, err = run("ctl", with_own.commands, "status")
check(status == 0, "a simulator without libzmq", out, err)
for one in (simulator, with_own):
    one.signal()
    check(one.end() == 0, "the end", one.stderr())
