// Waves on an upright rod that does not move, from z1 to z2 in water of depth d: with a = H/2 and constant
// stretching, Morison's force is D cos p |cos p| - I sin p, p = w t,
//   D = rho/2 Cd b a^2 w^2/sinh^2 kd [(z1 - z2)/2 + (sinh 2k(d - z2) - sinh 2k(d - z1))/4k],
//   I = Cm rho pi b^2/4 a w^2/sinh kd [sinh k(d - z2) - sinh k(d - z1)]/k.
// The simulator's force is the momentum that its flows give to the nodes, held by a huge mass, and the push
// of the accelerating water. And the energy balance of a J-lay in a storm.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/math/trig.h"

#include <math.h>

static const double LOW_M = 80, HIGH_M = 20, STEP_S = 0.01; // depths of the ends
enum { ELEMENTS = 100 };

struct wave {
  double height_m, period_s, depth_m;
};

static struct sim *rod_in(const struct verify_setup *setup, const struct wave *wave,
                          struct verify_result *r) {
  const char *const sets[] = {"pipe.buoyancy=submerged"};
  struct sim_def def;
  if (!scene_load(setup, "jlay-circle", 1, sets, &def, r))
    return NULL;
  def.env.current = (struct current_def){0};
  def.env.depth_m = wave->depth_m, def.env.seabed = SEABED_NONE;
  def.env.waves = (struct waves_def){.present = 1,
                                     .on_pipe = 1,
                                     .spectrum = WAVES_REGULAR,
                                     .height_m = wave->height_m,
                                     .period_s = wave->period_s,
                                     .direction_rad = TRIG_PI,
                                     .stretching = STRETCH_CONSTANT};
  def.pipe.elements = ELEMENTS, def.pipe.length_m = LOW_M - HIGH_M, def.pipe.mesh_segment_count = 0;
  def.pipe.line.drag_transverse = 1.2, def.pipe.line.added_mass_transverse = 1;
  def.pipe.lower = LOWER_FREE, def.pipe.hangoff = HANGOFF_FREE;
  struct sim *s = scene_create(&def, r);
  for (int i = 0; s && i < s->state.mesh.pipe.nodes; i++) {
    pipe_set3(s->state.pipe.r_n, i, (vec3){0, 0, LOW_M - (LOW_M - HIGH_M) * i / ELEMENTS});
    pipe_set_quat(&s->state.pipe, i, (quat){sqrt(0.5), 0, sqrt(0.5), 0});
    pipe_set3(s->state.pipe.v_n, i, (vec3){0, 0, 0});
    s->state.mesh.pipe.mass_kg[i] *= 1e9;
  }
  return s;
}

static double momentum_of(const struct pipe_mesh *p, const struct pipe_state *s) {
  double sum = 0;
  for (int i = 0; i < p->nodes; i++)
    sum += p->mass_kg[i] * s->v_n[0][i];
  return sum;
}

// Mean force of a step on the rod.
static double force_of(struct sim *s, double time_s) {
  const struct current_span still = {{0, 0}, {0, 0}};
  const struct sea_field *field = &s->model.field;
  struct pipe_mesh *p = &s->state.mesh.pipe;
  struct pipe_state *pipe = &s->state.pipe;
  struct stations *stations = &s->state.mesh.stations;
  stations_begin(field, p, pipe, stations, time_s, STEP_S);
  const double before = momentum_of(p, pipe);
  for (int half = 0; half < 2; half++) {
    struct drag_account account = {0};
    stations_flow(field, p, pipe, stations, time_s + (0.25 + 0.5 * half) * STEP_S);
    pipe_drag_flow(p, pipe, 0.5 * STEP_S, &s->model.current, &still, stations->water_n, half, &account);
  }
  stations_push(field, p, pipe, stations, time_s, STEP_S, s->work.pipe.push_n);
  double force = (momentum_of(p, pipe) - before) / STEP_S;
  for (int i = 0; i < p->nodes; i++)
    force += s->work.pipe.push_n[0][i];
  return force;
}

static void rod(const struct verify_setup *setup, const struct wave *wave, struct verify_result *r) {
  struct sim *s = rod_in(setup, wave, r);
  if (!s)
    return;
  const struct sim_def *def = &s->def;
  const double d = wave->depth_m, w = 2 * TRIG_PI / wave->period_s, a = 0.5 * wave->height_m,
               k = waves_wavenumber(w, def->env.gravity_mps2, d), sh = sinh(k * d),
               rho = def->env.water_density_kgpm3, b = def->pipe.line.outer_diameter_m;
  const double low = k * (d - LOW_M), high = k * (d - HIGH_M);
  const double drag = 0.5 * rho * 1.2 * b * a * a * w * w / (sh * sh) *
                      (0.5 * (LOW_M - HIGH_M) + (sinh(2 * high) - sinh(2 * low)) / (4 * k)),
               inertia = 2 * rho * TRIG_PI / 4 * b * b * a * w * w / sh * (sinh(high) - sinh(low)) / k;
  double square = 0;
  const int steps = (int)(2 * wave->period_s / STEP_S);
  for (int n = 0; n < steps; n++) {
    const double p = w * (n + 0.5) * STEP_S,
                 error = force_of(s, n * STEP_S) - (drag * cos(p) * fabs(cos(p)) - inertia * sin(p));
    square += error * error;
  }
  verify_add(r, VERIFY_ABSOLUTE, "-", sqrt(square / steps) / inertia, 0, 1e-4,
             "rms error over the inertia force, H %g m, T %g s in %g m: drag %.1f N, inertia %.1f N",
             wave->height_m, wave->period_s, d, drag, inertia);
  scene_free(s);
}

static void storm(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 0, NULL, &def, r))
    return;
  def.pipe.buoyancy = BUOYANCY_BY_DEPTH;
  def.env.waves = (struct waves_def){.present = 1,
                                     .on_pipe = 1,
                                     .height_m = 6,
                                     .period_s = 12,
                                     .gamma = 3.3,
                                     .direction_rad = 2.8,
                                     .spreading = 8,
                                     .components = 200,
                                     .seed = 1,
                                     .profile = {.ramp_s = 10}};
  struct sim *s = scene_run(def, 40, 4000, r);
  if (!s)
    return;
  verify_add(r, VERIFY_ABSOLUTE, "-", ledger_closure_rel(&s->run.ledger), 0, 1e-12,
             "closure of the ledger, J-lay, Hs 6 m, Tp 12 s, 40 s");
  verify_show(r, "J", s->run.ledger.total_work_j[PORT_PIPE_WAVES], 0, "work of the waves on the pipe");
  scene_free(s);
}

void verify_sea(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "An upright rod of the depth in one wave; jlay-900m with 40 elements, buoyancy by "
                     "depth, 200 components");
  static const struct wave waves[] = {{4, 9, 900}, {4, 12, 90}};
  for (int i = 0; i < 2; i++)
    rod(setup, &waves[i], r);
  storm(setup, r);
}
