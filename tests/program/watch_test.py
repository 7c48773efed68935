"""sagbend ctl watch on a terminal of its own (a pty, drawn by pyte): content, resize, silence, restart, end; the terminal is restored
however it ends. Without a terminal: lines."""
import fcntl
import pty
import select
import struct
import termios
import threading

from harness import *

import pyte
import sagbend

OSV = os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
OSV_DP = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")


class Page:
    """The terminal of one `ctl watch`."""

    def __init__(self, *arguments, columns=80, rows=24):
        self.screen = pyte.Screen(columns, rows)
        self.stream, self.raw = pyte.ByteStream(self.screen), b""
        self.master, self.slave = pty.openpty()
        self.size(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen([SAGBEND, "ctl", *arguments], stdin=self.slave, stdout=self.slave, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        atexit.register(lambda: self.process.poll() is None and self.process.kill())

    def size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def read(self):
        while select.select([self.master], [], [], 0.02)[0]:
            data = os.read(self.master, 65536)
            self.raw += data
            self.stream.feed(data)

    def text(self):
        return "\n".join(self.screen.display)

    def until(self, *patterns):
        """Waits until the page shows each pattern; returns the last match."""
        def holds():
            self.read()
            return all(re.search(pattern, self.text(), re.M) for pattern in patterns)

        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            check(time.monotonic() < deadline, f"the page does not show {patterns}", self.text())
        return re.search(patterns[-1], self.text(), re.M)

    def end(self, status=0):
        until(lambda: (self.read(), self.process.poll() is not None)[1], "the page does not end", self.text())
        self.read()
        err = self.process.stderr.read()
        check(self.process.returncode == status, f"status {self.process.returncode}", err, self.text())
        check(self.raw.endswith(b"\033[?25h\033[?1049l"), "the screen is not restored", self.raw[-80:])
        check(termios.tcgetattr(self.slave)[3] == self.before[3], "the terminal's mode is not restored")
        return err


with open(path("verdicts.yaml"), "w") as file:
    file.write(f"""extends: {OSV}
name: osv-83m-verdicts
verdicts:
  - {{name: easy, quantity: offset_m, below: 500}}
  - {{name: hopeless, quantity: offset_m, below: 0.000001, from_s: 0.5}}
  - {{name: later, quantity: offset_m, below: 500, from_s: 1000000}}
""")
simulator = Simulator(path("verdicts.yaml"), "--duration", "0")
dp = controller(simulator, config=OSV_DP)
where = [simulator.commands, "watch", "--telemetry", simulator.telemetry]
page = Page(*where)
page.until(r"^RUNNING", r"^session +[0-9a-f]{16}", r"^time +[1-9]\d*\.\d+ s.* step \d+ +\d\.\d\d times", r"^lateness +\d+ steps",
           r"^position +north +50\d\.\d\d m +east +-?\d\.\d\d m +heading +\d+\.\d\d deg", r"^pipe +tension +\d{3}\.\d kN",
           r"^touchdown +north", r"^weather +wind", r"^command +\w+.*[1-9]\d* accepted",
           r"^bow_tunnel_1 +\[[#<.]{18}\] +-?[\d.]+ kN", r"^verdicts +1 of 3 would pass now", r"^ +hopeless +VIOLATED +value [\d.e-]+, margin -",
           r"^ +later +not judged", r"^q or Ctrl-C")
check(len(page.screen.display) == 24 and all(len(line) <= 80 for line in page.screen.display), "the page's size")
check("Traceback" not in page.text() and page.screen.display[0].startswith("RUNNING"), "the first line", page.text())
session = page.until(r"^session +([0-9a-f]{16})").group(1)

# A fault comes and goes.
with sagbend.Operator(simulator.commands) as operator:
    operator.fault("loss", probability=0.5, name="wild")
    page.until(r"^faults +1 active", r"^ +wild +loss +- +since")
    operator.clear("wild")
    page.until(r"^faults +0 active")

# What a status adds: the case, the controller; a pause.
    page.until(r"^session +\S+ +\S*osv-83m\S* +realtime", r"^set-point +none", r"^command +\w+, by osv-83m-dp")
    operator.order("pause")
    page.until(r"^PAUSED for")
    operator.order("resume")
    page.until(r"^RUNNING")
    operator.order("mark", text="seen by the watch")
    page.until(r"^ +\d+\.\d{3} s +mark: .*: seen by the watch")

# Small, large, and back.
page.size(40, 8)
page.until(r"^RUNNING", r"^q or Ctrl-C")
page.size(132, 50)
page.until(r"^-{132}$", r"^stern_azimuth\w* ", r"^q or Ctrl-C")
page.size(80, 24)

# The simulator is killed and started again at the same endpoints.
simulator.kill()
page.until(r"^SILENT for \d+ s")
again = Program(SAGBEND, "run", OSV, "--bind-command", simulator.commands, "--bind-telemetry", simulator.telemetry, "--duration", "0")
again.wait_for("session ")
page.until(r"^RUNNING", rf"new_session: after {session}")
check(page.until(r"^session +([0-9a-f]{16})").group(1) != session, "the session", page.text())
again.signal()
page.until(r"^ENDED: stopped", r"end: stopped")
check(again.end() == 0, "the simulator's end", again.stderr())
check(page.process.poll() is None, "the page ends with the session")

# However it ends, the terminal is as before: q, Ctrl-C, SIGTERM, a key that is not admitted.
os.write(page.master, b"q")
page.end()
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0")
where = [simulator.commands, "watch"]  # the simulator states where its telemetry is
for end in (lambda p: os.write(p.master, b"\x03"), lambda p: p.process.send_signal(signal.SIGTERM), lambda p: p.process.send_signal(signal.SIGHUP)):
    page = Page(*where)
    page.until(r"^RUNNING", r"^position")
    end(page)
    page.end()
check("pipe " not in page.text(), "a pipe that is not there", page.text())

simulator = Simulator(JLAY, "--duration", "0")
page = Page(simulator.commands, "watch")
page.until(r"^set-point +north +972\.08 m +east +0\.00 m", r"^position error +\d\.\d\d m, heading error [+-]0\.\d\d deg")
os.write(page.master, b"q")
page.end()

# Nobody there, and a session manager.
page = Page("tcp://127.0.0.1:1", "watch")
page.until(r"^SILENT: nothing has come yet")
os.write(page.master, b"q")
page.end()
cases = path("cases")
os.mkdir(cases)
with open(VESSEL) as file, open(os.path.join(cases, "free.yaml"), "w") as out:
    out.write(file.read().replace("mode: fast", "mode: realtime"))
manager = Program(SAGBEND, "serve", cases, "--bind-command", "tcp://127.0.0.1:*", "--session-command", "tcp://127.0.0.1:*",
                  "--session-telemetry", "tcp://127.0.0.1:*")
endpoint = manager.wait_for(r"orders at (\S+)").group(1)
page = Page(endpoint, "watch")
page.until(r"^SILENT: nothing has come yet")
with sagbend.Operator(endpoint, timeout_s=PATIENCE_S) as operator:
    operator.order("load", name="free")
    for _ in range(2):  # the page follows the next session, too
        operator.order("start")
        page.until(r"^RUNNING", r"^session +[0-9a-f]{16} +vessel-only +realtime", r"^position +north")
        operator.stop()
        page.until(r"^(ENDED: stopped|SILENT)")
        until(lambda: operator.order("status").manager.status.process == 0, "it does not end", manager.stderr())
os.write(page.master, b"q")
page.end()
manager.signal()
check(manager.end() == 0, "the manager's end", manager.stderr())

# Without a terminal: lines until the session ends.
where = [simulator.commands, "watch"]
lines = []
process = subprocess.Popen([SAGBEND, "ctl", *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
reader = threading.Thread(target=lambda: lines.extend(process.stdout))
reader.start()
until(lambda: sum("RUNNING" in line and "north" in line for line in lines) >= 2, "no lines", lines)
simulator.signal()
check(process.wait(PATIENCE_S) == 0 and simulator.end() == 0, "the end", process.stderr.read())
reader.join()
check(lines[-1].startswith("ENDED: stopped") and not any("\033" in line for line in lines), "the lines", lines)

for args, text in [(["ipc:///nowhere", "watch"], "needs --telemetry ENDPOINT"), (["tcp://127.0.0.1:1", "watch", "x"], "--telemetry"),
                   (["tcp://127.0.0.1:1", "watch", "--telemetry", "nonsense"], "endpoint"), (["tcp://127.0.0.1:1", "watch", "--json"], "no JSON")]:
    status, out, err = run("ctl", *args)
    check(status == 2 and text in err, f"ctl {args}: status {status}", err)
