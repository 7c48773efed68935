"""Session logs as pandas DataFrames (docs/logs.md, docs/python.md)."""
import glob
import os
from typing import Any, Dict, Iterable, List, Optional, Tuple, Type, Union

import numpy as np
import pandas as pd
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

from . import mcap
from .errors import LogError
from .simulator import Path
from .v1 import log_pb2, session_pb2, telemetry_pb2
from .v1.log_pb2 import LogEnd, SessionRecord

_KINDS: Dict[str, Type[Any]] = {
    message.full_name: getattr(module, message.name)
    for module in (log_pb2, session_pb2, telemetry_pb2) for message in module.DESCRIPTOR.message_types_by_name.values()}


_STATE = ("/state_hash", "/sensors", "/truth", "/nodes", "/ledger", "/timing")  # at a joint in both parts


class Log(Dict[str, pd.DataFrame]):
    """A DataFrame for each topic, with an index time_s (simulated seconds) in the order of the log, and a column for each field.

    files: the files read, in order. session: the SessionRecord of the first. end: the LogEnd of the last, None if it is missing.
    problems: what is missing or damaged, one line each. is_complete: nothing is, and the session was ended properly.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: List[str] = []
        self.session: Optional[SessionRecord] = None
        self.end: Optional[LogEnd] = None
        self.problems: List[str] = []

    @property
    def is_complete(self) -> bool:
        return not self.problems and self.end is not None


def read_log(files: Union[Path, Iterable[Path]], topics: Optional[Iterable[str]] = None) -> Log:
    """Reads a log: a file, a folder of parts, or a list of files. Several files must be parts of one session; they are sorted by
    their first step and their rows joined. The state at a joint stands in both parts and comes once.

    topics: read only these, such as ["/sensors", "/truth"]. A log that was not closed, or is damaged, is read as far as its
    checksums are right, and Log.problems says what is missing. Raises LogError if a file is no log.

    Columns have the names of the fields, with dots between the parts: pipe.hangoff_tension_n, as in `sagbend log export-csv`. In a
    list of parts with names the name stands in between: thruster.bow.power_w; otherwise the number: active.0.name. An enumerator
    is text. A list of numbers is an array in its cell. What is absent is nan or None.
    """
    wanted = None if topics is None else {topic if topic.startswith("/") else "/" + topic for topic in topics}
    parts = [_Part(path, wanted) for path in _paths(files)]
    parts.sort(key=lambda part: part.order)
    sessions = {part.session.session for part in parts if part.session}
    if len(sessions) > 1:
        raise LogError(f"files of {len(sessions)} sessions: the files of one expected ({', '.join(sorted(sessions))})")
    log = Log()
    rows: Dict[str, List[Dict[str, Any]]] = {}
    times: Dict[str, List[int]] = {}
    for part in parts:
        log.files.append(part.path)
        log.problems += [f"{part.path}: {problem}" for problem in part.problems]
        log.session, log.end = log.session or part.session, part.end
        for topic in part.rows:
            again = topic in _STATE and bool(times.get(topic)) and part.times[topic][0] == times[topic][-1]
            rows.setdefault(topic, []).extend(part.rows[topic][again:])
            times.setdefault(topic, []).extend(part.times[topic][again:])
    log.problems += _missing_parts(parts)
    if log.end is None:
        log.problems.append(f"{log.files[-1]}: the end of the session is missing")
    for topic, listed in rows.items():
        log[topic] = pd.DataFrame(listed, index=pd.Index(np.array(times[topic], dtype=np.float64) / 1e9, name="time_s"))
    return log


def _missing_parts(parts: "List[_Part]") -> List[str]:
    """Parts that the parts read name as their neighbours."""
    names, missing = {os.path.basename(part.path) for part in parts}, []
    for part in parts:
        before = part.session.part.before if part.session else ""
        after = part.end.continued_in if part.end else ""
        missing += [f"{part.path}: its neighbour {name} is missing" for name in (before, after) if name and name not in names]
    return missing


def _paths(files: Union[Path, Iterable[Path]]) -> List[str]:
    if not isinstance(files, (str, os.PathLike)):
        paths = [os.fspath(path) for path in files]
    elif os.path.isdir(files):
        paths = glob.glob(os.path.join(glob.escape(os.fspath(files)), "*.mcap"))
    else:
        paths = [os.fspath(files)]
    if not paths:
        raise LogError(f"no log in {files!r}")
    return paths


class _Part:
    """What one file contains."""

    def __init__(self, path: str, wanted: Optional[Iterable[str]]) -> None:
        self.path = path
        self.rows: Dict[str, List[Dict[str, Any]]] = {}
        self.times: Dict[str, List[int]] = {}
        self.session: Optional[SessionRecord] = None
        self.end: Optional[LogEnd] = None
        unreadable = 0
        reader = mcap.Reader(path)
        for record in reader:
            if record.kind not in _KINDS or (wanted is not None and record.topic not in wanted and record.topic not in ("/session", "/end")):
                continue
            try:
                message = _KINDS[record.kind].FromString(record.data)
            except DecodeError:
                unreadable += 1
                continue
            if isinstance(message, SessionRecord):
                self.session = message
            elif isinstance(message, LogEnd):
                self.end = message
            if wanted is None or record.topic in wanted:
                row: Dict[str, Any] = {}
                _flatten(message, "", row)
                self.rows.setdefault(record.topic, []).append(row)
                self.times.setdefault(record.topic, []).append(record.log_ns)
        self.problems = reader.problems + ([f"{unreadable} messages cannot be decoded"] if unreadable else [])

    @property
    def order(self) -> Tuple[str, int]:
        return (self.session.started_at, self.session.first_step) if self.session else ("", 0)


_PLANS: Dict[str, List[Tuple[str, str, Any]]] = {}  # type of message: name of field, how, enumerators


def _plan(kind: Descriptor) -> List[Tuple[str, str, Any]]:
    plan = _PLANS.get(kind.full_name)
    if plan is None:
        plan = _PLANS[kind.full_name] = []
        for field in kind.fields:
            is_list = field.label == FieldDescriptor.LABEL_REPEATED
            if field.message_type is not None:
                plan.append((field.name, "parts" if is_list else "part", None))
            elif field.enum_type is not None and not is_list:
                plan.append((field.name, "enum", field.enum_type.values_by_number))
            else:
                plan.append((field.name, "list" if is_list else "value", field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE))
    return plan


def _flatten(message: Any, prefix: str, row: Dict[str, Any]) -> None:
    for name, how, more in _plan(message.DESCRIPTOR):
        value = getattr(message, name)
        if how == "value":
            if _has(message, name):
                row[prefix + name] = value
        elif how == "part":
            if message.HasField(name):
                _flatten(value, f"{prefix}{name}.", row)
        elif how == "enum":
            row[prefix + name] = more[value].name if value in more else str(value)
        elif how == "list":
            row[prefix + name] = np.array(value, dtype=np.float64) if more else list(value)
        else:
            for i, part in enumerate(value):
                own = getattr(part, "name", "") or getattr(getattr(part, "telegram", None), "name", "") or i
                _flatten(part, f"{prefix}{name}.{own}.", row)


def _has(message: Any, name: str) -> bool:
    """False: a member of a oneof that is not set."""
    oneof = message.DESCRIPTOR.fields_by_name[name].containing_oneof
    return oneof is None or message.WhichOneof(oneof.name) == name
