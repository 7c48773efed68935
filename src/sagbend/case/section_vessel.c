// The section vessel: integrator, inertia, damping, hydrostatics and initial state.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/math/math.h"
#include "sagbend/vessel/vessel.h"

#include <string.h>

static const struct key_def VESSEL_KEYS[] = {
    {"vessel", AS_SECTION,
     .doc = "Vessel and its initial state, about its reference point. Body frame: x forward, y to starboard, "
            "z down."},
    {"vessel.integrator", AS_WORD, .fallback = "strang", .words = {"strang", "sp2", "sp4", "sp6"},
     WORD_AT(out.sim.integrator.vessel),
     .doc = "Time integrator of the vessel. strang: the standard step. sp2, sp4, sp6: exact splitting of "
            "order 2, 4 or 6 for a vessel without a pipe (docs/rigid-bodies.md)."},
    {"vessel.mass_kg", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.mass_kg), .unit = "kg",
     .doc = "Mass of the vessel, without added mass."},
    {"vessel.inertia", AS_SECTION,
     .doc = "Rigid-body and added-mass inertia. Their sum must be symmetric positive definite."},
    {"vessel.inertia.rigid_body", AS_MATRIX | AS_VECTOR, .size = 6, .optional = 1, AT(rigid_body),
     .unit = "kg, kg m, kg m2",
     .doc = "Rigid-body mass matrix (surge, sway, heave, roll, pitch, yaw), full or as its diagonal. Exactly "
            "one of rigid_body and moments_kgm2."},
    {"vessel.inertia.moments_kgm2", AS_VECTOR, .size = 3, .range = POSITIVE, .optional = 1, AT(moments_kgm2),
     .unit = "kg m2",
     .doc = "Moments of inertia in roll, pitch and yaw. The rigid-body matrix is then diag(mass_kg, mass_kg, "
            "mass_kg, moments)."},
    {"vessel.inertia.added_mass", AS_MATRIX | AS_VECTOR, .size = 6, .fallback = "0", AT(added_mass),
     .unit = "kg, kg m, kg m2",
     .doc = "Added-mass matrix (surge, sway, heave, roll, pitch, yaw), full or as its diagonal."},
    {"vessel.hydro_file", AS_TEXT, .size = 256, .optional = 1, AT(out.hydro_file),
     .doc =
         "Path of a hydro file (sagbend hydro import), relative to this file's folder. It gives the memory "
         "of "
         "the radiated waves, the added mass at infinite frequency, and force and drift of the waves. Linear "
         "damping then holds only what comes on top, such as viscous roll damping. Not beside "
         "inertia.added_mass, waves.force_rows and waves.drift_rows."},
    {"vessel.damping", AS_SECTION,
     .doc = "Hydrodynamic damping, on the velocity over ground, or through the water with current_acts."},
    {"vessel.damping.linear", AS_MATRIX | AS_VECTOR, .size = 6, AT(out.sim.vessel.damping_linear),
     .unit = "N s/m, N m s/rad",
     .doc = "Linear damping matrix, full (symmetric positive semidefinite) or as its diagonal."},
    {"vessel.damping.axes", AS_WORD, .fallback = "level", .words = {"body", "level"},
     WORD_AT(out.sim.vessel.damping_axes),
     .doc =
         "Axes of the linear damping. level: level axes with the vessel's heading, in which linear theory "
         "knows it. body: axes that roll and pitch, for comparison with models that have them. In waves, "
         "heave damping along the pitched axis then pushes the vessel against the sea, by a force as large "
         "as the mean drift."},
    {"vessel.damping.quadratic", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.vessel.damping_quadratic), .unit = "N s2/m2, N m s2/rad2",
     .doc = "Quadratic damping coefficients d, one for each degree of freedom: force -d |v| v."},
    {"vessel.hydrostatics", AS_SECTION, .doc = "Hydrostatic restoring forces of the vessel."},
    {"vessel.hydrostatics.waterplane_area_m2", AS_NUMBER, .range = NOT_NEGATIVE,
     AT(out.sim.vessel.waterplane_area_m2), .unit = "m2", .doc = "Waterplane area."},
    {"vessel.hydrostatics.gm_transverse_m", AS_NUMBER, .range = NOT_NEGATIVE,
     AT(out.sim.vessel.gm_transverse_m), .unit = "m", .doc = "Transverse metacentric height (roll)."},
    {"vessel.hydrostatics.gm_longitudinal_m", AS_NUMBER, .range = NOT_NEGATIVE,
     AT(out.sim.vessel.gm_longitudinal_m), .unit = "m", .doc = "Longitudinal metacentric height (pitch)."},
    {"vessel.hydrostatics.flotation_b_m", AS_VECTOR, .size = 3, .fallback = "0",
     AT(out.sim.vessel.flotation_b_m), .unit = "m", .doc = "Centre of flotation in the body frame."},
    {"vessel.hydrostatics.equilibrium_z_m", AS_NUMBER, .fallback = "0", AT(out.sim.vessel.equilibrium_z_m),
     .unit = "m", .doc = "Depth z of the centre of flotation at rest, positive below the surface."},
    {"vessel.position_n_m", AS_VECTOR, .size = 3, AT(out.sim.vessel.position_n_m), .unit = "m",
     .doc = "Initial position of the reference point: north, east, down. With a pipe the statics determine "
            "it instead."},
    {"vessel.attitude_deg", AS_VECTOR, .size = 3, .optional = 1, .degrees = 1, AT(out.sim.vessel.euler_rad),
     .unit = "deg", .doc = "Initial roll, pitch and yaw. Exactly one of attitude_deg and attitude_rad."},
    {"vessel.attitude_rad", AS_VECTOR, .size = 3, .optional = 1, AT(out.sim.vessel.euler_rad), .unit = "rad",
     .doc = "Initial roll, pitch and yaw in radians, where a value in degrees would be rounded. Exactly one "
            "of attitude_deg and attitude_rad."},
    {"vessel.velocity_b", AS_VECTOR, .size = 6, .fallback = "0", AT(out.sim.vessel.velocity_b),
     .unit = "m/s, rad/s", .doc = "Initial linear and angular velocity in the body frame."},
    {"vessel.hangoff_b_m", AS_VECTOR, .size = 3, .fallback = "0", AT(out.sim.vessel.hangoff_b_m), .unit = "m",
     .doc = "Hang-off point of the pipe in the body frame."},
};

static void rigid_body_of(const struct check *c, double rigid_body[6][6]) {
  const struct config_draft *draft = c->draft;
  int is_full = given(c, "vessel.inertia.rigid_body") != NULL;

  memset(rigid_body, 0, 6 * sizeof *rigid_body);
  if (is_full)
    symmetric_part((const double (*)[6])draft->rigid_body, rigid_body);
  for (int i = 0; i < 6 && !is_full; i++)
    rigid_body[i][i] = i < 3 ? draft->out.sim.vessel.mass_kg : draft->moments_kgm2[i - 3];
}

// Added mass, and the sum of rigid body and added mass.
static void inertia_of(const struct check *c, double added_mass[6][6], double inertia[6][6]) {
  double rigid_body[6][6];

  rigid_body_of(c, rigid_body);
  symmetric_part((const double (*)[6])c->draft->added_mass, added_mass);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      inertia[i][j] = rigid_body[i][j] + added_mass[i][j];
}

static void check_inertia(const struct check *c) {
  const char *full = "vessel.inertia.rigid_body", *moments = "vessel.inertia.moments_kgm2";
  const char *added = "vessel.inertia.added_mass";
  double added_mass[6][6], inertia[6][6];

  check_one_of(c, "vessel.inertia", "moments_kgm2", "rigid_body");
  if (!is_readable(c, full) || !is_readable(c, moments) || !is_readable(c, added) ||
      !is_given_well(c, "vessel.mass_kg") || (given(c, full) != NULL) == (given(c, moments) != NULL))
    return;
  if (given(c, full) && !is_symmetric(c, full, (const double (*)[6])c->draft->rigid_body))
    return;
  if (!is_symmetric(c, added, (const double (*)[6])c->draft->added_mass))
    return;

  inertia_of(c, added_mass, inertia);
  if (!mat6_is_definite((const double (*)[6])inertia, -1e-12))
    report_found(c, "vessel.inertia", "an indefinite one",
                 "positive definite sum of rigid body and added mass expected");
}

static void check_damping(const struct check *c) {
  const char *path = "vessel.damping.linear";
  double damping[6][6];

  if (!is_given_well(c, path) ||
      !is_symmetric(c, path, (const double (*)[6])c->draft->out.sim.vessel.damping_linear))
    return;
  symmetric_part((const double (*)[6])c->draft->out.sim.vessel.damping_linear, damping);
  if (!mat6_is_definite((const double (*)[6])damping, 1e-12))
    report_found(c, path, "an indefinite one", "positive semidefinite matrix expected");
}

// What a hydro file contains must not be given twice.
static void check_hydro(const struct check *c) {
  static const char *const keys[] = {"vessel.inertia.added_mass", "vessel.waves.force_rows",
                                     "vessel.waves.drift_rows"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    check_allowed(c, keys[i], !given(c, "vessel.hydro_file"),
                  "is not allowed with hydro_file, which contains it");
}

static void check_vessel(const struct check *c) {
  check_inertia(c);
  check_one_of(c, "vessel", "attitude_deg", "attitude_rad");
  check_damping(c);
  check_hydro(c);
}

static void take_hydro_data(const struct check *c, const struct hydro_data *hydro,
                            struct vessel_def *vessel) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double added = 0.5 * (hydro->added_mass_inf[i][j] + hydro->added_mass_inf[j][i]);
      vessel->inertia[i][j] += added - vessel->added_mass[i][j];
      vessel->added_mass[i][j] = added;
    }
  if (!mat6_is_definite((const double (*)[6])vessel->inertia, -1e-12))
    report_found(c, "vessel.hydro_file", "an indefinite one",
                 "positive definite sum of rigid body and added mass at infinite frequency expected");
  vessel->radiation = hydro->memory;
  vessel->hydro = hydro;
}

static void resolve_vessel(const struct check *c, struct config *out) {
  struct vessel_def *vessel = &out->sim.vessel;

  inertia_of(c, vessel->added_mass, vessel->inertia);
  if (out->hydro)
    take_hydro_data(c, out->hydro, vessel);
  symmetric_part((const double (*)[6])c->draft->out.sim.vessel.damping_linear, vessel->damping_linear);
}

static const struct key_rows VESSEL_ROWS = KEY_ROWS(VESSEL_KEYS);
static const struct key_group VESSEL_GROUPS[] = {{.rows = &VESSEL_ROWS, .prefix = ""}};
const struct config_section VESSEL_SECTION = {VESSEL_GROUPS, 1, check_vessel, resolve_vessel, NULL};

// ------------------------------------------------------------
// The keys vessel.hull, vessel.current_rows and vessel.cross_flow: drag of the water on the hull.

static const struct key_def VESSEL_HULL_KEYS[] = {
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

  check_allowed(c, strips, !given(c, rows),
                "is not allowed with current_rows: both contain the drag of a side flow");
  if (used && !given(c, hull))
    report(c, hull, "the dimensions of the hull expected: current_rows and cross_flow need them");
  if (given(c, rows) && is_readable(c, "vessel.current_acts") && !c->draft->out.sim.vessel.current_acts)
    report_found(c, rows, "false", "needs vessel.current_acts true");
  check_rows_resist(c);
}

static void resolve_hull(const struct check *c, struct config *out) {
  out->sim.vessel.hull.cross_flow = given(c, "vessel.cross_flow") != NULL;
}

static const struct key_rows VESSEL_HULL_ROWS = KEY_ROWS(VESSEL_HULL_KEYS);
static const struct key_group VESSEL_HULL_GROUPS[] = {{.rows = &VESSEL_HULL_ROWS, .prefix = ""}};
const struct config_section VESSEL_HULL_SECTION = {VESSEL_HULL_GROUPS, 1, check_hull, resolve_hull, NULL};

// ------------------------------------------------------------
// The keys vessel.current_acts, vessel.wind and vessel.waves: how current, wind and waves act on the vessel.

static const struct key_def VESSEL_WEATHER_KEYS[] = {
    {"vessel.current_acts", AS_FLAG, .fallback = "false", AT(out.sim.vessel.current_acts),
     .doc = "Action of the current on the vessel. true: damping and added mass act on the velocity relative "
            "to the surface current. false: on the velocity over ground."},
    {"vessel.wind", AS_SECTION, .optional = 1,
     .doc = "Wind loads on the vessel. Without this section the wind does not act on it."},
    {"vessel.wind.frontal_area_m2", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.windage.frontal_area_m2),
     .unit = "m2", .doc = "Frontal projected area above the waterline, on a transverse plane."},
    {"vessel.wind.lateral_area_m2", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.windage.lateral_area_m2),
     .unit = "m2", .doc = "Lateral projected area above the waterline, on the centre plane."},
    {"vessel.wind.length_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.windage.length_m), .unit = "m",
     .doc = "Length overall of the vessel."},
    {"vessel.wind.height_m", AS_NUMBER, .range = LIMITED, .low = 1, .high = 300, .fallback = "10",
     AT(out.sim.vessel.windage.height_m), .unit = "m",
     .doc = "Height above the sea of the wind speed to which the coefficients refer."},
    {"vessel.wind.point_b_m", AS_VECTOR, .size = 3, .fallback = "0", AT(out.sim.vessel.windage.point_b_m),
     .unit = "m",
     .doc = "Reference point of the wind coefficients in the body frame. Moments are about it; the relative "
            "wind uses its velocity."},
    {"vessel.wind.rows", AS_ITEMS, .size = MAX_WIND_ROWS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.windage.rows, wind_row, out.sim.vessel.windage.row_count),
     .doc = "Wind coefficients by increasing angle, from 0 to 180 degrees with the other side mirrored, or "
            "from 0 to below 360. Exactly one of rows and closed_form."},
    {"vessel.wind.rows[].angle_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 359.999, .degrees = 1,
     IN(wind_row, angle_rad), .unit = "deg",
     .doc = "Direction from which the relative wind comes, clockwise from the bow."},
    {"vessel.wind.rows[].coefficients", AS_VECTOR, .size = 4, IN(wind_row, c),
     .doc = "Coefficients CX, CY, CK, CN in body axes: surge on the frontal area, sway on the lateral area, "
            "roll on lateral area squared over length, yaw on lateral area times length."},
    {"vessel.wind.closed_form", AS_SECTION, .optional = 1,
     .doc = "Wind coefficients in closed form (Blendermann). Exactly one of rows and closed_form."},
    {"vessel.wind.closed_form.transverse", AS_NUMBER, .range = POSITIVE,
     AT(out.sim.vessel.windage.drag_transverse),
     .doc = "Blendermann's CD_t: transverse drag coefficient on the lateral area."},
    {"vessel.wind.closed_form.bow", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.windage.drag_bow),
     .doc = "Blendermann's CD_l,AF in head wind: longitudinal drag coefficient on the frontal area."},
    {"vessel.wind.closed_form.stern", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.windage.drag_stern),
     .doc = "Blendermann's CD_l,AF in following wind: longitudinal drag coefficient on the frontal area."},
    {"vessel.wind.closed_form.cross_force", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     AT(out.sim.vessel.windage.cross_force), .doc = "Blendermann's cross-force parameter delta."},
    {"vessel.wind.closed_form.rolling", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.vessel.windage.rolling),
     .doc = "Blendermann's rolling-moment factor kappa."},
    {"vessel.wind.closed_form.centroid_forward_m", AS_NUMBER, AT(out.sim.vessel.windage.centroid_forward_m),
     .unit = "m", .doc = "Centroid of the lateral area, forward of point_b_m."},
    {"vessel.wind.closed_form.centroid_height_m", AS_NUMBER, AT(out.sim.vessel.windage.centroid_height_m),
     .unit = "m", .doc = "Centroid of the lateral area, above point_b_m."},
    {"vessel.waves", AS_SECTION, .optional = 1,
     .doc = "Wave loads on the vessel: rows of a diffraction program, or the loads on a box with the hull's "
            "dimensions where rows are absent."},
    {"vessel.waves.length_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.waves.length_m), .unit = "m",
     .doc = "Length of the box that represents the hull."},
    {"vessel.waves.beam_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.waves.beam_m), .unit = "m",
     .doc = "Beam of the box that represents the hull."},
    {"vessel.waves.draft_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.waves.draft_m), .unit = "m",
     .doc = "Draught of the box that represents the hull."},
    {"vessel.waves.centre_x_b_m", AS_NUMBER, .fallback = "0", AT(out.sim.vessel.waves.centre_x_b_m),
     .unit = "m", .doc = "Centre of the box along the body x axis, positive forward."},
    {"vessel.waves.first_order", AS_FLAG, .fallback = "true", AT(out.sim.vessel.waves.first_order),
     .doc = "First-order wave forces, at the frequencies of the waves. false switches them off."},
    {"vessel.waves.slow_drift", AS_FLAG, .fallback = "true", AT(out.sim.vessel.waves.drift),
     .doc = "Mean and slowly varying drift forces (Newman's approximation). false switches them off."},
    {"vessel.waves.force_rows", AS_ITEMS, .size = MAX_FORCE_ROWS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.waves.force, force_row, out.sim.vessel.waves.force_count),
     .doc = "First-order force coefficients (force RAOs) by increasing frequency and, within a frequency, by "
            "increasing heading. All frequencies have the same headings: from 0 to 180 degrees with the "
            "other side mirrored, or from 0 to below 360."},
    {"vessel.waves.force_rows[].frequency_radps", AS_NUMBER, .range = POSITIVE, IN(force_row, omega_radps),
     .unit = "rad/s", .doc = "Angular frequency of the wave."},
    {"vessel.waves.force_rows[].heading_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 359.999,
     .degrees = 1, IN(force_row, heading_rad), .unit = "deg",
     .doc = "Direction towards which the wave travels, clockwise from the bow: 0 following sea, 90 towards "
            "starboard, 180 head sea."},
    {"vessel.waves.force_rows[].amplitude", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE,
     IN(force_row, amplitude), .unit = "N/m, N m/m",
     .doc = "Force amplitudes in surge, sway, heave, roll, pitch and yaw per metre of wave amplitude, in "
            "body axes about the reference point."},
    {"vessel.waves.force_rows[].phase_deg", AS_VECTOR, .size = 6, .degrees = 1, IN(force_row, phase_rad),
     .unit = "deg",
     .doc = "Phase lead on the crest at the reference point: force = amplitude cos(omega t + phase) where "
            "the surface elevation is cos(omega t)."},
    {"vessel.waves.drift_rows", AS_ITEMS, .size = MAX_DRIFT_ROWS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.waves.drift_rows, drift_row, out.sim.vessel.waves.drift_count),
     .doc = "Mean drift coefficients, in the same order of frequencies and headings as force_rows."},
    {"vessel.waves.drift_rows[].frequency_radps", AS_NUMBER, .range = POSITIVE, IN(drift_row, omega_radps),
     .unit = "rad/s", .doc = "Angular frequency of the wave."},
    {"vessel.waves.drift_rows[].heading_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 359.999,
     .degrees = 1, IN(drift_row, heading_rad), .unit = "deg",
     .doc = "Direction towards which the wave travels, clockwise from the bow."},
    {"vessel.waves.drift_rows[].coefficients", AS_VECTOR, .size = 3, IN(drift_row, c), .unit = "N/m2, N m/m2",
     .doc = "Mean drift force in surge and sway and moment in yaw, per square of the wave amplitude."},
};

static void check_windage(const struct check *c) {
  const struct windage_def *windage = &c->draft->out.sim.vessel.windage;
  const char *rows = "vessel.wind.rows";
  int stride = sizeof windage->rows[0] / sizeof(double);

  check_one_of(c, "vessel.wind", "rows", "closed_form");
  if (given(c, rows) && c->errors->count == 0 && // a row may be what is wrong
      !(windage->row_count > 0 &&
        is_increasing_turn(&windage->rows[0].angle_rad, stride, windage->row_count)))
    report(c, rows,
           "at least three angles that increase from 0 to 180, or from 0 to below 360 degrees, expected");
}

// Rows that begin with frequency and heading: the same headings for every frequency.
static void check_wave_rows(const struct check *c, const char *path, const double *rows, size_t bytes,
                            int count) {
  int stride = (int)(bytes / sizeof(double)), headings = 1;
  if (!given(c, path) || c->errors->count > 0) // a row may be what is wrong
    return;

  while (headings < count && rows[headings * stride] == rows[0])
    headings++;
  int good = count > 0 && count % headings == 0 && is_increasing_turn(rows + 1, stride, headings);
  for (int i = headings; good && i < count; i++) {
    const double *row = rows + i * stride, *above = row - headings * stride;
    good &= row[1] == above[1] && row[0] > above[0] && row[0] == rows[i / headings * headings * stride];
  }
  if (!good)
    report(c, path,
           "increasing frequencies, each with the same headings, which increase from 0 to 180 or from 0 to "
           "below 360 degrees, expected");
}

static void check_vessel_weather(const struct check *c) {
  const struct wave_response_def *waves = &c->draft->out.sim.vessel.waves;

  check_windage(c);
  check_wave_rows(c, "vessel.waves.force_rows", &waves->force[0].omega_radps, sizeof waves->force[0],
                  waves->force_count);
  check_wave_rows(c, "vessel.waves.drift_rows", &waves->drift_rows[0].omega_radps,
                  sizeof waves->drift_rows[0], waves->drift_count);
}

static void resolve_vessel_weather(const struct check *c, struct config *out) {
  out->sim.vessel.windage.present = given(c, "vessel.wind") != NULL;
  struct wave_response_def *waves = &out->sim.vessel.waves;
  const struct hydro_data *hydro = out->hydro;
  waves->present = given(c, "vessel.waves") != NULL;
  if (hydro && !waves->present) { // the data of the file need no box
    waves->present = waves->first_order = 1;
    waves->drift = hydro->drift.frequencies > 0;
  }
}

static const struct key_rows VESSEL_WEATHER_ROWS = KEY_ROWS(VESSEL_WEATHER_KEYS);
static const struct key_group VESSEL_WEATHER_GROUPS[] = {{.rows = &VESSEL_WEATHER_ROWS, .prefix = ""}};
const struct config_section VESSEL_WEATHER_SECTION = {VESSEL_WEATHER_GROUPS, 1, check_vessel_weather,
                                                      resolve_vessel_weather, NULL};
