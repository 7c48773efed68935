"""A restart after kill -9: the run resumes from its last checkpoint, its log names session and step, the lost steps are reported, and
the logs before and after replay alone and together. Without a checkpoint it starts at the beginning; a damaged or foreign one is
refused."""
import shutil

from harness import *

REALTIME = ["--mode", "realtime", "--duration", "0", "--set", "pipe.elements=40"]


def service(name, *args):
    return ["--checkpoint", path(name), "--checkpoint-every", "0.5", "--resume-if-present", *REALTIME, *args]


def verify(*logs):
    status, out, err = run("replay", *logs, "--verify", "--json", timeout=120)
    return status, json.loads(out) if out else None, err


logs = path("logs")
os.mkdir(logs)
folder = ["--log-dir", logs, "--set", "log.part_s=1"]

# The first start finds no checkpoint.
first = Simulator(JLAY, *service("c"), *folder)
check("notice: there is no checkpoint" in first.stderr() and "starts at the beginning" in first.stderr(), "no checkpoint", first.stderr())
first.wait_for_step(260)
first.kill()
killed = sorted(os.listdir(logs))
with open(path("c.progress")) as file:
    session, reached = file.read().split()
check(int(reached) >= 200, "progress", reached)

# The next start resumes; what followed the checkpoint is lost and reported.
second = Simulator(JLAY, *service("c"), *folder, "--summary", path("second.json"))
step = int(second.wait_for(r"resumed: from the checkpoint \S+, at step (\d+)").group(1))
check(step % 50 == 0 and 200 <= step <= int(reached), "the checkpoint's step", step, reached)
second.wait_for_step(step + 120)
second.signal()
check(second.end() == 0, "the second run", second.stderr())
summary = load("second.json")
lost = int(reached) - step
check(summary["resumed_from"] == {"file": path("c"), "session": session, "step": step, "lost_steps": lost}, "summary", summary["resumed_from"])
events = [event for event in summary["events"]["first"] if event["name"] in ("resumed", "steps_lost")]
check([e["name"] for e in events] == ["resumed"] + ["steps_lost"] * (lost > 0), "events", events)
check(not lost or events[1]["text"].startswith(f"at least {lost} steps") and session in events[1]["text"], "what was lost", events)

# The log of the killed session is readable; that of the second names it; both replay, alone and together.
new = [name for name in sorted(os.listdir(logs)) if name not in killed]
status, report, err = verify(os.path.join(logs, new[0]))
check(status == 0 and report["origin"] == {"session": session, "step": step, "how": "resume", "name": "c"}, "the new log", report, err)
code, out, err = run("log", "info", os.path.join(logs, new[0]))
check(f"resume of session {session} at step {step}, c" in out, "log info", out, err)
status, report, err = verify(logs)
check(status == 3 and not [f for f in report["findings"] if f["kind"] == "contradiction"], "both", report["findings"], err)
check({log["session"] for log in report["logs"]} == {session, summary["session"]}, "both sessions", report["logs"])
status, report, err = verify(*[os.path.join(logs, name) for name in killed[:-1]])
check(status == 3 and all(log["result"] == "equal" for log in report["logs"]), "the killed session", report)

# After a proper end nothing is lost.
third = Simulator(JLAY, *service("c"), "--summary", path("third.json"))
third.go_on(5)
third.signal()
check(third.end() == 0 and "steps_lost" not in third.stderr(), "after a proper end", third.stderr())
check(load("third.json")["resumed_from"] == {"file": path("c"), "session": summary["session"], "step": summary["steps"], "lost_steps": 0},
      "after a proper end", load("third.json")["resumed_from"])

# Without the progress, their number is unknown and reported as such.
os.remove(path("c.progress"))
fourth = Simulator(JLAY, *service("c"), "--summary", path("fourth.json"))
fourth.wait_for("steps_lost: an unknown number of steps")
fourth.signal()
check(fourth.end() == 0 and load("fourth.json")["resumed_from"]["lost_steps"] is None, "unknown", load("fourth.json")["resumed_from"])
for content in b"", b"no progress", b"\xff" * 48, b"x" * 5000:
    with open(path("c.progress"), "wb") as file:
        file.write(content)
    odd = Simulator(JLAY, *service("c"))
    odd.wait_for("steps_lost: an unknown number of steps")
    odd.signal()
    check(odd.end() == 0, "an odd progress file", odd.stderr())

# Damaged or foreign: refused, and the file stays as it was.
with open(path("c"), "rb") as file:
    good = file.read()
for what, content, word in [("damaged", good[:500] + b"\xa5" * 40 + good[540:], "damaged"), ("cut", good[:1000], "truncated"), ("empty", b"", "not a checkpoint")]:
    with open(path("bad"), "wb") as file:
        file.write(content)
    status, out, err = run("run", JLAY, *service("bad"))
    check(status == 2 and word in err and err.count("\n") == 1, what, status, err)
    with open(path("bad"), "rb") as file:
        check(file.read() == content, f"{what}: the file was changed")
status, out, err = run("run", VESSEL, "--checkpoint", path("c"), "--resume-if-present", "--mode", "fast", "--duration", "1")
check(status == 2 and "another configuration" in err, "a foreign checkpoint", err)
os.mkdir(path("folder"))
status, out, err = run("run", JLAY, *service("folder"))
check(status == 2 and "not a checkpoint" in err, "a folder", status, err)
for words in [["--resume-if-present"], ["--resume-if-present", "--checkpoint", path("x"), "--resume", path("c")]]:
    status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", *words)
    check(status == 2 and "--resume-if-present" in err, "usage", words, err)

# kill -9 again and again, also before the first checkpoint after a start: never back at the beginning.
last = load("fourth.json")["steps"]
for trial in range(4):
    victim = Simulator(JLAY, *service("c"), *folder)
    step = int(victim.wait_for(r"resumed: .* at step (\d+)").group(1))
    check(step >= last, "it went back", step, last)
    last = step
    victim.go_on(5 + 40 * trial)
    victim.kill()
status, report, err = verify(logs)
check(status == 3 and not [f for f in report["findings"] if f["kind"] == "contradiction"], "all", report["findings"], err)

# A reset while paused, then killed: the session that began has made no step, so none is lost.
paused = Simulator(JLAY, *service("reset", "--checkpoint-every", "1000"))
paused.go_on(30)
for order in (["pause"], ["reset"]):
    check(run("ctl", paused.commands, *order)[0] == 0, f"the order {order}", paused.stderr())
session = paused.wait_for(r"session_begun: session (\w+),").group(1)
time.sleep(0.3)  # the progress is written every 0.1 s
paused.kill()
with open(path("reset.progress")) as file:
    check(file.read().split() == [session, "0"], "the progress after a reset while paused")

# Killed before the first checkpoint: there is nothing to resume from, and the steps of that session are reported as lost.
young = Simulator(JLAY, *service("none", "--checkpoint-every", "1000"))


def progress():
    try:
        with open(path("none.progress")) as file:
            name, step = file.read().split()
            return name, int(step)
    except (OSError, ValueError):
        return "", 0


until(lambda: progress()[1] >= 20, "progress", young.stderr())
young.kill()
session, reached = progress()
check(not os.path.exists(path("none")), "no checkpoint yet")
again = Simulator(JLAY, *service("none"), "--summary", path("again.json"))
check("there is no checkpoint" in again.stderr(), "the notice", again.stderr())
again.wait_for(f"steps_lost: at least {reached} steps .* of session {session}, which left no checkpoint")
again.signal()
check(again.end() == 0, "the run that starts at the beginning", again.stderr())
summary = load("again.json")
check(summary["steps_lost"] == {"session": session, "steps": reached} and "resumed_from" not in summary, "summary", summary)
