"""sagbend start: simulator, controller and view begin and end together: the shipped controller by the case's DP file, another by its
command line, signals, a part that ends, fails, hangs or cannot be started, a port in use; the exit status and one line for each."""
import fcntl
import socket
import struct
import termios
import urllib.request

from harness import *

VIEW = ["--view", "--listen", "127.0.0.1:0"]
OSV = os.path.join(SOURCE, "configs/osv-83m.yaml")


def start(config, *args):
    return Program(SAGBEND, "start", config, *ANY_PORT, *args)


def children(program):
    with open(f"/proc/{program.process.pid}/task/{program.process.pid}/children") as file:
        return [int(word) for word in file.read().split()]


def name_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return os.path.basename(file.read().split(b"\0")[0].decode())
    except OSError:
        return ""


def check_gone(pids):
    """None of the processes runs any more; they are children of a process that has ended, so nobody but the system holds them."""
    until(lambda: not any(name_of(pid) for pid in pids), "a process is left", pids)


def finish(program, status, *says):
    got = program.end()
    check(got == status, f"exit status {got}, not {status}", program.stderr())
    for text in says:
        check(text in program.stderr(), f"'{text}' is not said", program.stderr())
    return program.stderr()


def written(name, text):
    with open(path(name), "w") as file:
        file.write(text)
    os.chmod(path(name), 0o755)
    return path(name)


# Wrong usage, before anything is started: one line.
for args, expected in [
        (["start"], "CONFIG"), (["start", path("missing.yaml")], "missing.yaml"), (["start", JLAY, "--set", "vessel.colour=red"], "vessel.colour"),
        (["start", VESSEL], "simulation.mode realtime or lockstep expected, got fast"), (["start", OSV], "needs controller.dp_file"),
        (["start", JLAY, "--listen", "127.0.0.1:0"], "--listen needs --view"), (["start", JLAY, "--controller", "no-such-program {endpoint}"], "no program 'no-such-program' is found"),
        (["start", JLAY, "--controller", path("no/such")], "is found"), (["start", JLAY, "--controller", " "], "a command expected"),
        (["start", JLAY, "--controller", "sh -c 'open"], "an end to each quote"), (["start", JLAY, "--controller", "x" * 5000], "4096 characters"),
        (["start", JLAY, "--set", "controller.kind=none", "--set", "controller.dp_file=null", "--controller", "sh"], "--controller needs controller.kind external"),
        (["start", JLAY, "--set", "network.server_key=k", "--set", "network.admitted_keys=a"], "network.server_key is not allowed")]:
    status, out, err = run(*args)
    check(status == 2 and expected in err and not out, f"{args}: {status}", out, err)
    check(err.count("\n") == 1, f"{args}: one line expected", err)

# The shipped controller and the view; a length, verdicts, a log; all end by themselves.
program = start(JLAY, *VIEW, *ANY_LAG, "--duration", "2", "--log", path("run.mcap"))
page = program.wait_for(r"sagbend-view: (http://\S+/) shows the telemetry").group(1)
err = finish(program, 0, "sagbend-dp: welcomed by session", "command_first", "sagbend-dp: the session has ended: duration reached")
check("sagbend start:" not in err, "a line about a good end", err)
status, out, err = run("replay", path("run.mcap"), "--verify")
check(status == 0, "the log", out, err)
failed = start(JLAY, "--duration", "0.5", "--set", 'verdicts=[{"name": "far", "quantity": "offset_m", "above": 1000}]')
finish(failed, 1)

# Until stopped: each signal ends all in order; the page is there as long as the simulator runs.
for number in signal.SIGINT, signal.SIGTERM:
    program = start(JLAY, *VIEW)
    page = program.wait_for(r"sagbend-view: (http://\S+/) shows the telemetry").group(1)
    program.wait_for("command_first")
    with urllib.request.urlopen(page + "metrics") as answer:
        check(answer.status == 200, "the page is not served")
    pids = children(program)
    check(sorted(map(name_of, pids)) == ["sagbend", "sagbend-dp", "sagbend-view"], "the processes", list(map(name_of, pids)))
    program.signal(number)
    finish(program, 0, "sagbend-dp: the session has ended: stopped")
    check_gone(pids)

# A kill of the command leaves nothing behind.
program = start(JLAY, *VIEW)
program.wait_for("command_first")
pids = children(program)
program.kill()
check_gone(pids)

# Another controller: its words, without a shell.
says = written("says", f"#!/bin/sh\nfor word; do echo \"word <$word>\"; done\nexec {SAGBEND_DP} {JLAY_DP} --connect \"$2\"\n")
program = start(OSV.replace("osv-83m", "jlay-900m"), "--controller", f"{says} 'two words; $HOME' {{endpoint}} \"a\"'b'")
program.wait_for("command_first")
endpoint = program.wait_for(r"commands at (\S+)").group(1)
program.signal()
err = finish(program, 0, "word <two words; $HOME>", f"word <{endpoint}>", "word <ab>")

# A case with the controller inside, or without one, has no process for it.
program = start(JLAY, "--set", "controller.kind=sampled", "--duration", "0.5", *VIEW)
err = finish(program, 0)
check("sagbend-dp" not in err, "a controller beside that inside", err)

# A part that fails or ends takes the others with it.
for command, status, line in [("/bin/sh -c 'exit 3'", 1, "the controller ended with exit status 3; all end"), ("/bin/sh -c 'exit 2'", 2, "exit status 2; all end"),
                              ("/bin/true", 1, "exit status 0; all end"), ("/bin/sh -c 'kill -9 $$'", 1, "ended by signal 9; all end")]:
    program = start(JLAY, *VIEW, "--controller", command)
    finish(program, status, line)
for victim, line in ("sagbend-view", "sagbend-view ended by signal 9"), ("sagbend-dp", "sagbend-dp ended by signal 9"), ("sagbend", "the simulator ended by signal 9"):
    program = start(JLAY, *VIEW)
    program.wait_for("command_first")
    program.wait_for("shows the telemetry")
    pids = children(program)
    os.kill(next(pid for pid in pids if name_of(pid) == victim), signal.SIGKILL)
    finish(program, 1, line)
    check_gone(pids)

# A controller that does not end is killed, and said; a second signal ends all at once.
deaf = written("deaf", f"#!/bin/sh\ntrap '' TERM INT\necho deaf\nwhile :; do sleep 0.1; done\n")
program = start(JLAY, "--controller", deaf)
program.wait_for("deaf")
program.signal()
finish(program, 1, "the controller does not end: killed")
program = start(JLAY, "--controller", deaf)
program.wait_for("deaf")
program.signal()
until(lambda: not any(name_of(pid) == "sagbend" for pid in children(program)), "the simulator does not end", program.stderr())
program.signal()
finish(program, 1)

# At a terminal the page stays when the session has ended by itself, with its results, until Ctrl-C; the exit status is that of the session.
terminal, own = os.openpty()
process = subprocess.Popen([SAGBEND, "start", JLAY, *ANY_PORT, *VIEW, "--duration", "1", "--set", "verdicts=[{name: never, quantity: offset_m, below: 1e-9}]"],
                           stdout=subprocess.DEVNULL, stderr=own, start_new_session=True)
atexit.register(process.kill)
os.close(own)
said = ""
while "its page stays until Ctrl-C" not in said:
    said += os.read(terminal, 4096).decode(errors="replace")
page = re.search(r"sagbend-view: (http://\S+/) shows the telemetry", said).group(1)
with urllib.request.urlopen(page, timeout=20) as answer:
    check(answer.status == 200 and process.poll() is None, "the page after the end", said)
process.send_signal(signal.SIGINT)
check(process.wait(60) == 1, "the exit status is that of the session", process.returncode, said)
os.close(terminal)

# At 80 columns the status line is rewritten in its place: a longer one would wrap, and scroll the page's address away. Nothing has a colour.
terminal, own = os.openpty()
fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
process = subprocess.Popen([SAGBEND, "start", JLAY, *ANY_PORT, *VIEW], stdout=subprocess.DEVNULL, stderr=own, start_new_session=True,
                           env={**os.environ, "NO_COLOR": "1"})
atexit.register(process.kill)
os.close(own)
said = ""
while len(re.findall(r"\x1b\[Kt +\d", said)) < 8:
    said += os.read(terminal, 4096).decode(errors="replace")
process.send_signal(signal.SIGINT)
try:
    while more := os.read(terminal, 4096):
        said += more.decode(errors="replace")
except OSError:  # the last writer has closed it
    pass
process.wait(60)
shown = re.findall(r"\x1b\[K(t +\d[^\r\n\x1b]*)", said)
check(max(map(len, shown)) <= 79 and all("position error" in line and "command " in line for line in shown if len(line) > 60),
      "a status line wraps at 80 columns, or lacks what matters most", max(shown, key=len))
check(set(re.findall(r"\x1b\[[0-9;?]*[A-Za-z]", said)) == {"\x1b[K"}, "a colour in spite of NO_COLOR", set(re.findall(r"\x1b\[[0-9;?]*[A-Za-z]", said)))
os.close(terminal)

# Ports in use: of the commands and of the view.
with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    port = taken.getsockname()[1]
    program = Program(SAGBEND, "start", JLAY, "--bind-command", f"tcp://127.0.0.1:{port}", "--bind-telemetry", "tcp://127.0.0.1:*", *VIEW)
    err = finish(program, 1, str(port), "in use")  # as of sagbend run
    check(err.count("\n") == 1, "one line expected", err)
    program = start(JLAY, "--view", "--listen", f"127.0.0.1:{port}")
    finish(program, 2, f"--listen: ", "in use", "sagbend start: sagbend-view ended with exit status 2; all end")

# A reset begins another session; the station goes on.
program = start(JLAY, *VIEW)
program.wait_for("command_first")
endpoint = program.wait_for(r"commands at (\S+)").group(1)
status, out, err = run("ctl", endpoint, "reset")
check(status == 0, "reset", out, err)
until(lambda: program.stderr().count("sagbend-dp: welcomed by session") == 2, "the controller has no second session", program.stderr())
program.signal()
finish(program, 0)
