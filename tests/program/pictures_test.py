"""The pictures of README and pages show what the programs of this build compute (tools/pictures --check; of a campaign a few runs), they are
the files that tools/pictures made, small ones, and each is on a page. A number or a file that is another one is found."""
import glob
import shutil

from harness import *

PICTURES = os.path.join(SOURCE, "tools/pictures")
MOST_BYTES = 150000


def checked(program, *names):
    done = subprocess.run([program, "--check", "--sample", "--build", BUILD, *names], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


with open(os.path.join(SOURCE, "docs/pictures.json")) as file:
    known = json.load(file)
shown = {name for page in [os.path.join(SOURCE, "README.md"), *glob.glob(os.path.join(SOURCE, "docs/*.md"))]
         for name in re.findall(r"\]\((?:docs/)?([\w-]+\.png)\)", open(page).read())}
files = {os.path.basename(name) for name in glob.glob(os.path.join(SOURCE, "docs/*.png"))}
check(shown == files == set(known), "pictures on pages, files and docs/pictures.json", sorted(shown), sorted(files), sorted(known))
for name in files:
    size = os.path.getsize(os.path.join(SOURCE, "docs", name))
    check(size <= MOST_BYTES, f"docs/{name} has {size} bytes, {MOST_BYTES} at most expected")

status, text = checked(PICTURES)
check(status == 0 and text.count("as it shows") == len(known), "a picture shows other numbers: run tools/pictures", text)

# The check sees another number and another file.
copy = path("copy")
os.makedirs(os.path.join(copy, "tools"))
for name in ("pictures", "ready.py"):
    shutil.copy(os.path.join(SOURCE, "tools", name), os.path.join(copy, "tools", name))
shutil.copytree(os.path.join(SOURCE, "docs"), os.path.join(copy, "docs"), ignore=lambda folder, names: [n for n in names if not n.endswith((".png", ".json"))])
known["statics-order.png"]["numbers"]["error with 64 elements"] *= 1.01
with open(os.path.join(copy, "docs/pictures.json"), "w") as file:
    json.dump(known, file)
status, text = checked(os.path.join(copy, "tools/pictures"), "statics-order.png")
check(status == 1 and "shows error with 64 elements" in text, "a number that is another one", status, text)
with open(os.path.join(copy, "docs/statics-order.png"), "ab") as file:
    file.write(b"by hand")
status, text = checked(os.path.join(copy, "tools/pictures"), "statics-order.png")
check(status == 1 and "is not the file" in text, "a picture that was drawn by hand", status, text)
