#include "io/wire/client_keys.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

enum status client_set_keys(void *socket, const struct client_keys *keys, struct reason *why) {
  if (!keys || (zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, keys->server, PEER_KEY) == 0 &&
                zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys->own.key.bytes, PEER_KEY) == 0 &&
                zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->own.bytes, PEER_KEY) == 0))
    return STATUS_OK;
  return fail(why, STATUS_IO, "libzmq cannot use the keys: %s", zmq_strerror(errno));
}

void *client_watch_handshake(void *context, void *socket) {
  static atomic_uint next;
  const int events = ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;
  char address[64];
  snprintf(address, sizeof address, "inproc://handshake-%u", atomic_fetch_add(&next, 1));
  void *monitor = zmq_socket(context, ZMQ_PAIR);
  const int none = 0;
  if (!monitor)
    return NULL;
  zmq_setsockopt(monitor, ZMQ_LINGER, &none, sizeof none);
  if (zmq_socket_monitor(socket, address, events) == 0 && zmq_connect(monitor, address) == 0)
    return monitor;
  zmq_close(monitor);
  return NULL;
}

// An event is two frames: its number (16 bit) and value (32 bit), then the endpoint.
static int read_event(void *monitor, uint16_t *event, uint32_t *value) {
  uint8_t frame[6], endpoint[256];
  if (zmq_recv(monitor, frame, sizeof frame, ZMQ_DONTWAIT) != (int)sizeof frame)
    return 0;
  memcpy(event, frame, sizeof *event);
  memcpy(value, frame + sizeof *event, sizeof *value);
  return zmq_recv(monitor, endpoint, sizeof endpoint, ZMQ_DONTWAIT) >= 0;
}

enum status client_check_handshake(void *monitor, const struct client_keys *keys, struct reason *why) {
  uint16_t event;
  uint32_t value;
  if (!monitor || !read_event(monitor, &event, &value))
    return STATUS_OK;
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
    return fail(why, STATUS_IO, "the simulator does not admit the key %s (%s)",
                keys ? keys->own.key.name : "", keys ? peer_role_name(keys->own.key.role) : "none");
  if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    return keys ? fail(why, STATUS_IO,
                       "the simulator uses no keys: nothing expected for --key and --server-key")
                : fail(why, STATUS_IO,
                       "the simulator admits only clients with a key: --key and --server-key "
                       "expected");
  return fail(why, STATUS_IO, "the simulator refuses the handshake (libzmq's code %08x)%s", (unsigned)value,
              keys ? ": is its public key the one of --server-key?" : "");
}
