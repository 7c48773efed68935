// The command line of `sagbend ctl`: orders, and what is none.
#include "run/ctl/ctl.h"
#include "run/ctl/ctl_internal.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ctl_view CTL_WATCH = {"watch", "[--telemetry ENDPOINT]",
                                   "Show the session on the terminal, four times a second"};

static enum status take_file_name(struct order *order, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(order->manager.name, sizeof order->manager.name, "%s", text) <
             sizeof order->manager.name;
  return fits && *text ? STATUS_OK : order_words_error(why, "a name expected, got", text);
}

// The name of the order takes the endpoint.
static enum status read_watch(struct order *order, int argc, char **argv, struct reason *why) {
  struct reason cause = {""};
  if (argc == 0)
    return STATUS_OK;
  if (argc != 2 || strcmp(argv[0], "--telemetry") != 0)
    return order_words_error(why, "watch: --telemetry ENDPOINT or nothing expected, got", argv[0]);
  if (endpoint_check(argv[1], ENDPOINT_CONNECT, &cause) != STATUS_OK)
    return order_words_error(why, "an endpoint to connect to expected, got", cause.text);
  return take_file_name(order, argv[1], why);
}

static enum status refuse_word(const char *word, struct reason *why) {
  struct nearest nearest = nearest_to(word);
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    nearest_try(&nearest, ORDER_ROWS[i].word);
  nearest_try(&nearest, CTL_WATCH.word);
  return fail(why, STATUS_BAD_INPUT, "unknown order '%.64s'%s; see 'sagbend ctl --help'", word,
              nearest_hint(&nearest).text);
}

enum status ctl_read_order(struct order *order, int argc, char **argv, struct reason *why) {
  const struct order_row *row = order_called(argv[0]);
  order->kind = ORDER_STATUS;
  if (row)
    return order_read_words(order, argc, argv, why);
  return !strcmp(argv[0], CTL_WATCH.word) ? read_watch(order, argc - 1, argv + 1, why)
                                          : refuse_word(argv[0], why);
}

void ctl_name_operator(struct order *order) {
  const char *user = getenv("USER");
  snprintf(order->operator_name, sizeof order->operator_name, "%s", user && *user ? user : "sagbend ctl");
}

static enum status run_watch(const char *endpoint, const struct client_keys *keys, const struct order *order,
                             int json, struct reason *why) {
  if (json)
    return order_words_error(why, "watch prints no JSON:", "--json");
  return ctl_watch(endpoint, *order->manager.name ? order->manager.name : NULL, keys, why);
}

int ctl_needs_more(const struct order *order, char **argv) {
  const enum order_payload payload = order_payload(order->kind);
  return payload == PAYLOAD_LIST || payload == PAYLOAD_PIECE || !strcmp(argv[0], CTL_WATCH.word);
}

static enum status ctl_list(const char *endpoint, const struct client_keys *keys, const struct order *order,
                            int json, struct reason *why);

enum status ctl_run(const char *endpoint, const struct client_keys *keys, const struct order *order,
                    char **argv, int json, struct reason *why) {
  if (order_payload(order->kind) == PAYLOAD_LIST)
    return ctl_list(endpoint, keys, order, json, why);
  if (order_payload(order->kind) == PAYLOAD_PIECE)
    return ctl_fetch(endpoint, keys, order, argv[2], json, why);
  return run_watch(endpoint, keys, order, json, why);
}

const struct ctl_option CTL_OPTIONS[] = {
    {"--json", "Print one JSON object instead of text."},
    {"--key FILE", "The operator's secret key ('sagbend keygen --role operator FILE'), for a simulator that "
                   "requires keys."},
    {"--server-key KEY", "The simulator's public key, or the file .pub that contains it."},
    {"--telemetry ENDPOINT", "Watch: the telemetry (as the simulator states it)."},
    {"--target NAME", "Fault: the instrument, thruster or bus; all: each of them."},
    {"--for S", "Fault: simulated time until it ends by itself (until it is cleared)."},
    {"--name NAME", "Fault: what messages call it and what clears it (the kind and a number)."},
};
const int CTL_OPTION_COUNT = sizeof CTL_OPTIONS / sizeof *CTL_OPTIONS;

const char CTL_PURPOSE[] = "Send an operator's order to a running simulation and print the answer.";
const char CTL_DETAILS[] = "ENDPOINT is the simulator's command endpoint, as it prints it. Orders are logged "
                           "with the step from which on they are in effect, and replayed.";
const char CTL_STATUSES[] = "0 the simulator accepted the order; 1 it refused the order, or there was no "
                            "answer; 2 wrong usage";
const char *const CTL_EXAMPLES[] = {"sagbend ctl tcp://127.0.0.1:47700 status --json",
                                    "sagbend ctl tcp://127.0.0.1:47700 set-point --north 20 --heading-deg 45",
                                    "sagbend ctl tcp://127.0.0.1:47700 fault loss --probability 0.3 --for 20",
                                    "sagbend ctl tcp://127.0.0.1:47700 tensioner tension 1.5e6",
                                    "sagbend ctl tcp://127.0.0.1:47700 track speed 0.3",
                                    "sagbend ctl tcp://127.0.0.1:47700 emergency-stop bow_tunnel_1",
                                    "sagbend ctl tcp://127.0.0.1:47700 clear all",
                                    NULL};

// ------------------------------------------------------------
enum { PATIENCE_MS = 5000 };

enum status ctl_exchange(struct operator_line *line, struct order *order, Sagbend__V1__Receipt **receipt,
                         struct reason *why) {
  ctl_name_operator(order);
  enum status status = operator_line_send(line, order, why);
  if (status != STATUS_OK)
    return status;
  switch (operator_line_take(line, PATIENCE_MS, receipt, why)) {
  case OPERATOR_RECEIPT:
    return (*receipt)->manager ? STATUS_OK
                               : fail(why, STATUS_IO, "a simulator answers here, not a session manager");
  case OPERATOR_REFUSED:
    return STATUS_IO;
  default:
    return fail(why, STATUS_IO,
                "no answer from a session manager within %g s, or --key and --server-key do not fit it",
                1e-3 * PATIENCE_MS);
  }
}

static void print_case(const Sagbend__V1__CaseInfo *c) {
  if (*c->error)
    printf("%-32s invalid: %s\n", c->name, c->error);
  else
    printf("%s\n", c->name);
}

static void print_log(const Sagbend__V1__LogInfo *l) {
  printf("%-52s %12" PRIu64 " bytes  %s%s\n", l->name, l->size, l->changed_at, l->growing ? "  growing" : "");
}

static void add_entry(cJSON *list, const ProtobufCMessage *entry) {
  cJSON *item = cJSON_CreateObject();
  json_add_message(item, entry, NULL);
  cJSON_AddItemToArray(list, item);
}

static void take_entries(const Sagbend__V1__ManagerResponse *m, cJSON *list) {
  for (size_t i = 0; i < m->n_case_; i++) {
    if (list)
      add_entry(list, &m->case_[i]->base);
    else
      print_case(m->case_[i]);
  }
  for (size_t i = 0; i < m->n_log; i++) {
    if (list)
      add_entry(list, &m->log[i]->base);
    else
      print_log(m->log[i]);
  }
}

// Takes all answers; list NULL: prints each entry.
static enum status take_list(struct operator_line *line, struct order *order, cJSON *list,
                             Sagbend__V1__Receipt **receipt, struct reason *why) {
  for (order->manager.first = 0;;) {
    enum status status = ctl_exchange(line, order, receipt, why);
    if (status != STATUS_OK)
      return status;
    const Sagbend__V1__ManagerResponse *m = (*receipt)->manager;
    if (m->status || m->piece)
      return fail(why, STATUS_IO, "another answer than a list");
    take_entries(m, list);
    uint32_t count = (uint32_t)(m->n_case_ + m->n_log);
    order->manager.first += count;
    if (count == 0 || order->manager.first >= m->total)
      return STATUS_OK;
  }
}

// Send an order as often as the list needs it, and print all of it. STATUS_IO: no answer, or a refusal.
static enum status ctl_list(const char *endpoint, const struct client_keys *keys, const struct order *order,
                            int json, struct reason *why) {
  struct operator_line *line;
  struct order next = *order;
  Sagbend__V1__Receipt *receipt = NULL;
  enum status status = operator_line_open(endpoint, keys, &line, why);
  if (status != STATUS_OK)
    return status;
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON *list = cJSON_AddArrayToObject(root, order_word(order->kind));
  status = take_list(line, &next, json ? list : NULL, &receipt, why);
  if (status == STATUS_OK && json)
    status = json_put_in_line(root, why);
  else
    cJSON_Delete(root);
  wire_free_receipt(receipt);
  operator_line_close(line);
  return status;
}

static void print_last(const Sagbend__V1__SessionEnd *e) {
  printf("%-14s%s, %.0f s ago: %s\n", "last session", e->case_, e->ended_s_ago, e->text);
  for (size_t i = 0; i < e->n_line && (e->signal || e->exit_status); i++)
    printf("%-14s%s\n", "", e->line[i]);
}

void ctl_print_manager(const Sagbend__V1__ManagerStatus *s) {
  struct message_value state;
  message_find(&s->base, "state", &state);
  printf("%-14s%s\n", "state", s->process ? state.text : "no session runs");
  printf("%-14s%s\n", "case", *s->case_ ? s->case_ : "none loaded");
  if (s->process) {
    printf("%-14s%s, process %" PRIu64 ", for %.1f s\n", "session", *s->session ? s->session : "starts",
           s->process, s->running_s);
    printf("%-14s%s\n", "commands at", *s->command_endpoint ? s->command_endpoint : "-");
    printf("%-14s%s\n", "telemetry at", *s->telemetry_endpoint ? s->telemetry_endpoint : "-");
    if (*s->command_endpoint_b)
      printf("%-14s%s\n", "network B at", s->command_endpoint_b);
    if (*s->telemetry_endpoint_b)
      printf("%-14s%s\n", "telemetry B", s->telemetry_endpoint_b);
    if (s->silent_s > 3)
      printf("%-14sit has not answered for %.1f s\n", "silent", s->silent_s);
  }
  printf("%-14s%s\n", "cases in", s->folder);
  printf("%-14s%s\n", "logs in", s->log_folder);
  printf("%-14s%" PRIu64 "\n", "started", s->started);
  if (s->last)
    print_last(s->last);
}

// ------------------------------------------------------------
// Messages into the model.

void watch_init(struct watch_model *model, const char *endpoint) {
  memset(model, 0, sizeof *model);
  model->endpoint = endpoint;
  model->heard_ms = model->answered_ms = -1;
}

static void release(void *message) {
  if (message)
    protobuf_c_message_free_unpacked(message, NULL);
}

void watch_end(struct watch_model *model) {
  release(model->sensors);
  release(model->truth);
  release(model->timing);
  release(model->judged);
  release(model->answer);
}

static void copy(char *out, size_t size, const char *text) {
  wire_clean_text(out, size, text ? text : "");
}

static void add_event(struct watch_model *m, double time_s, const char *name, const char *text) {
  if (m->event_count == WATCH_EVENTS)
    memmove(&m->event[0], &m->event[1], (WATCH_EVENTS - 1) * sizeof m->event[0]);
  else
    m->event_count++;
  struct watch_event *event = &m->event[m->event_count - 1];
  event->time_s = time_s;
  copy(event->name, sizeof event->name, name);
  copy(event->text, sizeof event->text, text);
}

static void begin_session(struct watch_model *m, const char *session, double time_s) {
  char before[WIRE_NAME], text[WATCH_TEXT];
  uint64_t lost = m->lost, not_read = m->not_read, sessions = m->sessions;
  int64_t heard_ms = m->heard_ms, answered_ms = m->answered_ms;
  memcpy(before, m->session, sizeof before);
  watch_end(m);
  watch_init(m, m->endpoint);
  m->lost = lost;
  m->not_read = not_read;
  m->sessions = sessions + 1;
  m->heard_ms = heard_ms;
  m->answered_ms = answered_ms;
  copy(m->session, sizeof m->session, session);
  if (*before) {
    snprintf(text, sizeof text, "after %s", before);
    add_event(m, time_s, "new_session", text);
  }
}

static void take_pace(struct watch_model *m, double time_s, int64_t now_ms) {
  if (m->pace_count == WATCH_PACES)
    memmove(&m->pace[0], &m->pace[1], (WATCH_PACES - 1) * sizeof m->pace[0]);
  else
    m->pace_count++;
  m->pace[m->pace_count - 1].time_s = time_s;
  m->pace[m->pace_count - 1].at_ms = now_ms;
}

// The part that every message has: its session, a gap in its numbers, the time.
static void take_header(struct watch_model *m, const Sagbend__V1__Header *h, int topic, int64_t now_ms) {
  if (strcmp(h->session, m->session) != 0)
    begin_session(m, h->session, h->time_s);
  if (m->sequence[topic] && h->sequence > m->sequence[topic] + 1)
    m->lost += h->sequence - m->sequence[topic] - 1;
  m->sequence[topic] = h->sequence;
  if (h->step >= m->step) {
    m->step = h->step;
    m->time_s = h->time_s;
  }
  m->heard_ms = now_ms;
}

static void note_thrust(struct watch_model *m) {
  for (size_t i = 0; i < m->truth->n_thruster; i++)
    m->largest_thrust_n = fmax(m->largest_thrust_n, fabs(m->truth->thruster[i]->thrust_n));
}

enum { TOPIC_SENSORS, TOPIC_TRUTH, TOPIC_TIMING, TOPIC_STATUS, TOPIC_EVENT, TOPIC_END, TOPIC_COUNT };

static const struct {
  const char *name;
  const ProtobufCMessageDescriptor *descriptor;
} TOPICS[TOPIC_COUNT] = {
    {"sensors", &sagbend__v1__sensors__descriptor}, {"truth", &sagbend__v1__truth__descriptor},
    {"timing", &sagbend__v1__timing__descriptor},   {"status", &sagbend__v1__status__descriptor},
    {"event", &sagbend__v1__event__descriptor},     {"end", &sagbend__v1__end__descriptor}};

// Keeps the message, or releases it.
static void take_content(struct watch_model *m, int topic, void *message, int64_t now_ms) {
  void *old = message; // its type follows from the descriptor
  const Sagbend__V1__Event *event = message;
  const Sagbend__V1__End *end = message;
  switch (topic) {
  case TOPIC_SENSORS:
    old = m->sensors;
    m->sensors = message;
    take_pace(m, m->sensors->header->time_s, now_ms);
    break;
  case TOPIC_TRUTH:
    old = m->truth;
    m->truth = message;
    note_thrust(m);
    break;
  case TOPIC_TIMING:
    old = m->timing;
    m->timing = message;
    break;
  case TOPIC_STATUS:
    old = m->judged;
    m->judged = message;
    break;
  case TOPIC_EVENT:
    add_event(m, event->header->time_s, event->name, event->text);
    break;
  default:
    copy(m->why_ended, sizeof m->why_ended, *end->why ? end->why : "ended");
    add_event(m, end->header->time_s, "end", end->why);
  }
  release(old);
}

void watch_take_telemetry(struct watch_model *m, int64_t now_ms, const char *topic, const void *data,
                          size_t size) {
  int which = 0;
  while (which < TOPIC_COUNT && strcmp(topic, TOPICS[which].name) != 0)
    which++;
  if (which == TOPIC_COUNT)
    return; // a later version's
  struct wire_error error = {"", ""};
  ProtobufCMessage *message = protobuf_c_message_unpack(TOPICS[which].descriptor, NULL, size, data);
  // Each of these types has its header first.
  const Sagbend__V1__Header *header =
      message ? ((const Sagbend__V1__End *)(const void *)message)->header : NULL;
  if (header && header->protocol == WIRE_PROTOCOL && strlen(header->session) < WIRE_NAME &&
      wire_check(message, &error) == WIRE_OK) {
    take_header(m, header, which, now_ms);
    take_content(m, which, message, now_ms);
  } else {
    m->not_read++;
    release(message);
  }
}

void watch_take_receipt(struct watch_model *m, int64_t now_ms, Sagbend__V1__Receipt *receipt) {
  const Sagbend__V1__Header *header = receipt->header;
  if (*header->session && strcmp(header->session, m->session) != 0)
    begin_session(m, header->session, header->time_s);
  release(m->answer);
  m->answer = receipt;
  m->answered_ms = now_ms;
}

double watch_silent_s(const struct watch_model *m, int64_t now_ms) {
  int64_t newest = m->heard_ms > m->answered_ms ? m->heard_ms : m->answered_ms;
  return newest < 0 ? -1 : 1e-3 * (double)(now_ms - newest);
}
