"""A network namespace with nothing but the loopback interface, in which a test runs: what it sends by multicast cannot leave it."""
import os
import subprocess
import sys

SKIPPED = 77


def enter():
    """Runs the test again inside one. Without the right to make one the test is skipped."""
    if os.environ.get("SAGBEND_NAMESPACE"):
        return
    script = 'ip link set lo up && exec "$@"'
    made = subprocess.run(["unshare", "-rn", "sh", "-c", script, "sh", "true"], capture_output=True, text=True)
    if made.returncode:
        print("skipped: no network namespace:", made.stderr.strip())
        sys.exit(SKIPPED)
    os.environ["SAGBEND_NAMESPACE"] = "1"
    os.execvp("unshare", ["unshare", "-rn", "sh", "-c", script, "sh", sys.executable, *sys.argv])


def ip(*arguments):
    """A change of an interface, as when a cable is pulled."""
    subprocess.run(["ip", *arguments], check=True)
