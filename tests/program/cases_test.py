"""Every shipped case runs 60 s with its controller inside, and exceeds no limit that it states, unless a comment in the file says so:
`# exceeds: NAME, NAME. Why.` with events, or the keys of view.limits. A comment that is no longer true fails as well."""
import glob

from harness import *

LIMIT_EVENTS = {"strain_limit", "beyond_yield", "overload", "not_finite", "large_bend", "newton_cap", "buckle_propagation", "large_angle",
                "hangoff_outside", "large_strain", "beyond_hydro", "pipe_sinks"}
QUANTITIES = {"tension_n": "hangoff_tension_n", "moment_nm": "max_moment_nm", "curvature_1pm": "max_curvature_1pm"}
CONFIGS = os.path.join(SOURCE, "configs")
DP_FILES = sorted((name[:-len("-dp.yaml")] for name in os.listdir(CONFIGS) if name.endswith("-dp.yaml")), key=len)


def stated(case):
    with open(case) as file:
        return {name.strip() for line in re.findall(r"^# exceeds: ([^.]*)\.", file.read(), re.M) for name in line.split(",")}


def controller_of(case):
    """The shipped DP file whose name is the longest begin of the name of the case."""
    name = os.path.basename(case)
    return [os.path.join(CONFIGS, begin + "-dp.yaml") for begin in DP_FILES if name.startswith(begin)][-1]


def limits_of(case, *options):
    """The limits that a session of the case publishes; they stand at the begin of its log."""
    log = path("case.mcap")
    status, out, err = run("run", case, "--mode", "fast", "--duration", "0.1", "--overwrite", "--log", log, *options)
    check(status in (0, 1), f"{case} does not run", status, err)
    status, out, err = run("log", "cat", log, "--topic", "/session_info")
    check(status == 0, "log cat", err)
    return json.loads(out.splitlines()[0])["message"].get("limits") or {}


def largest(record, column):
    with open(record) as file:
        names = file.readline().strip().split(",")
        if column not in names:
            return 0
        at = names.index(column)
        return max((float(line.split(",")[at] or "nan") for line in file), default=0)


cases = [case for case in sorted(glob.glob(os.path.join(CONFIGS, "*.yaml"))) if not case.endswith("-dp.yaml")]
check(len(cases) > 20, "shipped cases", cases)
wrong = []
for case in cases:
    command = ["run", case, "--mode", "fast", "--duration", "60", "--set", "simulation.event_time_scale=1", "--overwrite", "--record", path("case.csv"),
               "--summary", path("case.json")]
    options = []
    status, out, err = run(*command)
    if status == 2 and "needs controller.dp_file" in err:
        options = ["--set", "controller.dp_file=" + controller_of(case)]
        status, out, err = run(*command, *options)
    check(status in (0, 1), f"{case} does not run", status, err)
    exceeded = {event["name"] for event in load("case.json")["events"]["first"]} & LIMIT_EVENTS
    limits = limits_of(case, *options)
    for name, column in QUANTITIES.items():
        limit = limits.get(name) or 0
        if limit and largest(path("case.csv"), column) > limit:
            exceeded.add(name)
    if exceeded != stated(case):
        wrong.append(f"{os.path.basename(case)}: it exceeds {sorted(exceeded)}, its comment says {sorted(stated(case))}")
    print(os.path.basename(case), sorted(exceeded))
check(not wrong, "limits of shipped cases", *wrong)
