"""tools/demo: two instances side by side to the end, with summary and plots; stopped by a signal; with its controller or its
simulator killed."""
from PIL import Image

from harness import *

KEYS = {
    "": ["steps", "sim_time_s", "wall_time_s", "late_steps", "step_us", "wakeup_us", "newton", "energy", "vessel", "pipe",
         "commands", "cyclictest", "overrides"],
    "step_us": ["p50", "p99", "p999", "max"], "wakeup_us": ["p50", "p99", "p999", "max"], "newton": ["max", "mean"],
    "energy": ["initial_j", "final_j", "work_j", "dissipated_j", "residual_j", "closure_rel"],
    "vessel": ["position_m", "attitude_deg", "offset_m", "setpoint_m"],
    "pipe": ["hangoff_tension_n", "hangoff_angle_deg", "layback_m", "max_curvature_1pm"], "commands": ["accepted", "refused"],
}
BLUE, VERMILION, GREEN, PINK = 0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7
PLOTS = {"overview": [BLUE, VERMILION], "position": [BLUE, VERMILION, GREEN], "tension": [BLUE, VERMILION], "pipe": [0x440154, 0xE8C500],
         "energy": [BLUE, VERMILION, GREEN, PINK], "timing": [BLUE, VERMILION]}


def demo(out, duration):
    return Program(os.path.join(SOURCE, "tools/demo"), "--build", BUILD, "--duration", str(duration), "--out", path(out))


def colours(name):
    """Returns the number of pixels of each colour in a PNG (8 bits, RGB)."""
    with Image.open(name) as image:
        check((image.format, image.mode) == ("PNG", "RGB"), "another kind of PNG", image.format, image.mode)
        return {red << 16 | green << 8 | blue: count for count, (red, green, blue) in image.getcolors(image.width * image.height)}


def check_summary(s):
    for place, names in KEYS.items():
        for name in names:
            check(name in (s[place] if place else s), f"no {place}.{name} in the summary", s)
    check(s["steps"] == 600 and s["ended_by"] == "duration", "steps", s["steps"], s["ended_by"])
    check(s["commands"]["accepted"] > 40, "the controller hardly acts", s["commands"])
    c = s["cyclictest"]
    check(c is None or 0 <= c["p50"] <= c["p99"] <= c["max"] and c["samples"] > 10, "figures of cyclictest", c)


def check_story(out):
    """The times of the story are those of the case (10 s and 30 s of 120 s), scaled."""
    with open(path(out + "/record.csv")) as file:
        names, *rows = [line.strip().split(",") for line in file]
    rows = [dict(zip(names, map(float, row))) for row in rows]
    disturbed_s = next(r["time_s"] for r in rows if r["work_loads_j"] != 0)
    active_s = next(r["time_s"] for r in rows if r["command_state"] == 2)
    check(0.5 <= disturbed_s <= 0.6, "when the load begins", disturbed_s)
    check(1.5 <= active_s <= 2, "when the controller takes over", active_s)


def check_plots(out):
    for name, wanted in PLOTS.items():
        count = colours(path(f"{out}/{name}.png"))
        for colour in wanted:
            check(count.get(colour, 0) >= 30, f"{name}.png: hardly anything in colour {colour:06x}", count.get(colour, 0))
        check(len(count) > 20, f"{name}.png: few colours", len(count))


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        found = [int(word) for word in file.read().split()]
    return {os.path.basename(os.readlink(f"/proc/{child}/exe")): child for child in found}


def wait_for_children(program):
    program.wait_for("command_first")  # the simulator has received a command
    found = children(program.process.pid)
    check("sagbend" in found and "sagbend-dp" in found, "the two processes", found)
    return found


def check_gone(pids):
    for pid in pids:
        check(not os.path.exists(f"/proc/{pid}"), "a process was left behind", pids)


first, second = demo("first", 6), demo("second", 6)
for out, program in (("first", first), ("second", second)):
    check(program.end() == 0, "tools/demo", program.stderr())
    check_summary(load(out + "/summary.json"))
    check_story(out)
check_plots("first")

program = demo("stopped", 60)
running = wait_for_children(program)
program.signal(signal.SIGINT)
check(program.end() == 130, "exit status after Ctrl-C", program.stderr())
check_gone(running.values())
check(load("stopped/summary.json")["ended_by"] == "signal", "no summary after Ctrl-C", program.stderr())

for victim in ("sagbend-dp", "sagbend"):
    program = demo("killed", 60)
    running = wait_for_children(program)
    os.kill(running[victim], signal.SIGKILL)
    check(program.end() == 1, f"exit status when {victim} is killed", program.stderr())
    check("tools/demo: the " in program.stderr(), "no reason", program.stderr())
    check_gone(running.values())

# tools/demo lay: to the end with its plots; stopped by a signal.
def lay(out, duration):
    return Program(os.path.join(SOURCE, "tools/demo"), "lay", "--build", BUILD, "--duration", str(duration), "--out", path(out))


program = lay("lay", 240)
check(program.end() == 0, "tools/demo lay", program.stderr(), program.stdout())
summary = load("lay/summary.json")
check(summary["ended_by"] == "duration" and summary["passed"] and summary["vessel"]["route_distance_m"] > 12, "the lay", summary["vessel"])
check("m of the route" in program.stdout() and "route.png, lay.png" in program.stdout(), "what it says", program.stdout())
with open(path("lay/controller.log")) as file:
    check("joint 1, at 12.20 m of the route" in file.read(), "the controller's log")
for name, wanted in {"route": [BLUE, VERMILION], "lay": [BLUE, VERMILION, GREEN, PINK]}.items():
    count = colours(path(f"lay/{name}.png"))
    for colour in wanted:
        check(count.get(colour, 0) >= 30, f"lay/{name}.png: hardly anything in colour {colour:06x}", count.get(colour, 0))
program = lay("lay-stopped", 80000)
running = wait_for_children(program)
program.signal(signal.SIGINT)
check(program.end() == 130, "exit status of tools/demo lay after Ctrl-C", program.stderr())
check_gone(running.values())
check(load("lay-stopped/summary.json")["ended_by"] == "signal", "no summary of a lay after Ctrl-C", program.stderr())

for arguments, status, words in [(["lay", "--duration", "1"], 2, "10 to 86400 seconds expected"),
                                 (["--duration", "0"], 2, "1 to 86400 seconds expected"),
                                 (["--build", "/nowhere", "--out", path("n")], 1, "/nowhere")]:
    got, out, err = run(*arguments, program=os.path.join(SOURCE, "tools/demo"))
    check(got == status and words in err, f"tools/demo {arguments}", got, err)
