// Places of a roller from the poses of pipe and vessel, and back to forces. With the vessel's attitude Q and
// reference point o, d = r - o, and the means m of start and end, over a step of the rotation theta,
//   y = Q'd - c:   dy = Qm'(dr - do) + dQ'dm,   dQ'dm . G = theta . (Qm G x dm),
// and likewise for the axes. The work G.dy is therefore that of the force f = Qm G on the node, of the moment
// tm x Qm G from the axis, and of minus the sum of f and minus the sum of dm x f + moments on the vessel.
#include "core/pipe/roller.h"

#include <string.h>

// Matrix whose columns are those of q after the rotation cay(turn), weighted: q + share (change).
static mat3 turned(const mat3 *q, vec3 turn, double share) {
  mat3 to;
  for (int k = 0; k < 3; k++) {
    vec3 change = cayley_increment(turn, mat3_column(q, k));
    to.m[0][k] = q->m[0][k] + share * change.x;
    to.m[1][k] = q->m[1][k] + share * change.y;
    to.m[2][k] = q->m[2][k] + share * change.z;
  }
  return to;
}

static vec3 change_tmul(const struct roller_poses *p, vec3 v) { // (Q1 - Q0)' v
  return (vec3){vec3_dot(cayley_increment(p->turn, mat3_column(&p->q, 0)), v),
                vec3_dot(cayley_increment(p->turn, mat3_column(&p->q, 1)), v),
                vec3_dot(cayley_increment(p->turn, mat3_column(&p->q, 2)), v)};
}

// r - o of a node: start plus a share of the change.
static vec3 arm(const struct roller_poses *p, int i, double share) {
  return vec3_axpy(share, vec3_sub(p->dr[i], p->vessel_change_n), vec3_sub(p->r[i], p->vessel_n));
}

static vec3 axis(const struct roller_poses *p, int i, double share) {
  return vec3_axpy(share, p->axis_change[i], p->axis[i]);
}

void roller_take_poses(struct roller_step *x, const struct roller_poses *p) {
  const mat3 mean = turned(&p->q, p->turn, 0.5);
  for (int i = 0; i < x->nodes; i++) {
    double *y = x->start + 6 * i, *dy = x->change + 6 * i;
    vec3_to(vec3_sub(mat3_tmul(&p->q, arm(p, i, 0)), x->roller->at_b_m), y);
    vec3_to(mat3_tmul(&p->q, p->axis[i]), y + 3);
    vec3_to(
        vec3_add(mat3_tmul(&mean, vec3_sub(p->dr[i], p->vessel_change_n)), change_tmul(p, arm(p, i, 0.5))),
        dy);
    vec3_to(vec3_add(mat3_tmul(&mean, p->axis_change[i]), change_tmul(p, axis(p, i, 0.5))), dy + 3);
  }
}

struct roller_balance roller_balance_of(const struct roller_step *x, const struct roller_poses *p,
                                        const double push[ROLLER_PLACES]) {
  struct roller_balance b;
  memset(&b, 0, sizeof b);
  const mat3 mean = turned(&p->q, p->turn, 0.5);
  for (int i = 0; i < x->nodes; i++) {
    b.force_n[i] = mat3_mul(&mean, vec3_of(push + 6 * i));
    b.moment_nm[i] = vec3_cross(axis(p, i, 0.5), mat3_mul(&mean, vec3_of(push + 6 * i + 3)));
    b.vessel_force_n = vec3_add(b.vessel_force_n, b.force_n[i]);
    b.vessel_moment_nm =
        vec3_add(b.vessel_moment_nm, vec3_add(vec3_cross(arm(p, i, 0.5), b.force_n[i]), b.moment_nm[i]));
  }
  return b;
}

// A unit variation of one unknown: of the node it moves (-1: none), of the vessel, of the length.
struct nudge {
  int node;
  vec3 dr, phi, vessel, vessel_phi;
  double length;
};

static struct nudge nudge_of(int unknown) {
  struct nudge v = {.node = unknown < 6 * ROLLER_NODES ? unknown / 6 : -1};
  const int c = unknown % 6;
  const double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
  if (unknown == ROLLER_UNKNOWNS - 1)
    v.length = 1;
  else if (v.node >= 0)
    *(c < 3 ? &v.dr : &v.phi) = vec3_of(unit);
  else
    *(c < 3 ? &v.vessel : &v.vessel_phi) = vec3_of(unit);
  return v;
}

// Variation of the places at the end: first and last place that are not 0.
static void vary_places(const struct roller_step *x, const struct roller_poses *p, const mat3 *end,
                        const struct nudge *v, double dy[ROLLER_PLACES]) {
  memset(dy, 0, ROLLER_PLACES * sizeof *dy);
  dy[ROLLER_LENGTH] = v->length;
  for (int i = 0; i < x->nodes; i++) {
    const int own = i == v->node;
    if (v->node >= 0 && !own)
      continue;
    vec3 d = vec3_sub(own ? v->dr : (vec3){0, 0, 0}, v->vessel), a = axis(p, i, 1);
    d = vec3_sub(d, vec3_cross(v->vessel_phi, arm(p, i, 1)));
    vec3 turn = vec3_sub(own ? v->phi : (vec3){0, 0, 0}, v->vessel_phi);
    vec3_to(mat3_tmul(end, d), dy + 6 * i);
    vec3_to(mat3_tmul(end, vec3_cross(turn, a)), dy + 6 * i + 3);
  }
}

void roller_balance_tangent(const struct roller_step *x, const struct roller_poses *p,
                            const double push[ROLLER_PLACES], const double k[ROLLER_PLACES][ROLLER_PLACES],
                            double to[ROLLER_UNKNOWNS][ROLLER_UNKNOWNS]) {
  const mat3 mean = turned(&p->q, p->turn, 0.5), end = turned(&p->q, p->turn, 1);
  const int vessel = 6 * ROLLER_NODES;
  memset(to, 0, ROLLER_UNKNOWNS * sizeof *to);
  for (int u = 0; u < ROLLER_UNKNOWNS; u++) {
    const struct nudge v = nudge_of(u);
    double dy[ROLLER_PLACES], change[ROLLER_PLACES] = {0};
    if (v.node >= x->nodes)
      continue;
    vary_places(x, p, &end, &v, dy);
    for (int b = 0; b < ROLLER_PLACES; b++)
      for (int a = 0; a < ROLLER_PLACES && dy[b] != 0; a++)
        change[a] += k[a][b] * dy[b];

    vec3 force = {0, 0, 0}, moment = {0, 0, 0};
    for (int i = 0; i < x->nodes; i++) {
      const int own = i == v.node;
      const double *f = push + 6 * i, *df = change + 6 * i;
      vec3 on = mat3_mul(&mean, vec3_of(f)), on_axis = mat3_mul(&mean, vec3_of(f + 3));
      vec3 don =
          vec3_axpy(0.5, vec3_cross(v.vessel_phi, mat3_mul(&end, vec3_of(f))), mat3_mul(&mean, vec3_of(df)));
      vec3 don_axis = vec3_axpy(0.5, vec3_cross(v.vessel_phi, mat3_mul(&end, vec3_of(f + 3))),
                                mat3_mul(&mean, vec3_of(df + 3)));
      vec3 turn = vec3_cross(axis(p, i, 0.5), don_axis);
      if (own)
        turn = vec3_axpy(0.5, vec3_cross(vec3_cross(v.phi, axis(p, i, 1)), on_axis), turn);
      vec3 darm = vec3_sub(own ? v.dr : (vec3){0, 0, 0}, v.vessel);
      force = vec3_add(force, don);
      moment = vec3_add(moment, vec3_add(turn, vec3_cross(arm(p, i, 0.5), don)));
      moment = vec3_axpy(0.5, vec3_cross(darm, on), moment);
      const double rows[6] = {don.x, don.y, don.z, turn.x, turn.y, turn.z};
      for (int c = 0; c < 6; c++)
        to[6 * i + c][u] = rows[c];
    }
    const double rows[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (int c = 0; c < 6; c++)
      to[vessel + c][u] = -rows[c];
    to[ROLLER_UNKNOWNS - 1][u] = change[ROLLER_LENGTH];
  }
}
