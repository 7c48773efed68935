// What holds for every message of a log, whatever it says: its number among those of its topic, its step and
// times, the session; and that none is missing of those that the configuration asks for.
#include "run/replay/replay_internal.h"

#include "sagbend/base/steps.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint64_t every(const struct verify *verify, const struct log_rate *rate) {
  return rate->off ? 0 : steps_in_period(rate->period_s, verify->replay->setup.config.sim.step_s);
}

void verify_rules_start(struct verify *verify) {
  const struct config *c = &verify->replay->setup.config;
  struct topic_count *t = verify->topics;
  t[LOG_SENSORS].every = every(verify, &c->log.sensors);
  t[LOG_TRUTH].every = every(verify, &c->log.truth);
  t[LOG_NODES].every = sim_node_count(verify->replay->engine.plant.sim) ? every(verify, &c->log.nodes) : 0;
  t[LOG_LEDGER].every = every(verify, &c->log.ledger);
  t[LOG_TIMING].every = every(verify, &c->log.timing);
  t[LOG_STATE_HASH].every = every(verify, &c->log.state_hash);
  for (int i = 0; i < LOG_TOPIC_COUNT; i++)
    t[i].next_due = t[i].last_step = verify->replay->record->first_step;
}

static int is_periodic(enum log_topic t) {
  return log_topic_kind(t) == TOPIC_COMPUTED || log_topic_kind(t) == TOPIC_TIMED;
}

// Steps below this one at which a message was due.
static uint64_t due_below(const struct verify *verify, const struct topic_count *t, uint64_t step) {
  uint64_t first = verify->replay->record->first_step;
  return step <= first ? 0 : 1 + (step - 1) / t->every - first / t->every;
}

static void miss(const struct verify *verify, struct topic_count *t, uint64_t before_step) {
  uint64_t missing = due_below(verify, t, before_step) - due_below(verify, t, t->next_due);
  if (missing && !t->missing)
    t->missing_at = t->next_due;
  t->missing += missing;
}

static void check_period(struct verify *verify, enum log_topic topic, uint64_t step) {
  struct topic_count *t = &verify->topics[topic];
  if (!t->every) {
    if (verify->replay->same_build)
      replay_contradicts(verify->replay, step, topic, "message", "there",
                         "none: the configuration logs none of this topic");
    return;
  }
  if (step < t->next_due || (step % t->every && step != verify->replay->record->first_step)) {
    if (verify->replay->same_build || step < t->next_due)
      replay_contradicts_number(verify->replay, step, topic, "step", step, t->next_due);
    return;
  }
  miss(verify, t, step);
  t->next_due = step / t->every * t->every + t->every;
}

static void check_times(struct verify *verify, const struct mcap_message *m, enum log_topic topic,
                        uint64_t step) {
  double expected_ns = 1e9 * ((double)step * verify->replay->setup.config.sim.step_s),
         at_ns = (double)m->log_time_ns;
  char texts[2][40];
  snprintf(texts[0], sizeof texts[0], "%.17g", 1e-9 * at_ns);
  snprintf(texts[1], sizeof texts[1], "%.17g", 1e-9 * expected_ns);
  if (!(fabs(at_ns - expected_ns) <= 1000 + 1e-12 * expected_ns))
    replay_contradicts(verify->replay, step, topic, "log time", texts[0], texts[1]);
  if (m->publish_time_ns != m->log_time_ns)
    replay_contradicts_number(verify->replay, step, topic, "publish time", m->publish_time_ns,
                              m->log_time_ns);
}

// The main thread numbers these by itself, and each part of a log begins with the newest LOG_SESSION_INFO.
static int is_for_views(enum log_topic t) {
  return log_topic_kind(t) == TOPIC_SHOWN;
}

// Messages of a topic are numbered without gaps as they come into the file.
static void check_sequence(struct verify *verify, const struct mcap_message *m, enum log_topic topic,
                           uint64_t step, const Sagbend__V1__Header *header) {
  struct topic_count *t = &verify->topics[topic];
  uint64_t sequence = header && !is_for_views(topic) ? header->sequence : m->sequence;
  if ((uint32_t)sequence != m->sequence)
    replay_contradicts_number(verify->replay, step, topic, "header.sequence", sequence, m->sequence);
  if (sequence <= t->sequence)
    replay_contradicts_number(verify->replay, step, topic, "sequence", sequence, t->sequence + 1);
  else if (sequence > t->sequence + 1)
    replay_add_gap(verify->replay,
                   "%" PRIu64 " messages of topic %s are missing before step %" PRIu64 ", by their numbers",
                   sequence - t->sequence - 1, log_topic_name(topic), step);
  t->sequence = sequence;
}

void verify_rules_message(struct verify *verify, const struct mcap_message *m, enum log_topic topic,
                          uint64_t step, const Sagbend__V1__Header *header) {
  struct replay *replay = verify->replay;
  struct topic_count *t = &verify->topics[topic];
  if (header && strcmp(header->session, replay->record->session) != 0)
    replay_contradicts(replay, step, topic, "header.session", header->session, replay->record->session);
  check_sequence(verify, m, topic, step, header);
  if (topic != LOG_SESSION_INFO)
    check_times(verify, m, topic, step);
  if (replay->end && step > replay->end->step)
    replay_contradicts_number(replay, step, topic, "step behind the session's end", step, replay->end->step);
  if (step < t->last_step && topic != LOG_EVENT &&
      topic != LOG_SESSION_INFO) // an event may come before the session's first frame
    replay_contradicts_number(replay, step, topic, "step", step, t->last_step);
  t->last_step = step;
  if (is_periodic(topic))
    check_period(verify, topic, step);
}

static uint64_t stated_as_dropped(const struct replay *replay, enum log_topic t) {
  uint64_t sum = 0;
  for (size_t i = 0; replay->end && i < replay->end->n_dropped; i++)
    sum += strcmp(replay->end->dropped[i]->topic, log_topic_name(t)) ? 0 : replay->end->dropped[i]->messages;
  return sum;
}

// Compares the messages of each topic with the numbers that the log's end states. Older programs stated none.
static void check_counts(struct replay *replay) {
  const Sagbend__V1__LogEnd *end = replay->end;
  if (!end)
    return;
  if (replay->same_build && end->n_written != LOG_END)
    replay_contradicts_number(replay, end->step, LOG_END, "number of topics counted", end->n_written,
                              LOG_END);

  for (size_t i = 0; i < end->n_written; i++) {
    const Sagbend__V1__TopicCount *stated = end->written[i];
    enum log_topic topic = log_topic_by_name(stated->topic);
    uint64_t found = topic < LOG_TOPIC_COUNT ? replay->topic_messages[topic] : 0;
    if (found > stated->messages)
      replay_contradicts_number(replay, end->step, topic, "number of messages", found, stated->messages);
    else if (found < stated->messages)
      replay_add_gap(replay, "%" PRIu64 " messages of topic %.64s are missing: its end states %" PRIu64,
                     stated->messages - found, stated->topic, stated->messages);
  }
}

void verify_rules_end(struct verify *verify) {
  struct replay *replay = verify->replay;
  if (verify->ended)
    return;
  check_counts(replay);
  for (int i = 0; i < LOG_TOPIC_COUNT; i++) {
    enum log_topic topic = (enum log_topic)i;
    struct topic_count *t = &verify->topics[i];
    uint64_t stated = stated_as_dropped(replay, topic);
    int counted = is_periodic(topic) && t->every;
    if (counted && replay->end && replay->end->step != UINT64_MAX)
      miss(verify, t, replay->end->step + 1);
    if (counted && replay->end && stated > t->missing && replay->same_build)
      replay_contradicts_number(replay, replay->end->step, LOG_END, "dropped", stated, t->missing);
    if (counted && t->missing)
      replay_add_gap(replay,
                     "%" PRIu64 " messages of topic %s are missing, the first at step %" PRIu64
                     "; its end says %" PRIu64,
                     t->missing, log_topic_name(topic), t->missing_at, stated);
    else if (stated)
      replay_add_gap(replay, "%" PRIu64 " messages of topic %s did not reach it", stated,
                     log_topic_name(topic));
  }
}
