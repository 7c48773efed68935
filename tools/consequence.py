"""Judges the consequence analysis of a controller: would the vessel be lost after a failure when its alarm says so, and only then?

Each environment is drawn evenly over the direction, and over the DP capability numbers 4 to 8 of DNV-ST-0111 with the wind, sea and
current of the table between. The vessel runs in it without a failure; an environment that it does not hold is drawn again. Then each
failure runs by itself, with the same seeds and the same controller. Lost: offset or heading beyond the limit from so long after the failure on.
"Without wave motion": held and lost by the mean over --mean-s, which thrusters can do something about. The alarm counts as it is at the moment of
the failure (consequence_alarm).

An environment is right if the alarm is on and a failure loses the vessel, or off and none does; missed: off and one does; false: on and none does."""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import random
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Numbers of DNV-ST-0111 with the current CURRENT_MPS: wind m/s, significant height m, peak period s.
LEVELS = {4: (7.9, 1.3, 6.5), 5: (10.7, 2.1, 7.5), 6: (13.8, 3.1, 8.5), 7: (17.1, 4.2, 9.0), 8: (20.7, 5.7, 10.0), 9: (24.4, 7.4, 10.5),
          10: (28.4, 9.5, 11.5), 11: (32.6, 12.1, 12.0)}
CURRENT_MPS, TAKEN_OVER_S, RAMP_S = 0.75, 20, 30


def table_row(number):
    low = int(number)
    return [a + (number - low) * (b - a) for a, b in zip(LEVELS[low], LEVELS[low + 1])]


def draw(seed, index):
    r = random.Random(seed * 1000003 + index)
    direction, number = r.uniform(0, 360), r.uniform(4, 8)
    wind, height, period = table_row(number)
    return {"index": index, "direction_deg": direction, "number": number, "wind_mps": wind, "height_m": height, "period_s": period,
            "wind_seed": r.randrange(1, 10 ** 6), "wave_seed": r.randrange(1, 10 ** 6)}


def interval(found, of):
    """Wilson's interval of 95 %."""
    if not of:
        return 0.0, 1.0
    z, p = 1.959964, found / of
    middle, half = (p + z * z / (2 * of)) / (1 + z * z / of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


class Campaign:
    def __init__(self, options):
        self.o = options
        self.failures = {name: ("bus_lost", name[4:]) if name.startswith("bus-") else ("not_ready", name) for name in options.failures}

    def arguments(self, environment, failure, record):
        e, o = environment, self.o
        settings = {"simulation.step_s": 0.1, "pipe.elements": 20, "simulation.duration_s": o.at_s + o.after_s + o.judged_s,
                    "simulation.lockstep_timeout_s": 120,
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

    def run(self, environment, failure):
        """The record of a run, from its folder if it has run before."""
        folder = os.path.join(self.o.out, "runs")
        record = os.path.join(folder, f"{environment['index']}-{failure or 'none'}.csv")
        if not os.path.exists(record):
            part = record + ".part"
            words = self.arguments(environment, failure, part)
            status, said = self.in_lockstep(words) if self.o.controller else self.alone(words)
            if status not in (0, 1) or not os.path.exists(part):
                raise RuntimeError(f"environment {environment['index']}, {failure or 'no failure'}: {' '.join(map(shlex.quote, words))}\n{said[-1000:]}")
            os.rename(part, record)
        with open(record) as file:
            return [{k: float(row[k]) for k in ("time_s", "offset_m", "heading_error_rad", "north_m", "east_m", "consequence_margin", "consequence_alarm",
                                                 "buses_limited")}
                    for row in csv.DictReader(file)]

    @staticmethod
    def alone(words):
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, done.stderr

    def in_lockstep(self, words):
        read, write = os.pipe()
        words = words + ["--bind-command", "tcp://127.0.0.1:*", "--bind-telemetry", "tcp://127.0.0.1:*", "--ready-fd", str(write)]
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as ready:
            line = ready.readline()
            at = json.loads(line) if line else {}
            if not at.get("ready"):
                return 2, run.communicate()[1]
            controller = subprocess.Popen(shlex.split(self.o.controller.replace("{endpoint}", at["commands"])), stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
            try:
                said = run.communicate()[1]
            finally:
                controller.terminate()
                controller.wait()
        return run.returncode, said

    def is_lost(self, rows, from_s, mean_s):
        """Whether the vessel leaves the limits, as it moves and without wave motion."""
        start = [r for r in rows if r["time_s"] >= TAKEN_OVER_S + 40]
        north, east = ([r[k] for r in start] for k in ("north_m", "east_m"))
        target = self.o.setpoint
        lost = [False, False]
        for i, r in enumerate(start):
            if r["time_s"] < from_s:
                continue
            window = range(max(0, i - mean_s + 1), i + 1)
            mean = [sum(values[k] for k in window) / len(window) for values in (north, east, [q["heading_error_rad"] for q in start])]
            lost[0] |= r["offset_m"] > self.o.offset_m or abs(math.degrees(r["heading_error_rad"])) > self.o.heading_deg
            lost[1] |= math.hypot(mean[0] - target[0], mean[1] - target[1]) > self.o.offset_m or abs(math.degrees(mean[2])) > self.o.heading_deg
        return lost

    def environment(self, index):
        """None: the vessel does not hold it without a failure, not even without wave motion."""
        e, o = draw(self.o.seed, index), self.o
        rows = self.run(e, None)
        e["held"], e["held_without_waves"] = (not lost for lost in self.is_lost(rows, o.at_s - 120, o.mean_s))
        if not (e["held"] or e["held_without_waves"]):
            return None
        at = [r for r in rows if r["time_s"] <= o.at_s][-1]
        e["alarm"] = int(at["consequence_alarm"])
        e["margin"] = at["consequence_margin"] if math.isfinite(at["consequence_margin"]) else None  # None: not known
        e["lost"], e["lost_without_waves"] = [], []
        for name in self.failures:
            raw, slow = self.is_lost(self.run(e, name), o.at_s + o.after_s, o.mean_s)
            e["lost"] += [name] * raw
            e["lost_without_waves"] += [name] * slow
        return e


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
        ended = rows[-1]["time_s"] > o.at_s + o.after_s + o.judged_s - 2
        return {"number": number, "wind_mps": wind, "seed": seed, "lost": lost[0] or not ended, "lost_without_waves": lost[1] or not ended,
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


def table_of(environments, waves=""):
    environments, key = [e for e in environments if e["held" + waves]], "lost" + waves
    found = sum(1 for e in environments if e["alarm"] and e[key])
    lost = sum(1 for e in environments if e[key])
    false = sum(1 for e in environments if e["alarm"] and not e[key])
    kept = len(environments) - lost
    return {"environments": len(environments), "lost": lost, "found": found, "missed": lost - found, "kept": kept, "false": false,
            "found_share": found / lost if lost else None, "found_interval": interval(found, lost),
            "false_share": false / kept if kept else None, "false_interval": interval(false, kept)}


def show(title, t):
    share = lambda value, between: "-" if value is None else f"{100 * value:.1f} % ({100 * between[0]:.1f} to {100 * between[1]:.1f})"
    print(f"{title}: {t['environments']} environments, {t['lost']} lost after a failure: found {t['found']}, missed {t['missed']}, "
          f"{share(t['found_share'], t['found_interval'])}; {t['kept']} kept: false alarms {t['false']}, {share(t['false_share'], t['false_interval'])}")


def options():
    p = argparse.ArgumentParser(prog="tools/consequence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True, help="folder of the results; runs that are there do not run again")
    p.add_argument("--environments", type=int, default=84, help="number that the vessel holds without a failure (84)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--limits", type=float, nargs="+", metavar="DEG", help="find the largest wind held in these directions instead, in numbers 4 to 11: for "
                   "each failure and without one, by bisection with --seeds seeds from --seed on; the table and limits.json")
    p.add_argument("--seeds", type=int, default=3, help="seeds of gusts and waves for each number of --limits (3)")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--sagbend", default=os.path.join(ROOT, "build/sagbend"))
    p.add_argument("--config", default=os.path.join(ROOT, "configs/scenarios/common/osv.yaml"))
    p.add_argument("--dp-file", default=os.path.join(ROOT, "configs/osv-83m-consequence-dp.yaml"), help="DP file of the controller inside, and of the set-point")
    p.add_argument("--controller", help="command of a controller in its place, in lockstep; {endpoint} is replaced")
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
    return p.parse_args()


def main():
    o = options()
    if shutil.which(o.sagbend) is None:
        sys.exit(f"tools/consequence: no program {o.sagbend}; --sagbend FILE names it")
    os.makedirs(os.path.join(o.out, "runs"), exist_ok=True)
    same = os.path.join(o.out, "campaign.json")
    asked = {k: v for k, v in vars(o).items() if k not in ("out", "jobs", "environments")}
    if os.path.exists(same) and json.load(open(same)) != asked:
        sys.exit(f"tools/consequence: {o.out} belongs to a campaign with other options; give another folder")
    json.dump(asked, open(same, "w"), indent=1)
    campaign, held, index = Campaign(o), [], 0
    if o.limits:
        Limits(campaign).table()
        return
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        while len(held) < o.environments:
            batch = range(index, index + max(o.jobs, min(16, o.environments - len(held))))
            index = batch.stop
            held += [e for e in pool.map(campaign.environment, batch) if e]
            print(f"\r{min(len(held), o.environments)} of {o.environments} environments held, {index} drawn", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    held = held[:o.environments]
    result = {"schema": "sagbend-consequence/1", "options": asked, "drawn": index, "environments": held,
              "all": table_of(held), "without_waves": table_of(held, "_without_waves")}
    for k, half in enumerate(("first_half", "second_half")):
        result[half] = table_of(held[k::2])
        result[half + "_without_waves"] = table_of(held[k::2], "_without_waves")
    with open(os.path.join(o.out, "results.json"), "w") as file:
        json.dump(result, file, indent=1)
    for e in held:
        lost = e["lost" if e["held"] else "lost_without_waves"]
        if e["alarm"] or lost:
            verdict = "right" if e["alarm"] and lost else "missed" if lost else "false"
            print(f"{e['index']:5d}  {e['direction_deg']:5.1f} deg  number {e['number']:.2f}  margin {math.nan if e['margin'] is None else e['margin']:6.2f}  alarm {'on ' if e['alarm'] else 'off'}  {verdict:6s} "
                  f"{', '.join(lost)}{'' if e['held'] else '  (held and lost without wave motion)'}")
    show("all", result["all"])
    show("without wave motion", result["without_waves"])
    show("first half", result["first_half"])
    show("second half", result["second_half"])


if __name__ == "__main__":
    main()
