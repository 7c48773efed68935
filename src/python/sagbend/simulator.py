"""Starts `sagbend run` and finds its sockets."""
import atexit
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from typing import Deque, List, Optional, Sequence, Union

from .errors import SimulatorFailed

Path = Union[str, "os.PathLike[str]"]


class Simulator:
    """A simulator in a process of its own, on ports of the loopback interface that the system chooses.

        with Simulator("case.yaml", "--mode", "lockstep") as simulator:
            client = sagbend.Client(simulator.commands)

    commands, telemetry: its endpoints. stderr: the newest lines of its standard error. It ends with the with block, or
    with this process.
    """

    def __init__(self, case: Path, *options: str, program: Path = "sagbend", timeout_s: float = 60) -> None:
        ports = ["--bind-command", "tcp://127.0.0.1:*", "--bind-telemetry", "tcp://127.0.0.1:*"]
        self.arguments = [os.fspath(program), "run", os.fspath(case), *ports, *options]
        self.commands = self.telemetry = ""
        self._lines: Deque[str] = deque(maxlen=1000)
        self._said, theirs = os.pipe()
        try:
            self.process = subprocess.Popen([*self.arguments, "--ready-fd", str(theirs)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, text=True, errors="replace", pass_fds=[theirs])
        except OSError as error:
            os.close(self._said)
            raise SimulatorFailed(f"cannot start {program}: {error.strerror}") from error
        finally:
            os.close(theirs)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        atexit.register(self.kill)
        try:
            self._wait_until_ready(timeout_s)
        finally:
            os.close(self._said)
        if not self.telemetry:
            self.kill()
            raise SimulatorFailed(f"{' '.join(self.arguments)} does not start:\n{self.stderr}")

    def __enter__(self) -> "Simulator":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def stderr(self) -> str:
        return "\n".join(self._lines)

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def stop(self, timeout_s: float = 30) -> int:
        """Ends the session properly by SIGTERM, and after timeout_s by SIGKILL; returns the exit status."""
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            pass
        return self.kill()

    def wait(self, timeout_s: Optional[float] = None) -> int:
        """Waits until it ends by itself; returns the exit status. Raises SimulatorFailed after timeout_s."""
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise SimulatorFailed(f"the simulator did not end within {timeout_s:g} s") from None
        return self.kill()

    def kill(self) -> int:
        """Kills it if it still runs; returns the exit status."""
        atexit.unregister(self.kill)
        if self.is_running:
            self.process.kill()
        status = self.process.wait()
        if threading.current_thread() is not self._reader:
            self._reader.join()
        return status

    def _wait_until_ready(self, timeout_s: float) -> None:
        """Reads the line of JSON that the simulator writes when its sockets are open. There is none if it ends or takes too long."""
        line, deadline = b"", time.monotonic() + timeout_s
        while not line.endswith(b"\n"):
            readable, _, _ = select.select([self._said], [], [], max(0.0, deadline - time.monotonic()))
            byte = os.read(self._said, 1) if readable else b""
            if not byte:
                return
            line += byte
        said = json.loads(line)
        self.commands, self.telemetry = said.get("commands", ""), said.get("telemetry", "")

    def _read(self) -> None:
        assert self.process.stderr
        with self.process.stderr as stream:
            for line in stream:
                self._lines.append(line.rstrip("\n"))


def overrides(values: "dict[str, object]") -> List[str]:
    """--set options for configuration keys and their values."""
    options: List[str] = []
    for key, value in values.items():
        text = ("true" if value else "false") if isinstance(value, bool) else str(value)
        options += ["--set", f"{key}={text}"]
    return options


__all__: Sequence[str] = ["Simulator", "overrides"]
