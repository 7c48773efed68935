"""docs/connect.md: each program of docs/examples that the page names holds its vessel for two minutes, and nothing that it sends is refused; the
commands that the page shows are those of this test. One program has at most 60 lines."""
import pty
import select
import threading
import tty

from harness import *

FOLDER = os.path.join(SOURCE, "docs/examples/connect")
PYTHON = "/usr/bin/python3"
with open(os.path.join(SOURCE, "docs/connect.md")) as file:
    PAGE = file.read()
programs = sorted(set(re.findall(r"\]\(examples/(\S+\.(?:py|c))\)", PAGE.split("## Protobuf")[0])))
check(programs == ["connect/hold_450.py", "connect/hold_fmu.c", "connect/hold_modbus.py", "connect/hold_nmea.py", "connect/hold_protobuf.c", "connect/hold_protobuf.py", "shortest_client.py"], "programs of the page", programs)
for name in programs:
    with open(os.path.join(SOURCE, "docs/examples", name)) as file:
        check(len(file.readlines()) <= 60, f"{name} has more than 60 lines")


def says(command):
    check(re.search(rf"^    {re.escape(command)}", PAGE, re.M), "docs/connect.md does not show", command)


def held(name, samples, within_m=1.0, controllers=1):
    """Judges the summary: the vessel stands at its set-point, every sample was answered, nothing was refused or lost."""
    summary = load(f"{name}.json")
    commands = summary["commands"]
    check(summary["complete"] and summary["ended_by"] == "duration", f"{name}: the run", summary["ended_by"])
    check(summary["vessel"]["offset_m"] < within_m and abs(summary["vessel"]["heading_error_deg"]) < 1, f"{name}: the vessel is not held", summary["vessel"])
    check(commands["accepted"] == samples and commands["refused"] == 0 and commands["lost"] == 0, f"{name}: commands", commands)
    check(commands["changes_of_command"] == controllers, f"{name}: who was in command", commands["changes_of_command"])


def ends(simulator, name, seconds=300):
    check(simulator.end(seconds) == 0, f"{name}: the session", simulator.stderr())


def lockstep(config, name, *more):
    return Simulator(config, "--mode", "lockstep", "--duration", "120", "--summary", path(f"{name}.json"), *more)


# ---- Protobuf.
says("build/sagbend run configs/jlay-900m.yaml --duration 0")
says("PYTHONPATH=build/proto/python /usr/bin/python3 docs/examples/shortest_client.py")
simulator = lockstep(JLAY, "protobuf", *COARSE)
PACKAGE = {"PYTHONPATH": os.path.join(BUILD, "proto/python")}
client = Program(PYTHON, os.path.join(SOURCE, "docs/examples/shortest_client.py"), simulator.commands, environment=PACKAGE)
ends(simulator, "protobuf")
held("protobuf", 1200, within_m=2)  # it has no integral part: the current moves it

# In C, by ZeroMQ and protobuf-c alone: built as the page says.
for line in re.findall(r"^    (mkdir -p c .*|cc -Ic .*) *$", PAGE, re.M):
    words = line.replace(" && ./hold", "").replace(" proto/sagbend", f" {SOURCE}/proto/sagbend").replace("=proto ", f"={SOURCE}/proto ").replace("docs/examples/connect", FOLDER)
    done = subprocess.run(words, shell=True, cwd=path(""), capture_output=True, text=True)
    check(done.returncode == 0 and not done.stderr, "the page's commands for C", words, done.stderr)
simulator = lockstep(JLAY, "c", *COARSE)
client = Program(path("hold"), simulator.commands)
ends(simulator, "c")
check(client.end() == 0, "the C client's end", client.stderr())
held("c", 1200, within_m=2)

# The 83 m vessel by its thrusters. The page's table has the position errors of each gain.
says("build/sagbend run configs/osv-83m.yaml --duration 0 --set vessel.current_acts=true")
says("PYTHONPATH=build/proto/python /usr/bin/python3 docs/examples/connect/hold_protobuf.py --command thrusters")
OSV = os.path.join(SOURCE, "configs/osv-83m.yaml")
CURRENT = ["--set", "vessel.current_acts=true", *COARSE]
ERRORS = ["--set", "verdicts=[{name: error, quantity: offset_m, below: 9}]"]


def hold_protobuf(simulator, *more):
    return Program(PYTHON, os.path.join(FOLDER, "hold_protobuf.py"), simulator.commands, *more, environment=PACKAGE)


table = {gain: (float(worst), float(last)) for gain, worst, last in re.findall(r"^\| ([\d.]+) \| ([\d.]+) m \| ([\d.]+) m \|$", PAGE, re.M)}
check(set(table) == {"0.25", "1", "4"}, "gains of the page", table)
for gain, (worst_m, last_m) in table.items():
    simulator = lockstep(OSV, "gain", *CURRENT, *ERRORS)
    client = hold_protobuf(simulator, "--command", "thrusters", "--gain", gain)
    ends(simulator, f"gain {gain}")
    held("gain", 1200, within_m=3)
    summary = load("gain.json")
    got_m = summary["verdicts"][0]["worst_value"], summary["vessel"]["offset_m"]
    check(abs(got_m[0] / worst_m - 1) < 0.1 and abs(got_m[1] / last_m - 1) < 0.15, f"gain {gain}: the page's errors", got_m, worst_m, last_m)

simulator = lockstep(JLAY, "wrench", *COARSE, *ERRORS)
check("`--command wrench --gain 10`" in PAGE, "the wrench of the page")
client = hold_protobuf(simulator, "--command", "wrench", "--gain", "10")
ends(simulator, "wrench")
held("wrench", 1200)

# With instruments, and a wrench that the vessel refuses: the controller says why.
simulator = lockstep(os.path.join(SOURCE, "configs/osv-83m-instruments.yaml"), "receivers", *CURRENT)
client = hold_protobuf(simulator, "--command", "thrusters")
ends(simulator, "receivers")
held("receivers", 1200, within_m=1.5)
simulator = Simulator(OSV, "--duration", "0", *CURRENT, *ANY_LAG)
client = hold_protobuf(simulator)
words = re.search(r"prints `(refused: [^`]*)`", PAGE).group(1)
until(lambda: words in client.stderr(), "the controller says why it is refused", client.stderr)
client.kill()
simulator.signal()
simulator.end()

# ---- NMEA by UDP.
says("build/sagbend run configs/osv-83m-nmea.yaml --duration 0")
says("/usr/bin/python3 docs/examples/connect/hold_nmea.py 10110 127.0.0.1:10120")
with open(os.path.join(SOURCE, "configs/osv-83m-nmea.yaml")) as file:
    text = file.read()
check("udp: 127.0.0.1:10110" in text and "udp: 127.0.0.1:10120" in text, "the ports of the case", text)
out = free_ports(1)[0]
with open(path("nmea.yaml"), "w") as file:
    file.write(text.replace("extends: ", f"extends: {SOURCE}/configs/").replace("127.0.0.1:10110", f"127.0.0.1:{out}").replace("127.0.0.1:10120", "127.0.0.1:*"))
simulator = lockstep(path("nmea.yaml"), "nmea", *COARSE)
inlet = simulator.wait_for(r"NMEA commands at UDP (\S+)").group(1)
client = Program(PYTHON, os.path.join(FOLDER, "hold_nmea.py"), str(out), inlet)
ends(simulator, "nmea")
client.kill()
held("nmea", 1200)

# ---- A ship's network: program_ship_network runs the example, where nothing can leave the machine.
says("build/sagbend run configs/osv-83m-450.yaml --duration 0")
says("/usr/bin/python3 docs/examples/connect/hold_450.py")

# ---- NMEA by a serial line: two ends, joined as by socat.
says("/usr/bin/python3 docs/examples/connect/hold_nmea.py /dev/ttyUSB0")
says("build/sagbend run docs/examples/connect/serial.yaml --duration 0")
masters, names = [], []
for _ in range(2):
    master, slave = pty.openpty()
    tty.setraw(slave)
    masters.append(master)
    names.append(os.ttyname(slave))


def join_lines():
    while True:
        for master in select.select(masters, [], [])[0]:
            os.write(masters[1 - masters.index(master)], os.read(master, 4096))


threading.Thread(target=join_lines, daemon=True).start()
with open(os.path.join(FOLDER, "serial.yaml")) as file:
    text = file.read()
check(text.count("/dev/ttyUSB0") == 2, "the device of the case", text)
with open(path("serial.yaml"), "w") as file:
    file.write(text.replace("../../../configs/", f"{SOURCE}/configs/").replace("/dev/ttyUSB0", names[0]))
client = Program(PYTHON, os.path.join(FOLDER, "hold_nmea.py"), names[1])
# In real time, as sentences of a line come one by one: in lockstep the first of them answers the sample.
simulator = Simulator(path("serial.yaml"), "--mode", "realtime", "--duration", "60", "--summary", path("serial.json"), *COARSE)
simulator.rate(4)
ends(simulator, "serial")
client.kill()
summary = load("serial.json")
check(summary["vessel"]["offset_m"] < 1 and summary["commands"]["accepted"] > 300 and summary["commands"]["refused"] == 0, "serial: the vessel is not held", summary["vessel"],
      summary["commands"])

# ---- Modbus TCP.
says("build/sagbend modbus-map configs/osv-83m-modbus.yaml --yaml > map.yaml")
says("/usr/bin/python3 docs/examples/connect/hold_modbus.py 127.0.0.1:1502 map.yaml")
case = os.path.join(SOURCE, "configs/osv-83m-modbus.yaml")
status, text, err = run("modbus-map", case, "--yaml")
check(status == 0, "the map", err)
with open(path("map.yaml"), "w") as file:
    file.write(text)
simulator = lockstep(case, "modbus", "--set", "modbus.endpoint=tcp://127.0.0.1:*", "--set", "nmea=null", *COARSE)
place = simulator.wait_for(r"Modbus TCP at tcp://([0-9.:]+[0-9])").group(1)
client = Program(PYTHON, os.path.join(FOLDER, "hold_modbus.py"), place, path("map.yaml"))
ends(simulator, "modbus")
check(client.end() == 1 and "the session has ended" in client.stderr(), "the end of the controller", client.stderr())
held("modbus", 1200)

# ---- FMU: the page's own commands build it.
folder = path("fmu")
os.mkdir(folder)
for name in ("hold_fmu.c", "modelDescription.xml", "hold.fmu.yaml"):
    os.symlink(os.path.join(FOLDER, name), os.path.join(folder, name))
part = PAGE.split("## FMU")[1]
commands = re.findall(r"^    (.*)", part[:part.index("Run it")], re.M)
check(len(commands) == 3, "commands of the page", commands)
for command in commands:
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S)
    check(done.returncode == 0, command, done.stdout, done.stderr)
says("../../../build/sagbend start ../../../configs/jlay-900m.yaml --controller hold.fmu --duration 0")
status, out, err = run("start", JLAY, *ANY_PORT, "--controller", os.path.join(folder, "hold.fmu"), "--duration", "120", "--set", "simulation.mode=lockstep", *COARSE, timeout=300)
check(status == 0, "the FMU", out, err)
error = re.search(r"^vessel +position error ([\d.]+) m", out, re.M)
check(error and float(error.group(1)) < 1 and re.search(r"^commands +1200 accepted, 0 refused, lost 0 times", out, re.M), "FMU: the vessel is not held", out, err)
