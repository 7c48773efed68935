// The cases, group by group; cases.c has their table.
#pragma once

#include "verify/verify.h"

typedef void verify_case_run(const struct verify_setup *setup, struct verify_result *r);

verify_case_run verify_clamped_hangoff, verify_stiff_joint, verify_hangoff_tension;            // ends.c
verify_case_run verify_statics_jlay, verify_statics_catenary, verify_statics_order;            // statics.c
verify_case_run verify_roll_up, verify_bend, verify_elastica;                                  // beam.c
verify_case_run verify_timoshenko, verify_tensioned, verify_axial_wave, verify_torsional_wave; // waves.c
verify_case_run verify_rod_multisymplectic;                                                    // rod.c
verify_case_run verify_free_flight;                                                            // flight.c
verify_case_run verify_frame_unit, verify_frame_dynamics, verify_frame_statics;                // invariance.c
verify_case_run verify_terminal_velocity, verify_drag_shape;                                   // water.c
verify_case_run verify_water_inertia;                                                          // inertia.c
verify_case_run verify_order_in_time, verify_circle_peers;                                     // dynamics.c
verify_case_run verify_circle_envelopes, verify_circle_mesh;                                   // circle.c
verify_case_run verify_span, verify_buckling, verify_rising, verify_current;                   // rest.c
verify_case_run verify_sliding, verify_slope, verify_graded;                                   // seabed.c
verify_case_run verify_two_catenaries, verify_section_forces;                                  // sections.c
verify_case_run verify_seabed_impact;                                                          // impact.c
verify_case_run verify_planar_heave;                                                           // heave.c
verify_case_run verify_follower;                                                               // follower.c
verify_case_run verify_wind_profile;                                                 // wind_profile.c
verify_case_run verify_drift;                                                        // drift.c
verify_case_run verify_cable_modes;                                                  // cable.c
verify_case_run verify_paper_pd, verify_paper_pid;                                   // control.c
verify_case_run verify_osv_decay, verify_osv_thrust;                                 // vessel.c
verify_case_run verify_wave_spectrum, verify_wind_spectrum, verify_regular_wave;     // weather.c
verify_case_run verify_free_body;                                                    // free_body.c
verify_case_run verify_dipoles;                                                      // dipoles.c
verify_case_run verify_heavy_top, verify_satellite;                                  // torqued.c
verify_case_run verify_vessel_splitting;                                             // vessel_splitting.c
verify_case_run verify_vessel_day, verify_splitting_passivity;                       // splitting_energy.c
verify_case_run verify_order_four;                                                   // order_four.c
verify_case_run verify_passivity;                                                    // passivity.c
verify_case_run verify_quaternion_free, verify_precession;                           // quaternions.c
verify_case_run verify_sphere_torque, verify_axisymmetric_torque, verify_oscillator; // spatial.c
verify_case_run verify_follower_loads;                                               // body_loads.c
