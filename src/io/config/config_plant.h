// Rows of vessel.thrusters and vessel.power. One row a key reads best.
#pragma once

#include "io/config/config_draft.h"

#define IN_THRUSTER(member) .offset = offsetof(struct thruster_def, member)

// clang-format off
#define PLANT_KEYS                                                                                                    \
  {"vessel.thrusters", AS_ITEMS, .size = MAX_THRUSTERS, .optional = 1, .offset = offsetof(struct config_draft, out.sim.vessel.plant.thruster), \
   .item_size = sizeof(struct thruster_def), .count_offset = offsetof(struct config_draft, out.sim.vessel.plant.thruster_count), \
   .doc = "The thrusters; none: a controller commands a wrench only."},                                               \
  {"vessel.thrusters[].name", AS_TEXT, .size = SIGNAL_NAME, IN_THRUSTER(name), .doc = "What commands and events call it."}, \
  {"vessel.thrusters[].kind", AS_WORD, .words = {"tunnel", "azimuth", "main"}, .word_offset = offsetof(struct thruster_def, kind), \
   .doc = "tunnel: across, positive to starboard. azimuth: turns without end. main: ahead, with a rudder behind it."}, \
  {"vessel.thrusters[].drive", AS_WORD, .words = {"revolutions", "pitch"}, .fallback = "revolutions", .word_offset = offsetof(struct thruster_def, drive), \
   .doc = "What a command sets: revolutions of a fixed propeller, or the pitch of one at constant revolutions."},     \
  {"vessel.thrusters[].position_b_m", AS_VECTOR, .size = 3, IN_THRUSTER(position_b_m), .unit = "m", .doc = "Where its force acts, body frame."}, \
  {"vessel.thrusters[].thrust_max_n", AS_NUMBER, .range = POSITIVE, IN_THRUSTER(thrust_max_n), .unit = "N",            \
   .doc = "Ahead at full revolutions and pitch, in water at rest. Thrust = thrust_max_n x |x|, x the share of revolutions (or of pitch)."}, \
  {"vessel.thrusters[].thrust_astern", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "1", IN_THRUSTER(thrust_astern), \
   .doc = "Share of that delivered the other way."},                                                                  \
  {"vessel.thrusters[].revolutions_max_rpm", AS_NUMBER, .range = POSITIVE, IN_THRUSTER(revolutions_max_rpm), .unit = "rpm", \
   .doc = "Full revolutions, either way; of a drive by pitch: those it runs at."},                                    \
  {"vessel.thrusters[].revolutions_lag_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(revolutions_lag_s), .unit = "s", \
   .doc = "Time constant of first order."},                                                                           \
  {"vessel.thrusters[].revolutions_rate_rpmps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(revolutions_rate_rpmps), .unit = "rpm/s", \
   .doc = "Largest rate of change; 0: no bound."},                                                                    \
  {"vessel.thrusters[].pitch_lag_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(pitch_lag_s), .unit = "s", \
   .doc = "Of a drive by pitch: time constant of the pitch."},                                                        \
  {"vessel.thrusters[].pitch_rate_1ps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(pitch_rate_1ps), .unit = "1/s", \
   .doc = "Of a drive by pitch: largest rate, share of full pitch; 0: no bound."},                                    \
  {"vessel.thrusters[].azimuth_lag_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(azimuth_lag_s), .unit = "s", \
   .doc = "Time constant of the azimuth, of a main propeller: of its rudder."},                                       \
  {"vessel.thrusters[].azimuth_rate_degps", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "0", IN_THRUSTER(azimuth_rate_radps), .unit = "deg/s", \
   .doc = "Largest rate of the same; 0: no bound."},                                                                  \
  {"vessel.thrusters[].forbidden", AS_ITEMS, .size = MAX_SECTORS, .optional = 1, IN_THRUSTER(sector),                  \
   .item_size = sizeof(struct sector), .count_offset = offsetof(struct thruster_def, sector_count),                   \
   .doc = "azimuth: sectors in which its thrust may not rest, edges allowed. A command inside one goes to the nearest edge."}, \
  {"vessel.thrusters[].forbidden[].from_deg", AS_NUMBER, .degrees = 1, .offset = offsetof(struct sector, from_rad), .unit = "deg", \
   .doc = "First edge: direction of the thrust from the bow, clockwise."},                                            \
  {"vessel.thrusters[].forbidden[].to_deg", AS_NUMBER, .degrees = 1, .offset = offsetof(struct sector, to_rad), .unit = "deg", \
   .doc = "Last edge, clockwise from the first."},                                                                    \
  {"vessel.thrusters[].inflow_loss_spm", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0", IN_THRUSTER(inflow_loss_spm), .unit = "s/m", \
   .doc = "Share of thrust_max_n lost at full revolutions per m/s of its own speed through the water along the thrust."}, \
  {"vessel.thrusters[].ventilation", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "1", IN_THRUSTER(ventilation), \
   .doc = "Factor on the thrust."},                                                                                   \
  {"vessel.thrusters[].speed_half_mps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(speed_half_mps), .unit = "m/s", \
   .doc = "tunnel: speed ahead through the water that halves its thrust; 0: none does."},                             \
  {"vessel.thrusters[].rudder", AS_SECTION, .optional = 1, .doc = "main: in its slipstream. Without it there is none."}, \
  {"vessel.thrusters[].rudder.lift", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(rudder_lift),      \
   .doc = "Side force over thrust ahead: this times the sine of the angle."},                                         \
  {"vessel.thrusters[].rudder.drag", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0", IN_THRUSTER(rudder_drag), \
   .doc = "Thrust lost over thrust ahead: this times the square of the sine."},                                       \
  {"vessel.thrusters[].rudder.angle_max_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 90, .degrees = 1, .fallback = "0", IN_THRUSTER(rudder_max_rad), .unit = "deg", \
   .doc = "Either way. A positive angle pushes the stern to starboard."},                                             \
  {"vessel.thrusters[].power_max_w", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(power_max_w), .unit = "W", \
   .doc = "At full revolutions and pitch; falls with the third power of either."},                                    \
  {"vessel.thrusters[].power_zero_pitch", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.15", IN_THRUSTER(power_zero_pitch), \
   .doc = "Of a drive by pitch: share of power_max_w drawn at zero pitch."},                                          \
  {"vessel.thrusters[].bus", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN_THRUSTER(bus_name), .doc = "Of vessel.power.buses. Without it its power has no limit."}, \
  {"vessel.thrusters[].start_up_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_THRUSTER(start_up_s), .unit = "s", \
   .doc = "From enabled and ready to running."},                                                                      \
  {"vessel.thrusters[].timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "5", IN_THRUSTER(timeout_s), .unit = "s", \
   .doc = "A thruster that no command has named for longer does what on_timeout says."},                              \
  {"vessel.thrusters[].on_timeout", AS_WORD, .words = {"hold", "zero"}, .fallback = "hold", .word_offset = offsetof(struct thruster_def, reaction), \
   .doc = "hold: its last set-point. zero: no thrust, its direction as it was."},                                     \
                                                                                                                      \
  {"vessel.power", AS_SECTION, .optional = 1, .doc = "What drives the thrusters."},                                   \
  {"vessel.power.buses", AS_ITEMS, .size = MAX_BUSES, .optional = 1, .offset = offsetof(struct config_draft, out.sim.vessel.plant.bus), \
   .item_size = sizeof(struct bus_def), .count_offset = offsetof(struct config_draft, out.sim.vessel.plant.bus_count), .doc = "Switchboards."}, \
  {"vessel.power.buses[].name", AS_TEXT, .size = SIGNAL_NAME, .offset = offsetof(struct bus_def, name), .doc = "What thrusters and events call it."}, \
  {"vessel.power.buses[].available_w", AS_NUMBER, .range = POSITIVE, .offset = offsetof(struct bus_def, available_w), .unit = "W", \
   .doc = "For thrusters. Where their set-points need more, all of them on the bus are scaled down."}
// clang-format on

// The checks between them; resolves the names of the buses. Called by config_check.
void config_check_plant(const struct node *root, struct plant_def *plant, struct error_list *errors);
