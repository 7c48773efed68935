// The section statics.
#include "sagbend/case/case_internal.h"

static const struct key_def KEYS[] = {
    {"statics", AS_SECTION, .optional = 1, .doc = "Static equilibrium from which a run with a pipe starts."},
    {"statics.horizontal_force_n", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1,
     AT(out.sim.statics.horizontal_force_n), .unit = "N",
     .doc = "Horizontal tension at the hang-off along the lay azimuth. Exactly one of horizontal_force_n and "
            "hangoff_position_m."},
    {"statics.hangoff_position_m", AS_VECTOR, .size = 2, .optional = 1,
     AT(out.sim.statics.hangoff_position_m), .unit = "m",
     .doc = "Horizontal position of the hang-off: north, east (x, y). Exactly one of horizontal_force_n and "
            "hangoff_position_m."},
    {"statics.weight_compensation", AS_WORD, .fallback = "none", .words = {"none", "pipe"},
     WORD_AT(out.sim.statics.weight_compensation),
     .doc = "Weight compensation: a constant upward force at the hang-off, so that the vessel floats level. "
            "pipe: it carries the vertical force of the pipe in equilibrium. none: no compensation."},
    {"statics.current", AS_WORD, .fallback = "initial", .words = {"initial", "none"},
     WORD_AT(out.sim.statics.current),
     .doc = "Current in the statics. initial: the drag of the current at time 0 acts on the pipe. none: "
            "still water."},
    {"statics.friction", AS_WORD, .fallback = "laid", .words = {"laid", "none"},
     WORD_AT(out.sim.statics.friction),
     .doc = "Seabed friction in the statics. laid: friction holds the pipe as laid, at the touchdown "
            "tension. none: smooth seabed."},
    {"statics.unstable", AS_WORD, .fallback = "refuse", .words = {"refuse", "leave"},
     WORD_AT(out.sim.statics.unstable),
     .doc = "Treatment of an unstable equilibrium. refuse: the statics fail and report the unstable mode. "
            "leave: they continue to a neighbouring stable equilibrium and report it."},
};

static void check_statics(const struct check *c) {
  int has_pipe = given(c, "pipe") != NULL;

  check_allowed(c, "statics", has_pipe, "there is a pipe");
  if (has_pipe && given(c, "statics"))
    check_one_of(c, "statics", "horizontal_force_n", "hangoff_position_m");
  if (has_pipe && !given(c, "statics"))
    report(c, "statics", "a section with horizontal_force_n or hangoff_position_m for the pipe expected");
}

static void resolve_statics(const struct check *c, struct config *out) {
  if (given(c, "pipe"))
    out->sim.statics.kind =
        given(c, "statics.hangoff_position_m") ? STATICS_HANGOFF_POSITION : STATICS_HORIZONTAL_FORCE;
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section STATICS_SECTION = {GROUPS, 1, check_statics, resolve_statics, NULL};
