// The section pipe.retire: laid pipe that leaves the computation.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/number_text.h"

#include <math.h>

// A clamped end disturbs a pipe under the tension H over some lengths sqrt(EI / H).
static const double BENDING_LENGTHS = 6;

static const struct key_def KEYS[] = {
    {"pipe.retire", AS_SECTION, .optional = 1,
     .doc = "Laid pipe far beyond the touchdown leaves the computation, and returns where it is recovered. "
            "Absent: all pipe is computed."},
    {"pipe.retire.anchor_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.retire.anchor_m), .unit = "m",
     .doc =
         "Length of laid pipe that stays in the computation beyond the touchdown. Its friction has to hold "
         "all changes of the bottom tension."},
    {"pipe.retire.stored_max", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100000, .fallback = "400",
     AT(out.sim.pipe.retire.stored_max),
     .doc = "Nodes that can return. Where recovery comes to pipe that retired before these, the tensioner "
            "brakes."},
};

static void check_place(const struct check *c) {
  const struct sim_def *sim = &c->draft->out.sim;
  if (!given(c, "pipe.payout") && !given(c, "pipe.tensioner"))
    report(c, "pipe.retire", "pipe.payout or pipe.tensioner expected beside it: no pipe is laid");
  if (is_readable(c, "environment.seabed_friction_axial") &&
      is_readable(c, "environment.seabed_friction_lateral") &&
      !(sim->env.friction.coefficient[0] > 0 && sim->env.friction.coefficient[1] > 0))
    report(c, "pipe.retire",
           "environment.seabed_friction_axial and seabed_friction_lateral above 0 expected: friction holds "
           "the laid pipe");
}

static void check_retire(const struct check *c) {
  const struct sim_def *sim = &c->draft->out.sim;
  const double force = sim->statics.horizontal_force_n;
  if (!given(c, "pipe.retire"))
    return;
  check_place(c);
  if (!is_given_well(c, "pipe.retire.anchor_m") || !is_given_well(c, "statics.horizontal_force_n") ||
      !is_given_well(c, "pipe.bending_stiffness_nm2") || !(force > 0))
    return;
  const double *stiffness = sim->pipe.line.bending_stiffness_nm2;
  double least = BENDING_LENGTHS * sqrt(fmax(stiffness[0], stiffness[1]) / force);
  if (sim->pipe.retire.anchor_m < least)
    report(c, "pipe.retire.anchor_m",
           "at least %s m expected: 6 sqrt(EI / H), with the bending stiffness of the pipe and "
           "statics.horizontal_force_n, beside what friction needs to hold changes of the tension",
           number_text(least).text);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section RETIRE_SECTION = {GROUPS, 1, check_retire, NULL, NULL};
