"""The manual: a page for each command, which contains every word of its help; pages for the configurations with every key.
mandoc and man find nothing wrong with them."""
import shutil

from harness import *

PAGES = os.path.join(BUILD, "man")
names = sorted(name for name in os.listdir(PAGES) if name != "written" and not name.startswith("completion"))


def shown(name):
    """The page as a reader sees it, in one line."""
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", os.path.join(PAGES, name)], capture_output=True, text=True,
                          env={**os.environ, "MANWIDTH": "200", "MANPAGER": "cat", "LC_ALL": "C.UTF-8", "GROFF_NO_SGR": "1"})
    check(done.returncode == 0 and done.stderr == "", f"man finds errors in {name}", done.stderr)
    return " ".join(re.sub(".\b", "", done.stdout).split())


commands = re.findall(r"^  ([a-z-]+)(?:  +\w|$)", run("--help")[1], re.M)
check(len(commands) >= 10, "commands in the help", commands)
helps = {"sagbend.1": run("--help")[1], "sagbend-dp.1": run("--help", program=SAGBEND_DP)[1],
         "sagbend-lab.1": run("--help", program=os.path.join(BUILD, "sagbend-lab"))[1],
         "sagbend-fmu-controller.1": run("--help", program=os.path.join(BUILD, "sagbend-fmu"))[1],
         "sagbend-view.1": run("--help", program=os.path.join(BUILD, "sagbend-view"))[1]}
helps |= {f"sagbend-{command}.1": run(command, "--help")[1] for command in commands}
check(set(names) == {*helps, "sagbend-case.5", "sagbend-dp-file.5"}, "pages", names)

for name, text in helps.items():
    page = shown(name)
    usage, _, rest = text.partition("\n")
    for word in set(usage.split()[1:] + rest.split()):
        word = word.rstrip(":")
        check(word in page or word in ("example", "examples") or word.upper() in page, f"{name}: a word of the help is missing", word, page)

schemas = {"sagbend-case.5": "sagbend.schema.json", "sagbend-dp-file.5": "sagbend-dp.schema.json"}


def keys(schema, prefix=""):
    for way in [schema, *schema.get("anyOf", [])]:
        for key, value in way.get("properties", {}).items():
            yield prefix + key
            yield from keys(value, prefix + key + ".")
        yield from keys(way["items"], prefix[:-1] + "[].") if "items" in way else ()


for name, schema in schemas.items():
    page = shown(name).split()
    with open(os.path.join(SOURCE, "configs/schema", schema)) as file:
        wanted = set(keys(json.load(file)))
    check(len(wanted) > 30, "the search for keys", wanted)
    check(wanted <= set(page), f"{name}: keys are missing", wanted - set(page))

lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *(os.path.join(PAGES, name) for name in names)],
                      capture_output=True, text=True)
check(lint.returncode == 0 and lint.stdout == "", "mandoc", lint.stdout, lint.stderr)


def completed(*words):
    """What bash completes after these words."""
    script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sagbend; echo "${COMPREPLY[@]}"'
    return subprocess.run(["bash", "-c", script, os.path.join(PAGES, "completion"), *words], capture_output=True, text=True, check=True).stdout.split()


check(set(completed("sagbend", "")) == {*commands, "--help", "--version"}, "completion of commands", completed("sagbend", ""))
check(completed("sagbend", "run", "--checkpoint-e") == ["--checkpoint-every"], "completion of an option", completed("sagbend", "run", "--checkpoint-e"))
check(os.path.basename(__file__) in completed("sagbend", "check", os.path.basename(__file__)[:6]) or not os.path.exists(os.path.basename(__file__)), "completion of a file")

# zsh and fish: every command and option, and a script that these shells read, where they are installed.
for shell in ("zsh", "fish"):
    with open(os.path.join(PAGES, "completion." + shell)) as file:
        script = file.read()
    for command in commands:
        options = re.findall(r"^  --([a-z-]+)", run(command, "--help")[1], re.M)
        for option in options if command != "ctl" else ():
            written = f"-l {option}" if shell == "fish" else f"'--{option}["
            own = [line for line in script.splitlines() if re.match(rf"  {command}\) |.*subcommand_from {command}'", line)]
            check(any(written in line for line in own), f"{shell}: {command} lacks --{option}", own)
        check(f"-a {command} " in script or f"'{command}:" in script, f"{shell} lacks a command", command)
    if shutil.which(shell):
        done = subprocess.run([shell, "--no-execute" if shell == "fish" else "-n", os.path.join(PAGES, "completion." + shell)], capture_output=True, text=True)
        check(done.returncode == 0 and not done.stderr, f"{shell} reads its completion", done.stderr)
    if shutil.which("fish") and shell == "fish":
        done = subprocess.run(["fish", "--no-config", "-c", f"source {os.path.join(PAGES, 'completion.fish')}; complete -C 'sagbend run --checkpoint-e'"],
                              capture_output=True, text=True, env={**os.environ, "HOME": FOLDER})
        check(done.stdout.startswith("--checkpoint-every"), "fish completes an option", done.stdout, done.stderr)
