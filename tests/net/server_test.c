// The server with real sockets on the loopback interface, at TCP ports that the system chooses. The test has
// one thread: libzmq's own threads transport the messages, and `until` polls the server while the test waits
// for a reply.
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/server/server.h"
#include "net/zmtp/zmtp.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { PATIENCE_MS = 5000, NODES = 4 };
static const double STEP_S = 0.01;

static struct config config;
static struct server *server;
static void *context;
static struct reason why;
static struct command got; // the last accepted
static int got_count;
static uint64_t now_step;

static void on_command(void *context_, const struct command *c) {
  (void)context_;
  got = *c;
  got_count++;
}

static void open_server(const char *session) {
  struct session_info info = {
      .config = &config, .session_id = session, .initial_holding_force_b = {4e5}, .node_count = NODES};
  ck_assert_msg(server_open(&info, &server, &why) == STATUS_OK, "%s", why.text);
}

static void set_up(void) {
  memset(&config, 0, sizeof config);
  strcpy(config.name, "case");
  config.hash = 77;
  config.sim.step_s = STEP_S;
  config.run.mode = RUN_REALTIME;
  strcpy(config.net.command_endpoint, "tcp://127.0.0.1:*");
  strcpy(config.net.telemetry_endpoint, "tcp://127.0.0.1:*");
  config.net.sensor_period_s = 0.1;
  config.net.truth_period_s = 0.02;
  config.net.ledger_period_s = 1;
  config.net.timing_period_s = 1;
  config.net.command_timeout_s = 0.4;
  config.net.command_max_age_s = 0.5;
  config.net.wrench_limit[0] = 1e6;
  now_step = 100;
  got_count = 0;
  context = zmq_ctx_new();
  open_server("session-1");
}

static void tear_down(void) {
  server_close(server);
  server = NULL;
  zmq_ctx_term(context);
}

static void pump(void) {
  ck_assert_int_eq(server_poll(server, 1, now_step, on_command, NULL, NULL), STATUS_OK);
}

static void publish_step(uint64_t step) {
  struct frame f;
  memset(&f, 0, sizeof f);
  f.output.step = step;
  f.output.time_s = (double)step * STEP_S;
  f.output.quaternion_nb[0] = 1;
  now_step = step;
  server_publish(server, &f);
}

// --- a controller made of a bare socket, so that it can misbehave ---

struct peer {
  void *dealer;
  const char *id;
  uint64_t sequence;
};

static struct peer peer_open(const char *id) {
  struct peer p = {zmq_socket(context, ZMQ_DEALER), id, 0};
  int zero = 0;
  zmq_setsockopt(p.dealer, ZMQ_LINGER, &zero, sizeof zero);
  ck_assert_int_eq(zmq_connect(p.dealer, server_command_endpoint(server)), 0);
  return p;
}

static void peer_send(struct peer *p, const void *data, size_t size) {
  ck_assert_uint_gt(size, 0);
  ck_assert_int_eq(zmq_send(p->dealer, data, size, 0), (int)size);
}

// Polls the server until this kind of message arrives.
static struct wire_message until(struct peer *p, enum wire_kind kind) {
  for (int64_t end = clock_ms() + PATIENCE_MS; clock_ms() < end;) {
    pump();
    uint8_t bytes[WIRE_MAX_ENVELOPE];
    int size = zmq_recv(p->dealer, bytes, sizeof bytes, ZMQ_DONTWAIT);
    if (size < 0)
      continue;
    struct wire_message m;
    ck_assert_msg(wire_unpack(bytes, (size_t)size, &m, &why) == WIRE_OK, "%s", why.text);
    if (m.kind == kind)
      return m;
  }
  ck_abort_msg("no message of kind %d came", (int)kind);
  return (struct wire_message){0};
}

static void say_hello(struct peer *p, const char *name) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header h = {.sequence = ++p->sequence};
  struct wire_hello hello;
  strcpy(hello.controller_id, p->id);
  strcpy(hello.name, name);
  peer_send(p, bytes, wire_pack_hello(&h, &hello, bytes, sizeof bytes));
  until(p, WIRE_WELCOME);
}

static struct wire_command good_command(const struct peer *p) {
  struct wire_command c = {.command = {.based_on_step = now_step, .wrench_b = {1000, 2, 3, 4, 5, 6}}};
  strcpy(c.controller_id, p->id);
  return c;
}

static void send_command(struct peer *p, const struct wire_command *c, const char *session) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header h = {.sequence = ++p->sequence};
  strcpy(h.session, session);
  peer_send(p, bytes, wire_pack_command(&h, c, bytes, sizeof bytes));
}

static void expect_accepted(struct peer *p) {
  int before = got_count;
  uint64_t counted = server_counts(server)->accepted;
  struct wire_command c = good_command(p);
  send_command(p, &c, "session-1");
  for (int64_t end = clock_ms() + PATIENCE_MS; got_count == before && clock_ms() < end;)
    pump();
  ck_assert_int_eq(got_count, before + 1);
  ck_assert_uint_eq(server_counts(server)->accepted, counted + 1);
  ck_assert_uint_eq(got.sequence, p->sequence);
  ck_assert_mem_eq(got.wrench_b, c.command.wrench_b, sizeof got.wrench_b);
}

// The sender receives the refusal, only this refusal is counted, and the command is not used.
static void expect_refused(struct peer *p, enum refusal reason, uint64_t sequence) {
  struct wire_message m = until(p, WIRE_REFUSAL);
  ck_assert_str_eq(refusal_name(m.as.refusal.reason), refusal_name(reason));
  ck_assert_uint_eq(m.as.refusal.refused_sequence, sequence);
  ck_assert_uint_gt(strlen(m.as.refusal.text), 5);
}

START_TEST(welcomes_and_takes_commands) {
  struct peer p = peer_open("a");
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header h = {.sequence = ++p.sequence};
  struct wire_hello hello = {"a", "dp"};
  peer_send(&p, bytes, wire_pack_hello(&h, &hello, bytes, sizeof bytes));
  struct wire_message m = until(&p, WIRE_WELCOME);
  ck_assert_str_eq(m.header.session, "session-1");
  ck_assert_str_eq(m.as.welcome.name, "case");
  ck_assert_uint_eq(m.as.welcome.config_hash, 77);
  ck_assert_uint_eq(m.as.welcome.node_count, NODES);
  ck_assert_double_eq(m.as.welcome.initial_holding_force_b[0], 4e5);
  ck_assert_double_eq(m.as.welcome.wrench_limit[0], 1e6);
  ck_assert_double_eq_tol(m.as.welcome.sensor_period_s, 0.1, 1e-12);
  ck_assert_str_eq(m.as.welcome.telemetry_endpoint, server_telemetry_endpoint(server));
  publish_step(100);
  ck_assert_uint_eq(until(&p, WIRE_SENSORS).as.sensors.dp.step, 100);
  expect_accepted(&p);
  expect_accepted(&p);
  ck_assert_uint_eq(refused_in_all(server_counts(server)), 0);
  zmq_close(p.dealer);
}
END_TEST

START_TEST(gives_a_latecomer_the_newest_sensors) {
  publish_step(110);
  publish_step(111); // no sensors are due at this one
  struct peer p = peer_open("a");
  say_hello(&p, "dp");
  ck_assert_uint_eq(until(&p, WIRE_SENSORS).as.sensors.dp.step, 110);
  zmq_close(p.dealer);
}
END_TEST

// Messages that a peer does not take are dropped and counted; heartbeats end its connection soon.
START_TEST(what_a_peer_does_not_read_is_counted) {
  const int few = 1, small = 4096;
  uint64_t step = 100;
  struct security_counts counts = {0};
  for (int64_t end = clock_ms() + PATIENCE_MS; !counts.denied[DENIED_UNREAD] && clock_ms() < end;) {
    struct peer p = {zmq_socket(context, ZMQ_DEALER), "a", 0};
    zmq_setsockopt(p.dealer, ZMQ_RCVHWM, &few, sizeof few);
    zmq_setsockopt(p.dealer, ZMQ_RCVBUF, &small, sizeof small);
    ck_assert_int_eq(zmq_connect(p.dealer, server_command_endpoint(server)), 0);
    say_hello(&p, "dp");
    for (int i = 0; i < 100000 && !counts.denied[DENIED_UNREAD]; i++) {
      publish_step(step += 10);
      counts = *server_security_counts(server);
    }
    zmq_close(p.dealer);
  }
  ck_assert_uint_gt(counts.denied[DENIED_UNREAD], 0);
  ck_assert_uint_eq(counts.unreported, counts.denied[DENIED_UNREAD]);
}
END_TEST

START_TEST(refuses_with_a_reason) {
  struct peer p = peer_open("a"), stranger = peer_open("b");
  publish_step(100);
  struct wire_command c = good_command(&stranger);
  send_command(&stranger, &c, "session-1"); // before any Hello
  expect_refused(&stranger, REFUSED_SESSION, 1);
  say_hello(&p, "dp");
  expect_accepted(&p);

  c = good_command(&p);
  send_command(&p, &c, "session-0");
  expect_refused(&p, REFUSED_SESSION, p.sequence);
  strcpy(c.controller_id, "b");
  send_command(&p, &c, "session-1");
  expect_refused(&p, REFUSED_SESSION, p.sequence);
  c = good_command(&p);
  c.command.wrench_b[0] = -1.0001e6;
  send_command(&p, &c, "session-1");
  expect_refused(&p, REFUSED_RANGE, p.sequence);
  c = good_command(&p);
  c.command.based_on_step = now_step + 1; // based on a future step
  send_command(&p, &c, "session-1");
  expect_refused(&p, REFUSED_STALE, p.sequence);
  c.command.based_on_step = now_step - 51; // based on sensors older than half a second
  send_command(&p, &c, "session-1");
  expect_refused(&p, REFUSED_STALE, p.sequence);
  c = good_command(&p);
  p.sequence--; // repeats the last one
  send_command(&p, &c, "session-1");
  expect_refused(&p, REFUSED_SEQUENCE, p.sequence);
  ck_assert_int_eq(got_count, 1);

  c.command.based_on_step = now_step - 50; // at its limits it is accepted
  c.command.wrench_b[0] = -1e6;
  send_command(&p, &c, "session-1");
  for (int64_t end = clock_ms() + PATIENCE_MS; got_count == 1 && clock_ms() < end;)
    pump();
  ck_assert_int_eq(got_count, 2);

  const struct command_counts *n = server_counts(server);
  ck_assert_uint_eq(n->refused[REFUSED_SESSION], 3);
  ck_assert_uint_eq(n->refused[REFUSED_RANGE], 1);
  ck_assert_uint_eq(n->refused[REFUSED_STALE], 2);
  ck_assert_uint_eq(n->refused[REFUSED_SEQUENCE], 1);
  ck_assert_uint_eq(n->refused[REFUSED_MALFORMED], 0);
  ck_assert_uint_eq(refused_in_all(server_counts(server)), 7);
  zmq_close(p.dealer);
  zmq_close(stranger.dealer);
}
END_TEST

// Bytes of a valid command with a marked number that is overwritten afterwards, because packing would refuse
// the value.
static size_t command_bytes(struct peer *p, double marked, uint8_t *bytes, size_t capacity) {
  struct wire_header h = {.session = "session-1", .sequence = ++p->sequence};
  struct wire_command c = good_command(p);
  const double marker = 12345.678;
  c.command.wrench_b[1] = marker;
  size_t size = wire_pack_command(&h, &c, bytes, capacity);
  for (size_t i = 0; i + sizeof marker <= size; i++)
    if (memcmp(bytes + i, &marker, sizeof marker) == 0) {
      memcpy(bytes + i, &marked, sizeof marked);
      return size;
    }
  ck_abort_msg("the marker is not in the message");
  return 0;
}

START_TEST(survives_what_is_no_message) {
  struct peer p = peer_open("a");
  say_hello(&p, "dp");
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    peer_send(&p, bytes, command_bytes(&p, bad[i], bytes, sizeof bytes));
    expect_refused(&p, REFUSED_NOT_FINITE, p.sequence);
  }
  ck_assert_uint_eq(server_counts(server)->refused[REFUSED_NOT_FINITE], 3);

  size_t size =
      command_bytes(&p, 1, bytes, sizeof bytes); // field 3, length, header: field 1, length, protocol
  ck_assert_uint_eq(bytes[4], 0x08);
  ck_assert_uint_eq(bytes[5], WIRE_PROTOCOL);
  bytes[5] = WIRE_PROTOCOL + 1;
  peer_send(&p, bytes, size);
  expect_refused(&p, REFUSED_PROTOCOL, p.sequence);

  peer_send(&p, "garbage", 7);
  expect_refused(&p, REFUSED_MALFORMED, 0);
  ck_assert_int_eq(zmq_send(p.dealer, "", 0, 0), 0);
  expect_refused(&p, REFUSED_MALFORMED, 0);
  zmq_send(p.dealer, "", 0, ZMQ_SNDMORE); // two message parts, as a REQ socket sends them
  zmq_send(p.dealer, "x", 1, 0);
  expect_refused(&p, REFUSED_MALFORMED, 0);
  char *large = calloc(1, 200 << 10);
  peer_send(&p, large, 200 << 10);
  expect_refused(&p, REFUSED_MALFORMED, 0);
  ck_assert_uint_eq(server_counts(server)->refused[REFUSED_MALFORMED], 4);
  expect_accepted(&p);

  // larger than libzmq accepts: the peer is disconnected, the others continue
  struct peer huge = peer_open("b");
  large = realloc(large, 20 << 20);
  memset(large, 1, 20 << 20);
  peer_send(&huge, large, 20 << 20);
  for (int64_t end = clock_ms() + 300; clock_ms() < end;)
    pump();
  expect_accepted(&p);
  ck_assert_uint_eq(refused_in_all(server_counts(server)), 8);
  free(large);
  zmq_close(huge.dealer);
  zmq_close(p.dealer);
}
END_TEST

START_TEST(counts_all_and_publishes_few_refusals) {
  struct peer p = peer_open("a");
  say_hello(&p, "dp");
  int64_t start = clock_ms();
  for (int k = 0; k < 50; k++) {
    peer_send(&p, "garbage", 7);
    if (k % 20 == 19)
      pump();
  }
  int events = 0;
  for (int64_t end = clock_ms() + PATIENCE_MS;
       server_counts(server)->refused[REFUSED_MALFORMED] < 50 && clock_ms() < end;)
    pump();
  ck_assert_uint_eq(server_counts(server)->refused[REFUSED_MALFORMED], 50);
  int64_t seconds = (clock_ms() - start) / 1000 + 2; // largest number of calendar seconds touched
  peer_send(&p, "x", 1);
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_message m;
  for (int64_t end = clock_ms() + 300; clock_ms() < end;) {
    pump();
    int size = zmq_recv(p.dealer, bytes, sizeof bytes, ZMQ_DONTWAIT);
    if (size > 0 && wire_unpack(bytes, (size_t)size, &m, &why) == WIRE_OK && m.kind == WIRE_EVENT)
      events++;
  }
  ck_assert_int_gt(events, 0);
  ck_assert_int_le(events, 10 * (int)seconds);
  zmq_close(p.dealer);
}
END_TEST

START_TEST(one_controller_at_a_time) {
  struct peer a = peer_open("a"), b = peer_open("b");
  say_hello(&a, "dp");
  say_hello(&b, "other");
  expect_accepted(&a);
  struct wire_command c = good_command(&b);
  send_command(&b, &c, "session-1");
  expect_refused(&b, REFUSED_NOT_CONTROLLER, b.sequence);
  ck_assert_uint_eq(server_counts(server)->refused[REFUSED_NOT_CONTROLLER], 1);
  // the first controller is silent for longer than the time-out
  for (int64_t end = clock_ms() + 500; clock_ms() < end;)
    pump();
  expect_accepted(&b);
  c = good_command(&a);
  send_command(&a, &c, "session-1");
  expect_refused(&a, REFUSED_NOT_CONTROLLER, a.sequence);
  zmq_close(a.dealer);
  zmq_close(b.dealer);
}
END_TEST

START_TEST(a_namesake_takes_over_at_once) {
  config.net.command_timeout_s = 1000; // no time-out applies here
  server_close(server);
  open_server("session-1");
  struct peer a = peer_open("a"), b = peer_open("b");
  say_hello(&a, "dp");
  expect_accepted(&a);
  say_hello(&b, "dp"); // restarted while the first connection still exists
  expect_accepted(&b);
  struct wire_command c = good_command(&a);
  send_command(&a, &c, "session-1");
  expect_refused(&a, REFUSED_NOT_CONTROLLER, a.sequence);
  say_hello(&a, "dp"); // already known: repeating Hello does not take over
  c = good_command(&a);
  send_command(&a, &c, "session-1");
  expect_refused(&a, REFUSED_NOT_CONTROLLER, a.sequence);
  expect_accepted(&b);
  zmq_close(a.dealer);
  zmq_close(b.dealer);
}
END_TEST

START_TEST(a_controller_that_has_gone_leaves_the_command) {
  config.net.command_timeout_s = 1000;
  config.run.mode = RUN_LOCKSTEP; // where silence alone does not remove it
  server_close(server);
  open_server("session-1");
  struct peer a = peer_open("a"), b = peer_open("b");
  say_hello(&a, "dp");
  say_hello(&b, "other");
  expect_accepted(&a);
  zmq_close(a.dealer);
  int gone = 0;
  for (int64_t end = clock_ms() + PATIENCE_MS; !gone && clock_ms() < end;) {
    publish_step(now_step + 10); // the server learns it by sending
    struct wire_message m = until(&b, WIRE_SENSORS);
    uint64_t before = server_counts(server)->refused[REFUSED_NOT_CONTROLLER];
    struct wire_command c = good_command(&b);
    c.command.based_on_step = m.as.sensors.dp.step;
    uint64_t accepted = server_counts(server)->accepted;
    send_command(&b, &c, "session-1");
    while (server_counts(server)->refused[REFUSED_NOT_CONTROLLER] == before &&
           server_counts(server)->accepted == accepted && clock_ms() < end)
      pump();
    gone = server_counts(server)->accepted > accepted;
  }
  ck_assert_int_eq(gone, 1);
  zmq_close(b.dealer);
}
END_TEST

// A command counts only on the connection that sent Hello: another connection sends Hello again and
// continues.
START_TEST(a_new_connection_says_hello_again) {
  struct peer p = peer_open("a");
  say_hello(&p, "dp");
  expect_accepted(&p);
  zmq_close(p.dealer);
  struct peer again = peer_open("a");
  again.sequence = p.sequence;
  struct wire_command c = good_command(&again);
  send_command(&again, &c, "session-1");
  expect_refused(&again, REFUSED_SESSION, again.sequence);
  say_hello(&again, "dp");
  expect_accepted(&again);
  publish_step(200);
  ck_assert_uint_eq(until(&again, WIRE_SENSORS).as.sensors.dp.step, 200);
  zmq_close(again.dealer);
}
END_TEST

// Commands with the id of the controller in command and the largest sequence number, from any other
// connection, have no effect.
START_TEST(a_forged_command_changes_nothing) {
  struct peer p = peer_open("a"), forger = peer_open("a");
  say_hello(&p, "dp");
  expect_accepted(&p);
  struct wire_command c = good_command(&forger);
  for (int i = 0; i < 3; i++) {
    forger.sequence = UINT64_MAX - 1;
    send_command(&forger, &c, "session-1");
    expect_refused(&forger, REFUSED_SESSION, UINT64_MAX);
    expect_accepted(&p);
  }
  zmq_close(forger.dealer);
  expect_accepted(&p);
  publish_step(200);
  ck_assert_uint_eq(until(&p, WIRE_SENSORS).as.sensors.dp.step, 200); // and it still receives Sensors
  ck_assert_uint_eq(server_counts(server)->refused[REFUSED_SESSION], 3);
  ck_assert_uint_eq(refused_in_all(server_counts(server)), 3);
  zmq_close(p.dealer);
}
END_TEST

// A routing id set by the peer, which ZeroMQ hands over to the next peer with the same id: that peer has not
// sent Hello.
START_TEST(a_borrowed_routing_id_is_no_hello) {
  struct peer p = peer_open("a");
  zmq_disconnect(p.dealer, server_command_endpoint(server));
  zmq_setsockopt(p.dealer, ZMQ_ROUTING_ID, "mine", 4);
  zmq_connect(p.dealer, server_command_endpoint(server));
  say_hello(&p, "dp");
  expect_accepted(&p);
  struct peer thief = {zmq_socket(context, ZMQ_DEALER), "a", 1000};
  int zero = 0;
  zmq_setsockopt(thief.dealer, ZMQ_LINGER, &zero, sizeof zero);
  zmq_setsockopt(thief.dealer, ZMQ_ROUTING_ID, "mine", 4);
  zmq_connect(thief.dealer, server_command_endpoint(server));
  struct wire_command c = good_command(&thief);
  send_command(&thief, &c, "session-1");
  for (int64_t end = clock_ms() + PATIENCE_MS; server_counts(server)->refused[REFUSED_SESSION] == 0 &&
                                               server_counts(server)->accepted == 1 && clock_ms() < end;)
    pump();
  ck_assert_uint_eq(server_counts(server)->refused[REFUSED_SESSION], 1);
  ck_assert_uint_eq(server_counts(server)->accepted, 1);
  zmq_close(thief.dealer);
  zmq_close(p.dealer);
}
END_TEST

START_TEST(hello_begins_the_sequence_anew) {
  struct peer p = peer_open("a");
  say_hello(&p, "dp");
  struct wire_command c = good_command(&p);
  p.sequence = UINT64_MAX - 1;
  send_command(&p, &c, "session-1");
  for (int64_t end = clock_ms() + PATIENCE_MS; got_count == 0 && clock_ms() < end;)
    pump();
  ck_assert_int_eq(got_count, 1);
  p.sequence = 6;
  send_command(&p, &c, "session-1");
  expect_refused(&p, REFUSED_SEQUENCE, 7);
  say_hello(&p, "dp");
  expect_accepted(&p);
  ck_assert_uint_eq(got.sequence, 9);
  zmq_close(p.dealer);
}
END_TEST

static int is_there(const struct wire_event *e, const char *text) {
  return strstr(e->text, text) || strstr(e->name, text);
}

// Published texts identify controllers by name and number, never by their secret id.
START_TEST(ids_are_not_told) {
  struct peer p = peer_open("secret-17"), listener = peer_open("other");
  say_hello(&listener, "ear");
  say_hello(&p, "dp");
  expect_accepted(&p);
  int joined = 0, commands = 0;
  while (!joined || !commands) {
    struct wire_message m = until(&listener, WIRE_EVENT);
    ck_assert_int_eq(is_there(&m.as.event, "secret-17"), 0);
    joined |= is_there(&m.as.event, "controller_joined") && is_there(&m.as.event, "dp (number 2)");
    commands |= is_there(&m.as.event, "controller_in_command");
  }
  zmq_close(p.dealer);
  int gone = 0;
  for (int64_t end = clock_ms() + PATIENCE_MS; !gone && clock_ms() < end;) {
    publish_step(now_step + 10); // the server learns it by sending
    until(&listener, WIRE_SENSORS);
    say_hello(&listener, "ear"); // so that it is not removed for silence
    uint8_t bytes[WIRE_MAX_ENVELOPE];
    struct wire_message m;
    for (int size; (size = zmq_recv(listener.dealer, bytes, sizeof bytes, ZMQ_DONTWAIT)) > 0;)
      if (wire_unpack(bytes, (size_t)size, &m, &why) == WIRE_OK && m.kind == WIRE_EVENT) {
        ck_assert_int_eq(is_there(&m.as.event, "secret-17"), 0);
        gone |= is_there(&m.as.event, "controller_gone");
      }
  }
  zmq_close(listener.dealer);
}
END_TEST

// Peers that only send Hello are displaced by new ones, oldest first; the controller in command stays, and so
// does a peer that tries to command.
START_TEST(idle_controllers_make_way) {
  enum { IDLE = 40 };
  config.net.command_timeout_s = 1000;
  server_close(server);
  open_server("session-1");
  struct peer dp = peer_open("dp"), standby = peer_open("standby"), idle[IDLE];
  say_hello(&dp, "dp");
  expect_accepted(&dp);
  say_hello(&standby, "other");
  struct wire_command c = good_command(&standby);
  send_command(&standby, &c, "session-1");
  expect_refused(&standby, REFUSED_NOT_CONTROLLER, standby.sequence);
  char ids[IDLE][8];
  for (int i = 0; i < IDLE; i++) {
    snprintf(ids[i], sizeof ids[i], "idle-%d", i);
    idle[i] = peer_open(ids[i]);
    say_hello(&idle[i], "idle"); // and receives Welcome
  }
  ck_assert_uint_eq(server_counts(server)->displaced, IDLE - 14);
  expect_accepted(&dp);
  c = good_command(&standby);
  send_command(&standby, &c, "session-1");
  expect_refused(&standby, REFUSED_NOT_CONTROLLER, standby.sequence); // it is still known
  c = good_command(&idle[0]);
  send_command(&idle[0], &c, "session-1");
  expect_refused(&idle[0], REFUSED_SESSION, idle[0].sequence); // it was displaced
  c = good_command(&idle[IDLE - 1]);
  send_command(&idle[IDLE - 1], &c, "session-1");
  expect_refused(&idle[IDLE - 1], REFUSED_NOT_CONTROLLER, idle[IDLE - 1].sequence);
  for (int i = 0; i < IDLE; i++)
    zmq_close(idle[i].dealer);
  zmq_close(standby.dealer);
  zmq_close(dp.dealer);
}
END_TEST

// A controller silent for more than three seconds is removed; in lockstep the simulator waits for a slow
// controller.
START_TEST(silent_controllers_are_forgotten) {
  for (int lockstep = 0; lockstep < 2; lockstep++) {
    config.run.mode = lockstep ? RUN_LOCKSTEP : RUN_REALTIME;
    server_close(server);
    open_server("session-1");
    struct peer p = peer_open("a");
    say_hello(&p, "dp");
    expect_accepted(&p);
    for (int64_t end = clock_ms() + 3300; clock_ms() < end;)
      pump();
    if (lockstep) {
      publish_step(now_step + 10);
      expect_accepted(&p);
    } else {
      struct wire_command c = good_command(&p);
      send_command(&p, &c, "session-1");
      expect_refused(&p, REFUSED_SESSION, p.sequence);
      say_hello(&p, "dp");
      expect_accepted(&p);
    }
    zmq_close(p.dealer);
  }
}
END_TEST

// Lockstep: a step takes the first answer to its own sensors from the controller in command, however long it
// computed, and refuses every other with a reason.
START_TEST(lockstep_does_not_look_at_the_clock) {
  config.net.command_timeout_s = 0.1;
  config.run.mode = RUN_LOCKSTEP;
  server_close(server);
  open_server("session-1");
  struct peer a = peer_open("a"), b = peer_open("b");
  say_hello(&a, "dp");
  say_hello(&b, "other");
  publish_step(100);
  expect_accepted(&a);
  struct wire_command c = good_command(&a);
  send_command(&a, &c, "session-1"); // a second answer: which of two is used must not depend on their timing
  expect_refused(&a, REFUSED_STALE, a.sequence);
  publish_step(110);
  // five wall-clock time-outs: the controller is computing
  for (int64_t end = clock_ms() + 500; clock_ms() < end;)
    pump();
  c = good_command(&b);
  send_command(&b, &c, "session-1");
  expect_refused(&b, REFUSED_NOT_CONTROLLER, b.sequence);
  c = good_command(&a);
  c.command.based_on_step = 100;
  send_command(&a, &c, "session-1");
  expect_refused(&a, REFUSED_STALE, a.sequence);
  expect_accepted(&a);
  publish_step(120);
  server_refuse_answers(server, 120);
  c = good_command(&a);
  send_command(&a, &c, "session-1");
  expect_refused(&a, REFUSED_STALE, a.sequence);
  publish_step(131); // more than the time-out of simulated time since it commanded last
  expect_accepted(&b);
  zmq_close(a.dealer);
  zmq_close(b.dealer);
}
END_TEST

// --- publishing ---

static void *subscribe(const char *topic) {
  void *sub = zmq_socket(context, ZMQ_SUB);
  int zero = 0;
  zmq_setsockopt(sub, ZMQ_LINGER, &zero, sizeof zero);
  zmq_setsockopt(sub, ZMQ_SUBSCRIBE, topic, strlen(topic));
  zmq_connect(sub, server_telemetry_endpoint(server));
  // A subscription takes effect with a delay: wait for an event sent for this purpose.
  char got_topic[16];
  int milliseconds = 20;
  zmq_setsockopt(sub, ZMQ_RCVTIMEO, &milliseconds, sizeof milliseconds);
  zmq_setsockopt(sub, ZMQ_SUBSCRIBE, "event", 5);
  for (int64_t end = clock_ms() + PATIENCE_MS; clock_ms() < end;) {
    pump();
    server_publish_event(server, 0, 0, "probe", "is anybody there");
    if (zmq_recv(sub, got_topic, sizeof got_topic, 0) == 5) {
      zmq_recv(sub, got_topic, sizeof got_topic, 0); // the message itself, truncated
      break;
    }
  }
  zmq_setsockopt(sub, ZMQ_UNSUBSCRIBE, "event", 5);
  for (int64_t end = clock_ms() + 100; clock_ms() < end;)
    pump();
  milliseconds = 300;
  zmq_setsockopt(sub, ZMQ_RCVTIMEO, &milliseconds, sizeof milliseconds);
  return sub;
}

static int next(void *sub, const char *topic, uint8_t *bytes, size_t capacity) {
  for (;;) {
    char name[16] = {0};
    int more, size = zmq_recv(sub, name, sizeof name - 1, 0);
    if (size < 0)
      return -1;
    size_t more_size = sizeof more;
    zmq_getsockopt(sub, ZMQ_RCVMORE, &more, &more_size);
    ck_assert_int_eq(more, 1);
    size = zmq_recv(sub, bytes, capacity, 0);
    if (strcmp(name, topic) == 0) // not a remainder of the probe
      return size;
  }
}

START_TEST(publishes_at_the_periods) {
  void *sub = subscribe("truth");
  uint8_t bytes[WIRE_MAX_PLAIN];
  for (uint64_t step = 0; step < 20; step++)
    if (step < 7 || step > 12) // lost step frames do not shift the following messages
      publish_step(step);
  const uint64_t expected[] = {0, 2, 4, 6, 13, 14, 16, 18};
  for (int i = 0; i < 8; i++) {
    int size = next(sub, "truth", bytes, sizeof bytes);
    ck_assert_int_gt(size, 0);
    Sagbend__V1__Truth *t = sagbend__v1__truth__unpack(NULL, (size_t)size, bytes);
    ck_assert_uint_eq(t->header->step, expected[i]);
    ck_assert_uint_eq(t->header->sequence, (uint64_t)i + 1);
    ck_assert_str_eq(t->header->session, "session-1");
    ck_assert_uint_eq(t->header->protocol, WIRE_PROTOCOL);
    sagbend__v1__truth__free_unpacked(t, NULL);
  }
  ck_assert_int_lt(next(sub, "truth", bytes, sizeof bytes), 0);
  zmq_close(sub);
}
END_TEST

START_TEST(publishes_the_nodes) {
  void *sub = subscribe("nodes");
  struct sim_node nodes[NODES] = {0};
  for (int i = 0; i < NODES; i++) {
    for (int k = 0; k < 3; k++)
      nodes[i].position_n_m[k] = 10 * i + k;
    for (int k = 0; k < 4; k++)
      nodes[i].quaternion_nt[k] = 100 * i + k;
  }
  server_publish_nodes(server, 5, 0.05, NODES, nodes);
  uint8_t bytes[WIRE_MAX_PLAIN];
  int size = next(sub, "nodes", bytes, sizeof bytes);
  ck_assert_int_gt(size, 0);
  Sagbend__V1__Nodes *n = sagbend__v1__nodes__unpack(NULL, (size_t)size, bytes);
  ck_assert_uint_eq(n->n_north_m, NODES);
  ck_assert_double_eq(n->east_m[3], 31);
  ck_assert_double_eq(n->quaternion_y[2], 202);
  sagbend__v1__nodes__free_unpacked(n, NULL);
  zmq_close(sub);
}
END_TEST

START_TEST(says_where_it_could_not_bind) {
  struct config taken = config;
  strcpy(taken.net.command_endpoint, server_command_endpoint(server));
  struct session_info info = {.config = &taken, .session_id = "x"};
  struct server *second;
  ck_assert_int_eq(server_open(&info, &second, &why), STATUS_IO);
  ck_assert_ptr_null(second);
  ck_assert_ptr_nonnull(strstr(why.text, taken.net.command_endpoint));
}
END_TEST

// --- the client ---

static struct wire_message client_until(struct client *c, enum wire_kind kind) {
  struct wire_message m;
  for (int64_t end = clock_ms() + PATIENCE_MS; clock_ms() < end;) {
    if (server)
      pump();
    ck_assert_int_eq(client_poll(c, 1, &m, &why), STATUS_OK);
    if (m.kind == kind)
      return m;
  }
  ck_abort_msg("no message of kind %d came", (int)kind);
  return m;
}

START_TEST(the_client_survives_restarts_of_the_simulator) {
  struct client *c;
  char endpoint[128];
  strcpy(endpoint, server_command_endpoint(server));
  server_close(server);
  server = NULL;
  ck_assert_int_eq(client_open(endpoint, "dp", NULL, &c, &why), STATUS_OK); // started before the simulator
  struct wire_message m;
  struct command command = {.wrench_b = {1, 2, 3, 4, 5, 6}};
  ck_assert_int_eq(client_poll(c, 50, &m, &why), STATUS_OK);
  ck_assert_int_eq(m.kind, WIRE_NONE);
  ck_assert_int_eq(client_send(c, &command, NULL), 0);

  strcpy(config.net.command_endpoint, endpoint);
  const char *const sessions[] = {"first", "second"};
  for (int i = 0; i < 2; i++) {
    open_server(sessions[i]);
    struct wire_message welcome = client_until(c, WIRE_WELCOME);
    ck_assert_str_eq(welcome.header.session, sessions[i]);
    publish_step(200);
    command.based_on_step = client_until(c, WIRE_SENSORS).as.sensors.dp.step;
    ck_assert_uint_eq(command.based_on_step, 200);
    got_count = 0;
    ck_assert_int_eq(client_send(c, &command, NULL), 1);
    for (int64_t end = clock_ms() + PATIENCE_MS; got_count == 0 && clock_ms() < end;)
      pump();
    ck_assert_int_eq(got_count, 1);
    ck_assert_mem_eq(got.wrench_b, command.wrench_b, sizeof got.wrench_b);
    ck_assert_uint_eq(got.sequence, command.sequence);
    ck_assert_uint_eq(refused_in_all(server_counts(server)), 0);
    if (i == 0) { // as if killed: without End
      server_close(server);
      server = NULL;
    }
  }
  client_close(c);
}
END_TEST

START_TEST(the_end_arrives_before_the_server_closes) {
  struct client *c;
  ck_assert_int_eq(client_open(server_command_endpoint(server), "dp", NULL, &c, &why), STATUS_OK);
  client_until(c, WIRE_WELCOME);
  server_publish_end(server, 500, 5, "duration reached", "");
  server_close(server);
  server = NULL;
  struct wire_message m = client_until(c, WIRE_END);
  ck_assert_str_eq(m.as.event.text, "duration reached");
  ck_assert_uint_eq(m.header.step, 500);
  client_close(c);
}
END_TEST

START_TEST(the_client_refuses_a_bad_endpoint) {
  struct client *c;
  ck_assert_int_eq(client_open("nonsense", "dp", NULL, &c, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_null(c);
  ck_assert_ptr_nonnull(strstr(why.text, "nonsense"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("io_wire");
  TCase *tc = tcase_create("sockets");
  tcase_set_timeout(tc, 60);
  tcase_add_checked_fixture(tc, set_up, tear_down);
  tcase_add_test(tc, welcomes_and_takes_commands);
  tcase_add_test(tc, gives_a_latecomer_the_newest_sensors);
  tcase_add_test(tc, what_a_peer_does_not_read_is_counted);
  tcase_add_test(tc, refuses_with_a_reason);
  tcase_add_test(tc, survives_what_is_no_message);
  tcase_add_test(tc, counts_all_and_publishes_few_refusals);
  tcase_add_test(tc, one_controller_at_a_time);
  tcase_add_test(tc, a_namesake_takes_over_at_once);
  tcase_add_test(tc, a_controller_that_has_gone_leaves_the_command);
  tcase_add_test(tc, a_new_connection_says_hello_again);
  tcase_add_test(tc, a_forged_command_changes_nothing);
  tcase_add_test(tc, a_borrowed_routing_id_is_no_hello);
  tcase_add_test(tc, hello_begins_the_sequence_anew);
  tcase_add_test(tc, ids_are_not_told);
  tcase_add_test(tc, idle_controllers_make_way);
  tcase_add_test(tc, silent_controllers_are_forgotten);
  tcase_add_test(tc, lockstep_does_not_look_at_the_clock);
  tcase_add_test(tc, publishes_at_the_periods);
  tcase_add_test(tc, publishes_the_nodes);
  tcase_add_test(tc, says_where_it_could_not_bind);
  tcase_add_test(tc, the_client_survives_restarts_of_the_simulator);
  tcase_add_test(tc, the_end_arrives_before_the_server_closes);
  tcase_add_test(tc, the_client_refuses_a_bad_endpoint);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
