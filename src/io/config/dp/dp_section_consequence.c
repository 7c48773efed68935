// DP file: consequence.
#include "io/config/dp/dp_sections.h"

static const struct key_def KEYS[] = {
    {"consequence", AS_SECTION, .optional = 1,
     .doc = "Consequence analysis: whether the thrusters that a failure would leave could still hold the "
            "vessel. Absent: "
            "none is made."},
    {"consequence.period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     IN(dp_draft, out.def.consequence.period_s), .unit = "s",
     .doc = "Time between two analyses of all failures. One failure is examined in a sample, so that many "
            "take longer."},
    {"consequence.mean_s", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     IN(dp_draft, out.def.consequence.mean_s), .unit = "s",
     .doc = "Time constant of mean and standard deviation of the load, which is what the thrusters give. "
            "Nothing is "
            "known for twice as long after take-over and after a change of the set-point."},
    {"consequence.sigmas", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "1",
     IN(dp_draft, out.def.consequence.sigmas),
     .doc = "Standard deviations that the load is taken away from its mean, in surge, sway and yaw."},
    {"consequence.margin", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     IN(dp_draft, out.def.consequence.margin),
     .doc = "Margin below which the alarm comes: the factor by which the load could grow after the failure."},
    {"consequence.on_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5",
     IN(dp_draft, out.def.consequence.on_s), .unit = "s",
     .doc = "Time below the margin after which the alarm comes."},
    {"consequence.off_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30",
     IN(dp_draft, out.def.consequence.off_s), .unit = "s",
     .doc = "Time above 1.1 times the margin after which the alarm ends."},
    {"consequence.failures", AS_WORD, .fallback = "all", .words = {"all", "buses", "thrusters"},
     WORD_IN(dp_draft, out.def.consequence.list),
     .doc = "Failures that are examined: the loss of each bus of allocation.buses, of each thruster, or all "
            "of them."},
};

static void check_consequence(const struct check *c) {
  const struct dp_def *def = &c->dp->out.def;
  if (given(c, "consequence"))
    check_allowed(c, "consequence", def->allocation.actuator_count > 0, "thrusters are given");
}

static void resolve_consequence(const struct check *c, struct dp_config *out) {
  out->def.consequence.present = given(c, "consequence") != NULL;
  consequence_fill_list(&out->def.consequence, &out->def.allocation);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct dp_section DP_CONSEQUENCE_SECTION = {GROUPS, 1, check_consequence, resolve_consequence};
