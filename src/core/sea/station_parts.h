// For the files of this room: the motion between the ends of the windows, for LANES nodes.
#pragma once

#include "core/math/lanes.h"
#include "core/sea/stations.h"

// Stations of the nodes from i on, at a time.
struct station_lanes {
  lanes share;        // of the window that has passed
  struct lanes3 away; // way from the station to the node
  lane_mask is_set;   // nodes that have a station
};

KERNEL_INLINE int is_any(const lane_mask *mask) {
  return ((*mask)[0] | (*mask)[1] | (*mask)[2] | (*mask)[3]) != 0;
}

// at: the places of the nodes.
KERNEL_INLINE void station_lanes_of(struct station_lanes *x, const struct pipe_state *s, int i, double time_s,
                                    const struct lanes3 *at) {
  const lanes one = (lanes){0} + 1;
  lanes begin, end, length;
  struct lanes3 from, to;
  lanes_load(&begin, s->station_s[0] + i), lanes_load(&end, s->station_s[1] + i);
  L3_LOAD(from, s->station_n, i);
  L3_LOAD(to, s->station_n + 3, i);
  x->is_set = end > begin;
  length = end - begin;
  lanes_select(&length, &x->is_set, &length, &one);
  x->share = (time_s - begin) / length;
  to = (struct lanes3)L3_SUB(to, from);
  from = (struct lanes3)L3_AXPY(x->share, to, from);
  x->away = (struct lanes3)L3_SUB(*at, from);
}

// Velocity of the water without the factor in time; 0 without a station, whose sums are 0.
KERNEL_INLINE void station_water(struct lanes3 *u, const struct stations *c, const struct station_lanes *x,
                                 int i) {
  lanes *const to[3] = {&u->x, &u->y, &u->z};
  for (int k = 0; k < 3; k++) {
    lanes c0, c1, c2, c3;
    lanes_load(&c0, c->velocity[0][k] + i), lanes_load(&c1, c->velocity[1][k] + i);
    lanes_load(&c2, c->velocity[2][k] + i), lanes_load(&c3, c->velocity[3][k] + i);
    lanes sum = ((c3 * x->share + c2) * x->share + c1) * x->share + c0;
    const lanes *const away[3] = {&x->away.x, &x->away.y, &x->away.z};
    for (int j = 0; j < 3; j++) {
      lanes_load(&c0, c->gradient[0][3 * k + j] + i), lanes_load(&c1, c->gradient[1][3 * k + j] + i);
      sum += (c0 + x->share * c1) * *away[j];
    }
    *to[k] = sum;
  }
}
