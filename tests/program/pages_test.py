"""What people read and install: the README's client is the one that is tested, links lead somewhere, the page of keys
and the schemas are those of the program, and tools/packages.txt holds whatever the build, the tests and the demo use."""
import ast
import glob
import importlib.util
import shutil

from harness import *


def text(name):
    with open(os.path.join(SOURCE, name)) as file:
        return file.read()


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


blocks = re.findall(r"```python\n(.*?)```", text("README.md"), re.S)
check(blocks == [text("docs/examples/minimal_client.py")], "README.md does not show docs/examples/minimal_client.py", len(blocks))

links = 0
for page in ["README.md", "deploy/README.md"] + [os.path.relpath(p, SOURCE) for p in glob.glob(os.path.join(SOURCE, "docs/*.md"))]:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text(page)):
        links += 1
        if "://" not in link:
            check(os.path.exists(os.path.join(SOURCE, os.path.dirname(page), link)), f"{page}: a link to nothing", link)
check(links > 10, "links", links)

for name, arguments in [("sagbend", []), ("sagbend-dp", ["--dp"])]:
    file = f"configs/schema/{name}.schema.json"
    check(output(SAGBEND, "schema", *arguments) == text(file), f"{file} is not what sagbend schema prints")
check(output(os.path.join(SOURCE, "tools/configuration_keys.py")) == text("docs/configuration-keys.md"),
      "docs/configuration-keys.md is out of date: tools/configuration_keys.py > docs/configuration-keys.md")

# Packages. Each thing used is traced to the package that brings it; the package, or one that depends on it, is listed.
listed = {line.split("#")[0].strip() for line in text("tools/packages.txt").splitlines()} - {""}
brought = set(listed)
for line in output("dpkg-query", "-W", "-f", "${Depends}, ${Pre-Depends}\n", *listed).splitlines():
    brought |= {word.split()[0].split(":")[0] for word in re.split("[,|]", line) if word.strip()}


def check_listed(what, file):
    names = [file, os.path.realpath(file)]
    found = subprocess.run(["dpkg", "-S", *names, *(n[4:] for n in names if n.startswith("/usr/"))], capture_output=True, text=True)
    packages = {line.split(":")[0] for line in found.stdout.splitlines() if not line.startswith("diversion")}
    check(packages, f"{what}: {file} belongs to no package")
    check(packages & brought, f"{what} comes from {packages}, which tools/packages.txt does not list")


build = [name for name in glob.glob(os.path.join(SOURCE, "**/CMakeLists.txt"), recursive=True)
         if not os.path.relpath(name, SOURCE).startswith("build")] + glob.glob(os.path.join(SOURCE, "tools/cmake/*.cmake"))
modules, programs = set(), {"cmake", "ctest", "ninja", "gcc", "pkg-config", "gnuplot", "cyclictest"}  # and what CMake asks for
for name in build:
    with open(name) as file:
        script = re.sub(r"#.*", "", file.read())
    for words in re.findall(r"pkg_check_modules\(\w+([^)]*)\)", script):
        modules |= set(re.sub(r"\b(REQUIRED|IMPORTED_TARGET|QUIET)\b|[<>=]+ *[\d.]+", " ", words).split())
    programs |= set(re.findall(r"find_program\(\s*\w+\s+([\w.-]+)", script))
    for package in re.findall(r"find_package\((\w+)", script):
        check(package in ("PkgConfig", "Threads"), f"{name}: find_package({package}): teach this test where it comes from")
check(len(modules) >= 5 and {"protoc", "protoc-c", "python3"} <= programs, "the search in the CMake files", modules, programs)
for module in modules:
    check_listed(f"pkg-config {module}", output("pkg-config", "--variable=pcfiledir", module).strip() + f"/{module}.pc")

python_files = [p for folder in ("tests", "tools", "docs") for p in glob.glob(os.path.join(SOURCE, folder, "**/*.py"), recursive=True)]
check(len(python_files) > 5, "the search for Python", python_files)
imports, ours = set(), {os.path.basename(p)[:-3] for p in python_files} | {"sagbend"}
for name in python_files:
    with open(name) as file:
        script = file.read()
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Import):
            imports |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports.add(node.module.split(".")[0])
check("zmq" in imports, "the search in Python", imports)
for name in sorted(imports - ours - set(sys.stdlib_module_names)):
    spec = importlib.util.find_spec(name)
    check(spec and spec.origin, f"Python's {name} is not installed")
    check_listed(f"Python's {name}", spec.origin)
check_listed("protobuf for Python", importlib.util.find_spec("google.protobuf").origin)
for program in sorted(programs):
    file = shutil.which(program, path="/usr/bin:/bin")
    check(file, f"{program} is not installed")
    check_listed(program, file)
