// The vessel with the half element of the pipe that it carries, positions frozen: one dissipative midpoint
// step in 6 unknowns,
//   M (nu1 - nu0) = h [ tau + loads - D(nu_m) nu_m - P' K(rel) (P nu_m - u) - P_w' D_R P_w nu_m ] + P' W du,
// where P nu is the velocity of the hang-off in the section frame, u the velocity of the water there and W du
// the impulse of its acceleration (sagbend/pipe/water.c). For any non-negative coefficients of the quadratic
// terms each loss is a square. The coefficients are iterated to the midpoint, which makes the flow its own
// adjoint. Outer forces that depend on the velocity (thrusters, wind) take that of the iteration's guess.
// Damping may be relative to moving water: the power that this water supplies is booked to the current's
// port, and the loss is that of the relative velocity. The other nodes of the pipe decouple
// (sagbend/pipe/water.c).
#include "sagbend/integrator/integrator_internal.h"

#include "sagbend/math/math.h"

#include <assert.h>
#include <string.h>

enum { COEFFICIENT_ITERATIONS = 12 };

// The iteration ends when the next change, by the ratio of the last two, is below this share: a rounding.
static const double CONVERGED = 1e-16;

// Surge, sway and yaw among the six velocities, for the drag of the hull.
static const int HULL[3] = {0, 1, 5};

// Adds the drag of the hull to the midpoint equations, with the coefficients of a guess.
static void add_hull_drag(const struct vessel_flow *flow, const double guess[6], double half,
                          struct midpoint *to) {
  double d[3][3], through_water[6];
  for (int i = 0; i < 6; i++)
    through_water[i] = guess[i] - flow->water_b[i];
  hull_drag_matrix(&flow->m->vessel.hull, through_water, d);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      to->matrix[HULL[i]][HULL[j]] += half * d[i][j];
      to->rhs[HULL[i]] += half * d[i][j] * flow->water_b[HULL[j]];
    }
}

// ------------------------------------------------------------
// Outer forces on the vessel during a dissipative flow: control, loads, wind, waves, current and thrusters.
// Position and attitude are frozen, so a force either is constant or depends on the velocity alone.

static double *add_force(struct vessel_flow *flow, enum energy_port port, force_at *at) {
  assert(flow->outer_count < MAX_OUTER);
  struct outer_force *force = &flow->outer[flow->outer_count++];
  *force = (struct outer_force){.port = port, .at = at};
  return force->wrench_b;
}

static void wind_force(const struct vessel_flow *flow, const double nu[6], double wrench_b[6]) NONBLOCKING {
  windage_wrench(&flow->m->windage, flow->air_b_mps, nu, wrench_b);
}

static void current_force(const struct vessel_flow *flow, const double nu[6],
                          double wrench_b[6]) NONBLOCKING {
  vessel_current_wrench(&flow->m->vessel, nu, vec3_of(flow->water_b), wrench_b);
}

static void slow_added_mass(const struct vessel_flow *flow, const double nu[6],
                            double wrench_b[6]) NONBLOCKING {
  vessel_slow_wrench(&flow->m->vessel, nu, wrench_b);
}

static void thruster_force_sum(const struct vessel_flow *flow, const double nu[6],
                               double wrench_b[6]) NONBLOCKING {
  model_thruster_wrench(flow->m, flow->jet, flow->jet_water_b, nu, wrench_b);
}

// Collects the outer forces of the flow. Returns the wrench of the control port, which the caller sets; it is
// zero until then.
static double *outer_forces_collect(struct vessel_flow *flow, const struct current_span *span) {
  const struct model *m = flow->m;
  const struct half_step *half = flow->half;
  mat3 q = quat_matrix(flow->s->vessel.q_nb);

  double *control = add_force(flow, PORT_CONTROL, NULL);
  if (!half->impulses_apart)
    loads_at(&m->env, half->time_s, &q, add_force(flow, PORT_LOADS, NULL));

  if (m->windage.present && m->wind.def.present) {
    struct wind_sample now = wind_at(&m->wind, half->time_s);
    flow->air_b_mps = mat3_tmul(&q, wind_velocity(&m->wind, &now, m->windage.height_m));
    add_force(flow, PORT_WIND, wind_force);
  }
  if (m->wave_response.present && !half->impulses_apart)
    wave_response_wrench(&m->wave_response, &m->sea, half->time_s, &flow->s->vessel,
                         add_force(flow, PORT_WAVES, NULL));

  if (m->vessel.current_acts) {
    vec3_to(mat3_tmul(&q, current_at(&m->current, span->middle, 0)), flow->water_b);
    add_force(flow, PORT_CURRENT, current_force);
  }
  if (m->vessel.radiation.count > 0)
    add_force(flow, PORT_COUNT, slow_added_mass);
  if (m->plant.thruster_count > 0) {
    model_thruster_jets(m, flow->s, span->middle, flow->jet, flow->jet_water_b);
    add_force(flow, PORT_THRUSTERS, thruster_force_sum);
  }
  return control;
}

// Evaluates all of them for the velocity guess and sums them in flow->force.
static void outer_forces_sum(struct vessel_flow *flow, const double guess[6]) {
  for (int k = 0; k < flow->outer_count; k++) {
    struct outer_force *force = &flow->outer[k];
    if (force->at)
      force->at(flow, guess, force->wrench_b);
    for (int i = 0; i < 6; i++)
      flow->force[i] = k > 0 ? flow->force[i] + force->wrench_b[i] : force->wrench_b[i];
  }
}

// Adds their work over the flow to the ledger.
static void outer_forces_book(const struct vessel_flow *flow, const double nu_m[6], struct ledger *ledger) {
  for (int k = 0; k < flow->outer_count; k++)
    for (int i = 0; i < 6 && flow->outer[k].port != PORT_COUNT; i++)
      ledger->work_j[flow->outer[k].port] += flow->h * nu_m[i] * flow->outer[k].wrench_b[i];
}

// ------------------------------------------------------------
// The continuous PID controller inside a dissipative flow. With positions frozen its law is linear in nu: the
// derivative term joins the damping matrix, and the integral grows by h times the error. All of its work is
// booked to the control port.

// Advances the integral by the flow within its limit, and gives its mean over the flow.
static void advance_integral(const struct pid_def *pid, const double error[6], double h, double integral[6],
                             double mean[6]) {
  for (int i = 0; i < 6; i++) {
    double next = integral[i] + h * error[i];
    if (pid->integral_limit[i] > 0 && pid->ki[i] > 0) {
      double limit = pid->integral_limit[i] / pid->ki[i];
      next = next > limit ? limit : next < -limit ? -limit : next;
    }
    mean[i] = 0.5 * (integral[i] + next);
    integral[i] = next;
  }
}

// J' Kd J, column by column.
static void set_damping(const struct pid_def *pid, const mat3 *q, const double euler[3],
                        double damping[6][6]) {
  mat3 rates = euler_rate_matrix(euler);
  for (int j = 0; j < 6; j++) {
    double unit[6] = {0}, force[6], body[6];
    unit[j] = 1;
    vec3_to(mat3_mul(q, vec3_of(unit)), force);
    vec3_to(mat3_mul(&rates, vec3_of(unit + 3)), force + 3);
    for (int i = 0; i < 6; i++)
      force[i] *= pid->kd[i];
    pid_to_body(euler, force, body);
    for (int i = 0; i < 6; i++)
      damping[i][j] = body[i];
  }
}

// Sets the damping of the controller in flow and its constant wrench about the reference point, b. Its
// integral in s advances by the whole flow.
static void continuous_pid_terms(struct model_state *s, struct vessel_flow *flow, double wrench_b[6]) {
  const struct pid_def *pid = &flow->m->pid;
  const double still[6] = {0}; // the derivative term is in the damping
  double euler[3], error[6], mean_integral[6];
  euler_of_quat(s->vessel.q_nb, euler);
  vec3_to(s->vessel.x_n, error);
  for (int i = 0; i < 3; i++)
    error[3 + i] = euler[i];
  for (int i = 0; i < 6; i++) {
    error[i] -= pid->reference[i];
    if (i >= 3)
      error[i] = trig_wrap(error[i]);
  }

  advance_integral(pid, error, flow->h, s->pid_integral, mean_integral);
  pid_wrench(pid, error, still, mean_integral, euler, wrench_b);
  mat3 q = quat_matrix(s->vessel.q_nb);
  set_damping(pid, &q, euler, flow->pid_damping);
}

// ------------------------------------------------------------
// The flow.

// Where something is known in level axes: these axes, and the linear damping in b. Turned by a rotation the
// matrix stays positive semidefinite.
static void begin_axes(struct vessel_flow *flow) {
  const struct vessel *vessel = &flow->m->vessel;
  flow->damping = vessel->damping_linear;
  if (vessel->damping_is_level || vessel->radiation.count > 0)
    flow->tilt = level_axes_of(flow->s->vessel.q_nb);
  if (!vessel->damping_is_level)
    return;
  level_axes_matrix(&flow->tilt, vessel->damping_linear, flow->turned_damping);
  flow->damping = (const double (*)[6])flow->turned_damping;
}

static void dissipative_radiation_add(const struct vessel_flow *flow, double half,
                                      struct midpoint *to) NONBLOCKING;

static void top_drag_begin(const struct top_drag *drag, double half, struct midpoint *to) NONBLOCKING;

// Fills the part of the midpoint equations that no guess changes.
static void begin_midpoint(struct vessel_flow *flow) {
  const struct vessel *vessel = &flow->m->vessel;
  struct midpoint *fixed = &flow->fixed;
  double half = 0.5 * flow->h, by_water[6];
  mat6_mul(flow->s->mesh.vessel_inertia, flow->nu0, fixed->rhs);
  mat6_mul(flow->damping, flow->water_b, by_water);
  for (int i = 0; i < 6; i++) {
    fixed->rhs[i] += half * by_water[i];
    for (int j = 0; j < 6; j++)
      fixed->matrix[i][j] =
          flow->s->mesh.vessel_inertia[i][j] + half * (flow->damping[i][j] + flow->pid_damping[i][j]);
  }
  if (vessel->radiation.count > 0)
    dissipative_radiation_add(flow, half, fixed);
  if (flow->top.present)
    top_drag_begin(&flow->top, half, fixed);
}

static void top_drag_assemble(const struct top_drag *drag, const double guess[6], double half,
                              struct midpoint *to) NONBLOCKING;

// Solves once for nu_m with the quadratic coefficients of a guess. STATUS_SINGULAR: the matrix is not
// positive definite.
static enum status solve_midpoint(const struct vessel_flow *flow, const double guess[6], double nu_m[6]) {
  const struct vessel *vessel = &flow->m->vessel;
  struct midpoint at = flow->fixed;
  double half = 0.5 * flow->h;
  for (int i = 0; i < 6; i++) {
    double quadratic = vessel->damping_quadratic[i] * fabs(guess[i] - flow->water_b[i]);
    at.matrix[i][i] += half * quadratic;
    at.rhs[i] += half * (flow->force[i] + quadratic * flow->water_b[i]);
  }
  if (vessel->hull.acts)
    add_hull_drag(flow, guess, half, &at);
  if (flow->top.present)
    top_drag_assemble(&flow->top, guess, half, &at);

  enum status status = mat6_cholesky(at.matrix);
  if (status != STATUS_OK)
    return status;
  memcpy(nu_m, at.rhs, sizeof at.rhs);
  mat6_cholesky_solve((const double (*)[6])at.matrix, nu_m);
  return STATUS_OK;
}

// Sum of the changes between two iterates, over the sum of their sizes.
static double change_of(const double a[6], const double b[6]) {
  double change = 0, size = 0;
  for (int i = 0; i < 6; i++) {
    change += fabs(a[i] - b[i]);
    size += fabs(a[i]);
  }
  return size > 0 ? change / size : change;
}

// Books the drag of the hull with the coefficients of guess. through_water: nu_m relative to the water.
static void book_hull_drag(const struct vessel_flow *flow, const double guess[6],
                           const double through_water[6], struct ledger *ledger) {
  double d[3][3], guess_through[6], loss = 0, work = 0;
  for (int i = 0; i < 6; i++)
    guess_through[i] = guess[i] - flow->water_b[i];
  hull_drag_matrix(&flow->m->vessel.hull, guess_through, d);
  for (int i = 0; i < 3; i++) {
    double force = 0;
    for (int j = 0; j < 3; j++)
      force += d[i][j] * through_water[HULL[j]];
    loss += through_water[HULL[i]] * force;
    work -= flow->water_b[HULL[i]] * force;
  }
  ledger->loss_j[LOSS_VESSEL_DAMPING] += flow->h * (loss > 0 ? loss : 0); // a square, but for rounding
  ledger->work_j[PORT_CURRENT] += flow->h * work;
}

static void top_drag_book(const struct top_drag *drag, const double guess[6], const double nu_m[6], double h,
                          struct ledger *ledger) NONBLOCKING;

// Books the vessel's damping and the drag of the half element with the coefficients of the last solve, those
// of guess.
static void book_damping(const struct vessel_flow *flow, const double guess[6], const double nu_m[6],
                         struct ledger *ledger) {
  const struct vessel *vessel = &flow->m->vessel;
  double through_water[6], damping[6], loss = 0, work = 0;
  for (int i = 0; i < 6; i++)
    through_water[i] = nu_m[i] - flow->water_b[i];
  mat6_mul(flow->damping, through_water, damping);
  for (int i = 0; i < 6; i++) {
    double quadratic = vessel->damping_quadratic[i] * fabs(guess[i] - flow->water_b[i]) * through_water[i],
           force = damping[i] + quadratic;
    loss += through_water[i] * (vessel->damping_is_level ? quadratic : force);
    work -= flow->water_b[i] * force;
  }
  if (vessel->damping_is_level) { // the turned matrix would give a square and a rounding of either sign
    double level[6];
    level_axes_from_body(&flow->tilt, through_water, level);
    loss += mat6_squares_at(&vessel->damping_loss, level);
  }
  ledger->loss_j[LOSS_VESSEL_DAMPING] += flow->h * loss;
  ledger->work_j[PORT_CURRENT] += flow->h * work;
  if (vessel->hull.acts)
    book_hull_drag(flow, guess, through_water, ledger);
  if (flow->top.present)
    top_drag_book(&flow->top, guess, nu_m, flow->h, ledger);
}

static void dissipative_radiation_begin(struct vessel_flow *flow) NONBLOCKING;

static void dissipative_radiation_end(struct vessel_flow *flow, struct model_state *s, const double nu_m[6],
                                      struct ledger *ledger) NONBLOCKING;

static struct top_drag top_drag_of(const struct model *m, const struct model_state *s,
                                   const struct current_span *span, const struct half_step *half) NONBLOCKING;

static enum status flow_of_vessel(const struct model *m, struct model_state *s, struct half_step *half,
                                  const struct current_span *span, struct ledger *ledger) {
  const double h = half->duration_s;
  struct vessel_flow flow = {.m = m, .s = s, .half = half, .h = h, .top = top_drag_of(m, s, span, half)};
  memcpy(flow.nu0, s->vessel.nu, sizeof flow.nu0);
  if (half->pid_on)
    continuous_pid_terms(s, &flow, half->control_b);

  double *control = outer_forces_collect(&flow, span);
  int command_apart = half->impulses_apart && !half->pid_on;
  if (!command_apart)
    memcpy(control, half->control_b, sizeof half->control_b);

  begin_axes(&flow);
  if (m->vessel.radiation.count > 0)
    dissipative_radiation_begin(&flow);

  begin_midpoint(&flow);
  double guess[6], nu_m[6], change = 0;
  memcpy(nu_m, flow.nu0, sizeof nu_m);
  for (int k = 0; k < COEFFICIENT_ITERATIONS; k++) {
    memcpy(guess, nu_m, sizeof guess);
    outer_forces_sum(&flow, guess);
    enum status status = solve_midpoint(&flow, guess, nu_m);
    if (status != STATUS_OK)
      return status; // a PID with negative damping, or overflow
    double before = change;
    change = change_of(guess, nu_m);
    if (change <= 1e-15 || change * change <= CONVERGED * before)
      break;
  }

  book_damping(&flow, guess, nu_m, ledger);
  if (m->vessel.radiation.count > 0)
    dissipative_radiation_end(&flow, s, nu_m, ledger);
  double pid_damping[6];
  mat6_mul((const double (*)[6])flow.pid_damping, nu_m, pid_damping);
  for (int i = 0; i < 6; i++) {
    control[i] -= pid_damping[i];
    if (!command_apart)
      half->control_b[i] = control[i];
    s->vessel.nu[i] = 2 * nu_m[i] - flow.nu0[i];
  }
  outer_forces_book(&flow, nu_m, ledger);
  return STATUS_OK;
}

enum status dissipative_flow(const struct model *m, struct model_state *s, struct half_step *half,
                             struct ledger *ledger) {
  struct current_span span = current_over(&m->env.current, half->time_s, half->duration_s);
  enum status status = flow_of_vessel(m, s, half, &span, ledger);
  if (s->mesh.pipe.nodes > 0) {
    struct drag_account account = {0};
    struct stations *stations = &s->mesh.stations;
    if (m->pipe.in_sea)
      stations_flow(&m->field, &s->mesh.pipe, &s->pipe, stations, half->time_s);
    pipe_drag_flow(&s->mesh.pipe, &s->pipe, half->duration_s, &m->current, &span,
                   m->pipe.in_sea ? stations->water_n : NULL, half->second, &account);
    ledger->loss_j[LOSS_PIPE_DRAG] += account.drag_loss_j;
    ledger->loss_j[LOSS_PIPE_ROTATION] += account.rotation_loss_j;
    ledger->work_j[PORT_CURRENT] += account.current_work_j;
    ledger->work_j[PORT_WATER_INERTIA] += account.inertia_work_j;
    ledger->work_j[PORT_PIPE_WAVES] += account.waves_work_j;
    model_place_top(m, s);
  }
  return status;
}

// ------------------------------------------------------------
// The memory of the radiation in the dissipative flow. It knows the vessel's motion in level axes with the
// vessel's heading, as linear theory does: in axes that roll and pitch its force would have a mean of the
// order of the mean drift. With positions frozen T, from b to these axes, is constant: nu_l = T nu_r, force_b
// = T' force_l.

static void dissipative_radiation_begin(struct vessel_flow *flow) NONBLOCKING {
  radiation_begin(&flow->m->vessel.radiation, flow->half->radiation, &flow->s->radiation, &flow->radiation);
  level_axes_to_body(&flow->tilt, flow->radiation.force, flow->radiation_force);
  level_axes_matrix(&flow->tilt, flow->half->radiation->impedance, flow->impedance);
}

static void dissipative_radiation_add(const struct vessel_flow *flow, double half,
                                      struct midpoint *to) NONBLOCKING {
  for (int i = 0; i < 6; i++) {
    to->rhs[i] -= half * flow->radiation_force[i];
    for (int j = 0; j < 6; j++) {
      to->matrix[i][j] += half * flow->impedance[i][j];
      to->rhs[i] += half * flow->impedance[i][j] * flow->water_b[j];
    }
  }
}

// The memory of the radiation: begins its step, adds its force to the midpoint equations, ends the step with
// the mean velocity and books it.
static void dissipative_radiation_end(struct vessel_flow *flow, struct model_state *s, const double nu_m[6],
                                      struct ledger *ledger) NONBLOCKING {
  double through[6], level[6], force[6];
  for (int i = 0; i < 6; i++)
    through[i] = nu_m[i] - flow->water_b[i];
  level_axes_from_body(&flow->tilt, through, level);
  ledger->loss_j[LOSS_RADIATION] += radiation_end(&flow->m->vessel.radiation, flow->half->radiation,
                                                  &s->radiation, &flow->radiation, level);
  level_axes_to_body(&flow->tilt, flow->radiation.force, force);
  for (int i = 0; i < 6; i++)
    ledger->work_j[PORT_CURRENT] -= flow->h * flow->water_b[i] * force[i];
}

// ------------------------------------------------------------
// Drag on the half element at the hang-off. P nu is its velocity in the section frame, u the velocity of the
// water there; the drag is -P' K(rel) (P nu - u) with K >= 0 taken from the relative velocity of a guess.

// The map from nu to the velocity of the hang-off, in the section frame.
static void set_map(const mat3 *section_b, const mat3 *lever, double map[3][6]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      map[i][j] = section_b->m[j][i];
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += section_b->m[k][i] * lever->m[k][j];
      map[i][3 + j] = sum;
    }
}

// Adds the water that the waves move. t: the section frame.
static void add_waves(const struct model *m, const struct model_state *s, const struct half_step *half,
                      const mat3 *t, double wet, struct top_drag *drag) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int n = p->nodes - 1;
  const double h = half->duration_s;
  vec3 u[3]; // at the start, in the middle, at the end
  for (int k = 0; k < 3; k++)
    u[k] = stations_velocity(&m->field, &s->pipe, &s->mesh.stations, n, half->time_s + 0.5 * (k - 1) * h);
  vec3_to(mat3_tmul(t, u[1]), drag->waves);
  vec3_to(mat3_tmul(t, vec3_sub(u[2], u[0])), drag->waves_push);
  for (int c = 0; c < 3; c++) {
    drag->waves_push[c] *= wet * p->water_kg[c > 0][n] / h;
    drag->water[c] += drag->waves[c];
    drag->push[c] += drag->waves_push[c];
  }
}

// Drag on the half element at the top of the state s, in this half step.
static struct top_drag top_drag_of(const struct model *m, const struct model_state *s,
                                   const struct current_span *span,
                                   const struct half_step *half) NONBLOCKING {
  const struct pipe_mesh *p = &s->mesh.pipe;
  struct top_drag drag = {.present = p->top_attached};
  if (!drag.present)
    return drag;

  int n = p->nodes - 1;
  mat3 q = quat_matrix(s->vessel.q_nb), t = quat_matrix(pipe_quat(&s->pipe, n)), qt = mat3_transpose(&q);
  mat3 section_b = mat3_product(&qt, &t);
  mat3 lever = mat3_hat(vec3_scale(-1, m->hangoff_b_m)); // omega x r = -r x omega
  set_map(&section_b, &lever, drag.map);

  vec3 u = current_at(&m->current, span->middle, s->pipe.r_n[2][n]);
  vec3_to(mat3_tmul(&t, u), drag.water);
  vec3_to(mat3_tmul(&t, current_at(&m->current, span->change, s->pipe.r_n[2][n])), drag.push);
  const double wet = pipe_wet_share(p, &s->pipe, n);
  for (int c = 0; c < 3; c++)
    drag.push[c] *= wet * p->water_kg[c > 0][n] / half->duration_s;
  if (p->pipe->in_sea)
    add_waves(m, s, half, &t, wet, &drag);

  drag.transverse = wet * p->drag_transverse[n];
  drag.axial = wet * p->drag_axial[n];
  if (p->top_rotation_attached)
    for (int i = 0; i < 3; i++) {
      drag.turn_damping[i] = p->rotational_damping[i][n];
      for (int j = 0; j < 3; j++)
        drag.turn[i][3 + j] = section_b.m[j][i];
    }
  return drag;
}

static void relative_velocity(const struct top_drag *drag, const double nu[6], double rel[3]) {
  for (int i = 0; i < 3; i++) {
    rel[i] = -drag->water[i];
    for (int j = 0; j < 6; j++)
      rel[i] += drag->map[i][j] * nu[j];
  }
}

static void drag_coefficients(const struct top_drag *drag, const double rel[3], double k[3]) {
  k[0] = drag->axial * fabs(rel[0]);
  k[1] = k[2] = drag->transverse * sqrt(rel[1] * rel[1] + rel[2] * rel[2]);
}

// Adds what does not depend on the velocity: accelerating water and rotational damping. half: h / 2.
static void top_drag_begin(const struct top_drag *drag, double half, struct midpoint *to) NONBLOCKING {
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 6; i++) {
      to->rhs[i] += half * drag->map[c][i] * drag->push[c];
      for (int j = 0; j <= i; j++)
        to->matrix[i][j] += half * drag->turn_damping[c] * drag->turn[c][i] * drag->turn[c][j];
    }
}

// Adds the drag with the quadratic coefficients of the velocity guess.
static void top_drag_assemble(const struct top_drag *drag, const double guess[6], double half,
                              struct midpoint *to) NONBLOCKING {
  double k[3], rel[3];
  relative_velocity(drag, guess, rel);
  drag_coefficients(drag, rel, k);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 6; i++) {
      double damping = half * k[c] * drag->map[c][i];
      to->rhs[i] += damping * drag->water[c];
      for (int j = 0; j <= i; j++)
        to->matrix[i][j] += damping * drag->map[c][j];
    }
}

// Adds losses and work of the drag over h to the ledger: the coefficients are those of guess, the velocity is
// nu_m.
static void top_drag_book(const struct top_drag *drag, const double guess[6], const double nu_m[6], double h,
                          struct ledger *ledger) NONBLOCKING {
  double k[3], rel[3];
  relative_velocity(drag, guess, rel);
  drag_coefficients(drag, rel, k);
  relative_velocity(drag, nu_m, rel);
  for (int c = 0; c < 3; c++) {
    double turn = 0;
    for (int j = 0; j < 6; j++)
      turn += drag->turn[c][j] * nu_m[j];
    ledger->loss_j[LOSS_PIPE_DRAG] += h * k[c] * rel[c] * rel[c];
    ledger->loss_j[LOSS_PIPE_ROTATION] += h * drag->turn_damping[c] * turn * turn;
    const double drag_h = h * k[c] * rel[c], waves = drag->waves[c], push_h = h * drag->waves_push[c];
    ledger->work_j[PORT_CURRENT] -= drag_h * (drag->water[c] - waves);
    ledger->work_j[PORT_WATER_INERTIA] += (h * drag->push[c] - push_h) * (rel[c] + drag->water[c]);
    ledger->work_j[PORT_PIPE_WAVES] += push_h * (rel[c] + drag->water[c]) - drag_h * waves;
  }
}
