"""The sentences of sagbend trials about more than one run: 1,500 random campaigns (states, grades, conditions, declared failures,
exclusions, acceptance, alarms) judged by its code and once more here, from the runs alone. Each sentence that it prints must be true with
its numbers, each that is true and counts must be printed, and the counts of states, grades and junit.xml must be the same."""
import random
import xml.etree.ElementTree

from harness import *

COUNT, LIMIT, CIRCLE, BACK = 1500, 10.0, 5.0, 3.0
GROUPS = {1: "single", 2: "common", 3: "hidden", 4: "operation"}


def campaign(rng):
    """Few kinds of events in most campaigns, so that each headline comes."""
    conditions, failures = rng.randint(1, 3), []
    trouble = rng.choice([0, 0, 0, 0.02, 0.3])
    wild = rng.choice([0, 0, 0.05, 0.4])
    for k in range(rng.randint(0, 12)):
        failures.append((f"eq-{k // 2}/m{k}", rng.choice([1, 1, 1, 1, 2, 3, 4]) if rng.random() < 0.5 else 1))
    singles = [f for f, g in failures if g == 1]
    declared = rng.sample(singles, min(len(singles), rng.choice([0, 1, 1, 2])))
    excluded = [(f"out-{k // 3}/m{k}", rng.choice([0, 1])) for k in range(rng.choice([0, 0, 0, 1, 5]))]
    accept = [(pattern, grade) for pattern in ["*"] for grade in rng.choice([[], [], ["A"], ["B"], ["A", "B"]])]
    settling = [(rng.choice([0.1, 0.1, 0.1, 0.1, 0.4]), rng.choice([0.1, 0.1, 0.1, 0.1, 2])) for _ in range(conditions)]
    settled_by_all = rng.random() < 0.7
    runs = []
    for c in range(conditions):
        if settled_by_all:
            settling[c] = (0.05, 0.05)
        base = rng.choice([0.5, 1, 1, 1, 1, 6, 11]) if rng.random() < 0.2 else 0.8
        for name, group in [("none", 0)] + failures:
            outcome = rng.choice(["missing", "machine", "controller", "run"]) if rng.random() < trouble else "passed"
            offset = base if not group else base + rng.choice([0, 0.02, 0.5, 1, 1.3]) + (rng.uniform(0, 12) if rng.random() < wild else 0)
            if name in declared:
                offset = base + rng.choice([0.01, 1.5, 2, 2])
            back = rng.uniform(0, 2) if rng.random() > wild / 2 else 4
            alarm = -1 if not group else rng.choice([1, 5, 12, -1]) if rng.random() < wild else 2
            runs.append((outcome, round(offset, 3), round(back, 3), alarm))
    shares = [rng.choice([None, 0.2, 0.49, 0.5, 0.8, 2]) if rng.random() < 0.4 else 0.7 for _ in range(conditions)] if declared else []
    return dict(shares=shares, conditions=conditions, failures=failures, declared=declared, excluded=excluded, accept=accept, settling=settling, runs=runs,
                alarms=rng.choice([0, 0, 0, 0, 2]), stranger=rng.random() < 0.05, spread=rng.choice([0.1, 0.1, 0.3]))


def written(c):
    lines = [f"campaign {c['conditions']} {c['alarms']} {c['spread']}"]
    lines += [f"failure {name} {group}" for name, group in c["failures"]] + [f"declared {d}" for d in c["declared"]]
    lines += [f"excluded {name} {by_plan}" for name, by_plan in c["excluded"]] + [f"accept {p} {g}" for p, g in c["accept"]]
    lines += [f"settling {k} {a} {b}" for k, (a, b) in enumerate(c["settling"])] + [f"no share {k}" if s is None else f"share {k} {s / 2} {s}" for k, s in enumerate(c["shares"])] + ["stranger points/000999"] * c["stranger"]
    return lines + ["run " + " ".join(str(x) for x in r) for r in c["runs"]] + ["end"]


def judge(c):
    """State, grades of all that fails, group and name of each run, by condition."""
    out, names = [], [("none", 0)] + c["failures"]
    for k in range(c["conditions"]):
        rows = c["runs"][k * len(names):(k + 1) * len(names)]
        none = rows[0]
        outside = none[0] != "passed" or none[1] > CIRCLE
        worst = [r[1] for r, (n, g) in zip(rows, names) if n in c["declared"] and r[0] == "passed"]
        worst = max(worst) if c["declared"] and len(worst) == len(c["declared"]) else None
        for (outcome, offset, back, alarm), (name, group) in zip(rows, names):
            grades = set()
            if outcome == "controller":
                grades.add("A")
            if outcome == "run":
                grades.add("B")
            if outcome == "passed" and not group and outside:
                grades.add("B")
            if outcome == "passed" and group and not outside:
                grades |= {"A"} if offset > LIMIT else set()
                grades |= {"B"} if offset > CIRCLE else set()
                grades |= {"B"} if group == 1 and worst is not None and offset > max(worst, CIRCLE) else set()
                grades |= {"B"} if back > max(BACK, none[2]) else set()
                if c["alarms"] == 0:
                    grades |= {"B" if offset - none[1] > 0.5 else "C"} if alarm < 0 else {"C"} if alarm > 10 else set()
            state = ("failed" if grades else "not run" if outcome == "missing" else "broken" if outcome == "machine" else
                     "not judged" if outside else "passed")
            allowed = {g for p, g in c["accept"]}
            out.append(dict(state=state, grades=grades, worst=min(grades) if grades else None, group=group, name=name, condition=k, offset=offset,
                            there=outcome == "passed", declared_m=worst, none_m=none[1] if none[0] == "passed" else None,
                            accepted=bool(grades & {"A", "B"}) and grades & {"A", "B"} <= allowed))
    return out


def truths(c, runs):
    """id: its numbers, of every sentence that is true and has to be said."""
    done = [r for r in runs if r["state"] in ("passed", "failed")]
    single, seen = [r for r in runs if r["group"] == 1], [r for r in done if r["group"] == 1]
    bad = [r for r in seen if "A" in r["grades"]]
    left = [r for r in seen if "A" not in r["grades"] and r["declared_m"] is not None and r["there"] and r["offset"] > max(CIRCLE, r["declared_m"])]
    beside = [r for r in seen if r["name"] not in c["declared"] and r["declared_m"] is not None and r["there"]]
    larger = [r for r in beside if r["offset"] - r["declared_m"] >= c["spread"]]
    urgent = [r for r in runs if r["grades"] & {"A", "B"}]
    open_, accepted = [r for r in urgent if not r["accepted"]], [r for r in urgent if r["accepted"]]
    others = [r for r in runs if r["group"] > 1]
    of_declared = [r for r in runs if r["name"] in c["declared"]]
    tried = sum(g != 4 for _, g in c["failures"])
    listed = tried + sum(by for _, by in c["excluded"])
    by_condition = [[r for r in runs if r["condition"] == k] for k in range(c["conditions"])]
    whole = [rows for rows in by_condition if all(r in done for r in rows)]
    unsettled = [k for k, rows in enumerate(by_condition) if rows[0]["there"] and max(c["settling"][k]) > 0.1 * min(BACK, CIRCLE, LIMIT)]
    idle = [k for k, rows in enumerate(by_condition) if rows[0]["declared_m"] is not None and rows[0]["none_m"] is not None and
            rows[0]["declared_m"] - rows[0]["none_m"] < c["spread"]]
    count = {s: sum(r["state"] == s for r in runs) for s in ("passed", "failed", "broken", "not run", "not judged")}
    say = {}
    if single and len(seen) == len(single) and not bad:
        say["ALL_KEEP"] = [len(single)]
    if 0 < len(seen) < len(single) and not bad:
        say["JUDGED_KEEP"] = [len(single), len(seen)]
    if single and not seen:
        say["NONE_JUDGED"] = [len(single)]
    if bad:
        say["PASSING"] = [len(single), len(seen), len(bad)]
    if left:
        say["BEYOND"] = [len(left), len(seen)]
    if beside:
        say.update({"SOME_LARGER": [len(larger), len(beside), c["spread"]]} if larger else {"NONE_LARGER": [len(beside), c["spread"]]})
    if others:
        say["OTHERS"] = [len(others), sum(r in done for r in others), sum(bool(r["grades"] & {"A", "B"}) for r in others)]
    if open_:
        say["OPEN_RUNS"] = [len(open_)]
    if accepted:
        say["ACCEPTED"] = [len(accepted)]
    for name, state in (("BROKEN", "broken"), ("NOT_RUN", "not run"), ("NOT_JUDGED", "not judged")):
        if count[state]:
            say[name] = [count[state], len(runs)]
    if len(whole) < c["conditions"]:
        say["CONDITIONS"] = [len(whole), c["conditions"]]
    if sum(r in done for r in of_declared) < len(of_declared):
        say["DECLARED"] = [sum(r in done for r in of_declared), len(of_declared)]
    if tried < listed:
        say["LEFT_OUT"] = [listed - tried, listed]
    if c["alarms"] == 2:
        say["ALARMS"] = []
    if c["stranger"]:
        say["STRANGERS"] = []
    if unsettled:
        say["SETTLE"] = unsettled
    if idle:
        say["IDLE"] = idle
    calm = [k for k, s in enumerate(c["shares"]) if s is not None and s < 0.5]
    if calm:
        say["CALM"] = calm
    if None in c["shares"]:
        say["UNKNOWN_SHARE"] = [k for k, s in enumerate(c["shares"]) if s is None]
    say["SEEDS"] = []
    # Good is what was shown as a whole, and holds: here from what a surveyor would ask, not from the order of the headlines.
    sound = (len(done) == len(runs) and not c["stranger"] and not open_ and not bad and not left and not larger and not unsettled and bool(single) and
             not (c["declared"] and idle) and not calm and tried == listed and c["alarms"] == 0)
    return say, count, sound, len(open_), {g: sum(r["worst"] == g for r in runs) for g in "ABC"}


# Of a headline, what must hold whatever else there is.
def headline_holds(name, text, c, runs, sound):
    done = [r for r in runs if r["state"] in ("passed", "failed")]
    beyond = [r for r in done if r["group"] == 1 and ("A" in r["grades"] or (r["declared_m"] is not None and r["there"] and r["offset"] > max(CIRCLE, r["declared_m"])))]
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    tried = sum(g != 4 for _, g in c["failures"])
    complete = len(done) == len(runs) and not c["stranger"]
    if name in ("MET", "NONE"):
        return sound and (name == "MET") == bool(c["declared"])
    if name == "INCOMPLETE":
        return len(done) < len(runs) and numbers == [len(done), len(runs)]
    if name == "STRANGE":
        return c["stranger"]
    if name in ("NOT_MET", "LIMITS"):
        return complete and bool(beyond) and (name == "NOT_MET") == bool(c["declared"])
    if name == "OPEN":
        return complete and not beyond and any(r["grades"] & {"A", "B"} and not r["accepted"] for r in runs)
    if name == "IDLE":
        say = truths(c, runs)[0]
        return complete and not beyond and numbers == [tried, tried + sum(by for _, by in c["excluded"]), len(set(say.get("IDLE", [])) | set(say.get("CALM", []))), c["conditions"]] and numbers[2] > 0
    if name in ("TRIED", "TRIED_MET"):
        return complete and not beyond and numbers == [tried, tried + sum(by for _, by in c["excluded"])] and numbers[0] < numbers[1]
    return complete and not beyond and not sound


NUMBER = r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])"
rng = random.Random(43)
every = [campaign(rng) for _ in range(COUNT)]
answer = subprocess.run([BUILD + "/tests/program/trials_statements"], input="\n".join(line for c in every for line in written(c)) + "\n", capture_output=True, text=True)
check(answer.returncode == 0, "the helper", answer.stderr)
blocks = answer.stdout.split("\nend\n")[:COUNT]
check(len(blocks) == COUNT, "a block a campaign", len(blocks))
printed, headlines, sentences = {}, {}, 0
for number, (c, block) in enumerate(zip(every, blocks)):
    block = block[4:] if block.startswith("end\n") else block
    head, junit = block.split("<?xml", 1)
    rows = [line.split("\t") for line in head.strip("\n").split("\n")]
    counts = [int(n) for n in rows.pop()[1].split()]
    runs = judge(c)
    say, count, sound, open_, grades = truths(c, runs)
    context = (number, c, head)
    check(rows[0][1] == "0" and all(r[1] != "0" for r in rows[1:]), "one headline", *context)
    check(headline_holds(rows[0][0], rows[0][2], c, runs, sound), f"headline {rows[0][0]}", *context)
    check((counts[0] == 1) == sound, "good is what is sound", counts, sound, *context)
    headlines[rows[0][0]] = headlines.get(rows[0][0], 0) + 1
    said = {}
    for name, _, text in rows[1:]:
        printed[name] = printed.get(name, 0) + 1
        sentences += 1
        if name in ("SETTLE", "IDLE", "CALM", "UNKNOWN_SHARE"):
            said.setdefault(name, []).append(int(text[1:text.index(":")]) - 1)
        elif name in ("STRANGERS", "ALARMS", "SEEDS"):
            said[name] = []
        else:
            said[name] = [float(n) for n in re.findall(NUMBER, text)][:len(say.get(name, [0] * 9))]
    check(said == say, "the sentences with their numbers", sorted(set(said) ^ set(say)), {k: (said[k], say[k]) for k in said.keys() & say.keys() if said[k] != say[k]}, *context)
    check(counts[1:] == [*count.values(), *grades.values(), open_, int(len([1 for r in runs if r["state"] in ("passed", "failed")]) == len(runs) and not c["stranger"])],
          "counts", counts, count, grades, open_, *context)
    suites = xml.etree.ElementTree.fromstring("<?xml" + junit)
    wanted = dict(tests=len(runs), failures=open_, errors=count["broken"], skipped=count["not run"] + count["not judged"] + sum(r["accepted"] for r in runs))
    check({k: int(suites.get(k)) for k in wanted} == wanted, "junit.xml", suites.attrib, wanted, *context)
text = open(os.path.join(SOURCE, "src/lab/judge/statements.inc")).read()
ids = set(re.findall(r"^(?:SHOWN|MISSING|MISSING_IN)\((\w+),", text, re.M))
check(ids == set(printed), "every sentence of the list came", ids ^ set(printed))
check(set(re.findall(r"^HEADLINE\((\w+),", text, re.M)) == set(headlines), "and every headline", headlines)
print(f"{COUNT} campaigns, {sentences} sentences, headlines {headlines}, fewest {min(printed.items(), key=lambda x: x[1])}")
