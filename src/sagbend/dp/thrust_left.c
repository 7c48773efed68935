#include "sagbend/dp/thrust_left.h"

#include "sagbend/dp/allocation_parts.h"
#include "sagbend/math/trig.h"

#include <string.h>

static const double TOLERANCE = 1e-6; // of the margin

static int is_left(const struct allocation_state *state, uint32_t lost, int i) {
  return !(lost >> i & 1) && state->state[i] == ACTUATOR_IN_USE;
}

// Bits of the forbidden sectors whose protected thruster does not run after the failure.
static unsigned lifted_after(const struct allocation_def *def, const struct allocation_state *state,
                             uint32_t lost, const struct actuator_def *actuator) {
  unsigned lifted = 0;
  for (int k = 0; k < actuator->forbidden_count; k++)
    for (int j = 0; j < def->actuator_count; j++)
      if (strcmp(def->actuator[j].name, actuator->forbidden[k].against) == 0 &&
          (lost >> j & 1 || state->state[j] == ACTUATOR_OUT || state->state[j] == ACTUATOR_ABSENT))
        lifted |= 1U << k;
  return lifted;
}

static void add_azimuth(struct reach_unit *unit, const struct actuator_def *actuator, unsigned lifted) {
  struct allowed_arc arc[MAX_FORBIDDEN];
  int count = actuator_arcs(actuator, lifted, arc);
  for (int i = 1; i < count; i++) // by increasing angle
    for (int j = i; j > 0 && arc[j].middle_rad < arc[j - 1].middle_rad; j--) {
      struct allowed_arc later = arc[j - 1];
      arc[j - 1] = arc[j];
      arc[j] = later;
    }
  for (int i = 0; i < count; i++)
    reach_add_sector(unit, arc[i].middle_rad - arc[i].half_rad, arc[i].middle_rad + arc[i].half_rad,
                     actuator->thrust_max_n);
}

// Ahead within the rudder's range, and astern.
static void add_main(struct reach_unit *unit, const struct actuator_def *actuator) {
  struct force_part part[MAX_FORCE_PARTS];
  double astern_n = actuator->thrust_astern * actuator->thrust_max_n;
  if (actuator_parts(actuator, 1, 0, part) == 1) {
    reach_add_segment(unit, 0, actuator->thrust_max_n, astern_n);
    return;
  }
  double half = trig_atan2(part[0].set.edge[1], part[0].set.edge[0]);
  reach_add_sector(unit, -half, half, part[0].set.high_n);
  if (astern_n > 0)
    reach_add_segment(unit, TRIG_PI, astern_n, 0);
}

static void add_thruster(struct reach *set, const struct allocation_def *def,
                         const struct actuator_def *actuator, unsigned lifted) {
  int bus = -1;
  for (int b = 0; b < def->bus_count && actuator->power_max_w > 0; b++)
    bus = strcmp(def->bus[b].name, actuator->bus) == 0 ? b : bus;
  struct reach_unit *unit =
      reach_add_unit(set, actuator->position_b_m[0], actuator->position_b_m[1], actuator->power_max_w, bus);
  switch (thruster_steering(actuator->kind)) {
  case STEERING_NONE:
    reach_add_segment(unit, thruster_axis_rad(actuator->kind), actuator->thrust_max_n,
                      actuator->thrust_astern * actuator->thrust_max_n);
    break;
  case STEERING_TURNS:
    add_azimuth(unit, actuator, lifted);
    break;
  case STEERING_RUDDER:
    add_main(unit, actuator);
    break;
  }
}

// What a bus has left: what the failure leaves of it, less what is known to be missing on it already. The
// limit of the allocation at a light load does not count here: it is a precaution on several buses, of which
// one is short.
static double power_left_w(const struct allocation_def *def, const struct allocation_state *state,
                           const double *power_w, int bus) {
  double full_w = def->bus[bus].power_w, lacks_w = full_w - allocation_bus_left_w(state, def, bus);
  return (power_w ? power_w[bus] : full_w) - lacks_w;
}

enum status thrust_left_margin(const struct allocation_def *def, const struct allocation_state *state,
                               const struct readings *readings, uint32_t lost, const double *power_w,
                               const double fixed_b[3], const double load_b[3], struct thrust_left_work *work,
                               double *margin, int *is_closed) {
  struct reach *set = &work->set;
  struct reach_answer *answer = &work->answer;
  double fixed[3], stuck[3];
  uint32_t deviating = 0;
  reach_clear(set);
  for (int b = 0; b < def->bus_count; b++)
    reach_add_bus(set, power_left_w(def, state, power_w, b));
  for (int i = 0; i < def->actuator_count; i++) {
    if (is_left(state, lost, i))
      add_thruster(set, def, &def->actuator[i], lifted_after(def, state, lost, &def->actuator[i]));
    else if (!(lost >> i & 1) && state->state[i] == ACTUATOR_DEVIATING)
      deviating |= 1U << i;
  }
  allocation_feedback_wrench(def, readings, deviating, stuck);
  for (int k = 0; k < 3; k++)
    fixed[k] = fixed_b[k] - stuck[k];
  reach_solve(set, fixed, load_b, TOLERANCE, answer);
  *margin = answer->margin;
  *is_closed = answer->end != REACH_BRACKET && answer->end != REACH_FAILED;
  return answer->end == REACH_FAILED ? STATUS_NOT_CONVERGED : STATUS_OK;
}
