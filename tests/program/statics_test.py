"""sagbend statics: JSON, overrides, the shape; the numbers against the independent reference."""
import csv

from harness import *

KEYS = ["hangoff_angle_deg", "layback_m", "top_tension_n", "max_moment_nm", "max_curvature_1pm", "x_top_m", "iterations",
        "residual_n"]


def statics(*args):
    status, out, err = run("statics", JLAY, "--json", *args)
    check(status == 0, f"statics {args}: status {status}", err)
    found = json.loads(out)
    for key in KEYS:
        check(isinstance(found.get(key), (int, float)), f"statics {args}: {key} is {found.get(key)}")
    return found


coarse, fine = statics(), statics("--elements", "740")
check(coarse["elements"] == 100 and fine["elements"] == 740, "--elements is not heeded", coarse, fine)
# Reference: the independent statics of this case, 30-inch pipe, H = 400 kN (seed 000, Table 5.4: 74.30 degrees, 679.76 m).
check(abs(coarse["hangoff_angle_deg"] - 74.300) < 0.02, "hang-off angle at 100 elements", coarse)
check(abs(fine["hangoff_angle_deg"] - 74.300) < 0.01, "hang-off angle at 740 elements", fine)
check(abs(fine["layback_m"] - 679.8) < 1, "lay-back at 740 elements", fine)
check(coarse["residual_n"] < 1, "unbalanced force", coarse)

near, far = statics("--horizontal-force-n", "200e3"), statics("--horizontal-force-n", "800e3")
check(near["hangoff_angle_deg"] > coarse["hangoff_angle_deg"] > far["hangoff_angle_deg"], "angles do not follow H")
check(near["layback_m"] < coarse["layback_m"] < far["layback_m"], "lay-backs do not follow H")
check(abs(far["horizontal_force_n"] - 800e3) < 1, "the horizontal force asked for", far)
same = statics("--set", "statics.horizontal_force_n=800e3")
check(same == far, "--set and the option differ", same, far)

status, out, err = run("statics", JLAY)
check(status == 0 and "hang-off angle" in out, "no table", out, err)
status, out, err = run("statics", JLAY, "--shape", path("shape.csv"))
with open(path("shape.csv")) as file:
    nodes = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
check(status == 0 and len(nodes) == 101, f"{len(nodes)} nodes in the shape", err)
check(nodes[0]["s_m"] == 0 and abs(nodes[-1]["s_m"] - 1500) < 1e-6, "arc length", nodes[0], nodes[-1])
check(abs(nodes[-1]["north_m"] - coarse["x_top_m"]) < 1e-3 and nodes[0]["down_m"] > 850, "ends", nodes[0], nodes[-1])
