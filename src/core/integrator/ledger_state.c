// Checks of a ledger that comes from a file.
#include "core/integrator/ledger.h"

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
