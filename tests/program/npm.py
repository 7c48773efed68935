"""Packages from npm for tests that run side by side."""
import fcntl
import filecmp
import shutil
from harness import *

UNREACHABLE = re.compile(r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E40[137]|E5\d\d)\b")


def skip_without_registry(text):
    """Ends the test as skipped if npm failed because its registry cannot be reached."""
    unreachable = UNREACHABLE.search(text)
    if unreachable:
        print(f"SKIPPED: the npm registry cannot be reached ({unreachable.group(1)})")
        sys.exit(SKIPPED)


def replace(source, target):
    """Copies a file that differs. Who reads the target meanwhile reads the old file or the new one."""
    if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        shutil.copy(source, target + ".new")
        os.replace(target + ".new", target)


def npm_folder(name, *files):
    """The folder tests/NAME of the build, with these files of the source and the packages of its lock file. All tests share it: one
    installs the packages while the others wait; once installed for a lock file, nobody changes them."""
    source, folder = os.path.join(SOURCE, "tests", name), os.path.join(BUILD, "tests", name)
    installed = os.path.join(folder, "node_modules/installed-lock.json")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for file in ["package.json", "package-lock.json", ".npmrc", *files]:
            replace(os.path.join(source, file), os.path.join(folder, file))
        if not os.path.exists(installed) or not filecmp.cmp(installed, os.path.join(source, "package-lock.json"), shallow=False):
            done = subprocess.run(["npm", "ci", "--no-progress", "--fetch-retries=1", "--fetch-timeout=60000"], cwd=folder,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode:
                skip_without_registry(done.stderr)
            check(done.returncode == 0, f"npm ci in tests/{name}", done.stdout, done.stderr)
            shutil.copy(os.path.join(source, "package-lock.json"), installed)
    return folder
