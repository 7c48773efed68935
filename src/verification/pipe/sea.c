// Waves on a rod.
//
// Waves on an upright rod that does not move, from z1 to z2 in water of depth d: with a = H/2 and constant
// stretching, Morison's force is D cos p |cos p| - I sin p, p = w t,
//   D = rho/2 Cd b a^2 w^2/sinh^2 kd [(z1 - z2)/2 + (sinh 2k(d - z2) - sinh 2k(d - z1))/4k],
//   I = Cm rho pi b^2/4 a w^2/sinh kd [sinh k(d - z2) - sinh k(d - z1)]/k.
// The simulator's force is the momentum that its flows give to the nodes, held by a huge mass, and the push
// of the accelerating water. And the energy balance of a J-lay in a storm.
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

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
  const struct sea_field *field = &s->model->field;
  struct pipe_mesh *p = &s->state.mesh.pipe;
  struct pipe_state *pipe = &s->state.pipe;
  struct stations *stations = &s->state.mesh.stations;
  stations_begin(field, p, pipe, stations, time_s, STEP_S);
  const double before = momentum_of(p, pipe);
  for (int half = 0; half < 2; half++) {
    struct drag_account account = {0};
    stations_flow(field, p, pipe, stations, time_s + (0.25 + 0.5 * half) * STEP_S);
    pipe_drag_flow(p, pipe, 0.5 * STEP_S, &s->model->current, &still, stations->water_n, half, &account);
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
  const struct sim_def *def = s->def;
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

// ------------------------------------------------------------
// Drag: a pipe falling through still water, and a tensioned pipe bent by a current.

// Released at rest, m' v' = w - k v^2: v = V tanh(t/tau), V = sqrt(w/k), tau = m'/(k V), with w the submerged
// weight, k the drag and m' the mass with added mass in that direction, all per length.
static void fall(const struct verify_setup *setup, int end_on, struct verify_result *r,
                 struct verify_plot *plot) {
  const char *const sets[] = {"pipe.elements=20", "pipe.length_m=100", "environment.depth_m=1000",
                              "pipe.added_mass_transverse=1", "pipe.drag_axial=0.05"};
  const char *name = end_on ? "end-on" : "broadside";
  struct sim_def def;
  if (!scene_load(setup, "jlay-circle", 5, sets, &def, r))
    return;
  struct pipe_def *p = &def.pipe;
  double area = 0.25 * TRIG_PI * p->line.outer_diameter_m * p->line.outer_diameter_m,
         water = def.env.water_density_kgpm3 * area;
  double weight = (p->line.mass_kgpm - water) * def.env.gravity_mps2;
  double coefficient = end_on ? p->line.drag_axial : p->line.drag_transverse;
  double drag = 0.5 * def.env.water_density_kgpm3 * p->line.outer_diameter_m * coefficient;
  double mass =
      p->line.mass_kgpm + (end_on ? p->line.added_mass_axial : p->line.added_mass_transverse) * water;
  double terminal = sqrt(weight / drag), tau = mass / (drag * terminal), worst = 0;
  def.step_s = 0.01;
  p->lower = LOWER_CLAMPED, p->hangoff = HANGOFF_FREE;
  def.env.seabed = SEABED_NONE;
  def.env.gravity_mps2 = 0; // a straight start; the weight comes on with the release
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  scene_release_lower(s, 1, 1);
  const double euler[3] = {0, end_on ? 0.5 * TRIG_PI : 0, 0};
  for (int i = 0; i <= 20; i++) {
    double at = 5.0 * i;
    pipe_set3(s->state.pipe.r_n, i, end_on ? (vec3){0, 0, 200 - at} : (vec3){at, 0, 200});
    pipe_set_quat(&s->state.pipe, i, quat_of_euler(euler));
    s->state.mesh.pipe.weight_n[i] = weight * (i == 0 || i == 20 ? 2.5 : 5);
  }
  scene_restart(s);
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", name);
  struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "%s, V tanh(t/tau)", name);
  int steps = (int)(6 * tau / def.step_s);
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    double exact = terminal * tanh(k * def.step_s / tau), found = s->state.pipe.v_n[2][10];
    worst = fmax(worst, fabs(found - exact) / terminal);
    if (k % (steps / 100) == 0)
      verify_point(r, line, k * def.step_s, found);
    if (k % (steps / 20) == 0)
      verify_point(r, closed, k * def.step_s, exact);
  }
  verify_add(r, VERIFY_RELATIVE, "m/s", s->state.pipe.v_n[2][10], terminal, 5e-5,
             "terminal velocity %s, after 6 tau = %.0f s", name, 6 * tau);
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 2e-5, "velocity %s on the way, largest error over V", name);
  scene_free(s);
}

// Turning about its own axis, J' = J per length, D the rotational damping: W = W0 e^(-D t/J).
static void spin(const struct verify_setup *setup, struct verify_result *r) {
  enum { STEPS = 2000 };
  const char *const sets[] = {"pipe.elements=10", "pipe.length_m=100", "environment.depth_m=100",
                              "pipe.rotational_damping_ns=3"};
  const double start = 0.2;
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 4, sets, &def, r))
    return;
  double inertia = def.pipe.line.inertia_kgm[0], decay = def.pipe.line.rotational_damping_ns[0] / inertia;
  def.env.current.surface_mps = 0;
  def.env.gravity_mps2 = 1e-30; // the start from statics divides by the weight
  def.env.seabed = SEABED_NONE;
  def.pipe.lower = LOWER_FREE, def.pipe.hangoff = HANGOFF_FREE;
  def.step_s = 0.01;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++)
    s->state.pipe.omega_t[0][i] = start;
  scene_restart(s);
  for (int k = 0; k < STEPS; k++)
    sim_step(s, NULL);
  double end = start * exp(-decay * STEPS * def.step_s), kinetic = 0.5 * inertia * 100 * start * start;
  verify_add(r, VERIFY_RELATIVE, "rad/s", s->state.pipe.omega_t[0][5], end, 1e-7,
             "spinning about its axis: rate after 20 s");
  verify_add(r, VERIFY_RELATIVE, "J", s->run.ledger.total_loss_j[LOSS_PIPE_ROTATION],
             kinetic * (1 - end * end / (start * start)), 1e-7, "spinning about its axis: energy lost");
  scene_free(s);
}

void verify_terminal_velocity(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "100 m of the 30-inch pipe, 20 elements, steps of 10 ms; Cd 1.2 transverse, 0.05 axial, "
                     "Ca 1 transverse");
  struct verify_plot *plot = verify_plot(r, "A falling pipe", "time, s", "velocity, m/s");
  fall(setup, 0, r, plot);
  fall(setup, 1, r, plot);
  spin(setup, r);
}

// A weightless pipe from a hinge on the seabed, pulled up by a dead load T, in a current U s/D across it. For
// small angles the drag per length is q = c s^2, c = rho d Cd U^2 / (2 D^2), and EI y'''' - T y'' = c s^2
// with y = y'' = 0 at the hinge, y'' = 0 and T y' - EI y''' = 0 at the top. With a = sqrt(EI/T):
//   y'' = -(c/T)(s^2 + 2 a^2) + (2 c a^2/T) e^(-s/a) + (c/T)(L^2 + 2 a^2) e^(-(L-s)/a) + O(e^(-L/a)).
// Integrated, with T y' - EI y''' = c (L^3 - s^3)/3 to fix the slope and y(0) = 0.
static double drag_shape(double c, double tension, double a, double length, double s) {
  double k = c / tension, lower = 2 * k * a * a, upper = k * (length * length + 2 * a * a);
  // y' = k L^3/3 - k (s^3/3 + 2 a^2 s) - lower a e^(-s/a) + upper a e^(-(L-s)/a), as a^2 y''' has the same
  // exponentials
  double y = k * (length * length * length * s / 3 - s * s * s * s / 12 - a * a * s * s);
  y += lower * a * a * (exp(-s / a) - 1) + upper * a * a * (exp(-(length - s) / a) - exp(-length / a));
  return y;
}

void verify_drag_shape(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section section = {.ea = 1e9, .ga = 4e8, .gj = 1e6, .ei = 1e6, 100, 2, 1};
  enum { WATER_ELEMENTS = 100, STEPS = 2800 };
  const double length = 100, tension = 2e5, diameter = 0.3, speed = 0.5, cd = 1.2;
  (void)setup;
  verify_run_with(r, "%d elements of 1 m, %d steps of 25 ms with the current ramped up over 20 s",
                  WATER_ELEMENTS, STEPS);
  struct sim_def def = scene_beam(WATER_ELEMENTS, length, &section);
  def.step_s = 0.025; // the split step's steady state is off by a share of its square
  def.env.water_density_kgpm3 = 1025;
  def.env.current.surface_mps = speed;
  def.env.current.profile = (struct time_profile){.ramp_s = 20};
  def.env.depth_m = length * (1 + tension / section.ea); // as long as the pipe under its tension
  def.pipe.line.outer_diameter_m = diameter;
  def.pipe.line.drag_transverse = cd;
  def.pipe.structural_damping_s = 0.05;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  scene_release_lower(s, 0, 1);
  const double euler[3] = {0, 0.5 * TRIG_PI, 0};
  for (int i = 0; i <= WATER_ELEMENTS; i++) {
    pipe_set3(s->state.pipe.r_n, i, (vec3){0, 0, def.env.depth_m * (WATER_ELEMENTS - i) / WATER_ELEMENTS});
    pipe_set_quat(&s->state.pipe, i, quat_of_euler(euler));
  }
  s->model->end_force_n = (vec3){0, 0, -tension};
  s->model->end_profile = (struct time_profile){0};
  scene_restart(s);
  double before = 0;
  for (int k = 0; k < STEPS; k++) {
    if (k == STEPS - 400)
      before = s->state.pipe.r_n[0][WATER_ELEMENTS];
    sim_step(s, NULL);
  }
  double c = 0.5 * 1025 * diameter * cd * speed * speed / (length * length), a = sqrt(section.ei / tension);
  struct verify_plot *plot =
      verify_plot(r, "A tensioned pipe in a sheared current", "offset, m", "height, m");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "computed");
  struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "closed form");
  for (int i = 0; i <= WATER_ELEMENTS; i++) {
    double height = def.env.depth_m - s->state.pipe.r_n[2][i];
    verify_point(r, line, s->state.pipe.r_n[0][i], height);
    if (i % 5 == 0)
      verify_point(r, closed, drag_shape(c, tension, a, length, (double)i * length / WATER_ELEMENTS), height);
  }
  for (int i = 25; i <= WATER_ELEMENTS; i += 25)
    verify_add(r, VERIFY_RELATIVE, "m", s->state.pipe.r_n[0][i],
               drag_shape(c, tension, a, length, i * length / WATER_ELEMENTS), 1e-3, "offset at %g m",
               i * length / WATER_ELEMENTS);
  verify_add(r, VERIFY_ABSOLUTE, "m", s->state.pipe.r_n[0][WATER_ELEMENTS], before, 1e-5,
             "at rest: offset of the top; reference: the offset 10 s earlier");
  scene_free(s);
}
