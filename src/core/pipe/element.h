// The element's kernels (element.c, element_tangent.c), for the pipe's other files only. All act on all
// elements.
#pragma once

#include "core/base/nonblocking.h"
#include "core/pipe/pipe.h"

// Strains of the configuration in s (positions) and w->d0 (directors): fills slope0 and strain0.
void pipe_element_strains(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// From d0, dd, dr: fills strain_step, stress, force_n, moment_lower, moment_upper.
void pipe_element_forces(const struct pipe *p, struct pipe_work *w, double damping_over_h) NONBLOCKING;

// Derivative of an element's contribution to the nodal balance (minus the internal forces) with respect to
// (dr, phi) of its nodes; 6x6 blocks row by row.
enum { AA, AB, BA, BB };
struct element_blocks {
  double k[4][36]; // AA: lower node's rows and columns, AB: lower rows, upper columns, ...
};

// LANES elements from first on, with the stresses of the last pipe_element_forces.
void pipe_element_tangents(const struct pipe *p, const struct pipe_work *w, double damping_over_h, int first,
                           struct element_blocks *out) NONBLOCKING;
