#include "verification/pipe/pipe.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

const struct scene_section flying_section = {.ea = 1e4, .ga = 1e4, .gj = 500, .ei = 500, 1, 20, 10};
const double flying_shown_s[FLYING_SHOWN] = {2.5, 3.5, 5};
const double flying_flown_m[FLYING_SHOWN][FLYING_ENDS][3] = {
    {{-2.39317, -0.42726, 0.04470}, {3.98176, -0.54047, 0.53172}},
    {{-0.69173, -3.04772, 1.84591}, {11.85795, 1.86517, -1.00675}},
    {{13.21360, -2.12724, 1.62556}, {12.95300, 3.02877, -1.19057}},
};

vec3 flying_seen(vec3 r) {
  return (vec3){r.x, -r.y, -r.z};
}

struct sim *flying_rod(int elements, double step_s, struct verify_result *r) {
  struct sim_def def = scene_beam(elements, FLYING_LENGTH_M, &flying_section);
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  scene_release_lower(s, 1, 1);
  const double euler[3] = {0, trig_atan2(-8, 6), 0};
  const vec3 axis = {0.6, 0, 0.8}, from = {0, 0, -8};
  for (int i = 0; i <= elements; i++) {
    pipe_set3(s->state.pipe.r_n, i, vec3_axpy(FLYING_LENGTH_M * i / elements, axis, from));
    pipe_set_quat(&s->state.pipe, i, quat_of_euler(euler));
  }
  s->model.end_force_n = (vec3){20, 0, 0};
  s->model.end_moment_nm = (vec3){0, -200, -100};
  s->model.end_profile = (struct time_profile){
      .rows = 3,
      .table = {{.time_s = 0}, {.time_s = 0.5 * FLYING_THROW_S, .value = {1}}, {.time_s = FLYING_THROW_S}}};
  scene_restart(s);
  return s;
}

void flying_displacements(const struct sim *s, vec3 end[FLYING_ENDS]) {
  int n = s->state.mesh.pipe.nodes - 1;
  end[0] = vec3_sub(flying_seen(pipe_get3(s->state.pipe.r_n, n)), (vec3){6, 0, 0});
  end[1] = vec3_sub(flying_seen(pipe_get3(s->state.pipe.r_n, 0)), (vec3){0, 0, 8});
}

void flying_rival(struct hamiltonian_rod *rod, int elements) {
  const struct scene_section *f = &flying_section;
  memset(rod, 0, sizeof *rod);
  rod->section = (struct hamiltonian_rod_section){
      .mass_kgpm = f->mass_kgpm,
      .inertia_kgm = {f->j_axial_kgm, f->j_transverse_kgm, f->j_transverse_kgm},
      .stretch_n = {f->ea, f->ga, f->ga},
      .bend_nm2 = {f->gj, f->ei, f->ei}};
  rod->elements = elements;
  rod->element_m = FLYING_LENGTH_M / elements;
  double half = 0.5 * atan2(8, 6);
  for (int i = 0; i <= elements; i++) {
    struct hamiltonian_rod_node *node = &rod->node[i];
    node->x_m[0] = 6.0 * i / elements, node->x_m[2] = 8 - 8.0 * i / elements;
    node->q[0] = cos(half), node->q[2] = sin(half);
  }
  hamiltonian_rod_start(rod);
}

static void load(struct hamiltonian_rod *rod, double time_s) {
  double t = 200 * fmax(0, 1 - fabs(2 * time_s / FLYING_THROW_S - 1));
  rod->load_n[0] = t / 10, rod->load_nm[1] = t, rod->load_nm[2] = t / 2;
}

void flying_rival_step(struct hamiltonian_rod *rod, double time_s, double h) {
  load(rod, time_s);
  hamiltonian_rod_kick(rod, 0.5 * h);
  hamiltonian_rod_drift(rod, h);
  load(rod, time_s + h);
  hamiltonian_rod_kick(rod, 0.5 * h);
}
