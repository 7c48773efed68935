// Rows of wind, waves and of how the vessel meets them. One row a key reads best.
#pragma once

#include "io/config/config_draft.h"

#define IN_DRAFT(member) .offset = offsetof(struct config_draft, member)

// clang-format off
#define WEATHER_KEYS \
  {"environment.wind", AS_SECTION, .optional = 1, .doc = "Wind: seen by instruments, and by the vessel if it has a section vessel.wind."}, \
  {"environment.wind.speed_mps", AS_NUMBER, .range = LIMITED, .low = 0, .high = 100, IN_DRAFT(out.sim.env.wind.speed_mps), .unit = "m/s", .doc = "Mean over an hour, 10 m above the sea."}, \
  {"environment.wind.direction_deg", AS_NUMBER, .degrees = 1, IN_DRAFT(out.sim.env.wind.direction_rad), .unit = "deg", .doc = "Where it comes from, clockwise from north (x)."}, \
  {"environment.wind.gusts", AS_WORD, .words = {"none", "norsok", "api"}, .fallback = "none", .word_offset = offsetof(struct config_draft, out.sim.env.wind.gusts), \
   .doc = "Spectrum of the gusts, and growth of the mean with height: norsok (Froya; also without gusts) or api (RP 2A, 20th edition)."}, \
  {"environment.wind.gust_height_m", AS_NUMBER, .range = LIMITED, .low = 1, .high = 300, .fallback = "10", IN_DRAFT(out.sim.env.wind.gust_height_m), .unit = "m", \
   .doc = "Height that the spectrum is taken at; the same gusts act at every height."}, \
  {"environment.wind.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1", IN_DRAFT(out.sim.env.wind.seed), .doc = "Of the gusts' phases."}, \
  {"environment.wind.turn_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 180, .fallback = "0", .degrees = 1, IN_DRAFT(out.sim.env.wind.turn_rad), .unit = "deg", \
   .doc = "Amplitude of a slow sinusoidal change of the direction."}, \
  {"environment.wind.turn_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "600", IN_DRAFT(out.sim.env.wind.turn_period_s), .unit = "s", .doc = "Its period."}, \
  {"environment.wind.air_density_kgpm3", AS_NUMBER, .range = POSITIVE, .fallback = "1.225", IN_DRAFT(out.sim.env.wind.air_density_kgpm3), .unit = "kg/m3", .doc = "Density of the air."}, \
  PROFILE_KEYS("environment.wind", struct config_draft, out.sim.env.wind.profile), \
  {"environment.waves", AS_SECTION, .optional = 1, .doc = "Waves; they act on the vessel if it has a section vessel.waves."}, \
  {"environment.waves.spectrum", AS_WORD, .words = {"jonswap", "regular"}, .fallback = "jonswap", .word_offset = offsetof(struct config_draft, out.sim.env.waves.spectrum), .doc = "regular: a single wave."}, \
  {"environment.waves.significant_height_m", AS_NUMBER, .range = NOT_NEGATIVE, IN_DRAFT(out.sim.env.waves.height_m), .unit = "m", .doc = "Four standard deviations; of a regular wave from trough to crest."}, \
  {"environment.waves.peak_period_s", AS_NUMBER, .range = LIMITED, .low = 1, .high = 60, IN_DRAFT(out.sim.env.waves.period_s), .unit = "s", .doc = "Of the spectrum's peak; of the regular wave."}, \
  {"environment.waves.gamma", AS_NUMBER, .range = LIMITED, .low = 1, .high = 10, .fallback = "3.3", IN_DRAFT(out.sim.env.waves.gamma), .doc = "Peakedness; 1: Pierson and Moskowitz."}, \
  {"environment.waves.direction_deg", AS_NUMBER, .degrees = 1, IN_DRAFT(out.sim.env.waves.direction_rad), .unit = "deg", .doc = "Where they come from, clockwise from north (x)."}, \
  {"environment.waves.spreading", AS_NUMBER, .range = LIMITED, .low = 0, .high = 200, .fallback = "0", IN_DRAFT(out.sim.env.waves.spreading), \
   .doc = "s of the spreading cos^2s(angle/2) about the direction; 0: long-crested, none."}, \
  {"environment.waves.components", AS_INTEGER, .range = LIMITED, .low = 8, .high = MAX_WAVES, .fallback = "64", IN_DRAFT(out.sim.env.waves.components), .doc = "Sinusoids of the sea."}, \
  {"environment.waves.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1", IN_DRAFT(out.sim.env.waves.seed), .doc = "Of the phases."}, \
  PROFILE_KEYS("environment.waves", struct config_draft, out.sim.env.waves.profile)

#define VESSEL_WEATHER_KEYS \
  {"vessel.current_acts", AS_FLAG, .fallback = "false", IN_DRAFT(out.sim.vessel.current_acts), \
   .doc = "Damping and added mass act on the velocity relative to the current at the surface."}, \
  {"vessel.wind", AS_SECTION, .optional = 1, .doc = "What the wind meets."}, \
  {"vessel.wind.frontal_area_m2", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.windage.frontal_area_m2), .unit = "m2", .doc = "Projected on a plane across the vessel."}, \
  {"vessel.wind.lateral_area_m2", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.windage.lateral_area_m2), .unit = "m2", .doc = "Projected on its middle plane."}, \
  {"vessel.wind.length_m", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.windage.length_m), .unit = "m", .doc = "Over all."}, \
  {"vessel.wind.height_m", AS_NUMBER, .range = LIMITED, .low = 1, .high = 300, .fallback = "10", IN_DRAFT(out.sim.vessel.windage.height_m), .unit = "m", .doc = "Whose wind the coefficients are for."}, \
  {"vessel.wind.point_b_m", AS_VECTOR, .size = 3, .fallback = "0", IN_DRAFT(out.sim.vessel.windage.point_b_m), .unit = "m", \
   .doc = "Body frame: the coefficients' moments are about it; its velocity counts."}, \
  {"vessel.wind.rows", AS_ITEMS, .size = MAX_WIND_ROWS, .optional = 1, IN_DRAFT(out.sim.vessel.windage.rows), .item_size = sizeof(struct wind_row), \
   .count_offset = offsetof(struct config_draft, out.sim.vessel.windage.row_count), \
   .doc = "Coefficients by growing angle, from 0 to 180 degrees, the other side mirrored, or from 0 to below 360. Exactly one of rows and closed_form."}, \
  {"vessel.wind.rows[].angle_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 359.999, .degrees = 1, .offset = offsetof(struct wind_row, angle_rad), .unit = "deg", \
   .doc = "Where the relative wind comes from, clockwise from the bow."}, \
  {"vessel.wind.rows[].coefficients", AS_VECTOR, .size = 4, .offset = offsetof(struct wind_row, c), \
   .doc = "CX, CY, CK, CN: surge on the frontal area, sway on the lateral one, roll on lateral area squared over length, yaw on lateral area times length; body axes."}, \
  {"vessel.wind.closed_form", AS_SECTION, .optional = 1, .doc = "Blendermann's coefficients."}, \
  {"vessel.wind.closed_form.transverse", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.windage.drag_transverse), .doc = "CD_t, on the lateral area."}, \
  {"vessel.wind.closed_form.bow", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.windage.drag_bow), .doc = "CD_l,AF in head wind, on the frontal area."}, \
  {"vessel.wind.closed_form.stern", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.windage.drag_stern), .doc = "The same from astern."}, \
  {"vessel.wind.closed_form.cross_force", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, IN_DRAFT(out.sim.vessel.windage.cross_force), .doc = "delta."}, \
  {"vessel.wind.closed_form.rolling", AS_NUMBER, .range = NOT_NEGATIVE, IN_DRAFT(out.sim.vessel.windage.rolling), .doc = "kappa."}, \
  {"vessel.wind.closed_form.centroid_forward_m", AS_NUMBER, IN_DRAFT(out.sim.vessel.windage.centroid_forward_m), .unit = "m", .doc = "Of the lateral area, from point_b_m."}, \
  {"vessel.wind.closed_form.centroid_height_m", AS_NUMBER, IN_DRAFT(out.sim.vessel.windage.centroid_height_m), .unit = "m", .doc = "Of the lateral area, above point_b_m."}, \
  {"vessel.waves", AS_SECTION, .optional = 1, .doc = "How the vessel meets waves: rows of a diffraction code, or a box of the hull's size in their stead."}, \
  {"vessel.waves.length_m", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.waves.length_m), .unit = "m", .doc = "Of the box."}, \
  {"vessel.waves.beam_m", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.waves.beam_m), .unit = "m", .doc = "Of the box."}, \
  {"vessel.waves.draft_m", AS_NUMBER, .range = POSITIVE, IN_DRAFT(out.sim.vessel.waves.draft_m), .unit = "m", .doc = "Of the box."}, \
  {"vessel.waves.centre_x_b_m", AS_NUMBER, .fallback = "0", IN_DRAFT(out.sim.vessel.waves.centre_x_b_m), .unit = "m", .doc = "Of the box, body frame."}, \
  {"vessel.waves.first_order", AS_FLAG, .fallback = "true", IN_DRAFT(out.sim.vessel.waves.first_order), .doc = "Forces at the waves' frequencies act."}, \
  {"vessel.waves.slow_drift", AS_FLAG, .fallback = "true", IN_DRAFT(out.sim.vessel.waves.drift), .doc = "Mean and slowly varying drift forces act (Newman)."}, \
  {"vessel.waves.force_rows", AS_ITEMS, .size = MAX_FORCE_ROWS, .optional = 1, IN_DRAFT(out.sim.vessel.waves.force), .item_size = sizeof(struct force_row), \
   .count_offset = offsetof(struct config_draft, out.sim.vessel.waves.force_count), \
   .doc = "First-order forces (force RAOs) by growing frequency, and within one by growing heading, the same headings for all: from 0 to 180 degrees, the other side mirrored, or from 0 to below 360."}, \
  {"vessel.waves.force_rows[].frequency_radps", AS_NUMBER, .range = POSITIVE, .offset = offsetof(struct force_row, omega_radps), .unit = "rad/s", .doc = "Of the wave."}, \
  {"vessel.waves.force_rows[].heading_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 359.999, .degrees = 1, .offset = offsetof(struct force_row, heading_rad), .unit = "deg", \
   .doc = "Where the wave goes to, clockwise from the bow: 0 following sea, 90 towards starboard, 180 head sea."}, \
  {"vessel.waves.force_rows[].amplitude", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .offset = offsetof(struct force_row, amplitude), .unit = "N/m, N m/m", \
   .doc = "Of surge, sway, heave, roll, pitch, yaw per metre of wave amplitude, body axes, about the reference point."}, \
  {"vessel.waves.force_rows[].phase_deg", AS_VECTOR, .size = 6, .degrees = 1, .offset = offsetof(struct force_row, phase_rad), .unit = "deg", \
   .doc = "Lead before the crest at the reference point: force = amplitude cos(omega t + phase) where the surface rises as cos(omega t)."}, \
  {"vessel.waves.drift_rows", AS_ITEMS, .size = MAX_DRIFT_ROWS, .optional = 1, IN_DRAFT(out.sim.vessel.waves.drift_rows), .item_size = sizeof(struct drift_row), \
   .count_offset = offsetof(struct config_draft, out.sim.vessel.waves.drift_count), .doc = "Mean drift coefficients, in the same order."}, \
  {"vessel.waves.drift_rows[].frequency_radps", AS_NUMBER, .range = POSITIVE, .offset = offsetof(struct drift_row, omega_radps), .unit = "rad/s", .doc = "Of the wave."}, \
  {"vessel.waves.drift_rows[].heading_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 359.999, .degrees = 1, .offset = offsetof(struct drift_row, heading_rad), .unit = "deg", \
   .doc = "Where the wave goes to, clockwise from the bow."}, \
  {"vessel.waves.drift_rows[].coefficients", AS_VECTOR, .size = 3, .offset = offsetof(struct drift_row, c), .unit = "N/m2, N m/m2", \
   .doc = "Surge, sway, yaw per square metre of wave amplitude."}
// clang-format on
