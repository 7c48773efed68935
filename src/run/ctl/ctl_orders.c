// Messages into the model.
#include "run/ctl/ctl_internal.h"

#include "sagbend/v1/session.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
