"""A session of 1 ms steps with every output, a Modbus master in command that polls and writes at 50 Hz, subscribers and a live view:
memory and descriptors stay flat, no request is refused, and the log verifies.

soak_test.py BUILD SOURCE [SECONDS]: its length (10 s). tools/resilience soak --seconds 3600 is the hour."""
import statistics

from harness import *
from soak_peers import Master, Watch
from view_client import Client as Browser

SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 10
SANITIZED = os.environ.get("SAGBEND_TEST_KIND") == "sanitize"  # a sanitizer keeps what is freed
OUTPUTS = ["--log-dir", path("logs"), "--log-key", path("log.key"), "--checkpoint", path("kept"), "--checkpoint-every", "5",
           "--snapshot-dir", path("snapshots"), "--record", path("record.csv"), "--record-every", "0.1", "--shapes", path("shapes.csv"),
           "--shapes-every", "1", "--summary", path("soak.json"), "--junit", path("junit.xml"),
           "--set", f"log.part_s={max(1.5, SECONDS / 6):g}", "--set", "simulation.lost_time_limit_s=0", "--set", "modbus.endpoint=tcp://127.0.0.1:*"]


def judge(watch, name):
    """From half of the time on, all that is allocated once has been allocated: two parts of the log as well, which overlap when the
    next one is opened."""
    memory, files = watch.memory[:len(watch.memory) * 9 // 10], watch.files[:len(watch.files) * 9 // 10]  # without the end
    ends = [len(memory) * i // 4 for i in range(5)]
    before, after = [statistics.median(memory[a:b]) for a, b in zip(ends[2:], ends[3:])]
    opened, open_after = statistics.median(files[ends[1]:ends[2]]), statistics.median(files[ends[3]:])
    print(f"{name}: {before:.1f} MiB, then {after:.1f} MiB; {opened:g} descriptors, then {open_after:g}", flush=True)
    check(SANITIZED or after - before < (1.2 if SECONDS >= 60 else 4), f"{name}: memory grows", memory[::max(1, len(memory) // 20)])
    # Not the most of them: a part, a checkpoint and a snapshot may be open for a moment together, or never.
    check(open_after < opened + 1, f"{name}: descriptors grow", files[::max(1, len(files) // 20)])


for folder in "logs", "snapshots":
    os.mkdir(path(folder))
check(run("keygen", "--log", path("log.key"))[0] == 0, "keygen")
with open(path("soak.yaml"), "w") as file:
    file.write(f"extends: {SOURCE}/configs/osv-83m-modbus.yaml\nname: soak\n")
simulator = Simulator(path("soak.yaml"), "--mode", "realtime", "--duration", "0", "--step-s", "0.001", *OUTPUTS)
view = View("--connect", simulator.telemetry)
browser = Browser(view.port)
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in run("modbus-map", path("soak.yaml"))[1].splitlines()[2:]]
setpoint = next(row for row in rows if row[3] == "thruster.bow_tunnel_1.revolutions_set_rpm")
check(setpoint[0] == "holding", "the register of the set-point", setpoint)
master = Master(int(simulator.wait_for(r"Modbus TCP at tcp://[\d.]+:(\d+)").group(1)), int(setpoint[1].split("-")[0]))
watches = [Watch(program.process, max(0.05, SECONDS / 1000)) for program in (simulator, view)]
for thread in [master, *watches]:
    thread.start()
begin = time.monotonic()
while time.monotonic() < begin + SECONDS:
    for program in simulator, view:
        check(program.process.poll() is None, "it ended", program.stderr())
    check(not master.wrong and master.is_alive(), "a valid request was not answered as it should", master.wrong)
    time.sleep(0.5)
master.stop = True
master.join()
check(run("ctl", simulator.commands, "snapshot", "late")[0] == 0, "a snapshot after that time")
until(lambda: os.listdir(path("snapshots")), "no snapshot")
simulator.signal()
check(simulator.end() == 0, "the session failed", simulator.stderr())
view.signal()
check(view.end() == 0, "the view failed", view.stderr())
summary = load("soak.json")
print(f"{summary['steps']} steps, {summary['late_steps']} late, {summary['lost_periods']} periods lost, {master.polls} polls, "
      f"{summary['field_buses']['modbus_requests']} requests, {summary['commands']['accepted']} commands, "
      f"{summary['log']['parts']} parts", flush=True)
check(summary["commands"]["accepted"] >= master.polls > 10, "commands", summary["commands"], master.polls)
check(summary["field_buses"]["modbus_exceptions"] == 0 and summary["field_buses"]["modbus_cut_off"] == 0, "field buses", summary["field_buses"])
check(summary["checkpoint"]["failed"] == 0, "checkpoints", summary["checkpoint"])
for name, watch in zip(["simulator", "view"], watches):
    judge(watch, name)
status, out, err = run("replay", path("logs"), "--verify", "--key", path("log.key.pub"), timeout=3600 + SECONDS)
check(status == 0 and "equal" in out, "the log does not verify", out, err)
