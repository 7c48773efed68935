// The step of the thrust at a changeover between redundant controllers.
#include "sagbend/link/link.h"

#include <math.h>
#include <string.h>

static struct thrust_step between(const double a[6], const double b[6]) {
  const double surge_n = b[0] - a[0], sway_n = b[1] - a[1];
  return (struct thrust_step){sqrt(surge_n * surge_n + sway_n * sway_n), fabs(b[5] - a[5])};
}

static void keep_larger(struct thrust_step *of, struct thrust_step other) {
  of->force_n = other.force_n > of->force_n ? other.force_n : of->force_n;
  of->moment_nm = other.moment_nm > of->moment_nm ? other.moment_nm : of->moment_nm;
}

static void fade(struct thrust_step *of, double step_s) {
  const double left = step_s < BUMP_FADES_S ? 1 - step_s / BUMP_FADES_S : 0;
  of->force_n *= left;
  of->moment_nm *= left;
}

// A changeover without a step in which nobody commands begins and ends in the same step.
static int belongs_to_changeover(struct bump *bump, const struct command_latch *latch) {
  const struct changeover *c = &latch->changeover;
  const int is_complete = c->count != bump->count, was_open = bump->is_open != 0;
  if (!was_open && (c->since || is_complete)) {
    bump->before = bump->usual;
    bump->newest = (struct thrust_step){0, 0};
  }
  bump->is_open = c->since != 0;
  bump->count = c->count;
  return was_open || is_complete || bump->is_open;
}

void bump_step(struct bump *bump, const struct command_latch *latch, const double asked_b[6], double step_s) {
  const int was_asked = bump->has_asked != 0;
  const struct thrust_step step = between(bump->asked_b, asked_b);
  memcpy(bump->asked_b, asked_b, sizeof bump->asked_b);
  bump->has_asked = latch->has_command != 0;
  if (belongs_to_changeover(bump, latch)) {
    keep_larger(&bump->newest, step);
  } else if (was_asked) {
    fade(&bump->usual, step_s);
    keep_larger(&bump->usual, step);
  }
}

static int thrust_step_is_valid(const struct thrust_step *of, const char *field, struct reason *why) {
  return (valid_range(of->force_n, 0, 1e30, "force_n", why) &&
          valid_range(of->moment_nm, 0, 1e30, "moment_nm", why)) ||
         valid_fail_in(why, "%s.", field);
}

int bump_is_valid(const struct bump *bump, struct reason *why) {
  return valid_whole(bump->has_asked, 0, 1, "has_asked", why) &&
         valid_whole(bump->is_open, 0, 1, "is_open", why) && valid_finite(bump->asked_b, 6, "asked_b", why) &&
         thrust_step_is_valid(&bump->usual, "usual", why) &&
         thrust_step_is_valid(&bump->before, "before", why) &&
         thrust_step_is_valid(&bump->newest, "newest", why);
}
