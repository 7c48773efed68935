"""The journal of a host (sagbend_journal): `sagbend log from-journal` computes it again and writes logs that `sagbend replay` finds equal. A
changed byte is found, a forged number is different, and what breaks off or goes on from an unknown state is incomplete and never equal."""
from harness import *

HOST = os.path.join(BUILD, "tests/program/journal_host")
OSV = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
SETS = ["network.accept_wrench=true", "instruments=[]"]


def host(case, name, how, *sets, status=0):
    done = subprocess.run([HOST, case, path(name), how, *sets], capture_output=True, text=True, timeout=PATIENCE_S)
    check(done.returncode == status, f"the host of {name}", done.stderr)
    return done.stdout.split()


def from_journal(name, wanted, *options):
    """Returns its lines by their first word, and the logs."""
    stem = name.split(".")[0]
    status, out, err = run("log", "from-journal", path(name), path(stem + ".mcap"), *options)
    check(status == wanted, f"from-journal of {name}: {status}", out, err)
    logs = [log for log in [path(stem + ".mcap"), *(path(f"{stem}-{n}.mcap") for n in range(2, 9))] if os.path.exists(log)]
    return {line.split()[0]: line.split(None, 1)[1] for line in out.splitlines()}, err, logs


def fnv1a(text, hash=0xcbf29ce484222325):
    for byte in text:
        hash = (hash ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return hash


def check_of(hash):
    """The check of a journal: FNV-1a of all bytes, its halves folded."""
    return b" #%08x\n" % ((hash ^ hash >> 32) & 0xffffffff)


def forged(journal, old, new):
    """The journal with other words in its lines behind the head, and with checks that fit."""
    at = journal.index(b"\nstart ") + 1
    out = journal[:at]
    hash = fnv1a(out)  # of what is written so far
    for line in journal[at:].replace(old, new, 1).splitlines():
        line, has_check, _ = line.rpartition(b" #") if b" #" in line else (line, b"", b"")
        line += check_of(fnv1a(line, hash)) if has_check else b"\n"
        hash, out = fnv1a(line, hash), out + line
    return out


def write(name, content):
    with open(path(name), "wb") as file:
        file.write(content)


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


# The host is the controller: commands, orders, states saved and restored, a reset. Each life is a log.
steps, state = host(JLAY, "whole.journal", "whole")
report, err, logs = from_journal("whole.journal", 0)
check(report["result"] == "equal" and report["steps"].startswith("209,") and len(logs) == 3 and not err, "a whole journal", report, logs)
status, out, err = run("replay", *logs, "--verify", "--json")
found = json.loads(out)
check(status == 0 and found["result"] == "equal" and [log["result"] for log in found["logs"]] == 3 * ["equal"], "its replay", out, err)
status, out, err = run("log", "cat", logs[2], "--topic", "/end,/event,/command")
check(f'"state_hash":"{state}"' in out.replace(" ", "") and "closed by its host" in out and "session_hosted" in out and "wrench" in out, "the last log", out)
status, out, err = run("log", "cat", logs[0], "--topic", "/operator")
check(status == 0 and "caller" in out and out.count("\n") == 1, "the accepted order, and no other", out)

# The same with the controller inside; and for a vessel with thrusters in weather.
for name, case, how, sets in (("inside.journal", JLAY, "inside", ["controller.dp_file=" + JLAY_DP]), ("osv.journal", OSV, "whole", SETS)):
    host(case, name, how, *sets)
    report, err, logs = from_journal(name, 0)
    check(report["result"] == "equal" and run("replay", *logs, "--verify")[0] == 0, f"{name}", report, err)

# Signed, where there is a key. A log stays unless it may be replaced.
check(run("keygen", "--log", path("host.key"))[0] == 0, "a key")
report, err, logs = from_journal("whole.journal", 2)
check("whole.mcap" in err and "--overwrite" in err, "a log that exists", err)
report, err, logs = from_journal("whole.journal", 0, "--log-key", path("host.key"), "--overwrite")
check(report["logs"].endswith(", signed"), "a signed log", report)
for log in logs:
    check(run("replay", log, "--verify", "--key", path("host.key.pub"))[0] == 0, "the signature", log)

# One that breaks off is incomplete: a host that ends without closing, and a cut anywhere behind the head.
host(JLAY, "broken.journal", "broken")
report, err, logs = from_journal("broken.journal", 3)
check(report["result"].startswith("incomplete: step 153: the journal breaks off") and len(logs) == 1, "a journal that breaks off", report)
status, out, err = run("replay", logs[0], "--verify")
check(status == 3 and "the session's end is not in it" in out + err, "the replay of a log that breaks off", status, out, err)
whole = read("whole.journal")
head = whole.index(b"\nstart ")
head = whole.index(b"\n", head + 1) + 1
for at in [*range(head, len(whole), 1 + (len(whole) - head) // 23), len(whole) - 1]:
    write("cut.journal", whole[:at])
    report, err, logs = from_journal("cut.journal", 3, "--overwrite")
    check(report["result"].startswith("incomplete"), "a cut journal", at, report)
write("cut.journal", whole[:head - 3])
report, err, logs = from_journal("cut.journal", 2, "--overwrite")
check("breaks off before its first step" in err, "a journal without steps", err)

# A text that nothing follows counts as well: of a journal that breaks off behind an order, each byte of the order is checked.
at = whole.index(b"\norder ")
words = whole[whole.index(b"\n", at + 1) + 1:]
behind = len(whole) - len(words) + words.index(b"\n") + 1
write("cut.journal", whole[:behind])
report, err, logs = from_journal("cut.journal", 3, "--overwrite")
check(report["result"].startswith("incomplete") and "caller" in run("log", "cat", logs[0], "--topic", "/operator")[1], "a cut behind an order", report)
for k in range(at + 1, behind):
    changed = bytearray(whole[:behind])
    changed[k] ^= 1
    write("cut.journal", changed)
    status, out, err = run("log", "from-journal", path("cut.journal"), path("none.mcap"))
    check(status == 2 and "cut.journal:" in err and not os.path.exists(path("none.mcap")), "a changed byte of the last order", k, status, out, err)

# A state of another simulation: what is computed until then and from the next known state on is equal, the whole is not complete.
host(JLAY, "foreign.journal", "foreign")
report, err, logs = from_journal("foreign.journal", 3)
check("restored a state that its journal did not save" in report["result"] and len(logs) == 3, "an unknown state", report, logs)
check(run("replay", *logs, "--verify")[0] == 3, "the replay of logs with a hole")

# With the journals of both simulations each state is known, in whichever order they are given; the logs join.
host(JLAY, "several.journal", "several")
report, err, logs = from_journal("several.journal", 3)
check("(another journal of this host: --journal)" in report["result"], "one of two journals", report)
for first, second in (("", ".other"), (".other", "")):
    for log in logs:
        os.remove(log)
    status, out, err = run("log", "from-journal", path("several.journal" + first), path("several.mcap"), "--journal", path("several.journal" + second))
    logs = [log for log in [path("several.mcap"), *(path(f"several-{n}.mcap") for n in range(2, 9))] if os.path.exists(log)]
    check(status == 0 and re.search(r"^steps +238,", out, re.M) and len(logs) == 6, "two journals", status, out, err, logs)
    status, out, err = run("replay", *logs, "--verify")
    check(status == 0 and re.search(r"joints +3 compared", out), "the replay of two journals", status, out, err)
status, out, err = run("log", "from-journal", path("several.journal"), path("x.mcap"), "--journal", path("whole.journal"))
check(status == 3 and "several.journal: step " in out and "none of its journals saved" in out, "journals of two hosts", status, out, err)
for log in (path("x.mcap"), *(path(f"x-{n}.mcap") for n in range(2, 12))):
    if os.path.exists(log):
        os.remove(log)
write("torn.journal", whole[:-9] + b"x" + whole[-8:])
status, out, err = run("log", "from-journal", path("several.journal"), path("x.mcap"), "--journal", path("torn.journal"))
check(status == 2 and "torn.journal:" in err and not os.path.exists(path("x.mcap")), "a damaged second journal", status, out, err)
status, out, err = run("log", "info", path("whole.mcap"), "--journal", path("whole.journal"))
check(status == 2 and "--journal is not allowed with 'info'" in err, "a journal for another action", err)

# A changed byte is found wherever it is, and nothing is made of such a journal.
os.mkdir(path("none"))
for at in range(0, len(whole), 1 + len(whole) // 97):
    changed = bytearray(whole)
    changed[at] ^= 1
    write("none/changed.journal", changed)
    status, out, err = run("log", "from-journal", path("none/changed.journal"), path("none/changed.mcap"))
    check(status == 2 and "changed.journal:" in err and os.listdir(path("none")) == ["changed.journal"], "a changed byte", at, status, out, err)

# Forged, with checks that fit: another command, another hash, another end. The check is no signature:
# who alters an order that no step depends on, and every check behind it, is not found. The logs are signed for that.
hash_of_9 = re.search(rb"\nstep 9 ([0-9a-f]+)", whole).group(1)
for name, old, new in (("command", b" 100000 0 0", b" 100001 0 0"), ("hash", hash_of_9, b"0" * 16),
                       ("last", b"\nend 31 ", b"\nend 32 ")):
    write("forged.journal", forged(whole, old, new))
    check(read("forged.journal") != whole, "nothing forged", name)
    for log in (path("forged.mcap"), path("forged-2.mcap"), path("forged-3.mcap")):
        if os.path.exists(log):
            os.remove(log)
    report, err, logs = from_journal("forged.journal", 1)
    check(report["result"].startswith("different: step "), "a forged journal", name, report)
    check(run("replay", *logs, "--verify")[0] == 1, "the replay of a forged journal", name, logs)
check(forged(whole, b"nothing", b"nothing") == whole, "the check of this test is that of the journal")

# Words.
for words, text in (([path("whole.journal")], "a file to write is missing"), ([path("nowhere"), path("x.mcap")], "nowhere: cannot be read"),
                    ([JLAY, path("x.mcap")], "jlay-900m.yaml:1:1: a journal expected"),
                    ([path("whole.journal"), path("x.mcap"), "--log-key", path("nokey")], "--log-key")):
    status, out, err = run("log", "from-journal", *words)
    check(status != 0 and text in err and not os.path.exists(path("x.mcap")), "a wrong call", words, status, err)
status, out, err = run("log", "info", path("whole.mcap"), "--log-key", path("host.key"))
check(status == 2 and "--log-key is not allowed with 'info'" in err, "a key for reading", err)
