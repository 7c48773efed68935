// What an account from a file must be.
#include "core/integrator/ledger.h"

int ledger_is_valid(const struct ledger *l, struct reason *why) {
  return valid_finite(&l->energy_j, 1, "energy_j", why) &&
         valid_finite(&l->energy_initial_j, 1, "energy_initial_j", why) &&
         valid_finite(&l->kinetic_j, 1, "kinetic_j", why) &&
         valid_finite(l->work_j, PORT_COUNT, "work_j", why) &&
         valid_finite(l->loss_j, LOSS_COUNT, "loss_j", why) &&
         valid_finite(&l->residual_j, 1, "residual_j", why) &&
         valid_finite(l->total_work_j, PORT_COUNT, "total_work_j", why) &&
         valid_finite(l->total_loss_j, LOSS_COUNT, "total_loss_j", why) &&
         valid_finite(&l->total_residual_j, 1, "total_residual_j", why) &&
         valid_finite(&l->max_abs_total_residual_j, 1, "max_abs_total_residual_j", why) &&
         valid_finite(&l->max_abs_residual_j, 1, "max_abs_residual_j", why) &&
         valid_finite(&l->turnover_j, 1, "turnover_j", why) && valid_finite(&l->scale_j, 1, "scale_j", why);
}
