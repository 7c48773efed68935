"""Judges the consequence analysis of a controller: is the vessel lost after a failure when the analysis says so, and only then?

Each environment is drawn evenly over the direction, and over the DP capability numbers 4 to 8 of DNV-ST-0111 with the wind, sea and
current of the table between. The vessel runs in it without a failure; an environment that it does not hold is drawn again. Then each
failure runs by itself, with the same seeds and the same controller. An environment with one failure is a case. Lost: offset or heading
beyond the limit from so long after the failure on, or a run that breaks off. "Without wave motion": held and lost by the mean over --mean-s,
which thrusters can do something about.

A case is right if the alarm for its failure is on when the failure comes and the vessel is lost, or off and it is kept; missed: lost, and
the alarm is not on; false: on and kept. The alarm counts as the controller reports it at the end of a run up to there, from the summary
(sagbend-dp inside) or from the log (--controller). A command without its alarm says of every failure that the vessel would be held; one with
its alarm says of the failure that it names that it would not, and of the others only a ControllerView of the last two seconds of simulated
time reports it, ConsequenceFailure.alarm. "Not reported" is a case of which the controller reports nothing: lost it is missed, kept it is
neither right nor false. A controller that ends before the run, or does not answer, breaks off the run, which counts as lost.

With --bound a case whose margin is larger counts as kept without a run; every tenth of these runs all the same, and if one is lost
the bound rises beyond it."""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys

from consequence_said import from_messages, from_summary
from consequence_table import show_chance, show_tables, tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Numbers of DNV-ST-0111 with the current CURRENT_MPS: wind m/s, significant height m, peak period s.
LEVELS = {4: (7.9, 1.3, 6.5), 5: (10.7, 2.1, 7.5), 6: (13.8, 3.1, 8.5), 7: (17.1, 4.2, 9.0), 8: (20.7, 5.7, 10.0), 9: (24.4, 7.4, 10.5),
          10: (28.4, 9.5, 11.5), 11: (32.6, 12.1, 12.0)}
COLUMNS = ("time_s", "offset_m", "heading_error_rad", "north_m", "east_m", "buses_limited")
CURRENT_MPS, TAKEN_OVER_S, RAMP_S = 0.75, 20, 30
MOST_DRAWN = 20  # environments drawn for one that is held
PATIENCE_S = 10  # wall clock for a run whose controller has ended


def table_row(number):
    low = int(number)
    return [a + (number - low) * (b - a) for a, b in zip(LEVELS[low], LEVELS[low + 1])]


def draw(seed, index, other=0):
    """An environment; other > 0: the same with other gusts and waves."""
    r = random.Random(seed * 1000003 + index)
    direction, number = r.uniform(0, 360), r.uniform(4, 8)
    wind, height, period = table_row(number)
    wind_seed, wave_seed = r.randrange(1, 10 ** 6), r.randrange(1, 10 ** 6)
    for _ in range(other):
        wind_seed, wave_seed = r.randrange(1, 10 ** 6), r.randrange(1, 10 ** 6)
    return {"index": f"{index}~{other}" if other else index, "direction_deg": direction, "number": number, "wind_mps": wind, "height_m": height, "period_s": period,
            "wind_seed": wind_seed, "wave_seed": wave_seed}


class Campaign:
    def __init__(self, options):
        self.o = options
        self.broken = 0  # runs without a failure that broke off
        self.failures = {name: ("bus_lost", name[4:]) if name.startswith("bus-") else ("tripped", name) for name in options.failures}

    def arguments(self, environment, failure, record, until_s=None):
        e, o = environment, self.o
        settings = {"simulation.step_s": 0.1, "pipe.elements": 20, "simulation.duration_s": until_s or o.at_s + o.after_s + o.judged_s,
                    "simulation.lockstep_timeout_s": o.answer_s,
                    "environment.wind": f"{{speed_mps: {e['wind_mps']}, direction_deg: {e['direction_deg']}, gusts: norsok, seed: {e['wind_seed']}, ramp_s: {RAMP_S}}}",
                    "environment.waves": f"{{significant_height_m: {e['height_m']}, peak_period_s: {e['period_s']}, direction_deg: {e['direction_deg']}, "
                                         f"seed: {e['wave_seed']}, ramp_s: {RAMP_S}}}",
                    "environment.current": f"{{surface_mps: {CURRENT_MPS}, direction_deg: {(e['direction_deg'] + 180) % 360}, start_s: 0, ramp_s: {RAMP_S}}}",
                    "controller.dp_file": os.path.abspath(o.dp_file)}
        if failure:
            kind, target = self.failures[failure]
            settings["events"] = f"[{{name: failure, at_s: {o.at_s}, duration_s: 100000, fault: {kind}, target: {target}}}]"
        words = [o.sagbend, "run", o.config, "--mode", "lockstep" if o.controller else "fast", "--record", record, "--record-every", "1"]
        for key, value in settings.items():
            words += ["--set", f"{key}={value}"]
        for item in o.set:
            words += ["--set", item]
        return words

    def file(self, environment, failure, end):
        return os.path.join(self.o.out, "runs", f"{environment['index']}-{failure or 'none'}{end}")

    def execute(self, environment, failure, words):
        status, said, begun = self.in_lockstep(words) if self.o.controller else self.alone(words)
        if status not in (0, 1) or not begun:
            raise RuntimeError(f"environment {environment['index']}, {failure or 'no failure'}: {' '.join(map(shlex.quote, words))}\n{said[-1000:]}")

    def run(self, environment, failure):
        """What is needed of the record of a run, from its folder if it has run before."""
        record = self.file(environment, failure, ".csv")
        if not os.path.exists(record):
            part, short = record + ".part", record + ".short"
            self.execute(environment, failure, self.arguments(environment, failure, part))
            with open(part) as whole, open(short, "w") as file:
                writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
                writer.writeheader()
                writer.writerows(csv.DictReader(whole))
            os.remove(part)
            os.rename(short, record)
        with open(record) as file:
            return [{k: float(row[k]) for k in COLUMNS} for row in csv.DictReader(file)]

    def said(self, environment):
        """What the controller says of each failure when it would come: {name: {"margin", "alarm"}}, from a run that ends there."""
        file = self.file(environment, None, ".said.json")
        if not os.path.exists(file):
            part, log = file + ".part", file + ".mcap"
            words = self.arguments(environment, None, file + ".csv", self.o.at_s) + ["--summary", part]
            self.execute(environment, None, words + (["--log", log, "--overwrite"] if self.o.controller else []))
            if self.o.controller:
                said = from_messages(self.newest(log, "/command"), self.newest(log, "/dp"), self.o.at_s, self.failures)
                os.remove(log)
            else:
                with open(part) as summary:
                    said = from_summary(json.load(summary)["consequence"], self.failures)
            with open(part, "w") as out:
                json.dump(said, out)
            os.remove(file + ".csv")
            os.rename(part, file)
        with open(file) as said:
            return json.load(said)

    def newest(self, log, topic):
        words = [self.o.sagbend, "log", "cat", log, "--topic", topic, "--from", str(self.o.at_s - 10)]
        lines = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
        return json.loads(lines[-1]) if lines else None

    @staticmethod
    def alone(words):
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, done.stderr, True

    def in_lockstep(self, words):
        read, write = os.pipe()
        words = words + ["--bind-command", "tcp://127.0.0.1:*", "--bind-telemetry", "tcp://127.0.0.1:*", "--ready-fd", str(write)]
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as ready:
            line = ready.readline()
            at = json.loads(line) if line else {}
            if not at.get("ready"):
                return 2, run.communicate()[1], False
            controller = subprocess.Popen(shlex.split(self.o.controller.replace("{endpoint}", at["commands"])), stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
            try:
                said = self.end_of(run, controller)
            finally:
                controller.terminate()
                controller.wait()
        return run.returncode, said, True

    @staticmethod
    def end_of(run, controller):
        """What a run says that ends, or is broken off because its controller has ended before it."""
        ended_s = 0
        while True:
            try:
                return run.communicate(timeout=1)[1]
            except subprocess.TimeoutExpired:
                ended_s += controller.poll() not in (None, 0)
                if ended_s == PATIENCE_S:
                    run.send_signal(signal.SIGINT)

    def is_broken(self, rows, until_s=math.inf):
        return not rows or rows[-1]["time_s"] < min(until_s, self.o.at_s + self.o.after_s + self.o.judged_s) - 2

    def is_lost(self, rows, from_s, mean_s, until_s=math.inf):
        """Whether the vessel leaves the limits, as it moves and without wave motion, or the run breaks off."""
        o, target = self.o, self.o.setpoint
        start = [r for r in rows if TAKEN_OVER_S + 40 <= r["time_s"] <= until_s]
        lost = [self.is_broken(rows, until_s)] * 2
        for i, r in enumerate(start):
            if r["time_s"] < from_s:
                continue
            window = start[max(0, i - mean_s + 1):i + 1]
            north, east, heading = (sum(w[k] for w in window) / len(window) for k in ("north_m", "east_m", "heading_error_rad"))
            lost[0] |= r["offset_m"] > o.offset_m or abs(math.degrees(r["heading_error_rad"])) > o.heading_deg
            lost[1] |= math.hypot(north - target[0], east - target[1]) > o.offset_m or abs(math.degrees(heading)) > o.heading_deg
        return lost

    def environment(self, index, other=0):
        """An environment that the vessel holds, with what the controller says; None: not held, not even without wave motion."""
        e, o = draw(self.o.seed, index, other), self.o
        rows = self.run(e, None)
        e["held"], e["held_without_waves"] = (not lost for lost in self.is_lost(rows, o.at_s - 120, o.mean_s))
        self.broken += self.is_broken(rows)
        if not (e["held"] or e["held_without_waves"]):
            return None
        if not other:
            e["said"] = self.said(e)
        return e

    def case(self, environment, failure):
        """One environment with one failure, run."""
        rows = self.run(environment, failure)
        raw, slow = self.is_lost(rows, self.o.at_s + self.o.after_s, self.o.mean_s)
        return {"lost": raw, "lost_without_waves": slow, "broken": self.is_broken(rows)}


def judge(cases, bound, run):
    """Runs the cases that must run: those below the bound, those with an alarm, every tenth of the others. Returns the bound that holds."""
    def is_beyond(case):
        return case["alarm"] is False and case["margin"] is not None and case["margin"] >= bound

    for c in [c for c in cases if is_beyond(c)][::10]:
        c["proof"] = True
    while True:
        run([c for c in cases if "lost" not in c and (c.get("proof") or not is_beyond(c))])
        lost = [c["margin"] for c in cases if c.get("proof") and (c["lost"] or c["lost_without_waves"])]
        raised = max([bound] + [1.1 * margin for margin in lost])
        if raised == bound:
            break
        bound = raised
    for c in cases:
        if "lost" not in c:
            c.update(lost=False, lost_without_waves=False, run=False)
    return bound


class Cases:
    """All failures of all environments, with a bound beyond which only every tenth case runs."""

    def __init__(self, campaign, pool):
        self.c, self.o, self.pool = campaign, campaign.o, pool

    def draw(self):
        held, index = [], 0
        while len(held) < self.o.environments:
            batch = range(index, index + max(self.o.jobs, min(16, self.o.environments - len(held))))
            index = batch.stop
            if index > MOST_DRAWN * (self.o.environments + 1):
                sys.exit(f"tools/consequence: only {len(held)} of {batch.start} environments were held without a failure; in {self.c.broken} of them the run broke off")
            held += [e for e in self.pool.map(self.c.environment, batch) if e]
            self.progress(f"{min(len(held), self.o.environments)} of {self.o.environments} environments held, {index} drawn")
        print(file=sys.stderr)
        return held[:self.o.environments], index

    @staticmethod
    def progress(text):
        print(f"\r{text}", end="", file=sys.stderr, flush=True)

    def all(self, environments):
        cases = []
        for e in environments:
            for name in self.c.failures:
                said = e["said"].get(name, {})
                cases.append({"environment": e, "failure": name, "margin": said.get("margin"), "alarm": said.get("alarm"),
                              "held": e["held"], "held_without_waves": e["held_without_waves"]})
        return cases

    def run(self, cases):
        for i, (c, outcome) in enumerate(zip(cases, self.pool.map(lambda c: self.c.case(c["environment"], c["failure"]), cases))):
            c.update(outcome, run=True)
            self.progress(f"{i + 1} of {len(cases)} cases run")
        print(file=sys.stderr)

    def again(self, cases):
        """The cases near the limit with other seeds of gusts and waves: how many of the runs that hold without a failure are lost."""
        low, high = self.o.near
        near = [c for c in cases if c["margin"] is not None and low <= c["margin"] < high and c["held_without_waves"]]
        keys = sorted({(c["environment"]["index"], k) for c in near for k in range(1, self.o.chance + 1)})
        others = {}
        for key, e in zip(keys, self.pool.map(lambda key: self.c.environment(*key), keys)):
            others[key] = e
            self.progress(f"{len(others)} of {len(keys)} environments with other seeds")
        print(file=sys.stderr)
        jobs = [(c, e) for c in near for k in range(1, self.o.chance + 1) for e in [others[c["environment"]["index"], k]] if e and e["held_without_waves"]]
        for c in near:
            c["others"] = []
        for i, ((c, _), outcome) in enumerate(zip(jobs, self.pool.map(lambda job: self.c.case(job[1], job[0]["failure"]), jobs))):
            c["others"].append(bool(outcome["lost_without_waves"]))
            self.progress(f"{i + 1} of {len(jobs)} cases with other seeds")
        print(file=sys.stderr)


class Limits:
    """The largest wind that the vessel holds in time, for each direction and failure: bisection over the rows of the table."""

    def __init__(self, campaign):
        self.c, self.o = campaign, campaign.o

    def measured(self, direction, number, failure, seed):
        """Worst values of a run: from the failure on for --after-s (transient), and after that."""
        wind, height, period = LEVELS[number]
        e = {"index": f"{direction:g}-{number}-{seed}", "direction_deg": direction, "wind_mps": wind, "height_m": height, "period_s": period,
             "wind_seed": seed, "wave_seed": seed + 1000}
        rows, o = self.c.run(e, failure), self.o
        worst = lambda key, low, high: max([abs(r[key]) for r in rows if low <= r["time_s"] < high], default=math.inf)
        late = [r for r in rows if r["time_s"] >= o.at_s + o.after_s]
        lost = self.c.is_lost(rows, o.at_s + o.after_s, o.mean_s)
        return {"number": number, "wind_mps": wind, "seed": seed, "lost": lost[0], "lost_without_waves": lost[1],
                "transient_offset_m": worst("offset_m", o.at_s, o.at_s + o.after_s), "offset_m": worst("offset_m", o.at_s + o.after_s, math.inf),
                "heading_deg": math.degrees(worst("heading_error_rad", o.at_s + o.after_s, math.inf)),
                "buses_limited_share": sum(r["buses_limited"] > 0 for r in late) / max(1, len(late))}

    def limit(self, direction, failure):
        """Rows of the table with all seeds: the last that holds without wave motion, by bisection, and all that were run."""
        low, high, runs = min(LEVELS) - 1, max(LEVELS) + 1, []
        while high - low > 1:
            number = (low + high) // 2
            now = [self.measured(direction, number, failure, seed) for seed in range(self.o.seed, self.o.seed + self.o.seeds)]
            runs += now
            low, high = (low, number) if any(r["lost_without_waves"] for r in now) else (number, high)
        at = [r for r in runs if r["number"] == low]
        return {"direction_deg": direction, "failure": failure or "none", "number": low if low in LEVELS else 0, "wind_mps": LEVELS[low][0] if low in LEVELS else 0.0,
                "held_with_waves": bool(at) and not any(r["lost"] for r in at), "runs": sorted(runs, key=lambda r: (r["number"], r["seed"]))}

    def table(self):
        cases = [(d, f) for d in self.o.limits for f in [None, *self.c.failures]]
        with concurrent.futures.ThreadPoolExecutor(self.o.jobs) as pool:
            results = list(pool.map(lambda case: self.limit(*case), cases))
        print("direction  failure                 number   wind  with waves   of the last number held: offset  transient  heading  buses limited")
        for r in sorted(results, key=lambda r: (r["direction_deg"], r["wind_mps"])):  # the worst case of a direction first
            at = [x for x in r["runs"] if x["number"] == r["number"]]
            worst = lambda key: max([x[key] for x in at], default=math.nan)
            print(f"{r['direction_deg']:9g}  {r['failure']:22s}  {r['number']:6d}  {r['wind_mps']:5.1f}  {'held' if r['held_with_waves'] else 'lost':10s}"
                  f"  {worst('offset_m'):28.1f} m  {worst('transient_offset_m'):7.1f} m  {worst('heading_deg'):5.1f} deg  {100 * worst('buses_limited_share'):10.0f} %")
        with open(os.path.join(self.o.out, "limits.json"), "w") as file:
            json.dump({"schema": "sagbend-limits/1", "limits": results}, file, indent=1)


def options():
    p = argparse.ArgumentParser(prog="tools/consequence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True, help="folder of the results; runs that are there do not run again")
    p.add_argument("--environments", type=int, default=84, help="number that the vessel holds without a failure (84); each with every failure is a case")
    p.add_argument("--bound", type=float, default=math.inf, metavar="MARGIN", help="cases with a larger margin and no alarm count as kept without a run, but for "
                   "every tenth (all run)")
    p.add_argument("--chance", type=int, default=0, metavar="N", help="run the cases near the limit N times more with other gusts and waves (0)")
    p.add_argument("--near", type=float, nargs=2, default=[0.5, 1.6], metavar="MARGIN", help="the margins that are near the limit (0.5 1.6)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--limits", type=float, nargs="+", metavar="DEG", help="find the largest wind held in these directions instead, in numbers 4 to 11: for "
                   "each failure and without one, by bisection with --seeds seeds from --seed on; the table and limits.json")
    p.add_argument("--seeds", type=int, default=3, help="seeds of gusts and waves for each number of --limits (3)")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--sagbend", default=os.path.join(ROOT, "build/sagbend"))
    p.add_argument("--config", default=os.path.join(ROOT, "configs/scenarios/common/osv.yaml"))
    p.add_argument("--dp-file", default=os.path.join(ROOT, "configs/osv-83m-consequence-dp.yaml"), help="DP file of the controller inside, and of the set-point")
    p.add_argument("--controller", help="command of a controller in its place, in lockstep; {endpoint} is replaced. Every case runs: --bound would trust its margins")
    p.add_argument("--answer-s", type=float, default=120, help="wall clock for an answer of --controller; without one the run breaks off (120)")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="key of every run; may be repeated")
    p.add_argument("--failures", nargs="+", default=["bus-port", "bus-starboard", "bow_tunnel_1", "bow_tunnel_2", "stern_azimuth_port", "stern_azimuth_starboard"],
                   help="thrusters, or bus- and the name of a bus")
    p.add_argument("--setpoint", type=float, nargs=2, default=[503.985, 0], metavar="M", help="north and east, for the offset without wave motion")
    p.add_argument("--at-s", type=float, default=600, help="time of the failure (600)")
    p.add_argument("--after-s", type=float, default=120, help="the limits count from so long after it on (120)")
    p.add_argument("--judged-s", type=float, default=180, help="for so long (180)")
    p.add_argument("--offset-m", type=float, default=5)
    p.add_argument("--heading-deg", type=float, default=3)
    p.add_argument("--mean-s", type=int, default=20, help="seconds of the mean that takes wave motion away (20)")
    o = p.parse_args()
    if o.controller and math.isfinite(o.bound):
        p.error("--bound trusts the margins; with --controller every case runs")
    return o


def main():
    o = options()
    if shutil.which(o.sagbend) is None:
        sys.exit(f"tools/consequence: no program {o.sagbend}; --sagbend FILE names it")
    os.makedirs(os.path.join(o.out, "runs"), exist_ok=True)
    same = os.path.join(o.out, "campaign.json")
    asked = {k: v for k, v in vars(o).items() if k not in ("out", "jobs", "environments", "bound", "chance", "near")}
    if os.path.exists(same) and json.load(open(same)) != asked:
        sys.exit(f"tools/consequence: {o.out} belongs to a campaign with other options; give another folder")
    json.dump(asked, open(same, "w"), indent=1)
    campaign = Campaign(o)
    if o.limits:
        Limits(campaign).table()
        return
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        run = Cases(campaign, pool)
        environments, drawn = run.draw()
        cases = run.all(environments)
        bound = judge(cases, o.bound, run.run)
        if o.chance:
            run.again(cases)
    result = {"schema": "sagbend-consequence/2", "options": asked, "drawn": drawn, "environments": environments, "bound": bound if math.isfinite(bound) else None,
              "cases": [dict(c, environment=c["environment"]["index"]) for c in cases], "tables": tables(cases)}
    with open(os.path.join(o.out, "results.json"), "w") as file:
        json.dump(result, file, indent=1)
    show_tables(cases, environments, drawn, o.bound, bound)
    if o.chance:
        show_chance(cases)


if __name__ == "__main__":
    main()
