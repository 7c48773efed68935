// How a session is to be advanced (core/integrator/plan.h).
#pragma once

enum vessel_integrator { VESSEL_STRANG, VESSEL_SP2, VESSEL_SP4, VESSEL_SP6 };

struct integrator_def {
  int order; // 2 or 4 (0 counts as 2)
  enum vessel_integrator vessel;
};
