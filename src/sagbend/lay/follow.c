#include "sagbend/lay/follow.h"

#include "sagbend/lay/flooding.h"
#include "sagbend/lay/lay.h"
#include "sagbend/lay/tower.h"

void mesh_follow(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  payout_follow(m, s, w);
  flooding_follow(s);
  tower_follow(m, s, w, time_s);
}
