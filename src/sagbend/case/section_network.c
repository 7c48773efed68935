// What a view of the session draws beside the state: the vessel's outline and the section view. Nothing here
// acts on the simulation.
#include "sagbend/case/config_sections.h"

#include <math.h>

static const struct key_def KEYS[] = {
    {"vessel.outline_m", AS_ITEMS, .outside_model = 1, .size = MAX_OUTLINE, .optional = 1,
     ITEMS_IN(config_draft, out.view.outline, outline_point, out.view.outline_count),
     .doc =
         "Outline of the vessel seen from above, for views: the corners of a polygon of at least three, in "
         "order, in the body frame. The last corner joins the first."},
    {"vessel.outline_m[].forward", AS_NUMBER, IN(outline_point, forward_m), .unit = "m",
     .doc = "Position of the corner forward of the reference point."},
    {"vessel.outline_m[].starboard", AS_NUMBER, IN(outline_point, starboard_m), .unit = "m",
     .doc = "Position of the corner to starboard of the reference point."},
    {"view", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Circles and limits that views draw. They have no effect on the simulation."},
    {"view.watch_circles_m", AS_VECTOR, .size = WATCH_CIRCLES, .range = POSITIVE, .optional = 1,
     AT(out.view.watch_circle_m), .unit = "m",
     .doc = "Radii of the watch circles around the set-point: warning, then alarm. Absent: no circles."},
    {"view.limits", AS_SECTION, .optional = 1,
     .doc = "Limits at which the colours of a view reach their end. Absent: the present maximum."},
    {"view.limits.curvature_1pm", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.view.curvature_1pm),
     .unit = "1/m", .doc = "Limit of the curvature of the pipe."},
    {"view.limits.moment_nm", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.view.moment_nm),
     .unit = "N m", .doc = "Limit of the bending moment of the pipe."},
    {"view.limits.tension_n", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.view.tension_n),
     .unit = "N", .doc = "Limit of the effective tension of the pipe."},
};

static double cross(struct outline_point a, struct outline_point b, struct outline_point c) {
  return (b.forward_m - a.forward_m) * (c.starboard_m - a.starboard_m) -
         (b.starboard_m - a.starboard_m) * (c.forward_m - a.forward_m);
}

static int is_between(struct outline_point a, struct outline_point b, struct outline_point p) {
  return fmin(a.forward_m, b.forward_m) <= p.forward_m && p.forward_m <= fmax(a.forward_m, b.forward_m) &&
         fmin(a.starboard_m, b.starboard_m) <= p.starboard_m &&
         p.starboard_m <= fmax(a.starboard_m, b.starboard_m);
}

// Whether the sides from a to b and from c to d have a point in common.
static int do_meet(struct outline_point a, struct outline_point b, struct outline_point c,
                   struct outline_point d) {
  double c_side = cross(a, b, c), d_side = cross(a, b, d), a_side = cross(c, d, a), b_side = cross(c, d, b);
  if (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
      ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0)))
    return 1;
  return (c_side == 0 && is_between(a, b, c)) || (d_side == 0 && is_between(a, b, d)) ||
         (a_side == 0 && is_between(c, d, a)) || (b_side == 0 && is_between(c, d, b));
}

static double area_of(const struct outline_point *p, int count) {
  double area = 0;
  for (int i = 1; i + 1 < count; i++)
    area += 0.5 * cross(p[0], p[i], p[i + 1]);
  return fabs(area);
}

// The first corner that equals the one before it, or whose side meets another one; -1: none.
static int find_bad_corner(const struct outline_point *p, int count) {
  for (int i = 0; i < count; i++) {
    struct outline_point a = p[i], b = p[(i + 1) % count];
    if (a.forward_m == b.forward_m && a.starboard_m == b.starboard_m)
      return (i + 1) % count;
    for (int j = i + 2; j < count; j++)
      if ((j + 1) % count != i && do_meet(a, b, p[j], p[(j + 1) % count]))
        return j;
  }
  return -1;
}

static void check_outline(const struct check *c) {
  const struct view_def *view = &c->draft->out.view;
  const char *list = "vessel.outline_m";
  int count = view->outline_count;
  if (!given(c, list) || count > MAX_OUTLINE)
    return;
  for (int i = 0; i < count; i++)
    if (!is_item_readable(c, list, i))
      return;
  int bad = count < 3 ? -1 : find_bad_corner(view->outline, count);
  if (count < 3)
    report_found(c, list, "fewer", "at least 3 corners expected");
  else if (bad >= 0)
    report_found(c, key_path("vessel.outline_m.%d", bad).text,
                 "one that lies on, or a side that crosses, another side",
                 "a corner of a polygon whose sides do not meet expected");
  else if (!(area_of(view->outline, count) > 0))
    report_found(c, list, "corners on a line", "a polygon with an area expected");
}

static void check_view(const struct check *c) {
  const double *radius = c->draft->out.view.watch_circle_m;
  check_outline(c);
  if (given(c, "view.watch_circles_m") && is_readable(c, "view.watch_circles_m") && radius[0] > 0 &&
      radius[1] > 0 && !(radius[0] < radius[1]))
    report_found(c, "view.watch_circles_m",
                 radius[0] > radius[1] ? "the larger one first" : "two equal radii",
                 "the radius of the warning and then the larger one of the alarm expected");
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section VIEW_SECTION = {GROUPS, 1, check_view, NULL, NULL};
