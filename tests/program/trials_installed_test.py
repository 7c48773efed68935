"""The way of a new user with the installed programs, away from the source: an own case on an installed configuration, an own controller from
the installed example, a plan of trials with it, the report. Then the installed plan with sagbend-dp, one run."""
import shutil

from harness import *

PREFIX, USER = path("usr"), path("user")
done = subprocess.run(["cmake", "--install", BUILD, "--prefix", PREFIX], capture_output=True, text=True)
check(done.returncode == 0, "cmake --install", done.stdout, done.stderr)
os.mkdir(USER)
CONFIGS, DOC = os.path.join(PREFIX, "share/sagbend/configs"), os.path.join(PREFIX, "share/doc/sagbend")
package = [folder for folder, names, _ in os.walk(os.path.join(PREFIX, "lib")) if "sagbend" in names and folder.endswith("-packages")]
check(len(package) == 1, "the Python package is installed", package)


def user(*args, status=0):
    done = subprocess.run([os.path.join(PREFIX, "bin/sagbend"), *args], capture_output=True, text=True, timeout=600, cwd=USER,
                          env={**os.environ, "PYTHONPATH": package[0]})
    check(done.returncode == status, f"sagbend {args}: status {done.returncode}, not {status}", done.stdout, done.stderr)
    return done.stdout


def write(name, content):
    with open(os.path.join(USER, name), "w") as file:
        file.write(content)


write("my-case.yaml", f"""# yaml-language-server: $schema={CONFIGS}/schema/sagbend.schema.json
extends: {CONFIGS}/osv-83m.yaml
name: my-vessel
simulation: {{step_s: 0.1}}
pipe: {{elements: 20}}
network: {{accept_wrench: true, sensor_period_s: 0.1}}   # the smallest client commands a wrench
""")
user("check", "my-case.yaml")
shutil.copy(os.path.join(DOC, "docs/examples/minimal_client.py"), os.path.join(USER, "my_controller.py"))
write("my-trials.yaml", """name: mine
base: my-case.yaml
controller: {command: [/usr/bin/python3, my_controller.py, '{endpoint}'], files: [my_controller.py]}
settle_s: 20
hidden_lead_s: 10
failure_s: 20
recover_s: 20
back: {within_s: 10}
conditions: [{id: S1}]
limits: [{name: position, quantity: offset_m, below: 10, circle: 5}]
exclude:
  - {id: 'stern_*', why: short}
  - {id: 'bow_tunnel_2/*', why: short}
  - {id: 'bow_tunnel_1/s*', why: short}
  - {id: 'link/*', why: short}
  - {id: 'bus-*', why: short}
  - {id: 'all-*', why: short}
  - {id: 'network/*', why: short}
  - {id: 'bow_tunnel_1/to_*', why: short}
  - {id: 'bow_tunnel_1/f*', why: short}
  - {id: 'bow_tunnel_1/o*', why: short}
""")
listed = user("trials", "my-trials.yaml", "--list")
check("bow_tunnel_1/tripped" in listed and "gnss" not in listed, "the list", listed)
user("trials", "my-trials.yaml", "--out", "mine", "--no-pdf", status=1)  # a client without alarms has findings
with open(os.path.join(USER, "mine/results.json")) as file:
    results = json.load(file)
runs = {r["id"]: r for r in results["runs"]}
judged = {c["name"]: c for c in runs["bow_tunnel_1/tripped@S1"]["criteria"]}
check(results["conditions"][0]["judged"] and judged["judged"]["result"] == "pass", "the own controller is judged", results["conditions"], judged)
check(os.path.exists(os.path.join(USER, "mine/report.html")), "the report")

# The installed plan, as the manual's example has it, and the schema in its place.
plan = os.path.join(CONFIGS, "trials/osv-83m-short.yaml")
check("gnss-1/drift" in user("trials", plan, "--list"), "the list of the installed plan")
user("trials", plan, "--out", "theirs", "--run", "none@S1", "--set", "pipe.elements=20", "--set", "simulation.step_s=0.1")
for name in ("sagbend-trials", "sagbend-trials-results"):
    check(os.path.exists(os.path.join(CONFIGS, "schema", name + ".schema.json")), "no schema", name)
