// Definition of the time integration, as a configuration gives it (sagbend/integrator/plan.h).
#pragma once

// VESSEL_STRANG: the ordinary step. The others are the exact splittings of Celledoni, Hoiseth and Ramzina
// (2018) of order 2, 4 and 6, for a vessel without a pipe.
enum vessel_integrator { VESSEL_STRANG, VESSEL_SP2, VESSEL_SP4, VESSEL_SP6 };

struct integrator_def {
  int order; // of the ordinary step: 2 or 4; 0 means 2
  enum vessel_integrator vessel;
};
