// Position references of several principles: fixes against targets, common errors of one principle, the
// weight limit, proof of a reference that returns, two that differ, the elliptic correction.
#include "sagbend/math/math.h"
#include "sagbend/navigation/navigation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"

static const double LASER_TARGET[] = {60, 80, -15}, TRANSPONDER[] = {-40, 60, 120}, CLUMP[] = {5, -20, 120};
static const double MASS[3] = {5.6e6, 7e6, 3.5e9};

// A vessel at rest, what it has, and what it sees.
struct bench {
  struct navigation_def def;
  struct observer_def observer;
  struct wind_force_def wind;
  struct navigation_state state;
  struct readings readings;
  struct navigation out;
  struct random_stream noise;
  double eta[3], time_s;
  double gnss_off[2], laser_off[2], acoustic_off[2], gyro_off;
  int laser_valid;
};

static struct dp_instrument *add(struct bench *b, const char *name, enum instrument kind, int principle,
                                 const double target[3]) {
  struct dp_instrument *d = &b->def.instrument[b->def.count++];
  *d = (struct dp_instrument){.kind = kind, .share = 1, .position_b_m = {4, -2, -10}, .principle = principle};
  snprintf(d->name, sizeof d->name, "%s", name);
  if (target)
    d->has_target = 1, memcpy(d->target_m, target, sizeof d->target_m);
  return d;
}

static void set_up(struct bench *b, int laser, int acoustics) {
  memset(b, 0, sizeof *b);
  b->noise = random_stream_of(7);
  b->eta[0] = 12, b->eta[1] = -5, b->eta[2] = 0.6;
  b->laser_valid = 1;
  add(b, "g1", INSTRUMENT_GNSS, 0, NULL);
  add(b, "g2", INSTRUMENT_GNSS, 0, NULL);
  add(b, "g3", INSTRUMENT_GNSS, 0, NULL);
  add(b, "gyro", INSTRUMENT_GYRO, 0, NULL);
  add(b, "mru", INSTRUMENT_MOTION, 0, NULL);
  if (laser)
    add(b, "laser", INSTRUMENT_LASER, 1, LASER_TARGET);
  if (acoustics)
    add(b, "hpr", INSTRUMENT_HYDROACOUSTIC, 2, TRANSPONDER);
  struct navigation_def *n = &b->def;
  n->principle_count = 3;
  n->position_limit_m = 5, n->heading_limit_rad = 0.05, n->old_s = 5, n->frozen_s = 20;
  n->weight_limit = 0.67, n->lost_s = 10, n->proof_s = 20, n->reaccept_s = 30, n->sigma_limit = 7;
  struct observer_def *o = &b->observer;
  o->present = 1;
  for (int i = 0; i < 3; i++) {
    o->mass[i][i] = MASS[i];
    o->damping[i][i] = 0.01 * MASS[i];
    o->force_sigma[i] = (i < 2 ? 0.005 : 5e-5) * MASS[i];
    o->bias_sigma[i] = 0.1 * o->force_sigma[i];
    o->wave_sigma[i] = i < 2 ? 0.1 : 0.001;
  }
  o->wave_frequency_radps = 0.8, o->wave_damping = 0.1, o->position_sigma_m = 0.5,
  o->heading_sigma_rad = 0.002;
}

static double noise(struct bench *b, double sigma) {
  return sigma * random_normal(&b->noise);
}

static void see(struct bench *b, int i) {
  const struct dp_instrument *d = &b->def.instrument[i];
  struct reading *r = &b->readings.instrument[i];
  double c = cos(b->eta[2]), s = sin(b->eta[2]), *v = r->value, w[3];
  const double at[3] = {b->eta[0] + c * d->position_b_m[0] - s * d->position_b_m[1],
                        b->eta[1] + s * d->position_b_m[0] + c * d->position_b_m[1], d->position_b_m[2]};
  const double *target = d->kind == INSTRUMENT_LASER       ? LASER_TARGET
                         : d->kind == INSTRUMENT_ARTEMIS   ? LASER_TARGET
                         : d->kind == INSTRUMENT_TAUT_WIRE ? CLUMP
                                                           : TRANSPONDER;
  const double *off = d->kind == INSTRUMENT_LASER ? b->laser_off : b->acoustic_off;
  double n = target[0] - at[0] - off[0], e = target[1] - at[1] - off[1]; // off: of the position that follows
  w[0] = c * n + s * e, w[1] = -s * n + c * e, w[2] = target[2] - at[2];
  snprintf(r->name, sizeof r->name, "%s", d->name);
  r->kind = d->kind;
  r->valid = d->kind != INSTRUMENT_LASER || b->laser_valid;
  r->sequence++;
  r->time_s = b->time_s;
  if (d->kind == INSTRUMENT_GNSS) {
    for (int k = 0; k < 2; k++)
      v[k] = at[k] + b->gnss_off[k] + noise(b, 0.2), v[3 + k] = noise(b, 0.02);
    v[2] = at[2], v[5] = 0.3;
  } else if (d->kind == INSTRUMENT_GYRO) {
    v[0] = b->eta[2] + b->gyro_off + noise(b, 2e-4), v[1] = noise(b, 1e-5);
  } else if (d->kind == INSTRUMENT_MOTION) {
    v[0] = noise(b, 1e-4), v[1] = noise(b, 1e-4);
  } else if (d->kind == INSTRUMENT_LASER) {
    v[0] = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) + noise(b, 0.05);
    v[1] = atan2(w[1], w[0]) + noise(b, 5e-4);
    v[2] = atan2(-w[2], hypot(w[0], w[1]));
    v[3] = 1;
  } else if (d->kind == INSTRUMENT_ARTEMIS) {
    v[0] = sqrt(n * n + e * e + w[2] * w[2]) + noise(b, 0.1);
    v[1] = atan2(-e, -n) + noise(b, 3e-4);
  } else if (d->kind == INSTRUMENT_TAUT_WIRE) {
    v[4] = 0;
    v[0] = atan2(w[0], w[2]), v[1] = atan2(w[1], w[2]), v[2] = 130, v[3] = 4000 + noise(b, 1);
  } else {
    v[0] = w[0] + noise(b, 0.3), v[1] = w[1] + noise(b, 0.3), v[2] = w[2], v[4] = 0.4;
    v[3] = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  }
}

static void run(struct bench *b, double seconds) {
  const double tau[3] = {0};
  b->readings.instrument_count = b->def.count;
  for (int k = 0; k < (int)(seconds * 5 + 0.5); k++) {
    for (int i = 0; i < b->def.count; i++)
      if (k % 5 == 0 || b->def.instrument[i].kind == INSTRUMENT_GYRO ||
          b->def.instrument[i].kind == INSTRUMENT_MOTION)
        see(b, i);
    ck_assert_int_eq(
        navigation_sample(&b->state, &b->def, &b->observer, &b->wind, &b->readings, tau, b->time_s, &b->out),
        STATUS_OK);
    b->time_s += 0.2;
  }
}

static double error(const struct bench *b) {
  return hypot(b->out.position_n_m[0] - b->eta[0], b->out.position_n_m[1] - b->eta[1]);
}

static int use_of(const struct bench *b, const char *name) {
  for (int i = 0; i < b->def.count; i++)
    if (!strcmp(b->def.instrument[i].name, name))
      return b->state.use[i];
  return -1;
}

static int is_doubted(const struct bench *b, int i) {
  return b->state.watch[i].doubt == DOUBT_DIFFERS;
}

START_TEST(each_reference_gives_the_position) {
  static const enum instrument kinds[] = {INSTRUMENT_LASER, INSTRUMENT_HYDROACOUSTIC, INSTRUMENT_TAUT_WIRE,
                                          INSTRUMENT_ARTEMIS};
  static const double *const targets[] = {LASER_TARGET, TRANSPONDER, CLUMP, LASER_TARGET};
  for (int i = 0; i < 4; i++) {
    struct bench b;
    set_up(&b, 0, 0);
    memmove(&b.def.instrument[0], &b.def.instrument[3], 2 * sizeof b.def.instrument[0]); // no receivers
    b.def.count = 2;
    add(&b, "it", kinds[i], 0, targets[i]);
    run(&b, 60);
    ck_assert_double_lt(error(&b), 0.3);
    ck_assert_int_eq(b.state.dead_reckoning, 0);
  }
}
END_TEST

// Heading wrong by 3 degrees, 100 m from the target: a laser is 5 m off; an Artemis only by its lever arm,
// which turns with the heading. Without a lever arm nothing moves.
START_TEST(an_absolute_azimuth_needs_no_gyro) {
  static const struct {
    enum instrument kind;
    int has_arm;
    double least, most;
  } cases[] = {
      {INSTRUMENT_LASER, 1, 4, 6}, {INSTRUMENT_ARTEMIS, 1, 0, 0.7}, {INSTRUMENT_ARTEMIS, 0, 0, 0.35}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct bench b;
    set_up(&b, 0, 0);
    memmove(&b.def.instrument[0], &b.def.instrument[3], 2 * sizeof b.def.instrument[0]); // no receivers
    b.def.count = 2;
    b.gyro_off = 3 * TRIG_PI / 180;
    struct dp_instrument *d = add(&b, "it", cases[i].kind, 0, LASER_TARGET);
    if (!cases[i].has_arm)
      d->position_b_m[0] = d->position_b_m[1] = 0;
    run(&b, 120);
    double off = 0;
    for (int s = 0; s < 100; s++)
      run(&b, 1), off += error(&b) / 100;
    ck_assert_double_ge(off, cases[i].least);
    ck_assert_double_le(off, cases[i].most);
    ck_assert_double_eq_tol(b.out.euler_rad[2], b.eta[2] + b.gyro_off, 0.01);
  }
}
END_TEST

// The weight of an Artemis follows its range across the line of sight, and not the accuracy of the heading.
START_TEST(an_artemis_weighs_by_its_ellipse) {
  struct bench b;
  set_up(&b, 0, 0);
  b.def.principle_count = 4, b.def.weight_limit = 1;
  b.observer.heading_sigma_rad = 0.05;
  struct dp_instrument *d = add(&b, "artemis", INSTRUMENT_ARTEMIS, 1, LASER_TARGET);
  d->sigma = 0.3, d->sigma_rad = 3e-4;
  for (int i = 0; i < 3; i++)
    b.def.instrument[i].sigma = 0.3;
  run(&b, 100);
  ck_assert_int_eq(use_of(&b, "artemis"), USE_IN_USE);
  ck_assert_double_eq_tol(b.state.note[5].weight, 2 / (2 + 3.),
                          0.25); // twice the one receiver's: narrow across
  ck_assert_double_lt(error(&b), 0.4);
}
END_TEST

START_TEST(an_artemis_is_calibrated_on_the_others) {
  struct bench b;
  set_up(&b, 0, 0);
  add(&b, "artemis", INSTRUMENT_ARTEMIS, 1, NULL)->calibrate_s = 60;
  run(&b, 85);
  ck_assert_int_eq(use_of(&b, "artemis"), USE_IN_USE);
  for (int k = 0; k < 2; k++) // the height over the station is not known: 5 m in 100 m
    ck_assert_double_eq_tol(b.state.reference[5].target_m[k], LASER_TARGET[k], 0.4);
  ck_assert_double_lt(error(&b), 0.4);
}
END_TEST

// A wire that says that it hangs slack is not used, whatever its status says.
START_TEST(a_slack_wire_is_not_used) {
  enum { SLACK = 4 };
  struct bench b;
  set_up(&b, 0, 0);
  add(&b, "wire", INSTRUMENT_TAUT_WIRE, 1, CLUMP);
  run(&b, 60);
  ck_assert_int_eq(use_of(&b, "wire"), USE_IN_USE);
  b.readings.instrument[5].value[SLACK] = 1;
  b.readings.instrument[5].sequence++;
  const double tau[3] = {0};
  ck_assert_int_eq(
      navigation_sample(&b.state, &b.def, &b.observer, &b.wind, &b.readings, tau, b.time_s, &b.out),
      STATUS_OK);
  ck_assert_int_eq(use_of(&b, "wire"), USE_INVALID);
}
END_TEST

// The common error of 8 m, as a step and as a drift.
START_TEST(a_common_error_of_receivers_is_found) {
  for (int drift = 0; drift < 2; drift++) {
    struct bench b;
    double worst = 0, late = 0;
    set_up(&b, 1, 1);
    run(&b, 100);
    for (int s = 1; s <= 400; s++) {
      b.gnss_off[0] = drift ? fmin(8, 0.03 * s) : 8;
      run(&b, 1);
      worst = fmax(worst, error(&b));
      late = s > 380 ? fmax(late, error(&b)) : 0;
    }
    ck_assert_double_lt(worst, drift ? 1.5 : 0.5);
    ck_assert_double_lt(late, 0.3);
    for (int i = 0; i < 3; i++)
      ck_assert_int_eq(b.state.use[i], USE_REJECTED);
    b.gnss_off[0] = 0; // they prove themselves
    run(&b, 15);
    ck_assert_int_eq(b.state.use[0], USE_REJECTED);
    run(&b, 30);
    ck_assert_int_eq(b.state.use[0], USE_IN_USE);
  }
}
END_TEST

START_TEST(two_principles_that_differ_are_doubted) {
  struct bench b;
  set_up(&b, 1, 0);
  run(&b, 100);
  ck_assert_int_eq(is_doubted(&b, 0) || is_doubted(&b, 5), 0);
  b.laser_off[1] = 4; // below the limit against the prediction
  run(&b, 10);
  ck_assert(is_doubted(&b, 0) && is_doubted(&b, 5));
  ck_assert_int_eq(use_of(&b, "laser"), USE_IN_USE); // not excluded
  ck_assert_double_lt(error(&b), 0.5);               // the prediction decides
}
END_TEST

START_TEST(a_reference_that_returns_proves_itself) {
  for (int proof = 0; proof < 2; proof++) {
    struct bench b;
    double worst = 0;
    set_up(&b, 1, 0);
    b.def.proof_s = proof ? 20 : 0;
    b.def.instrument[0].sigma = b.def.instrument[1].sigma = b.def.instrument[2].sigma = 1;
    run(&b, 100);
    b.laser_valid = 0;
    run(&b, 15);
    ck_assert_int_eq(use_of(&b, "laser"), USE_INVALID);
    b.laser_valid = 1;
    b.laser_off[0] = 4.5; // another reflector
    for (int s = 0; s < 60; s++) {
      run(&b, 1);
      worst = fmax(worst, error(&b));
    }
    ck_assert_int_eq(use_of(&b, "laser"), proof ? USE_REJECTED : USE_IN_USE);
    ck_assert_int_eq(worst > 1, !proof);
    b.laser_off[0] = 0;
    run(&b, 19);
    if (proof)
      ck_assert_int_eq(use_of(&b, "laser"), USE_REJECTED);
    run(&b, 5);
    ck_assert_int_eq(use_of(&b, "laser"), USE_IN_USE);
  }
}
END_TEST

// With its limit the many receivers do not outweigh the laser and the transponder.
START_TEST(no_principle_has_more_than_its_share) {
  double off[2];
  for (int limited = 0; limited < 2; limited++) {
    struct bench b;
    set_up(&b, 0, 1);
    b.def.weight_limit = limited ? 0.5 : 1;
    b.def.position_limit_m = 0;
    b.gnss_off[0] = 2;
    run(&b, 300);
    off[limited] = b.out.position_n_m[0] - b.eta[0];
  }
  ck_assert_double_gt(off[0], 1.5);
  ck_assert_double_eq_tol(off[1], 1, 0.25);
}
END_TEST

// Whatever accuracy the DP file gives, sound references hold the position: wide and narrow ellipses, and a
// principle whose others are far worse.
START_TEST(wrong_accuracies_do_no_harm) {
  static const double given_m[] = {0.001, 0.01, 1, 10, 100};
  for (int k = 0; k < 5; k++)
    for (int direction = 0; direction < 4; direction++) {
      struct bench b;
      double worst = 0;
      set_up(&b, 1, 1);
      b.eta[2] = 0.4 + 0.8 * direction;
      b.def.instrument[5].sigma = b.def.instrument[6].sigma = given_m[k];
      for (int s = 0; s < 200; s++) {
        run(&b, 1);
        worst = s < 60 ? 0 : fmax(worst, error(&b));
      }
      ck_assert_msg(worst < 0.8, "sigma_m %g: %g m", given_m[k], worst);
      ck_assert_int_eq(use_of(&b, "g1"), USE_IN_USE);
      ck_assert_int_eq(b.state.dead_reckoning, 0);
    }
}
END_TEST

// A range that is given as exact has no more than its share of the weight along it.
START_TEST(no_direction_has_more_than_its_share) {
  struct bench b;
  set_up(&b, 1, 0);
  b.def.position_limit_m = 0;
  b.def.weight_limit = 0.5;
  b.eta[0] = LASER_TARGET[0], b.eta[1] = LASER_TARGET[1] - 80; // it looks east
  b.def.instrument[5].sigma = 0.001;
  b.laser_off[1] = 2;
  run(&b, 300);
  ck_assert_double_eq_tol(b.out.position_n_m[1] - b.eta[1], 1, 0.25);
}
END_TEST

START_TEST(a_target_is_calibrated_on_the_others) {
  struct bench b;
  set_up(&b, 0, 0);
  add(&b, "laser", INSTRUMENT_LASER, 1, NULL)->calibrate_s = 60;
  b.gnss_off[1] = 1.5; // it inherits their error
  run(&b, 55);
  ck_assert_double_lt(b.state.reference[5].calibrated_s, 60);
  run(&b, 30);
  ck_assert_int_eq(use_of(&b, "laser"), USE_IN_USE);
  ck_assert_double_eq_tol(b.state.reference[5].target_m[0], LASER_TARGET[0], 0.3);
  ck_assert_double_eq_tol(b.state.reference[5].target_m[1], LASER_TARGET[1] + 1.5, 0.3);
  struct reason why;
  ck_assert_int_eq(reference_use_is_valid(&b.state.reference[5], &why), 1);
  b.state.reference[5].is_proving = 2;
  ck_assert_int_eq(reference_use_is_valid(&b.state.reference[5], &why), 0);
}
END_TEST

// An ellipse with equal axes is a circle; a narrow one corrects along its narrow axis only.
START_TEST(the_correction_follows_the_ellipse) {
  struct bench b;
  set_up(&b, 0, 0);
  struct observer_state one, two;
  const double eta[3] = {3, 4, 0.7}, off[2] = {1, -0.5}, round[3] = {0.09, 0, 0.09};
  observer_start(&one, &b.observer, eta, 0);
  observer_start(&two, &b.observer, eta, 0);
  observer_correct_position(&one, &b.observer, off, 0.3);
  observer_correct_fix(&two, &b.observer, off, round);
  for (int k = 0; k < 2; k++) {
    ck_assert_double_eq_tol(one.eta[k], two.eta[k], 1e-12);
    ck_assert_double_eq_tol(one.covariance[k][0][0], two.covariance[k][0][0], 1e-12);
  }
  observer_start(&two, &b.observer, eta, 0);
  double a = 0.9, c = cos(a), s = sin(a), narrow = 0.01, wide = 100; // narrow along a
  const double ellipse[3] = {c * c * narrow + s * s * wide, c * s * (narrow - wide),
                             s * s * narrow + c * c * wide};
  observer_correct_fix(&two, &b.observer, off, ellipse);
  double along = c * (two.eta[0] - 3) + s * (two.eta[1] - 4),
         across = -s * (two.eta[0] - 3) + c * (two.eta[1] - 4);
  ck_assert_double_gt(along / (c * off[0] + s * off[1]), 0.5);
  ck_assert_double_lt(fabs(across), 0.05);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("principles");
  TCase *t = add_case(suite, "principles", 60);
  tcase_add_test(t, each_reference_gives_the_position);
  tcase_add_test(t, an_absolute_azimuth_needs_no_gyro);
  tcase_add_test(t, an_artemis_weighs_by_its_ellipse);
  tcase_add_test(t, an_artemis_is_calibrated_on_the_others);
  tcase_add_test(t, a_slack_wire_is_not_used);
  tcase_add_test(t, a_common_error_of_receivers_is_found);
  tcase_add_test(t, two_principles_that_differ_are_doubted);
  tcase_add_test(t, a_reference_that_returns_proves_itself);
  tcase_add_test(t, no_principle_has_more_than_its_share);
  tcase_add_test(t, wrong_accuracies_do_no_harm);
  tcase_add_test(t, no_direction_has_more_than_its_share);
  tcase_add_test(t, a_target_is_calibrated_on_the_others);
  tcase_add_test(t, the_correction_follows_the_ellipse);
  return run_suite(suite);
}
