#include "verification/harness/scenes.h"

#include "sagbend/case/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int scene_load(const struct verify_setup *setup, const char *name, int count, const char *const *sets,
               struct sim_def *def, struct verify_result *r) {
  char path[1024];
  struct config c;
  snprintf(path, sizeof path, "%s/%s.yaml", setup->configs, name);
  const struct error_sink errors = error_to(stderr);
  const struct config_request request = {.path = path, .overrides = sets, .override_count = count};
  if (config_read(&request, &c, &errors) != STATUS_OK) {
    verify_fail(r, "the configuration %s cannot be used; its errors are on stderr", path);
    return 0;
  }
  const char *borrowed = c.sim.env.bathymetry.north_nodes > 0 ? "a bathymetry" : "vessel.hydro_file";
  if (c.sim.env.bathymetry.north_nodes > 0 || c.hydro) { // def would borrow what is released here
    verify_fail(r, "the configuration %s has %s, and none is expected", path, borrowed);
    config_free(&c);
    return 0;
  }
  *def = c.sim;
  config_free(&c);
  return 1;
}

struct sim *scene_try(const struct sim_def *def, struct reason *why) {
  size_t size;
  void *memory = sim_memsize(def, &size, why) == STATUS_OK ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
  struct sim *s = NULL;
  if (memory && sim_create(def, memory, size, &s, why) == STATUS_OK)
    return s;
  free(memory);
  return NULL;
}

struct sim *scene_create(const struct sim_def *def, struct verify_result *r) {
  struct reason why = {"out of memory"};
  struct sim *s = scene_try(def, &why);
  if (!s)
    verify_fail(r, "%s", why.text);
  return s;
}

struct sim *scene_run(struct sim_def def, double end_s, int steps, struct verify_result *r) {
  def.step_s = end_s / steps;
  struct sim *s = scene_create(&def, r);
  for (int k = 0; s && k < steps; k++)
    sim_step(s, NULL);
  return s;
}

static _Thread_local int some_element_folded;

void scene_free(struct sim *s) {
  some_element_folded |= s && s->run.events >> EVENT_ELEMENT_FOLDED & 1;
  free(s); // the memory starts with the simulator
}

int scene_folded(void) {
  const int folded = some_element_folded;
  some_element_folded = 0;
  return folded;
}

struct sim_def scene_beam(int elements, double length_m, const struct scene_section *section) {
  struct sim_def def = {.step_s = 0.01, .newton_max_iterations = 20};
  def.env = (struct env_def){.depth_m = length_m, .seabed = SEABED_NONE};
  for (int i = 0; i < 6; i++)
    def.vessel.inertia[i][i] = 1;
  def.pipe = (struct pipe_def){
      .elements = elements,
      .length_m = length_m,
      .line.outer_diameter_m = 1,
      .line.mass_kgpm = section->mass_kgpm,
      .line.inertia_kgm = {section->j_axial_kgm, section->j_transverse_kgm, section->j_transverse_kgm},
      .line.axial_stiffness_n = section->ea,
      .line.shear_stiffness_n = {section->ga, section->ga},
      .line.torsion_stiffness_nm2 = section->gj,
      .line.bending_stiffness_nm2 = {section->ei, section->ei},
      .lower = LOWER_CLAMPED,
      .hangoff = HANGOFF_FREE,
      .motion = {.period_s = 1}};
  return def;
}

void scene_restart(struct sim *s) {
  struct model_energy e = model_energy_of(&s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  sim_refresh(s);
}

void scene_release_lower(struct sim *s, int position, int rotation) {
  s->state.mesh.pipe.held_position = !position;
  s->state.mesh.pipe.held_rotation = !rotation;
}

void scene_hold_top(struct sim *s) { // moved along a path that stays where it is
  s->state.mesh.pipe.top_moved = 1;
  model_release_top(&s->model, &s->state, &s->work);
}

void scene_stress(const struct sim *s, int element, double stress[6]) {
  struct section_forces f = sim_element_forces(s, element);
  const double all[6] = {f.effective_tension_n, f.shear_n[0],    f.shear_n[1],
                         f.torsion_nm,          f.bending_nm[0], f.bending_nm[1]};
  memcpy(stress, all, sizeof all);
}

double scene_curvature(const struct sim *s, int element) {
  struct section_forces f = sim_element_forces(s, element);
  return hypot(f.curvature_1pm[0], f.curvature_1pm[1]);
}

int scene_vessel(const struct verify_setup *setup, struct scene_vessel *v, struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "vessel-only", 0, NULL, &def, r))
    return 0;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  struct integrator_plan plan =
      integrator_plan_of(&(struct integrator_def){2, VESSEL_SP2}, &s->model, s->def.step_s);
  *v = (struct scene_vessel){
      plan.vessel, plan.pid, {.x_n = s->state.vessel.x_n, .q_nb = s->state.vessel.q_nb}};
  memcpy(v->start.nu, s->state.vessel.nu, sizeof v->start.nu);
  scene_free(s);
  return 1;
}

double scene_vessel_energy(const struct split_vessel *v, const struct split_state *s) {
  double tilt[2];
  split_tilt_of(s->q_nb, tilt);
  return split_energy_j(v, s, tilt);
}

double scene_turn(quat a, quat b) {
  quat d = quat_mul((quat){a.w, -a.x, -a.y, -a.z}, b);
  return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

int scene_beside_rest(const struct sim *s, struct sim_def def, struct scene_rest *out,
                      struct verify_result *r) {
  const int n = s->state.mesh.pipe.nodes - 1;
  def.statics.kind = STATICS_HANGOFF_POSITION;
  def.statics.hangoff_position_m[0] = s->state.pipe.r_n[0][n];
  def.statics.hangoff_position_m[1] = s->state.pipe.r_n[1][n];
  struct sim *still = scene_create(&def, r);
  if (!still)
    return 0;
  sim_get_output(s, &out->now), sim_get_output(still, &out->rest);
  out->farthest_m = 0;
  for (int i = 0; i <= n; i++) {
    vec3 apart = vec3_sub(pipe_get3(s->state.pipe.r_n, i), pipe_get3(still->state.pipe.r_n, i));
    out->farthest_m = fmax(out->farthest_m, vec3_norm(apart));
  }
  scene_free(still);
  return 1;
}
