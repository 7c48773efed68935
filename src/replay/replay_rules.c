// What holds for every message of a log, whatever it says: its number among those of its topic, its step and
// times, the session; and that none is missing of those that the configuration asks for.
#include "replay/replay_parts.h"

#include "core/base/steps.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint64_t every(const struct verify *v, const struct log_rate *rate) {
  return rate->off ? 0 : steps_in_period(rate->period_s, v->r->session.config.sim.step_s);
}

void replay_rules_start(struct verify *v) {
  const struct config *c = &v->r->session.config;
  struct topic_count *t = v->topics;
  t[LOG_SENSORS].every = every(v, &c->log.sensors);
  t[LOG_TRUTH].every = every(v, &c->log.truth);
  t[LOG_NODES].every = sim_node_count(v->r->session.sim) ? every(v, &c->log.nodes) : 0;
  t[LOG_LEDGER].every = every(v, &c->log.ledger);
  t[LOG_TIMING].every = every(v, &c->log.timing);
  t[LOG_STATE_HASH].every = every(v, &c->log.state_hash);
  for (int i = 0; i < LOG_TOPIC_COUNT; i++)
    t[i].next_due = t[i].last_step = v->r->record->first_step;
}

static int is_periodic(enum log_topic t) {
  return t == LOG_SENSORS || t == LOG_TRUTH || t == LOG_NODES || t == LOG_LEDGER || t == LOG_TIMING ||
         t == LOG_STATE_HASH;
}

// Steps below this one at which a message was due.
static uint64_t due_below(const struct verify *v, const struct topic_count *t, uint64_t step) {
  uint64_t first = v->r->record->first_step;
  return step <= first ? 0 : 1 + (step - 1) / t->every - first / t->every;
}

static void miss(const struct verify *v, struct topic_count *t, uint64_t before_step) {
  uint64_t missing = due_below(v, t, before_step) - due_below(v, t, t->next_due);
  if (missing && !t->missing)
    t->missing_at = t->next_due;
  t->missing += missing;
}

static void check_period(struct verify *v, enum log_topic topic, uint64_t step) {
  struct topic_count *t = &v->topics[topic];
  if (!t->every) {
    if (v->r->same_build)
      replay_differs(v->r, step, topic, "message", "there",
                     "none: the configuration logs none of this topic");
    return;
  }
  if (step < t->next_due || (step % t->every && step != v->r->record->first_step)) {
    if (v->r->same_build || step < t->next_due)
      replay_differs_in_number(v->r, step, topic, "step", step, t->next_due);
    return;
  }
  miss(v, t, step);
  t->next_due = step / t->every * t->every + t->every;
}

static void check_times(struct verify *v, const struct mcap_message *m, enum log_topic topic, uint64_t step) {
  double expected_ns = 1e9 * ((double)step * v->r->session.config.sim.step_s), at_ns = (double)m->log_time_ns;
  char texts[2][40];
  snprintf(texts[0], sizeof texts[0], "%.17g", 1e-9 * at_ns);
  snprintf(texts[1], sizeof texts[1], "%.17g", 1e-9 * expected_ns);
  if (!(fabs(at_ns - expected_ns) <= 1000 + 1e-12 * expected_ns))
    replay_differs(v->r, step, topic, "log time", texts[0], texts[1]);
  if (m->publish_time_ns != m->log_time_ns)
    replay_differs_in_number(v->r, step, topic, "publish time", m->publish_time_ns, m->log_time_ns);
}

// Messages of a topic are numbered without gaps as they come into the file.
static void check_sequence(struct verify *v, const struct mcap_message *m, enum log_topic topic,
                           uint64_t step, const Sagbend__V1__Header *header) {
  struct topic_count *t = &v->topics[topic];
  uint64_t sequence = header ? header->sequence : m->sequence;
  if ((uint32_t)sequence != m->sequence)
    replay_differs_in_number(v->r, step, topic, "header.sequence", sequence, m->sequence);
  if (sequence <= t->sequence)
    replay_differs_in_number(v->r, step, topic, "sequence", sequence, t->sequence + 1);
  else if (sequence > t->sequence + 1)
    replay_misses(v->r,
                  "%" PRIu64 " messages of topic %s are missing before step %" PRIu64 ", by their numbers",
                  sequence - t->sequence - 1, log_topic_name(topic), step);
  t->sequence = sequence;
}

void replay_rules_message(struct verify *v, const struct mcap_message *m, enum log_topic topic, uint64_t step,
                          const Sagbend__V1__Header *header) {
  struct replay *r = v->r;
  struct topic_count *t = &v->topics[topic];
  if (header && strcmp(header->session, r->record->session) != 0)
    replay_differs(r, step, topic, "header.session", header->session, r->record->session);
  check_sequence(v, m, topic, step, header);
  check_times(v, m, topic, step);
  if (r->end && step > r->end->step)
    replay_differs_in_number(r, step, topic, "step behind the session's end", step, r->end->step);
  if (step < t->last_step && topic != LOG_EVENT) // an event may come before the session's first frame
    replay_differs_in_number(r, step, topic, "step", step, t->last_step);
  t->last_step = step;
  if (is_periodic(topic))
    check_period(v, topic, step);
}

static uint64_t said_dropped(const struct replay *r, enum log_topic t) {
  uint64_t sum = 0;
  for (size_t i = 0; r->end && i < r->end->n_dropped; i++)
    sum += strcmp(r->end->dropped[i]->topic, log_topic_name(t)) ? 0 : r->end->dropped[i]->messages;
  return sum;
}

void replay_rules_end(struct verify *v) {
  struct replay *r = v->r;
  if (v->over)
    return;
  for (int i = 0; i < LOG_TOPIC_COUNT; i++) {
    enum log_topic topic = (enum log_topic)i;
    struct topic_count *t = &v->topics[i];
    uint64_t said = said_dropped(r, topic);
    int counted = is_periodic(topic) && t->every;
    if (counted && r->end && r->end->step != UINT64_MAX)
      miss(v, t, r->end->step + 1);
    if (counted && r->end && said > t->missing && r->same_build)
      replay_differs_in_number(r, r->end->step, LOG_END, "dropped", said, t->missing);
    if (counted && t->missing)
      replay_misses(r,
                    "%" PRIu64 " messages of topic %s are missing, the first at step %" PRIu64
                    "; its end says %" PRIu64,
                    t->missing, log_topic_name(topic), t->missing_at, said);
    else if (said)
      replay_misses(r, "%" PRIu64 " messages of topic %s did not reach it", said, log_topic_name(topic));
  }
}
