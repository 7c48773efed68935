// The codec of an operator's orders and of the Status: every kind comes back, and what is wrong is refused
// with its field.
#include "io/codec/codec.h"

#include "sagbend/v1/envelope.pb-c.h"

#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint8_t bytes[WIRE_MAX_ENVELOPE];
static struct wire_message m;
static struct reason why;
static const struct wire_header HEADER = {.session = "s-1", .sequence = 7, .step = 12, .time_s = 0.12};

static enum wire_result unpack(size_t size) {
  ck_assert_uint_gt(size, 0);
  why.text[0] = 0;
  return wire_unpack(bytes, size, &m, &why);
}

START_TEST(every_order_comes_back) {
  for (int kind = ORDER_FAULT; kind <= ORDER_STATUS; kind++) {
    struct order order = {.operator_name = "anna",
                          .kind = (enum order_kind)kind,
                          .name = "calm-1",
                          .rate = 0.25,
                          .setpoint = {{1, 0, 1}, {12.5, 99, -0.5}},
                          .request = {.kind = "off", .target = "all"}};
    ck_assert_msg(unpack(wire_pack_order(&HEADER, &order, bytes, sizeof bytes)) == WIRE_OK, "%s", why.text);
    const struct order *got = &m.as.order;
    ck_assert_int_eq(m.kind, WIRE_ORDER);
    ck_assert_int_eq(got->kind, kind);
    ck_assert_str_eq(got->operator_name, "anna");
    if (kind == ORDER_SNAPSHOT || kind == ORDER_RESTORE || kind == ORDER_CLEAR)
      ck_assert_str_eq(got->name, "calm-1");
    if (kind == ORDER_RATE)
      ck_assert_double_eq(got->rate, 0.25);
    if (kind == ORDER_SET_POINT) {
      ck_assert(got->setpoint.given[0] && !got->setpoint.given[1] && got->setpoint.given[2]);
      ck_assert(got->setpoint.value[0] == 12.5 && got->setpoint.value[1] == 0 &&
                got->setpoint.value[2] == -0.5);
    }
  }
}
END_TEST

static void refused(struct order order, const char *reason) {
  size_t size = wire_pack_order(&HEADER, &order, bytes, sizeof bytes);
  ck_assert_int_ne(unpack(size), WIRE_OK);
  ck_assert_msg(strstr(why.text, reason) != NULL, "'%s' is not in '%s'", reason, why.text);
  ck_assert_int_eq(m.kind, WIRE_NONE);
  ck_assert_int_eq(m.meant, WIRE_ORDER);
  ck_assert_uint_eq(m.header.sequence, HEADER.sequence);
}

START_TEST(what_is_out_of_bounds_is_refused_with_its_field) {
  static const double rates[] = {0, 0.049, 20.001, -1};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    refused((struct order){.kind = ORDER_RATE, .rate = rates[i]}, "rate: a number from 0.05 to 20");
  refused((struct order){.kind = ORDER_SET_POINT}, "at least one");
  refused((struct order){.kind = ORDER_SET_POINT, .setpoint = {{1, 0, 0}, {1.1e6, 0, 0}}}, "north_m");
  refused((struct order){.kind = ORDER_SET_POINT, .setpoint = {{0, 1, 0}, {0, -2e6, 0}}}, "east_m");
  refused((struct order){.kind = ORDER_SET_POINT, .setpoint = {{0, 0, 1}, {0, 0, 7.1}}}, "heading_rad");
  static const char *const names[] = {"", ".hidden", "../up", "a b", "-option", "a/b"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct order order = {.kind = ORDER_SNAPSHOT};
    snprintf(order.name, sizeof order.name, "%s", names[i]);
    refused(order, "letters, digits");
    order.kind = ORDER_RESTORE;
    refused(order, "letters, digits");
  }
}
END_TEST

START_TEST(numbers_that_are_not_finite_do_not_get_out_or_in) {
  struct order order = {.kind = ORDER_SET_POINT, .setpoint = {{1, 0, 0}, {(double)NAN, 0, 0}}};
  ck_assert_uint_eq(wire_pack_order(&HEADER, &order, bytes, sizeof bytes), 0);
  order.setpoint.value[0] = 1;
  size_t size = wire_pack_order(&HEADER, &order, bytes, sizeof bytes);
  const double one = 1, infinite = (double)INFINITY;
  uint8_t *at = bytes;
  while (memcmp(at, &one, sizeof one) != 0)
    at++;
  memcpy(at, &infinite, sizeof infinite);
  ck_assert_int_eq(unpack(size), WIRE_NOT_FINITE);
}
END_TEST

START_TEST(an_order_of_a_later_protocol_is_refused_with_its_number) {
  struct order order = {.kind = ORDER_PAUSE};
  size_t size = wire_pack_order(&HEADER, &order, bytes, sizeof bytes);
  // The second byte is the length of the Order. Its last field is the order, tag 7, length 0: instead 50, a
  // tag of two bytes.
  ck_assert_uint_eq(bytes[1], size - 2);
  ck_assert_uint_eq(bytes[size - 2], 7 << 3 | 2);
  bytes[1]++;
  bytes[size - 2] = (50 << 3 & 0x7f) | 2 | 0x80;
  bytes[size - 1] = 50 << 3 >> 7;
  bytes[size++] = 0;
  ck_assert_int_eq(unpack(size), WIRE_MALFORMED);
  ck_assert_msg(strstr(why.text, "field number 50") != NULL, "%s", why.text);
}
END_TEST

static struct wire_status full_status(void) {
  struct wire_status s = {.header = HEADER,
                          .name = "case",
                          .mode = RUN_LOCKSTEP,
                          .wall_s = 3.5,
                          .rate = 2,
                          .duration_s = 60,
                          .is_paused = 1,
                          .pause = {.halted = 1, .why = "late", .operator_name = "anna", .wall_s = 0.5},
                          .pauses = 3,
                          .paused_wall_s = 1.5,
                          .has_setpoint = 1,
                          .setpoint = {1, 2, 0.3},
                          .setpoint_order = 9,
                          .peer_count = WIRE_MAX_PEERS,
                          .deadline_misses = 4,
                          .skipped_periods = 5,
                          .lag_s = 0.05,
                          .has_log = 1,
                          .has_checkpoint = 1,
                          .log = {.stalled = 1, .dropped = 6, .commands_missing = 1, .replayable_to_step = 7},
                          .checkpoint = {.written = 8, .skipped = 9, .failed = 10, .last_step = 11},
                          .orders_accepted = 12,
                          .orders_refused = 13,
                          .order_newest = 14,
                          .order_in_effect = 15,
                          .version = "1.2",
                          .fault_count = 16};
  for (int i = 0; i < WIRE_MAX_PEERS; i++) {
    memset(s.peer[i].name, 'x', sizeof s.peer[i].name - 1);
    s.peer[i].number = (uint64_t)i + 1;
    s.peer[i].in_command = i == 2;
    s.peer[i].heard_s_ago = 0.25;
    s.peer[i].joined_s_ago = 100;
    memset(s.peer[i].key, 'k', sizeof s.peer[i].key - 1);
  }
  memset(s.log.path, 'l', sizeof s.log.path - 1);
  memset(s.checkpoint.path, 'c', sizeof s.checkpoint.path - 1);
  memset(s.pause.why, 'w', sizeof s.pause.why - 1);
  return s;
}

static void same_status(const struct wire_status *a, const struct wire_status *b) {
  ck_assert_uint_eq(a->header.step, b->header.step);
  ck_assert_str_eq(a->name, b->name);
  ck_assert(a->mode == b->mode && a->wall_s == b->wall_s && a->rate == b->rate &&
            a->duration_s == b->duration_s);
  ck_assert(a->is_paused == b->is_paused && a->pauses == b->pauses && a->paused_wall_s == b->paused_wall_s);
  ck_assert_mem_eq(&a->pause, &b->pause, sizeof a->pause);
  ck_assert(a->has_setpoint == b->has_setpoint && a->setpoint_order == b->setpoint_order);
  ck_assert_mem_eq(a->setpoint, b->setpoint, sizeof a->setpoint);
  ck_assert_int_eq(a->peer_count, b->peer_count);
  for (int i = 0; i < a->peer_count; i++) {
    ck_assert_str_eq(a->peer[i].name, b->peer[i].name);
    ck_assert_str_eq(a->peer[i].key, b->peer[i].key);
    ck_assert(a->peer[i].number == b->peer[i].number && a->peer[i].in_command == b->peer[i].in_command);
  }
  ck_assert(a->deadline_misses == b->deadline_misses && a->skipped_periods == b->skipped_periods &&
            a->lag_s == b->lag_s);
  ck_assert_mem_eq(&a->log, &b->log, sizeof a->log);
  ck_assert_mem_eq(&a->checkpoint, &b->checkpoint, sizeof a->checkpoint);
  ck_assert(a->orders_accepted == b->orders_accepted && a->orders_refused == b->orders_refused &&
            a->order_newest == b->order_newest && a->order_in_effect == b->order_in_effect);
  ck_assert_str_eq(a->version, b->version);
  ck_assert_uint_eq(a->fault_count, b->fault_count);
}

START_TEST(the_largest_status_fits_and_comes_back) {
  struct wire_status status = full_status();
  ck_assert_msg(unpack(wire_pack_status(&status, WIRE_ENVELOPE, bytes, sizeof bytes)) == WIRE_OK, "%s",
                why.text);
  ck_assert_int_eq(m.kind, WIRE_STATUS);
  same_status(&m.as.status, &status);
}
END_TEST

START_TEST(the_largest_receipt_with_a_status_fits) {
  static struct wire_receipt receipt = {
      .received_sequence = 5, .number = 3, .active_count = WIRE_MAX_ACTIVE, .has_status = 1};
  receipt.status = full_status();
  for (int i = 0; i < WIRE_MAX_ACTIVE; i++) {
    struct wire_active *a = &receipt.active[i];
    snprintf(a->name, sizeof a->name, "name-of-23-characters%02d", i);
    snprintf(a->fault.kind, sizeof a->fault.kind, "swapped_feedback_______");
    snprintf(a->fault.target, sizeof a->fault.target, "target-of-23-characters");
    a->fault.parameter_count = 2;
    for (int k = 0; k < 2; k++) {
      a->fault.parameter[k].is_text = 1;
      snprintf(a->fault.parameter[k].name, sizeof a->fault.parameter[k].name, "restart_interval_s_____");
      snprintf(a->fault.parameter[k].text, sizeof a->fault.parameter[k].text, "target-of-23-characters");
    }
    a->pending = i % 2;
  }
  ck_assert_msg(unpack(wire_pack_receipt(&HEADER, &receipt, bytes, sizeof bytes)) == WIRE_OK, "%s", why.text);
  ck_assert_int_eq(m.as.receipt.active_count, WIRE_MAX_ACTIVE);
  ck_assert_uint_eq(m.as.receipt.number, 3);
  ck_assert(m.as.receipt.has_status && m.as.receipt.active[1].pending && !m.as.receipt.active[0].pending);
  same_status(&m.as.receipt.status, &receipt.status);
  receipt.has_status = 0;
  ck_assert_msg(unpack(wire_pack_receipt(&HEADER, &receipt, bytes, sizeof bytes)) == WIRE_OK, "%s", why.text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("orders");
  TCase *tc = add_case(suite, "orders", 4);
  tcase_add_test(tc, every_order_comes_back);
  tcase_add_test(tc, what_is_out_of_bounds_is_refused_with_its_field);
  tcase_add_test(tc, numbers_that_are_not_finite_do_not_get_out_or_in);
  tcase_add_test(tc, an_order_of_a_later_protocol_is_refused_with_its_number);
  tcase_add_test(tc, the_largest_status_fits_and_comes_back);
  tcase_add_test(tc, the_largest_receipt_with_a_status_fits);
  return run_suite(suite);
}
