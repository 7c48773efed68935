#include "verify/rivals/free_body.h"

#include <math.h>

// ---- McLachlan and Reich ----

static void about_axis(int axis, const double moments[3], double h, double m[3], quat *q) {
  double angle = h * m[axis] / moments[axis], c = cos(angle), s = sin(angle);
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  double mi = m[i], mj = m[j], half[3] = {0};
  m[i] = c * mi + s * mj;
  m[j] = c * mj - s * mi;
  half[axis] = sin(0.5 * angle);
  *q = quat_mul(*q, (quat){cos(0.5 * angle), half[0], half[1], half[2]});
}

void rival_mclachlan_reich_2(const double moments[3], double h, double m_b[3], quat *q_nb) {
  about_axis(0, moments, 0.5 * h, m_b, q_nb);
  about_axis(1, moments, 0.5 * h, m_b, q_nb);
  about_axis(2, moments, h, m_b, q_nb);
  about_axis(1, moments, 0.5 * h, m_b, q_nb);
  about_axis(0, moments, 0.5 * h, m_b, q_nb);
}

static void triple(rival_body_flow *flow, int order, const double moments[3], double h, double m_b[3],
                   quat *q_nb) {
  double share = 1 / (2 - pow(2, 1.0 / (order + 1)));
  flow(moments, share * h, m_b, q_nb);
  flow(moments, (1 - 2 * share) * h, m_b, q_nb);
  flow(moments, share * h, m_b, q_nb);
}

void rival_mclachlan_reich_4(const double moments[3], double h, double m_b[3], quat *q_nb) {
  triple(rival_mclachlan_reich_2, 2, moments, h, m_b, q_nb);
}

void rival_mclachlan_reich_6(const double moments[3], double h, double m_b[3], quat *q_nb) {
  triple(rival_mclachlan_reich_4, 4, moments, h, m_b, q_nb);
}

// ---- Moser and Veselov ----

void rival_moser_veselov(const double moments[3], double h, double m_b[3], quat *q_nb) {
  vec3 e = {0, 0, 0}, m = vec3_of(m_b);
  double e0 = 1;
  for (int k = 0; k < 200; k++) {
    vec3 ie = {moments[0] * e.x, moments[1] * e.y, moments[2] * e.z};
    vec3 rest = vec3_sub(vec3_scale(0.5 * h, m), vec3_cross(e, ie));
    vec3 next = {rest.x / moments[0] / e0, rest.y / moments[1] / e0, rest.z / moments[2] / e0};
    double change = vec3_norm(vec3_sub(next, e));
    e = next;
    e0 = sqrt(fmax(0, 1 - vec3_dot(e, e)));
    if (change <= 1e-16 * vec3_norm(e) || !(e0 > 0))
      break;
  }
  quat turn = quat_unit((quat){e0, e.x, e.y, e.z});
  mat3 r = quat_matrix(turn);
  vec3_to(mat3_tmul(&r, m), m_b);
  *q_nb = quat_mul(*q_nb, turn);
}

// ---- Taylor ----

enum { ORDER = 24 };

struct series { // coefficients of m, omega, q
  long double m[ORDER + 1][3], w[ORDER + 1][3], q[ORDER + 1][4];
};

static void extend(struct series *s, const double moments[3],
                   int n) { // the coefficients of n + 1 from those up to n
  long double dm[3] = {0}, dq[4] = {0};
  for (int i = 0; i < 3; i++)
    s->w[n][i] = s->m[n][i] / moments[i];
  for (int k = 0; k <= n; k++) {
    const long double *m = s->m[k], *w = s->w[n - k], *q = s->q[k];
    dm[0] += m[1] * w[2] - m[2] * w[1];
    dm[1] += m[2] * w[0] - m[0] * w[2];
    dm[2] += m[0] * w[1] - m[1] * w[0];
    dq[0] += 0.5L * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    dq[1] += 0.5L * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dq[2] += 0.5L * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    dq[3] += 0.5L * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
  }
  for (int i = 0; i < 3; i++)
    s->m[n + 1][i] = dm[i] / (n + 1);
  for (int i = 0; i < 4; i++)
    s->q[n + 1][i] = dq[i] / (n + 1);
}

void rival_taylor(const double moments[3], double h, double m_b[3], quat *q_nb) {
  double rate = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rate = fmax(rate, fabs(m_b[i]) / moments[j]);
  long steps = (long)ceil(4 * rate * fabs(h)) + 1;
  long double step = (long double)h / steps;
  struct series s;
  for (int i = 0; i < 3; i++)
    s.m[0][i] = m_b[i];
  s.q[0][0] = q_nb->w, s.q[0][1] = q_nb->x, s.q[0][2] = q_nb->y, s.q[0][3] = q_nb->z;
  for (long k = 0; k < steps; k++) {
    for (int n = 0; n < ORDER; n++)
      extend(&s, moments, n);
    for (int i = 0; i < 3; i++)
      for (int n = ORDER - 1; n >= 0; n--)
        s.m[n][i] += step * s.m[n + 1][i];
    for (int i = 0; i < 4; i++)
      for (int n = ORDER - 1; n >= 0; n--)
        s.q[n][i] += step * s.q[n + 1][i];
  }
  for (int i = 0; i < 3; i++)
    m_b[i] = (double)s.m[0][i];
  *q_nb = (quat){(double)s.q[0][0], (double)s.q[0][1], (double)s.q[0][2], (double)s.q[0][3]};
}
