// Connections that a listening socket has accepted: their options, and whose they are.
#pragma once

enum { PEER_ADDRESS = 64 }; // size of a buffer for an address, with its final zero

// The next connection that waits, non-blocking; child processes do not inherit it. -1: none; *is_short: the
// process has no free file descriptor, so that the connection stays in the system's queue and the listener
// stays ready.
int peer_socket_accept(int listener, int *is_short);

struct peer_socket_limits {
  int send_buffer;    // bytes of the system's own buffer
  int receive_buffer; // 0: the system's choice
  int keepalive_s; // until the first probe and between probes of the peer's system; three without an answer
                   // end it
  int unacknowledged_ms; // time allowed to the peer's system to take data; 0: the system's choice
};
void peer_socket_limit(int file, const struct peer_socket_limits *limits);

// Numeric address and port of the other end, or "this machine" at an ipc path; empty if the connection has
// gone.
void peer_socket_address(int file, char out[PEER_ADDRESS]);
