"""sagbend hydro import of Capytaine's datasets (NetCDF): the supply vessel, which is given by VERES, written by the published description,
with strings and with characters, other orders of the degrees of freedom and another point of rotation: the import gives the same data.
Bad input, and files cut and with flipped bytes."""
import random

from hydro_supply import *
from netCDF4 import Dataset

NAMES = ["Surge", "Sway", "Heave", "Roll", "Pitch", "Yaw"]
HEADINGS = list(range(0, 181, 30))


def write_dataset(name, order=range(6), classic=False, prefix="", point=None, change=None, limits=False, hydrostatics=True):
    """order: of the degrees of freedom; change: a function of the arrays."""
    axes, order = np.outer(OTHER, OTHER), list(order)
    chosen = list(range(1, 36))
    turn = lambda k, h: np.exp(-1j * omega[k]**2 / G * (point[0] if point else 0) * np.cos(np.radians(h)))  # the surface at the origin of its axes
    forces = np.array([[np.conj((force[h][k] * MIRROR) * OTHER * turn(k, h)) for h in HEADINGS] for k in chosen])
    matrices = lambda values: np.array([(values[k] * axes)[np.ix_(order, order)].T for k in chosen])  # [omega][radiating][influenced]
    data = {"omega": (("omega",), omega[chosen]), "wave_direction": (("wave_direction",), np.radians(HEADINGS)),
            "added_mass": (("omega", "radiating_dof", "influenced_dof"), matrices(added)),
            "radiation_damping": (("omega", "radiating_dof", "influenced_dof"), matrices(damping)),
            "g": ((), G), "rho": ((), RHO), "water_depth": ((), np.inf), "body_name": ((), "supply")}
    for key, share in (("Froude_Krylov_force", 0.3 + 0.2j), ("diffraction_force", 0.7 - 0.2j)):
        part = forces[:, :, order] * share
        data[key] = (("complex", "omega", "wave_direction", "influenced_dof"), np.array([part.real, part.imag]))
    if hydrostatics:
        for key, values in (("hydrostatic_stiffness", restoring), ("inertia_matrix", mass)):
            data[key] = (("influenced_dof", "radiating_dof"), (values * axes)[np.ix_(order, order)])
    if point:
        data["rotation_center"] = (("point_coordinates",), np.array(point, dtype=float))
    if limits:  # omega 0 and infinite, without forces
        data["omega"] = (("omega",), np.array([np.inf, *data["omega"][1], 0]))
        for key in ("added_mass", "radiation_damping"):
            a = data[key][1]
            data[key] = (data[key][0], np.array([0.9 * a[-1], *a, a[0]]))
        for key in ("Froude_Krylov_force", "diffraction_force"):
            nothing = np.full((2, 1) + data[key][1].shape[2:], np.nan)
            data[key] = (data[key][0], np.concatenate([nothing, data[key][1], nothing], axis=1))
    if change:
        change(data)
    with Dataset(path(name), "w", format="NETCDF3_64BIT_OFFSET" if classic else "NETCDF4") as out:
        dofs = [prefix + NAMES[i] for i in order]
        for dimension, texts in (("complex", ["re", "im"]), ("radiating_dof", dofs), ("influenced_dof", dofs)):
            out.createDimension(dimension, len(texts))
            if classic:
                width = max(map(len, texts))
                if f"string{width}" not in out.dimensions:
                    out.createDimension(f"string{width}", width)
                out.createVariable(dimension, "S1", (dimension, f"string{width}"))[:] = [list(t.ljust(width, "\0")) for t in texts]
            else:
                out.createVariable(dimension, str, (dimension,))[:] = np.array(texts, dtype=object)
        for key, (dimensions, value) in data.items():
            if isinstance(value, str):
                continue
            for dimension, length in zip(dimensions, np.shape(value)):
                if dimension not in out.dimensions:
                    out.createDimension(dimension, length)
            out.createVariable(key, "f8", dimensions)[...] = value
    return path(name)


for case, args in ((dict(order=[2, 4, 3, 0, 1, 5], classic=True, prefix="supply__"), ()), (dict(point=(5.0, 0, 0)), ())):
    out, _ = hydro(write_dataset("ship.nc", **case), *args, "-o", path("capytaine.hydro"))
    check("Capytaine, 35 frequencies" in out and "7 headings" in out and "heave force 0.9012 of C33" in out, "the report", out)
    compare("capytaine.hydro", [0.0, 60.0, 180.0])
out, _ = hydro(write_dataset("ship.nc", limits=True), "--tolerance", "0.3")
check("Capytaine, 35 frequencies" in out, "frequencies 0 and infinity", out)

# Stiffness and inertia of the files for Nemoh.
axes = np.outer(OTHER, OTHER)
rows = lambda m: ["".join(f" {x:.7E}" for x in row) for row in m * axes]
bare = write_dataset("bare.nc", hydrostatics=False)
_, err = hydro(bare, status=2)
check("a variable hydrostatic_stiffness" in err and "KH.dat beside it" in err, "no stiffness", err)
out, _ = hydro(bare, write("KH.dat", rows(restoring)), write("Inertia.dat", rows(mass)), "--tolerance", "0.3")
check("heave force 0.9012 of C33" in out and "Inertia.dat: mass 6.3622" in out, "stiffness and inertia of other files", out)


def refuse(expected, change, **case):
    _, err = hydro(write_dataset("bad.nc", change=change, **case), "-o", path("bad.hydro"), status=2)
    check(expected in err and "bad.nc" in err and not os.path.exists(path("bad.hydro")), f"'{expected}' expected", err)


def replaced(key, function):
    def change(data):
        data[key] = function(*data[key])
    return change


def nan_at(dimensions, value):
    value = value.copy()
    value.flat[7] = np.nan
    return dimensions, value


refuse("a variable added_mass with numbers expected", lambda data: data.pop("added_mass"))
refuse("a list omega of frequencies expected", lambda data: data.pop("omega"))
refuse("added_mass: finite numbers expected", replaced("added_mass", nan_at))
refuse("diffraction_force: finite numbers expected", replaced("diffraction_force", nan_at))
refuse("radians of at most a turn expected, got 30", replaced("wave_direction", lambda d, v: (d, np.degrees(v))))
refuse("omega: different frequencies expected", replaced("omega", lambda d, v: (d, np.where(v == v[3], v[4], v))))
refuse("omega: frequencies of at least 0 expected, got -", replaced("omega", lambda d, v: (d, -v)))
refuse("rho, g and water_depth above 0 expected", replaced("rho", lambda d, v: (d, -1.0)))
refuse("forward_speed: 0 expected, got 3 m/s", lambda data: data.update(forward_speed=((), 3.0)))
refuse("added_mass: one speed expected, got 2", replaced("added_mass", lambda d, v: (("speed",) + d, np.array([v, v]))))
refuse("diffraction_force: a dimension complex expected", replaced("diffraction_force", lambda d, v: (d[1:], v[0])))
refuse("radiating_dof: a Yaw expected, got none", None, order=[0, 1, 2, 3, 4, 0])
refuse("the six of one rigid body expected, got 5", None, order=[0, 1, 2, 3, 4])
_, err = hydro(write("text.nc", ["no dataset"]), status=2)
check("text.nc: a NetCDF file expected" in err, "a text", err)

# Cut and flipped files, on some of which HDF5 itself crashes: an error, or data.
rng = random.Random(7)
for name in (write_dataset("ship.nc"), write_dataset("classic.nc", classic=True)):
    content = open(name, "rb").read()
    for attempt in range(10):
        changed = bytearray(content)
        at = rng.randrange(1, len(content))
        if attempt % 4 == 0:
            changed = changed[:at]
        else:
            changed[rng.randrange(1, 8000) if attempt % 4 == 1 else at] ^= 1 << rng.randrange(8)
        with open(path("changed.nc"), "wb") as file:
            file.write(changed)
        status, out, err = run("hydro", "import", path("changed.nc"), "--tolerance", "0.3")
        check(status == 0 or status == 2 and err, "cut or flipped", name, attempt, at, status, err)
