"""tools/hour, shortened to seconds: every peer has done its part, the log replays, the table is complete and belongs to the numbers. No
time is judged."""
import shutil

from harness import *

TOOL = os.path.join(SOURCE, "tools/hour")
LATENCIES = ["step_us", "wakeup_us", "step_end_to_sensors_sent_us", "command_received_to_latched_us"]
with open(path("case.yaml"), "w") as file:  # judged by verdicts that so short a session passes on a busy machine
    file.write(f"""extends: {SOURCE}/configs/osv-83m-everything.yaml
name: hour
simulation: {{lost_time_limit_s: 0}}
network: {{command_timeout_s: 20, command_max_age_s: 20}}
controller: {{dp_file: {SOURCE}/configs/osv-83m-everything-dp.yaml}}
verdicts: [{{name: power, quantity: buses_dark, below: 0.5}}]
""")
command = [sys.executable, TOOL, "--build", BUILD, "--config", path("case.yaml"), "--seconds", "5"]
done = subprocess.run([*command, "--out", path("out")], capture_output=True, text=True, timeout=5 * PATIENCE_S)
check(done.returncode == 0, "the hour", done.stdout, done.stderr)
with open(path("out/hour.txt")) as file:
    check(file.read() == done.stdout and "nothing" in done.stdout.split("what went wrong:")[1], "the table", done.stdout)
result = load("out/hour.json")
summary = result["summary"]
check(summary["steps"] > 100 and all(summary["latency"][name]["count"] for name in LATENCIES), "latencies", summary["latency"])
check(result["replay"]["status"] == 0 and any("equal" in line for line in result["replay"]["text"]), "replay", result["replay"])
peers = result["peers"]
check(peers["modbus"]["polls"] > 1 and summary["field_buses"]["modbus_requests"] >= peers["modbus"]["polls"], "Modbus", peers)
check(peers["nmea"]["kinds"]["GPGGA"] > 1 and peers["nmea"]["kinds"]["RCTRD"] > 1 and peers["page"]["messages"] > 10 and peers["page"]["metrics"] > 0, "peers", peers)
check(summary["commands"]["accepted"] > 1, "commands", summary["commands"])
check(set(result["memory_mib"]) == {"simulator", "controller", "page"} and result["threads_s"]["step"] > 0, "memory, threads", result["memory_mib"], result["threads_s"])
check((result["cyclictest"]["count"] > 0) == bool(shutil.which("cyclictest")) or "cyclictest" in " ".join(result["refused"]), "cyclictest", result["refused"])

# What is there is kept; a case that the simulator refuses, and one that fails, are said.
done = subprocess.run([*command, "--out", path("out")], capture_output=True, text=True)
check(done.returncode != 0 and "does not exist yet" in done.stderr, "a second run into the same folder", done.stderr)
done = subprocess.run([*command, "--out", path("bad"), "--set", "pipe.length_m=-1"], capture_output=True, text=True)
check(done.returncode != 0 and "pipe.length_m" in done.stderr, "a bad case", done.stderr)
done = subprocess.run([*command, "--out", path("failed"), "--set", "verdicts.0.below=-1"], capture_output=True, text=True, timeout=5 * PATIENCE_S)
check(done.returncode == 1 and "1 of 1 verdicts did not pass" in done.stdout.split("what went wrong:")[1], "a session that fails", done.stdout, done.stderr)
