// Bending beyond yield: pipe.ramberg_osgood and pipe.sections[].ramberg_osgood, beside yield_moment_nm of
// section_pipe.c. A section that gives none has the pipe's.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/steel/steel.h"

#include <string.h>

#define HARDENING_DOC                                                                                        \
  "Ramberg-Osgood's A and B of the law of yield_moment_nm. steel: from pipe.steel (docs/model.md). "         \
  "perfect: "                                                                                                \
  "elastic up to yield_moment_nm, then constant, so that bending gathers in single elements and strain "     \
  "there "                                                                                                   \
  "depends on the mesh. Absent: "

static const struct key_def PIPE_YIELD_KEYS[] = {
    {"pipe.ramberg_osgood", AS_VECTOR | AS_WORD, .size = 2, .optional = 1,
     AT(out.sim.pipe.line.ramberg_osgood), .words = {"steel", "perfect"}, WORD_AT(is_perfect),
     .doc = HARDENING_DOC "steel."},
    {"pipe.sections[].ramberg_osgood", AS_VECTOR | AS_WORD, .size = 2, .optional = 1,
     IN(section_draft, def.ramberg_osgood), .words = {"steel", "perfect"}, WORD_IN(section_draft, is_perfect),
     .doc = HARDENING_DOC "that of the pipe."},
};

// Path of a section; index -1: the pipe itself.
static struct key_path section_path(int index) {
  return index < 0 ? key_path("pipe") : key_path("pipe.sections.%d", index);
}

static struct pipe_type type_of(const struct check *c, int index) {
  return index < 0 ? c->draft->out.sim.pipe.line : config_pipe_section(c, index);
}

// The law of a section.
enum hardening { FROM_STEEL, PERFECT, BY_LAW };
struct yielding {
  enum hardening hardening;
  double law[2];       // BY_LAW
  struct key_path key; // that decides
};

static struct yielding yielding_of(const struct check *c, int index) {
  struct yielding y = {.key = key_path("%s.ramberg_osgood", section_path(index).text)};
  const struct node *node = given(c, y.key.text);
  if (!node && index >= 0)
    return yielding_of(c, -1);
  if (!node)
    return y;
  const struct config_draft *draft = c->draft;
  const int is_perfect = index < 0 ? draft->is_perfect : draft->sections[index].is_perfect;
  const struct pipe_type *type = index < 0 ? &draft->out.sim.pipe.line : &draft->sections[index].def;
  y.hardening = node->kind == NODE_LIST ? BY_LAW : is_perfect ? PERFECT : FROM_STEEL;
  memcpy(y.law, type->ramberg_osgood, sizeof y.law);
  return y;
}

static struct check_steel config_steel(const struct check *c, int index);

static struct pipe_steel steel_of(const struct check *c, int index) {
  const struct check_steel s = config_steel(c, index);
  return (struct pipe_steel){.yield_pa = s.yield_pa - s.yield_derating_pa,
                             .tensile_pa = s.tensile_pa - s.tensile_derating_pa,
                             .young_pa = s.young_pa,
                             .uniform_strain = s.uniform_strain,
                             .diameter_m = s.diameter_m,
                             .wall_m = s.wall_m};
}

static int config_check_steel(const struct check *c, int index);

static void check_hardening(const struct check *c, int index, const char *yield_at) {
  double law[2];
  struct reason why;
  if (!given(c, "pipe.steel")) {
    report_found(
        c, yield_at, "neither",
        "needs ramberg_osgood or pipe.steel for the hardening (ramberg_osgood: perfect computes without)");
    return;
  }
  if (!given(c, "pipe.code_check") && !config_check_steel(c, index)) // which checks it too
    return;
  const struct pipe_steel steel = steel_of(c, index);
  if (steel.yield_pa > 0 && steel.tensile_pa > 0 && steel.wall_m > 0 &&
      hardening_of(&steel, law, &why) != STATUS_OK)
    report_text(c, key_path("%s.steel", section_path(index).text).text, why.text);
}

static void check_section(const struct check *c, int index) {
  const struct key_path section = section_path(index), yield = key_path("%s.yield_moment_nm", section.text);
  const char *const keys[] = {"yield_moment_nm", "ramberg_osgood", "bending_stiffness_nm2"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (!is_readable(c, key_path("%s.%s", section.text, keys[k]).text) ||
        !is_readable(c, key_path("pipe.%s", keys[k]).text))
      return;
  const struct pipe_type type = type_of(c, index);
  const char *yield_at = given(c, yield.text) ? yield.text : "pipe.yield_moment_nm";
  const struct yielding y = yielding_of(c, index);
  if (type.yield_moment_nm == 0)
    return;

  if (y.hardening == BY_LAW && !(y.law[0] > 0 && y.law[1] > 1))
    report(c, y.key.text, "A above 0 and B above 1, steel or perfect expected");
  if (type.bending_stiffness_nm2[0] != type.bending_stiffness_nm2[1])
    report(c, yield_at, "equal bending stiffnesses expected: the pipe yields");
  if (y.hardening == FROM_STEEL)
    check_hardening(c, index, yield_at);
}

static void check_yield(const struct check *c) {
  if (!given(c, "pipe"))
    return;
  for (int i = -1; i < c->draft->out.sim.pipe.type_count; i++)
    check_section(c, i);
}

static void resolve_yield(const struct check *c, struct config *out) {
  struct pipe_def *pipe = &out->sim.pipe;
  if (!given(c, "pipe"))
    return;
  for (int i = -1; i < pipe->type_count; i++) {
    struct pipe_type *type = i < 0 ? &pipe->line : &pipe->types[i];
    const struct yielding y = yielding_of(c, i);
    struct reason why;
    memcpy(type->ramberg_osgood, y.law, sizeof y.law);
    if (type->yield_moment_nm == 0 || y.hardening != FROM_STEEL)
      continue;
    const struct pipe_steel steel = steel_of(c, i);
    out->steel_hardening |= 1u << (i + 1);
    hardening_of(&steel, type->ramberg_osgood, &why);
  }
}

static const struct key_rows PIPE_YIELD_ROWS = KEY_ROWS(PIPE_YIELD_KEYS);
static const struct key_group PIPE_YIELD_GROUPS[] = {{.rows = &PIPE_YIELD_ROWS, .prefix = ""}};
const struct config_section PIPE_YIELD_SECTION = {PIPE_YIELD_GROUPS, 1, check_yield, resolve_yield, NULL};

// ------------------------------------------------------------
// The sections pipe.code_check, pipe.steel and pipe.sections[].steel.

static const struct key_def CODE_CHECK_KEYS[] = {
    {"pipe.code_check", AS_SECTION, .optional = 1,
     .doc = "Code check of the pipe after DNV-ST-F101 (docs/code-check.md). Without this section there is "
            "none."},
    {"pipe.code_check.safety_class", AS_WORD, .words = {"low", "medium", "high"},
     WORD_AT(out.sim.code_check.safety_class), .doc = "Safety class, which decides the resistance factors."},
    {"pipe.code_check.condition_factor", AS_NUMBER, .range = LIMITED, .low = 0.1, .high = 10, .fallback = "1",
     AT(out.sim.code_check.condition),
     .doc = "Condition load effect factor gamma_C on the functional loads."},
    {"pipe.code_check.load_factors", AS_WORD, .fallback = "st-f101", .words = {"st-f101", "st-f201"},
     WORD_AT(out.sim.code_check.load_factors),
     .doc = "Load effect factors. st-f101: 1.2 and 0.7 or 1.1 and 1.3 on functional and environmental loads. "
            "st-f201: "
            "those of DNV-ST-F201 for risers, 1.1 and 1.3, 1/1.3 on an environmental load that relieves."},
    {"pipe.code_check.min_pressure_pa", AS_NUMBER, .fallback = "0", AT(out.sim.code_check.min_pressure_pa),
     .unit = "Pa",
     .doc =
         "Internal gauge pressure that is certain, p_min, against the external pressure. 0: an empty pipe."},
    {"pipe.code_check.arrestor_spacing_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.code_check.arrestor_spacing_m), .unit = "m",
     .doc = "Spacing of the buckle arrestors that the pipe has. A buckle then runs no further, and the event "
            "buckle_propagation is not raised. 0: none."},
    {"pipe.steel", AS_SECTION, .optional = 1,
     .doc = "Steel of the pipe, for pipe.code_check and for the hardening of yield_moment_nm. Its outer "
            "diameter is steel_diameter_m."},
    {"pipe.sections[].steel", AS_SECTION, .optional = 1,
     .doc = "Steel of the section. A value that it does not give is that of pipe.steel."},
};

// Keys of pipe.steel and of pipe.sections[].steel.
static const struct key_def STEEL_KEYS[] = {
    {"wall_thickness_m", AS_NUMBER, .range = POSITIVE, IN(check_steel, wall_m), .unit = "m",
     .doc = "Nominal wall thickness of the steel, t."},
    {"wall_tolerance_m", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, IN(check_steel, wall_tolerance_m),
     .unit = "m",
     .doc = "Negative fabrication tolerance of the wall thickness. Collapse is checked with the thickness "
            "less this. Required with pipe.code_check."},
    {"yield_strength_pa", AS_NUMBER, .range = POSITIVE, IN(check_steel, yield_pa), .unit = "Pa",
     .doc = "Specified minimum yield stress, SMYS."},
    {"tensile_strength_pa", AS_NUMBER, .range = POSITIVE, IN(check_steel, tensile_pa), .unit = "Pa",
     .doc = "Specified minimum tensile strength, SMTS."},
    {"yield_derating_pa", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(check_steel, yield_derating_pa), .unit = "Pa",
     .doc = "Reduction of the yield stress by temperature."},
    {"tensile_derating_pa", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(check_steel, tensile_derating_pa), .unit = "Pa",
     .doc = "Reduction of the tensile strength by temperature."},
    {"material_factor", AS_NUMBER, .range = LIMITED, .low = 0.5, .high = 1, .fallback = "0.96",
     IN(check_steel, material_factor),
     .doc = "Material strength factor alpha_U. 0.96, or 1 with the supplementary requirement U."},
    {"fabrication_factor", AS_NUMBER, .range = LIMITED, .low = 0.5, .high = 1, .optional = 1,
     IN(check_steel, fabrication_factor),
     .doc = "Fabrication factor alpha_fab of the collapse: 1 for seamless pipe, 0.85 for UOE pipe. Required "
            "with "
            "pipe.code_check."},
    {"ovality", AS_NUMBER, .range = LIMITED, .low = 0.005, .high = 0.1, .optional = 1,
     IN(check_steel, ovality),
     .doc =
         "Ovality (D_max - D_min)/D. The code allows no value below 0.005. Required with pipe.code_check."},
    {"young_modulus_pa", AS_NUMBER, .range = POSITIVE, .fallback = "2.07e11", IN(check_steel, young_pa),
     .unit = "Pa", .doc = "Young's modulus, for the collapse."},
    {"poisson", AS_NUMBER, .range = LIMITED, .low = 0, .high = 0.5, .fallback = "0.3",
     IN(check_steel, poisson), .doc = "Poisson's ratio."},
    {"yield_ratio", AS_NUMBER, .range = LIMITED, .low = 0.5, .high = 1, .fallback = "0.93",
     IN(check_steel, yield_ratio), .doc = "Largest ratio of yield to tensile stress, alpha_h."},
    {"girth_weld_factor", AS_NUMBER, .range = LIMITED, .low = 0.1, .high = 1, .optional = 1,
     IN(check_steel, girth_weld_factor),
     .doc = "Girth weld factor alpha_gw. Absent: 1 up to D/t = 20, from there linear to 0.6 at D/t = 60."},
    {"uniform_strain", AS_NUMBER, .range = LIMITED, .low = 0.01, .high = 0.5, .optional = 1,
     IN(check_steel, uniform_strain),
     .doc = "Strain at the tensile strength, where a tensile specimen begins to neck, for the hardening of "
            "yield_moment_nm. Absent: 0.3 (1 - SMYS/SMTS), at least 0.02."},
    {"grade", AS_WORD, .fallback = "none", .words = {"none", "x52", "x60", "x65", "x70"},
     WORD_IN(check_steel, grade),
     .doc = "Grade, for the simplified strain criterion. none: that criterion is not checked."},
};

// The steel of a pipe section with what it takes over from pipe.steel, and its outer diameter; index -1: of
// the pipe. config_check_steel reports what is wrong with it; 0: it is wrong or was not read.
// What a section's steel does not give is that of pipe.steel.
static struct check_steel config_steel(const struct check *c, int index) {
  const struct check_steel *line = &c->draft->out.sim.code_check.steel[0];
  const struct pipe_type type = type_of(c, index);
  struct check_steel steel = index < 0 ? *line : c->draft->sections[index].steel;

  steel.diameter_m = pipe_steel_diameter(&type);
  for (size_t i = 0; i < sizeof STEEL_KEYS / sizeof *STEEL_KEYS && index >= 0; i++) {
    const struct key_def *key = &STEEL_KEYS[i];
    size_t at = key->accepts == AS_WORD ? key->word_offset : key->offset,
           size = key->accepts == AS_WORD ? sizeof(int) : sizeof(double);
    if (!given(c, key_path("pipe.sections.%d.steel.%s", index, key->path).text))
      memcpy((char *)&steel + at, (const char *)line + at, size);
  }
  return steel;
}

static int is_steel_readable(const struct check *c, const char *section) {
  for (size_t i = 0; i < sizeof STEEL_KEYS / sizeof *STEEL_KEYS; i++)
    if (!is_readable(c, key_path("%s.steel.%s", section, STEEL_KEYS[i].path).text))
      return 0;
  return is_readable(c, key_path("%s.outer_diameter_m", section).text) &&
         is_readable(c, key_path("%s.steel_diameter_m", section).text);
}

// A value that has to stay below a share of another one. Reports it at the section's own key, or else at the
// section.
static void check_share(const struct check *c, const char *section, const char *key, double value,
                        double share, double of, const char *what) {
  struct key_path own = key_path("%s.steel.%s", section, key);
  int is_own = given(c, own.text) != NULL;
  if (!(value <= share * of))
    report_found(c, is_own ? own.text : section, number_text(value).text, "%sless than %s of %s expected",
                 is_own ? "" : key_path("steel.%s: ", key).text, what, number_text(of).text);
}

static void check_steel_values(const struct check *c, const char *section, const struct check_steel *steel,
                               const struct pipe_type *type) {
  const char *strength = "the tensile strength", *yield = "the yield stress";
  check_share(c, section, "wall_thickness_m", steel->wall_m, 0.499, pipe_steel_diameter(type),
              "half of the steel's diameter");
  check_share(c, section, "wall_tolerance_m", steel->wall_tolerance_m, 0.99, steel->wall_m,
              "the wall thickness");
  check_share(c, section, "yield_derating_pa", steel->yield_derating_pa, 0.99, steel->yield_pa, yield);
  check_share(c, section, "tensile_derating_pa", steel->tensile_derating_pa, 0.99, steel->tensile_pa,
              strength);
  check_share(c, section, "yield_strength_pa", steel->yield_pa, 1, steel->tensile_pa, strength);
}

// Where the section's own steel must be given: it cannot be the pipe's.
static int is_other_steel(const struct pipe_type *a, const struct pipe_type *b) {
  return pipe_steel_diameter(a) != pipe_steel_diameter(b) || a->axial_stiffness_n != b->axial_stiffness_n ||
         a->bending_stiffness_nm2[0] != b->bending_stiffness_nm2[0] ||
         a->bending_stiffness_nm2[1] != b->bending_stiffness_nm2[1];
}

static int config_check_steel(const struct check *c, int index) {
  const struct key_path section = index < 0 ? key_path("pipe") : key_path("pipe.sections.%d", index),
                        wall = key_path("%s.steel.wall_thickness_m", section.text);
  const struct pipe_type type = type_of(c, index);
  const struct check_steel steel = config_steel(c, index);
  const int errors = c->errors->count;

  if (!is_steel_readable(c, "pipe") || !is_steel_readable(c, section.text))
    return 0;
  if (!given(c, wall.text) && is_other_steel(&type, &c->draft->out.sim.pipe.line))
    report_found(c, given(c, key_path("%s.steel", section.text).text) ? wall.text : section.text, "none",
                 "needs steel.wall_thickness_m: its steel diameter or stiffness is not the pipe's");
  else
    check_steel_values(c, section.text, &steel, &type);
  return c->errors->count == errors;
}

// Keys that only the code check needs.
static void check_needed(const struct check *c) {
  static const char *const needed[] = {"wall_tolerance_m", "fabrication_factor", "ovality"};
  for (size_t i = 0; i < sizeof STEEL_KEYS / sizeof *STEEL_KEYS; i++)
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
      struct key_path path = key_path("pipe.steel.%s", needed[k]);
      if (strcmp(STEEL_KEYS[i].path, needed[k]) == 0 && !given(c, path.text))
        report_found(c, path.text, "nothing", "%s expected", schema_expectation(&STEEL_KEYS[i]).text);
    }
}

static void check_code_check(const struct check *c) {
  if (!given(c, "pipe.code_check"))
    return;
  if (!given(c, "pipe.steel")) {
    report_found(c, "pipe.code_check", "none", "needs pipe.steel");
    return;
  }
  check_needed(c);
  for (int i = -1; i < c->draft->out.sim.pipe.type_count; i++)
    config_check_steel(c, i);
}

static void resolve_code_check(const struct check *c, struct config *out) {
  struct code_check_def *def = &out->sim.code_check;

  def->enabled = given(c, "pipe.code_check") != NULL;
  for (int i = -1; i < out->sim.pipe.type_count && given(c, "pipe.steel"); i++)
    def->steel[1 + i] = config_steel(c, i);
}

static const struct key_rows CODE_CHECK_ROWS = KEY_ROWS(CODE_CHECK_KEYS), STEEL_ROWS = KEY_ROWS(STEEL_KEYS);
static const struct key_group CODE_CHECK_GROUPS[] = {
    {.rows = &CODE_CHECK_ROWS, .prefix = ""},
    {.rows = &STEEL_ROWS,
     .prefix = "pipe.steel",
     .offset = offsetof(struct config_draft, out.sim.code_check.steel)},
    {.rows = &STEEL_ROWS,
     .prefix = "pipe.sections[].steel",
     .offset = offsetof(struct section_draft, steel),
     .all_optional = 1},
};
const struct config_section CODE_CHECK_SECTION = {CODE_CHECK_GROUPS, 3, check_code_check, resolve_code_check,
                                                  NULL};

// ------------------------------------------------------------
// The section pipe.fatigue.

// A number of a header as the text of a fallback.
#define TEXT_OF_NUMBER(x) #x
#define FALLBACK(number)  .fallback = TEXT_OF_NUMBER(number)

#define X(id, name, m_air, a_air, m_sea, a_sea, exponent) name,
static const struct key_def FATIGUE_KEYS[] = {
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
    check_allowed(c, key.text, is_own, "needs curve own");
    if (is_own && !given(c, key.text))
      report(c, key.text, "a value expected: curve own needs it");
  }
  if (!is_readable(c, "pipe.fatigue.wall_thickness_m") || !is_readable(c, "pipe.steel") ||
      !is_readable(c, "pipe.outer_diameter_m") || !is_readable(c, "pipe.sections"))
    return;
  for (int i = -1; i < sim->pipe.type_count; i++) {
    const struct pipe_type type = i < 0 ? sim->pipe.line : config_pipe_section(c, i);
    const double outer = pipe_steel_diameter(&type), wall = wall_of(c, i);
    if (!(wall > 0 && 2 * wall < outer))
      report(c, "pipe.fatigue.wall_thickness_m",
             "the wall of the steel, above 0 and below half of %.4g m, expected: pipe.steel does not give it "
             "either",
             outer);
  }
}

static void resolve_fatigue(const struct check *c, struct config *out) {
  struct fatigue_def *fatigue = &out->sim.fatigue;
  fatigue->enabled = given(c, "pipe.fatigue") != NULL;
  if (!fatigue->enabled)
    return;
  if (c->draft->is_curve_exponent)
    fatigue->curve.exponent = -1;
  double wall[1 + MAX_PIPE_TYPES];
  for (int i = -1; i < out->sim.pipe.type_count; i++)
    wall[i + 1] = wall_of(c, i);
  for (int i = -1; i < out->sim.pipe.type_count; i++)
    fatigue->wall_m[i + 1] = wall[i + 1];
}

static const struct key_rows FATIGUE_ROWS = KEY_ROWS(FATIGUE_KEYS);
static const struct key_group FATIGUE_GROUPS[] = {{.rows = &FATIGUE_ROWS, .prefix = ""}};
const struct config_section FATIGUE_SECTION = {FATIGUE_GROUPS, 1, check_fatigue, resolve_fatigue, NULL};
