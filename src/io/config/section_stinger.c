// The section pipe.stinger: rollers of the vessel under the pipe.
#include "io/config/config_sections.h"

#include "core/base/number_text.h"
#include "core/pipe/stinger.h"

#include <math.h>

#define STINGER(key) "pipe.stinger." key

static const struct key_def KEYS[] = {
    {"pipe.stinger", AS_SECTION, .optional = 1,
     .doc =
         "Stinger: rollers of the vessel that carry the pipe aft of the hang-off, on a straight ramp and an "
         "arc. Absent: no rollers."},
    {STINGER("ramp_supports"), AS_INTEGER, .range = LIMITED, .low = 0, .high = MAX_STINGER_SUPPORTS,
     .fallback = "0", AT(out.sim.pipe.stinger.ramp_supports),
     .doc = "Supports on the ramp, from start_b_m towards the hang-off."},
    {STINGER("arc_supports"), AS_INTEGER, .range = LIMITED, .low = 1, .high = MAX_STINGER_SUPPORTS,
     AT(out.sim.pipe.stinger.arc_supports),
     .doc = "Supports on the arc, from start_b_m towards the tip; the first one lies at start_b_m."},
    {STINGER("start_b_m"), AS_VECTOR, .size = 3, AT(out.sim.pipe.stinger.start_b_m), .unit = "m",
     .doc = "Start of the arc: where the pipe's axis lies on its first support (body frame)."},
    {STINGER("slope_deg"), AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .degrees = 1, .fallback = "0",
     AT(out.sim.pipe.stinger.slope_rad), .unit = "deg",
     .doc = "Slope of the ramp and of the start of the arc: descent towards the stern."},
    {STINGER("radius_m"), AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.stinger.radius_m), .unit = "m",
     .doc = "Radius of the arc, of the pipe's axis."},
    {STINGER("spacing_m"), AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.stinger.spacing_m), .unit = "m",
     .doc = "Distance of neighbouring supports along the pipe."},
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
    report_found(c, STINGER("start_b_m"), number_text(s->start_b_m[2]).text,
                 "a stinger at least %.1f m higher expected: the pipe hangs free above all of its supports",
                 least);
}

static void check_supports(const struct check *c) {
  const struct sim_def *def = &c->draft->out.sim;
  const struct stinger_def *s = &def->pipe.stinger;
  const int supports = stinger_supports(s);
  if (supports > MAX_STINGER_SUPPORTS)
    report(c, STINGER("arc_supports"), "at most %d supports on ramp and arc expected", MAX_STINGER_SUPPORTS);
  const double turn = s->slope_rad + (s->arc_supports - 1) * s->spacing_m / s->radius_m;
  if (turn > 1.5)
    report(c, STINGER("radius_m"), "an arc expected that ends less than 86 degrees below the horizontal");
  if (supports > MAX_STINGER_SUPPORTS || turn > 1.5 || !is_readable(c, "vessel.hangoff_b_m"))
    return;

  const double first = stinger_support_of(s, 0).at_b_m.x, top = def->vessel.hangoff_b_m[0];
  if (!(first < top))
    report(c, STINGER("start_b_m"), "supports aft of the hang-off, below x = %s m, expected",
           number_text(top).text);
  else if (s->arc_supports > 0)
    check_touch(c);
}

// Elements over the supports: at least four between two of them, and with a feed the top element ahead of
// them.
static void check_mesh(const struct check *c) {
  const struct sim_def *def = &c->draft->out.sim;
  const struct pipe_def *pipe = &def->pipe;
  const struct stinger_def *s = &pipe->stinger;
  const vec3 top = vec3_of(def->vessel.hangoff_b_m);
  if (!is_mesh_readable(c) || !is_readable(c, "vessel.hangoff_b_m"))
    return;
  const double last = vec3_norm(vec3_sub(stinger_support_of(s, stinger_supports(s) - 1).at_b_m, top)),
               first = vec3_norm(vec3_sub(stinger_support_of(s, 0).at_b_m, top));
  double above = 0, upper = pipe->length_m / pipe->elements;
  if (pipe->mesh_segment_count == 0 && upper > 0.25 * s->spacing_m)
    report(c, "pipe.elements",
           "elements of at most %s m, a quarter of pipe.stinger.spacing_m, over the supports expected",
           number_text(0.25 * s->spacing_m).text);
  for (int k = pipe->mesh_segment_count - 1; k >= 0 && above < last; k--) {
    const struct mesh_segment *part = &c->draft->mesh[k].part;
    const double length = part->length_m / part->elements;
    upper = k == pipe->mesh_segment_count - 1 ? length : upper;
    if (length > 0.25 * s->spacing_m)
      report_found(
          c, key_path("pipe.mesh.%d.elements", k).text, number_text(part->elements).text,
          "elements of at most %s m, a quarter of pipe.stinger.spacing_m, over the supports expected",
          number_text(0.25 * s->spacing_m).text);
    above += part->length_m;
  }
  if ((given(c, "pipe.payout") || given(c, "pipe.tensioner")) && first < 2 * upper)
    report(
        c, STINGER("start_b_m"),
        "the first support at least %s m, two elements, aft of the hang-off expected where pipe is paid out",
        number_text(2 * upper).text);
}

static void check_stinger(const struct check *c) {
  static const char *const keys[] = {STINGER("ramp_supports"), STINGER("arc_supports"), STINGER("start_b_m"),
                                     STINGER("slope_deg"),     STINGER("radius_m"),     STINGER("spacing_m"),
                                     "pipe.hangoff.kind"};
  const enum hangoff_kind kind = c->draft->out.sim.pipe.hangoff;
  if (!given(c, "pipe.stinger"))
    return;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (!is_readable(c, keys[k]))
      return;
  if (kind != HANGOFF_PINNED && kind != HANGOFF_CLAMPED)
    report(c, "pipe.stinger", "nothing expected unless pipe.hangoff.kind is pinned or clamped");
  else
    check_supports(c);
  if (stinger_supports(&c->draft->out.sim.pipe.stinger) <= MAX_STINGER_SUPPORTS)
    check_mesh(c);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section STINGER_SECTION = {GROUPS, 1, check_stinger, NULL};
