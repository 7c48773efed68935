// For the files of this room: what the two kinds of the growing element share.
#pragma once

#include "sagbend/pipe/growing_element.h"

// What takes the place of the length in one of the six energies, and of the length times rho.
struct span {
  double start, end;        // s at the start and the end of the step
  double slope, rest_slope; // mean over the growth of ds/dl, and of d(integral of rho)/dl
  double rest;              // integral of rho at the start
  // Derivatives with respect to grown_m: of s and of the integral at the end, of the mean slopes.
  double end_slope, end_rest_slope, slope_rate, rest_rate;
};

struct span growing_span(const struct growing_element *x, int k) NONBLOCKING;

// The stress of one of the six g over the step and what follows from it. start, change: g at the start, and
// its change.
struct growing_stress {
  double stress;       // mean over the step, with structural damping
  double elastic;      // its change without damping
  double loss_j;       // by damping
  double length_force; // of the energies, without the strains of the unstressed pipe
};

struct growing_stress growing_stress_of(const struct growing_element *x, int k, const struct span *s,
                                        double start, double change) NONBLOCKING;

// What belongs to one of the six g in the derivatives with respect to the length at the end.
struct length_rates {
  double stress, stress_by_length; // sigma, and its derivative with respect to grown_m
  double stress_by_g;              // with respect to g at the end
  double energy_by_g, own;         // of the terms of P without the strains of the unstressed pipe
};

// g0, dg: at the start, and its change. enters: derivative of g at the end with respect to grown_m.
struct length_rates growing_length_rates(const struct growing_element *x, double c, const struct span *s,
                                         double g0, double dg, double enters) NONBLOCKING;

// dg/d(end) of the mean stress of g: material factor of the tangent.
double growing_stress_rate(const struct growing_element *x, int k, const struct span *s) NONBLOCKING;

// k += s hat(v) at a row and column.
void growing_add_hat(double k[12][12], int row, int column, double s, vec3 v) NONBLOCKING;

// The wire (growing_wire.c).
struct growing_forces growing_wire_forces(const struct growing_element *x) NONBLOCKING;
double growing_wire_energy(const struct growing_element *x) NONBLOCKING;
void growing_wire_tangent(const struct growing_element *x, const struct growing_forces *forces,
                          double k[12][12]) NONBLOCKING;
struct growing_length_tangent growing_wire_length_tangent(const struct growing_element *x) NONBLOCKING;
