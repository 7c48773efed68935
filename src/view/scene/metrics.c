// /metrics of the live view, in the text format of Prometheus.
#include "view/scene/scene.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "sagbend/base/base.h"

#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kept { KEPT_TIMING, KEPT_SENSORS, KEPT_TRUTH, KEPT_LEDGER, KEPT_STATUS, KEPT_COUNT };
static const char *const TYPES[KEPT_COUNT] = {"sagbend.v1.Timing", "sagbend.v1.Sensors", "sagbend.v1.Truth",
                                              "sagbend.v1.Ledger", "sagbend.v1.Status"};

struct metrics {
  char session[64];
  struct {
    uint8_t *bytes;
    size_t size, capacity;
  } kept[KEPT_COUNT]; // size 0: none
};

struct metrics *metrics_create(void) {
  return calloc(1, sizeof(struct metrics));
}

void metrics_free(struct metrics *m) {
  for (int i = 0; m && i < KEPT_COUNT; i++)
    free(m->kept[i].bytes);
  free(m);
}

void metrics_begin_session(struct metrics *m, const char *session) {
  snprintf(m->session, sizeof m->session, "%s", session);
  for (int i = 0; i < KEPT_COUNT; i++)
    m->kept[i].size = 0;
}

void metrics_take(struct metrics *m, const char *type, const void *data, size_t size) {
  int i = 0;
  while (i < KEPT_COUNT && strcmp(type, TYPES[i]) != 0)
    i++;
  if (i == KEPT_COUNT || !size)
    return;
  if (m->kept[i].capacity < size) {
    uint8_t *more = realloc(m->kept[i].bytes, 2 * size);
    if (!more)
      return;
    m->kept[i].bytes = more;
    m->kept[i].capacity = 2 * size;
  }
  memcpy(m->kept[i].bytes, data, size);
  m->kept[i].size = size;
}

// ---- text ----

struct text {
  char *out;
  size_t size, capacity;
  int is_full;
};

// Adds a whole line, or nothing more.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void put(struct text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = t->is_full ? -1 : vsnprintf(t->out + t->size, t->capacity - t->size, format, args);
  va_end(args);
  if (length < 0 || (size_t)length >= t->capacity - t->size)
    t->is_full = 1;
  else
    t->size += (size_t)length;
}

static void head(struct text *t, const char *name, const char *type, const char *help) {
  put(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void value_line(struct text *t, const char *name, const char *type, const char *help,
                       const struct message_value *value) {
  head(t, name, type, help);
  if (value->kind == VALUE_COUNT && !strcmp(type, "counter"))
    put(t, "%s %" PRIu64 "\n", name, value->count);
  else if (value->kind != VALUE_NONE && isfinite(value->number))
    put(t, "%s %.17g\n", name, value->number);
}

static void number(struct text *t, const char *name, const char *help, int is_there, double value) {
  value_line(t, name, "gauge", help,
             &(struct message_value){.kind = is_there ? VALUE_NUMBER : VALUE_NONE, .number = value});
}

static void count(struct text *t, const char *name, const char *help, uint64_t value) {
  value_line(t, name, "counter", help, &(struct message_value){.kind = VALUE_COUNT, .count = value});
}

// A label's value: backslash and quotation mark are escaped.
struct label {
  char text[520];
};
static struct label label_of(const char *value) {
  struct label label;
  char piece[SHOWN_PIECE];
  size_t size = 0;
  while (*value && size + 2 * SHOWN_PIECE < sizeof label.text) {
    size_t length = text_show_next(&value, piece);
    for (size_t i = 0; i < length; i++) {
      if (piece[i] == '\\' || piece[i] == '"')
        label.text[size++] = '\\';
      label.text[size++] = piece[i];
    }
  }
  label.text[size] = 0;
  return label;
}

// The telemetry's many narrow buckets in few fixed ones. A time counts in the first fixed bucket that
// contains the whole of its narrow one, so a bucket is at most 0.8 % too small, and the sum at most 0.8 % too
// large.
static void histogram(struct text *t, const char *name, const char *help, const Sagbend__V1__Histogram *h) {
  static const double BOUNDS_S[] = {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3,
                                    2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1,  0.2,  0.5,  1};
  double sum_s = 0;
  uint64_t total = 0, below = 0;
  size_t at = 0;
  head(t, name, "histogram", help);
  if (!h || h->n_upper_us != h->n_counts)
    return;
  for (size_t i = 0; i < h->n_counts; i++) {
    total += h->counts[i];
    sum_s += 1e-6 * h->upper_us[i] * (double)h->counts[i];
  }
  for (size_t b = 0; b < sizeof BOUNDS_S / sizeof *BOUNDS_S; b++) {
    for (; at < h->n_counts && h->upper_us[at] <= 1e6 * BOUNDS_S[b]; at++)
      below += h->counts[at];
    put(t, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, BOUNDS_S[b], below);
  }
  put(t, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.9g\n%s_count %" PRIu64 "\n", name, total, name, sum_s,
      name, total);
}

static const ProtobufCMessage *base_of(const void *message) {
  return message; // NULL, or a message, which begins with its base
}

// The rows of sagbend/rig/status.inc. What Timing and Status both contain is that of the newer one: Status
// also comes while no steps are made.
static void put_rows(struct text *out, const Sagbend__V1__Status *s, const Sagbend__V1__Timing *t,
                     const Sagbend__V1__Truth *truth, const Sagbend__V1__Ledger *ledger) {
  const int is_timing_newer = t && (!s || t->header->step > s->header->step);
  for (int i = 0; i < STATUS_ROW_COUNT; i++) {
    const struct status_row *row = &STATUS_ROWS[i];
    const ProtobufCMessage *const of[] = {[STATUS_OF_STATUS] = base_of(s),
                                          [STATUS_OF_TIMING] = base_of(t),
                                          [STATUS_OF_TRUTH] = base_of(truth),
                                          [STATUS_OF_LEDGER] = base_of(ledger)};
    const int is_timing = row->message == STATUS_OF_STATUS && is_timing_newer &&
                          message_field(&sagbend__v1__timing__descriptor, row->field);
    const ProtobufCMessage *message = of[is_timing ? STATUS_OF_TIMING : row->message];
    struct message_value value = {.kind = VALUE_NONE};
    if (message)
      message_find(message, row->field, &value);
    if (*row->name)
      value_line(out, row->name, row->type, row->help, &value);
  }
}

static void put_histograms(struct text *out, const Sagbend__V1__Timing *t) {
  histogram(out, "sagbend_step_duration_seconds", "Duration of a step.", t ? t->step_histogram : NULL);
  histogram(out, "sagbend_wakeup_lateness_seconds", "Lateness of the start of a step.",
            t ? t->wakeup_histogram : NULL);
}

static void put_verdicts(struct text *out, const Sagbend__V1__Status *s) {
  const size_t verdicts = s ? s->n_verdict : 0;
  head(out, "sagbend_verdict_passes", "gauge", "1: the verdict passes if the session ends now.");
  for (size_t i = 0; i < verdicts; i++)
    put(out, "sagbend_verdict_passes{verdict=\"%s\"} %d\n", label_of(s->verdict[i]->name).text,
        s->verdict[i]->passes ? 1 : 0);
  head(out, "sagbend_verdict_violations_total", "counter",
       "Times outside the bounds that were longer than the grace.");
  for (size_t i = 0; i < verdicts; i++)
    put(out, "sagbend_verdict_violations_total{verdict=\"%s\"} %" PRIu64 "\n",
        label_of(s->verdict[i]->name).text, s->verdict[i]->violations);
  head(out, "sagbend_verdict_margin", "gauge", "Distance to the nearer bound, in the unit of the quantity.");
  for (size_t i = 0; i < verdicts; i++)
    if (s->verdict[i]->present_margin_case == SAGBEND__V1__VERDICT_STATUS__PRESENT_MARGIN_MARGIN)
      put(out, "sagbend_verdict_margin{verdict=\"%s\"} %.17g\n", label_of(s->verdict[i]->name).text,
          s->verdict[i]->margin);
}

static void put_network_counts(struct text *out, const Sagbend__V1__Timing *t, const char *name,
                               const char *help, size_t offset) {
  head(out, name, "counter", help);
  for (size_t i = 0; t && i < t->n_network; i++)
    put(out, "%s{network=\"%s\"} %" PRIu64 "\n", name, label_of(t->network[i]->name).text,
        *(const uint64_t *)((const char *)t->network[i] + offset));
}

static void put_networks(struct text *out, const Sagbend__V1__Timing *t) {
  head(out, "sagbend_network_lost", "gauge",
       "1: the network brings nothing; the other one does, or did last.");
  for (size_t i = 0; t && i < t->n_network; i++)
    put(out, "sagbend_network_lost{network=\"%s\"} %d\n", label_of(t->network[i]->name).text,
        t->network[i]->lost ? 1 : 0);
  put_network_counts(out, t, "sagbend_network_lines_total", "Sentences in groups by each of two networks.",
                     offsetof(Sagbend__V1__NetworkCounts, lines));
  put_network_counts(out, t, "sagbend_network_lines_lost_total", "Of them, those that this network has lost.",
                     offsetof(Sagbend__V1__NetworkCounts, lines_lost));
  put_network_counts(out, t, "sagbend_network_lines_doubled_total",
                     "Of them, those that the other network had brought.",
                     offsetof(Sagbend__V1__NetworkCounts, lines_doubled));
  put_network_counts(out, t, "sagbend_network_dropped_total",
                     "Datagrams of each network for which the system had no room.",
                     offsetof(Sagbend__V1__NetworkCounts, dropped));
  put_network_counts(out, t, "sagbend_network_messages_total", "Messages of controllers by each network.",
                     offsetof(Sagbend__V1__NetworkCounts, messages));
  put_network_counts(out, t, "sagbend_network_messages_doubled_total",
                     "Of them, those that the other network had brought.",
                     offsetof(Sagbend__V1__NetworkCounts, messages_doubled));
  put_network_counts(out, t, "sagbend_network_requests_total", "Modbus requests by each network.",
                     offsetof(Sagbend__V1__NetworkCounts, requests));
  put_network_counts(out, t, "sagbend_network_requests_doubled_total",
                     "Of them, writes that the other network had brought.",
                     offsetof(Sagbend__V1__NetworkCounts, requests_doubled));
}

static void put_state(struct text *out, const Sagbend__V1__Status *s) {
  const Sagbend__V1__StationStatus *at = s ? s->station : NULL;
  number(out, "sagbend_running", "1: steps are made.", at != NULL,
         at && at->state == SAGBEND__V1__RUN_STATE__RUN_STATE_RUNNING);
}

// An older simulator states the tension in Sensors only, if these are exact.
static void put_tension(struct text *out, const Sagbend__V1__Truth *t, const Sagbend__V1__Sensors *s) {
  int is_true = t && t->pipe && t->pipe->hangoff_tension_n != 0, is_sensed = !is_true && s && s->pipe;
  number(out, "sagbend_hangoff_tension_newtons", "Exact hang-off tension.", is_true || is_sensed,
         is_true     ? t->pipe->hangoff_tension_n
         : is_sensed ? s->pipe->hangoff_tension_n
                     : 0);
}

static void put_view(struct text *out, const struct metrics_view *v) {
  number(out, "sagbend_view_clients", "Clients of the live view.", 1, v->clients);
  count(out, "sagbend_view_joined_total", "Clients that have connected.", v->joined);
  count(out, "sagbend_view_refused_total", "Requests answered with an error.", v->refused);
  count(out, "sagbend_view_sent_total", "Messages sent to clients.", v->sent);
  count(out, "sagbend_view_dropped_total", "Messages dropped out of full queues of clients.", v->dropped);
  count(out, "sagbend_view_unreadable_total",
        "Telemetry left out: malformed, not finite or of another protocol.", v->unreadable);
  count(out, "sagbend_view_lost_total", "Telemetry lost on the way from the simulator.", v->lost);
}

static void *unpacked(const struct metrics *m, enum kept kept, const ProtobufCMessageDescriptor *type) {
  return m->kept[kept].size ? protobuf_c_message_unpack(type, NULL, m->kept[kept].size, m->kept[kept].bytes)
                            : NULL;
}

static void release(void *message) {
  if (message)
    protobuf_c_message_free_unpacked(message, NULL);
}

size_t metrics_write(const struct metrics *m, const struct metrics_view *view, char *out, size_t capacity) {
  struct text text = {out, 0, capacity, 0};
  Sagbend__V1__Timing *timing = unpacked(m, KEPT_TIMING, &sagbend__v1__timing__descriptor);
  Sagbend__V1__Sensors *sensors = unpacked(m, KEPT_SENSORS, &sagbend__v1__sensors__descriptor);
  Sagbend__V1__Truth *truth = unpacked(m, KEPT_TRUTH, &sagbend__v1__truth__descriptor);
  Sagbend__V1__Ledger *ledger = unpacked(m, KEPT_LEDGER, &sagbend__v1__ledger__descriptor);
  Sagbend__V1__Status *status = unpacked(m, KEPT_STATUS, &sagbend__v1__status__descriptor);
  number(&text, "sagbend_up", "1: telemetry comes.", 1, view->has_data);
  head(&text, "sagbend_session_info", "gauge", "1, with the id of the session.");
  if (*m->session)
    put(&text, "sagbend_session_info{session=\"%s\"} 1\n", label_of(m->session).text);
  const Sagbend__V1__Timing *timed = timing && timing->header ? timing : NULL;
  const Sagbend__V1__Status *stated = status && status->header ? status : NULL;
  put_rows(&text, stated, timed, truth, ledger);
  put_histograms(&text, timed);
  put_state(&text, stated);
  put_verdicts(&text, stated);
  put_networks(&text, timed);
  put_tension(&text, truth, sensors);
  put_view(&text, view);
  release(timing);
  release(sensors);
  release(truth);
  release(ledger);
  release(status);
  return text.size;
}
