"""tools/mutants: every mutant of the list applies to the source and names cases and tests that exist; what is wrong in a
list is refused with its line; the source is restored whoever sees the mutant. No mutant is built here, but each compiles."""
import glob
import importlib.machinery
import importlib.util

from harness import *

TOOL = os.path.join(SOURCE, "tools/mutants")
loader = importlib.machinery.SourceFileLoader("mutants", TOOL)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
loader.exec_module(tool)

done = subprocess.run([TOOL, "--list"], capture_output=True, text=True)
names = done.stdout.split()
check(done.returncode == 0 and len(names) >= 100 and len(names) == len(set(names)), "--list", done.stdout, done.stderr)

cases = [line.split()[0] for line in run("verify", "--list")[1].splitlines()]
tests = [os.path.relpath(p, os.path.join(SOURCE, "tests"))[:-2].replace("/", "_") for p in glob.glob(os.path.join(SOURCE, "tests/*/*_test.c"))]
tests += ["program_" + os.path.basename(p)[:-len("_test.py")] for p in glob.glob(os.path.join(SOURCE, "tests/program/*_test.py"))]
for name, mutant in tool.read_list(tool.LIST).items():
    check(mutant["cases"] or mutant["tests"] or mutant.get("refused"), f"{name}: nobody is asked")
    for case in mutant["cases"]:
        check(case in cases, f"{name}: no case {case}")
    for prefix in mutant["tests"]:
        check(any(t.startswith(prefix) for t in tests), f"{name}: no test {prefix}")

# Each compiles, but for those that the compiler has to refuse.
with open(os.path.join(BUILD, "compile_commands.json")) as file:
    commands = {os.path.relpath(os.path.join(c["directory"], c["file"]), SOURCE): c for c in json.load(file)}
compiled = 0
for name, mutant in tool.read_list(tool.LIST).items():
    if mutant.get("refused") or not mutant["file"].endswith(".c"):
        continue
    with open(os.path.join(SOURCE, mutant["file"])) as file:
        text = tool.mutated(file.read(), mutant, name)
    command = commands[mutant["file"]]
    words = re.sub(r" -(o|MF|MT) \S+| -(c|MD|Werror\S*)(?= )| \S+\.c$", "", command["command"].split("ccache ")[-1]).split()
    done = subprocess.run([*words, "-w", "-fsyntax-only", "-I", os.path.dirname(os.path.join(SOURCE, mutant["file"])), "-x", "c", "-"], input=text,
                          cwd=command["directory"], capture_output=True, text=True, timeout=PATIENCE_S)
    check(done.returncode == 0, f"{name}: does not compile", done.stderr[:1000])
    compiled += 1
check(compiled > 150, "next to nothing was compiled", compiled)

done = subprocess.run([TOOL, "no-such-mutant"], capture_output=True, text=True)
check(done.returncode == 2 and "no mutant 'no-such-mutant'" in done.stderr, "an unknown name", done.stderr)

list_path = path("mutants.txt")
for text, told in [("one src/sagbend/pipe/pipe.c\n- a\n", ":1:1: one: a text (-) and another"),
                   ("- a\n", ":1:1: a name and a file expected"),
                   ("one file\n- a\n+ b\none file\n", ":4:1: a new name and a file expected")]:
    with open(list_path, "w") as file:
        file.write(text)
    try:
        tool.read_list(list_path)
        check(False, "a list is accepted", text)
    except ValueError as e:
        check(told in str(e), "the reason", e)
for old in ["int ", "text that stands nowhere"]:
    try:
        tool.mutated("int a; int b;", {"old": old, "new": "", "where": "", "file": "f"}, "one")
        check(False, "a text is not unique", old)
    except ValueError as e:
        check("once expected" in str(e), "the reason", e)


class Blind(tool.Copy):
    """A copy without a build, whose rows and tests see what `seen` says."""

    def __init__(self, folder, seen):
        self.source, self.seen, self.made = folder, seen, []

    def make(self, *targets):
        with open(os.path.join(self.source, "f.c")) as file:
            self.made.append(file.read())

    def failed_row(self, asked):
        return self.seen[0]

    def failed_test(self, asked):
        return self.seen[1]

    def refusal(self, text):
        self.make()
        return text if text in self.seen else None


folder = path("copy")
os.mkdir(folder)
mutant = {"file": "f.c", "old": "1", "new": "1.01", "cases": ["a"], "tests": ["b"], "where": ""}
refused = {**mutant, "refused": "put_x"}
for mutant, seen, expected in [(refused, ("put_x", None), ("compiler", "put_x")), (refused, ("a: a row", "b_test"), ("compiler", None)),
                               *((mutant, *both) for both in [(("a: a row", None), ("row", "a: a row")), ((None, "b_test"), ("test", "b_test")), ((None, None), ("test", None))])]:
    with open(os.path.join(folder, "f.c"), "w") as file:
        file.write("x = 1;")
    copy = Blind(folder, seen)
    check(tool.who_sees(copy, "one", mutant, False) == expected, "who sees it", seen)
    check(copy.made == ["x = 1.01;"], "what was built", copy.made)
    with open(os.path.join(folder, "f.c")) as file:
        check(file.read() == "x = 1;", "the file is not restored")
