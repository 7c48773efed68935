"""Pages and packages. The client in the README is the tested one; links, named files, tests, verification cases, options
and configuration keys exist; generated pages and schemas are current; tools/packages.txt lists what is used."""
import ast
import glob
import importlib.util
import shutil

from harness import *
import jsonschema
import yaml


def text(name):
    with open(os.path.join(SOURCE, name)) as file:
        return file.read()


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


blocks = re.findall(r"```python\n(.*?)```", text("README.md"), re.S)
check(blocks == [text("docs/examples/shortest_client.py")], "README.md does not show docs/examples/shortest_client.py", len(blocks))
check(len(text("README.md").split()) <= 1100, "README.md has more than 1100 words: move what is for one kind of reader to a page", len(text("README.md").split()))

pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "deploy/README.md"]
pages += [os.path.relpath(p, SOURCE) for p in glob.glob(os.path.join(SOURCE, "docs/*.md"))]


def outside_code(page):
    return re.sub(r"^```.*?^```", "", text(page), flags=re.S | re.M)


def anchors(page):
    """Of each heading, as a forge and the site make them; the second of the same words gets -1."""
    seen = {}
    for title in re.findall(r"^#+ +(.*?) *$", outside_code(page), re.M):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
    return {slug + (f"-{n}" if n else "") for slug, count in seen.items() for n in range(count + 1)}


links, linked = 0, set()
for page in pages:
    for link in re.findall(r"\]\(([^)]*)\)", outside_code(page)):
        links += 1
        target, _, anchor = link.partition("#")
        whole = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
        if "://" not in link:
            check(os.path.exists(os.path.join(SOURCE, whole)), f"{page}: a broken link", link)
            check(not anchor or not whole.endswith(".md") or anchor in anchors(whole), f"{page}: a link to a heading that is none", link)
        if page == "docs/index.md":
            linked.add(whole)
check(links > 500, "links", links)
unlisted = {p for p in pages if p.startswith("docs/")} - linked - {"docs/index.md"}
check(not unlisted, "docs/index.md does not list a page", unlisted)

done = subprocess.run([os.path.join(SOURCE, "tools/rooms"), "--paths"], capture_output=True, text=True)
check(done.returncode == 0, "paths in comments and pages that do not exist", done.stdout, done.stderr)
done = subprocess.run([os.path.join(SOURCE, "tools/rooms"), "--circles", BUILD], capture_output=True, text=True)
check(done.returncode == 0, "more files call each other in a circle than tools/rooms allows", done.stdout, done.stderr)
done = subprocess.run([os.path.join(SOURCE, "tools/regenerate"), "--check", BUILD], capture_output=True, text=True)
check(done.returncode == 0, done.stdout, done.stderr)

# Every shipped file that names a schema satisfies it, as an editor judges it: YAML 1.2, where off is a text and 1e5 a number.
class EditorLoader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}


for tag, form, first in (("bool", r"^(true|false)$", "tf"), ("null", r"^(null|~|)$", ["n", "~", ""]), ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
                         ("float", r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$", "-+.0123456789")):
    EditorLoader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(form), list(first))
EditorLoader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
EditorLoader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
validators, validated = {}, 0
for name in sorted(glob.glob(os.path.join(SOURCE, "configs/**/*.yaml"), recursive=True)):
    named = re.match(r"# yaml-language-server: \$schema=(\S+)", open(name).readline())
    if not named:
        continue
    schema = os.path.normpath(os.path.join(os.path.dirname(name), named.group(1)))
    if schema not in validators:
        with open(schema) as file:
            validators[schema] = jsonschema.Draft202012Validator(json.load(file))
    with open(name) as file:
        content = yaml.load(file, EditorLoader)
    errors = [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validators[schema].iter_errors(content)]
    check(not errors, f"{os.path.relpath(name, SOURCE)} does not satisfy its schema", *errors[:5])
    validated += 1
    if "extends" in content:  # alone it would lack what the other file has
        continue
    for key in ("name", "environment"):
        if key in content and schema.endswith("/sagbend.schema.json"):
            check(list(validators[schema].iter_errors({k: v for k, v in content.items() if k != key})), f"{name}: without {key} the schema refuses it")
check(validated > 60, "files with a schema", validated)

# Names in the pages: files, tests, benchmarks, verification cases, options of the commands, configuration keys.
folders = ("src", "tests", "tools", "configs", "docs", "proto", "deploy")
sources = {os.path.basename(p) for folder in folders for p in glob.glob(os.path.join(SOURCE, folder, "**/*.*"), recursive=True)}
cases = {line.split()[0] for line in output(SAGBEND, "verify", "--list").splitlines()}
keys = set(re.findall(r"^\| \**([\w.\[\]]+)\** \|", text("docs/configuration-keys.md"), re.M))
tops = {key.split(".")[0] for key in keys}
variables = {line.split("\t")[1] for line in text("src/sagbend/variables.txt").splitlines() if line[0] != "#"}
not_keys = {"log.dropped", "log.missing",  # fields of the summary
            "controller.command",  # of a plan of trials
            "statics.ballast", "navigation.old_s", "allocation.least_share", "vessel.thrusters[].ventilation",
            "thrusters[].price"}  # names that keys had: CHANGELOG.md
former = set(re.findall(r'"([\w.\[\]]+)"', text("src/sagbend/base/former_names.inc")))
helps = {name: output(SAGBEND, name, "--help") for name in re.findall(r"^  ([a-z-]+)(?:  |$)", output(SAGBEND, "--help"), re.M)}
strings = {s for p in glob.glob(os.path.join(SOURCE, "src/**/*.[chi]*"), recursive=True) for s in re.findall(r'(?:"|EVENT_NAME\()([a-z_]+)[")]', text(p))}
found = {"file": 0, "test": 0, "case": 0, "option": 0, "key": 0, "event": 0}


def exists(kind, name, condition, page):
    found[kind] += 1
    check(condition, f"{page} names a {kind} that does not exist", name)


for page in pages:
    script = text(page)
    if page == "docs/configuration-keys.md":
        continue
    code = re.findall(r"```(?:yaml|sh)?\n(.*?)```", script, re.S) + re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", script, flags=re.S))
    code += re.findall(r"^    (\S.*)$", script, re.M)
    for word in " ".join(code).split():
        word = word.strip(",;:()'\"")
        if re.fullmatch(rf"({'|'.join(folders)})/[\w./-]+", word):
            exists("file", word, os.path.exists(os.path.join(SOURCE, word)), page)
        elif re.fullmatch(r"[a-z]\w*\.([ch]|py|proto)", word):
            exists("file", word, word in sources, page)
        elif re.fullmatch(r"program_\w+", word):
            exists("test", word, word[8:] + "_test.py" in sources, page)
        elif re.fullmatch(r"\w+_test", word):
            exists("test", word, os.path.exists(os.path.join(SOURCE, "tests", word.replace("_", "/", 1) + ".c")), page)
        elif re.fullmatch(r"build/bench/\w+", word):
            exists("test", word, os.path.basename(word) + ".c" in sources, page)
        key = re.sub(r"\.\d+(?=\.)", "[]", word.split("=")[0].rstrip(":"))
        if key.split(".")[0] in tops and re.fullmatch(r"[a-z_]+(\[\])?(\.[a-z_0-9]+(\[\])?)+", key) and key.split(".")[-1] not in ("yaml", "c", "h", "xml", "fmu"):
            exists("key", key, key in keys or key in not_keys or key in variables or (page == "CHANGELOG.md" and key in former), page)
    for names in re.findall(r"events?\s((?:`\w+`(?:, | and )?)+)", script):
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            if name not in tops:
                exists("event", name, name in strings, page)
    for name in re.findall(r"--case ([\w-]+)", script):
        exists("case", name, name in cases or name.isupper(), page)
    for line in code:
        for name, rest in re.findall(r"(?:sagbend|^)\s*(" + "|".join(helps) + r") ([^#;]*)", line):
            for option in re.findall(r"(?<!\S)--[\w-]+", rest):
                exists("option", f"{name} {option}", option in helps[name], page)
for page in ("deploy/sagbend.service.in", "deploy/sagbend-view.service.in", "deploy/case.yaml.in", "deploy/environment"):  # their comments too
    for key in re.findall(r"(?<![\w./-])[a-z_]+(?:\.[a-z_]+)+(?![\w(/])", text(page)):
        if key.split(".")[0] in tops and key.split(".")[-1] not in ("yaml", "md", "json", "target", "service"):
            exists("key", key, key in keys, page)
check(all(count > 5 for count in found.values()), "the search in the pages", found)

# Words that CONTRIBUTING.md retires, in the pages (outside code) and in the comments of messages and configurations.
retired = re.compile(r"\b(telegrams?|tells?|told|anew|gone on|given out|seed 00\d)\b", re.I)
texts = {page: re.sub(r"```.*?```|`[^`]*`", "", text(page), flags=re.S) for page in pages
         if page not in ("docs/configuration-keys.md", "CHANGELOG.md")}
for name in glob.glob(os.path.join(SOURCE, "proto/**/*.proto"), recursive=True):
    texts[name] = "\n".join(re.findall(r"//(.*)", text(name)))
for name in glob.glob(os.path.join(SOURCE, "configs/**/*.yaml"), recursive=True):
    texts[name] = "\n".join(re.findall(r"(?:^|\s)#(.*)", text(name)))
check(len(texts) > 40, "the search for texts", len(texts))
for name, script in texts.items():
    word = retired.search(script)
    check(not word, f"{name}: a word that CONTRIBUTING.md retires", word)

# Each verification case is on the generated page, with their number, which no other page restates. Each fault and instrument is on
# a page.
for name in cases:
    check(f"| `{name}` " in text("docs/verification-cases.md"), "docs/verification-cases.md: a verification case is missing", name)
check(f": {len(cases)} cases." in text("docs/verification-cases.md"), "docs/verification-cases.md: number of verification cases", len(cases))
for page in pages:
    counts = [] if page == "CHANGELOG.md" else re.findall(r"(\d+) verification cases", text(page))
    check(not counts, f"{page}: states the number of verification cases; link docs/verification-cases.md", counts)
schema = json.loads(text("configs/schema/sagbend.schema.json"))["properties"]
items = {name: next(way["items"]["properties"] for way in schema[name].get("anyOf", [schema[name]]) if "items" in way)
         for name in ("instruments", "events")}
kinds, faults = items["instruments"]["kind"]["enum"], items["events"]["fault"]["enum"]
check(len(kinds) > 5 and len(faults) > 20, "the search for kinds of instruments and faults", kinds, faults)
for word, page in [(k, "docs/instruments.md") for k in kinds] + [(f, "docs/scenarios.md") for f in faults]:
    check(f"`{word}`" in text(page), f"{page}: a kind of the configuration is missing", word)

# docs/architecture.md names each room of each part; a folder with C files is a part or a room.
parts = re.findall(r"^add_subdirectory\((\w+)\)", text("src/CMakeLists.txt"), re.M)
check(len(parts) > 8, "the parts of src/CMakeLists.txt", parts)
for part in parts:
    rooms = [name for name, rest in re.findall(r"^room\((\w+)([^)]*)", text(f"src/{part}/CMakeLists.txt"), re.M) if " FOLDER " not in rest]
    row = re.search(rf"^\| `{part}` \| (.*) \|$", text("docs/architecture.md"), re.M)
    named = re.findall(r"\*\*(\w+)\*\*", row[1]) if row else []
    check(sorted(named) == sorted(rooms), f"docs/architecture.md: the rooms of {part} are not those of its CMakeLists.txt", sorted(set(named) ^ set(rooms)))
    for folder, _, names in os.walk(os.path.join(SOURCE, "src", part)):
        relative = os.path.relpath(folder, os.path.join(SOURCE, "src", part))
        check(relative in [".", *rooms] or not any(n.endswith((".c", ".h")) for n in names), "a folder of src that is no room", folder)

# Output quantities: the names in the pages exist, and --find takes those that the page on configurations names.
outputs = {row["name"]: row for row in json.loads(output(SAGBEND, "outputs", "--json"))}
find = re.search(r"## Finding a set-point\n(.*?)`touchdown_m`", text("docs/configuration.md"), re.S).group(1)
quantities = re.findall(r"`(\w+_\w+)`", find)
check(len(quantities) > 5, "the search for the quantities of --find", quantities)
for name in quantities:
    check(name in outputs and outputs[name]["in_statics"] and outputs[name]["needs_pipe"], "docs/configuration.md: --find", name)
for name in re.findall(r"quantity: (\w+)", text("docs/scenarios.md")):
    check(name in outputs, "docs/scenarios.md: an unknown quantity", name)

# Packages. Each dependency is traced to the package that contains it; that package, or one that depends on it, is listed.
listed = {line.split("#")[0].strip() for line in text("tools/packages.txt").splitlines()} - {""}
brought = set(listed)
for line in output("dpkg-query", "-W", "-f", "${Depends}, ${Pre-Depends}\n", *listed).splitlines():
    brought |= {word.split()[0].split(":")[0] for word in re.split("[,|]", line) if word.strip()}


traced = []  # what comes from which file: dpkg reads its lists of all files once for all of them


def check_listed(what, file):
    names = [file, os.path.realpath(file)]
    traced.append((what, file, [*names, *(n[4:] for n in names if n.startswith("/usr/"))]))


def check_packages():
    found = subprocess.run(["dpkg", "-S", *{name for _, _, names in traced for name in names}], capture_output=True, text=True)
    of = {}
    for line in found.stdout.splitlines():
        if not line.startswith("diversion"):
            owners, name = line.rsplit(": ", 1)
            of.setdefault(name, set()).update(owner.split(":")[0] for owner in owners.split(", "))
    for what, file, names in traced:
        packages = set().union(*(of.get(name, ()) for name in names))
        check(packages, f"{what}: {file} belongs to no package")
        check(packages & brought, f"{what} comes from {packages}, which tools/packages.txt does not list")


build = [name for name in glob.glob(os.path.join(SOURCE, "**/CMakeLists.txt"), recursive=True)
         if not os.path.relpath(name, SOURCE).startswith("build")] + glob.glob(os.path.join(SOURCE, "tools/cmake/*.cmake"))
modules, programs = set(), {"cmake", "ctest", "ninja", "gcc", "pkg-config", "gnuplot", "cyclictest"}  # and the programs that CMake searches for
for name in build:
    with open(name) as file:
        script = re.sub(r"#.*", "", file.read())
    for words in re.findall(r"pkg_check_modules\(\w+([^)]*)\)", script):
        modules |= set(re.sub(r"\b(REQUIRED|IMPORTED_TARGET|QUIET)\b|[<>=]+ *[\d.]+", " ", words).split())
    programs |= set(re.findall(r"find_program\(\s*\w+\s+([\w.-]+)", script))
    for package in re.findall(r"find_package\((\w+)", script):
        check(package in ("PkgConfig", "Threads"), f"{name}: find_package({package}): add its package to this test")
check(len(modules) >= 5 and {"protoc", "protoc-c", "python3"} <= programs, "the search in the CMake files", modules, programs)
for module in modules:
    check_listed(f"pkg-config {module}", output("pkg-config", "--variable=pcfiledir", module).strip() + f"/{module}.pc")

python_files = [p for folder in ("tests", "tools", "docs", "src") for p in glob.glob(os.path.join(SOURCE, folder, "**/*.py"), recursive=True)]
check(len(python_files) > 5, "the search for Python", python_files)
imports, ours = set(), {os.path.basename(p)[:-3] for p in python_files} | {"sagbend"}
for name in python_files:
    with open(name) as file:
        script = file.read()
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Import):
            imports |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if not node.level:
                imports.add(node.module.split(".")[0])
check("zmq" in imports, "the search in Python", imports)
optional = {"gymnasium", "fmpy", "google"}  # not in Debian; a namespace: below
for name in sorted(imports - ours - optional - set(sys.stdlib_module_names)):
    spec = importlib.util.find_spec(name)
    check(spec and spec.origin, f"Python's {name} is not installed")
    check_listed(f"Python's {name}", spec.origin)
check_listed("protobuf for Python", importlib.util.find_spec("google.protobuf").origin)
for program in sorted(programs):
    file = shutil.which(program, path="/usr/bin:/bin")
    check(file, f"{program} is not installed")
    check_listed(program, file)
check_packages()

# The page of the operator names every order.
orders = re.findall(r"^  ([a-z-]+) ", helps["ctl"].split("\norders:\n")[1].split("\n\n")[0], re.M)
check(len(orders) > 20, "the help of ctl lists the orders", orders)
for order in orders:
    check(re.search(rf"(`|\n    sagbend ctl \S+ ){order}[ `\n]", text("docs/operation.md")), "docs/operation.md lacks an order", order)

# What the page of requirements calls met has a test or a file that is there.
page = text("docs/cyber-requirements.md")
rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and len(line.split(" | ")) == 3]
states = {row[1] for row in rows} - {"state", "---"}
check(states == {"met", "met with keys", "in part", "owner's", "not applicable"} and len(rows) > 60, "the rows of cyber-requirements.md", states, len(rows))
for row in rows:
    if row[1].startswith("met"):
        check(re.search(r"`program_|_test`|`tools/|SECURITY|\.md\)", row[2]), "met, and nothing shows it", row)
for name in set(re.findall(r"`(program_\w+|\w+_test)`", page)):
    file = f"tests/program/{name[8:]}_test.py" if name.startswith("program_") else f"tests/{name.replace('_', '/', 1)}.c"
    check(os.path.exists(os.path.join(SOURCE, file)), "cyber-requirements.md names a test that is none", name)
