// The section environment: gravity, water, seabed, slope and bathymetry.
#include "sagbend/case/config_sections.h"

static const struct key_def KEYS[] = {
    {"environment", AS_SECTION,
     .doc = "Surroundings of vessel and pipe: gravity, water, seabed, current, wind and waves."},
    {"environment.gravity_mps2", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.env.gravity_mps2),
     .unit = "m/s2", .doc = "Acceleration of gravity, downwards."},
    {"environment.water_density_kgpm3", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.env.water_density_kgpm3),
     .unit = "kg/m3", .doc = "Density of the sea water."},
    {"environment.depth_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.env.depth_m), .unit = "m",
     .doc = "Water depth, from the surface down to the seabed. With seabed_slope: the depth at its reference "
            "point. With bathymetry_file: the depth of one of the levels in the grid."},
    {"environment.seabed", AS_WORD, .words = {"none", "spring", "linear", "soil"},
     WORD_AT(out.sim.env.seabed),
     .doc = "Seabed reaction normal to the ground. none: no contact. spring: two-branch spring in which the "
            "resting pipe penetrates an eighth of its diameter. linear: stiffness seabed_stiffness_npm3. "
            "soil: layers "
            "that remember, with suction and embedment (soil)."},
    {"environment.seabed_stiffness_npm3", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.seabed_stiffness_npm3), .unit = "N/m3",
     .doc = "Normal stiffness of a linear seabed, per metre of penetration, of pipe length and of outer "
            "diameter. Required where seabed is linear."},
    {"environment.seabed_damping_nspm3", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.seabed_damping_nspm3), .unit = "N s/m3",
     .doc = "Normal damping of the seabed while in contact, per metre of pipe length and of outer diameter."},
    {"environment.seabed_suction", AS_FLAG, .fallback = "false", AT(out.sim.env.seabed_suction),
     .doc = "Suction of the seabed. true: the damper also resists a pipe that lifts off. false: spring and "
            "damper together never pull."},
    {"environment.seabed_friction_axial", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.friction.coefficient[0]),
     .doc = "Coulomb friction coefficient of the seabed along the pipe."},
    {"environment.seabed_friction_lateral", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.friction.coefficient[1]),
     .doc = "Coulomb friction coefficient of the seabed across the pipe."},
    {"environment.seabed_friction_law", AS_WORD, .optional = 1,
     .words = {FRICTION_LAW_TABLE(FRICTION_LAW_WORD)}, WORD_AT(out.sim.env.friction.law),
     .word_first = FRICTION_COULOMB,
     .doc = "Law of the seabed friction." FRICTION_LAW_TABLE(
         FRICTION_LAW_DOC) " Absent: breakout where seabed is soil, coulomb elsewhere."},
    {"environment.seabed_friction_stiffness_npm2", AS_NUMBER, .range = POSITIVE, .fallback = "1e5",
     AT(out.sim.env.friction.stiffness_npm2), .unit = "N/m2",
     .doc = "Elastic stiffness of the seabed friction before it slips, per metre of pipe length."},
    {"environment.seabed_contact", AS_WORD, .fallback = "underside", .words = {"underside", "axis"},
     WORD_AT(out.sim.env.seabed_contact),
     .doc = "Level of the pipe that touches the seabed at depth_m: the underside or the axis."},
    {"environment.seabed_slope", AS_SECTION, .optional = 1,
     .doc = "Sloping plane seabed. Without this section the seabed is level or follows bathymetry_file."},
    {"environment.seabed_slope.angle_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 45, .degrees = 1,
     AT(out.sim.env.slope.angle_rad), .unit = "deg", .doc = "Slope of the seabed, from the horizontal."},
    {"environment.seabed_slope.direction_deg", AS_NUMBER, .degrees = 1, AT(out.sim.env.slope.direction_rad),
     .unit = "deg", .doc = "Direction in which the water gets deeper, clockwise from north (x)."},
    {"environment.seabed_slope.reference_m", AS_VECTOR, .size = 2, .fallback = "0",
     AT(out.sim.env.slope.reference_m), .unit = "m",
     .doc = "Point north, east (x, y) at which the water depth is depth_m."},
    {"environment.bathymetry_file", AS_TEXT, .size = 256, .optional = 1, AT(out.bathymetry_file),
     .doc = "Path of an ESRI ASCII grid of seabed elevations, relative to this file's folder. Excludes "
            "seabed_slope."},
    {"environment.bathymetry_origin_m", AS_VECTOR, .size = 2, .fallback = "0", AT(out.bathymetry_origin_m),
     .unit = "m",
     .doc = "World origin in the coordinates of bathymetry_file: northing, easting (y, x of the grid)."},
};

static void check_ground(const struct check *c) {
  const char *slope = "environment.seabed_slope", *file = "environment.bathymetry_file";
  const struct env_def *env = &c->draft->out.sim.env;
  int has_seabed = !is_given_well(c, "environment.seabed") || env->seabed != SEABED_NONE;

  if (given(c, slope) && given(c, file))
    report(c, file, "nothing expected beside seabed_slope");
  check_allowed(c, "environment.bathymetry_origin_m", given(c, file) != NULL, "bathymetry_file is given");
  check_allowed(c, "environment.seabed_friction_law",
                !friction_needs_soil(env->friction.law) || !is_given_well(c, "environment.seabed") ||
                    env->seabed == SEABED_SOIL,
                "seabed is soil");
  check_allowed(c, slope, has_seabed, "seabed is spring, linear or soil");
  check_allowed(c, file, has_seabed, "seabed is spring, linear or soil");

  if (given(c, "pipe") && env->seabed == SEABED_LINEAR && !(env->seabed_stiffness_npm3 > 0))
    report(c, "environment.seabed_stiffness_npm3", "a stiffness > 0 where seabed is linear expected");
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section GROUND_SECTION = {GROUPS, 1, check_ground, NULL, NULL};
