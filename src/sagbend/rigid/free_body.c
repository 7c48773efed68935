// The free rigid body, exactly.
//
// The attitude changes over a step by p(0)^-1 y p(h) (Saefstroem 2009, eq. 3.16): p takes the unit momentum
// to a fixed axis, y is a rotation about that axis by psi. There are three ways to psi, all with the exact
// momentum.
//
// Shortest rotation. p = (1 + m_a, m x a)/norm takes m to the axis a that it circles. 1 + m_a lies in [1, 2],
// and eq. 3.20 reads psi' = 1/I_a - g C^2/(1 + m_a). This is smooth, so that Gauss quadrature converges. In
// closed form (Corollary 3.2.7), since C^2/(1 + A dn) = (1 - A dn)/(1 + (1/beta - 1) sn^2),
//   psi = h/I_b + [theta - (1 - beta)/A l] between the ends,   theta = atan2(m_b, m_c), the angle about a,
//   l = b R_F(c^2, d^2, 1) - b^3/3 R_J(c^2, d^2, 1, b^2 + c^2),   b = m_b/C, c = m_c/C, d = m_a/A.
// Near the middle axis R_F and R_J grow like log(c + d), where c and d are small numbers with errors; l stays
// bounded and smooth in m because the errors of its two parts cancel.
//
// Frame of the momentum and its derivative (Corollary 3.2.3). v = m'/|m'|, and with q = c^2 + k'^2 s^2 beta,
// n = 1 - k'^2 beta, s = sn:
//   psi = h/I_b - [sqrt(beta) A k'^2 n/3 s^3 R_J(c^2, d^2, 1, q)] between the ends.
#include "sagbend/rigid/rigid.h"
#include "sagbend/rigid/rigid_internal.h"

#include "sagbend/math/math.h"

#include <math.h>

void rigid_free_momenta(const struct rigid_inertia *inertia, const double m_b[3], const double *h, int count,
                        double out[][3]) {
  struct orbit orbit = orbit_of(inertia, m_b);
  for (int k = 0; k < count; k++) {
    double m[3];
    for (int c = 0; c < 3; c++)
      out[k][c] = m_b[c];
    if (orbit.norm == 0 || orbit.steady)
      continue;
    orbit_momentum(&orbit, h[k], m);
    for (int c = 0; c < 3; c++)
      m[c] *= orbit.norm;
    orbit_to_body(&orbit, m, out[k]);
  }
}

// ---- the angle in closed form ----

// Place of a momentum on its orbit, in the half turn about a where m_c >= 0.
struct place {
  double b, c, d; // m_b/C, m_c/C, m_a/A
  int turned;     // 1: the momentum lies in the other half turn
  double theta;   // as above
};

// Below this (c + d)^2 has no effect on l.
static const double TINY = 1e-18;

static struct place place_of(const struct orbit *orbit, const double m[3]) {
  struct place p = {.turned = m[2] < 0};
  double side = p.turned ? -1 : 1;
  p.b = side * m[1] / orbit->big_c;
  p.c = side * m[2] / orbit->big_c;
  p.d = m[0] / orbit->big_a;
  p.theta = trig_atan2(side * m[1], side * m[2]);
  return p;
}

static int is_tiny(const struct place *p) {
  return (p->c + p->d) * (p->c + p->d) < TINY;
}

// Number of half turns from one place to another, the argument u later. The parity is known exactly from the
// two places; the phase, which has errors, only decides between numbers of that parity.
static double half_turns(const struct orbit *orbit, const struct place *from, const struct place *to,
                         double u) {
  int odd = from->turned != to->turned;
  if (!orbit->agm.count)
    return 0; // on the separatrix
  double phase =
      is_tiny(from) ? 0 : sqrt(orbit->beta) * from->b * elliptic_rf(from->c * from->c, from->d * from->d, 1);
  double turns = (phase + u) / (2 * elliptic_quarter_period(&orbit->agm));
  return odd ? 2 * floor(0.5 * turns) + 1 : 2 * floor(0.5 * turns + 0.5);
}

// l of the shortest rotation.
static double bounded_part(const struct place *p) {
  double q = p->b * p->b + p->c * p->c;
  if (is_tiny(p))
    return p->b * elliptic_rc(1, q);
  double c2 = p->c * p->c, d2 = p->d * p->d;
  return p->b * (elliptic_rf(c2, d2, 1) - p->b * p->b / 3 * elliptic_rj(c2, d2, 1, q));
}

static double angle_of_shortest(const struct orbit *orbit, const double m1[3], double h) {
  struct place from = place_of(orbit, orbit->m), to = place_of(orbit, m1);
  double turns = half_turns(orbit, &from, &to, orbit->rate * h * orbit->norm);
  double l = bounded_part(&to) - bounded_part(&from);
  if (turns != 0) {
    struct place quarter = {.b = 1 / sqrt(orbit->beta), .d = sqrt(orbit->kc2)};
    l += 2 * turns * bounded_part(&quarter);
  }
  return h * orbit->norm / orbit->i[1] + to.theta - from.theta + turns * TRIG_PI -
         orbit->one_minus_beta / orbit->big_a * l;
}

// s^3 R_J of the frame.
static double frame_part(const struct orbit *orbit, double b, double c, double d) {
  double s = sqrt(orbit->beta) * b, q = c * c + orbit->kc2 * orbit->beta * s * s;
  return s * s * s * elliptic_rj(c * c, d * d, 1, q);
}

static double angle_of_frame(const struct orbit *orbit, const double m1[3], double h) {
  struct place from = place_of(orbit, orbit->m), to = place_of(orbit, m1);
  double turns = half_turns(orbit, &from, &to, orbit->rate * h * orbit->norm);
  double factor = sqrt(orbit->beta) * orbit->big_a * orbit->kc2 * (1 - orbit->kc2 * orbit->beta) / 3;
  double sum = 0;
  if (factor != 0) {
    sum = frame_part(orbit, to.b, to.c, to.d) - frame_part(orbit, from.b, from.c, from.d);
    if (turns != 0)
      sum += 2 * turns * frame_part(orbit, 1 / sqrt(orbit->beta), 0, sqrt(orbit->kc2));
  }

  return h * orbit->norm / orbit->i[1] - factor * sum;
}

// ---- rotations ----

static quat conjugate(quat q) {
  return (quat){q.w, -q.x, -q.y, -q.z};
}

// Rotation by an angle about a unit vector.
static quat turn_about(const double unit[3], double angle) {
  double s = trig_sin(trig_wrap(0.5 * angle));
  return (quat){trig_cos(trig_wrap(0.5 * angle)), s * unit[0], s * unit[1], s * unit[2]};
}

static quat shortest_rotation(const double m[3]) {
  return quat_unit((quat){1 + m[0], 0, m[2], -m[1]});
}

static quat between_shortest(const double m0[3], const double m1[3], double psi) {
  const double a[3] = {1, 0, 0};
  return quat_mul(conjugate(shortest_rotation(m0)), quat_mul(turn_about(a, psi), shortest_rotation(m1)));
}

// Quaternion of the matrix with these rows, from its largest component (Shepperd 1978).
static quat quat_of_rows(vec3 x, vec3 y, vec3 z) {
  double trace = x.x + y.y + z.z;
  if (trace >= x.x && trace >= y.y && trace >= z.z)
    return quat_unit((quat){1 + trace, z.y - y.z, x.z - z.x, y.x - x.y});
  if (x.x >= y.y && x.x >= z.z)
    return quat_unit((quat){z.y - y.z, 1 + x.x - y.y - z.z, x.y + y.x, x.z + z.x});
  if (y.y >= z.z)
    return quat_unit((quat){x.z - z.x, x.y + y.x, 1 - x.x + y.y - z.z, y.z + z.y});
  return quat_unit((quat){y.x - x.y, x.z + z.x, y.z + z.y, 1 - x.x - y.y + z.z});
}

// Rotation to the frame (v, m x v, m), v along the derivative of the momentum.
static quat frame_of(const struct orbit *orbit, const double m[3]) {
  vec3 rate = {-orbit->one_minus_beta * m[1] * m[2], m[0] * m[2], -orbit->beta * m[0] * m[1]};
  vec3 v = vec3_scale((orbit->g < 0 ? -1 : 1) / vec3_norm(rate), rate), unit = vec3_of(m);
  return quat_of_rows(v, vec3_cross(unit, v), unit);
}

static quat between_frames(const struct orbit *orbit, const double m1[3], double psi) {
  const double third[3] = {0, 0, 1};
  return quat_mul(conjugate(frame_of(orbit, orbit->m)),
                  quat_mul(turn_about(third, psi), frame_of(orbit, m1)));
}

// Whether the frame is well determined: on a principal axis it has no direction, and near the middle axis its
// direction is a quotient of small numbers.
static int frame_is_usable(const double m[3]) {
  const double near = 1e-3;
  double small = fabs(m[1]) > fabs(m[2]) ? m[1] : m[2];
  return m[0] + fabs(m[2]) > near && small * small > 0x1p-960;
}

// ---- quadrature and Magnus series ----

struct nodes {
  int count;
  double at[5], weight[5]; // on the unit interval
};

static const struct nodes gauss[] = { // Gauss-Legendre, orders 2 to 10
    {1, {0.5}, {1}},
    {2, {0.21132486540518711775, 0.78867513459481288225}, {0.5, 0.5}},
    {3, {0.11270166537925831148, 0.5, 0.88729833462074168852}, {5.0 / 18, 4.0 / 9, 5.0 / 18}},
    {4,
     {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240, 0.93056815579702628761},
     {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131, 0.17392742256872692869}},
    {5,
     {0.04691007703066800360, 0.23076534494715845448, 0.5, 0.76923465505284154552, 0.95308992296933199640},
     {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444, 0.23931433524968323402,
      0.11846344252809454376}}};

static double angle_by_quadrature(const struct orbit *orbit, const struct nodes *n, double h) {
  double sum = 0, t = h * orbit->norm;
  for (int k = 0; k < n->count; k++) {
    double m[3];
    orbit_momentum(orbit, n->at[k] * h, m);
    sum += n->weight[k] / (1 + m[0]);
  }
  return t / orbit->i[0] - orbit->g * orbit->big_c * orbit->big_c * t * sum;
}

// Rotation vector over h from the angular velocities at 1, 2 or 3 nodes. For dQ/dt = Q hat(w) the commutators
// have the opposite sign from dY/dt = A Y (Celledoni, Hoiseth and Ramzina 2018, eqs. 17 and 18, with the
// errata).
static vec3 magnus(const struct orbit *orbit, int order, double h) {
  const struct nodes *n = &gauss[order / 2 - 1];
  vec3 w[3], sum = {0, 0, 0};
  for (int k = 0; k < n->count; k++) {
    double m[3];
    orbit_momentum(orbit, n->at[k] * h, m);
    w[k] = (vec3){h * orbit->norm * m[0] / orbit->i[0], h * orbit->norm * m[1] / orbit->i[1],
                  h * orbit->norm * m[2] / orbit->i[2]};
    sum = vec3_axpy(n->weight[k], w[k], sum);
  }

  if (order == 2)
    return sum;

  if (order == 4)
    return vec3_axpy(sqrt(3.0) / 12, vec3_cross(w[0], w[1]), sum);

  // Blanes, Casas and Ros 2000, for dY/dt = A Y with Y = Q', A = -w; Q turns by the negative of the exponent
  // of Y.
  vec3 a1 = vec3_scale(-1, w[1]), a2 = vec3_scale(sqrt(15.0) / 3, vec3_sub(w[0], w[2]));
  vec3 a3 = vec3_scale(-10.0 / 3, vec3_axpy(-2, w[1], vec3_add(w[2], w[0])));
  vec3 c1 = vec3_cross(a1, a2);
  vec3 c2 = vec3_scale(-1.0 / 60, vec3_cross(a1, vec3_axpy(2, a3, c1)));
  vec3 left = vec3_sub(vec3_axpy(-20, a1, c1), a3);

  return vec3_axpy(-1.0 / 240, vec3_cross(left, vec3_add(a2, c2)), sum);
}

// Rotation by a rotation vector.
static quat exponential(vec3 v) {
  double angle = vec3_norm(v);
  if (angle == 0)
    return (quat){1, 0, 0, 0};
  const double unit[3] = {v.x / angle, v.y / angle, v.z / angle};
  return turn_about(unit, angle);
}

// ---- the flow ----

// Rotation over h seconds in the axes a, b, c. m1: unit momentum at the end.
static quat turn_of(const struct orbit *orbit, enum rigid_attitude how, double h, const double m1[3]) {
  if (orbit->steady) { // rotation about the momentum's own axis, or nearly
    double w[3];
    for (int k = 0; k < 3; k++)
      w[k] = h * orbit->norm * orbit->m[k] / orbit->i[k];
    return exponential(vec3_of(w));
  }

  switch (how) {
  case RIGID_MAGNUS_2:
  case RIGID_MAGNUS_4:
  case RIGID_MAGNUS_6:
    return exponential(magnus(orbit, 2 + 2 * (int)how, h));

  case RIGID_GAUSS_6:
  case RIGID_GAUSS_8:
  case RIGID_GAUSS_10:
    return between_shortest(orbit->m, m1,
                            angle_by_quadrature(orbit, &gauss[2 + (int)how - (int)RIGID_GAUSS_6], h));

  case RIGID_EXACT_FRAME:
    if (frame_is_usable(orbit->m) && frame_is_usable(m1))
      return between_frames(orbit, m1, angle_of_frame(orbit, m1, h));
    break;
  default:
    break;
  }

  return between_shortest(orbit->m, m1, angle_of_shortest(orbit, m1, h));
}

void rigid_free_flow(const struct rigid_inertia *inertia, enum rigid_attitude how, double h, double m_b[3],
                     quat *q_nb) {
  struct orbit orbit = orbit_of(inertia, m_b);
  if (orbit.norm == 0)
    return;

  double m1[3], abc[3], axis[3];
  orbit_momentum(&orbit, h, m1);
  quat turn = turn_of(&orbit, how, h, m1);
  vec3_to((vec3){turn.x, turn.y, turn.z}, abc);
  orbit_to_body(&orbit, abc, axis);
  *q_nb = quat_unit(quat_mul(*q_nb, (quat){turn.w, axis[0], axis[1], axis[2]}));
  if (orbit.steady)
    return;

  for (int k = 0; k < 3; k++)
    abc[k] = orbit.norm * m1[k];

  orbit_to_body(&orbit, abc, m_b);
}
