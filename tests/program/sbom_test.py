"""The bill of materials that the build makes (deploy/sbom.py): valid by a validator of CycloneDX and a parser of SPDX expressions that are
not ours (tests/sbom, from npm with a lock file); it has every library that the dynamic linker loads with a program, every library
that the sources load on demand, and every package of the page's lock file, each with version and licence."""
import functools

from npm import *

BILL = os.path.join(BUILD, "sbom/sagbend.cdx.json")
PAGE = os.path.join(BUILD, "view_page/packages.json")
LOCK = os.path.join(SOURCE, "src/view/page/package-lock.json")
PROGRAMS = [SAGBEND, *(os.path.join(os.path.dirname(SAGBEND), "sagbend-" + name) for name in ("lab", "verify", "dp", "view"))]
LIBRARY = [os.path.realpath(file) for file in [os.path.join(BUILD, "libsagbend.so.0")] if os.path.exists(file)]


@functools.cache
def loaded(program):
    """The files that the dynamic linker itself says it has loaded, in a run of the program."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, env={**os.environ, "LD_DEBUG": "files"})
    names = set(re.findall(r"calling init: (/\S+)", done.stderr))
    check(done.returncode == 0 and any("libc.so" in name for name in names), f"LD_DEBUG of {program}", done.stderr[:2000])
    return names


@functools.cache
def build_id(program):
    return re.search(r"Build ID: (\w+)", subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout).group(1)


@functools.cache
def on_demand():
    found = set()
    for folder, _, names in os.walk(os.path.join(SOURCE, "src")):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                if re.search(r"\bdlopen\(|\bLIBRARY_ON_DEMAND\(", text):
                    found |= set(re.findall(r'"(lib[\w.+-]+\.so[\w.]*)"', text))
    return found


def lacks(bill):
    """What a bill should name and does not: a list of words."""
    out = []
    files = {part["name"] for component in bill["components"] for part in [component, *component.get("components", [])]}
    for program in PROGRAMS:
        out += [f"{program}: {library}" for library in loaded(program) if os.path.basename(library) not in files]
    for program in [*PROGRAMS, *LIBRARY]:
        build = build_id(program)
        own = [component for component in bill["components"] if component["name"] == os.path.basename(program)]
        if not own or {"name": "sagbend:build_id", "value": build} not in own[0]["properties"]:
            out.append(f"{program}: its build id {build}")
    out += [f"on demand: {library}" for library in on_demand() if library not in files]
    by_purl = {component["purl"].replace("%40", "@"): component for component in bill["components"] if "purl" in component}
    if os.path.exists(PAGE):
        with open(LOCK) as file, open(PAGE) as page:
            lock, in_page = json.load(file)["packages"], json.load(page)
        check(len(in_page) >= 5, "packages of the page", in_page)
        for place, entry in lock.items():
            purl = f"pkg:npm/{place.rpartition('node_modules/')[2]}@{entry.get('version')}"
            if place and (purl not in by_purl or (place in in_page and by_purl[purl]["scope"] != "required")):
                out.append(f"lock file: {place}")
    for component in bill["components"]:
        if not component.get("licenses") or not (component.get("version") or component["bom-ref"].startswith("sagbend:")):
            out.append(f"{component['name']}: version or licence")
    references = {component["bom-ref"] for component in bill["components"]} | {"sagbend:product"}
    for edge in bill["dependencies"]:
        out += [f"dependency {name}" for name in [edge["ref"], *edge["dependsOn"]] if name not in references]
    return out


with open(BILL) as file:
    bill = json.load(file)
check(not lacks(bill), "the bill lacks", lacks(bill))
users = {edge["ref"]: edge["dependsOn"] for edge in bill["dependencies"]}
check(any("libzmq" in name for name in users["sagbend:sagbend"]) and not any("libzmq" in name for name in users["sagbend:sagbend-lab"]),
      "who needs libzmq", users["sagbend:sagbend"], users["sagbend:sagbend-lab"])
check(on_demand() == {"libzmq.so.5", "libnetcdf.so.19"}, "loaded on demand", on_demand())

# A start loads none of the libraries that it may do without, nor what they bring.
for program in PROGRAMS:
    early = [name for name in loaded(program) if re.search(r"libzmq|libnetcdf|libsystemd|libstdc\+\+", name)]
    check(not early, f"{program} loads at its start", early)

# The check sees each library that is left out.
libraries = [component for component in bill["components"] if component.get("purl", "").startswith("pkg:deb/") and component["scope"] == "required"
             and not component["name"].endswith("-dev")]
check(len(libraries) >= 20, "libraries", len(libraries))
for left_out in libraries[::7] + [component for component in bill["components"] if component["name"] in ("uplot", "libnetcdf19")]:
    check(lacks({**bill, "components": [component for component in bill["components"] if component is not left_out]}), "nobody misses", left_out["name"])

# Equal inputs, equal bytes, whatever the surroundings; the time is that of SOURCE_DATE_EPOCH.
texts = []
for number, surroundings in enumerate(({"TZ": "UTC", "LC_ALL": "C"}, {"TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8"})):
    output = path(f"bill-{number}.json")
    done = subprocess.run([os.path.join(SOURCE, "deploy/sbom.py"), "--version", "0.1.0", "--source", SOURCE, "--date", "2026-01-01", "--output", output,
                           "--page", os.path.dirname(PAGE), "--lock", LOCK, *PROGRAMS], capture_output=True, text=True,
                          env={**os.environ, **surroundings, "SOURCE_DATE_EPOCH": "1700000000"})
    check(done.returncode == 0, "sbom.py", done.stderr)
    with open(output) as file:
        texts.append(file.read())
check(texts[0] == texts[1] and '"timestamp": "2023-11-14T22:13:20Z"' in texts[0], "equal inputs give other bytes")

if not shutil.which("npm"):
    print("SKIPPED: npm is not installed (apt-get install npm)")
    sys.exit(SKIPPED)
folder = npm_folder("sbom", "validate.mjs")


def validate(file):
    return run(os.path.join(folder, "validate.mjs"), file, program="node", timeout=120)


code, out, err = validate(BILL)
check(code == 0 and "valid" in out, "the validator", out, err)
print(out.strip())
for wrong in ({"bomFormat": "SPDX"}, {"components": [{**bill["components"][0], "scope": "perhaps"}]},
              {"components": [{"type": "library", "name": "a", "licenses": [{"expression": "BSD-like or so"}]}]}):
    with open(path("wrong.json"), "w") as file:
        json.dump({**bill, **wrong}, file)
    code, out, err = validate(path("wrong.json"))
    check(code != 0, "the validator accepts", wrong)
