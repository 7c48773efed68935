"""sagbend hands verify over to the sagbend-verify beside it, sweep, hydro, rao and trials to sagbend-lab: arguments, streams, help, exit status, process and
signals are as of one program. One that is missing, or beside another sagbend, is told."""
import shutil

from harness import *

LAB = os.path.join(BUILD, "sagbend-lab")
VERIFY = os.path.join(BUILD, "sagbend-verify")
CONFIGS = ["--configs", os.path.join(SOURCE, "configs")]
COMMANDS = {command: program for program in (VERIFY, LAB) for command in re.findall(r"^  ([a-z-]+)(?:  +\w|$)", run("--help", program=program)[1], re.M)}
check(list(COMMANDS) == ["verify", "sweep", "hydro", "rao", "trials", "capability"], "commands", COMMANDS)
whole = " ".join(run("--help")[1].split())
for line in re.findall(r"^  \w+ +(.*)$", run("--help", program=VERIFY)[1], re.M)[:1] + re.findall(r"^  \w+ +(.*)$", run("--help", program=LAB)[1], re.M)[:5]:
    check(line in whole, "the help of sagbend lists it", line, whole)

# The same text and status, whoever is asked.
for words in [["verify", "--list"], ["verify", "--case", "none"], ["verify", "--help"], ["sweep"], ["sweep", "--help"], ["sweep", path("none.yaml")],
              ["rao", "--help"], ["rao", VESSEL], ["trials", "--help"], ["trials", path("none.yaml")], ["hydro", "--help"], ["hydro", "import", path("none.re7")], ["hydro", "export"]]:
    other = COMMANDS[words[0]]
    check(run(*words) == run(*words, program=other), f"{words} by sagbend and by {other}", run(*words), run(*words, program=other))
check(run("sail", program=LAB) == (2, "", "sagbend-lab: unknown command 'sail'; see 'sagbend-lab --help'\n"), "an unknown command")
status, out, err = run("--version", program=LAB)
check(status == 0 and re.fullmatch(r"sagbend-lab \S+, build [0-9a-f]{40}\n", out), "the version", out, err)
build = re.search("build (.*)", run("--version")[1]).group(1)

# The process is the one that was started: a signal reaches it, and so does the end of standard output.
sweep = path("sweep")
with open(path("plan.yaml"), "w") as file:
    file.write(f"""base: {VESSEL}
set:
  verdicts: [{{name: slow, quantity: speed_mps, below: 1000}}]
vary:
  - {{name: duration, key: simulation.duration_s, from: 1.0e+6, to: 2.0e+6, step: 1.0e+6}}
quantities: [offset_m]
""")
program = Program(SAGBEND, "sweep", path("plan.yaml"), "--out", sweep, "--jobs", "1")
until(lambda: os.path.exists(sweep) and any(name == "output.txt" for _, _, names in os.walk(sweep) for name in names) or
      program.process.poll() is not None, "the first point", program.stderr())
check(program.process.poll() is None, "the sweep runs", program.stderr())
check(os.path.basename(os.readlink(f"/proc/{program.process.pid}/exe")) == "sagbend-lab", "the same process")
program.signal(signal.SIGINT)
check(program.end() != 0, "stopped by a signal", program.stderr())

# The sagbend beside it: of the same build, another one, none.
status, out, err = run("verify", *CONFIGS, "--case", "elastica")
check(status == 0 and out.startswith(f"sagbend beside this program: build {build}, of the same build\n"), "the same build", out, err)
status, out, err = run("verify", *CONFIGS, "--case", "elastica", "--json")
found = json.loads(out)
check(found["build"] == build and found["same_build"] is True and found["lab_build"] != build, "JSON", found)
for kind in "bin", "bin-other":
    os.mkdir(path(kind))
    shutil.copy(VERIFY, path(kind))
shutil.copy(SAGBEND_DP, path("bin-other/sagbend"))
for kind, told in ("bin", "build unknown, NOT of the same build"), ("bin-other", "NOT of the same build: the cases are of build " + build):
    status, out, err = run("verify", *CONFIGS, "--case", "elastica", program=path(kind + "/sagbend-verify"))
    check(status == 0 and told in out.splitlines()[0], f"verification in {kind}", out, err)

# No lab beside sagbend.
os.mkdir(path("alone"))
shutil.copy(SAGBEND, path("alone"))
for command, program in COMMANDS.items():
    status, out, err = run(command, "--help", program=path("alone/sagbend"))
    check(status == 2 and out == "" and err.count("\n") == 1 and f"sagbend {command}: this command needs the program {os.path.basename(program)} beside this one: " in err and
          "No such file" in err, "no program", status, out, err)
