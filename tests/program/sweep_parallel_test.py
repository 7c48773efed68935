"""deploy/cluster/sweep.sh: a sweep by GNU parallel gives the table that sagbend sweep gives; again, it runs nothing; a bad plan runs nothing."""
import shutil

from harness import *

if not shutil.which("parallel"):
    print("skipped: GNU parallel is not installed (Debian: parallel)")
    sys.exit(SKIPPED)
SCRIPT = os.path.join(SOURCE, "deploy/cluster/sweep.sh")
PLAN = f"""
base: {VESSEL}
set: {{simulation.duration_s: 2, verdicts: [{{name: slow, quantity: speed_mps, below: 0.05}}]}}
vary:
  - {{name: push, cases: [{{name: none}}, {{name: side, set: {{loads: [{{start_s: 0, frame: world, wrench: [0, 5.0e6, 0, 0, 0, 0]}}]}}}}]}}
  - {{key: vessel.mass_kg, values: [1.0e7, 1.2e7]}}
"""
with open(path("plan.yaml"), "w") as file:
    file.write(PLAN)
with open(path("bad.yaml"), "w") as file:
    file.write(PLAN.replace("1.2e7", "-1"))


def by_parallel(plan, folder):
    environment = {**os.environ, "PATH": BUILD + ":" + os.environ["PATH"], "HOME": FOLDER}
    done = subprocess.run(["sh", SCRIPT, path(plan), path(folder), "--jobs", "2", "--will-cite"], capture_output=True, text=True,
                          env=environment, timeout=200)
    return done.returncode, done.stdout, done.stderr


def table(folder):
    with open(path(folder + "/results.csv")) as file:
        return file.read()


status, out, err = run("sweep", path("plan.yaml"), "--out", path("own"))
check(status == 1, "sagbend sweep", out, err)
status, out, err = by_parallel("plan.yaml", "parallel")
check(status == 1 and "2 passed, 2 failed, 0 broken, 0 missing" in out, "by parallel", status, out, err)
check(table("own") == table("parallel"), "the same table", table("own"), table("parallel"))
before = {p: os.stat(path(f"parallel/points/{p}/point.json")).st_mtime_ns for p in os.listdir(path("parallel/points"))}
check(by_parallel("plan.yaml", "parallel")[0] == 1, "again")
check(before == {p: os.stat(path(f"parallel/points/{p}/point.json")).st_mtime_ns for p in before}, "finished points ran again")
status, out, err = by_parallel("bad.yaml", "bad")
check(status == 2 and "bad.yaml:6:" in err and not os.path.exists(path("bad")), "a bad plan", status, out, err)
check(subprocess.run(["sh", SCRIPT], capture_output=True, timeout=60).returncode == 2, "no plan")
