#include "io/wire/telemetry_reader.h"

#include "io/wire/client_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { QUEUE = 256, MAX_MESSAGE = 16 << 20 }; // bytes; a peer that sends more is cut off

struct telemetry_reader {
  void *context, *socket;
  char topic[32];
  zmq_msg_t message; // the newest; it holds the bytes
  uint64_t skipped;
};

enum status telemetry_reader_open(const char *endpoint, const char *const *topics,
                                  const struct client_keys *keys, struct telemetry_reader **out,
                                  struct reason *why) {
  const int zero = 0, queue = QUEUE;
  const int64_t max_message = MAX_MESSAGE;
  struct telemetry_reader *reader = calloc(1, sizeof *reader);
  *out = NULL;
  if (!reader)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the telemetry");
  zmq_msg_init(&reader->message);
  reader->context = zmq_ctx_new();
  reader->socket = reader->context ? zmq_socket(reader->context, ZMQ_SUB) : NULL;
  enum status status = reader->socket ? client_set_keys(reader->socket, keys, why)
                                      : fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));
  if (status == STATUS_OK) {
    zmq_setsockopt(reader->socket, ZMQ_LINGER, &zero, sizeof zero);
    zmq_setsockopt(reader->socket, ZMQ_RCVHWM, &queue, sizeof queue);
    zmq_setsockopt(reader->socket, ZMQ_MAXMSGSIZE, &max_message, sizeof max_message);
    for (const char *const *topic = topics; *topic; topic++)
      zmq_setsockopt(reader->socket, ZMQ_SUBSCRIBE, *topic, strlen(*topic));
    if (zmq_connect(reader->socket, endpoint) < 0)
      status = fail(why, STATUS_IO, "cannot connect to %s: %s", endpoint, zmq_strerror(errno));
  }
  if (status != STATUS_OK) {
    telemetry_reader_close(reader);
    return status;
  }
  *out = reader;
  return STATUS_OK;
}

void telemetry_reader_close(struct telemetry_reader *reader) {
  if (!reader)
    return;
  zmq_msg_close(&reader->message);
  if (reader->socket)
    zmq_close(reader->socket);
  if (reader->context)
    zmq_ctx_term(reader->context);
  free(reader);
}

int telemetry_reader_file(const struct telemetry_reader *reader) {
  int file = -1;
  size_t size = sizeof file;
  return zmq_getsockopt(reader->socket, ZMQ_FD, &file, &size) == 0 ? file : -1;
}

uint64_t telemetry_reader_skipped(const struct telemetry_reader *reader) {
  return reader->skipped;
}

// Reads the parts of one message. Returns their number, the size of the first in *name_size; 0: none has
// come.
static int read_parts(struct telemetry_reader *reader, int *name_size) {
  int parts = 1;
  *name_size = zmq_recv(reader->socket, reader->topic, sizeof reader->topic - 1, ZMQ_DONTWAIT);
  if (*name_size < 0)
    return 0;
  int more = 0;
  size_t size = sizeof more;
  while (zmq_getsockopt(reader->socket, ZMQ_RCVMORE, &more, &size) == 0 && more) {
    if (zmq_msg_recv(&reader->message, reader->socket, ZMQ_DONTWAIT) < 0)
      break;
    parts++;
  }
  return parts;
}

const void *telemetry_reader_take(struct telemetry_reader *reader, int timeout_ms, const char **topic,
                                  size_t *size) {
  zmq_pollitem_t item = {reader->socket, 0, ZMQ_POLLIN, 0};
  if (zmq_poll(&item, 1, timeout_ms) <= 0)
    return NULL;
  for (;;) {
    int name, parts = read_parts(reader, &name);
    if (parts == 0)
      return NULL;
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
