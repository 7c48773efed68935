// The keys vessel.current_acts, vessel.wind and vessel.waves: how current, wind and waves act on the vessel.
#include "sagbend/case/config_sections.h"

static const struct key_def KEYS[] = {
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

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section VESSEL_WEATHER_SECTION = {GROUPS, 1, check_vessel_weather, resolve_vessel_weather,
                                                      NULL};
