"""The errors of this package."""


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
