"""cmake --install into a scratch folder: the installed program runs an installed case, its manual, its unit and its
configurations are there; systemd finds no error in the unit and rates it at 2.0 or better."""
import shutil

from harness import *

PREFIX = path("prefix")


def install(prefix, destdir=""):
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], capture_output=True, text=True,
                          env={**os.environ, "DESTDIR": destdir})
    check(done.returncode == 0, f"cmake --install --prefix {prefix}", done.stdout, done.stderr)


def text(name):
    with open(os.path.join(PREFIX, name)) as file:
        return file.read()


def analyze(*args):
    return subprocess.run(["systemd-analyze", *args], capture_output=True, text=True)


for tool in ("systemd-analyze", "systemd-sysusers", "man", "cmake"):
    check(shutil.which(tool), f"{tool} is missing: tools/packages.txt")

# The program, from its new place and away from the source.
install(PREFIX)
sagbend, case = os.path.join(PREFIX, "bin/sagbend"), os.path.join(PREFIX, "etc/sagbend/case.yaml")
status, out, err = run("check", case, program=sagbend)
check(status == 0 and "ok" in out, "the installed case", out, err)
done = subprocess.run([sagbend, "run", case, "--mode", "fast", "--duration", "1", "--summary", "-"], capture_output=True, text=True, cwd=PREFIX)
check(done.returncode == 0 and json.loads(done.stdout)["steps"] == 100, "a run of the installed case", done.stdout, done.stderr)
done = subprocess.run([sagbend, "verify", "--case", "elastica"], capture_output=True, text=True, cwd="/")
check(done.returncode == 0 and "of the same build" in done.stdout and "NOT" not in done.stdout, "verify with the installed configurations",
      done.stdout, done.stderr)
status, out, err = run("--help", program=os.path.join(PREFIX, "bin/sagbend-dp"))
check(status == 0, "sagbend-dp", err)
status, out, err = run("--version", program=os.path.join(PREFIX, "bin/sagbend-view"))
check(status == 0 and out.startswith("sagbend-view "), "sagbend-view", out, err)

# The rest: every shipped case, the messages, the pages.
for folder, _, names in os.walk(os.path.join(SOURCE, "configs")):
    for name in names:
        copy = os.path.join(PREFIX, "share/sagbend/configs", os.path.relpath(os.path.join(folder, name), os.path.join(SOURCE, "configs")))
        check(os.path.isfile(copy), "a configuration is not installed", copy)
for name in os.listdir(os.path.join(SOURCE, "proto/sagbend/v1")):
    check(os.path.isfile(os.path.join(PREFIX, "share/sagbend/proto/sagbend/v1", name)), "messages that are not installed", name)
for name in os.listdir(os.path.join(BUILD, "man")):
    section = name[-1]
    check(name == "written" or name.startswith("completion") or os.path.isfile(os.path.join(PREFIX, f"share/man/man{section}", name)), "a page is not installed", name)
check("sagbend-run" in subprocess.run(["man", "-M", os.path.join(PREFIX, "share/man"), "sagbend-run"], capture_output=True, text=True).stdout,
      "man sagbend-run")
for name in ("README.md", "docs/protocol.md", "deploy/README.md", "sagbend.cdx.json"):
    check(os.path.isfile(os.path.join(PREFIX, "share/doc/sagbend", name)), "a page is not installed", name)

# Links of the pages lead to installed files, and to headings that their pages have.
def anchors(name):
    out = {}
    lines = re.sub(r"^```.*?^```", "", open(name).read(), flags=re.S | re.M).splitlines()
    for title in (line.lstrip("#").strip() for line in lines if re.match(r"#+ ", line)):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()).replace(" ", "-")
        out[slug] = out.get(slug, -1) + 1
    return {slug + (f"-{n}" if n else "") for slug, count in out.items() for n in range(count + 1)}


links, broken = 0, []
for folder, _, names in os.walk(os.path.join(PREFIX, "share/doc/sagbend")):
    for name in (n for n in names if n.endswith(".md")):
        page = os.path.join(folder, name)
        for link in re.findall(r"\]\(([^)]*)\)", re.sub(r"^```.*?^```", "", open(page).read(), flags=re.S | re.M)):
            links += 1
            target, _, anchor = link.partition("#")
            whole = os.path.normpath(os.path.join(folder, target)) if target else page
            if "://" not in link and not (os.path.exists(whole) and (not anchor or not whole.endswith(".md") or anchor in anchors(whole))):
                broken.append(f"{name}: {link}")
check(links > 500 and not broken, "links of the installed pages", links, len(broken), *broken[:120])

# The units.
for name in ("sagbend", "sagbend-view"):
    unit = os.path.join(PREFIX, f"lib/systemd/system/{name}.service")
    words = text(f"lib/systemd/system/{name}.service")
    check(not re.search(r"@[A-Z_]+@", words), "a place-holder is left", words)
    check(os.path.join(PREFIX, "bin", name) in words, "the unit's program", words)
    done = analyze("verify", "--man=no", unit)
    complaints = [line for line in done.stderr.splitlines() if "sagbend" in line]
    check(done.returncode == 0 and not complaints, "systemd-analyze verify", done.returncode, done.stdout, done.stderr)
    done = analyze("security", "--offline=true", "--threshold=20", "--no-pager", unit)
    exposure = re.search(rf"exposure level for {name}.service: ([\d.]+)", done.stdout)
    check(exposure and float(exposure.group(1)) <= 2.0 and done.returncode == 0, "systemd-analyze security", done.stdout, done.stderr)
check(case in text("lib/systemd/system/sagbend.service"), "the unit's case")
done = subprocess.run(["systemd-sysusers", "--dry-run", os.path.join(PREFIX, "lib/sysusers.d/sagbend.conf")], capture_output=True, text=True)
check(done.returncode == 0, "systemd-sysusers", done.stdout, done.stderr)

# A second installation keeps what the administrator has changed; another prefix below DESTDIR.
with open(case, "a") as file:
    file.write("# mine\n")
install(PREFIX)
check("# mine" in text("etc/sagbend/case.yaml"), "the case was overwritten")
install("/usr", destdir=path("root"))
for name in ("usr/bin/sagbend", "etc/sagbend/case.yaml", "lib/systemd/system/sagbend.service",
             "lib/systemd/system/sagbend-view.service", "lib/udev/rules.d/60-sagbend.rules",
             "usr/lib/sysusers.d/sagbend.conf", "usr/lib/tmpfiles.d/sagbend.conf", "usr/share/man/man5/sagbend-case.5"):
    check(os.path.isfile(os.path.join(path("root"), name)), "DESTDIR: not installed", name)
PREFIX = path("root")
check("ExecStart=/usr/bin/sagbend run" in text("lib/systemd/system/sagbend.service"), "the unit of /usr", text("lib/systemd/system/sagbend.service"))
check("extends: /usr/share/sagbend/configs/" in text("etc/sagbend/case.yaml"), "the case of /usr", text("etc/sagbend/case.yaml"))
