// The sections pipe.code_check, pipe.steel and pipe.sections[].steel.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/number_text.h"

#include <string.h>

static const struct key_def KEYS[] = {
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

static struct pipe_type type_of(const struct check *c, int index) {
  return index < 0 ? c->draft->out.sim.pipe.line : config_pipe_section(c, index);
}

// What a section's steel does not give is that of pipe.steel.
struct check_steel config_steel(const struct check *c, int index) {
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

int config_check_steel(const struct check *c, int index) {
  const struct key_path section = index < 0 ? key_path("pipe") : key_path("pipe.sections.%d", index),
                        wall = key_path("%s.steel.wall_thickness_m", section.text);
  const struct pipe_type type = type_of(c, index);
  const struct check_steel steel = config_steel(c, index);
  const int errors = c->errors->count;

  if (!is_steel_readable(c, "pipe") || !is_steel_readable(c, section.text))
    return 0;
  if (!given(c, wall.text) && is_other_steel(&type, &c->draft->out.sim.pipe.line))
    report_found(
        c, given(c, key_path("%s.steel", section.text).text) ? wall.text : section.text, "none",
        "steel.wall_thickness_m expected: the section's steel diameter or stiffness is not the pipe's");
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
    report_found(c, "pipe.code_check", "none", "pipe.steel expected beside it");
    return;
  }
  check_needed(c);
  for (int i = -1; i < c->draft->out.sim.pipe.type_count; i++)
    config_check_steel(c, i);
}

static void resolve_code_check(const struct check *c, struct config *out) {
  struct code_check_def *def = &out->sim.code_check;

  def->asked = given(c, "pipe.code_check") != NULL;
  for (int i = -1; i < out->sim.pipe.type_count && given(c, "pipe.steel"); i++)
    def->steel[1 + i] = config_steel(c, i);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS), STEEL_ROWS = KEY_ROWS(STEEL_KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &STEEL_ROWS,
     .prefix = "pipe.steel",
     .offset = offsetof(struct config_draft, out.sim.code_check.steel)},
    {.rows = &STEEL_ROWS,
     .prefix = "pipe.sections[].steel",
     .offset = offsetof(struct section_draft, steel),
     .all_optional = 1},
};
const struct config_section CODE_CHECK_SECTION = {GROUPS, 3, check_code_check, resolve_code_check, NULL};
