"""docs/first-case.md: its blocks in order give the files and the answers that the page shows, from an empty file to a judged run with a
plot. yaml blocks are added to my-case.yaml, or written to the file that their first line names; sh blocks are run; of a text block each
line begins, or is part of, a line of the answer to the commands before it."""
from harness import *

PAGE = os.path.join(SOURCE, "docs/first-case.md")
with open(PAGE) as file:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.S | re.M)
check([kind for kind, _ in blocks].count("sh") >= 7 and [kind for kind, _ in blocks].count("text") >= 6, "blocks of the page", len(blocks))
os.chdir(FOLDER)
os.symlink(BUILD, "build")
answer = ""
for kind, text in blocks:
    if kind == "yaml":
        named = re.match(r"# ([\w.-]+\.yaml)\n", text)
        with open(named.group(1) if named else "my-case.yaml", "w" if named else "a") as file:
            file.write(text + "\n")
    elif kind == "sh":
        done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, timeout=5 * PATIENCE_S)
        answer = done.stdout + done.stderr
        is_refused = "error: " in answer
        check((done.returncode != 0) == is_refused, f"exit status {done.returncode} of {text}", answer)
    else:
        check(kind == "text", "a block of another kind", kind)
        for line in text.splitlines():
            check(line.strip() and line.strip() in answer, f"the answer lacks: {line}", answer)
for name in ("run.csv", "run.json", "run.xml", "offset.png"):
    check(os.path.getsize(name) > 500, f"{name} is written")
with open("offset.png", "rb") as file:
    check(file.read(8) == b"\x89PNG\r\n\x1a\n", "a PNG")
