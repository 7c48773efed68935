// The section vessel: integrator, inertia, damping, hydrostatics and initial state.
#include "sagbend/case/config_sections.h"

#include "sagbend/math/dense6.h"

#include <string.h>

static const struct key_def KEYS[] = {
    {"vessel", AS_SECTION,
     .doc = "Vessel and its initial state, about its reference point. Body frame: x forward, y to starboard, "
            "z down."},
    {"vessel.integrator", AS_WORD, .fallback = "strang", .words = {"strang", "sp2", "sp4", "sp6"},
     WORD_AT(out.sim.integrator.vessel),
     .doc = "Time integrator of the vessel. strang: the standard step. sp2, sp4, sp6: exact splitting of "
            "order 2, 4 or 6 for a vessel without a pipe (docs/rigid-bodies.md)."},
    {"vessel.mass_kg", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.mass_kg), .unit = "kg",
     .doc = "Mass of the vessel, without added mass."},
    {"vessel.inertia", AS_SECTION,
     .doc = "Rigid-body and added-mass inertia. Their sum must be symmetric positive definite."},
    {"vessel.inertia.rigid_body", AS_MATRIX | AS_VECTOR, .size = 6, .optional = 1, AT(rigid_body),
     .unit = "kg, kg m, kg m2",
     .doc = "Rigid-body mass matrix (surge, sway, heave, roll, pitch, yaw), full or as its diagonal. Exactly "
            "one of rigid_body and moments_kgm2."},
    {"vessel.inertia.moments_kgm2", AS_VECTOR, .size = 3, .range = POSITIVE, .optional = 1, AT(moments_kgm2),
     .unit = "kg m2",
     .doc = "Moments of inertia in roll, pitch and yaw. The rigid-body matrix is then diag(mass_kg, mass_kg, "
            "mass_kg, moments)."},
    {"vessel.inertia.added_mass", AS_MATRIX | AS_VECTOR, .size = 6, .fallback = "0", AT(added_mass),
     .unit = "kg, kg m, kg m2",
     .doc = "Added-mass matrix (surge, sway, heave, roll, pitch, yaw), full or as its diagonal."},
    {"vessel.hydro_file", AS_TEXT, .size = 256, .optional = 1, AT(out.hydro_file),
     .doc =
         "Path of a hydro file (sagbend hydro import), relative to this file's folder. It gives the memory "
         "of "
         "the radiated waves, the added mass at infinite frequency, and force and drift of the waves. Linear "
         "damping then holds only what comes on top, such as viscous roll damping. Not beside "
         "inertia.added_mass, waves.force_rows and waves.drift_rows."},
    {"vessel.damping", AS_SECTION,
     .doc = "Hydrodynamic damping, on the velocity over ground, or through the water with current_acts."},
    {"vessel.damping.linear", AS_MATRIX | AS_VECTOR, .size = 6, AT(out.sim.vessel.damping_linear),
     .unit = "N s/m, N m s/rad",
     .doc = "Linear damping matrix, full (symmetric positive semidefinite) or as its diagonal."},
    {"vessel.damping.axes", AS_WORD, .fallback = "level", .words = {"body", "level"},
     WORD_AT(out.sim.vessel.damping_axes),
     .doc =
         "Axes of the linear damping. level: level axes with the vessel's heading, in which linear theory "
         "knows it. body: axes that roll and pitch, for comparison with models that have them. In waves, "
         "heave damping along the pitched axis then pushes the vessel against the sea, by a force as large "
         "as the mean drift."},
    {"vessel.damping.quadratic", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.vessel.damping_quadratic), .unit = "N s2/m2, N m s2/rad2",
     .doc = "Quadratic damping coefficients d, one for each degree of freedom: force -d |v| v."},
    {"vessel.hydrostatics", AS_SECTION, .doc = "Hydrostatic restoring forces of the vessel."},
    {"vessel.hydrostatics.waterplane_area_m2", AS_NUMBER, .range = NOT_NEGATIVE,
     AT(out.sim.vessel.waterplane_area_m2), .unit = "m2", .doc = "Waterplane area."},
    {"vessel.hydrostatics.gm_transverse_m", AS_NUMBER, .range = NOT_NEGATIVE,
     AT(out.sim.vessel.gm_transverse_m), .unit = "m", .doc = "Transverse metacentric height (roll)."},
    {"vessel.hydrostatics.gm_longitudinal_m", AS_NUMBER, .range = NOT_NEGATIVE,
     AT(out.sim.vessel.gm_longitudinal_m), .unit = "m", .doc = "Longitudinal metacentric height (pitch)."},
    {"vessel.hydrostatics.flotation_b_m", AS_VECTOR, .size = 3, .fallback = "0",
     AT(out.sim.vessel.flotation_b_m), .unit = "m", .doc = "Centre of flotation in the body frame."},
    {"vessel.hydrostatics.equilibrium_z_m", AS_NUMBER, .fallback = "0", AT(out.sim.vessel.equilibrium_z_m),
     .unit = "m", .doc = "Depth z of the centre of flotation at rest, positive below the surface."},
    {"vessel.position_n_m", AS_VECTOR, .size = 3, AT(out.sim.vessel.position_n_m), .unit = "m",
     .doc = "Initial position of the reference point: north, east, down. With a pipe the statics determine "
            "it instead."},
    {"vessel.attitude_deg", AS_VECTOR, .size = 3, .optional = 1, .degrees = 1, AT(out.sim.vessel.euler_rad),
     .unit = "deg", .doc = "Initial roll, pitch and yaw. Exactly one of attitude_deg and attitude_rad."},
    {"vessel.attitude_rad", AS_VECTOR, .size = 3, .optional = 1, AT(out.sim.vessel.euler_rad), .unit = "rad",
     .doc = "Initial roll, pitch and yaw in radians, where a value in degrees would be rounded. Exactly one "
            "of attitude_deg and attitude_rad."},
    {"vessel.velocity_b", AS_VECTOR, .size = 6, .fallback = "0", AT(out.sim.vessel.velocity_b),
     .unit = "m/s, rad/s", .doc = "Initial linear and angular velocity in the body frame."},
    {"vessel.hangoff_b_m", AS_VECTOR, .size = 3, .fallback = "0", AT(out.sim.vessel.hangoff_b_m), .unit = "m",
     .doc = "Hang-off point of the pipe in the body frame."},
};

static void rigid_body_of(const struct check *c, double rigid_body[6][6]) {
  const struct config_draft *draft = c->draft;
  int is_full = given(c, "vessel.inertia.rigid_body") != NULL;

  memset(rigid_body, 0, 6 * sizeof *rigid_body);
  if (is_full)
    symmetric_part((const double (*)[6])draft->rigid_body, rigid_body);
  for (int i = 0; i < 6 && !is_full; i++)
    rigid_body[i][i] = i < 3 ? draft->out.sim.vessel.mass_kg : draft->moments_kgm2[i - 3];
}

// Added mass, and the sum of rigid body and added mass.
static void inertia_of(const struct check *c, double added_mass[6][6], double inertia[6][6]) {
  double rigid_body[6][6];

  rigid_body_of(c, rigid_body);
  symmetric_part((const double (*)[6])c->draft->added_mass, added_mass);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      inertia[i][j] = rigid_body[i][j] + added_mass[i][j];
}

static void check_inertia(const struct check *c) {
  const char *full = "vessel.inertia.rigid_body", *moments = "vessel.inertia.moments_kgm2";
  const char *added = "vessel.inertia.added_mass";
  double added_mass[6][6], inertia[6][6];

  check_one_of(c, "vessel.inertia", "moments_kgm2", "rigid_body");
  if (!is_readable(c, full) || !is_readable(c, moments) || !is_readable(c, added) ||
      !is_given_well(c, "vessel.mass_kg") || (given(c, full) != NULL) == (given(c, moments) != NULL))
    return;
  if (given(c, full) && !is_symmetric(c, full, (const double (*)[6])c->draft->rigid_body))
    return;
  if (!is_symmetric(c, added, (const double (*)[6])c->draft->added_mass))
    return;

  inertia_of(c, added_mass, inertia);
  if (!mat6_is_definite((const double (*)[6])inertia, -1e-12))
    report_found(c, "vessel.inertia", "an indefinite one",
                 "positive definite sum of rigid body and added mass expected");
}

static void check_damping(const struct check *c) {
  const char *path = "vessel.damping.linear";
  double damping[6][6];

  if (!is_given_well(c, path) ||
      !is_symmetric(c, path, (const double (*)[6])c->draft->out.sim.vessel.damping_linear))
    return;
  symmetric_part((const double (*)[6])c->draft->out.sim.vessel.damping_linear, damping);
  if (!mat6_is_definite((const double (*)[6])damping, 1e-12))
    report_found(c, path, "an indefinite one", "positive semidefinite matrix expected");
}

// What a hydro file contains must not be given twice.
static void check_hydro(const struct check *c) {
  static const char *const keys[] = {"vessel.inertia.added_mass", "vessel.waves.force_rows",
                                     "vessel.waves.drift_rows"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    check_allowed(c, keys[i], !given(c, "vessel.hydro_file"), "hydro_file, which contains it, is absent");
}

static void check_vessel(const struct check *c) {
  check_inertia(c);
  check_one_of(c, "vessel", "attitude_deg", "attitude_rad");
  check_damping(c);
  check_hydro(c);
}

static void take_hydro_data(const struct check *c, const struct hydro_data *hydro,
                            struct vessel_def *vessel) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double added = 0.5 * (hydro->added_mass_inf[i][j] + hydro->added_mass_inf[j][i]);
      vessel->inertia[i][j] += added - vessel->added_mass[i][j];
      vessel->added_mass[i][j] = added;
    }
  if (!mat6_is_definite((const double (*)[6])vessel->inertia, -1e-12))
    report_found(c, "vessel.hydro_file", "an indefinite one",
                 "positive definite sum of rigid body and added mass at infinite frequency expected");
  vessel->radiation = hydro->memory;
  vessel->hydro = hydro;
}

static void resolve_vessel(const struct check *c, struct config *out) {
  struct vessel_def *vessel = &out->sim.vessel;

  inertia_of(c, vessel->added_mass, vessel->inertia);
  if (out->hydro)
    take_hydro_data(c, out->hydro, vessel);
  symmetric_part((const double (*)[6])c->draft->out.sim.vessel.damping_linear, vessel->damping_linear);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section VESSEL_SECTION = {GROUPS, 1, check_vessel, resolve_vessel, NULL};
