// Which elements a section of the pipe has, beams or wires: pipe.element_kind and
// pipe.sections[].element_kind.
#include "sagbend/case/case_internal.h"

#include <math.h>

#define KIND_DOC                                                                                             \
  "Elements of this section. beam: tension, shear, torsion and bending. wire: tension along the chord and "  \
  "bending between chords, no torsion (docs/model-pipe.md). auto: a wire where bending_stiffness_nm2 is "    \
  "below T l^2/100, with l its longest element and T the weight of a length of the depth plus "              \
  "statics.horizontal_force_n; sagbend check says so."
#define ENDS_DOC                                                                                             \
  "Joint of a wire with a beam, a clamped end or a clamped hang-off. rigid: it bends against their axis. "   \
  "hinge: it turns freely."

static const struct key_def KEYS[] = {
    {"pipe.element_kind", AS_WORD, .fallback = "auto", .words = {"auto", "beam", "wire"},
     WORD_AT(element_kind), .doc = KIND_DOC},
    {"pipe.sections[].element_kind", AS_WORD, .optional = 1, .words = {"auto", "beam", "wire"},
     WORD_IN(section_draft, element_kind), .doc = KIND_DOC " Absent: that of the pipe."},
    {"pipe.wire_ends", AS_WORD, .fallback = "rigid", .words = {"rigid", "hinge"}, WORD_AT(wire_ends),
     .doc = ENDS_DOC},
    {"pipe.sections[].wire_ends", AS_WORD, .optional = 1, .words = {"rigid", "hinge"},
     WORD_IN(section_draft, wire_ends), .doc = ENDS_DOC " Absent: that of the pipe."},
};

// A word of a section; index -1: of the pipe, which a section that gives none has too.
static int word_of(const struct check *c, int index, const char *key, int of_pipe, int own) {
  return index >= 0 && given(c, key_path("pipe.sections.%d.%s", index, key).text) ? own : of_pipe;
}

static enum element_kind kind_of(const struct check *c, int index) {
  const struct config_draft *draft = c->draft;
  return (enum element_kind)word_of(c, index, "element_kind", draft->element_kind,
                                    index < 0 ? 0 : draft->sections[index].element_kind);
}

static int cannot_be_a_wire(const struct pipe_type *type) {
  return type->yield_moment_nm > 0 || type->curvature_1pm[0] != 0 || type->curvature_1pm[1] != 0;
}

static void check_wires(const struct check *c) {
  if (!given(c, "pipe"))
    return;
  for (int i = -1; i < c->draft->out.sim.pipe.type_count; i++) {
    const struct key_path section = i < 0 ? key_path("pipe") : key_path("pipe.sections.%d", i);
    const struct key_path own = key_path("%s.element_kind", section.text);
    const struct pipe_type type = i < 0 ? c->draft->out.sim.pipe.line : config_pipe_section(c, i);
    const char *at = given(c, own.text) ? own.text : "pipe.element_kind";
    if (is_readable(c, own.text) && is_readable(c, "pipe.element_kind") && kind_of(c, i) == ELEMENT_WIRE &&
        cannot_be_a_wire(&type))
      report(c, at, "beam or auto expected beside yield_moment_nm or curvature_1pm, which a wire has not");
  }
}

double config_typical_tension(const struct sim_def *sim, int type) {
  const double weight = pipe_type_weight(&sim->pipe, pipe_type_of(&sim->pipe, type), &sim->env);
  return fmax(0, sim->statics.horizontal_force_n) + fabs(weight) * sim->env.depth_m;
}

double config_wire_bending(const struct sim_def *sim, int type_number) {
  const struct pipe_def *pipe = &sim->pipe;
  const double tension = config_typical_tension(sim, type_number);
  double longest = 0;
  for (int k = 0; k < pipe_stretch_count(pipe); k++) {
    const struct mesh_segment part = pipe_stretch_of(pipe, k);
    if (part.type == type_number && part.elements > 0)
      longest = fmax(longest, part.length_m / part.elements);
  }
  return tension * longest * longest / 100;
}

void config_resolve_wires(const struct check *c, struct config *out) {
  struct pipe_def *pipe = &out->sim.pipe;
  if (!given(c, "pipe"))
    return;
  for (int i = -1; i < pipe->type_count; i++) {
    struct pipe_type *type = i < 0 ? &pipe->line : &pipe->types[i];
    const enum element_kind kind = kind_of(c, i);
    const double bending = fmax(type->bending_stiffness_nm2[0], type->bending_stiffness_nm2[1]);
    type->wire = kind == ELEMENT_WIRE || (kind == ELEMENT_AUTO && !cannot_be_a_wire(type) &&
                                          bending < config_wire_bending(&out->sim, i + 1));
    type->wire_hinged =
        word_of(c, i, "wire_ends", c->draft->wire_ends, i < 0 ? 0 : c->draft->sections[i].wire_ends);
    out->element_kind[i + 1] = kind;
  }
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section PIPE_WIRE_SECTION = {GROUPS, 1, check_wires, NULL, NULL};
