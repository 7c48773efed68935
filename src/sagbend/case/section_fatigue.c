// The section pipe.fatigue.
#include "sagbend/case/case_internal.h"

// A number of a header as the text of a fallback.
#define TEXT_OF_NUMBER(x) #x
#define FALLBACK(number)  .fallback = TEXT_OF_NUMBER(number)

#define X(id, name, m_air, a_air, m_sea, a_sea, exponent) name,
static const struct key_def KEYS[] = {
    {"pipe.fatigue", AS_SECTION, .optional = 1,
     .doc = "Fatigue of the pipe while the session goes on: rainflow count, damage, rate and standby time. "
            "Absent: none."},
    {"pipe.fatigue.curve", AS_WORD, .words = {SN_CURVE_TABLE(X) "own"}, WORD_AT(out.sim.fatigue.curve.name),
     .doc = "S-N curve of DNV-RP-C203, or own: m1, log_a1, m2 and knee_cycles."},
    {"pipe.fatigue.environment", AS_WORD, .words = {"air", "protected"}, .fallback = "protected",
     WORD_AT(out.sim.fatigue.curve.environment),
     .doc = "Surroundings of the steel that choose the S-N curve. protected: sea water with cathodic "
            "protection."},
    {"pipe.fatigue.m1", AS_NUMBER, .range = LIMITED, .low = 1, .high = 12, .optional = 1,
     AT(out.sim.fatigue.curve.m[0]), .doc = "Slope of an own S-N curve up to the knee."},
    {"pipe.fatigue.log_a1", AS_NUMBER, .range = LIMITED, .low = 1, .high = 40, .optional = 1,
     AT(out.sim.fatigue.curve.log_a),
     .doc = "Logarithm to base 10 of a in N = a S^-m1, S in MPa, of an own S-N curve."},
    {"pipe.fatigue.m2", AS_NUMBER, .range = LIMITED, .low = 1, .high = 12, .optional = 1,
     AT(out.sim.fatigue.curve.m[1]), .doc = "Slope of an own S-N curve beyond the knee."},
    {"pipe.fatigue.knee_cycles", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.sim.fatigue.curve.knee),
     .doc = "Cycles at the knee of an own S-N curve."},
    {"pipe.fatigue.scf", AS_NUMBER, .range = LIMITED, .low = 1, .high = 20, .fallback = "1",
     AT(out.sim.fatigue.curve.scf), .doc = "Stress concentration factor on the nominal stress range."},
    {"pipe.fatigue.wall_thickness_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.fatigue.wall_m[0]), .unit = "m",
     .doc = "Wall of the steel for its stresses. Absent: pipe.steel.wall_thickness_m."},
    {"pipe.fatigue.thickness_ref_m", AS_NUMBER, .range = POSITIVE, FALLBACK(SN_REFERENCE_M),
     AT(out.sim.fatigue.curve.reference_m), .unit = "m",
     .doc = "Wall above which the stress range grows by (wall/this)^thickness_exponent."},
    {"pipe.fatigue.thickness_exponent", AS_NUMBER | AS_WORD, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "of_curve", .words = {"of_curve"}, .word_first = 1, WORD_AT(is_curve_exponent),
     AT(out.sim.fatigue.curve.exponent),
     .doc = "Exponent of the thickness. of_curve: that of the S-N curve."},
    {"pipe.fatigue.interval_s", AS_NUMBER, .range = LIMITED, .low = 0.001, .high = 10,
     FALLBACK(FATIGUE_INTERVAL_S), AT(out.sim.fatigue.interval_s), .unit = "s",
     .doc = "Time between samples of an element, rounded to whole steps, at least one."},
    {"pipe.fatigue.gate_pa", AS_NUMBER, .range = NOT_NEGATIVE, FALLBACK(FATIGUE_GATE_PA),
     AT(out.sim.fatigue.gate_pa), .unit = "Pa", .doc = "Turn of the stress below which it is none."},
    {"pipe.fatigue.window_s", AS_NUMBER, .range = LIMITED, .low = 16, .high = 1e6, FALLBACK(FATIGUE_WINDOW_S),
     AT(out.sim.fatigue.window_s), .unit = "s", .doc = "Time over which the rate of the damage is taken."},
    {"pipe.fatigue.allowance", AS_NUMBER, .range = LIMITED, .low = 1e-9, .high = 1,
     FALLBACK(FATIGUE_ALLOWANCE), AT(out.sim.fatigue.allowance),
     .doc = "Damage that the operation may use. 1 is failure."},
    {"pipe.fatigue.standby_least_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.fatigue.standby_least_s), .unit = "s",
     .doc = "Standby time below which the event standby_short is raised. 0: none."},
};
#undef X

static double wall_of(const struct check *c, int index) {
  const double own = c->draft->out.sim.fatigue.wall_m[0];
  const int is_given_here = given(c, "pipe.fatigue.wall_thickness_m") != NULL;
  const struct check_steel steel = config_steel(c, index);
  const int has_steel =
      index >= 0 && given(c, key_path("pipe.sections.%d.steel.wall_thickness_m", index).text);
  return is_given_here && !has_steel ? own : steel.wall_m;
}

static void check_fatigue(const struct check *c) {
  static const char *const own[] = {"m1", "log_a1", "m2", "knee_cycles"};
  const struct sim_def *sim = &c->draft->out.sim;
  if (!given(c, "pipe.fatigue"))
    return;
  const int is_own = is_given_well(c, "pipe.fatigue.curve") && sim->fatigue.curve.name == SN_OWN;
  for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
    const struct key_path key = key_path("pipe.fatigue.%s", own[k]);
    check_allowed(c, key.text, is_own, "curve is own");
    if (is_own && !given(c, key.text))
      report(c, key.text, "a value expected where curve is own");
  }
  if (!is_readable(c, "pipe.fatigue.wall_thickness_m") || !is_readable(c, "pipe.steel") ||
      !is_readable(c, "pipe.outer_diameter_m") || !is_readable(c, "pipe.sections"))
    return;
  for (int i = -1; i < sim->pipe.type_count; i++) {
    const struct pipe_type type = i < 0 ? sim->pipe.line : config_pipe_section(c, i);
    const double outer = pipe_steel_diameter(&type), wall = wall_of(c, i);
    if (!(wall > 0 && 2 * wall < outer))
      report(c, "pipe.fatigue.wall_thickness_m",
             "the wall of the steel, above 0 and below half of %.4g m, expected here or in pipe.steel",
             outer);
  }
}

static void resolve_fatigue(const struct check *c, struct config *out) {
  struct fatigue_def *fatigue = &out->sim.fatigue;
  fatigue->asked = given(c, "pipe.fatigue") != NULL;
  if (!fatigue->asked)
    return;
  if (c->draft->is_curve_exponent)
    fatigue->curve.exponent = -1;
  double wall[1 + MAX_PIPE_TYPES];
  for (int i = -1; i < out->sim.pipe.type_count; i++)
    wall[i + 1] = wall_of(c, i);
  for (int i = -1; i < out->sim.pipe.type_count; i++)
    fatigue->wall_m[i + 1] = wall[i + 1];
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section FATIGUE_SECTION = {GROUPS, 1, check_fatigue, resolve_fatigue, NULL};
