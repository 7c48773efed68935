// Bending beyond yield: pipe.ramberg_osgood and pipe.sections[].ramberg_osgood, beside yield_moment_nm of
// section_pipe.c. A section that gives none has the pipe's.
#include "sagbend/case/case_internal.h"

#include "sagbend/steel/hardening.h"

#include <string.h>

#define HARDENING_DOC                                                                                        \
  "Ramberg-Osgood's A and B of the law of yield_moment_nm. steel: from pipe.steel (docs/model.md). "         \
  "perfect: "                                                                                                \
  "elastic up to yield_moment_nm, then constant, so that bending gathers in single elements and strain "     \
  "there "                                                                                                   \
  "depends on the mesh. Absent: "

static const struct key_def KEYS[] = {
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

static struct pipe_steel steel_of(const struct check *c, int index) {
  const struct check_steel s = config_steel(c, index);
  return (struct pipe_steel){.yield_pa = s.yield_pa - s.yield_derating_pa,
                             .tensile_pa = s.tensile_pa - s.tensile_derating_pa,
                             .young_pa = s.young_pa,
                             .uniform_strain = s.uniform_strain,
                             .diameter_m = s.diameter_m,
                             .wall_m = s.wall_m};
}

static void check_hardening(const struct check *c, int index, const char *yield_at) {
  double law[2];
  struct reason why;
  if (!given(c, "pipe.steel")) {
    report_found(
        c, yield_at, "neither",
        "ramberg_osgood or pipe.steel expected beside it, for the hardening (ramberg_osgood: perfect "
        "computes without)");
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
    report(c, yield_at, "equal bending stiffnesses expected, where the pipe yields");
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

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section PIPE_YIELD_SECTION = {GROUPS, 1, check_yield, resolve_yield, NULL};
