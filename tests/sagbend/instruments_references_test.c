// Geometry of position references: catenary and sound ray against numerical integration, trilateration,
// moving targets, line of sight.
#include "sagbend/instruments/instruments.h"
#include "sagbend/instruments/instruments_internal.h"
#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double draw(double low, double high) {
  return low + (high - low) * (double)rand() / RAND_MAX;
}

static void is_near(vec3 a, vec3 b, double tolerance) {
  ck_assert_double_le(vec3_norm(vec3_sub(a, b)), tolerance);
}

// int t / |t| ds by Gauss's rule of three points in 2000 parts.
static vec3 integrated_span(vec3 t0, vec3 load, double length) {
  static const double at[] = {-0.7745966692414834, 0, 0.7745966692414834},
                      weight[] = {5. / 9, 8. / 9, 5. / 9};
  enum { PARTS = 2000 };
  vec3 sum = {0, 0, 0};
  for (int i = 0; i < PARTS; i++)
    for (int k = 0; k < 3; k++) {
      vec3 t = vec3_axpy(-length * (i + 0.5 + 0.5 * at[k]) / PARTS, load, t0);
      sum = vec3_axpy(0.5 * weight[k] * length / PARTS / vec3_norm(t), t, sum);
    }
  return sum;
}

START_TEST(a_wire_is_its_integral) {
  // The example of the design, whose vertical axis points up.
  is_near(wire_span((vec3){120, 40, 3900}, (vec3){.77, 0, -.6}, 100),
          (vec3){2.07566644, 1.01754215, 99.97162689}, 1e-8);
  srand(1);
  for (int i = 0; i < 300; i++) {
    vec3 t0 = {draw(-800, 800), draw(-800, 800), -draw(1500, 6000)};
    vec3 load = {draw(-3, 3), draw(-3, 3), draw(0, 2)};
    double length = draw(5, 400);
    if (i % 10 == 0)
      load = (vec3){0, 0, i % 20 ? 1e-7 : 0};
    if (i % 10 == 1)
      t0 = (vec3){0, 0, -3000}, load = (vec3){0, 0, 0.6};
    is_near(wire_span(t0, load, length), integrated_span(t0, load, length), 1e-9);
  }
}
END_TEST

// A wire longer than the taut one hangs between its ends, down to where it lies on the seabed: then its
// length is what hangs, by its closed form, and what lies.
START_TEST(a_slack_wire_has_its_length) {
  enum { COUNT = 3000 };
  int hangs = 0, lies = 0, drops = 0;
  srand(5);
  for (int i = 0; i < COUNT; i++) {
    const double depth = draw(30, 400), weight = draw(0.3, 1);
    const vec3 span = {draw(-0.3, 0.3) * depth, draw(-0.3, 0.3) * depth, -depth};
    const vec3 load =
        wire_load((double[]){i % 2 ? draw(-1, 1) : 0, i % 2 ? draw(-1, 1) : 0, 0}, 0.005, 1.2, 1025, weight);
    struct wire taut, wire;
    ck_assert_int_eq(wire_between(span, load, 4000, &taut), 1);
    const double length = taut.length_m * (1 + pow(10, draw(-3, -0.3)));
    wire_hanging(span, load, 4000, length, &wire);
    ck_assert_double_eq_tol(wire.length_m, length, 1e-6 * length);
    ck_assert_double_lt(vec3_norm(wire.top_n), 4000);
    if (wire.pull_n.z < 0) {
      is_near(wire_span(wire.pull_n, load, wire.length_m), span, 1e-9);
      hangs++;
      continue;
    }
    const double pull = hypot(wire.pull_n.x, wire.pull_n.y), level = hypot(span.x, span.y);
    const double a = pull / weight, hanging = sqrt(depth * depth + 2 * depth * a);
    ck_assert_double_eq_tol(hypot(wire.top_n.x, wire.top_n.y), pull, 1e-9);
    ck_assert_double_eq_tol(-wire.top_n.z, weight * hanging, 1e-9 * weight * hanging);
    if (length >= level + depth) {
      ck_assert_double_eq(pull, 0);
      drops++;
    } else {
      ck_assert_double_eq_tol(level + hanging - a * asinh(hanging / a), length, 1e-9 * length);
      lies++;
    }
  }
  ck_assert_msg(hangs > 200 && lies > 200 && drops > 200, "%d %d %d", hangs, lies, drops);
}
END_TEST

START_TEST(a_wire_is_found_between_its_ends) {
  struct wire wire;
  srand(2);
  for (int i = 0; i < 2000; i++) {
    vec3 span = {draw(-60, 60), draw(-60, 60), -draw(30, 400)};
    vec3 load = wire_load((double[]){draw(-1, 1), draw(-1, 1), 0}, 0.005, 1.2, 1025, draw(0, 1));
    double top_n = draw(2000, 8000);
    if (i % 10 == 0)
      span.x = span.y = load.x = load.y = 0;
    ck_assert_int_eq(wire_between(span, load, top_n, &wire), 1);
    ck_assert_double_eq_tol(vec3_norm(wire.top_n), top_n, 1e-9 * top_n);
    is_near(wire_span(wire.pull_n, load, wire.length_m), span, 1e-9);
    is_near(integrated_span(wire.pull_n, load, wire.length_m), span, 1e-9);
  }
  // Errors of "angle times depth": 0.27, 1.08 and 9.8 m at 50, 100 and 300 m in 0.5 m/s, offset 10 %.
  static const double depth[] = {50, 100, 300}, expected[] = {0.27, 1.08, 9.8};
  for (int i = 0; i < 3; i++) {
    vec3 span = {0.1 * depth[i], 0, -depth[i]}, load = wire_load((double[]){.5, 0, 0}, .005, 1.2, 1025, 0.6);
    ck_assert_int_eq(wire_between(span, load, 4000, &wire), 1);
    double by_angle = depth[i] * wire.top_n.x / -wire.top_n.z;
    ck_assert_double_eq_tol(fabs(by_angle - span.x), expected[i], 0.05 * expected[i]);
  }
  ck_assert_int_eq(wire_between((vec3){0, 0, -400}, (vec3){0, 0, 20}, 4000, &wire), 0); // 8 kN of wire
}
END_TEST

// Follows a ray with Runge and Kutta: x' = c u, u' = -(grad c - (grad c . u) u) along the time.
static void follow(const struct sound_profile *water, double travel_s, vec3 *x, vec3 *u) {
  enum { STEPS = 4000 };
  double h = travel_s / STEPS, g = water->gradient_1ps;
  for (int i = 0; i < STEPS; i++) {
    vec3 kx[4], ku[4];
    static const double share[] = {0, 0.5, 0.5, 1};
    for (int k = 0; k < 4; k++) {
      vec3 xs = k ? vec3_axpy(h * share[k], kx[k - 1], *x) : *x,
           us = k ? vec3_axpy(h * share[k], ku[k - 1], *u) : *u;
      kx[k] = vec3_scale(water->speed_mps + g * xs.z, us);
      ku[k] = vec3_scale(-g, (vec3){-us.z * us.x, -us.z * us.y, 1 - us.z * us.z});
    }
    for (int k = 0; k < 4; k++) {
      static const double weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
      *x = vec3_axpy(h * weight[k], kx[k], *x);
      *u = vec3_axpy(h * weight[k], ku[k], *u);
    }
  }
}

START_TEST(sound_follows_its_circle) {
  srand(3);
  for (int i = 0; i < 60; i++) {
    struct sound_profile water = {draw(1450, 1540), i % 6 ? draw(-.1, .1) : 0};
    vec3 from = {draw(-9, 9), draw(-9, 9), draw(2, 8)},
         to = {draw(-500, 500), draw(-500, 500), draw(20, 1500)};
    if (i % 5 == 0)
      to.x = from.x, to.y = from.y;
    struct sound_ray ray = sound_ray_of(&water, from, to);
    vec3 x = from, u = ray.direction_n;
    ck_assert_double_eq_tol(vec3_norm(u), 1, 1e-14);
    follow(&water, ray.travel_s, &x, &u);
    is_near(x, to, 1e-9);
  }
  // The design: 300 m deep, 150 m off, -0.05 1/s: 0.145 degrees and 0.76 m.
  struct sound_ray ray =
      sound_ray_of(&(struct sound_profile){1490, -0.05}, (vec3){0, 0, 0}, (vec3){150, 0, 300});
  double off = atan2(ray.direction_n.x, ray.direction_n.z) - atan2(150, 300);
  ck_assert_double_eq_tol(fabs(off) * 180 / TRIG_PI, 0.145, 0.001);
  ck_assert_double_eq_tol(fabs(ray.range_m * ray.direction_n.x - 150), 0.76, 0.01);
}
END_TEST

START_TEST(three_ranges_make_a_place) {
  srand(4);
  for (int i = 0; i < 500; i++) {
    vec3 p[3], back, place = {draw(-50, 50), draw(-50, 50), draw(0, 10)};
    double range[3];
    for (int k = 0; k < 3; k++) {
      p[k] = (vec3){draw(-300, 300) + 200 * k, draw(-300, 300) + (k == 1) * 300, draw(250, 300)};
      range[k] = vec3_norm(vec3_sub(p[k], place));
    }
    vec3 a = vec3_sub(p[1], p[0]), b = vec3_sub(p[2], p[0]);
    vec3 normal = vec3_cross(a, b);
    if (fabs(normal.z) < 2e4 || fabs(normal.z) < 0.9 * vec3_norm(normal)) // flat enough that up is clear
      continue;
    ck_assert_int_eq(place_at_ranges(p, range, &back), 1);
    is_near(back, place, 1e-7); // the condition of a flat triangle
    // The dilution against differences of the place by each range.
    double square = 0;
    for (int k = 0; k < 3; k++) {
      double other[3] = {range[0], range[1], range[2]};
      vec3 moved;
      other[k] += 1e-4;
      place_at_ranges(p, other, &moved);
      vec3 by = vec3_scale(1e4, vec3_sub(moved, back));
      square += 0.5 * (by.x * by.x + by.y * by.y);
    }
    ck_assert_double_eq_tol(place_dilution(p, place) / sqrt(square), 1, 1e-3);
  }
  vec3 line[3] = {{0, 0, 100}, {50, 0, 100}, {100, 0, 100}}, none;
  ck_assert_int_eq(place_at_ranges(line, (double[]){100, 100, 100}, &none), 0);
  vec3 apart[3] = {{0, 0, 100}, {50, 0, 100}, {0, 50, 100}};
  ck_assert_int_eq(place_at_ranges(apart, (double[]){1, 90, 90}, &none), 0);
}
END_TEST

static struct scene_def scene_of_a_lift(void) {
  struct scene_def s = {.structure_count = 1, .target_count = 2, .obstruction_count = 1};
  s.structure[0] = (struct structure_def){.name = "platform",
                                          .position_n_m = {100, 20, 0},
                                          .heading_rad = TRIG_PI / 2,
                                          .velocity_n_mps = {0.5, -0.25},
                                          .swing_m = 2,
                                          .swing_period_s = 20,
                                          .swing_direction_rad = TRIG_PI / 2};
  s.target[0] =
      (struct target_def){.name = "reflector", .structure_name = "platform", .position_m = {3, 4, -20}};
  s.target[1] = (struct target_def){.name = "transponder", .position_m = {1, 2, 300}};
  s.obstruction[0] = (struct obstruction_def){.name = "load",
                                              .on_name = "platform",
                                              .box_m = {{-5, 10, -30}, {5, 14, 0}},
                                              .velocity_mps = {0, 1, 0},
                                              .from_s = 10,
                                              .to_s = 60};
  return s;
}

START_TEST(targets_move_with_their_structure) {
  struct scene_def s = scene_of_a_lift();
  struct reason why = {""};
  char key[64];
  ck_assert_int_eq(scene_resolve(&s, key, &why), STATUS_OK);
  is_near(scene_target(&s, 1, 77), (vec3){1, 2, 300}, 0);
  // Heading east: forward is east, starboard is south. After 5 s the swing is at its end, 2 m to the east.
  is_near(scene_target(&s, 0, 5), (vec3){100 + 2.5 - 4, 20 - 1.25 + 2 + 3, -20}, 1e-12);
}
END_TEST

START_TEST(boxes_hide_targets) {
  struct scene_def s = scene_of_a_lift();
  struct reason why = {""};
  char key[64];
  scene_resolve(&s, key, &why);
  s.structure[0].velocity_n_mps[0] = s.structure[0].velocity_n_mps[1] = s.structure[0].swing_m = 0;
  struct scene_frame vessel = {.attitude = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  // The box is 10 to 14 m to starboard of the platform, south of it: 86 to 90 m north, 15 to 25 m east.
  vec3 sensor = {20, 20, -15}, target = {96, 23, -20}, high = {96, 23, -200};
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 9.9, sensor, target), 1);
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 10, sensor, target), 0);
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 10, sensor, high), 1);
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 59.9, sensor, target), 0); // 50 m further south
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 60, sensor, target), 1);
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 10, (vec3){88, 20, -15}, target), 0); // from inside
  s.obstruction[0] =
      (struct obstruction_def){.name = "mast", .on_name = "vessel", .box_m = {{1, -1, -20}, {2, 1, 0}}};
  ck_assert_int_eq(scene_resolve(&s, key, &why), STATUS_OK);
  vessel.origin_n = (vec3){18, 20, 0};
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 0, (vec3){18, 20, -15}, target), 0);
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 0, (vec3){18, 23, -15}, target), 1);
  ck_assert_int_eq(scene_is_in_sight(&s, &vessel, 0, (vec3){20.5, 20, -15}, target), 1); // behind the sensor
}
END_TEST

START_TEST(a_wrong_scene_is_named) {
  static const struct {
    const char *key, *words;
  } wrong[] = {{"structures.0.swing_period_s", "period > 0"}, {"targets.0.structure", "name of a structure"},
               {"obstructions.0.on", "world, vessel or"},     {"obstructions.0.max_m", "beyond min_m"},
               {"obstructions.0.to_s", "after from_s"},       {"structures.0.name", "other than world"}};
  for (int i = 0; i < 6; i++) {
    struct scene_def s = scene_of_a_lift();
    struct reason why = {""};
    char key[64] = "";
    if (i == 0)
      s.structure[0].swing_period_s = 0;
    else if (i == 1)
      strcpy(s.target[0].structure_name, "nowhere");
    else if (i == 2)
      strcpy(s.obstruction[0].on_name, "nowhere");
    else if (i == 3)
      s.obstruction[0].box_m[1][1] = 10;
    else if (i == 4)
      s.obstruction[0].to_s = 10;
    else
      strcpy(s.structure[0].name, "world");
    ck_assert_int_eq(scene_resolve(&s, key, &why), STATUS_BAD_INPUT);
    ck_assert_str_eq(key, wrong[i].key);
    ck_assert_msg(strstr(why.text, wrong[i].words) != NULL, "%s", why.text);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("references");
  TCase *t = add_case(suite, "references", 60);
  tcase_add_test(t, a_wire_is_its_integral);
  tcase_add_test(t, a_wire_is_found_between_its_ends);
  tcase_add_test(t, a_slack_wire_has_its_length);
  tcase_add_test(t, sound_follows_its_circle);
  tcase_add_test(t, three_ranges_make_a_place);
  tcase_add_test(t, targets_move_with_their_structure);
  tcase_add_test(t, boxes_hide_targets);
  tcase_add_test(t, a_wrong_scene_is_named);
  return run_suite(suite);
}
