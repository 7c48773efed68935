#!/usr/bin/python3
"""Builds the Debian packages and checks them: build/package/NAME_VERSION_ARCHITECTURE.deb of sagbend, libsagbend0, libsagbend-dev

lintian finds neither errors nor warnings; programs and library are those of the build directory; dpkg installs, upgrades,
removes and purges them in a scratch root. Their times are those of the commit, or SOURCE_DATE_EPOCH; packed again later,
elsewhere and with other surroundings they have equal bytes. With --twice the commit is built in two more folders, from the
start: both packages have equal bytes. With --root the same in a clean Debian 12 with its dependencies, and the service in
it under systemd: start, watchdog, restart, end."""
import argparse
import difflib
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(SOURCE, "build")
OUT = os.path.join(BUILD, "package")
CONFFILE = "etc/sagbend/case.yaml"
PACKAGES = ("sagbend", "libsagbend0", "libsagbend-dev")


def fail(what, *shown):
    sys.exit("\n".join(["tools/package: FAILED: " + what, *map(str, shown)]))


def check(condition, what, *shown):
    if not condition:
        fail(what, *shown)


def run(*command, **options):
    """Runs a command to its end and returns what it prints; fails if it does. Files get the usual permissions: cpack writes
    those that its own files have into the package."""
    options = {"umask": 0o022, **options}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **options)
    check(done.returncode == 0, " ".join(command), done.stdout)
    return done.stdout


def say(line):
    print("tools/package:", line, flush=True)


def epoch():
    """The time of everything in the package: that of the commit; of the release, where there is none."""
    done = subprocess.run(["git", "-C", SOURCE, "log", "-1", "--format=%ct"], capture_output=True, text=True)
    with open(os.path.join(SOURCE, "CMakeLists.txt")) as file:
        released = re.search(r"SAGBEND_RELEASE_DATE (\S+)\)", file.read()).group(1)
    return done.stdout.strip() if done.returncode == 0 else run("date", "-u", "+%s", "-d", released).strip()


def build(source=SOURCE):
    folder = os.path.join(source, "build")
    if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        run("cmake", "--preset", "release", cwd=source)
    bill = os.path.join(folder, "sbom/sagbend.cdx.json")
    if os.path.exists(bill):
        os.remove(bill)  # it has the time of a commit
    run("cmake", "--build", folder, "--target", "sagbend", "sagbend-lab", "sagbend-verify", "sagbend-dp", "sagbend-view", "man", "messages_python", "sbom",
        "sagbend_shared", "sagbend_archive", "sagbend_fmu", "sagbend-fmu")


def pack(release, source=SOURCE, out=OUT, **options):
    folder = os.path.join(source, "build")
    run("cpack", "--config", os.path.join(folder, "CPackConfig.cmake"), "-B", out, "-D", f"CPACK_DEBIAN_PACKAGE_RELEASE={release}", cwd=folder, **options)
    files = [file for name in PACKAGES for file in glob.glob(os.path.join(out, f"{name}_*-{release}_*.deb"))]
    check(len(files) == len(PACKAGES), "a file for each package", files)
    return files


def same(first, second, how):
    for one, other in zip(first, second):
        same_bytes(one, other, how)


def same_bytes(first, second, how):
    if run("sha256sum", first).split()[0] != run("sha256sum", second).split()[0]:
        parts = [run("dpkg-deb", "-c", file) for file in (first, second)]
        lines = [line for line in difflib.unified_diff(parts[0].splitlines(), parts[1].splitlines(), lineterm="", n=0)]
        fail(f"{how}: other bytes", first, second, *lines[:40])


def pack_again(first, folder):
    """Once more, as another user's machine would: nothing of it may show in the package."""
    surroundings = {**os.environ, "TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8", "HOME": folder, "USER": "somebody"}
    before = os.umask(0o077)
    same(first, pack(1, out=os.path.join(folder, "again"), env=surroundings), "packed again")
    os.umask(before)
    say("packed again elsewhere, later, with another umask, time zone and home: equal bytes")


def build_twice(folder):
    """The commit in two folders of different names and depths, from the start, without a cache of the compiler."""
    packages = []
    for name, surroundings, umask in (("one", {"TZ": "UTC"}, 0o022), ("an other/of a/longer name", {"TZ": "America/St_Johns", "LC_ALL": "C.UTF-8"}, 0o077)):
        source = os.path.join(folder, name)
        run("git", "clone", "-q", SOURCE, source)
        before = os.umask(umask)
        os.environ.update({**surroundings, "CCACHE_DISABLE": "1"})
        build(source)
        packages.append(pack(1, source, os.path.join(source, "build/package")))
        os.umask(before)
        say(f"built in {source}")
    same(*packages, "built in two folders")
    say(f"built twice from the start: equal bytes, SHA-256 {', '.join(run('sha256sum', file).split()[0] for file in packages[0])}")


def lint(package):
    told = run("lintian", "--no-cfg", "--profile", "debian", "--allow-root", "--fail-on", "error,warning", package)
    check(not told.strip(), "lintian", told)
    say(f"{os.path.basename(package)}: {os.path.getsize(package) / 1e6:.1f} MB, lintian finds nothing")


def compare_programs(packages, folder):
    """A checkpoint, a state or a log belongs to a build id: the package has the tested one."""
    for package in packages:
        run("dpkg-deb", "-x", package, folder)
    library, = glob.glob(os.path.join(folder, "usr/lib/*/libsagbend.so.0"))
    pairs = [(os.path.join(BUILD, name), os.path.join(folder, "usr/bin", name)) for name in ("sagbend", "sagbend-lab", "sagbend-verify", "sagbend-dp", "sagbend-view")]
    for pair in [*pairs, (os.path.join(BUILD, "libsagbend.so.0"), library)]:
        ids = [re.search(r"Build ID: (\w+)", subprocess.run(["readelf", "-n", file], capture_output=True, text=True).stdout).group(1) for file in pair]
        check(ids[0] == ids[1], f"{os.path.basename(pair[0])}: the package has another build id", ids)


def compare_on_demand(package, folder):
    """dpkg-shlibdeps does not see what a program loads on demand: the notes that the programs keep of it say what the package must name."""
    found = {}
    for name in sorted(os.listdir(os.path.join(folder, "usr/bin"))):
        for text in re.findall(r"\[\{.*\}\]", run("readelf", "-p", ".note.dlopen", os.path.join(folder, "usr/bin", name))):
            found.update({soname: note["priority"] for note in json.loads(text) for soname in note["soname"]})
    check("libzmq.so.5" in found, "no note of libzmq", found)
    for soname, priority in found.items():
        owner = run("dpkg", "-S", f"*/{soname}").split(":")[0]
        field = {"required": "Depends", "suggested": "Suggests"}[priority]
        named = run("dpkg-deb", "-f", package, field)
        check(re.search(rf"(^|, ){re.escape(owner)}( \(|,|$)", named.strip()), f"{soname} is {priority}, and {field} lacks {owner}", named)
    say(f"loaded on demand, and named: {', '.join(sorted(found))}")


def in_scratch_root(first, second, root):
    """dpkg in a folder, with the scripts of the package, without its dependencies."""
    for folder in ("etc", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "tmp"):
        os.makedirs(os.path.join(root, folder))
    for name in ("var/lib/dpkg/status", "var/lib/dpkg/available", "etc/passwd", "etc/group"):
        open(os.path.join(root, name), "w").close()
    as_root = [] if os.geteuid() == 0 else ["fakeroot"]
    dpkg = [*as_root, "dpkg", f"--root={root}", "--force-script-chrootless", "--force-depends", "--force-confold"]

    def holds(name):
        with open(os.path.join(root, name)) as file:
            return file.read()

    run(*dpkg, "--install", *first)
    check("sagbend:" in holds("etc/passwd"), "postinst created no user", holds("etc/passwd"))
    for name in ("usr/bin/sagbend", "lib/systemd/system/sagbend.service", "usr/share/man/man1/sagbend.1.gz", "usr/include/sagbend.h", CONFFILE, "etc/sagbend/keys", "var/lib/sagbend"):
        check(os.path.exists(os.path.join(root, name)), "not installed", name)
    check(not glob.glob(os.path.join(root, "etc/systemd/system/*/sagbend.service")), "the service was enabled")
    with open(os.path.join(root, CONFFILE), "a") as file:
        file.write("# mine\n")
    run(*dpkg, "--install", *second)
    check("# mine" in holds(CONFFILE), "the upgrade changed the configuration")
    open(os.path.join(root, "var/lib/sagbend/session.mcap"), "w").close()
    run(*dpkg, "--remove", *PACKAGES)
    check(os.path.exists(os.path.join(root, CONFFILE)) and not os.path.exists(os.path.join(root, "usr/bin/sagbend")), "removal")
    run(*dpkg, "--purge", *PACKAGES)
    left = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if "sagbend" in os.path.join(folder, name)[len(root):]]
    check(left == [os.path.join(root, "var/lib/sagbend/session.mcap")], "left after purging, besides a session's log", left)
    check(not run(*dpkg, "--get-selections").strip(), "dpkg still knows the package")
    say("installed, upgraded, removed and purged in a scratch root")


def main():
    parser = argparse.ArgumentParser(prog="tools/package", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", action="store_true", help="also in a clean Debian 12; needs root and some 400 MB, takes minutes")
    parser.add_argument("--twice", action="store_true", help="also build the commit in two folders and compare; takes some 20 minutes of processor")
    options = parser.parse_args()
    os.environ["SOURCE_DATE_EPOCH"] = os.environ.get("SOURCE_DATE_EPOCH") or epoch()
    for tool in ("cpack", "lintian", "dpkg-shlibdeps", "file"):
        check(shutil.which(tool), f"{tool} is missing: tools/packages-package.txt")
    build()
    for old in glob.glob(os.path.join(OUT, "*.deb")):
        os.remove(old)
    second, first = pack(2), pack(1)
    for package in first:
        lint(package)
    with tempfile.TemporaryDirectory(prefix="sagbend-package-") as folder:
        pack_again(first, folder)
        if options.twice:
            build_twice(folder)
        compare_programs(first, os.path.join(folder, "programs"))
        compare_on_demand(first[0], os.path.join(folder, "programs"))
        in_scratch_root(first, second, os.path.join(folder, "root"))
        if options.root:
            import package_root
            package_root.verify(first[0], second[0], folder, run, check, say)
    for package in second:
        os.remove(package)
    say("built " + " ".join(os.path.relpath(package) for package in first))


main()
