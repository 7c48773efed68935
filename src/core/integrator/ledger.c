#include "core/integrator/ledger.h"

#include <math.h>

const char *port_name(enum port p) {
  static const char *const names[] = {
#define X(name, text) text,
      PORT_TABLE(X)
#undef X
  };
  return (unsigned)p < PORT_COUNT ? names[p] : "unknown";
}

const char *loss_name(enum loss l) {
  static const char *const names[] = {
#define X(name, text) text,
      LOSS_TABLE(X)
#undef X
  };
  return (unsigned)l < LOSS_COUNT ? names[l] : "unknown";
}

void ledger_start(struct ledger *l, double kinetic_j, double potential_j) {
  *l = (struct ledger){.energy_j = kinetic_j + potential_j,
                       .energy_initial_j = kinetic_j + potential_j,
                       .kinetic_j = kinetic_j,
                       .scale_j = kinetic_j + fabs(potential_j)};
}

void ledger_begin_step(struct ledger *l) {
  for (int i = 0; i < PORT_COUNT; i++)
    l->work_j[i] = 0;
  for (int i = 0; i < LOSS_COUNT; i++)
    l->loss_j[i] = 0;
}

void ledger_end_step(struct ledger *l, double kinetic_j, double potential_j) {
  double energy = kinetic_j + potential_j, balance = 0;
  for (int i = 0; i < PORT_COUNT; i++) {
    balance += l->work_j[i];
    l->total_work_j[i] += l->work_j[i];
    l->turnover_j += fabs(l->work_j[i]);
  }
  for (int i = 0; i < LOSS_COUNT; i++) {
    balance -= l->loss_j[i];
    l->total_loss_j[i] += l->loss_j[i];
    l->turnover_j += l->loss_j[i];
  }
  l->residual_j = (energy - l->energy_j) - balance;
  l->energy_j = energy;
  l->kinetic_j = kinetic_j;
  l->total_residual_j += l->residual_j;
  if (!(fabs(l->residual_j) <= l->max_abs_residual_j)) // a NaN stays to be seen
    l->max_abs_residual_j = fabs(l->residual_j);
  if (!(fabs(l->total_residual_j) <= l->max_abs_total_residual_j))
    l->max_abs_total_residual_j = fabs(l->total_residual_j);
}

double ledger_closure_rel(const struct ledger *l) {
  const double rounding = 1e-6; // closure 1e-8 needs 1e-14 of the energies stored: the rounding of their sum
  double floor = rounding * l->scale_j, turnover = l->turnover_j > floor ? l->turnover_j : floor;
  return turnover > 0 ? l->max_abs_total_residual_j / turnover : 0;
}
