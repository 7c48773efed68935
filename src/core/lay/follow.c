#include "core/lay/follow.h"

#include "core/lay/flooding.h"
#include "core/lay/payout.h"
#include "core/lay/tower.h"

void mesh_follow(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  payout_follow(m, s, w);
  flooding_follow(s);
  tower_follow(m, s, w, time_s);
}
