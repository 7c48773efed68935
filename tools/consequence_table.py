"""Tables of a campaign of tools/consequence: right, missed and false cases with their intervals, and what part of it is chance."""
import math
import random

SECTORS = ((0, 30), (30, 60), (60, 90), (90, 120), (120, 150), (150, 180.1))  # from the bow, either side
BINS = (0, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, math.inf)
WAVES = {"without wave motion": "_without_waves", "with wave motion": ""}


def interval(found, of):
    """Wilson's interval of 95 %."""
    if not of:
        return 0.0, 1.0
    z, p = 1.959964, found / of
    middle, half = (p + z * z / (2 * of)) / (1 + z * z / of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def count(cases, waves, is_on=lambda c: c["alarm"]):
    """is_on: 1, 0 or None, which says nothing. What is lost without an alarm is missed, said or not; of what is kept only what is said counts."""
    cases, key = [c for c in cases if c["held" + waves]], "lost" + waves
    lost, kept = [is_on(c) for c in cases if c[key]], [is_on(c) for c in cases if not c[key]]
    found, false, told = sum(map(bool, lost)), sum(map(bool, kept)), sum(said is not None for said in kept)
    return {"cases": len(cases), "lost": len(lost), "found": found, "missed": len(lost) - found, "kept": len(kept), "false": false,
            "not_reported": lost.count(None) + kept.count(None), "kept_not_reported": kept.count(None),
            "found_share": found / len(lost) if lost else None, "found_interval": interval(found, len(lost)),
            "false_share": false / told if told else None, "false_interval": interval(false, told)}


def by_environment(cases, waves, draws=1000):
    """Intervals of 95 % of the found and of the false share, by bootstrap over the environments: cases of one environment share their gusts."""
    of = {}
    for c in cases:
        of.setdefault(c["environment"]["index"], []).append(c)
    counts, r, drawn = [count(group, waves) for group in of.values()], random.Random(1), {"found": [], "false": []}
    for _ in range(draws):
        picked = [r.choice(counts) for _ in counts]
        for key, whole in (("found", "lost"), ("false", "kept")):
            n = sum(t[whole] for t in picked) - (sum(t["kept_not_reported"] for t in picked) if key == "false" else 0)
            drawn[key] += [sum(t[key] for t in picked) / n] if n else []
    shares = {key: sorted(values) for key, values in drawn.items()}
    return {key: (s[int(0.025 * len(s))], s[int(0.975 * (len(s) - 1))]) if s else None for key, s in shares.items()}


def from_bow(case):
    direction = case["environment"]["direction_deg"] % 360
    return min(direction, 360 - direction)


def groups(cases):
    yield "all", cases
    for name in dict.fromkeys(c["failure"] for c in cases):
        yield name, [c for c in cases if c["failure"] == name]
    for low, high in SECTORS:
        yield f"{low} to {int(high)} deg", [c for c in cases if low <= from_bow(c) < high]


def tables(cases):
    return {title: {name: count(chosen, waves) for name, chosen in groups(cases)} for title, waves in WAVES.items()}


def share(value, between):
    return f"{'-':>7s}" if value is None else f"{100 * value:5.1f} % ({100 * between[0]:4.1f} to {100 * between[1]:5.1f})"


def show_tables(cases, environments, drawn, asked_bound, bound):
    run = sum(c["run"] for c in cases)
    print(f"{drawn} environments drawn, {len(environments)} held: {len(cases)} cases, {run} of them run")
    if run < len(cases) or bound > asked_bound:
        proof = [c for c in cases if c.get("proof")]
        lost = sum(c["lost"] or c["lost_without_waves"] for c in proof)
        print(f"bound: of the cases with a margin above {asked_bound:g}, {len(proof)} ran (every tenth), {lost} of them lost; the bound is {bound:g}")
    broken = sum(c.get("broken", False) for c in cases)
    if broken:
        print(f"{broken} cases broke off, which counts as lost")
    for title, of in tables(cases).items():
        print(f"\n{title:24s} cases  lost  found                          missed   kept  false alarms                   not reported")
        for name, t in of.items():
            print(f"{name:24s} {t['cases']:5d} {t['lost']:5d}  {t['found']:5d} {share(t['found_share'], t['found_interval']):25s} {t['missed']:5d} "
                  f"{t['kept']:6d}  {t['false']:5d} {share(t['false_share'], t['false_interval']):25s} {t['not_reported']:5d}")
        for key, between in by_environment(cases, WAVES[title]).items():
            if between:
                print(f"{key}, by bootstrap over the environments: {100 * between[0]:.1f} to {100 * between[1]:.1f} %")
    print("\nCases without wave motion that were missed or false, or lost:")
    for c in sorted((c for c in cases if c["held_without_waves"] and (c["lost_without_waves"] or c["alarm"])), key=lambda c: c["margin"] or 0):
        e, lost = c["environment"], c["lost_without_waves"]
        verdict = ("right" if c["alarm"] else "missed" if c["alarm"] is not None else "missed, not reported") if lost else "false"
        verdict += ", broken off" if c.get("broken") else ""
        others = f"  lost with other seeds: {sum(c['others'])} of {len(c['others'])}" if "others" in c else ""
        print(f"{e['index']:5d} {e['direction_deg']:6.1f} deg  number {e['number']:.2f}  {c['failure']:24s} margin "
              f"{math.nan if c['margin'] is None else c['margin']:5.2f}  {verdict}{others}")


def show_chance(cases):
    """How often a case is lost with other gusts and waves, by its margin; and what the majority of those runs says of the first one."""
    near = [c for c in cases if c.get("others")]
    print("\nThe same cases with other gusts and waves, without wave motion, those that hold without a failure")
    print("margin          cases  lost   runs  lost  share of runs lost")
    for low, high in zip(BINS, BINS[1:]):
        of = [c for c in near if low <= c["margin"] < high]
        runs, lost = sum(len(c["others"]) for c in of), sum(sum(c["others"]) for c in of)
        if of:
            print(f"{low:4.1f} to {high:4.1f}  {len(of):8d} {sum(c['lost_without_waves'] for c in of):5d} {runs:6d} {lost:5d}  {share(lost / runs, interval(lost, runs))}")
    print("An analysis that knew the outcome of these runs, and gave the alarm if at least so many were lost:")
    for least in range(1, max((len(c["others"]) for c in near), default=0) + 1):
        t = count(cases, "_without_waves", lambda c: sum(c.get("others", [])) >= least)
        print(f"  {least}: found {t['found']} of {t['lost']}, {share(t['found_share'], t['found_interval'])}; false {t['false']} of {t['kept']}, "
              f"{share(t['false_share'], t['false_interval'])}")
