// Random power plants with random failures; the power that failures leave.
#include "sagbend/power/power.h"
#include "sagbend/power/power_internal.h"

#include "power_plant.h"

static struct power_def random_plant(void) {
  struct power_def def = {.bus_count = whole(1, 4), .management = MANAGEMENT};
  def.generator_count = whole(1, 8);
  def.tie_count = def.bus_count > 1 ? whole(0, 4) : 0;
  def.battery_count = whole(0, 2);
  const int light = whole(0, 3) == 0; // sets that one part of a flow can stop, beside large batteries
  for (int b = 0; b < def.bus_count; b++)
    def.hotel_w[b] = uniform(0, whole(0, 9) ? 0.6e6 : 8e6);
  const double start_s = whole(0, 1) * uniform(0, 20); // equal sets come to a dead bus at once
  for (int i = 0; i < def.generator_count; i++) {
    def.generator[i] = set_on(whole(0, def.bus_count - 1));
    def.generator[i].rating_w = light ? uniform(0.02e6, 0.5e6) : uniform(0.5e6, 4e6);
    def.generator[i].inertia_s = uniform(0.2, 4);
    def.generator[i].lag_s = uniform(0.1, 1);
    def.generator[i].droop = uniform(0.02, 0.08);
    def.generator[i].start_s = start_s > 0 ? start_s : uniform(0, 20);
    def.generator[i].synchronise_s = whole(0, 3) ? uniform(0, 10) : 0;
    def.generator[i].running = whole(0, 3) > 0;
  }
  for (int t = 0; t < def.tie_count; t++) {
    int one = whole(0, def.bus_count - 1); // a line, a ring, two beside each other
    def.tie[t] = (struct tie_def){.bus = {one, (one + whole(1, def.bus_count - 1)) % def.bus_count},
                                  .closed = whole(0, 1),
                                  .trips = whole(0, 1),
                                  .frequency = {0.95, 1.06},
                                  .voltage = {0.85, 1.10},
                                  .trip_delay_s = 0.25};
  }
  for (int i = 0; i < def.battery_count; i++)
    def.battery[i] = (struct battery_def){.bus = whole(0, def.bus_count - 1),
                                          .power_w = uniform(0, 2e6),
                                          .energy_j = whole(0, 1) ? 50e6 : 70e9,
                                          .charge = uniform(0, 1),
                                          .charge_power_w = whole(0, 1) * uniform(0, 2e6),
                                          .charge_to = uniform(0, 1),
                                          .efficiency = uniform(0.1, 1)};
  def.management.load_stop[0] = whole(0, 1) * 0.4;
  def.management.load_stop[1] = 10;
  def.management.open_ties_dark = whole(0, 1);
  def.management.recovery_after_s = uniform(0.1, 5);
  def.management.restart_interval_s = whole(0, 1) * 5;
  return def;
}

static void fail_at_random(struct plant *p) {
  struct generator_switches *set = &p->switches.generator[whole(0, p->def.generator_count - 1)];
  switch (whole(0, 10)) {
  case 0:
    set->governor = (enum actuator_failure)whole(0, 3);
    break;
  case 1:
    set->field = (enum actuator_failure)whole(0, 2);
    break;
  case 2:
    set->trips = whole(0, 1);
    break;
  case 3:
    set->fuel_lost = whole(0, 1);
    break;
  case 4:
    set->start_fails = whole(0, 1);
    break;
  case 5:
    set->status_frozen = whole(0, 1);
    break;
  case 6:
    p->switches.tie[whole(0, 3)].opens = whole(0, 1);
    break;
  case 7:
    p->switches.tie[whole(0, 3)].stuck = whole(0, 1);
    break;
  case 8:
    p->switches.bus_lost[whole(0, p->def.bus_count - 1)] = whole(0, 1);
    break;
  case 9:
    p->switches.no_reduction = whole(0, 1);
    break;
  default:
    memset(&p->switches, 0, sizeof p->switches);
    break;
  }
}

// Number of generators that the last step closed on the island of this bus, all of which was dead before it.
static int closed_on_dead(const struct plant *p, const struct power_state *before, int bus) {
  const struct power_islands islands = power_islands_of(&p->def, &p->state, &p->switches);
  int sum = 0;
  for (int b = 0; b < p->def.bus_count; b++)
    if (islands.of_bus[b] == islands.of_bus[bus] && before->bus[b].live)
      return 0;
  for (int i = 0; i < p->def.generator_count; i++)
    if (islands.of_bus[p->def.generator[i].bus] == islands.of_bus[bus] &&
        before->generator[i].phase == GENERATOR_ON_LINE)
      return 0;
  for (int i = 0; i < p->def.generator_count; i++)
    sum += islands.of_bus[p->def.generator[i].bus] == islands.of_bus[bus] &&
           before->generator[i].phase != GENERATOR_ON_LINE &&
           p->state.generator[i].phase == GENERATOR_ON_LINE;
  return sum;
}

// 1 if no set of an island turns at another speed than the others, and no two live islands were joined.
static int islands_are_sound(const struct plant *p, const struct power_state *before) {
  const struct power_state *now = &p->state;
  for (int t = 0; t < p->def.tie_count; t++) {
    const int one = p->def.tie[t].bus[0], other = p->def.tie[t].bus[1];
    if (now->tie[t].closed && !before->tie[t].closed && before->bus[one].live && before->bus[other].live &&
        now->bus[one].dark_count + now->bus[other].dark_count ==
            before->bus[one].dark_count + before->bus[other].dark_count)
      return 0;
  }
  const struct power_islands islands = power_islands_of(&p->def, now, &p->switches);
  double speed[MAX_BUSES] = {0};
  for (int i = 0; i < p->def.generator_count; i++) {
    double *own = &speed[islands.of_bus[p->def.generator[i].bus]];
    const double its = generator_speed(&p->def.generator[i], &now->generator[i]);
    if (now->generator[i].phase != GENERATOR_ON_LINE)
      continue;
    if (*own > 0 && fabs(its - *own) > 1e-9)
      return 0;
    *own = its;
  }
  return 1;
}

// 1 if the energies themselves, beside the ledger's own balance, close to 1e-12 of what was turned over.
static int ledger_closes(const struct plant *p, const struct power_state *before) {
  const struct power_ledger *now = &p->state.ledger, *then = &before->ledger;
  double change_j = 0, turning_j = 0;
  for (int i = 0; i < p->def.generator_count; i++) {
    change_j += p->state.generator[i].energy_j - before->generator[i].energy_j;
    turning_j += p->state.generator[i].energy_j;
  }
  for (int i = 0; i < p->def.battery_count; i++)
    change_j += p->state.battery[i].energy_j - before->battery[i].energy_j;
  const double coasting_j = now->coasting_j - then->coasting_j,
               synchronising_j = now->synchronising_j - then->synchronising_j,
               charging_j = now->charging_j - then->charging_j;
  const double rest_j = change_j - (now->fuel_j - then->fuel_j) + (now->electric_j - then->electric_j) +
                        coasting_j + synchronising_j + charging_j;
  const double turned_j = now->fuel_j + now->electric_j + now->coasting_j + now->synchronising_j +
                          now->charging_j + turning_j + 1;
  return fabs(rest_j) <= 1e-12 * turned_j && now->electric_j >= then->electric_j && coasting_j >= 0 &&
         synchronising_j >= 0 && charging_j >= 0;
}

// One step. Adds to the numbers of blackouts and of closings. Returns 1 if all holds that must hold in a
// step; the library of the tests is too slow to be asked in each.
static int step_is_sound(struct plant *p, int *blackouts, int *closings) {
  const struct power_state before = p->state;
  run_until(p, p->time_s + p->step_s);
  int sound = ledger_closes(p, &before) && islands_are_sound(p, &before);
  for (int b = 0; b < p->def.bus_count; b++) {
    const int closed = closed_on_dead(p, &before, b);
    sound &= closed <= 1 && isfinite(p->state.bus[b].frequency) && isfinite(p->state.bus[b].drives_w);
    *closings += closed;
    *blackouts += p->state.bus[b].dark_count > before.bus[b].dark_count;
  }
  return sound;
}

// Runs a plant with failures at random times. A twin that was copied in its middle, as from a checkpoint,
// ends with the same bits. Returns 1 if every step was sound.
static int random_run(struct plant *p, int rounds, int *blackouts, int *closings) {
  struct plant twin = *p;
  int sound = 1;
  for (int n = rounds; n > 0; n--) {
    if (whole(0, 4) == 0)
      fail_at_random(p);
    if (whole(0, 9) == 0)
      p->load.asked_w[whole(0, p->def.bus_count - 1)] = uniform(0, 5e6);
    twin = *p;
    const int steps = whole(1, 20);
    for (int k = 0; k < steps; k++)
      sound &= step_is_sound(p, blackouts, closings);
    if (n == rounds / 2) {
      for (int k = 0; k < steps; k++)
        run_until(&twin, twin.time_s + twin.step_s);
      sound &= memcmp(&twin.state, &p->state, sizeof twin.state) == 0;
    }
  }
  return sound;
}

START_TEST(random_plants_balance_and_close_one_breaker_at_a_time) {
  int blackouts = 0, closings = 0;
  for (int k = 0; k < 10000 * scene_share(); k++) {
    const struct power_def def = random_plant();
    // Without an interval a set may close one part of a flow after another: steps of one part show the order.
    const double longest_s = def.management.restart_interval_s > 0 ? 0.05 : POWER_STEP_S;
    struct plant p = plant_of(def, uniform(0, 6e6), uniform(0.002, longest_s));
    // some of them long enough to start again
    ck_assert_msg(random_run(&p, k % 10 ? 15 : 100, &blackouts, &closings), "plant %d", k);
    struct reason why;
    ck_assert_msg(power_state_is_valid(&p.def, &p.state, &why), "plant %d: %s", k, why.text);
    ck_assert_msg(p.state.ledger.worst_residual < 1e-14, "plant %d: %g", k, p.state.ledger.worst_residual);
    double turned_j = p.state.ledger.fuel_j + p.state.ledger.electric_j;
    for (int i = 0; i < p.def.generator_count; i++)
      turned_j += p.def.generator[i].inertia_s * p.def.generator[i].rating_w;
    ck_assert_msg(fabs(p.state.ledger.residual_j) <= 1e-12 * (turned_j + 1), "plant %d: %g J", k,
                  p.state.ledger.residual_j);
  }
  ck_assert_double_gt(blackouts, 1000 * scene_share());
  ck_assert_double_gt(closings, 300 * scene_share());
}
END_TEST

static struct power_left left_of(const struct power_def *def, unsigned buses, unsigned generators) {
  struct power_left left;
  power_left_after(def, buses, generators, &left);
  return left;
}

// 0.98 of the ratings on line less the hotel load of the island, by hand.
START_TEST(power_left_is_that_of_the_island) {
  const struct power_def open = four_sets(0), closed = four_sets(1);
  struct power_left left = left_of(&closed, 0, 0);
  ck_assert_int_eq(left.island[1], 0);
  ck_assert_double_eq_tol(left.drives_w[0], 0.98 * 8.8e6 - 0.8e6, 1e-3);
  ck_assert_double_eq(left.drives_w[1], 0);
  left = left_of(&closed, 0, 1); // a set
  ck_assert_double_eq_tol(left.drives_w[0], 0.98 * 6.6e6 - 0.8e6, 1e-3);
  left = left_of(&closed, 1, 0); // a bus, whose tie opens
  ck_assert_int_eq(left.live[0], 0);
  ck_assert_double_eq(left.drives_w[0], 0);
  ck_assert_int_eq(left.island[1], 1);
  ck_assert_double_eq_tol(left.drives_w[1], 0.98 * 4.4e6 - 0.4e6, 1e-3);
  left = left_of(&open, 0, 3); // both sets of one bus, with the tie open and closed
  ck_assert_int_eq(left.live[0], 0);
  ck_assert_int_eq(left.live[1], 1);
  left = left_of(&closed, 0, 3);
  ck_assert_int_eq(left.live[0], 1);
  ck_assert_double_eq_tol(left.drives_w[0], 0.98 * 4.4e6 - 0.8e6, 1e-3);
  left = left_of(&closed, 3, 0);
  ck_assert(!left.live[0] && !left.live[1]);
}
END_TEST

START_TEST(sets_that_stand_by_are_left_if_they_are_started) {
  struct power_def def = four_sets(1);
  def.generator[3].running = 0;
  ck_assert_double_eq_tol(left_of(&def, 0, 0).drives_w[0], 0.98 * 8.8e6 - 0.8e6, 1e-3);
  def.management.load_start[0] = 0;
  ck_assert_double_eq_tol(left_of(&def, 0, 0).drives_w[0], 0.98 * 6.6e6 - 0.8e6, 1e-3);
}
END_TEST

START_TEST(a_battery_is_left_where_no_set_ever_was) {
  struct power_def def = four_sets(0);
  def.battery_count = 1;
  def.battery[0] = (struct battery_def){.bus = 1, .power_w = 1.5e6, .energy_j = 1e9, .charge = 0.8};
  const double with_sets_w = left_of(&def, 0, 0).drives_w[1];
  ck_assert_double_eq_tol(with_sets_w, 0.98 * 4.4e6 - 0.4e6, 1e-3);
  ck_assert_int_eq(left_of(&def, 0, 12).live[1], 0); // the battery does not last
  def.generator_count = 2;                           // bus 1 has the battery alone
  ck_assert_int_eq(left_of(&def, 0, 0).live[1], 1);
  ck_assert_double_eq_tol(left_of(&def, 0, 0).drives_w[1], 1.1e6, 1e-3);
}
END_TEST

// More failures never leave more power, and no island more than its generators and batteries have.
START_TEST(failures_never_leave_more) {
  for (int k = 0; k < 2000 * scene_share(); k++) {
    struct power_def def = random_plant();
    double all_w = 0, sum_w[2] = {0};
    for (int i = 0; i < def.generator_count; i++)
      all_w += def.generator[i].rating_w;
    for (int i = 0; i < def.battery_count; i++)
      all_w += def.battery[i].power_w;
    const unsigned sets = (unsigned)whole(0, (1 << def.generator_count) - 1);
    for (int failed = 0; failed < 2; failed++)
      for (int b = 0; b < def.bus_count; b++) {
        struct power_left left = left_of(&def, 0, failed ? sets : 0);
        ck_assert(left.drives_w[b] >= 0 && left.island[left.island[b]] == left.island[b]);
        sum_w[failed] += left.drives_w[b];
      }
    ck_assert_msg(sum_w[1] <= sum_w[0] && sum_w[0] <= 1.1 * all_w, "plant %d: %g, %g of %g W", k, sum_w[1],
                  sum_w[0], all_w);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("power");
  TCase *t = add_case(suite, "random", 100);
  tcase_add_test(t, power_left_is_that_of_the_island);
  tcase_add_test(t, sets_that_stand_by_are_left_if_they_are_started);
  tcase_add_test(t, a_battery_is_left_where_no_set_ever_was);
  tcase_add_test(t, failures_never_leave_more);
  tcase_add_test(t, random_plants_balance_and_close_one_breaker_at_a_time);
  return run_suite(suite);
}
