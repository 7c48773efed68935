"""Files of a run: none is read and written at once or written twice, whatever the spelling of its path; no second run writes
what another one writes; a crash leaves nothing behind for good; what is reported as written is there."""
import fcntl
import shutil
import termios

from harness import *

FAST = ["--mode", "fast", "--duration", "0.2"]
place = path("place")
shutil.copytree(os.path.join(SOURCE, "configs"), place)
os.chdir(place)
CASE = "vessel-only.yaml"


def content():
    """Every file of the folder with what is in it."""
    return {os.path.join(at, name): open(os.path.join(at, name), "rb").read()
            for at, _, names in os.walk(".") for name in names if os.path.exists(os.path.join(at, name))}


def refused(*args, says, program=("run",), **more):
    """The command ends with status 2 and this reason on one line, and every file is as before."""
    before = content()
    status, out, err = run(*program, *args, **more)
    line = err.strip().split("\n")[-1]
    check(status == 2 and says in line, f"{args}: status {status}, not refused with '{says}'", err)
    check(content() == before, f"{args}: a refused command has changed a file", set(content()) ^ set(before))


def passes(*args, program=("run",)):
    status, out, err = run(*program, *args)
    check(status == 0, f"{args}: status {status}", err)
    return out


# Spellings of one file: existing or not, of a folder behind a link, hard links, descriptors.
os.mkdir("d")
os.symlink("d", "linked")
os.symlink("d/new", "dangling")
os.symlink(CASE, "soft")
os.link(CASE, "hard")
open("there", "w").close()
held = os.open("there", os.O_RDONLY)
one = "needs a file of its own"
for a, b in ("x", "x"), ("x", "./x"), ("x", os.path.abspath("x")), ("d/new", "linked/new"), ("d/new", "dangling"), ("d/../x", "x"):
    refused(CASE, *FAST, "--record", a, "--shapes", b, says=one)
    refused(CASE, *FAST, "--log", a, "--record", b, says=one)
    refused(CASE, *FAST, "--summary", a, "--junit", b, says=one)
check(subprocess.run([SAGBEND, "run", CASE, *FAST, "--record", "there", "--summary", f"/proc/self/fd/{held}"], pass_fds=[held],
                     capture_output=True).returncode == 2, "a descriptor is another spelling")

# Inputs: the case, what it names, keys, checkpoints, and what is written beside a file.
for name in CASE, "./" + CASE, "soft", "hard":
    for option in "--summary", "--record", "--log", "--checkpoint", "--junit", "--hashes":
        refused(CASE, *FAST, option, name, says=one)
refused("jlay-uneven.yaml", *FAST, "--record", "uneven-900m.asc", says="a file that the configuration names")
refused("jlay-900m.yaml", *FAST, "--summary", "jlay-900m-dp.yaml", says="a file that the configuration names")
passes("--log", "key", program=("keygen",))
refused(CASE, *FAST, "--log", "a.mcap", "--log-key", "key", "--record", "key", says=one)
passes(CASE, *FAST, "--checkpoint", "k")
refused(CASE, *FAST, "--resume", "k", "--record", "k", says=one)
refused(CASE, *FAST, "--checkpoint", "k", "--record", "k.progress", says=one)
refused(CASE, *FAST, "--checkpoint", "k", "--record", "k.sagbend-part", says=one)
passes(CASE, *FAST, "--resume", "k", "--checkpoint", "./k")
refused("jlay-900m.yaml", "--shape", "jlay-900m.yaml", program=("statics",), says=one)
refused("jlay-900m.yaml", "--depths", "900:900:1", "--table", "w.gp", "--plot", "w", program=("statics",), says=one)
with open("whole.csv", "w") as whole:
    whole.write("kept")
check(subprocess.run([SAGBEND, "run", CASE, *FAST, "--record", "whole.csv"], stdout=open("whole.csv", "a"),
                     stderr=subprocess.DEVNULL).returncode == 2, "standard output is a file of the run, too")

# Devices and pipes may have several uses.
passes(CASE, *FAST, "--record", "/dev/null", "--shapes", "/dev/null", "--summary", "/dev/null", "--hashes", "/dev/null")
check(passes(CASE, *FAST, "--record", "-", "--hashes", "/dev/stdout").count("\n") > 20, "standard output")

# A log is not replaced, unless the user says so.
passes(CASE, *FAST, "--log", "a.mcap")
refused(CASE, *FAST, "--log", "a.mcap", "--record", "b.csv", says="a.mcap: it exists already; --overwrite replaces it")
passes(CASE, *FAST, "--log", "a.mcap", "--overwrite")
passes("a.mcap", "--verify", program=("replay",))
refused("recover", "a.mcap", "a.mcap", program=("log",), says=one)
passes("recover", "a.mcap", "b.mcap", program=("log",))
for action in "recover", "scene":
    refused(action, "a.mcap", "b.mcap", program=("log",), says="--overwrite")
    passes(action, "a.mcap", "b.mcap", "--overwrite", program=("log",))
refused(CASE, *FAST, "--log", "d/x/y", "--record", "b.csv", "--set", "vessel.nothing=1", says="unknown key")
status, out, err = run("run", CASE, *FAST, "--record", "b.csv", "--log", "nowhere/y")
check(status == 1 and "--log: nowhere/y: cannot be written" in err and not os.path.exists("b.csv"), "a folder that is missing", err)

# Two runs: the second one is refused and names the first. Also after the first has replaced its checkpoint by a rename.
os.mkdir("two")
os.symlink("two", "other-way")
names = {"--log": "two/a.mcap", "--checkpoint": "two/k", "--record": "two/r", "--summary": "two/s", "--junit": "two/j", "--shapes": "two/p"}
first = Program(SAGBEND, "run", CASE, *ANY_PORT, "--mode", "realtime", "--duration", "600", "--checkpoint-every", "0.05",
                *[word for pair in names.items() for word in pair])
until(lambda: os.path.exists("two/k"), "no checkpoint", first.stderr())
inode = os.stat("two/k").st_ino
until(lambda: os.stat("two/k").st_ino != inode, "the checkpoint is not replaced")
for option, name in names.items():
    for spelling in name, name.replace("two", "other-way"):
        status, out, err = run("run", CASE, *FAST, "--hashes", "second", option, spelling, *(["--overwrite"] if option == "--log" else []))
        check(status == 2 and f"process {first.process.pid} writes it: " in err and "sagbend run" in err and not os.path.exists("second"),
              f"{option}: not refused", status, err)

# What a killed run leaves goes at the next start, of any run in the folder; what is not ours stays; a living run keeps its own.
first.kill()
left = [name for name in os.listdir("two") if name.endswith(".sagbend-part")]
always = {"j.sagbend-part", "s.sagbend-part"}
check(always <= set(left) <= always | {"k.sagbend-part"}, "what a kill leaves", left)  # k: while a checkpoint was written
foreign = ["two/s.backup", "two/s.AbC123", "two/s.sagbend-parts", "two/sagbend-part"]
for name in foreign:
    open(name, "w").close()
living = Program(SAGBEND, "run", CASE, *ANY_PORT, "--mode", "realtime", "--duration", "600", "--summary", "two/living")
until(lambda: os.path.exists("two/living.sagbend-part") and not set(left) & set(os.listdir("two")), "what a crash has left stays", os.listdir("two"))
passes(CASE, *FAST, "--overwrite", *[word for pair in names.items() for word in pair])
check(os.path.exists("two/living.sagbend-part") and all(map(os.path.exists, foreign)), "more has gone than what a crash has left", os.listdir("two"))
living.process.send_signal(signal.SIGTERM)
until(lambda: living.process.poll() is not None, "the run does not end")
check(load("place/two/living")["ended_by"] == "signal" and not [name for name in os.listdir("two") if name.endswith(".sagbend-part")], "its summary", living.stderr())

# A file system without locks: the run says so and works.
if shutil.which("strace"):
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK", SAGBEND, "run", CASE, *FAST,
                           "--record", "n.csv", "--summary", "n.json", "--checkpoint", "n"], capture_output=True, text=True)
    if "ptrace" not in done.stderr:
        check(done.returncode == 0 and "knows no locks" in done.stderr and os.path.exists("n.json"), "without locks", done.returncode, done.stderr)

# What disappears while it is written is not reported as written.
for option, name in ("--record", "gone/r.csv"), ("--summary", "gone/s.json"), ("--hashes", "gone/h"), ("--log", "gone/a.mcap"):
    shutil.rmtree("gone", ignore_errors=True)
    os.mkdir("gone")
    program = Program(SAGBEND, "run", CASE, *ANY_PORT, "--mode", "lockstep", option, name)
    until(lambda: "commands at" in program.stderr(), "the run does not begin", program.stderr())
    until(lambda: "session" in program.stderr(), "the run does not begin", program.stderr())
    shutil.rmtree("gone")
    program.process.send_signal(signal.SIGTERM)
    until(lambda: program.process.poll() is not None, "the run does not end")
    check(program.process.returncode == 1 and name in program.stderr(), f"{option}: removed, and the run has passed", program.process.returncode, program.stderr())

# What a run refuses before its first step, check refuses as well, with the same exit status.
for args, says in ((["u2.yaml"], "cellsize: a number from 0.001 to 1e6 expected, got '1e-300'"), (["u3.yaml"], "does not extend under the pipe"),
                   (["jlay-900m.yaml", "--set", "environment.depth_m=5000"], "too short to reach"),
                   (["osv-83m.yaml", "--set", "simulation.mode=fast"], "needs controller.dp_file")):
    for name, size in ("u2", "1e-300"), ("u3", "0.001"):
        with open("uneven-900m.asc") as grid, open(name + ".asc", "w") as other:
            other.write(re.sub("(?m)^cellsize.*", "cellsize " + size, grid.read()))
        with open("jlay-uneven.yaml") as case, open(name + ".yaml", "w") as other:
            other.write(case.read().replace("uneven-900m.asc", name + ".asc"))
    for command in "check", "run":
        status, out, err = run(command, *args, *([] if command == "check" or "simulation.mode=fast" in args else FAST))
        check(status == 2 and says in err, f"{command} {args}", status, err)

# A name does not forge a line of a report, nor act on a terminal; names of any bytes stay JSON and XML.
forged, escape, foreign = "a\nresult               equal\n.mcap", "\x1b[2Jb\u202e\r.mcap", os.fsdecode(b"c\xff\x9b<&.mcap")
for name, shown in (forged, "a\\nresult               equal\\n.mcap"), (escape, "\\x1b[2Jb\\u{202e}\\r.mcap"), (foreign, "c\\xff\\x9b<&.mcap"):
    for args in (["run", CASE, *FAST, "--log", name, "--record", name + ".csv", "--summary", name + ".json", "--checkpoint", name + ".k"],
                 ["run", CASE, *FAST, "--log", name], ["run", name], ["check", name], ["log", "info", name], ["log", "topics", name],
                 ["log", "recover", name, name + "2"], ["log", "scene", name, name + "3"], ["replay", name, "--verify"],
                 ["replay", name, name + "2", "--verify"], ["replay", name + ".csv", name, "--verify"], ["replay", name, name, "--verify", "--json"],
                 ["replay", name + ".none", "--verify"], ["statics", name], ["statics", "jlay-900m.yaml", "--shape", name + "/x"], ["check", CASE, "--set", name + "=1"],
                 ["run", CASE, "--set", "name=" + name], [name], ["run", "--" + name], ["sweep", name], ["verify", "--case", name], ["log", name, CASE],
                 ["hydro", "import", name], ["keygen", "--role", "server", "--name", "s", name + ".key"], ["ctl", name, "status"]):
        done = subprocess.run([SAGBEND, *args], capture_output=True)
        lines = (done.stdout + done.stderr).decode("utf-8") # which any output is
        check("\x1b" not in lines and "\r" not in lines and "\u202e" not in lines and not re.search("(?m)^result  +equal\n\\.mcap", lines) and "a\nresult" not in lines,
              f"{args}: a name acts", done.stdout, done.stderr)
    with open(name + ".json", encoding="utf-8") as file:
        check(json.load(file)["log"]["file"] == os.fsencode(name).decode("utf-8", "replace"), "the summary does not contain the name")
    out = subprocess.run([SAGBEND, "log", "info", name], capture_output=True).stdout.decode()
    check(shown in out.split("\n")[0], "log info does not show the name", out)

# Outputs to pipes. Without a reader: told after seconds, nobody waits for ever. With one: whole, also if it is late. With one that does
# not read: the run can be ended.
writers = {f"--{option}": ["run", CASE, *FAST, f"--{option}"] for option in ("summary", "junit", "record", "shapes", "hashes", "laid-route", "log", "checkpoint")}
writers.update({"--shape": ["statics", "jlay-900m.yaml", "--shape"], "recover": ["log", "recover", "a.mcap"], "scene": ["log", "scene", "a.mcap"]})
for name in [*writers, "read", "stuck"]:
    os.mkfifo("pipe" + name)
ended = {name: subprocess.Popen([SAGBEND, *args, "pipe" + name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for name, args in writers.items()}
stuck = os.open("pipestuck", os.O_RDONLY | os.O_NONBLOCK)
slow = subprocess.Popen([SAGBEND, "run", CASE, "--mode", "fast", "--duration", "100000", "--record", "pipestuck", "--record-every", "0.01", "--summary", "slow.json"],
                        stderr=subprocess.PIPE, text=True)
late = subprocess.Popen([SAGBEND, "run", CASE, *FAST, "--record", "piperead"], stderr=subprocess.PIPE, text=True)
passes(CASE, *FAST, "--record", "plain.csv")
with open("piperead") as reader, open("plain.csv") as plain:
    columns = lambda text: [line.split(",")[:20] for line in text.splitlines()]  # without the times of the steps
    check(columns(reader.read()) == columns(plain.read()), "what a reader of a pipe gets")
check(late.wait(PATIENCE_S) == 0, "a pipe that is read", late.stderr.read())
until(lambda: int.from_bytes(fcntl.ioctl(stuck, termios.FIONREAD, bytes(4)), sys.byteorder) >= 60000, "a full pipe")
slow.send_signal(signal.SIGTERM)
err = slow.communicate(timeout=PATIENCE_S)[1]
check(slow.returncode == 1 and "pipestuck: not written completely: a pipe whose reader does not read" in err, f"status {slow.returncode}", err)
check(load("place/slow.json")["ended_by"] == "signal", "the rest of the run", load("place/slow.json")["ended_by"])
os.close(stuck)
for name, program in ended.items():
    err = program.communicate(timeout=PATIENCE_S)[1]
    check(program.returncode == 1 and "pipe" + name in err and re.search("a pipe that nobody reads, for 5 s|got a pipe|got something else", err),
          f"{name}: an output to a pipe that nobody reads: {program.returncode}", err)

# A full disk, for every file that a command writes: it fails and names the file, and what appears complete or not at all is not there.
disk = small_disk("full-disk", "1m")
if disk:
    try:
        with open(os.path.join(disk, "filler"), "wb", buffering=0) as filler:
            for size in 65536, 512:
                try:
                    while filler.write(bytes(size)):
                        pass
                except OSError:
                    pass
        at = lambda name: os.path.join(disk, name)
        lay = ["jlay-900m.yaml", "--set", "pipe.elements=20", *FAST]
        written = [["run", *lay, "--" + option, at("x")] for option in ("log", "checkpoint", "record", "summary", "junit", "shapes", "hashes", "laid-route")]
        for args in written + [["statics", "jlay-900m.yaml", "--shape", at("x")], ["statics", "jlay-900m.yaml", "--depths", "900:900:1", "--table", at("x")],
                               ["log", "recover", "a.mcap", at("x")], ["log", "scene", "a.mcap", at("x")], ["keygen", "--log", at("x")],
                               ["keygen", "--role", "server", "--name", "s", at("x")]]:
            status, out, err = run(*args)
            check(status == 1 and at("x") in err and "No space left" in err, f"{args}: a full disk", status, err)
            in_place = {"--record", "--shapes", "--hashes", "--laid-route", "--shape"} & set(args)
            left = set(os.listdir(disk)) - {"filler"}
            check(left <= ({"x"} if in_place else {"x.progress"} if "--checkpoint" in args else set()), f"{args}: what is left", left)
            for name in left:
                os.remove(at(name))
    finally:
        subprocess.run(["umount", disk], check=True)
