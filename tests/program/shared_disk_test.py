"""Ten runs at once share a disk that fills up: each ends with a status and a reason, what it says that it has written is there and whole,
and no log that is left claims more than it holds."""
from harness import *

RUNS = 10
DISK_MIB = 12
EVERY_STEP = [word for topic in ("sensors", "truth", "nodes", "ledger", "timing") for word in ("--set", f"log.{topic}_period_s=0")]
FILES = ("hashes", "record", "summary", "junit", "kept", "log")
disk = small_disk("disk", f"{DISK_MIB}m")
if not disk:
    sys.exit(SKIPPED)


def command(folder, seconds):
    of = {name: os.path.join(folder, name) for name in FILES}
    return ["run", JLAY, "--mode", "fast", "--duration", str(seconds), "--set", "pipe.elements=12", "--set", "simulation.event_time_scale=0.1", *EVERY_STEP,
            "--log", of["log"], "--record", of["record"], "--hashes", of["hashes"], "--summary", of["summary"], "--junit", of["junit"],
            "--checkpoint", of["kept"], "--checkpoint-every", "0.2"]


def read(folder, name):
    try:
        with open(os.path.join(folder, name), errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def judge(number, folder, status, out, err, seconds):
    what = f"run {number}, status {status}"
    check(status in (0, 1, 2), what, err)
    try:
        summary = json.loads(read(folder, "summary"))
    except ValueError:
        summary = None
    check(summary or (status and "summary" in err), f"{what}: no summary, and nothing says so", err, read(folder, "summary")[-200:])
    steps = summary["steps"] if summary else 0
    found, said, log_err = run("replay", os.path.join(folder, "log"), "--verify", "--json")
    log = json.loads(said) if said else None
    check(found in (0, 3) or (found in (1, 2) and status and (not log or not log["complete"])), f"{what}: what is left of its log", found, said, log_err)
    if summary and summary["log"]["complete"]:
        check(found == 0 and log["last_step"] == steps, f"{what}: its summary calls the log complete", found, said, log_err)
    hashed = read(folder, "hashes").splitlines()
    if status == 0:
        check(steps == round(100 * seconds) and summary["passed"] and found == 0, f"{what}: not everything is there", summary)
        check(len(hashed) == steps + 1 or len(hashed) == steps, f"{what}: hashes", len(hashed), steps)
        check(len(read(folder, "record").splitlines()) == 10 * seconds + 2, f"{what}: the record", len(read(folder, "record").splitlines()))
        check(read(folder, "junit").rstrip().endswith("</testsuites>"), f"{what}: JUnit", read(folder, "junit")[-100:])
    else:
        reason = [line for line in err.splitlines() if "No space left" in line or "no room" in line]
        check(reason, f"{what}: no reason", err)
        check(not summary or not summary["passed"], f"{what}: its summary says that it passed", summary and summary["failures"], err)
    if summary and not summary["checkpoint"]["failed"] and summary["checkpoint"]["written"]:
        again, _, err = run("run", JLAY, "--mode", "fast", "--duration", str(seconds + 1), "--set", "pipe.elements=12", "--set", "simulation.event_time_scale=0.1",
                            "--resume", os.path.join(folder, "kept"))
        check(again == 0, f"{what}: its checkpoint does not resume", err)
    return status, found


try:
    ends = {}
    for seconds in (5, 12):  # a disk that is filled near the ends of the runs, and one that is full early
        for name in os.listdir(disk):
            subprocess.run(["rm", "-r", os.path.join(disk, name)], check=True)
        folders = [os.path.join(disk, str(number)) for number in range(RUNS)]
        for folder in folders:
            os.mkdir(folder)
        started = [subprocess.Popen([SAGBEND, *command(folder, seconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for folder in folders]
        said = [process.communicate(timeout=5 * PATIENCE_S) for process in started]
        for number, (process, (out, err)) in enumerate(zip(started, said)):
            kind = judge(number, folders[number], process.returncode, out, err, seconds)
            ends[seconds, kind] = ends.get((seconds, kind), 0) + 1
    print("ends by (seconds, (status of the run, status of its replay)):", ends)
    check(any(kind[0] for _, kind in ends), "the disk did not fill up", ends)
finally:
    subprocess.run(["umount", disk])
