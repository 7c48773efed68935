// The keys vessel.hull, vessel.current_rows and vessel.cross_flow: drag of the water on the hull.
#include "sagbend/case/config_sections.h"

#include "sagbend/math/trig.h"
#include "sagbend/vessel/hull_drag.h"

static const struct key_def KEYS[] = {
    {"vessel.hull", AS_SECTION, .optional = 1,
     .doc = "Dimensions of the hull below the waterline, for current_rows and cross_flow."},
    {"vessel.hull.length_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.hull.length_m), .unit = "m",
     .doc = "Length. Coefficients of a standard usually refer to the length between perpendiculars."},
    {"vessel.hull.beam_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.hull.beam_m), .unit = "m",
     .doc = "Beam at the waterline."},
    {"vessel.hull.draft_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.hull.draft_m), .unit = "m",
     .doc = "Draught of the keel below the waterline."},
    {"vessel.hull.centre_x_b_m", AS_NUMBER, .fallback = "0", AT(out.sim.vessel.hull.centre_x_b_m),
     .unit = "m", .doc = "Middle of that length along the body x axis, positive forward."},
    {"vessel.current_rows", AS_ITEMS, .size = MAX_CURRENT_ROWS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.hull.rows, current_row, out.sim.vessel.hull.row_count),
     .doc = "Current force coefficients by increasing angle, from 0 to 180 degrees with the other side "
            "mirrored, or from 0 to below 360. They act on the velocity through the water, so current_acts "
            "must be true. At every angle they must resist the flow. Not beside cross_flow."},
    {"vessel.current_rows[].angle_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 359.999, .degrees = 1,
     IN(current_row, angle_rad), .unit = "deg",
     .doc = "Direction from which the flow relative to the hull comes, clockwise from the bow: 0 a current "
            "from ahead, or headway."},
    {"vessel.current_rows[].coefficients", AS_VECTOR, .size = 3, IN(current_row, c),
     .doc = "Coefficients CX, CY, CN in body axes about the reference point, times rho V^2/2: surge on beam "
            "times draught, sway on length times draught, yaw on length squared times draught. A flow from "
            "ahead has CX < 0, from starboard CY < 0. CN is the whole moment, with Munk's."},
    {"vessel.cross_flow", AS_SECTION, .optional = 1,
     .doc = "Drag of the hull's sections across the flow, in 20 strips along the length. It resists sway and "
            "yaw. Not beside current_rows."},
    {"vessel.cross_flow.drag_coefficient", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.vessel.hull.cross_flow_drag),
     .doc = "Drag coefficient of a section, on its draught. Without this key that of Hoerner's curve, by "
            "beam over twice the draught."},
};

static void check_rows_resist(const struct check *c) {
  const struct hull_def *hull = &c->draft->out.sim.vessel.hull;
  const char *rows = "vessel.current_rows";
  double angle_rad;

  if (!given(c, rows) || !given(c, "vessel.hull") || c->errors->count > 0) // a row may be what is wrong
    return;
  if (!(hull->row_count > 0 &&
        is_increasing_turn(&hull->rows[0].angle_rad, sizeof hull->rows[0] / sizeof(double), hull->row_count)))
    report(c, rows,
           "at least three angles that increase from 0 to 180, or from 0 to below 360 degrees, expected");
  else if (!hull_rows_resist(hull, &angle_rad))
    report_found(c, rows, "coefficients that drive it",
                 "coefficients that resist the flow from %g degrees expected", angle_rad * 180 / TRIG_PI);
}

static void check_hull(const struct check *c) {
  const char *rows = "vessel.current_rows", *strips = "vessel.cross_flow", *hull = "vessel.hull";
  int used = given(c, rows) || given(c, strips);

  check_allowed(c, strips, !given(c, rows), "current_rows is absent; both contain the drag of a side flow");
  if (used && !given(c, hull))
    report(c, hull, "the dimensions of the hull expected beside current_rows or cross_flow");
  if (given(c, rows) && is_readable(c, "vessel.current_acts") && !c->draft->out.sim.vessel.current_acts)
    report_found(c, rows, "false", "vessel.current_acts: true expected beside current_rows");
  check_rows_resist(c);
}

static void resolve_hull(const struct check *c, struct config *out) {
  out->sim.vessel.hull.cross_flow = given(c, "vessel.cross_flow") != NULL;
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section VESSEL_HULL_SECTION = {GROUPS, 1, check_hull, resolve_hull, NULL};
