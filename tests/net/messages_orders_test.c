// The codec of an operator's orders and of the Status: every kind comes back, and what is wrong is refused
// with its field.
#include "net/fields/fields.h"
#include "net/messages/messages.h"

#include "sagbend/v1/envelope.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

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
                          .request = {.kind = "no_output", .target = "all"}};
    ck_assert_msg(unpack(wire_pack_order(&HEADER, &order, bytes, sizeof bytes)) == WIRE_OK, "%s", why.text);
    const struct order *got = &m.as.order;
    ck_assert_int_eq(m.kind, WIRE_ORDER);
    ck_assert_int_eq(got->kind, kind);
    ck_assert_str_eq(got->operator_name, "anna");
    if (kind == ORDER_SNAPSHOT || kind == ORDER_RESTORE || kind == ORDER_CLEAR)
      ck_assert_str_eq(got->name, "calm-1");
    if (kind == ORDER_RATE)
      ck_assert_double_eq(got->rate, 0.25);
    if (kind == ORDER_SETPOINT) {
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
  refused((struct order){.kind = ORDER_SETPOINT}, "at least one");
  refused((struct order){.kind = ORDER_SETPOINT, .setpoint = {{1, 0, 0}, {1.1e6, 0, 0}}}, "north_m");
  refused((struct order){.kind = ORDER_SETPOINT, .setpoint = {{0, 1, 0}, {0, -2e6, 0}}}, "east_m");
  refused((struct order){.kind = ORDER_SETPOINT, .setpoint = {{0, 0, 1}, {0, 0, 7.1}}}, "heading_rad");
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
  struct order order = {.kind = ORDER_SETPOINT, .setpoint = {{1, 0, 0}, {(double)NAN, 0, 0}}};
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

// Every field of a message that is not repeated gets a value of its own; bytes have none.
static void fill(ProtobufCMessage *message, double *next) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *f = message->descriptor->fields + i;
    void *at = (char *)message + f->offset;
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
      continue;
    *next += 1;
    if (f->type == PROTOBUF_C_TYPE_DOUBLE)
      *(double *)at = *next;
    else if (f->type == PROTOBUF_C_TYPE_UINT64)
      *(uint64_t *)at = (uint64_t)*next;
    else if (f->type == PROTOBUF_C_TYPE_UINT32)
      *(uint32_t *)at = (uint32_t)*next;
    else if (f->type == PROTOBUF_C_TYPE_BOOL)
      *(protobuf_c_boolean *)at = 1;
    else if (f->type == PROTOBUF_C_TYPE_ENUM)
      *(int *)at = 1;
    else if (f->type == PROTOBUF_C_TYPE_MESSAGE && *(void **)at)
      fill(*(void **)at, next);
  }
}

static void long_text(struct wire_status *s, char **out, size_t size, char letter) {
  char text[WIRE_MAX_TEXT + 1] = "";
  memset(text, letter, size);
  *out = wire_status_text(s, text);
}

static void full_status(struct wire_status *s) {
  double next = 0;
  wire_begin_status(s);
  s->message.pause = &s->pause;
  s->message.setpoint = &s->setpoint;
  s->message.track = &s->track;
  s->message.log = &s->log;
  s->message.checkpoint = &s->checkpoint;
  s->message.earlier = &s->earlier;
  s->message.station = &s->station;
  s->message.tensioner = &s->tensioner;
  s->message.operation = &s->operation;
  fill(&s->message.base, &next);
  wire_status_header(s, &HEADER);
  long_text(s, &s->message.name, WIRE_NAME - 1, 'n');
  s->message.version = wire_status_text(s, "1.2");
  for (int i = 0; i < WIRE_MAX_PEERS; i++) {
    Sagbend__V1__PeerStatus *peer = wire_status_peer(s);
    fill(&peer->base, &next);
    Sagbend__V1__ListedStatus *listed = wire_status_listed(s);
    ck_assert_int_eq(listed != NULL, i < MAX_CONTROLLERS);
    if (listed)
      fill(&listed->base, &next);
    long_text(s, &peer->name, WIRE_NAME - 1, 'x');
    long_text(s, &peer->key, WIRE_KEY_NAME - 1, 'k');
  }
  ck_assert_ptr_null(wire_status_peer(s));
  struct command_counts counts = {.accepted = UINT64_MAX};
  for (int i = 0; i < REFUSAL_COUNT; i++)
    counts.refused[i] = (uint64_t)1 << 50;
  wire_status_commands(s, &counts);
  ck_assert_uint_eq(s->message.n_refused_by_reason, REFUSAL_COUNT);
  for (int i = 0; i < WIRE_MAX_REFUSED; i++) {
    Sagbend__V1__Refused *refused = wire_status_refused(s);
    fill(&refused->base, &next);
    long_text(s, &refused->peer, 2 * WIRE_NAME + 40, 'p');
    long_text(s, &refused->reason, 20, 'r');
    long_text(s, &refused->text, WIRE_MAX_TEXT, 't');
  }
  ck_assert_ptr_null(wire_status_refused(s));
  static struct frame frame = {.command_state = COMMAND_LIVE};
  for (int i = 0; i < NOTICE_COUNT; i++)
    frame.notices.kind[i] = (struct notice){
        .count = UINT64_MAX, .step = UINT64_MAX, .active = 1, .value = {-1.2345e-100, -1.2345e-100, 3}};
  wire_status_commanded(s, &frame, (const double[6]){-1.5, -2.5, 0, 0, 0, -3.5});
  ck_assert_uint_eq(s->message.n_notice, WIRE_MAX_NOTICES);
  ck_assert(s->message.command->hold_yaw_nm == -3.5);
  long_text(s, &s->log.path, WIRE_MAX_TEXT, 'l');
  long_text(s, &s->checkpoint.path, WIRE_MAX_TEXT, 'c');
  long_text(s, &s->orders.failure, WIRE_MAX_TEXT, 'f');
  long_text(s, &s->pause.why, WIRE_MAX_TEXT, 'w');
  long_text(s, &s->pause.operator_, WIRE_NAME - 1, 'o');
  long_text(s, &s->message.telemetry_endpoint, 127, 't');
  long_text(s, &s->operation.name, SIGNAL_NAME - 1, 'p');
  ck_assert_uint_eq(strlen(s->operation.name), SIGNAL_NAME - 1); // there was room for all of them
  static struct dp_alarm_state alarms = {
      .raised = UINT64_MAX, .changes = UINT64_MAX, .newest_step = UINT64_MAX};
  alarms.list.count = MAX_DP_ALARMS;
  for (int i = 0; i < MAX_DP_ALARMS; i++) {
    alarms.step[i] = UINT64_MAX;
    memset(alarms.list.alarm[i].source, 's', SIGNAL_NAME - 1);
    memset(alarms.list.alarm[i].text, 't', DP_ALARM_TEXT - 1);
  }
  wire_status_alarms(s, &(struct wire_alarms){&alarms, UINT64_MAX, 0.01});
  ck_assert_str_eq(s->message.alarm[MAX_DP_ALARMS - 1]->source, alarms.list.alarm[0].source);
}

// Both pack to the same bytes.
static void same_status(const Sagbend__V1__Status *a, const Sagbend__V1__Status *b) {
  static uint8_t packed[2][WIRE_MAX_ENVELOPE];
  size_t size = sagbend__v1__status__get_packed_size(a);
  ck_assert_uint_le(size, sizeof packed[0]);
  ck_assert_uint_eq(sagbend__v1__status__get_packed_size(b), size);
  sagbend__v1__status__pack(a, packed[0]);
  sagbend__v1__status__pack(b, packed[1]);
  ck_assert_mem_eq(packed[0], packed[1], size);
}

START_TEST(the_largest_status_fits_and_comes_back) {
  static struct wire_status status;
  full_status(&status);
  size_t size = wire_pack_status(&status, WIRE_ENVELOPE, bytes, sizeof bytes);
  ck_assert_msg(unpack(size) == WIRE_OK, "%s", why.text);
  ck_assert_int_eq(m.kind, WIRE_STATUS);
  ck_assert(m.as.hold.is_paused && m.header.step == HEADER.step);
  ck_assert_str_eq(m.as.hold.why, status.pause.why);
  ck_assert_str_eq(m.as.hold.operator_name, status.pause.operator_);
  Sagbend__V1__Envelope *envelope = sagbend__v1__envelope__unpack(NULL, size, bytes);
  status.message.n_alarm = 0; // no room beside the rest at its longest
  same_status(envelope->status, &status.message);
  ck_assert_uint_eq(envelope->status->alarms->active, MAX_DP_ALARMS);
  sagbend__v1__envelope__free_unpacked(envelope, NULL);
  status.message.pause = NULL;
  ck_assert_int_eq(unpack(wire_pack_status(&status, WIRE_ENVELOPE, bytes, sizeof bytes)), WIRE_OK);
  ck_assert(!m.as.hold.is_paused);
}
END_TEST

START_TEST(the_largest_receipt_with_a_status_fits) {
  static struct wire_receipt receipt = {.received_sequence = 5, .number = 3, .active_count = WIRE_MAX_ACTIVE};
  static struct wire_status status;
  full_status(&status);
  receipt.status = &status;
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
  size_t size = wire_pack_receipt(&HEADER, &receipt, bytes, sizeof bytes);
  ck_assert_msg(unpack(size) == WIRE_OK, "%s", why.text);
  ck_assert(m.kind == WIRE_RECEIPT && m.as.received_sequence == 5);
  Sagbend__V1__Receipt *got = wire_open_receipt(bytes, size);
  ck_assert(got->number == 3 && got->active_count == WIRE_MAX_ACTIVE &&
            got->n_active == WIRE_MAX_ACTIVE_BESIDE_STATUS);
  ck_assert(got->active[1]->pending && !got->active[0]->pending);
  ck_assert_str_eq(got->active[WIRE_MAX_ACTIVE_BESIDE_STATUS - 1]->parameter[1]->text,
                   "target-of-23-characters");
  status.message.n_alarm = 0; // no room
  same_status(got->status, &status.message);
  wire_free_receipt(got);
  receipt.status = NULL;
  size = wire_pack_receipt(&HEADER, &receipt, bytes, sizeof bytes);
  ck_assert_msg(unpack(size) == WIRE_OK, "%s", why.text);
  got = wire_open_receipt(bytes, size);
  ck_assert(!got->status && got->n_active == WIRE_MAX_ACTIVE);
  wire_free_receipt(got);
}
END_TEST

// Fields without a row of sagbend/rig/status.inc, and why.
static const char *const WITHOUT_ROW[] = {
    "header.protocol",
    "header.sequence", // of the message, not of the session
    "verdict",         // on the topic status only: sagbend ctl watch, the page, metrics of their own
    "fault",           // as well; sagbend ctl prints those of the Receipt
};

static int has_row(const char *path) {
  int count = 0;
  for (int i = 0; i < STATUS_ROW_COUNT; i++)
    count += STATUS_ROWS[i].message == STATUS_OF_STATUS && !strcmp(STATUS_ROWS[i].field, path);
  for (size_t i = 0; i < sizeof WITHOUT_ROW / sizeof *WITHOUT_ROW; i++)
    if (!strcmp(path, WITHOUT_ROW[i])) {
      ck_assert_msg(!count, "%s has a row and stands in WITHOUT_ROW", path);
      return 1;
    }
  return count > 0;
}

static void every_field_has_a_row(const ProtobufCMessageDescriptor *type, const char *prefix) {
  for (unsigned i = 0; i < type->n_fields; i++) {
    const ProtobufCFieldDescriptor *f = type->fields + i;
    char path[128];
    snprintf(path, sizeof path, "%s%s", prefix, f->name);
    if (has_row(path))
      continue;
    ck_assert_msg(f->type == PROTOBUF_C_TYPE_MESSAGE,
                  "Status.%s has no row in sagbend/rig/status.inc and is not in WITHOUT_ROW", path);
    snprintf(path, sizeof path, "%s%s.", prefix, f->name);
    every_field_has_a_row(f->descriptor, path);
  }
}

START_TEST(every_field_of_a_status_has_a_row_and_every_row_a_field) {
  static const ProtobufCMessageDescriptor *const types[] = {
      [STATUS_OF_STATUS] = &sagbend__v1__status__descriptor,
      [STATUS_OF_TIMING] = &sagbend__v1__timing__descriptor,
      [STATUS_OF_TRUTH] = &sagbend__v1__truth__descriptor,
      [STATUS_OF_LEDGER] = &sagbend__v1__ledger__descriptor};
  every_field_has_a_row(&sagbend__v1__status__descriptor, "");
  for (size_t i = 0; i < sizeof WITHOUT_ROW / sizeof *WITHOUT_ROW; i++)
    ck_assert_ptr_nonnull(message_field(&sagbend__v1__status__descriptor, WITHOUT_ROW[i]));
  for (int i = 0; i < STATUS_ROW_COUNT; i++) {
    const struct status_row *row = &STATUS_ROWS[i];
    const ProtobufCFieldDescriptor *f = message_field(types[row->message], row->field);
    ck_assert_msg(f && f->type != PROTOBUF_C_TYPE_MESSAGE, "no field %s", row->field);
    const char *value = strchr(row->text, '%');
    if (value && value[1] != '%' && (value[1] != 's') != (f->type == PROTOBUF_C_TYPE_DOUBLE))
      ck_abort_msg("%s: %%s is for counts, flags, texts and enumerators, %%.Nf and %%g for numbers",
                   row->field);
    for (int k = 0; *row->name && k < i; k++)
      ck_assert_str_ne(row->name, STATUS_ROWS[k].name);
    ck_assert(!*row->name == !*row->type && !*row->name == !*row->help);
  }
}
END_TEST

// What JSON makes of a message: names, angles in degrees, words, null.
START_TEST(a_status_as_json) {
  static struct wire_status s;
  static const char *const left_out[] = {"header", "orders", "security", "verdict", "fault", NULL};
  const double setpoint[3] = {1, -2.5, 3.14159265358979323846 / 2};
  cJSON *root = cJSON_CreateObject();
  wire_begin_status(&s);
  wire_status_setpoint(&s, setpoint, 9);
  s.message.mode = SAGBEND__V1__RUN_MODE__RUN_MODE_LOCKSTEP;
  s.message.log = &s.log;
  s.log.stalled = 1;
  s.message.track = &s.track;
  s.message.pauses = 3;
  Sagbend__V1__PeerStatus *peer = wire_status_peer(&s);
  peer->name = wire_status_text(&s, "dp");
  peer->in_command = 1;
  json_add_message(root, &s.message.base, left_out);
  char *text = cJSON_PrintUnformatted(root);
  ck_assert_str_eq(
      text,
      "{\"name\":null,\"mode\":\"lockstep\",\"wall_s\":0,\"rate\":null,\"duration_s\":null,\"pause\":null,"
      "\"pauses\":3,\"paused_wall_s\":0,"
      "\"setpoint\":{\"north_m\":1,\"east_m\":-2.5,\"heading_deg\":90,\"order\":9},"
      "\"peer\":[{\"name\":\"dp\",\"number\":0,\"in_command\":true,\"heard_s_ago\":0,\"joined_s_ago\":0,"
      "\"key\":null,\"never_commanded\":false,\"listed\":null}],\"late_steps\":0,\"lost_periods\":0,\"lag_"
      "s\":0,"
      "\"log\":{\"path\":null,\"stalled\":true,\"dropped\":0,\"commands_missing\":false,"
      "\"replayable_to_step\":null},\"checkpoint\":null,\"version\":null,\"fault_count\":0,"
      "\"station\":null,\"tensioner\":null,"
      "\"track\":{\"stopped\":false,\"speed_mps\":null,\"order\":0},\"operation\":null,"
      "\"commands_accepted\":0,\"commands_refused\":0,\"refused_by_reason\":[],\"refused\":[],"
      "\"telemetry_endpoint\":null,\"earlier\":null,\"command\":null,\"notice\":[],\"alarm\":[],"
      "\"alarms\":null,\"clock\":null}");
  cJSON_free(text);
  cJSON_Delete(root);
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
  tcase_add_test(tc, every_field_of_a_status_has_a_row_and_every_row_a_field);
  tcase_add_test(tc, a_status_as_json);
  return run_suite(suite);
}
