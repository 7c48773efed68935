// Positions by principles of measurement: receivers share errors, as do all that listen to one transponder,
// so that their number proves nothing. The median of each principle votes against those of the others, and no
// principle has more than its share of the weight. docs/controller.md
#include "sagbend/dp/dp_internal.h"

#include <math.h>
#include <string.h>

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

void fixes_find_by_principle(struct navigation_sampling *nav, struct fixes *fixes) {
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
