// The flying flexible rod of Simo and Vu-Quoc (1988), which several cases throw: length 10, EA = GA = 1e4, EI
// = GJ = 500, unit mass per length, J = (20, 10, 10), straight from (0, 8) to (6, 0) in its plane, thrown at
// the lower end (our "top") by the force (T/10, 0, 0) and the moment (0, T, T/2), T a triangle of 0, 200, 0
// at 0, 2.5 and 5 s. Its x, y, z are our north, west, up.
#pragma once

#include "verification/harness/scenes.h"
#include "verification/rivals/rivals.h"

#define FLYING_LENGTH_M 10.0
#define FLYING_THROW_S  5.0
extern const struct scene_section flying_section;

enum { FLYING_SHOWN = 3, FLYING_ENDS = 2 }; // ends: the loaded one, the other one
extern const double flying_shown_s[FLYING_SHOWN];
// Displacements of the ends in the paper's axes, by tests/reference/flying_rod.py 80 160 320 (limit).
extern const double flying_flown_m[FLYING_SHOWN][FLYING_ENDS][3];

// The project's own rod, at rest before the throw.
struct sim *flying_rod(int elements, double step_s, struct verify_result *r);
vec3 flying_seen(vec3 r_n);                                              // in the paper's axes
void flying_displacements(const struct sim *s, vec3 end_m[FLYING_ENDS]); // there

// The same as a Hamiltonian system, in the paper's axes; the last node is the loaded end. A step starts at
// time_s.
void flying_rival(struct hamiltonian_rod *rod, int elements);
void flying_rival_step(struct hamiltonian_rod *rod, double time_s, double h);
