// Cases of the pipe, its seabed and water, and of the coupled system. verify/report/cases.c has their table.
#pragma once

#include "verify/harness/verify.h"

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
verify_case_run verify_retiring;                                                               // retiring.c
verify_case_run verify_laid_curve;                                                             // laid_curve.c
verify_case_run verify_payout;                                                                 // payout.c
verify_case_run verify_planar_payout; // planar_payout.c
verify_case_run verify_yield_mesh;    // yield_mesh.c
verify_case_run verify_plasticity;    // plasticity.c
verify_case_run verify_sleeve;        // sleeve.c
verify_case_run verify_surface;       // surface.c
verify_case_run verify_stinger;       // stinger.c
verify_case_run verify_tensioner;     // tensioner.c
verify_case_run verify_planar_heave;  // heave.c
verify_case_run verify_follower;      // follower.c
verify_case_run verify_cable_modes;   // cable.c
verify_case_run verify_code_collapse, verify_code_moment;
verify_case_run verify_code_propagation,
    verify_code_burst;              // code.c                                      // code.c
verify_case_run verify_flooding;    // flooding.c
verify_case_run verify_tower;       // tower.c
verify_case_run verify_abandonment; // abandonment.c
