"""libsagbend as it is installed: what it exports and needs, its build id, and that a host compiles by pkg-config, with the shared library
and with the archive. The host of docs/library.md; hosts with a decimal comma and without stderr."""
import shutil

from harness import *

ROOT = path("root")
HEADER = os.path.join(SOURCE, "src/sagbend/sagbend.h")
EXAMPLE = os.path.join(SOURCE, "docs/examples/library_host.c")
HOST = os.path.join(SOURCE, "tests/program/library_host.c")
STRICT = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def text(name):
    with open(name) as file:
        return file.read()


def told(*command, status=0, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, **options)
    check(done.returncode == status, f"{' '.join(map(str, command))}: status {done.returncode}, not {status}", done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


# ---- installed below a folder, as a package is made ----
for component in ("library", "development"):
    told("cmake", "--install", BUILD, "--component", component, "--prefix", "/usr", env={**os.environ, "DESTDIR": ROOT})
found = {name: os.path.join(folder, name) for folder, _, names in os.walk(ROOT) for name in names if re.match(r"libsagbend|sagbend\.(h|pc)$", name)}
version = re.search(r"VERSION (\S+)", text(os.path.join(SOURCE, "CMakeLists.txt")).split("project(")[1]).group(1)
check(set(found) == {"libsagbend.so", "libsagbend.so.0", f"libsagbend.so.{version}", "libsagbend.a", "sagbend.h", "sagbend.pc"}, "installed", found)
check(text(found["sagbend.h"]) == text(HEADER), "the installed header is another one")
LIBRARY, FOLDER_OF_LIBRARY = found["libsagbend.so.0"], os.path.dirname(found["libsagbend.so.0"])
check(all(os.path.realpath(found[name]) == found[f"libsagbend.so.{version}"] for name in ("libsagbend.so", "libsagbend.so.0")), "links", found)

# ---- what it shows, and what it needs ----
with open(os.path.join(SOURCE, "src/sagbend/libsagbend.symbols")) as file:
    listed = [line.strip() for line in file if line[0] != "#"]
declared = sorted(set(re.findall(r"\b(sagbend_\w+)\(", re.sub(r"//.*", "", text(HEADER)))))
check(listed == declared, "libsagbend.symbols lists the functions of sagbend.h, sorted", set(listed) ^ set(declared))
shown = [line.split() for line in told("nm", "-D", "--defined-only", LIBRARY).splitlines()]
check(sorted(words[2] for words in shown if words[1] != "A") == sorted(name + "@@SAGBEND_0" for name in listed), "exported names", shown)
shown = [line.split() for line in told("nm", "-g", "--defined-only", found["libsagbend.a"]).splitlines() if len(line.split()) == 3]
check(sorted(words[2] for words in shown) == listed, "global names of the archive", [words for words in shown if words[2] not in listed][:20])
dynamic = told("readelf", "-dW", LIBRARY)
needed = sorted(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
check(needed == ["libc.so.6", "libm.so.6", "libyaml-0.so.2"], "libraries that it needs", needed)
check("Library soname: [libsagbend.so.0]" in dynamic and "RUNPATH" not in dynamic and "RPATH" not in dynamic, "its name and path", dynamic)
check("TEXTREL" not in dynamic and "NOW" in dynamic, "relocations", dynamic)
check(not re.search(r"GNU_STACK.*RWE", told("readelf", "-lW", LIBRARY)), "its stack is executable")

# ---- the host of the page, as a user compiles it ----
page = text(os.path.join(SOURCE, "docs/library.md"))
check(re.findall(r"```c\n(.*?)```", page, re.S) == [text(EXAMPLE)], "docs/library.md does not show docs/examples/library_host.c")
environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(FOLDER_OF_LIBRARY, "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": ROOT,
               "LD_LIBRARY_PATH": FOLDER_OF_LIBRARY, "LC_ALL": "C.UTF-8"}


def flags(*arguments):
    return told("pkg-config", *arguments, "sagbend", env=environment).split()


check(told("pkg-config", "--modversion", "sagbend", env=environment).strip() == version, "version of sagbend.pc")
told("cc", *STRICT, EXAMPLE, *flags("--cflags", "--libs"), "-o", path("example"))
line = told(path("example"), JLAY, env=environment)
held = re.fullmatch(r"60\.00 s, (-?\d+\.\d+) m north of the start, state [0-9a-f]{16}\n", line)
check(held and abs(float(held[1])) < 0.5, "the host of the page holds the vessel", line)
for case in ("/nowhere.yaml", VESSEL):  # its own controller: no inputs
    told(path("example"), case, env=environment, status=1)
if shutil.which("c++"):
    with open(path("host.cpp"), "w") as file:
        file.write("#include <sagbend.h>\nint main() { return sagbend_api_version() == SAGBEND_API_VERSION ? 0 : 1; }\n")
    told("c++", "-Wall", "-Wextra", "-Werror", path("host.cpp"), *flags("--cflags", "--libs"), "-o", path("host-cpp"))
    told(path("host-cpp"), env=environment)

# ---- the same bits and the same texts from all three: the installed library, the installed archive, the program ----
told("cc", *STRICT, HOST, *flags("--cflags", "--libs"), "-Wl,--build-id=sha1", "-o", path("shared"))
static = [flag if flag != "-lsagbend" else found["libsagbend.a"] for flag in flags("--static", "--cflags", "--libs")]
told("cc", *STRICT, HOST, *static, "-Wl,--build-id=sha1", "-o", path("static"))
told("cc", *STRICT, "-DHOST_CJSON", HOST, *flags("--cflags", "--libs"), "-lcjson", "-o", path("cjson"))
check("libsagbend" not in told("readelf", "-d", path("static")), "the static host needs the shared library")
status, out, err = run("run", JLAY, "--mode", "fast", "--duration", "1", "--hashes", path("hashes"))
wanted = " ".join(hashes("hashes")[100])


def id_of(file):
    return re.search(r"Build ID: (\w+)", told("readelf", "-n", file)).group(1)


with open(os.path.join(SOURCE, "src/sagbend/sagbend.h")) as file:
    api = re.search(r"#define SAGBEND_API_VERSION (\d+)", file.read()).group(1)
for host, holder in (("shared", LIBRARY), ("static", path("static"))):
    first, state = told(path(host), JLAY, "100", env=environment).splitlines()
    check(state == wanted, f"{host}: another state than that of the program", state, wanted)
    check(first == f"{version} {api} {id_of(holder)}", f"{host}: version and build id", first, id_of(holder))
check(told(path("cjson"), os.path.join(SOURCE, "configs/osv-83m-lay.yaml"), "20", env=environment), "a host with hooks of cJSON of its own")
check(id_of(LIBRARY) != id_of(path("shared")), "host and library have one build id")

# ---- hosts that are not like others ----
bad = path("bad.yaml")
with open(bad, "w") as file:
    file.write(text(JLAY).replace("step_s: ", "step_s: -", 1))
for host in ("shared", "static"):  # without stderr the first file that is opened has its number
    first, state = told(path(host), JLAY, "100", "close-stderr", env=environment).splitlines()
    check(state == wanted, f"{host}: another state without stderr", state, wanted)
    line = told(path(host), bad, "100", "close-stderr", env=environment, status=1)
    check(line.startswith(f"error: {bad}:") and "simulation.step_s" in line, f"{host}: the error without stderr", line)

# The tests of the host's settings, with a locale that has a decimal comma.
os.mkdir(path("locales"))
made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", path("locales/de_DE.UTF-8")], capture_output=True, text=True)
check(made.returncode in (0, 1) and os.path.isdir(path("locales/de_DE.UTF-8")), "localedef (package locales)", made.stderr)
done = subprocess.run([os.path.join(BUILD, "tests/sagbend_interface_test")], capture_output=True, text=True, timeout=600,
                      env={**os.environ, "LOCPATH": path("locales"), "CK_RUN_CASE": "host", "CK_TIMEOUT_MULTIPLIER": "30"})
check(done.returncode == 0 and "notice" not in done.stderr, "sagbend_interface_test with a decimal comma", done.stdout[-2000:], done.stderr[-2000:])
