// What a configuration refers to outside its text: the DP file, a bathymetry, coefficients of a hull.
#include "sagbend/hydro/hydro_file.h"
#include "sagbend/case/bathymetry.h"
#include "sagbend/case/config.h"
#include "sagbend/case/config_loading.h"
#include "sagbend/case/section.h"
#include "sagbend/base/regular_file.h"

#include <math.h>
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
