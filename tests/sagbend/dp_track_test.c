// The route and the way along it: geometry of legs and arcs, moves that start and end smoothly, joints, a
// vessel that falls behind, a controller that starts again.
#include "sagbend/dp/dp.h"

#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const struct waypoint CORNERS[] = {
    {{0, 0}, 0}, {{600, 0}, 200}, {{600, 700}, 300}, {{-200, 700}, 0}}; // north, then east, then south
enum { CORNER_COUNT = sizeof CORNERS / sizeof *CORNERS };

static struct route corners(void) {
  struct route route;
  int at;
  double most_m;
  ck_assert_int_eq(route_build(CORNERS, CORNER_COUNT, &route, &at, &most_m), ROUTE_GOOD);
  return route;
}

START_TEST(legs_and_arcs_join_smoothly) {
  struct route route = corners();
  ck_assert_int_eq(route.count, 5);
  double quarters = 0.5 * TRIG_PI * (200 + 300);
  ck_assert_double_eq_tol(route.length_m, 400 + 200 + 500 + quarters, 1e-9);
  double sharpest_1pm = 0;
  for (int i = 0; i < route.count; i++)
    sharpest_1pm = fmax(sharpest_1pm, fabs(route.part[i].curvature_1pm));
  ck_assert_double_eq_tol(sharpest_1pm, 1.0 / 200, 1e-15);
  for (int i = 1; i < route.count; i++) {
    double at = route.part[i].begin_m;
    struct route_point before = route_at(&route, at - 1e-9), after = route_at(&route, at);
    for (int k = 0; k < 2; k++)
      ck_assert_double_eq_tol(before.position_m[k], after.position_m[k], 1e-8);
    ck_assert_double_eq_tol(trig_wrap(before.course_rad - after.course_rad), 0, 1e-9);
  }
  struct route_point end = route_at(&route, route.length_m), beyond = route_at(&route, route.length_m + 10);
  ck_assert_double_eq_tol(end.position_m[0], -200, 1e-9);
  ck_assert_double_eq_tol(end.position_m[1], 700, 1e-9);
  ck_assert_double_eq_tol(beyond.position_m[0], -210, 1e-9);
  ck_assert_double_eq_tol(route_at(&route, -10).position_m[0], -10, 1e-12);
}
END_TEST

START_TEST(the_nearest_point_is_the_one_beside) {
  struct route route = corners();
  for (double way = -20; way < route.length_m + 20; way += 7.3)
    for (double cross = -50; cross <= 50; cross += 25) {
      struct route_point p = route_at(&route, way);
      double c = trig_cos(p.course_rad), s = trig_sin(p.course_rad), found_way, found_cross;
      const double beside[2] = {p.position_m[0] - cross * s, p.position_m[1] + cross * c};
      route_nearest(&route, beside, &found_way, &found_cross);
      ck_assert_double_eq_tol(found_way, way, 1e-8);
      ck_assert_double_eq_tol(found_cross, cross, 1e-8);
    }
}
END_TEST

START_TEST(waypoints_without_a_route_are_refused) {
  struct waypoint w[CORNER_COUNT];
  struct route route;
  int at;
  double most_m;
  memcpy(w, CORNERS, sizeof w);
  w[2].radius_m = 500.5; // beside the 200 m that the first corner takes of 700 m
  ck_assert_int_eq(route_build(w, CORNER_COUNT, &route, &at, &most_m), ROUTE_WIDE_CORNER);
  ck_assert_int_eq(at, 2);
  ck_assert_double_eq_tol(most_m, 500, 1e-9);
  w[2].radius_m = 0;
  ck_assert_int_eq(route_build(w, CORNER_COUNT, &route, &at, &most_m), ROUTE_SHARP_CORNER);
  memcpy(w, CORNERS, sizeof w);
  memcpy(w[3].position_m, w[2].position_m, sizeof w[3].position_m);
  ck_assert_int_eq(route_build(w, CORNER_COUNT, &route, &at, &most_m), ROUTE_SAME_POSITION);
  ck_assert_int_eq(at, 3);
  memcpy(w[2].position_m, (double[]){300, 0}, sizeof w[2].position_m); // it turns back
  memcpy(w[3].position_m, (double[]){200, 0}, sizeof w[3].position_m);
  w[1].radius_m = 1;
  ck_assert_int_eq(route_build(w, CORNER_COUNT, &route, &at, &most_m), ROUTE_WIDE_CORNER);
  // a waypoint on a straight leg needs no radius
  ck_assert_int_eq(
      route_build((struct waypoint[]){{{0, 0}, 0}, {{50, 0}, 0}, {{90, 0}, 0}}, 3, &route, &at, &most_m),
      ROUTE_GOOD);
  ck_assert_double_eq_tol(route.length_m, 90, 1e-12);
}
END_TEST

static struct track_def track_of(double joint_m) {
  return (struct track_def){.route = corners(),
                            .point_b_m = {-45, 6},
                            .start_s = 20,
                            .speed_mps = 0.5,
                            .ramp_s = 20,
                            .stop_s = 20,
                            .joint_m = joint_m,
                            .hold_s = 30};
}

static const struct track_pipe NO_PIPE;

// Follows a vessel that stands wherever its reference is; away_m moves it aside.
static void advance(struct track_state *s, const struct track_def *def, double time_s, double away_m) {
  double pose[3], rate[3];
  track_reference(s, def, time_s, pose, rate);
  pose[1] += away_m;
  track_advance(s, def, pose, pose[2], &NO_PIPE, 5, time_s);
}

START_TEST(the_reference_moves_smoothly_to_the_end) {
  struct track_def def = track_of(0);
  struct track_state s;
  double pose[3], rate[3], before[3], after[3], unused[3], h = 0.05, last_speed = 0;
  track_pose(&def, 0, pose);
  ck_assert_double_eq_tol(pose[0], 45, 1e-12); // heading north: the point lies 45 m aft, 6 m to starboard
  ck_assert_double_eq_tol(pose[1], -6, 1e-12);
  track_begin(&s, &def, pose, pose[2], 0);
  double time = 0;
  for (; s.phase != TRACK_ENDED && time < 1e5; time += h) {
    double speed;
    advance(&s, &def, time, 0);
    if (s.phase == TRACK_WAITING)
      continue;
    track_reference(&s, &def, time - h, before, unused);
    track_reference(&s, &def, time, pose, rate);
    track_reference(&s, &def, time + h, after, unused);
    if (time - h > s.begin_s) {
      double way = track_way(&s, &def, time, &speed);
      int near_joint_of_parts = 0;
      for (int i = 0; i < def.route.count; i++)
        near_joint_of_parts |= fabs(way - def.route.part[i].begin_m) < 2 * h;
      for (int k = 0; k < 3 && !near_joint_of_parts; k++) {
        double difference = k == 2 ? trig_wrap(after[2] - before[2]) : after[k] - before[k];
        ck_assert_double_eq_tol(difference / (2 * h), rate[k], 1e-5);
      }
      ck_assert(speed <= def.speed_mps && fabs(speed - last_speed) < 0.1 * h);
      last_speed = speed;
    }
  }
  double duration = def.route.length_m / def.speed_mps + def.ramp_s;
  ck_assert_double_eq_tol(time, 20 + duration, 3 * h);
  ck_assert_double_eq_tol(s.to_m, def.route.length_m, 1e-9);
  ck_assert_double_eq_tol(s.cross_most_m, 0, 1e-9);
}
END_TEST

START_TEST(joint_by_joint) {
  struct track_def def = track_of(24.4);
  struct track_state s;
  double pose[3], h = 0.1, holds_s = 0, speed;
  track_pose(&def, 0, pose);
  track_begin(&s, &def, pose, pose[2], 0);
  double time = 0;
  for (; s.phase != TRACK_ENDED && time < 1e5; time += h) {
    advance(&s, &def, time, 0);
    holds_s += s.phase == TRACK_HOLDING ? h : 0;
    if (s.phase == TRACK_HOLDING)
      ck_assert_double_eq_tol(track_way(&s, &def, time, &speed), fmin(24.4 * s.joints, def.route.length_m),
                              1e-9);
  }
  int joints = (int)ceil(def.route.length_m / 24.4);
  ck_assert_int_eq(s.joints, joints);
  ck_assert_double_eq_tol(holds_s, 30.0 * (joints - 1), 1e-3 * joints + h * joints);
}
END_TEST

START_TEST(the_reference_waits_for_a_vessel_that_falls_behind) {
  struct track_def def = track_of(0);
  struct track_state s;
  double pose[3], h = 0.1, speed;
  def.away_m = 5;
  track_pose(&def, 0, pose);
  track_begin(&s, &def, pose, pose[2], 0);
  int stopped = 0;
  double waited_m = 0, time = 0;
  for (; s.phase != TRACK_ENDED && time < 1e5; time += h) {
    int is_away = time > 200 && time < 400;
    double before_m = s.begin_s > 0 ? track_way(&s, &def, time, &speed) : 0;
    advance(&s, &def, time, is_away ? 6 : 0);
    if (s.begin_s > 20) // a stop and a new move do not make the reference jump
      ck_assert_double_eq_tol(track_way(&s, &def, time, &speed), before_m, 1e-9);
    stopped += s.phase == TRACK_STOPPED;
    if (time > 230 && is_away) {
      waited_m = waited_m > 0 ? waited_m : before_m;
      ck_assert_double_eq_tol(before_m, waited_m, 1e-12);
    }
  }
  ck_assert_int_ge(stopped, 1900);
  ck_assert_double_eq_tol(s.cross_most_m, 6, 0.1);
  ck_assert_double_eq_tol(s.to_m, def.route.length_m, 1e-9);
}
END_TEST

START_TEST(a_controller_that_starts_again_goes_on_from_the_vessel) {
  struct track_def def = track_of(24.4);
  struct track_state s;
  struct reason why;
  double pose[3];
  track_pose(&def, 333, pose);
  track_begin(&s, &def, pose, pose[2], 1000);
  ck_assert_double_eq_tol(s.from_m, 333, 1e-8);
  track_advance(&s, &def, pose, pose[2], &NO_PIPE, 1040, 1030);
  ck_assert_int_eq(s.phase, TRACK_WAITING);
  track_advance(&s, &def, pose, pose[2], &NO_PIPE, 1040, 1040);
  ck_assert_int_eq(s.phase, TRACK_MOVING);
  ck_assert_double_eq_tol(s.to_m, 333 + 24.4, 1e-8);
  ck_assert(track_state_is_valid(&def, &s, &why));
  s.phase = TRACK_PHASE_COUNT;
  ck_assert(!track_state_is_valid(&def, &s, &why));
  s.phase = TRACK_MOVING;
  def.route.count = 0;
  ck_assert(!track_state_is_valid(&def, &s, &why));
}
END_TEST

// A lay: the vessel stands where its reference is, and the pipe comes out as rig says.
struct rig {
  struct track_def def;
  struct track_state s;
  struct track_pipe pipe;
  double time_s, way_m;
};

static struct rig rig_of(double first_m) {
  struct rig rig = {.def = track_of(12.2), .pipe = {.is_length_known = 1, .paid_out_m = 7}};
  double pose[3];
  rig.def.stop_s = 5;
  rig.def.payout = (struct track_payout_def){1, first_m, 3};
  rig.def.hold_s = 10;
  track_pose(&rig.def, 0, pose);
  track_begin(&rig.s, &rig.def, pose, pose[2], 0);
  return rig;
}

static void sail(struct rig *rig, double until_s) {
  struct reason why;
  for (; rig->time_s < until_s; rig->time_s += 0.1) {
    double pose[3], rate[3], speed, before_m = rig->way_m;
    track_reference(&rig->s, &rig->def, rig->time_s, pose, rate);
    track_advance(&rig->s, &rig->def, pose, pose[2], &rig->pipe, 5, rig->time_s);
    rig->way_m = track_way(&rig->s, &rig->def, rig->time_s, &speed);
    ck_assert(rig->way_m >= before_m - 1e-12 && rig->way_m - before_m <= 0.1 * TRACK_SPEED_MAX);
    ck_assert(track_state_is_valid(&rig->def, &rig->s, &why));
  }
}

START_TEST(moves_wait_for_the_pay_out) {
  struct rig rig = rig_of(0);
  sail(&rig, 70);                               // the first joint begins at once: 24.4 s + 20 s
  ck_assert_int_eq(rig.s.phase, TRACK_STOPPED); // nothing comes out
  ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_PAYOUT);
  ck_assert(rig.way_m > 3 && rig.way_m < 3 + 0.5 * 5);
  rig.pipe.paid_out_m = 7 + 12.2;
  sail(&rig, 110);
  ck_assert_int_eq(rig.s.joints, 1);
  ck_assert_double_eq_tol(rig.way_m, rig.s.to_m, 3 + 12.2);
  rig.pipe.is_braked = 1; // between two joints: the next waits for the brake
  rig.pipe.paid_out_m = 7 + rig.s.target_m;
  sail(&rig, 300);
  double held_m = rig.way_m;
  ck_assert_int_eq(rig.s.phase, rig.s.target_m > held_m + 1 ? TRACK_STOPPED : TRACK_HOLDING);
  ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_BRAKE);
  rig.pipe.is_braked = 0;
  sail(&rig, 302);
  ck_assert_int_eq(rig.s.phase, TRACK_MOVING);
  rig.pipe.is_length_known = 0;
  sail(&rig, 330);
  ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_LENGTH);
  ck_assert_int_eq(rig.s.phase, TRACK_STOPPED);
  ck_assert_double_lt(rig.way_m, held_m + 2);
}
END_TEST

START_TEST(a_tensioner_that_pays_out_first_is_followed) {
  struct rig rig = rig_of(12);
  sail(&rig, 100);
  ck_assert_int_eq(rig.s.phase, TRACK_WAITING);
  ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_PAYOUT);
  for (int joint = 1; joint <= 5; joint++) { // pays a joint out, and brakes
    rig.pipe.paid_out_m += 12.2;
    rig.pipe.is_braked = 1;
    sail(&rig, 100 * (joint + 1));
    ck_assert_int_eq(rig.s.joints, joint);
    ck_assert_int_eq(rig.s.phase, TRACK_HOLDING);
    ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_BRAKE);
    ck_assert_double_eq_tol(rig.way_m, 12.2 * joint, 1e-9);
  }
}
END_TEST

// The tensioner brakes in a move: the reference stops within stop_s. What hardly lacks is let be.
START_TEST(a_brake_in_a_move_stops_it) {
  struct rig rig = rig_of(0);
  sail(&rig, 34);
  ck_assert_int_eq(rig.s.phase, TRACK_MOVING);
  double way_m = rig.way_m;
  rig.pipe.paid_out_m = 7 + way_m;
  rig.pipe.is_braked = 1;
  sail(&rig, 60);
  ck_assert_int_eq(rig.s.phase, TRACK_STOPPED);
  ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_BRAKE);
  ck_assert_double_le(rig.way_m, way_m + 0.5 * 0.5 * 5 + 0.2);
  rig.pipe.paid_out_m = 7 + 12.2;
  rig.pipe.is_braked = 0;
  sail(&rig, 120);
  ck_assert_int_eq(rig.s.joints, 1);
  rig = rig_of(0);
  sail(&rig, 34);
  rig.pipe.paid_out_m = 7 + 12.2 - 0.5;
  rig.pipe.is_braked = 1;
  sail(&rig, 80);
  ck_assert_int_eq(rig.s.phase, TRACK_HOLDING);
  ck_assert_double_eq_tol(rig.way_m, 12.2, 1e-9);
}
END_TEST

// On a curve every joint needs less pipe than its way: the shortfall does not add up.
START_TEST(a_shortfall_within_the_limit_is_forgiven) {
  struct rig rig = rig_of(0);
  sail(&rig, 5);
  for (int k = 0; rig.s.joints < 20 && k < 40; k++) {
    rig.pipe.paid_out_m = 7 + 0.9 * (rig.s.target_m);
    sail(&rig, 60 * (k + 1));
  }
  ck_assert_int_ge(rig.s.joints, 20);
}
END_TEST

START_TEST(an_operator_stops_and_changes_the_speed) {
  struct rig rig = rig_of(0);
  double speed, pose[3];
  rig.def.payout.is_followed = 0;
  rig.def.joint_m = 0;
  track_pose(&rig.def, 0, pose);
  rig.s.orders = (struct track_orders){1, 0};
  sail(&rig, 60);
  ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_OPERATOR);
  rig.s.orders = (struct track_orders){0, 0.2};
  sail(&rig, 120);
  track_way(&rig.s, &rig.def, rig.time_s, &speed);
  ck_assert_double_eq_tol(speed, 0.2, 1e-12);
  rig.s.orders = (struct track_orders){0, 1.5}; // in the move
  sail(&rig, 160);
  track_way(&rig.s, &rig.def, rig.time_s, &speed);
  ck_assert_double_eq_tol(speed, 1.5, 1e-12);
  rig.s.orders = (struct track_orders){1, 1.5};
  sail(&rig, 170);
  track_way(&rig.s, &rig.def, rig.time_s, &speed);
  ck_assert(speed == 0 && rig.s.phase == TRACK_STOPPED);
  double way_m = rig.way_m;
  sail(&rig, 300);
  ck_assert_double_eq(rig.way_m, way_m);
  rig.s.orders = (struct track_orders){0, 0}; // as configured again
  sail(&rig, 340);
  track_way(&rig.s, &rig.def, rig.time_s, &speed);
  ck_assert_double_eq_tol(speed, 0.5, 1e-12);
  sail(&rig, 4000);
  ck_assert_int_eq(rig.s.phase, TRACK_ENDED);
  rig.s.orders = (struct track_orders){0, 2};
  sail(&rig, 4010);
  ck_assert_double_eq_tol(rig.way_m, rig.def.route.length_m, 1e-9);
}
END_TEST

// Speeds that change at any time of a move: the reference neither jumps nor passes its target.
START_TEST(a_speed_can_change_at_any_time) {
  for (int at = 10; at < 60; at++) {
    struct rig rig = rig_of(0);
    rig.def.payout.is_followed = 0;
    rig.def.joint_m = 24.4;
    sail(&rig, at);
    rig.s.orders = (struct track_orders){0, at % 2 ? 0.1 : 1.5};
    for (double last_m = rig.way_m; rig.s.joints < 1;) {
      sail(&rig, rig.time_s + 0.05);
      ck_assert_double_le(rig.way_m, 24.4 + 1e-9);
      ck_assert_double_le(rig.way_m - last_m, 0.2 * 1.5);
      last_m = rig.way_m;
      ck_assert_double_lt(rig.time_s, 500);
    }
  }
}
END_TEST

START_TEST(a_tension_beyond_its_limits_stops_the_reference) {
  struct rig rig = rig_of(0);
  rig.def.payout.is_followed = 0;
  rig.def.tension_low_n = 1e5;
  rig.def.tension_high_n = 3e5;
  rig.pipe.is_tension_known = 1;
  rig.pipe.tension_n = 2e5;
  sail(&rig, 35);
  ck_assert_int_eq(rig.s.phase, TRACK_MOVING);
  rig.pipe.tension_n = 3.1e5;
  sail(&rig, 45);
  ck_assert_int_eq(rig.s.phase, TRACK_STOPPED);
  rig.pipe.tension_n = 2.9e5;
  sail(&rig, 60); // 20 s within
  ck_assert_int_eq(rig.s.wait, TRACK_WAITS_FOR_TENSION);
  sail(&rig, 70);
  ck_assert_int_eq(rig.s.phase, TRACK_MOVING);
  rig.pipe.tension_n = 0.9e5;
  rig.pipe.is_tension_known = 0;
  sail(&rig, 75);
  ck_assert_int_eq(rig.s.phase, TRACK_MOVING);
}
END_TEST

// The whole controller: it approaches the begin, follows the route, and an operator's set-point ends it.
START_TEST(the_controller_follows_and_leaves) {
  struct dp_def def = {.pid = {.kp = {1e5, 1e5, 0, 0, 0, 1e8}, .approach_s = 10, .start_s = 5},
                       .track = track_of(0)};
  struct dp_state s;
  struct dp_work work;
  struct command c;
  double reference[6], rate[6], left[6];
  dp_init(&s);
  struct dp_sensors in = {.position_n_m = {40, -3, 0}};
  for (int k = 0; k < 1200; k++) {
    in.step = (uint64_t)(10 * k);
    in.time_s = 0.1 * k;
    dp_sample(&s, &def, &in, &work, &c);
    if (!s.active)
      continue;
    dp_reference(&s, &def, in.time_s, reference, rate);
    in.position_n_m[0] = reference[0];
    in.position_n_m[1] = reference[1];
    in.euler_rad[2] = reference[5];
  }
  ck_assert_int_eq(s.track.phase, TRACK_MOVING);
  ck_assert_double_gt(reference[0], 45 + 40);
  ck_assert(!c.tensioner.given);
  def.track.tension_n = 2e5;
  dp_sample(&s, &def, &in, &work, &c);
  ck_assert(c.tensioner.given && c.tensioner.mode == TENSIONER_TENSION && c.tensioner.tension_n == 2e5);
  ck_assert_double_eq_tol(rate[0], 0.5, 1e-12);
  ck_assert_double_eq_tol(s.track.cross_most_m, 0, 1e-3);

  dp_set_setpoint(&s, &def, (double[]){120, 10, 0});
  ck_assert_int_eq(s.track.phase, TRACK_LEFT);
  dp_reference(&s, &def, in.time_s, left, rate);
  ck_assert_double_eq_tol(left[0], reference[0], 1e-6);
  ck_assert_double_eq_tol(rate[0], 0.5, 1e-6);
  dp_reference(&s, &def, in.time_s + 10, left, rate);
  ck_assert_double_eq_tol(left[0], 120, 1e-9);
  ck_assert_double_eq_tol(left[1], 10, 1e-9);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("control_law_track");
  TCase *tc = add_case(suite, "track", 60);
  tcase_add_test(tc, legs_and_arcs_join_smoothly);
  tcase_add_test(tc, the_nearest_point_is_the_one_beside);
  tcase_add_test(tc, waypoints_without_a_route_are_refused);
  tcase_add_test(tc, the_reference_moves_smoothly_to_the_end);
  tcase_add_test(tc, joint_by_joint);
  tcase_add_test(tc, the_reference_waits_for_a_vessel_that_falls_behind);
  tcase_add_test(tc, a_controller_that_starts_again_goes_on_from_the_vessel);
  tcase_add_test(tc, moves_wait_for_the_pay_out);
  tcase_add_test(tc, a_tensioner_that_pays_out_first_is_followed);
  tcase_add_test(tc, a_brake_in_a_move_stops_it);
  tcase_add_test(tc, a_shortfall_within_the_limit_is_forgiven);
  tcase_add_test(tc, an_operator_stops_and_changes_the_speed);
  tcase_add_test(tc, a_speed_can_change_at_any_time);
  tcase_add_test(tc, a_tension_beyond_its_limits_stops_the_reference);
  tcase_add_test(tc, the_controller_follows_and_leaves);
  return run_suite(suite);
}
