// The section pipe: mesh, sections and properties.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"

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

static const struct key_def PIPE_KEYS[] = {
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
  check_allowed(c, "pipe.sections", given(c, "pipe.mesh") || given(c, "pipe.tally"),
                "needs pipe.mesh or pipe.tally, whose parts use them");
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
    report(c, bore, "a diameter > 0 expected: the pipe has a content");
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
                "needs pipe.elements");
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

static const struct key_rows PIPE_ROWS = KEY_ROWS(PIPE_KEYS), SECTION_ROWS = KEY_ROWS(SECTION_KEYS);
static const struct key_group PIPE_GROUPS[] = {
    {.rows = &PIPE_ROWS, .prefix = ""},
    {.rows = &SECTION_ROWS, .prefix = "pipe", .offset = offsetof(struct config_draft, out.sim.pipe.line)},
    {.rows = &SECTION_ROWS,
     .prefix = "pipe.sections[]",
     .offset = offsetof(struct section_draft, def),
     .all_optional = 1},
};
const struct config_section PIPE_SECTION = {PIPE_GROUPS, 3, check_pipe, resolve_pipe, NULL};

// ------------------------------------------------------------
// The sections pipe.lower_end and pipe.hangoff.

static const struct key_def PIPE_ENDS_KEYS[] = {
    {"pipe.lower_end", AS_SECTION, .doc = "Lower end of the pipe: where and how it is held on the seabed."},
    {"pipe.lower_end.kind", AS_WORD, .words = {"clamped", "anchored"}, WORD_AT(out.sim.pipe.lower),
     .doc = "Support of the lower end. clamped: position and rotation held. anchored: position held, "
            "rotation free."},
    {"pipe.lower_end.position_m", AS_VECTOR, .size = 2, AT(out.sim.pipe.anchor_n_m), .unit = "m",
     .doc = "Horizontal position of the lower end: north, east (x, y)."},
    {"pipe.lower_end.height_m", AS_NUMBER | AS_WORD, .range = LIMITED, .low = -10, .high = 1000,
     .optional = 1, .words = {"resting", "ground"}, .word_first = 1, WORD_AT(out.sim.pipe.lower_height),
     AT(out.sim.pipe.lower_height_m), .unit = "m",
     .doc = "Height of the pipe axis above the seabed at the lower end, normal to the seabed. resting: where "
            "the laid pipe rests. ground: 0. Absent: resting, or ground where seabed_contact is axis."},
    {"pipe.lower_end.azimuth_deg", AS_NUMBER, .degrees = 1, AT(out.sim.pipe.lay_azimuth_rad), .unit = "deg",
     .doc = "Lay azimuth: direction of the pipe axis at the lower end, towards the vessel, clockwise from "
            "north."},
    {"pipe.hangoff", AS_SECTION, .doc = "Hang-off: how the vessel holds the upper end of the pipe."},
    {"pipe.hangoff.kind", AS_WORD, .words = {"pinned", "clamped", "free", "moved"},
     WORD_AT(out.sim.pipe.hangoff),
     .doc = "Support of the upper end. pinned: ball joint on the vessel. clamped: rotation held as well. "
            "free: no support. moved: ball joint on a prescribed path instead of the vessel."},
    {"pipe.hangoff.motion", AS_SECTION, .optional = 1,
     .doc = "Prescribed motion of a moved hang-off about its static position: a horizontal circle or a table "
            "of offsets."},
    {"pipe.hangoff.motion.radius_m", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1,
     AT(out.sim.pipe.motion.radius_m), .unit = "m",
     .doc = "Radius of the circle. Exactly one of radius_m and table."},
    {"pipe.hangoff.motion.period_s", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.pipe.motion.period_s), .unit = "s",
     .doc = "Period of one turn on the circle. Required beside radius_m."},
    {"pipe.hangoff.motion.start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.pipe.motion.start_s), .unit = "s",
     .doc = "Simulated time at which the circular motion starts."},
    {"pipe.hangoff.motion.stop_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.pipe.motion.stop_s), .unit = "s",
     .doc = "Simulated time at which the circular motion stops. 0: never."},
    {"pipe.hangoff.motion.ramp_s", AS_NUMBER, .range = POSITIVE, .fallback = "10",
     AT(out.sim.pipe.motion.ramp_s), .unit = "s",
     .doc =
         "Duration over which the radius grows after start_s and shrinks before stop_s, by half a cosine."},
    {"pipe.hangoff.motion.table", AS_ITEMS, .size = TABLE_ROWS_MAX, .optional = 1,
     ITEMS_IN(config_draft, out.sim.pipe.motion.table, table_row, out.sim.pipe.motion.rows),
     .doc = "Table of offsets over time, from zero, joined by a cubic spline that is at rest at both ends. "
            "Exactly one of radius_m and table."},
    {"pipe.hangoff.motion.table[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(table_row, time_s),
     .unit = "s", .doc = "Simulated time of the row. Times increase from row to row."},
    {"pipe.hangoff.motion.table[].north_m", AS_NUMBER, IN(table_row, value), .unit = "m",
     .doc = "Offset of the hang-off to the north at this time."},
    {"pipe.hangoff.motion.table[].east_m", AS_NUMBER, IN(table_row, value) + sizeof(double), .unit = "m",
     .doc = "Offset of the hang-off to the east at this time."},
    {"pipe.hangoff.motion.table[].down_m", AS_NUMBER, IN(table_row, value) + 2 * sizeof(double), .unit = "m",
     .doc = "Offset of the hang-off downwards at this time."},
    {"pipe.hangoff.end_load", AS_SECTION, .optional = 1,
     .doc = "Dead load on a free upper end. The statics apply it in full."},
    {"pipe.hangoff.end_load.force_n", AS_VECTOR, .size = 3, AT(out.sim.pipe.end_force_n), .unit = "N",
     .doc = "Force on the upper end: north, east, down."},
    {"pipe.hangoff.end_load.moment_nm", AS_VECTOR, .size = 3, AT(out.sim.pipe.end_moment_nm), .unit = "N m",
     .doc = "Moment on the upper end about north, east and down."},
    {"pipe.hangoff.angle_deg", AS_NUMBER | AS_WORD, .range = LIMITED, .low = -180, .high = 180, .optional = 1,
     .degrees = 1, .words = {"auto"}, .word_first = 1, WORD_AT(out.sim.pipe.hangoff_angle_auto),
     AT(out.sim.pipe.hangoff_angle_rad), .unit = "deg",
     .doc = "Inclination of a clamped pipe axis above the vessel's x axis, in its x-z plane. auto: the angle "
            "of the pinned pipe in equilibrium."},
    {"pipe.hangoff.tower", AS_ITEMS, .size = TABLE_ROWS_MAX, .optional = 1,
     ITEMS_IN(config_draft, out.sim.pipe.tower.table, table_row, out.sim.pipe.tower.rows),
     .doc = "Turn of the J-lay tower: angles of the clamp over time since the static equilibrium, from zero, "
            "joined by a cubic spline that is at rest at both ends. Absent: the tower stays."},
    {"pipe.hangoff.tower[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(table_row, time_s), .unit = "s",
     .doc = "Simulated time of the row. Times increase from row to row."},
    {"pipe.hangoff.tower[].turn_deg", AS_NUMBER, .degrees = 1, .range = LIMITED, .low = -90, .high = 90,
     IN(table_row, value), .unit = "deg",
     .doc = "Angle by which the clamped axis is turned upwards at this time; negative: downwards."},
};

static void check_motion(const struct check *c) {
  static const char *const circle[] = {"period_s", "start_s", "stop_s", "ramp_s"};
  const char *section = "pipe.hangoff.motion", *period = "pipe.hangoff.motion.period_s";
  const struct motion_def *motion = &c->draft->out.sim.pipe.motion;

  check_one_of(c, section, "radius_m", "table");
  if (given(c, "pipe.hangoff.motion.table")) {
    const double *first = motion->table[0].value;
    check_excluded_by_table(c, section, circle, 4);
    check_rows(c, section, motion->table, motion->rows);
    if (motion->rows > 0 && (first[0] != 0 || first[1] != 0 || first[2] != 0))
      report_found(c, "pipe.hangoff.motion.table.0", "others",
                   "offsets of 0 in the first row, at the static position, expected");
  } else if (given(c, "pipe.hangoff.motion.radius_m") && !given(c, period)) {
    report(c, period, "the time of a turn expected: radius_m needs it");
  }
}

static void check_hangoff_kind(const struct check *c) {
  const char *angle = "pipe.hangoff.angle_deg", *motion = "pipe.hangoff.motion";
  enum hangoff_kind kind = c->draft->out.sim.pipe.hangoff;

  check_allowed(c, angle, kind == HANGOFF_CLAMPED, "needs kind clamped");
  check_allowed(c, motion, kind == HANGOFF_MOVED, "needs kind moved");
  check_allowed(c, "pipe.hangoff.end_load", kind == HANGOFF_FREE, "needs kind free");
  if (kind == HANGOFF_CLAMPED && !given(c, angle))
    report(c, angle, "an angle or auto expected: a clamped hang-off needs it");
  if (kind == HANGOFF_MOVED && !given(c, motion))
    report(c, motion, "a section expected: a moved hang-off needs it");
}

static void check_tower(const struct check *c) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  const struct tower_def *tower = &pipe->tower;
  if (is_given_well(c, "pipe.hangoff.kind"))
    check_allowed(c, "pipe.hangoff.tower", pipe->hangoff == HANGOFF_CLAMPED, "needs kind clamped");
  check_allowed(c, "pipe.hangoff.tower", !given(c, "pipe.stinger"), "is not allowed with pipe.stinger");
  if (pipe->line.yield_moment_nm > 0)
    report(c, "pipe.hangoff.tower", "is not allowed with a pipe.yield_moment_nm above 0");
  if (!is_readable(c, "pipe.hangoff.tower"))
    return;
  if (tower->rows < 2)
    report(c, "pipe.hangoff.tower", "at least 2 rows expected");
  if (tower->rows > 0 && is_readable(c, "pipe.hangoff.tower.0.turn_deg") && tower->table[0].value[0] != 0)
    report(c, "pipe.hangoff.tower.0.turn_deg", "0 in the first row expected");
  for (int i = 1; i < tower->rows; i++) {
    const struct key_path path = key_path("pipe.hangoff.tower.%d.time_s", i);
    if (is_readable(c, path.text) && tower->table[i].time_s <= tower->table[i - 1].time_s)
      report(c, path.text, "a time after %s s (the row before) expected",
             number_text(tower->table[i - 1].time_s).text);
  }
}

static void check_pipe_ends(const struct check *c) {
  if (!given(c, "pipe"))
    return;
  if (is_given_well(c, "pipe.hangoff.kind"))
    check_hangoff_kind(c);
  if (given(c, "pipe.hangoff.motion"))
    check_motion(c);
  if (given(c, "pipe.hangoff.tower"))
    check_tower(c);
  if (given(c, "pipe.hangoff.end_load"))
    check_profile(c, "pipe.hangoff.end_load", &c->draft->out.sim.pipe.end_profile);
}

static void resolve_pipe_ends(const struct check *c, struct config *out) {
  if (given(c, "pipe") && !given(c, "pipe.lower_end.height_m"))
    out->sim.pipe.lower_height = out->sim.env.seabed_contact == CONTACT_AXIS ? HEIGHT_GROUND : HEIGHT_RESTING;
}

static const struct key_rows PIPE_ENDS_ROWS = KEY_ROWS(PIPE_ENDS_KEYS);
static const struct key_group PIPE_ENDS_GROUPS[] = {
    {.rows = &PIPE_ENDS_ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "pipe.hangoff.end_load",
     .offset = offsetof(struct config_draft, out.sim.pipe.end_profile)},
};
const struct config_section PIPE_ENDS_SECTION = {PIPE_ENDS_GROUPS, 2, check_pipe_ends, resolve_pipe_ends,
                                                 NULL};

// ------------------------------------------------------------
// Which elements a section of the pipe has, beams or wires: pipe.element_kind and
// pipe.sections[].element_kind.

#define KIND_DOC                                                                                             \
  "Elements of this section. beam: tension, shear, torsion and bending. wire: tension along the chord and "  \
  "bending between chords, no torsion (docs/model-pipe.md). auto: a wire where bending_stiffness_nm2 is "    \
  "below T l^2/100, with l its longest element and T the weight of a length of the depth plus "              \
  "statics.horizontal_force_n; sagbend check says so."
#define ENDS_DOC                                                                                             \
  "Joint of a wire with a beam, a clamped end or a clamped hang-off. rigid: it bends against their axis. "   \
  "hinge: it turns freely."

static const struct key_def PIPE_WIRE_KEYS[] = {
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
      report(c, at, "beam or auto expected: a wire has neither yield_moment_nm nor curvature_1pm");
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

static const struct key_rows PIPE_WIRE_ROWS = KEY_ROWS(PIPE_WIRE_KEYS);
static const struct key_group PIPE_WIRE_GROUPS[] = {{.rows = &PIPE_WIRE_ROWS, .prefix = ""}};
const struct config_section PIPE_WIRE_SECTION = {PIPE_WIRE_GROUPS, 1, check_wires, NULL, NULL};
