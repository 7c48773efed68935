// A client's socket of ZeroMQ. Whenever its connection ends, a new socket takes its place: libzmq connects
// again by itself, but never after an encrypted message that was altered on the way.
#pragma once

#include "sagbend/base/status.h"
#include "os/files/files.h"
#include "net/zmtp/endpoint.h"

#include <stdint.h>

struct client_socket_options {
  int type;                       // ZMQ_DEALER or ZMQ_SUB
  const struct client_keys *keys; // NULL: none. They must live as long as the socket
  void (*prepare)(void *socket,
                  const void *context); // sets further options before the socket connects; NULL: none
  const void *context;
};

struct client_socket {
  struct client_socket_options options;
  char endpoint[ENDPOINT_TEXT];
  void *context, *socket, *monitor; // of libzmq; NULL while none can be opened
  int is_open;                      // the handshake of this socket has succeeded
  int was_open;                     // that of the one before
  int has_been_open;                // that of any
  int64_t connected_ms;             // when the system last connected, before the handshake; 0: never
  int64_t renew_ms;                 // when a new socket takes its place; 0: not yet
  int failures;                     // connections in a row that ended before their handshake
  int refusals;                     // before the first handshake that succeeded
  struct reason notice;             // what a person should know; the reader empties it
};

// Connects, whether or not a simulator is there yet. STATUS_IO: libzmq refuses; release with
// client_socket_close in every case.
enum status client_socket_open(struct client_socket *s, const char *endpoint,
                               const struct client_socket_options *options, struct reason *why);
void client_socket_close(struct client_socket *s);

// Waits at most timeout_ms for a message. Returns whether one may have come; -1: it failed, with errno.
int client_socket_wait(struct client_socket *s, int timeout_ms);

// Follows the connection; call it several times a second, after taking what has come. *is_new: a new socket
// has taken the place of the one before, whose messages are gone. STATUS_IO: the other end refuses this
// client, and no handshake has ever succeeded; why states the cause.
enum status client_socket_follow(struct client_socket *s, int *is_new, struct reason *why);

// A new socket takes the place of this one at the next call of client_socket_follow: the connection is open,
// and what should have come over it has not.
void client_socket_renew(struct client_socket *s);

// Why nothing comes over a connection that is silent, as far as this end knows, and what to check: for
// people.
const char *client_socket_silence(const struct client_socket *s);
