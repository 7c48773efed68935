"""Logs in parts: nothing is lost between them, each replays alone and all together; whatever is missing, exchanged or damaged at a
joint is found; a part that cannot begin leaves the one before it going on; kill -9 while parts begin; old parts are deleted."""
import random
import shutil

from harness import *
from mcap_forger import *

FAST = ["--mode", "fast", "--set", "simulation.event_time_scale=0.1", "--set", "pipe.elements=20"]


def folder(name):
    made = path(name)
    os.mkdir(made)
    return made


def parts_of(where):
    return [os.path.join(where, name) for name in sorted(os.listdir(where))]


def verify(*logs):
    status, out, err = run("replay", *logs, "--verify", "--json", timeout=120)
    return status, json.loads(out) if out else None, err


def expect(what, status, *logs, word=None):
    got, report, err = verify(*logs)
    check(got == status, f"{what}: status {got}, {status} expected", json.dumps(report, indent=1), err)
    check(word is None or word in json.dumps(report) + err, f"{what}: '{word}' is not reported", json.dumps(report, indent=1), err)
    check(report is None or report["result"] == {0: "equal", 1: "different", 3: "incomplete"}[status], what, report)
    return report


def steps_in(log):
    code, out, err = run("log", "cat", log, "--topic", "/state_hash")
    return [(json.loads(line)["message"]["step"], json.loads(line)["message"]["hash"]) for line in out.splitlines()]


# By simulated time. The last step, at which a part would be due, begins none.
a = folder("a")
status, out, err = run("run", JLAY, *FAST, "--duration", "5", "--log-dir", a, "--set", "log.part_s=1", "--hashes", path("hashes"),
                       "--summary", path("a.json"))
check(status == 0, "a run with a log in parts", err)
parts = parts_of(a)
check(len(parts) == 5 and all(part.endswith(f"-{i + 1:06}.mcap") for i, part in enumerate(parts)), "names of the parts", parts)
check(load("a.json")["log"]["parts"] == 5 and load("a.json")["log"]["complete"], "summary", load("a.json")["log"])
report = expect("all parts", 0, a)
check(report["joints"] == 4 and not report["findings"] and len(report["logs"]) == 5, "joints", report)
expect("a list in another order", 0, *reversed(parts))
each = [steps_in(part) for part in parts]
joined = each[0] + [step for part in each[1:] for step in part[1:]]
check(all(b[0] == a[-1] for a, b in zip(each, each[1:])), "the state of a joint stands in both parts")
check([(str(s), h) for s, h in joined] == [tuple(h) for h in hashes("hashes")], "the parts have every step")
for number, part in enumerate(parts, 1):
    alone = expect("a part alone", 0, part)
    check(alone["part"]["number"] == number, "it says that it is a part", alone["part"])
    check(bool(alone["part"]["before"]) == (number > 1) and bool(alone["part"]["continued_in"]) == (number < 5), "neighbours", alone["part"])
code, out, err = run("log", "info", parts[2])
check(code == 0 and "part           3, the part before it is " + os.path.basename(parts[1]) in out and
      "next part      " + os.path.basename(parts[3]) in out, "log info", out, err)
code, out, err = run("replay", parts[2], "--verify")
check(code == 0 and "part                 3, from step 200" in out, "the report of a part", out)
numbers = [m.get().number for part in parts for m in Log(part).messages("/command")]
check(numbers == list(range(1, len(numbers) + 1)), "commands are numbered over the parts", numbers[:5])

# A log in one file is as before; parts need a folder.
one = folder("one")
run("run", JLAY, *FAST, "--duration", "1", "--log-dir", one)
check(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{16}\.mcap", os.listdir(one)[0]), "the name of a log in one file", os.listdir(one))
for setting in "log.part_s=0.2", "log.part_mib=0.01":
    status, out, err = run("run", JLAY, *FAST, "--duration", "1", "--log", path("single.mcap"), "--overwrite", "--set", setting)
    check(status == 0 and "needs --log-dir" in err and expect("one file", 0, path("single.mcap"))["part"] is None, "--log", setting, err)
for setting in "log.keep_parts=2", "log.keep_mib=1":
    code, out, err = run("run", JLAY, *FAST, "--duration", "1", "--log-dir", one, "--set", setting)
    check(code == 0 and "delete nothing" in err, "limits without parts", setting, code, err)
for key in "part_mib", "keep_mib":
    code, out, err = run("run", JLAY, *FAST, "--duration", "1", "--log-dir", one, "--set", f"log.{key}=1e300")
    check(code == 2 and key in err, "a size beyond the limit", code, err)

# Missing, twice, exchanged, cut, altered.
work = folder("work")


def with_parts(*chosen):
    shutil.rmtree(work)
    os.mkdir(work)
    for part in chosen:
        shutil.copy(part, work)
    return work


expect("a part is missing", 3, with_parts(*parts[:2], *parts[3:]), word="parts 3 to 3 are missing")
expect("the first part is missing", 3, with_parts(*parts[1:]), word="missing before")
expect("the last part is missing", 3, with_parts(*parts[:4]), word="its end is missing")
expect("one part in a folder", 3, with_parts(parts[2]))
expect("a part twice", 1, *parts, parts[1], word="there twice")
shutil.copy(parts[1], os.path.join(with_parts(*parts), "copy.mcap"))
expect("a copy in the folder", 1, work, word="there twice")
with open(os.path.join(with_parts(*parts), "no.mcap"), "w") as file:
    file.write("no log")
report = expect("a file that is no log", 3, work, word="no.mcap")
check(all(finding["text"].count("no.mcap") == 1 for finding in report["findings"]), "it names the file once", report["findings"])
b = folder("b")
run("run", JLAY, *FAST, "--duration", "5", "--log-dir", b, "--set", "log.part_s=1")
others = parts_of(b)
shutil.copy(others[1], with_parts(parts[0], *parts[2:]))
expect("a part of another session instead", 3, work, word="parts 2 to 2 are missing")
expect("two sessions", 0, a, b)
data = open(parts[1], "rb").read()
for cut in [*range(1, 40, 7), *[len(data) * i // 8 for i in range(1, 8)], len(data) - 5]:
    with open(os.path.join(with_parts(*parts), os.path.basename(parts[1])), "wb") as file:
        file.write(data[:-cut])
    got = verify(work)
    check(got[0] == 3, "a part that is cut off", cut, got)
for at in random.Random(5).sample(range(len(data)), 8):
    with open(os.path.join(with_parts(*parts), os.path.basename(parts[1])), "wb") as file:
        file.write(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
    got = verify(work)
    check(got[0] in (1, 3), "an altered byte", at, got)


def forged(index, change, session=None):
    """All parts, one of them changed by a forger who makes its chain again."""
    log = Log((others if session else parts)[index])
    for message in [m for chunk in log.chunks for m in chunk]:
        if message.topic == "/chain":
            continue
        content = message.get()
        if session and message.topic == "/session":
            content.session = session
        elif session and content.DESCRIPTOR.fields_by_name.get("header"):
            content.header.session = session
        change(message.topic, content)
        message.set(content)
    log.rebuild()
    log.write(os.path.join(with_parts(*parts), os.path.basename(parts[index])))
    return work


def rename_end(topic, content):
    if topic == "/end":
        content.continued_in = ""


def break_link(topic, content):
    if topic == "/session":
        content.part.link = bytes(32)


def other_event(topic, content):
    if topic == "/event":
        content.text = content.text.replace("drift", "no drift") + "!"


def other_number(topic, content):
    if topic == "/session":
        content.part.commands_before += 1


session = Log(parts[0]).messages("/session")[0].get().session
expect("an event that was invented", 1, forged(0, other_event), word="its link is not the end of the chain")
expect("an end that says it is the last", 1, forged(1, rename_end), word="there is a part after it")
expect("another link", 1, forged(2, break_link), word="its link is not the end of the chain")
expect("another number of commands", 1, forged(2, other_number))
expect("the part of another session with this session's name", 1, forged(2, lambda topic, content: None, session), word="its link")

# Signed parts.
run("keygen", "--log", path("key"))
signed = folder("signed")
run("run", JLAY, *FAST, "--duration", "20", "--log-dir", signed, "--set", "log.part_mib=0.02",
    "--set", "log.nodes_period_s=0", "--set", "log.buffer_mib=1", "--log-key", path("key"))
check(len(parts_of(signed)) > 2, "parts by size", parts_of(signed))
check(run("replay", signed, "--verify", "--key", path("key.pub"))[0] == 0, "signed parts")
check(run("replay", a, "--verify", "--key", path("key.pub"))[0] == 1, "parts that are not signed")

# The oldest parts are deleted, those of earlier sessions first; other files stay.
few = folder("few")
shutil.copy(parts[0], os.path.join(few, "20000101T000000Z-0123456789abcdef-000001.mcap"))
shutil.copy(parts[0], os.path.join(few, "29990101T000000Z-0123456789abcdef-000001.mcap"))  # the clock was wrong
shutil.copy(parts[0], os.path.join(few, "mine.mcap"))
code, out, err = run("run", JLAY, *FAST, "--duration", "5", "--log-dir", few, "--set", "log.part_s=0.5", "--set", "log.keep_parts=3",
                     "--summary", path("few.json"))
check("9 parts deleted" in out and "nothing left out" not in out, "the console says what was deleted", out, err)
kept = sorted(os.listdir(few))
check([name[-11:] for name in kept] == ["000008.mcap", "000009.mcap", "000010.mcap", "mine.mcap"], "kept parts", kept)
check(load("few.json")["log"]["parts_deleted"] == 9, "counted", load("few.json")["log"])
check("log_parts_deleted" in [e["name"] for e in load("few.json")["events"]["first"]], "an event", load("few.json")["events"])
os.remove(os.path.join(few, "mine.mcap"))
expect("the rest", 3, few, word="missing before")
for part in parts_of(few):
    expect("a kept part alone", 0, part)
run("run", JLAY, *FAST, "--duration", "5", "--log-dir", few, "--set", "log.part_s=0.5", "--set", "log.keep_mib=0.2")
check(len(parts_of(few)) == 1, "of parts that are larger than what is kept, the newest stays", parts_of(few))

# The part that is being written counts: old ones go while it grows. Of other sessions, also those that began in the same second,
# the one that changed first goes first.
grow = folder("grow")
for age, session in (20, "f" * 16), (10, "0" * 16):
    old = os.path.join(grow, f"20260101T000000Z-{session}-000001.mcap")
    with open(old, "wb") as file:
        file.write(bytes(500_000))
    os.utime(old, (1e9 - age, 1e9 - age))
code, out, err = run("run", JLAY, *FAST, "--duration", "3", "--log-dir", grow, "--set", "log.part_s=1000", "--set", "log.keep_mib=1",
                     "--summary", path("grow.json"))
kept = sorted(os.listdir(grow))
check(code == 0 and load("grow.json")["log"]["parts_deleted"] == 1 and load("grow.json")["log"]["parts"] == 1, "while a part grows", err, kept)
check(len(kept) == 2 and kept[0][17:33] == "0" * 16 and kept[0] < kept[1], "the older one is deleted", kept)

# In real time, with a controller and orders.
live = folder("live")
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "6", "--log-dir", live, "--set", "log.part_s=0.25", "--summary", path("live.json"))
dp = controller(simulator, "--set", "pid.start_s=0.2")
simulator.wait_for_step(100)
check(run("ctl", simulator.commands, "fault", "loss", "--probability", "0.5", "--for", "1")[0] == 0, "an order", simulator.stderr())
check(simulator.end() == 0, "real time", simulator.stderr())
dp.end()
summary = load("live.json")
check(summary["log"]["parts"] == 24 and summary["log"]["complete"], "parts in real time", summary["log"])
expect("real time", 0, live)

# A part that cannot begin: the one before it goes on, and a later one begins.
blocked = folder("blocked")
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log-dir", blocked, "--set", "log.part_s=0.2", "--summary", path("blocked.json"))
first = simulator.wait_for(r"writing the log to (\S+)").group(1)
obstacle = first.replace("000001", "000003")
os.mkdir(obstacle)
simulator.wait_for("log_part_failed: part [12] goes on: .*cannot be created: Is a")
simulator.go_on(30)
os.rmdir(obstacle)
until(lambda: len(os.listdir(blocked)) > 4, "no part begins again", os.listdir(blocked), simulator.stderr())
simulator.signal()
check(simulator.end() == 0, "the blocked run", simulator.stderr())
check(load("blocked.json")["log"]["parts_failed"] >= 1 and load("blocked.json")["log"]["complete"], "counted", load("blocked.json")["log"])
expect("after an obstacle", 0, blocked)

# A full disk: the same. Once there is room, a new part begins.
disk = small_disk("disk", "4m")
if disk:
    try:
        simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log-dir", disk, "--set", "log.part_s=0.5",
                              "--set", "pipe.elements=40", "--summary", path("disk.json"))
        simulator.wait_for_step(120)
        room, ballast = os.statvfs(disk), os.path.join(disk, "ballast")
        with open(ballast, "wb") as file:
            file.write(bytes(room.f_bavail * room.f_bsize - 60_000))
        simulator.wait_for("log_part_failed: .*no room on the disk")
        os.remove(ballast)
        there = len(os.listdir(disk))
        until(lambda: len(os.listdir(disk)) > there, "no part begins again", simulator.stderr())
        simulator.signal()
        check(simulator.end() == 0, "a full disk", simulator.stderr())
        check(load("disk.json")["log"]["parts_failed"] >= 1 and not load("disk.json")["log"]["missing"], "a full disk", load("disk.json")["log"])
        expect("after a full disk", 0, disk)
    finally:
        subprocess.run(["umount", disk], check=True)

# kill -9 while parts begin: what there is, is right; what is not there, is missing.
for trial in range(6):
    killed = folder(f"killed-{trial}")
    victim = Program(SAGBEND, "run", JLAY, *FAST, "--duration", "0", "--log-dir", killed, "--set", "log.part_s=0.05")
    until(lambda: len(os.listdir(killed)) > 3, "no parts", victim.stderr())
    time.sleep(random.random() / 5)
    victim.kill()
    status, report, err = verify(killed)
    check(status == 3, "after kill -9", status, json.dumps(report["findings"] if report else None, indent=1), err)
    check(not [f for f in report["findings"] if f["kind"] == "contradiction"], "after kill -9", report["findings"])
