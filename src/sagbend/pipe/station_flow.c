// What a step takes from the stations: velocities, the surface, and the force of the accelerating water.
//
// Over a step of length h water of velocity u(x, t) that the waves move pushes a node with
//   F = wet share [ m_across a_across + m_along a_along ],   a = (u(t + h) - u(t))/h,
// the mass of the displaced water plus the added mass in each direction: the pressure gradient that
// accelerates the water (Froude and Krylov), and the added mass on the relative acceleration. It is a
// constant force of the conservative part of the step, so that neighbours and rollers that hold a node
// against it do so within one balance. Place, axis and wet share are those of the middle of the step as the
// velocities predict it; those of its start would make the step one of first order.
#include "sagbend/pipe/station_parts.h"

#include "sagbend/pipe/waterline.h"

KERNEL_CLONES
void stations_flow(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   struct stations *c, double time_s) {
  const double factor = sea_field_factor(field, time_s);
  for (int i = 0; i < p->nodes; i += LANES) {
    struct station_lanes x;
    struct lanes3 at, u = {{0}, {0}, {0}};
    lanes end;
    lanes_load(&end, s->station_s[1] + i);
    const lane_mask is_set = end > 0;
    if (lanes_any(&is_set)) {
      L3_LOAD(at, s->r_n, i);
      station_lanes_of(&x, s, i, time_s, &at);
      station_water(&u, c, &x, i);
      u = (struct lanes3)L3_SCALE(factor, u);
    }
    L3_STORE(c->water_n, i, u);
  }
}

vec3 stations_velocity(const struct sea_field *field, const struct pipe_state *s, const struct stations *c,
                       int i, double time_s) {
  const double begin = s->station_s[0][i], length = s->station_s[1][i] - begin;
  if (!(length > 0))
    return (vec3){0, 0, 0};
  const double x = (time_s - begin) / length, factor = sea_field_factor(field, time_s);
  const vec3 from = pipe_get3(s->station_n, i), to = pipe_get3(s->station_n + 3, i);
  double away[3], u[3];
  vec3_to(vec3_sub(pipe_get3(s->r_n, i), vec3_axpy(x, vec3_sub(to, from), from)), away);
  for (int k = 0; k < 3; k++) {
    u[k] = c->velocity[0][k][i] +
           x * (c->velocity[1][k][i] + x * (c->velocity[2][k][i] + x * c->velocity[3][k][i]));
    for (int j = 0; j < 3; j++)
      u[k] += (c->gradient[0][3 * k + j][i] + x * c->gradient[1][3 * k + j][i]) * away[j];
  }
  return vec3_scale(factor, vec3_of(u));
}

// Axis of the nodes from i on in the middle of a step: t1 + h/2 (W3 t2 - W2 t3).
KERNEL_INLINE void middle_axis(struct lanes3 *axis, const struct pipe_state *s, int i, double half_s) {
  lanes w, x, y, z, turn2, turn3;
  lanes_load(&w, s->q_nt[0] + i), lanes_load(&x, s->q_nt[1] + i);
  lanes_load(&y, s->q_nt[2] + i), lanes_load(&z, s->q_nt[3] + i);
  lanes_load(&turn2, s->omega_t[1] + i), lanes_load(&turn3, s->omega_t[2] + i);
  turn2 = -half_s * turn2, turn3 = half_s * turn3;
  const struct lanes3 t1 = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      t2 = {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      t3 = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
  *axis = (struct lanes3)L3_AXPY(turn3, t2, t1);
  *axis = (struct lanes3)L3_AXPY(turn2, t3, *axis);
}

KERNEL_CLONES
void stations_push(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   const struct stations *c, double time_s, double step_s, double *const force_n[3]) {
  const double before = sea_field_factor(field, time_s) / step_s,
               after = sea_field_factor(field, time_s + step_s) / step_s, half_s = 0.5 * step_s;
  const int first = p->held_position ? 1 : 0;
  const int last = p->top_attached || p->top_moved ? p->nodes - 2 : p->nodes - 1;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct station_lanes x;
    struct lanes3 at, v, a, u, axis, force = {{0}, {0}, {0}};
    lanes along, mass, wet, end;
    lane_mask own;
    lanes_load(&end, s->station_s[1] + i);
    lanes_within(&own, i, first, last);
    own &= end > 0;
    if (lanes_any(&own)) {
      L3_LOAD(at, s->r_n, i);
      L3_LOAD(v, s->v_n, i);
      at = (struct lanes3)L3_AXPY(half_s, v, at);
      station_lanes_of(&x, s, i, time_s, &at);
      station_water_change(&a, c, &x, step_s, i);
      a = (struct lanes3)L3_SCALE(after, a);
      if (after != before) {
        const double rise = after - before;
        station_water(&u, c, &x, i);
        a = (struct lanes3)L3_AXPY(rise, u, a);
      }

      middle_axis(&axis, s, i, half_s);
      pipe_wet_shares(p, s, s->v_n[2], half_s, i, &wet);
      lanes_load(&mass, p->water_kg[1] + i);
      mass = mass * wet;
      force = (struct lanes3)L3_SCALE(mass, a);
      lanes_load(&along, p->water_kg[0] + i);
      mass = (along * wet - mass) * L3_DOT(axis, a);
      force = (struct lanes3)L3_AXPY(mass, axis, force);
      const lanes zero = {0};
      lanes_select(&force.x, &own, &force.x, &zero);
      lanes_select(&force.y, &own, &force.y, &zero);
      lanes_select(&force.z, &own, &force.z, &zero);
    }
    L3_STORE(force_n, i, force);
  }
}

// Elevation over the nodes from i on at the places `at`.
KERNEL_INLINE void station_surface(lanes *surface, const struct stations *c, const struct station_lanes *x,
                                   int i) {
  lanes c0, c1, c2, c3;
  lanes_load(&c0, c->surface[0] + i), lanes_load(&c1, c->surface[1] + i);
  lanes_load(&c2, c->surface[2] + i), lanes_load(&c3, c->surface[3] + i);
  *surface = ((c3 * x->share + c2) * x->share + c1) * x->share + c0;
  const lanes *const away[2] = {&x->away.x, &x->away.y};
  for (int j = 0; j < 2; j++) {
    lanes_load(&c0, c->slope[0][j] + i), lanes_load(&c1, c->slope[1][j] + i);
    *surface += (c0 + x->share * c1) * *away[j];
  }
}

KERNEL_CLONES
static void set_surface(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                        const struct stations *c, double time_s, double lead_s) {
  const double factor = sea_field_factor(field, time_s),
               deep = SEA_CREST_SHARE * field->height_m + p->pipe->widest_m;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct station_lanes x;
    struct lanes3 at, v;
    lanes end, before, after, surface = {0};
    lanes_load(&end, s->station_s[1] + i);
    L3_LOAD(at, s->r_n, i);
    lanes_load(&before, s->r_n[2] + i - 1), lanes_load(&after, s->r_n[2] + i + 1);
    const lane_mask is_near = (end > 0) & ((before < deep) | (at.z < deep) | (after < deep));
    if (lanes_any(&is_near)) {
      L3_LOAD(v, s->v_n, i);
      at = (struct lanes3)L3_AXPY(lead_s, v, at);
      station_lanes_of(&x, s, i, time_s, &at);
      station_surface(&surface, c, &x, i);
      surface = factor * surface;
    }
    lanes_store(s->surface_m[0] + i, &surface);
  }
}

double stations_raise(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                      const struct stations *c, double time_s, double lead_s) {
  if (p->pipe->buoyant_npm3 == 0)
    return 0; // the buoyancy does not depend on the surface
  const double before = pipe_waterline_energy(p, s);
  set_surface(field, p, s, c, time_s, lead_s);
  return pipe_waterline_energy(p, s) - before;
}
