"""deploy/cluster/sweep.slurm: a sweep as an array of Slurm, with a controller and a node of its own on the loopback interface, gives the
table that sagbend sweep gives. Skipped where Slurm or munge is not installed, or may not run."""
import getpass
import shutil
import socket

from harness import *


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


if os.geteuid() != 0:
    skip("Slurm's node daemon runs as root only")
for program in ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo"):
    if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin"):
        skip(f"{program} is not installed (Debian: slurm-wlm, munge)")
HOST = socket.gethostname().split(".")[0]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


os.chmod(FOLDER, 0o755)
for name in ("munge", "state", "spool"):
    os.mkdir(path(name), 0o755)
CONF = path("slurm.conf")
with open(CONF, "w") as file:
    file.write(f"""
ClusterName=test
SlurmctldHost={HOST}(127.0.0.1)
SlurmUser={getpass.getuser()}
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={path('munge/socket')}
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmctldPidFile={path('slurmctld.pid')}
SlurmdPidFile={path('slurmd.pid')}
SlurmctldLogFile={path('slurmctld.log')}
SlurmdLogFile={path('slurmd.log')}
StateSaveLocation={path('state')}
SlurmdSpoolDir={path('spool')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName={HOST} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
ENVIRONMENT = {**os.environ, "SLURM_CONF": CONF, "PATH": BUILD + ":" + os.environ["PATH"] + ":/usr/sbin:/sbin"}


def slurm(*command, timeout=60):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=timeout, cwd=FOLDER)
    return done.returncode, done.stdout, done.stderr


def log(name):
    return open(path(name)).read()[-3000:] if os.path.exists(path(name)) else "no " + name


def daemon(program, *args):
    return Program(shutil.which(program, path=ENVIRONMENT["PATH"]), *args, environment=ENVIRONMENT)


def ready(holds, daemons, what):
    """Waits; a daemon that this machine does not let run is no failure of ours."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        ended = [d for d in daemons if d.process.poll() is not None]
        if ended or time.monotonic() > deadline:
            skip(f"{what}: " + " ".join((d.stderr().strip().splitlines() or ["?"])[-1] for d in ended or daemons))
        time.sleep(0.1)


slurm("mungekey", "--create", "--keyfile", path("munge/key"))
munged = daemon("munged", "--foreground", "--force", "--key-file", path("munge/key"), "--socket", path("munge/socket"), "--pid-file",
                path("munge/pid"), "--log-file", path("munge/log"), "--seed-file", path("munge/seed"))
ready(lambda: os.path.exists(path("munge/socket")), [munged], "munged does not run")
controller, node = daemon("slurmctld", "-D", "-c"), daemon("slurmd", "-D", "-N", HOST)
ready(lambda: "idle" in slurm("sinfo", "--noheader", "--format=%T")[1], [controller, node], "Slurm does not run")

with open(path("plan.yaml"), "w") as file:
    file.write(f"""
base: {VESSEL}
set: {{simulation.duration_s: 2, verdicts: [{{name: slow, quantity: speed_mps, below: 0.05}}]}}
vary:
  - {{name: push, cases: [{{name: none}}, {{name: side, set: {{loads: [{{start_s: 0, frame: world, wrench: [0, 5.0e6, 0, 0, 0, 0]}}]}}}}]}}
draws: 2
random: [{{key: vessel.mass_kg, uniform: [1.0e7, 1.2e7]}}]
""")
count = len(run("sweep", path("plan.yaml"), "--list")[1].splitlines()) - 1
status, out, err = slurm("sbatch", f"--array=1-{count}", os.path.join(SOURCE, "deploy/cluster/sweep.slurm"), path("plan.yaml"), path("slurm"))
check(status == 0, "sbatch", out, err)
until(lambda: slurm("squeue", "--noheader")[1].strip() == "" and slurm("squeue", "--noheader")[0] == 0, "the array does not end",
      slurm("squeue")[1], log("slurmctld.log"), log("slurmd.log"), timeout=150)
status, out, err = run("sweep", path("plan.yaml"), "--collect", path("slurm"))
check(status == 1 and "2 passed, 2 failed, 0 broken, 0 missing" in out, "the results", status, out, err, log("slurmd.log"))
run("sweep", path("plan.yaml"), "--out", path("own"))
with open(path("own/results.csv")) as own, open(path("slurm/results.csv")) as by_slurm:
    check(own.read() == by_slurm.read(), "the same table")
for d in (node, controller, munged):
    d.signal()
    d.end()
