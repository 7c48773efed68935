"""Starts sagbend run and hears when it is ready (--ready-fd)."""
import ctypes
import json
import os
import select
import signal
import subprocess
import time


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def ends_with_its_starter():
    """A preexec_fn: the program is told to end (SIGTERM) when the thread that started it ends, even by SIGKILL."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Started:
    """process: the run. wait(): its line as a dictionary, with commands and telemetry; None: it has not become ready."""

    def __init__(self, command, **more):
        self.end, theirs = os.pipe()
        try:
            self.process = subprocess.Popen([*command, "--ready-fd", str(theirs)], pass_fds=[theirs], **{"preexec_fn": ends_with_its_starter, **more})
        finally:
            os.close(theirs)
        self.line = b""

    def wait(self, patience_s=60):
        deadline = time.monotonic() + patience_s
        while not self.line.endswith(b"\n"):
            readable, _, _ = select.select([self.end], [], [], max(0, deadline - time.monotonic()))
            byte = os.read(self.end, 1) if readable else b""
            if not byte:
                return None
            self.line += byte
        found = json.loads(self.line)
        return found if found["ready"] else None

    def close(self):
        os.close(self.end)
