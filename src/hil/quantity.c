#include "hil/quantity.h"

#include "core/math/trig.h"

#include <math.h>

static const double DEG = 180 / TRIG_PI;

static const struct {
  const char *name;
  int needs_pipe;
  const char *help;
} quantities[] = {
#define X(id, text, pipe, help) {text, pipe, help},
    QUANTITY_TABLE(X) CLOCK_QUANTITY_TABLE(X)
#undef X
};

const char *quantity_name(int q) {
  return (unsigned)q < LOOP_QUANTITY_COUNT ? quantities[q].name : "unknown";
}

const char *quantity_help(int q) {
  return (unsigned)q < LOOP_QUANTITY_COUNT ? quantities[q].help : "";
}

int quantity_needs_pipe(enum loop_quantity q) {
  return (unsigned)q < LOOP_QUANTITY_COUNT && quantities[q].needs_pipe;
}

int quantity_is_of_clock(enum loop_quantity q) {
  return q >= STATE_QUANTITY_COUNT;
}

static int in_command(const struct loop_view *v) {
  return v->target->controller_inside || v->command_state == COMMAND_FRESH ||
         v->command_state == COMMAND_HELD;
}

static double distance(const double a[2], const double b[2]) {
  double north = a[0] - b[0], east = a[1] - b[1];
  return sqrt(north * north + east * east);
}

static double count_thrusters(const struct sim_output *o) {
  int count = 0;
  for (int i = 0; i < o->thruster_count; i++)
    count += o->thruster[i].running != 0;
  return count;
}

static double sum_buses(const struct sim_output *o, enum loop_quantity q) {
  double sum = 0;
  for (int i = 0; i < o->bus_count; i++)
    sum += q == QUANTITY_POWER     ? o->bus[i].used_w
           : q == QUANTITY_LIMITED ? (o->bus[i].limited != 0)
                                   : (o->bus[i].closed == 0);
  return sum;
}

double quantity_value(enum loop_quantity q, const struct loop_view *v) {
  static const double still[2] = {0, 0};
  const struct sim_output *o = v->truth;
  switch (q) {
  case QUANTITY_OFFSET:
    return distance(o->position_n_m, v->target->position_n_m);
  case QUANTITY_DRIFT:
    return distance(o->position_n_m, v->target->start_n_m);
  case QUANTITY_NORTH:
    return o->position_n_m[0];
  case QUANTITY_EAST:
    return o->position_n_m[1];
  case QUANTITY_HEADING_ERROR:
    return DEG * trig_wrap(o->euler_rad[2] - v->target->heading_rad);
  case QUANTITY_ROLL:
    return DEG * o->euler_rad[0];
  case QUANTITY_PITCH:
    return DEG * o->euler_rad[1];
  case QUANTITY_HEAVE:
    return o->position_n_m[2] - v->target->start_n_m[2];
  case QUANTITY_SPEED:
    return distance(o->velocity_n_mps, still);
  case QUANTITY_TENSION:
    return o->hangoff_tension_n;
  case QUANTITY_ANGLE:
    return DEG * o->hangoff_angle_rad;
  case QUANTITY_LEAN:
    return DEG * o->hangoff_lean_rad;
  case QUANTITY_LAYBACK:
    return o->layback_m;
  case QUANTITY_CURVATURE:
    return o->max_curvature_1pm;
  case QUANTITY_MOMENT:
    return o->max_moment_nm;
  case QUANTITY_MAX_TENSION:
    return o->max_tension_n;
  case QUANTITY_MIN_TENSION:
    return o->min_tension_n;
  case QUANTITY_STRAIN:
    return o->max_strain;
  case QUANTITY_RUNNING:
    return count_thrusters(o);
  case QUANTITY_POWER:
  case QUANTITY_LIMITED:
  case QUANTITY_DARK:
    return sum_buses(o, q);
  case QUANTITY_COMMAND_AGE:
    return (double)(o->step - v->command_based_on_step) * v->target->step_s;
  case QUANTITY_IN_COMMAND:
    return in_command(v);
  case QUANTITY_CLOSURE:
    return ledger_closure_rel(v->ledger);
  case QUANTITY_UNSOLVED:
    return (double)o->cap_count;
  case QUANTITY_UNRESOLVED:
    return (double)o->unresolved_count;
  case QUANTITY_MISSES:
    return (double)v->late.deadline_misses;
  case QUANTITY_SKIPPED:
    return (double)v->late.skipped_periods;
  case QUANTITY_MISSED:
    return (double)(v->late.deadline_misses + v->late.skipped_periods);
  case QUANTITY_LAG:
    return (double)v->late.skipped_periods * v->target->step_s;
  case LOOP_QUANTITY_COUNT:
    break;
  }
  return (double)NAN;
}
