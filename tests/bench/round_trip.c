// Times of messages, for tools/rt-report. Results are JSON on stdout: histograms as pairs of us and count.
//
// round_trip exchange ENDPOINT ROUNDS EXCHANGES: from a command to the Sensors of the next step, with a
// simulator in lockstep; in turn with a round trip between a bare DEALER and a bare ROUTER in another
// process, whose messages have the same sizes. Rounds alternate, so that a busy machine disturbs both. Both
// clients send and receive with the same calls; packing and unpacking are outside of the times.
//
// round_trip stream ENDPOINT TELEMETRY COUNT: from the end of a step to the arrival of its Sensors, with a
// simulator in real time on this machine that publishes the topic timing at each step that sends Sensors. In
// the periods between them a bare ROUTER in another process, which sleeps and sends messages of the size of
// Sensors: the time from zmq_send to the same client.
#define _DEFAULT_SOURCE

#include "os/process/process.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include "bare_peer.h"

#include <inttypes.h>

enum { WARM_UP = 200, MATCHES = 1 << 12, PERIOD_NS = 10000000 };

// ---- the controller ----

struct controller {
  void *dealer;
  char session[WIRE_NAME];
  uint64_t sequence, step;
  size_t command_size, sensors_size;
};

static void say_hello(struct controller *c) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = {.sequence = ++c->sequence};
  struct wire_hello hello = {.controller_id = "round-trip", .name = "round-trip"};
  if (zmq_send(c->dealer, bytes, wire_pack_hello(&header, &hello, bytes, sizeof bytes), 0) < 0)
    stop("Hello");
}

// Takes what the message says. Returns whether it is Sensors.
static int look_at(struct controller *c, const void *bytes, size_t size) {
  static struct wire_message message;
  struct reason why;
  if (wire_unpack(bytes, size, &message, &why) != WIRE_OK) {
    fprintf(stderr, "round_trip: %s\n", why.text);
    exit(1);
  }
  if (message.kind == WIRE_REFUSAL)
    fprintf(stderr, "round_trip: refused: %s\n", message.as.refusal.text);
  if (message.kind == WIRE_REFUSAL || message.kind == WIRE_END)
    exit(1);
  if (message.kind == WIRE_WELCOME)
    memcpy(c->session, message.header.session, sizeof c->session);
  if (message.kind != WIRE_SENSORS)
    return 0;
  c->step = message.header.step;
  c->sensors_size = size;
  return 1;
}

static void join(struct controller *c, void *context, const char *endpoint) {
  *c = (struct controller){.dealer = open_socket(context, ZMQ_DEALER)};
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  int size, is_sensors = 0;
  if (zmq_connect(c->dealer, endpoint))
    stop(endpoint);
  say_hello(c);
  while (!is_sensors) {
    if ((size = zmq_recv(c->dealer, bytes, sizeof bytes, 0)) < 0)
      stop("no Sensors");
    is_sensors = look_at(c, bytes, (size_t)size);
  }
}

static size_t pack_command(struct controller *c, uint8_t *bytes) {
  struct wire_header header = {.sequence = ++c->sequence, .step = c->step};
  struct wire_command command = {.controller_id = "round-trip"};
  memcpy(header.session, c->session, sizeof header.session);
  command.command.based_on_step = c->step;
  command.command.standby = 1;
  return c->command_size = wire_pack_command(&header, &command, bytes, WIRE_MAX_ENVELOPE);
}

// ---- exchanges ----

static uint64_t exchange(void *dealer, const uint8_t *send, size_t send_size, uint8_t *receive,
                         int *receive_size) {
  uint64_t begin_ns = os_now_ns();
  if (zmq_send(dealer, send, send_size, 0) < 0 ||
      (*receive_size = zmq_recv(dealer, receive, WIRE_MAX_ENVELOPE, 0)) < 0)
    stop("exchange");
  return os_now_ns() - begin_ns;
}

// Events may come before Sensors: such an exchange does not count.
static void command_once(struct controller *c, struct histogram *out) {
  uint8_t command[WIRE_MAX_ENVELOPE], answer[WIRE_MAX_ENVELOPE];
  int size, is_first = 1;
  uint64_t ns = exchange(c->dealer, command, pack_command(c, command), answer, &size);
  for (; !look_at(c, answer, (size_t)size); is_first = 0)
    if ((size = zmq_recv(c->dealer, answer, sizeof answer, 0)) < 0)
      stop("no Sensors");
  if (is_first && out)
    histogram_add(out, ns);
}

static void echo_once(void *dealer, const struct controller *c, struct histogram *out) {
  uint8_t bytes[WIRE_MAX_ENVELOPE] = {0}, answer[WIRE_MAX_ENVELOPE];
  uint32_t wanted = (uint32_t)c->sensors_size;
  int size;
  memcpy(bytes, &wanted, sizeof wanted);
  uint64_t ns = exchange(dealer, bytes, c->command_size, answer, &size);
  if (out)
    histogram_add(out, ns);
}

static void print_bucket(void *first, struct histogram_bucket bucket) {
  printf("%s[%.3f, %" PRIu64 "]", *(int *)first ? "" : ", ", 1e-3 * (double)bucket.upper_ns, bucket.count);
  *(int *)first = 0;
}

static void print_histogram(const char *name, const struct histogram *h) {
  int first = 1;
  printf("\"%s\": [", name);
  histogram_visit(h, print_bucket, &first);
  printf("]");
}

static int exchange_rounds(const char *endpoint, int rounds, int exchanges) {
  static struct histogram lockstep, bare;
  static struct controller c;
  char bare_endpoint[64];
  start_bare_peer(answer_forever, bare_endpoint);
  void *context = zmq_ctx_new();
  join(&c, context, endpoint);
  void *dealer = open_socket(context, ZMQ_DEALER);
  if (zmq_connect(dealer, bare_endpoint))
    stop(bare_endpoint);

  for (int i = 0; i < WARM_UP; i++) {
    command_once(&c, NULL);
    echo_once(dealer, &c, NULL);
  }
  printf("{\"command_bytes\": %zu, \"sensors_bytes\": %zu, \"rounds\": [", c.command_size, c.sensors_size);
  for (int round = 0; round < rounds; round++) {
    histogram_clear(&lockstep);
    histogram_clear(&bare);
    for (int i = 0; i < exchanges; i++)
      command_once(&c, &lockstep);
    for (int i = 0; i < exchanges; i++)
      echo_once(dealer, &c, &bare);
    printf("%s\n{", round ? "," : "");
    print_histogram("lockstep", &lockstep);
    printf(", ");
    print_histogram("bare", &bare);
    printf("}");
  }
  puts("]}");
  return 0;
}

// ---- the stream of a real-time run ----

struct match {
  uint64_t step, arrived_ns, ended_ns; // 0: not known yet
};

static void add_time(struct match *table, uint64_t step, uint64_t arrived_ns, uint64_t ended_ns,
                     struct histogram *out) {
  struct match *m = &table[step % MATCHES];
  if (m->step != step)
    *m = (struct match){.step = step};
  m->arrived_ns = arrived_ns ? arrived_ns : m->arrived_ns;
  m->ended_ns = ended_ns ? ended_ns : m->ended_ns;
  if (m->arrived_ns && m->ended_ns)
    histogram_add(out, m->arrived_ns > m->ended_ns ? m->arrived_ns - m->ended_ns : 0);
}

static void take_timing(void *subscriber, struct match *table, struct histogram *out) {
  uint8_t bytes[WIRE_MAX_PLAIN];
  int size = zmq_recv(subscriber, bytes, sizeof bytes, 0); // the topic
  size = size < 0 ? size : zmq_recv(subscriber, bytes, sizeof bytes, 0);
  Sagbend__V1__Timing *timing = size < 0 ? NULL : sagbend__v1__timing__unpack(NULL, (size_t)size, bytes);
  if (!timing)
    stop("timing");
  add_time(table, timing->header->step, 0, timing->step_end_ns, out);
  sagbend__v1__timing__free_unpacked(timing, NULL);
}

static void take_sensors(struct controller *c, struct match *table, struct histogram *arrival) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  int size = zmq_recv(c->dealer, bytes, sizeof bytes, 0);
  uint64_t now_ns = os_now_ns();
  if (size < 0)
    stop("Sensors");
  if (!look_at(c, bytes, (size_t)size))
    return;
  add_time(table, c->step, now_ns, 0, arrival);
  if (zmq_send(c->dealer, bytes, pack_command(c, bytes), 0) < 0)
    stop("command");
}

// A message of the bare peer says when it was handed over.
static void take_bare(void *dealer, struct histogram *out) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  uint64_t sent_ns;
  int size = zmq_recv(dealer, bytes, sizeof bytes, 0);
  uint64_t now_ns = os_now_ns();
  if (size < (int)sizeof sent_ns)
    stop("the bare peer");
  memcpy(&sent_ns, bytes, sizeof sent_ns);
  histogram_add(out, now_ns - sent_ns);
}

// Half a period after the Sensors that have just come, so that the two do not meet.
static void start_pace(void *dealer, const struct controller *c) {
  struct pace pace = {
      .period_ns = PERIOD_NS, .bytes = c->sensors_size, .start_ns = os_now_ns() + PERIOD_NS / 2};
  if (zmq_send(dealer, &pace, sizeof pace, 0) < 0)
    stop("the bare peer");
}

static int measure_stream(const char *endpoint, const char *telemetry, uint64_t count) {
  static struct histogram arrival, bare;
  static struct match table[MATCHES];
  static struct controller c;
  char bare_endpoint[64];
  start_bare_peer(send_forever, bare_endpoint);
  void *context = zmq_ctx_new(), *subscriber = open_socket(context, ZMQ_SUB);
  void *dealer = open_socket(context, ZMQ_DEALER);
  zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, "timing", 6);
  if (zmq_connect(subscriber, telemetry))
    stop(telemetry);
  if (zmq_connect(dealer, bare_endpoint))
    stop(bare_endpoint);
  join(&c, context, endpoint);
  start_pace(dealer, &c);
  while (arrival.count < count || bare.count < count) {
    zmq_pollitem_t items[] = {
        {c.dealer, 0, ZMQ_POLLIN, 0}, {dealer, 0, ZMQ_POLLIN, 0}, {subscriber, 0, ZMQ_POLLIN, 0}};
    if (zmq_poll(items, 3, PATIENCE_MS) <= 0)
      stop("nothing comes");
    if (items[0].revents)
      take_sensors(&c, table, &arrival);
    if (items[1].revents)
      take_bare(dealer, &bare);
    if (items[2].revents)
      take_timing(subscriber, table, &arrival);
  }
  printf("{");
  print_histogram("arrival", &arrival);
  printf(", ");
  print_histogram("bare", &bare);
  puts("}");
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 5 && !strcmp(argv[1], "exchange"))
    return exchange_rounds(argv[2], atoi(argv[3]), atoi(argv[4]));
  if (argc == 5 && !strcmp(argv[1], "stream"))
    return measure_stream(argv[2], argv[3], strtoull(argv[4], NULL, 10));
  fprintf(stderr, "usage: round_trip exchange ENDPOINT ROUNDS EXCHANGES\n"
                  "       round_trip stream ENDPOINT TELEMETRY COUNT\n");
  return 2;
}
