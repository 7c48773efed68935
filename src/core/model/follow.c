#include "core/model/follow.h"

#include "core/model/flooding.h"
#include "core/model/payout.h"
#include "core/model/tower.h"

void mesh_follow(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  payout_follow(m, s, w);
  flooding_follow(s);
  tower_follow(m, s, w, time_s);
}
