// The bare peers of the benchmark round_trip: sockets without a simulator, in a process of their own.
#pragma once

#include "net/messages/messages.h"
#include "os/process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <zmq.h>

enum { PATIENCE_MS = 20000 };

static inline void stop(const char *what) {
  fprintf(stderr, "round_trip: %s: %s\n", what, zmq_strerror(errno));
  exit(1);
}

static inline void set_int(void *socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

static inline void *open_socket(void *context, int type) {
  void *socket = zmq_socket(context, type);
  if (!socket)
    stop("socket");
  set_int(socket, ZMQ_LINGER, 0);
  set_int(socket, ZMQ_RCVTIMEO, PATIENCE_MS);
  return socket;
}

// Answers each message with one of as many bytes as its first four state.
static inline void answer_forever(void *router) {
  unsigned char identity[255], bytes[WIRE_MAX_ENVELOPE] = {0};
  for (;;) {
    int identity_size = zmq_recv(router, identity, sizeof identity, 0);
    int size = zmq_recv(router, bytes, sizeof bytes, 0);
    uint32_t wanted;
    if (identity_size < 0 || size < (int)sizeof wanted)
      return;
    memcpy(&wanted, bytes, sizeof wanted);
    if (wanted > sizeof bytes || zmq_send(router, identity, (size_t)identity_size, ZMQ_SNDMORE) < 0 ||
        zmq_send(router, bytes, wanted, 0) < 0)
      return;
  }
}

// The first message to a peer that sends at its own pace.
struct pace {
  uint64_t start_ns, period_ns; // os_now_ns
  uint64_t bytes;               // of each message; the first eight are the moment at which it is handed over
};

// Sleeps and sends in turn, as a simulator in real time does.
static inline void send_forever(void *router) {
  unsigned char identity[255], bytes[WIRE_MAX_ENVELOPE] = {0};
  struct pace pace;
  int identity_size = zmq_recv(router, identity, sizeof identity, 0);
  if (identity_size < 0 || zmq_recv(router, &pace, sizeof pace, 0) != (int)sizeof pace ||
      pace.bytes < sizeof(uint64_t) || pace.bytes > sizeof bytes)
    return;
  for (uint64_t k = 0;; k++) {
    os_sleep_until_ns(pace.start_ns + k * pace.period_ns);
    uint64_t now_ns = os_now_ns();
    memcpy(bytes, &now_ns, sizeof now_ns);
    if (zmq_send(router, identity, (size_t)identity_size, ZMQ_SNDMORE) < 0 ||
        zmq_send(router, bytes, pace.bytes, 0) < 0)
      return;
  }
}

// Starts a process with a ROUTER socket that does this; endpoint: where it is. Called before this process has
// a context.
static inline void start_bare_peer(void (*what)(void *router), char endpoint[64]) {
  int ends[2];
  if (pipe(ends))
    stop("pipe");
  pid_t child = fork();
  if (child < 0)
    stop("fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    void *context = zmq_ctx_new(), *router = open_socket(context, ZMQ_ROUTER);
    char bound[64] = "";
    size_t size = sizeof bound;
    set_int(router, ZMQ_RCVTIMEO, -1);
    if (zmq_bind(router, "tcp://127.0.0.1:*"))
      stop("bind");
    zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, bound, &size);
    if (write(ends[1], bound, sizeof bound) != (ssize_t)sizeof bound)
      stop("pipe");
    what(router);
    exit(0);
  }
  if (read(ends[0], endpoint, 64) != 64)
    stop("the bare peer does not start");
}
