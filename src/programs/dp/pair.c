// The link between the two controllers of a pair in hot standby.
#include "programs/dp/dp_program_internal.h"

#include "net/zmtp/zmtp.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double SILENT_S = 2, COMES_S = 10; // simulated: without a sample of the other; until it comes,
enum { COMES_MS = 5000 };                       // and then follows; by the clock as well
enum { DIFFERS_IN_A_ROW = 10, ELSEWHERE_IN_A_ROW = 10, TAKEN_AT_ONCE = 64, LINE_MS = 1000 };
static const char MAGIC[16] = "sagbend-dp pair";
static const char *const TOPICS[] = {"pair", NULL};

static uint64_t hash_of(const struct pair_message *m) {
  return fnv1a(FNV1A_START, m, offsetof(struct pair_message, hash));
}

void dp_pair_seal(struct pair_message *m) {
  m->hash = hash_of(m);
}

// The first, then at every power of two: a flood must not become a flood of lines.
static int has_line(uint64_t count) {
  return (count & (count - 1)) == 0;
}

// ------------------------------------------------------------
// Who may connect.

static enum zmtp_failure admit(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out) {
  const struct dp *d = context;
  char text[Z85_KEY_TEXT];
  z85_write_key(key, text);
  snprintf(out->who, sizeof out->who, "key %s", text);
  out->owner = NULL;
  out->topics = 1;
  return memcmp(key, d->pair.keys.server, CURVE_KEY) == 0 ? ZMTP_NO_FAILURE : ZMTP_UNKNOWN_KEY;
}

static void on_denial(void *context, enum zmtp_failure failure, const char *who) {
  static const char *const HELP[] = {[ZMTP_NO_FAILURE] = "its connection ended before the handshake",
                                     [ZMTP_MALFORMED] = "it sends no ZMTP, or too much",
                                     [ZMTP_WRONG_MECHANISM] = "it has no key",
                                     [ZMTP_WRONG_HANDSHAKE] = "its handshake is for another key, or forged",
                                     [ZMTP_UNKNOWN_KEY] = "pair.other_key is another key",
                                     [ZMTP_WRONG_ROLE] = "its key has another role",
                                     [ZMTP_WRONG_MESSAGE] = "its message is altered or too large"};
  struct dp *d = context;
  char text[300];
  d->pair.denied++;
  if (!has_line(++d->pair.denied_for[failure]))
    return;
  snprintf(text, sizeof text, "%s: %s (denial %llu)", who, HELP[failure], (unsigned long long)d->pair.denied);
  notices_line(d, "the link of the pair is denied to ", text);
}

static void on_subscription_denied(void *context, const char *who) {
  (void)context;
  (void)who; // there is one topic
}

// The public key of the other one, from the line of its file.
static enum status read_other_key(struct dp *d, struct reason *why) {
  static struct admitted_keys keys;
  const char *path = d->config.pair_other_key;
  const enum status status = admitted_keys_read(path, &keys, why);
  if (status != STATUS_OK)
    return status;
  if (keys.count != 1 || keys.key[0].role != ROLE_CONTROLLER)
    return fail(why, STATUS_BAD_INPUT, "%.200s: the key of one controller expected, got %d of the role %s",
                path, keys.count, peer_role_name(keys.key[0].role));
  if (memcmp(keys.key[0].bytes, d->pair.keys.own.key.bytes, PEER_KEY) == 0)
    return fail(why, STATUS_BAD_INPUT,
                "%.200s: the key of the other controller expected, got that of pair.key", path);
  memcpy(d->pair.keys.server, keys.key[0].bytes, PEER_KEY);
  return STATUS_OK;
}

static enum status read_keys(struct dp *d, struct reason *why) {
  struct peer_secret *own = &d->pair.keys.own;
  enum status status = peer_secret_read(d->config.pair_key, own, why);
  if (status == STATUS_OK && own->key.role != ROLE_CONTROLLER)
    status = fail(why, STATUS_BAD_INPUT, "%.200s: the key of a controller expected, got one of the role %s",
                  d->config.pair_key, peer_role_name(own->key.role));
  return status == STATUS_OK ? read_other_key(d, why) : status;
}

static enum status open_listener(struct dp *d, struct reason *why) {
  struct dp_pair *pair = &d->pair;
  struct publisher_guard guard = {.keys = {.admit = admit, .context = d},
                                  .on_denial = on_denial,
                                  .on_subscription_denied = on_subscription_denied,
                                  .context = d};
  struct reason cause = {""};
  if (pair->has_keys) {
    memcpy(guard.keys.own.public_key, pair->keys.own.key.bytes, CURVE_KEY);
    memcpy(guard.keys.own.secret, pair->keys.own.bytes, CURVE_KEY);
  }
  const enum status status = publisher_open(d->config.pair_listen, TOPICS, sizeof *pair->room,
                                            pair->has_keys ? &guard : NULL, &pair->out, &cause);
  publisher_guard_forget(&guard);
  return status == STATUS_OK
             ? status
             : fail(why, status, "pair.listen: %.100s: %.200s", d->config.pair_listen, cause.text);
}

enum status dp_pair_open(struct dp *d, struct reason *why) {
  struct dp_pair *pair = &d->pair;
  struct reason cause = {""};
  if (!*d->config.pair_listen)
    return STATUS_OK;
  pair->def_hash = fnv1a(FNV1A_START, &d->config.def, sizeof d->config.def);
  pair->has_keys = *d->config.pair_key != '\0';
  pair->room = calloc(1 + PAIR_HELD, sizeof *pair->room);
  if (!pair->room)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the link of the pair");
  pair->held = pair->room + 1;
  dp_pair_begin(d);
  enum status status = pair->has_keys ? read_keys(d, why) : STATUS_OK;
  if (status == STATUS_OK)
    status = open_listener(d, why);
  if (status != STATUS_OK)
    return status;
  client_watch(d->client, publisher_file(pair->out));
  status = telemetry_reader_open(d->config.pair_other, TOPICS, pair->has_keys ? &pair->keys : NULL, &pair->in,
                                 &cause);
  return status == STATUS_OK
             ? status
             : fail(why, status, "pair.other: %.100s: %.200s", d->config.pair_other, cause.text);
}

void dp_pair_close(struct dp_pair *pair) {
  publisher_close(pair->out, 0);
  telemetry_reader_close(pair->in);
  peer_secret_forget(&pair->keys.own);
  free(pair->room);
  *pair = (struct dp_pair){0};
}

int dp_pair_is_followed(const struct dp *d) {
  return d->pair.heard && !d->pair.is_silent && d->pair.heard->follows != 0;
}

void dp_pair_begin(struct dp *d) {
  struct dp_pair *pair = &d->pair;
  pair->heard = NULL;
  pair->in_a_row = pair->elsewhere_in_a_row = 0;
  pair->is_following = pair->has_followed = pair->was_heard = 0;
  pair->is_silent = pair->differs = pair->is_behind = 0;
  pair->first_s = (double)NAN;
  pair->has_sample = 0;
  pair->followed_step = UINT64_MAX;
  for (int i = 0; pair->held && i < PAIR_HELD; i++)
    pair->held[i].step = UINT64_MAX;
}

// ------------------------------------------------------------
// What comes. The other one may be of another build, or lie.

// Whether the message is of the other controller; the reason otherwise.
static enum status check_message(const struct dp *d, const struct pair_message *m, struct reason *why) {
  const struct build_id build = program_build();
  if (memcmp(m->magic, MAGIC, sizeof MAGIC) != 0 || m->size != sizeof *m)
    return fail(why, STATUS_BAD_INPUT, "no state of a sagbend-dp of this version");
  if (m->hash != hash_of(m))
    return fail(why, STATUS_BAD_INPUT, "a state that was altered on its way");
  if (!valid_text(m->build, sizeof m->build, "build", why) ||
      !valid_text(m->name, sizeof m->name, "name", why) ||
      !valid_text(m->session, sizeof m->session, "session", why))
    return STATUS_BAD_INPUT;
  if (strncmp(m->build, build.text, sizeof m->build) != 0)
    return fail(why, STATUS_BAD_INPUT, "the state of another build, %.40s", m->build);
  if (m->def_hash != d->pair.def_hash)
    return fail(why, STATUS_BAD_INPUT, "the state of a controller with another DP file");
  if (strcasecmp(m->name, d->name) == 0)
    return fail(why, STATUS_BAD_INPUT, "the state of a controller of the same name");
  return dp_state_is_valid(&d->config.def, &m->state, why) ? STATUS_OK : STATUS_BAD_INPUT;
}

// Simulated time from a step to the newest own sample; negative: a later step. The time of Sensors may jump,
// its step does not.
static double since(const struct dp *d, uint64_t step) {
  return ((double)d->pair.own_step - (double)step) * d->state.clock.step_s;
}

// Whether its step can be the next one of the other controller in this session.
static enum status check_step(const struct dp *d, const struct pair_message *m, struct reason *why) {
  const struct dp_pair *pair = &d->pair;
  const unsigned long long step = m->step;
  if (pair->heard && m->step <= pair->heard->step)
    return fail(why, STATUS_BAD_INPUT,
                "a state that has come before, or behind a later one: of step %llu, after %llu", step,
                (unsigned long long)pair->heard->step);
  if (since(d, m->step) < -SILENT_S)
    return fail(why, STATUS_BAD_INPUT,
                "a state of a step that the Sensors have not reached: %llu, after %llu", step,
                (unsigned long long)pair->own_step);
  return STATUS_OK;
}

// A line for the first, at every power of two, and where the reason has changed.
static void refuse(struct dp *d, const struct reason *why) {
  struct dp_pair *pair = &d->pair;
  char text[sizeof why->text + 40];
  const int is_other = strncmp(pair->problem, why->text, sizeof pair->problem - 1) != 0;
  if (!has_line(++pair->refused) && (!is_other || clock_ms() - pair->problem_ms < LINE_MS))
    return;
  snprintf(pair->problem, sizeof pair->problem, "%s", why->text);
  pair->problem_ms = clock_ms();
  snprintf(text, sizeof text, "%s (message %llu)", why->text, (unsigned long long)pair->refused);
  notices_line(d, "a message of the pair is not taken: ", text);
}

// At the begin of a session a few are on their way.
static void pass_over(struct dp *d, const char *session) {
  d->pair.elsewhere++;
  if (++d->pair.elsewhere_in_a_row == ELSEWHERE_IN_A_ROW)
    notices_line(d, "the other controller of the pair is in another session, ", session);
}

void dp_pair_take_message(struct dp *d, const void *bytes, size_t size) {
  struct dp_pair *pair = &d->pair;
  struct pair_message *m = pair->room;
  struct reason why = {""};
  enum status status = STATUS_OK;
  if (size == sizeof *m)
    memcpy(m, bytes, size);
  else
    status = fail(&why, STATUS_BAD_INPUT, "no state of a sagbend-dp of this version: %zu bytes", size);
  if (status == STATUS_OK)
    status = check_message(d, m, &why);
  const int is_here = status == STATUS_OK && strcmp(m->session, d->session) == 0;
  if (status == STATUS_OK && !is_here)
    pass_over(d, m->session);
  if (is_here && (!pair->has_sample || (d->state.clock.step_s <= 0 && m->step > pair->own_step)))
    return; // too early to be judged
  if (is_here)
    status = check_step(d, m, &why);
  if (status != STATUS_OK)
    refuse(d, &why);
  if (status != STATUS_OK || !is_here)
    return;
  pair->elsewhere_in_a_row = 0;
  pair->heard = &pair->held[pair->next_held];
  pair->next_held = (pair->next_held + 1) % PAIR_HELD;
  *pair->heard = *m;
  memcpy(pair->other, m->name, sizeof pair->other);
}

static void receive(struct dp *d) {
  const void *bytes;
  const char *topic;
  size_t size;
  for (int i = 0; i < TAKEN_AT_ONCE; i++) {
    bytes = telemetry_reader_take(d->pair.in, 0, &topic, &size);
    if (!bytes)
      return;
    dp_pair_take_message(d, bytes, size);
  }
}

void dp_pair_serve(struct dp *d) {
  if (!d->pair.in)
    return;
  publisher_serve(d->pair.out);
  receive(d);
}

static int is_equal_effort(const struct command *a, const struct command *b) {
  if (a->standby != b->standby || a->thruster_count != b->thruster_count)
    return 0;
  for (int i = 0; i < 6; i++)
    if (a->wrench_b[i] != b->wrench_b[i])
      return 0;
  for (int i = 0; i < a->thruster_count; i++) {
    const struct thruster_command *x = &a->thrusters[i], *y = &b->thrusters[i];
    if (x->enable != y->enable || x->revolutions_rpm != y->revolutions_rpm || x->pitch != y->pitch ||
        x->azimuth_rad != y->azimuth_rad)
      return 0;
  }
  return 1;
}

// An operator's order reaches the two one after the other: what only this one has stays, and what the other
// had before is not taken a second time.
static void keep_orders(struct dp *d, const struct pair_message *m) {
  if (m->setpoint_order < d->setpoint_order)
    dp_set_setpoint(&d->state, &d->config.def, d->ordered_setpoint);
  else
    d->setpoint_order = m->setpoint_order;
  if (m->track_order < d->track_order)
    dp_set_track(&d->state, &d->ordered_track);
  else
    d->track_order = m->track_order;
}

// The two have computed the same sample. This one began it with the state of the other, so that an answer
// that differs for long does not follow from what the other has sent: its state is not taken any more.
static void follow(struct dp *d, const struct pair_message *m) {
  struct dp_pair *pair = &d->pair;
  pair->followed_step = m->step;
  pair->followed_at = pair->own_step;
  if (is_equal_effort(&m->answer, &d->answer)) {
    pair->equal++;
    pair->in_a_row = 0;
  } else {
    pair->different++;
    pair->in_a_row++;
  }
  if (pair->in_a_row >= DIFFERS_IN_A_ROW)
    return;
  d->state = m->state;
  pair->followed++;
  if (!pair->is_following)
    notices_line(d, "follows ", pair->other);
  pair->is_following = 1;
  keep_orders(d, m);
}

// Whether this one stands by and the other one is in command, as both and the simulator say.
static int must_follow(const struct dp *d) {
  const struct pair_message *m = d->pair.heard;
  return d->has_redundancy && !d->redundancy.in_command && m && !d->pair.is_silent && m->in_command &&
         strcasecmp(m->name, d->redundancy.commander) == 0;
}

int dp_pair_has_commander(const struct dp *d) {
  const struct dp_pair *pair = &d->pair;
  return pair->in && !pair->is_silent &&
         (!pair->heard || strcasecmp(pair->other, d->redundancy.commander) == 0);
}

void dp_pair_take(struct dp *d, uint64_t step) {
  if (!d->pair.in)
    return;
  d->pair.own_step = step;
  d->pair.has_sample = 1;
  receive(d);
  dp_pair_follow(d);
}

void dp_pair_follow(struct dp *d) {
  struct dp_pair *pair = &d->pair;
  if (!must_follow(d)) {
    pair->is_following = 0;
    pair->followed_at = pair->own_step;
    return;
  }
  for (int i = 0; i < PAIR_HELD && d->has_answer; i++) {
    const struct pair_message *m = &pair->held[i];
    if (m->step == d->answer.based_on_step && m->step != pair->followed_step && m->in_command)
      follow(d, m);
  }
}

static void say_change(struct dp *d, int *reported, int now, double time_s, const char *begins,
                       const char *ends) {
  char text[200];
  const int is_change = *reported != now;
  *reported = now;
  if (!is_change || !*(now ? begins : ends))
    return;
  snprintf(text, sizeof text, "t = %.1f s: %s", time_s, now ? begins : ends);
  notices_line(d, text, "");
}

// Why nothing has come of the other controller.
static const char *silence(const struct dp_pair *pair) {
  switch (telemetry_reader_line(pair->in)) {
  case TELEMETRY_OPEN:
    return pair->elsewhere_in_a_row ? "it is in another session"
                                    : "the connection is open, and no state of this session comes";
  case TELEMETRY_UNAGREED:
    return pair->has_keys
               ? "something listens there, and the handshake fails: is pair.other_key its public key, and "
                 "that of this one its pair.other_key?"
               : "something listens there, and the handshake fails: does it need keys?";
  default:
    return "nothing listens there";
  }
}

static void say_silence(struct dp *d) {
  char text[400];
  snprintf(text, sizeof text, "%.128s: %s", d->config.pair_other, silence(&d->pair));
  notices_line(d, "no state of the other controller from ", text);
}

void dp_pair_report(struct dp *d, double time_s) {
  struct dp_pair *pair = &d->pair;
  if (!pair->in)
    return;
  if (isnan(pair->first_s) || (pair->heard && !pair->was_heard)) {
    pair->was_heard = pair->heard != NULL;
    pair->first_s = time_s;
    pair->first_ms = clock_ms();
  }
  const int has_had_time = time_s - pair->first_s > COMES_S && clock_ms() - pair->first_ms > COMES_MS;
  const int is_silent = pair->heard ? since(d, pair->heard->step) > SILENT_S : has_had_time;
  const int differs = pair->in_a_row >= DIFFERS_IN_A_ROW;
  const int is_behind = must_follow(d) && !is_silent && !differs && since(d, pair->followed_at) > SILENT_S;
  const int has_follower = d->has_redundancy && d->redundancy.in_command && pair->heard && !is_silent;
  // At the start a link takes its time to open.
  pair->has_followed |= has_follower && (pair->heard->follows || has_had_time);
  if (!has_follower || !pair->has_followed || pair->heard->in_command || pair->heard->follows)
    pair->has_follower_at = pair->own_step;
  const int is_alone = has_follower && !differs && since(d, pair->has_follower_at) > SILENT_S;
  if (is_silent && !pair->is_silent)
    say_silence(d);
  say_change(d, &pair->is_silent, is_silent, time_s, "", // its alarm says so
             "the other controller of the pair is there");
  say_change(
      d, &pair->differs, differs, time_s,
      "the other controller commands what does not follow from its state: its state is not taken any more",
      "the other controller commands what follows from its state");
  pair->is_behind = is_behind;
  if (is_behind)
    pair->is_following = 0;
  if (is_behind)
    dp_alarm_raise(&d->alarms, "controller", ALARM_LOST, SEVERITY_WARNING,
                   "the other controller of the pair ", "is not followed: its states are too late", "");
  if (is_alone)
    dp_alarm_raise(&d->alarms, "controller", ALARM_LOST, SEVERITY_WARNING,
                   "the other controller of the pair ", "does not follow", "");
  if (is_silent)
    dp_alarm_raise(&d->alarms, "controller", ALARM_LOST, SEVERITY_WARNING,
                   "the other controller of the pair ", "is silent", "");
  if (differs)
    dp_alarm_raise(&d->alarms, "controller", ALARM_DIFFERS, SEVERITY_WARNING,
                   "the other controller of the pair ", "computes something else", "");
}

void dp_pair_fill(const struct dp *d, struct pair_message *out) {
  const struct build_id build = program_build();
  memset(out, 0, sizeof *out);
  memcpy(out->magic, MAGIC, sizeof out->magic);
  snprintf(out->build, sizeof out->build, "%s", build.text);
  memcpy(out->session, d->session, sizeof out->session);
  memcpy(out->name, d->name, sizeof out->name);
  out->size = sizeof *out;
  out->def_hash = d->pair.def_hash;
  out->step = d->answer.based_on_step;
  out->in_command = d->has_redundancy && d->redundancy.in_command;
  out->follows = (uint64_t)d->pair.is_following;
  out->setpoint_order = d->setpoint_order;
  out->track_order = d->track_order;
  out->state = d->state;
  out->answer = d->answer;
  dp_pair_seal(out);
}

void dp_pair_send(struct dp *d) {
  if (!d->pair.out)
    return;
  dp_pair_fill(d, d->pair.room);
  publisher_send(d->pair.out, TOPICS[0], d->pair.room, sizeof *d->pair.room);
}
