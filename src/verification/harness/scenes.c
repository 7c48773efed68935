// Scenes that cases share: configurations, beams, a planar lay, ports on and off, measures of a state.
#include "verification/harness/harness.h"

#include "sagbend/case/case.h"

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

int scene_is_before(const struct sim *s, double time_s) {
  return !s->run.fault && sim_time_s(s) < time_s;
}

// Whether an element has folded in a scene of this thread that was freed since the last call. A case fails
// then.
static int scene_folded(void) {
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
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  sim_refresh(s);
}

void scene_release_lower(struct sim *s, int position, int rotation) {
  s->state.mesh.pipe.held_position = !position;
  s->state.mesh.pipe.held_rotation = !rotation;
}

void scene_hold_top(struct sim *s) { // moved along a path that stays where it is
  s->state.mesh.pipe.top_moved = 1;
  model_release_top(s->model, &s->state, &s->work);
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
      integrator_plan_of(&(struct integrator_def){2, VESSEL_SP2}, s->model, s->def->step_s);
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

// ------------------------------------------------------------
enum { BAND = 5, ROWS = 2 * PLANAR_LAY_NODES, ITERATIONS = 60, COLOURS = 5 };
static const double NUDGE_M = 1e-6, SOLVED_M = 1e-8;

// A step: what is known, and its length; h = 0: at rest.
struct task {
  const struct planar_lay *x;
  const struct planar_lay_top *top;
  double h;
};

static double spacing(const struct task *t) {
  return t->top->length_m / t->x->def.elements;
}

// Rate at the end of the step from a value there and the two before; the first step has one.
static double backward(const struct task *t, double end, double now, double before) {
  return t->x->steps ? (3 * end - 4 * now + before) / (2 * t->h) : (end - now) / t->h;
}

// The nodes move up through the material, the more the higher.
static double through(const struct task *t, int i) {
  return t->top->speed_mps * i / t->x->def.elements;
}

static void material_velocities(const struct task *t, planar_nodes r, planar_nodes v) {
  const struct planar_lay *x = t->x;
  const int n = x->def.elements;
  const double ds = spacing(t);
  for (int c = 0; c < 2; c++) {
    v[0][c] = 0;
    for (int i = 1; i < n; i++)
      v[i][c] = backward(t, r[i][c], x->place[0][i][c], x->place[1][i][c]) -
                through(t, i) * (r[i + 1][c] - r[i - 1][c]) / (2 * ds);
    v[n][c] = t->top->velocity_mps[c] -
              t->top->speed_mps * (3 * r[n][c] - 4 * r[n - 1][c] + r[n - 2][c]) / (2 * ds);
  }
}

// Tension of an element, and its direction.
static double element_tension(const struct planar_lay_def *def, double ds, const double from[2],
                              const double to[2], double axis[2]) {
  const double dx = to[0] - from[0], dz = to[1] - from[1], length = hypot(dx, dz);
  axis[0] = dx / length, axis[1] = dz / length;
  return def->axial_n * (length / ds - 1);
}

static double contact(const struct planar_lay_def *def, double z) {
  const double k = z - def->ground_m;
  if (k <= 0)
    return 0;
  return def->slope_npm2 * (k <= def->break_m ? k * k / (2 * def->break_m) : k - 0.5 * def->break_m);
}

static void second_derivatives(const struct task *t, planar_nodes r, planar_nodes k) {
  const int n = t->x->def.elements;
  const double ds = spacing(t);
  for (int c = 0; c < 2; c++) {
    k[0][c] = 2 * (r[1][c] - r[0][c] - (c ? 0 : ds)) / (ds * ds);
    for (int i = 1; i < n; i++)
      k[i][c] = (r[i + 1][c] - 2 * r[i][c] + r[i - 1][c]) / (ds * ds);
    k[n][c] = 0;
  }
}

// Takes drag and inertia of node i from the balance of a metre.
static void take_motion(const struct task *t, planar_nodes r, planar_nodes v, int i, double q[2]) {
  const struct planar_lay *x = t->x;
  const double dx = r[i + 1][0] - r[i - 1][0], dz = r[i + 1][1] - r[i - 1][1], length = hypot(dx, dz),
               axis[2] = {dx / length, dz / length}, along = v[i][0] * axis[0] + v[i][1] * axis[1],
               across[2] = {v[i][0] - along * axis[0], v[i][1] - along * axis[1]},
               speed = hypot(across[0], across[1]);
  for (int c = 0; c < 2; c++) {
    const double acceleration = backward(t, v[i][c], x->velocity[0][i][c], x->velocity[1][i][c]) -
                                through(t, i) * (v[i + 1][c] - v[i - 1][c]) / (2 * spacing(t));
    q[c] -= x->def.drag_along * fabs(along) * along * axis[c] + x->def.drag_across * speed * across[c] +
            x->def.mass_kgpm * acceleration;
  }
}

// The balance of forces of a metre at each node but the ends.
static void balance(const struct task *t, planar_nodes r, planar_nodes q) {
  static planar_nodes v, k;
  const struct planar_lay_def *def = &t->x->def;
  const double ds = spacing(t);
  double lower[2], upper[2], below = element_tension(def, ds, r[0], r[1], lower);
  if (t->h > 0)
    material_velocities(t, r, v);
  second_derivatives(t, r, k);
  for (int i = 1; i < def->elements; i++) {
    const double above = element_tension(def, ds, r[i], r[i + 1], upper);
    for (int c = 0; c < 2; c++)
      q[i][c] = (above * upper[c] - below * lower[c]) / ds -
                def->bending_nm2 * (k[i + 1][c] - 2 * k[i][c] + k[i - 1][c]) / (ds * ds);
    q[i][1] += def->weight_npm - contact(def, r[i][1]);
    if (t->h > 0)
      take_motion(t, r, v, i, q[i]);
    below = above;
    memcpy(lower, upper, sizeof lower);
  }
}

// Its derivative by differences: nodes five apart do not meet.
static void derivative(const struct task *t, planar_nodes r, planar_nodes q, double a[ROWS][2 * BAND + 1]) {
  static planar_nodes changed;
  const int n = t->x->def.elements;
  memset(a, 0, ROWS * sizeof *a);
  for (int colour = 0; colour < 2 * COLOURS; colour++) {
    const int first = 1 + colour / 2, c = colour % 2;
    for (int i = first; i < n; i += COLOURS)
      r[i][c] += NUDGE_M;
    balance(t, r, changed);
    for (int i = first; i < n; i += COLOURS) {
      r[i][c] -= NUDGE_M;
      for (int k = i < 3 ? 1 : i - 2; k <= i + 2 && k < n; k++)
        for (int d = 0; d < 2; d++)
          a[2 * (k - 1) + d][2 * (i - k) + c - d + BAND] = (changed[k][d] - q[k][d]) / NUDGE_M;
    }
  }
}

static void solve(double a[ROWS][2 * BAND + 1], double *y, int rows) {
  for (int k = 0; k < rows; k++)
    for (int i = k + 1; i < rows && i <= k + BAND; i++) {
      const double factor = a[i][k - i + BAND] / a[k][BAND];
      for (int j = k; j < rows && j <= k + BAND; j++)
        a[i][j - i + BAND] -= factor * a[k][j - k + BAND];
      y[i] -= factor * y[k];
    }
  for (int k = rows - 1; k >= 0; k--) {
    for (int j = k + 1; j < rows && j <= k + BAND; j++)
      y[k] -= a[k][j - k + BAND] * y[j];
    y[k] /= a[k][BAND];
  }
}

// Newton's method with increments of most_m at most.
static int find(const struct task *t, planar_nodes r, double most_m) {
  static planar_nodes q;
  static double a[ROWS][2 * BAND + 1], y[ROWS];
  const int rows = 2 * (t->x->def.elements - 1);
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double largest = 0;
    balance(t, r, q);
    derivative(t, r, q, a);
    for (int k = 0; k < rows; k++)
      y[k] = q[1 + k / 2][k % 2];
    solve(a, y, rows);
    for (int k = 0; k < rows; k++)
      largest = fmax(largest, fabs(y[k]));
    if (!isfinite(largest))
      return 0;
    for (int k = 0; k < rows; k++)
      r[1 + k / 2][k % 2] -= y[k] * (largest > most_m ? most_m / largest : 1);
    if (largest < SOLVED_M)
      return 1;
  }
  return 0;
}

int planar_lay_rest(struct planar_lay *x, const struct planar_lay_top *top) {
  const struct task t = {x, top, 0};
  x->top = *top;
  x->steps = 0;
  memset(x->velocity, 0, sizeof x->velocity);
  return find(&t, x->place[0], 1);
}

int planar_lay_step(struct planar_lay *x, const struct planar_lay_top *top, double h) {
  static planar_nodes r, v;
  const struct task t = {x, top, h};
  const int n = x->def.elements;
  for (int i = 0; i <= n; i++)
    for (int c = 0; c < 2; c++) {
      const double way = x->steps ? x->place[0][i][c] - x->place[1][i][c] : 0;
      r[i][c] = i == n ? top->place_m[c] : i == 0 ? x->place[0][0][c] : x->place[0][i][c] + way;
    }
  if (!find(&t, r, 5))
    return 0;
  material_velocities(&t, r, v);
  memcpy(x->place[1], x->place[0], sizeof r), memcpy(x->place[0], r, sizeof r);
  memcpy(x->velocity[1], x->velocity[0], sizeof v), memcpy(x->velocity[0], v, sizeof v);
  x->top = *top;
  x->steps++;
  return 1;
}

double planar_lay_tension(const struct planar_lay *x) {
  const int n = x->def.elements;
  const double ds = x->top.length_m / n, *top = x->place[0][n], *below = x->place[0][n - 1];
  double axis[2];
  return 1.5 * element_tension(&x->def, ds, below, top, axis) -
         0.5 * element_tension(&x->def, ds, x->place[0][n - 2], below, axis);
}

void planar_lay_place(const struct planar_lay *x, double arc_m, double place_m[2]) {
  const double at = arc_m * x->def.elements / x->top.length_m;
  const int i = (int)at;
  for (int c = 0; c < 2; c++)
    place_m[c] = x->place[0][i][c] + (at - i) * (x->place[0][i + 1][c] - x->place[0][i][c]);
}

// ------------------------------------------------------------
struct tensioner_def scene_tensioner(void) {
  return (struct tensioner_def){.order_count = 1,
                                .order = {{.mode = TENSIONER_BRAKE}},
                                .mass_kg = 5e4,
                                .grip_n = 4e6,
                                .brake_n = 4e6,
                                .stiffness_npm = 1e8,
                                .damping_nspm = 1e5,
                                .dead_band_n = 2e5,
                                .speed_max_mps = 1.5,
                                .motor_n = 3e6,
                                .motor_w = 4e6,
                                .ramp_nps = 1e5,
                                .acceleration_mps2 = 0.1};
}

static double draw(uint64_t *seed, double low, double high) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

static void random_orders(struct tensioner_def *t, double fastest, uint64_t *seed) {
  double time_s = 0;
  t->grip_n = draw(seed, 1e5, 4e6), t->brake_n = draw(seed, 0, 3e6);
  t->motor_n = draw(seed, 5e5, 4e6), t->motor_w = pow(10, draw(seed, 4, 7));
  t->stiffness_npm = pow(10, draw(seed, 6, 9)), t->mass_kg = pow(10, draw(seed, 3, 6));
  t->damping_nspm = draw(seed, 0, 3e5), t->dead_band_n = draw(seed, 0, 4e5);
  t->speed_max_mps = fastest, t->ramp_nps = pow(10, draw(seed, 4, 7));
  t->acceleration_mps2 = draw(seed, 0.05, 2);
  for (t->order_count = 0; t->order_count < 8; t->order_count++) {
    t->order[t->order_count] =
        (struct tensioner_order){time_s, (enum tensioner_mode)draw(seed, 0, TENSIONER_MODE_COUNT),
                                 draw(seed, 2e5, 2.5e6), draw(seed, -fastest, fastest)};
    time_s += draw(seed, 0.1, 6);
  }
}

// A tally of heavier pipe, softer pipe and the line pipe; returns its shortest element, m.
static double random_plan(struct pipe_def *pipe, uint64_t *seed) {
  double shortest = 10;
  pipe->type_count = 2;
  for (int k = 0; k < 2; k++) {
    struct pipe_type *type = &pipe->types[k];
    const double times = k == 0 ? draw(seed, 1.5, 4) : draw(seed, 0.05, 0.5);
    *type = pipe->line;
    type->outer_diameter_m *= k == 0 ? 1.2 : 0.4;
    type->mass_kgpm *= k == 0 ? 1.5 * times : 0.3;
    type->axial_stiffness_n *= times;
    type->added_mass_axial = pipe->line.added_mass_axial + 0.1 * k;
    for (int i = 0; i < 2; i++) {
      type->bending_stiffness_nm2[i] *= k == 0 ? times : 0.1 * times;
      type->shear_stiffness_n[i] *= times;
    }
  }
  for (pipe->tally.part_count = 0; pipe->tally.part_count < 8; pipe->tally.part_count++) {
    const double length = draw(seed, 3, 12);
    pipe->tally.part[pipe->tally.part_count] = (struct mesh_segment){length, 1, (int)draw(seed, 0, 3)};
    shortest = fmin(shortest, length);
  }
  pipe->tally.is_endless = draw(seed, 0, 1) < 0.5;
  return shortest;
}

void scene_random_tally(struct sim_def *def, uint64_t seed) {
  const double top_m = 120, shortest = 0.05;
  uint64_t plan = seed * 31 + 5;
  const double element_m = draw(&plan, 0, 1) < 0.5 ? random_plan(&def->pipe, &plan) : 10;
  const double kind = draw(&seed, 0, 3), fastest = fmin(shortest * element_m / (3 * def->step_s), 3);
  if (kind > 2)
    return;
  def->pipe.mesh_segment_count = 2;
  def->pipe.mesh[0] = (struct mesh_segment){def->pipe.length_m - top_m, def->pipe.elements - 6, 0};
  def->pipe.mesh[1] = (struct mesh_segment){top_m, 12, 0};
  def->pipe.elements += 6;
  def->pipe.payout.elements_max = def->pipe.elements + 8;
  if (kind > 1) {
    def->pipe.tensioner = scene_tensioner();
    random_orders(&def->pipe.tensioner, fastest, &seed);
    return;
  }
  double start_s = 0;
  for (int i = 0; i < 4; i++) {
    double speed = draw(&seed, 0.2, 1) * fastest, ramp = draw(&seed, 0.2, 2);
    double length = speed * ramp * draw(&seed, 1, 4) + draw(&seed, 0, 10);
    struct payout_row *row = &def->pipe.payout.row[i];
    *row = (struct payout_row){start_s, draw(&seed, 0, 1) < 0.5 ? length : -length, speed, ramp};
    start_s += payout_duration(row) + draw(&seed, 0, 2);
  }
  def->pipe.payout.row_count = 4;
}

// ------------------------------------------------------------
void scene_all_ports(struct sim_def *def) {
  def->env.current.surface_mps = 1.0;
  def->env.current.direction_rad = 1.1;
  def->env.current.profile =
      (struct time_profile){.start_s = 0.3, .ramp_s = 2, .variation = 0.4, .period_s = 3};
  def->env.load_count = 2;
  def->env.loads[0] = (struct load_def){LOAD_WORLD,
                                        {3e5, 6e5, 1e5, 1e6, -2e6, 8e6},
                                        {.start_s = 0.2, .ramp_s = 2, .variation = 0.5, .period_s = 2.5}};
  def->env.loads[1] = (struct load_def){LOAD_BODY,
                                        {-2e5, 1e5, 5e4, 2e6, 1e6, 5e6},
                                        {.start_s = 0.1, .ramp_s = 1.5, .variation = 0.3, .period_s = 1.7}};
}

void scene_conservative(struct sim_def *def) {
  def->env.current.surface_mps = 0;
  def->env.load_count = 0;
  def->env.wind.present = def->env.waves.present = 0;
  memset(def->vessel.damping_linear, 0, sizeof def->vessel.damping_linear);
  memset(def->vessel.damping_quadratic, 0, sizeof def->vessel.damping_quadratic);
  memset(&def->vessel.radiation, 0, sizeof def->vessel.radiation);
  def->vessel.hull.row_count = def->vessel.hull.cross_flow = 0;
  def->pipe.line.drag_transverse = def->pipe.line.drag_axial = def->pipe.structural_damping_s = 0;
  memset(def->pipe.line.rotational_damping_ns, 0, sizeof def->pipe.line.rotational_damping_ns);
  def->controller = CONTROLLER_NONE;
}

void scene_momenta(const struct sim *s, vec3 *linear, vec3 *angular) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const struct pipe_state *x = &s->state.pipe;
  *linear = *angular = (vec3){0, 0, 0};
  for (int i = 0; i < p->nodes; i++) {
    vec3 v = pipe_get3(x->v_n, i), t = pipe_axis(x, i), w = pipe_get3(x->omega_t, i);
    vec3 momentum = vec3_axpy(p->axial_excess_kg[i] * vec3_dot(t, v), t, vec3_scale(p->mass_kg[i], v));
    vec3 spin = {p->inertia_kgm2[0][i] * w.x, p->inertia_kgm2[1][i] * w.y, p->inertia_kgm2[2][i] * w.z};
    mat3 r = quat_matrix(pipe_quat(x, i));
    *linear = vec3_add(*linear, momentum);
    *angular = vec3_add(*angular, vec3_add(vec3_cross(pipe_get3(x->r_n, i), momentum), mat3_mul(&r, spin)));
  }
}

double scene_drag_power_w(const struct sim *s, vec3 surface_n_mps) {
  const struct pipe_state *x = &s->state.pipe;
  const struct env_def *env = &s->def->env;
  const int n = s->state.mesh.pipe.elements;
  double power_w = 0;
  for (int i = 0; i <= n - s->state.mesh.pipe.top_moved; i++) {
    vec3 water = vec3_scale(fmax(0, 1 - x->r_n[2][i] / env->depth_m), surface_n_mps), t = pipe_axis(x, i),
         v = vec3_sub(pipe_get3(x->v_n, i), water);
    double along = vec3_dot(t, v), across = vec3_norm(vec3_axpy(-along, t, v));
    for (int e = i - 1; e <= i; e++) {
      if (e < 0 || e == n)
        continue;
      const struct pipe_type *type = pipe_element_type(&s->def->pipe, e);
      power_w +=
          0.25 * env->water_density_kgpm3 * type->outer_diameter_m * pipe_element_length(&s->def->pipe, e) *
          (type->drag_transverse * across * across * across + type->drag_axial * fabs(along * along * along));
    }
  }
  return power_w;
}

double scene_distance(const struct sim *coarse, const struct sim *fine) {
  int n = coarse->state.mesh.pipe.elements, ratio = fine->state.mesh.pipe.elements / n;
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    vec3 dr = vec3_sub(pipe_get3(coarse->state.pipe.r_n, i), pipe_get3(fine->state.pipe.r_n, i * ratio));
    double a[3], b[3], square = vec3_dot(dr, dr);
    euler_of_quat(pipe_quat(&coarse->state.pipe, i), a);
    euler_of_quat(pipe_quat(&fine->state.pipe, i * ratio), b);
    for (int c = 0; c < 3; c++)
      square += (a[c] - b[c]) * (a[c] - b[c]);
    sum += sqrt(square);
  }
  return sum / (n + 1);
}

// ---- A case at work ----

void verify_run(const struct verify_case *c, const struct verify_setup *setup, struct verify_result *result) {
  memset(result, 0, sizeof *result);
  (void)scene_folded();
  c->run(setup, result);
  if (scene_folded())
    verify_fail(result, "an element of the pipe has folded (event %s)", sim_event_name(EVENT_ELEMENT_FOLDED));
}
