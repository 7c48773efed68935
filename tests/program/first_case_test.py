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
for name, particulars, worst_m in (("boat", "--length 40 --breadth 11 --draught 3.2 --tonnes 900 --gm 1.5", 1),
                                   ("layer", "--length 250 --breadth 44 --draught 10.5 --tonnes 90000 --gm 5" +
                                    "".join(f" --thruster azimuth,{x},{y},5000kW" for x, y in ((105, -8), (105, 8), (60, 0), (-60, 0), (-110, -12), (-110, 12))), 2)):
    run(f"python3 ~/sagbend/docs/examples/own_vessel.py {name} {particulars}")
    check("notice: vessel" not in run(f"build/sagbend check {name}.yaml"), "check finds nothing implausible")
    answer = run(f"build/sagbend run {name}.yaml --set simulation.duration_s=300 --set verdicts.0.below={worst_m}")
    check(answer.count("passed ") == 2 and "FAILED" not in answer, name, answer)
done = subprocess.run(["python3", "sagbend/docs/examples/own_vessel.py", *"x --length 83000 --breadth 18000 --draught 5000 --tonnes 4977 --gm 2".split()], capture_output=True, text=True)
check(done.returncode and "block coefficient" in done.stderr and not os.path.exists("x.yaml"), "millimetres are refused", done.stderr)
