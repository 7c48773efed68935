// The section pipe.stinger: rollers of the vessel under the pipe.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/stinger/stinger.h"

#include <math.h>

#define STINGER(key) "pipe.stinger." key

static const struct key_def KEYS[] = {
    {"pipe.stinger", AS_SECTION, .optional = 1,
     .doc =
         "Stinger: rollers of the vessel that carry the pipe aft of the hang-off, on a straight ramp and an "
         "arc, or at listed places. Absent: no rollers."},
    {STINGER("supports"), AS_ITEMS, .size = MAX_STINGER_SUPPORTS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.pipe.stinger.support, stinger_place, out.sim.pipe.stinger.support_count),
     .doc = "Supports one by one, from the hang-off towards the tip, in place of ramp and arc: where the "
            "pipe's axis lies on each (body frame)."},
    {STINGER("supports[].x_m"), AS_NUMBER, IN(stinger_place, at_b_m[0]), .unit = "m",
     .doc = "Place of the pipe's axis on the support, forward."},
    {STINGER("supports[].y_m"), AS_NUMBER, .fallback = "0", IN(stinger_place, at_b_m[1]), .unit = "m",
     .doc = "Place of the pipe's axis on the support, to starboard."},
    {STINGER("supports[].z_m"), AS_NUMBER, IN(stinger_place, at_b_m[2]), .unit = "m",
     .doc = "Place of the pipe's axis on the support, downwards."},
    {STINGER("ramp_supports"), AS_INTEGER, .range = LIMITED, .low = 0, .high = MAX_STINGER_SUPPORTS,
     .fallback = "0", AT(out.sim.pipe.stinger.ramp_supports),
     .doc = "Supports on the ramp, from start_b_m towards the hang-off."},
    {STINGER("arc_supports"), AS_INTEGER, .range = LIMITED, .low = 1, .high = MAX_STINGER_SUPPORTS,
     .optional = 1, AT(out.sim.pipe.stinger.arc_supports),
     .doc = "Supports on the arc, from start_b_m towards the tip; the first one lies at start_b_m."},
    {STINGER("start_b_m"), AS_VECTOR, .size = 3, .optional = 1, AT(out.sim.pipe.stinger.start_b_m),
     .unit = "m", .doc = "Start of the arc: where the pipe's axis lies on its first support (body frame)."},
    {STINGER("slope_deg"), AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .degrees = 1, .fallback = "0",
     AT(out.sim.pipe.stinger.slope_rad), .unit = "deg",
     .doc = "Slope of the ramp and of the start of the arc: descent towards the stern."},
    {STINGER("radius_m"), AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.sim.pipe.stinger.radius_m),
     .unit = "m", .doc = "Radius of the arc, of the pipe's axis."},
    {STINGER("spacing_m"), AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.sim.pipe.stinger.spacing_m),
     .unit = "m", .doc = "Distance of neighbouring supports along the pipe."},
    {STINGER("v_angle_deg"), AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .degrees = 1, .fallback = "0",
     AT(out.sim.pipe.stinger.v_angle_rad), .unit = "deg",
     .doc = "Inclination of the two rollers of each support, a V that guides the pipe sideways. 0: one level "
            "roller, on which the pipe slides sideways."},
    {STINGER("roller_radius_m"), AS_NUMBER, .range = POSITIVE, .fallback = "0.2",
     AT(out.sim.pipe.stinger.roller_radius_m), .unit = "m", .doc = "Radius of a roller."},
    {STINGER("stiffness_npm"), AS_NUMBER, .range = POSITIVE, .fallback = "5e7",
     AT(out.sim.pipe.stinger.stiffness_npm), .unit = "N/m", .doc = "Stiffness of a roller with its support."},
    {STINGER("soft_m"), AS_NUMBER, .range = POSITIVE, .fallback = "0.002", AT(out.sim.pipe.stinger.soft_m),
     .unit = "m", .doc = "Deflection up to which the stiffness of a roller rises from zero."},
    {STINGER("friction"), AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0",
     AT(out.sim.pipe.stinger.friction),
     .doc = "Coefficient of friction of a roller along the pipe; some 0.02 to 0.1."},
    {STINGER("friction_stiffness_npm"), AS_NUMBER, .range = POSITIVE, .fallback = "1e7",
     AT(out.sim.pipe.stinger.friction_stiffness_npm), .unit = "N/m",
     .doc = "Stiffness along the pipe before a roller slips."},
};

// The key of the places of the supports.
static const char *places_key(const struct check *c) {
  return given(c, STINGER("supports")) ? STINGER("supports") : STINGER("start_b_m");
}

// Height of a free pipe's axis above the seabed, aft of the hang-off by this length: a catenary.
static double free_height(const struct config_draft *draft, double top_m, double aft_m) {
  const struct sim_def *def = &draft->out.sim;
  const double weight = pipe_type_weight(&def->pipe, &def->pipe.line, &def->env);
  const double scale = def->statics.horizontal_force_n / weight, rise = 1 + top_m / scale;
  const double reach = scale * log(rise + sqrt(rise * rise - 1));
  return aft_m > reach ? 0 : scale * (cosh((reach - aft_m) / scale) - 1);
}

// Refuses a stinger below the free pipe.
static void check_touch(const struct check *c) {
  static const char *const keys[] = {
      "environment.depth_m", "environment.gravity_mps2",  "environment.water_density_kgpm3",
      "pipe.mass_kgpm",      "pipe.outer_diameter_m",     "vessel.hangoff_b_m",
      "vessel.position_n_m", "pipe.content_density_kgpm3"};
  const struct sim_def *def = &c->draft->out.sim;
  const struct stinger_def *s = &def->pipe.stinger;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (!is_readable(c, keys[k]))
      return;
  if (!is_given_well(c, "statics.horizontal_force_n") || def->pipe.hangoff != HANGOFF_PINNED ||
      !(pipe_type_weight(&def->pipe, &def->pipe.line, &def->env) > 0))
    return;
  const double bed = def->env.depth_m - def->vessel.position_n_m[2], *top = def->vessel.hangoff_b_m;
  double least = (double)INFINITY;
  for (int k = 0; k < stinger_supports(s); k++) {
    const vec3 at = stinger_support_of(s, k).at_b_m;
    least = fmin(least, free_height(c->draft, bed - top[2], top[0] - at.x) - (bed - at.z));
  }
  if (least > 0)
    report_found(c, places_key(c), number_text(stinger_support_of(s, 0).at_b_m.z).text,
                 "a stinger at least %.1f m higher expected: the pipe hangs free above all of its supports",
                 least);
}

// Listed supports, each aft of the one before, with a pipe that descends by less than 86 degrees.
static int check_list(const struct check *c) {
  const struct stinger_def *s = &c->draft->out.sim.pipe.stinger;
  for (int k = 1; k < s->support_count; k++)
    if (!(s->support[k].at_b_m[0] < s->support[k - 1].at_b_m[0])) {
      report(c, key_path(STINGER("supports.%d.x_m"), k).text,
             "a support aft of the one before, below x_m = %s, expected",
             number_text(s->support[k - 1].at_b_m[0]).text);
      return 0;
    }
  for (int k = 0; k < s->support_count; k++)
    if (!(stinger_support_of(s, k).along_b.x > 0.07)) {
      report(c, key_path(STINGER("supports.%d.z_m"), k).text,
             "supports along which the pipe descends by less than 86 degrees expected");
      return 0;
    }
  return 1;
}

static int check_arc(const struct check *c) {
  const struct stinger_def *s = &c->draft->out.sim.pipe.stinger;
  const double turn = s->slope_rad + (s->arc_supports - 1) * s->spacing_m / s->radius_m;
  if (stinger_supports(s) > MAX_STINGER_SUPPORTS)
    report(c, STINGER("arc_supports"), "at most %d supports on ramp and arc expected", MAX_STINGER_SUPPORTS);
  if (turn > 1.5)
    report(c, STINGER("radius_m"), "an arc that ends less than 86 degrees below the horizontal expected");
  return stinger_supports(s) <= MAX_STINGER_SUPPORTS && turn <= 1.5;
}

static void check_place(const struct check *c) {
  const struct sim_def *def = &c->draft->out.sim;
  const double first = stinger_support_of(&def->pipe.stinger, 0).at_b_m.x, top = def->vessel.hangoff_b_m[0];
  if (!(first < top))
    report_found(c, places_key(c), number_text(first).text,
                 "supports aft of the hang-off, below x = %s m, expected", number_text(top).text);
  else
    check_touch(c);
}

// Elements over the supports: at least four between two of them. Returns the longest one that can lie at the
// hang-off.
static double check_lengths(const struct check *c, double last_m) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  const double spacing = stinger_spacing(&pipe->stinger), most = 0.25 * spacing;
  const int parts = is_tally_readable(c) ? pipe->tally.part_count : 0;
  double above = 0, upper = pipe->length_m / pipe->elements;
  if (pipe->mesh_segment_count == 0 && upper > most)
    report(c, "pipe.elements",
           "elements of at most %s m, a quarter of the distance of two supports, over the supports expected",
           number_text(most).text);
  for (int k = pipe->mesh_segment_count - 1; k >= 0 && above < last_m; k--) {
    const struct mesh_segment *part = &c->draft->mesh[k].part;
    const double length = part->length_m / part->elements;
    upper = k == pipe->mesh_segment_count - 1 ? length : upper;
    if (length > most)
      report_found(
          c, key_path("pipe.mesh.%d.elements", k).text, number_text(part->elements).text,
          "elements of at most %s m, a quarter of the distance of two supports, over the supports expected",
          number_text(most).text);
    above += part->length_m;
  }
  for (int k = 0; k < parts; k++) {
    const struct mesh_segment *part = &c->draft->tally[k].part;
    const double length = part->length_m / part->elements;
    upper = fmax(upper, length);
    if (length > most)
      report_found(
          c, key_path("pipe.tally.%d.elements", k).text, number_text(part->elements).text,
          "elements of at most %s m, a quarter of the distance of two supports, over the supports expected",
          number_text(most).text);
  }
  return upper;
}

static void check_mesh(const struct check *c) {
  const struct sim_def *def = &c->draft->out.sim;
  const struct stinger_def *s = &def->pipe.stinger;
  const vec3 top = vec3_of(def->vessel.hangoff_b_m);
  if (!is_mesh_readable(c) || !is_readable(c, "vessel.hangoff_b_m"))
    return;
  const double last = vec3_norm(vec3_sub(stinger_support_of(s, stinger_supports(s) - 1).at_b_m, top)),
               first = vec3_norm(vec3_sub(stinger_support_of(s, 0).at_b_m, top)),
               upper = check_lengths(c, last);
  if ((given(c, "pipe.payout") || given(c, "pipe.tensioner")) && first < 2 * upper)
    report(c, places_key(c),
           "the first support at least %s m, two elements, aft of the hang-off expected: pipe is paid out",
           number_text(2 * upper).text);
}

// Either a list or an arc; returns whether the supports are known.
static int check_kind(const struct check *c) {
  static const char *const arc[] = {STINGER("arc_supports"), STINGER("start_b_m"), STINGER("radius_m"),
                                    STINGER("spacing_m"),    STINGER("slope_deg"), STINGER("ramp_supports")};
  enum { NEEDED = 4, KEYS_OF_ARC = 6 };
  const struct stinger_def *s = &c->draft->out.sim.pipe.stinger;
  int known = 1;
  for (int k = 0; k < KEYS_OF_ARC; k++)
    known &= is_readable(c, arc[k]);
  if (given(c, STINGER("supports"))) {
    for (int k = 0; k < KEYS_OF_ARC; k++)
      check_allowed(c, arc[k], 0, "is not allowed with supports");
    for (int k = 0; k < s->support_count; k++)
      known &= is_item_readable(c, STINGER("supports"), k);
    if (is_readable(c, STINGER("supports")) && s->support_count == 0)
      report(c, STINGER("supports"), "at least one support expected");
    return known && is_readable(c, STINGER("supports")) && s->support_count > 0;
  }
  for (int k = 0; k < NEEDED; k++)
    if (!given(c, arc[k])) {
      report(c, arc[k], "a value expected: no supports are listed");
      known = 0;
    }
  return known;
}

static void check_stinger(const struct check *c) {
  const enum hangoff_kind kind = c->draft->out.sim.pipe.hangoff;
  if (!given(c, "pipe.stinger") || !check_kind(c))
    return;
  if (!(given(c, STINGER("supports")) ? check_list(c) : check_arc(c)) || !is_readable(c, "pipe.hangoff.kind"))
    return;
  if (kind != HANGOFF_PINNED && kind != HANGOFF_CLAMPED)
    report(c, "pipe.stinger", "needs pipe.hangoff.kind pinned or clamped");
  else if (is_readable(c, "vessel.hangoff_b_m"))
    check_place(c);
  check_mesh(c);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section STINGER_SECTION = {GROUPS, 1, check_stinger, NULL, NULL};
