"""/metrics of sagbend-view on a running session, read strictly; the Grafana dashboard asks only for metrics that exist."""
import math
from harness import *
from view_client import Client, get
try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("SKIPPED: python3-prometheus-client is not installed")
    sys.exit(SKIPPED)

with open(path("case.yaml"), "w") as file:
    file.write(f"extends: {JLAY}\nname: metrics\nverdicts:\n  - {{name: 'with \"quotes\"', quantity: offset_m, below: 500}}\n")
simulator = Simulator(path("case.yaml"), "--mode", "realtime", "--duration", "0")
viewer = View("--connect", simulator.telemetry)
port = viewer.port

NAME, LABEL = r"[a-zA-Z_:][a-zA-Z0-9_:]*", r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
UNITS = ("_seconds", "_meters", "_newtons", "_joules", "_radians", "_meters_per_second", "_ratio", "_ppm")
COUNTS = {"sagbend_network_lost", "sagbend_up", "sagbend_running", "sagbend_session_info", "sagbend_active_faults", "sagbend_verdict_passes",
          "sagbend_verdict_margin", "sagbend_view_clients", "sagbend_controller_alarms_active", "sagbend_clock_synchronised"}


def scrape():
    """Name -> (type, [(sample name, labels, value)]), checked line by line and against the parser of Prometheus' own client."""
    status, head, body = get(port, "/metrics")
    text = body.decode()
    check(status == 200 and "text/plain; version=0.0.4" in head, "the answer", status, head)
    check(text.endswith("\n"), "the last line is not complete", text[-100:])
    families, name = {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, words = line[7:].split(" ", 1)
            check(re.fullmatch(NAME, name) and words and name not in families, "HELP", line)
            families[name] = (None, [])
        elif line.startswith("# TYPE "):
            named, kind = line[7:].split(" ")
            check(named == name and kind in ("counter", "gauge", "histogram"), "TYPE", line)
            families[name] = (kind, [])
        else:
            match = SAMPLE.fullmatch(line)
            check(match, "a line that is none of the format", line)
            sample, labels, value = match.groups()
            kind = families[name][0]
            allowed = {name + s for s in ("_bucket", "_sum", "_count")} if kind == "histogram" else {name}
            check(sample in allowed and math.isfinite(float(value)), "a sample of another metric, or not finite", line)
            check(kind != "counter" or float(value) >= 0, "a negative counter", line)
            families[name][1].append((sample, labels, float(value)))
    for name, (kind, samples) in families.items():
        check(name.startswith("sagbend_"), "a name", name)
        check(kind != "counter" or name.endswith("_total"), "a counter whose name does not end in _total", name)
        check(kind == "counter" or name.endswith(UNITS) or name in COUNTS, "a name without a unit", name)
        buckets = [(float(re.search(r'le="([^"]+)"', labels).group(1)), value) for sample, labels, value in samples if sample.endswith("_bucket")]
        if buckets:
            check(buckets == sorted(buckets) and [b[1] for b in buckets] == sorted(b[1] for b in buckets), "buckets rise", name, buckets)
            count, = (value for sample, _, value in samples if sample == name + "_count")
            check(buckets[-1] == (math.inf, count), "the last bucket is the count", name, buckets[-1], count)
    # The parser calls counters by their names without _total.
    parsed = {f.name + ("_total" if f.type == "counter" else ""): f for f in text_string_to_metric_families(text)}
    check(set(parsed) == set(families), "the parser finds other metrics", set(parsed) ^ set(families))
    for name, (kind, samples) in families.items():
        check(parsed[name].type == kind and len(parsed[name].samples) == len(samples), "the parser reads another metric", name, parsed[name])
    return families


def value(families, name):
    samples = families[name][1]
    return samples[0][2] if samples else None


clients = [Client(port).greet() for _ in range(2)]
state = {}


def has_values():
    state.update(scrape())
    return all(value(state, n) is not None for n in ("sagbend_lag_seconds", "sagbend_hangoff_tension_newtons", "sagbend_ledger_residual_joules"))


until(has_values, "metrics without values", state)
check(value(state, "sagbend_up") == 1 and value(state, "sagbend_view_clients") == 2, "the view's own numbers", state)
check(value(state, "sagbend_paid_out_meters") == 0 and value(state, "sagbend_utilisation_ratio") is None, "no lay", state["sagbend_paid_out_meters"])
check(value(state, "sagbend_hangoff_tension_newtons") > 1e5, "the tension", state["sagbend_hangoff_tension_newtons"])
first = value(state, "sagbend_steps_total")
until(lambda: value(scrape(), "sagbend_steps_total") > first, "steps do not count")
clients[0].close()
until(lambda: value(scrape(), "sagbend_view_clients") == 1, "a client that has gone still counts")

# In a pause they agree with what the simulator answers.
code, out, err = run("ctl", simulator.commands, "pause")
check(code == 0, "pause", err)
until(lambda: value(scrape(), "sagbend_running") == 0, "the pause is not told")
code, out, err = run("ctl", simulator.commands, "status", "--json")
check(code == 0, "status", err)
status, paused = json.loads(out), scrape()
for name, key in {"steps_total": "step", "simulated_time_seconds": "time_s", "late_steps_total": "late_steps",
                  "lost_periods_total": "lost_periods", "lag_seconds": "lag_s", "active_faults": "fault_count"}.items():
    check(math.isclose(value(paused, "sagbend_" + name), status[key], rel_tol=1e-9, abs_tol=1e-9), "status and metrics differ", name, value(paused, "sagbend_" + name), status[key])

# Each metric is explained on its page, and the dashboard asks for these only.
with open(os.path.join(SOURCE, "docs/view.md")) as file:
    page = file.read()
for name in state:
    check(f"`{name}`" in page, "docs/view.md: a metric is missing", name)
with open(os.path.join(SOURCE, "deploy/grafana/sagbend.json")) as file:
    board = json.load(file)
asked = 0
for panel in board["panels"]:
    for target in panel["targets"]:
        for name in re.findall(r"sagbend_\w+", target["expr"]):
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            check(name in state or (base in state and state[base][0] == "histogram"), "Grafana asks for a metric that does not exist", name)
            asked += 1
check(asked > 12, "queries of the dashboard", asked)

# The simulator goes: the numbers stay, and sagbend_up is 0.
simulator.signal()
simulator.end()
until(lambda: value(scrape(), "sagbend_up") == 0, "sagbend_up without a simulator")
viewer.signal()
check(viewer.end() == 0, "the end of sagbend-view", viewer.stderr())
print(f"{len(state)} metrics, {asked} in the dashboard")
