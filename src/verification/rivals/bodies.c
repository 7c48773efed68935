#include "verification/rivals/free_body.h"

#include <math.h>
#include <string.h>

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
  double e0 = 1, before = INFINITY;
  int found = 0;
  for (int k = 0; k < 200 && !found && e0 > 0; k++) {
    vec3 ie = {moments[0] * e.x, moments[1] * e.y, moments[2] * e.z};
    vec3 rest = vec3_sub(vec3_scale(0.5 * h, m), vec3_cross(e, ie));
    vec3 next = {rest.x / moments[0] / e0, rest.y / moments[1] / e0, rest.z / moments[2] / e0};
    double change = vec3_norm(vec3_sub(next, e));
    e = next;
    e0 = sqrt(fmax(0, 1 - vec3_dot(e, e)));
    found = change <= 1e-16 * vec3_norm(e) || (change >= before && change <= 1e-12 * vec3_norm(e));
    before = change;
  }
  if (!found || !(e0 > 0)) {
    m_b[0] = m_b[1] = m_b[2] = (double)NAN;
    return;
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

// ---- the preprocessing ----

// Power series in h to h^TERMS; vectors of them.
enum { TERMS = 12 };
typedef long double power_series[TERMS + 1];

static void add_product(const long double *a, const long double *b, long double scale, long double *to) {
  for (int n = 0; n <= TERMS; n++)
    for (int k = 0; k <= n; k++)
      to[n] += scale * a[k] * b[n - k];
}

static void quotient(const long double *a, const long double *b, long double *to) {
  for (int n = 0; n <= TERMS; n++) {
    to[n] = a[n];
    for (int k = 1; k <= n; k++)
      to[n] -= b[k] * to[n - k];
    to[n] /= b[0];
  }
}

static void cross_series(power_series a[3], power_series b[3], power_series to[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    memset(to[i], 0, sizeof to[i]);
    add_product(a[j], b[k], 1, to[i]);
    add_product(a[k], b[j], -1, to[i]);
  }
}

// (a x b) . (c x b)/|c x b|^2: the share of c in a vector a of the plane of b and c
static void share_of(power_series a[3], power_series c[3], power_series b[3], long double *to) {
  power_series ab[3], cb[3], above = {0}, below = {0};
  cross_series(a, b, ab);
  cross_series(c, b, cb);
  for (int i = 0; i < 3; i++) {
    add_product(ab[i], cb[i], 1, above);
    add_product(cb[i], cb[i], 1, below);
  }
  quotient(above, below, to);
}

// The exact turn of a step is (e0, h e), both from Taylor's series. The equations of the step, solved for a =
// I e of the modified body, are a = (e0 m - h e x m + h^2 e (e . m)/e0)/2. Its e must be that turn, so that e
// = (1 + s) I^-1 a + d a, I that of the body.
int rival_preprocessed(const double moments[3], int order, double h, const double m_b[3],
                       double modified[3]) {
  struct series s = {.q = {{1}}};
  power_series e0, e[3], along = {0}, a[3], own[3], stretch, shift;
  memcpy(s.m[0], (long double[3]){m_b[0], m_b[1], m_b[2]}, sizeof s.m[0]);
  for (int n = 0; n <= TERMS; n++)
    extend(&s, moments, n);
  for (int n = 0; n <= TERMS; n++) {
    e0[n] = s.q[n][0];
    for (int i = 0; i < 3; i++)
      e[i][n] = s.q[n + 1][i + 1];
  }
  for (int i = 0; i < 3; i++)
    for (int n = 0; n <= TERMS; n++)
      along[n] += m_b[i] * e[i][n];
  power_series ratio;
  quotient(along, e0, ratio); // (e . m)/e0
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    power_series last = {0};
    add_product(e[i], ratio, 1, last);
    for (int n = 0; n <= TERMS; n++) {
      a[i][n] = 0.5L * (e0[n] * m_b[i] - (n > 0 ? e[j][n - 1] * m_b[k] - e[k][n - 1] * m_b[j] : 0) +
                        (n > 1 ? last[n - 2] : 0));
      own[i][n] = a[i][n] / moments[i];
    }
  }
  share_of(e, own, a, stretch);
  share_of(e, a, own, shift);
  long double grown = 0, added = 0;
  for (int n = order - 2; n >= 0; n--) {
    grown = stretch[n] + h * grown;
    added = shift[n] + h * added;
  }
  double inverse[3];
  for (int i = 0; i < 3; i++) {
    inverse[i] = (double)(grown / moments[i] + added);
    if (!(inverse[i] > 0))
      return 0;
  }
  for (int i = 0; i < 3; i++)
    modified[i] = 1 / inverse[i];
  return 1;
}
