"""The errors of this package."""
from typing import List, NamedTuple


class SagbendError(Exception):
    """Every error that this package raises by itself, except TypeError and ValueError for wrong arguments."""


class NoAnswer(SagbendError, TimeoutError):
    """The simulator did not answer in time."""


class Refused(SagbendError):
    """The simulator refused a message. reason: a number of sagbend.v1.RefusalReason; text: the explanation."""

    def __init__(self, reason: int, text: str) -> None:
        super().__init__(text)
        self.reason, self.text = reason, text


class SimulatorFailed(SagbendError):
    """The simulator's process did not start, or ended before it should."""


class LogError(SagbendError):
    """The file is no session log, or it cannot be read at all."""


class LibraryError(SagbendError):
    """libsagbend is missing, or it cannot do what was asked."""


class FaultLatched(LibraryError):
    """The simulation has latched a fault and does not advance."""


class CaseError(LibraryError):
    """The case has errors. errors: each with its file, line, column (0: of no place), key and text."""

    class Reported(NamedTuple):
        file: str
        line: int
        column: int
        key: str
        text: str

    def __init__(self, errors: "List[CaseError.Reported]") -> None:
        super().__init__("\n".join(f"{e.file}:{e.line}:{e.column}: {e.text}" if e.line else f"{e.file}: {e.text}" if e.file else e.text for e in errors))
        self.errors = errors
