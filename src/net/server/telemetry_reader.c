#include "net/server/telemetry_reader.h"

#include "net/zmtp/clock.h"
#include "net/server/client_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum {
  QUEUE = 256,
  MAX_MESSAGE = 16 << 20, // bytes; a peer that sends more is cut off
  FOLLOW_MS = 100,        // longest wait between two looks at the connection
  SILENT_MS = 10000       // after which a connection is given up: a simulator says something twice a second
};

struct telemetry_reader {
  struct client_socket line;
  const char *const *topics;
  int64_t heard_ms; // when a message came last, or the socket was opened
  char topic[32];
  zmq_msg_t message; // the newest; it holds the bytes
  uint64_t skipped;
};

static void prepare(void *socket, const void *context) {
  const struct telemetry_reader *reader = context;
  const int queue = QUEUE;
  const int64_t max_message = MAX_MESSAGE;
  zmq_setsockopt(socket, ZMQ_RCVHWM, &queue, sizeof queue);
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &max_message, sizeof max_message);
  for (const char *const *topic = reader->topics; *topic; topic++)
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, *topic, strlen(*topic));
}

enum status telemetry_reader_open(const char *endpoint, const char *const *topics,
                                  const struct client_keys *keys, struct telemetry_reader **out,
                                  struct reason *why) {
  struct telemetry_reader *reader = calloc(1, sizeof *reader);
  *out = NULL;
  if (!reader)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the telemetry");
  const struct client_socket_options options = {
      .type = ZMQ_SUB, .keys = keys, .prepare = prepare, .context = reader};
  zmq_msg_init(&reader->message);
  reader->topics = topics;
  reader->heard_ms = clock_ms();
  enum status status = client_socket_open(&reader->line, endpoint, &options, why);
  if (status == STATUS_OK)
    *out = reader;
  else
    telemetry_reader_close(reader);
  return status;
}

void telemetry_reader_close(struct telemetry_reader *reader) {
  if (!reader)
    return;
  zmq_msg_close(&reader->message);
  client_socket_close(&reader->line);
  free(reader);
}

int telemetry_reader_file(const struct telemetry_reader *reader) {
  int file = -1;
  size_t size = sizeof file;
  return zmq_getsockopt(reader->line.socket, ZMQ_FD, &file, &size) == 0 ? file : -1;
}

uint64_t telemetry_reader_skipped(const struct telemetry_reader *reader) {
  return reader->skipped;
}

// Reads the parts of one message. Returns their number, the size of the first in *name_size; 0: none has
// come.
static int read_parts(struct telemetry_reader *reader, int *name_size) {
  int parts = 1;
  *name_size = zmq_recv(reader->line.socket, reader->topic, sizeof reader->topic - 1, ZMQ_DONTWAIT);
  if (*name_size < 0)
    return 0;
  int more = 0;
  size_t size = sizeof more;
  while (zmq_getsockopt(reader->line.socket, ZMQ_RCVMORE, &more, &size) == 0 && more) {
    if (zmq_msg_recv(&reader->message, reader->line.socket, ZMQ_DONTWAIT) < 0)
      break;
    parts++;
  }
  return parts;
}

// Takes the next message that has come, if it is one of a simulator's.
static const void *take(struct telemetry_reader *reader, const char **topic, size_t *size) {
  for (;;) {
    int name, parts = read_parts(reader, &name);
    if (parts == 0)
      return NULL;
    reader->heard_ms = clock_ms();
    if (parts != 2 ||
        (size_t)name >= sizeof reader->topic) { // of a later version, or nothing of a simulator's
      reader->skipped++;
      continue;
    }
    reader->topic[name] = 0;
    *topic = reader->topic;
    *size = zmq_msg_size(&reader->message);
    return zmq_msg_data(&reader->message);
  }
}

// A refusal changes nothing: there may be another simulator next time. SUB sockets subscribe anew.
static void follow(struct telemetry_reader *reader) {
  int is_new;
  if (reader->line.is_open && clock_ms() - reader->heard_ms > SILENT_MS)
    client_socket_renew(&reader->line);
  client_socket_follow(&reader->line, &is_new, NULL);
  if (is_new)
    reader->heard_ms = clock_ms();
}

const void *telemetry_reader_take(struct telemetry_reader *reader, int timeout_ms, const char **topic,
                                  size_t *size) {
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    const void *message = take(reader, topic, size);
    if (message)
      return message;
    follow(reader);
    int64_t left_ms = end_ms - clock_ms();
    if (left_ms <= 0)
      return NULL;
    client_socket_wait(&reader->line, left_ms < FOLLOW_MS ? (int)left_ms : FOLLOW_MS);
  }
}
