#include "io/wire/telemetry_reader.h"

#include "io/codec/codec.h"
#include "io/wire/client_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { QUEUE = 256 };

struct telemetry_reader {
  void *context, *socket;
  char topic[32];
  uint8_t bytes[WIRE_MAX_PLAIN];
};

enum status telemetry_reader_open(const char *endpoint, const char *const *topics,
                                  const struct client_keys *keys, struct telemetry_reader **out,
                                  struct reason *why) {
  const int zero = 0, queue = QUEUE;
  struct telemetry_reader *reader = calloc(1, sizeof *reader);
  *out = NULL;
  if (!reader)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the telemetry");
  reader->context = zmq_ctx_new();
  reader->socket = reader->context ? zmq_socket(reader->context, ZMQ_SUB) : NULL;
  enum status status = reader->socket ? client_set_keys(reader->socket, keys, why)
                                      : fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));
  if (status == STATUS_OK) {
    zmq_setsockopt(reader->socket, ZMQ_LINGER, &zero, sizeof zero);
    zmq_setsockopt(reader->socket, ZMQ_RCVHWM, &queue, sizeof queue);
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
  if (reader->socket)
    zmq_close(reader->socket);
  if (reader->context)
    zmq_ctx_term(reader->context);
  free(reader);
}

static int has_more(void *socket) {
  int more = 0;
  size_t size = sizeof more;
  return zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size) == 0 && more;
}

const void *telemetry_reader_take(struct telemetry_reader *reader, int timeout_ms, const char **topic,
                                  size_t *size) {
  zmq_pollitem_t item = {reader->socket, 0, ZMQ_POLLIN, 0};
  if (zmq_poll(&item, 1, timeout_ms) <= 0)
    return NULL;
  for (;;) {
    uint8_t rest[1];
    int name = zmq_recv(reader->socket, reader->topic, sizeof reader->topic - 1, ZMQ_DONTWAIT);
    if (name < 0)
      return NULL;
    int length = has_more(reader->socket)
                     ? zmq_recv(reader->socket, reader->bytes, sizeof reader->bytes, ZMQ_DONTWAIT)
                     : -1;
    int parts = 2;
    for (; has_more(reader->socket); parts++)
      zmq_recv(reader->socket, rest, sizeof rest, ZMQ_DONTWAIT);
    if ((size_t)name >= sizeof reader->topic || length < 0 || (size_t)length > sizeof reader->bytes ||
        parts != 2)
      continue; // of a later version, or nothing of a simulator's
    reader->topic[name] = 0;
    *topic = reader->topic;
    *size = (size_t)length;
    return reader->bytes;
  }
}
