"""Many short runs in this process, some at a time in threads."""
import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, TypeVar, Union

import numpy as np

from . import library
from .errors import SagbendError
from .simulation import Names, Simulation

Item = TypeVar("Item")
Result = TypeVar("Result")


class Rollouts(NamedTuple):
    """outputs[n, t, :] of sequence n after its row t; NaN from the row in which a fault was latched. rows[n]: rows that are made.
    hashes[n]: of the last state."""

    outputs: "np.ndarray"
    rows: "np.ndarray"
    hashes: List[str]


def run_each(simulations: Sequence[Simulation], function: Callable[[Simulation, Item], Result], items: Iterable[Item]) -> List[Result]:
    """function(simulation, item) for each item, with a thread for each simulation; the results in the order of the items. It ends at
    the first exception, which it raises."""
    if not simulations:
        raise ValueError("at least one simulation expected")
    rest, lock, stop = enumerate(items), threading.Lock(), threading.Event()
    results: List[Any] = []

    def work(simulation: Simulation) -> None:
        while not stop.is_set():
            with lock:
                index, item = next(rest, (-1, None))
                if index < 0:
                    return
                results.append(None)
            try:
                results[index] = function(simulation, item)  # type: ignore[arg-type]
            except BaseException:
                stop.set()
                raise

    with ThreadPoolExecutor(len(simulations)) as pool:
        for done in [pool.submit(work, simulation) for simulation in simulations]:
            done.result()
    return results


def rollout(simulations: Sequence[Simulation], inputs: Names, controls: "np.ndarray", outputs: Names, *, every: Optional[int] = None,
            states: "Union[None, bytes, Sequence[bytes]]" = None) -> Rollouts:
    """Runs N sequences of T rows of inputs from one state, with a thread for each simulation.

    controls[n, t, :]: what inputs are in row t of sequence n. Each row lasts `every` steps, by default a control period. states: where
    the sequences begin: a snapshot, or one for each; by default the present state of the first simulation. The simulations are of one
    case (Simulation.beside); afterwards each stands where its last sequence ended. Inputs that are refused raise ValueError.
    """
    if not simulations:
        raise ValueError("at least one simulation expected")
    first = simulations[0]
    what = first.select(*inputs) if not hasattr(inputs, "address") else inputs
    read = first.select(*outputs) if not hasattr(outputs, "address") else outputs
    given = np.ascontiguousarray(controls, dtype=np.float64)
    if given.ndim != 3 or given.shape[2] != len(what):
        raise ValueError(f"controls of shape (sequences, rows, {len(what)}) expected, not {given.shape}")
    count, rows = given.shape[:2]
    begin = first.snapshot() if states is None else states
    starts = [begin] * count if isinstance(begin, bytes) else list(begin)
    if len(starts) != count:
        raise ValueError(f"a state for each of {count} sequences expected, got {len(starts)}")
    steps = first.period_steps if every is None else every
    values, made = np.full((count, rows, len(read)), np.nan), np.zeros(count, dtype=np.int64)

    def run(simulation: Simulation, n: int) -> str:
        simulation.restore(starts[n])
        done, error = ctypes.c_size_t(), library.Error()
        status = library.load().rollout(simulation._open(), rows, steps, what.address, len(what), given[n].ctypes.data, read.address, len(read),
                                        values[n].ctypes.data, ctypes.byref(done), ctypes.byref(error))
        made[n] = done.value
        if status not in (library.OK, library.FAULT):
            why = f"sequence {n}, row {done.value}: {error.text.decode(errors='replace')}"
            raise ValueError(why) if status == library.BAD_INPUT else SagbendError(why)
        return simulation.hash

    return Rollouts(values, made, run_each(simulations, run, range(count)))
