"""Plans of trials of the 83 m vessel for the program tests: their text, the failures that they keep, a run of them, its results."""
import json

from harness import *

BASE = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
LIMITS = """limits:
  - {name: position, quantity: offset_m, below: 10, circle: 5}
  - {name: tension, quantity: hangoff_tension_n, within: [100e3, 450e3]}
"""
TIMES = """settle_s: 60
hidden_lead_s: 30
failure_s: 60
recover_s: 60
back: {offset_m: 3, within_s: 40}
"""


def write(name, content):
    with open(path(name), "w") as file:
        file.write(content)
    return path(name)


def read(*names):
    with open(os.path.join(*names)) as file:
        return file.read()


def excluding(ids, kept, why="'not of this test'"):
    """Excludes all others, each by its name: at most 128 rules, so equipment by equipment."""
    whole = sorted({i.split("/")[0] for i in ids} - {i.split("/")[0] for i in kept})
    single = [i for i in ids if i.split("/")[0] not in whole and i not in kept]
    return "exclude:\n" + "".join(f"  - {{id: {i}, why: {why}}}\n" for i in [f"'{e}/*'" for e in whole] + single)


def listed_ids(plan):
    return re.findall(r"^(\S+/\S+) +(?:single|common cause|hidden)", run("trials", plan, "--list")[1], re.M)


def trials(plan, *args, status):
    done = run("trials", plan, "--no-pdf", *args, timeout=600)
    check(done[0] == status, f"trials {args}: status {done[0]}, not {status}", *done[1:])
    return done


def results(folder):
    return json.loads(read(folder, "results.json"))


def by_id(found):
    return {r["id"].split("@")[0]: r for r in found["runs"]}


def criterion(run, name):
    return next(c for c in run["criteria"] if c["name"] == name)
