// The linear answer to a regular wave.
#pragma once

#include "lab/sweep/rao_case.h"

// Motions per metre of amplitude in the phasors of hydro_data.h: real and imaginary part of surge, sway,
// heave (m/m), roll, pitch and yaw (rad/m), from mass, added mass, damping, restoring and wave force of the
// hydro file, the linear damping of the configuration, and the hold. A singular system gives NaN.
void linear_answer(const struct rao_case *c, double omega_radps, double heading_rad, double motion[12]);
