"""Part of tools/package --root: the package in a clean Debian 12, first in a chroot, then booted by systemd-nspawn."""
import os
import re
import shutil
import subprocess
import time

PATIENCE_S = 120
CASE = "/etc/sagbend/case.yaml"


class Machine:
    """A root folder booted by systemd-nspawn; commands run beside its systemd."""

    def __init__(self, root, check):
        self.check = check
        environment = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "0"}
        self.log = open(os.path.join(os.path.dirname(root), "console.log"), "w+")
        self.nspawn = subprocess.Popen(["systemd-nspawn", "-D", root, "--register=no", "--keep-unit", "--capability=CAP_SYS_NICE,CAP_IPC_LOCK", "-b"],
                                       stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, env=environment)
        self.init = None
        self.wait(self.find_init, "systemd does not start")
        self.wait(lambda: self.run("systemctl is-system-running")[1].strip() in ("running", "degraded"), "systemd does not come up")

    def console(self):
        self.log.seek(0)
        return self.log.read()

    def find_init(self):
        def children(pid):
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                return file.read().split()

        self.check(self.nspawn.poll() is None, "systemd-nspawn cannot boot here", self.console())
        found = [pid for child in children(self.nspawn.pid) for pid in [child, *children(child)]]
        for pid in found:
            with open(f"/proc/{pid}/comm") as file:
                if file.read().strip() == "systemd":
                    self.init = pid
        return self.init

    def wait(self, holds, what):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            self.check(time.monotonic() < deadline, what, self.console()[-3000:])
            time.sleep(0.2)

    def run(self, command):
        done = subprocess.run(["nsenter", "--target", self.init, "--all", "--root", "--wd", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                               "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", command],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout

    def expect(self, command):
        status, out = self.run(command)
        self.check(status == 0, command, out, self.run("journalctl -u sagbend -n 40 --no-pager")[1])
        return out

    def property(self, name):
        return self.run(f"systemctl show -p {name} --value sagbend")[1].strip()

    def close(self):
        if self.init:
            self.run("systemctl poweroff")
        try:
            self.nspawn.wait(60)
        except subprocess.TimeoutExpired:
            self.nspawn.terminate()
            self.nspawn.wait()


def make_root(tar, root, run, say):
    if not os.path.exists(tar):
        say("making a clean Debian 12 (some minutes)")
        run("mmdebstrap", "--variant=minbase", "--include=systemd,systemd-sysv,dbus,init-system-helpers", "bookworm", tar + ".new.tar")
        os.rename(tar + ".new.tar", tar)
    os.makedirs(root)
    run("tar", "-C", root, "-xf", tar)


def verify_in_chroot(first, root, run, check, say):
    def inside(command):
        return run("chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "sh", "-c", command)

    run("mount", "-t", "proc", "proc", os.path.join(root, "proc"))
    try:
        inside("apt-get update -q")
        inside(f"apt-get install -y -q /root/{os.path.basename(first)}")
        check("disabled" in subprocess.run(["chroot", root, "systemctl", "is-enabled", "sagbend"], capture_output=True, text=True).stdout, "the service was enabled")
        inside(f"cd / && setpriv --reuid=sagbend --regid=sagbend --init-groups sagbend run {CASE} --mode fast --duration 1 --summary /var/lib/sagbend/first.json")
        inside("python3 -c 'import sagbend; sagbend.Client; import sagbend.v1.envelope_pb2'")
        inside("rm /var/lib/sagbend/first.json")
    finally:
        run("umount", os.path.join(root, "proc"))
    say("clean Debian 12: installed with its dependencies; the user sagbend runs the installed case")


def verify_service(machine, second, check, say):
    machine.expect("echo SAGBEND_RESUME=--resume-if-present >> /etc/sagbend/environment")
    machine.expect("systemctl start sagbend")
    check(machine.property("ActiveState") == "active" and machine.property("SubState") == "running", "the service does not run")
    machine.wait(lambda: re.match(r"step \d\d+, lag", machine.property("StatusText")), "no state line")
    fields = machine.expect("journalctl -u sagbend -o verbose --no-pager")
    check("SAGBEND_SESSION=" in fields, "no fields in the journal", fields)
    say(f"under systemd: {machine.property('StatusText')}")

    # A process that stands still is restarted.
    machine.wait(lambda: machine.run("test -s /var/lib/sagbend/checkpoint")[0] == 0, "no checkpoint")
    machine.expect("kill -STOP $(systemctl show -p MainPID --value sagbend)")
    machine.wait(lambda: machine.property("NRestarts") == "1" and machine.property("ActiveState") == "active", "the watchdog does not restart the service")
    check("result 'watchdog'" in machine.expect("journalctl -u sagbend --no-pager"), "the watchdog", machine.expect("journalctl -u sagbend --no-pager"))
    machine.wait(lambda: "SAGBEND_EVENT=resumed" in machine.expect("journalctl -u sagbend -o verbose --no-pager"), "no resumption")
    lost = re.findall(r"steps_lost: (.*)", machine.expect("journalctl -u sagbend -o cat --no-pager"))
    say(f"stopped process: killed by the watchdog, restarted, resumed from its checkpoint; lost: {lost}")

    pid = machine.property("MainPID")
    machine.expect(f"dpkg --force-confold -i /root/{os.path.basename(second)}")
    check(machine.property("MainPID") == pid, "the upgrade has ended the session")
    machine.expect("systemctl restart sagbend")
    machine.expect("systemctl stop sagbend")
    check(machine.property("Result") == "success", "the end of the service", machine.property("Result"))
    machine.expect("systemctl start sagbend")
    machine.expect("dpkg --remove sagbend")
    check(machine.run("pidof sagbend")[0] != 0, "removal leaves the service running")
    machine.expect("rm -r /var/lib/sagbend && dpkg --purge sagbend")
    left = machine.run("find /etc /lib/systemd /usr/bin /usr/lib /usr/share /var/lib -name '*sagbend*' -not -path '/proc/*'")[1]
    check(not left.strip(), "left after purging", left)
    say("upgraded while it ran, restarted, stopped, removed while it ran, purged")


def verify(first, second, folder, run, check, say):
    check(os.geteuid() == 0, "--root needs root")
    root = os.path.join(folder, "debian")
    make_root(os.path.join(os.path.dirname(first), "bookworm.tar"), root, run, say)
    for package in (first, second):
        shutil.copy(package, os.path.join(root, "root"))
    verify_in_chroot(first, root, run, check, say)
    machine = Machine(root, check)
    try:
        verify_service(machine, second, check, say)
    finally:
        machine.close()
