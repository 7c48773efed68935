"""The rig's time: steps that follow a UTC of known offset and rate (rig_clock.c), a clock that is set, what the kernel knows, UTC in
messages, sentences and logs, start_utc: now recorded, replayed and resumed."""
import csv
import io
import statistics
import struct

from harness import *

LIBRARY = os.path.join(BUILD, "tests/program/librig_clock.so")
if os.environ.get("SAGBEND_TEST_KIND") == "sanitize":
    sys.exit(SKIPPED)  # no library can be preloaded before the sanitizer's
YEAR_S = 365 * 86400
STEP_NS = 10_000_000
CASE = path("case.yaml")
with open(CASE, "w") as case:
    case.write(f"extends: {VESSEL}\nnmea: {{start_utc: now}}\nlog: {{timing_period_s: 0, sensors_period_s: 0, truth_period_s: 0}}\n")


class Rig:
    """A clock that the test knows: UTC at a moment of the monotonic clock, and from there at a rate of its own."""

    def __init__(self, name, utc_ns=1_900_000_000_123_456_789, fast_ppb=0, tai_s=0, synchronised=1):
        self.file = open(path(name), "w+b", buffering=0)
        self.environment = {"LD_PRELOAD": LIBRARY, "SAGBEND_TEST_CLOCK": path(name)}
        self.fast_ppb, self.tai_s, self.synchronised = fast_ppb, tai_s, synchronised
        self.newest = 0
        self.file.truncate(136)
        self.pieces = [(time.monotonic_ns(), utc_ns)]  # it has been set at these moments
        self.write()

    def write(self):
        """Into the other of two places, which is then the newest: utc and tai change at one moment."""
        at_ns, utc_ns = self.pieces[-1]
        self.newest += 1
        self.file.seek(8 + 64 * (self.newest % 2))
        self.file.write(struct.pack("=8q", utc_ns, at_ns, self.fast_ppb, self.tai_s, self.synchronised, 120, 4500, 3))
        self.file.seek(0)
        self.file.write(struct.pack("=q", self.newest))

    def utc_ns(self, monotonic_ns):
        at_ns, utc_ns = [piece for piece in self.pieces if piece[0] <= monotonic_ns or piece is self.pieces[0]][-1]
        return utc_ns + (monotonic_ns - at_ns) + int((monotonic_ns - at_ns) * self.fast_ppb * 1e-9)

    def set(self, seconds, tai_s=None):
        now = time.monotonic_ns()
        self.tai_s = self.tai_s if tai_s is None else tai_s
        self.pieces.append((now, self.utc_ns(now) + int(seconds * 1e9)))
        self.write()


def start(rig, log, *args, clock="utc"):
    return Simulator(CASE, "--mode", "realtime", "--duration", "0", "--log", path(log), "--summary", path(log + ".json"), *ANY_LAG,
                     "--set", f"real_time.clock={clock}", *args, environment=rig.environment)


def finish(simulator):
    simulator.signal()
    check(simulator.end() == 0, "the run", simulator.stderr())


def table(log, topic, fields):
    status, out, err = run("log", "export-csv", path(log), "--topic", topic, "--fields", ",".join(fields))
    check(status == 0, "export-csv", err)
    return list(csv.DictReader(io.StringIO(out)))


def steps(log):
    """Of each step: its UTC in Sensors, the end of its computing by the monotonic clock, its duration, its Timing."""
    stamps = {row["header.step"]: int(row["utc_ns"] or 0) for row in table(log, "/sensors", ["header.step", "utc_ns"])}
    rows = table(log, "/timing", ["header.step", "step_end_ns", "step.last_us", "wakeup.last_us", "clock.name", "clock.offset_s", "clock.offset_mean_s",
                                  "clock.offset_worst_s", "clock.behind_s", "clock.jumps", "clock.jump_periods", "clock.newest_jump_s",
                                  "clock.synchronised", "clock.estimated_error_s", "clock.largest_error_s", "clock.frequency_ppm",
                                  "clock.tai_offset_s", "clock.source", "lost_periods"])
    return [{"step": int(r["header.step"]), "utc_ns": stamps[r["header.step"]], "begin_ns": int(r["step_end_ns"]) - int(float(r["step.last_us"]) * 1e3),
             **{k.removeprefix("clock."): v for k, v in r.items() if k not in ("header.step",)}}
            for r in rows if int(r["header.step"]) > 0 and r["header.step"] in stamps]


def begin(rig, rows, tai_s=0):
    """How much later than a whole multiple of the step each step began by the rig's clock, in s."""
    return [((rig.utc_ns(r["begin_ns"]) + tai_s * 1_000_000_000 + STEP_NS // 2) % STEP_NS - STEP_NS // 2) * 1e-9 for r in rows]


def events(log, name):
    return [row["text"] for row in table(log, "/event", ["name", "text"]) if row["name"] == name]


def start_late_s(log):
    """By how much the first step was later than recorded, as the session says: a busy machine may take seconds to begin."""
    told = events(log, "started_late")
    check(len(told) <= 1, "told once", told)
    return sum(float(re.match(r"the first step was due (\d+\.\d+) s before the steps could begin", text)[1]) for text in told)


# --- UTC that is 1 ms a second fast: the steps follow it; those by the monotonic clock do not ---
drifting = {clock: Rig(f"drift-{clock}", fast_ppb=1_000_000) for clock in ("utc", "monotonic")}
for clock, rig in drifting.items():
    simulator = start(rig, f"{clock}.mcap", clock=clock)
    simulator.wait_for_step(800)
    finish(simulator)
    rows = steps(f"{clock}.mcap")
    check(all(r["utc_ns"] % STEP_NS == 0 and r["name"] == clock for r in rows), "whole multiples", rows[:2])
    check(len({r["utc_ns"] for r in rows}) == len(rows), "each step has a UTC of its own")
    late = begin(rig, rows)
    drift = statistics.median(late[-200:]) - statistics.median(late[:200])
    stamped = [rig.utc_ns(r["begin_ns"]) - r["utc_ns"] for r in rows]
    on_time = [s - STEP_NS * int(r["lost_periods"]) for s, r in zip(stamped, rows)]  # but for what the machine was away, from the first step on
    stamp_drift = (statistics.median(on_time[-200:]) - statistics.median(on_time[:200])) * 1e-9
    told = [float(r["behind_s"]) - s * 1e-9 for r, s in zip(rows, stamped)]
    check(abs(statistics.median(told)) < 0.0005, "what the simulator says of its stamps", statistics.median(told))
    off = [float(r["offset_s"]) for r in rows]
    print(f"{clock}: steps begin {statistics.median(late) * 1e3:.3f} ms after whole multiples, drift {drift * 1e3:.3f} ms, of stamps {stamp_drift * 1e3:.3f} ms, "
          f"offset {statistics.median(off) * 1e6:.0f} us, lost {rows[-1]['lost_periods']} periods")
    if clock == "utc":
        check(-0.0005 < statistics.median(late) < 0.003 and abs(drift) < 0.001, "steps that follow UTC", drift, late[:5])
        check(abs(stamp_drift) < 0.002, "UTC in Sensors follows UTC", stamp_drift)
        first_s = statistics.median(on_time) * 1e-9 - start_late_s(f"{clock}.mcap")
        check(-0.02 < first_s < 0.03, "the first step is where it was said to be", first_s, rows[0])
        errors = [abs(o - b) for o, b in zip(off, late)]
        check(statistics.median(errors) < 0.0002, "the offset is that of the clock", statistics.median(errors))
    else:
        check(stamp_drift > 0.003 and statistics.median(off[-200:]) - statistics.median(off[:200]) > 0.003, "the test sees a drift", stamp_drift, off[-3:])
status, out, err = run("replay", path("utc.mcap"), "--verify")
check(status == 0, "replay", out, err)

# Wall-clock times of a copy are those of Sensors, with all digits; --from is a simulated time.
check(run("log", "scene", path("utc.mcap"), path("wall.mcap"), "--wall-clock")[0] == 0, "scene")
status, out, err = run("log", "export-csv", path("wall.mcap"), "--topic", "/sensors", "--fields", "utc_ns", "--from", "1", "--to", "2")
wall = list(csv.DictReader(io.StringIO(out)))
check(len(wall) == 101 and all(int(r["log_time_s"].split(".")[0]) * 10**9 + int((r["log_time_s"] + ".0").split(".")[1].ljust(9, "0")[:9]) == int(r["utc_ns"])
                               for r in wall), "wall clock", err, wall[:3])
status, out, err = run("log", "cat", path("wall.mcap"), "--topic", "/sensors", "--from", "1", "--to", "2")
check([str(json.loads(line)["message"]["utc_ns"]) for line in out.splitlines()] == [r["utc_ns"] for r in wall], "cat", out[:200])

# --- UTC is set: one event, no burst, and the steps stay at whole multiples ---
rig = Rig("jumps")
simulator = start(rig, "jumps.mcap")
simulator.wait_for_step(100)
jumps = [YEAR_S, -2 * YEAR_S, 0.777, -0.777, 0.004, -3.004]  # the fifth is less than half a step
for number, seconds in enumerate(jumps):
    before, since = simulator.wait_for_step(0), time.monotonic()
    rig.set(seconds)
    after = simulator.wait_for_step(before + 60)
    passed = time.monotonic() - since
    check(after - before < 100 * passed + 15, "a burst", seconds, after - before, passed)
simulator.wait_for_telemetry("timing", lambda m: m.clock.jumps == 5)
status = json.loads(run("ctl", simulator.commands, "status", "--json")[1])
check(status["clock"]["jumps"] == 5 and abs(status["clock"]["newest_jump_s"] + 3.004) < 0.001 and status["clock"]["name"] == "utc", "status", status["clock"])
status = run("ctl", simulator.commands, "status")[1]
check("; set 5 times, the newest by -3.00" in status and "synchronised" in status, "status as text", status)
finish(simulator)
told = events("jumps.mcap", "clock_jumped")
check(len(told) == 5 and "forward by 31536000.0" in told[0] and "3153600000 periods" in told[0] and "back by 63072000.0" in told[1] and "; 0 periods" in told[1] and
      "forward by 0.77" in told[2] and "; 78 periods" in told[2], "events", told)
lost = events("jumps.mcap", "lost_periods")  # of a machine that was away: its periods beside those of the jumps, which only the sum has
check(all(int(text.split(" more periods lost")[0]) < YEAR_S for text in lost), "the year is told once", lost)
rows = steps("jumps.mcap")
late = begin(rig, rows)
check(-0.0005 < statistics.median(late[-60:]) < 0.003, "whole multiples after all that", late[-60:])
# A jump that stops the steps costs no period; a machine that was away costs each that it missed, told within a step of it.
missed = [int(r["lost_periods"]) - int(r["jump_periods"]) for r in rows]
stood = [rows[k]["begin_ns"] - rows[k - 1]["begin_ns"] - STEP_NS * (missed[min(k + 1, len(rows) - 1)] - missed[max(k - 2, 0)]) for k in range(1, len(rows))]
check(max(stood) < 1.5e9, "no jump stops the steps", max(stood))
summary = load("jumps.mcap.json")["real_time"]["clock"]
check(summary["jumps"] == 5 and summary["name"] == "utc", "summary", summary)
check(re.search(r"^clock +utc, steps began .* set 5 times; synchronised, by the kernel$", simulator.stdout(), re.M), "summary for people", simulator.stdout())
status, out, err = run("replay", path("jumps.mcap"), "--verify")
check(status == 0, "replay", out, err)

# --- What the kernel knows ---
rig = Rig("kernel", synchronised=0, tai_s=37)
simulator = start(rig, "kernel.mcap", clock="tai")
simulator.wait_for("clock_unsynchronised: the steps follow tai")
rig.synchronised = 1
rig.write()
simulator.wait_for("clock_synchronised: estimated error 0.000120 s, largest 0.004500 s")
clock = simulator.wait_for_telemetry("timing", lambda m: m.clock.synchronised).clock
check((clock.source, round(clock.estimated_error_s, 9), clock.largest_error_s, clock.frequency_ppm, clock.tai_offset_s) == ("kernel (ntp_adjtime)", 0.00012, 0.0045, 3, 37), "kernel", clock)
rig.set(YEAR_S)  # TAI is set with it
simulator.wait_for("clock_jumped: tai was set forward by 31536000.")
finish(simulator)
rows = steps("kernel.mcap")
late = begin(rig, rows, 37)
check(-0.0005 < statistics.median(late[-60:]) < 0.003 and abs(float(rows[50]["behind_s"]) - start_late_s("kernel.mcap")) < 0.5, "TAI", late[-60:], rows[50])
# A leap second moves UTC and the kernel's offset at one moment: TAI goes on, and so do the steps. The offset alone is a clock that is set.
rig = Rig("leap", tai_s=37)
simulator = start(rig, "leap.mcap", clock="tai")
behind_s = simulator.wait_for_telemetry("timing", lambda m: m.header.step > 50).clock.behind_s
for seconds, tai_s, far_s in ((-1, 38, -1), (1, 37, 0), (1, 36, 1), (-1, 37, 0)):  # inserted, deleted and the reverse
    rig.set(seconds, tai_s)
    m = simulator.wait_for_telemetry("timing", lambda m: m.clock.tai_offset_s == tai_s)
    check(m.clock.jumps == m.clock.jump_periods == 0 and abs(m.clock.behind_s - behind_s - far_s - 0.01 * m.lost_periods) < 0.2, "TAI across a leap second", seconds, tai_s, m.clock)
rig.set(0, 38)
m = simulator.wait_for_telemetry("timing", lambda m: m.clock.jumps)
check((m.clock.jumps, m.clock.jump_periods) == (1, 100) and abs(m.clock.newest_jump_s - 1) < 0.001, "the kernel's offset alone", m.clock)
simulator.wait_for("clock_jumped: tai was set forward by 1.0")
finish(simulator)
rows = steps("leap.mcap")
gaps = sorted(r["begin_ns"] - q["begin_ns"] for q, r in zip(rows, rows[1:]) if r["step"] == q["step"] + 1)
check(0.0095 < gaps[len(gaps) // 2] * 1e-9 < 0.0105, "the steps go on", gaps[-3:])
# A step that does not divide the seconds between TAI and UTC: the first one is where it was said to be, or whole steps later. A reset that fails forgets no jump.
rig = Rig("third", tai_s=37)
os.mkdir(path("gone"))
simulator = start(rig, "gone/third.mcap", "--set", "simulation.step_s=0.03", clock="tai")
m = simulator.wait_for_telemetry("timing", lambda m: m.header.step >= 20)
check((m.clock.behind_s + 0.005) % 0.03 < 0.01, "the first step", m)
rig.set(5)
simulator.wait_for_telemetry("timing", lambda m: m.clock.jumps == 1)
os.rename(path("gone"), path("away"))
check(run("ctl", simulator.commands, "reset")[0] == 0, "the order", simulator.stderr())
simulator.wait_for("reset_failed: ")
clock = simulator.wait_for_telemetry("timing", lambda m: m.clock.jumps).clock
check((clock.jumps, clock.jump_periods) == (1, 167) and abs(clock.newest_jump_s - 5) < 0.001, "what was known of the clock", clock)
os.rename(path("away"), path("gone"))
finish(simulator)
unknown = Rig("unknown")
refused = subprocess.run([SAGBEND, "run", CASE, "--mode", "realtime", *ANY_PORT, "--set", "real_time.clock=tai", "--duration", "1"],
                         env={**os.environ, **unknown.environment}, capture_output=True, text=True, check=False)
check(refused.returncode == 2 and "real_time.clock: the kernel does not know TAI" in refused.stderr, "TAI that the kernel does not know", refused)
quiet = Rig("quiet", synchronised=0)
simulator = start(quiet, "quiet.mcap", clock="monotonic")
simulator.wait_for_telemetry("timing", lambda m: m.clock.source and m.header.step > 100)
finish(simulator)
check("clock_unsynchronised" not in simulator.stderr(), "nobody asked for UTC", simulator.stderr())

# UTC that has passed the recorded moment before the steps can begin.
late = start(Rig("late", fast_ppb=10**12), "late.mcap", clock="monotonic")
late.wait_for(r"started_late: the first step was due \d+\.\d+ s before the steps could begin")
finish(late)
check(late.stderr().count("started_late") == 1, "once", late.stderr())

# --- now: recorded, resumed, replayed; a reset takes it anew ---
kept = ["--checkpoint", path("kept"), "--checkpoint-every", "0.5"]
rig = Rig("now")
first = start(rig, "first.mcap", *kept)
first.wait_for_step(120)
finish(first)
zero = {int(r["utc_ns"]) - r["step"] * STEP_NS for r in steps("first.mcap")}
check(len(zero) == 1 and 0 < zero.copy().pop() - rig.pieces[0][1] < PATIENCE_S * 10**9, "UTC of time 0", zero)
second = start(rig, "second.mcap", "--resume", path("kept"))
second.go_on(60)
check(run("ctl", second.commands, "reset")[0] == 0, "reset")
second.wait_for("session_begun: ")
second.wait_for_telemetry("sensors", lambda m: 50 < m.header.step < 120)
finish(second)
resumed = steps("second.mcap")
check({r["utc_ns"] - r["step"] * STEP_NS for r in resumed} == zero and resumed[0]["step"] >= 120, "a resumed session keeps UTC of time 0", zero)
check(float(resumed[-1]["behind_s"]) > 0, "and says how far it is behind", resumed[-1])
anew = [name for name in os.listdir(FOLDER) if name.startswith("second") and name.endswith(".mcap") and name != "second.mcap"]
check(len(anew) == 1 and {r["utc_ns"] - r["step"] * STEP_NS for r in steps(anew[0])}.isdisjoint(zero), "a reset takes it anew", anew)
for log in ("first.mcap", "second.mcap", *anew):
    status, out, err = run("replay", path(log), "--verify")
    check(status == 0, "replay", log, out, err)

status, out, err = run("log", "info", path("first.mcap"))
check(f"UTC            {time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(min(zero) // 10**9))}." in out, "log info", out, err)

# Without a clock in the steps: in mode fast the moment of the start is recorded as well, and changes no state.
for name, value in (("fast", "now"), ("given", "2026-01-31T12:00:00")):
    status, out, err = run("run", CASE, "--mode", "fast", "--duration", "2", "--log", path(name + ".mcap"), "--hashes", path(name), "--set", f"nmea.start_utc={value}")
    check(status == 0, "fast", err)
    status, out, err = run("replay", path(name + ".mcap"), "--verify")
    check(status == 0, "replay", name, out, err)
check(hashes("fast") == hashes("given"), "UTC is part of a state")
given = table("given.mcap", "/sensors", ["utc_ns"])
check(given[0]["utc_ns"] == "1769860800000000000" and given[-1]["utc_ns"] == "1769860802000000000", "a given start", given[0], given[-1])
truth = table("given.mcap", "/truth", ["utc_ns"])
check([r["utc_ns"] for r in truth] == [r["utc_ns"] for r in given], "Truth")
status, out, err = run("check", CASE, "--set", "nmea.start_utc=soon")
check(status != 0 and "or now, expected" in err + out, "another word", out, err)
