"""Faults of the machine: memory that runs out at an allocation, a disk that fails at a system call, a kill at one. Whatever happens, the
program ends with a status and a reason, and nothing is missing that was reported as written.

machine_test.py BUILD SOURCE [EVERY [SEED [ROW...]]]: tries every EVERYth place (40), from a random one on; 1: all of them, a day
for all JOBS, half an hour for one of them. A ROW is one of the functions below or one of JOBS, such as "log recover"."""
import functools
import hashlib
import random
import shutil

from harness import *

EVERY = int(sys.argv[3]) if len(sys.argv) > 3 else 40
SEED = sys.argv[4] if len(sys.argv) > 4 else str(int.from_bytes(os.urandom(4), "big"))
WANTED = sys.argv[5:]
CHANCE = random.Random(SEED)
WORK = path("work")
# The first part of a log, one in the middle, the last; a checkpoint beside each.
RUN = ["run", VESSEL, "--mode", "fast", "--duration", "0.3", "--checkpoint", "kept", "--checkpoint-every", "0.1", "--log-dir", "logs",
       "--set", "log.part_s=0.1", "--record", "record.csv", "--summary", "summary.json", "--hashes", "hashes"]
STEPS_OF_PART, STEPS = 10, 30
# What a run does to its files. write includes what it says: lines that cannot be written are counted.
CALLS = ["openat", "write", "pwrite64", "fallocate", "ftruncate", "fsync", "fdatasync", "rename", "unlink", "close", "fchmod"]
ROWS = []
print("seed", SEED)


def row(function):
    ROWS.append(function)
    return function


def fresh():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(os.path.join(WORK, "logs"))


def here(*command, env=None):
    """Runs a command in WORK; returns (status, last line on stderr)."""
    done = subprocess.run(command, cwd=WORK, capture_output=True, text=True, timeout=5 * PATIENCE_S, env={**os.environ, **(env or {})})
    return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]


def read(name):
    with open(os.path.join(WORK, name)) as file:
        return file.read()


def shape(value, name=""):
    """The names in an object of JSON."""
    return {one for key, part in value.items() for one in shape(part, name + "/" + key)} | {name} if isinstance(value, dict) else {name}


def some(places):
    """Every EVERYth of a list, from a random one on."""
    return places[CHANCE.randrange(min(EVERY, len(places) or 1))::EVERY]


def undisturbed():
    fresh()
    status, line = here(SAGBEND, *RUN)
    check(status == 0, "a run that nothing disturbs", line)
    return read("hashes"), len(read("record.csv").splitlines()), shape(json.loads(read("summary.json")))


WHOLE = undisturbed()


def judge(what, status, line):
    """Success means that everything is there; failure is a status and a reason."""
    check(status in (0, 1, 2), f"{what}: status {status}", line)
    if status:
        check(line, f"{what}: status {status} without a reason")
        return
    summary = json.loads(read("summary.json"))
    check(read("hashes") == WHOLE[0], f"{what}: other states")
    check(len(read("record.csv").splitlines()) == WHOLE[1], f"{what}: the record is not whole, and nothing says so")
    check(shape(summary) == WHOLE[2], f"{what}: the summary is not whole", WHOLE[2] - shape(summary))
    found, out = here(SAGBEND, "replay", "logs", "--verify")
    check(found == 0 and summary["log"]["complete"], f"{what}: the log is not whole, and nothing says so", out, summary["log"])
    if not summary["checkpoint"]["failed"]:
        check(resumed_step() == STEPS, f"{what}: the checkpoint is not the last")


def resumed_step():
    status, line = here(SAGBEND, "run", VESSEL, "--mode", "fast", "--duration", "0.4", "--resume", "kept", "--summary", "resumed.json")
    check(status == 0, "a checkpoint that does not resume", line)
    return json.loads(read("resumed.json"))["resumed_from"]["step"]


@row
def memory():
    """The n-th allocation fails, or all from the n-th on."""
    if os.environ.get("SAGBEND_TEST_KIND") == "sanitize":
        return  # no library can be preloaded before the sanitizer's
    preload = {"LD_PRELOAD": os.path.join(BUILD, "tests/program/libfailing_memory.so"), "SAGBEND_TEST_ALLOCATIONS": path("allocations")}
    fresh()
    status, line = here(SAGBEND, *RUN, env=preload)
    count = int(open(path("allocations")).read())
    check(status == 0 and count > 1000, "the allocations of a run", line, count)
    ends = {0: 0, 1: 0, 2: 0}
    for number in [sign * n for sign in (1, -1) for n in some(range(1, count + 1))]:
        fresh()
        status, line = here(SAGBEND, *RUN, env={**preload, "SAGBEND_TEST_ALLOCATION": str(number)})
        judge(f"allocation {number}", status, line)
        ends[status] += 1
    print(f"memory: {count} allocations, ends by status {ends}")
    check(ends[1] and ends[2], "no allocation failed", ends)


# What says 0 while memory runs out: its command, what it begins with, what must then be there (the same as when nothing disturbs).
SWEEP = f"""name: two
base: {VESSEL}
set: {{simulation: {{duration_s: 0.2}}}}
vary: [{{name: depth, key: environment.depth_m, from: 100, to: 200, step: 100}}]
quantities: [offset_m, energy.closure_rel]
"""
TRIALS = f"""base: {SOURCE}/configs/osv-83m-instruments.yaml
mode: fast
set: {{controller.dp_file: osv-83m-dp.yaml, simulation.step_s: 0.1, pipe.elements: 20}}
settle_s: 6
hidden_lead_s: 3
failure_s: 6
recover_s: 6
back: {{offset_m: 3, within_s: 4}}
conditions: [{{id: S1, set: {{environment.wind: {{speed_mps: 8, direction_deg: 40}}}}}}]
only: [gnss-1/no_output]
limits: [{{name: position, quantity: offset_m, below: 10, circle: 5}}]
"""


def write_work(name, text):
    with open(os.path.join(WORK, name), "w") as file:
        file.write(text)


def signed_begin():
    check(here(SAGBEND, "keygen", "--log", "key")[0] == 0, "keygen")


def signed_end():
    log = json.loads(read("summary.json"))["log"]
    found, out = here(SAGBEND, "replay", "run.mcap", "--verify", "--key", "key.pub")
    return shape(json.loads(read("summary.json"))), log["signed"], log["complete"], len(log["digest"]), found, read("hashes")


def replay_begin():
    signed_begin()
    check(here(SAGBEND, *SIGNED)[0] == 0, "a log for the replay")


def replay_end():
    told = json.loads(read("stdout"))
    return shape(told), {**told, "wall_time_s": 0, "real_time_factor": 0}


def columns(name, *left_out):
    """A table without the columns that differ from time to time."""
    header, *lines = [line.split(",") for line in read(name).splitlines()]
    return [[cell for title, cell in zip(header, line) if not any(word in title for word in left_out)] for line in [header, *lines]]


def trials_begin():
    write_work("trials.yaml", TRIALS)
    status, line = here(SAGBEND, "trials", "trials.yaml", "--no-pdf", "--out", "trials")
    check(status in (0, 1, 3), "trials that nothing disturbs", status, line)


def trials_end():
    told = json.loads(read("trials/results.json"))
    return shape(told), [(r["id"], r["criteria"]) for r in told["runs"]], sorted(os.listdir(os.path.join(WORK, "trials")))


def log_begin():
    check(here(SAGBEND, "run", COARSE_LAY, *COARSE, "--mode", "fast", "--duration", "0.5", "--log", "run.mcap")[0] == 0, "a log")


def killed_begin():
    log_begin()
    os.truncate(os.path.join(WORK, "run.mcap"), os.path.getsize(os.path.join(WORK, "run.mcap")) * 2 // 3)


def journal_begin():
    done = subprocess.run([os.path.join(BUILD, "tests/program/journal_host"), JLAY, "a.journal", "whole"], cwd=WORK, capture_output=True, text=True)
    check(done.returncode == 0, "a journal", done.stderr)


def files_end(*names, stdout=True):
    """What these files hold, which files there are, and what was printed."""
    def end():
        digests = []
        for name in names:
            with open(os.path.join(WORK, name), "rb") as file:
                digests.append(hashlib.sha256(file.read()).hexdigest())
        return digests, sorted(os.path.join(os.path.relpath(at, WORK), name) for at, _, found in os.walk(WORK) for name in found), read("stdout") if stdout else ""
    return end


def keys_end():
    return [os.path.getsize(os.path.join(WORK, name)) for name in sorted(os.listdir(WORK))], sorted(os.listdir(WORK))


COARSE_LAY = os.path.join(SOURCE, "configs/jlay-900m-checked.yaml")
SUPPLY = [os.path.join(SOURCE, "tests/reference/mss-hydro/supply/input." + e) for e in ("re1", "re2", "re7", "re8", "hyd")]
SEMISUB = [os.path.join(SOURCE, "tests/reference/mss-hydro/semisub/semisub." + e) for e in ("1", "3", "4", "hst", "frc")]
SIGNED = ["run", VESSEL, "--mode", "fast", "--duration", "0.3", "--log", "run.mcap", "--log-key", "key", "--summary", "summary.json", "--hashes", "hashes"]
JOBS = {
    "signed log": (SIGNED, signed_begin, signed_end),
    "replay": (["replay", "run.mcap", "--verify", "--json", "--key", "key.pub"], replay_begin, replay_end),
    "sweep": (["sweep", "plan.yaml", "--out", "out", "--jobs", "1"], lambda: write_work("plan.yaml", SWEEP),
              lambda: (columns("out/results.csv", "wall", "time"), sorted(os.listdir(os.path.join(WORK, "out"))))),
    "trials": (["trials", "--collect", "trials", "trials.yaml", "--no-pdf"], trials_begin, trials_end),
    "trials that run": (["trials", "trials.yaml", "--no-pdf", "--jobs", "1", "--out", "trials"], lambda: write_work("trials.yaml", TRIALS), trials_end),
    "statics": (["statics", VESSEL, "--json"], lambda: None, lambda: read("stdout")),
    "statics, a table": (["statics", JLAY, *COARSE[:2], "--depths", "850:900:50", "--forces", "300000:400000:100000", "--table", "t.csv"], lambda: None,
                         files_end("t.csv")),
    "check": (["check", COARSE_LAY], lambda: None, lambda: read("stdout")),
    "check of a DP file": (["check", "--dp", os.path.join(SOURCE, "configs/osv-83m-references-dp.yaml")], lambda: None, lambda: read("stdout")),
    "modbus-map": (["modbus-map", os.path.join(SOURCE, "configs/osv-83m-modbus.yaml")], lambda: None, lambda: read("stdout")),
    "keys": (["keygen", "--role", "server", "server.key"], lambda: None, keys_end),
    "keys of logs": (["keygen", "--log", "log.key"], lambda: None, keys_end),
    "capability": (["capability", os.path.join(SOURCE, "configs/osv-83m.yaml"), "--step", "90", "--failures", "buses", "--csv", "c.csv", "--svg", "c.svg"], lambda: None,
                   files_end("c.csv", "c.svg")),
    "capability, level 2": (["capability", os.path.join(SOURCE, "configs/osv-83m.yaml"), "--step", "90", "--level", "2", "--failures", "none", "--json"], lambda: None,
                            files_end()),
    "rao": (["rao", os.path.join(SOURCE, "configs/supply-83m-waves.yaml"), "--frequencies", "0.9", "--headings", "0", "--jobs", "1", "--out", "rao"], lambda: None,
            lambda: (read("rao/rao.csv"), sorted(os.listdir(os.path.join(WORK, "rao"))))),
    "fmu": (["fmu", os.path.join(SOURCE, "configs/osv-83m-weather.yaml"), "-o", "x.fmu", "--fmi", "3", "--controller", "caller"], lambda: None, files_end("x.fmu")),
    "log info": (["log", "info", "run.mcap"], log_begin, files_end()),
    "log topics": (["log", "topics", "run.mcap"], log_begin, files_end()),
    "log cat": (["log", "cat", "run.mcap", "--to", "0.1"], log_begin, files_end()),
    "log export-csv": (["log", "export-csv", "run.mcap", "--topic", "/truth", "--to", "0.2"], log_begin, files_end()),
    "log fatigue": (["log", "fatigue", "run.mcap", "--curve", "D"], log_begin, files_end()),
    "log scene": (["log", "scene", "run.mcap", "scene.mcap"], log_begin, files_end("scene.mcap")),
    "log recover": (["log", "recover", "run.mcap", "back.mcap"], killed_begin, files_end("back.mcap")),
    "log from-journal": (["log", "from-journal", "a.journal", "j.mcap"], journal_begin, files_end()),
    "hydro import": (["hydro", "import", *SUPPLY, "-o", "s.hydro", "--without-additional", "--tolerance", "0.2"], lambda: None, files_end("s.hydro")),
    "hydro import, WAMIT": (["hydro", "import", *SEMISUB, "-o", "s.hydro", "--tolerance", "0.2"], lambda: None, files_end("s.hydro")),
    "verify": (["verify", "--configs", os.path.join(SOURCE, "configs"), "--case", "elastica", "--json"], lambda: None, lambda: shape(json.loads(read("stdout")))),
    "verify, a report": (["verify", "--configs", os.path.join(SOURCE, "configs"), "--case", "elastica", "--report", "report"], lambda: None, lambda: sorted(name for name in os.listdir(os.path.join(WORK, "report")) if "report.pdf" not in name)),  # WeasyPrint's, without which a notice says so
    "outputs": (["outputs", "--json"], lambda: None, lambda: read("stdout")),
    "schema": (["schema"], lambda: None, lambda: read("stdout")),
    "schema of trials": (["schema", "--trials"], lambda: None, lambda: read("stdout")),
}
ON_DEMAND = {"keys of logs", "capability, level 2", "rao", "log topics", "log cat", "hydro import, WAMIT", "verify", "verify, a report"}  # like others, or slow


@row
def jobs():
    """The n-th allocation of a signed run, a replay, a sweep or trials (and of each of their runs), of a report or file that a command
    writes or of what it prints fails, or all from the n-th on.
    EVERY below 40 tries every EVERYth; otherwise six of each, the last ones among them: what ends a run is done then."""
    if os.environ.get("SAGBEND_TEST_KIND") == "sanitize":
        return
    preload = {"LD_PRELOAD": os.path.join(BUILD, "tests/program/libfailing_memory.so")}
    for name, (command, begin, end) in JOBS.items():
        if name in ON_DEMAND and EVERY == 40 and name not in WANTED or WANTED and "jobs" not in WANTED and name not in WANTED:
            continue
        fresh()
        begin()
        begun = path("begun")
        shutil.rmtree(begun, ignore_errors=True)
        shutil.copytree(WORK, begun)

        def one(number):
            shutil.rmtree(WORK)
            shutil.copytree(begun, WORK)
            done = subprocess.run([SAGBEND, *command], cwd=WORK, capture_output=True, text=True, timeout=5 * PATIENCE_S,
                                  env={**os.environ, **preload, "SAGBEND_TEST_ALLOCATION": str(number), "SAGBEND_TEST_ALLOCATIONS": path("allocations")})
            write_work("stdout", done.stdout)
            return done

        good = one(0)
        whole, count = end(), int(open(path("allocations")).read())
        check(good.returncode in (0, 1, 3) and count > 0, f"{name}: nothing disturbs", good.stderr, count)
        numbers = range(1, count + 1)
        chosen = some(numbers) if EVERY < 40 else sorted({*CHANCE.sample(numbers, min(4, count)), *CHANCE.sample(numbers[-60:], min(2, count))})
        ends = {}
        for number in [sign * n for sign in (1, -1) for n in chosen]:
            done = one(number)
            ends[done.returncode] = ends.get(done.returncode, 0) + 1
            check(done.returncode in (0, 1, 2, 3), f"{name}, allocation {number}: status {done.returncode}", done.stderr)
            if done.returncode == 0 or (done.returncode == good.returncode and done.stderr == good.stderr):
                found = end()
                check(found == whole, f"{name}, allocation {number}: status {done.returncode}, and not everything is there", found, whole, done.stderr)
            else:
                said = done.stderr.strip() or "incomplete_because" in done.stdout or re.search("^missing .* was (broken|not judged)|^ *FAILED: ", done.stdout, re.M)
                check(said, f"{name}, allocation {number}: status {done.returncode} without a reason", done.stdout)
        print(f"{name}: {count} allocations, ends by status {dict(sorted(ends.items()))}", flush=True)


@row
def session():
    """The same in real time, up to the start and in the session itself: clients come and go without memory for them."""
    if os.environ.get("SAGBEND_TEST_KIND") == "sanitize":
        return
    preload = {"LD_PRELOAD": os.path.join(BUILD, "tests/program/libfailing_memory.so"), "SAGBEND_TEST_ALLOCATIONS": path("allocations")}
    command = ["run", JLAY, *ANY_PORT, "--mode", "realtime", "--duration", "0", "--summary", path("session.json")]
    def try_one(number):
        simulator = Program(SAGBEND, *command, environment={**preload, "SAGBEND_TEST_ALLOCATION": str(number)})
        until(lambda: simulator.process.poll() is not None or re.search(r": session \w+, step", simulator.stderr()), "it neither runs nor ends")
        for _ in range(3):
            if simulator.process.poll() is None:
                at = {name: re.search(name + r" at (\S+)", simulator.stderr()).group(1) for name in ("commands", "telemetry")}
                client = controller(simulator, endpoint=at["commands"])
                subscriber = zmq.Context.instance().socket(zmq.SUB)
                subscriber.subscribe("")
                subscriber.connect(at["telemetry"])
                subscriber.poll(200)
                subscriber.close(linger=0)
                client.kill()
        simulator.signal()
        status, line = simulator.end(), (simulator.stderr().strip().splitlines() or [""])[-1]
        check(status in (0, 1, 2) and (not status or line), f"allocation {number} of a session: status {status}", simulator.stderr())
        return status

    check(try_one(0) == 0, "a session that nothing disturbs")
    count = int(open(path("allocations")).read())
    ends = {0: 0, 1: 0, 2: 0}
    for number in [sign * n for sign in (1, -1) for n in some(range(count - 300, count + 1))]:
        ends[try_one(number)] += 1
    print(f"session: {count} allocations, ends by status {ends}")
    check(ends[1] + ends[2], "no allocation failed", ends)


def traced(name, *inject):
    """A run under strace; returns (status, last line, what the trace says of the files in WORK)."""
    fresh()
    cheap = [] if any("signal=" in word for word in inject) else ["--seccomp-bpf"]  # stops at the traced calls alone; injects no signal
    status, line = here("strace", "-f", *cheap, "-y", "-o", path("trace"), "-e", "trace=" + name, *inject, SAGBEND, *RUN)
    with open(path("trace")) as file:
        return status, line, file.read().splitlines()


@functools.cache
def numbers_of(name):
    """The numbers, each in its thread, of those system calls that concern a file of the run. The run is the same each time."""
    status, line, trace = traced(name)
    check(status == 0, "a traced run", line)
    counts, numbers = {}, set()
    for text in trace:
        thread, _, call = text.partition(" ")
        if not call.strip().startswith(name + "("):
            continue
        counts[thread] = counts.get(thread, 0) + 1
        files = call.split("(", 1)[1].replace(f"AT_FDCWD<{WORK}>", "")
        if WORK in files or re.search('"(kept|logs|record|summary|hashes)', files):
            numbers.add(counts[thread])
    return sorted(numbers)


@row
def disk():
    """A system call on a file fails."""
    for error, calls in ("EIO", CALLS), ("ENOSPC", CALLS), ("EMFILE", ["openat"]):
        ends = {0: 0, 1: 0, 2: 0}
        for name in calls:
            for number in some(numbers_of(name)):
                status, line, _ = traced(name, "-e", f"inject={name}:error={error}:when={number}")
                if status == 127:
                    continue  # the number is also that of a call of the loader
                judge(f"{name} {number}: {error}", status, line)
                ends[status] += 1
        print(f"disk: {error}, ends by status {ends}")
        check(sum(ends.values()) > 0, "nothing was tried")


@row
def kill():
    """A kill at a system call on a file, before it takes effect. Checkpoints that were in place and parts of the log that had ended are
    there, what follows is a resumed run with the same states, and what is left of the log verifies."""
    tries = 0
    for name in CALLS:
        for number in some(numbers_of(name)):
            what = f"killed at {name} {number}"
            status, line, trace = traced(name + ",rename,fsync,fdatasync", "-e", f"inject={name}:signal=KILL:when={number}")
            if status == 0:
                continue  # another thread made this call
            check(status in (-9, 137), f"{what}: status {status}", line)
            tries += 1
            kept = sum('rename("kept.partial"' in text and text.endswith("= 0") for text in trace)
            ended = sum("fsync(" in text and ".mcap" in text and "fdatasync" not in text and text.endswith("= 0") for text in trace)
            if kept:
                step = resumed_step()
                check(STEPS_OF_PART * kept <= step <= STEPS, f"{what}: the checkpoint is older than the one in place", step, kept)
                check(json.loads(read("resumed.json"))["state_hash"] == END_HASH, f"{what}: another state")
            parts = sorted(os.listdir(os.path.join(WORK, "logs")))
            check(len(parts) >= ended, f"{what}: a part is missing", parts, ended)
            begun = any("fdatasync(" in text and text.endswith("= 0") for text in trace)  # the log's begin is on the disk
            if ended or begun:  # each part alone, and all together, in one replay
                done = subprocess.run([SAGBEND, "replay", "logs", "--verify", "--json"], cwd=WORK, capture_output=True, text=True, timeout=5 * PATIENCE_S)
                check(done.returncode in (0, 3), f"{what}: what is left of the log", done.stdout, done.stderr, parts)
                results = {r["log"]: r.get("result") for r in json.loads(done.stdout)["logs"]}
                for part in parts[:ended]:
                    check(results["logs/" + part] == "equal", f"{what}: {part} had ended", done.stdout, done.stderr)
    print(f"kill: {tries} runs killed")
    check(tries > 4, "next to nothing was tried", tries)


def end_hash():
    fresh()
    status, line = here(SAGBEND, "run", VESSEL, "--mode", "fast", "--duration", "0.4", "--summary", "whole.json")
    check(status == 0, "a whole run", line)
    return json.loads(read("whole.json"))["state_hash"]


END_HASH = end_hash()
may_trace = subprocess.run(["strace", "-f", "-o", path("try"), "true"], capture_output=True).returncode == 0
for function in ROWS:
    if WANTED and function.__name__ not in WANTED and not (function is jobs and set(WANTED) & set(JOBS)):
        continue
    if function in (disk, kill) and not may_trace:
        print(f"machine: tracing is not permitted here: {function.__name__} is left out", file=sys.stderr)
        continue
    function()
