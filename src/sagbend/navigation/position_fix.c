// Position fixes: the reference point's position from each antenna, and their mean.
#include "sagbend/navigation/navigation_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// Position of the reference point (with depth) and its horizontal velocity from an antenna.
static void fix_of(const struct navigation_sampling *nav, int i, double position[3], double velocity[2]) {
  const struct navigation_state *state = nav->state;
  const double *v = nav->reading[i]->value, *at = nav->def->instrument[i].position_b_m;
  const double euler[3] = {state->attitude[0], state->attitude[1], heading_now(nav)};
  mat3 attitude = quat_matrix(quat_of_euler(euler));
  vec3 arm = mat3_mul(&attitude, vec3_of(at));

  // The rates of the Euler angles serve as angular velocity: the vessel heels by a few degrees only.
  vec3 omega =
      mat3_mul(&attitude, (vec3){state->attitude_rate[0], state->attitude_rate[1], state->heading_rate});
  vec3 turning = vec3_cross(omega, arm);
  position[0] = v[0] - arm.x;
  position[1] = v[1] - arm.y;
  position[2] = v[2] - arm.z;
  velocity[0] = v[3] - turning.x;
  velocity[1] = v[4] - turning.y;
}

// The fix of one instrument in use, with its accuracy. 0: there is none.
static int fix_find(struct navigation_sampling *nav, int i, struct fixes *fixes) NONBLOCKING {
  const int is_receiver = instrument_kind(nav->def->instrument[i].kind)->fix == FIX_RECEIVER;
  fixes->found[i] = is_receiver || reference_fix(nav, i, fixes);
  if (!is_receiver)
    return fixes->found[i];
  double own = nav->reading[i]->value[5];
  fix_of(nav, i, fixes->position[i], fixes->velocity[i]);
  fixes->sigma[i] = nav->def->instrument[i].sigma > 0 ? nav->def->instrument[i].sigma
                    : own > 0                         ? own
                                                      : nav->observer->position_sigma_m;
  fixes->covariance[i][0] = fixes->covariance[i][2] = fixes->sigma[i] * fixes->sigma[i];
  return 1;
}

static const double SIGMAS = 6, SHARE = 0.2;

// How far from a median a fix, or the voice of a principle, of this accuracy may be, m.
// In the sea and while the vessel turns a share of the limit at least. One of three sound receivers is beyond
// six sigmas from the median once in 4.3 million: 2 int phi(m) Phi(m) Phi(-m - 6) dm.
static double fix_vote_limit(const struct navigation_sampling *nav, double sigma) NONBLOCKING {
  double limit = nav->def->position_limit_m;
  return fmin(limit, fmax(SIGMAS * sigma, SHARE * limit));
}

static double vote_limit(const struct navigation_sampling *nav, const struct fixes *fixes) {
  double limit = nav->def->position_limit_m, sigma = vote_median(fixes->sigma, fixes->used, nav->def->count);
  return nav->def->sigma_limit > 0 && limit > 0 ? fix_vote_limit(nav, sigma) : limit;
}

static void fixes_find_by_principle(struct navigation_sampling *nav, struct fixes *fixes) NONBLOCKING;

void fixes_find(struct navigation_sampling *nav, struct fixes *fixes) {
  if (nav->def->principle_count > 0) {
    fixes_find_by_principle(nav, fixes);
    return;
  }
  struct navigation_state *state = nav->state;
  int has_prediction = state->ready && !prediction_is_overdue(nav);
  memset(fixes, 0, sizeof *fixes);
  // North and east that the vote compares: from the prediction for the time of measurement, or else brought
  // to the present time.
  double present[2][MAX_INSTRUMENTS];
  for (int i = 0; i < nav->def->count; i++) {
    fixes->used[i] = nav->def->instrument[i].kind == INSTRUMENT_GNSS && state->use[i] == USE_IN_USE;
    present[0][i] = present[1][i] = 0;
    if (!fixes->used[i])
      continue;
    fix_find(nav, i, fixes);
    double back = nav->time_s - nav->reading[i]->time_s;
    for (int k = 0; k < 2; k++)
      present[k][i] = fixes->position[i][k] + back * fixes->velocity[i][k];
    double predicted[3];
    if (!has_prediction || !(nav->def->position_limit_m > 0))
      continue;
    predicted_at(nav, nav->reading[i]->time_s, predicted);
    double north = fixes->position[i][0] - predicted[0], east = fixes->position[i][1] - predicted[1];
    if (nav->observer->present && nav->def->sigma_limit > 0) {
      present[0][i] = north;
      present[1][i] = east;
    }
    if (north * north + east * east > nav->def->position_limit_m * nav->def->position_limit_m)
      fixes->used[i] = 0;
  }

  double limit = vote_limit(nav, fixes);
  for (int k = 0; k < 2; k++)
    fixes->count = instrument_vote_on(nav, INSTRUMENT_GNSS, present[k], limit, fixes->used);
}

void fixes_mean(const struct navigation_sampling *nav, const struct fixes *fixes, double position[3],
                double velocity[2]) {
  double weight_sum = 0;
  position[0] = position[1] = position[2] = velocity[0] = velocity[1] = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < nav->def->count; i++) {
      if (!fixes->used[i])
        continue;
      double weight = 1 / (fixes->sigma[i] * fixes->sigma[i]);
      if (pass == 0) {
        weight_sum += weight;
        continue;
      }
      for (int k = 0; k < 2; k++) {
        position[k] +=
            weight / weight_sum *
            (fixes->position[i][k] + (nav->time_s - nav->reading[i]->time_s) * fixes->velocity[i][k]);
        velocity[k] += weight / weight_sum * fixes->velocity[i][k];
      }
      position[2] += weight / weight_sum * fixes->position[i][2];
    }
}

// ------------------------------------------------------------
// Positions by principles of measurement: receivers share errors, as do all that listen to one transponder,
// so that their number proves nothing. The median of each principle votes against those of the others, and no
// principle has more than its share of the weight. docs/controller.md

static const double PROOF_SIGMAS = 3, DIFFER_S = 60;

// North and east of each fix from the prediction, or brought to the present time; which of them vote.
struct ballot {
  double at[2][MAX_INSTRUMENTS];
  struct {
    int count; // fixes in use; 0: the principle has no voice
    double at[2], sigma;
  } principle[MAX_INSTRUMENTS];
  int count; // principles with a voice
};

static void drop(struct navigation_sampling *nav, struct fixes *fixes, int i) {
  fixes->used[i] = 0;
  instrument_reject(nav, i);
}

// A reference that returns counts after it has agreed with the prediction for a while.
static int is_proven(struct navigation_sampling *nav, const struct fixes *fixes, const struct ballot *b,
                     int i) {
  struct reference_use *r = &nav->state->reference[i];
  double off = sqrt(b->at[0][i] * b->at[0][i] + b->at[1][i] * b->at[1][i]);
  double own = fixes->sigma[i], estimate = nav->observer->position_sigma_m;
  if (!r->is_proving && nav->time_s - r->counted_s > nav->def->lost_s) {
    r->is_proving = 1;
    r->proof_from_s = nav->time_s;
  }
  if (r->is_proving && off > PROOF_SIGMAS * sqrt(own * own + estimate * estimate))
    r->proof_from_s = nav->time_s;
  int is_all_there_is = nav->state->dead_reckoning; // the prediction proves nothing any more
  if (r->is_proving && (is_all_there_is || nav->time_s - r->proof_from_s >= nav->def->proof_s))
    r->is_proving = 0;
  return !r->is_proving;
}

static void take(struct navigation_sampling *nav, int i, int has_prediction, struct fixes *fixes,
                 struct ballot *b) {
  const struct navigation_state *state = nav->state;
  int is_position = reference_is_position(nav->def->instrument[i].kind);
  double predicted[3], limit = nav->def->position_limit_m, back = 0;
  if (!is_position || state->use[i] != USE_IN_USE) {
    nav->state->reference[i].proof_from_s = nav->time_s;
    return;
  }
  if (!fix_find(nav, i, fixes)) {
    if (!reference_is_calibrating(nav, i))
      instrument_reject(nav, i);
    else
      nav->state->reference[i].counted_s = nav->time_s;
    return;
  }
  fixes->used[i] = 1;
  back = nav->time_s - nav->reading[i]->time_s;
  if (has_prediction)
    predicted_at(nav, nav->reading[i]->time_s, predicted);
  for (int k = 0; k < 2; k++)
    b->at[k][i] = has_prediction ? fixes->position[i][k] - predicted[k]
                                 : fixes->position[i][k] + back * fixes->velocity[i][k];
  if (!has_prediction)
    return;
  double off = sqrt(b->at[0][i] * b->at[0][i] + b->at[1][i] * b->at[1][i]);
  if ((limit > 0 && off > limit) || !is_proven(nav, fixes, b, i))
    drop(nav, fixes, i);
}

// The voice of a principle: medians of its fixes.
static void hear(const struct navigation_sampling *nav, const struct fixes *fixes, struct ballot *b) {
  b->count = 0;
  for (int p = 0; p < nav->def->principle_count; p++) {
    int own[MAX_INSTRUMENTS], count = 0;
    for (int i = 0; i < nav->def->count; i++)
      count += own[i] = fixes->used[i] && nav->def->instrument[i].principle == p;
    b->principle[p].count = count;
    b->principle[p].sigma = vote_median(fixes->sigma, own, nav->def->count);
    for (int k = 0; k < 2; k++)
      b->principle[p].at[k] = vote_median(b->at[k], own, nav->def->count);
    b->count += count > 0;
  }
}

static void vote_within(struct navigation_sampling *nav, struct fixes *fixes, const struct ballot *b) {
  for (int p = 0; p < nav->def->principle_count; p++) {
    double limit = fix_vote_limit(nav, b->principle[p].sigma);
    for (int k = 0; k < 2; k++) {
      int own[MAX_INSTRUMENTS];
      for (int i = 0; i < nav->def->count; i++)
        own[i] = fixes->used[i] && nav->def->instrument[i].principle == p;
      vote_exclude(b->at[k], own, nav->def->count, limit);
      for (int i = 0; i < nav->def->count; i++)
        if (fixes->used[i] && nav->def->instrument[i].principle == p && !own[i])
          drop(nav, fixes, i);
    }
  }
}

static double distance(const double a[2], const double b[2]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

// Excludes the principle that is furthest from the median of three or more, if it is beyond its limit. 1: it
// has.
static int vote_across(struct navigation_sampling *nav, struct fixes *fixes, const struct ballot *b) {
  double at[2][MAX_INSTRUMENTS], sigma[MAX_INSTRUMENTS], middle[2], furthest = 1;
  int speaks[MAX_INSTRUMENTS], worst = -1;
  for (int p = 0; p < nav->def->principle_count; p++) {
    speaks[p] = b->principle[p].count > 0;
    sigma[p] = b->principle[p].sigma;
    for (int k = 0; k < 2; k++)
      at[k][p] = b->principle[p].at[k];
  }
  double usual = vote_median(sigma, speaks, nav->def->principle_count);
  for (int k = 0; k < 2; k++)
    middle[k] = vote_median(at[k], speaks, nav->def->principle_count);
  for (int p = 0; p < nav->def->principle_count; p++) {
    double excess = speaks[p] ? distance(b->principle[p].at, middle) /
                                    fix_vote_limit(nav, sqrt(sigma[p] * sigma[p] + usual * usual))
                              : 0;
    if (excess > furthest) {
      furthest = excess;
      worst = p;
    }
  }
  for (int i = 0; i < nav->def->count && worst >= 0; i++)
    if (fixes->used[i] && nav->def->instrument[i].principle == worst) {
      drop(nav, fixes, i);
      nav->state->reference[i].is_proving = 1; // before it counts again
      nav->state->reference[i].proof_from_s = nav->time_s;
    }
  return worst >= 0;
}

// Two that differ are both doubted. For a time the one that the prediction is nearer to counts alone.
static void judge_two(struct navigation_sampling *nav, struct fixes *fixes, const struct ballot *b,
                      int has_prediction) {
  const double origin[2] = {0, 0};
  int first = -1, second = -1;
  for (int p = 0; p < nav->def->principle_count; p++)
    if (b->principle[p].count) {
      second = first < 0 ? -1 : p;
      first = first < 0 ? p : first;
    }
  double sigma = sqrt(b->principle[first].sigma * b->principle[first].sigma +
                      b->principle[second].sigma * b->principle[second].sigma);
  if (!(distance(b->principle[first].at, b->principle[second].at) > fix_vote_limit(nav, sigma))) {
    nav->state->differ_s = nav->time_s;
    return;
  }
  double hold_s = nav->def->reaccept_s > 0 ? nav->def->reaccept_s : DIFFER_S;
  int decides = has_prediction && nav->time_s - nav->state->differ_s < hold_s;
  int nearer =
      distance(b->principle[first].at, origin) <= distance(b->principle[second].at, origin) ? first : second;
  for (int i = 0; i < nav->def->count; i++)
    if (fixes->used[i]) {
      instrument_suspect(nav, i, DOUBT_DIFFERS);
      nav->state->reference[i].counted_s = nav->time_s; // neither is excluded
      fixes->used[i] = !decides || nav->def->instrument[i].principle == nearer;
    }
}

static void principles_limit_weights(const struct navigation_sampling *nav, struct fixes *fixes) NONBLOCKING;

// As fixes_find, by principles.
static void fixes_find_by_principle(struct navigation_sampling *nav, struct fixes *fixes) NONBLOCKING {
  struct ballot b;
  int has_prediction = nav->state->ready && !prediction_is_overdue(nav);
  memset(fixes, 0, sizeof *fixes);
  memset(&b, 0, sizeof b);
  for (int i = 0; i < nav->def->count; i++)
    take(nav, i, has_prediction, fixes, &b);
  hear(nav, fixes, &b);
  if (nav->def->position_limit_m > 0) {
    vote_within(nav, fixes, &b);
    hear(nav, fixes, &b);
    while (b.count >= 3 && vote_across(nav, fixes, &b))
      hear(nav, fixes, &b);
    if (b.count == 2)
      judge_two(nav, fixes, &b, has_prediction);
    else
      nav->state->differ_s = nav->time_s;
  }
  principles_limit_weights(nav, fixes);
  for (int i = 0; i < nav->def->count; i++) {
    fixes->count += fixes->used[i];
    nav->state->reference[i].counted_s =
        fixes->used[i] || !nav->state->ready ? nav->time_s : nav->state->reference[i].counted_s;
  }
}

// ------------------------------------------------------------
// No principle has more than its share of the weight, in no direction. With J the sum of the inverse
// covariances of a principle and O that of all others, (J - l O) v = 0 has its weight against theirs along v.
// Where l > k = most / (1 - most), a covariance 1/k - 1/l along v, v' O v = 1, is added: 1/k is left of it.
// So a laser whose range is given as exact to a millimetre has no more than its share along its line of
// sight, and keeps what it has across. Nor is a principle made less accurate than WEAKEST_M: where all others
// are far worse, the vessel would follow its model rather than any measurement.

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

// Enlarges the covariances of a principle that has more than weight_limit of the weight
// (position_fix.c).
static void principles_limit_weights(const struct navigation_sampling *nav, struct fixes *fixes) NONBLOCKING {
  if (!(nav->def->weight_limit < 1))
    return;
  for (int p = 0; p < nav->def->principle_count; p++)
    limit(nav, fixes, p);
  limit_means(nav, fixes);
}
