"""A simulation in this process, by libsagbend (docs/library.md)."""
import ctypes
import os
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

import numpy as np

from . import library
from .errors import CaseError, FaultLatched, LibraryError

Path = Union[str, "os.PathLike[str]"]
_CONTROLLERS = {"inside": 0, "caller": 1, "alone": 2}


class Variable(NamedTuple):
    """least, most: limits of an input. can_be_undefined: NaN at times; exists: this case has it."""

    name: str
    number: int
    kind: str  # output, reading, input
    type: str  # real, integer, boolean
    unit: str
    meaning: str
    least: float
    most: float
    can_be_undefined: bool
    exists: bool


class Event(NamedTuple):
    step: int
    time_s: float
    name: str
    text: str


class Verdict(NamedTuple):
    """result: passed, failed or not judged, so far. violated_step: the first one, or None."""

    name: str
    result: str
    violated_step: Optional[int]
    worst_value: float
    worst_margin: float


class Selection:
    """A fixed list of variables, for any simulation of the same case: Simulation.select."""

    def __init__(self, names: Tuple[str, ...], numbers: "np.ndarray") -> None:
        self.names, self.numbers = names, numbers
        self.address, self.count = numbers.ctypes.data, len(numbers)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"Selection{self.names}"


Names = Union[Selection, Sequence[str]]


class _Case:
    """A case that its simulations share."""

    def __init__(self, path: Path, overrides: Sequence[str], controller: int) -> None:
        self.library = library.load()
        self.handle = ctypes.c_void_p()
        error = library.Error()
        texts = (ctypes.c_char_p * len(overrides))(*[text.encode() for text in overrides])
        status = self.library.case_open(os.fsencode(path), texts, len(overrides), controller, ctypes.byref(self.handle), ctypes.byref(error))
        if status != library.OK:
            raise CaseError([_reported(e) for e in self._errors() or [error]])
        self.variables: Dict[str, Variable] = {}  # of its first simulation

    def _errors(self) -> List[library.Error]:
        found = []
        for index in range(self.library.case_error_count(self.handle)):
            error = library.Error()
            if self.library.case_error(self.handle, index, ctypes.byref(error)) == library.OK:
                found.append(error)
        return found

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.library.case_close(self.handle)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _reported(error: library.Error) -> "CaseError.Reported":
    return CaseError.Reported(_text(error.file), error.line, error.column, _text(error.key), _text(error.text))


class Simulation:
    """A simulation of a case in this process: no socket, no other process, no waiting.

        with sagbend.Simulation("configs/jlay-900m.yaml", controller="caller") as simulation:
            outputs = simulation.select("vessel.north_m", "vessel.heading_rad")
            simulation.set({"command.engaged": 1, "command.wrench.surge_n": 4e5})
            simulation.step(100)
            north_m, heading_rad = simulation.get(outputs)

    overrides: configuration keys and their values, as --set. controller: "inside": that of the case, as `sagbend run --mode
    fast`; "caller": you, as in lockstep; "alone": that controller without the vessel, measurements in and commands out. One thread uses it at a time; different ones run in different threads, as the
    library works without Python's lock. The same case and inputs give the same bits as `sagbend run`.
    """

    def __init__(self, case: Path, *, overrides: Optional[Dict[str, object]] = None, controller: str = "inside") -> None:
        self._handle = ctypes.c_void_p()
        if controller not in _CONTROLLERS:
            raise ValueError(f"controller: 'inside', 'caller' or 'alone' expected, not {controller!r}")
        sets = [f"{key}={_value(value)}" for key, value in (overrides or {}).items()]
        self._begin(_Case(case, sets, _CONTROLLERS[controller]), None)

    def _begin(self, case: _Case, first: "Optional[Simulation]") -> None:
        self._case, self._library, error = case, case.library, library.Error()
        opened = ctypes.byref(self._handle), ctypes.byref(error)
        self._check(self._library.open_beside(first._handle, *opened) if first else self._library.open(case.handle, *opened), error)
        self._buffers: Dict[Selection, Tuple[np.ndarray, int]] = {}
        if not case.variables:
            case.variables = {v.name: v for v in self._read_variables()}

    def beside(self) -> "Simulation":
        """Another one of the same case, at its start. This one must have made no step; its equilibrium serves both."""
        other = object.__new__(Simulation)
        other._handle = ctypes.c_void_p()
        other._begin(self._case, self)
        return other

    def close(self) -> None:
        if self._handle:
            self._library.close(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    # --- what it is ---
    @property
    def name(self) -> str:
        return _text(self._library.case_name(self._case.handle))

    @property
    def time_s(self) -> float:
        return float(self._library.time(self._open()))

    @property
    def steps(self) -> int:
        """Made since the start."""
        return int(self._library.steps(self._open()))

    @property
    def step_s(self) -> float:
        return float(self._library.step_s(self._open()))

    @property
    def period_steps(self) -> int:
        """Steps of a control period: a controller measures and commands so often."""
        return round(self._library.period_s(self._open()) / self.step_s)

    @property
    def duration_s(self) -> float:
        """As the case states it; 0: without an end. Steps go on after it."""
        return float(self._library.duration_s(self._open()))

    @property
    def hash(self) -> str:
        """Of the state, as `sagbend run --hashes` writes it."""
        return f"{self._library.hash(self._open()):016x}"

    @property
    def memory_bytes(self) -> int:
        """Of this simulation, without its case."""
        return int(self._library.memory(self._open()))

    @property
    def sensors_due(self) -> bool:
        """Whether a controller would now receive measurements and answer with a command."""
        return bool(self._library.sensors_due(self._open()))

    @property
    def variables(self) -> Dict[str, Variable]:
        """All by name: outputs, readings, inputs."""
        return dict(self._case.variables)

    # --- steps and values ---
    def step(self, steps: int = 1) -> None:
        """Makes so many steps with the present inputs. Raises FaultLatched if the simulation does not advance."""
        status = self._library.step(self._handle or self._open(), steps, None)
        if status:
            self._fail(status)

    def select(self, *names: str) -> Selection:
        """Variables as get and set take them without looking up their names again."""
        missing = [name for name in names if name not in self._case.variables]
        if missing:
            raise ValueError(f"no variable of this case: {', '.join(missing)}")
        return Selection(names, np.array([self._case.variables[name].number for name in names], dtype=np.uint32))

    def get(self, names: Names) -> "np.ndarray":
        """The values of variables, in the order of names. What the case does not have, or what is not defined now, is NaN."""
        selection = names if isinstance(names, Selection) else self.select(*names)
        buffer = self._buffers.get(selection)
        if buffer is None:
            values = np.empty(selection.count)
            buffer = values, values.ctypes.data
            if selection is names:  # one that is made again each time would only fill the table
                self._buffers[selection] = buffer
        if self._library.get(self._handle or self._open(), selection.address, selection.count, buffer[1]):
            raise ValueError("a selection of this case expected")
        return buffer[0].copy()

    def __getitem__(self, name: str) -> float:
        return float(self.get((name,))[0])

    def set(self, inputs: "Union[Names, Dict[str, float]]", values: "Optional[Sequence[float]]" = None) -> None:
        """Sets inputs, by a dictionary or by names and values: all of them, or none and a ValueError that says why. They reach the
        vessel at each control sample, as any controller's command does, while command.engaged is 1."""
        if isinstance(inputs, dict):
            inputs, values = tuple(inputs), tuple(inputs.values())
        selection = inputs if isinstance(inputs, Selection) else self.select(*inputs)
        given = np.ascontiguousarray(values, dtype=np.float64)
        if given.shape != (selection.count,):
            raise ValueError(f"{selection.count} values expected, not {given.shape}")
        error = library.Error()
        if self._library.set(self._handle or self._open(), selection.address, selection.count, given.ctypes.data, ctypes.byref(error)):
            raise ValueError(_text(error.text))

    def refused(self) -> Tuple[int, str]:
        """How many commands were refused after all, and why the newest was."""
        error = library.Error()
        count = self._library.commands_refused(self._open(), ctypes.byref(error))
        return int(count), _text(error.text)

    def order(self, words: str) -> int:
        """An operator's order to the vessel, in the words of `sagbend ctl`: "fault no_output --target gnss-1 --for 20". Returns its number."""
        number, error = ctypes.c_uint64(), library.Error()
        if self._library.order(self._open(), words.encode(), ctypes.byref(number), ctypes.byref(error)):
            raise ValueError(_text(error.text))
        return number.value

    # --- events, verdicts, the pipe ---
    @property
    def events(self) -> List[Event]:
        return [Event(e.step, e.time_s, _text(e.name), _text(e.text)) for e in self._all("event", library.Event)]

    @property
    def verdicts(self) -> List[Verdict]:
        results = ("passed", "failed", "not judged")
        return [Verdict(_text(v.name), results[v.result], None if v.violated_step == 2**64 - 1 else v.violated_step, v.worst_value, v.worst_margin)
                for v in self._all("verdict", library.Verdict)]

    def nodes(self) -> "np.ndarray":
        """A row for each node of the pipe from its lower end: north, east, down, arc length in m, effective tension in N,
        utilisation."""
        rows = np.empty((self._library.node_count(self._open()), library.NODE_COLUMNS))
        self._check(self._library.nodes(self._handle, rows.ctypes.data, len(rows)))
        return rows

    # --- states ---
    def snapshot(self) -> bytes:
        """The state with its inputs, for restore: here, in another simulation of this case, in another process with this build."""
        state = ctypes.create_string_buffer(self._library.snapshot_size(self._open()))
        self._check(self._library.snapshot(self._handle, state, len(state)))
        return state.raw

    def restore(self, state: bytes) -> None:
        """Raises ValueError, and changes nothing, if the state is damaged, of another case or of another build."""
        error = library.Error()
        if self._library.restore(self._open(), state, len(state), ctypes.byref(error)):
            raise ValueError(_text(error.text))

    def reset(self) -> None:
        """Back to step 0, without inputs."""
        error = library.Error()
        self._check(self._library.reset(self._open(), ctypes.byref(error)), error)

    # --- the journal ---
    def journal(self, path: Path) -> None:
        """From now on writes what is done to this simulation into a new file, from which `sagbend log from-journal` makes session logs
        that can be replayed. Before the first step, order and state. close ends it."""
        error = library.Error()
        if self._library.journal(self._open(), os.fsencode(path), ctypes.byref(error)):
            raise ValueError(_text(error.text))

    # --- within ---
    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise LibraryError("this simulation is closed")
        return self._handle

    def _check(self, status: int, error: Optional[library.Error] = None) -> None:
        if status != library.OK:
            self._fail(status, error)

    def _fail(self, status: int, error: Optional[library.Error] = None) -> None:
        if status == library.FAULT:
            raise FaultLatched(f"the simulation has latched a fault at {self.time_s:g} s; it does not advance")
        if error is not None and error.line:
            raise CaseError([_reported(error)])
        raise LibraryError(_text(error.text) if error is not None and error.text else _text(self._library.status_text(status)))

    def _all(self, what: str, kind: "Type[library.Struct]") -> List[library.Struct]:
        found = []
        for index in range(getattr(self._library, what + "_count")(self._open())):
            found.append(kind())
            self._check(getattr(self._library, what + "_at")(self._handle, index, ctypes.byref(found[-1])))
        return found

    def _read_variables(self) -> List[Variable]:
        kinds, types = ("output", "reading", "input"), ("real", "integer", "boolean")
        return [Variable(_text(v.name), v.id, kinds[v.kind], types[v.type], _text(v.unit), _text(v.meaning), v.least, v.most,
                         bool(v.flags & library.CAN_BE_UNDEFINED), bool(v.flags & library.EXISTS))
                for v in self._all("variable", library.Variable)]


def _value(value: object) -> str:
    """As --set takes it."""
    return {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else str(value)
