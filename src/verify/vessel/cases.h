// Cases of rigid bodies, the vessel, its weather and its controller. verify/report/cases.c has their table.
#pragma once

#include "verify/harness/verify.h"

verify_case_run verify_wind_profile;                                                 // wind_profile.c
verify_case_run verify_drift;                                                        // drift.c
verify_case_run verify_paper_pd, verify_paper_pid;                                   // control.c
verify_case_run verify_osv_decay, verify_osv_thrust;                                 // vessel.c
verify_case_run verify_wave_spectrum, verify_wind_spectrum;                          // weather.c
verify_case_run verify_regular_wave, verify_radiation_memory;                        // wave_answer.c
verify_case_run verify_hull_drag;                                                    // hull.c
verify_case_run verify_free_body;                                                    // free_body.c
verify_case_run verify_dipoles;                                                      // dipoles.c
verify_case_run verify_heavy_top, verify_satellite;                                  // torqued.c
verify_case_run verify_vessel_splitting;                                             // vessel_splitting.c
verify_case_run verify_vessel_day, verify_splitting_passivity;                       // splitting_energy.c
verify_case_run verify_order_four;                                                   // order_four.c
verify_case_run verify_quaternion_free, verify_precession;                           // quaternions.c
verify_case_run verify_sphere_torque, verify_axisymmetric_torque, verify_oscillator; // spatial.c
verify_case_run verify_follower_loads;                                               // body_loads.c
verify_case_run verify_passivity;                                                    // passivity.c
