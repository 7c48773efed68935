// What a configuration refers to outside its text: the DP file, a bathymetry, coefficients of a hull.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/hydro/hydro.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void config_take_path(struct loading *loading, const char *key, int is_read_now,
                      char path_in_config[CONFIG_PATH]) {
  const struct node *node = tree_find(loading->tree.root, key);
  if (!node || node->bad || !path_in_config[0] || loading->from_memory)
    return;

  char given[CONFIG_PATH];
  struct regular_file file = {.descriptor = -1};
  struct reason why = {""};
  strcpy(given, path_in_config);
  const char *path = node->at.source->path ? node->at.source->name : loading->path;
  const char *slash = strrchr(path, '/');
  int folder = slash && given[0] != '/' ? (int)(slash - path) + 1 : 0;

  if (folder + strlen(given) >= CONFIG_PATH) {
    error_add(&loading->errors, node->at, "%s: a path of at most %d bytes expected, got %zu", key,
              CONFIG_PATH - 1, folder + strlen(given));
    return;
  }
  snprintf(path_in_config, CONFIG_PATH, "%.*s%s", folder, path, given);
  if (!is_read_now)
    return;
  if (regular_file_open(path_in_config, LARGEST_CONFIG, &file, &why) != STATUS_OK)
    error_add(&loading->errors, node->at, "%s: a readable file expected, got %s: %s", key,
              quote(path_in_config).text, why.text);
  else
    close(file.descriptor);
}

static void check_depth(struct loading *loading, const struct config *config) {
  const struct bathymetry_def *grid = &config->sim.env.bathymetry;
  const struct node *depth = tree_find(loading->tree.root, "environment.depth_m");
  double least = INFINITY, most = -INFINITY;

  for (size_t k = 0; k < (size_t)grid->north_nodes * (size_t)grid->east_nodes; k++) {
    least = fmin(least, grid->z_m[k]);
    most = fmax(most, grid->z_m[k]);
  }
  if (depth && !depth->bad && !(config->sim.env.depth_m >= least && config->sim.env.depth_m <= most))
    error_add(&loading->errors, depth->at,
              "environment.depth_m: a depth within the bathymetry's, from %g to %g m, expected, got %s",
              least, most, node_found(depth).text);
}

static void take_bathymetry(struct loading *loading, struct config *config) {
  const struct node *node = tree_find(loading->tree.root, "environment.bathymetry_file");
  if (!node || node->bad || !config->bathymetry_file[0])
    return;

  const struct source *source;
  const struct config_file *file = config_files_take(&loading->beside, node->at, config->bathymetry_file,
                                                     BATHYMETRY_LARGEST_FILE, &source, &loading->errors);
  if (file &&
      bathymetry_read(file->text, file->size, source, config->bathymetry_origin_m,
                      &config->sim.env.bathymetry, &config->bathymetry_z_m, &loading->errors) == STATUS_OK)
    check_depth(loading, config);
}

static void take_hydro(struct loading *loading, struct config *config) {
  enum { LARGEST = 16 << 20 };          // bytes
  static const double MOST_OTHER = 0.1; // difference of the data's vessel from that of the configuration
  const struct env_def *env = &config->sim.env;
  double stiffness = env->water_density_kgpm3 * env->gravity_mps2 * config->sim.vessel.waterplane_area_m2;
  const struct node *node = tree_find(loading->tree.root, "vessel.hydro_file");
  if (!node || node->bad || !config->hydro_file[0])
    return;

  const struct source *source;
  struct reason why = {""};
  const struct config_file *file =
      config_files_take(&loading->beside, node->at, config->hydro_file, LARGEST, &source, &loading->errors);
  if (!file)
    return;
  config->hydro = malloc(sizeof *config->hydro); // config_free releases it
  if (!config->hydro)
    error_add(&loading->errors, node->at, "vessel.hydro_file: out of memory");
  else if (hydro_file_parse(source->name, file->text, file->size, config->hydro, &why) != STATUS_OK)
    error_add(&loading->errors, node->at, "vessel.hydro_file: %s", why.text);
  else if (!(fabs(config->hydro->water_density_kgpm3 / config->sim.env.water_density_kgpm3 - 1) <= 0.02))
    error_add(
        &loading->errors, node->at,
        "vessel.hydro_file: data for a water density within 2 %% of environment.water_density_kgpm3, %g, "
        "expected, got %g",
        config->sim.env.water_density_kgpm3, config->hydro->water_density_kgpm3);
  else if (config->hydro->displaced_kg > 0 && // another vessel, or a wrong length unit
           !(fabs(config->hydro->displaced_kg / config->sim.vessel.mass_kg - 1) <= MOST_OTHER))
    error_add(
        &loading->errors, node->at,
        "vessel.hydro_file: data of a vessel of vessel.mass_kg, %g kg, within 10 %% expected, got %g kg; "
        "'sagbend hydro import --scale %.4g' would agree",
        config->sim.vessel.mass_kg, config->hydro->displaced_kg,
        cbrt(config->sim.vessel.mass_kg / config->hydro->displaced_kg));
  else if (!(fabs(config->hydro->restoring[2][2] / stiffness - 1) <= MOST_OTHER))
    error_add(
        &loading->errors, node->at,
        "vessel.hydro_file: data of a vessel with vessel.hydrostatics.waterplane_area_m2, %g N/m in heave, "
        "within 10 %% expected, got %g N/m",
        stiffness, config->hydro->restoring[2][2]);
}

_Static_assert(sizeof((struct config *)0)->dp_file == CONFIG_PATH, "config_take_path writes so many bytes");

void config_take_references(struct loading *loading, struct config *config) {
  memcpy(config->dp_file_in_text, config->dp_file, sizeof config->dp_file);
  config_take_path(loading, "controller.dp_file", 1, config->dp_file);
  for (int i = 0; loading->more && i < loading->more->count; i++)
    if (loading->more->section[i]->take_references)
      loading->more->section[i]->take_references(loading, config);
  take_bathymetry(loading, config);
  take_hydro(loading, config);
}

// ------------------------------------------------------------
// The sections targets, structures and obstructions, the keys of instruments that measure against them, and
// hil.common_errors.

#define SCENE_ITEMS(member, type)                                                                            \
  ITEMS_IN(config_draft, out.suite.instruments.scene.member, type, out.suite.instruments.scene.member##_count)

static const struct key_def KEYS[] = {
    {"targets", AS_ITEMS, .size = MAX_TARGETS, .optional = 1, SCENE_ITEMS(target, target_def),
     .doc = "Targets of position references: transponders, reflectors, clump weights (docs/references.md)."},
    {"targets[].name", AS_TEXT, .size = SCENE_NAME, IN(target_def, name),
     .doc = "Unique name of the target."},
    {"targets[].position_m", AS_VECTOR, .size = 3, IN(target_def, position_m), .unit = "m",
     .doc = "Position north, east, down; on a structure forward, starboard, down in its axes."},
    {"targets[].structure", AS_TEXT, .size = SCENE_NAME, .optional = 1, IN(target_def, structure_name),
     .doc = "Name of the structure that carries the target. Absent: the target does not move."},
    {"structures", AS_ITEMS, .size = MAX_STRUCTURES, .optional = 1, SCENE_ITEMS(structure, structure_def),
     .doc = "Platforms and other vessels that carry targets."},
    {"structures[].name", AS_TEXT, .size = SCENE_NAME, IN(structure_def, name),
     .doc = "Unique name of the structure."},
    {"structures[].position_m", AS_VECTOR, .size = 3, IN(structure_def, position_n_m), .unit = "m",
     .doc = "Position of its origin at time 0: north, east, down."},
    {"structures[].heading_deg", AS_NUMBER, .degrees = 1, .fallback = "0", IN(structure_def, heading_rad),
     .unit = "deg", .doc = "Heading of its forward axis."},
    {"structures[].velocity_mps", AS_VECTOR, .size = 2, .fallback = "0", IN(structure_def, velocity_n_mps),
     .unit = "m/s", .doc = "Constant velocity north and east."},
    {"structures[].swing_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(structure_def, swing_m),
     .unit = "m", .doc = "Amplitude of a swing about that place. Requires swing_period_s."},
    {"structures[].swing_period_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(structure_def, swing_period_s), .unit = "s", .doc = "Period of the swing."},
    {"structures[].swing_direction_deg", AS_NUMBER, .degrees = 1, .fallback = "0",
     IN(structure_def, swing_direction_rad), .unit = "deg", .doc = "Direction of the swing, from north."},
    {"obstructions", AS_ITEMS, .size = MAX_OBSTRUCTIONS, .optional = 1,
     SCENE_ITEMS(obstruction, obstruction_def), .doc = "Boxes that block the line of sight to targets."},
    {"obstructions[].name", AS_TEXT, .size = SCENE_NAME, IN(obstruction_def, name),
     .doc = "Unique name of the obstruction."},
    {"obstructions[].on", AS_TEXT, .size = SCENE_NAME, .fallback = "world", IN(obstruction_def, on_name),
     .doc =
         "Carrier of the box, whose axes are those of the box: world, vessel, or the name of a structure."},
    {"obstructions[].min_m", AS_VECTOR, .size = 3, IN(obstruction_def, box_m[0]), .unit = "m",
     .doc = "Least corner of the box."},
    {"obstructions[].max_m", AS_VECTOR, .size = 3, IN(obstruction_def, box_m[1]), .unit = "m",
     .doc = "Largest corner of the box."},
    {"obstructions[].velocity_mps", AS_VECTOR, .size = 3, .fallback = "0", IN(obstruction_def, velocity_mps),
     .unit = "m/s", .doc = "Velocity of the box along its axes from from_s on, as of a load in a crane."},
    {"obstructions[].from_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(obstruction_def, from_s),
     .unit = "s", .doc = "Time from which the box stands there."},
    {"obstructions[].to_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(obstruction_def, to_s),
     .unit = "s", .doc = "Time until which the box stands there. 0: to the end of the run."},
    {"instruments[].targets", AS_TEXT, .size = REFERENCE_NAMES, .optional = 1,
     IN(instrument_def, reference.targets),
     .doc = "Names of the targets of a position reference, separated by blanks: its own, and of a laser, "
            "radar or artemis up to three others that it may take for it; of an lbl its three."},
    {"instruments[].gate_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(instrument_def, reference.gate_m), .unit = "m",
     .doc = "Distance from its lost target within which a laser, radar or artemis takes another one for it. "
            "0: never."},
    {"instruments[].sound_speed_mps", AS_NUMBER, .range = LIMITED, .low = 1300, .high = 1700,
     .fallback = "1490", IN(instrument_def, reference.water.speed_mps), .unit = "m/s",
     .doc = "Speed of sound at the surface, for a hydroacoustic system or an lbl."},
    {"instruments[].sound_gradient_1ps", AS_NUMBER, .range = LIMITED, .low = -2, .high = 2, .fallback = "0",
     IN(instrument_def, reference.water.gradient_1ps), .unit = "1/s",
     .doc =
         "Growth of the speed of sound with depth, which bends the ray. The system reckons with a straight "
         "one."},
    {"instruments[].wire_diameter_m", AS_NUMBER, .range = POSITIVE, .fallback = "0.005",
     IN(instrument_def, reference.wire.diameter_m), .unit = "m", .doc = "Diameter of a taut wire."},
    {"instruments[].wire_drag", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "1.2",
     IN(instrument_def, reference.wire.drag), .doc = "Drag coefficient of a taut wire."},
    {"instruments[].wire_weight_npm", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0.6",
     IN(instrument_def, reference.wire.weight_npm), .unit = "N/m", .doc = "Weight of a taut wire in water."},
    {"instruments[].wire_tension_n", AS_NUMBER, .range = POSITIVE, .fallback = "4000",
     IN(instrument_def, reference.wire.tension_n), .unit = "N",
     .doc = "Tension at the gimbal that the winch of a taut wire keeps."},
    {"instruments[].clump_weight_n", AS_NUMBER, .range = POSITIVE, .fallback = "8000",
     IN(instrument_def, reference.wire.clump_n), .unit = "N",
     .doc = "Weight in water of a taut wire's clump."},
    {"instruments[].clump_friction", AS_NUMBER, .range = POSITIVE, .fallback = "0.5",
     IN(instrument_def, reference.wire.friction),
     .doc = "Friction coefficient between clump and seabed. The clump slides where the wire pulls more."},
    {"hil.common_errors", AS_ITEMS, .size = MAX_COMMON_ERRORS, .optional = 1,
     ITEMS_IN(config_draft, out.suite.instruments.common, common_error_def,
              out.suite.instruments.common_count),
     .doc = "Errors that several instruments of a kind have in common."},
    {"hil.common_errors[].name", AS_TEXT, .size = SIGNAL_NAME, IN(common_error_def, name),
     .doc = "Unique name of the error, for events."},
    {"hil.common_errors[].instruments", AS_TEXT, .size = COMMON_NAMES, IN(common_error_def, instruments),
     .doc = "Names of the instruments that have it, separated by blanks; all of one kind."},
    {"hil.common_errors[].quantity", AS_TEXT, .size = SIGNAL_NAME, IN(common_error_def, quantity),
     .doc = "Measured quantity, as in instruments[].errors[]. The other numbers are in its unit."},
    {"hil.common_errors[].markov", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(common_error_def, markov),
     .doc = "Standard deviation of a first-order Gauss-Markov process. Requires markov_time_s. 0: only the "
            "fault common_bias makes an error."},
    {"hil.common_errors[].markov_time_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(common_error_def, markov_time_s), .unit = "s", .doc = "Time constant of that process."},
};

static int measures_against_targets(const struct instrument_kind *kind) {
  return kind->most_targets > 0;
}

static int is_by_sight(const struct instrument_kind *kind) {
  return kind->by == BY_SIGHT;
}

static int is_by_sound(const struct instrument_kind *kind) {
  return kind->by == BY_SOUND;
}

static int is_by_wire(const struct instrument_kind *kind) {
  return kind->by == BY_WIRE;
}

static const struct {
  const char *key;
  int (*has)(const struct instrument_kind *kind);
} OF_KINDS[] = {
    {"targets", measures_against_targets}, {"gate_m", is_by_sight},         {"sound_speed_mps", is_by_sound},
    {"sound_gradient_1ps", is_by_sound},   {"wire_diameter_m", is_by_wire}, {"wire_drag", is_by_wire},
    {"wire_weight_npm", is_by_wire},       {"wire_tension_n", is_by_wire},  {"clump_weight_n", is_by_wire},
    {"clump_friction", is_by_wire},
};

static void check_key_of_kind(const struct check *c, int i, size_t k) {
  char names[INSTRUMENT_NAMES], condition[INSTRUMENT_NAMES + 16];
  if (OF_KINDS[k].has(instrument_kind(c->draft->out.suite.instruments.instrument[i].kind)))
    return;
  instrument_names(instrument_kinds(OF_KINDS[k].has), names);
  snprintf(condition, sizeof condition, "needs kind %s", names);
  check_allowed(c, key_path("instruments.%d.%s", i, OF_KINDS[k].key).text, 0, condition);
}

static int is_list_readable(const struct check *c, const char *list, int count) {
  int good = is_readable(c, list);
  for (int i = 0; i < count; i++)
    good &= !given(c, list) || is_item_readable(c, list, i);
  return good;
}

static void check_references(const struct check *c) {
  const struct instruments_def *all = &c->draft->out.suite.instruments;
  const struct scene_def *scene = &all->scene;
  struct reason why = {""};
  char key[64] = "";

  for (int i = 0; i < all->count; i++)
    for (size_t k = 0; k < sizeof OF_KINDS / sizeof *OF_KINDS; k++)
      if (is_given_well(c, key_path("instruments.%d.kind", i).text))
        check_key_of_kind(c, i, k);
  for (int i = 0; i < scene->target_count; i++)
    check_unique(c, "targets", i, scene->target[0].name, sizeof scene->target[0]);
  for (int i = 0; i < scene->structure_count; i++)
    check_unique(c, "structures", i, scene->structure[0].name, sizeof scene->structure[0]);
  for (int i = 0; i < scene->obstruction_count; i++)
    check_unique(c, "obstructions", i, scene->obstruction[0].name, sizeof scene->obstruction[0]);
  for (int i = 0; i < all->common_count; i++)
    check_unique(c, "hil.common_errors", i, all->common[0].name, sizeof all->common[0]);
  if (!is_list_readable(c, "instruments", all->count) ||
      !is_list_readable(c, "targets", scene->target_count) ||
      !is_list_readable(c, "structures", scene->structure_count) ||
      !is_list_readable(c, "obstructions", scene->obstruction_count) ||
      !is_list_readable(c, "hil.common_errors", all->common_count))
    return;
  struct instruments_def copy = *all;
  if (instruments_resolve(&copy, key, &why) != STATUS_OK)
    report_text(c, key, why.text);
}

static void resolve_references(const struct check *c, struct config *out) {
  struct instruments_def *all = &out->suite.instruments;
  (void)c;
  for (int i = 0; i < all->common_count; i++)
    if (strstr(all->common[i].quantity, "_deg"))
      all->common[i].markov *= TRIG_PI / 180;
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section REFERENCES_SECTION = {GROUPS, 1, check_references, resolve_references, NULL};
