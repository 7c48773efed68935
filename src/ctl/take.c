// Messages into the model.
#include "ctl/watch.h"

#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void watch_init(struct watch_model *model, const char *endpoint) {
  memset(model, 0, sizeof *model);
  model->endpoint = endpoint;
  model->heard_ms = model->answered_ms = -1;
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

static void take_sensors(struct watch_model *m, const Sagbend__V1__Sensors *s, int64_t now_ms) {
  take_pace(m, s->header->time_s, now_ms);
  m->command_state = (int)s->command_state;
  m->power_used_w = s->power_used_w;
  m->power_available_w = s->power_available_w;
  m->has_pipe = s->pipe != NULL;
  if (!s->pipe)
    return;
  m->tension_n = s->pipe->hangoff_tension_n;
  m->angle_rad = s->pipe->hangoff_angle_rad;
  const Sagbend__V1__Touchdown *t = s->pipe->touchdown;
  m->has_touchdown = t != NULL;
  if (t) {
    m->touchdown_m[0] = t->north_m;
    m->touchdown_m[1] = t->east_m;
    m->touchdown_m[2] = t->down_m;
    m->layback_m = t->layback_m;
  }
}

static void take_thrusters(struct watch_model *m, const Sagbend__V1__Truth *t) {
  m->thruster_count = 0;
  for (size_t i = 0; i < t->n_thruster && i < MAX_THRUSTERS; i++) {
    const Sagbend__V1__ThrusterTruth *from = t->thruster[i];
    struct watch_thruster *to = &m->thruster[m->thruster_count++];
    copy(to->name, sizeof to->name, from->name);
    to->running = from->running;
    to->ready = from->ready;
    to->thrust_n = from->thrust_n;
    to->azimuth_rad = from->azimuth_rad;
    to->power_w = from->power_w;
    m->largest_thrust_n = fmax(m->largest_thrust_n, fabs(from->thrust_n));
  }
}

static void take_truth(struct watch_model *m, const Sagbend__V1__Truth *t) {
  const double w = t->quaternion_w, x = t->quaternion_x, y = t->quaternion_y, z = t->quaternion_z;
  m->has_truth = 1;
  m->position_m[0] = t->position_north_m;
  m->position_m[1] = t->position_east_m;
  m->position_m[2] = t->position_down_m;
  m->heading_rad = atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  m->speed_mps = hypot(t->surge_mps, t->sway_mps);
  m->has_pull = t->pipe != NULL;
  if (t->pipe)
    m->pull_n = sqrt(t->pipe->hangoff_force_north_n * t->pipe->hangoff_force_north_n +
                     t->pipe->hangoff_force_east_n * t->pipe->hangoff_force_east_n +
                     t->pipe->hangoff_force_down_n * t->pipe->hangoff_force_down_n);
  m->has_weather = t->weather != NULL;
  if (t->weather) {
    m->wind_mps = t->weather->wind_speed_mps;
    m->wind_rad = t->weather->wind_direction_rad;
    m->current_mps = hypot(t->weather->current_north_mps, t->weather->current_east_mps);
  }
  take_thrusters(m, t);
}

static void take_timing(struct watch_model *m, const Sagbend__V1__Timing *t) {
  m->has_timing = 1;
  m->late_steps = t->deadline_misses;
  m->lost_periods = t->skipped_periods;
  m->lag_s = t->lag_s;
  m->step_p99_us = t->step ? t->step->p99_us : 0;
  m->wakeup_p99_us = t->wakeup ? t->wakeup->p99_us : 0;
  m->commands_accepted = t->commands_accepted;
  m->commands_refused = t->commands_refused;
}

static const char *verdict_state(const Sagbend__V1__VerdictStatus *v) {
  switch (v->state) {
  case SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_NOT_JUDGED:
    return "not judged";
  case SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_WITHIN:
    return "within";
  case SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_OUTSIDE:
    return "outside";
  case SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED:
    return "VIOLATED";
  default:
    return "-";
  }
}

static void take_status(struct watch_model *m, const Sagbend__V1__Status *s) {
  m->verdict_count = (int)s->n_verdict;
  m->passing_count = m->failing_count = 0;
  for (size_t i = 0; i < s->n_verdict; i++) {
    const Sagbend__V1__VerdictStatus *from = s->verdict[i];
    if (from->passes) {
      m->passing_count++;
    } else if (m->failing_count < WATCH_VERDICTS) {
      struct watch_verdict *to = &m->failing[m->failing_count++];
      copy(to->name, sizeof to->name, from->name);
      to->state = verdict_state(from);
      to->has_value = from->present_case == SAGBEND__V1__VERDICT_STATUS__PRESENT_VALUE;
      to->value = to->has_value ? from->value : 0;
      to->margin =
          from->present_margin_case == SAGBEND__V1__VERDICT_STATUS__PRESENT_MARGIN_MARGIN ? from->margin : 0;
    }
  }
}

enum { TOPIC_SENSORS, TOPIC_TRUTH, TOPIC_TIMING, TOPIC_STATUS, TOPIC_EVENT, TOPIC_END, TOPIC_COUNT };

static const struct {
  const char *name;
  const ProtobufCMessageDescriptor *descriptor;
} TOPICS[TOPIC_COUNT] = {
    {"sensors", &sagbend__v1__sensors__descriptor}, {"truth", &sagbend__v1__truth__descriptor},
    {"timing", &sagbend__v1__timing__descriptor},   {"status", &sagbend__v1__status__descriptor},
    {"event", &sagbend__v1__event__descriptor},     {"end", &sagbend__v1__end__descriptor}};

static void take_content(struct watch_model *m, int topic, const ProtobufCMessage *message, int64_t now_ms) {
  const void *any = message; // its type follows from the descriptor
  const Sagbend__V1__Event *event = any;
  const Sagbend__V1__End *end = any;
  switch (topic) {
  case TOPIC_SENSORS:
    take_sensors(m, any, now_ms);
    break;
  case TOPIC_TRUTH:
    take_truth(m, any);
    break;
  case TOPIC_TIMING:
    take_timing(m, any);
    break;
  case TOPIC_STATUS:
    take_status(m, any);
    break;
  case TOPIC_EVENT:
    add_event(m, event->header->time_s, event->name, event->text);
    break;
  default:
    copy(m->why_ended, sizeof m->why_ended, *end->why ? end->why : "ended");
    add_event(m, end->header->time_s, "end", end->why);
  }
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
  }
  if (message)
    protobuf_c_message_free_unpacked(message, NULL);
}

void watch_take_receipt(struct watch_model *m, int64_t now_ms, const struct wire_receipt *receipt) {
  if (*receipt->header.session && strcmp(receipt->header.session, m->session) != 0)
    begin_session(m, receipt->header.session, receipt->header.time_s);
  m->status = *receipt;
  m->answered_ms = now_ms;
}

double watch_silent_s(const struct watch_model *m, int64_t now_ms) {
  int64_t newest = m->heard_ms > m->answered_ms ? m->heard_ms : m->answered_ms;
  return newest < 0 ? -1 : 1e-3 * (double)(now_ms - newest);
}
