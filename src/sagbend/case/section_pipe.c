// The section pipe: mesh, sections and properties.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/number_text.h"

#include <math.h>
#include <string.h>

// Properties of a pipe section, under pipe and under pipe.sections[].
static const struct key_def SECTION_KEYS[] = {
    {"outer_diameter_m", AS_NUMBER, .range = POSITIVE, IN(pipe_type, outer_diameter_m), .unit = "m",
     .doc = "Outer diameter, with coating, for buoyancy, drag and contact."},
    {"inner_diameter_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(pipe_type, inner_diameter_m),
     .unit = "m", .doc = "Inner diameter, for the content. 0: no content."},
    {"steel_diameter_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(pipe_type, steel_diameter_m),
     .unit = "m", .doc = "Outer diameter of the steel, at which strain is reported. 0: outer_diameter_m."},
    {"mass_kgpm", AS_NUMBER, .range = POSITIVE, IN(pipe_type, mass_kgpm), .unit = "kg/m",
     .doc = "Mass per length in air. It includes the content where content_density_kgpm3 is 0."},
    {"inertia_kgm", AS_VECTOR, .size = 3, .range = POSITIVE, IN(pipe_type, inertia_kgm), .unit = "kg m",
     .doc = "Mass moments of inertia per length: about the pipe axis, then about the two transverse axes."},
    {"axial_stiffness_n", AS_NUMBER, .range = POSITIVE, IN(pipe_type, axial_stiffness_n), .unit = "N",
     .doc = "Axial stiffness EA."},
    {"shear_stiffness_n", AS_NUMBER | AS_VECTOR, .size = 2, .range = POSITIVE,
     IN(pipe_type, shear_stiffness_n), .unit = "N",
     .doc = "Shear stiffness GA2 and GA3, or one number for both."},
    {"torsion_stiffness_nm2", AS_NUMBER, .range = POSITIVE, IN(pipe_type, torsion_stiffness_nm2),
     .unit = "N m2", .doc = "Torsional stiffness GJ."},
    {"bending_stiffness_nm2", AS_NUMBER | AS_VECTOR, .size = 2, .range = POSITIVE,
     IN(pipe_type, bending_stiffness_nm2), .unit = "N m2",
     .doc = "Bending stiffness EI2 and EI3, or one number for both."},
    {"curvature_1pm", AS_VECTOR, .size = 2, .optional = 1, IN(pipe_type, curvature_1pm), .unit = "1/m",
     .doc = "Curvature of the unstressed pipe about its section axes t2 and t3. Absent: straight."},
    {"yield_moment_nm", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(pipe_type, yield_moment_nm),
     .unit = "N m",
     .doc =
         "Bending moment M_y of the law of bending beyond yield, M at curvature kappa: kappa EI/M_y = M/M_y "
         "+ A (M/M_y)^B, A and B by ramberg_osgood; mostly SMYS times the elastic section modulus. 0: the "
         "pipe "
         "stays elastic."},
    {"drag_transverse", AS_NUMBER, .range = NOT_NEGATIVE, IN(pipe_type, drag_transverse),
     .doc = "Morison drag coefficient across the pipe axis, on the outer diameter."},
    {"drag_axial", AS_NUMBER, .range = NOT_NEGATIVE, IN(pipe_type, drag_axial),
     .doc = "Morison drag coefficient along the pipe axis, on the outer diameter."},
    {"added_mass_transverse", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(pipe_type, added_mass_transverse),
     .doc = "Added-mass coefficient across the pipe axis, as a share of the displaced water mass."},
    {"added_mass_axial", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(pipe_type, added_mass_axial),
     .doc = "Added-mass coefficient along the pipe axis, as a share of the displaced water mass."},
    {"rotational_damping_ns", AS_NUMBER | AS_VECTOR, .size = 3, .range = NOT_NEGATIVE,
     IN(pipe_type, rotational_damping_ns), .unit = "N s",
     .doc = "Rotational damping: moment per length and angular rate (N m / m / (rad/s)) about the three "
            "section axes, or one number for all."},
};

static const struct key_def KEYS[] = {
    {"pipe", AS_SECTION, .optional = 1,
     .doc = "Pipe between seabed and vessel. Without this section there is no pipe."},
    {"pipe.elements", AS_INTEGER, .range = LIMITED, .low = 2, .high = 100000, .optional = 1,
     AT(out.sim.pipe.elements),
     .doc = "Number of elements; spacing gives their lengths. Exactly one of elements and mesh."},
    {"pipe.spacing", AS_WORD, .fallback = "auto", .words = {"equal", "auto"}, WORD_AT(out.sim.pipe.spacing),
     .doc = "Lengths of the elements where elements is given. auto: short where the pipe touches down or may "
            "come to, growing from there; equal without a foreseeable touchdown (bathymetry, pay-out, "
            "stinger, a pipe that floats). equal: all equal."},
    {"pipe.mesh", AS_ITEMS, .size = MAX_MESH_SEGMENTS, .optional = 1,
     ITEMS_IN(config_draft, mesh, mesh_draft, out.sim.pipe.mesh_segment_count),
     .doc = "Mesh from the lower end upwards, in parts with elements of equal length, finer at touchdown and "
            "hang-off. The lengths sum to length_m. Exactly one of elements and mesh."},
    {"pipe.mesh[].length_m", AS_NUMBER, .range = POSITIVE, IN(mesh_draft, part.length_m), .unit = "m",
     .doc = "Unstretched length of this part of the mesh."},
    {"pipe.mesh[].elements", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100000,
     IN(mesh_draft, part.elements), .doc = "Number of elements in this part of the mesh."},
    {"pipe.mesh[].section", AS_TEXT, .size = SECTION_NAME, .optional = 1, IN(mesh_draft, section),
     .doc = "Name of the pipe section in pipe.sections that this part is made of. Absent: the properties "
            "given under pipe."},
    {"pipe.length_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.length_m), .unit = "m",
     .doc = "Unstretched length of the pipe."},
    {"pipe.sections", AS_ITEMS, .size = MAX_PIPE_TYPES, .optional = 1,
     ITEMS_IN(config_draft, sections, section_draft, out.sim.pipe.type_count),
     .doc = "Pipe sections with other properties for parts of the mesh, such as buckle arrestors or coated "
            "pipe. A property that a section does not give is the pipe's."},
    {"pipe.sections[].name", AS_TEXT, .size = SECTION_NAME, IN(section_draft, name),
     .doc = "Unique name of the section, for pipe.mesh."},
    {"pipe.content_density_kgpm3", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.pipe.content_density_kgpm3), .unit = "kg/m3",
     .doc = "Density of the content that fills the inner diameter; its mass is added to mass_kgpm. 0: "
            "mass_kgpm includes the content."},
    {"pipe.content_pressure_pa", AS_NUMBER, .fallback = "0", AT(out.sim.pipe.content_pressure_pa),
     .unit = "Pa",
     .doc =
         "Gauge pressure of the content at the mean sea surface. It affects the reported wall tension only."},
    {"pipe.water_inertia", AS_FLAG, .fallback = "true", AT(out.sim.pipe.water_inertia),
     .doc = "Inertia force of accelerating water on the pipe (displaced mass plus added mass). false "
            "switches it off."},
    {"pipe.added_mass_form", AS_WORD, .fallback = "kirchhoff", .words = {"kirchhoff", "morison"},
     WORD_AT(out.sim.pipe.added_mass_form),
     .doc = "Added-mass formulation. kirchhoff: momentum of an ideal fluid that turns with the pipe; it "
            "conserves energy. morison: added mass on the acceleration along and across the section, as in "
            "offshore codes; it may supply energy."},
    {"pipe.buoyancy", AS_WORD, .fallback = "depth", .words = {"depth", "submerged"},
     WORD_AT(out.sim.pipe.buoyancy),
     .doc = "Part of the pipe that has buoyancy and drag. depth: the part below the still water level. "
            "submerged: all of it, as in reference calculations that know no surface."},
    {"pipe.structural_damping_s", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.pipe.structural_damping_s),
     .unit = "s", .doc = "Kelvin-Voigt damping time eta: stress += eta C d(strain)/dt."},
    {"pipe.strain_limit", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0.002",
     AT(out.sim.pipe.strain_limit),
     .doc = "Longitudinal strain of the steel (axial plus bending) above which the event strain_limit is "
            "raised. The default is the onset of yield of line pipe. 0: no "
            "limit."},
};

// What a section does not give is the pipe's.
struct pipe_type config_pipe_section(const struct check *c, int index) {
  struct pipe_type section = c->draft->sections[index].def;
  const struct pipe_type *line = &c->draft->out.sim.pipe.line;

  for (size_t i = 0; i < sizeof SECTION_KEYS / sizeof *SECTION_KEYS; i++) {
    const struct key_def *key = &SECTION_KEYS[i];
    size_t numbers = key->accepts & AS_VECTOR ? (size_t)key->size : 1;
    if (!given(c, key_path("pipe.sections.%d.%s", index, key->path).text))
      memcpy((char *)&section + key->offset, (const char *)line + key->offset, numbers * sizeof(double));
  }
  return section;
}

// A property of a section is readable where both its own value and the pipe's are.
static int is_property_readable(const struct check *c, const char *section, const char *key) {
  return is_readable(c, key_path("%s.%s", section, key).text) &&
         is_readable(c, key_path("pipe.%s", key).text);
}

static void check_bore(const struct check *c, const char *section, const struct pipe_type *def) {
  struct key_path inner = key_path("%s.inner_diameter_m", section);
  struct key_path outer = key_path("%s.outer_diameter_m", section);

  if (!is_property_readable(c, section, "inner_diameter_m") ||
      !is_property_readable(c, section, "outer_diameter_m") || def->inner_diameter_m == 0 ||
      def->inner_diameter_m < def->outer_diameter_m)
    return;
  if (given(c, inner.text))
    report(c, inner.text, "less than the outer diameter of %s m expected",
           number_text(def->outer_diameter_m).text);
  else
    report(c, outer.text, "more than the inner diameter of %s m expected",
           number_text(def->inner_diameter_m).text);
}

static void check_steel(const struct check *c, const char *section, const struct pipe_type *def) {
  static const char *const keys[] = {"steel_diameter_m", "outer_diameter_m", "inner_diameter_m"};
  const char *at = keys[2];

  for (int k = 2; k >= 0; k--) {
    if (!is_property_readable(c, section, keys[k]))
      return;
    if (given(c, key_path("%s.%s", section, keys[k]).text))
      at = keys[k];
  }
  if (def->steel_diameter_m == 0 ||
      (def->steel_diameter_m > def->inner_diameter_m && def->steel_diameter_m <= def->outer_diameter_m))
    return;

  char found[64];
  snprintf(found, sizeof found, "%s m", number_text(def->steel_diameter_m).text);
  report_found(
      c, key_path("%s.%s", section, at).text, found,
      "a steel diameter above the inner diameter of %s m and at most the outer diameter of %s m expected",
      number_text(def->inner_diameter_m).text, number_text(def->outer_diameter_m).text);
}

static void check_sections(const struct check *c) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;

  check_bore(c, "pipe", &pipe->line);
  check_steel(c, "pipe", &pipe->line);
  check_allowed(c, "pipe.sections", given(c, "pipe.mesh") || given(c, "pipe.feed"),
                "pipe.mesh or pipe.feed is given, whose parts use them");
  for (int i = 0; i < pipe->type_count; i++) {
    struct key_path path = key_path("pipe.sections.%d", i);
    struct pipe_type section = config_pipe_section(c, i);
    check_bore(c, path.text, &section);
    check_steel(c, path.text, &section);
    check_unique(c, "pipe.sections", i, c->draft->sections[0].name, sizeof c->draft->sections[0]);
  }

  const char *bore = "pipe.inner_diameter_m";
  if ((pipe->content_density_kgpm3 > 0 || pipe->content_pressure_pa != 0) && is_readable(c, bore) &&
      !(pipe->line.inner_diameter_m > 0))
    report(c, bore, "a diameter > 0 where the pipe has a content expected");
}

int config_section_number(const struct config_draft *draft, const char *name) {
  if (!*name)
    return 0;

  for (int k = 0; k < draft->out.sim.pipe.type_count; k++)
    if (strcmp(name, draft->sections[k].name) == 0)
      return k + 1;
  return -1;
}

static void check_mesh(const struct check *c) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  double length = 0;

  check_one_of(c, "pipe", "elements", "mesh");
  check_allowed(c, "pipe.spacing", given(c, "pipe.elements") != NULL || pipe->spacing == SPACING_EQUAL,
                "pipe.elements is given");
  if (!given(c, "pipe.mesh"))
    return;
  for (int i = 0; i < pipe->mesh_segment_count; i++) {
    struct key_path path = key_path("pipe.mesh.%d.section", i);
    if (is_readable(c, path.text) && config_section_number(c->draft, c->draft->mesh[i].section) < 0)
      report(c, path.text, "the name of one of pipe.sections expected");
    length += c->draft->mesh[i].part.length_m;
  }
  if (is_readable(c, "pipe.length_m") && !(fabs(length - pipe->length_m) <= 1e-9 * pipe->length_m))
    report_found(c, "pipe.mesh", number_text(length).text,
                 "lengths whose sum is pipe.length_m = %s m expected", number_text(pipe->length_m).text);
}

static void check_pipe(const struct check *c) {
  if (!given(c, "pipe"))
    return;
  check_sections(c);
  check_mesh(c);
}

static void resolve_pipe(const struct check *c, struct config *out) {
  struct pipe_def *pipe = &out->sim.pipe;

  if (!given(c, "pipe"))
    return;
  for (int i = 0; i < pipe->type_count; i++)
    pipe->types[i] = config_pipe_section(c, i);
  if (!given(c, "pipe.mesh"))
    return;
  pipe->elements = 0;
  for (int i = 0; i < pipe->mesh_segment_count; i++) {
    pipe->mesh[i] = c->draft->mesh[i].part;
    pipe->mesh[i].type = config_section_number(c->draft, c->draft->mesh[i].section);
    pipe->elements += pipe->mesh[i].elements;
  }
}

static const struct key_rows ROWS = KEY_ROWS(KEYS), SECTION_ROWS = KEY_ROWS(SECTION_KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &SECTION_ROWS, .prefix = "pipe", .offset = offsetof(struct config_draft, out.sim.pipe.line)},
    {.rows = &SECTION_ROWS,
     .prefix = "pipe.sections[]",
     .offset = offsetof(struct section_draft, def),
     .all_optional = 1},
};
const struct config_section PIPE_SECTION = {GROUPS, 3, check_pipe, resolve_pipe, NULL};
