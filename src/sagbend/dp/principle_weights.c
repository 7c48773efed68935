// No principle has more than its share of the weight, in no direction. With J the sum of the inverse
// covariances of a principle and O that of all others, (J - l O) v = 0 has its weight against theirs along v.
// Where l > k = most / (1 - most), a covariance 1/k - 1/l along v, v' O v = 1, is added: 1/k is left of it.
// So a laser whose range is given as exact to a millimetre has no more than its share along its line of
// sight, and keeps what it has across. Nor is a principle made less accurate than WEAKEST_M: where all others
// are far worse, the vessel would follow its model rather than any measurement.
#include "sagbend/dp/dp_internal.h"

#include <math.h>

static const double WEAKEST_M = 1.25;

// Adds the inverse of a symmetric matrix (north-north, north-east, east-east) to a sum.
static void add_inverse(const double covariance[3], double sum[3]) {
  double size = covariance[0] * covariance[2] - covariance[1] * covariance[1];
  sum[0] += covariance[2] / size;
  sum[1] -= covariance[1] / size;
  sum[2] += covariance[0] / size;
}

static void add_along(const double v[2], double by, double covariance[3]) {
  covariance[0] += by * v[0] * v[0];
  covariance[1] += by * v[0] * v[1];
  covariance[2] += by * v[1] * v[1];
}

static double square(const double m[3], const double v[2]) {
  return m[0] * v[0] * v[0] + 2 * m[1] * v[0] * v[1] + m[2] * v[1] * v[1];
}

static void normalise(const double others[3], double v[2]) {
  double norm = sqrt(square(others, v));
  v[0] /= norm;
  v[1] /= norm;
}

// The two directions v, that of the larger weight l first.
static void find_directions(const double own[3], const double others[3], double v[2][2]) {
  double size = others[0] * others[2] - others[1] * others[1];
  double half = 0.5 * (own[0] * others[2] + own[2] * others[0] - 2 * own[1] * others[1]) / size;
  double both = (own[0] * own[2] - own[1] * own[1]) / size;
  double l = half + sqrt(fmax(0, half * half - both));
  const double a = own[0] - l * others[0], b = own[1] - l * others[1], c = own[2] - l * others[2];
  int by_first = a * a >= c * c, is_alike = !(fabs(a) + fabs(b) + fabs(c) > 1e-9 * (own[0] + own[2]));
  v[0][0] = is_alike ? 1 : by_first ? -b : c;
  v[0][1] = is_alike ? 0 : by_first ? a : -b;
  normalise(others, v[0]);
  v[1][0] = -(others[1] * v[0][0] + others[2] * v[0][1]);
  v[1][1] = others[0] * v[0][0] + others[1] * v[0][1];
  normalise(others, v[1]);
}

// The weight that a principle may have against a sum of inverse variances of the others.
static double most_against(const struct navigation_sampling *nav, double others) {
  double k = nav->def->weight_limit / (1 - nav->def->weight_limit);
  return fmax(k * others, 1 / (WEAKEST_M * WEAKEST_M));
}

static void limit(const struct navigation_sampling *nav, struct fixes *fixes, int principle) {
  double own[3] = {0}, others[3] = {0}, v[2][2];
  int count = 0;
  for (int i = 0; i < nav->def->count; i++)
    if (fixes->used[i]) {
      int is_own = nav->def->instrument[i].principle == principle;
      add_inverse(fixes->covariance[i], is_own ? own : others);
      count += is_own;
    }
  if (!count || !(others[0] > 0))
    return;
  find_directions(own, others, v);
  for (int direction = 0; direction < 2; direction++) {
    const double *along = v[direction], length = along[0] * along[0] + along[1] * along[1];
    double l = square(own, along), most = length * most_against(nav, 1 / length);
    for (int i = 0; i < nav->def->count && l > most; i++)
      if (fixes->used[i] && nav->def->instrument[i].principle == principle)
        add_along(along, count * (1 / most - 1 / l), fixes->covariance[i]);
  }
}

// The same of the mean accuracies: the weights that are shown, and those of a mean of the fixes.
static void limit_means(const struct navigation_sampling *nav, struct fixes *fixes) {
  double weight[MAX_INSTRUMENTS] = {0}, sum = 0;
  for (int i = 0; i < nav->def->count; i++)
    if (fixes->used[i]) {
      weight[nav->def->instrument[i].principle] += 1 / (fixes->sigma[i] * fixes->sigma[i]);
      sum += 1 / (fixes->sigma[i] * fixes->sigma[i]);
    }
  for (int i = 0; i < nav->def->count; i++) {
    double own = weight[nav->def->instrument[i].principle], others = sum - own,
           most = most_against(nav, others);
    if (fixes->used[i] && own > most && others > 1e-9 * sum)
      fixes->sigma[i] *= sqrt(own / most);
  }
}

void principles_limit_weights(const struct navigation_sampling *nav, struct fixes *fixes) {
  if (!(nav->def->weight_limit < 1))
    return;
  for (int p = 0; p < nav->def->principle_count; p++)
    limit(nav, fixes, p);
  limit_means(nav, fixes);
}
