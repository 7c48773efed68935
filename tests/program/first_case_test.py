"""docs/first-case.md and docs/own-vessel.md: their blocks in order give the files and the answers that the page shows, from an empty file to
a judged run with a plot, and from main particulars to a vessel at rest; so do two vessels of other sizes. yaml blocks are added to my-case.yaml, or written to the file that their first line names; sh blocks are run; of a text block each
line begins, or is part of, a line of the answer to the commands before it."""
from harness import *



def read(page, shells, texts):
    """Does what the page says, in this folder."""
    with open(os.path.join(SOURCE, page)) as file:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.S | re.M)
    check([kind for kind, _ in blocks].count("sh") >= shells and [kind for kind, _ in blocks].count("text") >= texts, "blocks of the page", page, len(blocks))
    answer = ""
    for kind, text in blocks:
        if kind == "yaml":
            named = re.match(r"# ([\w.-]+\.yaml)\n", text)
            with open(named.group(1) if named else "my-case.yaml", "w" if named else "a") as file:
                file.write(text + "\n")
        elif kind == "sh":
            answer = run(text)
        else:
            check(kind == "text", "a block of another kind", kind)
            for line in text.splitlines():
                check(line.strip() and line.strip() in answer, f"the answer lacks: {line}", answer)


def run(text):
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, timeout=5 * PATIENCE_S)
    answer = done.stdout + done.stderr
    is_refused = "error: " in answer
    check((done.returncode != 0) == is_refused, f"exit status {done.returncode} of {text}", answer)
    return answer


os.chdir(FOLDER)
os.symlink(BUILD, "build")
os.symlink(SOURCE, "sagbend")
os.environ["HOME"] = FOLDER
read("docs/first-case.md", 7, 6)
for name in ("run.csv", "run.json", "run.xml", "offset.png"):
    check(os.path.getsize(name) > 500, f"{name} is written")
with open("offset.png", "rb") as file:
    check(file.read(8) == b"\x89PNG\r\n\x1a\n", "a PNG")

# A 40 m workboat without thrusters in its files, a 250 m pipelay vessel: at rest at the first try.
read("docs/own-vessel.md", 3, 3)
with open("own.yaml") as file:
    check("# estimate" in file.read(), "what is estimated is marked")
answer = run("build/sagbend run own-gnss.yaml --mode fast")
check(answer.count("passed ") == 2 and "notice: instruments" not in answer, "by instruments", answer)
for name, particulars, worst_m in (("boat", "--length 40 --breadth 11 --draught 3.2 --tonnes 900 --gm 1.5", 1),
                                   ("layer", "--length 250 --breadth 44 --draught 10.5 --tonnes 90000 --gm 5" +
                                    "".join(f" --thruster azimuth,{x},{y},5000kW" for x, y in ((105, -8), (105, 8), (60, 0), (-60, 0), (-110, -12), (-110, 12))), 2)):
    run(f"python3 ~/sagbend/docs/examples/own_vessel.py {name} {particulars}")
    check("notice: vessel" not in run(f"build/sagbend check {name}.yaml"), "check finds nothing implausible")
    answer = run(f"build/sagbend run {name}.yaml --set simulation.duration_s=300 --set verdicts.0.below={worst_m}")
    check(answer.count("passed ") == 2 and "FAILED" not in answer, name, answer)

# A controller whose commands are refused: the run says so, with the reason, and has not passed although its verdicts would.
with open("own-dp.yaml") as file:
    whole = file.read()
with open("own-dp.yaml", "w") as file:
    file.write(whole[:whole.index("thrusters:")])
calm = "--set environment.wind=null --set environment.current=null --set simulation.duration_s=30"
done = subprocess.run(f"build/sagbend run own.yaml {calm} --summary refused.json".split(), capture_output=True, text=True)
WHY = "thruster commands expected, got a wrench: the vessel has thrusters"
with open("refused.json") as file:
    refused = json.load(file)
check(done.returncode == 1 and f": refused_range: the controller inside: {WHY}" in done.stderr and ": command_limits: 100 commands in a row of the controller inside" in done.stderr and
      done.stderr.count("refused_range: ") == 1 and done.stdout.count("passed ") == 2 and re.search(rf"^refused +range 250\n +the controller inside: {WHY}", done.stdout, re.M) and
      re.search(r"^failed +250 of 300 commands were refused", done.stdout, re.M), "a refused controller", done.stdout, done.stderr)
check(refused["commands"]["newest_refused"][0]["text"].startswith(WHY) and refused["commands"]["newest_refused"][0]["count"] == 250 and not refused["passed"], "its summary", refused["commands"])
with open("own-dp.yaml", "w") as file:
    file.write(whole)
answer = run(f"build/sagbend run own.yaml {calm}")
acts = re.search(r"^vessel +position error 0.000 m, at worst 0.000 m at .*\n(?:.*\n)*acted last +thrusters: surge ", answer, re.M)
check(acts, "the last lines say the worst offset and what acts", answer)

# Weather that moves nothing is named, by check in its line of the sea, too.
answer = run("build/sagbend check own.yaml --set vessel.current_acts=false --set vessel.wind=null")
check("notice: environment.current has no effect" in answer and "notice: environment.wind does not act" in answer and "wind 10 m/s from 30 deg (not on the vessel), current 0.5 m/s towards 250 deg (without effect)" in answer, answer)
check("has no effect" not in run("build/sagbend check own.yaml") and ", current 1 m/s towards 90 deg (on the pipe alone)" in run("build/sagbend check my-case.yaml --set 'environment.current={surface_mps: 1, direction_deg: 90}'"), "weather with an effect")
check("notice: environment.current acts on the pipe alone: vessel.current_acts is false" in run("build/sagbend check my-case.yaml --set 'environment.current={surface_mps: 1, direction_deg: 90}'"), "a current that acts on the pipe alone")
done = subprocess.run(["python3", "sagbend/docs/examples/own_vessel.py", *"x --length 83000 --breadth 18000 --draught 5000 --tonnes 4977 --gm 2".split()], capture_output=True, text=True)
check(done.returncode and "block coefficient" in done.stderr and not os.path.exists("x.yaml"), "millimetres are refused", done.stderr)
done = subprocess.run(["python3", "sagbend/docs/examples/own_vessel.py", *"gone/x --length 83 --breadth 18 --draught 5 --tonnes 4977 --gm 2".split()], capture_output=True, text=True)
check(done.returncode and done.stderr == "own_vessel.py: gone/x.yaml: No such file or directory\n", "a folder that is not there", done.stderr)
