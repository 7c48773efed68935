// The motion between the ends of the windows, for LANES nodes.
#pragma once

#include "sagbend/stations/stations.h"

#include "sagbend/math/math.h"

// Stations of the nodes from i on, at a time.
struct station_lanes {
  lanes length_s;     // of the window, 1 without
  lanes share;        // of it that has passed
  struct lanes3 way;  // of the station over it
  struct lanes3 away; // way from the station to the node
  lane_mask is_set;   // nodes that have a station
};

// at: the places of the nodes.
KERNEL_INLINE void station_lanes_of(struct station_lanes *x, const struct pipe_state *s, int i, double time_s,
                                    const struct lanes3 *at) {
  const lanes one = (lanes){0} + 1;
  lanes begin, end;
  struct lanes3 from;
  lanes_load(&begin, s->station_s[0] + i), lanes_load(&end, s->station_s[1] + i);
  L3_LOAD(from, s->station_n, i);
  L3_LOAD(x->way, s->station_n + 3, i);
  x->is_set = end > begin;
  x->length_s = end - begin;
  lanes_select(&x->length_s, &x->is_set, &x->length_s, &one);
  x->share = (time_s - begin) / x->length_s;
  x->way = (struct lanes3)L3_SUB(x->way, from);
  from = (struct lanes3)L3_AXPY(x->share, x->way, from);
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

// Its change at one place over a step.
KERNEL_INLINE void station_water_change(struct lanes3 *change, const struct stations *c,
                                        const struct station_lanes *x, double step_s, int i) {
  lanes *const to[3] = {&change->x, &change->y, &change->z};
  const lanes way = step_s / x->length_s, share = x->share + way, one = x->share + share,
              two = x->share * one + share * share;
  const struct lanes3 back = L3_SCALE(-way, x->way), before = L3_SCALE(way, x->away),
                      turn = L3_AXPY(share, back, before);
  const lanes *const by[3] = {&back.x, &back.y, &back.z}, *const and_by[3] = {&turn.x, &turn.y, &turn.z};
  for (int k = 0; k < 3; k++) {
    lanes c1, c2, c3;
    lanes_load(&c1, c->velocity[1][k] + i), lanes_load(&c2, c->velocity[2][k] + i);
    lanes_load(&c3, c->velocity[3][k] + i);
    lanes sum = way * (c1 + one * c2 + two * c3);
    for (int j = 0; j < 3; j++) {
      lanes_load(&c1, c->gradient[0][3 * k + j] + i), lanes_load(&c2, c->gradient[1][3 * k + j] + i);
      sum += c1 * *by[j] + c2 * *and_by[j];
    }
    *to[k] = sum;
  }
}
