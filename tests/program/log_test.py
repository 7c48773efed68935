"""Session logs of the program: what a run logs, and how logs are shown, exported and refused."""
import csv
import glob
import io
from harness import *


def log(*args, status=0):
    code, out, err = run("log", *args)
    check(code == status, f"sagbend log {' '.join(args)}: exit status {code}, not {status}", out[-2000:], err)
    check(status == 0 or err.count("\n") == 1, f"sagbend log {' '.join(args)}: one line expected", err)
    return out if status == 0 else err


def messages(name, topic):
    return [json.loads(line)["message"] for line in log("cat", path(name), "--topic", topic).splitlines()]


# fast: nothing is dropped, and the hashes are those of --hashes.
code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "12", "--log", path("f.mcap"), "--hashes", path("f.txt"),
                     "--summary", path("f.json"), "--set", "log.truth_period_s=0", "--set", "log.ledger_period_s=off",
                     "--set", "log.nodes_period_s=2", "--step-s", "0.02")
check(code == 0, "fast run with a log", err)
s = load("f.json")
check(s["log"]["bytes"] == os.path.getsize(path("f.mcap")), "bytes in the summary", s["log"])
check(not any(s["log"]["dropped"].values()) and s["log"]["complete"] and not s["log"]["commands_missing"], "left out", s["log"])
logged = [(str(m["step"]), m["hash"]) for m in messages("f.mcap", "/state_hash")]
check(logged == [tuple(h) for h in hashes("f.txt")], "hashes", logged[:3], hashes("f.txt")[:3])
session = messages("f.mcap", "session")[0]
check(session["initial_state_hash"] == logged[0][1] and session["mode"] == "RUN_MODE_FAST", "session", session)
check(session["config_text"] == s["config_text"] and "pid:" in session["dp_text"], "texts of the session")
check("log.nodes_period_s=2" in session["overrides"] and session["step_s"] == 0.02, "overrides", session["overrides"])
commands = messages("f.mcap", "command")
check([c["step"] for c in commands] == list(range(0, 600, 5)), "a command each 0.1 s", [c["step"] for c in commands][:9])
check([c["number"] for c in commands] == list(range(1, 121)), "numbers of commands")
check(len(commands) == s["commands"]["accepted"], "commands", len(commands), s["commands"])
end = messages("f.mcap", "end")[0]
check(end["step"] == 600 and end["state_hash"] == s["state_hash"] == logged[-1][1], "end", end)
counts = {line.split()[0]: int(line.split()[1]) for line in log("topics", path("f.mcap")).splitlines()[1:]}
check(2 <= counts.pop("/chain") <= 20, "links of the chain", counts)
check(counts == {"/session": 1, "/state_hash": 601, "/sensors": 121, "/truth": 601, "/timing": 13, "/nodes": 7,
                 "/command": 120, "/session_info": 1, "/status": 26, "/event": 1, "/end": 1}, "counts by topic", counts)
links = len(messages("f.mcap", "chain"))
check(sum(counts.values()) + links == s["log"]["messages"], "messages in the summary", s["log"])

info = log("info", path("f.mcap"))
for piece in ["jlay-900m", s["session"], "in order", "possible", "/state_hash", "duration reached", "simulation.mode=fast"]:
    check(piece in info, f"info without '{piece}'", info)
check(len(log("cat", path("f.mcap"), "--topic", "/truth", "--from", "3", "--to", "3.1").splitlines()) == 6, "a range of times")
check(len(log("cat", path("f.mcap")).splitlines()) == s["log"]["messages"], "cat of all")

rows = list(csv.reader(io.StringIO(log("export-csv", path("f.mcap"), "--topic", "/sensors", "--fields",
                                       "header.step,heading_rad,pipe.touchdown.north_m,command_state"))))
check(rows[0] == ["log_time_s", "header.step", "heading_rad", "pipe.touchdown.north_m", "command_state"], "head", rows[0])
check(len(rows) == 122 and rows[-1][:2] == ["12", "600"] and float(rows[-1][3]) > 100, "rows", len(rows), rows[-1])
truth = messages("f.mcap", "/truth")[-1]
check(truth["position_north_m"] == s["vessel"]["position_m"][0], "the numbers are the very numbers", truth)
rows = list(csv.reader(io.StringIO(log("export-csv", path("f.mcap"), "--topic", "nodes", "--fields", "down_m[100],down_m[101]"))))
check(len(rows) == 8 and abs(float(rows[1][1])) < 1 and rows[1][2] == "", "a field that is absent is empty", rows[1])
rows = list(csv.reader(io.StringIO(log("export-csv", path("f.mcap"), "--topic", "/session"))))
check(len(rows) == 2 and s["config_text"] in rows[1], "a text with commas, quotes and lines in CSV")

# An error is one line, and the exit status gives its kind.
check("heading_deg" in log("export-csv", path("f.mcap"), "--topic", "/sensors", "--fields", "heading_deg", status=2), "field")
log("export-csv", path("f.mcap"), status=2)
log("cat", path("f.mcap"), "--topic", "/nothing", status=2)
log("show", path("f.mcap"), status=2)
log(status=2)
log("info", status=2)
log("recover", path("f.mcap"), status=2)
log("recover", path("f.mcap"), path("f.mcap"), status=2)
log("info", path("f.mcap"), path("f.mcap"), status=2)
check(path("none") in log("info", path("none"), status=1), "a missing file")
check("MCAP" in log("info", JLAY, status=1), "another kind of file")
for args in (["--log", "/nowhere/x.mcap"], ["--log-dir", "/nowhere"], ["--log", FOLDER]):
    code, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "1", *args)
    check(code == 1 and args[1] in err, f"{args}: not refused", err)
code, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "1", "--log", path("x.mcap"), "--log-dir", FOLDER)
check(code == 2, "--log and --log-dir", err)

# A damaged log: everything before the damage is shown, then the damage is reported; recovery keeps the rest and reports the loss.
with open(path("f.mcap"), "rb") as file:
    good = file.read()
with open(path("cut.mcap"), "wb") as file:
    file.write(good[: len(good) * 2 // 3])
code, out, err = run("log", "info", path("cut.mcap"))
check(code == 1 and err.count("\n") == 1 and "no, or damaged" in out, "info of a log without its tail", out, err)
said = log("recover", path("cut.mcap"), path("mended.mcap"))
check("lost: " in said and "damaged" in said, "recovery does not report the loss", said)
check("in order" in log("info", path("mended.mcap")), "the recovered log")
said = log("recover", path("f.mcap"), path("again.mcap"))
check("nothing was lost" in said and len(log("cat", path("again.mcap")).splitlines()) == s["log"]["messages"], "recovery", said)
check(log("cat", path("again.mcap")) == log("cat", path("f.mcap")), "recovery changes no message")
with open(path("rubbish.mcap"), "wb") as file:
    file.write(good[:8] + bytes(5000))
log("recover", path("rubbish.mcap"), path("nothing.mcap"), status=1)

# realtime: a controller is killed and restarted, a command is refused; the log contains every command that a step used.
os.mkdir(path("logs"))
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "4", "--summary", path("r.json"), "--log-dir", path("logs"))
dp = controller(simulator, "--set", "pid.start_s=0.5")
simulator.wait_for("command_first")
simulator.go_on(50)
dp.kill()
dp = controller(simulator, "--set", "pid.start_s=0.5")
dp.wait_for("welcomed")
import zmq
stranger = zmq.Context.instance().socket(zmq.DEALER)
stranger.connect(simulator.commands)
stranger.send(b"\x08\x01 not a message")
check(simulator.end() == 0, "the simulator failed", simulator.stderr())
stranger.close(linger=0)
dp.end()
s = load("r.json")
names = glob.glob(path("logs") + "/*.mcap")
check(len(names) == 1 and s["session"] in names[0] and names[0] == s["log"]["file"], "name of the log", names, s["log"])
name = os.path.relpath(names[0], FOLDER)
used = [c for c in messages(name, "command") if not c["superseded"]]
check([c["number"] for c in used] == list(range(1, len(used) + 1)), "numbers of commands")
check(all(a["step"] < b["step"] for a, b in zip(used, used[1:])), "steps of commands")
check(len(messages(name, "command")) >= s["commands"]["accepted"] - 1, "commands", len(used), s["commands"])
events = [e["name"] for e in messages(name, "event")]
for event in ["controller_joined", "controller_in_command", "command_first", "refused_malformed"]:
    check(event in events, f"no event {event} in the log", events)
check([m["step"] for m in messages(name, "state_hash")] == list(range(401)), "a hash for each step")
check(messages(name, "end")[0]["state_hash"] == s["state_hash"], "the last hash")
check(not any(s["log"]["dropped"].values()), "left out", s["log"])
sensors = messages(name, "sensors")
check([m["header"]["step"] for m in sensors] == list(range(0, 401, 10)), "sensors as they were sent")
applied = {m["header"]["step"]: m["applied_wrench"] for m in sensors}
check(any(c.get("wrench") for c in used), "a command with a wrench")
for before, after in zip(used, used[1:]):
    for step in range(before["step"] + 1, after["step"] + 1):
        if step in applied and "wrench" in before and step <= before["step"] + 10:
            check(applied[step] == before["wrench"], f"step {step} did not use the command logged for it", before)

# --- a log has all that the configuration and its DP file extend: they need not be where it is read ---
os.makedirs(path("common"), exist_ok=True)
with open(os.path.join(SOURCE, "configs/osv-83m-dp.yaml")) as file:
    base = file.read()
with open(path("common/base-dp.yaml"), "w") as file:
    file.write(base)
with open(path("mine-dp.yaml"), "w") as file:
    file.write("extends: common/base-dp.yaml\n")
status, out, err = run("run", os.path.join(SOURCE, "configs/osv-83m.yaml"), "--mode", "fast", "--duration", "1", "--log", path("extended.mcap"),
                       "--set", "controller.dp_file=" + path("mine-dp.yaml"))
check(status == 0, "a DP file that extends another", err)
record = messages("extended.mcap", "session")[0]
check(record["dp_text"].startswith("extends: common/base-dp.yaml") and [f["path"] for f in record["dp_files"]] == ["common/base-dp.yaml"], "what the DP file extends", record["dp_files"])
check(record["dp_files"][0]["text"] == f"{len(base.encode())} bytes", "its text", record["dp_files"][0])
