"""libsagbend by ctypes: where it is found, its structs and its functions. sagbend.h is their reference."""
import ctypes
import glob
import os
import threading
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, List, Optional

from .errors import LibraryError

NAME = "libsagbend.so.0"
OK, BAD_INPUT, FAULT = 0, 1, 5
OUTPUT, READING, INPUT = 0, 1, 2
CAN_BE_UNDEFINED, EXISTS = 1, 2
NODE_COLUMNS = 6


class Struct(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self) -> None:
        super().__init__()
        self.size = ctypes.sizeof(self)


class Error(Struct):
    _fields_ = [("size", c_size_t), ("status", c_int32), ("line", c_int32), ("column", c_int32), ("file", c_char * 256), ("key", c_char * 96),
                ("text", c_char * 512)]


class Variable(Struct):
    _fields_ = [("size", c_size_t), ("id", c_uint32), ("kind", c_int32), ("type", c_int32), ("flags", c_int32), ("name", c_char_p),
                ("unit", c_char_p), ("meaning", c_char_p), ("least", c_double), ("most", c_double)]


class Event(Struct):
    _fields_ = [("size", c_size_t), ("step", c_uint64), ("time_s", c_double), ("name", c_char * 32), ("text", c_char * 256)]


class Verdict(Struct):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("result", c_int32), ("violated_step", c_uint64), ("worst_value", c_double),
                ("worst_margin", c_double)]


# name: result, arguments. Arrays of numbers are addresses: c_void_p takes what numpy calls ctypes.data.
_FUNCTIONS = {
    "api_version": (c_uint32, []),
    "version": (c_char_p, []),
    "build": (c_char_p, []),
    "status_text": (c_char_p, [c_int]),
    "case_open": (c_int, [c_char_p, POINTER(c_char_p), c_size_t, c_int, POINTER(c_void_p), POINTER(Error)]),
    "case_close": (None, [c_void_p]),
    "case_error_count": (c_size_t, [c_void_p]),
    "case_error": (c_int, [c_void_p, c_size_t, POINTER(Error)]),
    "case_name": (c_char_p, [c_void_p]),
    "case_hash": (c_uint64, [c_void_p]),
    "open": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "open_beside": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "close": (None, [c_void_p]),
    "reset": (c_int, [c_void_p, POINTER(Error)]),
    "step": (c_int, [c_void_p, c_uint64, c_void_p]),
    "time": (c_double, [c_void_p]),
    "steps": (c_uint64, [c_void_p]),
    "step_s": (c_double, [c_void_p]),
    "period_s": (c_double, [c_void_p]),
    "duration_s": (c_double, [c_void_p]),
    "hash": (c_uint64, [c_void_p]),
    "memory": (c_size_t, [c_void_p]),
    "variable_count": (c_size_t, [c_void_p]),
    "variable_at": (c_int, [c_void_p, c_size_t, POINTER(Variable)]),
    "get": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "set": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, POINTER(Error)]),
    "commands_refused": (c_uint64, [c_void_p, POINTER(Error)]),
    "sensors_due": (c_int, [c_void_p]),
    "order": (c_int, [c_void_p, c_char_p, POINTER(c_uint64), POINTER(Error)]),
    "event_count": (c_size_t, [c_void_p]),
    "event_at": (c_int, [c_void_p, c_size_t, POINTER(Event)]),
    "verdict_count": (c_size_t, [c_void_p]),
    "verdict_at": (c_int, [c_void_p, c_size_t, POINTER(Verdict)]),
    "node_count": (c_size_t, [c_void_p]),
    "nodes": (c_int, [c_void_p, c_void_p, c_size_t]),
    "snapshot_size": (c_size_t, [c_void_p]),
    "snapshot": (c_int, [c_void_p, c_void_p, c_size_t]),
    "restore": (c_int, [c_void_p, c_char_p, c_size_t, POINTER(Error)]),
    "journal": (c_int, [c_void_p, c_char_p, POINTER(Error)]),
    "rollout": (c_int, [c_void_p, c_size_t, c_uint64, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t, c_void_p, POINTER(c_size_t),
                        POINTER(Error)]),
}

_loaded: Optional[Any] = None
_lock = threading.Lock()


def _places() -> List[str]:
    """SAGBEND_LIBRARY; the installation or the build folder that this package lies in; where the system looks."""
    if "SAGBEND_LIBRARY" in os.environ:
        return [os.environ["SAGBEND_LIBRARY"]]
    here = os.path.dirname(os.path.abspath(__file__))
    above = os.path.normpath(os.path.join(here, "../../.."))  # BUILD of BUILD/proto/python/sagbend, lib of lib/python3/dist-packages/sagbend
    beside = [os.path.join(above, NAME), *sorted(glob.glob(os.path.join(glob.escape(above), "*-linux-gnu*", NAME)))]
    return [path for path in beside if os.path.exists(path)] + [NAME]


def load() -> Any:
    """The functions of the library as attributes, without their "sagbend_". Raises LibraryError if there is no library."""
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = _load()
        return _loaded


def _load() -> Any:
    why = ""
    for place in _places():
        try:
            return _Library(ctypes.CDLL(place), place)
        except OSError as error:
            why = str(error)
    raise LibraryError(f"{why}. {NAME} is in the package libsagbend0 and in each build; the variable SAGBEND_LIBRARY names another file")


class _Library:
    def __init__(self, library: ctypes.CDLL, place: str) -> None:
        self.place = place
        for name, (result, arguments) in _FUNCTIONS.items():
            try:
                function = getattr(library, "sagbend_" + name)
            except AttributeError:
                raise LibraryError(f"{place}: no function sagbend_{name}: an older library than this package") from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
