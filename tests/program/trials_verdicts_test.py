"""At least 200 verdicts of trials, computed again from the records of the runs and the alarms of their summaries, by rules written here
from docs/trials.md alone: limits, circle, added offset, worst case, power, alarm, alarm stays, other alarms, alarm text, one group, back, alarms over."""
import csv

from trials_case import *

SETTLE, FAILURE, RECOVER, BACK = 60, 60, 60, 40
BUS = {"port": ["bow_tunnel_1", "stern_azimuth_port"], "starboard": ["bow_tunnel_2", "stern_azimuth_starboard"]}
BUS_OF = {thruster: bus for bus, thrusters in BUS.items() for thruster in thrusters}
INSTRUMENTS = [f"{kind}-{i}" for kind in ("gnss", "gyro", "mru", "wind") for i in (1, 2, 3)] + ["log-1", "load-1", "load-2", "hangoff-1", "rov-1"]
PIECES = INSTRUMENTS + list(BUS_OF)
LASTING = {"no_output", "invalid", "freeze", "constant", "garbage", "tripped", "lost", "load_limit", "no_output-no_output", "invalid-repaired", "no_output-again", "tripped-again"}
HIDES = {"no_output", "invalid", "freeze", "constant", "tripped", "to_zero", "stuck", "lost", "load_limit"}
ONLY = ["gnss-1/no_output", "gnss-1/invalid", "gnss-1/freeze", "gnss-1/garbage", "gnss-1/drift", "gnss-1/bias-small", "gyro-2/no_output", "gyro-2/bias", "mru-1/invalid", "wind-1/no_output",
        "wind-1/constant", "log-1/no_output", "load-1/no_output", "hangoff-1/outliers", "hangoff-1/no_output", "rov-1/no_output", "bow_tunnel_1/tripped", "bow_tunnel_2/to_zero",
        "stern_azimuth_port/tripped", "stern_azimuth_starboard/stuck", "bus-port/lost", "bus-starboard/lost", "bus-port/load_limit", "link/loss", "all-gnss/no_output",
        "gnss-1/no_output-no_output", "gyro-1/invalid-repaired", "wind-1/no_output-again", "bow_tunnel_1/tripped-again"]
QUANTITIES = ["offset_m", "heading_error_deg", "hangoff_tension_n", "buses_limited"]
PLAN = f"""mode: fast
base: {BASE}
set: {{controller.dp_file: osv-83m-dp.yaml, simulation.step_s: 0.1, pipe.elements: 20, vessel.current_acts: true}}
{TIMES}logs: none
conditions:
  - id: S1
    set:
      environment.wind: {{speed_mps: 8, direction_deg: 40, gusts: norsok}}
      environment.waves: {{significant_height_m: 1, peak_period_s: 6, direction_deg: 40}}
only: [{", ".join(ONLY)}]
worst_case: [bus-port/lost, bus-starboard/lost]
{LIMITS.replace("circle: 5", "circle: 1.5")}expect:
""" + "".join(f"  - {{name: {q}, quantity: {q}, runs: 'nothing', below: 1}}\n" for q in QUANTITIES)

plan = write("verdicts.yaml", PLAN)
times = {m[1]: float(m[2]) for m in re.finditer(r"^(\S+/\S+) .* ([0-9.]+) s$", run("trials", plan, "--list")[1], re.M)}
trials(plan, "--out", path("verdicts"), status=1)
found = results(path("verdicts"))["runs"]
ids = [r["id"].split("@")[0] for r in found]
check(sorted(ids) == sorted(["none", *ONLY]), "the runs", ids)


def series(r):
    with open(path(f"verdicts/points/{r['point']:06d}/series.csv")) as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def alarms(r):
    heard = json.loads(read(path(f"verdicts/points/{r['point']:06d}/summary.json")))["alarms"]["list"]
    return [{**a, "to_s": float("inf") if a["to_s"] is None else a["to_s"]} for a in heard if a["severity"] != "message"]


def largest(rows, key, from_s, to_s=1e9):
    return max(abs(row[key]) for row in rows if from_s - 1e-6 <= row["time_s"] <= to_s)


def limited_s(rows):
    return sum(row["buses_limited"] for row in rows if row["time_s"] >= SETTLE)


def names_of(equipment, mode):
    """What an alarm must name, and what it may."""
    if equipment.startswith("bus-"):
        bus = equipment[4:]
        return ({bus, "power"}, set(BUS[bus])) if mode == "load_limit" else ({bus, *BUS[bus]}, set())
    if equipment == "all-gnss":
        return {"gnss-1", "gnss-2", "gnss-3"}, set()
    if mode == "no_output-no_output":
        return {equipment[:-1] + "2"}, {equipment}
    if mode.endswith("-repaired"):
        return {equipment[:-1] + "2", equipment[:-1] + "3"}, set()
    return {equipment}, set()


def mentioned(text):
    return [p for p in PIECES if re.search(rf"(?<![\w-]){p}(?![\w-])", text)]


def union_gap(spans, from_s, to_s):
    gap, at = 0, from_s
    for begin, end in sorted(spans):
        if begin > at:
            gap += min(begin, to_s) - at
        at = max(at, min(end, to_s))
        if at >= to_s:
            break
    return gap + max(0, to_s - at)


none = series(found[ids.index("none")])
none_m, none_back, none_limited = largest(none, "offset_m", SETTLE), largest(none, "offset_m", SETTLE + FAILURE + BACK), limited_s(none)
declared = max(largest(series(found[ids.index(b)]), "offset_m", SETTLE) for b in ("bus-port/lost", "bus-starboard/lost"))
verdicts, checked, near = {}, 0, 0
for r, name in zip(found, ids):
    if name == "none":
        continue
    equipment, mode = name.split("/")
    rows, begin, end = series(r), SETTLE, SETTLE + FAILURE
    single = r["group"] == "single"
    offset, back, tension = largest(rows, "offset_m", SETTLE), largest(rows, "offset_m", end + BACK), [row["hangoff_tension_n"] for row in rows if row["time_s"] >= SETTLE]
    must, may = names_of(equipment, mode)
    own, other, sound, text, groups = [], [], [], [], []
    for a in alarms(r):
        if a["source"] in PIECES and mentioned(a["text"]) and a["source"] not in mentioned(a["text"]):
            text.append(a)
        about = a["source"] if a["source"] in PIECES else (mentioned(a["text"]) or [None])[0]
        is_own = a["source"] in must or (a["source"] not in PIECES and bool(must & set(mentioned(a["text"]))))
        if is_own:
            own.append(a)
        if not begin <= a["from_s"] < end:
            continue
        groups += [BUS_OF[about]] if about in BUS_OF else []
        if not is_own and a["source"] not in may and about not in may:
            (sound if about and a["kind"] != "differs" else other).append(a)
    heard = [a for a in own if begin <= a["from_s"] < end]
    detected = min((a["from_s"] - begin for a in heard), default=None)
    bound = max(declared, 1.5)
    expected = {
        "limits": (offset <= 10 and min(tension) >= 100e3 and max(tension) <= 450e3, abs(offset - 10) / 10),
        "watch circle": (offset <= 1.5, abs(offset - 1.5) / 1.5),
        "added offset": (offset - none_m <= 1.5, abs(offset - none_m - 1.5) / 1.5) if single and re.match("gnss|gyro|mru|wind|load", equipment) else None,
        "worst case": (offset <= bound, abs(offset - bound) / bound) if single else None,
        "power": (limited_s(rows) - none_limited <= 2, abs(limited_s(rows) - none_limited - 2) / 2),
        "back": (back <= max(3, none_back), abs(back - max(3, none_back))),
        "alarm": (detected is not None and detected <= times[name], 1) if name in times else None,
        "alarm stays": (union_gap([(a["from_s"], a["to_s"]) for a in own], begin + detected, end) <= 5, 1) if detected is not None and mode in LASTING and equipment != "all-gnss" else None,
        "other alarms": (not sound and (not other or detected is not None), 1),
        "alarm text": (not text, 1),
        "one group": (len(set(groups)) <= 1, 1) if single and groups else None,
        "alarms over": (not any(a["to_s"] > end + BACK for a in heard), 1) if heard else None,
    }
    for what, verdict in expected.items():
        got = criterion(r, what)
        if verdict is None:
            check(got["result"] not in ("pass", "passed", "fail", "failed"), f"{name}: {what} is not judged", got)
        elif verdict[1] < 0.03:  # a record once a second cannot decide
            near += 1
        else:
            checked += 1
            verdicts[what] = verdicts.get(what, 0) + 1
            check(got["result"] in (("pass", "passed") if verdict[0] else ("fail", "failed")), f"{name}: {what}", got, verdict, [a["text"] for a in alarms(r)])
        if what == "alarm" and verdict and not verdict[0] and detected is None:
            moved = offset - none_m > 0.5
            check(abs(offset - none_m - 0.5) < 0.02 or got["category"] == ("B" if mode in HIDES or moved or not single else "C"), f"{name}: the grade of a missing alarm", got, offset, none_m)
check(checked >= 200 and near <= 10, "verdicts computed again", checked, near, verdicts)
check(len(verdicts) == 12, "of each criterion", verdicts)
