// The section environment: gravity, water, seabed, slope and bathymetry.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

static const struct key_def GROUND_KEYS[] = {
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
     .doc = "Friction coefficient of the seabed along the pipe; with breakout the residual one."},
    {"environment.seabed_friction_lateral", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.friction.coefficient[1]),
     .doc = "Friction coefficient of the seabed across the pipe; with breakout the residual one."},
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
    report(c, file, "is not allowed with seabed_slope");
  check_allowed(c, "environment.bathymetry_origin_m", given(c, file) != NULL, "needs bathymetry_file");
  check_allowed(c, "environment.seabed_friction_law",
                !friction_needs_soil(env->friction.law) || !is_given_well(c, "environment.seabed") ||
                    env->seabed == SEABED_SOIL,
                "needs seabed soil");
  check_allowed(c, slope, has_seabed, "needs seabed spring, linear or soil");
  check_allowed(c, file, has_seabed, "needs seabed spring, linear or soil");

  if (given(c, "pipe") && env->seabed == SEABED_LINEAR && !(env->seabed_stiffness_npm3 > 0))
    report(c, "environment.seabed_stiffness_npm3", "a stiffness > 0 expected: seabed linear needs it");
}

static const struct key_rows GROUND_ROWS = KEY_ROWS(GROUND_KEYS);
static const struct key_group GROUND_GROUPS[] = {{.rows = &GROUND_ROWS, .prefix = ""}};
const struct config_section GROUND_SECTION = {GROUND_GROUPS, 1, check_ground, NULL, NULL};

// ------------------------------------------------------------
// The section environment.soil: a seabed that remembers.

static const struct key_def SOIL_KEYS[] = {
    {"environment.soil", AS_SECTION, .optional = 1,
     .doc = "Soil that remembers where the pipe pressed it: strength, stiffness, suction, friction. Required "
            "where "
            "seabed is soil."},
    {"environment.soil.model", AS_WORD, .words = {"clay", "sand", "table"}, WORD_AT(out.sim.env.soil.model),
     .doc = "Resistance of virgin soil by penetration. clay: undrained, DNV-RP-F114 model 2. sand: drained. "
            "table: "
            "the points of table."},
    {"environment.soil.strength_pa", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.env.soil.strength_pa), .unit = "Pa",
     .doc = "Undrained shear strength of clay at the mudline."},
    {"environment.soil.strength_gradient_papm", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.soil.gradient_papm), .unit = "Pa/m",
     .doc = "Increase of the shear strength of clay by depth."},
    {"environment.soil.unit_weight_npm3", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1,
     AT(out.sim.env.soil.weight_npm3), .unit = "N/m3",
     .doc = "Submerged unit weight of the soil. Required for clay and sand."},
    {"environment.soil.friction_angle_deg", AS_NUMBER, .range = LIMITED, .low = 1, .high = 50, .degrees = 1,
     .optional = 1, AT(out.sim.env.soil.friction_angle_rad), .unit = "deg", .doc = "Friction angle of sand."},
    {"environment.soil.table", AS_ITEMS, .size = SOIL_TABLE_MAX, .optional = 1,
     ITEMS_IN(config_draft, out.sim.env.soil.table, soil_point, out.sim.env.soil.table_count),
     .doc = "Resistance of virgin soil at rising penetrations, linear between the points and from 0, 0 to "
            "the first. "
            "Required where model is table."},
    {"environment.soil.table[].penetration_m", AS_NUMBER, .range = POSITIVE, IN(soil_point, penetration_m),
     .unit = "m", .doc = "Penetration of the underside of the pipe."},
    {"environment.soil.table[].resistance_npm", AS_NUMBER, .range = POSITIVE, IN(soil_point, resistance_npm),
     .unit = "N/m", .doc = "Resistance of virgin soil there, per metre of pipe."},
    {"environment.soil.stiffness", AS_NUMBER, .range = LIMITED, .low = 1, .high = 2000, .fallback = "200",
     AT(out.sim.env.soil.stiffness),
     .doc =
         "Unloading stiffness, as a multiple of the resistance per diameter (Kmax of Randolph and Quiggin)."},
    {"environment.soil.suction", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.6",
     AT(out.sim.env.soil.suction),
     .doc = "Largest suction, as a share of the resistance at that penetration."},
    {"environment.soil.suction_depth", AS_NUMBER, .range = LIMITED, .low = 0.01, .high = 1, .fallback = "1",
     AT(out.sim.env.soil.suction_depth),
     .doc = "Way over which the suction fades, as a share of the largest penetration so far."},
    {"environment.soil.sensitivity", AS_NUMBER, .range = LIMITED, .low = 1, .high = 100, .fallback = "1",
     AT(out.sim.env.soil.sensitivity),
     .doc = "Strength of undisturbed clay over that of clay that cycles have remoulded. 1: the clay does not "
            "soften."},
    {"environment.soil.softening_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.env.soil.softening_m), .unit = "m",
     .doc = "Way that the pipe presses through fully mobilised clay, down and up, until the clay has lost "
            "95 % of what remoulding takes. Required beside a sensitivity above 1."},
    {"environment.soil.lay_factor", AS_NUMBER | AS_WORD, .range = LIMITED, .low = 1, .high = 10,
     .fallback = "auto", .words = {"auto"}, WORD_AT(soil_lay_word), AT(out.sim.env.soil.lay_factor),
     .doc = "Force with which the touchdown has pressed the pipe that lies at the start, over its weight. "
            "auto: from "
            "bending stiffness, tension and soil."},
    {"environment.soil.dynamic_factor", AS_NUMBER, .range = LIMITED, .low = 1, .high = 10, .fallback = "1",
     AT(out.sim.env.soil.dynamic_factor),
     .doc = "Further factor on that force, for the motions of the vessel while the pipe was laid."},
    {"environment.soil.axial_peak", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.soil.axial.peak),
     .doc =
         "Friction coefficient along the pipe before it has slipped. It falls to seabed_friction_axial over "
         "axial_residual_m. 0: no peak."},
    {"environment.soil.axial_residual_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.env.soil.axial.residual_m), .unit = "m",
     .doc = "Slip along the pipe over which the peak falls to the residual. Required beside axial_peak."},
    {"environment.soil.lateral_peak", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.env.soil.lateral.peak),
     .doc = "Friction coefficient across the pipe before it has slipped. It falls to seabed_friction_lateral "
            "over "
            "lateral_residual_m. 0: no peak."},
    {"environment.soil.lateral_residual_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.env.soil.lateral.residual_m), .unit = "m",
     .doc =
         "Slip across the pipe over which peak and passive resistance fall. Required beside lateral_peak and "
         "lateral_passive."},
    {"environment.soil.lateral_passive", AS_FLAG, .fallback = "false", AT(out.sim.env.soil.passive),
     .doc = "Passive resistance of the soil beside the embedded pipe, which adds to the lateral peak."},
};

static void check_model(const struct check *c, const struct soil_def *soil) {
  const char *at = "environment.soil";
  const int is_clay = soil->model == SOIL_CLAY, is_sand = soil->model == SOIL_SAND,
            is_table = soil->model == SOIL_TABLE;
  const struct {
    const char *key;
    int required, allowed;
    const char *condition;
  } rows[] = {{"strength_pa", is_clay, is_clay, "needs model clay"},
              {"strength_gradient_papm", 0, is_clay, "needs model clay"},
              {"unit_weight_npm3", !is_table, !is_table, "needs model clay or sand"},
              {"sensitivity", 0, is_clay, "needs model clay"},
              {"friction_angle_deg", is_sand, is_sand, "needs model sand"},
              {"table", is_table, is_table, "needs model table"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const struct key_path key = key_path("%s.%s", at, rows[k].key);
    check_allowed(c, key.text, rows[k].allowed, rows[k].condition);
    if (rows[k].required && !given(c, key.text))
      report(c, key.text, "a value expected: model %s needs it",
             is_clay   ? "clay"
             : is_sand ? "sand"
                       : "table");
  }
  for (int i = 1; i < soil->table_count; i++)
    if (!(soil->table[i].penetration_m > soil->table[i - 1].penetration_m) ||
        !(soil->table[i].resistance_npm >= soil->table[i - 1].resistance_npm)) {
      report(c, "environment.soil.table",
             "penetrations that rise, and resistances that do not fall, expected");
      return;
    }
}

static void check_softening(const struct check *c, const struct soil_def *soil) {
  const char *way = "environment.soil.softening_m";
  check_allowed(c, way, soil_softens(soil), "needs a sensitivity above 1");
  if (soil_softens(soil) && !given(c, way))
    report(c, way, "a way expected: a sensitivity above 1 needs it");
}

// The law of a soil unless the file names another.
static int is_breakout(const struct check *c) {
  const enum friction_law law = c->draft->out.sim.env.friction.law;
  return law == FRICTION_OF_SEABED || law == FRICTION_BREAKOUT;
}

static void check_peak(const struct check *c, const char *direction, const struct soil_friction_def *f,
                       double residual, int passive) {
  const struct key_path peak = key_path("environment.soil.%s_peak", direction),
                        over = key_path("environment.soil.%s_residual_m", direction);
  if ((f->peak > 0 || passive) && !given(c, over.text))
    report(c, over.text, "the slip over which the peak falls expected");
  if ((f->peak > 0 || passive) && !(residual > 0))
    report(c, peak.text, "needs environment.seabed_friction_%s above 0", direction);
  if (f->peak > 0 && f->peak < residual)
    report(c, peak.text, "at least environment.seabed_friction_%s, %g, expected", direction, residual);
}

// The peak must not fall faster than the spring lets go.
static void check_fall(const struct check *c, const char *direction, const struct soil_friction_def *f,
                       double residual, double weight_npm) {
  const struct env_def *env = &c->draft->out.sim.env;
  const double least = 2 * (f->peak - residual) * 4 * weight_npm / env->friction.stiffness_npm2;
  const struct key_path over = key_path("environment.soil.%s_residual_m", direction);
  if (f->peak > residual && given(c, over.text) && f->residual_m < least)
    report(c, over.text,
           "at least %.3g m expected: the normal force is four times the pipe's weight and the friction "
           "stiffness %.3g N/m2",
           least, env->friction.stiffness_npm2);
}

static const char *strength_key(enum soil_model model) {
  return model == SOIL_CLAY   ? "environment.soil.strength_pa"
         : model == SOIL_SAND ? "environment.soil.friction_angle_deg"
                              : "environment.soil.table";
}

static void check_strength(const struct check *c, const struct soil_def *soil) {
  const struct sim_def *sim = &c->draft->out.sim;
  struct reason why = {""};
  for (int k = 0; k <= sim->pipe.type_count; k++) {
    const struct pipe_type type = k == 0 ? sim->pipe.line : config_pipe_section(c, k - 1);
    const double weight = pipe_type_weight(&sim->pipe, &type, &sim->env);
    struct soil_column bed;
    if (!(type.outer_diameter_m > 0))
      return;
    if (soil_column_create(&bed, soil, type.outer_diameter_m, &why) != STATUS_OK ||
        soil_carries(soil, type.outer_diameter_m, weight, &why) != STATUS_OK) {
      report_text(c, strength_key(soil->model), why.text);
      return;
    }
    if (!is_breakout(c))
      continue;
    check_fall(c, "axial", &soil->axial, sim->env.friction.coefficient[0], weight);
    check_fall(c, "lateral", &soil->lateral, sim->env.friction.coefficient[1], weight);
  }
}

// Only the friction that breaks out has a peak and what belongs to it.
static void check_peaks(const struct check *c, const struct soil_def *soil) {
  static const char *const keys[] = {"axial_peak", "axial_residual_m", "lateral_peak", "lateral_residual_m",
                                     "lateral_passive"};
  const double *residual = c->draft->out.sim.env.friction.coefficient;
  const int breaks_out = is_breakout(c);
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const struct key_path key = key_path("environment.soil.%s", keys[k]);
    check_allowed(c, key.text, breaks_out, "needs seabed_friction_law breakout");
  }
  if (!breaks_out)
    return;
  check_peak(c, "axial", &soil->axial, residual[0], 0);
  check_peak(c, "lateral", &soil->lateral, residual[1], soil->passive);
}

static int is_pipe_readable(const struct check *c) {
  static const char *const keys[] = {"pipe.outer_diameter_m",
                                     "pipe.mass_kgpm",
                                     "pipe.sections",
                                     "pipe.content_density_kgpm3",
                                     "environment.water_density_kgpm3",
                                     "environment.gravity_mps2"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (!is_readable(c, keys[k]))
      return 0;
  return given(c, "pipe") != NULL;
}

static void check_soil(const struct check *c) {
  const struct env_def *env = &c->draft->out.sim.env;
  const struct soil_def *soil = &env->soil;
  const int is_soil = is_given_well(c, "environment.seabed") && env->seabed == SEABED_SOIL;
  const int errors = c->errors->count;
  check_allowed(c, "environment.soil", is_soil, "needs seabed soil");
  if (is_soil && !given(c, "environment.soil"))
    report(c, "environment.soil", "the soil's properties expected: seabed soil needs them");
  if (!is_soil || !given(c, "environment.soil") || !is_given_well(c, "environment.soil.model"))
    return;
  check_model(c, soil);
  check_softening(c, soil);
  check_peaks(c, soil);
  if (c->errors->count == errors && is_pipe_readable(c) && is_readable(c, "environment.soil"))
    check_strength(c, soil);
}

static const struct key_rows SOIL_ROWS = KEY_ROWS(SOIL_KEYS);
static const struct key_group SOIL_GROUPS[] = {{.rows = &SOIL_ROWS, .prefix = ""}};
const struct config_section SOIL_SECTION = {SOIL_GROUPS, 1, check_soil, NULL, NULL};
