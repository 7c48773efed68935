// The link between the two controllers of a pair in hot standby.
#include "programs/dp/dp_program_internal.h"

#include "net/zmtp/zmtp.h"
#include "os/cli/cli.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

static const double SILENT_S = 2, COMES_S = 10; // simulated: without a sample of the other; until its first
enum { COMES_MS = 5000 };                       // by the clock as well
enum { DIFFERS_IN_A_ROW = 10 };
static const char MAGIC[16] = "sagbend-dp pair";

// In native byte order: only the same build reads it.
struct pair_message {
  char magic[sizeof MAGIC];
  char build[48];
  char session[WIRE_NAME], name[WIRE_NAME];
  uint64_t size, def_hash;
  uint64_t step, in_command, follows, setpoint_order, track_order;
  double time_s;
  struct dp_state state;
  struct command answer;
  uint64_t hash; // FNV-1a of all before
};

static uint64_t hash_of(const struct pair_message *m) {
  return fnv1a(FNV1A_START, m, offsetof(struct pair_message, hash));
}

static void *open_socket(struct dp_pair *pair, int type) {
  const int one = 1, none = 0;
  void *socket = zmq_socket(pair->context, type);
  if (!socket)
    return NULL;
  zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
  zmq_setsockopt(socket, ZMQ_CONFLATE, &one, sizeof one); // the newest state is all that counts
  if (type == ZMQ_SUB)
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
  return socket;
}

enum status dp_pair_open(struct dp *d, struct reason *why) {
  struct dp_pair *pair = &d->pair;
  if (!*d->config.pair_listen)
    return STATUS_OK;
  pair->def_hash = fnv1a(FNV1A_START, &d->config.def, sizeof d->config.def);
  pair->sent = calloc(1, sizeof *pair->sent);
  pair->heard = calloc(1, sizeof *pair->heard);
  pair->context = zmq_ctx_new();
  if (!pair->sent || !pair->heard || !pair->context)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the link of the pair");
  pair->out = open_socket(pair, ZMQ_PUB);
  pair->in = open_socket(pair, ZMQ_SUB);
  if (!pair->out || zmq_bind(pair->out, d->config.pair_listen) != 0)
    return fail(why, STATUS_IO, "pair.listen: %.100s: %s", d->config.pair_listen, zmq_strerror(errno));
  if (!pair->in || zmq_connect(pair->in, d->config.pair_other) != 0)
    return fail(why, STATUS_IO, "pair.other: %.100s: %s", d->config.pair_other, zmq_strerror(errno));
  return STATUS_OK;
}

void dp_pair_close(struct dp_pair *pair) {
  if (pair->out)
    zmq_close(pair->out);
  if (pair->in)
    zmq_close(pair->in);
  if (pair->context)
    zmq_ctx_term(pair->context);
  free(pair->sent);
  free(pair->heard);
  pair->context = pair->out = pair->in = NULL;
  pair->sent = pair->heard = NULL;
}

int dp_pair_is_followed(const struct dp *d) {
  return d->pair.has_heard && !d->pair.is_silent && d->pair.heard->follows != 0;
}

void dp_pair_begin(struct dp *d) {
  struct dp_pair *pair = &d->pair;
  pair->has_heard = pair->is_pending = pair->in_a_row = 0;
  pair->is_following = 0;
  pair->is_silent = pair->differs = pair->refuses = 0;
  pair->first_s = (double)NAN;
}

// Whether the message is of the other controller in this session; the reason otherwise.
static enum status check_message(const struct dp *d, const struct pair_message *m, size_t size,
                                 struct reason *why) {
  const struct build_id build = program_build();
  if (size != sizeof *m || memcmp(m->magic, MAGIC, sizeof MAGIC) != 0 || m->size != sizeof *m)
    return fail(why, STATUS_BAD_INPUT, "no state of a sagbend-dp of this version");
  if (m->hash != hash_of(m))
    return fail(why, STATUS_BAD_INPUT, "a state that was altered on its way");
  if (strncmp(m->build, build.text, sizeof m->build) != 0)
    return fail(why, STATUS_BAD_INPUT, "the state of another build, %.40s", m->build);
  if (m->def_hash != d->pair.def_hash)
    return fail(why, STATUS_BAD_INPUT, "the state of a controller with another DP file");
  if (!valid_text(m->name, sizeof m->name, "name", why) ||
      !valid_text(m->session, sizeof m->session, "session", why))
    return STATUS_BAD_INPUT;
  if (strcmp(m->name, d->name) == 0)
    return fail(why, STATUS_BAD_INPUT, "the state of a controller of the same name");
  return dp_state_is_valid(&d->config.def, &m->state, why) ? STATUS_OK : STATUS_BAD_INPUT;
}

// Keeps the newest message of the other one.
static void receive(struct dp *d) {
  struct dp_pair *pair = &d->pair;
  static struct pair_message m;
  for (int got; (got = zmq_recv(pair->in, &m, sizeof m, ZMQ_DONTWAIT)) >= 0;) {
    struct reason why = {""};
    if (check_message(d, &m, (size_t)got, &why) != STATUS_OK) {
      pair->strangers++;
      if (!pair->refuses)
        notices_line(d, "a message of the pair is not taken: ", why.text);
      pair->refuses = 1;
      continue;
    }
    if (strcmp(m.session, d->session) != 0)
      continue;
    *pair->heard = m;
    pair->has_heard = pair->is_pending = 1;
    pair->heard_s = m.time_s;
    snprintf(pair->other, sizeof pair->other, "%s", m.name);
  }
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
static void follow(struct dp *d) {
  struct dp_pair *pair = &d->pair;
  const struct pair_message *m = pair->heard;
  pair->is_pending = 0;
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

void dp_pair_take(struct dp *d) {
  struct dp_pair *pair = &d->pair;
  if (!pair->in)
    return;
  receive(d);
  if (!d->has_redundancy || d->redundancy.in_command || pair->is_silent || !pair->heard->in_command)
    pair->is_following = 0;
  if (pair->is_pending && pair->heard->in_command && d->has_redundancy && !d->redundancy.in_command &&
      d->has_answer && pair->heard->step == d->answer.based_on_step)
    follow(d);
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

void dp_pair_report(struct dp *d, double time_s) {
  struct dp_pair *pair = &d->pair;
  if (!pair->in)
    return;
  if (isnan(pair->first_s)) {
    pair->first_s = time_s;
    pair->first_ms = clock_ms();
  }
  const int has_not_come = time_s - pair->first_s > COMES_S && clock_ms() - pair->first_ms > COMES_MS;
  const int is_silent = pair->has_heard ? time_s - pair->heard_s > SILENT_S : has_not_come;
  const int differs = pair->in_a_row >= DIFFERS_IN_A_ROW;
  say_change(d, &pair->is_silent, is_silent, time_s, "", // its alarm says so
             "the other controller of the pair is there");
  say_change(
      d, &pair->differs, differs, time_s,
      "the other controller commands what does not follow from its state: its state is not taken any more",
      "the other controller commands what follows from its state");
  if (is_silent)
    dp_alarm_raise(&d->alarms, "controller", ALARM_LOST, SEVERITY_WARNING,
                   "the other controller of the pair ", "is silent", "");
  if (differs)
    dp_alarm_raise(&d->alarms, "controller", ALARM_DIFFERS, SEVERITY_WARNING,
                   "the other controller of the pair ", "computes something else", "");
}

void dp_pair_send(struct dp *d, double time_s) {
  struct dp_pair *pair = &d->pair;
  struct pair_message *m = pair->sent;
  if (!pair->out)
    return;
  const struct build_id build = program_build();
  memcpy(m->magic, MAGIC, sizeof m->magic);
  snprintf(m->build, sizeof m->build, "%s", build.text);
  memcpy(m->session, d->session, sizeof m->session);
  memcpy(m->name, d->name, sizeof m->name);
  m->size = sizeof *m;
  m->def_hash = pair->def_hash;
  m->step = d->answer.based_on_step;
  m->in_command = d->has_redundancy && d->redundancy.in_command;
  m->follows = (uint64_t)pair->is_following;
  m->setpoint_order = d->setpoint_order;
  m->track_order = d->track_order;
  m->time_s = time_s;
  m->state = d->state;
  m->answer = d->answer;
  m->hash = hash_of(m);
  zmq_send(pair->out, m, sizeof *m, ZMQ_DONTWAIT);
}
