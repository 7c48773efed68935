"""A vessel with a hydro file: what contradicts it is refused; the memory of the radiation is in ledger, record and summary; replay,
resumption and lockstep compute the same bits."""
import csv

from harness import *

SUPPLY = os.path.join(SOURCE, "tests/reference/mss-hydro/supply")
files = [os.path.join(SUPPLY, f"input.{kind}") for kind in ("re1", "re2", "re7", "re8", "hyd")]
status, out, err = run("hydro", "import", *files, "--without-additional", "--scale", "0.9214", "-o", path("ship.hydro"), timeout=180)
check(status == 0, "the import", out, err)


def case(name, *lines, base="osv-83m-weather.yaml"):
    with open(path(name), "w") as file:
        file.write(f"extends: {os.path.join(SOURCE, 'configs', base)}\nname: memory\n" + "\n".join(lines) + "\n")
    return path(name)


WITH = ("vessel:", "  hydro_file: ship.hydro", "  inertia: {added_mass: null}")
vessel = case("memory.yaml", *WITH)

# --- refused ---
status, out, err = run("hydro", "import", *files, "--without-additional", "-o", path("large.hydro"), timeout=180)
check(status == 0, "the import of the larger vessel", out, err)
with open(path("ship.hydro")) as file:
    text = file.read()
with open(path("cut.hydro"), "w") as file:
    file.write(text[:len(text) // 2])
with open(path("other.hydro"), "w") as file:
    file.write(text.replace(" 1", " 2", 5))
for name, lines, expected in (("twice", (*WITH[:2], "  inertia: {added_mass: [%s]}" % ", ".join(["[0, 0, 0, 0, 0, 0]"] * 6)), "vessel.inertia.added_mass is not allowed with hydro_file, which contains it"),
                              ("absent", (WITH[0], "  hydro_file: no.hydro", WITH[2]), "a readable file expected, got '"),
                              ("cut", (WITH[0], "  hydro_file: cut.hydro", WITH[2]), "vessel.hydro_file: "),
                              ("altered", (WITH[0], "  hydro_file: other.hydro", WITH[2]), "vessel.hydro_file: "),
                              ("size", (WITH[0], "  hydro_file: large.hydro", WITH[2]), "'sagbend hydro import --scale 0.9214' would agree"),
                              ("water", (*WITH, "environment: {water_density_kgpm3: 1000}"), "vessel.hydro_file: data for a water density")):
    status, out, err = run("check", case(f"{name}.yaml", *lines))
    check(status == 2 and expected in err, f"refused: {name}", status, err)
status, out, err = run("check", case("splitting.yaml", *WITH, "  integrator: sp2", "  wind: null", "  waves: null", base="vessels/osv-83m.yaml"))
check(status == 2 and "an exact splitting" in err, "refused: sp2", status, err)

# --- damping that contains the radiation already is said, and the shipped ones do not contain it ---
status, out, err = run("check", case("counted.yaml", *WITH, "  damping: {linear: [0, 6.9e4, 5.0e6, 5.0e7, 3.6e9, 1.7e8]}"))
check(status == 0 and "damping counted twice?" in err and "in roll (5e+07, 2.2" in err and ", pitch (3.6e+09, 2." in err and "heave" not in err, "damping counted twice", err)
for name in ("osv-83m-weather", "supply-83m-waves"):
    status, out, err = run("check", os.path.join(SOURCE, f"configs/{name}.yaml"))
    check(status == 0 and "counted twice" not in err, f"the damping of {name}", err)

# --- a run ---
STEPS = ["--mode", "fast", "--set", "simulation.step_s=0.02", "--set", "pipe.elements=20", "--set", "controller.kind=none"]
run_of = lambda name, end_s, *args: run("run", vessel, *STEPS, "--duration", str(end_s), "--log", path(f"{name}.mcap"), "--overwrite", "--record", path(f"{name}.csv"),
                                        "--summary", path(f"{name}.json"), *args, timeout=120)
status, out, err = run_of("whole", 20)
check(status == 0, "the run", out, err)
summary = load("whole.json")
energy = summary["energy"]
check(energy["dissipated_j"]["radiation"] > 1e4 and energy["memory_j"] > 0 and energy["closure_rel"] < 1e-12, "the ledger", energy)
with open(path("whole.csv")) as file:
    rows = list(csv.DictReader(file))
check(float(rows[-1]["memory_j"]) > 0 and float(rows[-1]["dissipated_radiation_j"]) > 1e4, "the record", rows[-1])
losses = [float(row["dissipated_radiation_j"]) for row in rows]
check(losses == sorted(losses), "the loss never falls")

# --- the same bits: replay without the original files, resumption, lockstep ---
os.rename(path("ship.hydro"), path("away.hydro"))
status, out, err = run("replay", path("whole.mcap"), "--verify", "--json", timeout=120)
check(status == 0 and json.loads(out)["result"] == "equal", "replay", out, err)
os.rename(path("away.hydro"), path("ship.hydro"))

status, out, err = run_of("first", 8, "--checkpoint", path("c"), "--checkpoint-every", "5")
check(status == 0, "the run with a checkpoint", out, err)
status, out, err = run_of("second", 20, "--resume", path("c"))
check(status == 0, "the resumed run", out, err)
check(load("second.json")["state_hash"] == summary["state_hash"], "resumption", load("second.json")["state_hash"], summary["state_hash"])

# --- without FMA and AVX2 ---
os.environ["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-FMA_Usable,-FMA,-FMA4_Usable"
status, out, err = run_of("narrow", 20)
del os.environ["GLIBC_TUNABLES"]
check(status == 0, "the run without FMA and AVX2", out, err)
check(load("narrow.json")["state_hash"] == summary["state_hash"], "without FMA and AVX2", load("narrow.json")["state_hash"], summary["state_hash"])
