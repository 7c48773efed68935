// Scenes for tests and benchmarks: the shipped configurations, and variations of them.
#pragma once

#include "net/case/case.h"
#include "sagbend/sim/sim.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The definition of a shipped configuration; exits with its errors if it does not load. directory: the source
// tree.
static inline struct sim_def shipped_scene(const char *directory, const char *name, int count,
                                           const char *const *sets) {
  char path[1024];
  struct config c;
  snprintf(path, sizeof path, "%s/configs/%s.yaml", directory, name);
  if (config_load(path, sets, count, &c, stderr) > 0)
    exit(2);
  if (c.sim.env.bathymetry.north_nodes > 0 || c.hydro) { // it would refer to memory that is released here
    fprintf(stderr, "scene: %s: no bathymetry expected\n", path);
    exit(2);
  }
  struct sim_def def = c.sim;
  config_free(&c);
  return def;
}

// Creates the simulator in fresh memory; NULL with a reason if it fails, as where no equilibrium is found.
static inline struct sim *scene_try_create(const struct sim_def *def, struct reason *why) {
  size_t size;
  void *memory = sim_memsize(def, &size, why) == STATUS_OK ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
  struct sim *s = NULL;
  if (memory && sim_create(def, memory, size, &s, why) == STATUS_OK)
    return s;
  free(memory);
  return NULL;
}

// scene_try_create; exits with the reason if it fails. Release with free.
static inline struct sim *shipped_create(const struct sim_def *def) {
  struct reason why = {"?"};
  struct sim *s = scene_try_create(def, &why);
  if (!s) {
    fprintf(stderr, "scene: %s\n", why.text);
    exit(2);
  }
  return s;
}

// The simulator is at the start of its memory.
static inline void shipped_free(struct sim *s) {
  free(s);
}

// Wind with gusts, short-crested waves with slow drift, damping through moving water, on a hull of the size
// of the 83 m supply vessel. A quiet start within 2 s.
static inline void scene_weather(struct sim_def *def) {
  def->env.wind = (struct wind_def){.present = 1,
                                    .speed_mps = 16,
                                    .direction_rad = 0.7,
                                    .gusts = GUSTS_NORSOK,
                                    .gust_height_m = 10,
                                    .turn_rad = 0.2,
                                    .turn_period_s = 20,
                                    .seed = 3,
                                    .air_density_kgpm3 = 1.225,
                                    .profile = {.ramp_s = 2}};
  def->env.waves = (struct waves_def){.present = 1,
                                      .height_m = 3,
                                      .period_s = 8,
                                      .gamma = 3.3,
                                      .direction_rad = 0.4,
                                      .spreading = 8,
                                      .components = 64,
                                      .seed = 3,
                                      .profile = {.ramp_s = 2}};
  def->vessel.windage = (struct windage_def){.present = 1,
                                             .frontal_area_m2 = 360,
                                             .lateral_area_m2 = 950,
                                             .length_m = 83,
                                             .height_m = 10,
                                             .drag_transverse = 0.9,
                                             .drag_bow = 0.55,
                                             .drag_stern = 0.8,
                                             .cross_force = 0.55,
                                             .rolling = 1.2,
                                             .centroid_forward_m = 6,
                                             .centroid_height_m = 7,
                                             .point_b_m = {2, 0, -1}};
  def->vessel.waves = (struct wave_response_def){
      .present = 1, .first_order = 1, .drift = 1, .length_m = 76, .beam_m = 18, .draft_m = 5};
  def->vessel.current_acts = 1;
}

// A full 6x6 inertia, coupled like that of the 83 m supply vessel (the osv model of Fossen's Marine Systems
// Simulator).
static inline void scene_full_inertia(struct sim_def *def) {
  static const double m[6][6] = {{5576887.5, 0, 0, 0, -5972265, 0},
                                 {0, 6976887.5, 0, 9072265, 0, -31495993.8},
                                 {0, 0, 13276887.5, 0, 113095993.8, 0},
                                 {0, 9072265, 0, 279499383, 0, -139575192.5},
                                 {-5972265, 0, 113095993.8, 0, 6.23830981e9, 0},
                                 {0, -31495993.8, 0, -139575192.5, 0, 3.4852431e9}};
  memcpy(def->vessel.inertia, m, sizeof m);
  def->vessel.flotation_b_m[0] = -0.5;
}

// A rough seabed about depth_m under the pipe of jlay-900m: hills of a metre, noise of a tenth at every node.
// The caller provides the memory, SCENE_ROUGH_NODES numbers.
enum {
  SCENE_ROUGH_NORTH = 90,
  SCENE_ROUGH_EAST = 30,
  SCENE_ROUGH_NODES = SCENE_ROUGH_NORTH * SCENE_ROUGH_EAST
};
static inline void scene_rough_ground(struct sim_def *def, double *z_m, double size_m) {
  uint64_t seed = 12345;
  struct bathymetry_def *b = &def->env.bathymetry;
  *b = (struct bathymetry_def){SCENE_ROUGH_NORTH, SCENE_ROUGH_EAST, -200, -300, 20, z_m, NULL};
  for (int i = 0; i < SCENE_ROUGH_NORTH; i++)
    for (int j = 0; j < SCENE_ROUGH_EAST; j++) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      double noise = (double)(int64_t)seed / 9223372036854775808.0;
      z_m[i * SCENE_ROUGH_EAST + j] =
          def->env.depth_m + size_m * (sin(0.7 * i + 0.3 * j) + 0.7 * cos(0.31 * i - 0.6 * j) + 0.1 * noise);
    }
}

static const struct sim_input scene_no_command = {.wrench_b = (const double[6]){0}};

// The top moved on its circle (configs/jlay-circle.yaml) for 60 s: extremes over the last 30, the tension at
// the middle of the top element, as in the other codes.
struct scene_extremes {
  double tension_max_n, tension_min_n, curvature_1pm;
};

static inline struct scene_extremes scene_run_circle(struct sim *s) {
  struct scene_extremes x = {0, INFINITY, 0};
  struct sim_output out = {0};
  while (out.time_s < 60 - 0.5 * s->def->step_s) {
    sim_step(s, NULL);
    sim_get_output(s, &out);
    if (out.time_s < 30)
      continue;
    double top_n = sim_element_forces(s, s->def->pipe.elements - 1).effective_tension_n;
    x.tension_max_n = fmax(x.tension_max_n, top_n);
    x.tension_min_n = fmin(x.tension_min_n, top_n);
    x.curvature_1pm = fmax(x.curvature_1pm, out.max_curvature_1pm);
  }
  return x;
}
