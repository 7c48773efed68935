"""An uneven seabed: the ledger of the shipped case closes, the pipe spans a ridge, and the log replays without the grid file. A
changed grid is another model, and a grid that does not extend under the pipe is refused."""
import csv
import shutil

from harness import *

CONFIGS = path("configs")
shutil.copytree(os.path.join(SOURCE, "configs"), CONFIGS)
UNEVEN, GRID = os.path.join(CONFIGS, "jlay-uneven.yaml"), os.path.join(CONFIGS, "uneven-900m.asc")

made = subprocess.run([os.path.join(SOURCE, "tools/uneven-seabed")], capture_output=True, text=True).stdout
with open(GRID) as file:
    text = file.read()
check(made == text, "tools/uneven-seabed makes another grid than the one that is there")

status, out, err = run("statics", UNEVEN, "--shape", path("shape.csv"))
check(status == 0, "statics", err)
with open(path("shape.csv")) as file:
    nodes = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
head = dict(line.split() for line in text.splitlines()[:6])
rows = [[-float(z) for z in line.split()] for line in text.splitlines()[6:]][::-1]


def level(north, east):
    """Bilinear interpolation in the grid, within a few centimetres of the spline."""
    i, j = (north + 200) / 20, (east + 300) / 20
    m, n = int(i), int(j)
    i, j = i - m, j - n
    return ((1 - i) * ((1 - j) * rows[m][n] + j * rows[m][n + 1]) + i * ((1 - j) * rows[m + 1][n] + j * rows[m + 1][n + 1]))


clear = [level(node["north_m"], node["east_m"]) - node["down_m"] - 0.381 for node in nodes]  # under the pipe
touching = [i for i, gap in enumerate(clear) if gap < 0.05]
check(abs(clear[0] + 0.762 / 8) < 0.02 and all(gap > -0.5 for gap in clear), "resting on the ground", clear)
free = [i for i in range(touching[0], touching[-1]) if clear[i] > 0.3]
check(len(free) > 3, "no span beside the ridge", clear[:60])

status, out, err = run("run", UNEVEN, "--mode", "fast", "--duration", "20", "--log", path("u.mcap"), "--summary", path("u.json"),
                       "--checkpoint", path("c"), "--set", "simulation.event_time_scale=0.2")
check(status == 0, "a fast run", err)
summary = load("u.json")
check(summary["energy"]["closure_rel"] < 1e-8, "the ledger", summary["energy"])
check(summary["energy"]["dissipated_j"]["friction"] > 0 and summary["energy"]["dissipated_j"]["seabed"] > 0, "nothing rubs", summary["energy"])

with open(GRID, "w") as file:
    file.write(text.replace("-917.17", "-917.18", 1))
status, out, err = run("run", UNEVEN, "--mode", "fast", "--duration", "30", "--resume", path("c"), "--set",
                       "simulation.event_time_scale=0.2")
check(status == 2 and "jlay-uneven" in err, "a checkpoint of another seabed was taken", status, err)

shutil.rmtree(CONFIGS)
status, out, err = run("replay", path("u.mcap"), "--verify", "--json")
check(status == 0 and json.loads(out)["result"] == "equal", "the log does not replay where the grid is not", out, err)

status, out, err = run("statics", os.path.join(SOURCE, "configs/jlay-uneven.yaml"), "--set", "pipe.lower_end.position_m=[600, 0]")
check(status == 2 and "does not extend under the pipe" in err and err.count("\n") == 1, "beyond the grid", status, err)
