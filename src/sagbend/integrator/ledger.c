// The ledger of energy: its sums over a step, and how far it closes.
#include "sagbend/integrator/integrator.h"
#include "sagbend/integrator/integrator_internal.h"

#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

const char *energy_port_name(enum energy_port port) {
  static const char *const names[] = {
#define X(id, name, feature) #name,
      PORT_TABLE(X)
#undef X
  };
  return (unsigned)port < PORT_COUNT ? names[port] : "unknown";
}

const char *loss_name(enum loss loss) {
  static const char *const names[] = {
#define X(id, name, feature) #name,
      LOSS_TABLE(X)
#undef X
  };
  return (unsigned)loss < LOSS_COUNT ? names[loss] : "unknown";
}

void ledger_start(struct ledger *ledger, double kinetic_j, double potential_j) {
  *ledger = (struct ledger){.energy_j = kinetic_j + potential_j,
                            .energy_initial_j = kinetic_j + potential_j,
                            .kinetic_j = kinetic_j,
                            .scale_j = kinetic_j + fabs(potential_j)};
}

void ledger_begin_step(struct ledger *ledger) {
  for (int i = 0; i < PORT_COUNT; i++)
    ledger->work_j[i] = 0;
  for (int i = 0; i < LOSS_COUNT; i++)
    ledger->loss_j[i] = 0;
}

void ledger_end_step(struct ledger *ledger, double kinetic_j, double potential_j) {
  double energy = kinetic_j + potential_j, balance = 0;
  for (int i = 0; i < PORT_COUNT; i++) {
    balance += ledger->work_j[i];
    ledger->total_work_j[i] += ledger->work_j[i];
    ledger->turnover_j += fabs(ledger->work_j[i]);
  }
  for (int i = 0; i < LOSS_COUNT; i++) {
    balance -= ledger->loss_j[i];
    ledger->total_loss_j[i] += ledger->loss_j[i];
    ledger->turnover_j += ledger->loss_j[i];
  }
  ledger->residual_j = (energy - ledger->energy_j) - balance;
  ledger->energy_j = energy;
  ledger->kinetic_j = kinetic_j;
  ledger->total_residual_j += ledger->residual_j;
  if (!(fabs(ledger->residual_j) <= ledger->max_abs_residual_j)) // a NaN is kept
    ledger->max_abs_residual_j = fabs(ledger->residual_j);
  if (!(fabs(ledger->total_residual_j) <= ledger->max_abs_total_residual_j))
    ledger->max_abs_total_residual_j = fabs(ledger->total_residual_j);
}

double ledger_closure_rel(const struct ledger *ledger) {
  const double rounding =
      1e-6; // a closure of 1e-8 then is 1e-14 of the stored energies, the rounding of their sum
  double floor = rounding * ledger->scale_j,
         turnover = ledger->turnover_j > floor ? ledger->turnover_j : floor;
  return turnover > 0 ? ledger->max_abs_total_residual_j / turnover : 0;
}

// Checks of a ledger that comes from a file.
int ledger_is_valid(const struct ledger *ledger, struct reason *why) {
  return valid_finite(&ledger->energy_j, 1, "energy_j", why) &&
         valid_finite(&ledger->energy_initial_j, 1, "energy_initial_j", why) &&
         valid_finite(&ledger->kinetic_j, 1, "kinetic_j", why) &&
         valid_finite(&ledger->memory_j, 1, "memory_j", why) &&
         valid_finite(ledger->work_j, PORT_COUNT, "work_j", why) &&
         valid_finite(ledger->loss_j, LOSS_COUNT, "loss_j", why) &&
         valid_finite(&ledger->residual_j, 1, "residual_j", why) &&
         valid_finite(ledger->total_work_j, PORT_COUNT, "total_work_j", why) &&
         valid_finite(ledger->total_loss_j, LOSS_COUNT, "total_loss_j", why) &&
         valid_finite(&ledger->total_residual_j, 1, "total_residual_j", why) &&
         valid_finite(&ledger->max_abs_total_residual_j, 1, "max_abs_total_residual_j", why) &&
         valid_finite(&ledger->max_abs_residual_j, 1, "max_abs_residual_j", why) &&
         valid_finite(&ledger->turnover_j, 1, "turnover_j", why) &&
         valid_finite(&ledger->scale_j, 1, "scale_j", why);
}
